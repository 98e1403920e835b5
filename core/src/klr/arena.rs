//! Where decoded values lie: all of a file goes at once, so nothing is freed alone and nesting needs no destructor.

use crate::error::{Error, Result};
use bumpalo::Bump;

/// Memory for the values of decoded files. They live as long as it does.
#[derive(Debug, Default)]
pub struct Arena(Bump);

impl Arena {
    /// An empty arena. It takes no memory from the system before the first value.
    #[must_use]
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Bytes taken from the system.
    #[must_use]
    pub fn reserved_bytes(&self) -> usize {
        self.0.allocated_bytes()
    }

    /// Keeps a value.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn value<T: Copy>(&self, value: T) -> Result<&T> {
        match self.0.try_alloc(value) {
            Ok(kept) => Ok(kept),
            Err(_) => Err(Error::out_of_memory()),
        }
    }

    /// Keeps a list.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn list<T: Copy>(&self, items: &[T]) -> Result<&[T]> {
        match self.0.try_alloc_slice_copy(items) {
            Ok(kept) => Ok(kept),
            Err(_) => Err(Error::out_of_memory()),
        }
    }

    /// A list of `len` copies of `item`, to be overwritten.
    pub(super) fn filled<T: Copy>(&self, len: usize, item: T) -> Result<&mut [T]> {
        self.0.try_alloc_slice_fill_copy(len, item).map_err(|_| Error::out_of_memory())
    }
}
