//! The family tests of the original as data: what a tool shows and a test compares with, not what code calls. The code
//! is in the room `op`, which knows the fields.

use super::Confidence;
use super::bir::{Dtype, EngineType, InstructionType};

pub use rows::PREDICATES;

#[rustfmt::skip]
#[path = "generated/predicate.rs"]
mod rows;

/// A family test (`spec/enums.toml`, `[[predicate]]`; `spec/enums.md` section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The original's name.
    pub name: &'static str,
    /// How the original encodes it; `unknown` if its body is not published.
    pub encoding: &'static str,
    /// The opcodes that pass without a further test.
    pub opcodes: &'static [InstructionType],
    /// The opcodes that pass if a field agrees.
    pub conditions: &'static [Condition],
    /// A test in words, where it is more than opcodes and fields; else empty.
    pub requires: &'static str,
    /// The engines that pass, for a test of engines.
    pub engines: &'static [EngineType],
    /// The element types that pass, for a test of these.
    pub dtypes: &'static [Dtype],
    /// How sure the row is.
    pub confidence: Confidence,
    /// Remarks of the specification; empty if there are none.
    pub note: &'static str,
}

/// An opcode that passes only if a field agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The opcode.
    pub opcode: InstructionType,
    /// The field, with its enum: `mode (CopyMode)`.
    pub field: &'static str,
    /// The comparison: `==`, `>` or `<=`.
    pub op: &'static str,
    /// The number compared with, an ordinal where the field is an enum.
    pub value: i64,
}

/// The predicate of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Predicate> {
    PREDICATES.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::accept;
    use super::*;

    #[test]
    fn rows_agree_with_the_enums() {
        let dma = find("isDMAFamily (pass gate)").unwrap();
        assert_eq!(dma.opcodes, accept::DMA.opcodes);
        assert_eq!(find("isMatmulOutputOpcode (simulator)").unwrap().opcodes, accept::MATMULT_BASE.opcodes);
        let x4 = find("isX4Dtype").unwrap();
        assert!(Dtype::MEMBERS.iter().all(|d| d.is_x4() == x4.dtypes.contains(d)));
        let datapath = find("isDataPathEngine").unwrap();
        assert!(EngineType::MEMBERS.iter().all(|e| e.datapath() == datapath.engines.contains(e)));
        let rng = find("isRNGInstruction").unwrap();
        assert!(!rng.opcodes.contains(&InstructionType::Rng));
        let memset = [Condition { opcode: InstructionType::Memset, field: "mode (MemsetMode)", op: "==", value: 1 }];
        assert_eq!(rng.conditions, memset);
    }
}
