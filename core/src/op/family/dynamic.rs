//! Transfers whose addresses are known at run time only.
#![forbid(unsafe_code)]

use super::dma::is_family;
use crate::enums::bir::{AluOpType, ArgumentKind, InstructionType as Op};
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{Argument, ExprKind, ExprNode, Instruction, QuasiAffineExpr};
use crate::op::read;
use crate::{Error, Result};
use alloc::vec::Vec;
use hashbrown::HashSet;

/// Where the run-time part of an operand's address comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offset {
    /// There is none.
    Fixed,
    /// One offset.
    Scalar,
    /// An index vector.
    Vector,
}

fn push_all<'m>(pending: &mut Vec<&'m ExprNode>, mut nodes: impl Iterator<Item = &'m ExprNode>) -> Result<()> {
    nodes.try_for_each(|node| push(pending, node))
}

/// Whether an expression takes the value of an indirection operand. Nodes may be shared: each is visited once.
fn names_indirection(expr: QuasiAffineExpr<'_>) -> Result<bool> {
    let mut pending = Vec::new();
    let mut seen: HashSet<*const ExprNode, FixedState> = HashSet::with_hasher(fixed_state());
    push_all(&mut pending, expr.root().into_iter())?;
    while let Some(node) = pending.pop() {
        seen.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        if !seen.insert(core::ptr::from_ref(node)) {
            continue;
        }
        if node.kind() == Some(ExprKind::IndirectArgId) {
            return Ok(true);
        }
        push_all(&mut pending, node.operand().into_iter().chain(node.terms().map(|t| t.0)))?;
    }
    Ok(false)
}

fn offset(operand: &Argument) -> Result<Offset> {
    if operand.kind()? == ArgumentKind::RegisterAccessPattern {
        return Ok(Offset::Scalar);
    }
    if operand.tensor_indirection().is_some_and(|(arg, _)| arg >= 0) {
        return Ok(Offset::Vector);
    }
    let Some(dynamic) = operand.dynamic() else { return Ok(Offset::Fixed) };
    for (expr, _) in dynamic.terms() {
        if names_indirection(expr)? {
            return Ok(Offset::Vector);
        }
    }
    Ok(Offset::Scalar)
}

/// Whether `ins[0]` or `outs[0]` of a DMA has such an offset.
fn has(i: &Instruction, wanted: Offset) -> Result<bool> {
    if !is_family(i)? {
        return Ok(false);
    }
    for operand in i.ins().take(1).chain(i.outs().take(1)) {
        if offset(operand)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn is_scalar(i: &Instruction) -> Result<bool> {
    has(i, Offset::Scalar)
}

pub(super) fn is_vector(i: &Instruction) -> Result<bool> {
    has(i, Offset::Vector)
}

pub(super) fn is_dynamic(i: &Instruction) -> Result<bool> {
    Ok(is_scalar(i)? || is_vector(i)?)
}

pub(super) fn is_dst_reduce(i: &Instruction) -> Result<bool> {
    if i.opcode()? != Op::DMACopy || read::member(i, "cce_op")? == Some(AluOpType::bypass) {
        return Ok(false);
    }
    match i.outs().next() {
        Some(out) => Ok(offset(out)? == Offset::Vector),
        None => Ok(false),
    }
}
