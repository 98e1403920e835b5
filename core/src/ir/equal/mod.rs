//! Structural equality: round trips, clones and passes are checked by asking for the first difference, not for a yes or no.
//!
//! Two objects are equal when a document could not tell them apart: names, order, attributes, headers, dependencies (as
//! sets), semaphores, operands, payloads (floats bit for bit), expressions (as trees), nested blocks, block arguments and
//! aliases (as sets). References are compared by name: relative to the compared objects where they lie inside, else by the
//! names of the owners. Ids, addresses, the module of origin, scratch words and whether a schedule block or an expression
//! node is shared make no difference.

mod chain;
pub(crate) mod computed;
mod differ;
mod digest;
mod expr;
mod instruction;
mod module;
pub(crate) mod pair;
mod payload;
mod references;
mod storage;

use super::raw::{
    Argument, BasicBlock, DMAQueue, ExprNode, Function, Instruction, MemoryLocation, MemoryLocationSet,
    Module as ModuleRef, Register,
};
use crate::{Error, Result};
use alloc::string::String;
use chain::Scope;
use core::fmt;
use differ::{Check, Differ};

/// The first difference of two objects, in program order: what comes earlier in the path comes earlier in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, relative to the compared objects: `functions[0].blocks[1].instructions[4].outs[0].pattern[0]`.
    pub path: String,
    /// What differs: the last key of the path.
    pub what: String,
    /// What the left side has there; `(none)` if nothing.
    pub left: String,
    /// What the right side has there; `(none)` if nothing.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() { &self.what } else { &self.path };
        write!(f, "{place}: {} here, {} there", self.left, self.right)
    }
}

mod sealed {
    pub trait Sealed {
        fn compare(&self, other: &Self) -> super::Check;
    }
}

/// What [`difference`] can compare: modules, functions, blocks, instructions, operands, sets, locations, registers, queues
/// and expression nodes.
pub trait Structure: sealed::Sealed {}

/// The first difference of two objects of one kind, of the same or two modules; `None` if they are equal.
///
/// Memory that runs out while comparing counts as a difference, which says so and has no path; [`try_difference`] makes it
/// an error.
pub fn difference<T: Structure>(a: &T, b: &T) -> Option<Difference> {
    a.compare(b).err()
}

/// As [`difference`], for callers that must not take two objects for different because nobody could tell.
///
/// # Errors
/// `OutOfMemory`.
pub fn try_difference<T: Structure>(a: &T, b: &T) -> Result<Option<Difference>> {
    settled(a.compare(b))
}

/// A difference without path is the one that says that memory was out.
pub(crate) fn settled(check: Check) -> Result<Option<Difference>> {
    match check {
        Ok(()) => Ok(None),
        Err(found) if found.path.is_empty() => Err(Error::out_of_memory()),
        Err(found) => Ok(Some(found)),
    }
}

macro_rules! structures {
    ($($type:ident: |$o:ident| $around:expr, $compare:ident;)*) => { $(
        impl sealed::Sealed for $type {
            fn compare(&self, other: &Self) -> Check {
                fn around($o: &$type) -> Option<&Function> {
                    $around
                }
                let (a, b) = Scope::pair(self, around(self), other, around(other));
                Differ::new(a, b).$compare(self, other)
            }
        }
        impl Structure for $type {}

        impl $type {
            /// Whether the two are equal in structure; see [`difference`](crate::ir::difference), which says where not.
            pub fn structurally_equal(&self, other: &Self) -> bool {
                difference(self, other).is_none()
            }
        }
    )* };
}

structures! {
    Function: |o| Some(o), function;
    BasicBlock: |o| o.function(), block;
    Instruction: |o| o.function(), instruction;
    Argument: |o| o.function(), operand;
    MemoryLocationSet: |o| o.storage().function(), memory_set;
    MemoryLocation: |o| o.base().function(), location;
    Register: |o| o.storage().function(), register;
    DMAQueue: |_o| None, dma_queue;
    ExprNode: |_o| None, node;
}

impl sealed::Sealed for ModuleRef {
    fn compare(&self, other: &Self) -> Check {
        Differ::new(Scope::default(), Scope::default()).module(self, other)
    }
}
impl Structure for ModuleRef {}

impl ModuleRef {
    /// Whether the two are equal in structure; see [`difference`](crate::ir::difference), which says where not.
    pub fn structurally_equal(&self, other: &Self) -> bool {
        difference(self, other).is_none()
    }
}

impl sealed::Sealed for super::Module {
    fn compare(&self, other: &Self) -> Check {
        sealed::Sealed::compare(&**self, other)
    }
}
impl Structure for super::Module {}
