//! MD5 of eight messages at a time with the vectors that every AArch64 has.
#![allow(unsafe_code)]

use super::rounds;
use super::simd::{Block, Group, MAX_VECTOR, Parts, Simd};
use core::arch::aarch64::*;

/// The CPU has NEON: 4 lanes in a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon(());

/// An operation of NEON, whose vectors are plain numbers to it.
macro_rules! vector {
    ($operation:expr) => {
        // SAFETY:
        // - a value of `Neon` exists only where the CPU has NEON, and this is called with one
        unsafe { $operation }
    };
}

impl Neon {
    /// `None` if the CPU has no NEON.
    pub fn new() -> Option<Self> {
        #[cfg(any(test, feature = "std"))]
        let found = std::arch::is_aarch64_feature_detected!("neon");
        #[cfg(not(any(test, feature = "std")))]
        let found = cfg!(target_feature = "neon");
        found.then_some(Neon(()))
    }

    /// Hashes the next `blocks` blocks of every lane of one group.
    pub fn one(self, groups: &mut [Group<'_>; 1], blocks: usize) {
        #[target_feature(enable = "neon")]
        fn inner(simd: Neon, groups: &mut [Group<'_>; 1], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }

    /// Hashes the next `blocks` blocks of every lane of two groups.
    pub fn two(self, groups: &mut [Group<'_>; 2], blocks: usize) {
        #[target_feature(enable = "neon")]
        fn inner(simd: Neon, groups: &mut [Group<'_>; 2], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }
}

impl Simd for Neon {
    type Word = uint32x4_t;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, word: u32) -> uint32x4_t {
        vector!(vdupq_n_u32(word))
    }

    #[inline(always)]
    fn load(self, from: &[u32; MAX_VECTOR]) -> uint32x4_t {
        // SAFETY:
        // - the CPU has NEON, as `self` shows
        // - there are 4 words to read
        unsafe { vld1q_u32(from.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, words: uint32x4_t, to: &mut [u32; MAX_VECTOR]) {
        // SAFETY:
        // - the CPU has NEON, as `self` shows
        // - there is room for 4 words
        unsafe { vst1q_u32(to.as_mut_ptr(), words) }
    }

    #[inline(always)]
    fn words(self, blocks: &[&Block; MAX_VECTOR]) -> [uint32x4_t; 16] {
        self.transposed(blocks)
    }

    #[inline(always)]
    fn add(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vaddq_u32(x, y))
    }

    #[inline(always)]
    fn and(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vandq_u32(x, y))
    }

    #[inline(always)]
    fn not_and(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vbicq_u32(y, x))
    }

    #[inline(always)]
    fn or(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vorrq_u32(x, y))
    }

    #[inline(always)]
    fn xor(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(veorq_u32(x, y))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: uint32x4_t) -> uint32x4_t {
        vector!(vorrq_u32(vshlq_n_u32::<LEFT>(x), vshrq_n_u32::<RIGHT>(x)))
    }

    #[inline(always)]
    fn add_f(self, sum: uint32x4_t, b: uint32x4_t, c: uint32x4_t, d: uint32x4_t) -> uint32x4_t {
        vector!(vaddq_u32(sum, vbslq_u32(b, c, d)))
    }

    #[inline(always)]
    fn add_i(self, sum: uint32x4_t, b: uint32x4_t, c: uint32x4_t, d: uint32x4_t) -> uint32x4_t {
        vector!(vaddq_u32(sum, veorq_u32(c, vornq_u32(b, d))))
    }
}

impl Parts for Neon {
    #[inline(always)]
    fn row(self, parts: [&[u8; 16]; 4]) -> uint32x4_t {
        let [first, ..] = parts;
        // SAFETY:
        // - the CPU has NEON, as `self` shows
        // - there are sixteen bytes to read
        unsafe { vreinterpretq_u32_u8(vld1q_u8(first.as_ptr())) }
    }

    #[inline(always)]
    fn low_words(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vzip1q_u32(x, y))
    }

    #[inline(always)]
    fn high_words(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vzip2q_u32(x, y))
    }

    #[inline(always)]
    fn low_halves(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vreinterpretq_u32_u64(vzip1q_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y))))
    }

    #[inline(always)]
    fn high_halves(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        vector!(vreinterpretq_u32_u64(vzip2q_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y))))
    }
}
