//! Registers: moves, arithmetic, loads and stores, ranks.

use super::super::access::Operand;
use super::super::kernel::Lowering;
use super::super::number::{i32_of, u32_of};
use super::super::row::OperatorRow;
use super::super::stop::Step;
use super::form;
use super::values::{alu as alu_of, rows};
use crate::enums::bir::Dtype;
use crate::klr::ast;
use crate::op::Maybe;

pub(super) fn load<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::TensorLoad<'k>) -> Step<()> {
    // The tensor first, so that a refused statement makes no register.
    let src = cx.read(&r.src, "src")?;
    let dst = Operand::Register(cx.register(r.dst)?, Dtype::int32);
    cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    Ok(())
}

pub(super) fn store<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::TensorStore<'k>) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let src = Operand::Register(cx.register(r.src)?, Dtype::int32);
    cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    Ok(())
}

pub(super) fn set<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::RegisterMove<'k>) -> Step<()> {
    let value = Operand::int(i32_of(r.imm, "imm")?);
    let dst = Operand::Register(cx.register(r.dst)?, Dtype::int32);
    cx.emit(form(row, 0)?, None, &[value], &[dst])?;
    Ok(())
}

pub(super) fn alu<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::RegisterAluOp<'k>) -> Step<()> {
    let op = alu_of(r.op, "op")?;
    let value = Operand::int(i32_of(r.imm, "imm")?);
    let dst = Operand::Register(cx.register(r.dst)?, Dtype::int32);
    let src = Operand::Register(cx.register(r.src)?, Dtype::int32);
    let instruction = cx.emit(form(row, 0)?, None, &[src, value], &[dst])?;
    instruction.as_register_alu()?.set_op(op)?;
    Ok(())
}

pub(super) fn rank<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::RankId<'k>) -> Step<()> {
    let dst = Operand::Register(cx.register(r.dst)?, Dtype::uint32);
    cx.emit(form(row, 0)?, None, &[], &[dst])?;
    Ok(())
}

pub(super) fn processing_rank<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::CurrentProcessingRankId<'k>,
) -> Step<()> {
    let iteration = u32_of(r.iteration_id, "iterationId")?;
    let channel = u32_of(r.channel_id, "channelId")?;
    let groups = rows(r.replica_group, "replicaGroup")?;
    let dst = Operand::Register(cx.register(r.dst)?, Dtype::uint32);
    let instruction = cx.emit(form(row, 0)?, None, &[], &[dst])?;
    let query = instruction.as_get_cur_processing_rank_id()?;
    query.set_iter_id(Maybe::Constant(iteration))?;
    query.set_channel_id(Maybe::Constant(channel))?;
    instruction.set("replica_groups", &groups)?;
    Ok(())
}
