//! Gathers by an index tensor.

use super::super::access::Access;
use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse, refuse_with};
use super::super::table::rule;
use super::super::wording;
use super::form;
use crate::error::text;
use crate::klr::ast;
use crate::op::Maybe;

/// So many partitions share one list of indices.
const SHARING_PARTITIONS: i64 = 16;

pub(super) fn local_gather<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::NcLocalGather<'k>,
) -> Step<()> {
    let given = match r.num_valid_indicies {
        None => None,
        Some(ast::Immediate::Int(count)) => Some(count),
        Some(_) => return refuse(&rule::GATHER_COUNT, "numValidIndicies"),
    };
    let elements_per_index = match r.num_elem_per_idx {
        ast::Immediate::Int(count) => count,
        ast::Immediate::Float(count) => count as i64,
        ast::Immediate::Register(_) | ast::Immediate::Pointer => {
            return refuse(&rule::IMMEDIATE_KIND, "numElemPerIdx");
        }
    };
    let dst = cx.access(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let index = cx.access(&r.index, "index")?;
    let all = index.pattern.elements_per_partition().and_then(|columns| columns.checked_mul(SHARING_PARTITIONS));
    let all = all.unwrap_or(i64::MAX);
    let count = given.unwrap_or(all);
    let Ok(valid) = u16::try_from(count) else {
        return refuse_with(&wording::NUMBER_RANGE, "numValidIndicies", count);
    };
    check(cx, &dst, count, all, elements_per_index)?;
    let instruction = cx.emit(form(row, 0)?, None, &[src, index.into()], &[dst.into()])?;
    instruction.as_indirect_copy()?.set_num_valid_indices(Maybe::Constant(valid))?;
    Ok(())
}

/// The indices must exist, and their elements fill a partition of dst. Reported, not refused.
fn check(cx: &mut Lowering<'_, '_>, dst: &Access<'_>, count: i64, all: i64, per_index: i64) -> Step<()> {
    if count > all {
        let found = text(format_args!("{count} valid indices of {all}"));
        cx.warn(&rule::GATHER_GEOMETRY, "numValidIndicies".into(), found)?;
    } else if count.checked_mul(per_index) != dst.pattern.elements_per_partition() {
        let elements = dst.pattern.elements_per_partition().unwrap_or(i64::MAX);
        let found = text(format_args!(
            "{count} indices of {per_index} elements each, and {elements} elements per partition in dst"
        ));
        cx.warn(&rule::GATHER_GEOMETRY, "dst".into(), found)?;
    }
    Ok(())
}

pub(super) fn gather<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::NcNGather<'k>) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let data = cx.read(&r.data, "data")?;
    let indices = cx.read(&r.indices, "indices")?;
    cx.emit(form(row, 0)?, None, &[data, indices], &[dst])?;
    Ok(())
}
