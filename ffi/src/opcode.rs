//! Opcodes and their fields

use crate::boundary::{member, put, required, str_out, text};
use crate::types::{bir_error, bir_field_info, bir_opcode_info, bir_status};
use bir_core::enums::bir::InstructionType;
use bir_core::op::{Default, Field, FieldKind, OPCODES, OpcodeInfo, Presence};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::c_char;

/// A boolean.
pub const BIR_FIELD_KIND_BOOL: i32 = 1;
/// An integer, between min_int and max_int of bir_field_info.
pub const BIR_FIELD_KIND_INT: i32 = 2;
/// An IEEE single.
pub const BIR_FIELD_KIND_FLOAT: i32 = 3;
/// A member of the enum enum_id of bir_field_info.
pub const BIR_FIELD_KIND_ENUM: i32 = 4;
/// A text.
pub const BIR_FIELD_KIND_TEXT: i32 = 5;
/// JSON, which is kept as it is.
pub const BIR_FIELD_KIND_JSON: i32 = 6;
/// An expression.
pub const BIR_FIELD_KIND_EXPR: i32 = 7;
/// A node of an expression, of kind BIR_EXPR_KIND_INT_RUNTIME_VALUE.
pub const BIR_FIELD_KIND_NODE: i32 = 8;
/// A bir_queue.
pub const BIR_FIELD_KIND_QUEUE: i32 = 9;
/// A bir_block.
pub const BIR_FIELD_KIND_BLOCK: i32 = 10;
/// A bir_function.
pub const BIR_FIELD_KIND_FUNCTION: i32 = 11;
/// A bir_inst: a DMATrigger or DMABlock.
pub const BIR_FIELD_KIND_INST: i32 = 12;
/// A bir_register.
pub const BIR_FIELD_KIND_REGISTER: i32 = 13;
/// A bir_axis: see bir_inst_axis(), bir_inst_set_loop_axis() and bir_inst_set_dynamic_axis().
pub const BIR_FIELD_KIND_AXIS: i32 = 14;
/// The nested blocks, a list of bir_block: they are changed through bir_inst_block_holder().
pub const BIR_FIELD_KIND_BLOCKS: i32 = 15;
/// A pair, as a dimension of an access pattern: bir_dim.
pub const BIR_FIELD_KIND_PAIR: i32 = 16;

const _: () = assert!(
    BIR_FIELD_KIND_BOOL == FieldKind::Bool as i32
        && BIR_FIELD_KIND_INT == FieldKind::Int as i32
        && BIR_FIELD_KIND_FLOAT == FieldKind::Float as i32
        && BIR_FIELD_KIND_ENUM == FieldKind::Enum as i32
        && BIR_FIELD_KIND_TEXT == FieldKind::Text as i32
        && BIR_FIELD_KIND_JSON == FieldKind::Json as i32
        && BIR_FIELD_KIND_EXPR == FieldKind::Expr as i32
        && BIR_FIELD_KIND_NODE == FieldKind::Node as i32
        && BIR_FIELD_KIND_QUEUE == FieldKind::Queue as i32
        && BIR_FIELD_KIND_BLOCK == FieldKind::Block as i32
        && BIR_FIELD_KIND_FUNCTION == FieldKind::Function as i32
        && BIR_FIELD_KIND_INST == FieldKind::Instruction as i32
        && BIR_FIELD_KIND_REGISTER == FieldKind::Register as i32
        && BIR_FIELD_KIND_AXIS == FieldKind::Axis as i32
        && BIR_FIELD_KIND_BLOCKS == FieldKind::Blocks as i32
        && BIR_FIELD_KIND_PAIR == FieldKind::Pair as i32
);

/// A document without the key is an error.
pub const BIR_FIELD_PRESENCE_REQUIRED: i32 = 1;
/// A document without the key means the default.
pub const BIR_FIELD_PRESENCE_OPTIONAL: i32 = 2;
/// The key is always written, and optional in what is read.
pub const BIR_FIELD_PRESENCE_WRITE_ONLY: i32 = 3;
/// Sources are silent; the key is optional in what is read.
pub const BIR_FIELD_PRESENCE_UNSPECIFIED: i32 = 4;

fn info(opcode: i32) -> Result<&'static OpcodeInfo> {
    member::<InstructionType>(opcode).map(OpcodeInfo::of)
}

