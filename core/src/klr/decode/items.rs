//! The smallest things in a file: integers, texts, the heads of lists. Integers and counts may be of any width.

use super::decoder::{Decoder, Read};
use super::refuse;

impl<'a> Decoder<'a> {
    /// Reads a nat.
    #[inline]
    pub(crate) fn nat(&mut self) -> Read<u64> {
        match self.rest {
            [small @ 0..=0x17, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*small))
            }
            [0x18..=0x1f, ..] => self.argument(),
            other => Err(self.wrong_type(other, "an unsigned integer")),
        }
    }

    /// Reads an int.
    #[inline]
    pub(crate) fn int(&mut self) -> Read<i64> {
        let (start, before) = (self.offset(), self.rest);
        let negative = match before {
            [0..=0x1f, ..] => false,
            [0x20..=0x3f, ..] => true,
            other => return Err(self.wrong_type(other, "an integer")),
        };
        let value = self.argument()?;
        match i64::try_from(value) {
            Ok(value) => Ok(if negative { !value } else { value }),
            Err(_) => Err(self.too_large(start, negative, value)),
        }
    }

    #[inline]
    pub(crate) fn bool(&mut self) -> Read<bool> {
        match self.rest {
            [byte @ (0xf4 | 0xf5), rest @ ..] => {
                self.rest = rest;
                Ok(*byte == 0xf5)
            }
            other => Err(self.wrong_type(other, "a bool")),
        }
    }

    #[inline]
    pub(crate) fn f32(&mut self) -> Read<f32> {
        match self.rest {
            [0xfa, a, b, c, d, rest @ ..] => {
                self.rest = rest;
                Ok(f32::from_be_bytes([*a, *b, *c, *d]))
            }
            [0xfa, ..] => Err(self.ends_early(self.offset(), "a 32-bit float")),
            other => Err(self.wrong_type(other, "a 32-bit float")),
        }
    }

    /// Reads a text.
    #[inline]
    pub(crate) fn text(&mut self) -> Read<&'a str> {
        let (start, before) = (self.offset(), self.rest);
        if !matches!(before, [0x60..=0x7f, ..]) {
            return Err(self.wrong_type(before, "a text"));
        }
        let len = self.argument()?;
        if len > self.options.max_text_bytes {
            return Err(self.too_long(start, len));
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let Some((text, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.ends_early(start, format_args!("a text of {len} bytes")));
        };
        match core::str::from_utf8(text) {
            Ok(text) => {
                self.rest = rest;
                Ok(text)
            }
            Err(error) => Err(self.not_utf8(text, error)),
        }
    }

    /// Reads the head of a list whose elements take `least` bytes each, and checks that the rest of the file can hold it.
    #[inline]
    pub(crate) fn list(&mut self, least: usize) -> Read<usize> {
        let start = self.offset();
        let len = self.count("a list")?;
        let room = self.rest.len() / least.max(1);
        match usize::try_from(len) {
            Ok(len) if len <= room => Ok(len),
            _ => Err(self.list_too_long(start, len, room)),
        }
    }

    /// Reads the head of a CBOR array.
    #[inline]
    pub(super) fn count(&mut self, what: &str) -> Read<u64> {
        match self.rest {
            [0x80..=0x9f, ..] => self.argument(),
            other => Err(self.wrong_type(other, what)),
        }
    }

    /// Reads the first byte of an item and the number that it leads to.
    #[inline]
    fn argument(&mut self) -> Read<u64> {
        let start = self.rest;
        let Some((first, rest)) = start.split_first() else { return Err(self.ends_early(self.offset(), "an item")) };
        let read = match first & 0x1f {
            small @ 0..=23 => Some((u64::from(small), rest)),
            24 => rest.split_first().map(|(byte, rest)| (u64::from(*byte), rest)),
            25 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u16::from_be_bytes(*bytes)), rest)),
            26 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u32::from_be_bytes(*bytes)), rest)),
            27 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from_be_bytes(*bytes), rest)),
            31 => return Err(self.indefinite()),
            _ => return Err(self.reserved(*first)),
        };
        let Some((value, rest)) = read else {
            return Err(self.ends_early(self.offset(), refuse::describe(start)));
        };
        self.rest = rest;
        Ok(value)
    }
}
