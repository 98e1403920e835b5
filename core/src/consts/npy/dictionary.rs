//! The header text is a Python dictionary literal; this reads exactly the part of that language which headers use.
#![forbid(unsafe_code)]

use super::descr::{Descr, Refusal};
use super::fault::NpyFault;
use super::show::Quoted;
use crate::error::{Error, Result};
use alloc::vec::Vec;

/// The three values, each with its byte offset in the file.
pub(super) struct Header {
    pub descr: (Descr, u64),
    pub fortran_order: (bool, u64),
    pub shape: (Vec<u64>, u64),
}

/// Reads the header text, which starts at byte `start` of the file.
pub(super) fn parse(text: &[u8], start: usize, utf8: bool) -> Result<Header> {
    let mut reader = Reader { text, utf8, at: 0, start };
    if utf8 && let Err(e) = core::str::from_utf8(text) {
        reader.at = e.valid_up_to();
        let found = reader.peek().unwrap_or_default();
        return Err(NpyFault::HeaderSyntax
            .error(reader.offset())
            .expected_found("UTF-8", format_args!("byte 0x{found:02x}")));
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
                return Err(reader.refused_key("the key `descr`, `fortran_order` or `shape`", key));
            }
        };
        if repeated {
            reader.at = key_at;
            return Err(reader.refused_key("each key once", key));
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
    let missing = |key: &str| {
        let expected = format_args!("`{key}`");
        NpyFault::MissingKey.error(start as u64).expected_found(expected, "a dictionary without it")
    };
    Ok(Header {
        descr: descr.ok_or_else(|| missing("descr"))?,
        fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

struct Reader<'t> {
    text: &'t [u8],
    /// UTF-8, else Latin-1.
    utf8: bool,
    at: usize,
    start: usize,
}

impl<'t> Reader<'t> {
    fn offset(&self) -> u64 {
        self.start.saturating_add(self.at) as u64
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
        match self.character() {
            Some(text) => error.expected_found(expected, self.quoted(text)),
            None => error.expected_found(expected, "the end of the header"),
        }
    }

    fn refused_key(&self, expected: &str, key: &[u8]) -> Error {
        NpyFault::HeaderSyntax.error(self.offset()).expected_found(expected, self.quoted(key))
    }

    fn quoted<'q>(&self, text: &'q [u8]) -> Quoted<'q> {
        Quoted { text, utf8: self.utf8 }
    }

    /// The bytes of the next character.
    fn character(&self) -> Option<&'t [u8]> {
        let rest = self.text.get(self.at..)?;
        let following = rest.iter().skip(1).take_while(|byte| self.utf8 && (**byte & 0xc0) == 0x80).count();
        rest.get(..1 + following)
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
        let compound = match self.peek() {
            Some(b'[') => Some("a structured type"),
            Some(b'(') => Some("a type of arrays"),
            _ => None,
        };
        if let Some(found) = compound {
            return Err(NpyFault::UnsupportedDtype.error(at).expected_found("a plain type", found));
        }
        let text = self.string()?;
        Descr::read(text).map_err(|refusal| {
            let (fault, expected) = match refusal {
                Refusal::Type => (NpyFault::UnsupportedDtype, "a type of the IR"),
                Refusal::Order => (NpyFault::ByteOrder, "`<`"),
            };
            fault.error(at).expected_found(expected, self.quoted(text))
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
        let mut value = Some(0u64);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.and_then(|v| v.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let digits = self.text.get(from..self.at).unwrap_or_default();
        if matches!(digits, [] | [b'0', _, ..]) {
            self.at = from;
            return Err(self.syntax("a number"));
        }
        value.ok_or_else(|| {
            self.at = from;
            NpyFault::SizeOverflow.error(self.offset()).expected_found("a dimension below 2^64", self.quoted(digits))
        })
    }
}
