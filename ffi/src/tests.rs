//! The boundary itself; what the functions do is tested in C (`c-tests`) and in the core.

use crate::block::*;
use crate::boundary::{self, slice, text};
use crate::crosswalk::*;
use crate::enums::*;
use crate::function::*;
use crate::instruction::*;
use crate::module::*;
use crate::operand::*;
use crate::set::*;
use crate::storage::*;
use crate::types::*;
use crate::version::*;
use bir_core::{Error, ErrorCode, Position};
use core::ffi::{CStr, c_char};
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{null, null_mut};

pub(crate) fn error() -> bir_error {
    // SAFETY: a struct of numbers, for which zero bytes are valid.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

pub(crate) fn message(error: &bir_error) -> String {
    // SAFETY: the library ends it with a NUL.
    unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_str().unwrap().to_owned()
}

pub(crate) fn path(error: &bir_error) -> String {
    // SAFETY: the library ends it with a NUL.
    unsafe { CStr::from_ptr(error.path.as_ptr()) }.to_str().unwrap().to_owned()
}

pub(crate) fn string(value: bir_string) -> String {
    // SAFETY: texts of the library have the length that they say.
    String::from_utf8(unsafe { slice(value.data.cast::<u8>(), value.len) }.unwrap().to_vec()).unwrap()
}

pub(crate) const NO_TEXT: bir_string = bir_string { data: null(), len: 0 };

#[test]
fn a_panic_becomes_internal() {
    let mut err = error();
    let status = boundary::status(&raw mut err, || panic!("on purpose: {}", 7));
    assert_eq!((status, err.status), (ErrorCode::Internal.number(), ErrorCode::Internal.number()));
    assert_eq!(message(&err), "on purpose: 7");
    let found: *mut bir_block = boundary::pointer(&raw mut err, || panic!("fixed text"));
    assert!(found.is_null());
    assert_eq!((err.status, message(&err).as_str()), (ErrorCode::Internal.number(), "fixed text"));
    assert_eq!(boundary::status(null_mut(), || std::panic::panic_any(1_u8)), ErrorCode::Internal.number());
    let err_ptr = &raw mut err;
    let status = boundary!(err_ptr, { if err_ptr.is_null() { Ok(()) } else { std::panic::panic_any(1_u8) } });
    assert_eq!((status, message(&err)), (ErrorCode::Internal.number(), ErrorCode::Internal.description().to_owned()));
}

#[test]
fn errors_tell_what_and_where() {
    let mut err = error();
    let fail = || {
        let e =
            Error::new(ErrorCode::WrongType, "`version` has the wrong type").expected_found("an integer", "a string");
        Err(e.at("functions[0]").at_position(Position { line: 2, column: 5, offset: 17 }))
    };
    assert_eq!(boundary::status(&raw mut err, fail), ErrorCode::WrongType.number());
    assert_eq!((err.size, err.status, err.line, err.column, err.offset), (0, 6, 2, 5, 17));
    assert_eq!(message(&err), "`version` has the wrong type: expected an integer, found a string");
    assert_eq!(path(&err), "functions[0]");
    assert_eq!(boundary::status(&raw mut err, || Ok(())), BIR_STATUS_OK);
    assert_eq!((err.status, err.line, err.column, err.offset), (0, 0, 0, 0));
    assert_eq!((message(&err), path(&err)), (String::new(), String::new()));
    boundary::status(&raw mut err, || Err(Error::out_of_memory()));
    assert_eq!(message(&err), ErrorCode::OutOfMemory.description());
}

#[test]
fn long_texts_are_cut_between_characters() {
    let mut err = error();
    for lead in 0..4 {
        let text = "x".repeat(lead) + &"ö€".repeat(300);
        boundary::status(&raw mut err, || Err(Error::new(ErrorCode::BadValue, &text).at(&text)));
        let (message, path) = (message(&err), path(&err));
        assert!(text.starts_with(&message) && (509..=511).contains(&message.len()), "{}", message.len());
        assert_eq!(path, message);
    }
    boundary::status(&raw mut err, || Err(Error::new(ErrorCode::BadValue, "y".repeat(511))));
    assert_eq!(message(&err).len(), 511);
}

#[test]
fn only_the_members_within_the_size_are_written() {
    let ends = [
        (offset_of!(bir_error, line), 1),
        (offset_of!(bir_error, column), 2),
        (offset_of!(bir_error, offset), 3),
        (offset_of!(bir_error, message), 4),
        (offset_of!(bir_error, path), 5),
        (size_of::<bir_error>(), 6),
    ];
    for (size, members) in [(1, 0), (4, 0), (7, 0)].into_iter().chain(ends) {
        let mut err = error();
        (err.size, err.status, err.line, err.column, err.offset) = (size as u32, -1, 77, 77, 77);
        (err.message[0], err.path[0]) = (77, 77);
        let fail = || {
            let e = Error::new(ErrorCode::Syntax, "m").at("p");
            Err(e.at_position(Position { line: 1, column: 2, offset: 3 }))
        };
        assert_eq!(boundary::status(&raw mut err, fail), ErrorCode::Syntax.number());
        let (m, p) = ('m' as c_char, 'p' as c_char);
        let now = (err.status, err.line, err.column, err.offset, err.message[0], err.path[0]);
        let pick = |member: i32| members >= member;
        let expected = (
            if pick(1) { 8 } else { -1 },
            if pick(2) { 1 } else { 77 },
            if pick(3) { 2 } else { 77 },
            if pick(4) { 3 } else { 77 },
            if pick(5) { m } else { 77 },
            if pick(6) { p } else { 77 },
        );
        assert_eq!(now, expected, "size {size}");
        assert_eq!(err.size as usize, size);
    }
}

static WORD: u64 = 0;

#[test]
fn texts_come_in_by_length_or_nul() {
    // SAFETY: literals with the lengths given.
    unsafe {
        assert_eq!(text(c"abc".as_ptr(), usize::MAX).unwrap(), "abc");
        assert_eq!(text(c"abc".as_ptr(), 2).unwrap(), "ab");
        assert_eq!(text(c"a\xC3\xB6".as_ptr(), usize::MAX).unwrap(), "aö");
        assert_eq!(text(null(), 0).unwrap(), "");
        assert_eq!(text(null(), 1).unwrap_err().code, ErrorCode::NullArgument);
        assert_eq!(text(null(), usize::MAX).unwrap_err().code, ErrorCode::NullArgument);
        assert_eq!(text(c"a\xC3".as_ptr(), 2).unwrap_err().code, ErrorCode::BadValue);
        assert_eq!(text(c"a".as_ptr(), usize::MAX - 1).unwrap_err().code, ErrorCode::BadValue);
        assert_eq!(slice::<u64>(null(), 0).unwrap(), &[0_u64; 0]);
        assert_eq!(slice::<u64>(null(), 1).unwrap_err().code, ErrorCode::NullArgument);
        assert_eq!(slice(&raw const WORD, usize::MAX / 8).unwrap_err().code, ErrorCode::BadValue);
    }
}

#[test]
fn null_is_an_error_everywhere() {
    let mut err = error();
    let null_argument = ErrorCode::NullArgument.number();
    // SAFETY: NULL is allowed, which is what this tests; the module is destroyed last.
    unsafe {
        let mut out = NO_TEXT;
        assert_eq!(bir_function_name(null(), &raw mut out, &raw mut err), null_argument);
        assert_eq!(message(&err), "a function is required and NULL was given");
        assert!(bir_block_first_inst(null(), &raw mut err).is_null());
        assert_eq!(err.status, null_argument);
        assert!(bir_module_add_function(null_mut(), c"f".as_ptr(), 1, null(), null_mut(), &raw mut err).is_null());
        assert_eq!(err.status, null_argument);
        let module = bir_module_create(&raw mut err);
        assert_eq!(err.status, BIR_STATUS_OK);
        assert_eq!(bir_module_arch(module, null_mut(), null_mut()), null_argument);
        assert_eq!(bir_module_find_by_id(module, 0, null_mut(), null_mut(), null_mut()), null_argument);
        assert!(bir_module_find_function(module, c"f".as_ptr(), 1, &raw mut err).is_null());
        assert_eq!(err.status, BIR_STATUS_OK, "nothing found is no error");
        bir_module_destroy(module);
        bir_module_destroy(null_mut());
    }
}

#[test]
fn a_program_through_the_boundary() {
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: all objects are of the one module, which is destroyed last.
    unsafe {
        let module = bir_module_create(e);
        let function = bir_module_add_function(module, c"main".as_ptr(), usize::MAX, null(), null_mut(), e);
        let block = bir_function_add_block(function, c"Block1".as_ptr(), usize::MAX, null(), null_mut(), e);
        let mut renamed = 9;
        let add = |before, renamed| bir_block_add_inst(block, 12, c"I-0".as_ptr(), 3, before, renamed, e);
        let first = add(null(), &raw mut renamed);
        assert_eq!(renamed, 0);
        let second = add(first, &raw mut renamed);
        assert_eq!(renamed, 1);
        let mut name = NO_TEXT;
        assert_eq!(bir_inst_name(second, &raw mut name, e), BIR_STATUS_OK);
        assert_eq!(string(name), "I-0_1");
        assert_eq!(*name.data.add(name.len), 0, "names of objects are followed by a NUL");
        assert_eq!(bir_block_first_inst(block, e), second);
        assert_eq!(bir_inst_next(second, e), first);
        assert!(bir_inst_next(first, e).is_null());
        assert_eq!(err.status, BIR_STATUS_OK);

        let set = bir_function_add_set(function, c"t_set".as_ptr(), usize::MAX, 3, 16, null(), null_mut(), e);
        let location = bir_set_add_location(set, c"t".as_ptr(), usize::MAX, 16, null(), null_mut(), e);
        assert_eq!(err.status, BIR_STATUS_OK);
        let dims = [bir_dim { step: 64, num: 128 }, bir_dim { step: 1, num: 64 }];
        let operand = bir_inst_add_physical_ap(first, 2, location, 16, dims.as_ptr(), 2, 5, null(), e);
        assert!(!operand.is_null(), "{}", message(&err));
        assert_eq!(bir_storage_writer(location.cast(), 0, e), operand);
        assert!(bir_storage_reader(location.cast(), 0, e).is_null());
        let (mut got, mut count) = ([bir_dim { step: 0, num: 0 }; 3], 0);
        assert_eq!(bir_operand_dims(operand, null_mut(), 0, &raw mut count, e), BIR_STATUS_OK);
        assert_eq!(count, 2);
        count = 7;
        assert_eq!(bir_operand_dims(operand, got.as_mut_ptr(), 1, &raw mut count, e), ErrorCode::BadValue.number());
        assert_eq!((count, got[0].num), (7, 0), "nothing is written on failure");
        assert_eq!(bir_operand_dims(operand, got.as_mut_ptr(), 3, &raw mut count, e), BIR_STATUS_OK);
        assert_eq!((count, got[0].step, got[1].num, got[2].num), (2, 64, 64, 0));

        let (mut kind, mut address) = (0, null_mut());
        let mut id = 0;
        bir_set_id(set, &raw mut id, e);
        assert_eq!(bir_module_find_by_id(module, id, &raw mut kind, &raw mut address, e), BIR_STATUS_OK);
        assert_eq!((kind, address), (BIR_OBJECT_SET, set.cast()));

        // Numbers outside their range are errors, whatever the function.
        assert!(bir_block_add_inst(block, 110, c"x".as_ptr(), 1, null(), null_mut(), e).is_null());
        assert_eq!(err.status, ErrorCode::UnknownEnum.number());
        assert!(bir_inst_first_operand(first, 3, e).is_null());
        assert_eq!(err.status, ErrorCode::BadValue.number());
        assert_eq!(bir_inst_set_engine(first, -1, e), ErrorCode::UnknownEnum.number());

        assert_eq!(bir_set_erase(set, e), ErrorCode::StillReferenced.number());
        assert_eq!(bir_inst_erase(first, e), BIR_STATUS_OK);
        assert_eq!(bir_set_erase(set, e), BIR_STATUS_OK);
        let detached = ErrorCode::Detached.number();
        assert_eq!(bir_inst_set_engine(first, 0, e), detached);
        assert_eq!(bir_inst_rename(first, c"y".as_ptr(), 1, null_mut(), e), detached);
        assert_eq!(bir_operand_set_offset(operand, 0, e), detached);
        assert_eq!(bir_set_set_virtual(set, 1, e), detached);
        assert_eq!(bir_storage_unlink(set.cast(), e), detached);
        assert_eq!(bir_inst_name(first, &raw mut name, e), BIR_STATUS_OK);
        assert_eq!(string(name), "I-0", "an erased object stays readable");
        bir_module_destroy(module);
    }
}

#[test]
fn the_memory_limit_is_an_error_not_an_abort() {
    // SAFETY: the module is destroyed last.
    unsafe {
        let module = bir_module_create(null_mut());
        let (mut used, mut limit) = (0, 0);
        assert_eq!(bir_module_memory_limit(module, &raw mut limit, null_mut()), BIR_STATUS_OK);
        assert_eq!(limit, u64::MAX);
        assert_eq!(bir_module_memory_used(module, &raw mut used, null_mut()), BIR_STATUS_OK);
        assert_eq!(bir_module_set_memory_limit(module, used, null_mut()), BIR_STATUS_OK);
        let mut err = error();
        let name = c"f".as_ptr();
        assert!(bir_module_add_function(module, name, 1, null(), null_mut(), &raw mut err).is_null());
        assert_eq!(err.status, ErrorCode::OutOfMemory.number());
        assert_eq!(bir_module_set_memory_limit(module, u64::MAX, null_mut()), BIR_STATUS_OK);
        assert!(!bir_module_add_function(module, name, 1, null(), null_mut(), &raw mut err).is_null());
        bir_module_destroy(module);
    }
}

#[test]
fn enums_and_crosswalks_answer_with_the_cores_numbers() {
    let mut out = NO_TEXT;
    let mut number = -7;
    // SAFETY: literals and locals.
    unsafe {
        let mut id = 0;
        assert_eq!(bir_enum_by_name(c"klr.Dtype".as_ptr(), usize::MAX, &raw mut id, null_mut()), BIR_STATUS_OK);
        assert_eq!(bir_enum_member_name(id, 1, &raw mut out, null_mut()), BIR_STATUS_OK);
        assert_eq!(string(out), "bfloat16");
        assert_eq!(bir_enum_name(70_000, &raw mut out, null_mut()), ErrorCode::NotFound.number());
        assert_eq!(bir_translate_dtype(1, &raw mut number, null_mut()), BIR_STATUS_OK);
        assert_eq!(number, 12);
        assert_eq!(bir_translate_dtype(0, &raw mut number, null_mut()), ErrorCode::UnknownEnum.number());
        assert_eq!(number, 12, "nothing is written on failure");
        assert_eq!(bir_translate_engine(u32::MAX, &raw mut number, null_mut()), BIR_STATUS_OK);
        assert_eq!(number, 0);
        let (mut klr, mut count) = ([0; 4], 0);
        let status = bir_klr_sources_of_dtype(4, klr.as_mut_ptr(), 4, &raw mut count, null_mut());
        assert_eq!((status, count, klr), (BIR_STATUS_OK, 2, [3, 16, 0, 0]));
        let unknown = ErrorCode::UnknownEnum.number();
        assert_eq!(bir_klr_sources_of_dtype(99, klr.as_mut_ptr(), 4, &raw mut count, null_mut()), unknown);
    }
}

#[test]
fn the_header_has_every_status() {
    let header = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../include/bir.h")).unwrap();
    let mut out = NO_TEXT;
    for code in ErrorCode::ALL {
        let mut name = String::from("BIR_STATUS");
        for c in code.name().chars() {
            name += if c.is_ascii_uppercase() { "_" } else { "" };
            name.push(c.to_ascii_uppercase());
        }
        assert!(header.contains(&format!("#define {name} {}\n", code.number())), "{name}");
        // SAFETY: a local.
        assert_eq!(unsafe { bir_status_name(code.number(), &raw mut out, null_mut()) }, BIR_STATUS_OK);
        assert_eq!(string(out), code.name());
    }
    assert_eq!(header.matches("#define BIR_STATUS_").count(), ErrorCode::ALL.len() + 1);
    // SAFETY: a local.
    assert_eq!(unsafe { bir_status_name(-1, &raw mut out, null_mut()) }, ErrorCode::NotFound.number());
}
