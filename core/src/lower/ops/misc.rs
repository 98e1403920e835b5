//! Operators that are one instruction with little payload.

use super::super::access::Operand;
use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Field, Step, refuse};
use super::super::table::rule;
use super::form;
use super::values::{mapped, numbers};
use crate::enums::bir::{DebugDeviceBuffer, MemsetMode};
use crate::enums::klr::DropoutThresholdType;
use crate::fallible::{copy, push};
use crate::klr::ast;
use crate::op::{Maybe, Value};
use alloc::vec::Vec;

/// One tensor in, one out, no payload.
pub(super) fn unary<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    dst: &ast::TensorRef<'k>,
    src: &ast::TensorRef<'k>,
    src_field: &'static str,
) -> Step<()> {
    let dst = cx.read(dst, "dst")?;
    let src = cx.read(src, src_field)?;
    cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    Ok(())
}

pub(super) fn batch_norm_stats<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::BatchNormStats<'k>,
) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    instruction.as_bn_stats()?.set_apply_transpose(Maybe::Constant(false))?;
    Ok(())
}

pub(super) fn dropout<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::Dropout<'k>) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let threshold = cx.operand(&r.threshold, "threshold")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src, threshold], &[dst])?;
    let keeps = r.threshold_type == DropoutThresholdType::KeepRate;
    instruction.as_dropout()?.set_is_keep_threshold(Maybe::Constant(keeps))?;
    Ok(())
}

pub(super) fn shuffle<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::Shuffle<'k>) -> Step<()> {
    let mut mask: Vec<Value<'_>> = Vec::new();
    for (index, entry) in r.shuffle_mask.iter().enumerate() {
        let field = Field::at("shuffleMask", index);
        let ast::Immediate::Int(entry) = *entry else { return refuse(&rule::SHUFFLE_MASK, field) };
        push(&mut mask, Value::Int(super::super::number::u32_of(entry, field)?.into()))?;
    }
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    instruction.set("mask", &Value::List(mask))?;
    Ok(())
}

pub(super) fn device_print<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::DevicePrint<'k>,
) -> Step<()> {
    let src = cx.read(&r.src, "src")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src], &[])?;
    instruction.set("prefix", &Value::Text(copy(r.print_prefix)?))?;
    let buffer = mapped("PrintOutputBuffer to DebugDeviceBuffer", r.buffer.ordinal().cast_unsigned());
    instruction.as_device_print()?.set_output_buffer(buffer.unwrap_or(DebugDeviceBuffer::stdout))?;
    Ok(())
}

/// The same tensor is read and written.
pub(super) fn core_barrier<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::CoreBarrier<'k>,
) -> Step<()> {
    let cores = numbers(r.cores, "cores")?;
    let data = cx.read(&r.data, "data")?;
    let instruction = cx.emit(form(row, 0)?, Some(r.engine), &[data], &[data])?;
    instruction.set("cores", &cores)?;
    Ok(())
}

pub(super) fn nonzero_with_count<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NonzeroWithCount<'k>,
) -> Step<()> {
    if let ast::Immediate::Float(_) = r.index_offset {
        return refuse(&rule::NONZERO_OFFSET, "indexOffset");
    }
    if let ast::Immediate::Float(_) = r.padding_val {
        return refuse(&rule::NONZERO_PADDING, "paddingVal");
    }
    let offset = cx.immediate(r.index_offset, "indexOffset")?;
    let padding = cx.immediate(r.padding_val, "paddingVal")?;
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    cx.emit(form(row, 0)?, None, &[src, offset, padding], &[dst])?;
    Ok(())
}

pub(super) fn quantize_mx<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::QuantizeMX<'k>,
) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let scale = cx.read(&r.dst_scale, "dstScale")?;
    cx.emit(form(row, 0)?, None, &[src], &[dst, scale])?;
    Ok(())
}

/// The constant is the 32 bits of the value, whatever the type of the tensor.
pub(super) fn mem_set<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::MemSet<'k>) -> Step<()> {
    let Operand::Immediate { bits, .. } = cx.immediate(r.value, "value")? else {
        return refuse(&rule::IMMEDIATE_KIND, "value");
    };
    let dst = cx.read(&r.dst, "dst")?;
    let instruction = cx.emit(form(row, 0)?, Some(r.engine), &[], &[dst])?;
    instruction.as_memset()?.set_mode(MemsetMode::Const)?;
    instruction.set("constant", &Value::Int(bits.into()))?;
    Ok(())
}
