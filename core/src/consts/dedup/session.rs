//! The session: which file is the same as an earlier one, under which name it is stored, and what that saves.
#![forbid(unsafe_code)]

use super::content::Content;
use crate::consts::digest::hex;
use crate::consts::key::{join_key, location_key};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::copy;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::fmt;
use hashbrown::HashMap;

/// Indices by a key. The seeds are fixed: lookups must not vary from run to run.
type Map<K, V> = HashMap<K, V, ahash::RandomState>;

/// One distinct constant: the first file presented with its bytes, element type and memory type.
#[derive(Clone, Debug)]
pub struct Record<C> {
    /// The canonical name: the one presented first.
    pub name: String,
    /// All bytes of the file.
    pub content: C,
    /// The second half of the key.
    location: String,
    key: OnceCell<String>,
}

impl<C: Content> Record<C> {
    /// The key of `spec/consts.md` section 6.1; the contents are hashed when it is first asked for.
    ///
    /// # Errors
    /// What [`Content::digest`] answers.
    pub fn key(&self) -> Result<&str> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let key = join_key(&self.content.digest()?, &self.location);
        Ok(self.key.get_or_init(|| key))
    }

    /// Whether the key is known, so that asking for it costs nothing.
    pub fn is_hashed(&self) -> bool {
        self.key.get().is_some()
    }
}

/// One call of [`Session::add`].
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

/// What [`Session::add`] decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added<'s> {
    /// The canonical name to use from now on.
    pub name: &'s str,
    /// The index of the record.
    pub record: usize,
    /// Whether an earlier record was matched.
    pub matched: bool,
}

/// The records of one group of contents and one location key.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// One, which needs no key yet.
    Alone(usize),
    /// Several; each stands in the bucket of its key.
    Keyed,
}

/// A de-duplication session.
#[derive(Clone, Debug)]
pub struct Session<C> {
    enabled: bool,
    records: Vec<Record<C>>,
    presentations: Vec<Presentation>,
    /// The location keys that occurred, numbered.
    locations: Map<String, usize>,
    /// By group of contents and number of the location key.
    slots: Map<(u64, usize), Slot>,
    pub(super) buckets: Map<String, Vec<usize>>,
    /// The first and the last presentation of a name.
    names: Map<String, (usize, usize)>,
    /// Of each presentation the next one of its name.
    later: Vec<Option<usize>>,
    saved_bytes: u64,
}

impl<C> Default for Session<C> {
    fn default() -> Self {
        Session::new()
    }
}

/// Where a presentation leads.
enum Found {
    /// To this record.
    Record(usize),
    /// To a new one, the first of its slot.
    First,
    /// To a new one in the bucket of this key.
    New(String),
}

impl<C> Session<C> {
    /// A session that merges.
    pub fn new() -> Self {
        let hasher = || ahash::RandomState::with_seeds(1, 2, 3, 4);
        Session {
            enabled: true,
            records: Vec::new(),
            presentations: Vec::new(),
            locations: Map::with_hasher(hasher()),
            slots: Map::with_hasher(hasher()),
            buckets: Map::with_hasher(hasher()),
            names: Map::with_hasher(hasher()),
            later: Vec::new(),
            saved_bytes: 0,
        }
    }

    /// A session with the gate `enableConstFileDedup` off: every name comes back unchanged and the counters stay 0.
    /// Names are still checked, and [`records`](Self::records) holds every file once per name.
    pub fn disabled() -> Self {
        Session { enabled: false, ..Session::new() }
    }

    /// Whether the session merges.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// The canonical name of a presented file as first presented under `name`; `None` if it never was.
    ///
    /// If one name was presented with several element or memory types, [`name_as`](Self::name_as) tells them apart.
    pub fn name_of(&self, name: &str) -> Option<&str> {
        self.records_of(name).next().map(|(_, record)| record.name.as_str())
    }

    /// The canonical name of the file presented as `name` with these types; `None` if it never was.
    pub fn name_as(&self, name: &str, dtype: &str, memory_type: &str) -> Option<&str> {
        let location = location_key(dtype, memory_type);
        self.records_of(name).find(|(_, record)| record.location == location).map(|(_, record)| record.name.as_str())
    }

