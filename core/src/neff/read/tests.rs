#![forbid(unsafe_code)]

use super::*;
use crate::consts::digest::{hex, md5};
use crate::neff::header::{SIZE, payload_hash};
use crate::neff::path::safe_member_path;
use crate::neff::tar::{Attributes, TarWriter};
use std::string::ToString;

fn sample() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/neff/synthetic-minimal.neff")).unwrap()
}

fn open(file: &[u8]) -> Result<Package<'_>> {
    Package::open(file, Options::default())
}

/// A package with this payload and a header that fits it.
fn package(payload: &[u8]) -> Vec<u8> {
    let header = Header {
        data_size: payload.len() as u64,
        hash: payload_hash(2, payload).unwrap(),
        lnc_size: 1,
        ..Header::default()
    };
    [&header.write()[..], payload].concat()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = TarWriter::new(Vec::new());
    members.iter().for_each(|(name, data)| writer.file(name, Attributes::deterministic(name), data).unwrap());
    writer.finish().unwrap()
}

/// All values of the README next to the sample.
#[test]
fn the_synthetic_sample() {
    let file = sample();
    assert_eq!((file.len(), hex(&md5(&file)).as_str()), (2538, "3e6bbd7152612fc3e56d22e3a6c97a06"));
    let package = open(&file).unwrap();
    assert!(package.is_compressed());
    assert_eq!((package.tar().len(), hex(&md5(package.tar())).as_str()), (17408, "fdc1c34bad17478738cb525c59041881"));
    let members: Vec<_> = package.members().iter().map(|m| (m.name.as_str(), m.size())).collect();
    assert_eq!(
        members,
        [
            ("hlo_stats.json", 3),
            ("info.json", 67),
            ("kelf-0.json", 161),
            ("neff.json", 1717),
            ("sg00/Activation0.bin", 0),
            ("sg00/Activation0.json", 18),
            ("sg00/DVE0.bin", 0),
            ("sg00/DVE0.json", 18),
            ("sg00/PE0.bin", 0),
            ("sg00/PE0.json", 18),
            ("sg00/Pool0.bin", 0),
            ("sg00/Pool0.json", 18),
            ("sg00/SP0.bin", 0),
            ("sg00/SP0.json", 18),
            ("sg00/def.json", 1266),
            ("sg00/w.npy", 152),
        ]
    );
    for member in package.members() {
        assert_eq!((member.mode, member.uid, member.gid, member.mtime, member.typeflag), (0o644, 0, 0, 0, b'0'));
        assert_eq!(package.member(&member.name), Some(package.contents(member)));
        assert_eq!(safe_member_path(&member.name).unwrap(), member.name);
    }
    assert_eq!(hex(&package.ir_signature()), "aeee14e94b0a2f2a7f7302dadab38bc3");
    assert_eq!(package.member("./hlo_stats.json"), Some(&b"{}\n"[..]));
    assert_eq!(package.member("missing"), None);
    assert_eq!(package.files().map(|(_, bytes)| bytes.len()).sum::<usize>(), 3 + 67 + 161 + 1717 + 5 * 18 + 1266 + 152);
}

#[test]
fn every_truncation_is_an_error_with_place_expected_and_found() {
    let file = sample();
    for verify_hash in [true, false] {
        let options = Options { verify_hash, ..Options::default() };
        for length in 0..file.len() {
            let error = Package::open(&file[..length], options).unwrap_err();
            assert_eq!(error.code, ErrorCode::BadHeader, "{error}");
            assert!(error.position.is_some() && !error.path.is_empty(), "{error}");
            assert!(!error.expected.is_empty() && !error.found.is_empty(), "{error}");
        }
    }
    // The same with a header that fits what is left: now the payload has to give it away.
    for length in SIZE + 1..file.len() {
        let cut = package(&file[SIZE..length]);
        let error = open(&cut).unwrap_err();
        let code = if length == SIZE + 1 { ErrorCode::BadArchive } else { ErrorCode::BadCompression };
        assert_eq!(error.code, code, "{error}");
        assert_eq!(error.path, "data");
        assert!(error.position.unwrap().offset >= SIZE as u64 && !error.expected.is_empty() && !error.found.is_empty());
    }
}

#[test]
fn every_flipped_byte_of_the_payload_is_found() {
    let file = sample();
    let reference = open(&file).unwrap();
    let unverified = Options { verify_hash: false, ..Options::default() };
    for at in SIZE..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        let error = open(&damaged).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (ErrorCode::HashMismatch, "hash"));
        match Package::open(&damaged, unverified) {
            Ok(package) => assert!(package.tar() == reference.tar(), "byte {at}"),
            Err(error) => {
                assert!(error.position.is_some() && !error.path.is_empty(), "{error}");
                assert!(!error.expected.is_empty() && !error.found.is_empty(), "{error}");
            }
        }
    }
    // In the header, what is checked is an error and the rest is data.
    for at in 0..SIZE {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        match open(&damaged) {
            Ok(package) => assert!(at >= 24, "byte {at}: {:?}", package.header().pkg_version),
            Err(error) => assert!(at < 40 || (172..188).contains(&at), "byte {at}: {error}"),
        }
    }
}

#[test]
fn plain_payloads_are_not_copied() {
    let payload = tar(&[("a/b", b"data"), ("c", b"")]);
    let file = package(&payload);
    let open = open(&file).unwrap();
    assert!(!open.is_compressed());
    assert!(core::ptr::eq(open.tar(), &file[SIZE..]));
    assert_eq!(open.files().collect::<Vec<_>>(), [("a/b", &b"data"[..]), ("c", b"")]);

    let mut damaged = payload.clone();
    damaged[600] ^= 1;
    let damaged = package(&damaged);
    let error = Package::open(&damaged, Options::default());
    assert!(error.is_ok(), "contents have no checksum of their own");
    let mut damaged = payload.clone();
    damaged[1] ^= 1;
    let damaged = package(&damaged);
    let error = Package::open(&damaged, Options::default()).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_str(), error.position.unwrap().offset),
        (ErrorCode::BadArchive, "data", 1024 + 148)
    );
    for cut in 1..payload.len() {
        let cut = package(&payload[..cut]);
        assert_eq!(Package::open(&cut, Options::default()).unwrap_err().code, ErrorCode::BadArchive);
    }
}

#[test]
fn refuses_two_members_of_one_name() {
    let file = package(&tar(&[("a", b"1"), ("b", b""), ("./a", b"2")]));
    let error = open(&file).unwrap_err();
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::DuplicateName, "a"));
}

#[test]
fn the_limit_names_itself() {
    let file = sample();
    let limited = |max_unpacked_bytes| Package::open(&file, Options { max_unpacked_bytes, ..Options::default() });
    limited(17408).unwrap();
    let error = limited(17407).unwrap_err();
    assert_eq!(error.code, ErrorCode::LimitExceeded);
    assert!(error.to_string().contains("max_unpacked_bytes"), "{error}");
}
