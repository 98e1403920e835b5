//! CBOR (RFC 8949) as an [`Input`]: the twin of a JSON document, so whatever JSON has no like of is refused rather than
//! guessed at.
//!
//! Taken are definite and indefinite lengths, numbers in any width, floats of 16, 32 and 64 bits, and the tag of
//! self-described CBOR (55799) at the start. Refused are other tags, byte strings, keys that are not text, `undefined` and
//! other simple values. A float that is not finite is given as the string that JSON text has in its place ("inf", "-inf",
//! "nan"), so that both forms read alike. Lengths in the input are only believed as far as bytes follow.
#![forbid(unsafe_code)]

mod head;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt::Display;

use crate::doc::input::{Input, Limits, Number, ValueKind};
use crate::doc::json_out::float;
use crate::doc::value_in;
use crate::error::{Error, ErrorCode, Position, Result};
use head::{BREAK, Head, Item};

/// Self-described CBOR.
const SELF_DESCRIBED: u64 = 55799;

/// The number of items of a container of indefinite length; no definite one has so many.
const UNTIL_BREAK: u64 = u64::MAX;

/// A CBOR document, read value by value.
#[derive(Clone, Debug)]
pub struct CborInput<'a> {
    bytes: &'a [u8],
    pos: usize,
    depth: u32,
    level: Level,
    /// Where the open containers lie, outermost first. What is here of a container never changes, but after a reset the
    /// entries may be those of others: `start` tells.
    nesting: Vec<Nesting>,
    limits: Limits,
}

/// The innermost open container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    /// Where it starts.
    start: usize,
    /// Members or elements still to come; [`UNTIL_BREAK`] if it is not known.
    left: u64,
    map: bool,
}

/// The place of one container in another.
#[derive(Clone, Copy, Debug)]
struct Nesting {
    /// Where the inner one starts.
    start: usize,
    /// The outer one as it goes on behind the inner one.
    outer: Level,
}

/// A place before a value of a [`CborInput`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CborMark {
    pos: usize,
    depth: u32,
    level: Level,
}

impl Level {
    /// Around the document; no container starts there.
    const ROOT: Level = Level { start: usize::MAX, left: 0, map: false };
}

impl<'a> CborInput<'a> {
    /// Reads `bytes` from the start. Never fails: what is malformed is reported when the reading comes to it.
    pub fn new(bytes: &'a [u8], limits: Limits) -> Self {
        CborInput {
            bytes,
            pos: head::behind_tag(bytes, SELF_DESCRIBED),
            depth: 0,
            level: Level::ROOT,
            nesting: Vec::new(),
            limits: Limits { max_depth: limits.max_depth.min(Limits::HIGHEST_DEPTH), ..limits },
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    #[inline(always)]
    fn item(&self) -> Result<Head> {
        self.head(self.pos, "a value")
    }

    /// Enters the container at the current place, of which the head was read.
    #[inline]
    fn open(&mut self, map: bool, length: Option<u64>, content: usize) -> Result<()> {
        if self.depth >= self.limits.max_depth {
            return Err(self.limit_exceeded("max_depth", u64::from(self.limits.max_depth), self.pos));
        }
        if let Some(length) = length {
            // An item has a byte at least, a member two.
            let bytes = length.saturating_mul(if map { 2 } else { 1 });
            self.expect_bytes(content, bytes)?;
        }
        self.nest(self.depth as usize, Nesting { start: self.pos, outer: self.level })?;
        self.level = Level { start: self.pos, left: length.unwrap_or(UNTIL_BREAK), map };
        self.depth += 1;
        self.pos = content;
        Ok(())
    }

    /// Leaves the container, the end of which has been passed.
    #[inline]
    fn close(&mut self) -> Result<()> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(Error::new(ErrorCode::Internal, "the end of a container was asked for outside of any"));
        };
        let outer = match self.nesting.get(depth as usize) {
            Some(nesting) if nesting.start == self.level.start => nesting.outer,
            _ => self.retrace(depth)?,
        };
        self.depth = depth;
        self.level = outer;
        Ok(())
    }

