//! How the members of objects of one kind follow each other, remembered: instructions of one opcode come a million times with
//! the same keys in the same order, between the same white space.
//!
//! For each member the layout knows what stood between its value and the next ones, as far as they came lately. Where the
//! document goes on so, the next key is known without reading a token; where it does not, the reader reads on as if there
//! were no layout, and remembers what it found. So a layout changes the time of reading and nothing else.
#![forbid(unsafe_code)]

use super::super::gap::Gap;
use super::super::input::Input;
use crate::fallible::push;
use crate::{Error, ErrorCode, Result};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// What can follow a member, at most: `debug` is followed by `dependencies` if there are any, else by `engine`.
const CHOICES: usize = 4;

/// What followed: the number of a key, or [`Follower::END`].
#[derive(Clone, Copy)]
struct Follower {
    gap: Gap,
    member: u8,
}

impl Follower {
    const END: u8 = u8::MAX;
    const NONE: Follower = Follower { gap: Gap::NONE, member: Self::END };
}

/// What followed in one place.
#[derive(Clone, Copy)]
struct Followers {
    list: [Follower; CHOICES],
    /// The one to forget first.
    oldest: u8,
}

/// The layout of objects of one kind.
#[derive(Default)]
pub(super) struct Layout {
    /// By the place in the object: 0 is its start, n + 1 is behind the member with number n.
    followers: Vec<Followers>,
}

/// A place in an object, for [`Layout`]. It only says where to look: what a gap means, its text says alone.
#[derive(Clone, Copy)]
pub(super) struct Place(Option<u8>);

impl Place {
    /// Anywhere in an object of which nothing is remembered.
    pub(super) const UNKNOWN: Place = Place(None);

    /// Before the first member.
    pub(super) const START: Place = Place(Some(0));

    /// Behind a member: with the number of its key, or without one.
    #[inline(always)]
    pub(super) fn behind(member: Option<u8>) -> Place {
        Place(member.and_then(|number| number.checked_add(1)))
    }
}

/// A member of an object.
pub(super) enum Member<'a> {
    /// With the number of its key.
    Known(u8),
    /// With a key that has no number.
    Other(Cow<'a, str>),
}

impl Member<'_> {
    /// The number of its key.
    #[inline(always)]
    pub(super) fn number(&self) -> Option<u8> {
        match self {
            Member::Known(number) => Some(*number),
            Member::Other(_) => None,
        }
    }
}

impl Layout {
    /// Moves to the next member, and to its value if its key has a number; `None` at the end of the object. `number` numbers
    /// keys from 0 to 253.
    #[inline(always)]
    pub(super) fn next<'a, I: Input<'a>>(
        &mut self,
        input: &mut I,
        place: Place,
        number: impl Fn(&str) -> Option<u8>,
    ) -> Result<Option<Member<'a>>> {
        if let Some(at) = place.0
            && let Some(followers) = self.followers.get(usize::from(at))
        {
            for follower in &followers.list {
                if input.passes(&follower.gap) {
                    return Ok((!follower.gap.closes()).then_some(Member::Known(follower.member)));
                }
            }
        }
        self.search(input, place, number)
    }

    /// Reads the next key and remembers it.
    #[inline(never)]
    fn search<'a, I: Input<'a>>(
        &mut self,
        input: &mut I,
        place: Place,
        number: impl Fn(&str) -> Option<u8>,
    ) -> Result<Option<Member<'a>>> {
        let from = input.mark();
        let key = input.next_key()?;
        let member = match &key {
            Some(key) => number(key),
            None => Some(Follower::END),
        };
        if let (Some(at), Some(member)) = (place.0, member) {
            if let Some(gap) = input.gap(from, key.is_none()) {
                self.remember(usize::from(at), Follower { gap, member })?;
            }
        }
        Ok(key.map(|key| member.map_or(Member::Other(key), Member::Known)))
    }

    fn remember(&mut self, at: usize, follower: Follower) -> Result<()> {
        while self.followers.len() <= at {
            push(&mut self.followers, Followers { list: [Follower::NONE; CHOICES], oldest: 0 })?;
        }
        if let Some(Followers { list, oldest }) = self.followers.get_mut(at) {
            if let Some(place) = list.get_mut(usize::from(*oldest)) {
                *place = follower;
            }
            *oldest = (*oldest + 1) % CHOICES as u8;
        }
        Ok(())
    }
}

/// The error of a key that a layout has but no object of its kind.
#[cold]
pub(super) fn no_such_key() -> Error {
    Error::new(ErrorCode::Internal, "a key that was remembered is unknown")
}
