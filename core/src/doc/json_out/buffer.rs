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

/// A sink with a buffer before it.
#[derive(Debug)]
pub(super) struct Buffer<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    /// Empty before the first piece; all of it can be written to.
    bytes: Vec<u8>,
    /// Bytes of it that count.
    used: usize,
    /// How often bytes went to the sink.
    flushes: u64,
}

/// Where a piece begins.
#[derive(Clone, Copy)]
pub(super) struct Start {
    at: usize,
    flushes: u64,
}

impl<'s, S: Sink + ?Sized> Buffer<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        Buffer { sink, bytes: Vec::new(), used: 0, flushes: 0 }
    }

    /// At least `count` bytes behind those that count; `count` is at most [`CHUNK`].
    #[inline(always)]
    fn room(&mut self, count: usize) -> Result<&mut [u8]> {
        if self.bytes.len() - self.used < count {
            self.make_room(count)?;
        }
        Ok(self.bytes.get_mut(self.used..).unwrap_or_default())
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, count: usize) -> Result<()> {
        self.flush()?;
        let size = self.bytes.len().saturating_mul(GROWTH).clamp(FIRST, CHUNK).max(count);
        if size > self.bytes.len() {
            self.bytes.try_reserve_exact(size - self.bytes.len()).map_err(|_| Error::out_of_memory())?;
            self.bytes.resize(size, 0);
        }
        Ok(())
    }

    /// Hands what counts to the sink.
    pub(super) fn flush(&mut self) -> Result<()> {
        let bytes = self.bytes.get(..self.used).unwrap_or_default();
        if !bytes.is_empty() {
            self.sink.write(bytes)?;
            self.used = 0;
            self.flushes += 1;
        }
        Ok(())
    }

    /// Puts the first `count` of `N` bytes.
    #[inline(always)]
    pub(super) fn put_of<const N: usize>(&mut self, bytes: &[u8; N], count: usize) -> Result<()> {
        if let Some(chunk) = self.room(N)?.first_chunk_mut::<N>() {
            *chunk = *bytes;
        }
        self.used += count;
        Ok(())
    }

    /// Where the next piece begins. At least `count` bytes can follow before any go to the sink.
    pub(super) fn start(&mut self, count: usize) -> Result<Start> {
        self.room(count)?;
        Ok(Start { at: self.used, flushes: self.flushes })
    }

    /// What was put since then; `None` if some of it went to the sink.
    pub(super) fn since(&self, start: Start) -> Option<&[u8]> {
        self.bytes.get(start.at..self.used).filter(|_| start.flushes == self.flushes)
    }

    /// Puts the first `count` bytes of a phrase.
    #[inline(always)]
    pub(super) fn put_phrase(&mut self, text: &[u8; LONGEST], count: usize) -> Result<()> {
        const FIRST: usize = 48;
        const SECOND: usize = 96;
        let Some(room) = self.room(LONGEST)?.first_chunk_mut::<LONGEST>() else { return Ok(()) };
        copy::<0, FIRST>(room, text);
        if count > FIRST {
            copy::<FIRST, SECOND>(room, text);
            if count > SECOND {
                copy::<SECOND, LONGEST>(room, text);
            }
        }
        self.used += count;
        Ok(())
    }

    /// Puts bytes, however many.
    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() > CHUNK {
            self.flush()?;
            return self.sink.write(bytes);
        }
        if let Some(room) = self.room(bytes.len())?.get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.used += bytes.len();
        Ok(())
    }

    /// As [`Buffer::put`], for few bytes mostly.
    #[inline(always)]
    pub(super) fn put_short(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() > SHORT {
            return self.put(bytes);
        }
        copy_short(self.room(SHORT)?, bytes);
        self.used += bytes.len();
        Ok(())
    }

    /// Puts text between quotes and `behind` it, at most two bytes; `false`, and nothing is put, if the text has something to
    /// escape.
    #[inline(always)]
    pub(super) fn put_quoted(&mut self, text: &[u8], behind: &[u8]) -> Result<bool> {
        if text.len() > SHORT {
            return self.put_long(text, behind);
        }
        let plain = is_plain(text);
        if plain {
            self.put_known(text, behind)?;
        }
        Ok(plain)
    }

    /// As [`Buffer::put_quoted`], for text that is known to have nothing to escape.
    #[inline(always)]
    pub(super) fn put_known(&mut self, text: &[u8], behind: &[u8]) -> Result<()> {
        if text.len() > SHORT {
            self.put(b"\"")?;
            self.put(text)?;
            self.put(b"\"")?;
            return self.put(behind);
        }
        let room = self.room(SHORT + 4)?;
        if let Some((quote, room)) = room.split_first_mut() {
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
        }
        self.used += text.len() + 2 + behind.len();
        Ok(())
    }

    #[inline(never)]
    fn put_long(&mut self, text: &[u8], behind: &[u8]) -> Result<bool> {
        let plain = scan::special(text, 0) == text.len();
        if plain {
            self.put_known(text, behind)?;
        }
        Ok(plain)
    }

    /// Puts a number in decimal, without leading zeros.
    #[inline]
    pub(super) fn put_decimal(&mut self, value: u64) -> Result<()> {
        match value {
            0..=9 => self.put_of(&[b'0' + value as u8], 1),
            10..=99 => self.put_of(&pair(value), 2),
            100..=9999 => {
                let [[a, b], [c, d]] = [pair(value / 100), pair(value % 100)];
                if value < 1000 { self.put_of(&[b, c, d], 3) } else { self.put_of(&[a, b, c, d], 4) }
            }
            _ => self.put_long_decimal(value),
        }
    }

    #[inline(never)]
    fn put_long_decimal(&mut self, value: u64) -> Result<()> {
        self.put(decimal(value).bytes())
    }
}

/// Copies the bytes from `FROM` to `TO`.
#[inline(always)]
fn copy<const FROM: usize, const TO: usize>(to: &mut [u8; LONGEST], from: &[u8; LONGEST]) {
    if let (Some(to), Some(from)) = (to.get_mut(FROM..TO), from.get(FROM..TO)) {
        to.copy_from_slice(from);
    }
}

/// The two digits of a number below 100.
#[inline(always)]
fn pair(value: u64) -> [u8; 2] {
    // Exact up to 1028, and cheaper than two divisions.
    let tens = (value as u32 * 205) >> 11;
    [b'0' + tens as u8, b'0' + (value as u32 - tens * 10) as u8]
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
