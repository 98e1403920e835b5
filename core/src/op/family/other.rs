//! Families of instructions that compute, communicate or draw random numbers.
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::accept;
use crate::enums::bir::{AluOpType, CollectiveKind, InstructionType as Op, MemoryType, MemsetMode};
use crate::ir::{Argument, Instruction};
use crate::op::read;

/// The kind of a CollectiveCompute.
fn collective_kind(i: &Instruction) -> Result<Option<CollectiveKind>> {
    if i.opcode()? == Op::CollectiveCompute { read::member(i, "kind") } else { Ok(None) }
}

pub(super) fn is_fine_grain_cc(i: &Instruction) -> Result<bool> {
    Ok(collective_kind(i)?.is_some_and(|k| k > CollectiveKind::AllToAllV))
}

pub(super) fn is_coarse_grain_cc(i: &Instruction) -> Result<bool> {
    Ok(collective_kind(i)?.is_some_and(|k| k <= CollectiveKind::AllToAllV))
}

pub(super) fn is_rng(i: &Instruction) -> Result<bool> {
    Ok(match i.opcode()? {
        Op::GetRandState | Op::SetRandState | Op::Rand | Op::Dropout => true,
        Op::Rand2 | Op::RandSetState | Op::RandGetState => true,
        Op::Memset => read::member(i, "mode")? == Some(MemsetMode::Random),
        _ => false,
    })
}

pub(super) fn is_tensor_scalar_addr(i: &Instruction) -> Result<bool> {
    read::flag(i, "is_tensor_scalar_addr")
}

/// The bit-vector operations, recommended in `spec/instructions.md` section 5.
fn is_bit_vec_op(op: AluOpType) -> bool {
    use AluOpType as A;
    matches!(op, A::bitwise_not | A::bitwise_and | A::bitwise_or | A::bitwise_xor)
        || matches!(op, A::arith_shift_left | A::arith_shift_right | A::logical_shift_left | A::logical_shift_right)
}

pub(super) fn is_bit_vec(i: &Instruction) -> Result<bool> {
    let keys: &[&str] = match i.opcode()? {
        Op::TensorScalar | Op::TensorScalarPtr | Op::TensorScalarCache => &["op0", "op1"],
        Op::TensorTensor | Op::TensorReduce => &["op"],
        _ => return Ok(false),
    };
    let mut found = false;
    for key in keys {
        match read::member::<AluOpType>(i, key)? {
            Some(op) if is_bit_vec_op(op) => found = true,
            Some(AluOpType::bypass) | None => {}
            Some(_) => return Ok(false),
        }
    }
    Ok(found)
}

pub(super) fn is_transpose(i: &Instruction) -> Result<bool> {
    let by_opcode = i.opcode()? == Op::StreamTranspose || super::dma::is_transpose(i)?;
    Ok(by_opcode || read::flag(i, "is_transpose")? || read::flag(i, "apply_transpose")?)
}

pub(super) fn reads_full_input(i: &Instruction) -> Result<bool> {
    Ok(i.opcode()? == Op::BNStatsAggregate)
}

pub(super) fn can_read_uninit(i: &Instruction) -> Result<bool> {
    read::flag(i, "can_read_uninit")
}

/// Whether an operand is in SB: its location, or the first location of its set.
fn is_in_sb(operand: &Argument) -> Result<bool> {
    let Some(storage) = operand.storage() else { return Ok(false) };
    let first = storage.as_set().and_then(|s| s.locations().next()).map(|l| l.base());
    Ok(first.unwrap_or(storage).memory_type()? == MemoryType::SB)
}

pub(super) fn has_sb_scratch_pad(i: &Instruction) -> Result<bool> {
    let mut outs = i.outs();
    match (outs.next(), outs.next(), outs.next()) {
        (Some(first), Some(second), None) if i.opcode()? == Op::CollectiveCompute => {
            Ok(is_in_sb(first)? && is_in_sb(second)?)
        }
        _ => Ok(false),
    }
}

pub(super) fn is_matmul_output(i: &Instruction) -> Result<bool> {
    Ok(accept::MATMULT_BASE.contains(i.opcode()?))
}
