//! Arithmetic on tensors: five operators share TensorScalarPtr and are told apart by its flags.

use super::super::access::Operand;
use super::super::kernel::Lowering;
use super::super::row::{OperatorRow, Prefix};
use super::super::stop::{Step, refuse};
use super::super::wording;
use super::form;
use super::values::{accum, alu, alu_or_bypass, reversed};
use crate::Result;
use crate::enums::bir::{AluOpType, EngineAccumulationType, TSCMode};
use crate::fallible::append;
use crate::klr::ast;
use crate::op::Maybe;
use crate::op::accessors::TensorScalarPtr;
use alloc::string::String;

/// The operations of the two stages, and whether each takes its operands the other way round.
fn set_stages(scalar: &TensorScalarPtr<'_>, ops: [AluOpType; 2], (reverse0, reverse1): (bool, bool)) -> Result<()> {
    let [op0, op1] = ops;
    scalar.set_op0(op0)?;
    scalar.set_op1(op1)?;
    scalar.set_reverse0(Maybe::Constant(reverse0))?;
    scalar.set_reverse1(Maybe::Constant(reverse1))
}

pub(super) fn tensor_scalar<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorScalar<'k>,
) -> Step<()> {
    let op0 = alu(r.op0, "op0")?;
    let op1 = alu_or_bypass(r.op1, "op1")?;
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let imm0 = cx.operand(&r.imm0, "imm0")?;
    let imm1 = r.imm1.as_ref().map(|imm| cx.operand(imm, "imm1")).transpose()?;
    let ins = [src, imm0, imm1.unwrap_or(imm0)];
    let ins = ins.get(..if imm1.is_some() { 3 } else { 2 }).unwrap_or_default();
    let by_address = ins.iter().skip(1).any(|operand| matches!(operand, Operand::Access(_)));
    let instruction = cx.emit(form(row, 0)?, Some(r.engine), ins, &[dst])?;
    let scalar = instruction.as_tensor_scalar_ptr()?;
    set_stages(&scalar, [op0, op1], reversed(r.reverse))?;
    scalar.set_is_tensor_scalar_addr(Maybe::Constant(by_address))?;
    scalar.set_acc(EngineAccumulationType::Idle)?;
    Ok(())
}

pub(super) fn scalar_tensor_tensor<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NcScalarTensorTensor<'k>,
) -> Step<()> {
    let (op0, op1) = (alu(r.op0, "op0")?, alu(r.op1, "op1")?);
    let dst = cx.read(&r.dst, "dst")?;
    let data = cx.read(&r.data, "data")?;
    let src0 = cx.operand(&r.src0, "src0")?;
    let src1 = cx.operand(&r.src1, "src1")?;
    let instruction = cx.emit(form(row, 0)?, None, &[data, src0, src1], &[dst])?;
    let scalar = instruction.as_tensor_scalar_ptr()?;
    set_stages(&scalar, [op0, op1], reversed(r.reverse_operands))?;
    scalar.set_is_scalar_tensor_tensor(Maybe::Constant(true))?;
    Ok(())
}

pub(super) fn scan<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorTensorScan<'k>,
) -> Step<()> {
    let (op0, op1) = (alu(r.op0, "op0")?, alu(r.op1, "op1")?);
    let acc = accum(r.accumulator_cmd, "accumulatorCmd")?;
    let dst = cx.read(&r.dst, "dst")?;
    let src0 = cx.read(&r.src0, "src0")?;
    let src1 = cx.read(&r.src1, "src1")?;
    let imm0 = cx.operand(&r.imm0, "imm0")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src0, imm0, src1], &[dst])?;
    let scalar = instruction.as_tensor_scalar_ptr()?;
    set_stages(&scalar, [op0, op1], reversed(r.reverse_operands))?;
    scalar.set_acc(acc)?;
    scalar.set_is_tensor_tensor_scan(Maybe::Constant(true))?;
    scalar.set_is_scalar_tensor_tensor(Maybe::Constant(true))?;
    Ok(())
}

