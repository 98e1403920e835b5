//! Instruction families

use crate::boundary::{nothing_at, object, put, put_flag, put_static, text};
use crate::types::{bir_error, bir_inst, bir_status, bir_string};
use bir_core::op::family::{PREDICATES, find};
use core::ffi::c_char;

/// Number of families: the tests that passes make before they touch an instruction (spec/instructions.md section 5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_family_count(out: *mut usize, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, PREDICATES.len()) })
}

/// The name of the family at index, e.g. `isTransposeDMA`. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_family_name(index: usize, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_static(out, PREDICATES.get(index).ok_or_else(|| nothing_at("family", index))?.name) })
}

/// Whether an instruction is in the family of a name. It depends on the opcode and, for many families, on fields and
/// operands too: a DMACopy is an `isTransposeDMA` in mode Transpose. NOT_FOUND for another name (the error names the
/// nearest one), WRONG_KIND if the answer depends on a field that holds an expression, UNKNOWN_ENUM or CORRUPT_IR for
/// numbers that foreign code wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_in_family(
    inst: *const bir_inst,
    name: *const c_char,
    name_len: usize,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        put_flag(out, (find(text(name, name_len)?)?.test)(inst)?)
    })
}
