//! What is wrong with a file is named with its code, byte, path, expected and found. The bytes are written by hand.
mod klr_common;
use bir_core::enums::klr::{Dtype, Memory};
use bir_core::klr::ast::{Address, Contents, LncKernel, Shape, TensorName};
use bir_core::klr::{Arena, DecodeOptions, decode};
use bir_core::{Error, ErrorCode};
use klr_common::{EXAMPLE, files, read};

fn error_of(bytes: &[u8]) -> Error {
    decode(bytes, &Arena::new(), &DecodeOptions::default()).expect_err("the file is bad")
}

/// Puts `new` in place of the byte at `at`.
fn replaced(at: usize, new: &[u8]) -> Vec<u8> {
    let (before, rest) = EXAMPLE.split_at(at);
    [before, new, &rest[1..]].concat()
}

#[track_caller]
fn check(bytes: &[u8], code: ErrorCode, offset: u64, path: &str, expected: &str, found: &str) {
    let error = error_of(bytes);
    let place = (error.code, error.position.map(|p| (p.line, p.offset)), error.path.as_str());
    assert_eq!(place, (code, Some((0, offset)), path), "{error}");
    assert_eq!((error.expected.as_str(), error.found.as_str()), (expected, found), "{error}");
}

#[test]
fn the_worked_example_is_read() {
    let arena = Arena::new();
    let file = decode(&EXAMPLE, &arena, &DecodeOptions::default()).unwrap();
    let address = Address {
        name: "a",
        memory: Memory::hbm,
        par_size: 128,
        free_size: 2048,
        par_offset: None,
        free_offset: None,
        is_shared: false,
    };
    let tensor = TensorName {
        name: "a",
        dtype: Dtype::float32,
        shape: Shape { par_dim: 128, free_dims: &[512] },
        address,
        free_elements: 512,
        address_rotation: true,
    };
    let kernel = LncKernel {
        name: "k",
        inputs: &[tensor],
        outputs: &[],
        bodies: &[],
        shared_constants: &[],
        shared_buffers: &[],
        edges: &[],
    };
    assert_eq!(file.contents, Contents::Lnc(&kernel));
    assert_eq!((file.version.patch, file.metadata.format, file.schema), (12, "NKI", None));
    // Texts are where they were.
    let name = file.lnc().unwrap().inputs[0].name;
    assert!(EXAMPLE.as_ptr_range().contains(&name.as_ptr()));
}

#[test]
fn tags_constructors_and_counts() {
    use ErrorCode::*;
    let tensor = "contents.lnc.inputs[0]";
    let shape = "contents.lnc.inputs[0].shape";
    check(&replaced(27, &[0x71]), WrongType, 26, tensor, "the record TensorName (114)", "the record Address (113)");
    check(&replaced(27, &[0x2a]), WrongType, 26, tensor, "the record TensorName (114)", "a record of type 42");
    check(&replaced(28, &[0x01]), UnknownEnum, 26, tensor, "0", "1");
    check(&replaced(29, &[0x87]), Unsupported, 26, tensor, "8", "7");
    check(&replaced(26, &[0x61]), WrongType, 26, tensor, "the record TensorName", "a text");
    check(&replaced(39, &[0x83]), Unsupported, 36, shape, "2", "3");
    check(&replaced(39, &[0x98, 0xff]), Unsupported, 36, shape, "2", "255 or more");
    check(&replaced(39, &[0x02]), WrongType, 39, shape, "the number of fields", "an unsigned integer");
    // Enums: the highest member of Dtype is 19, of Memory 5.
    let dtype = "contents.lnc.inputs[0].dtype";
    check(&replaced(34, &[20]), UnknownEnum, 32, dtype, "0..=19", "20");
    check(&replaced(35, &[0x81]), Unsupported, 32, dtype, "0", "1");
    check(&replaced(33, &[0x6e]), WrongType, 32, dtype, "the record Dtype (111)", "the record Memory (110)");
    check(&replaced(54, &[6]), UnknownEnum, 52, "contents.lnc.inputs[0].address.memory", "0..=5", "6");
    // Options.
    let offset = "contents.lnc.inputs[0].address.parOffset";
    check(&replaced(63, &[2]), UnknownEnum, 61, offset, "0..=1", "2");
    check(&replaced(64, &[0x81]), Unsupported, 61, offset, "0", "1");
    check(&replaced(62, &[0x71]), WrongType, 61, offset, "the record option (255)", "the record Address (113)");
    // The union around the kernel.
    check(&replaced(17, &[5]), UnknownEnum, 15, "contents", "2..=4", "5");
    check(&replaced(18, &[0x82]), Unsupported, 15, "contents", "1", "2");
    check(
        &replaced(16, &[0xeb]),
        WrongType,
        15,
        "contents",
        "the record Contents (236)",
        "the record KLRMetaData (235)",
    );
}

