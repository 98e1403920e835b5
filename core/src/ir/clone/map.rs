//! What became of what: from an object that was cloned to its clone.

use crate::ir::raw::state::{FixedState, fixed_state};
use crate::{Error, Result};
use hashbrown::HashMap;

/// Clones by the address of their source. It is only ever asked, never walked, so that no order depends on addresses.
pub(super) struct Map<'t, T>(HashMap<usize, &'t T, FixedState>);

impl<'t, T> Map<'t, T> {
    pub(super) fn new() -> Self {
        Map(HashMap::with_hasher(fixed_state()))
    }

    /// The clone of `source`, if it was cloned.
    pub(super) fn get(&self, source: &T) -> Option<&'t T> {
        self.0.get(&core::ptr::from_ref(source).addr()).copied()
    }

    pub(super) fn insert(&mut self, source: &T, clone: &'t T) -> Result<()> {
        self.0.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.0.insert(core::ptr::from_ref(source).addr(), clone);
        Ok(())
    }
}
