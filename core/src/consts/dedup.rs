//! A compiled program holds the same weights many times; a session of [`Dedup`] finds the equal ones so that the package
//! stores each once.
//!
//! MD5 alone decides nothing, because collisions are cheap to make: constants with equal keys share a bucket and are
//! compared byte for byte (`spec/consts.md` sections 6.3 and 6.7). Records and presentations are kept in the order in
//! which they came, and only that order is ever visible.
#![forbid(unsafe_code)]

use super::key::dedup_key;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::copy;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use hashbrown::HashMap;

type Map = HashMap<String, Vec<usize>, ahash::RandomState>;

/// One distinct constant: the first file presented with its bytes, element type and memory type.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The canonical name: the one presented first.
    pub name: String,
    /// All bytes of the file.
    pub bytes: Cow<'a, [u8]>,
    /// The key of `spec/consts.md` section 6.1.
    pub key: String,
}

/// One call of [`Dedup::add`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// The name as presented.
    pub name: String,
    /// The index of its record.
    pub record: usize,
    /// Whether the record was there already or came with this presentation.
    pub matched: bool,
}

/// A diagnostic of one presentation; displayed, it is the product's line (`spec/consts.md` section 6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic<'s> {
    /// The name as presented.
    pub name: &'s str,
    /// The name to use instead.
    pub canonical: &'s str,
    /// Whether an earlier record was matched.
    pub matched: bool,
}

impl fmt::Display for Diagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.matched {
            write!(f, "found match for {}: {}", self.name, self.canonical)
        } else {
            write!(f, "added new uniq {}", self.name)
        }
    }
}

/// What [`Dedup::add`] decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added<'s> {
    /// The canonical name to use from now on.
    pub name: &'s str,
    /// The index of the record.
    pub record: usize,
    /// Whether an earlier record was matched.
    pub matched: bool,
}

/// A de-duplication session.
#[derive(Clone, Debug)]
pub struct Dedup<'a> {
    enabled: bool,
    records: Vec<Record<'a>>,
    presentations: Vec<Presentation>,
    buckets: Map,
    names: Map,
    saved_bytes: u64,
}

impl Default for Dedup<'_> {
    fn default() -> Self {
        Dedup::new()
    }
}

impl<'a> Dedup<'a> {
    /// A session that merges.
    pub fn new() -> Self {
        // Fixed seeds: lookups must not vary from run to run.
        let map = || Map::with_hasher(ahash::RandomState::with_seeds(1, 2, 3, 4));
        Dedup {
            enabled: true,
            records: Vec::new(),
            presentations: Vec::new(),
            buckets: map(),
            names: map(),
            saved_bytes: 0,
        }
    }

    /// A session with the gate `enableConstFileDedup` off: every name comes back unchanged and the counters stay 0.
    /// Names are still checked, and [`records`](Self::records) holds every file once per name.
    pub fn disabled() -> Self {
        Dedup { enabled: false, ..Dedup::new() }
    }

    /// Whether the session merges.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Presents the file `name` with all its bytes, the element type of the tensor and the memory type of the location
    /// (the IR's spellings), and returns the canonical name.
    ///
    /// Present constants in module order (`spec/consts.md` section 6.4): the canonical name is the first one presented.
    ///
    /// # Errors
    ///
    /// - `Conflict`: `name` was presented before with other bytes;
    /// - `OutOfMemory`.
    pub fn add(
        &mut self,
        name: &str,
        bytes: impl Into<Cow<'a, [u8]>>,
        dtype: &str,
        memory_type: &str,
    ) -> Result<Added<'_>> {
        let bytes = bytes.into();
        let earlier = self.names.get(name).and_then(|p| p.first()).and_then(|&p| self.presentations.get(p));
        let earlier = earlier.and_then(|p| self.records.get(p.record));
        if let Some(record) = earlier.filter(|record| record.bytes != bytes) {
            return Err(Error::new(ErrorCode::Conflict, "a constant file was presented twice with different contents")
                .expected_found(describe(&record.bytes), describe(&bytes))
                .at(name));
        }
        let key = dedup_key(&bytes, dtype, memory_type);
        let bucket = self.buckets.get(&key).map_or(&[][..], Vec::as_slice);
        let enabled = self.enabled;
        let hit = bucket
            .iter()
            .copied()
            .find(|&i| self.records.get(i).is_some_and(|r| if enabled { r.bytes == bytes } else { r.name == name }));
        let (record, matched) = match hit {
            Some(record) => (record, enabled),
            None => (self.records.len(), false),
        };

