//! The bytes that matches and stored blocks may still go back to, and those still to be encoded.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::fallible::boxed_array;
use alloc::boxed::Box;

/// Half of the range that positions of strings have; a match goes back less far.
pub(super) const HALF: usize = 1 << 15;
/// What the matcher sees at once: the range of positions, and the longest match from the last of them.
pub(super) const VIEW: usize = 2 * HALF + 512;
/// Size of the buffer. The larger it is, the rarer its end is moved to its start.
const SIZE: usize = 5 * HALF + VIEW;

/// A part of the input, which moves on.
pub(super) struct Window {
    bytes: Box<[u8; SIZE]>,
    /// Position in the input of the first byte.
    start: u64,
    /// Bytes that are filled.
    end: usize,
    /// First byte of the view.
    origin: usize,
}

impl Window {
    pub(super) fn new() -> Result<Self> {
        Ok(Window { bytes: boxed_array(0)?, start: 0, end: 0, origin: 0 })
    }

    pub(super) fn reset(&mut self) {
        (self.start, self.end, self.origin) = (0, 0, 0);
    }

    /// Whether it never took anything.
    pub(super) fn is_empty(&self) -> bool {
        self.start == 0 && self.end == 0
    }

    /// Takes as much of `input` as there is room for, and returns the rest.
    pub(super) fn fill<'i>(&mut self, input: &'i [u8]) -> &'i [u8] {
        let room = self.bytes.get_mut(self.end..).unwrap_or_default();
        let (taken, rest) = input.split_at(input.len().min(room.len()));
        if let Some(room) = room.get_mut(..taken.len()) {
            room.copy_from_slice(taken);
        }
        self.end += taken.len();
        rest
    }

    /// What the matcher sees.
    pub(super) fn view(&self) -> Result<&[u8; VIEW]> {
        let view = self.bytes.get(self.origin..).and_then(<[u8]>::first_chunk);
        view.ok_or_else(|| Error::new(ErrorCode::Internal, "the window's view leaves the buffer"))
    }

    /// Position in the input of the view's first byte.
    pub(super) fn view_start(&self) -> u64 {
        self.start + self.origin as u64
    }

    /// Bytes from the view's start to the end of what is filled; may be more than the view.
    pub(super) fn available(&self) -> usize {
        self.end - self.origin
    }

    /// Moves the view on by [`HALF`]. Nothing before the input position `keep` is needed any more.
    pub(super) fn advance(&mut self, keep: u64) {
        self.origin += HALF;
        if self.origin + VIEW > SIZE {
            let keep = (keep.saturating_sub(self.start) as usize).min(self.origin);
            self.bytes.copy_within(keep..self.end, 0);
            self.start += keep as u64;
            self.end -= keep;
            self.origin -= keep;
        }
    }

    /// The bytes between two positions of the input, if they are all there.
    pub(super) fn bytes(&self, from: u64, to: u64) -> Option<&[u8]> {
        let from = usize::try_from(from.checked_sub(self.start)?).ok()?;
        let to = usize::try_from(to.checked_sub(self.start)?).ok()?;
        self.bytes.get(..self.end)?.get(from..to)
    }
}
