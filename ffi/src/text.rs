//! The readable form

use crate::boundary::{flag, object};
use crate::callback::sink;
use crate::records::{bir_print_options, bir_write_callback};
use crate::types::{bir_block, bir_error, bir_function, bir_inst, bir_module, bir_status};
use bir_core::text::{PrintOptions, print_block, print_function, print_instruction, print_module};
use core::ffi::c_void;

unsafe fn print_options(given: *const bir_print_options) -> PrintOptions {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe { options!(given, bir_print_options { all, no_ids }) };
    PrintOptions { all: flag(given.all), ids: !flag(given.no_ids) }
}

/// Prints the module for people, one line per object, piece by piece to the caller's function: UTF-8, lines end in \n. The
/// same module gives the same bytes. options may be NULL. A module that contradicts itself is printed too; what should not
/// be there shows with a ? or !. The form may grow in later versions: programs read documents (bir_module_save()). On
/// failure some pieces may have been given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_print(
    module: *const bir_module,
    options: *const bir_print_options,
    write: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { print_module(object(module)?, &mut sink(write, user)?, &print_options(options)) })
}

/// bir_module_print() for one function, with its storages and blocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_print(
    function: *const bir_function,
    options: *const bir_print_options,
    write: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { print_function(object(function)?, &mut sink(write, user)?, &print_options(options)) })
}

/// bir_module_print() for one block, with its instructions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_print(
    block: *const bir_block,
    options: *const bir_print_options,
    write: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { print_block(object(block)?, &mut sink(write, user)?, &print_options(options)) })
}

/// bir_module_print() for one instruction: one line, and those of its nested blocks. An erased one is printed as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_print(
    inst: *const bir_inst,
    options: *const bir_print_options,
    write: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { print_instruction(object(inst)?, &mut sink(write, user)?, &print_options(options)) })
}
