//! Functions and what holds blocks.

use super::id;
use super::module::holder_module;
use super::named::{self, Objects, named_methods};
use super::place::{Place, Placed};
use super::raw::state::Identified;
use super::raw::{BasicBlock, BasicBlockHolder, Function, FunctionHolder, cast, owner};
use crate::Result;
use crate::error::bail;
use crate::mem::Str;
use core::ptr::NonNull;

named_methods!(Function, "function");

impl Function {
    /// The holder that it is in; `None` when unlinked.
    pub fn holder(&self) -> Option<&FunctionHolder> {
        owner::owner(self)
    }

    /// Its own part that holds the blocks.
    pub fn block_holder(&self) -> &BasicBlockHolder {
        &self.basic_block_holder
    }

    /// The blocks, in order; nested ones are in their instructions.
    pub fn blocks(&self) -> Objects<'_, BasicBlock> {
        self.basic_block_holder.blocks()
    }

    /// Number of its own blocks.
    pub fn block_count(&self) -> usize {
        self.basic_block_holder.blocks.len()
    }

    /// Its own block of that name.
    pub fn find_block(&self, name: &str) -> Option<&BasicBlock> {
        named::find(&self.basic_block_holder, name)
    }

    /// Adds a block. A taken name is changed.
    pub fn add_block<'m>(&'m self, name: &str, place: Place<'m, BasicBlock>) -> Result<Placed<'m, BasicBlock>> {
        self.basic_block_holder.add_block(name, place)
    }

    /// FunctionAttribute names, as given.
    pub fn attributes(&self) -> impl Iterator<Item = Str<'_>> {
        self.attributes.iter()
    }

    /// Replaces the attributes.
    pub fn set_attributes<S: AsRef<str>>(&self, names: &[S]) -> Result<()> {
        self.attributes.assign(&named::state_of(self)?.arena, names)
    }

    /// Takes the function out of its holder; it and everything in it stay whole, but give no ids until it is put back.
    pub fn unlink(&self) -> Result<()> {
        named::unlink(named::state_of(self)?, self);
        Ok(())
    }

    /// Puts the function at a place in `holder`, out of wherever it was. Returns whether it was renamed.
    ///
    /// # Errors
    /// `ForeignModule` if the holder belongs to another module: clone it there instead.
    pub fn move_to<'m>(&'m self, holder: &'m FunctionHolder, place: Place<'m, Function>) -> Result<bool> {
        match holder.module.get() {
            Some(module) => named::same_module(module, self)?,
            None => bail!(Detached, "the function holder is outside a module"),
        }
        named::relocate(holder, self, place)
    }

    /// Erases the function with all its blocks and storages.
    ///
    /// # Errors
    /// `StillReferenced` if operands or block arguments elsewhere (in queues) use its storages; nothing is erased then.
    pub fn erase(&self) -> Result<()> {
        let state = named::state_of(self)?;
        for storage in self.storages() {
            storage.base().check_unused_outside(Some(self))?;
        }
        super::block::erase_blocks(&self.basic_block_holder)?;
        for storage in self.storages() {
            storage.erase()?;
        }
        named::unlink(state, self);
        named::mark_erased(&self.named);
        Ok(())
    }
}

impl BasicBlockHolder {
    /// What it is part of.
    pub fn part_of(&self) -> Option<cast::HolderOwner<'_>> {
        cast::holder_owner(self)
    }

    /// The blocks, in order.
    pub fn blocks(&self) -> Objects<'_, BasicBlock> {
        Objects::of(self)
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The block of that name.
    pub fn find_block(&self, name: &str) -> Option<&BasicBlock> {
        named::find(self, name)
    }

    /// Adds a block. A taken name is changed.
    ///
    /// # Errors
    /// `Detached` below an unlinked function, `IdExhausted`, `OutOfMemory`, `NotFound` for a place elsewhere.
    pub fn add_block<'m>(&'m self, name: &str, place: Place<'m, BasicBlock>) -> Result<Placed<'m, BasicBlock>> {
        let counter = id::of_holder(self)?;
        id::check(counter)?;
        let module = holder_module(self)?;
        let state = module.module_state()?;
        let block = state.alloc::<BasicBlock>()?;
        block.named_object_container.init();
        block.named.init(module);
        block.block_args.init_sentinel();
        let renamed = named::insert(state, self, block, name, place)?;
        block.named.unique_id.set(id::take(counter)?);
        id::register(state, block.unique_id(), Identified::BasicBlock(NonNull::from(block)));
        Ok(Placed { object: block, renamed })
    }

    /// The function around it: itself, or by way of the structured instruction that it is part of. `None` in a queue.
    pub fn function(&self) -> Option<&Function> {
        let mut holder = self;
        loop {
            match cast::holder_owner(holder)? {
                cast::HolderOwner::Function(function) => return Some(function),
                cast::HolderOwner::Queue(_) => return None,
                cast::HolderOwner::Instruction(instruction) => holder = instruction.block()?.holder()?,
            }
        }
    }

    /// The block of that name here or, failing that, in the enclosing holders, innermost first.
    pub fn find_block_outward(&self, name: &str) -> Option<&BasicBlock> {
        let mut holder = self;
        loop {
            if let Some(block) = holder.find_block(name) {
                return Some(block);
            }
            let cast::HolderOwner::Instruction(instruction) = cast::holder_owner(holder)? else { return None };
            holder = instruction.block()?.holder()?;
        }
    }
}
