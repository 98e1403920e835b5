//! Dependencies: `a.add_dependency(b)` means a waits for b. Every edge has a mirror at its other end.

use super::expr::{self, AffinePredicate, QuasiAffineExpr};
use super::module::same;
use super::named;
use super::raw::layout::ConcurrentEdgeSet;
use super::raw::values::UnrollDependency;
use super::raw::{Instruction, InstructionSched};
use crate::Result;
use crate::enums::bir::EdgeKind;
use crate::error::bail;
use alloc::vec::Vec;

/// Which edges: those within one run of the program text, or those from one loop iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EdgeSet {
    /// `dependencies`.
    Normal = 0,
    /// `loop_carried_dependencies`.
    LoopCarried = 1,
}

/// An edge: the other end and the kind.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'m> {
    /// The instruction at the other end.
    pub target: &'m Instruction,
    /// Kind.
    pub kind: EdgeKind,
}

/// Makes zeroed memory an empty schedule block.
pub(crate) fn init_sched(sched: &InstructionSched) {
    for set in
        [&sched.dependencies, &sched.descendents, &sched.loop_carried_dependencies, &sched.loop_carried_descendents]
    {
        set.init();
    }
    super::sync::init(sched);
}

fn forward(sched: &InstructionSched, set: EdgeSet) -> &ConcurrentEdgeSet {
    match set {
        EdgeSet::Normal => &sched.dependencies,
        EdgeSet::LoopCarried => &sched.loop_carried_dependencies,
    }
}

fn mirror(sched: &InstructionSched, set: EdgeSet) -> &ConcurrentEdgeSet {
    match set {
        EdgeSet::Normal => &sched.descendents,
        EdgeSet::LoopCarried => &sched.loop_carried_descendents,
    }
}

impl Instruction {
    fn edges<'m>(&'m self, set: &'m ConcurrentEdgeSet) -> impl Iterator<Item = Edge<'m>> {
        set.iter().filter_map(move |node| {
            let edge = node.edge.get();
            let kind = EdgeKind::from_ordinal(edge.kind().into()).unwrap_or(EdgeKind::Invalid);
            Some(Edge { target: edge.target(self)?, kind })
        })
    }

