//! Block arguments

use crate::boundary::{handle, live, nothing_at, object, object_or_none, put, put_flag, put_text, text};
use crate::types::{bir_block, bir_block_arg, bir_error, bir_incoming, bir_status, bir_storage, bir_string};
use bir_core::ir::{BasicBlock, StorageBase};
use core::ffi::c_char;

/// The argument's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_name(
    arg: *const bir_block_arg,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(arg)?.name()) })
}

/// Gives the argument another name. Names of block arguments are not made unique.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_rename(
    arg: *mut bir_block_arg,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(arg)?.set_name(text(name, name_len)?) })
}

/// Whether the argument was erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_is_erased(
    arg: *const bir_block_arg,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(arg)?.is_erased()) })
}

/// The argument's block; NULL once erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_block(arg: *const bir_block_arg, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(arg)?.block())
    })
}

/// The argument after this one in its block; NULL at the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_next(arg: *const bir_block_arg, err: *mut bir_error) -> *mut bir_block_arg {
    boundary!(err, pointer {
        Ok(object(arg)?.next())
    })
}

/// The argument before this one in its block; NULL at the start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_prev(arg: *const bir_block_arg, err: *mut bir_error) -> *mut bir_block_arg {
    boundary!(err, pointer {
        Ok(object(arg)?.prev())
    })
}

/// The storage that the argument is bound to; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_storage(arg: *const bir_block_arg, err: *mut bir_error) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(object(arg)?.location())
    })
}

/// Binds the argument to a storage, or to none for NULL. FOREIGN_MODULE for a storage of another module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_set_storage(
    arg: *mut bir_block_arg,
    storage: *mut bir_storage,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(arg)?.set_location(object_or_none(storage)) })
}

/// Number of incoming values. Takes time in proportion to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_incoming_count(
    arg: *const bir_block_arg,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(arg)?.incoming().count()) })
}

/// An incoming value and the block that it comes from, in the order added. NOT_FOUND past the end. Takes time in
/// proportion to index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_incoming(
    arg: *const bir_block_arg,
    index: usize,
    out: *mut bir_incoming,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let pair = object(arg)?.incoming().nth(index);
        let (value, predecessor): (&StorageBase, &BasicBlock) =
            pair.ok_or_else(|| nothing_at("incoming value", index))?;
        put(out, bir_incoming { value: handle(Some(value)), predecessor: handle(Some(predecessor)) })
    })
}

/// Adds an incoming value and the block that it comes from. FOREIGN_MODULE if either belongs to another module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_add_incoming(
    arg: *mut bir_block_arg,
    value: *mut bir_storage,
    predecessor: *mut bir_block,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(arg)?.add_incoming(object(value)?, object(predecessor)?) })
}

/// Removes all incoming values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_clear_incoming(arg: *mut bir_block_arg, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(arg)?.clear_incoming();
        Ok(())
    })
}

/// Takes the argument out of its block and off its storage, for good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_erase(arg: *mut bir_block_arg, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(arg)?.erase() })
}
