//! Whether an instruction can go, and how its edges move to the one that stays.
#![forbid(unsafe_code)]

use super::report::Why;
use super::touch::{ByObject, by_object, enter, key};
use crate::Result;
use crate::fallible::push;
use crate::ir::raw::payload::{SlotView, view};
use crate::ir::raw::slot::{Slot, shape};
use crate::ir::{BasicBlockHolder, EdgeSet, Function, Instruction, ModuleRef};
use alloc::vec::Vec;
use core::ptr::eq;

const SETS: [EdgeSet; 2] = [EdgeSet::Normal, EdgeSet::LoopCarried];

/// The instructions that something other than an edge refers to.
pub(super) struct References(ByObject<()>);

impl References {
    /// Those of a whole module: targets of unroll dependencies, producers of waits, DMA lists and triggers.
    pub(super) fn of(module: &ModuleRef) -> Result<Self> {
        let mut references = References(by_object());
        for function in module.functions().chain(module.nki_functions()) {
            references.below(function.block_holder())?;
        }
        for queue in module.queues() {
            references.below(queue.block_holder())?;
        }
        Ok(references)
    }

    fn below(&mut self, holder: &BasicBlockHolder) -> Result<()> {
        let mut at = holder.next_instruction(None);
        while let Some(i) = at {
            self.from(i)?;
            at = holder.next_instruction(Some(i));
        }
        Ok(())
    }

    fn from(&mut self, i: &Instruction) -> Result<()> {
        for target in i.sched.get().into_iter().flat_map(|s| s.unroll_dependencies.iter_refs()) {
            self.add(target.target.get())?;
        }
        for wait in i.waits() {
            self.add(wait.from)?;
        }
        for (offset, slot) in shape(i.opcode.get())?.slots {
            if !matches!(slot, Slot::Trigger | Slot::DmaBlocks) {
                continue;
            }
            match view(i, *offset, *slot) {
                Some(SlotView::Trigger(target)) => self.add(target.get())?,
                Some(SlotView::DmaBlocks(list)) => list.iter().try_for_each(|t| self.add(t.get(i)))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, target: Option<&Instruction>) -> Result<()> {
        target.map_or(Ok(()), |t| enter(&mut self.0, key(t), ()))
    }

    fn contains(&self, i: &Instruction) -> bool {
        self.0.contains_key(&key(i))
    }
}

/// The place of each instruction in a function: depth first, an instruction before those of its body.
pub(super) struct Order(ByObject<usize>);

impl Order {
    pub(super) fn of(function: &Function) -> Result<Self> {
        let mut order = Order(by_object());
        let holder = function.block_holder();
        let mut at = holder.next_instruction(None);
        let mut place = 0_usize;
        while let Some(i) = at {
            enter(&mut order.0, key(i), place)?;
            place = place.saturating_add(1);
            at = holder.next_instruction(Some(i));
        }
        Ok(order)
    }

    /// Whether both are in the function and `a` comes first.
    fn is_before(&self, a: &Instruction, b: &Instruction) -> bool {
        matches!((self.0.get(&key(a)), self.0.get(&key(b))), (Some(a), Some(b)) if a < b)
    }
}

/// Why `gone` cannot be merged into the earlier `stays`, which computes the same; `None` if it can.
pub(super) fn obstacle(stays: &Instruction, gone: &Instruction, references: &References, order: &Order) -> Option<Why> {
    if references.contains(gone) {
        return Some(Why::Referenced);
    }
    if gone.sched.get().is_some_and(|s| !s.unroll_dependencies.is_empty()) {
        return Some(Why::HasUnrollDependencies);
    }
    if gone.debug_update_semaphore().is_some() {
        return Some(Why::HasDebugSemaphore);
    }
    // Edges between the two disappear, unless the earlier one waits for the later one.
    let mut waits_for = gone.dependencies(EdgeSet::Normal).map(|e| e.target).filter(|t| !eq(*t, stays));
    if !waits_for.all(|t| order.is_before(t, stays)) {
        return Some(Why::WaitsForLater);
    }
    let mut waiting = gone.descendents(EdgeSet::Normal).map(|e| e.target);
    if !waiting.all(|t| order.is_before(stays, t)) {
        return Some(Why::WaitedForEarlier);
    }
    None
}

/// Moves all edges of `gone` to `stays` and erases it. If that fails half-way, `stays` has edges that `gone` has too.
pub(super) fn merge(stays: &Instruction, gone: &Instruction) -> Result<()> {
    let mut edges = Vec::new();
    for set in SETS {
        edges.clear();
        for edge in gone.dependencies(set).filter(|e| !eq(e.target, stays)) {
            push(&mut edges, edge)?;
        }
        for edge in &edges {
            stays.add_dependency(edge.target, edge.kind, set)?;
        }
        edges.clear();
        for edge in gone.descendents(set).filter(|e| !eq(e.target, stays)) {
            push(&mut edges, edge)?;
        }
        for edge in &edges {
            edge.target.add_dependency(stays, edge.kind, set)?;
        }
    }
    gone.erase()
}
