//! The JSON writer: a document goes out in one pass, in the form that the original's JSON library gives it, so that files
//! of both compare byte for byte (`spec/bir-json.md` section 10).
//!
//! That form (`dump(2)` of nlohmann::json): an indent of two spaces, one member or element per line, `[]` and `{}` when
//! empty, text as UTF-8, and floats in the shortest form that reads back bit for bit.
#![forbid(unsafe_code)]

mod buffer;
pub(crate) mod float;
pub(crate) mod integer;
mod members;
mod pair_lines;
mod phrases;
mod plain_object;
mod put;
mod recent;
mod state;
#[cfg(test)]
mod tests;

use crate::doc::output::{Kind, Output, misuse, name_and_word_by_value, pairs_by_value};
use crate::doc::scan;
use crate::error::Result;
use crate::sink::Sink;
use buffer::Buffer;
use float::Floats;
use members::Members;
use pair_lines::AllPairLines;
use phrases::Phrases;
use put::{Put, SHORT, is_plain};
use recent::Recent;
use state::Levels;

/// Layout of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// An indent of two spaces, and a newline at the end.
    Pretty,
    /// No white space at all.
    Compact,
}

/// Writes one JSON document into a [`Sink`].
#[derive(Debug)]
pub struct JsonOut<'s, S: Sink + ?Sized> {
    buffer: Buffer<'s, S>,
    style: Style,
    levels: Levels,
    pair_lines: AllPairLines,
    members: Members,
    phrases: Phrases,
    recent: Recent,
    floats: Floats,
}

/// What stands before a member: a comma, a newline, and an indent of which as much counts as the depth needs.
const NEXT: [u8; 64] = *b",\n                                                              ";
/// What stands before the first member, and before the end.
const FIRST: [u8; 64] = *b"\n                                                               ";
/// Bytes that are copied of them for places that are not deep: whole vectors, whatever counts of them.
const SHALLOW: usize = 32;

impl<'s, S: Sink + ?Sized> JsonOut<'s, S> {
    /// A writer of one document into `sink`.
    pub fn new(sink: &'s mut S, style: Style) -> Self {
        JsonOut {
            buffer: Buffer::new(sink),
            style,
            levels: Levels::START,
            pair_lines: AllPairLines::default(),
            members: Members::default(),
            phrases: Phrases::default(),
            recent: Recent::default(),
            floats: Floats::default(),
        }
    }

    #[inline]
    fn begin(&mut self, kind: Kind, bracket: &[u8; 1]) -> Result<()> {
        self.before_value()?;
        self.levels.enter(kind)?;
        self.buffer.put_of(bracket, 1);
        self.buffer.check()
    }

    #[inline]
    fn end(&mut self, kind: Kind, bracket: &[u8; 1]) -> Result<()> {
        let at = self.levels.at;
        if at.kind() != kind || at.is_after_key() {
            return Err(misuse("an end"));
        }
        self.levels.leave();
        if self.style == Style::Pretty && !at.is_empty() {
            self.new_line(&FIRST, 0);
        }
        self.buffer.put_of(bracket, 1);
        self.buffer.check()
    }

    /// Puts what has to stand before a value.
    #[inline(always)]
    fn before_value(&mut self) -> Result<()> {
        let at = self.levels.at;
        if at.is_after_key() {
            self.levels.at = at.without_key();
            return Ok(());
        }
        self.before_element()
    }

    /// Puts what has to stand before a value without a key.
    #[inline]
    fn before_element(&mut self) -> Result<()> {
        match self.levels.at.kind() {
            Kind::Object => Err(misuse("a value without a key")),
            Kind::Array => {
                self.separate();
                Ok(())
            }
            Kind::Root => {
                if !self.levels.at.is_empty() {
                    return Err(misuse("a second document"));
                }
                self.levels.at = self.levels.at.filled();
                Ok(())
            }
        }
    }

    /// Puts what has to stand before a member or an element.
    #[inline]
    fn separate(&mut self) {
        let first = self.levels.at.is_empty();
        self.levels.at = self.levels.at.filled();
        match (self.style, first) {
            (Style::Pretty, false) => self.new_line(&NEXT, 1),
            (Style::Pretty, true) => self.new_line(&FIRST, 0),
            (Style::Compact, false) => self.buffer.put_of(b",", 1),
            (Style::Compact, true) => {}
        }
    }

