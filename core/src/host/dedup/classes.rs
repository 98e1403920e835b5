//! Sets of equal files, each known by its first one.
#![forbid(unsafe_code)]

use crate::{Error, Result};
use std::vec::Vec;

/// Disjoint sets of files, found by the files' numbers.
pub(super) struct Classes(Vec<usize>);

impl Classes {
    /// Every file alone.
    pub fn new(count: usize) -> Result<Classes> {
        let mut parents = Vec::new();
        parents.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
        parents.extend(0..count);
        Ok(Classes(parents))
    }

    /// The first file of the set of `file`.
    pub fn first(&mut self, mut file: usize) -> usize {
        while let Some(parent) = self.0.get(file).copied().filter(|parent| *parent != file) {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(to) = self.0.get_mut(file) {
                *to = above;
            }
            file = above;
        }
        file
    }

    /// Makes the sets of two files one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        if let Some(to) = self.0.get_mut(a.max(b)) {
            *to = a.min(b);
        }
    }
}
