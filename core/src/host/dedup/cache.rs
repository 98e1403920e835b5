//! Small contents that are met again, so that a copy among thousands is compared, and hashed, without reading every file a
//! second time. Most files have no copy, and fresh memory costs as much as reading does, so bytes are kept only when a second file
//! of their print turns up, or when they are to be hashed in any case.
#![forbid(unsafe_code)]

use crate::host::stamp::Stamp;
use std::boxed::Box;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

/// The most bytes kept. What does not fit is read again if it is needed again.
const CAPACITY: usize = 32 << 20;

/// Parts with a lock of their own, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// The contents by a number that equal ones share.
#[derive(Debug, Default)]
pub(super) struct Cache([Mutex<Shard>; SHARDS]);

#[derive(Debug, Default)]
struct Shard {
    seen: HashMap<u32, Vec<Seen>>,
    bytes: usize,
}

/// A file that was read.
#[derive(Debug)]
struct Seen {
    file: usize,
    contents: Contents,
}

#[derive(Debug)]
enum Contents {
    /// Not kept: what the file was when it was read.
    Dropped(Stamp),
    Kept(Box<[u8]>),
    /// Not to be had, for want of room or because the file cannot be read again.
    Lost,
}

/// What is known of a file's bytes.
#[derive(Debug)]
pub(super) enum Met {
    /// No earlier file has them; this one was noted.
    New,
    /// This file had exactly these bytes.
    Equal(usize),
    /// This file may have them and has to be read again: see [`Cache::keep`].
    Unread(usize, Stamp),
}

impl Contents {
    /// The bytes as they are kept, if there is room beside the `kept` ones.
    fn keep(bytes: &[u8], kept: &mut usize) -> Contents {
        let total = kept.saturating_add(bytes.len());
        let mut copy = Vec::new();
        if total > CAPACITY / SHARDS || copy.try_reserve_exact(bytes.len()).is_err() {
            return Contents::Lost;
        }
        copy.extend_from_slice(bytes);
        *kept = total;
        Contents::Kept(copy.into_boxed_slice())
    }
}

impl Cache {
    /// Looks for these bytes among those of earlier files. `keep`: whether they are wanted later.
    pub fn meet(&self, print: u32, file: usize, stamp: &Stamp, bytes: &[u8], keep: bool) -> Met {
        let Some(mut shard) = self.shard(print) else { return Met::New };
        for seen in shard.seen.get(&print).map_or(&[][..], Vec::as_slice) {
            match &seen.contents {
                Contents::Kept(known) if **known == *bytes => return Met::Equal(seen.file),
                Contents::Dropped(earlier) if earlier.length == stamp.length => {
                    return Met::Unread(seen.file, earlier.clone());
                }
                _ => {}
            }
        }
        if shard.seen.try_reserve(1).is_ok() {
            let contents =
                if keep { Contents::keep(bytes, &mut shard.bytes) } else { Contents::Dropped(stamp.clone()) };
            let seen = shard.seen.entry(print).or_default();
            // Seldom is there a second one.
            if seen.try_reserve_exact(1).is_ok() {
                seen.push(Seen { file, contents });
            }
        }
        Met::New
    }

    /// Keeps the bytes of a file that was read again; `None` if it could not be.
    pub fn keep(&self, print: u32, file: usize, bytes: Option<&[u8]>) {
        let Some(mut shard) = self.shard(print) else { return };
        let Shard { seen, bytes: kept } = &mut *shard;
        let seen = seen.get_mut(&print).and_then(|all| all.iter_mut().find(|seen| seen.file == file));
        // Another thread may have read it too.
        if let Some(seen) = seen.filter(|seen| !matches!(seen.contents, Contents::Kept(_))) {
            seen.contents = bytes.map_or(Contents::Lost, |bytes| Contents::keep(bytes, kept));
        }
    }

    /// All that was kept: the files and their bytes, in no order that means anything.
    pub fn into_known(self) -> impl Iterator<Item = (usize, Box<[u8]>)> {
        let shards = self.0.into_iter().map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let seen = shards.flat_map(|shard| shard.seen.into_values().flatten());
        seen.filter_map(|seen| match seen.contents {
            Contents::Kept(bytes) => Some((seen.file, bytes)),
            Contents::Dropped(_) | Contents::Lost => None,
        })
    }

    fn shard(&self, print: u32) -> Option<MutexGuard<'_, Shard>> {
        let shard = self.0.get(print as usize % SHARDS)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
