//! A kelf names the hardware generation it was compiled for; a runtime refuses any other.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};

/// The hardware a package is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Generation 2.
    Sunda,
    /// Generation 3.
    Cayman,
    /// Generation 4.
    Mariana,
    /// Not bound to a generation.
    Any,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 4] = [Target::Sunda, Target::Cayman, Target::Mariana, Target::Any];

    /// The spelling that is written: the runtime's name of the generation (`spec/neff.md` section 8.2).
    pub const fn name(self) -> &'static str {
        match self {
            Target::Sunda => "sunda",
            Target::Cayman => "cayman",
            Target::Mariana => "mariana",
            Target::Any => "*",
        }
    }

    /// The hardware generation; `None` for [`Target::Any`].
    pub const fn generation(self) -> Option<u32> {
        match self {
            Target::Sunda => Some(2),
            Target::Cayman => Some(3),
            Target::Mariana => Some(4),
            Target::Any => None,
        }
    }

    /// Reads the `target` of a kelf in any spelling the runtime takes; `None` for others.
    pub fn from_kelf(text: &str) -> Option<Target> {
        match text {
            "sunda" | "v2" | "" => Some(Target::Sunda),
            "cayman" | "v3" => Some(Target::Cayman),
            "mariana" | "v4" => Some(Target::Mariana),
            "*" => Some(Target::Any),
            _ => None,
        }
    }

    /// The target for an architecture in the IR's spelling (`sunda`, `gen3`, `core_v4`) or in a kelf's.
    ///
    /// # Errors
    ///
    /// `Unsupported` for an architecture no kelf can name (`inferentia`, `core_v5`) and for an empty name.
    pub fn from_arch(arch: &str) -> Result<Target> {
        let target = match arch {
            "gen3" => Some(Target::Cayman),
            "core_v4" => Some(Target::Mariana),
            "" => None,
            other => Target::from_kelf(other),
        };
        target.ok_or_else(|| {
            Error::new(ErrorCode::Unsupported, "no package target for this architecture")
                .expected_found("sunda, gen3 or core_v4", format_args!("`{arch}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for target in Target::ALL {
            assert_eq!(Target::from_kelf(target.name()), Some(target));
            assert_eq!(Target::from_arch(target.name()).unwrap(), target);
        }
        for (arch, name) in [("sunda", "sunda"), ("gen3", "cayman"), ("core_v4", "mariana"), ("v3", "cayman")] {
            assert_eq!(Target::from_arch(arch).unwrap().name(), name);
        }
        for arch in ["inferentia", "core_v5", "", "Sunda"] {
            assert_eq!(Target::from_arch(arch).unwrap_err().code, ErrorCode::Unsupported);
        }
        assert_eq!(Target::from_kelf("gen3"), None);
    }
}
