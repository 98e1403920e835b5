//! MD5 of 32 messages at a time with AVX-512, in two vectors of sixteen. It rotates in one operation, and so does it mix.
#![allow(unsafe_code)]

use super::rounds;
use super::simd::{Block, Group, MAX_VECTOR, Parts, Simd};
use core::arch::x86_64::*;

/// The CPU has AVX-512: 16 lanes in a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

/// An operation of AVX-512, whose vectors are plain numbers to it.
macro_rules! vector {
    ($operation:expr) => {
        // SAFETY:
        // - a value of `Avx512` exists only where the CPU has AVX-512, and this is called with one
        unsafe { $operation }
    };
}

/// The columns of the truth table of an operation on three bits, as the instruction wants it.
const B: i32 = 0xF0;
const C: i32 = 0xCC;
const D: i32 = 0xAA;

impl Avx512 {
    /// `None` if the CPU has no AVX-512.
    pub fn new() -> Option<Self> {
        #[cfg(any(test, feature = "std"))]
        let found = std::is_x86_feature_detected!("avx512f");
        #[cfg(not(any(test, feature = "std")))]
        let found = cfg!(target_feature = "avx512f");
        found.then_some(Avx512(()))
    }

    /// Hashes the next `blocks` blocks of every lane of one group.
    pub fn one(self, groups: &mut [Group<'_>; 1], blocks: usize) {
        #[target_feature(enable = "avx512f")]
        fn inner(simd: Avx512, groups: &mut [Group<'_>; 1], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }

    /// Hashes the next `blocks` blocks of every lane of two groups.
    pub fn two(self, groups: &mut [Group<'_>; 2], blocks: usize) {
        #[target_feature(enable = "avx512f")]
        fn inner(simd: Avx512, groups: &mut [Group<'_>; 2], blocks: usize) {
            rounds::compress(simd, groups, blocks);
        }
        vector!(inner(self, groups, blocks))
    }
}

impl Simd for Avx512 {
    type Word = __m512i;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat(self, word: u32) -> __m512i {
        vector!(_mm512_set1_epi32(word as i32))
    }

    #[inline(always)]
    fn load(self, from: &[u32; MAX_VECTOR]) -> __m512i {
        // SAFETY:
        // - the CPU has AVX-512, as `self` shows
        // - there are 16 words to read, and no alignment is asked for
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: __m512i, to: &mut [u32; MAX_VECTOR]) {
        // SAFETY:
        // - the CPU has AVX-512, as `self` shows
        // - there is room for 16 words, and no alignment is asked for
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn words(self, blocks: &[&Block; MAX_VECTOR]) -> [__m512i; 16] {
        self.transposed(blocks)
    }

    #[inline(always)]
    fn add(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_add_epi32(x, y))
    }

    #[inline(always)]
    fn and(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_and_si512(x, y))
    }

    #[inline(always)]
    fn not_and(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_andnot_si512(x, y))
    }

    #[inline(always)]
    fn or(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_or_si512(x, y))
    }

    #[inline(always)]
    fn xor(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_xor_si512(x, y))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: __m512i) -> __m512i {
        vector!(_mm512_rol_epi32::<LEFT>(x))
    }

    #[inline(always)]
    fn add_f(self, sum: __m512i, b: __m512i, c: __m512i, d: __m512i) -> __m512i {
        vector!(_mm512_add_epi32(sum, _mm512_ternarylogic_epi32::<{ (B & C) | (!B & D) & 0xFF }>(b, c, d)))
    }

    #[inline(always)]
    fn add_g(self, sum: __m512i, b: __m512i, c: __m512i, d: __m512i) -> __m512i {
        vector!(_mm512_add_epi32(sum, _mm512_ternarylogic_epi32::<{ (D & B) | (!D & C) & 0xFF }>(b, c, d)))
    }

    #[inline(always)]
    fn add_h(self, sum: __m512i, b: __m512i, c: __m512i, d: __m512i) -> __m512i {
        vector!(_mm512_add_epi32(sum, _mm512_ternarylogic_epi32::<{ B ^ C ^ D }>(b, c, d)))
    }

    #[inline(always)]
    fn add_i(self, sum: __m512i, b: __m512i, c: __m512i, d: __m512i) -> __m512i {
        vector!(_mm512_add_epi32(sum, _mm512_ternarylogic_epi32::<{ C ^ (B | (!D & 0xFF)) }>(b, c, d)))
    }
}

impl Parts for Avx512 {
    #[inline(always)]
    fn row(self, parts: [&[u8; 16]; 4]) -> __m512i {
        let [first, second, third, fourth] = parts;
        // SAFETY:
        // - the CPU has AVX-512, as `self` shows
        // - there are sixteen bytes to read at each place, and no alignment is asked for
        unsafe {
            let row = _mm512_castsi128_si512(_mm_loadu_si128(first.as_ptr().cast()));
            let row = _mm512_inserti32x4::<1>(row, _mm_loadu_si128(second.as_ptr().cast()));
            let row = _mm512_inserti32x4::<2>(row, _mm_loadu_si128(third.as_ptr().cast()));
            _mm512_inserti32x4::<3>(row, _mm_loadu_si128(fourth.as_ptr().cast()))
        }
    }

    #[inline(always)]
    fn low_words(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_unpacklo_epi32(x, y))
    }

    #[inline(always)]
    fn high_words(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_unpackhi_epi32(x, y))
    }

    #[inline(always)]
    fn low_halves(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_unpacklo_epi64(x, y))
    }

    #[inline(always)]
    fn high_halves(self, x: __m512i, y: __m512i) -> __m512i {
        vector!(_mm512_unpackhi_epi64(x, y))
    }
}
