//! Copies between tensors on chip, with one side possibly chosen at run time.

use super::super::access::dynamic_pattern;
use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Field, Step, refuse, refuse_with};
use super::super::table::rule;
use super::super::wording;
use super::form;
use crate::klr::ast;
use crate::op::Maybe;

pub(super) fn copy<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::NcCopy<'k>) -> Step<()> {
    let (pattern, field, index) = match (dynamic_pattern(&r.src), dynamic_pattern(&r.dst)) {
        (Some(_), Some(_)) => return refuse(&rule::COPY_BOTH_DYNAMIC, Field::NONE),
        (None, None) => {
            let dst = cx.read(&r.dst, "dst")?;
            let src = cx.read(&r.src, "src")?;
            cx.emit(form(row, 0)?, Some(r.engine), &[src], &[dst])?;
            return Ok(());
        }
        (Some(src), None) => (src, Field::from("src"), 1),
        (None, Some(dst)) => (dst, Field::from("dst"), 2),
    };
    let Some(scalar) = &pattern.scalar_offset else { return refuse(&rule::COPY_NO_SCALAR, field) };
    if pattern.vector_offset.is_some() {
        return refuse(&rule::COPY_VECTOR, field.part("vectorOffset"));
    }
    let stride = cx.indirect_stride(pattern, field)?;
    let Ok(scale) = u32::try_from(stride) else {
        return refuse_with(&wording::NUMBER_RANGE, field.part("indirectDim"), stride);
    };
    // In the order of the record: dst, src.
    let (dst, src, offset) = if index == 1 {
        let dst = cx.read(&r.dst, "dst")?;
        let src = cx.static_part(pattern, field)?.1.into();
        (dst, src, cx.scalar(scalar, field)?.operand())
    } else {
        let dst = cx.static_part(pattern, field)?.1.into();
        let offset = cx.scalar(scalar, field)?.operand();
        (dst, cx.read(&r.src, "src")?, offset)
    };
    let instruction = cx.emit(form(row, index)?, Some(r.engine), &[src, offset], &[dst])?;
    match index {
        1 => instruction.as_tensor_copy_dynamic_src()?.set_scale(Maybe::Constant(scale))?,
        _ => instruction.as_tensor_copy_dynamic_dst()?.set_scale(Maybe::Constant(scale))?,
    }
    Ok(())
}
