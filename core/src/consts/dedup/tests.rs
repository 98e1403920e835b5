//! The session against the examples of the specification and a linear search.

use super::*;
use crate::consts::digest::Md5;
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::string::ToString;
use std::vec;

const FLOATS: &[u8] = b"\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40";
const COUNTING: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The example of `spec/consts.md` section 6.5.
#[test]
fn example_of_five_files() {
    let mut dedup = Dedup::new();
    let names: Vec<String> = [
        ("a", FLOATS, "float32"),
        ("b", FLOATS, "float32"),
        ("c", FLOATS, "uint8"),
        ("d", COUNTING, "int8"),
        ("e", FLOATS, "float32"),
    ]
    .iter()
    .map(|(name, bytes, dtype)| dedup.add(name, *bytes, dtype, "DRAM").unwrap().name.to_string())
    .collect();
    assert_eq!(names, ["a", "a", "c", "d", "a"]);
    assert_eq!((dedup.unique_files(), dedup.saved_bytes(), dedup.presented()), (3, 32, 5));
    assert_eq!(dedup.message(), None);
    assert_eq!(dedup.name_of("e"), Some("a"));
    assert_eq!(dedup.name_of("x"), None);
    let lines: Vec<String> = dedup.diagnostics().map(|d| d.to_string()).collect();
    assert_eq!(
        lines,
        ["added new uniq a", "found match for b: a", "added new uniq c", "added new uniq d", "found match for e: a"]
    );
    let files: Vec<_> = dedup.files().collect();
    assert_eq!(files, [("a", FLOATS), ("c", FLOATS), ("d", COUNTING)]);
}

/// Section 6.7: one key, one bucket, two records.
#[test]
fn colliding_files_stay_two() {
    let hex = "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89\
               55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b\
               d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0\
               e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70";
    let first: Vec<u8> = (0..128).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let mut second = first.clone();
    for at in [19, 45, 59, 83, 109, 123] {
        second[at] ^= 0x80;
    }
    let mut dedup = Dedup::new();
    dedup.add("first", &first, "uint8", "DRAM").unwrap();
    let added = dedup.add("second", &second, "uint8", "DRAM").unwrap();
    assert_eq!(added, Added { name: "second", record: 1, matched: false });
    assert_eq!(dedup.records()[0].key().unwrap(), dedup.records()[1].key().unwrap());
    assert!(dedup.records()[0].key().unwrap().starts_with("79054025255fb1a26e4bc422aef54eb4"));
    assert_eq!((dedup.buckets.len(), dedup.unique_files(), dedup.saved_bytes()), (1, 2, 0));
    assert_eq!(dedup.add("third", &second, "uint8", "DRAM").unwrap().name, "second");
}

#[test]
fn a_name_with_two_contents_is_an_error_and_changes_nothing() {
    for mut dedup in [Dedup::new(), Dedup::disabled()] {
        dedup.add("a", FLOATS, "float32", "DRAM").unwrap();
        let error = dedup.add("a", COUNTING, "int8", "DRAM").unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (ErrorCode::Conflict, "a"));
        assert!(error.found.contains("1ac1ef01e96caf1be0d329331a4fc2a8"), "{error}");
        assert_eq!((dedup.presented(), dedup.records().len()), (1, 1));
        dedup.add("a", FLOATS, "float32", "DRAM").unwrap();
        assert_eq!((dedup.presented(), dedup.records().len()), (2, 1));
    }
}

