//! The bridges from front-end numbers (klr) to object numbers (bir), because the two spaces order, count and spell the
//! same ideas differently and a cast would be silently wrong.
//!
//! The five translators take the klr ordinal itself. Their index is unsigned and wraps, so 0 follows the policy for
//! numbers out of range. `spec/enums.md` section 3.

use super::{EnumId, bir, klr};
use crate::error::{Error, ErrorCode, Result};
use core::fmt;

pub use tables::{
    ACCUM_CMD, ACTIVATION, ALU_OP, CROSSWALKS, DTYPE, ENGINE, KLR_MAPS, klr_sources_of_accum_cmd,
    klr_sources_of_activation, klr_sources_of_alu_op, klr_sources_of_dtype, klr_sources_of_engine, translate_accum_cmd,
    translate_activation, translate_alu_op, translate_dtype, translate_engine,
};

#[rustfmt::skip]
#[path = "generated/crosswalk.rs"]
mod tables;

/// A relation from a klr enum to a bir enum (`spec/enums.toml`, `[[crosswalk]]` and `[[klr_map]]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crosswalk {
    /// The original's helper, e.g. `codegenDtype`; for the other relations `<klr enum> to <bir enum>`.
    pub name: &'static str,
    /// The klr enum's name.
    pub klr_name: &'static str,
    /// The klr enum; `None` if the klr side is a plain number.
    pub klr_enum: Option<EnumId>,
    /// The bir enum.
    pub bir_enum: EnumId,
    /// The pairs klr, bir, by rising klr ordinal.
    pub pairs: &'static [(u32, i32)],
    /// klr ordinals that are refused with a text of their own.
    pub rejected: &'static [(u32, &'static str)],
    /// What happens to all others.
    pub out_of_range: OutOfRange,
    /// The bir ordinals that no klr ordinal gives; the soft default does not count as given.
    pub unreachable: &'static [i32],
    /// The rule in words.
    pub rule: &'static str,
}

/// What a crosswalk does with a number outside its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfRange {
    /// It is an error with this text.
    Error(&'static str),
    /// It becomes this bir ordinal.
    Default(i32),
}

impl Crosswalk {
    /// The bir ordinal of a klr ordinal.
    ///
    /// # Errors
    /// With the original's text: `Unsupported` for a klr member that is refused or has no counterpart, `UnknownEnum`
    /// for a number that is no member.
    pub fn translate(&self, klr_ordinal: u32) -> Result<i32> {
        let found = self.pairs.binary_search_by_key(&klr_ordinal, |pair| pair.0).ok();
        match (found.and_then(|i| self.pairs.get(i)).copied(), self.out_of_range) {
            (Some((_, bir)), _) | (None, OutOfRange::Default(bir)) => Ok(bir),
            (None, OutOfRange::Error(_)) => Err(self.refuse(klr_ordinal)),
        }
    }

    /// The klr ordinals that become a bir ordinal, rising; soft defaults do not count.
    pub fn sources(&self, bir_ordinal: i32) -> impl Iterator<Item = u32> {
        self.pairs.iter().filter(move |pair| pair.1 == bir_ordinal).map(|pair| pair.0)
    }

    /// The error for a klr ordinal that has no pair.
    fn refuse(&self, klr_ordinal: u32) -> Error {
        let member = self.klr_enum.and_then(|id| id.info().by_ordinal(i64::from(klr_ordinal)).ok());
        let code = if member.is_some() { ErrorCode::Unsupported } else { ErrorCode::UnknownEnum };
        let own = self.rejected.iter().find(|(klr, _)| *klr == klr_ordinal).map(|(_, text)| *text);
        let text = match (own, self.out_of_range) {
            (Some(text), _) | (None, OutOfRange::Error(text)) => text,
            (None, OutOfRange::Default(_)) => "refused",
        };
        let error = Error::new(code, text);
        match member {
            Some(member) => error.expected_found(Sources(self), format_args!("{klr_ordinal} (`{}`)", member.name)),
            None => error.expected_found(Sources(self), klr_ordinal),
        }
    }
}

/// Which klr ordinals have a pair.
struct Sources<'a>(&'a Crosswalk);

impl fmt::Display for Sources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.0.pairs.first(), self.0.pairs.last()) else {
            return f.write_str("nothing");
        };
        write!(f, "a klr {}, {}..={}", self.0.klr_name, first.0, last.0)
    }
}

/// The crosswalk or relation of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Crosswalk> {
    CROSSWALKS.iter().chain(KLR_MAPS).copied().find(|c| c.name == name)
}

#[cfg(test)]
#[path = "crosswalk_tests.rs"]
mod tests;
