#![forbid(unsafe_code)]

use super::*;
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;

/// Offset and bytes of a change, then code, field, expected and found value of the error.
type Case = (usize, &'static [u8], ErrorCode, &'static str, &'static str, &'static str);

fn sample() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/neff/synthetic-minimal.neff")).unwrap()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

#[test]
fn the_synthetic_sample() {
    let file = sample();
    let header = Header::parse(&file).unwrap();
    assert_eq!((header.pkg_version, header.header_size, header.data_size), (2, 1024, 1514));
    assert_eq!((header.neff_version_major, header.neff_version_minor), (1, 0));
    assert_eq!((&*header.build_version(), &*header.model_name()), ("", "synthetic"));
    assert_eq!((header.num_tpb, header.requested_tpb_count, header.tpb_per_node[0]), (1, 1, 1));
    assert_eq!(header.hash, *[hex("928c75b45c10eee15b48fb736352c6b0"), vec![0; 16]].concat());
    assert_eq!(header.uuid, *hex("928c75b45c104ee19b48fb736352c6b0"));
    assert_eq!((header.feature_bits, header.lnc_size), (0, 1));
    assert_eq!(header.write(), file[..1024]);
    assert_eq!(payload_hash(2, &file[1024..]).unwrap(), header.hash);
    assert_eq!(deterministic_uuid(&file[1024..]), header.uuid);
    verify_hash(&header, &file).unwrap();
}

/// The published sample of `spec/neff.md` section 10, rebuilt from its field values.
#[test]
fn the_published_sample() {
    let mut bytes = vec![0; 1024];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, &hex("02000000000000000004000000000000ad06000000000000"));
    put(0x18, &[2]);
    put(0x28, b"2.0.21884.0%kaena-tools/develop@6c66f4b");
    put(0xa8, &[1]);
    put(0xac, &[hex("61b3cab24369b326a2b3ee40a744c746"), vec![0x30; 16]].concat());
    put(0xcc, &hex("561826fb125f4bb8991c29e085c8949a"));
    put(0xdc, b"x");
    put(0x1dc, &[1]);
    put(0x228, &[1]);
    bytes.resize(2733, 0);
    let header = Header::parse(&bytes).unwrap();
    assert_eq!((header.data_size, header.neff_version_major, header.num_tpb), (1709, 2, 1));
    assert_eq!(header.build_version(), "2.0.21884.0%kaena-tools/develop@6c66f4b");
    assert_eq!((&*header.model_name(), header.requested_tpb_count, header.lnc_size), ("x", 1, 1));
    assert_eq!(header.uuid, *hex("561826fb125f4bb8991c29e085c8949a"));
    assert_eq!(header.write(), bytes[..1024]);
}

#[test]
fn fields_are_dense() {
    let offsets: Vec<usize> = fields::ALL.iter().map(|f| f.1).collect();
    assert_eq!(offsets, [0, 8, 16, 24, 32, 40, 168, 172, 204, 220, 476, 480, 544, 552, 556]);
    assert_eq!(Header::default().pad.len(), SIZE - 556);
}

#[test]
fn every_check_names_field_offset_expected_and_found() {
    use ErrorCode::{BadHeader, Unsupported};
    let file = sample();
    let cases: [Case; 9] = [
        (0, &[3], Unsupported, "pkg_version", "1 or 2", "3"),
        (8, &[1], BadHeader, "header_size", "1024", "1025"),
        (8, &[0, 0], BadHeader, "header_size", "1024", "0"),
        (15, &[0x80], BadHeader, "header_size", "1024", "9223372036854776832"),
        (16, &[0xe9], BadHeader, "data_size", "1514 bytes, the rest of the file", "1513 bytes"),
        (16, &[0xeb], BadHeader, "data_size", "1514 bytes, the rest of the file", "1515 bytes"),
        (23, &[0xff], BadHeader, "data_size", "1514 bytes, the rest of the file", "18374686479671625194 bytes"),
        (24, &[3], Unsupported, "neff_version_major", "at most 2", "3"),
        (24, &[2], Unsupported, "feature_bits", "no bit of 0x7ffffffff8000000", "0x8000000"),
    ];
    for (at, bytes, code, field, expected, found) in cases {
        let mut damaged = file.clone();
        damaged[547] = 8;
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        let error = Header::parse(&damaged).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, field), "{error}");
        assert_eq!((error.expected.as_str(), error.found.as_str()), (expected, found));
        let offset = fields::ALL.iter().find(|f| f.0 == field).unwrap().1;
        assert_eq!(error.position.unwrap().offset, offset as u64);
    }
    // Bit 63 is never a reason, nor is any bit below NEFF version 2.
    let mut bit_63 = file.clone();
    (bit_63[24], bit_63[551]) = (2, 0x80);
    Header::parse(&bit_63).unwrap();

    for length in 0..=1024 {
        let error = Header::parse(&file[..length]).unwrap_err();
        assert_eq!(error.code, BadHeader);
        assert!(!error.expected.is_empty() && !error.found.is_empty() && error.position.is_some());
    }
}

#[test]
fn hashes_of_both_versions() {
    let mut file = sample();
    file[172 + 20] = 7;
    let mut header = Header::parse(&file).unwrap();
    verify_hash(&header, &file).unwrap();
    file[172] ^= 1;
    let error = verify_hash(&Header::parse(&file).unwrap(), &file).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_str(), error.position.unwrap().offset),
        (ErrorCode::HashMismatch, "hash", 172)
    );
    assert_eq!(error.expected, "928c75b45c10eee15b48fb736352c6b0");
    assert_eq!(error.found, "938c75b45c10eee15b48fb736352c6b0");

    // SHA-256 of "abc", from the standard that defines it.
    let sha = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(payload_hash(1, b"abc").unwrap(), *sha);
    header.pkg_version = 1;
    let file = [&[0; SIZE][..], b"abc"].concat();
    assert_eq!(verify_hash(&header, &file).unwrap_err().code, ErrorCode::HashMismatch);
    header.hash.copy_from_slice(&sha);
    verify_hash(&header, &file).unwrap();
    assert_eq!(payload_hash(3, b"").unwrap_err().code, ErrorCode::Unsupported);
}

#[test]
fn texts_are_cut_at_characters() {
    let mut header = Header::default();
    header.set_model_name(&"é".repeat(200));
    assert_eq!(header.model_name(), "é".repeat(127));
    assert_eq!(header.name[254..], [0, 0]);
    header.set_build_version(&"x".repeat(500));
    assert_eq!(header.build_version().len(), 127);
    header.set_build_version("a\0b");
    assert_eq!(header.build_version(), "a");
}

proptest! {
    #[test]
    fn any_header_reads_and_writes_the_same(bytes in prop::collection::vec(any::<u8>(), 1024)) {
        let bytes: [u8; 1024] = bytes.try_into().unwrap();
        prop_assert_eq!(Header::read(&bytes).write(), bytes);
        let _ = Header::parse(&bytes);
    }
}
