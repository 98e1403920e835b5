//! Use lists: every storage knows the operands that read and write it, and follows each change of an operand.
//!
//! An operand remembers its position in the list, so leaving it is O(1): the last user takes its place. A register access
//! pattern is a user up to four times: of its set, and as reader of the three registers.

use super::raw::cast::as_register_pattern;
use super::raw::{Argument, Link, ModuleState, Ptr, Register, RegisterAccessPattern, StorageBase};
use crate::Result;
use core::cell::Cell;

/// Which of an operand's references is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `location`.
    Location,
    /// One of the three registers of a register access pattern.
    Register(usize),
}

/// The three register members, in the order of `register_use_index`.
pub(crate) fn registers(pattern: &RegisterAccessPattern) -> [&Link<Register>; 3] {
    [&pattern.reg_loc, &pattern.reg_ap_offset, &pattern.reg_sub_tensor_id]
}

fn index_cell(argument: &Argument, role: Role) -> Option<&Cell<u32>> {
    match role {
        Role::Location => Some(&argument.use_index),
        Role::Register(i) => as_register_pattern(argument)?.register_use_index.get(i),
    }
}

fn list(storage: &StorageBase, writes: bool) -> &super::raw::UseSet {
    if writes { &storage.writers } else { &storage.readers }
}

/// Makes room for one more user.
pub(crate) fn reserve(state: &ModuleState, storage: &StorageBase, writes: bool, count: usize) -> Result<()> {
    let users = &list(storage, writes).users;
    if users.len() + count > users.capacity() {
        users.reserve(&state.arena, (users.len() + count).max(users.capacity().saturating_mul(2)))?;
    }
    Ok(())
}

/// Enters an operand; fails only for want of memory, which [`reserve`] excludes.
pub(crate) fn add(
    state: &ModuleState,
    storage: &StorageBase,
    argument: &Argument,
    role: Role,
    writes: bool,
) -> Result<()> {
    let index = list(storage, writes).users.push(&state.arena, Ptr::to(argument))?;
    if let Some(cell) = index_cell(argument, role) {
        cell.set(index as u32);
    }
    Ok(())
}

/// Takes an operand out.
pub(crate) fn remove(storage: &StorageBase, argument: &Argument, role: Role, writes: bool) {
    let users = &list(storage, writes).users;
    let Some(cell) = index_cell(argument, role) else { return };
    let index = cell.get() as usize;
    if users.get(index) != Some(Ptr::to(argument)) {
        return;
    }
    // Its old position must not be taken for one that still counts, when an operand leaves with several references.
    cell.set(u32::MAX);
    let last = users.len() - 1;
    users.swap_remove(index);
    let Some(moved) = users.get(index).and_then(|p| p.get(storage)) else { return };
    // The moved user's position was `last`: find which of its references that was.
    let roles = [Role::Location, Role::Register(0), Role::Register(1), Role::Register(2)];
    for role in roles {
        let leads_here = match role {
            Role::Location => moved.location.ptr() == Ptr::to(storage) && moved.writes() == writes,
            Role::Register(i) => {
                !writes
                    && as_register_pattern(moved)
                        .and_then(|p| registers(p).get(i).and_then(|r| r.get()))
                        .is_some_and(|r| Ptr::to(&r.storage.storage_base) == Ptr::to(storage))
            }
        };
        if let Some(cell) = index_cell(moved, role).filter(|c| leads_here && c.get() as usize == last) {
            cell.set(index as u32);
            return;
        }
    }
}
