//! MD5 of sixteen messages at a time with AVX2, in two vectors of eight.
#![allow(unsafe_code)]

use super::rounds;
use super::simd::{Block, Group, MAX_VECTOR, Parts, Simd};
use core::arch::x86_64::*;

/// The CPU has AVX2: 8 lanes in a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

/// An operation of AVX2, whose vectors are plain numbers to it.
macro_rules! vector {
    ($operation:expr) => {
        // SAFETY:
        // - a value of `Avx2` exists only where the CPU has AVX2, and this is called with one
        unsafe { $operation }
    };
}

impl Avx2 {
    /// `None` if the CPU has no AVX2.
    pub fn new() -> Option<Self> {
        #[cfg(any(test, feature = "std"))]
        let found = std::is_x86_feature_detected!("avx2");
        #[cfg(not(any(test, feature = "std")))]
        let found = cfg!(target_feature = "avx2");
        found.then_some(Avx2(()))
    }

    /// Hashes the next `blocks` blocks of every lane of one group.
    pub fn one(self, groups: &mut [Group<'_>; 1], blocks: usize) {
        #[target_feature(enable = "avx2")]
        fn inner(simd: Avx2, groups: &mut [Group<'_>; 1], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }

    /// Hashes the next `blocks` blocks of every lane of two groups.
    pub fn two(self, groups: &mut [Group<'_>; 2], blocks: usize) {
        #[target_feature(enable = "avx2")]
        fn inner(simd: Avx2, groups: &mut [Group<'_>; 2], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }
}

impl Simd for Avx2 {
    type Word = __m256i;
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, word: u32) -> __m256i {
        vector!(_mm256_set1_epi32(word as i32))
    }

    #[inline(always)]
    fn load(self, from: &[u32; MAX_VECTOR]) -> __m256i {
        // SAFETY:
        // - the CPU has AVX2, as `self` shows
        // - there are 8 words to read, and no alignment is asked for
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: __m256i, to: &mut [u32; MAX_VECTOR]) {
        // SAFETY:
        // - the CPU has AVX2, as `self` shows
        // - there is room for 8 words, and no alignment is asked for
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn words(self, blocks: &[&Block; MAX_VECTOR]) -> [__m256i; 16] {
        self.transposed(blocks)
    }

    #[inline(always)]
    fn add(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_add_epi32(x, y))
    }

    #[inline(always)]
    fn and(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_and_si256(x, y))
    }

    #[inline(always)]
    fn not_and(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_andnot_si256(x, y))
    }

    #[inline(always)]
    fn or(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_or_si256(x, y))
    }

    #[inline(always)]
    fn xor(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_xor_si256(x, y))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: __m256i) -> __m256i {
        vector!(_mm256_or_si256(_mm256_slli_epi32::<LEFT>(x), _mm256_srli_epi32::<RIGHT>(x)))
    }
}

impl Parts for Avx2 {
    #[inline(always)]
    fn row(self, parts: [&[u8; 16]; 4]) -> __m256i {
        let [first, second, ..] = parts;
        // SAFETY:
        // - the CPU has AVX2, as `self` shows
        // - there are sixteen bytes to read at each place, and no alignment is asked for
        unsafe {
            let first = _mm256_castsi128_si256(_mm_loadu_si128(first.as_ptr().cast()));
            _mm256_inserti128_si256::<1>(first, _mm_loadu_si128(second.as_ptr().cast()))
        }
    }

    #[inline(always)]
    fn low_words(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_unpacklo_epi32(x, y))
    }

    #[inline(always)]
    fn high_words(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_unpackhi_epi32(x, y))
    }

    #[inline(always)]
    fn low_halves(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_unpacklo_epi64(x, y))
    }

    #[inline(always)]
    fn high_halves(self, x: __m256i, y: __m256i) -> __m256i {
        vector!(_mm256_unpackhi_epi64(x, y))
    }
}
