//! Activation functions, the reciprocal's neighbour `exponential` included.

use super::super::access::Operand;
use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse};
use super::super::table::rule;
use super::form;
use super::values::{accum, alu, func};
use crate::enums::bir::{EngineType, InstructionType};
use crate::enums::klr::AluOp;
use crate::ir::OperandList;
use crate::klr::ast;
use crate::op::Maybe;

/// Always four inputs: source, bias, scale, 0.0. A missing bias is the zero bias of the kernel.
pub(super) fn activate<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NcActivate<'k>,
) -> Step<()> {
    let scale = match r.scale {
        ast::Operand::Imm(ast::Immediate::Float(scale)) => Some(scale),
        ast::Operand::Imm(ast::Immediate::Int(_)) => return refuse(&rule::ACTIVATION_SCALE_INT, "scale"),
        ast::Operand::Imm(ast::Immediate::Register(_) | ast::Immediate::Pointer) => {
            return refuse(&rule::IMMEDIATE_KIND, "scale");
        }
        ast::Operand::Tile(_) => None,
    };
    if r.reduce_op.is_some_and(|op| op != AluOp::add) {
        return refuse(&rule::ACTIVATION_REDUCE_OP, "reduceOp");
    }
    let acc = accum(r.accumulator_cmd, "accumulatorCmd")?;

    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let scale_operand = cx.operand(&r.scale, "scale")?;
    let bias = r.bias.as_ref().map(|bias| cx.read(bias, "bias")).transpose()?;
    let drain = r.reduce_res.as_ref().map(|drain| cx.read(drain, "reduceRes")).transpose()?;
    let bias = match bias {
        Some(bias) => bias,
        None => cx.zero_bias()?,
    };

    let (outs, count) = with_optional(dst, drain);
    let ins = [src, bias, scale_operand, Operand::float(0.0)];
    let instruction = cx.emit(form(row, 0)?, None, &ins, outs.get(..count).unwrap_or_default())?;
    let activation = instruction.as_activation()?;
    activation.set_func(func(r.activation_func))?;
    activation.set_acc(acc)?;
    activation.set_scale(scale.unwrap_or(1.0))?;
    activation.set_alpha(0.0)?;
    Ok(())
}

/// One output, or two.
pub(super) fn with_optional<'m>(first: Operand<'m>, second: Option<Operand<'m>>) -> ([Operand<'m>; 2], usize) {
    ([first, second.unwrap_or(first)], if second.is_some() { 2 } else { 1 })
}

pub(super) fn activate2<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::Activate2<'k>,
) -> Step<()> {
    let (op0, op1) = (alu(r.op0, "op0")?, alu(r.op1, "op1")?);
    let reduce_op = alu(r.reduce_op, "reduceOp")?;
    let acc = accum(r.reduce_cmd, "reduceCmd")?;

    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let imm0 = cx.operand(&r.imm0, "imm0")?;
    let imm1 = cx.operand(&r.imm1, "imm1")?;
    let relu = cx.operand(&r.relu_param, "reluParam")?;
    let drain = r.reduce_res.as_ref().map(|drain| cx.read(drain, "reduceRes")).transpose()?;

    let (outs, count) = with_optional(dst, drain);
    let outs = outs.get(..count).unwrap_or_default();
    let instruction = cx.emit(form(row, 0)?, None, &[src, imm0, imm1, relu], outs)?;
    let activation = instruction.as_activation()?;
    activation.set_is_activate2(Maybe::Constant(true))?;
    activation.set_func(func(r.activation_func))?;
    activation.set_op0(op0)?;
    activation.set_op1(op1)?;
    activation.set_reduce_op(reduce_op)?;
    activation.set_acc(acc)?;
    activation.set_reverse0(Maybe::Constant(r.reverse0))?;
    activation.set_reverse1(Maybe::Constant(r.reverse1))?;
    Ok(())
}

/// A drain of the accumulator is an instruction of its own behind it.
pub(super) fn exponential<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::Exponential<'k>,
) -> Step<()> {
    let command = accum(r.reducecmd, "reducecmd")?;
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let max = cx.operand(&r.max_value, "maxValue")?;
    let drain = r.reduce_res.as_ref().map(|drain| cx.read(drain, "reduceRes")).transpose()?;
    let init = cx.operand(&r.reduce_init, "reduceInit")?;

    let instruction = cx.emit(form(row, 0)?, None, &[src, max, init], &[dst])?;
    instruction.as_exponential()?.set_reduce_cmd(command)?;
    if let Some(drain) = drain {
        let opcode = InstructionType::DveReadAccumulator;
        let reader = cx.make_instruction(opcode, "DveReadAccumulator-", EngineType::DVE)?;
        drain.add_to(reader, OperandList::Outs)?;
        reader.as_dve_read_accumulator()?.set_negated(Maybe::Constant(0))?;
    }
    Ok(())
}
