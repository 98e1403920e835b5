//! Names that loading made up. Real documents give many instructions one name; loading makes them `n`, `n_1`, `n_2`, so one
//! more of them shifts the names of all that follow. Such a name stands for the one that it was made from.
#![forbid(unsafe_code)]

use crate::ir::raw::state::{FixedState, fixed_state};
use crate::{Error, Result};
use hashbrown::HashMap;

fn digest(name: &str) -> u64 {
    super::side::mix(name)
}

/// The digests of the names of one list that were met so far, and the suffix to try next for those that were repeated.
pub(super) struct Given {
    next: HashMap<u64, u32, FixedState>,
}

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Name {
    /// Digest of the name as it is.
    pub(super) text: u64,
    /// Digest of the name that it was made from: its own if it was not made up.
    pub(super) given: u64,
    /// Whether it was made up; also whether others were made from it, which the list's owner finds out.
    pub(super) shared: bool,
}

impl Given {
    pub(super) fn new() -> Self {
        Given { next: HashMap::with_hasher(fixed_state()) }
    }

    /// Takes the next name of the list.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn take(&mut self, name: &str) -> Result<Name> {
        let text = digest(name);
        let base = self.base(name);
        if let Some((base, suffix)) = base
            && let Some(next) = self.next.get_mut(&base)
        {
            *next = suffix.saturating_add(1);
        }
        self.next.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.next.entry(text).or_insert(1);
        let given = base.map_or(text, |(base, _)| base);
        Ok(Name { text, given, shared: base.is_some() })
    }

    /// The digest of the name that `name` was made from, with the suffix: it is taken, and the suffix is the smallest that is free.
    fn base(&self, name: &str) -> Option<(u64, u32)> {
        let (base, digits) = name.rsplit_once('_')?;
        let suffix = digits.parse().ok().filter(|_| !digits.starts_with(['0', '+']))?;
        let mut next = *self.next.get(&digest(base))?;
        // Names in between were taken by others.
        while next < suffix && self.is_taken(base, next) {
            next = next.saturating_add(1);
        }
        (next == suffix).then(|| (digest(base), suffix))
    }

    fn is_taken(&self, base: &str, suffix: u32) -> bool {
        crate::fallible::format(format_args!("{base}_{suffix}")).is_ok_and(|n| self.next.contains_key(&digest(&n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bases<'n>(names: &[&'n str]) -> Vec<(&'n str, bool)> {
        let mut given = Given::new();
        let digests: Vec<_> = names.iter().map(|n| (*n, digest(n))).collect();
        let text = |digest| digests.iter().find(|d| d.1 == digest).unwrap().0;
        names.iter().map(|n| given.take(n).unwrap()).map(|n| (text(n.given), n.shared)).collect()
    }
    use alloc::vec::Vec;

    #[test]
    fn made_up_names_stand_for_what_they_were_made_from() {
        assert_eq!(bases(&["n", "n_1", "m", "n_2"]), [("n", false), ("n", true), ("m", false), ("n", true)]);
    }

    #[test]
    fn other_names_stand_for_themselves() {
        // Nothing that they could be made from, a gap, a suffix that nobody writes.
        assert_eq!(bases(&["n_1", "n", "n_3"]), [("n_1", false), ("n", false), ("n_3", false)]);
        assert_eq!(
            bases(&["I", "I_01", "I_+1", "I_"]),
            [("I", false), ("I_01", false), ("I_+1", false), ("I_", false)]
        );
    }

    #[test]
    fn taken_suffixes_are_passed_over() {
        assert_eq!(bases(&["n_1", "n", "n_2", "n_3"]), [("n_1", false), ("n", false), ("n", true), ("n", true)]);
        assert_eq!(bases(&["a", "a_1", "a_1_1"]), [("a", false), ("a", true), ("a_1", true)]);
    }
}
