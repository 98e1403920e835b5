#![forbid(unsafe_code)]

use super::*;
use crate::consts::digest::{Running, hex};
use crate::error::{Error, ErrorCode};
use proptest::prelude::*;
use std::string::{String, ToString};
use std::vec;

mod damage;
mod stream;

fn file(version: &[u8], dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(version);
    match version[0] {
        1 => out.extend_from_slice(&(dictionary.len() as u16).to_le_bytes()),
        _ => out.extend_from_slice(&(dictionary.len() as u32).to_le_bytes()),
    }
    out.extend_from_slice(dictionary.as_bytes());
    out.extend_from_slice(data);
    out
}

fn dictionary(descr: &str, fortran: &str, shape: &str) -> String {
    alloc::format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}   \n")
}

fn fault(file: &[u8]) -> (NpyFault, Error) {
    let error = parse(file).unwrap_err();
    (NpyFault::of(&error).unwrap_or_else(|| panic!("{error}")), error)
}

#[test]
fn reads_the_reference_file() {
    let w = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/libarchive-ref/in/w.npy")).unwrap();
    let npy = parse(&w).unwrap();
    assert_eq!((npy.version, npy.fortran_order, npy.data_offset, npy.data_bytes), ((1, 0), false, 128, 24));
    assert_eq!((npy.shape.as_slice(), npy.descr.to_string().as_str(), npy.descr.width), (&[2, 3][..], "<f4", 4));
    let values: Vec<u8> = (0..6u8).flat_map(|i| f32::from(i).to_le_bytes()).collect();
    assert_eq!(npy.data(&w), Some(&values[..]));
    assert_eq!(runtime_payload(&w), Some(&values[..]));
    assert_eq!(header("<f4", &[2, 3]).unwrap(), w[..128]);
    npy.check_shape(&[2, 3]).unwrap();
    npy.check_width(4).unwrap();
    npy.check_dtype("float32r").unwrap();
    let mismatch = npy.check_shape(&[3, 2]).unwrap_err();
    assert_eq!(NpyFault::of(&mismatch), Some(NpyFault::ShapeMismatch));
    assert_eq!((mismatch.expected.as_str(), mismatch.found.as_str()), ("(3, 2)", "(2, 3)"));
    assert_eq!(NpyFault::of(&npy.check_width(2).unwrap_err()), Some(NpyFault::TypeMismatch));
    assert_eq!(NpyFault::of(&npy.check_dtype("int32").unwrap_err()), Some(NpyFault::TypeMismatch));
}

/// 3000 headers of numpy 2.4.6 (ranks 0 to 9, prefixes of 128 and 192 bytes), by the digest of all of them in a row.
#[test]
fn writes_the_headers_of_numpy() {
    let mut x = 1u64;
    let mut lcg = move || {
        x = (x * 1103515245 + 12345) % (1 << 31);
        x >> 16
    };
    let mut running = Running::new();
    for _ in 0..3000 {
        let descr = ["|u1", "|i1", "<u2", "<f2", "<f4", "<i8", "|b1", "<u8"][lcg() as usize % 8];
        let rank = lcg() % 10;
        let shape: Vec<u64> = (0..rank)
            .map(|_| {
                let dimension = lcg();
                dimension * if lcg() % 2 == 1 { 1 } else { 32768 * 7 + lcg() }
            })
            .collect();
        running.update(&header(descr, &shape).unwrap());
    }
    assert_eq!(hex(&running.finish()), "48f6c6bc1a2bd9be69c0a8853fd01069");
}

#[test]
fn accepts_the_three_versions_and_both_quotes() {
    let text = "{\"shape\":(2,) ,'fortran_order' :False, \"descr\": '=u2'}\n";
    for version in [[1, 0], [2, 0], [3, 0]] {
        let npy = parse(&file(&version, text, &[1, 2, 3, 4])).unwrap();
        assert_eq!((npy.version, npy.shape.as_slice()), ((version[0], version[1]), &[2][..]));
        assert_eq!(
            (npy.descr.order, npy.data_offset),
            (Order::Little, text.len() + if version[0] == 1 { 10 } else { 12 })
        );
    }
}

