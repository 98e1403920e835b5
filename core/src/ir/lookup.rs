//! Lookups that go through several owners: instructions of a whole function, and any object by its id.

use super::module::same;
use super::raw::state::{Identified, ModuleState, fixed_state};
use super::raw::{
    Argument, BasicBlock, BasicBlockHolder, DMAQueue, Function, Instruction, MemoryLocation, Storage, owner,
};
use super::{HolderOwner, ModuleRef, OperandList, id};
use crate::{Error, Result};
use core::ptr::NonNull;
use hashbrown::HashMap;

/// All instructions below a holder, depth first in program order: an instruction comes before those of its nested blocks.
/// Safe against changes: the walk ends if the one that would be next was erased or taken elsewhere.
pub struct Instructions<'m> {
    root: &'m BasicBlockHolder,
    next: Option<&'m Instruction>,
}

impl<'m> Instructions<'m> {
    pub(crate) fn below(root: &'m BasicBlockHolder) -> Self {
        Instructions { root, next: first_below(root.blocks().next()) }
    }

    /// Whether the instruction is (still) below the root.
    fn is_below(&self, instruction: &Instruction) -> bool {
        let mut at = Some(instruction);
        while let Some(holder) = at.and_then(|i| i.block()?.holder()) {
            if same(holder, self.root) {
                return true;
            }
            at = match holder.part_of() {
                Some(HolderOwner::Instruction(outer)) => Some(outer),
                _ => None,
            };
        }
        false
    }

    fn after(&self, instruction: &'m Instruction) -> Option<&'m Instruction> {
        if let Some(inner) = instruction.block_holder().and_then(|h| first_below(h.blocks().next())) {
            return Some(inner);
        }
        let mut at = instruction;
        loop {
            if let Some(next) = at.next() {
                return Some(next);
            }
            let block = at.block()?;
            if let Some(next) = first_below(block.next()) {
                return Some(next);
            }
            let holder = block.holder()?;
            if same(holder, self.root) {
                return None;
            }
            at = at.parent_instruction()?;
        }
    }
}

/// The first instruction in `block` or the blocks after it.
fn first_below(block: Option<&BasicBlock>) -> Option<&Instruction> {
    let mut block = block;
    while let Some(b) = block {
        if let Some(instruction) = b.instructions().next() {
            return Some(instruction);
        }
        block = b.next();
    }
    None
}

impl<'m> Iterator for Instructions<'m> {
    type Item = &'m Instruction;
    fn next(&mut self) -> Option<&'m Instruction> {
        let instruction = self.next.take().filter(|i| self.is_below(i))?;
        self.next = self.after(instruction);
        Some(instruction)
    }
}

impl BasicBlockHolder {
    /// All instructions below, nested blocks included, depth first.
    pub fn instructions(&self) -> Instructions<'_> {
        Instructions::below(self)
    }

    /// The instruction that follows `after` in that walk, or the first one; for callers that keep no iterator. `after` must
    /// lie below this holder.
    pub fn next_instruction<'m>(&'m self, after: Option<&'m Instruction>) -> Option<&'m Instruction> {
        match after {
            Some(instruction) => Instructions { root: self, next: None }.after(instruction),
            None => Instructions::below(self).next,
        }
    }

    /// The first instruction of that name below, nested blocks included.
    pub fn find_instruction(&self, name: &str) -> Option<&Instruction> {
        self.instructions().find(|i| i.named.named_object_base.name.eq_str(name))
    }

    /// The block of that name in this holder or, failing that, in the first nested one that has it.
    pub fn find_block_below(&self, name: &str) -> Option<&BasicBlock> {
        if let Some(block) = self.find_block(name) {
            return Some(block);
        }
        self.instructions().filter_map(Instruction::block_holder).find_map(|h| h.find_block(name))
    }
}

impl Function {
    /// All instructions, nested blocks included, depth first in program order.
    pub fn instructions(&self) -> Instructions<'_> {
        self.basic_block_holder.instructions()
    }

    /// The first instruction of that name, nested blocks included. Names are unique per block only, so there may be more.
    pub fn find_instruction(&self, name: &str) -> Option<&Instruction> {
        self.basic_block_holder.find_instruction(name)
    }
}

