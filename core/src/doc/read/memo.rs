//! The enum members that were read last: a document names the same few types, engines and opcodes a million times, and one
//! comparison with the last one is cheaper than a search among all.
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::{EnumId, MemberInfo};

/// Places; a power of two.
const PLACES: usize = 128;

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
        let bytes = text.as_bytes();
        let ends = (bytes.first().copied().unwrap_or(0), bytes.last().copied().unwrap_or(0));
        let place = id.index().wrapping_mul(31) ^ usize::from(ends.0) ^ usize::from(ends.1) << 2 ^ bytes.len() << 4;
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
