//! Eight bytes at a time, for targets without vectors that are always there, and for short texts.
#![forbid(unsafe_code)]
// Where there are vectors, only the tests use all of it, to compare.
#![cfg_attr(all(target_arch = "x86_64", target_feature = "sse2"), allow(dead_code))]

use super::{BLOCK, Marks};

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

const fn every(byte: u8) -> u64 {
    LOW * byte as u64
}

/// The next eight bytes, the first in the lowest place.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

/// The top bit of the first byte that equals `byte`, and perhaps of bytes above it.
#[inline(always)]
fn equal(x: u64, byte: u8) -> u64 {
    // `y - 1` borrows into the top bit exactly where y is 0, and `!y` clears it for bytes above 0x7F. A borrow can mark
    // further bytes falsely, but only above a true mark, and the lowest mark is what counts.
    let y = x ^ every(byte);
    y.wrapping_sub(LOW) & !y & HIGH
}

/// Finds the first byte with a mark, or where fewer than eight bytes are left.
#[inline(always)]
fn find(bytes: &[u8], mut at: usize, marks: impl Fn(u64) -> u64) -> Result<usize, usize> {
    while let Some(x) = word(bytes, at) {
        let marks = marks(x);
        if marks != 0 {
            return Ok(at + (marks.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    Err(at)
}

/// Marks of bytes that end plain text of a string.
#[inline(always)]
fn special_marks(x: u64) -> u64 {
    equal(x, b'"') | equal(x, b'\\') | x.wrapping_sub(every(0x20)) & !x & HIGH
}

/// Whether one of eight bytes ends plain text of a string.
#[inline(always)]
pub(super) fn has_special(x: u64) -> bool {
    special_marks(x) != 0
}

/// Whether none of sixteen bytes ends plain text of a string.
#[inline(always)]
pub(super) fn is_plain_16(chunk: Option<&[u8; 16]>) -> bool {
    let Some(chunk) = chunk else { return false };
    special(chunk, 0).is_err()
}

/// The first byte that ends plain text of a string.
#[inline(always)]
pub(super) fn special(bytes: &[u8], at: usize) -> Result<usize, usize> {
    find(bytes, at, special_marks)
}

/// The first quote or bracket.
#[inline(always)]
pub(super) fn structure(bytes: &[u8], at: usize) -> Result<usize, usize> {
    // `[` and `{`, and `]` and `}`, differ in one bit.
    find(bytes, at, |x| equal(x, b'"') | equal(x | every(0x20), b'{') | equal(x | every(0x20), b'}'))
}

/// The first byte that is not white space.
#[inline(always)]
pub(super) fn token(bytes: &[u8], mut at: usize) -> Result<usize, usize> {
    loop {
        let Some(x) = word(bytes, at) else { return Err(at) };
        let spaces = ((x ^ every(b' ')).trailing_zeros() / 8) as usize;
        at += spaces;
        if spaces == 8 {
            continue;
        }
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return Ok(at),
        }
    }
}

/// See [`super::marks`]: byte by byte, because only the first mark of a word is sure to be true.
pub(super) fn marks(block: &[u8; BLOCK]) -> Marks {
    let bits = |is: fn(u8) -> bool| block.iter().rev().fold(0, |bits, byte| bits << 1 | u64::from(is(*byte)));
    Marks {
        quotes: bits(|b| b == b'"'),
        opening: bits(|b| b | 0x20 == b'{'),
        closing: bits(|b| b | 0x20 == b'}'),
        escapes: block.contains(&b'\\'),
    }
}
