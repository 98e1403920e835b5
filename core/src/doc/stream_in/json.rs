//! The window of a JSON stream: text that was checked for UTF-8 when it came.
#![forbid(unsafe_code)]

use super::{Window, append};
use crate::doc::input::{Input, Limits};
use crate::doc::json_in::{JsonInput, JsonMark, Origin, valid};
use crate::error::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes of a character, at most.
const CHARACTER: usize = 4;

/// The window of a JSON stream.
#[derive(Debug)]
pub struct JsonWindow {
    text: String,
    /// Bytes behind `text` that are no character yet, or none at all.
    rest: Vec<u8>,
    origin: Origin,
    ended: bool,
}

impl Default for JsonWindow {
    fn default() -> Self {
        JsonWindow { text: String::new(), rest: Vec::new(), origin: Origin::START, ended: false }
    }
}

impl JsonWindow {
    /// The first byte that is not UTF-8; what may still become a character is not.
    fn invalid(&self) -> Option<u8> {
        let first = *self.rest.first()?;
        let cut = core::str::from_utf8(&self.rest).is_err_and(|e| e.error_len().is_none());
        (self.ended || !cut).then_some(first)
    }
}

impl Window for JsonWindow {
    type Mark = JsonMark;
    type Input<'w> = JsonInput<'w>;

    fn append(&mut self, mut bytes: &[u8], last: bool) -> Result<()> {
        self.ended = last;
        // A character that was cut is completed first: at most three bytes more.
        while !self.rest.is_empty() && self.rest.len() < CHARACTER && self.invalid().is_none() {
            let Some((first, later)) = bytes.split_first() else { break };
            self.rest.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            self.rest.push(*first);
            bytes = later;
            if let Ok(text) = core::str::from_utf8(&self.rest) {
                append(&mut self.text, text)?;
                self.rest.clear();
            }
        }
        if self.rest.is_empty() {
            let text = valid(bytes);
            append(&mut self.text, text)?;
            bytes = bytes.get(text.len()..).unwrap_or_default();
        }
        // Behind an invalid byte nothing is ever read.
        let kept = bytes.get(..bytes.len().min(CHARACTER)).unwrap_or_default();
        if self.rest.is_empty() {
            self.rest.try_reserve(kept.len()).map_err(|_| Error::out_of_memory())?;
            self.rest.extend_from_slice(kept);
        }
        Ok(())
    }

    fn discard(&mut self, bytes: usize) {
        // Only whole tokens are given up, so this is always the border of a character.
        if let Some(gone) = self.text.get(..bytes) {
            self.origin = self.origin.behind(gone.as_bytes());
            self.text.drain(..bytes);
        }
    }

    fn len(&self) -> usize {
        self.text.len()
    }

    fn is_broken(&self) -> bool {
        self.invalid().is_some()
    }

    fn start(&self) -> JsonMark {
        JsonInput::new(b"", Limits::default()).mark()
    }

    #[inline]
    fn at(&self, mark: JsonMark, limits: Limits) -> JsonInput<'_> {
        let mut input = JsonInput::part(&self.text, self.invalid(), self.origin, limits);
        input.reset(mark);
        if mark.pos() == 0 && self.origin.offset == 0 {
            input.pass_byte_order_mark();
        }
        input
    }

    fn pos(mark: JsonMark) -> usize {
        mark.pos()
    }

    fn without(mark: JsonMark, bytes: usize) -> JsonMark {
        mark.without(bytes)
    }
}
