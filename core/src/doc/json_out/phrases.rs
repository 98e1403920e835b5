//! Phrases: what stands between two values of an instruction is the same in all instructions of its kind, commas, line breaks,
//! indentation, keys, and words of the schema. It is made once, and copied from then on.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use super::state::State;
use crate::error::{Error, Result};

/// Bytes of the longest phrase; longer ones are made again each time.
pub(super) const LONGEST: usize = 160;
/// Tables, by depth: code that writes instructions within instructions puts its phrases at several depths.
const TABLES: usize = 4;
/// Levels from an instruction to those within it.
const LEVELS: usize = 4;
/// Depth up to which phrases are remembered.
const DEEPEST: usize = 48;

/// Where a phrase was put.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The place before it. If it begins with a comma: not the first one in its container.
    from: State,
    /// The place behind it.
    pub(super) to: State,
    /// Whether it begins a member or an element: that is a comma, or none if it is the first one.
    separated: bool,
}

impl Span {
    pub(super) const NONE: Span = Span { from: State::NOWHERE, to: State::START, separated: false };

    /// Of a phrase that was put as `text`, which led from one place to another, and what belongs before that text for other places;
    /// `None` if it cannot be remembered.
    pub(super) fn new(from: State, to: State, text: &[u8]) -> Option<(Span, &'static [u8])> {
        if !(1..DEEPEST).contains(&from.depth()) || to.depth() >= DEEPEST {
            return None;
        }
        // The end of an empty container is put without a line break; every other thing would have a comma before it if it were
        // not the first.
        let first = from.is_empty();
        if first && matches!(text.first()?, b']' | b'}') {
            return None;
        }
        let separated = first || text.first() == Some(&b',');
        Some((Span { from: from.filled(), to, separated }, if first { b"," } else { b"" }))
    }

    /// How many bytes of the text do not count where the writer stands now; `None` if it was made for another place.
    #[inline(always)]
    pub(super) fn skip(&self, at: State) -> Option<usize> {
        if self.from != at.filled() || (at.is_empty() && !self.separated) {
            return None;
        }
        Some(usize::from(at.is_empty()))
    }
}

/// A remembered phrase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phrase {
    span: Span,
    /// Bytes of the text that count, the comma too.
    len: u32,
    text: [u8; 1 + LONGEST],
}

impl Phrase {
    const NONE: Phrase = Phrase { span: Span::NONE, len: 0, text: [0; 1 + LONGEST] };

    /// A phrase that was put as `text`; `None` if it is too long or cannot be remembered.
    fn new(from: State, to: State, text: &[u8]) -> Option<Phrase> {
        let (span, before) = Span::new(from, to, text)?;
        let mut phrase = Phrase { span, ..Phrase::NONE };
        let mut len = 0;
        for &byte in before.iter().chain(text) {
            *phrase.text.get_mut(len)? = byte;
            len += 1;
        }
        phrase.len = u32::try_from(len).ok()?;
        (len <= LONGEST).then_some(phrase)
    }

    /// The text as it is put where the writer stands now, and how many bytes count; `None` if it was made for another place.
    #[inline(always)]
    pub(super) fn text(&self, at: State) -> Option<(&[u8; LONGEST], usize)> {
        match self.span.skip(at)? {
            0 => Some((self.text.first_chunk()?, self.len as usize)),
            skip => Some((self.text.last_chunk()?, self.len as usize - skip)),
        }
    }

    #[inline(always)]
    pub(super) fn to(&self) -> State {
        self.span.to
    }
}

/// All remembered phrases, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Phrases([Vec<Phrase>; TABLES]);

impl Phrases {
    /// The phrase of that number that was put last at about this depth.
    #[inline(always)]
    pub(super) fn get(&self, number: usize, at: State) -> Option<&Phrase> {
        self.0.get(at.depth() / LEVELS % TABLES)?.get(number)
    }

    /// Remembers a phrase, if it is one that can be.
    pub(super) fn set(&mut self, number: usize, from: State, to: State, text: &[u8]) -> Result<()> {
        let Some(phrase) = Phrase::new(from, to, text) else { return Ok(()) };
        let Some(table) = self.0.get_mut(from.depth() / LEVELS % TABLES) else { return Ok(()) };
        if let Some(more) = (number + 1).checked_sub(table.len()) {
            table.try_reserve(more).map_err(|_| Error::out_of_memory())?;
            table.resize(number + 1, Phrase::NONE);
        }
        if let Some(place) = table.get_mut(number) {
            *place = phrase;
        }
        Ok(())
    }
}
