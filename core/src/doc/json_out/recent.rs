//! Long phrases that come again soon: the operands of a loop over tiles are the same few, over and over. What came last is kept, by
//! what it was made of.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::phrases::Span;
use super::state::State;
use crate::error::{Error, Result};

/// Bytes of the longest text that is kept.
pub(super) const LONGEST: usize = 640;
/// Words of the longest key.
const WORDS: usize = 14;
/// Places at first, and at most: powers of two. Small modules have few operands.
const FIRST: usize = 16;
const MOST: usize = 256;

/// A phrase that is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    span: Span,
    key: [u64; WORDS],
    words: usize,
    len: usize,
    text: [u8; LONGEST],
}

impl Kept {
    const NONE: Kept = Kept { span: Span::NONE, key: [0; WORDS], words: 0, len: 0, text: [0; LONGEST] };

    fn new(key: &[u64], from: State, to: State, text: &[u8]) -> Option<Kept> {
        let (span, before) = Span::new(from, to, text)?;
        let mut kept = Kept { span, words: key.len(), len: before.len() + text.len(), ..Kept::NONE };
        kept.key.get_mut(..key.len())?.copy_from_slice(key);
        let (start, rest) = kept.text.get_mut(..kept.len)?.split_at_mut_checked(before.len())?;
        start.copy_from_slice(before);
        rest.copy_from_slice(text);
        Some(kept)
    }
}

/// What came last, one phrase per place.
#[derive(Debug, Default)]
pub(super) struct Recent {
    kept: Vec<Kept>,
    /// How many were put into their places.
    changes: usize,
}

impl Recent {
    /// The text of the phrase that was made of `key`, as it is put where the writer stands now, and where that leads to.
    #[inline]
    pub(super) fn get(&self, key: &[u64], at: State) -> Option<(&[u8], State)> {
        let kept = self.kept.get(self.place(key)).filter(|kept| kept.key.get(..kept.words) == Some(key))?;
        Some((kept.text.get(kept.span.skip(at)?..kept.len)?, kept.span.to))
    }

    /// Keeps a phrase, if it is one that can be.
    pub(super) fn set(&mut self, key: &[u64], from: State, to: State, text: &[u8]) -> Result<()> {
        let Some(kept) = Kept::new(key, from, to, text) else { return Ok(()) };
        if self.changes >= self.kept.len() && self.kept.len() < MOST {
            // Those that are there will not be found any more where they are.
            let len = if self.kept.is_empty() { FIRST } else { self.kept.len() * 4 };
            self.kept.try_reserve_exact(len - self.kept.len()).map_err(|_| Error::out_of_memory())?;
            self.kept.resize(len, Kept::NONE);
        }
        self.changes += 1;
        let place = self.place(key);
        if let Some(old) = self.kept.get_mut(place) {
            *old = kept;
        }
        Ok(())
    }

    #[inline(always)]
    fn place(&self, key: &[u64]) -> usize {
        let mix = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        (key.iter().fold(0, mix) >> 20) as usize & self.kept.len().wrapping_sub(1)
    }
}
