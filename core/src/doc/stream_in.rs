//! A document that comes in pieces, because a program of gigabytes need not lie in memory beside the module that it becomes.
//!
//! A window holds the bytes around the place of reading. Each step is one step of the format's own input over that window;
//! where it runs into the end of the window, more is read and the step is made again. So there is one tokenizer per format,
//! and it knows nothing of streams.
#![forbid(unsafe_code)]

mod json;
#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::doc::input::{Input, Limits, Number, ValueKind};
use crate::doc::source::{Source, too_much};
use crate::error::{Error, ErrorCode, Position, Result};
use crate::fallible::copy;

pub use json::JsonWindow;

/// Bytes read at a time, at least.
const CHUNK: usize = 64 << 10;
/// With fewer bytes ahead than this, more are read before a step: few steps then run into the end.
const AHEAD: usize = 4 << 10;
/// How far before the end of the window an error can stand that more bytes would take away: the longest piece of a token of
/// which the start is reported (two escaped surrogates).
const SLACK: u64 = 12;

/// The bytes that are held of a stream, and how one step over them is made.
pub trait Window: Default {
    /// A place in the window.
    type Mark: Copy;
    /// The input over the window.
    type Input<'w>: Input<'w, Mark = Self::Mark>
    where
        Self: 'w;

    /// Takes more bytes. `last` says that none will follow.
    fn append(&mut self, bytes: &[u8], last: bool) -> Result<()>;
    /// Gives up the first `bytes`.
    fn discard(&mut self, bytes: usize);
    /// Bytes held, as far as they can be read now.
    fn len(&self) -> usize;
    /// Whether nothing behind what is held can be read, whatever comes.
    fn is_broken(&self) -> bool {
        false
    }
    /// The start of the input.
    fn start(&self) -> Self::Mark;
    /// An input over the window that stands at `mark`.
    fn at(&self, mark: Self::Mark, limits: Limits) -> Self::Input<'_>;
    /// Where a mark stands in the window.
    fn pos(mark: Self::Mark) -> usize;
    /// The mark for the same place when `bytes` have gone from the start of the window.
    fn without(mark: Self::Mark, bytes: usize) -> Self::Mark;
}

/// A place in a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamMark<M> {
    mark: M,
    /// Bytes that had gone when it was made.
    gone: u64,
}

/// A stream in the format of the window `W`. What it gives is owned: the window moves on.
#[derive(Debug)]
pub struct StreamInput<W: Window, S: Source> {
    source: S,
    window: W,
    limits: Limits,
    /// Bytes given up so far.
    gone: u64,
    mark: W::Mark,
    /// Where the outermost hold began, in the window.
    held_from: usize,
    holds: usize,
    /// The source has ended.
    ended: bool,
    /// Where new bytes arrive.
    chunk: Vec<u8>,
}

impl<W: Window, S: Source> StreamInput<W, S> {
    /// Reads `source` from where it stands.
    pub fn new(source: S, limits: Limits) -> Self {
        let window = W::default();
        let mark = window.start();
        StreamInput { source, window, limits, gone: 0, mark, held_from: 0, holds: 0, ended: false, chunk: Vec::new() }
    }

    /// One step of the format's input; made again with more bytes as long as it runs into the end of the window.
    #[inline]
    fn step<T>(&mut self, step: impl for<'w> Fn(&mut W::Input<'w>) -> Result<T>) -> Result<T> {
        if self.window.len().saturating_sub(W::pos(self.mark)) < AHEAD && !self.ended {
            self.read_more()?;
        }
        loop {
            let (result, mark) = {
                let mut input = self.window.at(self.mark, self.limits);
                let result = step(&mut input);
                (result, input.mark())
            };
            if self.is_complete(&result, mark) {
                if result.is_ok() {
                    self.mark = mark;
                }
                return result;
            }
            self.refill()?;
        }
    }

    /// Whether a step that ended so would end so with more bytes too.
    fn is_complete<T>(&self, result: &Result<T>, mark: W::Mark) -> bool {
        let end = self.gone.saturating_add(self.window.len() as u64);
        self.ended
            || match result {
                Ok(_) => W::pos(mark) < self.window.len(),
                Err(error) => {
                    error.code != ErrorCode::Syntax
                        || error.position.is_some_and(|p| p.offset.saturating_add(SLACK) < end)
                }
            }
    }

    /// Reads more, which a step cannot do without.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Result<()> {
        if self.read_more()? {
            return Ok(());
        }
        Err(Limits::exceeded("max_buffer_bytes", self.limits.max_buffer_bytes))
    }

    /// Gives up what is not needed any more and reads at least as much as is held, as far as there is more and the limit of the
    /// buffer allows it; `false` if it allows nothing.
    #[inline(never)]
    fn read_more(&mut self) -> Result<bool> {
        let pos = W::pos(self.mark);
        let free = if self.holds == 0 { pos } else { self.held_from.min(pos) };
        self.window.discard(free);
        self.mark = W::without(self.mark, free);
        self.held_from = self.held_from.saturating_sub(free);
        self.gone = self.gone.saturating_add(free as u64);
        let held = self.window.len();
        let limit = usize::try_from(self.limits.max_buffer_bytes).unwrap_or(usize::MAX);
        let allowed = limit.saturating_sub(held);
        if allowed == 0 {
            return Ok(false);
        }
        if self.chunk.is_empty() {
            let size = CHUNK.min(limit);
            self.chunk.try_reserve_exact(size).map_err(|_| Error::out_of_memory())?;
            self.chunk.resize(size, 0);
        }
        let mut wanted = held.max(CHUNK).min(allowed);
        while wanted > 0 && !self.ended {
            let size = self.chunk.len().min(wanted);
            let bytes = self.source.read(self.chunk.get_mut(..size).unwrap_or_default())?;
            self.ended = bytes == 0;
            let new = self.chunk.get(..bytes).filter(|_| bytes <= size).ok_or_else(too_much)?;
            self.window.append(new, self.ended)?;
            self.ended |= self.window.is_broken();
            wanted -= bytes;
        }
        Ok(true)
    }
}

