//! Small contents that were read once and are met again, so that a copy among thousands is compared, and hashed, without
//! reading either file a second time.
#![forbid(unsafe_code)]

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
    known: HashMap<u32, Vec<Known>>,
    bytes: usize,
}

/// A file and its bytes.
type Known = (usize, Box<[u8]>);

impl Cache {
    /// The file that had exactly these bytes before. If there is none they are kept for the next one, if there is room.
    pub fn meet(&self, print: u32, file: usize, bytes: &[u8]) -> Option<usize> {
        let mut shard = self.shard(print)?;
        let shard = &mut *shard;
        let bucket = shard.known.get(&print).map_or(&[][..], Vec::as_slice);
        if let Some((earlier, _)) = bucket.iter().find(|(_, known)| **known == *bytes) {
            return Some(*earlier);
        }
        let total = shard.bytes.saturating_add(bytes.len());
        let mut copy = Vec::new();
        if total <= CAPACITY / SHARDS
            && copy.try_reserve_exact(bytes.len()).is_ok()
            && shard.known.try_reserve(1).is_ok()
        {
            copy.extend_from_slice(bytes);
            shard.known.entry(print).or_default().push((file, copy.into_boxed_slice()));
            shard.bytes = total;
        }
        None
    }

    /// All that was kept: the files and their bytes, in no order that means anything.
    pub fn into_known(self) -> impl Iterator<Item = (usize, Box<[u8]>)> {
        let shards = self.0.into_iter().map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        shards.flat_map(|shard| shard.known.into_values().flatten())
    }

    fn shard(&self, print: u32) -> Option<MutexGuard<'_, Shard>> {
        let shard = self.0.get(print as usize % SHARDS)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
