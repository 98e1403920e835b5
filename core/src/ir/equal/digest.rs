//! A digest of one object, taken by the walk that compares two: whoever looks for an object's counterpart must not go by
//! other parts than whoever then compares the pair.
//!
//! Equal objects have equal digests. Names, and references to what has no label yet, are left out.

use crate::ir::raw::state::fixed_state;
use core::hash::{BuildHasher, Hash, Hasher};

/// Which part of an object the walk is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What the object is: header and payload.
    Own,
    /// What it works on: operands.
    Operands,
}

/// Nodes of one expression, spelled out as a tree, that count: shared nodes make trees larger than any memory, and may be
/// shared in one of two equal expressions only.
pub(super) const NODES: usize = 64;

/// A digest under way.
pub(super) struct Digest {
    own: ahash::AHasher,
    operands: ahash::AHasher,
    pub(super) part: Part,
}

impl Digest {
    pub(super) fn new() -> Self {
        Digest { own: fixed_state().build_hasher(), operands: fixed_state().build_hasher(), part: Part::Own }
    }

    pub(super) fn add(&mut self, value: impl Hash) {
        match self.part {
            Part::Own => value.hash(&mut self.own),
            Part::Operands => value.hash(&mut self.operands),
        }
    }

    /// The digests of both parts.
    pub(super) fn finish(&self) -> Digests {
        Digests { own: self.own.finish(), operands: self.operands.finish() }
    }
}

/// The digests of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Digests {
    /// Of header and payload.
    pub(crate) own: u64,
    /// Of the operands.
    pub(crate) operands: u64,
}
