//! De-duplication and packages through the boundary: bad input, damaged packages, the caller's functions, folders.

use crate::buffer::*;
use crate::dedup::*;
use crate::function::*;
use crate::module::*;
use crate::pack::*;
use crate::package::*;
use crate::records::*;
use crate::set::*;
use crate::tests::{NO_TEXT, error, message, path, string};
use crate::tests_documents::{raw, scale_add, scratch, untouched};
use crate::types::*;
use bir_core::ErrorCode;
use core::ffi::{c_char, c_void};
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{null, null_mut};

const FLOAT32: i32 = 16;
const UINT8: i32 = 0;
const DRAM: i32 = 8;
const CONST: i32 = 6;

const FLOATS: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

fn copied(call: impl Fn(*mut c_char, usize, *mut usize) -> bir_status) -> String {
    let (mut len, mut text) = (0, [0x7f_u8; 128]);
    assert_eq!(call(null_mut(), 0, &raw mut len), BIR_STATUS_OK);
    assert_eq!(call(text.as_mut_ptr().cast(), len + 1, &raw mut len), BIR_STATUS_OK);
    assert_eq!((text[len], text[len + 1]), (0, 0x7f));
    if len > 0 {
        let mut other = 77;
        assert_eq!(call(text.as_mut_ptr().cast(), len, &raw mut other), ErrorCode::BadValue.number());
        assert_eq!(other, 77, "nothing is written on failure");
    }
    String::from_utf8(text[..len].to_vec()).unwrap()
}

#[test]
fn a_session_merges_equal_files() {
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: locals; the sessions are freed once.
    unsafe {
        for enabled in [1, 0] {
            let dedup = bir_dedup_create(enabled, e);
            let mut names = Vec::new();
            let add = |name: &str, bytes: *const c_void, size, dtype, matched: *mut u8| {
                let mut stored = NO_TEXT;
                let (data, len) = (name.as_ptr().cast(), name.len());
                let status = bir_dedup_add(dedup, data, len, bytes, size, dtype, DRAM, &raw mut stored, matched, e);
                (status, stored)
            };
            let (floats, size) = (FLOATS.as_ptr().cast(), size_of_val(&FLOATS));
            for (name, dtype) in [("a", FLOAT32), ("b", FLOAT32), ("c", UINT8), ("e", FLOAT32)] {
                let mut matched = 7;
                let (status, stored) = add(name, floats, size, dtype, &raw mut matched);
                assert_eq!(status, BIR_STATUS_OK);
                names.push((string(stored), matched));
            }
            let expected = if enabled == 1 {
                [("a", 0), ("a", 1), ("c", 0), ("a", 1)]
            } else {
                [("a", 0), ("b", 0), ("c", 0), ("e", 0)]
            };
            assert_eq!(names, expected.map(|(name, matched)| (name.to_owned(), matched)));
            assert_eq!(add("empty", null(), 0, UINT8, null_mut()).0, BIR_STATUS_OK);

            let (status, stored) = add("a", floats, 8, FLOAT32, null_mut());
            assert_eq!((status, stored.data), (ErrorCode::Conflict.number(), null()));
            assert_eq!(path(&err), "a");
            assert_eq!(add("x", floats, 8, -1, null_mut()).0, ErrorCode::UnknownEnum.number());
            assert_eq!(add("x", null(), 8, FLOAT32, null_mut()).0, ErrorCode::NullArgument.number());
            let status = bir_dedup_add(dedup, null(), 0, null(), 0, UINT8, DRAM, null_mut(), null_mut(), e);
            assert_eq!(status, ErrorCode::NullArgument.number());

            let (mut presented, mut unique, mut saved, mut count) = (0, 0, 0, 0);
            assert_eq!(bir_dedup_presented(dedup, &raw mut presented, e), BIR_STATUS_OK);
            assert_eq!(bir_dedup_unique_files(dedup, &raw mut unique, e), BIR_STATUS_OK);
            assert_eq!(bir_dedup_saved_bytes(dedup, &raw mut saved, e), BIR_STATUS_OK);
            assert_eq!(bir_dedup_file_count(dedup, &raw mut count, e), BIR_STATUS_OK);
            let expected = if enabled == 1 { (5, 3, 32, 3) } else { (5, 0, 0, 5) };
            assert_eq!((presented, unique, saved, count), expected, "a failed call changes nothing");
            let mut file: bir_const_file = MaybeUninit::zeroed().assume_init();
            assert_eq!(bir_dedup_file(dedup, 0, &raw mut file, e), BIR_STATUS_OK);
            assert_eq!((string(file.name).as_str(), file.bytes.len), ("a", 16));
            assert_eq!(string(file.key), "b4ad64bc24f643726bddf5606af738dafloat32DRAM");
            assert_eq!(bir_dedup_file(dedup, count, &raw mut file, e), ErrorCode::NotFound.number());
            let line = copied(|text, capacity, len| bir_dedup_diagnostic(dedup, 1, text, capacity, len, e));
            assert_eq!(line, if enabled == 1 { "found match for b: a" } else { "added new uniq b" });
            assert_eq!(copied(|text, capacity, len| bir_dedup_message(dedup, text, capacity, len, e)), "");
            bir_dedup_destroy(dedup);
        }
        bir_dedup_destroy(null_mut());
        let key = copied(|text, capacity, len| bir_dedup_key(null(), 0, UINT8, DRAM, text, capacity, len, e));
        assert_eq!(key, "d41d8cd98f00b204e9800998ecf8427euint8DRAM");
        let mut len = 0;
        let status = bir_dedup_key(null(), 0, UINT8, 3, null_mut(), 0, &raw mut len, e);
        assert_eq!(status, ErrorCode::UnknownEnum.number());
    }
}

