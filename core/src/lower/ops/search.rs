//! The eight largest values: where they are, and their replacement.

use super::super::kernel::Lowering;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse};
use super::super::table::rule;
use super::form;
use crate::klr::ast;

pub(super) fn find_index<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::FindIndex8<'k>,
) -> Step<()> {
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let vals = cx.read(&r.vals, "vals")?;
    cx.emit(form(row, 0)?, None, &[vals, src], &[dst])?;
    Ok(())
}

pub(super) fn match_replace<'k>(
    cx: &mut Lowering<'_, 'k>,
    row: &'static OperatorRow,
    r: &'k ast::MatchReplace8<'k>,
) -> Step<()> {
    let value = match r.replace_value {
        ast::Immediate::Float(value) => value,
        ast::Immediate::Int(_) => return refuse(&rule::MATCH_REPLACE_FLOAT, "replaceValue"),
        ast::Immediate::Register(_) | ast::Immediate::Pointer => {
            return refuse(&rule::IMMEDIATE_KIND, "replaceValue");
        }
    };
    let dst = cx.read(&r.dst, "dst")?;
    let src = cx.read(&r.src, "src")?;
    let vals = cx.read(&r.vals, "vals")?;
    match r.dst_idx.as_ref().map(|index| cx.read(index, "dstIdx")).transpose()? {
        None => {
            let instruction = cx.emit(form(row, 0)?, None, &[vals, src], &[dst])?;
            instruction.as_match_replace()?.set_imm_value(value)?;
        }
        Some(index) => {
            let instruction = cx.emit(form(row, 1)?, None, &[vals, src], &[dst, index])?;
            instruction.as_max_index_and_match_replace()?.set_imm_value(value)?;
        }
    }
    Ok(())
}