    /// Remembers the place of the container at `depth`.
    #[inline]
    fn nest(&mut self, depth: usize, nesting: Nesting) -> Result<()> {
        if let Some(entry) = self.nesting.get_mut(depth) {
            *entry = nesting;
            return Ok(());
        }
        let missing = depth + 1 - self.nesting.len();
        self.nesting.try_reserve(missing).map_err(|_| Error::out_of_memory())?;
        // Levels that were never entered from here, because a mark led below them, are filled with what fits nowhere.
        self.nesting.resize(depth, Nesting { start: usize::MAX, outer: Level::ROOT });
        self.nesting.push(nesting);
        Ok(())
    }

    /// Counts the next item of the container; `false` if there is none, and the container has been left then.
    #[inline]
    fn advance(&mut self, expected: &'static str) -> Result<bool> {
        match self.level.left {
            0 => {
                self.close()?;
                Ok(false)
            }
            UNTIL_BREAK => match self.byte() {
                Some(BREAK) => {
                    self.pos += 1;
                    self.close()?;
                    Ok(false)
                }
                Some(_) => Ok(true),
                None => Err(self.syntax(self.pos, expected)),
            },
            left => {
                self.level.left = left - 1;
                Ok(true)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn mismatch(&mut self, expected: &'static str) -> Error {
        self.wrong_type(expected)
    }

    /// Fails unless so many bytes follow at `at`.
    #[inline]
    fn expect_bytes(&self, at: usize, count: u64) -> Result<()> {
        let there = self.bytes.len().saturating_sub(at) as u64;
        if count <= there {
            return Ok(());
        }
        Err(self.cut_off(count - there))
    }

    /// The input ends, and so many bytes are missing.
    #[cold]
    #[inline(never)]
    fn cut_off(&self, missing: u64) -> Error {
        let s = if missing == 1 { "" } else { "s" };
        self.syntax(self.bytes.len(), format_args!("{missing} more byte{s}"))
    }

    /// What is at `at` is not what must be there.
    #[cold]
    #[inline(never)]
    fn syntax(&self, at: usize, expected: impl Display) -> Error {
        let error = Error::new(ErrorCode::Syntax, "malformed CBOR");
        match self.bytes.get(at) {
            None => error.expected_found(expected, "end of input"),
            Some(&BREAK) => error.expected_found(expected, "a break"),
            Some(byte) => error.expected_found(expected, format_args!("byte 0x{byte:02X}")),
        }
        .at_position(self.position_of(at as u64))
    }

    /// What is at `at` is good CBOR, but nothing that a document can hold.
    #[cold]
    #[inline(never)]
    fn unsupported(&self, at: usize, expected: impl Display, found: impl Display) -> Error {
        Error::new(ErrorCode::Unsupported, "CBOR that no JSON document has the like of")
            .expected_found(expected, found)
            .at_position(self.position_of(at as u64))
    }

    #[cold]
    #[inline(never)]
    fn limit_exceeded(&self, name: &str, value: u64, at: usize) -> Error {
        Limits::exceeded(name, value).at_position(self.position_of(at as u64))
    }
}

impl<'a> Input<'a> for CborInput<'a> {
    type Mark = CborMark;
    type Leaf<'l>
        = CborInput<'l>
    where
        Self: 'l;
    type End = CborMark;

    /// A leaf never leaves the container that it begins in, so it need not know what lies around that.
    #[inline]
    fn leaf(&mut self) -> Result<CborInput<'_>> {
        Ok(CborInput { nesting: Vec::new(), ..*self })
    }

    #[inline]
    fn end_of(leaf: &CborInput<'_>) -> CborMark {
        leaf.mark()
    }

    #[inline]
    fn rejoin(&mut self, end: CborMark) {
        self.reset(end);
    }

    #[inline]
    fn peek(&mut self) -> Result<ValueKind> {
        Ok(match self.byte() {
            Some(0x00..=0x1B | 0x20..=0x3B) => ValueKind::Number,
            Some(0x60..=0x7B) => ValueKind::String,
            Some(0x80..=0x9B) => ValueKind::Array,
            Some(0xA0..=0xBB) => ValueKind::Object,
            _ => self.item()?.item.kind(),
        })
    }

    #[inline]
    fn null(&mut self) -> Result<()> {
        match self.item()? {
            Head { item: Item::Null, end } => {
                self.pos = end;
                Ok(())
            }
            _ => Err(self.mismatch("null")),
        }
    }

    #[inline]
    fn bool(&mut self) -> Result<bool> {
        match self.item()? {
            Head { item: Item::Bool(value), end } => {
                self.pos = end;
                Ok(value)
            }
            _ => Err(self.mismatch("a boolean")),
        }
    }

    #[inline]
    fn number(&mut self) -> Result<Number> {
        let Head { item, end } = self.item()?;
        let number = match item {
            Item::Unsigned(value) => Number::U64(value),
            Item::Negative(value) => match i64::try_from(value) {
                Ok(value) => Number::I64(!value),
                Err(_) => Number::F64(!i128::from(value) as f64),
            },
            Item::Float(value) if value.is_finite() => Number::F64(value),
            _ => return Err(self.mismatch("a number")),
        };
        self.pos = end;
        Ok(number)
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'a, str>> {
        let Head { item, end } = self.item()?;
        match item {
            Item::Text(length) => self.text(length, end),
            Item::Float(value) => match float::word(value) {
                Some(word) => {
                    self.pos = end;
                    Ok(Cow::Borrowed(word))
                }
                None => Err(self.mismatch("a string")),
            },
            _ => Err(self.mismatch("a string")),
        }
    }

    #[inline]
    fn begin_object(&mut self) -> Result<()> {
        match self.item()? {
            Head { item: Item::Map(length), end } => self.open(true, length, end),
            _ => Err(self.mismatch("an object")),
        }
    }

    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>> {
        if !self.advance("a key or a break")? {
            return Ok(None);
        }
        let (length, content) = self.key()?;
        self.text(length, content).map(Some)
    }

    #[inline]
    fn begin_array(&mut self) -> Result<()> {
        match self.item()? {
            Head { item: Item::Array(length), end } => self.open(false, length, end),
            _ => Err(self.mismatch("an array")),
        }
    }

    #[inline]
    fn next_element(&mut self) -> Result<bool> {
        self.advance("a value or a break")
    }

    fn skip(&mut self) -> Result<()> {
        self.walk(usize::MAX)
    }

    #[inline]
    fn mark(&self) -> CborMark {
        CborMark { pos: self.pos, depth: self.depth, level: self.level }
    }

    #[inline]
    fn reset(&mut self, mark: CborMark) {
        // A mark of another input may lie behind the end of this one: that reads as the end.
        self.pos = mark.pos.min(self.bytes.len());
        self.depth = mark.depth;
        self.level = mark.level;
    }

    fn value(&mut self) -> Result<serde_json::Value> {
        value_in::read(self, self.limits.max_elements)
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.pos as u64
    }

    fn total(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    /// The offset; there are no lines and columns.
    fn position_of(&self, offset: u64) -> Position {
        Position { line: 0, column: 0, offset: offset.min(self.bytes.len() as u64) }
    }

    /// Checks that nothing follows.
    fn finish(&mut self) -> Result<()> {
        if self.pos < self.bytes.len() {
            return Err(self.syntax(self.pos, "end of input"));
        }
        Ok(())
    }

    fn wrong_type(&mut self, expected: impl Display) -> Error {
        match self.item() {
            Ok(Head { item, .. }) => Error::new(ErrorCode::WrongType, "")
                .expected_found(expected, item.describe())
                .at_position(self.position_of(self.offset())),
            Err(error) => error,
        }
    }
}
