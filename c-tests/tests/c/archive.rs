//! Archives byte for byte as libarchive writes them under the settings of the producer of packages: the program
//! `c/archive.c` and our writers on the same members.

mod sets;

use crate::build::{Link, here, program, root, run, scratch, skipped};
use bir_core::contents::Contents;
use bir_core::neff::gzip::{GzipWriter, record_padding};
use bir_core::neff::tar::{Attributes, BLOCK, TarWriter};
use bir_core::sink::Sink;
use bir_core::{Error, ErrorCode, Result};
use sets::{Member, Set};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a set becomes: plain or compressed, as it ends or filled up to whole records.
const FORMS: [&str; 4] = ["tar", "tar.gz", "padded tar", "padded tar.gz"];

/// How many differences are worth reading.
const SHOWN: usize = 20;

/// An archive, and how many members were refused.
struct Archive {
    refused: usize,
    bytes: Vec<u8>,
}

/// The program with libarchive; none, and said so, without libarchive.
fn oracle() -> Option<PathBuf> {
    if !["/usr/include", "/usr/local/include"].iter().any(|folder| Path::new(folder).join("archive.h").is_file()) {
        skipped("libarchive is not installed: the bytes of archives are not compared with its own");
        return None;
    }
    let producer = format!("-I{}", root().join("bench/baseline").display());
    Some(program("archive", &[here("c/archive.c")], &["-O1", &producer], Link::Other("archive")))
}

/// The sets as libarchive writes them, in each form.
fn theirs(oracle: &Path, name: &str, locale: &str, sets: &[Set]) -> Vec<[Archive; 4]> {
    let (input, output) = (scratch(&format!("archive-{name}.in")), scratch(&format!("archive-{name}.out")));
    std::fs::write(&input, encode(sets)).unwrap();
    run(Command::new(oracle).arg(locale).arg(&input).arg(&output)).expect_ok();
    let answer = std::fs::read(&output).unwrap();
    // Together some hundred megabytes.
    std::fs::remove_file(input).unwrap();
    std::fs::remove_file(output).unwrap();
    let mut rest = &answer[..];
    let number = |rest: &mut &[u8]| {
        let (number, after) = rest.split_first_chunk().unwrap();
        *rest = after;
        u32::from_ne_bytes(*number) as usize
    };
    let all = sets
        .iter()
        .map(|set| {
            FORMS.map(|_| {
                let (refused, warned, length) = (number(&mut rest), number(&mut rest), number(&mut rest));
                assert!(warned == 0 || locale == "C", "{}: libarchive warns of {warned} members", set.title);
                let (bytes, after) = rest.split_at(length);
                rest = after;
                Archive { refused, bytes: bytes.to_vec() }
            })
        })
        .collect();
    assert!(rest.is_empty());
    all
}

/// What the program reads.
fn encode(sets: &[Set]) -> Vec<u8> {
    let mut out = Vec::new();
    let number = |out: &mut Vec<u8>, value: usize| out.extend(u32::try_from(value).unwrap().to_ne_bytes());
    number(&mut out, sets.len());
    for set in sets {
        number(&mut out, set.members.len());
        for Member { name, mode, uid, gid, data } in &set.members {
            number(&mut out, name.len());
            out.extend(name.as_bytes());
            [mode, uid, gid].iter().for_each(|value| out.extend(value.to_ne_bytes()));
            number(&mut out, data.len());
            out.extend(data);
        }
    }
    out
}

/// A set as our writer writes it.
fn tar<S: Sink>(set: &Set, sink: S) -> (usize, S) {
    let mut writer = TarWriter::new(sink);
    let mut refused = 0;
    for Member { name, mode, uid, gid, data } in &set.members {
        let written = writer.file(name, Attributes { mode: *mode, uid: *uid, gid: *gid }, data);
        refused += usize::from(written.is_err());
    }
    (refused, writer.finish().unwrap())
}

/// A set in each form.
fn ours(set: &Set) -> [Archive; 4] {
    let (refused, plain) = tar(set, Vec::new());
    let (_, gzip) = tar(set, GzipWriter::new(Vec::new()).unwrap());
    let gzip = gzip.finish().unwrap();
    let padded = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len() + record_padding(bytes.len()), 0);
        bytes
    };
    let padded = [padded(&plain), padded(&gzip)];
    let [padded_plain, padded_gzip] = padded;
    [plain, gzip, padded_plain, padded_gzip].map(|bytes| Archive { refused, bytes })
}

/// Where two archives of a set differ, in words.
fn difference(set: &Set, form: &str, ours: &Archive, theirs: &Archive) -> Option<String> {
    let place = format!("{}, {form}", set.title);
    if ours.refused != theirs.refused {
        return Some(format!("{place}: we refuse {} members, libarchive {}", ours.refused, theirs.refused));
    }
    if ours.bytes == theirs.bytes {
        return None;
    }
    let common = ours.bytes.iter().zip(&theirs.bytes).take_while(|(a, b)| a == b).count();
    let byte = |bytes: &[u8]| bytes.get(common).map_or("the end".to_owned(), |byte| format!("{byte:#04x}"));
    let member = if form.ends_with("tar") { member_at(set, common) } else { String::new() };
    let (a, b) = (byte(&ours.bytes), byte(&theirs.bytes));
    Some(format!("{place}, offset {common}{member}: ours {a}, libarchive {b}"))
}

/// The member in whose headers or data a byte of the plain tar lies.
fn member_at(set: &Set, offset: usize) -> String {
    let mut end = 0;
    for member in &set.members {
        let alone = Set { title: String::new(), members: vec![member.clone()] };
        let length = tar(&alone, Vec::new()).1.len() - 2 * BLOCK;
        if offset < end + length {
            return format!(", {} into {member:?}", offset - end);
        }
        end += length;
    }
    ", behind the last member".to_owned()
}