/// The schema of 2.24 knows no command; there it is ZeroAccumulate.
pub(super) fn reduce<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorScalarReduce<'k>,
) -> Step<()> {
    let op0 = alu(r.op0, "op0")?;
    let reduce_op = alu_or_bypass(r.reduce_op, "reduceOp")?;
    let acc = match r.reduce_cmd {
        Some(command) => accum(command, "reduceCmd")?,
        None => EngineAccumulationType::ZeroAccumulate,
    };
    if r.reduce_init.is_some() {
        return refuse(&wording::REDUCE_INIT, "reduceInit");
    }
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let operand0 = cx.operand(&r.operand0, "operand0")?;
    let drain = cx.read(&r.reduce_res, "reduceRes")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src, operand0], &[dst, drain])?;
    let scalar = instruction.as_tensor_scalar_ptr()?;
    scalar.set_op0(op0)?;
    scalar.set_op1(reduce_op)?;
    scalar.set_reverse0(Maybe::Constant(r.reverse0))?;
    scalar.set_acc(acc)?;
    Ok(())
}

pub(super) fn cumulative<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorScalarCumulative<'k>,
) -> Step<()> {
    let (op0, op1) = (alu(r.op0, "op0")?, alu(r.op1, "op1")?);
    let acc = accum(r.reduce_cmd, "reduceCmd")?;
    let (reverse0, reverse1) = reversed(r.reverse);
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let imm0 = cx.operand(&r.imm0, "imm0")?;
    let imm1 = r.imm1.as_ref().map(|imm| cx.operand(imm, "imm1")).transpose()?;
    let ins = [src, imm0, imm1.unwrap_or(imm0)];
    let ins = ins.get(..if imm1.is_some() { 3 } else { 2 }).unwrap_or_default();
    let instruction = cx.emit(form(row, 0)?, None, ins, &[dst])?;
    let cache = instruction.as_tensor_scalar_cache()?;
    cache.set_op0(op0)?;
    cache.set_op1(op1)?;
    cache.set_reverse0(Maybe::Constant(reverse0))?;
    cache.set_reverse1(Maybe::Constant(reverse1))?;
    cache.set_mode(TSCMode::Cumulative)?;
    cache.set_acc(acc)?;
    Ok(())
}

/// A statement without a name is named after operation and tensors.
pub(super) fn tensor_tensor<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorTensor<'k>,
) -> Step<()> {
    let op = alu(r.op, "op")?;
    let dst = cx.read(&r.dst, "dst")?;
    let src0 = cx.read(&r.src0, "src0")?;
    let src1 = cx.read(&r.src1, "src1")?;
    let variant = form(row, 0)?;
    let mut prefix = String::new();
    if cx.spot.statement.is_some_and(|s| s.name.is_none())
        && let Prefix::Template(template) = variant.prefix
    {
        let names = [
            ("{dst}", Lowering::reference_name(&r.dst)),
            ("{op}", op.name()),
            ("{src0}", Lowering::reference_name(&r.src0)),
            ("{src1}", Lowering::reference_name(&r.src1)),
        ];
        fill(template, &names, &mut prefix)?;
    }
    let instruction = cx.emit_named(variant, &prefix, Some(r.engine), &[src0, src1], &[dst])?;
    let tensor = instruction.as_tensor_tensor()?;
    tensor.set_op(op)?;
    tensor.set_acc(EngineAccumulationType::Idle)?;
    Ok(())
}

/// Replaces the placeholders of a template.
fn fill(template: &str, names: &[(&str, &str)], out: &mut String) -> crate::Result<()> {
    let mut rest = template;
    while let Some((before, from)) = rest.split_once('{') {
        append(out, before)?;
        let Some((inside, after)) = from.split_once('}') else { break };
        let name = names.iter().find(|(key, _)| key.trim_matches(['{', '}']) == inside).map_or("", |(_, name)| name);
        append(out, name)?;
        rest = after;
    }
    append(out, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_in() {
        let mut text = String::new();
        let names = [("{dst}", "c"), ("{op}", "add"), ("{src0}", "{op}"), ("{src1}", "b")];
        fill("{dst}=TensorTensor_{op}({src0}, {src1})", &names, &mut text).unwrap();
        assert_eq!(text, "c=TensorTensor_add({op}, b)");
    }
}
