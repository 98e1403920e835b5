//! MD5 of eight messages at a time with the vectors that every x86-64 has.
#![allow(unsafe_code)]

use super::rounds;
use super::simd::{Block, Group, MAX_VECTOR, Parts, Simd};
use core::arch::x86_64::*;

/// The CPU has SSE2: 4 lanes in a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sse2(());

/// An operation of SSE2, whose vectors are plain numbers to it.
macro_rules! vector {
    ($operation:expr) => {
        // SAFETY:
        // - a value of `Sse2` exists only where the CPU has SSE2, and this is called with one
        unsafe { $operation }
    };
}

impl Sse2 {
    /// `None` if the CPU has no SSE2.
    pub fn new() -> Option<Self> {
        #[cfg(any(test, feature = "std"))]
        let found = std::is_x86_feature_detected!("sse2");
        #[cfg(not(any(test, feature = "std")))]
        let found = cfg!(target_feature = "sse2");
        found.then_some(Sse2(()))
    }

    /// Hashes the next `blocks` blocks of every lane of one group.
    pub fn one(self, groups: &mut [Group<'_>; 1], blocks: usize) {
        #[target_feature(enable = "sse2")]
        fn inner(simd: Sse2, groups: &mut [Group<'_>; 1], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }

    /// Hashes the next `blocks` blocks of every lane of two groups.
    pub fn two(self, groups: &mut [Group<'_>; 2], blocks: usize) {
        #[target_feature(enable = "sse2")]
        fn inner(simd: Sse2, groups: &mut [Group<'_>; 2], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }
}

impl Simd for Sse2 {
    type Word = __m128i;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, word: u32) -> __m128i {
        vector!(_mm_set1_epi32(word as i32))
    }

    #[inline(always)]
    fn load(self, from: &[u32; MAX_VECTOR]) -> __m128i {
        // SAFETY:
        // - the CPU has SSE2, as `self` shows
        // - there are 4 words to read, and no alignment is asked for
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: __m128i, to: &mut [u32; MAX_VECTOR]) {
        // SAFETY:
        // - the CPU has SSE2, as `self` shows
        // - there is room for 4 words, and no alignment is asked for
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn words(self, blocks: &[&Block; MAX_VECTOR]) -> [__m128i; 16] {
        self.transposed(blocks)
    }

    #[inline(always)]
    fn add(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_add_epi32(x, y))
    }

    #[inline(always)]
    fn and(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_and_si128(x, y))
    }

    #[inline(always)]
    fn not_and(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_andnot_si128(x, y))
    }

    #[inline(always)]
    fn or(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_or_si128(x, y))
    }

    #[inline(always)]
    fn xor(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_xor_si128(x, y))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: __m128i) -> __m128i {
        vector!(_mm_or_si128(_mm_slli_epi32::<LEFT>(x), _mm_srli_epi32::<RIGHT>(x)))
    }
}

impl Parts for Sse2 {
    #[inline(always)]
    fn row(self, parts: [&[u8; 16]; 4]) -> __m128i {
        let [first, ..] = parts;
        // SAFETY:
        // - the CPU has SSE2, as `self` shows
        // - there are sixteen bytes to read, and no alignment is asked for
        unsafe { _mm_loadu_si128(first.as_ptr().cast()) }
    }

    #[inline(always)]
    fn low_words(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_unpacklo_epi32(x, y))
    }

    #[inline(always)]
    fn high_words(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_unpackhi_epi32(x, y))
    }

    #[inline(always)]
    fn low_halves(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_unpacklo_epi64(x, y))
    }

    #[inline(always)]
    fn high_halves(self, x: __m128i, y: __m128i) -> __m128i {
        vector!(_mm_unpackhi_epi64(x, y))
    }
}
