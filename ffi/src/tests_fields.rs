//! Fields through the boundary: what errors say, structs of other sizes, memory that ends; the rest is tested in C.

use crate::block::*;
use crate::field::*;
use crate::function::*;
use crate::instruction::*;
use crate::module::*;
use crate::opcode::*;
use crate::tests::{NO_TEXT, error, message, path, string};
use crate::types::*;
use bir_core::ErrorCode;
use bir_core::enums::bir::InstructionType;
use bir_core::op::OPCODES;
use core::ffi::c_char;
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{null, null_mut};

/// A module with one instruction.
fn module_with(opcode: InstructionType) -> (*mut bir_module, *mut bir_inst) {
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: all objects are of the one module, which the caller destroys.
    unsafe {
        let module = bir_module_create(e);
        let function = bir_module_add_function(module, c"f".as_ptr(), 1, null(), null_mut(), e);
        let block = bir_function_add_block(function, c"b".as_ptr(), 1, null(), null_mut(), e);
        let inst = bir_block_add_inst(block, opcode.ordinal(), c"i".as_ptr(), 1, null(), null_mut(), e);
        assert_eq!(err.status, BIR_STATUS_OK, "{}", message(&err));
        (module, inst)
    }
}

fn number(inst: *const bir_inst, key: &str) -> i32 {
    let mut field = -1;
    // SAFETY: a live instruction, a text with its length.
    let status = unsafe { bir_inst_find_field(inst, key.as_ptr().cast(), key.len(), &raw mut field, null_mut()) };
    assert_eq!(status, BIR_STATUS_OK, "{key}");
    field
}

#[test]
fn errors_name_the_field_and_what_it_takes() {
    let mut err = error();
    let e = &raw mut err;
    let (module, inst) = module_with(InstructionType::Activation);
    // SAFETY: all objects are of the one module, which is destroyed last.
    unsafe {
        let (acc, alpha) = (number(inst, "acc"), number(inst, "alpha"));
        assert_eq!(bir_inst_set_text(inst, acc, c"Idl".as_ptr(), 3, e), ErrorCode::UnknownEnum.number());
        assert_eq!(path(&err), "acc");
        assert!(message(&err).contains("Idle") && message(&err).contains("`Idl`"), "{}", message(&err));
        assert_eq!(bir_inst_set_text(inst, alpha, c"1".as_ptr(), 1, e), ErrorCode::WrongType.number());
        assert!(message(&err).ends_with("expected a float, found a text"), "{}", message(&err));
        assert_eq!(bir_inst_set_float(inst, alpha, 1e39, e), ErrorCode::BadValue.number());
        assert!(message(&err).ends_with("found 1e39"), "{}", message(&err));
        let mut value = 0;
        assert_eq!(bir_inst_get_int(inst, alpha, 0, &raw mut value, e), ErrorCode::WrongKind.number());
        assert!(message(&err).ends_with("expected an integer, found a float"), "{}", message(&err));
        assert_eq!(bir_inst_get_int(inst, 99, 0, &raw mut value, e), ErrorCode::NotFound.number());
        assert!(message(&err).starts_with("Activation has no field 99"), "{}", message(&err));
        assert_eq!(value, 0);
        let mut field = -7;
        let status = bir_inst_find_field(inst, c"alpha_".as_ptr(), 6, &raw mut field, e);
        assert_eq!((status, field), (ErrorCode::UnknownKey.number(), -7));
        assert!(message(&err).contains("alpha, "), "{}", message(&err));
        bir_module_destroy(module);
    }
}

#[test]
fn structs_of_older_callers_are_filled_as_far_as_they_go() {
    // SAFETY: locals of which as many bytes are written as `size` says.
    unsafe {
        for size in [1, offset_of!(bir_opcode_info, class_name), size_of::<bir_opcode_info>(), 0] {
            let mut info: bir_opcode_info = MaybeUninit::zeroed().assume_init();
            (info.size, info.max_arch) = (size as u32, 77);
            assert_eq!(bir_opcode_get_info(0, &raw mut info, null_mut()), BIR_STATUS_OK);
            let has_name = size != 1;
            assert_eq!(info.name.data.is_null(), !has_name, "{size}");
            assert_eq!(has_name.then(|| string(info.name)), has_name.then(|| "Generic".into()), "{size}");
            let all = size == 0 || size == size_of::<bir_opcode_info>();
            assert_eq!(info.max_arch, if all { -1 } else { 77 }, "{size}");
            assert_eq!(info.class_name.data.is_null(), !all, "{size}");
        }
        assert_eq!(bir_opcode_get_info(0, null_mut(), null_mut()), ErrorCode::NullArgument.number());
    }
}

#[test]
fn the_numbers_of_fields_are_their_places_in_the_row() {
    // SAFETY: locals, and texts with their length.
    unsafe {
        for (opcode, row) in OPCODES.iter().enumerate() {
            for (field, expected) in row.fields.iter().enumerate() {
                let mut info: bir_field_info = MaybeUninit::zeroed().assume_init();
                let (opcode, field) = (opcode as i32, field as i32);
                assert_eq!(bir_opcode_field(opcode, field, &raw mut info, null_mut()), BIR_STATUS_OK);
                assert_eq!(string(info.key), expected.key);
                for key in expected.aliases.iter().chain([&expected.key]) {
                    let mut found = -1;
                    let text = key.as_ptr().cast::<c_char>();
                    bir_opcode_find_field(opcode, text, key.len(), &raw mut found, null_mut());
                    assert_eq!(found, field, "{key}");
                }
            }
        }
    }
}

#[test]
fn memory_that_ends_changes_nothing() {
    let (module, inst) = module_with(InstructionType::BIRKernel);
    let field = number(inst, "srcs_shape");
    let name = number(inst, "kernel_name");
    // SAFETY: all objects are of the one module, which is destroyed last.
    unsafe {
        let set = |values: &[u64], lengths: &[usize]| {
            let (v, l) = (values.as_ptr(), lengths.as_ptr());
            bir_inst_set_rows(inst, field, v, values.len(), l, lengths.len(), null_mut())
        };
        assert_eq!(set(&[u64::MAX, 2], &[2, 0]), BIR_STATUS_OK);
        let short = c"short".as_ptr();
        assert_eq!(bir_inst_set_text(inst, name, short, 5, null_mut()), BIR_STATUS_OK);
        let mut used = 0;
        bir_module_memory_used(module, &raw mut used, null_mut());
        bir_module_set_memory_limit(module, used, null_mut());
        assert_eq!(set(&[7; 4096], &[4000, 96]), ErrorCode::OutOfMemory.number());
        let long = [b'x'; 4096];
        let status = bir_inst_set_text(inst, name, long.as_ptr().cast(), long.len(), null_mut());
        assert_eq!(status, ErrorCode::OutOfMemory.number());
        let (mut rows, mut len, mut value, mut text) = (0, 9, 0, NO_TEXT);
        bir_inst_get_length(inst, field, &raw mut rows, null_mut());
        bir_inst_get_row_length(inst, field, 1, &raw mut len, null_mut());
        bir_inst_get_row_uint(inst, field, 0, 0, &raw mut value, null_mut());
        bir_inst_get_text(inst, name, 0, &raw mut text, null_mut());
        assert_eq!((rows, len, value, string(text)), (2, 0, u64::MAX, "short".into()));
        bir_inst_erase(inst, null_mut());
        assert_eq!(set(&[], &[]), ErrorCode::Detached.number());
        bir_module_destroy(module);
    }
}
