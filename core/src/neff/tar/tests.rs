#![forbid(unsafe_code)]

use super::*;
use crate::error::{ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use proptest::prelude::*;
use std::format;
use std::string::ToString;

fn data(name: &str) -> Vec<u8> {
    std::fs::read([env!("CARGO_MANIFEST_DIR"), "/../tests/data/libarchive-ref/", name].concat()).unwrap()
}

const PLAIN: Attributes = Attributes { mode: 0o644, uid: 0, gid: 0 };

fn tar(members: &[(&str, Attributes, &[u8])]) -> Vec<u8> {
    let mut writer = TarWriter::new(Vec::new());
    for (name, attributes, data) in members {
        writer.file(name, *attributes, data).unwrap();
    }
    writer.finish().unwrap()
}

fn entries(tar: &[u8]) -> Result<Vec<Entry<'_>>> {
    Entries::new(tar).collect()
}

fn long_names() -> Vec<String> {
    [
        format!("sg00/{}", "a".repeat(95)),
        format!("sg00/{}", "b".repeat(96)),
        "c".repeat(101),
        format!("{}/{}", "p".repeat(155), "f".repeat(100)),
        format!("{}/{}", "p".repeat(156), "f".repeat(100)),
        "sg00/wéight_权重.npy".to_string(),
    ]
    .into()
}

#[test]
fn reproduces_the_short_archives() {
    let (info, def, w) = (data("in/info.json"), data("in/def.json"), data("in/w.npy"));
    let members: [(&str, Attributes, &[u8]); 3] =
        [("info.json", PLAIN, &info), ("sg00/def.json", PLAIN, &def), ("sg00/w.npy", PLAIN, &w)];
    assert!(tar(&members) == data("short.tar"));
    assert!(tar(&[]) == data("empty.tar"));
    for file in ["short.tar", "short.padded.tar"] {
        let tar = data(file);
        let read = entries(&tar).unwrap();
        assert_eq!(read.len(), 3);
        for (entry, (name, _, data)) in read.iter().zip(members) {
            assert_eq!((&*entry.name, entry.data, entry.mode, entry.uid, entry.gid), (name, data, 0o644, 0, 0));
            assert_eq!((entry.typeflag, entry.mtime), (b'0', 0));
            assert_eq!(tar.get(entry.data_offset..entry.data_offset + data.len()), Some(data));
        }
    }
    assert_eq!(entries(&data("empty.tar")).unwrap(), []);
}

#[test]
fn reproduces_long_and_unusual_names() {
    let info = data("in/info.json");
    let names = long_names();
    let members: Vec<_> = names.iter().map(|name| (name.as_str(), PLAIN, &info[..])).collect();
    let written = tar(&members);
    assert!(written == data("names.tar"));
    let read = entries(&written).unwrap();
    assert_eq!(read.iter().map(|e| e.name.to_string()).collect::<Vec<_>>(), names);
}

#[test]
fn reads_names_of_the_c_locale() {
    let tar = data("names-c-locale.tar");
    let read = entries(&tar).unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!((&*read[0].name, read[0].data), ("sg00/wéight_权重.npy", &data("in/info.json")[..]));
}

#[test]
fn reproduces_owner_numbers() {
    let info = data("in/info.json");
    let owners = [
        ("user.json", 0o600, 1000, 1000),
        ("max-octal.json", 0o644, 262143, 262143),
        ("first-pax-id.json", 0o644, 262144, 262144),
        ("kelf-a.json", 0o644, 626188407, 600260513),
    ];
    let members: Vec<_> =
        owners.iter().map(|&(name, mode, uid, gid)| (name, Attributes { mode, uid, gid }, &info[..])).collect();
    let written = tar(&members);
    assert!(written == data("ids.tar"));
    for (entry, (name, mode, uid, gid)) in entries(&written).unwrap().iter().zip(owners) {
        assert_eq!((&*entry.name, entry.mode, entry.uid, entry.gid), (name, mode, u64::from(uid), u64::from(gid)));
    }
}

