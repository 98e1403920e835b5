//! Expressions: immutable trees of affine and quasi-affine nodes over loop axes, registers and ranks.
//!
//! Nodes are made once and never changed, so they may be shared. Their payload is not published beyond the common header
//! (`spec/layout.md` section 11); the members and the kind numbers are ours (`docs/choices.md`).

use super::module::same;
use super::raw::layout::PelicanExpr;
use super::raw::{self, ExprNode, ExprTerm, LoopAxis, ModuleState, Ptr, Register};
use super::{ModuleRef, named};
use crate::error::bail;
use crate::mem::StdVector;
use crate::{Error, Result};
use alloc::vec::Vec;
use core::fmt;
use hashbrown::HashSet;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// What a node computes, under its name in documents (`spec/bir-json.md` section 8).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        #[allow(clippy::enum_variant_names)]
        pub enum ExprKind { $($(#[$doc])* $name = $number,)* }

        impl ExprKind {
            /// All kinds.
            pub const ALL: &'static [ExprKind] = &[$(ExprKind::$name,)*];
            /// The name in documents.
            pub const fn name(self) -> &'static str { match self { $(ExprKind::$name => stringify!($name),)* } }
            /// The kind of that number.
            pub fn from_number(number: i32) -> Option<Self> { match number { $($number => Some(ExprKind::$name),)* _ => None } }
        }
    };
}

kinds! {
    /// `c` plus the sum of `coeff * term`.
    AffExprKind = 0,
    /// The value of a loop axis.
    AffIVKind = 1,
    /// The shard id, below `first` (`ub`).
    ShardIDKind = 2,
    /// The value of a register.
    IntRuntimeValueKind = 3,
    /// Sum of the terms.
    SumKind = 4,
    /// `operand * first`.
    MultKind = 5,
    /// `operand / first`, rounded down.
    FloorDivKind = 6,
    /// `operand mod first`.
    ModuloKind = 7,
    /// As FloorDivKind, within the replica groups of number `second`.
    CCDivKind = 8,
    /// The rank in iteration `first` on channel `second`.
    CCGetRankKind = 9,
    /// The value of indirect argument `first`.
    IndirectArgId = 10,
}

impl ExprKind {
    /// The kind of that name. `CCModKind` is another spelling of `ModuloKind`.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "CCModKind" {
            return Some(ExprKind::ModuloKind);
        }
        Self::ALL.iter().copied().find(|k| k.name() == name)
    }
}

/// A term: node and coefficient.
pub type Term<'m> = (&'m ExprNode, i64);

/// Collects with fallible allocation.
pub(crate) fn collect<T>(items: impl Iterator<Item = T>, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
    for item in items {
        if list.len() == list.capacity() {
            list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        }
        list.push(item);
    }
    Ok(list)
}

/// A quasi-affine expression of one module. `spec/layout.md` section 11.
///
/// It borrows the module that it was made in, so it cannot outlive it:
///
/// ```compile_fail,E0505
/// use bir_core::ir::{ExprKind, Module};
/// let module = Module::new()?;
/// let expression = module.expression(module.leaf(ExprKind::ShardIDKind, 4, 0)?)?;
/// drop(module);
/// assert!(expression.root().is_some());
/// # Ok::<(), bir_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct QuasiAffineExpr<'m> {
    raw: raw::QuasiAffineExpr,
    root: Option<&'m ExprNode>,
}

impl fmt::Debug for QuasiAffineExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QuasiAffineExpr").field(&self.root).finish()
    }
}

impl<'m> QuasiAffineExpr<'m> {
    /// No expression.
    pub const NONE: Self = QuasiAffineExpr { raw: raw::QuasiAffineExpr::NONE, root: None };

    /// A stored expression, with the life of an object of its module.
    pub(crate) fn lend<A: ?Sized>(raw: raw::QuasiAffineExpr, anchor: &'m A) -> Self {
        QuasiAffineExpr { raw, root: raw.expr.get(anchor) }
    }

