//! JSON text as an [`Input`], strict after RFC 8259, because a lenient reader turns a damaged program into another program.
//!
//! Rejected are trailing commas, comments, leading zeros, raw control characters in strings, lone surrogates, invalid
//! UTF-8 and numbers beyond a 64-bit float. A UTF-8 byte order mark at the start is accepted. The whole input is checked
//! for UTF-8 once, at the start: that is far cheaper than a check per string. A document with an invalid byte reads well up
//! to that byte.
#![forbid(unsafe_code)]

mod number;
mod plain;
mod string;
#[cfg(test)]
pub(super) mod tests;
mod value;

use alloc::borrow::Cow;
use alloc::string::String;
use core::cell::Cell;
use core::fmt::{self, Display};

use crate::doc::gap::Gap;
use crate::doc::input::{Input, Limits, Number, ValueKind};
use crate::doc::pairs::{PairLayout, TextPair};
use crate::doc::scan;
use crate::doc::value_in;
use crate::error::{Error, ErrorCode, Position, Result};

/// JSON text, read value by value.
#[derive(Clone, Debug)]
pub struct JsonInput<'a> {
    /// All of the input, or as much of it as is valid UTF-8.
    text: &'a str,
    /// The byte behind `text` that is not UTF-8, if there is one.
    invalid: Option<u8>,
    /// Where `text` begins in the input.
    origin: Origin,
    /// Bytes of the input, if known.
    total: Option<u64>,
    pos: usize,
    depth: u32,
    /// The innermost container has just been entered: no comma may come before its next member.
    fresh: bool,
    max_depth: u32,
    max_string_bytes: u64,
    max_elements: u64,
    line: Cell<LineStart>,
}

/// A place before a value of a [`JsonInput`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonMark {
    pos: usize,
    depth: u32,
    fresh: bool,
}

/// Where the reading of one value ended.
#[derive(Clone, Copy, Debug)]
pub struct JsonEnd {
    mark: JsonMark,
    line: LineStart,
}

impl JsonMark {
    /// As [`JsonInput::mark`] gives it for the same place when `bytes` have gone from the start of the text.
    pub(super) const fn without(self, bytes: usize) -> Self {
        JsonMark { pos: self.pos.saturating_sub(bytes), ..self }
    }

    /// Bytes from the start of the text.
    pub(super) const fn pos(self) -> usize {
        self.pos
    }
}

/// The line that the last position asked for lies in: how many began in the text before it, and where it begins.
#[derive(Clone, Copy, Debug, Default)]
struct LineStart {
    before: u32,
    offset: usize,
}

/// The place in the whole input where the text of a [`JsonInput`] begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// Bytes before it.
    pub(super) offset: u64,
    /// Its line.
    pub(super) line: u32,
    /// Bytes before it in its line.
    pub(super) column: u32,
}

impl Origin {
    /// The start of an input.
    pub(super) const START: Origin = Origin { offset: 0, line: 1, column: 0 };

    /// The place behind `text`, which begins here.
    pub(super) fn behind(self, text: &[u8]) -> Origin {
        let offset = self.offset.saturating_add(text.len() as u64);
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        match text.iter().rposition(|&b| b == b'\n') {
            None => Origin { offset, line: self.line, column: self.column.saturating_add(length(text.len())) },
            Some(last) => {
                let lines = scan::line_feeds(text);
                Origin { offset, line: self.line.saturating_add(length(lines)), column: length(text.len() - last - 1) }
            }
        }
    }
}

/// A place where the text is not what it must be.
struct Flaw {
    at: usize,
    expected: &'static str,
}

impl<'a> JsonInput<'a> {
    /// Reads `bytes` from the start. Never fails: invalid UTF-8 is reported when the reading comes to it.
    pub fn new(bytes: &'a [u8], limits: Limits) -> Self {
        let text = valid(bytes);
        let invalid = bytes.get(text.len()).copied();
        let mut input =
            JsonInput { total: Some(bytes.len() as u64), ..JsonInput::part(text, invalid, Origin::START, limits) };
        input.pass_byte_order_mark();
        input
    }