/// An object found by its id.
#[derive(Clone, Copy, Debug)]
pub enum IdObject<'m> {
    /// A function.
    Function(&'m Function),
    /// A block.
    BasicBlock(&'m BasicBlock),
    /// An instruction.
    Instruction(&'m Instruction),
    /// A set or register.
    Storage(&'m Storage),
    /// A location.
    MemoryLocation(&'m MemoryLocation),
    /// A queue.
    DMAQueue(&'m DMAQueue),
    /// An operand.
    Argument(&'m Argument),
}

impl ModuleRef {
    /// The object with that id, whatever it is; `None` if there is none, or it is not in the module now.
    ///
    /// The first call walks the module once; later ones look up a table.
    pub fn find_by_id(&self, unique_id: i32) -> Result<Option<IdObject<'_>>> {
        let state = self.module_state()?;
        if state.ids.borrow().is_none() {
            let table = build(self)?;
            *state.ids.borrow_mut() = Some(table);
        }
        let found = state.ids.borrow().as_ref().and_then(|t| t.get(&unique_id).copied());
        Ok(found.map(|f| lend(state, f)).filter(|object| object.id() == unique_id && object.is_attached()))
    }
}

impl IdObject<'_> {
    /// The object's id.
    pub fn id(&self) -> i32 {
        match self {
            IdObject::Function(o) => o.unique_id(),
            IdObject::BasicBlock(o) => o.unique_id(),
            IdObject::Instruction(o) => o.unique_id(),
            IdObject::Storage(o) => o.unique_id(),
            IdObject::MemoryLocation(o) => o.unique_id(),
            IdObject::DMAQueue(o) => o.unique_id(),
            IdObject::Argument(o) => o.unique_id(),
        }
    }

    /// Whether its owners lead to the module.
    fn is_attached(&self) -> bool {
        match self {
            IdObject::Function(o) => id::of_function(o).is_ok(),
            IdObject::BasicBlock(o) => o.holder().is_some_and(|h| id::of_holder(h).is_ok()),
            IdObject::Instruction(o) => id::of_instruction(o).is_ok(),
            IdObject::Storage(o) => o.function().is_some_and(|f| id::of_function(f).is_ok()),
            IdObject::MemoryLocation(o) => o.set().is_some_and(|s| id::of_set(s).is_ok()),
            IdObject::DMAQueue(o) => owner::owner(*o).is_some(),
            IdObject::Argument(o) => !o.is_erased() && o.instruction().is_some_and(|i| id::of_instruction(i).is_ok()),
        }
    }
}

fn lend(state: &ModuleState, object: Identified) -> IdObject<'_> {
    super::raw::state::lend(state, object)
}

type Table = HashMap<i32, Identified, super::raw::state::FixedState>;

fn enter(table: &mut Table, unique_id: i32, object: Identified) -> Result<()> {
    table.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    table.insert(unique_id, object);
    Ok(())
}

fn build(module: &ModuleRef) -> Result<Table> {
    let mut table: Table = HashMap::with_hasher(fixed_state());
    for function in module.functions().chain(module.nki_functions()) {
        enter(&mut table, function.unique_id(), Identified::Function(NonNull::from(function)))?;
        for storage in function.storages() {
            enter(&mut table, storage.unique_id(), Identified::Storage(NonNull::from(storage)))?;
            for location in storage.as_set().into_iter().flat_map(|s| s.locations()) {
                enter(&mut table, location.unique_id(), Identified::MemoryLocation(NonNull::from(location)))?;
            }
        }
        enter_blocks(&mut table, function.block_holder())?;
    }
    for queue in module.queues() {
        enter(&mut table, queue.unique_id(), Identified::DMAQueue(NonNull::from(queue)))?;
        enter_blocks(&mut table, queue.block_holder())?;
    }
    Ok(table)
}

fn enter_blocks(table: &mut Table, root: &BasicBlockHolder) -> Result<()> {
    for block in root.blocks() {
        enter(table, block.unique_id(), Identified::BasicBlock(NonNull::from(block)))?;
    }
    for instruction in root.instructions() {
        enter(table, instruction.unique_id(), Identified::Instruction(NonNull::from(instruction)))?;
        for block in instruction.block_holder().into_iter().flat_map(|h| h.blocks()) {
            enter(table, block.unique_id(), Identified::BasicBlock(NonNull::from(block)))?;
        }
        for argument in OperandList::ALL.into_iter().flat_map(|l| instruction.operands(l)) {
            enter(table, argument.unique_id(), Identified::Argument(NonNull::from(argument)))?;
        }
    }
    Ok(())
}
