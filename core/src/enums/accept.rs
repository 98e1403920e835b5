//! Which opcodes an abstract instruction class accepts: the original's `isa<>` tests, as sets of opcodes.

use super::Confidence;
use super::bir::InstructionType;

pub use sets::*;

#[rustfmt::skip]
#[path = "generated/accept.rs"]
mod sets;

/// The opcodes that count as one abstract class (`spec/enums.toml`, `[[accept_set]]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptSet {
    /// The class, e.g. `InstDMA`.
    pub base: &'static str,
    /// The opcodes, by rising ordinal.
    pub opcodes: &'static [InstructionType],
    /// Bit `n` stands for opcode `n`.
    mask: u128,
    /// How sure the set is.
    pub confidence: Confidence,
    /// Remarks of the specification; empty if there are none.
    pub note: &'static str,
}

impl AcceptSet {
    /// Whether the class accepts the opcode, in constant time.
    #[must_use]
    pub const fn contains(&self, opcode: InstructionType) -> bool {
        // All opcodes are below 128: the masks are checked against the lists.
        self.mask >> (opcode.ordinal() as u32 & 127) & 1 == 1
    }
}

/// The set of a class, e.g. `InstDMA`.
#[must_use]
pub fn find(base: &str) -> Option<&'static AcceptSet> {
    ACCEPT_SETS.iter().copied().find(|set| set.base == base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_the_lists() {
        for set in ACCEPT_SETS {
            for opcode in InstructionType::MEMBERS {
                assert_eq!(set.contains(*opcode), set.opcodes.contains(opcode), "{} {opcode}", set.base);
            }
        }
        assert_eq!(find("InstDMA"), Some(&DMA));
        assert_eq!(find("DMA"), None);
    }

    #[test]
    fn the_surprising_members() {
        use InstructionType as I;
        assert!(!MATMULT_BASE.contains(I::QuantizeMx) && !TERMINATOR.contains(I::BranchHint));
        assert!(!DMA.contains(I::DMADescriptor) && !DMA.contains(I::TensorLoad) && DMA.contains(I::DMATrigger));
        assert!(GENERIC.contains(I::AbstractCopy) && !GENERIC.contains(I::Activation));
        assert!(COLLECTIVE.contains(I::CollectiveRecv) && DMA_DESCRIPTOR.contains(I::DMADescriptorReplicate));
    }
}
