//! Whole values of JSON text, passed over. The walk has a stack of its own, so the depth of a document never becomes the
//! depth of the program's stack.
#![forbid(unsafe_code)]

use super::{JsonInput, number};
use crate::doc::input::{Input, Limits};
use crate::doc::scan;
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

    /// Goes behind the bracket that closes the container at the current place, counting brackets outside of strings; to the
    /// end of the text if there is none. Of all that can be wrong with it only its depth is checked.
    pub(super) fn pass_container(&mut self) -> Result<()> {
        let text = self.text.as_bytes();
        let allowed = self.max_depth.saturating_sub(self.depth);
        let mut open = 0;
        let mut at = self.pos;
        loop {
            at = scan::structure(text, at);
            match text.get(at) {
                Some(b'{' | b'[') if open >= allowed => {
                    return Err(self.limit_exceeded("max_depth", u64::from(self.max_depth), at));
                }
                Some(b'{' | b'[') => open += 1,
                Some(b'"') => at = behind_quote(text, at + 1),
                Some(_) => open = open.saturating_sub(1),
                None => break,
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        self.pos = at.min(text.len());
        self.fresh = false;
        Ok(())
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

/// Where the quote stands that closes the string whose text starts at `at`, or the last byte.
#[inline(always)]
fn behind_quote(text: &[u8], mut at: usize) -> usize {
    loop {
        at = scan::special(text, at);
        match text.get(at) {
            Some(b'"') | None => return at,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}