/// The table of rule S in `spec/neff.md` section 4.4.
#[test]
fn shortened_names() {
    let dirs: String = (0..30).map(|i| format!("dir{i:02}/")).collect();
    let cases = [
        ("c".repeat(101), format!("PaxHeader/{}", "c".repeat(87)), "c".repeat(98)),
        (
            format!("{}/{}/x", "d".repeat(58), "e".repeat(100)),
            format!("{}/PaxHeader/x", "d".repeat(58)),
            format!("{}/x", "d".repeat(58)),
        ),
        (format!("{}/{}", "p".repeat(156), "f".repeat(100)), format!("PaxHeader/{}", "f".repeat(87)), "f".repeat(98)),
        (
            format!("{dirs}{}.npy", "g".repeat(120)),
            format!("{}PaxHeader/{}", &dirs[..25 * 6], "g".repeat(87)),
            format!("{}{}", &dirs[..25 * 6], "g".repeat(98)),
        ),
        (
            "sg00/wéight_权重.npy".to_string(),
            "sg00/PaxHeader/wéight_权重.npy".to_string(),
            "sg00/wéight_权重.npy".to_string(),
        ),
        // A slash or `/.` at the end is put back as one slash, which takes one byte of the budget.
        (format!("{}/./", "h".repeat(120)), format!("PaxHeader/{}/", "h".repeat(86)), format!("{}/", "h".repeat(97))),
        // The slash of the second directory part may lie at the budget itself, but not behind it.
        (
            format!("{}/{}/éxy", "p".repeat(120), "s".repeat(94)),
            format!("{}/PaxHeader/éxy", "p".repeat(120)),
            format!("{}/{}/éxy", "p".repeat(120), "s".repeat(94)),
        ),
        (
            format!("{}/{}/éxy", "p".repeat(120), "s".repeat(95)),
            format!("{}/PaxHeader/éxy", "p".repeat(120)),
            format!("{}/éxy", "p".repeat(120)),
        ),
        (
            format!("{}/{}/éxy", "p".repeat(120), "s".repeat(83)),
            format!("{}/{}/PaxHeader/éxy", "p".repeat(120), "s".repeat(83)),
            format!("{}/{}/éxy", "p".repeat(120), "s".repeat(83)),
        ),
    ];
    for (name, extended, main) in cases {
        assert_eq!(name::shorten(name.as_bytes(), b"PaxHeader").unwrap(), extended.as_bytes(), "{name}");
        assert_eq!(name::shorten(name.as_bytes(), b"").unwrap(), main.as_bytes(), "{name}");
    }
}

/// Sizes no test can hold in memory: the header alone.
#[test]
fn huge_sizes_get_a_record() {
    let mut writer = TarWriter::new(Vec::new());
    writer.header("big.npy", PLAIN, (1 << 33) - 1).unwrap();
    writer.header("big.npy", PLAIN, 1 << 33).unwrap();
    let tar = writer.finish().unwrap();
    assert_eq!(&tar[124..136], b"77777777777 ");
    assert_eq!((&tar[512..531], tar[512 + 156]), (&b"PaxHeader/big.npy\0\0"[..], b'x'));
    assert_eq!(&tar[1024..1043], b"19 size=8589934592\n");
    assert_eq!(&tar[1536 + 124..1536 + 136], b"100000000000");
    let error = entries(&tar).unwrap_err();
    assert_eq!((error.code, error.position.unwrap().offset), (ErrorCode::BadArchive, 124));
}

/// Changes a header field and repairs the checksum.
fn patched(tar: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut tar = tar.to_vec();
    tar[at..at + bytes.len()].copy_from_slice(bytes);
    let header = at / BLOCK * BLOCK;
    let block: &[u8; BLOCK] = tar[header..header + BLOCK].try_into().unwrap();
    let sum = block::checksums(block).0;
    number::write(&mut tar[header + 148..header + 156], sum, 6, b"\0 ");
    tar
}

#[test]
fn refuses_links_devices_and_unsafe_names() {
    let good = tar(&[("a", PLAIN, b"1")]);
    for (at, bytes, code) in [
        (156, &b"1"[..], ErrorCode::UnsafePath),
        (156, b"2", ErrorCode::UnsafePath),
        (156, b"3", ErrorCode::Unsupported),
        (156, b"4", ErrorCode::Unsupported),
        (156, b"6", ErrorCode::Unsupported),
        (156, b"S", ErrorCode::Unsupported),
        (0, b"/etc/passwd", ErrorCode::UnsafePath),
        (0, b"../a", ErrorCode::UnsafePath),
        (0, b"a/../../b", ErrorCode::UnsafePath),
        (0, b"a\\b", ErrorCode::UnsafePath),
        (0, b"\0", ErrorCode::UnsafePath),
        (0, b"\xff", ErrorCode::BadArchive),
        (257, b"xstar", ErrorCode::BadArchive),
        (124, b"77777777777 ", ErrorCode::BadArchive),
        (124, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", ErrorCode::BadArchive),
        (124, b"\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", ErrorCode::BadArchive),
        (124, b"0000000000z ", ErrorCode::BadArchive),
    ] {
        let error = entries(&patched(&good, at, bytes)).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.position.is_some());
    }
    let mut damaged = good.clone();
    damaged[0] ^= 1;
    let error = entries(&damaged).unwrap_err();
    assert_eq!((error.code, error.position.unwrap().offset), (ErrorCode::BadArchive, 148));
}