#[test]
fn every_type_of_the_table_is_read_and_written() {
    for row in TABLE {
        for dtype in row.dtypes {
            let bytes = header(row.written, &[]).unwrap();
            let npy = parse(&[&bytes[..], &vec![0; row.width as usize]].concat()).unwrap();
            assert_eq!(
                (npy.descr.to_string().as_str(), npy.descr.kind, npy.descr.width),
                (row.written, row.kind, row.width)
            );
            npy.check_dtype(dtype).unwrap();
            assert!(descr_for(dtype).unwrap().may_hold(dtype));
        }
    }
    assert_eq!(descr_for("bfloat16").unwrap().to_string(), "<V2");
    assert_eq!(descr_for("float8e5").unwrap().to_string(), "<V1");
    assert_eq!(descr_for("float8_e4m3fn_x4"), None);
    assert_eq!(header("|V2", &[4]).unwrap(), header("<V2", &[4]).unwrap());
}

#[test]
fn every_fault_is_found_where_it_is() {
    let good = dictionary("'<f4'", "False", "(1,)");
    let cases: &[(Vec<u8>, NpyFault, u64)] = &[
        (vec![], NpyFault::BadMagic, 0),
        (b"\x93NUMPX\x01\0".to_vec(), NpyFault::BadMagic, 0),
        (file(&[4, 0], &good, &[0; 4]), NpyFault::Version, 6),
        (file(&[1, 1], &good, &[0; 4]), NpyFault::Version, 6),
        (MAGIC.to_vec(), NpyFault::TruncatedHeader, 6),
        (file(&[1, 0], &good, &[])[..40].to_vec(), NpyFault::TruncatedHeader, 40),
        (file(&[2, 0], &" ".repeat(65536), &[]), NpyFault::HeaderTooLong, 8),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(1L,)"), &[0; 4]), NpyFault::HeaderSyntax, 62),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(1)"), &[0; 4]), NpyFault::HeaderSyntax, 62),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(01,)"), &[0; 4]), NpyFault::HeaderSyntax, 61),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(-1,)"), &[0; 4]), NpyFault::HeaderSyntax, 61),
        (file(&[1, 0], &dictionary("'<f4'", "0", "(1,)"), &[0; 4]), NpyFault::HeaderSyntax, 44),
        (file(&[1, 0], "{'descr': '<f4', 'descr': '<f4'}", &[]), NpyFault::HeaderSyntax, 27),
        (file(&[1, 0], "{'other': 1}", &[]), NpyFault::HeaderSyntax, 11),
        (file(&[1, 0], "{'descr': '<f4'", &[]), NpyFault::HeaderSyntax, 25),
        (file(&[1, 0], "{descr: '<f4'}", &[]), NpyFault::HeaderSyntax, 11),
        (file(&[1, 0], &dictionary("'<f4'", "False", "[1]"), &[0; 4]), NpyFault::HeaderSyntax, 60),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(,)"), &[0; 4]), NpyFault::HeaderSyntax, 61),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(1,,2)"), &[0; 4]), NpyFault::HeaderSyntax, 63),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(1, 2L)"), &[0; 8]), NpyFault::HeaderSyntax, 65),
        (file(&[1, 0], &[&good, "x"].concat(), &[0; 4]), NpyFault::HeaderSyntax, 10 + good.len() as u64),
        (file(&[1, 0], "{'descr': '<f4'}", &[]), NpyFault::MissingKey, 10),
        (file(&[1, 0], "{}", &[]), NpyFault::MissingKey, 10),
        (file(&[1, 0], &dictionary("'|O'", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("'<f8'", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("'<V4'", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("[('a', '<f4')]", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("('<f4', (2,))", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("'|f4'", "False", "(1,)"), &[]), NpyFault::ByteOrder, 20),
        (file(&[1, 0], &dictionary("'>f4'", "False", "(1,)"), &[0; 4]), NpyFault::ByteOrder, 20),
        (file(&[1, 0], &dictionary("'<f4'", "True", "(1, 1)"), &[0; 4]), NpyFault::FortranOrder, 44),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(9999999999, 9999999999)"), &[]), NpyFault::SizeOverflow, 60),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(99999999999999999999,)"), &[]), NpyFault::SizeOverflow, 61),
        (file(&[1, 0], &good, &[0; 3]), NpyFault::ShortData, 13 + good.len() as u64),
        (file(&[1, 0], &good, &[0; 5]), NpyFault::SurplusData, 14 + good.len() as u64),
    ];
    for (i, (file, expected, offset)) in cases.iter().enumerate() {
        let (fault, error) = fault(file);
        assert_eq!(fault, *expected, "case {i}: {error}");
        assert!(!error.expected.is_empty() && !error.found.is_empty(), "case {i}: {error}");
        assert_eq!(error.position.map(|p| p.offset), Some(*offset), "case {i}: {error}");
    }
    assert_eq!(header("<f8", &[]).unwrap_err().code, ErrorCode::Unsupported);
    assert_eq!(NpyFault::of(&header(">f4", &[]).unwrap_err()), Some(NpyFault::ByteOrder));
    assert_eq!(NpyFault::of(&header("<f4", &vec![1; 40000]).unwrap_err()), Some(NpyFault::HeaderTooLong));
}