        // Everything that can fail comes first, so that a failed call leaves the session as it was.
        let presented = copy(name)?;
        self.presentations.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        reserve_index(&mut self.names, name)?;
        if hit.is_none() {
            let canonical = copy(name)?;
            self.records.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            reserve_index(&mut self.buckets, &key)?;
            push_index(&mut self.buckets, &key, record);
            self.records.push(Record { name: canonical, bytes, key });
        } else if enabled {
            self.saved_bytes = self.saved_bytes.saturating_add(bytes.len() as u64);
        }
        push_index(&mut self.names, name, self.presentations.len());
        self.presentations.push(Presentation { name: presented, record, matched });
        let name = self.records.get(record).map_or("", |r| r.name.as_str());
        Ok(Added { name, record, matched })
    }

    /// The canonical name of a presented file as first presented under `name`; `None` if it never was.
    ///
    /// If one name was presented with several element or memory types, [`name_as`](Self::name_as) tells them apart.
    pub fn name_of(&self, name: &str) -> Option<&str> {
        let presentation = self.presentations.get(*self.names.get(name)?.first()?)?;
        self.records.get(presentation.record).map(|r| r.name.as_str())
    }

    /// The canonical name of the file presented as `name` with these types; `None` if it never was.
    pub fn name_as(&self, name: &str, dtype: &str, memory_type: &str) -> Option<&str> {
        let suffix = super::key::location_key(dtype, memory_type);
        let presentations = self.names.get(name)?.iter().filter_map(|&p| self.presentations.get(p));
        let mut records = presentations.filter_map(|p| self.records.get(p.record));
        records.find(|r| r.key.get(32..) == Some(suffix.as_str())).map(|r| r.name.as_str())
    }

    /// The records in order of first appearance.
    pub fn records(&self) -> &[Record<'a>] {
        &self.records
    }

    /// Every call of [`add`](Self::add) in order.
    pub fn presentations(&self) -> &[Presentation] {
        &self.presentations
    }

    /// One diagnostic per presentation, in order.
    pub fn diagnostics(&self) -> impl Iterator<Item = Diagnostic<'_>> {
        self.presentations.iter().filter_map(|p| {
            let canonical = self.records.get(p.record)?.name.as_str();
            Some(Diagnostic { name: &p.name, canonical, matched: p.matched })
        })
    }

    /// The files a package has to hold, one per canonical name, in order of first appearance.
    ///
    /// Fewer than [`records`](Self::records) where one file is used with several types: those records have one name
    /// and equal bytes.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.records.iter().enumerate().filter_map(|(i, record)| {
            // A record of the name exists before this one exactly if the first presentation of the name led to it,
            // or one between: compare with the first record that bears the name.
            let mut own = self.names.get(&record.name)?.iter().filter_map(|&p| self.presentations.get(p));
            let first = own.find(|p| self.records.get(p.record).is_some_and(|r| r.name == record.name))?;
            (first.record == i).then(|| (record.name.as_str(), &*record.bytes))
        })
    }

    /// Number of presentations.
    pub fn presented(&self) -> usize {
        self.presentations.len()
    }

    /// Number of records over all buckets (`getNumUniqFiles`); 0 if the gate is off.
    pub fn unique_files(&self) -> usize {
        if self.enabled { self.records.len() } else { 0 }
    }

    /// Sum of the sizes of files that matched an earlier one, in bytes (`getBytsDedupedTotal`); 0 if the gate is off.
    pub fn saved_bytes(&self) -> u64 {
        self.saved_bytes
    }

    /// The packager's line about the saved memory, in whole KB; `None` below one KB (`spec/consts.md` section 6.6).
    pub fn message(&self) -> Option<String> {
        let kilobytes = self.saved_bytes / 1024;
        (kilobytes > 0).then(|| alloc::format!("Const File de-dup saved {kilobytes} KB of memory footprint"))
    }
}

fn describe(bytes: &[u8]) -> String {
    alloc::format!("{} bytes with MD5 {}", bytes.len(), super::key::content_key(bytes))
}

/// Makes room for one more index below `key`; the entry may stay empty.
fn reserve_index(map: &mut Map, key: &str) -> Result<()> {
    if let Some(indices) = map.get_mut(key) {
        return indices.try_reserve(1).map_err(|_| Error::out_of_memory());
    }
    map.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    let mut indices = Vec::new();
    indices.try_reserve_exact(1).map_err(|_| Error::out_of_memory())?;
    map.insert(copy(key)?, indices);
    Ok(())
}

/// Adds an index below `key`, for which [`reserve_index`] made room.
fn push_index(map: &mut Map, key: &str, index: usize) {
    if let Some(indices) = map.get_mut(key) {
        indices.push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            [
                "added new uniq a",
                "found match for b: a",
                "added new uniq c",
                "added new uniq d",
                "found match for e: a"
            ]
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
        assert_eq!(dedup.records()[0].key, dedup.records()[1].key);
        assert!(dedup.records()[0].key.starts_with("79054025255fb1a26e4bc422aef54eb4"));
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
}
