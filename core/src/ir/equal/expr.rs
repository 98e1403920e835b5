//! Expressions: as trees. Which nodes are shared makes no difference, but a shared node is compared once.

use super::chain::{Axis, Chain};
use super::differ::{Check, Differ, NONE, Segment, push};
use crate::ir::expr::{AffinePredicate, QuasiAffineExpr};
use crate::ir::raw::ExprNode;
use alloc::vec::Vec;

/// A pair of nodes to compare, and where: below the path's first `depth` segments.
struct Pair<'x> {
    a: &'x ExprNode,
    b: &'x ExprNode,
    depth: usize,
    key: &'static str,
    index: Option<usize>,
}

impl<'x> Differ<'x> {
    /// Two nodes, at the path where the comparison is. Depth costs no stack.
    pub(super) fn node(&mut self, a: &'x ExprNode, b: &'x ExprNode) -> Check {
        let start = self.depth();
        let mut pending = Vec::new();
        push(&mut pending, Pair { a, b, depth: start, key: "", index: None })?;
        while let Some(Pair { a, b, depth, key, index }) = pending.pop() {
            self.back(depth);
            let pair = (core::ptr::from_ref(a).addr(), core::ptr::from_ref(b).addr());
            // Without memory a pair may be compared again, which costs time only.
            if self.seen.contains(&pair) || (self.seen.try_reserve(1).is_ok() && !self.seen.insert(pair)) {
                continue;
            }
            if !key.is_empty() {
                self.enter(Segment::Key(key))?;
            }
            if let Some(index) = index {
                self.enter(Segment::Index(index))?;
            }
            self.own_parts(a, b)?;
            let depth = self.depth();
            let known = pending.len();
            match (a.operand(), b.operand()) {
                (Some(a), Some(b)) => push(&mut pending, Pair { a, b, depth, key: "operand", index: None })?,
                (None, None) => {}
                (a, b) => return Err(self.report("operand", shown(a), shown(b))),
            }
            for (index, ((a, _), (b, _))) in a.terms().zip(b.terms()).enumerate() {
                push(&mut pending, Pair { a, b, depth, key: "terms", index: Some(index) })?;
            }
            if let Some(new) = pending.get_mut(known..) {
                new.reverse();
            }
        }
        self.back(start);
        Ok(())
    }

    fn own_parts(&mut self, a: &'x ExprNode, b: &'x ExprNode) -> Check {
        if a.header.kind.get() != b.header.kind.get() {
            return Err(self.report("kind", shown(Some(a)), shown(Some(b))));
        }
        self.value("first", a.first(), b.first())?;
        self.value("second", a.second(), b.second())?;
        self.axis_ref("axis", a.axis().map(|x| Axis::new(self.a, x)), b.axis().map(|x| Axis::new(self.b, x)))?;
        let register = |scope, n: &'x ExprNode| n.register().map(|r| Chain::storage(scope, r.storage().base()));
        self.chains("register", register(self.a, a), register(self.b, b))?;
        self.value("n_terms", a.term_count(), b.term_count())?;
        self.values("coeff", a.terms().map(|t| t.1), b.terms().map(|t| t.1))
    }

    /// Two references to loop axes.
    pub(super) fn axis_ref(&self, key: &'static str, a: Option<Axis<'x>>, b: Option<Axis<'x>>) -> Check {
        match (a, b) {
            (Some(a), Some(b)) if a.equals(&b) => Ok(()),
            (Some(a), Some(b)) => Err(self.report(key, a, b)),
            (Some(a), None) => Err(self.report(key, a, NONE)),
            (None, Some(b)) => Err(self.report(key, NONE, b)),
            (None, None) => Ok(()),
        }
    }

    /// Two expressions of objects `at` the left and the right side.
    pub(super) fn expr(&mut self, key: &'static str, a: QuasiAffineExpr<'x>, b: QuasiAffineExpr<'x>) -> Check {
        match (a.root(), b.root()) {
            (Some(a), Some(b)) if key.is_empty() => self.node(a, b),
            (Some(a), Some(b)) => self.at(key, |d| d.node(a, b)),
            (None, None) => Ok(()),
            (a, b) => Err(self.report(key, shown(a), shown(b))),
        }
    }

    pub(super) fn exprs(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = QuasiAffineExpr<'x>>,
        b: impl Iterator<Item = QuasiAffineExpr<'x>>,
    ) -> Check {
        let show = |e: &QuasiAffineExpr<'_>| crate::error::text(if e.is_none() { NONE } else { "an expression" });
        self.list(key, a, b, show, |d, x, y| d.expr("", x, y))
    }

    pub(super) fn predicates(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = AffinePredicate<'x>>,
        b: impl Iterator<Item = AffinePredicate<'x>>,
    ) -> Check {
        let show = |p: &AffinePredicate<'_>| crate::error::text(op(p.op));
        self.list(key, a, b, show, |d, x, y| {
            if x.op != y.op {
                return Err(d.report("op", op(x.op), op(y.op)));
            }
            d.expr("expr", x.expr, y.expr)
        })
    }
}

/// The name of a predicate's comparison.
fn op(op: u32) -> &'static str {
    match op {
        0 => "ge",
        1 => "eq",
        _ => "unknown",
    }
}

/// A node's kind, for messages.
pub(super) fn shown(node: Option<&ExprNode>) -> &'static str {
    match node {
        None => NONE,
        Some(node) => node.kind().map_or("unknown", crate::ir::ExprKind::name),
    }
}
