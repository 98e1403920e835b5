//! Values in the form that nearly all have, read in one go: integers of few digits, strings without escapes, arrays of pairs of
//! these, and objects that are compact text but for their white space. Whatever differs in any way is left where it is, to be
//! read, or reported, by the general way; so nothing here gives an error.
#![forbid(unsafe_code)]

use super::JsonInput;
use crate::doc::gap::Gap;
use crate::doc::pairs::{PairLayout, TextPair};
use crate::doc::scan;
use crate::error::{Error, Result};
use alloc::string::String;

/// Digits that fit into an `i64`.
const DIGITS: usize = 18;
/// Levels of an object that is compacted in one go.
const LEVELS: usize = 4;
/// Bytes of the text of such an object, at most: it cannot have more elements than any limit that makes sense allows.
const LONGEST: usize = 4096;

/// An integer of 1 to [`DIGITS`] digits without a leading zero that stands at `at`, and where it ends. What follows may still
/// make it another number.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    let mut end = at;
    while let Some(digit) = text.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit <= 9) {
        value = value * 10 + u64::from(digit);
        end += 1;
        if end - at > DIGITS {
            return None;
        }
    }
    if end == at || end - at > 1 && text.get(at) == Some(&b'0') { None } else { Some((value, end)) }
}

/// Where the string ends whose text starts at `at`: at its quote, if nothing in it is escaped.
#[inline(always)]
fn string_end(text: &[u8], at: usize, longest: u64) -> Option<usize> {
    let end = scan::special(text, at);
    (text.get(end) == Some(&b'"') && (end - at) as u64 <= longest).then_some(end)
}

/// Where `gap` ends, if it stands at `at`.
#[inline(always)]
fn behind(text: &[u8], at: usize, gap: &Gap) -> Option<usize> {
    gap.begins(text.get(at..)?).then_some(at + gap.len())
}

