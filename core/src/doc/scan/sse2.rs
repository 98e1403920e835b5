//! Sixteen bytes at a time with the vectors that every x86-64 has.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
};

use super::{BLOCK, Marks};

/// Finds the first byte whose bit is set, or where fewer than sixteen bytes are left.
#[inline(always)]
fn find(bytes: &[u8], mut at: usize, marks: impl Fn(__m128i) -> u32) -> Result<usize, usize> {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        // SAFETY:
        // - the chunk has sixteen readable bytes, and this load asks for no alignment
        // - SSE2 belongs to the target, or this file would not be compiled
        let marks = marks(unsafe { _mm_loadu_si128(chunk.as_ptr().cast()) });
        if marks != 0 {
            return Ok(at + marks.trailing_zeros() as usize);
        }
        at += 16;
    }
    Err(at)
}

/// 0xFF for every byte that equals `byte`.
#[inline(always)]
fn equal(x: __m128i, byte: u8) -> __m128i {
    // SAFETY: SSE2 belongs to the target.
    unsafe { _mm_cmpeq_epi8(x, _mm_set1_epi8(byte as i8)) }
}

#[inline(always)]
fn or(x: __m128i, y: __m128i) -> __m128i {
    // SAFETY: SSE2 belongs to the target.
    unsafe { _mm_or_si128(x, y) }
}

/// One bit per byte of 0xFF.
#[inline(always)]
fn bits(x: __m128i) -> u32 {
    // SAFETY: SSE2 belongs to the target.
    (unsafe { _mm_movemask_epi8(x) }) as u32
}

/// The first byte that ends plain text of a string.
#[inline(always)]
pub(super) fn special(bytes: &[u8], at: usize) -> Result<usize, usize> {
    find(bytes, at, |x| {
        // SAFETY: SSE2 belongs to the target.
        let control = unsafe { _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1F)), x) };
        bits(or(or(equal(x, b'"'), equal(x, b'\\')), control))
    })
}

/// Whether none of sixteen bytes ends plain text of a string.
#[inline(always)]
pub(super) fn is_plain_16(chunk: Option<&[u8; 16]>) -> bool {
    chunk.is_some_and(|chunk| special(chunk, 0).is_err())
}

/// The first byte that is not white space.
#[inline(always)]
pub(super) fn token(bytes: &[u8], at: usize) -> Result<usize, usize> {
    find(bytes, at, |x| {
        let space = or(or(equal(x, b' '), equal(x, b'\n')), or(equal(x, b'\r'), equal(x, b'\t')));
        !bits(space) & 0xFFFF
    })
}

/// The first quote or bracket.
#[inline(always)]
pub(super) fn structure(bytes: &[u8], at: usize) -> Result<usize, usize> {
    find(bytes, at, |x| {
        // SAFETY: SSE2 belongs to the target. `[` and `{`, and `]` and `}`, differ in one bit.
        let folded = or(x, unsafe { _mm_set1_epi8(0x20) });
        bits(or(equal(x, b'"'), or(equal(folded, b'{'), equal(folded, b'}'))))
    })
}

/// See [`super::marks`].
#[inline(always)]
pub(super) fn marks(block: &[u8; BLOCK]) -> Marks {
    let mut marks = Marks { quotes: 0, opening: 0, closing: 0, escapes: false };
    let mut escapes = 0;
    for (place, chunk) in block.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY:
        // - the chunk has sixteen readable bytes, and this load asks for no alignment
        // - SSE2 belongs to the target, or this file would not be compiled
        let x = unsafe { _mm_loadu_si128(chunk.as_ptr().cast()) };
        // SAFETY: SSE2 belongs to the target. `[` and `{`, and `]` and `}`, differ in one bit.
        let folded = or(x, unsafe { _mm_set1_epi8(0x20) });
        marks.quotes |= u64::from(bits(equal(x, b'"'))) << (16 * place);
        marks.opening |= u64::from(bits(equal(folded, b'{'))) << (16 * place);
        marks.closing |= u64::from(bits(equal(folded, b'}'))) << (16 * place);
        escapes |= bits(equal(x, b'\\'));
    }
    marks.escapes = escapes != 0;
    marks
}
