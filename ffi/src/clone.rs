//! Cloning

use crate::boundary::{before_storage, object, offer, optional_text, place};
use crate::types::{
    bir_block, bir_block_holder, bir_error, bir_function, bir_function_holder, bir_inst, bir_module, bir_register,
    bir_set, bir_status, bir_storage,
};
use core::ffi::c_char;

/// A new module with clones of everything in this one, in the same order and under the same names; ids count from 0. It
/// belongs to the caller. UNRESOLVED_REF if something refers to an object that was taken out of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_clone(module: *const bir_module, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        // SAFETY: a module that was given up lives until it is taken back by `bir_module_destroy`.
        object(module)?.clone_module().map(|clone| Some(unsafe { clone.into_address().as_ref() }))
    })
}

/// As bir_module_clone(), into an empty module, e.g. one with a memory limit. CONFLICT if target has a function or queue.
/// On failure target is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_clone_into(
    module: *const bir_module,
    target: *mut bir_module,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { object(module)?.clone_into(object(target)?) })
}

/// Clones a function, with its storages, blocks and instructions, to a place in a holder of the same or another module,
/// before another function or, for NULL, at the end. name NULL keeps the name; a taken one is changed, see
/// bir_function_rename(). renamed may be NULL. Calls of the function by itself become calls of the clone; queues, DMA
/// blocks and other functions are, in another module, those of the same name: UNRESOLVED_REF if there are none. Edges to
/// instructions outside the function are dropped. On failure the target is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_clone_to(
    function: *const bir_function,
    holder: *mut bir_function_holder,
    name: *const c_char,
    name_len: usize,
    before: *const bir_function,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        let name = optional_text(name, name_len)?;
        let placed = object(function)?.clone_to(object(holder)?, name, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Clones a block, with its arguments and instructions, to a place in a holder of the same or another function or module,
/// before another block or, for NULL, at the end. name NULL keeps the name; a taken one is changed, see
/// bir_block_rename(). renamed may be NULL. What lies outside the block is, in another function, looked up by name:
/// UNRESOLVED_REF if it is not there. Edges that lead out of it then are dropped. On failure the target is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_clone_to(
    block: *const bir_block,
    holder: *mut bir_block_holder,
    name: *const c_char,
    name_len: usize,
    before: *const bir_block,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        let name = optional_text(name, name_len)?;
        let placed = object(block)?.clone_to(object(holder)?, name, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Clones an instruction, with its operands and nested blocks, to a place in a block of the same or another function or
/// module, before another instruction or, for NULL, at the end. name NULL keeps the name; a taken one is changed, see
/// bir_inst_rename(). renamed may be NULL. References as bir_block_clone_to(). On failure the target is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_clone_to(
    inst: *const bir_inst,
    block: *mut bir_block,
    name: *const c_char,
    name_len: usize,
    before: *const bir_inst,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        let name = optional_text(name, name_len)?;
        let placed = object(inst)?.clone_to(object(block)?, name, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Clones a set with its locations to a place in a function of the same or another module, before a set or register or,
/// for NULL, at the end. name NULL keeps the name; a taken one is changed, see bir_set_rename(). renamed may be NULL.
/// UNRESOLVED_REF if the target lacks the location that a pointer refers to. On failure the target is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_clone_to(
    set: *const bir_set,
    function: *mut bir_function,
    name: *const c_char,
    name_len: usize,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_set {
    boundary!(err, pointer {
        let name = optional_text(name, name_len)?;
        let placed = object(set)?.clone_to(object(function)?, name, before_storage(before)?)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Clones a register to a place in a function of the same or another module, before a set or register or, for NULL, at
/// the end. name NULL keeps the name; a taken one is changed, see bir_register_rename(). renamed may be NULL. On failure
/// the target is as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_clone_to(
    reg: *const bir_register,
    function: *mut bir_function,
    name: *const c_char,
    name_len: usize,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        let name = optional_text(name, name_len)?;
        let placed = object(reg)?.clone_to(object(function)?, name, before_storage(before)?)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}
