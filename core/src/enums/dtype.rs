//! Alignment and packing of element types, because both hang on the silicon tag and the generation, not on the size.

use super::CoreGeneration;
use super::bir::Dtype;

impl Dtype {
    /// The address alignment in bytes that the generation asks for; `None` if it takes no address at all, which means
    /// that the type must be rejected (`spec/enums.md` section 4). CoreV2 has the tag table of CoreV3.
    #[must_use]
    pub const fn alignment(self, generation: CoreGeneration) -> Option<u32> {
        let bytes = match generation {
            CoreGeneration::CoreV2 | CoreGeneration::CoreV3 => self.align_core_v3(),
            CoreGeneration::CoreV4 => self.align_core_v4(),
        };
        if bytes == 0 { None } else { Some(bytes) }
    }

    /// Whether four lanes share one container: contraction extents count lanes, addresses count containers.
    #[must_use]
    pub const fn is_x4(self) -> bool {
        self.lanes() == 4
    }
}

#[cfg(test)]
mod tests {
    use super::super::category::DtypeClass;
    use super::*;

    #[test]
    fn alignment_follows_the_wire_tag() {
        for dtype in Dtype::MEMBERS {
            for generation in CoreGeneration::ALL {
                let by_tag = match dtype.wire_byte(*generation).unwrap() {
                    2 | 3 | 13..=15 => Some(1),
                    16 if *generation == CoreGeneration::CoreV4 => Some(1),
                    4..=7 => Some(2),
                    8..=11 => Some(4),
                    1 | 12 => Some(8),
                    _ => None,
                };
                // The one type whose old tag is reused: rejected there, whatever the tag says.
                let old_fp4 = *dtype == Dtype::float4_e2m1fn_x4 && *generation != CoreGeneration::CoreV4;
                assert_eq!(dtype.alignment(*generation), if old_fp4 { None } else { by_tag }, "{dtype} {generation}");
            }
        }
    }

    #[test]
    fn packed_types() {
        for dtype in Dtype::MEMBERS {
            let packed = matches!(dtype.class(), DtypeClass::Fp4Packed | DtypeClass::Fp8Packed);
            assert_eq!(dtype.is_x4(), packed, "{dtype}");
        }
    }
}
