//! What differs between two packages, told with what it changes. The hash of a package covers every byte of its payload, the
//! IR signature only some members, and a loader minds neither how the payload is packed nor who owns its members; so equal
//! hashes are rare and say little, and this says more.
#![forbid(unsafe_code)]

mod header;
mod json;

pub use header::compare_headers;
pub use json::compare_json;

use crate::error::Result;
use crate::fallible::push;
use alloc::string::String;
use alloc::vec::Vec;

/// What happened to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// Only the right side has it.
    Added,
    /// Only the left side has it.
    Removed,
    /// Both have it and differ.
    Changed,
}

impl What {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            What::Added => "added",
            What::Removed => "removed",
            What::Changed => "changed",
        }
    }
}

/// One difference from the left to the right side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What happened.
    pub what: What,
    /// The member; `None` for the header and for the package as a whole.
    pub member: Option<String>,
    /// The header field, the place in a JSON member, or the part of the member (`header`, `data`); empty for the member
    /// itself.
    pub path: String,
    /// The first byte that differs, counted from the start of the file for a header field and of the member for others,
    /// where that can be told.
    pub offset: Option<u64>,
    /// The value on the left side; empty if there is none.
    pub old: String,
    /// The value on the right side, likewise.
    pub new: String,
    /// Whether a loader or a tool may mind.
    pub matters: bool,
    /// Whether it changes the hash of the payload.
    pub changes_hash: bool,
    /// Whether it changes the IR signature.
    pub changes_signature: bool,
}

impl Difference {
    /// A difference of a part of a member, which changes the hash.
    pub fn of_member(what: What, member: &str, signed: bool) -> Self {
        Difference {
            what,
            member: Some(String::from(member)),
            path: String::new(),
            offset: None,
            old: String::new(),
            new: String::new(),
            matters: true,
            changes_hash: true,
            changes_signature: signed,
        }
    }

    /// A difference of the header or the package as a whole.
    pub fn of_package(path: &str, old: String, new: String) -> Self {
        Difference {
            what: What::Changed,
            member: None,
            path: String::from(path),
            offset: None,
            old,
            new,
            matters: true,
            changes_hash: false,
            changes_signature: false,
        }
    }
}

/// Differences, of which the first are kept and all are counted.
#[derive(Clone, Debug)]
pub struct Differences {
    /// Those that were kept.
    pub list: Vec<Difference>,
    /// How many more there are.
    pub dropped: u64,
    /// Whether any changes the IR signature, kept or not.
    pub changes_signature: bool,
    /// Whether there is any that matters, kept or not.
    pub any_matters: bool,
    max: usize,
    all: bool,
}

impl Differences {
    /// None yet; at most `max` are kept, and of those that do not matter none, unless `all`.
    pub fn new(max: usize, all: bool) -> Self {
        let list = Vec::new();
        Differences { list, dropped: 0, changes_signature: false, any_matters: false, max, all }
    }

    /// Adds one.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn add(&mut self, difference: Difference) -> Result<()> {
        self.changes_signature |= difference.changes_signature;
        self.any_matters |= difference.matters;
        if !difference.matters && !self.all {
            return Ok(());
        }
        if self.list.len() >= self.max {
            self.dropped = self.dropped.saturating_add(1);
            return Ok(());
        }
        push(&mut self.list, difference)
    }

    /// How many there are, kept or not.
    pub fn total(&self) -> u64 {
        (self.list.len() as u64).saturating_add(self.dropped)
    }
}
