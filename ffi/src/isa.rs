//! Instruction classes

use crate::boundary::{member, nothing_at, object, put, put_flag, put_static, required, text};
use crate::types::{bir_error, bir_inst, bir_status, bir_string};
use bir_core::enums::bir::InstructionType;
use bir_core::op::InstClass;
use bir_core::{Error, ErrorCode};
use core::ffi::c_char;

/// Number of instruction classes (spec/instructions.md section 1.2): `Instruction`, and one per opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_class_count(out: *mut usize, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, InstClass::all().count()) })
}

/// The name of the class at index: `Instruction`, then those of the opcodes by rising number, e.g. `InstLoad`. NOT_FOUND
/// past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_class_name(index: usize, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        let found = InstClass::all().nth(index).ok_or_else(|| nothing_at("class", index))?;
        put_static(out, found.name())
    })
}

/// The name of the class that a class derives from; data is NULL for `Instruction`, which derives from none.
/// UNKNOWN_ENUM if no class is called name (the error names the nearest one).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_class_base(
    name: *const c_char,
    name_len: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let class = InstClass::from_name(text(name, name_len)?)?;
        required(out)?;
        match class.base() {
            Some(base) => put_static(out, base.name()),
            None => put(out, bir_string { data: core::ptr::null(), len: 0 }),
        }
    })
}

/// The opcode of a class: InstructionType, BIR_INSTRUCTION_TYPE_*. The other way round, and whether the class is abstract,
/// is told by bir_opcode_get_info(). NOT_FOUND for `Instruction`, which has no opcode, UNKNOWN_ENUM if no class is called
/// name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_class_opcode(
    name: *const c_char,
    name_len: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let class = InstClass::from_name(text(name, name_len)?)?;
        let none = || Error::new(ErrorCode::NotFound, format_args!("the class `{class}` has no opcode"));
        put(out, class.opcode().ok_or_else(none)?.ordinal())
    })
}

/// Whether an object of an opcode (InstructionType, BIR_INSTRUCTION_TYPE_*) is one of a class, as `isa<>` of the original
/// asks: a class accepts its own opcode and those of the classes that derive from it, so `InstLoad` accepts Save too.
/// UNKNOWN_ENUM for another opcode, and if no class is called name (the error names the nearest one).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_is_a(
    opcode: i32,
    name: *const c_char,
    name_len: usize,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let opcode: InstructionType = member(opcode)?;
        put_flag(out, InstClass::from_name(text(name, name_len)?)?.accepts(opcode))
    })
}

/// Whether an instruction is one of a class, see bir_opcode_is_a(). An opcode number that foreign code wrote and that is
/// none is of no class but `Instruction`. UNKNOWN_ENUM if no class is called name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_is_a(
    inst: *const bir_inst,
    name: *const c_char,
    name_len: usize,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        put_flag(out, inst.is_a(InstClass::from_name(text(name, name_len)?)?))
    })
}
