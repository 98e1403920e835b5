//! Branches between blocks.

use super::super::access::Operand;
use super::super::kernel::Lowering;
use super::super::number::i32_of;
use super::super::row::OperatorRow;
use super::super::stop::{Step, refuse_with};
use super::super::wording;
use super::form;
use super::values::mapped;
use crate::enums::bir::{BranchCompareOp, Dtype};
use crate::enums::klr::BrCmpOp;
use crate::ir::BasicBlock;
use crate::klr::ast;

/// The block of a label.
fn target<'m>(cx: &Lowering<'m, '_>, label: &str, field: &'static str) -> Step<&'m BasicBlock> {
    let index = cx.plan.as_ref().and_then(|plan| plan.find(label));
    match index.and_then(|index| cx.blocks.get(index).copied().flatten()) {
        Some(block) => Ok(block),
        None => refuse_with(&wording::UNKNOWN_LABEL, field, label),
    }
}

/// A register that was made before.
fn register<'m>(cx: &Lowering<'m, '_>, name: &str, field: &'static str) -> Step<Operand<'m>> {
    match cx.registers.get(name) {
        Some(register) => Ok(Operand::Register(register, Dtype::int32)),
        None => refuse_with(&wording::UNKNOWN_REGISTER, field, name),
    }
}

pub(super) fn branch<'k>(cx: &mut Lowering<'_, 'k>, row: &'static OperatorRow, r: &'k ast::CmpBranch<'k>) -> Step<()> {
    if r.op == BrCmpOp::always {
        // The other label is not used.
        let target = target(cx, r.true_label, "trueLabel")?;
        let instruction = cx.emit(form(row, 1)?, None, &[], &[])?;
        instruction.as_unconditional_branch()?.set_target(Some(target))?;
        return Ok(());
    }
    let Some(op) = mapped::<BranchCompareOp>("BrCmpOp to BranchCompareOp", r.op.ordinal().cast_unsigned()) else {
        return Err(no_comparison(r.op).into());
    };
    let first = register(cx, r.reg1, "reg1")?;
    let second = match r.op {
        BrCmpOp::lt_reg | BrCmpOp::le_reg | BrCmpOp::eq_reg | BrCmpOp::ne_reg | BrCmpOp::ge_reg | BrCmpOp::gt_reg => {
            register(cx, r.reg2, "reg2")?
        }
        _ => Operand::int(i32_of(r.imm, "imm")?),
    };
    let on_true = target(cx, r.true_label, "trueLabel")?;
    let on_false = target(cx, r.false_label, "falseLabel")?;
    let instruction = cx.emit(form(row, 0)?, None, &[first, second], &[])?;
    let branch = instruction.as_compare_and_branch()?;
    branch.set_comp_op(op)?;
    branch.set_on_true(Some(on_true))?;
    branch.set_on_false(Some(on_false))?;
    Ok(())
}

fn no_comparison(op: BrCmpOp) -> crate::Error {
    crate::Error::new(crate::ErrorCode::Internal, format_args!("no comparison for {}", op.name()))
}
