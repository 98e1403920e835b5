//! Enums at run time

use crate::boundary::{copy_out, member, nothing_at, put, put_static, required, text};
use crate::types::{
    BIR_CORE_GENERATION_V2, BIR_CORE_GENERATION_V3, BIR_CORE_GENERATION_V4, bir_error, bir_status, bir_string,
};
use bir_core::enums::bir::{AluOpType, InstructionType};
use bir_core::enums::{CoreGeneration, ENUMS, EnumId, EnumInfo, find};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::c_char;

fn info(id: u32) -> Result<&'static EnumInfo> {
    EnumId::new(u16::try_from(id).unwrap_or(u16::MAX)).map(EnumId::info)
}

fn core_generation(number: i32) -> Result<CoreGeneration> {
    match number {
        BIR_CORE_GENERATION_V2 => Ok(CoreGeneration::CoreV2),
        BIR_CORE_GENERATION_V3 => Ok(CoreGeneration::CoreV3),
        BIR_CORE_GENERATION_V4 => Ok(CoreGeneration::CoreV4),
        _ => Err(Error::new(ErrorCode::BadValue, format_args!("{number} is no core generation: 2 to 4 are"))),
    }
}

/// Number of enums: ids are 0 to one less (BIR_ENUM_COUNT of the library that runs).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_count(out: *mut u32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, ENUMS.len() as u32) })
}

/// The id of an enum, e.g. `AluOpType` (bir first, then klr, isa, walrus) or, with its space, `klr.AluOp`. NOT_FOUND
/// for another name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_by_name(
    name: *const c_char,
    name_len: usize,
    out: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let name = text(name, name_len)?;
        let unknown = || Error::new(ErrorCode::NotFound, format_args!("no enum is called `{name}`"));
        put(out, u32::from(find(name).ok_or_else(unknown)?.id.number()))
    })
}

/// The name of an enum, BIR_ENUM_*, without its space. NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_name(id: u32, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_static(out, info(id)?.name) })
}

/// The space of an enum, e.g. `bir` or `klr`. NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_space(id: u32, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_static(out, info(id)?.space.as_str()) })
}

/// What an enum says, in one line. NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_meaning(id: u32, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_static(out, info(id)?.meaning) })
}

/// Number of published members of an enum. NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_member_count(id: u32, out: *mut usize, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, info(id)?.members.len()) })
}

/// The member at a position from 0, by rising number, in constant time. NOT_FOUND past the end and for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_member_at(
    id: u32,
    index: usize,
    name: *mut bir_string,
    number: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = info(id)?.members.get(index).ok_or_else(|| nothing_at("member", index))?;
        required(number)?;
        put_static(name, found.name)?;
        put(number, found.ordinal)
    })
}

/// The name of a member. UNKNOWN_ENUM if none has the number, NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_member_name(
    id: u32,
    number: i32,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_static(out, info(id)?.by_ordinal(number.into())?.name) })
}

/// The number of the member with that exact name; case matters. UNKNOWN_ENUM if there is none (the error names the
/// nearest one), NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_member_number(
    id: u32,
    name: *const c_char,
    name_len: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, info(id)?.by_name(text(name, name_len)?)?.ordinal) })
}

/// What stands in a document for a member; data is NULL if it is a number or is not written. UNKNOWN_ENUM if no
/// member has the number, NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_member_json(
    id: u32,
    number: i32,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let json = info(id)?.by_ordinal(number.into())?.json;
        required(out)?;
        match json {
            Some(json) => put_static(out, json),
            None => put(out, bir_string { data: core::ptr::null(), len: 0 }),
        }
    })
}

/// The number of the member that a document's text stands for. UNKNOWN_ENUM for another text, UNSUPPORTED if
/// documents carry this enum as a number or not at all, NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_member_by_json(
    id: u32,
    json: *const c_char,
    json_len: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, info(id)?.by_json(text(json, json_len)?)?.ordinal) })
}

/// The number that an object starts with. NOT_FOUND if there is none, and for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_default(id: u32, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        let number = info(id)?.default;
        put(out, number.ok_or_else(|| Error::new(ErrorCode::NotFound, "the enum has no default"))?)
    })
}

/// The silicon byte of a member (spec/enums.md section 4). generation is BIR_CORE_GENERATION_*, else BAD_VALUE.
/// UNKNOWN_ENUM if no member has the number, UNSUPPORTED if it has no byte there, NOT_FOUND for another id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_enum_wire(
    id: u32,
    number: i32,
    generation: i32,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, info(id)?.wire(number.into(), core_generation(generation)?)?) })
}

/// What the ALU converter gives for an operation (AluOpType, BIR_ALU_OP_TYPE_*) as a word of 32 bits: the byte of
/// bir_enum_wire() zero-extended, but 0xFFFFFFC8 for mod_int, whose byte is one of the int32 band (spec/enums.md
/// section 2). The statuses are those of bir_enum_wire().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_alu_op_wire_word(
    number: i32,
    generation: i32,
    out: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, AluOpType::from_ordinal(number.into())?.wire_word(core_generation(generation)?)?) })
}

/// The silicon opcode bytes that an instruction (InstructionType, BIR_INSTRUCTION_TYPE_*) may become. generation is
/// BIR_CORE_GENERATION_*, else BAD_VALUE. *count is their number, 0 if the encoder has none for it; they are copied
/// to out if capacity, in bytes, is large enough; capacity 0 asks for the number only. UNKNOWN_ENUM for another
/// opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_silicon(
    opcode: i32,
    generation: i32,
    out: *mut u8,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let opcode: InstructionType = member(opcode)?;
        let bytes = opcode.silicon_opcodes(core_generation(generation)?);
        copy_out(|| bytes.iter().copied(), out, capacity, count)
    })
}
