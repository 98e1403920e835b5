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
        let mut passage =
            Passage { at: self.pos, open: 0, allowed: self.max_depth.saturating_sub(self.depth), quoted: false };
        loop {
            let ended = match passage.blocks(text) {
                Ok(false) => passage.pieces(text),
                ended => ended,
            };
            match ended {
                Ok(false) => {}
                Ok(true) => break,
                Err(TooDeep { at }) => {
                    return Err(self.limit_exceeded("max_depth", u64::from(self.max_depth), at));
                }
            }
        }
        self.pos = passage.at.min(text.len());
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

/// A way through the brackets of a container.
struct Passage {
    at: usize,
    /// Containers that are open.
    open: u32,
    /// How many may be.
    allowed: u32,
    /// Whether `at` is inside of a string.
    quoted: bool,
}

/// A bracket opens one container too many.
struct TooDeep {
    at: usize,
}

impl Passage {
    /// Counts a bracket; `true` if it closes the last container.
    #[inline(always)]
    fn bracket(&mut self, at: usize, opens: bool) -> core::result::Result<bool, TooDeep> {
        if !opens {
            self.open = self.open.saturating_sub(1);
        } else if self.open < self.allowed {
            self.open += 1;
        } else {
            return Err(TooDeep { at });
        }
        Ok(self.open == 0)
    }

    /// Goes through whole blocks, as far as nothing in them is escaped; `true` if the container has ended.
    #[inline(always)]
    fn blocks(&mut self, text: &[u8]) -> core::result::Result<bool, TooDeep> {
        while let Some(block) = text.get(self.at..).and_then(|rest| rest.first_chunk::<{ scan::BLOCK }>()) {
            let marks = scan::marks(block);
            if marks.escapes {
                break;
            }
            // Bytes behind an odd number of quotes.
            let quoted = parity(marks.quotes) ^ if self.quoted { u64::MAX } else { 0 };
            let mut brackets = (marks.opening | marks.closing) & !quoted;
            while brackets != 0 {
                let place = brackets.trailing_zeros() as usize;
                if self.bracket(self.at + place, marks.opening >> place & 1 == 1)? {
                    self.at += place + 1;
                    return Ok(true);
                }
                brackets &= brackets - 1;
            }
            self.quoted = quoted >> 63 == 1;
            self.at += scan::BLOCK;
        }
        Ok(false)
    }

    /// Goes through a block or what is left of the text piece by piece; `true` if the container, or the text, has ended.
    #[inline(never)]
    fn pieces(&mut self, text: &[u8]) -> core::result::Result<bool, TooDeep> {
        let end = self.at + scan::BLOCK;
        if core::mem::take(&mut self.quoted) {
            self.at = behind_quote(text, self.at) + 1;
        }
        while self.at < end {
            self.at = scan::structure(text, self.at);
            match text.get(self.at) {
                Some(b'"') => self.at = behind_quote(text, self.at + 1),
                Some(byte) => {
                    if self.bracket(self.at, matches!(byte, b'{' | b'['))? {
                        self.at += 1;
                        return Ok(true);
                    }
                }
                None => return Ok(true),
            }
            self.at += 1;
        }
        Ok(false)
    }
}

/// In each bit, whether the number of set bits from there down is odd.
#[inline(always)]
const fn parity(bits: u64) -> u64 {
    let bits = bits ^ bits << 1;
    let bits = bits ^ bits << 2;
    let bits = bits ^ bits << 4;
    let bits = bits ^ bits << 8;
    let bits = bits ^ bits << 16;
    bits ^ bits << 32
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
