//! Expressions of a clone: nodes over other axes and registers. A node that several expressions share stays shared.

use super::cloner::{Cloner, not_made};
use crate::ir::expr::{AffinePredicate, QuasiAffineExpr, Term, node_like};
use crate::ir::raw::{ExprNode, LoopAxis, Ptr, Register};
use crate::{Error, Result};
use alloc::vec::Vec;

/// Collects fallible conversions with fallible allocation.
pub(super) fn try_collect<T>(items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    for item in items {
        list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        list.push(item?);
    }
    Ok(list)
}

fn children(node: &ExprNode) -> impl Iterator<Item = &ExprNode> {
    node.operand().into_iter().chain(node.terms().map(|t| t.0))
}

impl<'s, 't> Cloner<'s, 't> {
    /// The clone of a node. Depth costs no stack.
    pub(super) fn node(&mut self, root: &'s ExprNode) -> Result<&'t ExprNode> {
        let mut pending: Vec<&'s ExprNode> = Vec::new();
        let mut next = Some(root);
        while let Some(node) = next {
            if self.nodes.get(node).is_none() {
                let known = pending.len();
                pending.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                pending.push(node);
                for child in children(node).filter(|c| self.nodes.get(c).is_none()) {
                    pending.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                    pending.push(child);
                }
                if pending.len() == known + 1 {
                    pending.pop();
                    let clone = self.node_over_clones(node)?;
                    self.nodes.insert(node, clone)?;
                }
            }
            next = pending.pop();
        }
        self.nodes.get(root).ok_or_else(|| not_made("expression", ""))
    }

    /// The clone of a node whose operands were cloned.
    fn node_over_clones(&self, node: &'s ExprNode) -> Result<&'t ExprNode> {
        let clone_of = |child: &ExprNode| self.nodes.get(child).ok_or_else(|| not_made("expression", ""));
        let operand = node.operand().map(clone_of).transpose()?;
        let axis = node.axis().map(|a| self.axis(a)).transpose()?;
        let register = node.register().map(|r| self.register(r)).transpose()?;
        let terms: Vec<Term<'t>> = try_collect(node.terms().map(|(n, c)| Ok((clone_of(n)?, c))))?;
        if self.same_module && is_over(node, operand, axis, register, &terms) {
            // Nodes never change, so this one serves the clone as well.
            if let Some(kept) = Ptr::to(node).get(self.to) {
                return Ok(kept);
            }
        }
        node_like(self.state, node, operand, axis, register, &terms)
    }

    /// The clone of an expression of the source.
    pub(super) fn expr(&mut self, expr: QuasiAffineExpr<'s>) -> Result<QuasiAffineExpr<'t>> {
        match expr.root() {
            Some(root) => {
                let clone = self.node(root)?;
                self.to.expression(clone)
            }
            None => Ok(QuasiAffineExpr::NONE),
        }
    }

    pub(super) fn exprs(
        &mut self,
        exprs: impl Iterator<Item = QuasiAffineExpr<'s>>,
    ) -> Result<Vec<QuasiAffineExpr<'t>>> {
        try_collect(exprs.map(|e| self.expr(e)))
    }

    pub(super) fn predicates(
        &mut self,
        predicates: impl Iterator<Item = AffinePredicate<'s>>,
    ) -> Result<Vec<AffinePredicate<'t>>> {
        try_collect(predicates.map(|p| Ok(AffinePredicate { expr: self.expr(p.expr)?, op: p.op })))
    }
}

/// Whether a node already stands over exactly these objects.
fn is_over(
    node: &ExprNode,
    operand: Option<&ExprNode>,
    axis: Option<&LoopAxis>,
    register: Option<&Register>,
    terms: &[Term<'_>],
) -> bool {
    node.operand.ptr() == Ptr::to_option(operand)
        && node.axis.ptr() == Ptr::to_option(axis)
        && node.register.ptr() == Ptr::to_option(register)
        && node.terms().zip(terms).all(|(a, b)| Ptr::to(a.0) == Ptr::to(b.0))
}
