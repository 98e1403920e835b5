#![forbid(unsafe_code)]

use super::*;
use crate::neff::header::{deterministic_uuid, payload_hash};
use crate::neff::read::{Options, Package};
use crate::neff::tar::{Attributes, TarWriter};
use alloc::string::{String, ToString};
use proptest::prelude::*;

fn sample() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/neff/synthetic-minimal.neff")).unwrap()
}

/// The reference with its payload uncompressed.
fn plain_sample() -> Vec<u8> {
    let file = sample();
    package(Package::open(&file, Options::default()).unwrap().tar())
}

/// A package with this payload and a header that fits it.
fn package(payload: &[u8]) -> Vec<u8> {
    let header = Header {
        data_size: payload.len() as u64,
        hash: payload_hash(2, payload).unwrap(),
        uuid: deterministic_uuid(payload),
        ..Header::default()
    };
    [&header.write()[..], payload].concat()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = TarWriter::new(Vec::new());
    members.iter().for_each(|(name, data)| writer.file(name, Attributes::deterministic(name), data).unwrap());
    writer.finish().unwrap()
}

/// All members of a package that comes in pieces.
fn walked<'p>(pieces: impl Iterator<Item = &'p [u8]>, options: WalkOptions) -> Result<Vec<(String, Vec<u8>)>> {
    let mut memory = Memory::new()?;
    let mut walk = Walk::new(memory.buffers(), options);
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for mut piece in pieces {
        loop {
            match walk.step(&mut piece)? {
                Step::NeedInput => break,
                // Another step tells of what is left over.
                Step::End if piece.is_empty() => break,
                Step::End => {}
                Step::Header(_) => {}
                Step::Member(member) => members.push((member.name.to_string(), Vec::new())),
                Step::Data(data) => {
                    assert!(!data.is_empty());
                    members.last_mut().unwrap().1.extend_from_slice(data);
                }
            }
        }
        assert!(piece.is_empty());
    }
    walk.finish()?;
    Ok(members)
}

fn expected(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let package = Package::open(file, Options::default()).unwrap();
    package.files().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect()
}

#[test]
fn any_cut_gives_the_same_members() {
    for file in [sample(), plain_sample()] {
        let members = expected(&file);
        for size in [1, 2, 3, 7, 511, 512, 513, 1023, 1024, 1025, 1 << 20] {
            let found = walked(file.chunks(size), WalkOptions::default()).unwrap();
            assert!(found == members, "pieces of {size}");
        }
        let sized = WalkOptions { file_size: Some(file.len() as u64), ..WalkOptions::default() };
        assert!(walked([&file[..]].into_iter(), sized).unwrap() == members);
    }
}

#[test]
fn every_truncation_is_an_error() {
    for (file, step) in [(sample(), 1), (plain_sample(), 41)] {
        for length in (0..file.len()).step_by(step) {
            let error = walked(file[..length].chunks(100), WalkOptions::default()).unwrap_err();
            assert_eq!(error.code, ErrorCode::BadHeader, "{length}: {error}");
            assert!(!error.path.is_empty() && !error.expected.is_empty() && !error.found.is_empty(), "{error}");
            // The same with a header that fits what is left.
            if length > header::SIZE {
                let cut = package(&file[header::SIZE..length]);
                let error = walked(cut.chunks(100), WalkOptions::default()).unwrap_err();
                assert!(matches!(error.code, ErrorCode::BadArchive | ErrorCode::BadCompression), "{length}: {error}");
                assert!(error.position.is_some() && !error.path.is_empty() && !error.expected.is_empty(), "{error}");
            }
        }
        let surplus = [&file[..], b"x"].concat();
        let error = walked(surplus.chunks(1000), WalkOptions::default()).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (ErrorCode::BadHeader, "data_size"));
    }
}

#[test]
fn the_slice_reader_agrees_about_damage() {
    let file = plain_sample();
    let options = Options { verify_hash: false, ..Options::default() };
    let unverified = WalkOptions { verify_hash: false, file_size: Some(file.len() as u64), ..WalkOptions::default() };
    // All of the first members, some of the rest.
    let first = header::SIZE + 1200;
    for at in (header::SIZE..first).chain((first..file.len()).step_by(17)) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        let found = walked(damaged.chunks(333), unverified).map(|_| ());
        assert_eq!(found, Package::open(&damaged, options).map(|_| ()), "byte {at}");
        let verified = walked(damaged.chunks(333), WalkOptions { verify_hash: true, ..unverified }).unwrap_err();
        assert_eq!(verified, found.err().unwrap_or_else(|| verified.clone()), "byte {at}");
        assert!(
            matches!(
                verified.code,
                ErrorCode::HashMismatch
                    | ErrorCode::BadArchive
                    | ErrorCode::UnsafePath
                    | ErrorCode::Unsupported
                    | ErrorCode::LimitExceeded
            ),
            "{verified}"
        );
    }
}