#[test]
fn skips_directories_and_takes_gnu_names() {
    let good = tar(&[("sg00", PLAIN, b""), ("a", PLAIN, b"data")]);
    for name in [&b"sg00/"[..], b"./\0\0\0", b".\0\0\0\0"] {
        let with_directory = patched(&patched(&good, 0, name), 156, b"5");
        let read = entries(&with_directory).unwrap();
        assert_eq!((read.len(), &*read[0].name), (1, "a"));
    }
    let error = entries(&patched(&patched(&good, 0, b"../x/"), 156, b"5")).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnsafePath);

    let long = format!("./sg00/{}", "n".repeat(150));
    let name = [long.as_bytes(), b"\0"].concat();
    let with_long = tar(&[("longlink", PLAIN, &name), ("short", PLAIN, b"data")]);
    let gnu = patched(&patched(&patched(&with_long, 156, b"L"), 257, b"ustar  \0"), 1024 + 257, b"ustar  \0");
    let read = entries(&gnu).unwrap();
    assert_eq!((read.len(), &*read[0].name, read[0].data), (1, &long[2..], &b"data"[..]));
}

#[test]
fn truncation_is_always_an_error() {
    for file in ["names.tar", "ids.tar", "short.tar"] {
        let tar = data(file);
        let end =
            Entries::new(&tar).map(|e| e.unwrap()).last().map(|e| (e.data_offset + e.data.len()).next_multiple_of(512));
        for cut in 0..end.unwrap() + 1024 {
            let error = entries(&tar[..cut]).expect_err("truncated");
            assert_eq!(error.code, ErrorCode::BadArchive);
            assert!(error.position.is_some() && !error.expected.is_empty() && !error.found.is_empty(), "{error}");
        }
    }
    let mut tar = data("short.padded.tar");
    tar[9999] = 1;
    let error = entries(&tar).unwrap_err();
    assert_eq!((error.code, error.position.unwrap().offset), (ErrorCode::BadArchive, 9999));
}

#[test]
fn writer_refuses_unsafe_names() {
    for name in ["", "/a", "a/../b", "a//b", "a/", "a\0"] {
        let error = TarWriter::new(Vec::new()).file(name, PLAIN, b"").unwrap_err();
        assert_eq!(error.code, ErrorCode::UnsafePath);
    }
}

fn any_name() -> impl Strategy<Value = String> {
    let element = prop_oneof!["[a-z]{1,20}", "[a-z]{90,170}", "[a-zé权.]{1,60}", Just("sg00".to_string())];
    prop::collection::vec(element, 1..6).prop_map(|elements| elements.join("/"))
}

proptest! {
    #[test]
    fn names_and_owners_round_trip(
        members in prop::collection::vec((any_name(), any::<(u32, u32)>(), 0u32..32, prop::collection::vec(any::<u8>(), 0..1100)), 0..4)
    ) {
        let members: Vec<_> = members.into_iter().filter(|m| crate::neff::path::safe_member_path(&m.0).is_ok()).collect();
        let mut writer = TarWriter::new(Vec::new());
        for (name, (uid, gid), shift, data) in &members {
            writer.file(name, Attributes { mode: 0o644, uid: uid >> shift, gid: gid >> shift }, data).unwrap();
        }
        let tar = writer.finish().unwrap();
        prop_assert_eq!(tar.len() % BLOCK, 0);
        let read = entries(&tar).unwrap();
        prop_assert_eq!(read.len(), members.len());
        for (entry, (name, (uid, gid), shift, data)) in read.iter().zip(&members) {
            prop_assert_eq!(&*entry.name, crate::neff::path::safe_member_path(name).unwrap());
            prop_assert_eq!((entry.uid, entry.gid, entry.data), (u64::from(uid >> shift), u64::from(gid >> shift), &data[..]));
        }
    }

    #[test]
    fn damage_never_panics(at in 0usize..4096, byte: u8) {
        let mut tar = data("ids.tar");
        tar[at] = byte;
        let _ = entries(&tar);
        if let Some(fixed) = (byte != 0).then(|| patched(&tar, at, &[byte])) {
            let _ = entries(&fixed);
        }
    }
}