    /// Writes a phrase and remembers what it was.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, number: usize, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (from, start) = (self.levels.at, self.buffer.start(2 * phrases::LONGEST));
        write(self)?;
        match self.buffer.since(start) {
            Some(text) => self.phrases.set(number, from, self.levels.at, text),
            None => Ok(()),
        }
    }

    /// Writes a phrase and keeps it for a while.
    #[inline(never)]
    fn keep(&mut self, key: &[u64], write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (from, start) = (self.levels.at, self.buffer.start(2 * recent::LONGEST));
        write(self)?;
        match self.buffer.since(start) {
            Some(text) => self.recent.set(key, from, self.levels.at, text),
            None => Ok(()),
        }
    }

    /// Begins a line for the current depth: with [`NEXT`], or with [`FIRST`].
    #[inline(always)]
    fn new_line(&mut self, text: &'static [u8; 64], break_at: usize) {
        let count = break_at + 1 + 2 * self.levels.at.depth();
        match text.first_chunk::<SHALLOW>() {
            Some(chunk) if count <= SHALLOW => self.buffer.put_of(chunk, count),
            _ => self.deep_line(text, break_at, count),
        }
    }

    #[inline(never)]
    fn deep_line(&mut self, text: &'static [u8; 64], break_at: usize, count: usize) {
        if count <= text.len() {
            return self.buffer.put_of(text, count);
        }
        self.put(text.get(..=break_at).unwrap_or(&[]));
        for _ in 0..self.levels.at.depth() {
            self.put(b"  ");
        }
    }

    /// Puts a string, and `behind` it at most two bytes.
    #[inline(always)]
    fn quoted(&mut self, text: &str, behind: &[u8]) {
        if !self.buffer.put_quoted(text.as_bytes(), behind) {
            self.escaped(text);
            self.put(behind);
        }
    }

    #[inline(never)]
    fn escaped(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.put(b"\"");
        let mut from = 0;
        loop {
            let at = scan::special(bytes, from);
            self.put(bytes.get(from..at).unwrap_or(&[]));
            match bytes.get(at) {
                None => break,
                Some(&byte) => self.escape(byte),
            }
            from = at + 1;
        }
        self.put(b"\"");
    }

    #[inline(never)]
    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let short: &[u8; 2] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            0x08 => b"\\b",
            0x09 => b"\\t",
            0x0A => b"\\n",
            0x0C => b"\\f",
            0x0D => b"\\r",
            _ => {
                let digit = |value: u8| HEX.get(usize::from(value)).copied().unwrap_or(b'0');
                return self.put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            }
        };
        self.put(short);
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        self.buffer.put(bytes);
    }
}