    /// Passes the mark that may stand at the very start of an input.
    pub(super) fn pass_byte_order_mark(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.pos = '\u{feff}'.len_utf8();
        }
    }

    /// Reads a part of an input: `text`, behind which there is the end of the input or `invalid`. Nothing of it is read yet.
    pub(super) fn part(text: &'a str, invalid: Option<u8>, origin: Origin, limits: Limits) -> Self {
        JsonInput {
            text,
            invalid,
            origin,
            total: None,
            pos: 0,
            depth: 0,
            fresh: false,
            max_depth: limits.max_depth.min(Limits::HIGHEST_DEPTH),
            max_string_bytes: limits.max_string_bytes,
            max_elements: limits.max_elements,
            line: Cell::new(LineStart::default()),
        }
    }

    /// Passes white space and gives the byte behind it, or 0, which no token starts with, at the end.
    #[inline(always)]
    fn token(&mut self) -> u8 {
        let text = self.text.as_bytes();
        match text.get(self.pos) {
            Some(&byte) if byte > b' ' => byte,
            // One space, as behind a colon.
            Some(b' ') if text.get(self.pos + 1).is_some_and(|&byte| byte > b' ') => {
                self.pos += 1;
                text.get(self.pos).copied().unwrap_or(0)
            }
            _ => self.far_token(),
        }
    }

    /// As [`JsonInput::token`], for a line break and an indentation.
    #[inline(never)]
    fn far_token(&mut self) -> u8 {
        let text = self.text.as_bytes();
        self.pos = scan::token(text, self.pos);
        text.get(self.pos).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn slice(&self, start: usize, end: usize) -> Result<&'a str> {
        // Starts and ends are at ASCII bytes that were seen, so this is always a whole piece of the text.
        self.text.get(start..end).ok_or_else(|| Error::new(ErrorCode::Internal, "a token ends inside a character"))
    }

    #[inline(always)]
    fn open(&mut self) -> Result<()> {
        if self.depth >= self.max_depth {
            return Err(self.limit_exceeded("max_depth", u64::from(self.max_depth), self.pos));
        }
        self.pos += 1;
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    #[inline(always)]
    fn close(&mut self) {
        self.pos += 1;
        self.depth = self.depth.saturating_sub(1);
        self.fresh = false;
    }

    /// Moves to the opening quote of the object's next key; `false` if the object has ended.
    #[inline(always)]
    fn advance_to_key(&mut self) -> Result<bool> {
        let mut byte = self.token();
        if self.fresh {
            if byte == b'}' {
                self.close();
                return Ok(false);
            }
            if byte != b'"' {
                return Err(self.syntax(self.pos, "a key or `}`"));
            }
            self.fresh = false;
            return Ok(true);
        }
        match byte {
            b',' => self.pos += 1,
            b'}' => {
                self.close();
                return Ok(false);
            }
            _ => return Err(self.syntax(self.pos, "`,` or `}`")),
        }
        byte = self.token();
        if byte != b'"' {
            return Err(self.syntax(self.pos, "a key"));
        }
        Ok(true)
    }

    /// Passes the colon behind a key.
    #[inline(always)]
    fn colon(&mut self) -> Result<()> {
        if self.token() != b':' {
            return Err(self.syntax(self.pos, "`:`"));
        }
        self.pos += 1;
        // A value mostly follows the colon and one space.
        self.token();
        Ok(())
    }

    /// Passes `null`, `true` or `false`, of which the first letter has been seen.
    #[inline(always)]
    fn word(&mut self, word: &'static str, expected: &'static str) -> Result<()> {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or(&[]);
        if !rest.starts_with(word.as_bytes()) {
            let same = rest.iter().zip(word.as_bytes()).take_while(|(a, b)| a == b).count();
            return Err(self.syntax(self.pos + same, expected));
        }
        self.pos += word.len();
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn mismatch(&mut self, expected: &'static str) -> Error {
        self.wrong_type(expected)
    }

    #[cold]
    #[inline(never)]
    fn no_value(&self) -> Error {
        self.syntax(self.pos, "a value")
    }

    #[cold]
    #[inline(never)]
    fn flaw(&self, flaw: Flaw) -> Error {
        self.syntax(flaw.at, flaw.expected)
    }

    #[cold]
    #[inline(never)]
    fn syntax(&self, at: usize, expected: &str) -> Error {
        let error = if let Some(byte) = self.invalid.filter(|_| at >= self.text.len()) {
            Error::new(ErrorCode::Syntax, "not UTF-8").expected_found("valid UTF-8", format_args!("byte 0x{byte:02X}"))
        } else {
            let found = Found(self.text.get(at..).and_then(|rest| rest.chars().next()));
            Error::new(ErrorCode::Syntax, "malformed JSON").expected_found(expected, found)
        };
        error.at_position(self.position_at(at))
    }

    /// The place of an offset of the input in the text, as far as it reaches.
    #[inline(always)]
    fn place_of(&self, offset: u64) -> usize {
        usize::try_from(offset.saturating_sub(self.origin.offset)).unwrap_or(usize::MAX).min(self.text.len())
    }

    /// The position of a byte of the text.
    fn position_at(&self, at: usize) -> Position {
        self.position_of(self.origin.offset.saturating_add(at as u64))
    }

    #[cold]
    #[inline(never)]
    fn limit_exceeded(&self, name: &str, value: u64, at: usize) -> Error {
        Limits::exceeded(name, value).at_position(self.position_at(at))
    }
}

/// The text that `bytes` begin with, as far as they are valid UTF-8.
pub(super) fn valid(bytes: &[u8]) -> &str {
    // The quick check does not say where it fails.
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return text;
    }
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => bytes.get(..error.valid_up_to()).and_then(|b| core::str::from_utf8(b).ok()).unwrap_or(""),
    }
}

