//! The nodes and bucket arrays of symbol tables, and the arena's stock of them: what a table gives back, the next insert
//! takes, so that renaming and moving objects forever does not take memory forever.
#![allow(unsafe_code)]

use super::arena::Arena;
use super::string::StdString;
use super::zeroable::Zeroable;
use crate::error::{Error, Result};
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

/// The link that nodes and the table's `before_begin` share; libstdc++ calls it the node base.
#[repr(transparent)]
pub(super) struct HashLink {
    pub(super) next: Cell<*const HashNode>,
}

/// A node of a symbol table (`spec/layout.md` section 3.2).
#[repr(C)]
pub(super) struct HashNode {
    pub(super) link: HashLink,
    pub(super) key: StdString,
    pub(super) value: Cell<Option<NonNull<()>>>,
    pub(super) hash: Cell<u64>,
}

// SAFETY:
// - null links, an empty string, no value and hash 0 are valid
// - no destructor; all fields are cells or made of them
// - nodes are never elements of a vector
unsafe impl Zeroable for HashNode {}

/// A slot of a bucket array: the link before the first node of the bucket, or null.
pub(super) type Bucket = Cell<*const HashLink>;

/// A bucket array of the arena: `count` slots, all null until a table uses it.
#[derive(Clone, Copy)]
pub(super) struct Buckets {
    pub(super) start: NonNull<Bucket>,
    pub(super) count: usize,
}

/// What an arena holds ready for its symbol tables.
#[derive(Default)]
pub(super) struct Spare {
    /// Unused nodes, chained by their links.
    nodes: Cell<Option<NonNull<HashNode>>>,
    /// The largest unused bucket array that came back.
    buckets: Cell<Option<Buckets>>,
}

impl HashLink {
    /// The node after this link.
    pub(super) fn next(&self) -> Option<&HashNode> {
        // SAFETY:
        // - a link is null or leads to a node of the same arena, which is never freed and changes through cells only
        unsafe { self.next.get().as_ref() }
    }
}

/// A node with an empty key and no value: an unused one if there is one.
pub(super) fn take_node(arena: &Arena) -> Result<&HashNode> {
    let Some(node) = arena.spare.nodes.get() else {
        let node: &HashNode = arena.alloc_zeroed()?;
        node.key.init();
        return Ok(node);
    };
    // SAFETY:
    // - the stock holds nodes of this very arena only, which the result borrows
    let node = unsafe { node.as_ref() };
    arena.spare.nodes.set(NonNull::new(node.link.next.replace(ptr::null()).cast_mut()));
    Ok(node)
}

/// Puts a node that no table uses into the stock of its arena.
pub(super) fn give_node(arena: &Arena, node: &HashNode) {
    node.key.init();
    node.value.set(None);
    node.hash.set(0);
    node.link.next.set(arena.spare.nodes.get().map_or(ptr::null(), |first| first.as_ptr()));
    arena.spare.nodes.set(Some(NonNull::from(node)));
}

/// An array of at least `count` null slots.
pub(super) fn take_buckets(arena: &Arena, count: usize) -> Result<Buckets> {
    if let Some(spare) = arena.spare.buckets.get().filter(|spare| spare.count >= count) {
        arena.spare.buckets.set(None);
        return Ok(spare);
    }
    let Ok(layout) = Layout::array::<Bucket>(count) else { return Err(Error::out_of_memory()) };
    Ok(Buckets { start: arena.alloc_layout(layout)?.cast(), count })
}

/// Puts an array that no table has used yet into the stock of its arena.
pub(super) fn give_buckets(arena: &Arena, buckets: Buckets) {
    if arena.spare.buckets.get().is_none_or(|spare| spare.count < buckets.count) {
        arena.spare.buckets.set(Some(buckets));
    }
}
