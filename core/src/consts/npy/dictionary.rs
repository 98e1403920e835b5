//! The header text is a Python dictionary literal; this reads exactly the part of that language which headers use.
#![forbid(unsafe_code)]

use super::descr::{Descr, Refusal};
use super::fault::NpyFault;
use crate::error::{Error, Result};
use alloc::vec::Vec;

/// The three values, each with its byte offset in the file.
pub(super) struct Header {
    pub descr: (Descr, usize),
    pub fortran_order: (bool, usize),
    pub shape: (Vec<u64>, usize),
}

/// Reads the header text, which starts at byte `start` of the file.
pub(super) fn parse(text: &[u8], start: usize, utf8: bool) -> Result<Header> {
    let mut reader = Reader { text, at: 0, start };
    if utf8 && let Err(e) = core::str::from_utf8(text) {
        reader.at = e.valid_up_to();
        return Err(reader.syntax("UTF-8"));
    }
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    reader.expect(b'{')?;
    loop {
        if reader.take(b'}') {
            break;
        }
        reader.skip_space();
        let key_at = reader.at;
        let key = reader.string()?;
        reader.expect(b':')?;
        reader.skip_space();
        let at = reader.offset();
        let repeated = match key {
            b"descr" => descr.replace((reader.descr()?, at)).is_some(),
            b"fortran_order" => fortran_order.replace((reader.boolean()?, at)).is_some(),
            b"shape" => shape.replace((reader.tuple()?, at)).is_some(),
            _ => {
                reader.at = key_at;
                return Err(reader.syntax("the key `descr`, `fortran_order` or `shape`"));
            }
        };
        if repeated {
            reader.at = key_at;
            return Err(reader.syntax("each key once"));
        }
        if !reader.take(b',') {
            reader.expect(b'}')?;
            break;
        }
    }
    reader.skip_space();
    if reader.peek().is_some() {
        return Err(reader.syntax("spaces up to the end of the header"));
    }
    let missing = |key: &str| NpyFault::MissingKey.error(start).expected_found(format_args!("`{key}`"), "");
    Ok(Header {
        descr: descr.ok_or_else(|| missing("descr"))?,
        fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    start: usize,
}

impl<'t> Reader<'t> {
    fn offset(&self) -> usize {
        self.start.saturating_add(self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn syntax(&self, expected: &str) -> Error {
        let error = NpyFault::HeaderSyntax.error(self.offset());
        match self.peek() {
            Some(byte) => error.expected_found(expected, format_args!("`{}`", byte.escape_ascii())),
            None => error.expected_found(expected, "the end of the header"),
        }
    }

    /// Skips space, then `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) {
            return Ok(());
        }
        Err(self.syntax(core::str::from_utf8(&[b'`', byte, b'`']).unwrap_or("")))
    }

    /// A string in single or double quotes, without escapes.
    fn string(&mut self) -> Result<&'t [u8]> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.syntax("a string")),
        };
        self.at += 1;
        let from = self.at;
        loop {
            match self.peek() {
                Some(byte) if byte == quote => break,
                None | Some(b'\\' | b'\n') => return Err(self.syntax("the end of the string")),
                Some(_) => self.at += 1,
            }
        }
        let string = self.text.get(from..self.at).unwrap_or_default();
        self.at += 1;
        Ok(string)
    }

    fn descr(&mut self) -> Result<Descr> {
        let at = self.offset();
        if self.peek() == Some(b'[') {
            return Err(NpyFault::UnsupportedDtype.error(at).expected_found("a plain type", "a structured type"));
        }
        let text = self.string()?;
        Descr::read(text).map_err(|refusal| match refusal {
            Refusal::Type => {
                let found = format_args!("`{}`", text.escape_ascii());
                NpyFault::UnsupportedDtype.error(at).expected_found("a type of the IR", found)
            }
            Refusal::Order => {
                let found = format_args!("`{}`", text.escape_ascii());
                NpyFault::ByteOrder.error(at).expected_found("`<`", found)
            }
        })
    }

    fn boolean(&mut self) -> Result<bool> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.syntax("`True` or `False`"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>> {
        let mut shape = Vec::new();
        self.expect(b'(')?;
        loop {
            if self.take(b')') {
                return Ok(shape);
            }
            shape.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            shape.push(self.integer()?);
            if !self.take(b',') {
                // One number in parentheses without a comma is a number, not a tuple.
                if shape.len() == 1 {
                    return Err(self.syntax("`,`"));
                }
                self.expect(b')')?;
                return Ok(shape);
            }
        }
    }

    fn integer(&mut self) -> Result<u64> {
        let from = self.at;
        let mut value = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0')));
            value = next.ok_or_else(|| NpyFault::SizeOverflow.error(self.offset()))?;
            self.at += 1;
        }
        let leading_zero = self.text.get(from) == Some(&b'0') && self.at - from > 1;
        if self.at == from || leading_zero {
            self.at = from;
            return Err(self.syntax("a number"));
        }
        Ok(value)
    }
}
