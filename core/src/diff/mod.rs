//! What changed between two modules: for people who compare two outputs of a compiler, and for tests that allow certain
//! changes only.
//!
//! Objects are matched by name, then by structure; what has no counterpart was added or removed, what has one elsewhere
//! moved, what has one of another name was renamed, and of all others the fields that differ are listed. A reference to an
//! object is equal to one to its counterpart, whatever their names, so one change is not told again by whoever refers to
//! the object. Ids and the order of edges make no difference.
//!
//! There are changes if and only if the modules are not [structurally equal](ModuleRef::structurally_equal). Exchanged
//! modules give the same changes the other way round. Which object is matched with which is described in
//! `docs/choices.md`.
#![forbid(unsafe_code)]

mod align;
mod change;
mod increasing;
mod level;
mod matching;
mod names;
mod report;
mod side;
mod tree;
mod vote;

pub use change::{Change, Changes, Count, Kind, Subject, What};

use crate::Result;
use crate::ir::pair::digests;
use crate::ir::{ModuleRef, try_difference};
use core::cmp::Ordering;
use matching::Matching;
use report::Reporter;
use side::{Known, Side};

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// More changes than this are only counted.
    pub max_changes: usize,
}

impl Default for DiffOptions {
    fn default() -> Self {
        DiffOptions { max_changes: 10_000 }
    }
}

impl DiffOptions {
    /// With another limit.
    #[must_use]
    pub const fn max_changes(mut self, max_changes: usize) -> Self {
        self.max_changes = max_changes;
        self
    }
}

/// What changed from `a` to `b`.
///
/// The time is about proportional to the size of the modules, the memory some hundred bytes per object.
///
/// # Errors
/// `OutOfMemory`; `CorruptIr` for storage that is neither a set nor a register; `LimitExceeded` for modules with more than
/// 2^31 objects.
///
/// ```
/// use bir_core::diff::{DiffOptions, What, diff};
/// use bir_core::enums::bir::InstructionType;
/// use bir_core::ir::{Module, Place};
///
/// let (a, b) = (Module::new()?, Module::new()?);
/// for module in [&a, &b] {
///     module.add_function("main", Place::End)?.add_block("entry", Place::End)?;
/// }
/// let entry = b.find_function("main").and_then(|f| f.find_block("entry")).expect("just added");
/// entry.add_instruction(InstructionType::Return, "ret", Place::End)?;
/// let found = diff(&a, &b, &DiffOptions::default())?;
/// assert_eq!(found.changes[0].what, What::Added);
/// assert_eq!(found.summary().to_string(), "1 instruction added");
/// # Ok::<(), bir_core::Error>(())
/// ```
pub fn diff(a: &ModuleRef, b: &ModuleRef, options: &DiffOptions) -> Result<Changes> {
    let (left, right) = (Side::of(a)?, Side::of(b)?);
    // Counterparts are always looked for in the same direction, so that exchanged modules are matched the same.
    let swapped = order(&left, &right)?.is_gt();
    let (x, mut y) = if swapped { (right, left) } else { (left, right) };
    y.follow(x.tree.len());
    let mut matching = Matching { x, y };
    matching.find()?;
    let Matching { x, y } = matching;
    let (left, right) = if swapped { (&y, &x) } else { (&x, &y) };
    let mut found = Reporter::new(left, right, swapped, options.max_changes).run()?;
    if found.is_empty()
        && let Some(difference) = try_difference(a, b)?
    {
        // An alias edge of foreign code that stands on one of its ends only.
        found.unexplained(difference, options.max_changes)?;
    }
    Ok(found)
}

/// An order of modules that depends on their content only: by the first object that differs in place, name or class, else
/// by the first that differs in its own parts.
fn order(a: &Side<'_>, b: &Side<'_>) -> Result<Ordering> {
    let (n, m) = (a.tree.len(), b.tree.len());
    for number in 0..n.min(m) {
        let shape = |s: &Side<'_>| {
            let keys = s.keys(number);
            (s.tree.node(number).map(|n| (n.parent, n.list)), keys.class, keys.name.text)
        };
        let order = shape(a).cmp(&shape(b));
        if order.is_ne() {
            return Ok(order);
        }
    }
    if n != m {
        return Ok(n.cmp(&m));
    }
    for number in 0..n {
        let (Some(x), Some(y)) = (a.tree.node(number), b.tree.node(number)) else { continue };
        let digest = |s: &Side<'_>, o: tree::Object<'_>| match o.with(o) {
            Some(pair) => digests(pair, &s.labelled(Known::Nothing)),
            None => Ok(crate::ir::pair::Digests::default()),
        };
        let (x, y) = (digest(a, x.object)?, digest(b, y.object)?);
        let order = (x.own, x.operands).cmp(&(y.own, y.operands));
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}