impl<'a> JsonInput<'a> {
    /// The text, if a container with so many levels and elements is within the limits here.
    #[inline(always)]
    fn text_for(&self, levels: usize, elements: usize) -> Option<&'a str> {
        let deep = self.max_depth.saturating_sub(self.depth) as usize >= levels;
        (deep && self.max_elements >= elements as u64).then_some(self.text)
    }

    #[inline(always)]
    pub(super) fn plain_text(&mut self) -> Option<&'a str> {
        let text = self.text.as_bytes();
        if text.get(self.pos) != Some(&b'"') {
            return None;
        }
        let start = self.pos + 1;
        let end = string_end(text, start, self.max_string_bytes)?;
        let found = self.text.get(start..end)?;
        self.pos = end + 1;
        Some(found)
    }

    #[inline(always)]
    pub(super) fn plain_integer_up_to(&mut self, max: u64) -> Option<u64> {
        let text = self.text.as_bytes();
        let (value, end) = digits(text, self.pos)?;
        if value > max || matches!(text.get(end), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.pos = end;
        Some(value)
    }

    pub(super) fn plain_number_pairs(&mut self, layout: &PairLayout, out: &mut [[u64; 2]]) -> Option<usize> {
        let text = self.text_for(2, out.len().max(2))?.as_bytes();
        let mut at = behind(text, self.pos, &layout.open)?;
        for (index, pair) in out.iter_mut().enumerate() {
            let (first, end) = digits(text, at)?;
            let (second, end) = digits(text, behind(text, end, &layout.middle)?)?;
            *pair = [first, second];
            match behind(text, end, &layout.next) {
                Some(next) => at = next,
                None => {
                    self.pos = behind(text, end, &layout.end)?;
                    self.fresh = false;
                    return Some(index + 1);
                }
            }
        }
        None
    }

    pub(super) fn plain_text_pairs(&mut self, layout: &PairLayout, out: &mut [TextPair<'a>]) -> Option<usize> {
        let text = self.text_for(2, out.len().max(2))?;
        let bytes = text.as_bytes();
        let mut at = behind(bytes, self.pos, &layout.open)?;
        let mut inside = layout.inside_open;
        for (index, pair) in out.iter_mut().enumerate() {
            let end = string_end(bytes, at, self.max_string_bytes)?;
            let second = behind(bytes, end, &layout.middle)?;
            let second_end = string_end(bytes, second, self.max_string_bytes)?;
            let offset = self.origin.offset.saturating_add(at as u64).saturating_sub(inside.into());
            *pair = TextPair { first: text.get(at..end)?, second: text.get(second..second_end)?, offset };
            match behind(bytes, second_end, &layout.next) {
                Some(next) => (at, inside) = (next, layout.inside_next),
                None => {
                    self.pos = behind(bytes, second_end, &layout.end)?;
                    self.fresh = false;
                    return Some(index + 1);
                }
            }
        }
        None
    }

    /// How the array of pairs that stood from `from` to here was written; numbers, or `texts`.
    pub(super) fn pair_layout_from(&self, from: usize, texts: bool, before: &PairLayout) -> Option<PairLayout> {
        let text = self.text.as_bytes().get(from..self.pos)?;
        let mut at = 0;
        let values = core::iter::from_fn(|| {
            let start = match texts {
                true => at + text.get(at..)?.iter().position(|b| *b == b'"')? + 1,
                false => at + text.get(at..)?.iter().position(u8::is_ascii_digit)?,
            };
            let end = match texts {
                true => string_end(text, start, u64::MAX)?,
                false => digits(text, start)?.1,
            };
            at = end + usize::from(texts);
            Some((start, end))
        });
        PairLayout::of(text, values, before)
    }

    /// Appends the object that comes next as compact text.
    pub(super) fn plain_object_into(&mut self, out: &mut String) -> Result<bool> {
        let end = self.pos.saturating_add(LONGEST).min(self.text.len());
        let Some(text) =
            self.text_for(LEVELS, LONGEST).and_then(|text| text.get(self.pos..text.floor_char_boundary(end)))
        else {
            return Ok(false);
        };
        // White space only goes, so this is room for all.
        let mut compact = Compact { text, at: 0, out, max_string_bytes: self.max_string_bytes };
        compact.out.try_reserve(64).map_err(|_| Error::out_of_memory())?;
        let done = compact.object(LEVELS)?;
        let passed = compact.at;
        if done {
            self.pos += passed;
            self.fresh = false;
        }
        Ok(done)
    }
}

/// An object on its way to compact text. Its methods give `false` for what they leave to others.
struct Compact<'t, 'o> {
    text: &'t str,
    at: usize,
    out: &'o mut String,
    max_string_bytes: u64,
}

impl<'t> Compact<'t, '_> {
    /// Passes white space and gives the byte behind it, or 0 at the end.
    #[inline(always)]
    fn token(&mut self) -> u8 {
        let text = self.text.as_bytes();
        if text.get(self.at).is_none_or(|byte| *byte <= b' ') {
            self.at = scan::token(text, self.at);
        }
        text.get(self.at).copied().unwrap_or(0)
    }

    /// Copies the text to `end`.
    #[inline(always)]
    fn copy_to(&mut self, end: usize) -> Result<Option<&'t str>> {
        let Some(text) = self.text.get(self.at..end) else { return Ok(None) };
        self.out.try_reserve(text.len()).map_err(|_| Error::out_of_memory())?;
        self.out.push_str(text);
        self.at = end;
        Ok(Some(text))
    }

    /// The string whose quote comes next, with its quotes.
    fn string(&mut self) -> Result<Option<&'t str>> {
        match string_end(self.text.as_bytes(), self.at + 1, self.max_string_bytes) {
            Some(end) => self.copy_to(end + 1),
            None => Ok(None),
        }
    }

    /// The members must be in the order of their keys, of which each comes once.
    fn object(&mut self, levels: usize) -> Result<bool> {
        let Some(levels) = levels.checked_sub(1).filter(|_| self.token() == b'{') else { return Ok(false) };
        self.copy_to(self.at + 1)?;
        let mut last = "";
        loop {
            match self.token() {
                b'}' if last.is_empty() => {}
                b'"' => {
                    let Some(key) = self.string()?.filter(|key| last < *key) else { return Ok(false) };
                    last = key;
                    if self.token() != b':' {
                        return Ok(false);
                    }
                    self.copy_to(self.at + 1)?;
                    if !self.value(levels)? {
                        return Ok(false);
                    }
                }
                _ => return Ok(false),
            }
            match self.token() {
                b'}' => return Ok(self.copy_to(self.at + 1)?.is_some()),
                b',' => self.copy_to(self.at + 1)?,
                _ => return Ok(false),
            };
        }
    }

    fn array(&mut self, levels: usize) -> Result<bool> {
        let Some(levels) = levels.checked_sub(1) else { return Ok(false) };
        self.copy_to(self.at + 1)?;
        let mut empty = true;
        loop {
            let ends = empty && self.token() == b']';
            if !ends && !self.value(levels)? {
                return Ok(false);
            }
            empty = false;
            match self.token() {
                b']' => return Ok(self.copy_to(self.at + 1)?.is_some()),
                b',' => self.copy_to(self.at + 1)?,
                _ => return Ok(false),
            };
        }
    }

    fn value(&mut self, levels: usize) -> Result<bool> {
        let text = self.text.as_bytes();
        match self.token() {
            b'"' => Ok(self.string()?.is_some()),
            b'{' => self.object(levels),
            b'[' => self.array(levels),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            first => {
                let negative = first == b'-';
                match digits(text, self.at + usize::from(negative)) {
                    Some((0, _)) if negative => Ok(false),
                    Some((_, end)) => Ok(self.copy_to(end)?.is_some()),
                    None => Ok(false),
                }
            }
        }
    }

    fn word(&mut self, word: &str) -> Result<bool> {
        let end = self.at + word.len();
        Ok(self.text.get(self.at..end) == Some(word) && self.copy_to(end)?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::input::{Input, Limits};
    use crate::doc::{JsonOut, Output, Style};
    use std::vec::Vec;

    fn input(text: &str) -> JsonInput<'_> {
        JsonInput::new(text.as_bytes(), Limits::default())
    }

    /// What the general way makes of an object: its tree as compact text.
    fn by_tree(text: &str) -> String {
        let (mut out, value) = (Vec::new(), input(text).value().unwrap());
        let mut json = JsonOut::new(&mut out, Style::Compact);
        json.value(&value).unwrap();
        json.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn plain_objects_become_what_their_trees_are() {
        let plain = [
            "{}",
            "{ }",
            "{\"lineno\": 141}",
            "{\n  \"a\" : [ ],\n \"b\": [1, -2, [\"x\", {}]] , \"c\":{\"\":null}}",
            "{\"a\":true,\"b\":false,\"z\":123456789012345678,\"é\":\"ü\u{7f}\"}",
        ];
        for text in plain {
            let (mut reader, mut out) = (input(text), String::new());
            assert!(reader.compact_object(&mut out).unwrap(), "{text}");
            assert_eq!(out, by_tree(text));
            reader.finish().unwrap();
        }
        let other = [
            "[]",
            "{\"b\":1,\"a\":2}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":-0}",
            "{\"a\":1.0}",
            "{\"a\":1e3}",
            "{\"a\":\"\\n\"}",
            "{\"a\\u0062\":1}",
            "{\"a\":1234567890123456789}",
            "{\"a\":[[[[1]]]]}",
            "{\"a\":01}",
            "{\"a\":1,}",
            "{,}",
            "{\"a\":[1,]}",
            "{\"a\":[,1]}",
            "{\"a\" 1}",
            "{\"a\":tru}",
            "{\"a\":truex}",
            "{\"a\":1",
            "{\"a",
            "{",
            "",
            "{\"a\":-}",
            "{\"a\":\"\t\"}",
            "{1:1}",
            "{\"a\":1 2}",
        ];
        for text in other {
            let mut reader = input(text);
            assert!(!reader.compact_object(&mut String::new()).unwrap(), "{text}");
            assert_eq!(reader.offset(), 0, "{text}");
        }
        let long = std::format!("{{\"a\":\"{}\"}}", "x".repeat(LONGEST));
        assert!(!input(&long).compact_object(&mut String::new()).unwrap());
    }

    #[test]
    fn plain_values_stop_at_anything_else() {
        let integer = |text, max| input(text).plain_integer(max);
        assert_eq!((integer("0,", 9), integer("9]", 9), integer("10", 9)), (Some(0), Some(9), None));
        assert_eq!(integer("123456789012345678", u64::MAX), Some(123_456_789_012_345_678));
        for text in ["1234567890123456789", "01", "-1", "1.5", "1e2", "1E2", "", " 1", "x", "\"1\""] {
            assert_eq!(integer(text, u64::MAX), None, "{text}");
        }
        let string = |text| input(text).plain_string();
        assert_eq!((string("\"\""), string("\"é x\"y")), (Some(""), Some("é x")));
        for text in ["", "\"", "\"a", " \"a\"", "\"a\\n\"", "\"\n\"", "1"] {
            assert_eq!(string(text), None, "{text}");
        }
        let limits = Limits { max_string_bytes: 3, ..Limits::default() };
        assert_eq!(JsonInput::new(b"\"abc\"", limits).plain_string(), Some("abc"));
        assert_eq!(JsonInput::new(b"\"abcd\"", limits).plain_string(), None);
    }

    fn layout(text: &str, texts: bool) -> Option<PairLayout> {
        let mut reader = input(text);
        let start = reader.mark();
        reader.skip().unwrap();
        reader.pair_layout(start, texts, &PairLayout::NONE)
    }

    #[test]
    fn pairs_are_read_as_they_were_laid_out() {
        for (open, middle, next, end) in
            [("[[", ",", "],[", "]]"), ("[\n  [\n    ", " ,\n    ", "\n  ],\n  [\n    ", " ] ]")]
        {
            let layout = layout(&std::format!("{open}1{middle}2{next}3{middle}4{end}"), false).unwrap();
            let mut pairs = [[0; 2]; 3];
            let text = std::format!("{open}7{middle}80{next}0{middle}1{next}5{middle}6{end}");
            let mut reader = input(&text);
            assert_eq!((reader.number_pairs(&layout, &mut pairs), pairs), (Some(3), [[7, 80], [0, 1], [5, 6]]));
            reader.finish().unwrap();
            assert_eq!(input(&text).number_pairs(&layout, &mut pairs[..2]), None, "more than there is room for");
            let limits = Limits { max_depth: 1, ..Limits::default() };
            assert_eq!(JsonInput::new(text.as_bytes(), limits).number_pairs(&layout, &mut pairs), None);
            let limits = Limits { max_elements: 2, ..Limits::default() };
            assert_eq!(JsonInput::new(text.as_bytes(), limits).number_pairs(&layout, &mut pairs), None);
            for (from, to) in [("80", "08"), ("80", "8.5"), ("80", "-8"), ("7", "\"7\""), (",", ";"), ("]", "")] {
                let other = text.replacen(from, to, 1);
                let mut reader = input(&other);
                assert_eq!((reader.number_pairs(&layout, &mut pairs), reader.offset()), (None, 0), "{other}");
            }
        }
        let layout = layout("[[\"a\", \"b\"], [\"c\", \"\"]]", true).unwrap();
        let mut pairs = [TextPair::default(); 2];
        let mut reader = input("  [[\"x y\", \"\"], [\"z\", \"w\"]]");
        assert_eq!(reader.text_pairs(&layout, &mut pairs), None, "white space comes first");
        reader.peek().unwrap();
        assert_eq!(reader.text_pairs(&layout, &mut pairs), Some(2));
        let found = pairs.map(|pair| (pair.first, pair.second, pair.offset));
        assert_eq!(found, [("x y", "", 3), ("z", "w", 16)]);
        reader.finish().unwrap();
        assert_eq!(input("[[\"x\\n\", \"\"]]").text_pairs(&layout, &mut pairs), None);
    }

    #[test]
    fn only_pairs_have_a_layout() {
        for text in [
            "[]",
            "[1]",
            "[1,2]",
            "[[1],[2]]",
            "[[1,2,3]]",
            "[[1,2],3]",
            "[[1,-2]]",
            "[[1.5,2]]",
            "[{\"a\":1},2]",
            "[[1,[2]]]",
        ] {
            assert!(layout(text, false).is_none(), "{text}");
        }
        for text in ["[[\"a\"],[\"b\"]]", "[\"a\",\"b\"]", "[[\"a\",1]]", "[[\"a\",\"\\n\"]]", "[{\"a\":\"b\"}]"] {
            assert!(layout(text, true).is_none(), "{text}");
        }
        assert!(layout("[[1,2]]", false).is_some() && layout("[[\"a\",\"b\"]]", true).is_some());
    }
}
