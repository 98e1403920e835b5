//! Expressions: as trees. Which nodes are shared makes no difference, but a shared node is compared once.

use super::Difference;
use super::chain::{Axis, Chain};
use super::differ::{Check, Differ, NONE, Purpose, Segment, push};
use super::digest::NODES;
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
        match self.purpose {
            Purpose::First => self.graph(a, b),
            Purpose::Digest(_) => self.digest_node(a),
            Purpose::All(_) => {
                let before = self.found();
                self.graph(a, b)?;
                // Nodes on the way to a difference are seen but not equal: who meets them again is to find it again.
                if self.found() > before {
                    self.seen.clear();
                }
                Ok(())
            }
        }
    }

    /// The first nodes of an expression, as a tree.
    fn digest_node(&mut self, root: &'x ExprNode) -> Check {
        let mut pending = Vec::new();
        push(&mut pending, root)?;
        for _ in 0..NODES {
            let Some(node) = pending.pop() else { break };
            self.own_parts(node, node)?;
            if let Some(operand) = node.operand() {
                push(&mut pending, operand)?;
            }
            for (term, _) in node.terms().take(NODES) {
                push(&mut pending, term)?;
            }
        }
        Ok(())
    }

    fn graph(&mut self, a: &'x ExprNode, b: &'x ExprNode) -> Check {
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
            if !self.own_parts(a, b)? {
                continue;
            }
            let depth = self.depth();
            let known = pending.len();
            match (a.operand(), b.operand()) {
                (Some(a), Some(b)) => push(&mut pending, Pair { a, b, depth, key: "operand", index: None })?,
                (None, None) => {}
                (a, b) => self.report("operand", shown(a), shown(b))?,
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

    /// Whether the nodes have the same shape, so that what hangs on them can be compared.
    fn own_parts(&mut self, a: &'x ExprNode, b: &'x ExprNode) -> Result<bool, Difference> {
        if !self.feed(a.header.kind.get()) && a.header.kind.get() != b.header.kind.get() {
            self.report("kind", shown(Some(a)), shown(Some(b)))?;
            return Ok(false);
        }
        self.value("first", a.first(), b.first())?;
        self.value("second", a.second(), b.second())?;
        self.axis_ref("axis", a.axis().map(|x| Axis::new(self.a, x)), b.axis().map(|x| Axis::new(self.b, x)))?;
        let register = |scope, n: &'x ExprNode| n.register().map(|r| Chain::storage(scope, r.storage().base()));
        self.chains("register", register(self.a, a), register(self.b, b))?;
        self.value("n_terms", a.term_count(), b.term_count())?;
        if a.term_count() != b.term_count() {
            return Ok(false);
        }
        self.values("coeff", a.terms().map(|t| t.1), b.terms().map(|t| t.1))?;
        Ok(true)
    }

    /// Two references to loop axes.
    pub(super) fn axis_ref(&mut self, key: &'static str, a: Option<Axis<'x>>, b: Option<Axis<'x>>) -> Check {
        // The loop has no label when digests are made, and its axis may have another name.
        if self.feed(a.is_some()) {
            return Ok(());
        }
        match (a, b) {
            (Some(a), Some(b)) if self.is_same_axis(a, b) => Ok(()),
            (Some(a), Some(b)) => self.report(key, a, b),
            (Some(a), None) => self.report(key, a, NONE),
            (None, Some(b)) => self.report(key, NONE, b),
            (None, None) => Ok(()),
        }
    }

    /// Axes are the same if their loops are; without labels, or outside of all loops that have one, by name.
    fn is_same_axis(&self, a: Axis<'x>, b: Axis<'x>) -> bool {
        match (a.parent(), b.parent()) {
            (Some(x), Some(y)) if self.labels.is_some() => self.is_same(x, y),
            _ => a.equals(&b),
        }
    }

    /// Two expressions of objects `at` the left and the right side.
    pub(super) fn expr(&mut self, key: &'static str, a: QuasiAffineExpr<'x>, b: QuasiAffineExpr<'x>) -> Check {
        match (a.root(), b.root()) {
            (Some(a), Some(b)) if key.is_empty() => self.node(a, b),
            (Some(a), Some(b)) => self.at(key, |d| d.node(a, b)),
            (None, None) => {
                self.feed(false);
                Ok(())
            }
            (a, b) => self.report(key, shown(a), shown(b)),
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
            if !d.feed(x.op) && x.op != y.op {
                d.report("op", op(x.op), op(y.op))?;
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