#[test]
fn contents_can_be_skipped_and_jumped_over() {
    let big = std::vec![7u8; 100_000];
    let file = package(&tar(&[("a.json", b"{}"), ("w.npy", &big), ("z.json", b"[]")]));
    for verify_hash in [true, false] {
        let mut memory = Memory::new().unwrap();
        let mut walk = Walk::new(memory.buffers(), WalkOptions { verify_hash, ..WalkOptions::default() });
        let (mut at, mut read, mut seen) = (0usize, 0usize, Vec::new());
        while at < file.len() {
            let mut piece = &file[at..(at + 512).min(file.len())];
            (at, read) = (at + piece.len(), read + piece.len());
            loop {
                match walk.step(&mut piece).unwrap() {
                    Step::NeedInput | Step::End => break,
                    Step::Member(member) => {
                        let json = member.name.ends_with(".json");
                        if !json {
                            walk.skip_contents();
                        }
                    }
                    Step::Data(data) => seen.extend_from_slice(data),
                    Step::Header(_) => {}
                }
            }
            let jump = walk.skippable();
            walk.skipped(jump);
            at += jump as usize;
        }
        walk.finish().unwrap();
        assert_eq!(seen, b"{}[]");
        assert_eq!(walk.computed_hash().is_some(), verify_hash);
        assert_eq!(read == file.len(), verify_hash);
        assert!(verify_hash || read < 6000, "{read}");
        assert_eq!((walk.file_bytes(), walk.unpacked_bytes()), (file.len() as u64, file.len() as u64 - 1024));
    }
}

#[test]
fn a_stopped_walk_still_compares_the_hash() {
    for file in [sample(), plain_sample()] {
        for damage in [None, Some(file.len() - 1)] {
            let mut file = file.clone();
            if let Some(at) = damage {
                file[at] ^= 1;
            }
            let mut memory = Memory::new().unwrap();
            let mut walk = Walk::new(memory.buffers(), WalkOptions::default());
            let mut input = &file[..];
            assert!(matches!(walk.step(&mut input).unwrap(), Step::Header(_)));
            assert!(matches!(walk.step(&mut input).unwrap(), Step::Member(_)));
            walk.stop();
            match walk.step(&mut input) {
                Ok(step) => assert!(step == Step::End && damage.is_none()),
                Err(error) => assert!(error.code == ErrorCode::HashMismatch && damage.is_some()),
            }
        }
        let mut memory = Memory::new().unwrap();
        let mut walk = Walk::new(memory.buffers(), WalkOptions { verify_hash: false, ..WalkOptions::default() });
        let mut input = &file[..1100];
        walk.step(&mut input).unwrap();
        walk.stop();
        walk.finish().unwrap();
    }
}

#[test]
fn limits_name_themselves() {
    let many: Vec<(String, Vec<u8>)> = (0..10).map(|i| (std::format!("m{i}"), std::vec![0; 1000])).collect();
    let members: Vec<(&str, &[u8])> = many.iter().map(|(name, data)| (name.as_str(), &data[..])).collect();
    let plain = package(&tar(&members));
    let refused = |file: &[u8], change: &dyn Fn(&mut Limits)| {
        let mut options = WalkOptions::default();
        change(&mut options.limits);
        let error = walked([file].into_iter(), options).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded, "{error}");
        assert!(!error.expected.is_empty() && error.position.is_some(), "{error}");
        error.message
    };
    assert!(refused(&plain, &|l| l.max_members = 9).contains("`max_members`"));
    assert!(refused(&plain, &|l| l.max_names_bytes = 19).contains("`max_names_bytes`"));
    assert!(refused(&sample(), &|l| l.max_unpacked_bytes = 17407).contains("`max_unpacked_bytes`"));
    let exact = Limits { max_unpacked_bytes: 17408, ..Limits::default() };
    walked([&sample()[..]].into_iter(), WalkOptions { limits: exact, ..WalkOptions::default() }).unwrap();

    // The buffers are limits too.
    let long = "n".repeat(300);
    let named = package(&tar(&[(&long, b"")]));
    let mut memory = Memory::new().unwrap();
    for (names, extended, limit) in [(299, 1000, "`max_name_bytes`"), (300, 300, "`max_extended_bytes`")] {
        let Buffers { window, names: n, extended: e } = memory.buffers();
        let buffers = Buffers { window, names: &mut n[..names], extended: &mut e[..extended] };
        let mut walk = Walk::new(buffers, WalkOptions::default());
        let mut input = &named[..];
        let error = loop {
            match walk.step(&mut input) {
                Ok(step) => assert!(step != Step::End),
                Err(error) => break error,
            }
        };
        assert_eq!(error.code, ErrorCode::LimitExceeded);
        assert!(error.message.contains(limit), "{error}");
    }
}

