//! Alias kinds are bits that add up, so an edge holds a mask and not a member.

use super::bir::AliasKind;
use crate::error::{Error, ErrorCode, Result};

/// The three-bit mask of an alias edge (`spec/enums.md` section 2, AliasKind). Documents carry the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AliasMask(u8);

impl AliasMask {
    /// The mask with these bits.
    ///
    /// # Errors
    /// `BadValue`, "Integer too large for field", if it does not fit three bits.
    pub fn new(bits: i64) -> Result<Self> {
        match u8::try_from(bits) {
            Ok(small) if small < 8 => Ok(AliasMask(small)),
            _ => {
                let error = Error::new(ErrorCode::BadValue, "Integer too large for field");
                Err(error.expected_found("an alias kind, 0..=7", bits))
            }
        }
    }

    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Both masks together: what a second alias between the same two places adds.
    #[must_use]
    pub const fn merged(self, other: Self) -> Self {
        AliasMask(self.0 | other.0)
    }

    /// Whether all bits of `other` are set: the test for "has this alias".
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl From<AliasKind> for AliasMask {
    fn from(kind: AliasKind) -> Self {
        // Every member fits the field; a test holds the generated values to it.
        AliasMask((kind.bits() & 7) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_add_up() {
        for kind in AliasKind::MEMBERS {
            assert_eq!(i32::from(AliasMask::from(*kind).bits()), kind.ordinal());
        }
        let must = AliasMask::from(AliasKind::MustAlias);
        let may = AliasMask::new(1).unwrap();
        assert!(must.contains(may) && !may.contains(must));
        assert_eq!(may.merged(AliasMask::new(2).unwrap()), must);
        for bad in [-1, 8, i64::MAX] {
            assert_eq!(AliasMask::new(bad).unwrap_err().message, "Integer too large for field");
        }
    }
}
