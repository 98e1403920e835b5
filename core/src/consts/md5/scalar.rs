//! One lane in ordinary registers: every CPU has it, and a single message is hashed fastest this way.
#![forbid(unsafe_code)]

use super::rounds;
use super::simd::{Block, Group, MAX_VECTOR, Simd};

/// No vectors at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar;

impl Scalar {
    /// Hashes the next `blocks` blocks of the first lane.
    pub fn one(self, groups: &mut [Group<'_>; 1], blocks: usize) {
        rounds::compress(self, groups, blocks);
    }
}

impl Simd for Scalar {
    type Word = u32;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(self, word: u32) -> u32 {
        word
    }

    #[inline(always)]
    fn load(self, [first, ..]: &[u32; MAX_VECTOR]) -> u32 {
        *first
    }

    #[inline(always)]
    fn store(self, word: u32, [first, ..]: &mut [u32; MAX_VECTOR]) {
        *first = word;
    }

    #[inline(always)]
    fn words(self, [first, ..]: &[&Block; MAX_VECTOR]) -> [u32; 16] {
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(first.as_flattened().as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        words
    }

    #[inline(always)]
    fn add(self, x: u32, y: u32) -> u32 {
        x.wrapping_add(y)
    }

    #[inline(always)]
    fn and(self, x: u32, y: u32) -> u32 {
        x & y
    }

    #[inline(always)]
    fn not_and(self, x: u32, y: u32) -> u32 {
        !x & y
    }

    #[inline(always)]
    fn or(self, x: u32, y: u32) -> u32 {
        x | y
    }

    #[inline(always)]
    fn xor(self, x: u32, y: u32) -> u32 {
        x ^ y
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: u32) -> u32 {
        x.rotate_left(LEFT as u32)
    }
}