impl<S: Sink + ?Sized> Output for JsonOut<'_, S> {
    const LENGTHS: bool = false;

    #[inline]
    fn begin_object(&mut self) -> Result<()> {
        self.begin(Kind::Object, b"{")
    }

    #[inline]
    fn key(&mut self, key: &str) -> Result<()> {
        if !self.levels.at.takes_key() {
            return Err(misuse("a key"));
        }
        self.separate();
        self.levels.at = self.levels.at.with_key();
        match self.style {
            Style::Pretty => self.quoted(key, b": "),
            Style::Compact => self.quoted(key, b":"),
        }
        Ok(())
    }

    #[inline]
    fn schema_key(&mut self, key: &'static str) -> Result<()> {
        let at = self.levels.at;
        if !at.takes_key() {
            return Err(misuse("a key"));
        }
        let Some(member) = self.members.get(self.style, key, at.depth())? else { return self.key(key) };
        self.levels.at = at.with_key();
        let (text, len) = if at.is_empty() { member.first() } else { member.next() };
        if let Some(text) = text {
            self.buffer.put_of(text, len);
        }
        Ok(())
    }

    fn compact_object(&mut self, text: &str) -> Result<bool> {
        let Some(members) = plain_object::Members::of(text) else { return Ok(false) };
        self.begin_object()?;
        let colon: &[u8] = match self.style {
            Style::Pretty => b": ",
            Style::Compact => b":",
        };
        for (key, value) in members.iter() {
            self.separate();
            self.buffer.put_known(key.as_bytes(), colon);
            match value.as_bytes() {
                short if short.len() <= SHORT => self.buffer.put_short(short),
                long => self.buffer.put(long),
            }
        }
        self.end_object()?;
        Ok(true)
    }

    #[inline]
    fn schema_string(&mut self, text: &'static str) -> Result<()> {
        self.before_value()?;
        self.buffer.put_known(text.as_bytes(), b"");
        Ok(())
    }

    #[inline(always)]
    fn phrase(&mut self, number: usize, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let at = self.levels.at;
        let Some((phrase, (text, len))) = self.phrases.get(number, at).and_then(|p| Some((p, p.text(at)?))) else {
            return self.learn(number, write);
        };
        self.buffer.put_phrase(text, len);
        self.levels.at = phrase.to();
        Ok(())
    }

    #[inline]
    fn phrase_of(&mut self, key: &[u64], write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        match self.recent.get(key, self.levels.at) {
            Some((text, to)) => {
                self.buffer.put(text);
                self.levels.at = to;
                Ok(())
            }
            None => self.keep(key, write),
        }
    }

    #[inline]
    fn end_object(&mut self) -> Result<()> {
        self.end(Kind::Object, b"}")
    }

    #[inline]
    fn begin_array(&mut self) -> Result<()> {
        self.begin(Kind::Array, b"[")
    }

    #[inline]
    fn end_array(&mut self) -> Result<()> {
        self.end(Kind::Array, b"]")
    }

    fn pairs(&mut self, pairs: impl Iterator<Item = [i64; 2]>) -> Result<()> {
        let at = self.levels.at;
        let lines = self.pair_lines.get(self.style, at.depth())?.filter(|_| at.kind() == Kind::Array);
        let Some(lines) = lines else { return pairs_by_value(self, pairs) };
        let mut is_first = at.is_empty();
        for [first, second] in pairs {
            let open = lines.open(is_first);
            is_first = false;
            self.buffer.put_with(|pen| {
                pen.put_of(&open.0, open.1);
                pen.put_signed(first);
                pen.put_of(&lines.middle.0, lines.middle.1);
                pen.put_signed(second);
                pen.put_of(&lines.close.0, lines.close.1);
            });
        }
        if !is_first {
            self.levels.at = at.filled();
        }
        Ok(())
    }

    #[inline]
    fn name_and_word(&mut self, name: &str, word: &'static str) -> Result<()> {
        let at = self.levels.at;
        let is_short = name.len() <= SHORT && is_plain(name.as_bytes()) && word.len() <= SHORT;
        let lines = self.pair_lines.get(self.style, at.depth())?.filter(|_| at.kind() == Kind::Array && is_short);
        let Some(lines) = lines else { return name_and_word_by_value(self, name, word) };
        let open = lines.open(at.is_empty());
        self.levels.at = at.filled();
        self.buffer.put_with(|pen| {
            pen.put_of(&open.0, open.1);
            pen.put_short_quoted(name.as_bytes(), b"");
            pen.put_of(&lines.middle.0, lines.middle.1);
            pen.put_short_quoted(word.as_bytes(), b"");
            pen.put_of(&lines.close.0, lines.close.1);
        });
        Ok(())
    }

    #[inline]
    fn string(&mut self, text: &str) -> Result<()> {
        self.before_value()?;
        if !self.buffer.put_string(text.as_bytes()) {
            self.quoted(text, b"");
        }
        Ok(())
    }

    #[inline]
    fn i64(&mut self, value: i64) -> Result<()> {
        self.before_value()?;
        self.buffer.put_signed(value);
        Ok(())
    }

    #[inline]
    fn u64(&mut self, value: u64) -> Result<()> {
        self.before_value()?;
        self.buffer.put_decimal(value);
        Ok(())
    }

    /// The shortest text; always with a point or an exponent.
    fn f32(&mut self, value: f32) -> Result<()> {
        self.before_value()?;
        self.buffer.put_short(self.floats.text(value).bytes());
        Ok(())
    }

    /// The shortest text; always with a point or an exponent.
    fn f64(&mut self, value: f64) -> Result<()> {
        self.before_value()?;
        let text = float::shortest_f64(value);
        self.put(text.bytes());
        Ok(())
    }

    #[inline]
    fn bool(&mut self, value: bool) -> Result<()> {
        self.before_value()?;
        if value {
            self.buffer.put_of(b"true", 4);
        } else {
            self.buffer.put_of(b"false", 5);
        }
        Ok(())
    }

    #[inline]
    fn null(&mut self) -> Result<()> {
        self.before_value()?;
        self.buffer.put_of(b"null", 4);
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if self.levels.at.kind() != Kind::Root || self.levels.at.is_empty() {
            return Err(misuse("the end of the document"));
        }
        if self.style == Style::Pretty {
            self.put(b"\n");
        }
        self.buffer.finish()
    }
}
