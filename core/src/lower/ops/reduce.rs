//! Reductions of a tensor.

use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse};
use super::super::table::rule;
use super::form;
use super::values::{alu, mapped};
use crate::enums::bir::AxisListType;
use crate::klr::ast;
use crate::op::Maybe;

pub(super) fn tensor_reduce<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorReduce<'k>,
) -> Step<()> {
    let op = alu(r.op, "op")?;
    let Some(axis) = mapped::<AxisListType>("TensorSubDim to AxisListType", r.op_dim.ordinal().cast_unsigned()) else {
        return refuse(&rule::SUBDIM, "opDim");
    };
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let instruction = cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    let reduce = instruction.as_tensor_reduce()?;
    reduce.set_op(op)?;
    reduce.set_axis(axis)?;
    reduce.set_negate(Maybe::Constant(r.negated))?;
    Ok(())
}

pub(super) fn partition_reduce<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::TensorPartitionReduce<'k>,
) -> Step<()> {
    let op = alu(r.op, "op")?;
    let dst = cx.read(&r.dst, "dst")?;
    let data = cx.read(&r.data, "data")?;
    let instruction = cx.emit(form(row, 0)?, None, &[data], &[dst])?;
    let reduce = instruction.as_tensor_reduce()?;
    reduce.set_op(op)?;
    reduce.set_axis(AxisListType::C)?;
    reduce.set_negate(Maybe::Constant(false))?;
    Ok(())
}
