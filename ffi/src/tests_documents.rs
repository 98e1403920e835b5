//! Documents, copies and comparison through the boundary: bad input, bad files, the caller's functions.

use crate::buffer::*;
use crate::clone::*;
use crate::document::*;
use crate::equal::*;
use crate::files;
use crate::function::*;
use crate::module::*;
use crate::records::*;
use crate::set::*;
use crate::tests::{NO_TEXT, error, message, string};
use crate::types::*;
use bir_core::{Error, ErrorCode};
use core::ffi::{c_char, c_void};
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{null, null_mut};
use std::path::{Path, PathBuf};

const SCALE_ADD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/scale_add.bir.json");

/// An empty folder for one test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bir-ffi-{}-{name}", std::process::id()));
    match std::fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => panic!("{e}"),
        _ => std::fs::create_dir(&folder).unwrap(),
    }
    folder
}

/// A path as the boundary takes it.
pub fn raw(path: &Path) -> (*const c_char, usize) {
    let text = path.to_str().unwrap();
    (text.as_ptr().cast(), text.len())
}

/// The document of the tests.
pub fn scale_add() -> *mut bir_module {
    let mut err = error();
    // SAFETY: a literal and locals.
    let module =
        unsafe { bir_module_load_file(SCALE_ADD.as_ptr().cast(), SCALE_ADD.len(), null(), null_mut(), &raw mut err) };
    assert!(!module.is_null(), "{}", message(&err));
    module
}

/// A result that a failure must not touch.
pub fn untouched<T>() -> *mut T {
    core::ptr::dangling_mut()
}

fn load(text: &str, options: *const bir_read_options) -> (*mut bir_module, *mut bir_load_report, bir_error) {
    let (mut err, mut report) = (error(), untouched());
    // SAFETY: locals.
    let module = unsafe { bir_module_load(text.as_ptr().cast(), text.len(), options, &raw mut report, &raw mut err) };
    (module, report, err)
}

#[test]
fn a_bad_document_gives_no_module_and_says_where() {
    for (text, code, line, column) in [
        ("", ErrorCode::Syntax, 1, 1),
        ("{\"version\": 2,\n \"functions\": [}", ErrorCode::Syntax, 2, 16),
        ("{\"version\": 2,\n \"arch\": 7}", ErrorCode::WrongType, 2, 10),
    ] {
        let (module, report, err) = load(text, null());
        assert!(module.is_null(), "{text}");
        assert_eq!((err.status, err.line, err.column), (code.number(), line, column), "{text}: {}", message(&err));
        assert_eq!(report, untouched(), "nothing is written on failure");
    }
    let mut err = error();
    // SAFETY: NULL is what this tests, and a literal.
    unsafe {
        for len in [1, usize::MAX] {
            assert!(bir_module_load(null(), len, null(), null_mut(), &raw mut err).is_null());
            assert_eq!(err.status, ErrorCode::NullArgument.number());
        }
        let bytes = c"{\"version\": 2, \xff";
        assert!(bir_module_load(bytes.as_ptr(), usize::MAX, null(), null_mut(), &raw mut err).is_null());
        assert_eq!((err.status, err.offset), (ErrorCode::Syntax.number(), 15));
        assert!(bir_module_load(null(), 0, null(), null_mut(), null_mut()).is_null());
    }
}

#[test]
fn every_prefix_of_a_document_is_an_error() {
    let text = std::fs::read_to_string(SCALE_ADD).unwrap();
    let text = text.trim_end();
    for end in 0..text.len() {
        let (module, _, err) = load(&text[..end], null());
        assert!(module.is_null() && err.status != BIR_STATUS_OK, "{end}");
    }
}

