//! Puts codes of any length together to bytes, the lowest bit first.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::fallible::boxed_array;
use crate::sink::Sink;
use alloc::boxed::Box;

/// The buffer holds any block but a stored one: at most 16384 symbols of at most 31 bits, since a block whose own codes take
/// more than the fixed ones uses the fixed ones.
const SIZE: usize = 1 << 16;

/// Bits that wait for their byte, and bytes that wait for the sink.
pub(super) struct BitWriter {
    bytes: Box<[u8; SIZE + 8]>,
    at: usize,
    bits: u64,
    count: u32,
}

impl BitWriter {
    pub(super) fn new() -> Result<Self> {
        Ok(BitWriter { bytes: boxed_array(0)?, at: 0, bits: 0, count: 0 })
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        (self.at, self.bits, self.count) = (0, 0, 0);
    }

    /// Adds `count` bits, which must fit: at most 56 bits may wait.
    #[inline(always)]
    pub(super) fn add(&mut self, bits: u64, count: u32) {
        debug_assert!(self.count + count <= 63 && bits >> count == 0);
        self.bits |= bits << (self.count & 63);
        self.count += count;
    }

    /// Moves whole bytes to the buffer; at most 7 bits wait then.
    #[inline(always)]
    pub(super) fn carry(&mut self) {
        debug_assert!(self.at < SIZE);
        let at = self.at & (SIZE - 1);
        self.bytes[at..at + 8].copy_from_slice(&self.bits.to_le_bytes());
        self.at = at + (self.count >> 3) as usize;
        self.bits >>= self.count & 56;
        self.count &= 7;
    }

    /// Adds a few bits, at most 32.
    pub(super) fn put(&mut self, bits: u32, count: u32) {
        self.add(u64::from(bits), count);
        self.carry();
    }

    /// Fills up the last byte with zeros.
    pub(super) fn align(&mut self) {
        self.count = (self.count + 7) & !7;
        self.carry();
    }

    /// Gives the whole bytes to the sink.
    pub(super) fn drain(&mut self, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        let bytes = self.bytes.get(..self.at).unwrap_or_default();
        self.at = 0;
        match bytes {
            [] => Ok(()),
            bytes => sink.write(bytes),
        }
    }
}
