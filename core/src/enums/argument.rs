//! How documents spell the kind of an operand and of a storage: with words of their own instead of the member names.

use super::bir::{ArgumentKind, StorageKind};
use super::info::{EnumInfo, MemberInfo};
use crate::error::Result;

/// A second spelling that old documents use for a symbolic access pattern (`spec/enums.toml`, notes of ArgumentKind).
const SYMBOLIC_PWAP: &str = "symbolic_pwap";

impl ArgumentKind {
    /// The kind a document means, `symbolic_pwap` included.
    ///
    /// # Errors
    /// `UnknownEnum`, "Unsupported argument kind".
    pub fn from_json_kind(kind: &str) -> Result<Self> {
        if kind == SYMBOLIC_PWAP {
            return Ok(Self::SymbolicAccessPattern);
        }
        member(Self::INFO, kind).and_then(|m| Self::from_ordinal(i64::from(m.ordinal)))
    }
}

impl StorageKind {
    /// The kind that a document's `Skind` means.
    ///
    /// # Errors
    /// `UnknownEnum` for another text.
    pub fn from_json_tag(tag: &str) -> Result<Self> {
        member(Self::INFO, tag).and_then(|m| Self::from_ordinal(i64::from(m.ordinal)))
    }
}

fn member(info: &EnumInfo, text: &str) -> Result<&'static MemberInfo> {
    info.by_json(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_documents_and_members() {
        for kind in ArgumentKind::MEMBERS {
            match kind.json_kind() {
                Some(text) => assert_eq!(ArgumentKind::from_json_kind(text), Ok(*kind)),
                None => assert!(!kind.constructible(), "{kind}"),
            }
        }
        assert_eq!(ArgumentKind::from_json_kind("symbolic_pwap"), Ok(ArgumentKind::SymbolicAccessPattern));
        assert_eq!(ArgumentKind::from_json_kind("imm").unwrap_err().message, "Unsupported argument kind");
        assert_eq!(ArgumentKind::from_ordinal(4).unwrap_err().message, "Unhandled argument kind");
        for kind in StorageKind::MEMBERS {
            assert_eq!(StorageKind::from_json_tag(kind.json_tag()), Ok(*kind));
        }
        assert!(StorageKind::from_json_tag("Register").is_err());
    }
}
