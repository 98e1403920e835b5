//! Small contents that were read once and are met again, so that a copy among thousands is compared without reading either
//! file a second time.
#![forbid(unsafe_code)]

use crate::consts::digest::Md5;
use std::boxed::Box;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;

/// The most bytes kept. What does not fit is compared on the disk.
const CAPACITY: usize = 32 << 20;

/// The contents by their digest, each with the number of a file that has them.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    known: HashMap<Md5, Vec<(usize, Box<[u8]>)>>,
    bytes: usize,
}

impl Cache {
    /// The file that had exactly these bytes before. If there is none they are kept for the next one, if there is room.
    pub fn meet(&self, digest: Md5, file: usize, bytes: &[u8]) -> Option<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let bucket = state.known.get(&digest).map_or(&[][..], Vec::as_slice);
        if let Some((earlier, _)) = bucket.iter().find(|(_, known)| **known == *bytes) {
            return Some(*earlier);
        }
        let total = state.bytes.saturating_add(bytes.len());
        let mut copy = Vec::new();
        if total <= CAPACITY && copy.try_reserve_exact(bytes.len()).is_ok() && state.known.try_reserve(1).is_ok() {
            copy.extend_from_slice(bytes);
            state.known.entry(digest).or_default().push((file, copy.into_boxed_slice()));
            state.bytes = total;
        }
        None
    }
}
