//! The text before the value of a member with a key of the schema, remembered: a comma, a line break, the indentation, the key and
//! its colon are the same whenever the key comes at the same depth, and one copy of 64 bytes puts them all.
#![forbid(unsafe_code)]

use super::Style;
use crate::error::{Error, Result};
use alloc::vec::Vec;

/// Bytes of a text that are copied, whatever counts of them. Longer ones are not remembered.
pub(super) const LONGEST: usize = 64;
/// Places; a power of two.
const PLACES: usize = 1024;

/// The text of a key at one depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    key: &'static str,
    depth: usize,
    /// The comma, and what follows.
    text: [u8; 1 + LONGEST],
    /// Bytes behind the comma; 0 if this place is empty.
    len: usize,
}

impl Member {
    const NONE: Member = Member { key: "", depth: 0, text: [0; 1 + LONGEST], len: 0 };

    /// The text for a key at a depth; `None` if it is too long.
    fn new(style: Style, key: &'static str, depth: usize) -> Option<Member> {
        let mut member = Member { key, depth, ..Member::NONE };
        let (line, spaces, colon): (&[u8], _, &[u8]) = match style {
            Style::Pretty => (b",\n", 2 * depth, b"\": "),
            Style::Compact => (b",", 0, b"\":"),
        };
        let mut len = 0;
        let bytes = line.iter().copied().chain(core::iter::repeat_n(b' ', spaces)).chain(*b"\"");
        for byte in bytes.chain(key.bytes()).chain(colon.iter().copied()) {
            *member.text.get_mut(len)? = byte;
            len += 1;
        }
        member.len = len - 1;
        (len <= LONGEST).then_some(member)
    }

    /// The text with its comma, and how many bytes count.
    #[inline(always)]
    pub(super) fn next(&self) -> (Option<&[u8; LONGEST]>, usize) {
        (self.text.first_chunk(), self.len + 1)
    }

    /// The text for the first member, without a comma.
    #[inline(always)]
    pub(super) fn first(&self) -> (Option<&[u8; LONGEST]>, usize) {
        (self.text.last_chunk(), self.len)
    }
}

/// The texts that came last, one per place.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<Member>);

impl Members {
    /// The text of a key at a depth; `None` if it is too long to be remembered.
    #[inline(always)]
    pub(super) fn get(&mut self, style: Style, key: &'static str, depth: usize) -> Result<Option<&Member>> {
        // Where the key lies tells keys apart well enough, and what is found is compared.
        let mixed = (key.as_ptr().addr() as u64 ^ (depth as u64) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 54) as usize % PLACES;
        let is_there = |member: &Member| core::ptr::eq(member.key, key) && member.depth == depth && member.len > 0;
        if !self.0.get(place).is_some_and(is_there) && !self.make(style, key, depth, place)? {
            return Ok(None);
        }
        Ok(self.0.get(place))
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self, style: Style, key: &'static str, depth: usize, place: usize) -> Result<bool> {
        let Some(member) = Member::new(style, key, depth) else { return Ok(false) };
        if self.0.is_empty() {
            self.0.try_reserve_exact(PLACES).map_err(|_| Error::out_of_memory())?;
            self.0.resize(PLACES, Member::NONE);
        }
        if let Some(old) = self.0.get_mut(place) {
            *old = member;
        }
        Ok(true)
    }
}
