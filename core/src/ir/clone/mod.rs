//! Cloning: passes copy loop bodies, blocks and whole functions, also from one module to another.
//!
//! Everything that belongs to an object travels with it: header, schedule, operands, payload, nested blocks, block
//! arguments. References follow three rules:
//!
//! - what was cloned together refers to the clone;
//! - what lies outside stays as it is within the same function (operands, blocks, axes, edges) or module (functions, queues,
//!   DMA blocks);
//! - elsewhere it is looked up by name: storage in the target function (a location in the set of its set's name), loop axes
//!   and blocks outward from the target and then in its function, queues and functions in the target module. If there is
//!   none, that is `UnresolvedRef` with the name and the place in the source. Only edges do not insist: a dependency, the
//!   producer of a semaphore or an alias whose other end does not exist at the target is left out.
//!
//! A clone either comes about as a whole or leaves the target as it was, also when memory runs out in between.

mod cloner;
mod expr;
mod instruction;
mod map;
mod module;
mod payload;
mod plan;
mod resolve;
mod storage;
#[cfg(test)]
mod tests;

pub(crate) use resolve::location_path;

use super::named;
use super::raw::{BasicBlock, BasicBlockHolder, Function, Instruction, MemoryLocationSet, Register, Storage};
use super::{Place, Placed};
use crate::Result;
use cloner::Cloner;
use plan::Plan;

impl Instruction {
    /// Clones the instruction, with its nested blocks, to a place in `block`, of the same or another function or module.
    /// `None` keeps the name; a taken one is changed.
    ///
    /// # Errors
    /// `UnresolvedRef` if the target lacks something that the instruction refers to; `Detached`, `IdExhausted`,
    /// `OutOfMemory`, `NotFound` for a place elsewhere. Whatever the error, the target is as before.
    pub fn clone_to<'t>(
        &self,
        block: &'t BasicBlock,
        name: Option<&str>,
        place: Place<'t, Instruction>,
    ) -> Result<Placed<'t, Instruction>> {
        let mut plan = Plan::default();
        plan.add_instruction(self)?;
        Cloner::new(named::module_of(self)?, named::module_of(block)?)?.run(|cloner| {
            cloner.from_function = self.function();
            cloner.to_function = block.function();
            cloner.anchor = block.holder();
            let placed = cloner.make_root_instruction(self, block, name.unwrap_or(&self.name()), place)?;
            cloner.make_planned(&plan)?;
            cloner.fill_planned(&plan)?;
            Ok(placed)
        })
    }
}

impl BasicBlock {
    /// Clones the block, with its arguments and instructions, to a place in `holder`, of the same or another function or
    /// module. `None` keeps the name; a taken one is changed. A branch of the block to itself becomes one to the clone.
    ///
    /// # Errors
    /// As [`Instruction::clone_to`].
    pub fn clone_to<'t>(
        &self,
        holder: &'t BasicBlockHolder,
        name: Option<&str>,
        place: Place<'t, BasicBlock>,
    ) -> Result<Placed<'t, BasicBlock>> {
        let mut plan = Plan::default();
        plan.add_block(self)?;
        Cloner::new(named::module_of(self)?, super::module::holder_module(holder)?)?.run(|cloner| {
            cloner.from_function = self.function();
            cloner.to_function = holder.function();
            cloner.anchor = Some(holder);
            let placed = cloner.make_root_block(self, holder, name.unwrap_or(&self.name()), place)?;
            cloner.make_planned(&plan)?;
            cloner.fill_planned(&plan)?;
            Ok(placed)
        })
    }
}

impl MemoryLocationSet {
    /// Clones the set with its locations to a place in `function`, of the same or another module. `None` keeps the name; a
    /// taken one is changed. Alias edges among its locations are cloned; those to other locations as the module's rules say.
    ///
    /// # Errors
    /// `UnresolvedRef` if the target lacks the location that a pointer refers to; else as [`Instruction::clone_to`].
    pub fn clone_to<'t>(
        &self,
        function: &'t Function,
        name: Option<&str>,
        place: Place<'t, Storage>,
    ) -> Result<Placed<'t, MemoryLocationSet>> {
        Cloner::new(named::module_of(&self.storage)?, named::module_of(function)?)?.run(|cloner| {
            cloner.from_function = self.storage.function();
            cloner.to_function = Some(function);
            let placed = cloner.make_set(self, function, name.unwrap_or(&self.name()), place)?;
            cloner.link_set(self)?;
            Ok(placed)
        })
    }
}

impl Register {
    /// Clones the register to a place in `function`, of the same or another module. `None` keeps the name; a taken one is
    /// changed.
    ///
    /// # Errors
    /// `Detached`, `IdExhausted`, `OutOfMemory`, `NotFound` for a place elsewhere; the target is as before.
    pub fn clone_to<'t>(
        &self,
        function: &'t Function,
        name: Option<&str>,
        place: Place<'t, Storage>,
    ) -> Result<Placed<'t, Register>> {
        Cloner::new(named::module_of(&self.storage)?, named::module_of(function)?)?
            .run(|cloner| cloner.make_register(self, function, name.unwrap_or(&self.name()), place))
    }
}
