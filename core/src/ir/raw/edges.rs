//! The edge set of a schedule block: a chain of nodes that C++ walks from `head_next`, real elements having bit 0 of
//! their order key set (`spec/layout.md` section 6).
//!
//! The original orders the chain by a hash of the target's name, so its order is chance. Ours is ordered by the target's
//! id: walking it is deterministic and needs no sorting, and a rename leaves it alone. At most one edge per target.
//! Appending is O(1); a chain longer than [`DENSE`] gets a coarse index, so that no order of inserts is quadratic in
//! practice.

use super::layout::{ConcurrentEdgeSet, EdgeNode, Instruction};
use super::pointer::{Link, Ptr};
use super::state::ModuleState;
use super::values::EdgePtr;
use crate::Result;
use crate::mem::Zeroable;
use core::cell::Cell;

/// Chains up to this length are walked without index.
pub const DENSE: u64 = 64;
const SAMPLES: usize = 63;

/// Evenly spaced nodes of a long chain.
#[repr(C)]
pub struct EdgeIndex {
    samples: [Link<EdgeNode>; SAMPLES],
    /// Length of the chain when the samples were taken; 0 = none.
    taken_at: Cell<u64>,
}
// SAFETY: all-zero bytes are an index without samples; there is no destructor.
unsafe impl Zeroable for EdgeIndex {}

fn order_key(target: &Instruction) -> u64 {
    (u64::from(target.named.unique_id.get() as u32) << 1) | 1
}

impl ConcurrentEdgeSet {
    /// Makes zeroed memory an empty set.
    pub fn init(&self) {
        self.bucket_count.set(8);
        self.max_load_factor.set(4.0);
        self.first_block.set(1);
        self.segment_table.set(core::ptr::from_ref(&self.embedded_segments).cast_mut().cast());
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.element_count.get() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.element_count.get() == 0
    }

    /// The first edge, in the order of the targets' ids.
    pub fn first(&self) -> Option<&EdgeNode> {
        self.head_next.get()
    }

    /// All edges, in the order of the targets' ids.
    pub fn iter(&self) -> impl Iterator<Item = &EdgeNode> {
        core::iter::successors(self.first(), |node| node.next.get())
    }

    /// The edge to `target`.
    pub fn find(&self, target: &Instruction) -> Option<&EdgeNode> {
        let key = order_key(target);
        let node = self.predecessor(key).map_or_else(|| self.first(), |p| p.next.get())?;
        (node.order_key.get() == key && node.edge.get().leads_to(target)).then_some(node)
    }

    /// Adds an edge, or raises the kind of the one that leads to the same target: the larger kind stays.
    /// Returns whether an edge was added. On failure nothing changed.
    pub fn insert(&self, state: &ModuleState, target: &Instruction, kind: u8) -> Result<bool> {
        if let Some(node) = self.find(target) {
            if kind > node.edge.get().kind() {
                node.edge.set(EdgePtr::new(target, kind));
            }
            return Ok(false);
        }
        let reserved = self.reserve(state)?;
        self.insert_reserved(reserved, target, kind);
        self.refresh_index(state);
        Ok(true)
    }

    /// A node for one later [`ConcurrentEdgeSet::insert_reserved`], which then cannot fail.
    pub fn reserve<'m>(&'m self, state: &'m ModuleState) -> Result<&'m EdgeNode> {
        match self.free_nodes.get() {
            Some(node) => {
                self.free_nodes.set(node.next.get());
                Ok(node)
            }
            None => state.alloc::<EdgeNode>(),
        }
    }

    /// Gives an unused reserved node back.
    pub fn unreserve(&self, node: &EdgeNode) {
        node.next.set(self.free_nodes.get());
        self.free_nodes.set(Some(node));
    }

    /// Links a reserved node as the edge to `target`, which must have none yet.
    pub fn insert_reserved(&self, node: &EdgeNode, target: &Instruction, kind: u8) {
        let key = order_key(target);
        node.order_key.set(key);
        node.edge.set(EdgePtr::new(target, kind));
        let predecessor = self.predecessor(key);
        let slot = predecessor.map_or(&self.head_next, |p| &p.next);
        node.next.set(slot.get());
        if node.next.is_null() {
            self.tail.set(Some(node));
        }
        slot.set(Some(node));
        self.element_count.set(self.element_count.get() + 1);
    }

    /// Removes the edge to `target`; returns its kind.
    pub fn remove(&self, target: &Instruction) -> Option<u8> {
        let node = self.find(target)?;
        let predecessor = self.predecessor(order_key(target));
        predecessor.map_or(&self.head_next, |p| &p.next).set(node.next.get());
        if self.tail.ptr() == Ptr::to(node) {
            self.tail.set(predecessor);
        }
        if let Some(index) = self.index.get() {
            index.taken_at.set(0);
        }
        self.element_count.set(self.element_count.get() - 1);
        let kind = node.edge.get().kind();
        // A walk that stands on this node must not meet the edge again.
        node.edge.set(EdgePtr::default());
        self.unreserve(node);
        Some(kind)
    }

    /// The last node whose key is below `key`.
    fn predecessor(&self, key: u64) -> Option<&EdgeNode> {
        if let Some(tail) = self.tail.get()
            && tail.order_key.get() < key
        {
            return Some(tail);
        }
        let mut best: Option<&EdgeNode> = None;
        if let Some(index) = self.index.get().filter(|i| i.taken_at.get() > 0) {
            let below = index.samples.partition_point(|s| s.get().is_some_and(|n| n.order_key.get() < key));
            best = below.checked_sub(1).and_then(|i| index.samples.get(i)).and_then(Link::get);
        }
        let mut next = best.map_or_else(|| self.first(), |n| n.next.get());
        while let Some(node) = next.filter(|n| n.order_key.get() < key) {
            best = Some(node);
            next = node.next.get();
        }
        best
    }

    /// Takes new samples when the chain has doubled. Without memory for the index the chain is simply walked.
    pub fn refresh_index(&self, state: &ModuleState) {
        let len = self.element_count.get();
        if len < DENSE || self.index.get().is_some_and(|i| i.taken_at.get() > 0 && len < 2 * i.taken_at.get()) {
            return;
        }
        if self.index.is_null() {
            let Ok(index) = state.alloc::<EdgeIndex>() else { return };
            self.index.set(Some(index));
        }
        let Some(index) = self.index.get() else { return };
        let step = len as usize / SAMPLES + 1;
        index.samples.iter().for_each(|s| s.set(None));
        for (sample, node) in index.samples.iter().zip(self.iter().step_by(step)) {
            sample.set(Some(node));
        }
        index.taken_at.set(len);
    }
}
