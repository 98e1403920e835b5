//! Identity: one counter per module numbers everything, and every object reaches it by its owner pointers.
//!
//! The steps are those of `spec/layout.md` section 4, one function each. Only the function step can find that there is no
//! module; objects below an unlinked owner find a null owner. Neither ever yields an id.

use super::raw::cast::{HolderOwner, holder_owner};
use super::raw::owner::{Named, owner};
use super::raw::{
    BasicBlock, BasicBlockHolder, Function, FunctionHolder, Instruction, MemoryLocationSet, Module, ModuleState,
    state::Identified,
};
use crate::error::bail;
use crate::{Error, ErrorCode, Result};
use core::cell::Cell;

/// The largest id: ids are signed, and -1 means "none".
pub const LAST_ID: u32 = i32::MAX as u32;

fn detached<T: Named>(object: &T) -> Error {
    let message = format_args!("{} `{}` is outside a module, so it cannot give ids", T::WHAT, object.named().name());
    Error::new(ErrorCode::Detached, message)
}

/// The module's counter at +0x98.
pub(crate) fn of_module(module: &Module) -> &Cell<u32> {
    &module.next_unique_id
}

/// Function: its owner is a FunctionHolder, which leads to the module.
pub(crate) fn of_function_holder(holder: &FunctionHolder) -> Result<&Cell<u32>> {
    match holder.module.get() {
        Some(module) => Ok(of_module(module)),
        None => bail!(Detached, "the function holder is outside a module, so it cannot give ids"),
    }
}

/// Continues at a function.
pub(crate) fn of_function(function: &Function) -> Result<&Cell<u32>> {
    let holder = owner(function).ok_or_else(|| detached(function))?;
    of_function_holder(holder).map_err(|_| detached(function))
}

/// Block: its owner is a holder; the holder's function, queue or structured instruction goes on. A loop, because loops may
/// be nested deeper than the stack allows calls.
pub(crate) fn of_holder(holder: &BasicBlockHolder) -> Result<&Cell<u32>> {
    let mut holder = holder;
    loop {
        match holder_owner(holder) {
            Some(HolderOwner::Function(function)) => return of_function(function),
            Some(HolderOwner::Queue(queue)) => return Ok(of_module(owner(queue).ok_or_else(|| detached(queue))?)),
            Some(HolderOwner::Instruction(instruction)) => {
                let block = owner(instruction).ok_or_else(|| detached(instruction))?;
                holder = owner(block).ok_or_else(|| detached(block))?;
            }
            None => bail!(CorruptIr, "corrupt IR: holder kind {} is not known", holder.holder_kind.get()),
        }
    }
}

/// Instruction: its owner is a block.
pub(crate) fn of_block(block: &BasicBlock) -> Result<&Cell<u32>> {
    of_holder(owner(block).ok_or_else(|| detached(block))?)
}

/// Operand: its parent is an instruction.
pub(crate) fn of_instruction(instruction: &Instruction) -> Result<&Cell<u32>> {
    of_block(owner(instruction).ok_or_else(|| detached(instruction))?)
}

/// Location: its owner is a set, which is a storage of a function.
pub(crate) fn of_set(set: &MemoryLocationSet) -> Result<&Cell<u32>> {
    of_function(owner(&set.storage).ok_or_else(|| detached(&set.storage))?)
}

/// Fails if the counter is at its end.
pub(crate) fn check(counter: &Cell<u32>) -> Result<()> {
    if counter.get() > LAST_ID {
        bail!(IdExhausted, "the module's id counter is at its end: {} was the last id", LAST_ID);
    }
    Ok(())
}

/// Takes the next id: read, then increment.
pub(crate) fn take(counter: &Cell<u32>) -> Result<i32> {
    check(counter)?;
    let id = counter.get();
    counter.set(id + 1);
    Ok(id as i32)
}

/// Tells that an object is in another owner now. The id table was built from what was attached at that time: an object that
/// was not is missing there with all that is below it, so the table has to be built again.
pub(crate) fn relinked(state: &ModuleState, id: i32) {
    let mut table = state.ids.borrow_mut();
    if table.as_ref().is_some_and(|ids| !ids.contains_key(&id)) {
        *table = None;
    }
}

/// Enters a new object into the id table, if one was built already.
pub(crate) fn register(state: &ModuleState, id: i32, object: Identified) {
    let mut table = state.ids.borrow_mut();
    if let Some(ids) = table.as_mut() {
        if ids.try_reserve(1).is_ok() {
            ids.insert(id, object);
        } else {
            // The next lookup builds it again.
            *table = None;
        }
    }
}