#[test]
fn errors_of_files_name_the_file() {
    let folder = scratch("load");
    let (missing, broken) = (folder.join("missing.json"), folder.join("broken.json"));
    std::fs::write(&broken, "{\n  \"version\": 2 2").unwrap();
    let mut err = error();
    // SAFETY: locals.
    unsafe {
        let (data, len) = raw(&missing);
        assert!(bir_module_load_file(data, len, null(), null_mut(), &raw mut err).is_null());
        assert_eq!(err.status, ErrorCode::Io.number());
        assert!(message(&err).starts_with(missing.to_str().unwrap()), "{}", message(&err));
        let (data, len) = raw(&broken);
        assert!(bir_module_load_file(data, len, null(), null_mut(), &raw mut err).is_null());
        assert_eq!((err.status, err.line), (ErrorCode::Syntax.number(), 2));
        assert!(message(&err).starts_with(broken.to_str().unwrap()), "{}", message(&err));
        assert!(bir_module_load_file("a\0b".as_ptr().cast(), 3, null(), null_mut(), &raw mut err).is_null());
        assert_eq!(err.status, ErrorCode::Io.number());
        assert!(bir_module_load_file(null(), 1, null(), null_mut(), &raw mut err).is_null());
        assert_eq!(err.status, ErrorCode::NullArgument.number());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn options_are_read_as_far_as_their_size() {
    let text = std::fs::read_to_string(SCALE_ADD).unwrap();
    let strict = bir_read_options { strict: 1, ..Default::default() };
    assert_eq!(load(&text, &raw const strict).2.status, ErrorCode::DuplicateName.number());
    let short =
        bir_read_options { size: offset_of!(bir_read_options, strict) as u32, strict: 1, max_depth: 1, ..strict };
    let (module, report, err) = load(&text, &raw const short);
    assert_eq!(err.status, BIR_STATUS_OK, "{}", message(&err));
    // SAFETY: from the library, and freed once.
    unsafe {
        bir_module_destroy(module);
        bir_load_report_destroy(report);
    }
    let full = size_of::<bir_read_options>() as u32;
    let shallow = bir_read_options { size: full, max_depth: 3, ..Default::default() };
    assert_eq!(load(&text, &raw const shallow).2.status, ErrorCode::LimitExceeded.number());
    let strings = bir_read_options { size: full, max_string_bytes: 4, ..Default::default() };
    assert_eq!(load(&text, &raw const strings).2.status, ErrorCode::LimitExceeded.number());
    let memory = bir_read_options { size: full, max_module_bytes: 8, ..Default::default() };
    assert_eq!(load(&text, &raw const memory).2.status, ErrorCode::OutOfMemory.number());
}

#[test]
fn a_report_has_the_warnings() {
    let text = std::fs::read_to_string(SCALE_ADD).unwrap();
    let one = bir_read_options { max_warnings: 1, ..Default::default() };
    let (module, report, _) = load(&text, &raw const one);
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: from the library, and freed once.
    unsafe {
        let (mut count, mut dropped) = (0, 0);
        assert_eq!(bir_load_report_warning_count(report, &raw mut count, e), BIR_STATUS_OK);
        assert_eq!(bir_load_report_dropped_count(report, &raw mut dropped, e), BIR_STATUS_OK);
        assert_eq!((count, dropped), (1, 1));
        let mut warning: bir_warning = MaybeUninit::zeroed().assume_init();
        assert_eq!(bir_load_report_warning(report, 1, &raw mut warning, e), ErrorCode::NotFound.number());
        assert!(warning.path.data.is_null(), "nothing is written on failure");
        assert_eq!(bir_load_report_warning(report, 0, &raw mut warning, e), BIR_STATUS_OK);
        assert_eq!((warning.kind, warning.line), (BIR_WARNING_KIND_RENAMED, 28));
        assert_eq!(string(warning.path), "functions[0].blocks[0].instructions[1]");
        assert!(string(warning.message).contains("noop_test_1"));
        // The module does not need its report.
        bir_load_report_destroy(report);
        bir_module_destroy(module);
        bir_load_report_destroy(null_mut());
        assert_eq!(bir_load_report_warning_count(null(), &raw mut count, e), ErrorCode::NullArgument.number());
        let mut name = NO_TEXT;
        for (kind, expected) in [(0, "Other"), (1, "Renamed"), (5, "MovedImmediate")] {
            assert_eq!(bir_warning_kind_name(kind, &raw mut name, e), BIR_STATUS_OK);
            assert_eq!(string(name), expected);
        }
        for kind in [-1, 6, i32::MIN, i32::MAX] {
            assert_eq!(bir_warning_kind_name(kind, &raw mut name, e), ErrorCode::NotFound.number());
        }
    }
}

unsafe extern "C" fn collect(user: *mut c_void, bytes: *const c_char, len: usize) -> bir_status {
    // SAFETY: the test hands a vector in, and the library `len` bytes.
    unsafe { (*user.cast::<Vec<u8>>()).extend_from_slice(core::slice::from_raw_parts(bytes.cast(), len)) };
    0
}

unsafe extern "C" fn refuse(user: *mut c_void, _: *const c_char, _: usize) -> bir_status {
    // SAFETY: the test hands a status in.
    unsafe { *user.cast::<bir_status>() }
}

fn buffer_text(buffer: *mut bir_buffer) -> Vec<u8> {
    let mut bytes = bir_bytes { data: null(), len: 0 };
    // SAFETY: from the library, and freed once.
    unsafe {
        assert_eq!(bir_buffer_bytes(buffer, &raw mut bytes, null_mut()), BIR_STATUS_OK);
        let text = core::slice::from_raw_parts(bytes.data, bytes.len).to_vec();
        bir_buffer_destroy(buffer);
        text
    }
}

#[test]
fn documents_go_to_functions_buffers_and_files() {
    let folder = scratch("save");
    let module = scale_add();
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: from the library, and freed once.
    unsafe {
        let mut pieces = Vec::<u8>::new();
        let user = (&raw mut pieces).cast();
        assert_eq!(bir_module_save(module, null(), Some(collect), user, e), BIR_STATUS_OK);
        assert_eq!(buffer_text(bir_module_save_to_buffer(module, null(), e)), pieces);
        let target = folder.join("out.json");
        let (data, len) = raw(&target);
        assert_eq!(bir_module_save_file(module, data, len, null(), e), BIR_STATUS_OK);
        assert_eq!(std::fs::read(&target).unwrap(), pieces);
        let compact = bir_write_options { compact: 1, ..Default::default() };
        let all = bir_write_options { all_keys: 1, ..compact };
        let short = buffer_text(bir_module_save_to_buffer(module, &raw const compact, e));
        let long = buffer_text(bir_module_save_to_buffer(module, &raw const all, e));
        assert!(!short.contains(&b'\n') && short.len() < long.len() && short.len() < pieces.len());

        // What was written is the module.
        let again = bir_module_load(pieces.as_ptr().cast(), pieces.len(), null(), null_mut(), e);
        let mut equal = 7;
        assert_eq!(bir_module_equal(module, again, &raw mut equal, e), BIR_STATUS_OK);
        assert_eq!(equal, 1);
        bir_module_destroy(again);

        // CBOR of the same; a caller who knows no formats gets text, whatever lies behind the options.
        let cbor = bir_write_options { format: BIR_DOCUMENT_FORMAT_CBOR, ..Default::default() };
        let bytes = buffer_text(bir_module_save_to_buffer(module, &raw const cbor, e));
        assert!(bytes[0] & 0xE0 == 0xA0 && bytes.len() < short.len());
        let again = bir_module_load(bytes.as_ptr().cast(), bytes.len(), null(), null_mut(), e);
        assert_eq!(bir_module_equal(module, again, &raw mut equal, e), BIR_STATUS_OK);
        assert_eq!(equal, 1);
        bir_module_destroy(again);
        assert!(bir_module_load(bytes.as_ptr().cast(), 9, null(), null_mut(), e).is_null());
        assert_eq!((err.status, err.line, err.column, err.offset), (ErrorCode::Syntax.number(), 0, 0, 9));
        let none = bir_write_options { format: 2, ..Default::default() };
        assert!(bir_module_save_to_buffer(module, &raw const none, e).is_null());
        assert_eq!(err.status, ErrorCode::BadValue.number());
        let older = bir_write_options { size: 8, ..none };
        assert_eq!(buffer_text(bir_module_save_to_buffer(module, &raw const older, e)), pieces);

        for (given, expected) in [
            (ErrorCode::Cancelled.number(), ErrorCode::Cancelled.number()),
            (-1, ErrorCode::Io.number()),
            (i32::MAX, ErrorCode::Io.number()),
        ] {
            let mut status: bir_status = given;
            assert_eq!(bir_module_save(module, null(), Some(refuse), (&raw mut status).cast(), e), expected);
        }
        let null_argument = ErrorCode::NullArgument.number();
        assert_eq!(bir_module_save(module, null(), None, null_mut(), e), null_argument);
        assert_eq!(bir_module_save(null(), null(), Some(collect), user, e), null_argument);
        assert!(bir_module_save_to_buffer(null(), null(), e).is_null());
        let inside = target.join("x.json");
        let (data, len) = raw(&inside);
        assert_eq!(bir_module_save_file(module, data, len, null(), e), ErrorCode::Io.number());
        assert!(message(&err).starts_with(inside.to_str().unwrap()), "{}", message(&err));
        let (data, len) = raw(&folder);
        assert_eq!(bir_module_save_file(module, data, len, null(), e), ErrorCode::Io.number());
        bir_module_destroy(module);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_failure_leaves_the_old_file() {
    let folder = scratch("replace");
    let (target, link) = (folder.join("a"), folder.join("link"));
    std::fs::write(&target, "old").unwrap();
    let failed = files::write(&target, |sink| {
        sink.write(b"half")?;
        Err(Error::new(ErrorCode::Cancelled, "enough"))
    });
    let failed = failed.unwrap_err();
    assert_eq!((failed.code, failed.message), (ErrorCode::Cancelled, format!("{}: enough", target.display())));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no trace is left");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a", &link).unwrap();
        files::write(&link, |sink| sink.write(b"new")).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn copies_are_equal_until_they_are_changed() {
    let module = scale_add();
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: all objects are of the two modules, which are destroyed last.
    unsafe {
        let copy = bir_module_clone(module, e);
        let (mut found, mut equal) = (untouched(), 7);
        assert_eq!(bir_module_difference(module, copy, &raw mut found, e), BIR_STATUS_OK);
        assert!(found.is_null());
        let set = |module| {
            let function = bir_module_find_function(module, c"sg0000".as_ptr(), 6, e);
            (function, bir_function_find_set(function, c"src_set".as_ptr(), 7, e))
        };
        let ((from, left), (to, right)) = (set(module), set(copy));
        assert_eq!(bir_set_set_do_not_spill(right, 1, e), BIR_STATUS_OK);
        assert_eq!(bir_set_equal(left, right, &raw mut equal, e), BIR_STATUS_OK);
        assert_eq!(equal, 0);
        assert_eq!(bir_module_difference(module, copy, &raw mut found, e), BIR_STATUS_OK);
        let mut text: bir_difference_text = MaybeUninit::zeroed().assume_init();
        assert_eq!(bir_difference_get(found, &raw mut text, e), BIR_STATUS_OK);
        assert!(string(text.path).ends_with(&string(text.what)), "{}", string(text.path));
        assert_eq!((string(text.left), string(text.right)), ("false".into(), "true".into()));
        bir_difference_destroy(found);

        // A taken name is changed; NULL keeps the name.
        let mut renamed = 7;
        let twin = bir_set_clone_to(left, to, null(), 0, null(), &raw mut renamed, e);
        let mut name = NO_TEXT;
        bir_set_name(twin, &raw mut name, e);
        assert_eq!((string(name).as_str(), renamed), ("src_set_1", 1));
        let holder = bir_module_function_holder(copy, e);
        let other = bir_function_clone_to(from, holder, c"other".as_ptr(), 5, to, &raw mut renamed, e);
        assert_eq!((bir_function_next(other, e), renamed), (to, 0));
        assert_eq!(bir_module_clone_into(module, copy, e), ErrorCode::Conflict.number());

        let null_argument = ErrorCode::NullArgument.number();
        assert!(bir_module_clone(null(), e).is_null());
        assert_eq!(err.status, null_argument);
        assert!(bir_inst_clone_to(null(), null_mut(), null(), 0, null(), null_mut(), e).is_null());
        assert_eq!(bir_set_equal(left, null(), &raw mut equal, e), null_argument);
        assert_eq!(bir_set_equal(left, right, null_mut(), e), null_argument);
        assert_eq!(bir_set_difference(left, right, null_mut(), e), null_argument);
        bir_module_destroy(module);
        bir_module_destroy(copy);
    }
}
