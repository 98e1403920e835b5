//! The bytes before they go to the sink, which is called rarely.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::phrases::LONGEST;
use super::put::{Put, SHORT, is_plain};
use crate::doc::output::misuse;
use crate::doc::scan;
use crate::error::{Error, Result};
use crate::sink::Sink;

/// Bytes that are gathered, at most.
const CHUNK: usize = 64 << 10;
/// Bytes that are gathered at first: many texts are one small object.
const FIRST: usize = 512;
/// How much more is gathered each time it was not enough.
const GROWTH: usize = 8;
/// A sink with a buffer before it.
///
/// Pieces are many and small, so putting them gives no result: the first error is kept, nothing goes to the sink after it, and
/// [`Buffer::check`] tells of it.
#[derive(Debug)]
pub(super) struct Buffer<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    /// Empty before the first piece; all of it can be written to.
    bytes: Vec<u8>,
    /// Bytes of it that count.
    used: usize,
    /// How often bytes went to the sink.
    flushes: u64,
    error: Option<Error>,
}

/// Where a piece begins.
#[derive(Clone, Copy)]
pub(super) struct Start {
    at: usize,
    flushes: u64,
}

impl<'s, S: Sink + ?Sized> Buffer<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        Buffer { sink, bytes: Vec::new(), used: 0, flushes: 0, error: None }
    }

    /// Fails if anything has gone wrong so far.
    #[inline(always)]
    pub(super) fn check(&self) -> Result<()> {
        if self.error.is_some() { self.fail() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn fail(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// At least `count` bytes behind those that count; `count` is at most [`CHUNK`]. Fewer after an error.
    #[inline(always)]
    fn room(&mut self, count: usize) -> &mut [u8] {
        if self.bytes.len() - self.used < count {
            self.make_room(count);
        }
        self.bytes.get_mut(self.used..).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, count: usize) {
        self.flush();
        let size = self.bytes.len().saturating_mul(GROWTH).clamp(FIRST, CHUNK).max(count);
        if let Some(more) = size.checked_sub(self.bytes.len()).filter(|more| *more > 0) {
            match self.bytes.try_reserve_exact(more) {
                Ok(()) => self.bytes.resize(size, 0),
                Err(_) => self.error = self.error.take().or_else(|| Some(Error::out_of_memory())),
            }
        }
    }

    /// Hands what counts to the sink.
    fn flush(&mut self) {
        let count = core::mem::take(&mut self.used);
        self.flushes += 1;
        self.pass_on(count, None);
    }

    /// Hands the first bytes to the sink, or bytes from elsewhere, unless there was an error.
    fn pass_on(&mut self, count: usize, others: Option<&[u8]>) {
        let bytes = others.unwrap_or_else(|| self.bytes.get(..count).unwrap_or_default());
        if self.error.is_none() && !bytes.is_empty() {
            self.error = self.sink.write(bytes).err();
        }
    }

    /// Hands everything to the sink.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.flush();
        self.check()
    }

    /// Where the next piece begins. At least `count` bytes can follow before any go to the sink.
    pub(super) fn start(&mut self, count: usize) -> Start {
        self.room(count);
        Start { at: self.used, flushes: self.flushes }
    }

    /// What was put since then; `None` if some of it went to the sink.
    pub(super) fn since(&self, start: Start) -> Option<&[u8]> {
        self.bytes.get(start.at..self.used).filter(|_| start.flushes == self.flushes)
    }

    /// Puts the first `count` bytes of a phrase.
    #[inline(always)]
    pub(super) fn put_phrase(&mut self, text: &[u8; LONGEST], count: usize) {
        const FIRST: usize = 48;
        const SECOND: usize = 96;
        let Some(room) = self.room(LONGEST).first_chunk_mut::<LONGEST>() else { return };
        copy::<0, FIRST>(room, text);
        if count > FIRST {
            copy::<FIRST, SECOND>(room, text);
            if count > SECOND {
                copy::<SECOND, LONGEST>(room, text);
            }
        }
        self.used += count.min(LONGEST);
    }

    /// Puts bytes, however many.
    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) {
        if bytes.len() > CHUNK {
            self.flush();
            return self.pass_on(0, Some(bytes));
        }
        if let Some(room) = self.room(bytes.len()).get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
            self.used += bytes.len();
        }
    }

    /// Puts text between quotes, and behind it at most two bytes; `false`, and nothing is put, if the text has something to
    /// escape.
    #[inline]
    pub(super) fn put_quoted(&mut self, text: &[u8], behind: &[u8]) -> bool {
        let plain = if text.len() > SHORT { scan::special(text, 0) == text.len() } else { is_plain(text) };
        if plain {
            self.put_known(text, behind);
        }
        plain
    }

    /// As [`Buffer::put_quoted`], for text that is known to have nothing to escape.
    #[inline(always)]
    pub(super) fn put_known(&mut self, text: &[u8], behind: &[u8]) {
        if text.len() > SHORT { self.put_long(text, behind) } else { self.put_short_quoted(text, behind) }
    }

    #[inline(never)]
    fn put_long(&mut self, text: &[u8], behind: &[u8]) {
        self.put(b"\"");
        self.put(text);
        self.put(b"\"");
        self.put(behind);
    }

    /// Puts what `write` puts, at most [`PEN`] bytes of room in all: there is one look for room, not one per piece.
    #[inline(always)]
    pub(super) fn put_with(&mut self, write: impl FnOnce(&mut Pen<'_>)) {
        let Some(room) = self.room_of::<PEN>() else { return };
        let mut pen = Pen { room, used: 0, fits: true };
        write(&mut pen);
        let (used, fits) = (pen.used, pen.fits);
        self.used += used;
        if !fits {
            self.error = self.error.take().or_else(|| Some(misuse("more than was said")));
        }
    }
}

impl<S: Sink + ?Sized> Put for Buffer<'_, S> {
    #[inline(always)]
    fn room_of<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        self.room(N).first_chunk_mut()
    }

    #[inline(always)]
    fn add(&mut self, count: usize) {
        self.used += count;
    }
}

/// Bytes of room for a few pieces that are put together.
pub(super) const PEN: usize = 320;

/// Takes a few pieces, which fit.
pub(super) struct Pen<'b> {
    room: &'b mut [u8; PEN],
    used: usize,
    fits: bool,
}

impl Put for Pen<'_> {
    #[inline(always)]
    fn room_of<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        let room = self.room.get_mut(self.used..).and_then(|room| room.first_chunk_mut());
        self.fits &= room.is_some();
        room
    }

    #[inline(always)]
    fn add(&mut self, count: usize) {
        self.used += count;
    }
}

/// Copies the bytes from `FROM` to `TO`.
#[inline(always)]
fn copy<const FROM: usize, const TO: usize>(to: &mut [u8; LONGEST], from: &[u8; LONGEST]) {
    if let (Some(to), Some(from)) = (to.get_mut(FROM..TO), from.get(FROM..TO)) {
        to.copy_from_slice(from);
    }
}
