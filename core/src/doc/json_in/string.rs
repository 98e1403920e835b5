//! Strings of JSON text: borrowed where they stand, decoded only if they have escapes.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;

use super::{Flaw, JsonInput};
use crate::doc::scan;
use crate::error::{Error, Result};

impl<'a> JsonInput<'a> {
    /// Reads the string whose opening quote is at the current place.
    #[inline(always)]
    pub(super) fn quoted(&mut self) -> Result<Cow<'a, str>> {
        let start = self.pos + 1;
        let end = scan::special(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') && (end - start) as u64 <= self.max_string_bytes {
            let text = self.slice(start, end)?;
            self.pos = end + 1;
            return Ok(Cow::Borrowed(text));
        }
        self.quoted_with_escapes(start)
    }

    /// Passes the string whose opening quote is at the current place.
    #[inline(always)]
    pub(super) fn skip_quoted(&mut self) -> Result<()> {
        let start = self.pos + 1;
        let mut end = scan::special(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') || (end - start) as u64 > self.max_string_bytes {
            end = self.closing_quote(start)?;
        }
        self.pos = end + 1;
        Ok(())
    }

    #[inline(never)]
    fn quoted_with_escapes(&mut self, start: usize) -> Result<Cow<'a, str>> {
        // The end first: the limit holds before memory is asked for, and what is decoded is never longer than its text.
        let end = self.closing_quote(start)?;
        let text = self.text.as_bytes();
        let mut out = String::new();
        out.try_reserve_exact(end - start).map_err(|_| Error::out_of_memory())?;
        let mut from = start;
        loop {
            let at = scan::special(text, from);
            out.push_str(self.slice(from, at)?);
            if at >= end {
                break;
            }
            let (c, next) = escape(text, at).map_err(|flaw| self.flaw(flaw))?;
            out.push(c);
            from = next;
        }
        self.pos = end + 1;
        Ok(Cow::Owned(out))
    }

    /// Where the quote stands that closes the string whose text starts at `start`. All of the string is checked.
    #[inline(never)]
    fn closing_quote(&self, start: usize) -> Result<usize> {
        let text = self.text.as_bytes();
        let mut at = start;
        loop {
            at = scan::special(text, at);
            match text.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at = escape(text, at).map_err(|flaw| self.flaw(flaw))?.1,
                Some(_) => return Err(self.syntax(at, "an escaped control character")),
                None => return Err(self.syntax(at, "`\"` at the end of the string")),
            }
        }
        if (at - start) as u64 > self.max_string_bytes {
            return Err(self.limit_exceeded("max_string_bytes", self.max_string_bytes, start));
        }
        Ok(at)
    }
}

/// Decodes the escape whose backslash is at `at`: the character, and where the text goes on.
fn escape(text: &[u8], at: usize) -> Result<(char, usize), Flaw> {
    let c = match text.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(text, at),
        _ => return Err(Flaw { at: at + 1, expected: "one of `\"\\/bfnrtu` behind `\\`" }),
    };
    Ok((c, at + 2))
}

/// Decodes `\uXXXX`, or two of them that are a surrogate pair.
fn unicode(text: &[u8], at: usize) -> Result<(char, usize), Flaw> {
    let unit = code_unit(text, at)?;
    let next = at + 6;
    if let Some(c) = char::from_u32(unit) {
        return Ok((c, next));
    }
    let lone = Flaw { at, expected: "a surrogate pair" };
    if unit >= 0xDC00 || text.get(next) != Some(&b'\\') || text.get(next + 1) != Some(&b'u') {
        return Err(lone);
    }
    let low = code_unit(text, next)?;
    if !(0xDC00..0xE000).contains(&low) {
        return Err(lone);
    }
    let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    char::from_u32(code).map(|c| (c, next + 6)).ok_or(lone)
}

/// The four hexadecimal digits of the `\u` at `at`.
fn code_unit(text: &[u8], at: usize) -> Result<u32, Flaw> {
    let mut unit = 0;
    for at in at + 2..at + 6 {
        match text.get(at).and_then(|&b| char::from(b).to_digit(16)) {
            Some(digit) => unit = unit << 4 | digit,
            None => return Err(Flaw { at, expected: "a hexadecimal digit" }),
        }
    }
    Ok(unit)
}
