//! Selections by position or predicate, and the position itself.

use super::super::kernel::Lowering;
use super::super::number::{float_of, i32_of};
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse, refuse_with};
use super::super::table::rule;
use super::super::wording;
use super::activation::with_optional;
use super::form;
use super::values::{Data, accum, alu, alu_or_bypass};
use crate::klr::ast;
use crate::op::Maybe;

pub(super) fn iota<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::Iota<'k>) -> Step<()> {
    let data = Data::new(&r.pattern, "pattern")?;
    let dst = cx.read(&r.dst, "dst")?;
    let instruction = cx.emit(form(row, 0)?, None, &[], &[dst])?;
    data.set(instruction)?;
    Ok(())
}

pub(super) fn affine_select<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NcAffineSelect<'k>,
) -> Step<()> {
    let compare = alu(r.cmp_op, "cmpOp")?;
    let fill = float_of(r.on_false_value, "onFalseValue")?;
    let data = Data::new(&r.pred, "pred")?;
    let dst = cx.read(&r.dst, "dst")?;
    let on_true = cx.read(&r.on_true_tile, "onTrueTile")?;
    let instruction = cx.emit(form(row, 0)?, None, &[on_true], &[dst])?;
    data.set(instruction)?;
    let select = instruction.as_tensor_scalar_affine_select()?;
    select.set_compare_op(compare)?;
    select.set_fill_value(fill)?;
    Ok(())
}

pub(super) fn range_select<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NcRangeSelect<'k>,
) -> Step<()> {
    let (compare0, compare1) = (alu(r.comp_op0, "compOp0")?, alu(r.comp_op1, "compOp1")?);
    let reduce_op = alu_or_bypass(r.reduce_op, "reduceOp")?;
    let reduce_cmd = accum(r.reduce_command, "reduceCommand")?;
    let base = integer(r.range_start, "rangeStart")?;
    let fill = float_of(r.on_false_value, "onFalseValue")?;

    let dst = cx.read(&r.dst, "dst")?;
    let drain = r.reduce_res.as_ref().map(|drain| cx.read(drain, "reduceRes")).transpose()?;
    let bound0 = cx.read(&r.bound0, "bound0")?;
    let bound1 = cx.read(&r.bound1, "bound1")?;
    let on_true = cx.read(&r.on_true_tile, "onTrueTile")?;

    let (outs, count) = with_optional(dst, drain);
    let outs = outs.get(..count).unwrap_or_default();
    let instruction = cx.emit(form(row, 0)?, None, &[on_true, bound0, bound1], outs)?;
    let select = instruction.as_range_select()?;
    select.set_compare_op0(compare0)?;
    select.set_compare_op1(compare1)?;
    select.set_reduce_op(reduce_op)?;
    select.set_reduce_cmd(reduce_cmd)?;
    select.set_fill_value(fill)?;
    select.set_base(Maybe::Constant(base))?;
    Ok(())
}

/// A whole number of 32 bits; front ends may write it as a float.
fn integer(immediate: ast::Immediate, field: &'static str) -> Step<i32> {
    match immediate {
        ast::Immediate::Int(value) => i32_of(value, field),
        ast::Immediate::Float(value) => {
            let whole = value as i32;
            if f64::from(whole) == f64::from(value) {
                return Ok(whole);
            }
            refuse_with(&wording::NUMBER_INTEGER, field, value)
        }
        ast::Immediate::Register(_) | ast::Immediate::Pointer => refuse(&rule::IMMEDIATE_KIND, field),
    }
}

/// A predicated copy with a third input and a reduction.
pub(super) fn select_reduce<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::SelectReduce<'k>,
) -> Step<()> {
    let reduce_op = alu(r.reduce_op, "reduceOp")?;
    let command = accum(r.reduce_cmd, "reduceCmd")?;
    let dst = cx.read(&r.dst, "dst")?;
    let predicate = cx.read(&r.predicate, "predicate")?;
    let on_true = cx.read(&r.on_true, "onTrue")?;
    let on_false = cx.operand(&r.on_false, "onFalse")?;
    let drain = r.reduce_res.as_ref().map(|drain| cx.read(drain, "reduceRes")).transpose()?;

    let (outs, count) = with_optional(dst, drain);
    let outs = outs.get(..count).unwrap_or_default();
    let instruction = cx.emit(form(row, 0)?, None, &[predicate, on_true, on_false], outs)?;
    let select = instruction.as_copy_predicated()?;
    select.set_reduce_op(reduce_op)?;
    select.set_accumulator_cmd(command)?;
    select.set_reverse_pred(Maybe::Constant(r.reverse_pred))?;
    Ok(())
}

/// The predicate comes first in BIR.
pub(super) fn copy_predicated<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::CopyPredicated<'k>,
) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let predicate = cx.read(&r.predicate, "predicate")?;
    let instruction = cx.emit(form(row, 0)?, None, &[predicate, src], &[dst])?;
    let reverse = cx.options.reverse_pred && r.reverse_pred;
    instruction.as_copy_predicated()?.set_reverse_pred(Maybe::Constant(reverse))?;
    Ok(())
}
