//! Where in a document the writer stands, in two words: what is put next is compared with where it was put before, some hundred
//! times per instruction.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use crate::doc::output::Kind;
use crate::error::{Error, Result};

/// Containers whose kinds one word holds.
const WORD: u64 = 64;

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// How many containers are open, above the two bits below.
    place: u64,
    /// Of the innermost open containers, the last one lowest: whether it is an object.
    objects: u64,
}

/// Nothing stands in the innermost container yet.
const EMPTY: u64 = 1;
/// A key was put, and its value was not.
const AFTER_KEY: u64 = 2;
const DEEPER: u64 = 4;

impl State {
    pub(super) const START: State = State { place: EMPTY, objects: 0 };
    /// No place of any document.
    pub(super) const NOWHERE: State = State { place: u64::MAX, objects: u64::MAX };

    /// How many containers are open.
    #[inline(always)]
    pub(super) fn depth(self) -> usize {
        (self.place / DEEPER) as usize
    }

    /// What is open innermost.
    #[inline(always)]
    pub(super) fn kind(self) -> Kind {
        match (self.place < DEEPER, self.objects & 1) {
            (true, _) => Kind::Root,
            (false, 0) => Kind::Array,
            (false, _) => Kind::Object,
        }
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.place & EMPTY != 0
    }

    #[inline(always)]
    pub(super) fn is_after_key(self) -> bool {
        self.place & AFTER_KEY != 0
    }

    /// Whether a key can come here.
    #[inline(always)]
    pub(super) fn takes_key(self) -> bool {
        self.place >= DEEPER && self.objects & 1 == 1 && !self.is_after_key()
    }

    /// The same place with something before it.
    #[inline(always)]
    pub(super) fn filled(self) -> State {
        State { place: self.place & !EMPTY, ..self }
    }

    /// The place of the value, behind its key.
    #[inline(always)]
    pub(super) fn with_key(self) -> State {
        State { place: self.place & !EMPTY | AFTER_KEY, ..self }
    }

    /// The place behind the value of a key.
    #[inline(always)]
    pub(super) fn without_key(self) -> State {
        State { place: self.place & !AFTER_KEY, ..self }
    }
}

/// The place, and what is open further out than it can say.
#[derive(Debug)]
pub(super) struct Levels {
    pub(super) at: State,
    /// The kinds of all containers but those in the place itself, a word for each [`WORD`] of them.
    outer: Vec<u64>,
}

impl Levels {
    pub(super) const START: Levels = Levels { at: State::START, outer: Vec::new() };

    /// Enters a container.
    #[inline(always)]
    pub(super) fn enter(&mut self, kind: Kind) -> Result<()> {
        let State { place, objects } = self.at;
        if (place / DEEPER).is_multiple_of(WORD) && place >= DEEPER {
            self.outer.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            self.outer.push(objects);
        }
        let objects = objects << 1 | u64::from(kind == Kind::Object);
        self.at = State { place: (place / DEEPER + 1) * DEEPER + EMPTY, objects };
        Ok(())
    }

    /// Leaves the innermost container, of which there must be one.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        let depth = (self.at.place / DEEPER).saturating_sub(1);
        let mut objects = self.at.objects >> 1;
        if depth.is_multiple_of(WORD) && depth > 0 {
            objects = self.outer.pop().unwrap_or(objects);
        }
        self.at = State { place: depth * DEEPER, objects };
    }
}