/// The document of the tests with constants in these files.
fn with_constants(files: &[&str]) -> *mut bir_module {
    let module = scale_add();
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: all objects are of the one module.
    unsafe {
        let function = bir_module_first_function(module, e);
        for (i, file) in files.iter().enumerate() {
            let name = format!("c{i}");
            let (data, len) = (name.as_ptr().cast(), name.len());
            let set = bir_function_add_set(function, data, len, CONST, FLOAT32, null(), null_mut(), e);
            bir_set_set_file(set, file.as_ptr().cast(), file.len(), e);
            bir_set_add_location(set, data, len, DRAM, null(), null_mut(), e);
            assert_eq!(err.status, BIR_STATUS_OK, "{}", message(&err));
        }
    }
    module
}

fn text(text: &str) -> bir_string {
    bir_string { data: text.as_ptr().cast(), len: text.len() }
}

fn floats(name: &str) -> bir_file {
    bir_file { name: text(name), bytes: FLOATS.as_ptr().cast(), size: size_of_val(&FLOATS) }
}

fn pack(
    module: *const bir_module,
    options: &bir_pack_options,
) -> Result<(Vec<u8>, *mut bir_pack_report), Box<bir_error>> {
    let (mut err, mut report) = (error(), untouched());
    // SAFETY: locals; the buffer is freed once.
    unsafe {
        let buffer = bir_pack_module(module, options, &raw mut report, &raw mut err);
        if buffer.is_null() {
            assert_eq!(report, untouched(), "nothing is written on failure");
            return Err(Box::new(err));
        }
        let mut bytes = bir_bytes { data: null(), len: 0 };
        assert_eq!(bir_buffer_bytes(buffer, &raw mut bytes, null_mut()), BIR_STATUS_OK);
        let copy = core::slice::from_raw_parts(bytes.data, bytes.len).to_vec();
        bir_buffer_destroy(buffer);
        Ok((copy, report))
    }
}

struct Source {
    status: bir_status,
    asked: Vec<String>,
}

unsafe extern "C" fn give(user: *mut c_void, name: *const c_char, len: usize, sink: *mut bir_file_sink) -> bir_status {
    // SAFETY: the test hands a source in, and the library a name and a sink.
    unsafe {
        let source = &mut *user.cast::<Source>();
        source.asked.push(string(bir_string { data: name, len }));
        for value in &FLOATS {
            assert_eq!(bir_file_sink_write(sink, (&raw const *value).cast(), 4, null_mut()), BIR_STATUS_OK);
        }
        assert_eq!(bir_file_sink_write(sink, null(), 1, null_mut()), ErrorCode::NullArgument.number());
        source.status
    }
}

