//! Whole values of CBOR, passed over. The containers that are open are those of the input itself, so the depth of a document
//! never becomes the depth of the program's stack.
#![forbid(unsafe_code)]

use super::head::{Head, Item};
use super::{CborInput, Level, Nesting};
use crate::doc::input::Input;
use crate::error::{Error, ErrorCode, Result};

impl CborInput<'_> {
    /// Passes the value at the current place, but stops before a value that starts at `stop`.
    pub(super) fn walk(&mut self, stop: usize) -> Result<()> {
        let base = self.depth;
        while self.pos != stop {
            let Head { item, end } = self.item()?;
            match item {
                Item::Map(length) => self.open(true, length, end)?,
                Item::Array(length) => self.open(false, length, end)?,
                Item::Text(length) => self.skip_text(length, end)?,
                _ => self.pos = end,
            }
            // To the next value, out of all containers that end here.
            loop {
                if self.depth <= base {
                    return Ok(());
                }
                let more = if self.level.map { self.skip_key()? } else { self.next_element()? };
                if more {
                    break;
                }
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn skip_key(&mut self) -> Result<bool> {
        if !self.advance("a key or a break")? {
            return Ok(false);
        }
        let (length, content) = self.key()?;
        self.skip_text(length, content)?;
        Ok(true)
    }

    /// What lies around the current container, at `depth`, when a reset has led to where the nesting is not known any
    /// more: found again from the start. This takes time in proportion to the document, but no reader of documents needs
    /// it, as they only read one value after a reset.
    #[cold]
    #[inline(never)]
    pub(super) fn retrace(&mut self, depth: u32) -> Result<Level> {
        let mut again = CborInput::new(self.bytes, self.limits);
        again.walk(self.level.start)?;
        if again.pos != self.level.start || again.depth != depth {
            return Err(Error::new(ErrorCode::Internal, "a mark that is of another input"));
        }
        again.nest(depth as usize, Nesting { start: self.level.start, outer: again.level })?;
        self.nesting = again.nesting;
        Ok(again.level)
    }
}