    /// What this instruction waits for, in the order of the targets' ids.
    pub fn dependencies(&self, set: EdgeSet) -> impl Iterator<Item = Edge<'_>> {
        self.sched.get().into_iter().flat_map(move |s| self.edges(forward(s, set)))
    }

    /// What waits for this instruction, in the order of their ids.
    pub fn descendents(&self, set: EdgeSet) -> impl Iterator<Item = Edge<'_>> {
        self.sched.get().into_iter().flat_map(move |s| self.edges(mirror(s, set)))
    }

    /// Number of instructions that this one waits for.
    pub fn dependency_count(&self, set: EdgeSet) -> usize {
        self.sched.get().map_or(0, |s| forward(s, set).len())
    }

    /// Number of instructions that wait for this one.
    pub fn descendent_count(&self, set: EdgeSet) -> usize {
        self.sched.get().map_or(0, |s| mirror(s, set).len())
    }

    /// The kind of the edge to `target`, if there is one.
    pub fn dependency_kind(&self, target: &Instruction, set: EdgeSet) -> Option<EdgeKind> {
        let node = forward(self.sched.get()?, set).find(target)?;
        EdgeKind::from_ordinal(node.edge.get().kind().into()).ok()
    }

    /// Makes this instruction wait for `target`. A second edge to the same target keeps one edge, of the larger kind.
    /// Returns whether an edge was added.
    ///
    /// # Errors
    /// `BadValue` for an edge to itself, `ForeignModule`, `OutOfMemory`; nothing changed then.
    pub fn add_dependency<'m>(&'m self, target: &'m Instruction, kind: EdgeKind, set: EdgeSet) -> Result<bool> {
        if same(self, target) {
            bail!(BadValue, "instruction `{}` cannot depend on itself", self.name());
        }
        let state = named::state_of(self)?;
        named::same_module(named::module_of(self)?, target)?;
        let kind = kind.ordinal() as u8;
        self.change_sched(state, |own| {
            target.change_sched(state, |other| {
                let (out, back) = (forward(own, set), mirror(other, set));
                if out.find(target).is_some() {
                    out.insert(state, target, kind)?;
                    back.insert(state, self, kind)?;
                    return Ok(false);
                }
                let (to, from) = (out.reserve(state)?, back.reserve(state));
                match from {
                    Ok(from) => back.insert_reserved(from, self, kind),
                    Err(error) => {
                        out.unreserve(to);
                        return Err(error);
                    }
                }
                out.insert_reserved(to, target, kind);
                out.refresh_index(state);
                back.refresh_index(state);
                Ok(true)
            })
        })
    }

    /// Removes the edge to `target`; returns whether there was one.
    ///
    /// # Errors
    /// `ForeignModule`; `Detached` if either was erased.
    pub fn remove_dependency(&self, target: &Instruction, set: EdgeSet) -> Result<bool> {
        named::same_module(named::module_of(self)?, target)?;
        let removed = self.sched.get().and_then(|s| forward(s, set).remove(target));
        if removed.is_some()
            && let Some(sched) = target.sched.get()
        {
            mirror(sched, set).remove(self);
        }
        Ok(removed.is_some())
    }

    /// Removes all edges to and from this instruction.
    pub(crate) fn clear_edges(&self) -> Result<()> {
        for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
            while let Some(edge) = self.dependencies(set).next() {
                self.remove_dependency(edge.target, set)?;
            }
            while let Some(edge) = self.descendents(set).next() {
                edge.target.remove_dependency(self, set)?;
            }
        }
        Ok(())
    }

    /// The unroll dependencies: target, kind, index expressions, predicates; in the order given.
    pub fn unroll_dependencies(
        &self,
    ) -> impl Iterator<Item = (&Instruction, EdgeKind, Vec<QuasiAffineExpr<'_>>, Vec<AffinePredicate<'_>>)> {
        let list = self.sched.get().map(|s| &s.unroll_dependencies);
        (0..list.map_or(0, |l| l.len())).filter_map(move |i| {
            let entry: &UnrollDependency = list?.get_ref(i)?;
            let kind = EdgeKind::from_ordinal(entry.kind.get().into()).unwrap_or(EdgeKind::Invalid);
            let exprs = entry.exprs.iter().map(|e| QuasiAffineExpr::lend(e, self)).collect();
            let predicates = entry.predicates.iter().map(|p| AffinePredicate::lend(p, self)).collect();
            Some((entry.target.get()?, kind, exprs, predicates))
        })
    }

    /// Adds an unroll dependency.
    ///
    /// # Errors
    /// `ForeignModule`, `BadValue` (predicate), `OutOfMemory`; nothing changed then.
    pub fn add_unroll_dependency<'m>(
        &'m self,
        target: &'m Instruction,
        kind: EdgeKind,
        exprs: &[QuasiAffineExpr<'_>],
        predicates: &[AffinePredicate<'_>],
    ) -> Result<()> {
        let state = named::state_of(self)?;
        let module = named::module_of(self)?;
        named::same_module(module, target)?;
        let (exprs, predicates) = (expr::stored(module, exprs)?, expr::stored_predicates(module, predicates)?);
        self.change_sched(state, |sched| {
            let list = &sched.unroll_dependencies;
            let entry = list.push_zeroed(&state.arena)?;
            let filled = entry
                .exprs
                .assign(&state.arena, &exprs)
                .and_then(|()| entry.predicates.assign(&state.arena, &predicates));
            if let Err(error) = filled {
                list.truncate(list.len().saturating_sub(1));
                return Err(error);
            }
            entry.kind.set(kind.ordinal());
            entry.target.set(Some(target));
            Ok(())
        })
    }
}