#[test]
fn archives_are_those_of_libarchive() {
    let Some(oracle) = oracle() else { return };
    let sets = sets::all();
    assert!(sets.len() >= 300, "{} sets", sets.len());
    let mut differences = Vec::new();
    for (set, theirs) in sets.iter().zip(theirs(&oracle, "sets", "C.UTF-8", &sets)) {
        for ((form, ours), theirs) in FORMS.iter().zip(ours(set)).zip(&theirs) {
            differences.extend(difference(set, form, &ours, theirs));
        }
    }
    let shown: Vec<&str> = differences.iter().take(SHOWN).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} differences in {} sets:\n{}", differences.len(), sets.len(), shown.join("\n"));
}

/// The reference archives are what this libarchive writes, so both tell the same.
#[test]
fn reference_archives_are_those_of_libarchive() {
    let Some(oracle) = oracle() else { return };
    let data = |name: &str| std::fs::read(root().join("tests/data/libarchive-ref").join(name)).unwrap();
    let set = |title: &str, members: Vec<Member>| Set { title: title.to_owned(), members };
    let info = data("in/info.json");
    let (a, b, c) = ("a".repeat(95), "b".repeat(96), "c".repeat(101));
    let names = [
        format!("sg00/{a}"),
        format!("sg00/{b}"),
        c,
        format!("{}/{}", "p".repeat(155), "f".repeat(100)),
        format!("{}/{}", "p".repeat(156), "f".repeat(100)),
        "sg00/wéight_权重.npy".to_owned(),
    ];
    let owners = [
        ("user.json", 0o600, 1000, 1000),
        ("max-octal.json", 0o644, 262143, 262143),
        ("first-pax-id.json", 0o644, 262144, 262144),
        ("kelf-a.json", 0o644, 626188407, 600260513),
    ];
    let owned = |(name, mode, uid, gid)| Member { mode, uid, gid, ..Member::plain(name, &info) };
    let sets = [
        set("empty", Vec::new()),
        set(
            "short",
            ["info.json", "sg00/def.json", "sg00/w.npy"]
                .map(|name| Member::plain(name, &data(&format!("in/{}", name.trim_start_matches("sg00/")))))
                .into(),
        ),
        set("names", names.iter().map(|name| Member::plain(name, &info)).collect()),
        set("ids", owners.map(owned).into()),
    ];
    let written = theirs(&oracle, "reference", "C.UTF-8", &sets);
    let files = [("", ".tar"), ("", ".tar.gz"), (".padded", ".tar"), (".padded", ".tar.gz")];
    let mut compared = 0;
    for (set, archives) in sets.iter().zip(&written) {
        for (((padded, form), theirs), ours) in files.iter().zip(archives).zip(ours(set)) {
            let file = format!("{}{padded}{form}", set.title);
            assert!(ours.bytes == theirs.bytes, "{file}");
            if root().join("tests/data/libarchive-ref").join(&file).is_file() {
                assert!(theirs.bytes == data(&file), "{file} is not what this libarchive writes");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 8, "all reference archives but the one of the C locale");
    let c_locale = theirs(&oracle, "c-locale", "C", &[set("c-locale", vec![Member::plain(&names[5], &info)])]);
    assert!(c_locale[0][0].bytes == data("names-c-locale.tar"));
}

/// Names that libarchive takes, the empty one too, and that would leave the folder when unpacked, or change there, or cannot
/// be unpacked: we refuse them all.
#[test]
fn only_unsafe_names_are_refused() {
    let Some(oracle) = oracle() else { return };
    let names = ["", "/", "/a", "a/../b", "..", "a//b", "a/", "a/.", "./", "a\\b", "c:/x"];
    let sets = names.map(|name| Set { title: format!("{name:?}"), members: vec![Member::plain(name, b"x")] });
    for (set, theirs) in sets.iter().zip(theirs(&oracle, "unsafe", "C.UTF-8", &sets)) {
        assert_eq!((tar(set, Vec::new()).0, theirs[0].refused), (1, 0), "{}", set.title);
    }
}

/// Contents that nobody reads.
struct Unread(u64);

impl Contents for Unread {
    fn size(&self) -> u64 {
        self.0
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<usize> {
        Err(Error::new(ErrorCode::Io, "not needed"))
    }
}

/// Around the largest size that a ustar header can tell, and far beyond.
#[test]
fn headers_of_large_members_are_those_of_libarchive() {
    let Some(oracle) = oracle() else { return };
    let output = scratch("archive-header.out");
    let largest = 0o77_777_777_777_u64;
    let sizes = [largest - 1, largest, largest + 1, 10_000_000_000, 1 << 40, (1 << 50) + 7];
    let long = format!("sg00/{}", "n".repeat(200));
    for (size, name) in
        sizes.into_iter().flat_map(|size| [(size, "sg00/w.npy"), (size, &long), (size, "sg00/gewichte-ä")])
    {
        run(Command::new(&oracle).arg("--header").args([&size.to_string(), name]).arg(&output)).expect_ok();
        let theirs = std::fs::read(&output).unwrap();
        let mut ours = Vec::new();
        let written = TarWriter::new(&mut ours).member(name, Attributes::deterministic(name), &Unread(size));
        assert_eq!(written.unwrap_err().message, "not needed");
        assert!(ours == theirs, "{name} of {size} bytes: {} and {} bytes", ours.len(), theirs.len());
    }
}