    /// The records in order of first appearance.
    pub fn records(&self) -> &[Record<C>] {
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
    pub fn stored(&self) -> impl Iterator<Item = &Record<C>> {
        self.records.iter().enumerate().filter_map(|(i, record)| {
            // A record of the name exists before this one exactly if the first presentation of the name led to it,
            // or one between: compare with the first record that bears the name.
            let first = self.records_of(&record.name).find(|(_, other)| other.name == record.name)?;
            (first.0 == i).then_some(record)
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
        saved_message(self.saved_bytes)
    }

    /// The records that presentations of `name` led to, in their order.
    fn records_of(&self, name: &str) -> impl Iterator<Item = (usize, &Record<C>)> {
        let first = self.names.get(name).map(|(first, _)| *first);
        let presentations = core::iter::successors(first, |p| self.later.get(*p).copied().flatten());
        let presentations = presentations.filter_map(|p| self.presentations.get(p));
        presentations.filter_map(|p| Some((p.record, self.records.get(p.record)?)))
    }
}

impl<C: Content> Session<C> {
    /// Presents the file `name` with its contents, the element type of the tensor and the memory type of the location
    /// (the IR's spellings), and returns the canonical name.
    ///
    /// Present constants in module order (`spec/consts.md` section 6.4): the canonical name is the first one presented.
    ///
    /// # Errors
    ///
    /// - `Conflict`: `name` was presented before with other bytes;
    /// - what reading the contents answers; `OutOfMemory`.
    pub fn add(&mut self, name: &str, content: impl Into<C>, dtype: &str, memory_type: &str) -> Result<Added<'_>> {
        let content = content.into();
        let location = location_key(dtype, memory_type);
        if let Some((_, record)) = self.records_of(name).next()
            && !record.content.same_bytes(&content)?
        {
            return Err(Error::new(ErrorCode::Conflict, "a constant file was presented twice with different contents")
                .expected_found(describe(&record.content)?, describe(&content)?)
                .at(name));
        }
        let slot = (content.group(), self.number(&location)?);
        let found = if self.enabled {
            self.find(&content, slot, &location)?
        } else {
            let own = self.records_of(name).find(|(_, record)| record.location == location);
            own.map_or(Found::First, |(i, _)| Found::Record(i))
        };

        // Everything that can fail comes first, so that a failed call leaves the session as it was.
        let presented = copy(name)?;
        self.presentations.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.later.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        let known = self.names.get(name).copied();
        let named = if known.is_none() { Some(copy(name)?) } else { None };
        self.names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        let (record, matched) = match found {
            Found::Record(record) => {
                if self.enabled {
                    self.saved_bytes = self.saved_bytes.saturating_add(content.size());
                }
                (record, self.enabled)
            }
            Found::First | Found::New(_) => (self.append(name, content, slot, location, found)?, false),
        };
        let place = self.presentations.len();
        if let Some((_, last)) = known
            && let Some(later) = self.later.get_mut(last)
        {
            *later = Some(place);
        }
        match (self.names.get_mut(name), named) {
            (Some((_, last)), _) => *last = place,
            (None, Some(named)) => drop(self.names.insert(named, (place, place))),
            (None, None) => {}
        }
        self.presentations.push(Presentation { name: presented, record, matched });
        self.later.push(None);
        let name = self.records.get(record).map_or("", |r| r.name.as_str());
        Ok(Added { name, record, matched })
    }

    /// The number of a location key.
    fn number(&mut self, location: &str) -> Result<usize> {
        if let Some(number) = self.locations.get(location) {
            return Ok(*number);
        }
        let number = self.locations.len();
        self.locations.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.locations.insert(copy(location)?, number);
        Ok(number)
    }

    /// The record with these contents and this location key. Only a second content of a group makes keys necessary.
    fn find(&self, content: &C, slot: (u64, usize), location: &str) -> Result<Found> {
        match self.slots.get(&slot) {
            None => return Ok(Found::First),
            Some(Slot::Alone(i)) => {
                if let Some(record) = self.records.get(*i)
                    && record.content.same_bytes(content)?
                {
                    return Ok(Found::Record(*i));
                }
            }
            Some(Slot::Keyed) => {}
        }
        let key = join_key(&content.digest()?, location);
        for &i in self.buckets.get(&key).map_or(&[][..], Vec::as_slice) {
            if let Some(record) = self.records.get(i)
                && record.content.same_bytes(content)?
            {
                return Ok(Found::Record(i));
            }
        }
        Ok(Found::New(key))
    }

    /// Adds a record; its index. A failure leaves everything as it was.
    fn append(&mut self, name: &str, content: C, slot: (u64, usize), location: String, found: Found) -> Result<usize> {
        let index = self.records.len();
        let record = Record { name: copy(name)?, content, location, key: OnceCell::new() };
        self.records.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        if let Found::New(key) = found {
            self.key_slot(slot)?;
            reserve_index(&mut self.buckets, &key)?;
            push_index(&mut self.buckets, &key, index);
            // A new cell takes what it is given.
            let _ = record.key.set(key);
        } else if self.enabled {
            self.slots.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            self.slots.insert(slot, Slot::Alone(index));
        }
        self.records.push(record);
        Ok(index)
    }

    /// Brings a record that is alone in its slot into the bucket of its key.
    fn key_slot(&mut self, slot: (u64, usize)) -> Result<()> {
        if let Some(state) = self.slots.get_mut(&slot)
            && let Slot::Alone(alone) = *state
            && let Some(record) = self.records.get(alone)
        {
            let key = record.key()?;
            reserve_index(&mut self.buckets, key)?;
            push_index(&mut self.buckets, key, alone);
            *state = Slot::Keyed;
        }
        Ok(())
    }
}

impl Session<Cow<'_, [u8]>> {
    /// The names and bytes of [`stored`](Self::stored).
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.stored().map(|record| (record.name.as_str(), &*record.content))
    }
}

/// The packager's line about so many saved bytes, in whole KB; `None` below one KB (`spec/consts.md` section 6.6).
pub fn saved_message(bytes: u64) -> Option<String> {
    let kilobytes = bytes / 1024;
    (kilobytes > 0).then(|| alloc::format!("Const File de-dup saved {kilobytes} KB of memory footprint"))
}

fn describe<C: Content>(content: &C) -> Result<String> {
    Ok(alloc::format!("{} bytes with MD5 {}", content.size(), hex(&content.digest()?)))
}

/// Makes room for one more index below `key`; the entry may stay empty.
fn reserve_index(map: &mut Map<String, Vec<usize>>, key: &str) -> Result<()> {
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
fn push_index(map: &mut Map<String, Vec<usize>>, key: &str, index: usize) {
    if let Some(indices) = map.get_mut(key) {
        indices.push(index);
    }
}