#[test]
fn items() {
    use ErrorCode::*;
    let dim = "contents.lnc.inputs[0].shape.freeDims[0]";
    check(&replaced(43, &[0x39]), WrongType, 43, dim, "an unsigned integer", "a negative integer");
    check(&replaced(43, &[0xfa]), WrongType, 43, dim, "an unsigned integer", "a 32-bit float");
    check(&replaced(43, &[0x1c]), Syntax, 43, dim, "an item", "`1c`");
    check(&replaced(43, &[0x1f]), Unsupported, 43, dim, "a definite length", "`1f 02 00`");
    let dims = "contents.lnc.inputs[0].shape.freeDims";
    check(&replaced(42, &[0x9f]), Unsupported, 42, dims, "a definite length", "`9f 19 02`");
    check(&replaced(42, &[0xa1]), WrongType, 42, dims, "a list", "a map");
    // 35 bytes follow, and a nat takes one at least.
    let room = "33 elements at most, which the rest of the file can hold";
    check(
        &replaced(42, &[0x9b, 255, 255, 255, 255, 255, 255, 255, 255]),
        Syntax,
        42,
        dims,
        "36 elements at most, which the rest of the file can hold",
        "18446744073709551615",
    );
    check(&[&EXAMPLE[..42], &[0x98, 34], &EXAMPLE[46..]].concat(), Syntax, 42, dims, room, "34");
    let name = "contents.lnc.inputs[0].name";
    check(&replaced(30, &[0x41]), WrongType, 30, name, "a text", "a byte string");
    check(&replaced(30, &[0x7f]), Unsupported, 30, name, "a definite length", "`7f 61 d9`");
    check(&replaced(30, &[0x78, 200]), Syntax, 30, name, "a text of 200 bytes", "the end of the file");
    check(&replaced(31, &[0xff]), Syntax, 31, name, "UTF-8", "`ff`");
    check(&replaced(30, &[0x7a, 0, 1, 0, 1]), LimitExceeded, 30, name, "65536 bytes at most", "65537 bytes");
    let shared = "contents.lnc.inputs[0].address.isShared";
    check(&replaced(69, &[0xf6]), WrongType, 69, shared, "a bool", "the byte `f6`");
    check(&replaced(69, &[0x00]), WrongType, 69, shared, "a bool", "an unsigned integer");
    // Behind the proof fields.
    check(&replaced(73, &[0x81]), WrongType, 73, "contents.lnc.inputs[0].addressRotation", "a bool", "a list");
    check(&[&EXAMPLE[..], &[0, 1]].concat(), Syntax, 79, "", "the end", "2 bytes");
}

#[test]
fn integers_of_any_width_are_taken() {
    let arena = Arena::new();
    for wide in [&[0x19, 0, 128][..], &[0x1a, 0, 0, 0, 128], &[0x1b, 0, 0, 0, 0, 0, 0, 0, 128]] {
        let bytes = [&EXAMPLE[..56], wide, &EXAMPLE[58..]].concat();
        let file = decode(&bytes, &arena, &DecodeOptions::default()).unwrap();
        assert_eq!(file.lnc().unwrap().inputs[0].address.par_size, 128);
    }
    // So are the numbers of fields.
    let bytes = [&EXAMPLE[..39], &[0x99, 0, 2], &EXAMPLE[40..]].concat();
    assert!(decode(&bytes, &arena, &DecodeOptions::default()).is_ok());
}

#[test]
fn the_version_and_the_kind() {
    let error = error_of(&replaced(6, &[0x0b]));
    assert_eq!((error.message.as_str(), error.code), ("Wrong KLR version", ErrorCode::Unsupported));
    check(&replaced(6, &[0x0b]), ErrorCode::Unsupported, 0, "file", "0.0.12", "0.0.11");
    check(&replaced(6, &[0x18, 0xff]), ErrorCode::Unsupported, 0, "file", "0.0.12", "0.0.255");
    // The other two numbers are not looked at.
    assert!(decode(&replaced(4, &[3]), &Arena::new(), &DecodeOptions::default()).is_ok());

    check(b"", ErrorCode::Syntax, 0, "", "`d9 d9 f7`", "the end of the file");
    check(b"{\"version\": 2}", ErrorCode::Syntax, 0, "", "`d9 d9 f7`", "`7b 22 76`");
    // Another item of CBOR that describes itself.
    check(&[0xd9, 0xd9, 0xf7, 0xa0], ErrorCode::WrongType, 3, "file", "the number of fields", "a map");

    let arena = Arena::new();
    for (name, kind) in [
        ("19_contents_kernel", "`kernel`, a kernel before the launch-grid step"),
        ("20_contents_call_site", "`hlo`, the name of a kernel at a call site"),
    ] {
        let bytes = read("schema-head", &format!("{name}.klr"));
        let file = decode(&bytes, &arena, &DecodeOptions::default()).unwrap();
        let error = file.lnc().unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::WrongKind, "Wrong KLIR content type"));
        assert_eq!((error.path.as_str(), error.found.as_str()), ("contents", kind));
    }
}

