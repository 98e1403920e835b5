//! Which families an instruction is in: what passes ask before they touch one (`spec/instructions.md` section 5,
//! `spec/enums.md` section 5).
//!
//! Each test reads the opcode and, where the family depends on more, the fields, operands and headers: a map from opcode
//! to family would be wrong for Memset, DMACopy and CollectiveCompute. They are there as methods of [`Instruction`] and, by
//! the original's name, as the roster [`PREDICATES`]. `IsAluOpOnPool` and `isIODMA` exist in the original too, but no source
//! says what they test, so they are left out.
//!
//! A test that needs the value of a field fails with `WrongKind` where the field holds an expression, as the original's
//! plain getter does: the answer would depend on the iteration. Numbers that no enum knows are `UnknownEnum` or
//! `CorruptIr`.
#![forbid(unsafe_code)]

mod dma;
mod dynamic;
mod kinds;
mod other;

use crate::Result;
use crate::error::bail;
use crate::ir::Instruction;

pub use kinds::{
    is_data_path_engine, is_external_input_kind, is_external_output_kind, is_input_kind, is_output_kind, is_x4_dtype,
    supports_dma_qos_on_isa,
};

/// A family test, for tools and the C API.
#[derive(Clone, Copy, Debug)]
pub struct FamilyTest {
    /// The original's name; where it has none that is known, ours in its style.
    pub name: &'static str,
    /// The Rust method of the same test.
    pub method: &'static str,
    /// Whether the instruction passes.
    pub test: fn(&Instruction) -> Result<bool>,
}

/// The test of that name: `isTransposeDMA`.
///
/// # Errors
/// `NotFound` if there is none.
pub fn find(name: &str) -> Result<&'static FamilyTest> {
    match PREDICATES.iter().find(|p| p.name == name) {
        Some(test) => Ok(test),
        None => bail!(NotFound, "no family test is called `{name}`"),
    }
}