#[test]
fn constant_files_come_from_memory_then_a_function_then_a_folder() {
    let folder = scratch("pack");
    let module = with_constants(&["a.bin", "b.bin", "sub/c.bin"]);
    let files = [floats("a.bin")];
    let mut source = Source { status: BIR_STATUS_OK, asked: Vec::new() };
    let mut options = bir_pack_options {
        name: text("kernel"),
        files: files.as_ptr(),
        file_count: 1,
        read_file: Some(give),
        user: (&raw mut source).cast(),
        ..Default::default()
    };
    let mut err = error();
    let e = &raw mut err;
    // SAFETY: from the library, and freed once.
    unsafe {
        let (bytes, report) = pack(module, &options).ok().unwrap();
        assert_eq!(source.asked, ["b.bin", "sub/c.bin"]);
        let (mut count, mut unique, mut saved) = (0, 0, 0);
        assert_eq!(bir_pack_report_constant_count(report, &raw mut count, e), BIR_STATUS_OK);
        assert_eq!(bir_pack_report_unique_files(report, &raw mut unique, e), BIR_STATUS_OK);
        assert_eq!(bir_pack_report_saved_bytes(report, &raw mut saved, e), BIR_STATUS_OK);
        assert_eq!((count, unique, saved), (3, 1, 32));
        let mut constant: bir_packed_constant = MaybeUninit::zeroed().assume_init();
        assert_eq!(bir_pack_report_constant(report, 2, &raw mut constant, e), BIR_STATUS_OK);
        let names = [constant.variable, constant.file, constant.stored_as].map(string);
        assert_eq!((names, constant.bytes, constant.merged), (["c2", "sub/c.bin", "a.bin"].map(String::from), 16, 1));
        let mut name = NO_TEXT;
        assert_eq!(bir_pack_report_input(report, 0, &raw mut name, e), BIR_STATUS_OK);
        assert_eq!(string(name), "src");
        assert_eq!(bir_pack_report_output(report, 0, &raw mut name, e), BIR_STATUS_OK);
        assert_eq!(string(name), "dst");
        assert_eq!(bir_pack_report_warning(report, 0, &raw mut name, e), BIR_STATUS_OK);
        assert!(string(name).contains("dst_set"));
        for status in [
            bir_pack_report_input(report, 1, &raw mut name, e),
            bir_pack_report_output(report, 1, &raw mut name, e),
            bir_pack_report_warning(report, 1, &raw mut name, e),
            bir_pack_report_constant(report, 3, &raw mut constant, e),
        ] {
            assert_eq!(status, ErrorCode::NotFound.number());
        }
        bir_pack_report_destroy(report);

        // NOT_FOUND leaves it to the folder, from where the same files give the same package.
        source.status = ErrorCode::NotFound.number();
        options.const_dir = text(folder.to_str().unwrap());
        let failed = pack(module, &options).err().unwrap();
        assert_eq!((failed.status, path(&failed).as_str()), (ErrorCode::Io.number(), "constant `c1`"));
        assert!(message(&failed).contains("b.bin"), "{}", message(&failed));
        std::fs::create_dir(folder.join("sub")).unwrap();
        let content: Vec<u8> = FLOATS.iter().flat_map(|f| f.to_le_bytes()).collect();
        std::fs::write(folder.join("b.bin"), &content).unwrap();
        std::fs::write(folder.join("sub/c.bin"), &content).unwrap();
        let (again, report) = pack(module, &options).ok().unwrap();
        bir_pack_report_destroy(report);
        assert_eq!(again, bytes);

        // Other results of the function end it.
        for (given, expected) in [(ErrorCode::Cancelled.number(), ErrorCode::Cancelled), (-5, ErrorCode::Io)] {
            source.status = given;
            let failed = pack(module, &options).err().unwrap();
            assert_eq!((failed.status, path(&failed).as_str()), (expected.number(), "constant `c1`"));
        }
        bir_module_destroy(module);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_packaged_says_why() {
    // SAFETY: from the library, and freed once.
    unsafe {
        let module = with_constants(&["nobody.bin"]);
        let mut options = bir_pack_options::default();
        let failed = pack(module, &options).err().unwrap();
        assert_eq!((failed.status, path(&failed).as_str()), (ErrorCode::NotFound.number(), "constant `c0`"));
        options.compression = 3;
        assert_eq!(pack(module, &options).err().unwrap().status, ErrorCode::BadValue.number());
        options.compression = BIR_COMPRESSION_NONE;
        options.file_count = 1;
        assert_eq!(pack(module, &options).err().unwrap().status, ErrorCode::NullArgument.number());
        let mut err = error();
        assert!(bir_pack_module(null(), null(), null_mut(), &raw mut err).is_null());
        assert_eq!(err.status, ErrorCode::NullArgument.number());
        bir_module_destroy(module);
        for name in ["../up.bin", "/etc/passwd"] {
            let module = with_constants(&[name]);
            let options = bir_pack_options { const_dir: text("/"), ..Default::default() };
            assert_eq!(pack(module, &options).err().unwrap().status, ErrorCode::UnsafePath.number(), "{name}");
            bir_module_destroy(module);
        }
        let empty = bir_module_create(null_mut());
        assert_eq!(pack(empty, &bir_pack_options::default()).err().unwrap().status, ErrorCode::MissingKey.number());
        bir_module_destroy(empty);
    }
}

/// A package with one constant and a member of the caller.
fn sample(compression: i32, member: &str) -> Vec<u8> {
    let module = with_constants(&["a.bin"]);
    let (files, members) = ([floats("a.bin")], [floats(member)]);
    let options = bir_pack_options {
        compression,
        name: text("kernel"),
        files: files.as_ptr(),
        file_count: 1,
        members: members.as_ptr(),
        member_count: 1,
        ..Default::default()
    };
    let (bytes, report) = pack(module, &options).ok().unwrap();
    // SAFETY: from the library, and freed once.
    unsafe {
        bir_pack_report_destroy(report);
        bir_module_destroy(module);
    }
    bytes
}

fn open(bytes: &[u8], options: *const bir_open_options) -> Result<*mut bir_package, Box<bir_error>> {
    let mut err = error();
    // SAFETY: the tests keep the bytes.
    let package = unsafe { bir_package_open(bytes.as_ptr().cast(), bytes.len(), options, &raw mut err) };
    if package.is_null() { Err(Box::new(err)) } else { Ok(package) }
}

#[test]
fn a_package_shows_what_it_holds() {
    let folder = scratch("open");
    let mut err = error();
    let e = &raw mut err;
    for compression in [BIR_COMPRESSION_ZLIB, BIR_COMPRESSION_PARALLEL, BIR_COMPRESSION_NONE] {
        let bytes = sample(compression, "notes/x.bin");
        let file = folder.join("a.neff");
        std::fs::write(&file, &bytes).unwrap();
        // SAFETY: from the library, and freed once.
        unsafe {
            let (data, len) = raw(&file);
            for package in [open(&bytes, null()).ok().unwrap(), bir_package_open_file(data, len, null(), e)] {
                assert!(!package.is_null(), "{}", message(&err));
                let mut header: bir_package_header = MaybeUninit::zeroed().assume_init();
                header.size = offset_of!(bir_package_header, pkg_version) as u32;
                assert_eq!(bir_package_get_header(package, &raw mut header, e), BIR_STATUS_OK);
                assert_eq!(header.compressed, u8::from(compression != BIR_COMPRESSION_NONE));
                assert_eq!((header.pkg_version, header.name[0]), (0, 0), "beyond the size nothing is written");
                header.size = size_of::<bir_package_header>() as u32;
                assert_eq!(bir_package_get_header(package, &raw mut header, e), BIR_STATUS_OK);
                assert_eq!((header.pkg_version, header.data_size), (2, bytes.len() as u64 - 1024));
                let name = bir_string { data: header.name.as_ptr(), len: 7 };
                assert_eq!(string(name), "kernel\0");
                assert_eq!(bir_package_verify(package, e), BIR_STATUS_OK);

                let (mut count, mut index) = (0, 0);
                assert_eq!(bir_package_member_count(package, &raw mut count, e), BIR_STATUS_OK);
                let find =
                    |name: &str, index| bir_package_find_member(package, name.as_ptr().cast(), name.len(), index, e);
                assert_eq!(find("./notes/x.bin", &raw mut index), BIR_STATUS_OK);
                let mut member: bir_member = MaybeUninit::zeroed().assume_init();
                assert_eq!(bir_package_member(package, index, &raw mut member, e), BIR_STATUS_OK);
                assert_eq!((string(member.name).as_str(), member.size, member.typeflag), ("notes/x.bin", 16, b'0'));
                let mut contents = bir_bytes { data: null(), len: 0 };
                assert_eq!(bir_package_contents(package, index, &raw mut contents, e), BIR_STATUS_OK);
                let contents = core::slice::from_raw_parts(contents.data, contents.len);
                assert_eq!(contents, FLOATS.map(f32::to_le_bytes).as_flattened());
                let not_found = ErrorCode::NotFound.number();
                assert_eq!(find("notes", &raw mut index), not_found);
                assert_eq!(bir_package_member(package, count, &raw mut member, e), not_found);

                let findings = bir_package_check(package, e);
                let mut found = 7;
                assert_eq!(bir_findings_count(findings, &raw mut found, e), BIR_STATUS_OK);
                assert_eq!(found, 0);
                let mut finding: bir_finding = MaybeUninit::zeroed().assume_init();
                assert_eq!(bir_findings_get(findings, 0, &raw mut finding, e), not_found);
                bir_findings_destroy(findings);
                bir_package_destroy(package);
            }
        }
    }
    // SAFETY: NULL is allowed, which is what this tests.
    unsafe {
        bir_package_destroy(null_mut());
        bir_findings_destroy(null_mut());
        assert_eq!(bir_package_verify(null(), e), ErrorCode::NullArgument.number());
        assert!(bir_package_check(null(), e).is_null());
        assert!(bir_package_open(null(), 9, null(), e).is_null());
        assert_eq!(err.status, ErrorCode::NullArgument.number());
        let missing = folder.join("missing.neff");
        let (data, len) = raw(&missing);
        assert!(bir_package_open_file(data, len, null(), e).is_null());
        assert_eq!(err.status, ErrorCode::Io.number());
        assert!(message(&err).starts_with(missing.to_str().unwrap()), "{}", message(&err));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn damaged_packages_are_refused() {
    let bytes = sample(BIR_COMPRESSION_NONE, "x.bin");
    for end in (0..bytes.len()).step_by(7).chain([1023, 1024, 1025, bytes.len() - 1]) {
        let failed = open(&bytes[..end], null()).err().unwrap();
        assert_eq!(failed.status, ErrorCode::BadHeader.number(), "{end}");
    }
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    assert_eq!(open(&flipped, null()).err().unwrap().status, ErrorCode::HashMismatch.number());
    let ignore = bir_open_options { ignore_hash: 1, ..Default::default() };
    let package = open(&bytes, &raw const ignore).ok().unwrap();
    // SAFETY: from the library, and freed once.
    unsafe { bir_package_destroy(package) };

    let packed = sample(BIR_COMPRESSION_ZLIB, "x.bin");
    let small = bir_open_options { max_unpacked_bytes: 100, ..Default::default() };
    assert_eq!(open(&packed, &raw const small).err().unwrap().status, ErrorCode::LimitExceeded.number());

    // A byte of a member changed: everything is found, and only the digest tells.
    let mut changed = bytes.clone();
    let at = bytes.windows(8).position(|w| w == b"cayman\"," || w.starts_with(b"\"cayman\"")).unwrap();
    changed[at + 2] = b'x';
    let package = open(&changed, &raw const ignore).ok().unwrap();
    let mut err = error();
    // SAFETY: from the library, and freed once.
    unsafe {
        assert_eq!(bir_package_verify(package, &raw mut err), ErrorCode::HashMismatch.number());
        let findings = bir_package_check(package, &raw mut err);
        let mut finding: bir_finding = MaybeUninit::zeroed().assume_init();
        assert_eq!(bir_findings_get(findings, 0, &raw mut finding, &raw mut err), BIR_STATUS_OK);
        assert_ne!(finding.status, BIR_STATUS_OK);
        assert!(string(finding.path).contains(".json") && !string(finding.message).is_empty());
        bir_findings_destroy(findings);
        bir_package_destroy(package);
    }
}

#[cfg(unix)]
#[test]
fn extraction_stays_in_its_folder() {
    let folder = scratch("extract");
    let bytes = sample(BIR_COMPRESSION_ZLIB, "notes/x.bin");
    let package = open(&bytes, null()).ok().unwrap();
    let mut err = error();
    let mut extract = |name: &str, overwrite| {
        let path = folder.join(name);
        let (data, len) = raw(&path);
        // SAFETY: an open package.
        let status = unsafe { bir_package_extract(package, data, len, overwrite, &raw mut err) };
        (status, message(&err))
    };
    assert_eq!(extract("new/folder", 0).0, BIR_STATUS_OK);
    let x = folder.join("new/folder/notes/x.bin");
    let content = std::fs::read(&x).unwrap();
    assert_eq!(content, FLOATS.map(f32::to_le_bytes).as_flattened());
    assert!(folder.join("new/folder/sg00/def.json").is_file());
    std::fs::write(&x, "mine").unwrap();
    assert_eq!(extract("new/folder", 0).0, ErrorCode::DuplicateName.number());
    assert_eq!(std::fs::read(&x).unwrap(), b"mine");
    assert_eq!(extract("new/folder", 1).0, BIR_STATUS_OK);
    assert_eq!(std::fs::read(&x).unwrap(), content);

    // A link in the way is refused, whether it stands for a folder or for a file, and nothing is written.
    std::fs::create_dir_all(folder.join("outside")).unwrap();
    std::fs::write(folder.join("secret"), "old").unwrap();
    for (name, link, target) in
        [("a", "notes", "../outside"), ("b", "notes/x.bin", "../../secret"), ("c", "sg00", "nowhere")]
    {
        let place = folder.join(name).join(link);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &place).unwrap();
        let (status, text) = extract(name, 1);
        assert_eq!(status, ErrorCode::UnsafePath.number(), "{text}");
        assert!(!folder.join(name).join("info.json").exists(), "found before anything is written");
    }
    assert_eq!(std::fs::read_dir(folder.join("outside")).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(folder.join("secret")).unwrap(), "old");

    // Files and folders in each other's way.
    std::fs::create_dir_all(folder.join("d/notes/x.bin")).unwrap();
    assert_eq!(extract("d", 1).0, ErrorCode::Conflict.number());
    std::fs::create_dir(folder.join("e")).unwrap();
    std::fs::write(folder.join("e/sg00"), "").unwrap();
    assert_eq!(extract("e", 1).0, ErrorCode::Conflict.number());
    assert_eq!(extract("secret", 1).0, ErrorCode::Io.number());
    // SAFETY: from the library, and freed once.
    unsafe { bir_package_destroy(package) };
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn packages_go_to_files_whole() {
    let folder = scratch("to-file");
    let module = scale_add();
    let (mut err, file) = (error(), folder.join("a.neff"));
    let (data, len) = raw(&file);
    // SAFETY: from the library, and freed once.
    unsafe {
        let mut report = untouched();
        let e = &raw mut err;
        assert_eq!(bir_pack_module_to_file(module, null(), data, len, &raw mut report, e), BIR_STATUS_OK);
        bir_pack_report_destroy(report);
        let bytes = std::fs::read(&file).unwrap();
        let (expected, report) = pack(module, &bir_pack_options::default()).ok().unwrap();
        bir_pack_report_destroy(report);
        assert_eq!(bytes, expected);
        let members = [floats("../x")];
        let bad = bir_pack_options { members: members.as_ptr(), member_count: 1, ..Default::default() };
        let mut report = untouched();
        let status = bir_pack_module_to_file(module, &raw const bad, data, len, &raw mut report, e);
        assert_eq!((status, report), (ErrorCode::UnsafePath.number(), untouched()));
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "a failure leaves the old file");
        bir_module_destroy(module);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
