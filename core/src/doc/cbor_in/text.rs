//! Text of CBOR: borrowed where it stands in one piece, joined where it comes in chunks.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;

use super::CborInput;
use super::head::{BREAK, Head, Item};
use crate::error::{Error, ErrorCode, Result};

impl<'a> CborInput<'a> {
    /// Reads the text whose content starts at `content`.
    #[inline]
    pub(super) fn text(&mut self, length: Option<u64>, content: usize) -> Result<Cow<'a, str>> {
        if let Some(length) = length {
            let bytes = self.piece(content, length, self.limits.max_string_bytes)?;
            let text = self.utf8(content, bytes)?;
            self.pos = content + bytes.len();
            return Ok(Cow::Borrowed(text));
        }
        let mut joined = String::new();
        self.pos = self.chunks(content, |chunk| {
            joined.try_reserve(chunk.len()).map_err(|_| Error::out_of_memory())?;
            joined.push_str(chunk);
            Ok(())
        })?;
        Ok(Cow::Owned(joined))
    }

    /// Passes the text whose content starts at `content`; it is checked as if it were read.
    #[inline]
    pub(super) fn skip_text(&mut self, length: Option<u64>, content: usize) -> Result<()> {
        let Some(length) = length else {
            self.pos = self.chunks(content, |_| Ok(()))?;
            return Ok(());
        };
        let bytes = self.piece(content, length, self.limits.max_string_bytes)?;
        if !bytes.is_ascii() {
            self.utf8(content, bytes)?;
        }
        self.pos = content + bytes.len();
        Ok(())
    }

    /// The `length` bytes at `at`, of which a string may have `allowed`.
    #[inline]
    fn piece(&self, at: usize, length: u64, allowed: u64) -> Result<&'a [u8]> {
        if length > allowed {
            return Err(self.limit_exceeded("max_string_bytes", self.limits.max_string_bytes, at));
        }
        self.expect_bytes(at, length)?;
        Ok(self.bytes.get(at..).and_then(|rest| rest.get(..length as usize)).unwrap_or(&[]))
    }

    /// The bytes, which are those at `at`, as text.
    #[inline]
    fn utf8(&self, at: usize, bytes: &'a [u8]) -> Result<&'a str> {
        core::str::from_utf8(bytes).map_err(|error| self.not_text(at + error.valid_up_to()))
    }

    /// Gives the chunks from `at` on to `take`; returns where the text ends.
    #[inline(never)]
    fn chunks(&self, mut at: usize, mut take: impl FnMut(&'a str) -> Result<()>) -> Result<usize> {
        let mut allowed = self.limits.max_string_bytes;
        loop {
            if self.bytes.get(at) == Some(&BREAK) {
                return Ok(at + 1);
            }
            let expected = "text of definite length or a break";
            match self.head(at, expected) {
                Ok(Head { item: Item::Text(Some(length)), end }) => {
                    let chunk = self.utf8(end, self.piece(end, length, allowed)?)?;
                    allowed = allowed.saturating_sub(length);
                    at = end + chunk.len();
                    take(chunk)?;
                }
                // Anything else is malformed here, even what would be refused elsewhere; a head cut off says so itself.
                Err(error) if error.code == ErrorCode::Syntax => return Err(error),
                _ => return Err(self.syntax(at, expected)),
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn not_text(&self, at: usize) -> Error {
        let byte = self.bytes.get(at).copied().unwrap_or(0);
        Error::new(ErrorCode::Syntax, "not UTF-8")
            .expected_found("valid UTF-8", format_args!("byte 0x{byte:02X}"))
            .at_position(crate::doc::input::Input::position_of(self, at as u64))
    }
}
