#![forbid(unsafe_code)]

use super::*;
use crate::consts::digest::{Running, hex};
use crate::error::{Error, ErrorCode};
use proptest::prelude::*;
use std::string::{String, ToString};
use std::vec;

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
        (file(&[1, 0], &[&good, "x"].concat(), &[0; 4]), NpyFault::HeaderSyntax, 10 + good.len() as u64),
        (file(&[1, 0], "{'descr': '<f4'}", &[]), NpyFault::MissingKey, 10),
        (file(&[1, 0], "{}", &[]), NpyFault::MissingKey, 10),
        (file(&[1, 0], &dictionary("'|O'", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("'<f8'", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("'<V4'", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("[('a', '<f4')]", "False", "(1,)"), &[]), NpyFault::UnsupportedDtype, 20),
        (file(&[1, 0], &dictionary("'|f4'", "False", "(1,)"), &[]), NpyFault::ByteOrder, 20),
        (file(&[1, 0], &dictionary("'>f4'", "False", "(1,)"), &[0; 4]), NpyFault::ByteOrder, 20),
        (file(&[1, 0], &dictionary("'<f4'", "True", "(1, 1)"), &[0; 4]), NpyFault::FortranOrder, 44),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(9999999999, 9999999999)"), &[]), NpyFault::SizeOverflow, 60),
        (file(&[1, 0], &dictionary("'<f4'", "False", "(99999999999999999999,)"), &[]), NpyFault::SizeOverflow, 80),
        (file(&[1, 0], &good, &[0; 3]), NpyFault::ShortData, 13 + good.len() as u64),
        (file(&[1, 0], &good, &[0; 5]), NpyFault::SurplusData, 14 + good.len() as u64),
    ];
    for (i, (file, expected, offset)) in cases.iter().enumerate() {
        let (fault, error) = fault(file);
        assert_eq!(fault, *expected, "case {i}: {error}");
        assert_eq!(error.position.map(|p| p.offset), Some(*offset), "case {i}: {error}");
    }
    assert_eq!(header("<f8", &[]).unwrap_err().code, ErrorCode::Unsupported);
    assert_eq!(NpyFault::of(&header(">f4", &[]).unwrap_err()), Some(NpyFault::ByteOrder));
    assert_eq!(NpyFault::of(&header("<f4", &vec![1; 40000]).unwrap_err()), Some(NpyFault::HeaderTooLong));
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
        prop_assert_eq!(npy.data_bytes as u64, data);
        prop_assert_eq!(npy.data_offset % 64, 0);
    }

    /// Arbitrary damage is an error or a different header, never a panic.
    #[test]
    fn damage_never_panics(at in 0usize..152, byte: u8, cut in 0usize..152) {
        let mut file = header("<f4", &[2, 3]).unwrap();
        file.resize(152, 0);
        file[at] = byte;
        for options in [Options::default(), Options { allow_conversion: true }] {
            if let Ok(npy) = parse_with(&file, options) {
                npy.converted(&file).unwrap();
            }
            prop_assert!(parse_with(&file[..cut], options).is_err());
        }
    }
}