/// Everything else that numpy may name is refused, `O` above all.
#[test]
fn other_types_are_refused() {
    for descr in [
        "|O",
        "O",
        "<f8",
        ">f8",
        "<c8",
        "<c16",
        "<f16",
        "|S5",
        "<U3",
        "<M8[ns]",
        "<m8[s]",
        "|V4",
        "<V8",
        "|V16",
        "<u3",
        "<i16",
        "|b2",
        "<g4",
        "",
        "f4",
        "<f",
        "<f4 ",
        "float32",
        "<f4\u{e9}",
    ] {
        let (fault, error) = fault(&file(&[3, 0], &dictionary(&alloc::format!("'{descr}'"), "False", "(0,)"), &[]));
        assert_eq!(fault, NpyFault::UnsupportedDtype, "{descr}");
        assert_eq!(error.found, alloc::format!("`{descr}`"));
        assert_eq!(Descr::parse(descr), None);
    }
}

/// Versions 1 and 2 are Latin-1, where each byte is a character; version 3 is UTF-8.
#[test]
fn header_text_is_read_in_the_encoding_of_its_version() {
    let text = |key: &[u8]| [b"{'", key, b"': 1}\n"].concat();
    let found = |version: u8, text: &[u8]| {
        let length = text.len() as u8;
        let head: &[u8] = if version == 1 { &[1, 0, length, 0] } else { &[version, 0, length, 0, 0, 0] };
        let (fault, error) = fault(&[&MAGIC[..], head, text].concat());
        assert_eq!(fault, NpyFault::HeaderSyntax);
        (error.expected, error.found, error.position.unwrap().offset)
    };
    let keys = "the key `descr`, `fortran_order` or `shape`";
    assert_eq!(found(1, &text(b"gr\xf6\xdfe")), (keys.into(), "`größe`".into(), 11));
    assert_eq!(found(2, &text(b"gr\xf6\xdfe")), (keys.into(), "`größe`".into(), 13));
    assert_eq!(found(3, &text("größe".as_bytes())), (keys.into(), "`größe`".into(), 13));
    assert_eq!(found(1, &text("ö".as_bytes())).1, "`Ã¶`");
    assert_eq!(found(3, &text(b"gr\xf6\xdfe")), ("UTF-8".into(), "byte 0xf6".into(), 16));
    assert_eq!(found(3, "{ö}".as_bytes()).1, "`ö`");
    assert_eq!(found(1, b"{\x1b}").1, "`\\u{1b}`");
}

