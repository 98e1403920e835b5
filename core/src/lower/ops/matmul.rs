//! Matrix multiplications.

use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse_with};
use super::super::table::rule;
use super::super::wording;
use super::form;
use super::values::{pair, perf_mode};
use crate::klr::ast;
use crate::op::Maybe;

/// The two numbers of a tile list.
fn tile(list: &[u64], field: &'static str) -> Step<[i32; 2]> {
    let [first, second] = list else { return refuse_with(&rule::MATMUL_TILE, field, list.len()) };
    let number = |n: u64| i32::try_from(n).or_else(|_| refuse_with(&wording::NUMBER_RANGE, field, n));
    Ok([number(*first)?, number(*second)?])
}

/// Two empty tile lists mean "no tile", unless the caller is strict: tracers write them so.
pub(super) fn matmul<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::NcMatMul<'k>) -> Step<()> {
    let untiled = r.tile_size.is_empty() && r.tile_position.is_empty() && !cx.options.strict;
    let tiles = if untiled {
        None
    } else {
        let position = tile(r.tile_position, "tilePosition")?;
        Some((tile(r.tile_size, "tileSize")?, position))
    };
    let dst = cx.read(&r.dst, "dst")?;
    let stationary = cx.read(&r.stationary, "stationary")?;
    let moving = cx.read(&r.moving, "moving")?;
    let instruction = cx.emit(form(row, 0)?, None, &[moving, stationary], &[dst])?;
    let matmul = instruction.as_matmult()?;
    matmul.set_is_transpose(Maybe::Constant(r.is_transpose))?;
    matmul.set_is_fmap_onezero(Maybe::Constant(r.is_moving_zero))?;
    matmul.set_is_weight_onezero(Maybe::Constant(r.is_stationary_one_zero))?;
    matmul.set_perf_mode(perf_mode(r.perf_mode))?;
    // The automatic marker: a later pass decides where an accumulation starts and goes on.
    matmul.set_accumulation_flag(Maybe::Constant(0))?;
    if let Some((size, position)) = tiles {
        instruction.set("tile_size", &pair(size)?)?;
        instruction.set("tile_position", &pair(position)?)?;
    }
    Ok(())
}

pub(super) fn matmul_mx<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::MatMulMX<'k>,
) -> Step<()> {
    let position = r.tile_position.map(|list| tile(list, "tilePosition")).transpose()?;
    let size = r.tile_size.map(|list| tile(list, "tileSize")).transpose()?;
    let dst = cx.read(&r.dst, "dst")?;
    let stationary = cx.read(&r.stationary, "stationary")?;
    let moving = cx.read(&r.moving, "moving")?;
    let stationary_scale = cx.read(&r.stationary_scale, "stationaryScale")?;
    let moving_scale = cx.read(&r.moving_scale, "movingScale")?;
    let ins = [moving, stationary, moving_scale, stationary_scale];
    let instruction = cx.emit(form(row, 0)?, None, &ins, &[dst])?;
    if let Some(size) = size {
        instruction.set("tile_size", &pair(size)?)?;
    }
    if let Some(position) = position {
        instruction.set("tile_position", &pair(position)?)?;
    }
    Ok(())
}
