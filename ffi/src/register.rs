//! Registers

use crate::boundary::{before_storage, live, member, object, offer, put, put_flag, put_text, text};
use crate::types::{bir_error, bir_function, bir_module, bir_register, bir_status, bir_storage, bir_string};
use core::ffi::c_char;

/// The register's name, unique in its function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_name(
    reg: *const bir_register,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(reg)?.name()) })
}

/// Gives the register another name. A name that is taken in its function becomes `<name>_<n>` with the smallest free
/// n from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_rename(
    reg: *mut bir_register,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(reg)?.storage().set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The register's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_id(reg: *const bir_register, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(reg)?.storage().unique_id()) })
}

/// Where the register came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_origin(
    reg: *const bir_register,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(reg)?.storage().origin()?.ordinal()) })
}

/// Sets where the register came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_set_origin(
    reg: *mut bir_register,
    origin: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(reg)?.storage().set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the register was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_module(reg: *const bir_register, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(reg)?.storage().module().map(Some)
    })
}

/// Whether the register is in its function now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_is_linked(
    reg: *const bir_register,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(reg)?.storage().is_linked()) })
}

/// Whether the register was erased. It stays readable until the module is destroyed, but cannot be changed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_is_erased(
    reg: *const bir_register,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(reg)?.storage().is_erased()) })
}

/// Takes the register out of its function. It keeps its name, its id and all that is in it, but gives no ids until it
/// is put back by bir_register_move(). Users keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_unlink(reg: *mut bir_register, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(reg)?.unlink() })
}

/// Puts the register into a function of its module, before a set or register or, for NULL, at the end; out of
/// wherever it was. If its name is taken there it is changed, see bir_register_rename(). renamed may be NULL.
/// FOREIGN_MODULE if the two belong to two modules, NOT_FOUND if before is elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_move(
    reg: *mut bir_register,
    function: *mut bir_function,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(reg)?.storage().move_to(object(function)?, before_storage(before)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the register, for good. STILL_REFERENCED if an operand or block argument uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_erase(reg: *mut bir_register, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(reg)?.erase() })
}

/// The register as a storage: the same address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_as_storage(reg: *const bir_register, err: *mut bir_error) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(Some(object(reg)?.storage().base()))
    })
}

/// The function that owns the register; NULL when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_function(reg: *const bir_register, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(reg)?.storage().function())
    })
}

/// The register after this one in its function; NULL at the end. Takes time in proportion to the storages in between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_next(reg: *const bir_register, err: *mut bir_error) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(core::iter::successors(object(reg)?.storage().next(), |s| s.next()).find_map(|s| s.as_register()))
    })
}

/// The register before this one in its function; NULL at the start. Takes time in proportion to the storages in
/// between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_prev(reg: *const bir_register, err: *mut bir_error) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(core::iter::successors(object(reg)?.storage().prev(), |s| s.prev()).find_map(|s| s.as_register()))
    })
}

/// Element type: Dtype, BIR_DTYPE_*; -1 when not given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_dtype(
    reg: *const bir_register,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(reg)?.dtype()?.map_or(-1, |d| d.ordinal())) })
}

/// Sets the element type; -1 for none. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_set_dtype(reg: *mut bir_register, dtype: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        let dtype = if dtype == -1 { None } else { Some(member(dtype)?) };
        live(reg)?.set_dtype(dtype);
        Ok(())
    })
}

/// Number of physical registers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_num_physical_regs(
    reg: *const bir_register,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(reg)?.num_physical_regs()) })
}

/// Sets what bir_register_num_physical_regs() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_set_num_physical_regs(
    reg: *mut bir_register,
    num_physical_regs: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(reg)?.set_num_physical_regs(num_physical_regs);
        Ok(())
    })
}
