//! Where a walk stands, for the errors and findings of visitors, and how deep: values that a program made may be nested
//! deeper than any that were read.

use super::schema::{Head, MAX_DEPTH};
use crate::doc::path::Path;
use crate::error::{Error, ErrorCode, Result};

/// The place of a walk.
#[derive(Debug, Default)]
pub(super) struct Trail {
    path: Path,
    depth: u32,
}

impl Trail {
    /// Into a field.
    pub(super) fn field(&mut self, name: &'static str) {
        self.path.push_key(name);
    }

    /// Into an element of a list.
    pub(super) fn element(&mut self, index: usize) {
        self.path.push_index(index);
    }

    /// Out of the field or element that was entered last.
    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Into a record or constructor.
    pub(super) fn begin(&mut self, head: &Head) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            let error = Error::new(ErrorCode::LimitExceeded, "records are nested too deeply");
            return Err(self.place(error.expected_found(format_args!("{MAX_DEPTH} levels at most"), "one more")));
        }
        self.depth += 1;
        if head.holds_one() {
            self.path.push_key(head.ctor_name);
        }
        Ok(())
    }

    /// Out of it.
    pub(super) fn end(&mut self, head: &Head) {
        self.depth = self.depth.saturating_sub(1);
        if head.holds_one() {
            self.path.pop();
        }
    }

    /// The error with this place.
    pub(super) fn place(&self, error: Error) -> Error {
        error.at(&self.path)
    }
}
