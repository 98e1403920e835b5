//! From bytes to blocks, in the order in which zlib would write them.
#![forbid(unsafe_code)]

use super::bits::BitWriter;
use super::block;
use super::matcher::{MIN_LOOKAHEAD, Matcher, VIEW_LIMIT};
use super::symbols::Symbols;
use super::window::{HALF, Window};
use crate::error::Result;
use crate::sink::Sink;

/// zlib's window moves on at the first symbol from here on.
const SLIDE: u64 = 2 * HALF as u64 - MIN_LOOKAHEAD as u64 + 1;

/// The state of one stream, some 600 KiB, whatever the size of the input.
pub(super) struct Encoder {
    window: Window,
    matcher: Matcher,
    symbols: Symbols,
    out: BitWriter,
    /// Where the next symbol begins, in the view.
    at: usize,
    /// Where the block begins, in the input.
    block_start: u64,
    /// Where zlib's window begins, in the input.
    zlib_start: u64,
}

impl Encoder {
    pub(super) fn new() -> Result<Self> {
        Ok(Encoder {
            window: Window::new()?,
            matcher: Matcher::new()?,
            symbols: Symbols::new()?,
            out: BitWriter::new()?,
            at: 0,
            block_start: 0,
            zlib_start: 0,
        })
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.out.reset();
        self.symbols.reset();
        self.forget_input();
    }

    fn forget_input(&mut self) {
        if self.window.is_empty() {
            return;
        }
        self.window.reset();
        self.matcher.reset();
        (self.at, self.block_start, self.zlib_start) = (0, 0, 0);
    }

    /// Encodes `input`; some of it may have to wait for more.
    pub(super) fn write(&mut self, mut input: &[u8], sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        while !input.is_empty() {
            input = self.window.fill(input);
            self.encode::<false>(sink)?;
        }
        Ok(())
    }

    /// Ends the stream.
    pub(super) fn finish(&mut self, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        self.encode_rest(sink)?;
        self.end_block::<true>(self.input_position(), true, sink)
    }

    /// Ends the last block but not the stream, and begins with nothing before it.
    pub(super) fn restart(&mut self, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        self.encode_rest(sink)?;
        if !self.symbols.list().is_empty() {
            self.end_block::<true>(self.input_position(), false, sink)?;
        }
        self.forget_input();
        Ok(())
    }

    /// Where blocks of other origin go; only after [`restart`](Self::restart).
    pub(super) fn out(&mut self) -> &mut BitWriter {
        &mut self.out
    }

    fn encode_rest(&mut self, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        self.encode::<false>(sink)?;
        self.encode::<true>(sink)
    }

    /// Where the next symbol begins, in the input.
    fn input_position(&self) -> u64 {
        self.window.view_start() + self.at as u64
    }

    /// Encodes what is there; with `END` all of it, otherwise as long as the longest match has room.
    fn encode<const END: bool>(&mut self, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        loop {
            let available = self.window.available();
            let to = if END { available } else { available.saturating_sub(MIN_LOOKAHEAD - 1) };
            if self.at >= to {
                return Ok(());
            }
            if self.at >= VIEW_LIMIT {
                self.advance();
                continue;
            }
            let view = self.window.view()?;
            self.at = self.matcher.run::<END>(view, self.at, to, available, &mut self.symbols);
            if self.symbols.is_full() {
                self.end_block::<END>(self.input_position() - self.symbols.last_length() as u64, false, sink)?;
            }
        }
    }

    fn advance(&mut self) {
        self.follow_zlib::<false>(self.input_position());
        self.matcher.advance();
        self.window.advance(self.zlib_start);
        self.at -= HALF;
    }

    /// Writes the block up to here. zlib has looked at its window last at the input position `looked`.
    fn end_block<const END: bool>(&mut self, looked: u64, last: bool, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        self.follow_zlib::<END>(looked);
        let end = self.input_position();
        let bytes = match self.block_start >= self.zlib_start {
            true => self.window.bytes(self.block_start, end),
            false => None,
        };
        block::write(&self.symbols, bytes, last, &mut self.out, sink)?;
        self.symbols.reset();
        self.block_start = end;
        Ok(())
    }

    /// Moves the start of zlib's window as zlib has when it looks for input at the position `at`: blocks that begin before it
    /// cannot be stored. When the input ends it looks more often.
    fn follow_zlib<const END: bool>(&mut self, at: u64) {
        let first = if END { SLIDE - 1 } else { SLIDE };
        let slides = (at - self.zlib_start + HALF as u64).saturating_sub(first) / HALF as u64;
        self.zlib_start += slides * HALF as u64;
    }
}
