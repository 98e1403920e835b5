//! The literals and matches of one block, with their frequencies.
#![forbid(unsafe_code)]

use super::alphabet::{DISTANCES, END_OF_BLOCK, FIRST_LENGTH, LENGTH_CODES, LITERALS, MIN_MATCH, distance_code};
use crate::error::Result;
use crate::fallible::boxed_array;
use alloc::boxed::Box;

/// A block ends after so many symbols.
pub(super) const BLOCK_SYMBOLS: usize = (1 << 14) - 1;

/// A literal is its byte. A match has [`MATCH`], its length less 3 in 8 bits, its distance less 1 in 15, and from
/// [`DISTANCE_CODE`] on the distance code.
pub(super) type Symbol = u32;
pub(super) const MATCH: Symbol = 1 << 31;
pub(super) const DISTANCE: u32 = 8;
pub(super) const DISTANCE_CODE: u32 = 23;

/// A block in the making.
pub(super) struct Symbols {
    list: Box<[Symbol; BLOCK_SYMBOLS + 1]>,
    len: usize,
    /// Frequency of each byte, then of each length less [`MIN_MATCH`].
    counts: Box<[u32; 512]>,
    distances: [u32; 32],
}

impl Symbols {
    pub(super) fn new() -> Result<Self> {
        Ok(Symbols { list: boxed_array(0)?, len: 0, counts: boxed_array(0)?, distances: [0; 32] })
    }

    pub(super) fn reset(&mut self) {
        self.len = 0;
        self.counts.fill(0);
        self.distances = [0; 32];
    }

    pub(super) fn is_full(&self) -> bool {
        self.len >= BLOCK_SYMBOLS
    }

    /// Adds a byte. The block must not be full.
    #[inline(always)]
    pub(super) fn literal(&mut self, byte: u8) {
        self.list[self.len & BLOCK_SYMBOLS] = byte.into();
        self.len += 1;
        self.counts[usize::from(byte)] += 1;
    }

    /// Adds a match of 3 to 258 bytes at a distance of 1 to 32768. The block must not be full.
    #[inline(always)]
    pub(super) fn found(&mut self, length: usize, distance: usize) {
        let length = (length - MIN_MATCH) & 0xff;
        let distance = (distance - 1) as u32 & 0x7fff;
        let code = distance_code(distance);
        self.list[self.len & BLOCK_SYMBOLS] = MATCH | length as u32 | distance << DISTANCE | code << DISTANCE_CODE;
        self.len += 1;
        self.counts[256 + length] += 1;
        self.distances[code as usize & 31] += 1;
    }

    pub(super) fn list(&self) -> &[Symbol] {
        self.list.get(..self.len).unwrap_or_default()
    }

    /// Frequencies of the literal alphabet, with one end of the block.
    pub(super) fn literal_frequencies(&self) -> [u32; LITERALS] {
        let mut frequencies = [0; LITERALS];
        let (bytes, lengths) = self.counts.split_at(256);
        for (frequency, count) in frequencies.iter_mut().zip(bytes) {
            *frequency = *count;
        }
        if let Some(end) = frequencies.get_mut(END_OF_BLOCK) {
            *end = 1;
        }
        for (code, count) in LENGTH_CODES.iter().zip(lengths) {
            if let Some(frequency) = frequencies.get_mut(FIRST_LENGTH + usize::from(*code)) {
                *frequency += count;
            }
        }
        frequencies
    }

    /// Frequencies of the distance codes.
    pub(super) fn distance_frequencies(&self) -> [u32; DISTANCES] {
        let mut frequencies = [0; DISTANCES];
        for (frequency, count) in frequencies.iter_mut().zip(self.distances) {
            *frequency = count;
        }
        frequencies
    }

    /// Bytes that the last symbol stands for; 0 if there is none.
    pub(super) fn last_length(&self) -> usize {
        match self.list().last() {
            None => 0,
            Some(symbol) if symbol & MATCH == 0 => 1,
            Some(symbol) => (symbol & 0xff) as usize + MIN_MATCH,
        }
    }
}