    /// The value as it is stored in objects of its module.
    pub(crate) fn raw(self) -> raw::QuasiAffineExpr {
        self.raw
    }

    /// The root node; `None` if there is no expression.
    pub fn root(self) -> Option<&'m ExprNode> {
        self.root
    }

    /// Whether there is no expression.
    pub fn is_none(self) -> bool {
        self.root.is_none()
    }

    /// The value to store in an object of `module`; `ForeignModule` if it was made in another one.
    pub(crate) fn stored(self, module: &ModuleRef) -> Result<raw::QuasiAffineExpr> {
        if let Some(root) = self.root {
            check_node(module, root)?;
        }
        Ok(self.raw)
    }
}

/// A comparison of an expression with zero. `spec/layout.md` section 11.
#[derive(Clone, Copy, Debug)]
pub struct AffinePredicate<'m> {
    /// The expression.
    pub expr: QuasiAffineExpr<'m>,
    /// 0 = `ge`, 1 = `eq` (names and numbers are a choice, `docs/choices.md`).
    pub op: u32,
}

impl<'m> AffinePredicate<'m> {
    /// A stored predicate, with the life of an object of its module.
    pub(crate) fn lend<A: ?Sized>(raw: raw::AffinePredicate, anchor: &'m A) -> Self {
        AffinePredicate { expr: QuasiAffineExpr::lend(raw.expr, anchor), op: raw.op }
    }

    fn stored(self, module: &ModuleRef) -> Result<raw::AffinePredicate> {
        if self.op > 1 {
            bail!(BadValue, "{} is no comparison of a predicate; 0 is `ge`, 1 is `eq`", self.op);
        }
        Ok(raw::AffinePredicate { expr: self.expr.stored(module)?, op: self.op, padding: 0 })
    }
}

/// The values to store in an object of `module`; `ForeignModule` if one was made in another module.
pub(crate) fn stored(module: &ModuleRef, list: &[QuasiAffineExpr<'_>]) -> Result<Vec<raw::QuasiAffineExpr>> {
    list.iter().try_for_each(|e| e.stored(module).map(drop))?;
    collect(list.iter().map(|e| e.raw), list.len())
}

/// As [`stored`], for predicates; `BadValue` for an unknown comparison.
pub(crate) fn stored_predicates(module: &ModuleRef, list: &[AffinePredicate<'_>]) -> Result<Vec<raw::AffinePredicate>> {
    let mut values = collect(core::iter::empty(), list.len())?;
    for predicate in list {
        values.push(predicate.stored(module)?);
    }
    Ok(values)
}

/// Fails if the node was made in another module.
/// The node with the life of its module; `ForeignModule` if it was made in another one.
pub(crate) fn own_node<'m>(module: &'m ModuleRef, node: &ExprNode) -> Result<&'m ExprNode> {
    check_node(module, node)?;
    raw::slot::required(Ptr::to(node).get(module), "a node of an expression")
}

fn check_node(module: &ModuleRef, node: &ExprNode) -> Result<()> {
    if node.module.get().is_some_and(|m| same(m, module)) {
        return Ok(());
    }
    bail!(ForeignModule, "an expression belongs to another module")
}

/// Fails if the axis belongs to another module, or its loop was erased.
pub(crate) fn check_axis(module: &ModuleRef, axis: &LoopAxis) -> Result<()> {
    match raw::cast::axis_parent(axis) {
        Some(parent) => named::same_module(module, parent),
        None => bail!(Detached, "axis `{}` belongs to no loop", axis.name()),
    }
}

fn node<'m>(module: &ModuleRef, state: &'m ModuleState, kind: ExprKind) -> Result<&'m ExprNode> {
    let node = state.alloc::<ExprNode>()?;
    node.module.set(Some(module));
    let PelicanExpr { refcount, kind: kind_cell, .. } = &node.header;
    refcount.set(1);
    kind_cell.set(kind as i32);
    Ok(node)
}

