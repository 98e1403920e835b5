//! What all generated enums have in common, so that code over "some enum" needs no copy per enum.

use super::{EnumId, EnumInfo};
use crate::error::Result;
use core::fmt::Debug;
use core::hash::Hash;

/// An enum of the IR with a Rust type. Every generated enum has the same methods as inherent ones.
pub trait IrEnum: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The number of the enum in the roster [`super::ENUMS`].
    const ID: EnumId;
    /// The row of the roster.
    const INFO: &'static EnumInfo;
    /// The published members, by rising ordinal.
    const MEMBERS: &'static [Self];
    /// The number in memory (`spec/enums.toml`, `ordinal`).
    fn ordinal(self) -> i32;
    /// The exact spelling.
    fn name(self) -> &'static str;
    /// The member with this ordinal.
    ///
    /// # Errors
    /// `UnknownEnum` if no published member has it.
    fn from_ordinal(ordinal: i64) -> Result<Self>;
    /// The member with this exact spelling; case matters.
    ///
    /// # Errors
    /// `UnknownEnum` if no published member has it; the error names the nearest member.
    fn from_name(name: &str) -> Result<Self>;
}
