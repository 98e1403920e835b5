//! Two objects that belong together, compared for all their own differences: what lies in them as objects of their own is
//! left to pairs of its own.

use super::Difference;
use super::chain::Scope;
use super::differ::{Check, Differ, Purpose};
use super::digest::Digest;
pub(crate) use super::digest::Digests;
use crate::ir::raw::{
    BasicBlock, DMAQueue, Function, Instruction, MemoryLocation, MemoryLocationSet, Module as ModuleRef, Register,
};
use crate::mem::Str;
use crate::{Error, Result};
use alloc::vec::Vec;

/// Which objects of two modules belong together.
pub(crate) trait Labels {
    /// The label of the object at that address: two objects are one thing if their labels are equal. `None` for objects
    /// that are not part of the module.
    fn label(&self, address: usize) -> Option<u32>;
}

/// All differences of a pair, up to a limit.
pub(super) struct All {
    pub(super) found: Vec<Difference>,
    pub(super) count: usize,
    pub(super) limit: usize,
}

/// A pair of objects of one kind.
#[derive(Clone, Copy)]
pub(crate) enum Pair<'m> {
    Module(&'m ModuleRef, &'m ModuleRef),
    Function(&'m Function, &'m Function),
    Queue(&'m DMAQueue, &'m DMAQueue),
    Set(&'m MemoryLocationSet, &'m MemoryLocationSet),
    Register(&'m Register, &'m Register),
    Location(&'m MemoryLocation, &'m MemoryLocation),
    Block(&'m BasicBlock, &'m BasicBlock),
    Instruction(&'m Instruction, &'m Instruction),
}

/// The scope of what lies in `function`: its own name is not shown.
fn scope(function: Option<&Function>) -> Scope<'_> {
    Scope { root: 0, function, known_as: function.map(|_| Str::EMPTY) }
}

fn differ<'x>(
    functions: (Option<&'x Function>, Option<&'x Function>),
    labels: (&'x dyn Labels, &'x dyn Labels),
    purpose: Purpose,
) -> Differ<'x> {
    let mut differ = Differ::new(scope(functions.0), scope(functions.1));
    differ.labels = Some(labels);
    differ.purpose = purpose;
    differ
}

fn around<'m>(pair: Pair<'m>) -> (Option<&'m Function>, Option<&'m Function>) {
    match pair {
        Pair::Function(a, b) => (Some(a), Some(b)),
        Pair::Set(a, b) => (a.storage().function(), b.storage().function()),
        Pair::Register(a, b) => (a.storage().function(), b.storage().function()),
        Pair::Location(a, b) => (a.base().function(), b.base().function()),
        Pair::Block(a, b) => (a.function(), b.function()),
        Pair::Instruction(a, b) => (a.function(), b.function()),
        Pair::Module(..) | Pair::Queue(..) => (None, None),
    }
}

fn walk<'x>(differ: &mut Differ<'x>, pair: Pair<'x>) -> Check {
    match pair {
        Pair::Module(a, b) => differ.own_of_module(a, b),
        Pair::Function(a, b) => differ.own_of_function(a, b),
        Pair::Queue(a, b) => differ.own_of_queue(a, b),
        Pair::Set(a, b) => differ.own_of_set(a, b),
        Pair::Register(a, b) => differ.register(a, b),
        Pair::Location(a, b) => differ.location(a, b),
        Pair::Block(a, b) => differ.own_of_block(a, b),
        Pair::Instruction(a, b) => differ.own_of_instruction(a, b),
    }
}

/// The differences of a pair's own parts, names apart: at most `limit` of them, and how many there are. References are
/// equal if their labels are.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn differences<'x>(
    pair: Pair<'x>,
    labels: (&'x dyn Labels, &'x dyn Labels),
    limit: usize,
) -> Result<(Vec<Difference>, usize)> {
    let purpose = Purpose::All(All { found: Vec::new(), count: 0, limit });
    let mut differ = differ(around(pair), labels, purpose);
    // Only memory ends this walk.
    walk(&mut differ, pair).map_err(|_| Error::out_of_memory())?;
    match differ.purpose {
        Purpose::All(All { found, count, .. }) => Ok((found, count)),
        Purpose::First | Purpose::Digest(_) => Ok((Vec::new(), 0)),
    }
}

/// The digests of an object's own parts, given as a pair with itself.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn digests(of: Pair<'_>, labels: &dyn Labels) -> Result<Digests> {
    let mut differ = differ((None, None), (labels, labels), Purpose::Digest(Digest::new()));
    walk(&mut differ, of).map_err(|_| Error::out_of_memory())?;
    match &differ.purpose {
        Purpose::Digest(digest) => Ok(digest.finish()),
        Purpose::First | Purpose::All(_) => Ok(Digests::default()),
    }
}