macro_rules! families {
    ($($(#[$doc:meta])* $method:ident = $name:literal, $test:path;)*) => {
        impl Instruction {
            $($(#[$doc])* pub fn $method(&self) -> Result<bool> { $test(self) })*
        }

        /// All family tests of instructions, in the order of `spec/instructions.md` section 5.
        pub static PREDICATES: &[FamilyTest] =
            &[$(FamilyTest { name: $name, method: stringify!($method), test: $test },)*];
    };
}

families! {
    /// DMACopy in mode Transpose, or DMADescriptorTranspose.
    is_transpose_dma = "isTransposeDMA", dma::is_transpose;
    /// DMACopy in mode Replicate, or DMADescriptorReplicate.
    is_replicate_dma = "isReplicateDMA", dma::is_replicate;
    /// Load, Save, or DMACopy in mode Copy.
    is_copy_or_cast_dma = "isCopyOrCastDMA", dma::is_copy_or_cast;
    /// As [`Self::is_copy_or_cast_dma`], and `ins[0]` has the element type of `outs[0]`. Without either operand: no.
    is_copy_dma = "isCopyDMA", dma::is_copy;
    /// As [`Self::is_copy_or_cast_dma`], and `ins[0]` has another element type than `outs[0]`. Without either operand: no.
    is_cast_dma = "isCastDMA", dma::is_cast;
    /// A spill or reload: Load, Save, DMACopy or a descriptor (68 to 72) whose `ins[0]` and `outs[0]` are both in tensors of
    /// kind Internal. The opcodes are certain; sources name no kinds, and Internal is what the tensors of a spill have.
    is_sr_dma = "isSRDMA", dma::is_sr;
    /// [`Self::is_sr_dma`] and [`Self::is_copy_dma`].
    is_sr_copy_dma = "isSRCopyDMA", dma::is_sr_copy;
    /// [`Self::is_sr_dma`] and [`Self::is_cast_dma`].
    is_sr_cast_dma = "isSRCastDMA", dma::is_sr_cast;
    /// [`Self::is_copy_dma`], and `ins[0]` or `outs[0]` is in an input or output tensor: a kind from 0 to 5.
    is_io_copy_dma = "isIOCopyDMA", dma::is_io_copy;
    /// [`Self::is_cast_dma`], and `ins[0]` or `outs[0]` is in an input or output tensor: a kind from 0 to 5.
    is_io_cast_dma = "isIOCastDMA", dma::is_io_cast;
    /// DMACopy in mode CCE, or DMADescriptorCCE.
    is_cce_dma = "isCCEDMA", dma::is_cce;
    /// The gate of passes over the DMA family: the accept set of InstDMA.
    is_dma_family = "isDMAFamily", dma::is_family;
    /// What queue allocation treats: the DMA family and the collectives (47 to 50).
    is_queue_allocated = "isQueueAllocated", dma::is_queue_allocated;
    /// Whose queue the loader looks up: what queue allocation treats, and SwitchQueueInstance (85).
    is_queue_bound = "isQueueBound", dma::is_queue_bound;
    /// DMABlock with synchronisation information and at least one remote notification.
    is_remote_update_instruction = "isRemoteUpdateInstruction", dma::is_remote_update;
    /// CollectiveCompute of a kind above 6: the permutations.
    is_fine_grain_cc_op = "isFineGrainCCOp", other::is_fine_grain_cc;
    /// CollectiveCompute of a kind up to 6.
    is_coarse_grain_cc_op = "isCoarseGrainCCOp", other::is_coarse_grain_cc;
    /// Opcodes 58, 59, 60, 65, 97, 98, 99, or Memset in mode Random; not Rng (100).
    is_rng_instruction = "isRNGInstruction", other::is_rng;
    /// What moves data over the AXI bus: 18, 19, 22, 32, 41 to 46, 67, 68 to 72, 75, 76.
    is_axi_instruction = "isAxiInstruction", dma::is_axi;
    /// The DMA family with `dge_type` HWDGE and an engine that is not Unassigned.
    is_hwdge_dma_with_engine_set = "isHWDGEDMAWithEngineSet", dma::is_hwdge_with_engine;
    /// ReadVarAddr.
    is_read_var_addr = "isReadVarAddr", dma::is_read_var_addr;
    /// [`Self::is_scalar_dynamic_offset_dma`] or [`Self::is_vector_dynamic_offset_dma`].
    is_dynamic_offset_dma = "isDynamicOffsetDMA", dynamic::is_dynamic;
    /// The DMA family, and `ins[0]` or `outs[0]` is at one run-time offset: a physical pattern with a run-time part that
    /// names no indirection operand, or a register pattern.
    is_scalar_dynamic_offset_dma = "isScalarDynamicOffsetDMA", dynamic::is_scalar;
    /// The DMA family, and `ins[0]` or `outs[0]` is at offsets from an index vector: a physical pattern whose run-time part
    /// names an indirection operand, or a symbolic pattern with a tensor indirection.
    is_vector_dynamic_offset_dma = "isVectorDynamicOffsetDMA", dynamic::is_vector;
    /// DMACopy whose `outs[0]` is at offsets from an index vector and whose `cce_op` is not bypass.
    is_dst_reduce_dge = "isDstReduceDGE", dynamic::is_dst_reduce;
    /// TensorScalarPtr with `is_tensor_scalar_addr`.
    is_tensor_scalar_addr = "isTensorScalarAddr", other::is_tensor_scalar_addr;
    /// TensorReduce, TensorScalar, TensorScalarPtr, TensorScalarCache or TensorTensor with at least one bit-vector ALU op
    /// (1, 2, 3, 10, 11, 12, 16, 17), and every other one bypass.
    is_bit_vec_instruction = "isBitVecInstruction", other::is_bit_vec;
    /// StreamTranspose, a transpose DMA, or an instruction with `is_transpose` (the matmuls) or `apply_transpose`.
    is_transpose_instruction = "isTransposeInstruction", other::is_transpose;
    /// BNStatsAggregate, which reads its whole input before it writes.
    reads_full_input_before_compute = "readsFullInputBeforeCompute", other::reads_full_input;
    /// `can_read_uninit` is true; false for opcodes without the field.
    can_inst_read_from_uninit_mem = "canInstReadFromUninitMem", other::can_read_uninit;
    /// CollectiveCompute with two outputs, both in SB.
    is_cc_having_sb_scratch_pad = "isCCHavingSBScratchPad", other::has_sb_scratch_pad;
    /// The simulator's test for the result of a matmul: the accept set of InstMatmultBase.
    is_matmul_output_opcode = "isMatmulOutputOpcode", other::is_matmul_output;
}
