//! The silicon bytes, because an encoder, a disassembler and a checker must agree on them, and because some members
//! have none: the original dies there, here it is an error that says where the member has to go instead.

use super::{EnumInfo, MemberInfo, id};
use crate::error::{Error, ErrorCode};
use core::fmt;

pub use tables::L3_TABLES;

#[rustfmt::skip]
#[path = "generated/l3.rs"]
mod tables;

/// A generation of the core, as far as the encoders differ. Generations without a converter are no member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoreGeneration {
    /// Arch level `sunda` (20).
    CoreV2,
    /// Arch level `gen3` (30).
    CoreV3,
    /// Arch level `core_v4` (40).
    CoreV4,
}

impl CoreGeneration {
    /// All generations, oldest first.
    pub const ALL: &'static [Self] = &[Self::CoreV2, Self::CoreV3, Self::CoreV4];

    /// The spelling of `spec/enums.toml`, e.g. `CoreV2`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CoreV2 => "CoreV2",
            Self::CoreV3 => "CoreV3",
            Self::CoreV4 => "CoreV4",
        }
    }
}

impl fmt::Display for CoreGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A lookup table of the original, byte for byte (`spec/enums.toml`, `[[l3_table]]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L3Table {
    /// What the table gives.
    pub name: &'static str,
    /// The enum that indexes it.
    pub of: super::EnumId,
    /// The ordinal of the first entry.
    pub first: i32,
    /// The generations whose converter uses it; `all` if no converter does.
    pub generations: &'static [&'static str],
    /// The entries.
    pub values: &'static [u8],
}

/// The error for a member without a silicon byte.
pub(super) fn no_byte(info: &EnumInfo, member: &MemberInfo, generation: CoreGeneration) -> Error {
    if !info.has_wire {
        return Error::new(ErrorCode::Unsupported, format_args!("{} has no silicon byte of its own", info.name))
            .expected_found("an enum with wire bytes", format_args!("{}.{}", info.space, info.name));
    }
    let refused = Error::new(ErrorCode::Unsupported, format_args!("Invalid enum variant for enum {}", info.name));
    let found = format_args!("`{}` ({}) on {generation}", member.name, member.ordinal);
    let newer = member.wire.iter().any(Option::is_some);
    let reason = match info.id {
        id::DMA_QOS_CLASS => {
            let text = "DMAQoSClass is written only for an arch level above 29 (gen3 and later)";
            return Error::new(ErrorCode::Unsupported, text).expected_found("CoreV3 or later", generation);
        }
        _ if newer => "a generation that has this operation (CoreV4)",
        id::ALU_OP_TYPE => {
            let reason = format_args!(
                "an operation of the ALU byte converter; {0} goes to the dedicated {0} emitter",
                member.name
            );
            return refused.expected_found(reason, found);
        }
        id::COLLECTIVE_KIND => {
            "a kind above 1; point-to-point transfers are the opcodes CollectiveSend and CollectiveRecv"
        }
        id::ENGINE_ACCUMULATION_TYPE => "another command; the front end's Accumulate is AddAccumulate",
        _ => "a member with a wire byte",
    };
    refused.expected_found(reason, found)
}

#[cfg(test)]
mod tests {
    use super::super::bir;
    use super::*;
    use CoreGeneration::{CoreV2, CoreV3, CoreV4};

    #[test]
    fn tables_and_members_agree() {
        let mut bytes = 0;
        for table in L3_TABLES.iter().filter(|t| t.of.info().has_wire && !t.name.contains("stride")) {
            for generation in CoreGeneration::ALL.iter().filter(|g| table.generations.contains(&g.name())) {
                let ordinals = i64::from(table.first)..;
                for (ordinal, byte) in ordinals.zip(table.values) {
                    assert_eq!(table.of.info().wire(ordinal, *generation), Ok(*byte), "{} {ordinal}", table.name);
                    bytes += 1;
                }
            }
        }
        // 20 dtypes on three generations; 9, 12, 3 and 6 entries of the other tables on two.
        assert_eq!(bytes, 20 * 3 + (9 + 12 + 3 + 6) * 2);
    }

    #[test]
    fn strides_are_the_container_sizes() {
        let table = L3_TABLES.iter().find(|t| t.name.contains("stride")).unwrap();
        assert_eq!(table.values.len(), bir::Dtype::MEMBERS.len());
        for (dtype, stride) in bir::Dtype::MEMBERS.iter().zip(table.values) {
            assert_eq!(dtype.container_bytes(), u32::from(*stride), "{dtype}");
            assert_eq!(dtype.container_bits(), dtype.element_bits() * dtype.lanes(), "{dtype}");
            assert_eq!(dtype.container_bits(), dtype.container_bytes() * 8, "{dtype}");
        }
    }

    #[test]
    fn alu_operations_without_a_byte() {
        use bir::AluOpType as Op;
        for op in [Op::average, Op::elemwise_mul] {
            for generation in CoreGeneration::ALL {
                let e = op.wire_byte(*generation).unwrap_err();
                assert_eq!(e.code, ErrorCode::Unsupported);
                assert_eq!(e.message, "Invalid enum variant for enum AluOpType");
                let emitter = std::format!("the dedicated {} emitter", op.name());
                assert!(e.expected.ends_with(&emitter) && e.found.contains(op.name()), "{e}");
            }
        }
        for op in [Op::abs_max, Op::abs_min, Op::mod_int] {
            assert!(op.wire_byte(CoreV2).is_err() && op.core_v4_only());
            assert!(op.wire_byte(CoreV3).unwrap_err().expected.contains("CoreV4"));
        }
        assert_eq!((Op::abs_max.wire_byte(CoreV4), Op::abs_min.wire_byte(CoreV4)), (Ok(32), Ok(33)));
        assert_eq!(Op::mod_int.wire_byte(CoreV4), Ok(0xC8));
        assert_eq!(Op::mod_int.wire_word(CoreV4), Ok(0xFFFF_FFC8));
        assert_eq!(Op::mod_int.wire_word(CoreV3).unwrap_err().code, ErrorCode::Unsupported);
        assert_eq!((Op::rsqrt.wire_word(CoreV4), Op::rsqrt.wire_byte(CoreV2)), (Ok(0x1D), Ok(0x1D)));
        // The comparisons are reordered twice: spec/enums.md section 2.
        let bytes =
            [Op::is_equal, Op::is_gt, Op::is_ge, Op::is_le, Op::is_lt, Op::not_equal].map(|op| op.wire_byte(CoreV2));
        assert_eq!(bytes, [0x12, 0x13, 0x14, 0x15, 0x16, 0x18].map(Ok));
        for op in Op::MEMBERS {
            let same = op.wire_byte(CoreV4).ok().map(|b| i32::from(b) == op.ordinal());
            assert_eq!(op.l3_equals_l1(), same, "{op}");
        }
    }

    #[test]
    fn other_holes_keep_the_originals_text() {
        let message = |r: crate::Result<u8>| r.unwrap_err().message;
        for generation in CoreGeneration::ALL {
            let generation = *generation;
            let text = message(bir::CollectiveKind::SendRecv.wire_byte(generation));
            assert_eq!(text, "Invalid enum variant for enum CollectiveKind");
            let text = message(bir::BranchCompareOp::Unsupported.wire_byte(generation));
            assert_eq!(text, "Invalid enum variant for enum BranchCompareOp");
            let text = message(bir::MatmultPerfMode::DoubleRowSwInterleave.wire_byte(generation));
            assert_eq!(text, "Invalid enum variant for enum MatmultPerfMode");
            let text = message(bir::EngineAccumulationType::Accumulate.wire_byte(generation));
            assert_eq!(text, "Invalid enum variant for enum EngineAccumulationType");
            let text = message(bir::UpdateMode::invalid.wire_byte(generation));
            assert_eq!(text, "Invalid enum variant for enum UpdateMode");
        }
        let e = bir::CopyMode::INFO.wire(0, CoreV2).unwrap_err();
        assert_eq!((e.code, e.message.as_str()), (ErrorCode::Unsupported, "CopyMode has no silicon byte of its own"));
        assert_eq!(bir::Dtype::INFO.wire(20, CoreV2).unwrap_err().code, ErrorCode::UnknownEnum);
    }

    #[test]
    fn generations_differ_where_the_tables_do() {
        let x4 = bir::Dtype::float4_e2m1fn_x4;
        assert_eq!((x4.wire_byte(CoreV2), x4.wire_byte(CoreV3), x4.wire_byte(CoreV4)), (Ok(5), Ok(5), Ok(16)));
        for dtype in bir::Dtype::MEMBERS.iter().filter(|d| **d != x4) {
            assert_eq!(dtype.wire_byte(CoreV2), dtype.wire_byte(CoreV4), "{dtype}");
        }
    }
}
