//! The hardware generations and their many names, because only one spelling parses to an ordinal and others only
//! find a board.

use super::CoreGeneration;
use super::bir::ArchLevel;
use super::suggest::{Allowed, Shown};
use crate::error::{Error, ErrorCode, Result};

impl ArchLevel {
    /// The level whose board is known under this alias (`spec/enums.md` section 2, ArchLevel).
    ///
    /// # Errors
    /// `UnknownEnum` with the original's text for any other name, `core_v5` included: it has no board.
    pub fn from_board_alias(alias: &str) -> Result<Self> {
        let of_level = |level: &&ArchLevel| level.board_aliases().contains(&alias);
        match Self::MEMBERS.iter().find(of_level) {
            Some(level) => Ok(*level),
            None => {
                let names = Self::MEMBERS.iter().flat_map(|level| level.board_aliases().iter().copied());
                Err(Error::new(ErrorCode::UnknownEnum, "Unknown architecture").expected_found(
                    Allowed { set: "the boards", names, found: alias },
                    format_args!("`{}`", Shown(alias)),
                ))
            }
        }
    }

    /// The generation of its encoders; `None` for the first one and for `core_v5`, which have none on record.
    #[must_use]
    pub const fn core_generation(self) -> Option<CoreGeneration> {
        match self {
            Self::sunda => Some(CoreGeneration::CoreV2),
            Self::gen3 => Some(CoreGeneration::CoreV3),
            Self::core_v4 => Some(CoreGeneration::CoreV4),
            Self::inferentia | Self::core_v5 => None,
        }
    }

    /// Whether DMA descriptors of this level have a priority class: above 29 (`supportsDMAQoSOnISA`).
    #[must_use]
    pub const fn supports_dma_qos(self) -> bool {
        self.ordinal() > 29
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_resolve_and_core_v5_has_no_board() {
        assert_eq!(ArchLevel::from_board_alias("inf2"), Ok(ArchLevel::sunda));
        assert_eq!(ArchLevel::from_board_alias("cayman"), Ok(ArchLevel::gen3));
        for level in ArchLevel::MEMBERS {
            assert_eq!(level.board(), !level.board_aliases().is_empty(), "{level}");
            assert_eq!(level.board(), ArchLevel::from_board_alias(level.name()).is_ok(), "{level}");
            assert_eq!(level.ordinal(), i32::try_from(level.generation()).unwrap() * 10, "{level}");
        }
        let e = ArchLevel::from_board_alias("core_v5").unwrap_err();
        assert_eq!((e.code, e.message.as_str()), (ErrorCode::UnknownEnum, "Unknown architecture"));
        assert!(ArchLevel::from_board_alias("").is_err());
    }

    #[test]
    fn encoders_and_priority_classes() {
        for level in ArchLevel::MEMBERS {
            let number = level.core_generation().map(|g| g as u32 + 2);
            assert_eq!(number, Some(level.generation()).filter(|g| (2..=4).contains(g)), "{level}");
            assert_eq!(level.supports_dma_qos(), level.generation() >= 3, "{level}");
        }
    }
}
