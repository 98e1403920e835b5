//! The greedy search for an earlier string, with the limits of zlib's level 1: good 4, insert limit 4, nice length 8, chain
//! length 4.
//!
//! zlib chains all strings of one hash, and follows a chain for at most four steps. So the four newest of each hash are all that
//! matters, and these fit into one word: one access instead of up to eight.
#![forbid(unsafe_code)]

use super::alphabet::{MAX_MATCH, MIN_MATCH};
use super::symbols::Symbols;
use super::window::{HALF, VIEW};
use crate::error::Result;
use crate::fallible::boxed_array;
use alloc::boxed::Box;

/// Number of hashes of three bytes.
const HASHES: usize = 1 << 15;
/// Hashes that are cleared together.
const PAGE: usize = 32;
/// zlib moves on, or asks for input, when fewer bytes are left in its window.
pub(super) const MIN_LOOKAHEAD: usize = MAX_MATCH + MIN_MATCH + 1;
/// How far back the newest string may be; older ones must be nearer.
const MAX_DISTANCE: usize = HALF - MIN_LOOKAHEAD;
/// A match of this length ends the search.
const NICE: usize = 8;
/// The strings inside a match up to this length are remembered too.
const INSERT_LIMIT: usize = 4;
/// No string begins in the view from here on: the last one's inner strings are still within the positions' 16 bits.
pub(super) const VIEW_LIMIT: usize = 2 * HALF - 2 * INSERT_LIMIT;

/// The strings seen so far.
pub(super) struct Matcher {
    /// For each hash the positions of the four newest strings in the view, the newest in the lowest 16 bits. 0 is no string,
    /// so the very first one of the input is never found, in zlib as well.
    newest: Box<[u64; HASHES]>,
    /// Which pages of [`PAGE`] hashes have strings: few in long matches, whose insides are not remembered.
    used: [bool; HASHES / PAGE],
}

#[inline(always)]
fn load(view: &[u8; VIEW], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&view[at..at + 8]);
    u64::from_le_bytes(word)
}

/// The hash of the three lowest bytes, of which the lowest comes first.
#[inline(always)]
fn hash(string: u64) -> usize {
    let string = string as u32;
    (string << 10 ^ (string >> 3 & 0x1fe0) ^ (string >> 16 & 0xff)) as usize & (HASHES - 1)
}

impl Matcher {
    pub(super) fn new() -> Result<Self> {
        Ok(Matcher { newest: boxed_array(0)?, used: [false; HASHES / PAGE] })
    }

    pub(super) fn reset(&mut self) {
        let (pages, _) = self.newest.as_chunks_mut::<PAGE>();
        for (page, used) in pages.iter_mut().zip(&mut self.used).filter(|(_, used)| **used) {
            page.fill(0);
            *used = false;
        }
    }

    /// The view moves on by [`HALF`]: strings before it, and the one at its start, are forgotten.
    pub(super) fn advance(&mut self) {
        const TOP: u64 = 0x8000_8000_8000_8000;
        let (pages, _) = self.newest.as_chunks_mut::<PAGE>();
        for (page, used) in pages.iter_mut().zip(&mut self.used).filter(|(_, used)| **used) {
            let mut all = 0;
            for positions in page {
                let kept = *positions & TOP;
                *positions &= kept - (kept >> 15);
                all |= *positions;
            }
            *used = all != 0;
        }
    }

    /// Remembers the string at `at` and returns those of the same hash before.
    #[inline(always)]
    fn insert(&mut self, string: u64, at: usize) -> u64 {
        let hash = hash(string);
        self.used[hash / PAGE] = true;
        let newest = &mut self.newest[hash];
        let before = *newest;
        *newest = before << 16 | (at & 0xffff) as u64;
        before
    }

    /// Turns the bytes of the view from `at` on into symbols, as long as they begin before `to` and the block is not full.
    /// Returns where the next symbol begins. `available` bytes are there.
    ///
    /// With `END` the input ends with them. Otherwise there must be [`MIN_LOOKAHEAD`] bytes from each position before `to`.
    pub(super) fn run<const END: bool>(
        &mut self,
        view: &[u8; VIEW],
        mut at: usize,
        to: usize,
        available: usize,
        symbols: &mut Symbols,
    ) -> usize {
        let to = to.min(VIEW_LIMIT);
        while at < to && !symbols.is_full() {
            let left = if END { available - at } else { MIN_LOOKAHEAD };
            let here = load(view, at);
            if END && left < MIN_MATCH {
                symbols.literal(here as u8);
                at += 1;
                continue;
            }
            let before = self.insert(here, at);
            let (mut length, from) = best::<END>(view, before, here, at, left);
            if length < MIN_MATCH {
                symbols.literal(here as u8);
                at += 1;
                continue;
            }
            if length == NICE {
                let longest = if END { left.min(MAX_MATCH) } else { MAX_MATCH };
                length = extend(view, from, at, longest);
            }
            symbols.found(length, at - from);
            if length <= INSERT_LIMIT && (!END || left - length >= MIN_MATCH) {
                for inner in 1..length {
                    self.insert(here >> (8 * inner), at + inner);
                }
            }
            at += length;
        }
        at
    }
}

/// Length, at most 8, and position of the best candidate. With `END` only `left` bytes are there.
#[inline(always)]
fn best<const END: bool>(view: &[u8; VIEW], before: u64, here: u64, at: usize, left: usize) -> (usize, usize) {
    // The newest may be one byte further away than the others, but in the second half of the view zlib moves its window on
    // before it looks, when the input ends, and forgets the string at its start.
    let limit = at.saturating_sub(MAX_DISTANCE);
    let limit_of_newest = if END && limit == HALF { limit } else { at.saturating_sub(MAX_DISTANCE + 1) };
    let past_the_end = if END && left < NICE { 1 << (8 * left) } else { 0 };
    let candidate = |step: usize, limit: usize| {
        let from = (before >> (16 * step) & 0xffff) as usize;
        let unlike = load(view, from) ^ here | u64::from(from <= limit) | past_the_end;
        // The earlier step wins if lengths are equal.
        (unlike.trailing_zeros() as usize & !7) << 1 | (3 - step)
    };
    let key = candidate(0, limit_of_newest).max(candidate(1, limit)).max(candidate(2, limit)).max(candidate(3, limit));
    (key >> 4, (before >> (16 * (3 - (key & 3))) & 0xffff) as usize)
}

/// Length of a match known to have at least 8 bytes.
#[inline(always)]
fn extend(view: &[u8; VIEW], from: usize, at: usize, longest: usize) -> usize {
    let mut length = NICE;
    while length < longest {
        let unlike = load(view, from + length) ^ load(view, at + length);
        if unlike != 0 {
            length += unlike.trailing_zeros() as usize / 8;
            break;
        }
        length += 8;
    }
    length.min(longest)
}
