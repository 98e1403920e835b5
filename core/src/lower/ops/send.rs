//! Exchange between the cores of one kernel.

use super::super::kernel::Lowering;
use super::super::number::{i32_of, u32_of};
use super::super::row::{OperatorRow, Rule};
use super::super::stop::{Step, refuse, refuse_with};
use super::super::table::rule;
use super::form;
use super::values::list;
use crate::enums::bir::CollectiveKind;
use crate::ir::QuasiAffineExpr;
use crate::klr::ast;
use crate::op::{Maybe, Value};

/// An integer, or the rule's error.
fn integer(immediate: ast::Immediate, rule: &'static Rule, field: &'static str) -> Step<i64> {
    match immediate {
        ast::Immediate::Int(value) => Ok(value),
        _ => refuse(rule, field),
    }
}

pub(super) fn send_recv<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::SendRecv<'k>,
) -> Step<()> {
    let send_to = integer(r.send_to_rank, &rule::SR_SEND_INT, "sendToRank")?;
    let recv_from = integer(r.recv_from_rank, &rule::SR_RECV_INT, "recvFromRank")?;
    let pipe = integer(r.pipe_id, &rule::SR_PIPE_INT, "pipeId")?;
    let Some(core) = cx.options.core_id else { return refuse(&rule::SR_CORE, "recvFromRank") };
    if recv_from == i64::from(core) {
        return refuse_with(&rule::SR_SELF_RECV, "recvFromRank", core);
    }
    if send_to == i64::from(core) {
        return refuse_with(&rule::SR_SELF_SEND, "sendToRank", core);
    }
    let send_to = i32_of(send_to, "sendToRank")?;
    let recv_from = i32_of(recv_from, "recvFromRank")?;
    let pipe = u32_of(pipe, "pipeId")?;
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let send_to = number(cx, send_to)?;
    let recv_from = number(cx, recv_from)?;
    let instruction = cx.emit(form(row, 0)?, None, &[src], &[dst])?;
    let collective = instruction.as_collective_compute()?;
    collective.set_kind(CollectiveKind::SendRecv)?;
    collective.set_is_local(Maybe::Constant(true))?;
    collective.set_pipe_id(pipe)?;
    instruction.set("recv_from_rank", &list(core::iter::once(Value::Expr(recv_from)))?)?;
    collective.set_send_to_rank(send_to)?;
    collective.set_initial_corebarrier(Maybe::Constant(true))?;
    collective.set_use_gpsimd_dma(false)?;
    collective.set_stream_id(Maybe::Constant(-1))?;
    Ok(())
}

/// A number as expression.
fn number<'m>(cx: &Lowering<'m, '_>, value: i32) -> crate::Result<QuasiAffineExpr<'m>> {
    cx.module.expression(cx.module.affine(&[], value.into())?)
}