/// A node that computes the same as `source`, which may be one of another module, over other objects: those of `state`'s
/// module that are given. Its numbers are copied as they stand.
pub(crate) fn node_like<'m>(
    state: &'m ModuleState,
    source: &ExprNode,
    operand: Option<&'m ExprNode>,
    axis: Option<&'m LoopAxis>,
    register: Option<&'m Register>,
    terms: &[Term<'m>],
) -> Result<&'m ExprNode> {
    let node = state.alloc::<ExprNode>()?;
    node.module.set_ptr(state.module.ptr());
    node.header.refcount.set(1);
    node.header.kind.set(source.header.kind.get());
    node.operand.set(operand);
    node.axis.set(axis);
    node.register.set(register);
    node.first.set(source.first.get());
    node.second.set(source.second.get());
    if !terms.is_empty() {
        let terms = collect(terms.iter().map(|t| ExprTerm { expr: Ptr::to(t.0), coeff: t.1 }), terms.len())?;
        node.terms.assign(&state.arena, &terms)?;
    }
    Ok(node)
}

impl ModuleRef {
    /// An affine sum: `c` plus the terms.
    pub fn affine<'m>(&'m self, terms: &[Term<'m>], c: i64) -> Result<&'m ExprNode> {
        let state = self.module_state()?;
        terms.iter().try_for_each(|t| check_node(self, t.0))?;
        let node = node(self, state, ExprKind::AffExprKind)?;
        node.first.set(c);
        let terms = collect(terms.iter().map(|t| ExprTerm { expr: Ptr::to(t.0), coeff: t.1 }), terms.len())?;
        node.terms.assign(&state.arena, &terms)?;
        Ok(node)
    }

    /// A sum of nodes.
    pub fn sum<'m>(&'m self, terms: &[&'m ExprNode]) -> Result<&'m ExprNode> {
        let state = self.module_state()?;
        terms.iter().try_for_each(|t| check_node(self, t))?;
        let node = node(self, state, ExprKind::SumKind)?;
        let terms = collect(terms.iter().map(|t| ExprTerm { expr: Ptr::to(*t), coeff: 1 }), terms.len())?;
        node.terms.assign(&state.arena, &terms)?;
        Ok(node)
    }

    /// The value of a loop axis.
    pub fn axis_value<'m>(&'m self, axis: &'m LoopAxis) -> Result<&'m ExprNode> {
        check_axis(self, axis)?;
        let node = node(self, self.module_state()?, ExprKind::AffIVKind)?;
        node.axis.set(Some(axis));
        Ok(node)
    }

    /// The value of a register.
    pub fn register_value<'m>(&'m self, register: &'m Register) -> Result<&'m ExprNode> {
        named::same_module(self, &register.storage)?;
        let node = node(self, self.module_state()?, ExprKind::IntRuntimeValueKind)?;
        node.register.set(Some(register));
        Ok(node)
    }

    /// A node with one operand: MultKind (`first` = scale), FloorDivKind, ModuloKind, CCDivKind (`first` = denominator,
    /// `second` = replica group id).
    ///
    /// # Errors
    /// `BadValue` for another kind, a denominator below 1, or a group id outside 32 bits.
    pub fn unary<'m>(&'m self, kind: ExprKind, operand: &'m ExprNode, first: i64, second: i64) -> Result<&'m ExprNode> {
        match kind {
            ExprKind::MultKind => {}
            ExprKind::FloorDivKind | ExprKind::ModuloKind | ExprKind::CCDivKind => {
                if first <= 0 {
                    bail!(BadValue, "the denominator of a {} is {first}, not positive", kind.name());
                }
            }
            _ => bail!(BadValue, "{} has no single operand", kind.name()),
        }
        if u32::try_from(second).is_err() {
            bail!(BadValue, "replica_groups_id {second} does not fit 32 bits");
        }
        check_node(self, operand)?;
        let node = node(self, self.module_state()?, kind)?;
        node.operand.set(Some(operand));
        node.first.set(first);
        node.second.set(second);
        Ok(node)
    }

    /// A node of numbers only: ShardIDKind (`first` = ub), CCGetRankKind (iteration id, channel id), IndirectArgId.
    ///
    /// # Errors
    /// `BadValue` for another kind or a negative number where none may be.
    pub fn leaf(&self, kind: ExprKind, first: i64, second: i64) -> Result<&ExprNode> {
        match kind {
            ExprKind::ShardIDKind => {}
            ExprKind::CCGetRankKind | ExprKind::IndirectArgId => {
                if first < 0 || second < 0 {
                    bail!(BadValue, "a {} takes no negative number", kind.name());
                }
            }
            _ => bail!(BadValue, "{} is no leaf of numbers", kind.name()),
        }
        let node = node(self, self.module_state()?, kind)?;
        node.first.set(first);
        node.second.set(second);
        Ok(node)
    }

    /// A whole expression: the root, and the flat set of its axes.
    pub fn expression<'m>(&'m self, root: &'m ExprNode) -> Result<QuasiAffineExpr<'m>> {
        let state = self.module_state()?;
        check_node(self, root)?;
        let mut axes: Vec<Ptr<LoopAxis>> = Vec::new();
        collect_axes(root, &mut axes)?;
        axes.sort_by_key(|a| a.address().addr());
        axes.dedup();
        if axes.is_empty() {
            let raw = raw::QuasiAffineExpr { expr: Ptr::to(root), axes: [Ptr::NULL; 3] };
            return Ok(QuasiAffineExpr::lend(raw, root));
        }
        let list = state.alloc::<StdVector<Ptr<LoopAxis>>>()?;
        list.assign(&state.arena, &axes)?;
        Ok(QuasiAffineExpr::lend(raw::QuasiAffineExpr::new(root, list), root))
    }
}

/// Nodes may be shared, so each is visited once: a sum of a sum with itself, and so on, has as many paths as 2 to its depth.
fn collect_axes(root: &ExprNode, axes: &mut Vec<Ptr<LoopAxis>>) -> Result<()> {
    let mut pending: Vec<&ExprNode> = Vec::new();
    // Nodes may be shared, so a small expression can have more paths than time allows to walk: each node counts once.
    let mut seen: HashSet<usize, raw::state::FixedState> = HashSet::with_hasher(raw::state::fixed_state());
    let mut next = Some(root);
    while let Some(node) = next {
        seen.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        if !seen.insert(Ptr::to(node).address().addr()) {
            next = pending.pop();
            continue;
        }
        if let Some(axis) = node.axis() {
            axes.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            axes.push(Ptr::to(axis));
        }
        pending.try_reserve(node.term_count() + 1).map_err(|_| Error::out_of_memory())?;
        pending.extend(node.operand());
        pending.extend(node.terms().map(|t| t.0));
        next = pending.pop();
    }
    Ok(())
}

impl ExprNode {
    /// What the node computes; `None` for a number that foreign code put there.
    pub fn kind(&self) -> Option<ExprKind> {
        ExprKind::from_number(self.header.kind.get())
    }

    /// The single operand of MultKind, FloorDivKind, ModuloKind, CCDivKind.
    pub fn operand(&self) -> Option<&ExprNode> {
        self.operand.get()
    }

    /// The axis of AffIVKind.
    pub fn axis(&self) -> Option<&LoopAxis> {
        self.axis.get()
    }

    /// The register of IntRuntimeValueKind.
    pub fn register(&self) -> Option<&Register> {
        self.register.get()
    }

    /// The first number: c, ub, scale, denominator, iteration id or argument id, by kind.
    pub fn first(&self) -> i64 {
        self.first.get()
    }

    /// The second number: replica group id or channel id, by kind.
    pub fn second(&self) -> i64 {
        self.second.get()
    }

    /// The terms of AffExprKind (with coefficients) and SumKind.
    pub fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        self.terms.iter().filter_map(|t| Some((t.expr.get(self)?, t.coeff)))
    }

    /// Number of terms.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }
}
