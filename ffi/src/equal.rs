//! Comparison

use crate::boundary::{destroy, give, object, put, put_flag, required, str_out};
use crate::records::{bir_difference, bir_difference_text};
use crate::types::{
    Opaque, bir_block, bir_error, bir_expr, bir_function, bir_inst, bir_location, bir_module, bir_operand, bir_queue,
    bir_register, bir_set, bir_status,
};
use bir_core::Result;
use bir_core::ir::{Structure, try_difference};

unsafe fn compare<T: Opaque>(a: *const T, b: *const T, out: *mut *mut bir_difference) -> Result<()>
where
    T::Object: Structure,
{
    required(out)?;
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe {
        let found = try_difference(object(a)?, object(b)?)?;
        put(out, found.map_or(core::ptr::null_mut(), give))
    }
}

unsafe fn equal<T: Opaque>(a: *const T, b: *const T, out: *mut u8) -> Result<()>
where
    T::Object: Structure,
{
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { put_flag(out, try_difference(object(a)?, object(b)?)?.is_none()) }
}

/// The texts of a difference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_difference_get(
    difference: *const bir_difference,
    out: *mut bir_difference_text,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(difference)?;
        let (path, what) = (str_out(&found.path), str_out(&found.what));
        put(out, bir_difference_text { path, what, left: str_out(&found.left), right: str_out(&found.right) })
    })
}

/// Frees the difference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_difference_destroy(difference: *mut bir_difference) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(difference) }
}

/// Whether two modules are equal in structure: a document could not tell them apart. Ids, addresses, the module of origin
/// and whether parts are shared make no difference; references are compared by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_equal(
    a: *const bir_module,
    b: *const bir_module,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two modules in program order, which is the caller's; NULL if they are equal, see
/// bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_difference(
    a: *const bir_module,
    b: *const bir_module,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two functions, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_equal(
    a: *const bir_function,
    b: *const bir_function,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two functions, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_difference(
    a: *const bir_function,
    b: *const bir_function,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two blocks, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_equal(
    a: *const bir_block,
    b: *const bir_block,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two blocks, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_difference(
    a: *const bir_block,
    b: *const bir_block,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two instructions, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_equal(
    a: *const bir_inst,
    b: *const bir_inst,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two instructions, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_difference(
    a: *const bir_inst,
    b: *const bir_inst,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two operands, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_equal(
    a: *const bir_operand,
    b: *const bir_operand,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two operands, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_difference(
    a: *const bir_operand,
    b: *const bir_operand,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two sets, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_equal(
    a: *const bir_set,
    b: *const bir_set,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two sets, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_difference(
    a: *const bir_set,
    b: *const bir_set,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two locations, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_equal(
    a: *const bir_location,
    b: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two locations, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_difference(
    a: *const bir_location,
    b: *const bir_location,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two registers, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_equal(
    a: *const bir_register,
    b: *const bir_register,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two registers, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_register_difference(
    a: *const bir_register,
    b: *const bir_register,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two queues, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_equal(
    a: *const bir_queue,
    b: *const bir_queue,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two queues, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_difference(
    a: *const bir_queue,
    b: *const bir_queue,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}

/// Whether two expressions, of the same or two modules, are equal in structure, see bir_module_equal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_equal(
    a: *const bir_expr,
    b: *const bir_expr,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { equal(a, b, out) })
}

/// The first difference of two expressions, of the same or two modules, which is the caller's; NULL if they are equal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_difference(
    a: *const bir_expr,
    b: *const bir_expr,
    out: *mut *mut bir_difference,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { compare(a, b, out) })
}
