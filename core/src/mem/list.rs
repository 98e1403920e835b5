//! Program order lives in intrusive lists that C++ passes walk and splice, so links must be LLVM's, word for word.
#![allow(unsafe_code)]

use super::zeroable::Zeroable;
use core::cell::Cell;
use core::ptr;

/// A list node or the sentinel of a list: LLVM's `ilist_node_base` (`spec/layout.md` section 3.1).
///
/// A node outside any list has null links (zero bytes). A list is a ring through its sentinel, whose `prev` is the tail and
/// whose `next` is the head; in an empty list both are the sentinel itself.
#[repr(C)]
pub struct IlistNode {
    pub(super) prev: Cell<*const IlistNode>,
    pub(super) next: Cell<*const IlistNode>,
}

// SAFETY:
// - null links are a valid node outside any list
// - no destructor; both fields are cells
// - a copied node that is outside any list is valid; nodes in a list are never elements of a vector
unsafe impl Zeroable for IlistNode {}

impl IlistNode {
    /// Makes this the sentinel of an empty list.
    pub(crate) fn init_sentinel(&self) {
        self.prev.set(self);
        self.next.set(self);
    }

    /// Whether the node is in a list, or is the sentinel of one.
    pub fn is_linked(&self) -> bool {
        !self.next.get().is_null()
    }

    /// For a sentinel: whether its list has no nodes. An object that is not a sentinel yet has none either.
    pub fn is_empty_list(&self) -> bool {
        self.next.get().is_null() || ptr::eq(self.next.get(), self)
    }

    /// The node (or sentinel) after this one; null outside any list.
    pub fn next_ptr(&self) -> *const IlistNode {
        self.next.get()
    }

    /// The node (or sentinel) before this one; null outside any list.
    pub fn prev_ptr(&self) -> *const IlistNode {
        self.prev.get()
    }

    /// Puts this new node before `at`; before a sentinel means at the end. Returns false, and changes nothing, if this node
    /// is in a list already or `at` is in none.
    pub(crate) fn insert_before(&self, at: &IlistNode) -> bool {
        if self.is_linked() || !at.is_linked() {
            return false;
        }
        let before = at.prev.get();
        self.prev.set(before);
        self.next.set(at);
        // SAFETY:
        // - `at` is linked, so its `prev` is a node of the same arena, which is alive and changes through cells only
        unsafe { (*before).next.set(self) };
        at.prev.set(self);
        true
    }

    /// Takes the node out of its list and nulls its links. Returns false, and changes nothing, if it is in no list.
    pub(crate) fn remove(&self) -> bool {
        if self.is_empty_list() {
            return false;
        }
        let (prev, next) = (self.prev.get(), self.next.get());
        // SAFETY:
        // - the node is linked, so both neighbours are nodes of the same arena, alive and changed through cells only
        unsafe {
            (*prev).next.set(next);
            (*next).prev.set(prev);
        }
        self.prev.set(ptr::null());
        self.next.set(ptr::null());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::Arena;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// The nodes from the head on, after checking that both directions agree.
    fn walk(sentinel: &IlistNode) -> Vec<*const IlistNode> {
        let mut nodes = Vec::new();
        let mut at = sentinel.next_ptr();
        let mut before: *const IlistNode = sentinel;
        loop {
            // SAFETY:
            // - links of a list lead to live nodes of the test's arena
            let node = unsafe { &*at };
            assert_eq!(node.prev_ptr(), before);
            if ptr::eq(at, sentinel) {
                return nodes;
            }
            nodes.push(at);
            (before, at) = (at, node.next_ptr());
        }
    }

    #[test]
    fn unlinked_nodes_stay_as_they_are() {
        let arena = Arena::new();
        let node: &IlistNode = arena.alloc_zeroed().unwrap();
        let other: &IlistNode = arena.alloc_zeroed().unwrap();
        assert!(!node.is_linked() && node.is_empty_list());
        assert!(!node.remove());
        assert!(!node.insert_before(other));
        assert!(node.next_ptr().is_null() && node.prev_ptr().is_null());
        let sentinel: &IlistNode = arena.alloc_zeroed().unwrap();
        sentinel.init_sentinel();
        assert!(sentinel.is_empty_list() && sentinel.is_linked());
        assert!(!sentinel.remove());
        assert!(ptr::eq(sentinel.next_ptr(), sentinel) && ptr::eq(sentinel.prev_ptr(), sentinel));
        assert!(node.insert_before(sentinel));
        assert!(!node.insert_before(sentinel), "a second time");
        assert_eq!(walk(sentinel), [ptr::from_ref(node)]);
        assert!(node.remove() && !node.is_linked());
        assert!(sentinel.is_empty_list());
    }

    proptest! {
        #[test]
        fn keeps_order_like_a_plain_list(steps in prop::collection::vec((any::<bool>(), 0usize..16, 0usize..17), 0..200)) {
            let arena = Arena::new();
            let sentinel: &IlistNode = arena.alloc_zeroed().unwrap();
            sentinel.init_sentinel();
            let nodes: Vec<&IlistNode> = (0..16).map(|_| arena.alloc_zeroed().unwrap()).collect();
            let mut model: Vec<usize> = Vec::new();
            for (insert, node, at) in steps {
                let place = model.iter().position(|n| *n == node);
                if insert {
                    let target = nodes.get(at).copied().unwrap_or(sentinel);
                    let index = if at == 16 { Some(model.len()) } else { model.iter().position(|n| *n == at) };
                    let fits = place.is_none() && index.is_some();
                    prop_assert_eq!(nodes[node].insert_before(target), fits);
                    if fits {
                        model.insert(index.unwrap(), node);
                    }
                } else {
                    prop_assert_eq!(nodes[node].remove(), place.is_some());
                    model.retain(|n| *n != node);
                }
                let expected: Vec<*const IlistNode> = model.iter().map(|n| ptr::from_ref(nodes[*n])).collect();
                prop_assert_eq!(walk(sentinel), expected);
                prop_assert_eq!(sentinel.is_empty_list(), model.is_empty());
            }
        }
    }
}
