//! What a caller decides about a lowering.

use crate::enums::bir::ArchLevel;

/// Options of the lowering.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// The hardware generation of the new module.
    pub arch: ArchLevel,
    /// The neuron core id: which body of the kernel is taken. `None` is the "not set" of `spec/lowering.md` section 2.
    pub core_id: Option<u32>,
    /// Takes the strict reading where there is a lenient one: empty tile lists of a matmul are an error, and so is every
    /// warning.
    pub strict: bool,
    /// Lets `copyPredicated` take its `reversePred`, which the reference of 2.24 does not read.
    pub reverse_pred: bool,
    /// How many diagnostics are kept; later ones are counted.
    pub max_diagnostics: usize,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions { arch: ArchLevel::gen3, core_id: None, strict: false, reverse_pred: false, max_diagnostics: 1000 }
    }
}
