//! Whole values of JSON text, passed over. The walk has a stack of its own, so the depth of a document never becomes the
//! depth of the program's stack.
#![forbid(unsafe_code)]

use super::{JsonInput, number};
use crate::doc::input::{Input, Limits};
use crate::error::Result;

/// One bit per open container: whether it is an object.
struct Kinds([u64; Limits::HIGHEST_DEPTH as usize / 64]);

impl Kinds {
    fn set(&mut self, level: u32, object: bool) {
        if let Some(word) = self.0.get_mut(level as usize / 64) {
            *word = *word & !(1 << (level % 64)) | u64::from(object) << (level % 64);
        }
    }

    fn get(&self, level: u32) -> bool {
        self.0.get(level as usize / 64).is_some_and(|word| word >> (level % 64) & 1 == 1)
    }
}

impl JsonInput<'_> {
    #[inline(always)]
    pub(super) fn skip_scalar(&mut self, first: u8) -> Result<()> {
        match first {
            b'"' => self.skip_quoted(),
            b'0'..=b'9' | b'-' => {
                self.pos = number::lex(self.text.as_bytes(), self.pos).map_err(|flaw| self.flaw(flaw))?.end;
                Ok(())
            }
            b't' => self.word("true", "`true`"),
            b'f' => self.word("false", "`false`"),
            b'n' => self.word("null", "`null`"),
            _ => Err(self.syntax(self.pos, "a value")),
        }
    }

    /// Passes the array or object whose opening bracket is at the current place.
    pub(super) fn skip_container(&mut self) -> Result<()> {
        let mut kinds = Kinds([0; _]);
        let base = self.depth;
        let mut object = false;
        loop {
            match self.token() {
                bracket @ (b'{' | b'[') => {
                    kinds.set(self.depth - base, object);
                    object = bracket == b'{';
                    self.open()?;
                }
                first => self.skip_scalar(first)?,
            }
            // To the next value, out of all containers that end here.
            loop {
                let more = if object { self.skip_key()? } else { self.next_element()? };
                if more {
                    break;
                }
                if self.depth <= base {
                    return Ok(());
                }
                object = kinds.get(self.depth - base);
            }
        }
    }

    #[inline(always)]
    fn skip_key(&mut self) -> Result<bool> {
        if !self.advance_to_key()? {
            return Ok(false);
        }
        self.skip_quoted()?;
        self.colon()?;
        Ok(true)
    }
}
