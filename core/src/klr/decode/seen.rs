//! Tensors that were read before: nearly every operand spells out its whole tensor, and most of them again and again. One that
//! is written as before is the one from before, which saves time and two thirds of the memory.

use super::super::ast::TensorName;

/// How many tensors are remembered.
const PLACES: usize = 64;
/// Bytes that choose the place of a tensor.
const KEY: usize = 37;

/// Recent tensors with their bytes.
#[derive(Debug)]
pub(super) struct Seen<'a>([Option<(&'a [u8], &'a TensorName<'a>)>; PLACES]);

impl<'a> Seen<'a> {
    pub(super) const fn new() -> Self {
        Seen([None; PLACES])
    }

    /// The tensor that `rest` begins with, if its bytes are remembered, and what follows it. No encoding is the
    /// beginning of another, so equal bytes are the whole tensor.
    #[inline]
    pub(super) fn get(&self, rest: &'a [u8]) -> Option<(&'a TensorName<'a>, &'a [u8])> {
        let (bytes, tensor) = (*self.0.get(place(rest)?)?)?;
        Some((tensor, rest.strip_prefix(bytes)?))
    }

    /// Remembers the tensor that `rest` begins with in `len` bytes.
    pub(super) fn put(&mut self, rest: &'a [u8], len: usize, tensor: &'a TensorName<'a>) {
        let place = place(rest).and_then(|place| self.0.get_mut(place));
        if let (Some(place), Some(bytes)) = (place, rest.get(..len)) {
            *place = Some((bytes, tensor));
        }
    }
}

/// Where a tensor is remembered; no tensor is shorter than the key.
#[inline]
fn place(rest: &[u8]) -> Option<usize> {
    /// 2^64 divided by the golden ratio.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let key = rest.first_chunk::<KEY>()?;
    let (words, _) = key.split_at(KEY - KEY % 8);
    let mut hash = 0u64;
    for word in words.chunks_exact(8) {
        let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(SPREAD);
    }
    // The upper bits depend on all others.
    Some((hash >> (u64::BITS - PLACES.trailing_zeros())) as usize)
}
