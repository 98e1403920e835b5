//! The opcode bytes an instruction becomes, because one instruction may need several and several share one: a byte
//! alone never tells the instruction.

use super::Confidence;
use super::CoreGeneration;
pub use super::category::EmitKind;

#[rustfmt::skip]
#[path = "generated/emit.rs"]
mod table;

/// What the encoder makes of an opcode (`spec/enums.toml`, `[[opcode_emit]]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeEmit {
    /// What becomes of it.
    pub kind: EmitKind,
    /// The possible opcode bytes on CoreV2.
    pub core_v2: &'static [u8],
    /// The possible opcode bytes on CoreV3.
    pub core_v3: &'static [u8],
    /// The possible opcode bytes on CoreV4.
    pub core_v4: &'static [u8],
    /// How many 64-byte bundles, e.g. `1-4`.
    pub bundles: &'static str,
    /// The engine that runs it, in the words of the source; `None` if it never reaches one.
    pub engine: Option<&'static str>,
    /// When which byte is chosen, and other remarks; empty if there are none.
    pub note: &'static str,
    /// How sure the row is.
    pub confidence: Confidence,
}

impl OpcodeEmit {
    /// The possible opcode bytes on a generation; empty if nothing is encoded.
    #[must_use]
    pub const fn opcodes(&self, generation: CoreGeneration) -> &'static [u8] {
        match generation {
            CoreGeneration::CoreV2 => self.core_v2,
            CoreGeneration::CoreV3 => self.core_v3,
            CoreGeneration::CoreV4 => self.core_v4,
        }
    }
}

impl super::bir::InstructionType {
    /// The silicon opcode bytes it may become on a generation; empty if the encoder has none for it.
    #[must_use]
    pub const fn silicon_opcodes(self, generation: CoreGeneration) -> &'static [u8] {
        self.emit().opcodes(generation)
    }

    /// What the encoder does with it.
    #[must_use]
    pub const fn emit_kind(self) -> EmitKind {
        self.emit().kind
    }
}

/// The header word of a bundle: the bundle's length in dwords (0x10) above the opcode byte.
#[must_use]
pub const fn header_word(opcode: u8) -> u16 {
    0x1000 | opcode as u16
}

#[cfg(test)]
mod tests {
    use super::super::bir::InstructionType as I;
    use super::super::isa::NEURON_ISA_TPB_OPCODE;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn bytes_are_live_opcodes_and_kinds_agree() {
        for opcode in I::MEMBERS {
            for generation in CoreGeneration::ALL {
                let bytes = opcode.silicon_opcodes(*generation);
                for byte in bytes {
                    assert!(NEURON_ISA_TPB_OPCODE::from_ordinal(i64::from(*byte)).is_ok(), "{opcode} {byte:#x}");
                    // spec/enums.md section 4: the ordinal equals the byte for no instruction.
                    assert_ne!(i32::from(*byte), opcode.ordinal(), "{opcode}");
                }
                assert!(bytes.is_empty() || opcode.emit_kind() == EmitKind::Encoded, "{opcode}");
            }
            assert_eq!(opcode.abstract_base() && *opcode != I::Generic, opcode.emit_kind() == EmitKind::Abstract);
        }
    }

    #[test]
    fn activation_is_the_one_renumbered_instruction() {
        let renumbered: Vec<_> = I::MEMBERS
            .iter()
            .filter(|i| {
                let [a, b] = [i.silicon_opcodes(CoreGeneration::CoreV2), i.silicon_opcodes(CoreGeneration::CoreV4)];
                !a.is_empty() && !b.is_empty() && !a.iter().any(|byte| b.contains(byte))
            })
            .collect();
        assert_eq!(renumbered, [&I::Activation]);
        assert_eq!(I::Activation.silicon_opcodes(CoreGeneration::CoreV3), [0x21]);
        assert_eq!(I::Activation.silicon_opcodes(CoreGeneration::CoreV4), [0x25]);
        assert_eq!(header_word(0x25), 0x1025);
    }
}