fn owned<'a>(text: Cow<'_, str>) -> Result<Cow<'a, str>> {
    Ok(Cow::Owned(match text {
        Cow::Owned(text) => text,
        Cow::Borrowed(text) => copy(text)?,
    }))
}

impl<'a, W: Window, S: Source> Input<'a> for StreamInput<W, S> {
    type Mark = StreamMark<W::Mark>;
    type Leaf<'l>
        = W::Input<'l>
    where
        Self: 'l;
    type End = W::Mark;

    fn leaf(&mut self) -> Result<W::Input<'_>> {
        loop {
            let complete = {
                let mut input = self.window.at(self.mark, self.limits);
                let result = input.pass();
                self.is_complete(&result, input.mark())
            };
            if complete {
                break;
            }
            self.refill()?;
        }
        Ok(self.window.at(self.mark, self.limits))
    }

    fn end_of(leaf: &W::Input<'_>) -> W::Mark {
        leaf.mark()
    }

    fn rejoin(&mut self, end: W::Mark) {
        self.mark = end;
    }

    #[inline]
    fn peek(&mut self) -> Result<ValueKind> {
        self.step(|i| i.peek())
    }

    fn null(&mut self) -> Result<()> {
        self.step(|i| i.null())
    }

    fn bool(&mut self) -> Result<bool> {
        self.step(|i| i.bool())
    }

    #[inline]
    fn number(&mut self) -> Result<Number> {
        self.step(|i| i.number())
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'a, str>> {
        self.step(|i| owned(i.string()?))
    }

    #[inline]
    fn begin_object(&mut self) -> Result<()> {
        self.step(|i| i.begin_object())
    }

    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>> {
        self.step(|i| i.next_key()?.map(owned).transpose())
    }

    #[inline]
    fn begin_array(&mut self) -> Result<()> {
        self.step(|i| i.begin_array())
    }

    #[inline]
    fn next_element(&mut self) -> Result<bool> {
        self.step(|i| i.next_element())
    }

    fn skip(&mut self) -> Result<()> {
        self.step(|i| i.skip())
    }

    fn pass(&mut self) -> Result<()> {
        self.step(|i| i.pass())
    }

    fn mark(&self) -> Self::Mark {
        StreamMark { mark: self.mark, gone: self.gone }
    }

    fn reset(&mut self, mark: Self::Mark) {
        // A mark made without a hold may be gone: then the start of the window is read, which cannot be what was marked, but
        // is no worse than any other misuse of marks.
        let bytes = usize::try_from(self.gone.saturating_sub(mark.gone)).unwrap_or(usize::MAX);
        self.mark = W::without(mark.mark, bytes);
    }

    fn hold(&mut self) {
        if self.holds == 0 {
            self.held_from = W::pos(self.mark);
        }
        self.holds += 1;
    }

    fn release(&mut self) {
        self.holds = self.holds.saturating_sub(1);
    }

    fn value(&mut self) -> Result<serde_json::Value> {
        self.step(|i| i.value())
    }

    fn offset(&self) -> u64 {
        self.gone.saturating_add(W::pos(self.mark) as u64)
    }

    fn total(&self) -> Option<u64> {
        self.source.total()
    }

    fn position_of(&self, offset: u64) -> Position {
        if offset < self.gone {
            return Position { line: 0, column: 0, offset };
        }
        self.window.at(self.mark, self.limits).position_of(offset)
    }

    fn finish(&mut self) -> Result<()> {
        self.step(|i| i.finish())
    }
}

/// Appends text; [`ErrorCode::OutOfMemory`] if there is no room.
fn append(to: &mut String, text: &str) -> Result<()> {
    to.try_reserve(text.len()).map_err(|_| Error::out_of_memory())?;
    to.push_str(text);
    Ok(())
}