/// The field with a number.
pub fn field_at(info: &'static OpcodeInfo, field: i32) -> Result<&'static Field> {
    usize::try_from(field).ok().and_then(|index| info.fields.get(index)).ok_or_else(|| {
        let count = info.fields.len();
        Error::new(ErrorCode::NotFound, format_args!("{} has no field {field}, it has {count} fields", info.name))
    })
}

/// The number of the field with a key.
pub fn field_number(info: &'static OpcodeInfo, key: &str) -> Result<i32> {
    let found = info.require(key)?;
    let index = info.fields.iter().position(|field| core::ptr::eq(field, found));
    index.and_then(|i| i32::try_from(i).ok()).ok_or_else(|| Error::new(ErrorCode::Internal, "a field is in no row"))
}

fn or_minus_one(number: Option<u32>) -> i32 {
    number.map_or(-1, |n| i32::try_from(n).unwrap_or(i32::MAX))
}

/// Number of opcodes: InstructionType, BIR_INSTRUCTION_TYPE_*, is 0 to one less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_count(out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, OPCODES.len() as i32) })
}

/// Tells what is known of an opcode, as far as out->size says. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_get_info(
    opcode: i32,
    out: *mut bir_opcode_info,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = info(opcode)?;
        required(out)?;
        fill!(
            out,
            bir_opcode_info {
                is_abstract: u8::from(found.is_abstract),
                name: str_out(found.name),
                class_name: str_out(found.class_name),
                base: str_out(found.base),
                family: str_out(found.family),
                object_size: found.size,
                published_size: found.published_size,
                min_ins: or_minus_one(found.ins.0),
                max_ins: or_minus_one(found.ins.1),
                min_outs: or_minus_one(found.outs.0),
                max_outs: or_minus_one(found.outs.1),
                min_arch: or_minus_one(found.arch_min),
                max_arch: or_minus_one(found.arch_max),
            }
        );
        Ok(())
    })
}

/// Number of fields that instructions of an opcode have beside those of all instructions: the numbers of its fields are 0
/// to one less, by rising key. A field has that number within one version of the library; keys stay. UNKNOWN_ENUM for
/// another opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_field_count(opcode: i32, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, info(opcode)?.fields.len() as i32) })
}

/// Tells what is known of a field, as far as out->size says. NOT_FOUND if the opcode has no field of that number,
/// UNKNOWN_ENUM for another opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_field(
    opcode: i32,
    field: i32,
    out: *mut bir_field_info,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = field_at(info(opcode)?, field)?;
        required(out)?;
        let (min, max) = found.int_range().unwrap_or_default();
        let (has_default, int, float) = match found.default {
            Default::Absent | Default::Empty => (0, 0, 0.0),
            Default::Int(number) => (1, number, 0.0),
            Default::Float(number) => (1, 0, f64::from(number)),
            Default::Zeros => (1, 0, 0.0),
        };
        fill!(
            out,
            bir_field_info {
                kind: found.kind() as i32,
                key: str_out(found.key),
                type_text: str_out(found.type_text),
                offset: u32::from(found.offset),
                offset_known: u8::from(found.offset_known),
                list_depth: found.list_depth(),
                is_maybe_affine: u8::from(found.is_maybe_affine()),
                can_be_absent: u8::from(found.can_be_absent()),
                takes_json: u8::from(found.kind() == FieldKind::Json || found.keeps_array),
                fixed_length: u32::from(found.fixed_length().unwrap_or_default()),
                enum_id: found.enum_id().map_or(u32::MAX, |id| u32::from(id.number())),
                min_int: min,
                max_int: max,
                presence: match found.presence {
                    Presence::Required => BIR_FIELD_PRESENCE_REQUIRED,
                    Presence::Optional => BIR_FIELD_PRESENCE_OPTIONAL,
                    Presence::WriteOnly => BIR_FIELD_PRESENCE_WRITE_ONLY,
                    Presence::Unspecified => BIR_FIELD_PRESENCE_UNSPECIFIED,
                },
                has_default: has_default,
                default_int: int,
                default_float: float,
            }
        );
        Ok(())
    })
}

/// The number of the field with a key; spellings of older producers count too. UNKNOWN_KEY if the opcode has none (the error
/// names those that it has), UNKNOWN_ENUM for another opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_opcode_find_field(
    opcode: i32,
    key: *const c_char,
    key_len: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, field_number(info(opcode)?, text(key, key_len)?)?) })
}
