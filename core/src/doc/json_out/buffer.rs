//! The bytes before they go to the sink. Most pieces of a document are shorter than a vector register; so whole registers are
//! copied and only as much of them counts as is meant, which costs no call and no loop.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::integer::decimal;
use super::phrases::LONGEST;
use crate::doc::scan;
use crate::error::{Error, Result};
use crate::sink::Sink;

/// Bytes that are gathered, at most.
const CHUNK: usize = 64 << 10;
/// Bytes that are gathered at first: many texts are one small object.
const FIRST: usize = 512;
/// How much more is gathered each time it was not enough.
const GROWTH: usize = 8;
/// Bytes of a text that is copied in one or two registers, at most.
const SHORT: usize = 32;
/// Bytes of room for such a text with quotes and what stands behind it.
const QUOTED: usize = SHORT + 4;

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

    /// Puts the first `count` of `N` bytes.
    #[inline(always)]
    pub(super) fn put_of<const N: usize>(&mut self, bytes: &[u8; N], count: usize) {
        if let Some(chunk) = self.room(N).first_chunk_mut::<N>() {
            *chunk = *bytes;
            self.used += count.min(N);
        }
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

    /// As [`Buffer::put`], for few bytes mostly.
    #[inline(always)]
    pub(super) fn put_short(&mut self, bytes: &[u8]) {
        if bytes.len() > SHORT {
            return self.put(bytes);
        }
        if let Some(room) = self.room(SHORT).first_chunk_mut::<SHORT>() {
            copy_short(room, bytes);
            self.used += bytes.len();
        }
    }

    /// Puts text between quotes and `behind` it at most two bytes; `false`, and nothing is put, if the text has something to
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
        if text.len() > SHORT {
            return self.put_long(text, behind);
        }
        let Some((quote, room)) = self.room(QUOTED).first_chunk_mut::<QUOTED>().and_then(|r| r.split_first_mut()) else {
            return;
        };
        *quote = b'"';
        copy_short(room, text);
        let close: [u8; 3] = match behind {
            [first, second] => [b'"', *first, *second],
            [first] => [b'"', *first, 0],
            _ => [b'"', 0, 0],
        };
        if let Some(end) = room.get_mut(text.len()..).and_then(|end| end.first_chunk_mut::<3>()) {
            *end = close;
        }
        self.used += text.len() + 2 + behind.len().min(2);
    }

    #[inline(never)]
    fn put_long(&mut self, text: &[u8], behind: &[u8]) {
        self.put(b"\"");
        self.put(text);
        self.put(b"\"");
        self.put(behind);
    }

    /// Puts a number in decimal, without leading zeros.
    #[inline(always)]
    pub(super) fn put_decimal(&mut self, value: u64) {
        match u16::try_from(value) {
            Ok(value @ 0..=9) => self.put_of(&[b'0' + value as u8], 1),
            Ok(value @ 0..=9999) => {
                let (digits, count) = four_digits(value);
                self.put_of(&digits, count);
            }
            _ => self.put_long_decimal(value),
        }
    }

    #[inline(never)]
    fn put_long_decimal(&mut self, value: u64) {
        self.put_short(decimal(value).bytes());
    }
}

/// The digits of a number below 10,000, and how many there are.
#[inline(always)]
fn four_digits(value: u16) -> ([u8; 4], usize) {
    let value = u32::from(value);
    // Both quotients are exact for all numbers of so many digits. The upper two digits in the lower half.
    let upper = value * 5243 >> 19;
    let halves = upper | (value - upper * 100) << 16;
    let tens = halves * 103 >> 10 & 0x000F_000F;
    let digits = tens | (halves - tens * 10) << 8;
    // The last digit stays, be it zero.
    let zeros = ((digits | 1 << 24).trailing_zeros() / 8) as usize;
    (((digits | 0x3030_3030) >> (8 * zeros)).to_le_bytes(), 4 - zeros)
}

/// Copies the bytes from `FROM` to `TO`.
#[inline(always)]
fn copy<const FROM: usize, const TO: usize>(to: &mut [u8; LONGEST], from: &[u8; LONGEST]) {
    if let (Some(to), Some(from)) = (to.get_mut(FROM..TO), from.get(FROM..TO)) {
        to.copy_from_slice(from);
    }
}

/// Copies a text of at most [`SHORT`] bytes, in two pieces that overlap unless it has exactly twice their length.
#[inline(always)]
fn copy_short(to: &mut [u8], text: &[u8]) {
    match text.len() {
        16.. => both::<16>(to, text),
        8.. => both::<8>(to, text),
        4.. => both::<4>(to, text),
        _ => to.iter_mut().zip(text).for_each(|(to, &byte)| *to = byte),
    }
}

/// Copies the first and the last `N` bytes of a text.
#[inline(always)]
fn both<const N: usize>(to: &mut [u8], text: &[u8]) {
    let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else { return };
    if let Some(chunk) = to.first_chunk_mut::<N>() {
        *chunk = *first;
    }
    if let Some(chunk) = to.get_mut(text.len() - N..).and_then(|rest| rest.first_chunk_mut::<N>()) {
        *chunk = *last;
    }
}

/// Whether a text of at most [`SHORT`] bytes has nothing to escape.
#[inline(always)]
fn is_plain(text: &[u8]) -> bool {
    match text.len() {
        16.. => scan::is_plain_16(text),
        8.. => scan::is_plain_8(text),
        _ => text.iter().all(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\'),
    }
}
