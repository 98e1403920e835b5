//! Storages: what sets, registers and locations share

use crate::boundary::{
    Erasable, before_storage, member, object, offer, put, put_flag, put_text, set_or_register, text,
};
use crate::types::{
    bir_error, bir_function, bir_location, bir_module, bir_operand, bir_register, bir_set, bir_status, bir_storage,
    bir_string,
};
use bir_core::Result;
use bir_core::ir::Storage;
use core::ffi::c_char;

/// The set or register to be changed.
///
/// # Safety
/// - the pointer is NULL or leads to a live object, whose module outlives the call.
unsafe fn live_storage<'m>(pointer: *const bir_storage) -> Result<&'m Storage> {
    // SAFETY: by the caller's promise.
    let storage = unsafe { set_or_register(pointer) }?;
    storage.check_live()?;
    Ok(storage)
}

/// The storage's class: StorageKind, BIR_STORAGE_KIND_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_class(
    storage: *const bir_storage,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(storage)?.class()?.ordinal()) })
}

/// The storage as a set; NULL if it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_as_set(storage: *const bir_storage, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(object(storage)?.as_set())
    })
}

/// The storage as a register; NULL if it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_as_register(
    storage: *const bir_storage,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(object(storage)?.as_register())
    })
}

/// The storage as a location; NULL if it is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_as_location(
    storage: *const bir_storage,
    err: *mut bir_error,
) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(storage)?.as_location())
    })
}

/// The storage's name, unique in its function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_name(
    storage: *const bir_storage,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(storage)?.name()) })
}

/// Gives the storage another name. A name that is taken in its function becomes `<name>_<n>` with the smallest free n
/// from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL. WRONG_KIND for a
/// location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_rename(
    storage: *mut bir_storage,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live_storage(storage)?.set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The storage's id, unique in the module and never given twice. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_id(storage: *const bir_storage, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, set_or_register(storage)?.unique_id()) })
}

/// Where the storage came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_origin(
    storage: *const bir_storage,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, set_or_register(storage)?.origin()?.ordinal()) })
}

/// Sets where the storage came from. UNKNOWN_ENUM for another number. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_set_origin(
    storage: *mut bir_storage,
    origin: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live_storage(storage)?.set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the storage was made in, whether linked or not. DETACHED once it is erased. WRONG_KIND for a
/// location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_module(storage: *const bir_storage, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        set_or_register(storage)?.module().map(Some)
    })
}

/// Whether the storage is in its function now: 1, or 0 after an unlink or erase. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_is_linked(
    storage: *const bir_storage,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, set_or_register(storage)?.is_linked()) })
}

/// Whether the storage was erased. It stays readable until the module is destroyed, but cannot be changed any more.
/// WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_is_erased(
    storage: *const bir_storage,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, set_or_register(storage)?.is_erased()) })
}

/// Takes the storage out of its function. It keeps its name, its id and all that is in it, but gives no ids until it
/// is put back by bir_storage_move(). Users keep it. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_unlink(storage: *mut bir_storage, err: *mut bir_error) -> bir_status {
    boundary!(err, { live_storage(storage)?.unlink() })
}

/// Puts the set or register into a function of its module, before another one or, for NULL, at the end; out of
/// wherever it was. If its name is taken there it is changed, see bir_storage_rename(). renamed may be NULL.
/// WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_move(
    storage: *mut bir_storage,
    function: *mut bir_function,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live_storage(storage)?.move_to(object(function)?, before_storage(before)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the storage, for good. A set takes its locations with it. STILL_REFERENCED if an operand or block argument
/// uses it or one of its locations. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_erase(storage: *mut bir_storage, err: *mut bir_error) -> bir_status {
    boundary!(err, { live_storage(storage)?.erase() })
}

/// The set or register after this one in its function; NULL at the end. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_next(storage: *const bir_storage, err: *mut bir_error) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(set_or_register(storage)?.next().map(Storage::base))
    })
}

/// The set or register before this one in its function; NULL at the start. WRONG_KIND for a location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_prev(storage: *const bir_storage, err: *mut bir_error) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(set_or_register(storage)?.prev().map(Storage::base))
    })
}

/// The function that owns the storage; NULL when it or its set is unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_function(storage: *const bir_storage, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(storage)?.function())
    })
}

/// Role at the module's boundary: TensorKind, BIR_TENSOR_KIND_*; for a location that of its set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_tensor_kind(
    storage: *const bir_storage,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(storage)?.tensor_kind()?.ordinal()) })
}

/// Memory type of a location or register: MemoryType, BIR_MEMORY_TYPE_*; for a set BIR_MEMORY_TYPE_UNALLOCATED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_memory_type(
    storage: *const bir_storage,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(storage)?.memory_type()?.ordinal()) })
}

/// Number of operands that read the storage, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_reader_count(
    storage: *const bir_storage,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(storage)?.reader_count()) })
}

/// An operand that reads the storage, in constant time and in no promised order; NULL past the end. Any change of an
/// operand's storage may change which one is at an index. A register pattern that names a register several times
/// comes as often.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_reader(
    storage: *const bir_storage,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(storage)?.reader(index))
    })
}

/// Number of operands that write the storage, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_writer_count(
    storage: *const bir_storage,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(storage)?.writer_count()) })
}

/// An operand that writes the storage, in constant time and in no promised order; NULL past the end. Any change of an
/// operand's storage may change which one is at an index. A register pattern that names a register several times
/// comes as often.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_writer(
    storage: *const bir_storage,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(storage)?.writer(index))
    })
}

/// Makes every user of the storage, operands and block arguments, use another one of the same class. *replaced is the
/// number of uses; it may be NULL. WRONG_KIND for two classes, FOREIGN_MODULE for two modules; nothing changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_storage_replace_all_uses(
    storage: *mut bir_storage,
    other: *mut bir_storage,
    replaced: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let count = object(storage)?.replace_all_uses_with(object(other)?)?;
        offer(replaced, count);
        Ok(())
    })
}
