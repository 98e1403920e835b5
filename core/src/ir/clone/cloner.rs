//! One cloning operation: where it goes, what it made so far, and how to undo all of it.
//!
//! Cloning has two phases. First every object is made and entered into a map, then contents are filled in, so that
//! references among the cloned objects may point forward. Undoing needs no memory, so it cannot fail for want of it.

use super::map::Map;
use crate::error::bail;
use crate::ir::OperandList;
use crate::ir::raw::{
    BasicBlock, BasicBlockHolder, DMAQueue, ExprNode, Function, Instruction, LoopAxis, Module, ModuleState, Ptr,
    Storage, StorageBase, owner::same,
};
use crate::{Error, ErrorCode, Result};
use alloc::vec::Vec;

/// An object that was made on its own account; what lies in it goes with it.
#[derive(Clone, Copy)]
pub(super) enum Root<'t> {
    Function(&'t Function),
    Queue(&'t DMAQueue),
    Storage(&'t Storage),
    Block(&'t BasicBlock),
    Instruction(&'t Instruction),
}

/// The state of one cloning operation from objects of life `'s` into a module of life `'t`.
pub(super) struct Cloner<'s, 't> {
    /// The module that clones are made in.
    pub(super) to: &'t Module,
    /// Its state.
    pub(super) state: &'t ModuleState,
    /// Whether the source is in that module too.
    pub(super) same_module: bool,
    /// The function around the source, or the source itself.
    pub(super) from_function: Option<&'s Function>,
    /// The function around the clone, or the clone itself.
    pub(super) to_function: Option<&'t Function>,
    /// Where blocks and loop axes around the clone are looked up, outward.
    pub(super) anchor: Option<&'t BasicBlockHolder>,
    pub(super) functions: Map<'t, Function>,
    pub(super) queues: Map<'t, DMAQueue>,
    pub(super) storages: Map<'t, StorageBase>,
    pub(super) blocks: Map<'t, BasicBlock>,
    pub(super) instructions: Map<'t, Instruction>,
    pub(super) axes: Map<'t, LoopAxis>,
    pub(super) nodes: Map<'t, ExprNode>,
    roots: Vec<Root<'t>>,
    next_unique_id: u32,
}

impl<'s, 't> Cloner<'s, 't> {
    pub(super) fn new(from: &'s Module, to: &'t Module) -> Result<Self> {
        Ok(Cloner {
            to,
            state: to.module_state()?,
            same_module: Ptr::to(from) == Ptr::to(to),
            from_function: None,
            to_function: None,
            anchor: None,
            functions: Map::new(),
            queues: Map::new(),
            storages: Map::new(),
            blocks: Map::new(),
            instructions: Map::new(),
            axes: Map::new(),
            nodes: Map::new(),
            roots: Vec::new(),
            next_unique_id: to.next_unique_id(),
        })
    }

    /// Does the work, and undoes it if it fails.
    pub(super) fn run<T>(mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let error = match work(&mut self) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        match self.undo() {
            Ok(()) => Err(error),
            Err(undo) => bail!(Internal, "a clone that failed ({error}) could not be undone: {undo}"),
        }
    }

    /// Makes an object that [`Cloner::undo`] will erase.
    pub(super) fn make<T>(&mut self, make: impl FnOnce() -> Result<T>, root: impl FnOnce(&T) -> Root<'t>) -> Result<T> {
        self.roots.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        let made = make()?;
        self.roots.push(root(&made));
        Ok(made)
    }

    fn undo(&mut self) -> Result<()> {
        // All uses go first, so that erasing finds no storage in use, in whatever order the roots refer to each other.
        for root in &self.roots {
            match *root {
                Root::Function(function) => strip_holder(function.block_holder())?,
                Root::Queue(queue) => strip_holder(queue.block_holder())?,
                Root::Block(block) => strip_block(block)?,
                Root::Instruction(instruction) => strip_instruction(instruction)?,
                Root::Storage(_) => {}
            }
        }
        while let Some(root) = self.roots.pop() {
            match root {
                Root::Function(function) => function.erase()?,
                Root::Queue(queue) => queue.erase()?,
                Root::Storage(storage) => storage.erase()?,
                Root::Block(block) => block.erase()?,
                Root::Instruction(instruction) => instruction.erase()?,
            }
        }
        // The ids belonged to erased objects that nobody has seen.
        self.to.next_unique_id.set(self.next_unique_id);
        Ok(())
    }
}

fn strip_holder(holder: &BasicBlockHolder) -> Result<()> {
    for block in holder.blocks() {
        strip_arguments(block)?;
    }
    for instruction in holder.instructions() {
        strip_own(instruction)?;
    }
    Ok(())
}

fn strip_block(block: &BasicBlock) -> Result<()> {
    strip_arguments(block)?;
    for instruction in block.instructions() {
        strip_instruction(instruction)?;
    }
    Ok(())
}

fn strip_instruction(instruction: &Instruction) -> Result<()> {
    strip_own(instruction)?;
    instruction.block_holder().map_or(Ok(()), strip_holder)
}

fn strip_arguments(block: &BasicBlock) -> Result<()> {
    for argument in block.arguments() {
        argument.erase()?;
    }
    Ok(())
}

fn strip_own(instruction: &Instruction) -> Result<()> {
    instruction.clear_edges()?;
    for operand in OperandList::ALL.into_iter().flat_map(|l| instruction.operands(l)) {
        operand.erase()?;
    }
    for block in instruction.block_holder().into_iter().flat_map(BasicBlockHolder::blocks) {
        strip_arguments(block)?;
    }
    Ok(())
}

/// The error of a map that lacks an object made in the first phase.
pub(super) fn not_made(what: &str, name: &str) -> Error {
    Error::new(ErrorCode::Internal, format_args!("the clone of {what} `{name}` was not made"))
}

impl Cloner<'_, '_> {
    /// Whether source and destination lie in one function, or both in none (a queue) of one module: then what lies outside
    /// the clone stays as it is.
    pub(super) fn at_home(&self) -> bool {
        self.same_module
            && match (self.from_function, self.to_function) {
                (Some(from), Some(to)) => same(from, to),
                (None, None) => true,
                _ => false,
            }
    }
}
