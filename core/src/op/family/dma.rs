//! Families of transfers.
#![forbid(unsafe_code)]

use super::kinds::{is_input_kind, is_output_kind};
use crate::Result;
use crate::enums::accept;
use crate::enums::bir::{CopyMode, DGEType, EngineType, InstructionType as Op, TensorKind};
use crate::ir::{Argument, Instruction};
use crate::op::read;

/// Whether it is a DMACopy in that mode.
fn copies_in(i: &Instruction, mode: CopyMode) -> Result<bool> {
    Ok(i.opcode()? == Op::DMACopy && read::member(i, "mode")? == Some(mode))
}

pub(super) fn is_transpose(i: &Instruction) -> Result<bool> {
    Ok(i.opcode()? == Op::DMADescriptorTranspose || copies_in(i, CopyMode::Transpose)?)
}

pub(super) fn is_replicate(i: &Instruction) -> Result<bool> {
    Ok(i.opcode()? == Op::DMADescriptorReplicate || copies_in(i, CopyMode::Replicate)?)
}

pub(super) fn is_cce(i: &Instruction) -> Result<bool> {
    Ok(i.opcode()? == Op::DMADescriptorCCE || copies_in(i, CopyMode::CCE)?)
}

pub(super) fn is_copy_or_cast(i: &Instruction) -> Result<bool> {
    Ok(matches!(i.opcode()?, Op::Load | Op::Save) || copies_in(i, CopyMode::Copy)?)
}

/// `ins[0]` and `outs[0]`, if it has both.
fn ends(i: &Instruction) -> Option<(&Argument, &Argument)> {
    Some((i.ins().next()?, i.outs().next()?))
}

/// A copy or cast: whether the element types of both ends are equal.
fn copies_equal(i: &Instruction) -> Result<Option<bool>> {
    match ends(i) {
        Some((from, to)) if is_copy_or_cast(i)? => Ok(Some(from.dtype()? == to.dtype()?)),
        _ => Ok(None),
    }
}

pub(super) fn is_copy(i: &Instruction) -> Result<bool> {
    Ok(copies_equal(i)? == Some(true))
}

pub(super) fn is_cast(i: &Instruction) -> Result<bool> {
    Ok(copies_equal(i)? == Some(false))
}

/// The kind of the tensor that an operand is in; `None` for an immediate.
fn tensor_kind(operand: &Argument) -> Result<Option<TensorKind>> {
    operand.storage().map(|s| s.tensor_kind()).transpose()
}

pub(super) fn is_sr(i: &Instruction) -> Result<bool> {
    let moves = matches!(i.opcode()?, Op::Load | Op::Save | Op::DMACopy) || i.is_dma_descriptor();
    match ends(i) {
        Some((from, to)) if moves => {
            let internal = Some(TensorKind::Internal);
            Ok(tensor_kind(from)? == internal && tensor_kind(to)? == internal)
        }
        _ => Ok(false),
    }
}

pub(super) fn is_sr_copy(i: &Instruction) -> Result<bool> {
    Ok(is_sr(i)? && is_copy(i)?)
}

pub(super) fn is_sr_cast(i: &Instruction) -> Result<bool> {
    Ok(is_sr(i)? && is_cast(i)?)
}

/// Whether one end is in a tensor of the module's boundary.
fn at_boundary(i: &Instruction) -> Result<bool> {
    let boundary = |kind: Option<TensorKind>| kind.is_some_and(|k| is_input_kind(k) || is_output_kind(k));
    match ends(i) {
        Some((from, to)) => Ok(boundary(tensor_kind(from)?) || boundary(tensor_kind(to)?)),
        None => Ok(false),
    }
}

pub(super) fn is_io_copy(i: &Instruction) -> Result<bool> {
    Ok(is_copy(i)? && at_boundary(i)?)
}

pub(super) fn is_io_cast(i: &Instruction) -> Result<bool> {
    Ok(is_cast(i)? && at_boundary(i)?)
}

pub(super) fn is_family(i: &Instruction) -> Result<bool> {
    Ok(accept::DMA.contains(i.opcode()?))
}

pub(super) fn is_queue_allocated(i: &Instruction) -> Result<bool> {
    Ok(is_family(i)? || accept::COLLECTIVE.contains(i.opcode()?))
}

pub(super) fn is_queue_bound(i: &Instruction) -> Result<bool> {
    Ok(is_queue_allocated(i)? || i.opcode()? == Op::SwitchQueueInstance)
}

pub(super) fn is_remote_update(i: &Instruction) -> Result<bool> {
    let is_block = i.opcode()? == Op::DMABlock;
    Ok(is_block && i.has_sync_info() && read::word_count(i, "remote_notifications")?.is_some_and(|n| n > 0))
}

pub(super) fn is_axi(i: &Instruction) -> Result<bool> {
    let opcode = i.opcode()?;
    let named = matches!(opcode, Op::TensorLoad | Op::TensorSave);
    Ok(named || accept::DMA.contains(opcode) || accept::DMA_DESCRIPTOR.contains(opcode))
}

pub(super) fn is_hwdge_with_engine(i: &Instruction) -> Result<bool> {
    let hardware = is_family(i)? && read::member(i, "dge_type")? == Some(DGEType::HWDGE);
    Ok(hardware && i.engine()? != EngineType::Unassigned)
}

pub(super) fn is_read_var_addr(i: &Instruction) -> Result<bool> {
    Ok(i.opcode()? == Op::ReadVarAddr)
}
