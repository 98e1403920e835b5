//! A tar header has 100 bytes for a name and 155 for a prefix; this decides what goes where and how a longer name is
//! cut (`spec/neff.md` section 4.4). Names are bytes here: a cut may fall inside a character.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use alloc::vec::Vec;

/// Length of the name field in bytes.
pub(super) const NAME: usize = 100;
/// Length of the prefix field in bytes.
pub(super) const PREFIX: usize = 155;

/// Prefix and name fields for `name`, or `None` if it does not fit them.
pub(super) fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= NAME {
        return Some((&[], name));
    }
    let from = name.len().checked_sub(NAME + 1)?;
    // A slash at the very start would leave an empty prefix.
    let slash = from.max(1) + name.get(from.max(1)..)?.iter().position(|&b| b == b'/')?;
    if slash > PREFIX || slash + 1 == name.len() {
        return None;
    }
    Some((name.get(..slash)?, name.get(slash + 1..)?))
}

/// Whether the name needs a pax record `path`.
pub(super) fn needs_record(name: &[u8]) -> bool {
    !name.is_ascii() || split(name).is_none()
}

/// A name that [`split`] accepts, cut out of a longer one: "rule S" of the specification. `inserted` is the directory
/// put before the last element (`PaxHeader` for an extended header, empty for a main header).
pub(super) fn shorten(name: &[u8], inserted: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    // The result is never longer than both fields together, with their slash and a restored one.
    out.try_reserve_exact(NAME + PREFIX + 2).map_err(|_| Error::out_of_memory())?;
    if inserted.is_empty() && name.len() < NAME {
        out.extend_from_slice(name);
        return Ok(out);
    }
    let mut stripped = name;
    let mut restore_slash = false;
    while let Some(shorter) = stripped.strip_suffix(b"/").or_else(|| stripped.strip_suffix(b"/.")) {
        stripped = shorter;
        restore_slash = true;
    }
    let base_at = last_slash(stripped).map_or(0, |slash| slash + 1);
    let (directory, base) = stripped.split_at_checked(base_at).unwrap_or((&[], stripped));

    let mut budget = NAME - 2 - usize::from(restore_slash);
    if !inserted.is_empty() {
        budget = budget.saturating_sub(inserted.len() + 2);
    }
    let base = base.get(..budget).unwrap_or(base);
    budget -= base.len();

    let first_end = last_slash(directory.get(..PREFIX).unwrap_or(directory)).map_or(0, |slash| slash + 1);
    let (first, rest) = directory.split_at_checked(first_end).unwrap_or((&[], directory));
    // The slash itself may lie just behind the budget (measured).
    let second = rest.get(..=budget).unwrap_or(rest);
    let second_end = last_slash(second).map_or(0, |slash| slash + 1);
    let second = second.get(..second_end).unwrap_or(second);

    out.extend_from_slice(first);
    out.extend_from_slice(second);
    if !inserted.is_empty() {
        out.extend_from_slice(inserted);
        out.push(b'/');
    }
    out.extend_from_slice(base);
    if restore_slash {
        out.push(b'/');
    }
    Ok(out)
}

fn last_slash(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|&b| b == b'/')
}