/// A gzip member of zeros: one block of fixed codes that repeats one match, made by hand because no encoder is at hand
/// without zlib. It has 158 times fewer bytes than come out of it.
#[test]
fn a_bomb_is_refused_by_its_ratio() {
    let mut body = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    let mut put = |value: u32, width: u32| {
        bits |= value << count;
        count += width;
        while count >= 8 {
            body.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    };
    // The last block, of fixed codes: a zero byte, then matches of length 258 and distance 1, codes from their top bit.
    put(0b011, 3);
    put(0b0000_1100, 8);
    for _ in 0..20_000 {
        put(0b1010_0011, 8);
        put(0, 5);
    }
    let file = package(&[&crate::neff::gzip::HEADER[..], &body].concat());
    let error = |max_ratio, ratio_free_bytes| {
        let limits = Limits { max_ratio, ratio_free_bytes, ..Limits::default() };
        walked([&file[..]].into_iter(), WalkOptions { limits, ..WalkOptions::default() }).unwrap_err()
    };
    let refused = error(100, 1 << 20);
    assert_eq!(refused.code, ErrorCode::LimitExceeded, "{refused}");
    assert!(refused.message.contains("`max_ratio`") && refused.expected == "at most 1048576 bytes", "{refused}");
    // Within the limits it is only an archive of nothing that ends too early.
    for (ratio, free) in [(200, 1 << 20), (100, 6 << 20)] {
        assert_eq!(error(ratio, free).code, ErrorCode::BadCompression);
    }
}

/// What a machine with little memory has to have.
#[test]
fn a_walk_fits_a_small_machine() {
    let walk = core::mem::size_of::<Walk<'_>>();
    assert!(walk < 16 << 10, "{walk} bytes");
    let (mut window, mut names, mut extended) = (Box::new([0u8; 1 << 15]), [0u8; 256], [0u8; 512]);
    let buffers = Buffers { window: &mut window, names: &mut names, extended: &mut extended };
    let mut walk = Walk::new(buffers, WalkOptions::default());
    let file = sample();
    let mut count = 0;
    for mut piece in file.chunks(64) {
        loop {
            match walk.step(&mut piece).unwrap() {
                Step::NeedInput | Step::End => break,
                Step::Member(_) => count += 1,
                _ => {}
            }
        }
    }
    walk.finish().unwrap();
    assert_eq!(count, 16);
}

proptest! {
    #[test]
    fn damage_never_panics(at in 0usize..2538, byte: u8, size in 1usize..600, plain: bool) {
        let mut file = if plain { plain_sample() } else { sample() };
        let at = if plain { at * 7 } else { at };
        file[at] = byte;
        for verify_hash in [true, false] {
            let _ = walked(file.chunks(size), WalkOptions { verify_hash, ..WalkOptions::default() });
        }
    }

    #[test]
    fn anything_cut_anyhow(
        members in prop::collection::vec(("[a-z]{1,120}", prop::collection::vec(any::<u8>(), 0..1600)), 0..6),
        size in 1usize..2000,
    ) {
        let mut unique: Vec<(&str, &[u8])> = members.iter().map(|(n, d)| (n.as_str(), &d[..])).collect();
        unique.sort();
        unique.dedup_by_key(|m| m.0);
        let file = package(&tar(&unique));
        prop_assert_eq!(walked(file.chunks(size), WalkOptions::default()).unwrap(), expected(&file));
    }
}
