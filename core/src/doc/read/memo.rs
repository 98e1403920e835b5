//! What was found last: a document names the same few types, engines and opcodes a million times, and the same tensor several
//! times in a row. One comparison with the last one is cheaper than a search among all.
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::{EnumId, MemberInfo};
use crate::ir::{Function, MemoryLocation};

/// Places; a power of two.
const PLACES: usize = 256;

/// One member per place; which place is a matter of enum and name.
pub(super) struct Memo([Option<(EnumId, &'static str, &'static MemberInfo)>; PLACES]);

impl Default for Memo {
    fn default() -> Self {
        Memo([None; PLACES])
    }
}

impl Memo {
    /// The member of an enum with this text in documents.
    ///
    /// # Errors
    /// As [`crate::enums::EnumInfo::by_json`].
    #[inline]
    pub(super) fn member(&mut self, id: EnumId, text: &str) -> Result<&'static MemberInfo> {
        let place = place_of(id.index(), text.as_bytes());
        let place = self.0.get_mut(place % PLACES);
        if let Some(Some((known, name, member))) = place.as_deref()
            && *known == id
            && *name == text
        {
            return Ok(member);
        }
        let member = id.info().by_json(text)?;
        if let Some(place) = place {
            *place = Some((id, member.json.unwrap_or(member.name), member));
        }
        Ok(member)
    }
}

/// The locations that were found last, by name.
pub(super) struct Locations<'m>([Option<&'m MemoryLocation>; PLACES]);

impl Default for Locations<'_> {
    fn default() -> Self {
        Locations([None; PLACES])
    }
}

impl<'m> Locations<'m> {
    /// The location of that name in the set of that name, if it was found lately. As good as a search as long as names are what
    /// they are in the document, since no container has a name twice.
    #[inline]
    pub(super) fn find(&self, function: &Function, set: &str, name: &str) -> Option<&'m MemoryLocation> {
        let location = self.0.get(place_of(0, name.as_bytes()) % PLACES).copied().flatten()?;
        let own_set = location.set()?;
        let is_it = *location.name() == *name
            && *own_set.name() == *set
            && own_set.storage().function().is_some_and(|own| core::ptr::eq(own, function));
        is_it.then_some(location)
    }

    /// Keeps what was found by that name.
    #[inline]
    pub(super) fn keep(&mut self, name: &str, location: &'m MemoryLocation) {
        if let Some(place) = self.0.get_mut(place_of(0, name.as_bytes()) % PLACES) {
            *place = Some(location);
        }
    }
}

/// Where a name of some kind belongs.
#[inline(always)]
fn place_of(kind: usize, name: &[u8]) -> usize {
    let word = match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let all = word ^ (kind as u64) << 40 ^ (name.len() as u64) << 16;
    // The upper bits of a product depend on all bits of its factors.
    (all.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}
