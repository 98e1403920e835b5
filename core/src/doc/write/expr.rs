//! Affine expressions in the form of version 2, and predicates.
#![forbid(unsafe_code)]

use super::Writer;
use crate::doc::output::Output;
use crate::ir::{AffinePredicate, ExprKind, ExprNode, Instruction, LoopAxis, QuasiAffineExpr};
use crate::{Error, ErrorCode, Result};

/// Deepest expression that is written; a reader does not take deeper ones.
const MAX_DEPTH: u32 = 128;

/// A document names axes, and a reader takes the nearest one of that name: any other cannot be written.
pub(super) fn in_scope(scope: &Instruction, axis: &LoopAxis) -> Result<()> {
    let name = axis.name();
    match scope.find_axis_outward(&name) {
        Some(found) if core::ptr::eq(found, axis) => Ok(()),
        found => {
            let what = if found.is_some() { "another axis of that name" } else { "none" };
            Err(Error::new(ErrorCode::CorruptIr, "corrupt IR: the axis of a loop that is not around the instruction")
                .expected_found(format_args!("the loop of axis `{name}`"), what))
        }
    }
}

impl<'m, O: Output> Writer<'_, 'm, O> {
    pub(super) fn expression(&mut self, expr: QuasiAffineExpr<'m>) -> Result<()> {
        match expr.root() {
            Some(root) => self.node(root, 0),
            None => self.out.null(),
        }
    }

    pub(super) fn node(&mut self, node: &'m ExprNode, depth: u32) -> Result<()> {
        let Some(kind) = node.kind() else {
            return Err(Error::new(ErrorCode::CorruptIr, "corrupt IR: unknown expression kind"));
        };
        if depth > MAX_DEPTH {
            return Err(Error::new(ErrorCode::LimitExceeded, format_args!("an expression is deeper than {MAX_DEPTH}")));
        }
        let operand = |n: &'m ExprNode| {
            n.operand().ok_or_else(|| Error::new(ErrorCode::CorruptIr, "corrupt IR: an expression without operand"))
        };
        self.out.begin_object()?;
        match kind {
            ExprKind::AffExprKind => {
                self.number("c", node.first())?;
                self.word("kind", kind.name())?;
                self.out.schema_key("terms")?;
                self.out.begin_array()?;
                for (term, coeff) in node.terms() {
                    self.out.begin_object()?;
                    self.number("coeff", coeff)?;
                    self.out.schema_key("idx")?;
                    self.node(term, depth + 1)?;
                    self.out.end_object()?;
                }
                self.out.end_array()?;
            }
            ExprKind::AffIVKind => {
                let axis = node.axis();
                if let (Some(axis), Some(scope)) = (axis, self.scope) {
                    in_scope(scope, axis)?;
                }
                self.text("axis", &axis.map(|a| a.name()).unwrap_or(crate::mem::Str::EMPTY))?;
                self.word("kind", kind.name())?;
            }
            ExprKind::ShardIDKind => {
                self.word("kind", kind.name())?;
                self.number("ub", node.first())?;
            }
            ExprKind::IntRuntimeValueKind => {
                self.word("kind", kind.name())?;
                let register = node.register().map(|r| r.name()).unwrap_or(crate::mem::Str::EMPTY);
                self.text("regref", &register)?;
            }
            ExprKind::SumKind => {
                self.word("kind", kind.name())?;
                self.unsigned("n_terms", node.term_count() as u64)?;
                self.out.schema_key("terms")?;
                self.out.begin_array()?;
                for (term, _) in node.terms() {
                    self.node(term, depth + 1)?;
                }
                self.out.end_array()?;
            }
            ExprKind::MultKind => {
                self.word("kind", kind.name())?;
                self.number("scale", node.first())?;
                self.out.schema_key("var")?;
                self.node(operand(node)?, depth + 1)?;
            }
            ExprKind::FloorDivKind | ExprKind::ModuloKind | ExprKind::CCDivKind => {
                self.number("denom", node.first())?;
                self.word("kind", kind.name())?;
                self.out.schema_key("numer")?;
                self.node(operand(node)?, depth + 1)?;
                if kind == ExprKind::CCDivKind {
                    self.number("replica_groups_id", node.second())?;
                }
            }
            ExprKind::CCGetRankKind => {
                self.number("channel_id", node.second())?;
                self.number("iteration_id", node.first())?;
                self.word("kind", kind.name())?;
            }
            ExprKind::IndirectArgId => {
                self.number("arg_id", node.first())?;
                self.word("kind", kind.name())?;
            }
        }
        self.out.end_object()
    }

    pub(super) fn predicate(&mut self, predicate: AffinePredicate<'m>) -> Result<()> {
        self.out.begin_object()?;
        self.out.schema_key("expr")?;
        self.expression(predicate.expr)?;
        self.text("op", if predicate.op == 0 { "ge" } else { "eq" })?;
        self.out.end_object()
    }
}