#[test]
fn older_files_are_refused_for_their_own_reasons() {
    for (name, fields) in [("a_exp_538", "5"), ("b_exp_538", "7"), ("c_415", "7"), ("d_221", "7"), ("e_221", "5")] {
        let bytes = read("lean-2025-07", &format!("{name}.klr"));
        let path = "contents.kernel.inputs[0]";
        check(&bytes, ErrorCode::Unsupported, 31, path, "8", fields);
        let message = "unsupported KLR schema: `TensorName` has another number of fields";
        assert_eq!(error_of(&bytes).message, message);
    }
    let all = files("wheel-0.0.12", "klr");
    assert_eq!(all.len(), 12);
    for (name, bytes) in all {
        let (kernel, form) = name.split_once('.').unwrap();
        let error = error_of(&bytes);
        assert_eq!(error.code, ErrorCode::WrongKind, "{name}");
        let (path, message, found) = match form {
            "python" => {
                let found = format!("`python` with the entry `wq.{kernel}`, schema 0.0.12");
                ("contents.python", "this is a front-end AST, and no back end takes it", found)
            }
            "nki" => {
                let found = "`nki` with the entry `sc.pick`, schema 0.0.12".into();
                ("contents.nki", "this is a front-end AST, and no back end takes it", found)
            }
            _ => {
                let message = "the name of a kernel at a call site, in the schema 0.0.12";
                ("contents", message, "the name `pick.nki.klr`".into())
            }
        };
        let offset = if form == "callsite" { 15 } else { 19 };
        check(&bytes, ErrorCode::WrongKind, offset, path, "a core kernel", &found);
        assert_eq!(error.message, format!("Wrong KLIR content type: {message}"), "{name}");
    }
    // A front end whose kernel has another shape.
    let mut bytes = read("wheel-0.0.12", "pick.nki.klr");
    bytes[22] = 0x85;
    let found = "record type 12, constructor 0, 5 fields";
    check(&bytes, ErrorCode::Unsupported, 19, "contents.nki", "a kernel record", found);
}

/// Where `bytes` first occur.
fn place(file: &[u8], bytes: &[u8]) -> usize {
    file.windows(bytes.len()).position(|w| w == bytes).expect("the bytes are there")
}

#[test]
fn the_path_leads_into_statements() {
    let mut bytes = read("schema-2.24", "01_load_add_store.klr");
    // TensorTensor, TensorRef.abstract, Access.birPattern, BirAccessPattern, TensorName: four bytes each.
    let at = place(&bytes, &[0xd9, 182, 0, 0x86]) + 16;
    assert_eq!(bytes[at..at + 4], [0xd9, 114, 0, 0x88]);
    bytes[at + 3] = 0x86;
    let path = "contents.lnc.bodies[0][0].body[2].op.tensorTensor.dst.abstract.birPattern.tensor";
    check(&bytes, ErrorCode::Unsupported, at as u64, path, "8", "6");
    // An operator that does not exist.
    let at = at - 20;
    assert_eq!(bytes[at..at + 4], [0xd9, 218, 34, 0x81]);
    bytes[at + 2] = 76;
    check(&bytes, ErrorCode::UnknownEnum, at as u64, "contents.lnc.bodies[0][0].body[2].op", "0..=75", "76");
}

#[test]
fn a_file_has_one_schema() {
    // Two statements with an NcDmaCopy (record 153); the second gets the option that only head has.
    let bytes = read("schema-2.24", "06_dma.klr");
    let header = [0xd9, 153, 0, 0x87];
    let first = place(&bytes, &header);
    let second = first + 4 + place(&bytes[first + 4..], &header);
    let mut mixed = bytes.clone();
    mixed[second + 3] = 0x88;
    let path = "contents.lnc.bodies[0][0].body[1].op.ncDmaCopy";
    let expected = "schema 2.24, as earlier records have it";
    check(&mixed, ErrorCode::Conflict, second as u64, path, expected, "`NcDmaCopy` of schema head");
    let mut neither = bytes;
    neither[first + 3] = 0x89;
    let path = "contents.lnc.bodies[0][0].body[0].op.ncDmaCopy";
    check(&neither, ErrorCode::Unsupported, first as u64, path, "7 or 8", "9");
}

#[test]
fn an_int_beyond_64_bits() {
    let mut bytes = read("schema-2.24", "21_boundaries.klr");
    let at = place(&bytes, &[0xd9, 192, 0, 0x82]);
    // RegisterMove: a text, then an int.
    let text = usize::from(bytes[at + 4] - 0x60);
    let int = at + 5 + text;
    bytes.splice(int..=int, [0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0]);
    let error = error_of(&bytes);
    assert_eq!(error.code, ErrorCode::BadValue, "{error}");
    assert_eq!(error.position.unwrap().offset, int as u64);
    assert_eq!(error.found, "-9223372036854775809");
    assert!(error.path.ends_with(".op.registerMove.imm"), "{error}");
    // One less is the smallest int there is.
    bytes[int..int + 9].copy_from_slice(&[0x3b, 0x7f, 255, 255, 255, 255, 255, 255, 255]);
    let arena = Arena::new();
    let file = decode(&bytes, &arena, &DecodeOptions::default()).unwrap();
    let findings = bir_core::klr::check(&file, 10).unwrap().list;
    assert!(findings.iter().any(|f| f.found == "-9223372036854775808" && f.path == error.path), "{findings:?}");
}
