//! Expressions as formulas: `512*i + 3`, `(i + %r) mod 64`.
//!
//! Nodes may be shared, so a small expression can have more paths than anyone could print: depth and number of nodes are
//! limited, and what is beyond shows as `...`.
#![forbid(unsafe_code)]

use super::name::is_variable;
use super::printer::Printer;
use super::style::{Output, Style};
use crate::Result;
use crate::ir::{AffinePredicate, ExprKind, ExprNode, LoopAxis, QuasiAffineExpr};

/// Deepest node that is shown; a document cannot have deeper ones.
const MAX_DEPTH: u32 = 128;
/// Most nodes of one expression that are shown.
const MAX_NODES: u32 = 10_000;

/// How tightly a formula binds; one that binds less than its place asks for stands in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// `a + b`.
    Sum,
    /// `a*b`, `a mod b`.
    Product,
    /// A name, a number, a call.
    Atom,
}

/// Where in a formula one is.
#[derive(Clone, Copy)]
struct At {
    depth: u32,
    place: Binding,
}

impl At {
    fn below(self, place: Binding) -> At {
        At { depth: self.depth + 1, place }
    }
}

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    /// An expression; `none` if there is none.
    pub(super) fn expr(&mut self, expr: QuasiAffineExpr<'_>, place: Binding) -> Result<()> {
        match expr.root() {
            Some(root) => self.formula(root, place),
            None => self.none(),
        }
    }

    pub(super) fn formula(&mut self, root: &ExprNode, place: Binding) -> Result<()> {
        self.node(root, At { depth: 0, place }, &mut MAX_NODES.clone())
    }

    /// `512*i >= 0`.
    pub(super) fn predicate(&mut self, predicate: AffinePredicate<'_>) -> Result<()> {
        self.expr(predicate.expr, Binding::Sum)?;
        match predicate.op {
            0 => self.plain(" >= ")?,
            1 => self.plain(" == ")?,
            other => self.formatted(Style::Fault, format_args!(" ?{other} "))?,
        }
        self.put(Style::Number, "0")
    }

    /// `(i in 0..8 step 2)`.
    pub(super) fn axis(&mut self, axis: &LoopAxis) -> Result<()> {
        self.plain("(")?;
        self.axis_name(axis)?;
        self.put(Style::Keyword, " in ")?;
        match axis.as_dynamic() {
            Some(dynamic) => {
                self.expr(dynamic.lb(), Binding::Atom)?;
                self.plain("..")?;
                self.expr(dynamic.ub(), Binding::Atom)?;
                self.put(Style::Keyword, " step ")?;
                self.expr(dynamic.stride(), Binding::Atom)?;
            }
            None => {
                self.signed(axis.lb().into())?;
                self.plain("..")?;
                self.signed(axis.ub())?;
                if axis.stride() != 1 || self.all {
                    self.put(Style::Keyword, " step ")?;
                    self.signed(axis.stride())?;
                }
            }
        }
        self.plain(")")
    }

    pub(super) fn axis_name(&mut self, axis: &LoopAxis) -> Result<()> {
        let name = axis.name();
        if is_variable(&name) { self.put(Style::Reference, &name) } else { self.quoted(Style::Reference, &name) }
    }

    fn node(&mut self, node: &ExprNode, at: At, left: &mut u32) -> Result<()> {
        let Some(rest) = left.checked_sub(1).filter(|_| at.depth <= MAX_DEPTH) else {
            return self.put(Style::Fault, "...");
        };
        *left = rest;
        let Some(kind) = node.kind() else {
            return self.formatted(Style::Fault, format_args!("?{}", node.header.kind.get()));
        };
        match kind {
            ExprKind::AffExprKind => self.affine(node, at, left),
            ExprKind::SumKind => self.sum(node, at, left),
            ExprKind::AffIVKind => match node.axis() {
                Some(axis) => self.axis_name(axis),
                None => self.put(Style::Fault, "?axis"),
            },
            ExprKind::IntRuntimeValueKind => match node.register() {
                Some(register) => self.register_ref(register),
                None => self.put(Style::Fault, "?register"),
            },
            ExprKind::MultKind => {
                let wrapped = self.open("mult", Binding::Product, at)?;
                self.inner(node, at, left)?;
                self.plain("*")?;
                if node.first() < 0 {
                    self.plain("(")?;
                    self.signed(node.first())?;
                    self.plain(")")?;
                } else {
                    self.signed(node.first())?;
                }
                self.close(wrapped)
            }
            ExprKind::FloorDivKind | ExprKind::ModuloKind => {
                let parenthesis = at.place > Binding::Product;
                if parenthesis {
                    self.plain("(")?;
                }
                self.inner(node, at, left)?;
                self.put(Style::Keyword, if kind == ExprKind::ModuloKind { " mod " } else { " floordiv " })?;
                self.signed(node.first())?;
                self.close(parenthesis)
            }
            ExprKind::CCDivKind => {
                self.put(Style::Keyword, "ccdiv")?;
                self.plain("(")?;
                self.operand_of(node, at.below(Binding::Sum), left)?;
                self.plain(", ")?;
                self.signed(node.first())?;
                self.plain(",")?;
                self.key("replica_groups_id")?;
                self.signed(node.second())?;
                self.plain(")")
            }
            ExprKind::ShardIDKind => self.call("shard_id", &[("ub", node.first())]),
            ExprKind::CCGetRankKind => {
                self.call("cc_rank", &[("iteration_id", node.first()), ("channel_id", node.second())])
            }
            ExprKind::IndirectArgId => self.call("indirect_arg", &[("arg_id", node.first())]),
        }
    }

    /// The operand of a product.
    fn inner(&mut self, node: &ExprNode, at: At, left: &mut u32) -> Result<()> {
        self.operand_of(node, at.below(Binding::Atom), left)
    }

    fn operand_of(&mut self, node: &ExprNode, at: At, left: &mut u32) -> Result<()> {
        match node.operand() {
            Some(operand) => self.node(operand, at, left),
            None => self.put(Style::Fault, "?operand"),
        }
    }

    /// `name(key=number, ...)`.
    fn call(&mut self, name: &str, numbers: &[(&str, i64)]) -> Result<()> {
        self.put(Style::Keyword, name)?;
        self.plain("(")?;
        self.separated(numbers.iter(), |p, (key, number)| {
            p.put(Style::Key, key)?;
            p.plain("=")?;
            p.signed(*number)
        })?;
        self.plain(")")
    }

    /// Opens a formula that binds as given: in parentheses if its place asks for more; where everything is shown, always,
    /// with the kind of node before them.
    fn open(&mut self, kind: &str, binds: Binding, at: At) -> Result<bool> {
        if self.all {
            self.put(Style::Keyword, kind)?;
        }
        let wrapped = self.all || binds < at.place;
        if wrapped {
            self.plain("(")?;
        }
        Ok(wrapped)
    }

    fn close(&mut self, wrapped: bool) -> Result<()> {
        if wrapped { self.plain(")") } else { Ok(()) }
    }

    fn affine(&mut self, node: &ExprNode, at: At, left: &mut u32) -> Result<()> {
        let (c, count) = (node.first(), node.terms().count());
        let all = self.all;
        let binds = match (count, c) {
            (0, 0..) => Binding::Atom,
            (1, 0) => Binding::Product,
            _ => Binding::Sum,
        };
        if !all
            && c == 0
            && count == 1
            && let Some((term, 1)) = node.terms().next()
        {
            return self.node(term, at.below(at.place), left);
        }
        let wrapped = self.open("aff", binds, at)?;
        for (index, (term, coeff)) in node.terms().enumerate() {
            match (index, coeff < 0) {
                (0, false) => {}
                (0, true) => self.plain("-")?,
                (_, false) => self.plain(" + ")?,
                (_, true) => self.plain(" - ")?,
            }
            let single = coeff.unsigned_abs() == 1 && !all;
            if !single {
                self.unsigned(coeff.unsigned_abs())?;
                self.plain("*")?;
            }
            self.node(term, at.below(if single { Binding::Product } else { Binding::Atom }), left)?;
        }
        if count == 0 {
            self.signed(c)?;
        } else if c != 0 || all {
            self.plain(if c < 0 { " - " } else { " + " })?;
            self.unsigned(c.unsigned_abs())?;
        }
        self.close(wrapped)
    }

    fn sum(&mut self, node: &ExprNode, at: At, left: &mut u32) -> Result<()> {
        let count = node.terms().count();
        if count == 0 {
            self.put(Style::Keyword, "sum")?;
            return self.plain("()");
        }
        if count == 1
            && !self.all
            && let Some((term, _)) = node.terms().next()
        {
            return self.node(term, at.below(at.place), left);
        }
        let wrapped = self.open("sum", Binding::Sum, at)?;
        for (index, (term, _)) in node.terms().enumerate() {
            if index > 0 {
                self.plain(" + ")?;
            }
            self.node(term, at.below(Binding::Product), left)?;
        }
        self.close(wrapped)
    }
}