/// A character of the text as an error message shows it.
struct Found(Option<char>);

impl Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("end of input"),
            Some(c) if c.is_control() => write!(f, "the character U+{:04X}", u32::from(c)),
            Some(c) => write!(f, "`{c}`"),
        }
    }
}

impl<'a> Input<'a> for JsonInput<'a> {
    type Mark = JsonMark;
    type Leaf<'l>
        = JsonInput<'l>
    where
        Self: 'l;
    type End = JsonEnd;

    #[inline]
    fn leaf(&mut self) -> Result<JsonInput<'_>> {
        Ok(self.clone())
    }

    #[inline]
    fn end_of(leaf: &JsonInput<'_>) -> JsonEnd {
        JsonEnd { mark: leaf.mark(), line: leaf.line.get() }
    }

    #[inline]
    fn rejoin(&mut self, end: JsonEnd) {
        self.reset(end.mark);
        self.line.set(end.line);
    }

    #[inline(always)]
    fn peek(&mut self) -> Result<ValueKind> {
        Ok(match self.token() {
            b'"' => ValueKind::String,
            b'0'..=b'9' | b'-' => ValueKind::Number,
            b'{' => ValueKind::Object,
            b'[' => ValueKind::Array,
            b't' | b'f' => ValueKind::Bool,
            b'n' => ValueKind::Null,
            _ => return Err(self.no_value()),
        })
    }

    #[inline]
    fn null(&mut self) -> Result<()> {
        match self.token() {
            b'n' => self.word("null", "`null`"),
            _ => Err(self.mismatch("null")),
        }
    }

    #[inline]
    fn bool(&mut self) -> Result<bool> {
        match self.token() {
            b't' => self.word("true", "`true`").map(|()| true),
            b'f' => self.word("false", "`false`").map(|()| false),
            _ => Err(self.mismatch("a boolean")),
        }
    }

    #[inline]
    fn number(&mut self) -> Result<Number> {
        if !matches!(self.token(), b'0'..=b'9' | b'-') {
            return Err(self.mismatch("a number"));
        }
        let start = self.pos;
        let lexeme = number::lex(self.text.as_bytes(), start).map_err(|flaw| self.flaw(flaw))?;
        let Some(number) = lexeme.number(self.slice(start, lexeme.end)?) else {
            return Err(Error::new(ErrorCode::BadValue, "the number is beyond the range of a 64-bit float")
                .at_position(self.position_at(start)));
        };
        self.pos = lexeme.end;
        Ok(number)
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'a, str>> {
        match self.token() {
            b'"' => self.quoted(),
            _ => Err(self.mismatch("a string")),
        }
    }

    #[inline]
    fn begin_object(&mut self) -> Result<()> {
        match self.token() {
            b'{' => self.open(),
            _ => Err(self.mismatch("an object")),
        }
    }

    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>> {
        if !self.advance_to_key()? {
            return Ok(None);
        }
        let key = self.quoted()?;
        self.colon()?;
        Ok(Some(key))
    }

    #[inline(always)]
    fn passes(&mut self, gap: &Gap) -> bool {
        let found = self.text.as_bytes().get(self.pos..).is_some_and(|rest| gap.begins(rest));
        if found {
            self.pos += gap.len();
            self.depth = self.depth.saturating_sub(u32::from(gap.closes()));
            self.fresh = false;
        }
        found
    }

    fn gap(&self, from: JsonMark, closes: bool) -> Option<Gap> {
        Gap::new(self.text.as_bytes().get(from.pos..self.pos)?, closes)
    }

    #[inline]
    fn has_room(&self, levels: u32, elements: u64) -> bool {
        self.max_depth.saturating_sub(self.depth) >= levels && self.max_elements >= elements
    }

    #[inline(always)]
    fn passes_text(&mut self, text: &[u8]) -> bool {
        let found = self.text.as_bytes().get(self.pos..).is_some_and(|rest| rest.starts_with(text));
        if found {
            self.pos += text.len();
            self.fresh = false;
        }
        found
    }

    #[inline(always)]
    fn text_between(&self, from: u64, to: u64) -> Option<&'a str> {
        self.text.get(self.place_of(from)..self.place_of(to))
    }

    #[inline]
    fn mark_at(&self, offset: u64, levels: u32) -> JsonMark {
        JsonMark { pos: self.place_of(offset), depth: self.depth.saturating_add(levels), fresh: false }
    }

    #[inline(always)]
    fn plain_string(&mut self) -> Option<&'a str> {
        self.plain_text()
    }

    #[inline(always)]
    fn plain_integer(&mut self, max: u64) -> Option<u64> {
        self.plain_integer_up_to(max)
    }

    #[inline]
    fn number_pairs(&mut self, layout: &PairLayout, out: &mut [[u64; 2]]) -> Option<usize> {
        self.plain_number_pairs(layout, out)
    }

    #[inline]
    fn text_pairs(&mut self, layout: &PairLayout, out: &mut [TextPair<'a>]) -> Option<usize> {
        self.plain_text_pairs(layout, out)
    }

    fn pair_layout(&self, from: JsonMark, texts: bool, before: &PairLayout) -> Option<PairLayout> {
        self.pair_layout_from(from.pos, texts, before)
    }

    #[inline]
    fn compact_object(&mut self, out: &mut String) -> Result<bool> {
        self.plain_object_into(out)
    }

    #[inline]
    fn begin_array(&mut self) -> Result<()> {
        match self.token() {
            b'[' => self.open(),
            _ => Err(self.mismatch("an array")),
        }
    }

    #[inline]
    fn next_element(&mut self) -> Result<bool> {
        let byte = self.token();
        if byte == b']' {
            self.close();
            return Ok(false);
        }
        if self.fresh {
            self.fresh = false;
            return Ok(true);
        }
        if byte != b',' {
            return Err(self.syntax(self.pos, "`,` or `]`"));
        }
        self.pos += 1;
        self.token();
        Ok(true)
    }

    #[inline]
    fn skip(&mut self) -> Result<()> {
        match self.token() {
            b'{' | b'[' => self.skip_container(),
            byte => self.skip_scalar(byte),
        }
    }

    #[inline]
    fn pass(&mut self) -> Result<()> {
        match self.token() {
            b'{' | b'[' => self.pass_container(),
            byte => self.skip_scalar(byte),
        }
    }

    #[inline]
    fn mark(&self) -> JsonMark {
        JsonMark { pos: self.pos, depth: self.depth, fresh: self.fresh }
    }

    #[inline]
    fn reset(&mut self, mark: JsonMark) {
        // A mark of another input may lie behind the end of this one: that reads as the end.
        self.pos = mark.pos.min(self.text.len());
        self.depth = mark.depth;
        self.fresh = mark.fresh;
    }

    fn value(&mut self) -> Result<serde_json::Value> {
        value_in::read(self, self.max_elements)
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.origin.offset.saturating_add(self.pos as u64)
    }

    fn total(&self) -> Option<u64> {
        self.total
    }

    fn position_of(&self, offset: u64) -> Position {
        let at = self.place_of(offset);
        let mut line = self.line.get();
        if line.offset > at {
            line = LineStart::default();
        }
        let passed = self.text.as_bytes().get(line.offset..at).unwrap_or(&[]);
        if let Some(last) = passed.iter().rposition(|&b| b == b'\n') {
            let lines = scan::line_feeds(passed);
            line.before = line.before.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            line.offset += last + 1;
            self.line.set(line);
        }
        let first_line = if line.before == 0 { self.origin.column } else { 0 };
        let column = u32::try_from(at - line.offset).unwrap_or(u32::MAX).saturating_add(first_line).saturating_add(1);
        let offset = self.origin.offset.saturating_add(at as u64);
        Position { line: self.origin.line.saturating_add(line.before), column, offset }
    }

    fn finish(&mut self) -> Result<()> {
        self.token();
        if self.pos < self.text.len() || self.invalid.is_some() {
            return Err(self.syntax(self.pos, "end of input"));
        }
        Ok(())
    }
}