#[test]
fn a_long_header_is_read_up_to_the_limit() {
    let text = |length: usize| {
        let text = dictionary("'|u1'", "False", "(1,)");
        alloc::format!("{}{text}", " ".repeat(length - text.len()))
    };
    for version in [1, 2, 3] {
        let npy = parse(&file(&[version, 0], &text(MAX_HEADER), &[7])).unwrap();
        assert_eq!(npy.data_offset, MAX_HEADER + if version == 1 { 10 } else { 12 });
    }
    let (fault, error) = fault(&file(&[2, 0], &text(MAX_HEADER + 1), &[7]));
    assert_eq!((fault, error.found.as_str()), (NpyFault::HeaderTooLong, "65536 bytes"));
    // A length that lies costs nothing.
    let mut lying = file(&[3, 0], &text(200), &[7]);
    lying[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(self::fault(&lying).0, NpyFault::HeaderTooLong);
}

/// The rule in numbers (`spec/consts.md` section 3.1): T bytes of text, G bytes for growth, n = 10 + T + G + 1, and
/// (n div 64 + 1) times 64 bytes.
#[test]
fn padding_follows_the_rule_of_numpy() {
    let rule = |descr: &str, shape: &[u64]| {
        let growth = shape.first().map_or(0, |first| 21 - first.to_string().len());
        let tuple = match shape {
            [one] => alloc::format!("({one},)"),
            _ => alloc::format!("({})", shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        };
        let text = alloc::format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple}, }}");
        ((10 + text.len() + growth + 1) / 64 + 1) * 64
    };
    let mut lengths = std::collections::BTreeSet::new();
    for rank in 0..40 {
        for dimension in [0, 9, 10, 65536, 4_294_967_296, u64::MAX] {
            let shape = vec![dimension; rank];
            let header = header("<f4", &shape).unwrap();
            assert_eq!(header.len(), rule("<f4", &shape), "{shape:?}");
            assert_eq!(usize::from(header[8]) + 256 * usize::from(header[9]) + 10, header.len());
            assert!(header.ends_with(b" \n") || header.ends_with(b"}\n"));
            lengths.insert(header.len());
        }
    }
    assert!(lengths.contains(&128) && lengths.contains(&192) && lengths.contains(&960), "{lengths:?}");
    assert_eq!(header("<f4", &[65536; 7]).unwrap().len(), 192);
    assert_eq!(header("<f4", &[2; 7]).unwrap().len(), 128);
    // An n that is a multiple of 64 already gets 64 more.
    let nine = [1, 1, 1, 1, 1, 1, 1, 1, 100];
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 100), }";
    assert_eq!((text.len(), 10 + text.len() + 20 + 1), (82, 113));
    let full = [1, 1, 1, 1, 1, 1, 1, 1, 100, 1, 1, 1, 1, 1];
    assert_eq!(10 + text.len() + 5 * 3 + 20 + 1, 128);
    assert_eq!((header("<f4", &nine).unwrap().len(), header("<f4", &full).unwrap().len()), (128, 192));
}

#[test]
fn zero_dimensions_and_fortran_vectors_are_legal() {
    let npy = parse(&file(&[1, 0], &dictionary("'<f4'", "True", "(18446744073709551615, 0)"), &[]));
    assert_eq!(NpyFault::of(&npy.unwrap_err()), Some(NpyFault::FortranOrder));
    let npy = parse(&file(&[1, 0], &dictionary("'<f4'", "False", "(18446744073709551615, 0)"), &[])).unwrap();
    assert_eq!(npy.data_bytes, 0);
    assert!(parse(&file(&[1, 0], &dictionary("'<f4'", "True", "(1,)"), &[0; 4])).unwrap().fortran_order);
}

#[test]
fn conversion_gives_little_endian_c_order() {
    let options = Options { allow_conversion: true };
    // 0..24 as (2, 3, 4), stored big-endian with the first index fastest.
    let mut data = Vec::new();
    for k in 0..4u16 {
        for j in 0..3 {
            for i in 0..2 {
                data.extend_from_slice(&(i * 12 + j * 4 + k).to_be_bytes());
            }
        }
    }
    let file = file(&[1, 0], &dictionary("'>u2'", "True", "(2, 3, 4)"), &data);
    let npy = parse_with(&file, options).unwrap();
    let expected: Vec<u8> = (0..24u16).flat_map(u16::to_le_bytes).collect();
    assert_eq!(npy.converted(&file).unwrap(), expected);
    assert_eq!(NpyFault::of(&npy.converted(&file[..file.len() - 1]).unwrap_err()), Some(NpyFault::ShortData));
}

