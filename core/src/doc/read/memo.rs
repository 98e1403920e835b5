//! The enum members that were read last: a document names the same few types, engines and opcodes a million times, and one
//! comparison with the last one is cheaper than a search among all.
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::{EnumId, MemberInfo};

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
        let place = place(id, text.as_bytes());
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

/// Where the member of that name belongs.
#[inline(always)]
fn place(id: EnumId, name: &[u8]) -> usize {
    let word = match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let all = word ^ (id.index() as u64) << 40 ^ (name.len() as u64) << 16;
    // The upper bits of a product depend on all bits of its factors.
    (all.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}
