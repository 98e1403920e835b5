//! What two objects must have in common to be taken for one, from the surest to the weakest.
#![forbid(unsafe_code)]

use super::align::Key;
use super::side::{Side, mix};
use super::tree::List;

/// A way to know an object by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Name, fields, content and dependencies.
    NameAndAll,
    /// Name, fields and content.
    NameAndFields,
    /// Name and class.
    NameAndClass,
    /// Fields, content and dependencies.
    All,
    /// Fields and content.
    Fields,
    /// The name that loading made others from, and the class.
    GivenName,
    /// What it works on, and the class.
    WorksOn,
    /// Class, header and payload; for pairs that differ nearly nowhere.
    Near,
    /// What it works on, and the given name: another opcode.
    WorksOnByAnother,
    /// The name alone: another opcode.
    Name,
    /// A location of one set: there is mostly one.
    Location,
}

/// By name first.
pub(super) const NAMES: &[Level] = &[Level::NameAndAll, Level::NameAndFields, Level::NameAndClass];
/// By structure.
pub(super) const STRUCTURE: &[Level] = &[Level::All, Level::Fields];
/// By a part of it.
pub(super) const PARTS: &[Level] =
    &[Level::GivenName, Level::WorksOn, Level::Near, Level::WorksOnByAnother, Level::Name, Level::Location];

impl Level {
    /// The key of an object; `None` if it cannot be known in this way.
    pub(super) fn key(self, side: &Side<'_>, number: u32) -> Key {
        let k = side.keys(number);
        let node = side.tree.node(number)?;
        let kind = node.object.kind();
        match self {
            Level::NameAndAll => Some(mix((k.name.text, k.full))),
            Level::NameAndFields => Some(mix((k.name.text, side.alike(number)))),
            Level::NameAndClass => Some(mix((k.name.text, k.class))),
            Level::All => Some(k.full),
            Level::Fields => Some(side.alike(number)),
            Level::GivenName => Some(mix((k.name.given, k.class))),
            Level::WorksOn => k.telling.then(|| mix((k.class, k.works_on))),
            Level::Near => k.telling.then(|| mix((k.class, k.own))),
            Level::WorksOnByAnother => k.telling.then(|| mix((kind, k.name.given, k.works_on))),
            Level::Name => (!k.name.shared && !k.distrusted).then(|| mix((kind, k.name.text))),
            Level::Location => (node.list == List::Locations).then_some(k.class),
        }
    }
}
