//! Transposes on chip: streamed for float32, through the PE against an identity matrix for all others.

use super::super::access::Access;
use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse, refuse_with};
use super::super::table::rule;
use super::form;
use crate::enums::bir::Dtype;
use crate::enums::klr::Engine;
use crate::klr::ast;
use crate::op::Maybe;

/// The largest extent of a streamed transpose.
const STREAM_EXTENT: i64 = 32;

pub(super) fn transpose<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::Transpose<'k>,
) -> Step<()> {
    if r.engine == Engine::pe {
        return refuse(&rule::PE_TRANSPOSE, "engine");
    }
    let dst = cx.access(&r.dst, "dst")?;
    let src = cx.access(&r.src, "src")?;
    // The type of the tensor, not of the access.
    let dtype = match dst.location.set() {
        Some(set) => set.dtype()?,
        None => dst.dtype,
    };
    if dtype == Dtype::float32 {
        check_size(&dst, "dst")?;
        check_size(&src, "src")?;
        cx.emit(form(row, 0)?, None, &[src.into()], &[dst.into()])?;
        return Ok(());
    }
    let identity = cx.identity(dtype)?;
    let instruction = cx.emit(form(row, 1)?, None, &[src.into(), identity], &[dst.into()])?;
    let matmul = instruction.as_matmult()?;
    matmul.set_is_transpose(Maybe::Constant(true))?;
    matmul.set_accumulation_flag(Maybe::Constant(0))?;
    Ok(())
}

/// At most 32 partitions of 32 elements.
fn check_size(access: &Access<'_>, field: &'static str) -> Step<()> {
    let rows = access.pattern.first().num;
    let columns = access.pattern.elements_per_partition().unwrap_or(i64::MAX);
    if rows > STREAM_EXTENT || columns > STREAM_EXTENT {
        return refuse_with(&rule::STREAM_TRANSPOSE_SIZE, field, format_args!("({rows}, {columns})"));
    }
    Ok(())
}
