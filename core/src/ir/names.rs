//! Name collisions: the one rule. The object that comes later becomes `<name>_<n>`, with the smallest free n from 1 on.
//!
//! A remembered last n per requested name makes thousands of equal names cheap; a name that becomes free again lowers it,
//! so the result is always that of trying 1, 2, 3, … (`spec/layout.md` section 3.2).

use super::raw::{ModuleState, NamedObjectContainer};
use crate::{Error, Result};
use alloc::string::String;
use core::fmt::Write;

fn key(container: &NamedObjectContainer, name: &str) -> Result<(usize, String)> {
    let mut text = String::new();
    text.try_reserve_exact(name.len()).map_err(|_| Error::out_of_memory())?;
    text.push_str(name);
    Ok((core::ptr::from_ref(container).addr(), text))
}

/// The name that an object asking for `wanted` gets in `container`; `None` if `wanted` itself is free.
pub(crate) fn free_name(state: &ModuleState, container: &NamedObjectContainer, wanted: &str) -> Result<Option<String>> {
    if container.symtab.find(wanted).is_none() {
        return Ok(None);
    }
    let mut hints = state.name_hints.borrow_mut();
    hints.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    let last = hints.entry(key(container, wanted)?).or_insert(0);
    let mut candidate = String::new();
    candidate.try_reserve_exact(wanted.len().saturating_add(11)).map_err(|_| Error::out_of_memory())?;
    let mut n = *last;
    loop {
        n = n
            .checked_add(1)
            .ok_or_else(|| Error::new(crate::ErrorCode::LimitExceeded, format_args!("no free name for `{wanted}`")))?;
        candidate.clear();
        // Within the reserved capacity, so it cannot fail.
        let _ = write!(candidate, "{wanted}_{n}");
        if container.symtab.find(&candidate).is_none() {
            *last = n;
            return Ok(Some(candidate));
        }
    }
}

/// Tells the rule that `name` is free again in `container`, or that an insert did not use the name given out.
pub(crate) fn released(state: &ModuleState, container: &NamedObjectContainer, name: &str) {
    let Some((base, digits)) = name.rsplit_once('_') else { return };
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return;
    }
    let Ok(n) = digits.parse::<u32>() else { return };
    let mut hints = state.name_hints.borrow_mut();
    if hints.is_empty() {
        return;
    }
    // Without memory for the key the hint is dropped with all others, which costs time, not exactness.
    match key(container, base) {
        Ok(key) => {
            if let Some(last) = hints.get_mut(&key) {
                *last = (*last).min(n - 1);
            }
        }
        Err(_) => hints.clear(),
    }
}