#[test]
fn the_gate_returns_names_unchanged() {
    let mut dedup = Dedup::disabled();
    for name in ["a", "b", "a"] {
        let added = dedup.add(name, vec![1u8; 4096], "uint8", "DRAM").unwrap();
        assert_eq!((added.name, added.matched), (name, false));
    }
    assert_eq!((dedup.unique_files(), dedup.saved_bytes(), dedup.message()), (0, 0, None));
    assert_eq!(dedup.files().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn one_file_with_two_types_is_stored_once() {
    let mut dedup = Dedup::new();
    dedup.add("b", FLOATS, "float32", "DRAM").unwrap();
    dedup.add("a", FLOATS, "float32", "DRAM").unwrap();
    dedup.add("a", FLOATS, "uint8", "DRAM").unwrap();
    dedup.add("b", FLOATS, "int8", "DRAM").unwrap();
    assert_eq!(dedup.name_of("a"), Some("b"));
    assert_eq!(dedup.name_as("a", "float32", "DRAM"), Some("b"));
    assert_eq!(dedup.name_as("a", "uint8", "DRAM"), Some("a"));
    assert_eq!(dedup.name_as("a", "int8", "DRAM"), None);
    assert_eq!(dedup.unique_files(), 3);
    assert_eq!(dedup.files().map(|(name, _)| name).collect::<Vec<_>>(), ["b", "a"]);
}

#[test]
fn message_counts_whole_kilobytes() {
    let mut dedup = Dedup::new();
    for (name, size) in [("a", 2047), ("b", 2047)] {
        dedup.add(name, vec![7u8; size], "uint8", "DRAM").unwrap();
    }
    assert_eq!(dedup.message().as_deref(), Some("Const File de-dup saved 1 KB of memory footprint"));
}

/// Contents that count how often they are hashed.
#[derive(Debug)]
struct Counted<'c>(Cow<'static, [u8]>, &'c Cell<u32>);

impl Content for Counted<'_> {
    fn size(&self) -> u64 {
        self.0.size()
    }
    fn digest(&self) -> Result<Md5> {
        self.1.set(self.1.get() + 1);
        self.0.digest()
    }
    fn same_bytes(&self, other: &Self) -> Result<bool> {
        self.0.same_bytes(&other.0)
    }
}

#[test]
fn hashes_only_what_could_have_an_equal() {
    let hashed = Cell::new(0);
    let mut dedup: Session<Counted<'_>> = Session::new();
    let mut add = |name: &str, bytes: &'static [u8], dtype: &str| {
        let added = dedup.add(name, Counted(Cow::Borrowed(bytes), &hashed), dtype, "DRAM").unwrap();
        (String::from(added.name), hashed.get())
    };
    assert_eq!(add("a", b"1", "uint8"), ("a".into(), 0));
    assert_eq!(add("b", b"22", "uint8"), ("b".into(), 0));
    assert_eq!(add("c", b"1", "int8"), ("c".into(), 0), "another type is never merged");
    assert_eq!(add("d", b"22", "uint8"), ("b".into(), 0), "one other file is compared at once");
    assert_eq!(add("e", b"33", "uint8"), ("e".into(), 2), "two distinct ones need keys");
    assert_eq!(add("f", b"33", "uint8"), ("e".into(), 3));
    assert_eq!(dedup.records().iter().map(Record::is_hashed).collect::<Vec<_>>(), [false, true, false, true]);
    assert_eq!(dedup.records()[0].key().unwrap(), "c4ca4238a0b923820dcc509a6f75849buint8DRAM");
    assert_eq!(dedup.records()[0].key().unwrap(), "c4ca4238a0b923820dcc509a6f75849buint8DRAM");
    assert_eq!(hashed.get(), 4);
}

/// What cannot be read.
struct Broken;

impl Content for Broken {
    fn size(&self) -> u64 {
        1
    }
    fn digest(&self) -> Result<Md5> {
        Err(Error::new(ErrorCode::Io, "gone"))
    }
    fn same_bytes(&self, _: &Self) -> Result<bool> {
        Ok(false)
    }
}

#[test]
fn a_content_that_cannot_be_read_changes_nothing() {
    let mut dedup: Session<Broken> = Session::new();
    dedup.add("a", Broken, "uint8", "DRAM").unwrap();
    assert_eq!(dedup.add("b", Broken, "uint8", "DRAM").unwrap_err().code, ErrorCode::Io);
    assert_eq!(dedup.add("a", Broken, "uint8", "DRAM").unwrap_err().message, "gone");
    assert_eq!((dedup.presented(), dedup.records().len(), dedup.buckets.len()), (1, 1, 0));
    assert_eq!(dedup.records()[0].key().unwrap_err().message, "gone");
}

proptest! {
    /// The session against the obvious model: a list searched from the front.
    #[test]
    fn agrees_with_a_linear_search(files in prop::collection::vec((0u8..6, 0u8..3, 0usize..3), 0..40)) {
        let mut dedup = Dedup::new();
        let mut model: Vec<(String, Vec<u8>, &str)> = Vec::new();
        let mut contents = BTreeMap::new();
        let mut saved = 0;
        for (name, content, dtype) in files {
            let name = alloc::format!("f{name}");
            let bytes = vec![content; usize::from(content) + 1];
            let dtype = ["uint8", "int8", "float32"][dtype];
            if contents.entry(name.clone()).or_insert(content) != &content {
                prop_assert_eq!(dedup.add(&name, bytes, dtype, "DRAM").unwrap_err().code, ErrorCode::Conflict);
                continue;
            }
            let hit = model.iter().find(|(_, b, d)| *b == bytes && *d == dtype).map(|(n, ..)| n.clone());
            if hit.is_some() { saved += bytes.len() as u64 } else { model.push((name.clone(), bytes.clone(), dtype)) }
            let added = dedup.add(&name, bytes, dtype, "DRAM").unwrap();
            prop_assert_eq!(added.matched, hit.is_some());
            prop_assert_eq!(added.name, hit.as_deref().unwrap_or(&name));
        }
        prop_assert_eq!(dedup.saved_bytes(), saved);
        prop_assert_eq!(dedup.unique_files(), model.len());
        let distinct: BTreeSet<_> = model.iter().map(|m| m.0.as_str()).collect();
        let files: Vec<_> = dedup.files().map(|f| f.0).collect();
        prop_assert_eq!(files.len(), distinct.len());
        prop_assert_eq!(files.into_iter().collect::<BTreeSet<_>>(), distinct);
    }
}
