//! Random numbers.

use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::Step;
use super::form;
use crate::enums::bir::MemsetMode;
use crate::klr::ast;
use crate::op::Maybe;

/// A Memset, never the opcode Rng; the engine decides which generator runs.
pub(super) fn rng<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::Rng<'k>) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let instruction = cx.emit(form(row, 0)?, Some(r.engine), &[], &[dst])?;
    let memset = instruction.as_memset()?;
    memset.set_mode(MemsetMode::Random)?;
    memset.set_constant(Maybe::Constant(0))?;
    Ok(())
}

pub(super) fn rand2<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::Rand2<'k>) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let min = cx.operand(&r.min, "min")?;
    let max = cx.operand(&r.max, "max")?;
    cx.emit(form(row, 0)?, None, &[min, max], &[dst])?;
    Ok(())
}

pub(super) fn get_state<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::RandGetState<'k>,
) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    cx.emit(form(row, 0)?, Some(r.engine), &[], &[dst])?;
    Ok(())
}

pub(super) fn set_seed<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::SetRngSeed<'k>,
) -> Step<()> {
    let src = cx.read(&r.src, "src")?;
    cx.emit(form(row, 0)?, None, &[src], &[])?;
    Ok(())
}

pub(super) fn set_state<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::RandSetState<'k>,
) -> Step<()> {
    let src = cx.read(&r.src, "src")?;
    cx.emit(form(row, 0)?, Some(r.engine), &[src], &[])?;
    Ok(())
}