#[test]
fn tells_what_the_runtime_would_take_for_npy() {
    assert!(looks_like_npy(&[0x93, 0x4e, 0]));
    assert!(!looks_like_npy(&[0x93]));
    assert_eq!(runtime_payload(&[1, 2]), Some(&[1, 2][..]));
    assert_eq!(runtime_payload(&[0x93, 0x4e, 0, 0, 0, 0, 0, 0, 9, 0]), None);
    let options = Options { allow_conversion: true };
    for (version, descr, fortran, shape, fault) in [
        ([1, 0], "<f4", "False", "(1, 2)", None),
        ([1, 0], "<f4", "True", "(1, 2)", None),
        ([1, 0], ">u1", "False", "(4, 2)", None),
        ([2, 0], "<f4", "False", "(1, 2)", Some(NpyFault::Version)),
        ([3, 0], "<f4", "False", "(1, 2)", Some(NpyFault::Version)),
        ([1, 0], ">f4", "False", "(1, 2)", Some(NpyFault::ByteOrder)),
        ([1, 0], "<u2", "True", "(2, 2)", Some(NpyFault::FortranOrder)),
    ] {
        let file = file(&version, &dictionary(&alloc::format!("'{descr}'"), fortran, shape), &[1, 2, 3, 4, 5, 6, 7, 8]);
        let npy = parse_with(&file, options).unwrap();
        assert_eq!(npy.check_runtime().err().as_ref().map(NpyFault::of), fault.map(Some), "{descr} {fortran} {shape}");
        if version != [1, 0] {
            assert_ne!(runtime_payload(&file), npy.data(&file), "what the check is for");
        } else {
            assert_eq!(runtime_payload(&file), npy.data(&file));
        }
    }
}

#[test]
fn raw_constants_that_look_like_npy_are_wrapped() {
    let innocent = [0x93, 0x4f, 1, 2];
    assert!(matches!(wrap_raw(&innocent, "int32", &[1]).unwrap(), alloc::borrow::Cow::Borrowed(_)));
    let raw = [0x93, 0x4e, 1, 2, 3, 4, 5, 6];
    for (dtype, shape, written, of) in [
        ("float32", &[2][..], "<f4", &[2][..]),
        ("bfloat16", &[2, 2], "<V2", &[2, 2]),
        ("float8_e4m3fn", &[8], "<V1", &[8]),
        ("float8_e4m3fn_x4", &[2], "|u1", &[8]),
    ] {
        let file = wrap_raw(&raw, dtype, shape).unwrap();
        let npy = parse(&file).unwrap();
        assert_eq!((npy.descr.to_string().as_str(), npy.shape.as_slice()), (written, of));
        assert_eq!(runtime_payload(&file), Some(&raw[..]));
    }
    let wrong = |dtype, shape: &[u64]| NpyFault::of(&wrap_raw(&raw, dtype, shape).unwrap_err());
    assert_eq!(wrong("float32", &[1]), Some(NpyFault::SurplusData));
    assert_eq!(wrong("float32", &[3]), Some(NpyFault::ShortData));
}

proptest! {
    #[test]
    fn headers_round_trip(row in 0..TABLE.len(), shape in prop::collection::vec(0u64..5, 0..8)) {
        let mut file = header(TABLE[row].written, &shape).unwrap();
        prop_assert_eq!(file.len() % 64, 0);
        let data: u64 = shape.iter().product::<u64>() * u64::from(TABLE[row].width);
        file.resize(file.len() + data as usize, 0);
        let npy = parse(&file).unwrap();
        prop_assert_eq!(&npy.shape, &shape);
        prop_assert_eq!(npy.data_bytes, data);
        prop_assert_eq!(npy.data_offset % 64, 0);
    }
}
