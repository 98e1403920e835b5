//! Typed intrusive lists: from a list node to the object that embeds it, and walking in both directions.

use super::layout::*;
use super::values::BasicBlockArgument;
use crate::mem::IlistNode;
use core::mem::offset_of;

/// An object that embeds a list node.
///
/// # Safety
/// - an [`IlistNode`] lies at byte `NODE` of `Self`;
/// - every list that such a node is put into holds objects of this type only.
pub unsafe trait Listed: Sized {
    /// Offset of the node.
    const NODE: usize;
}

// SAFETY:
// - each offset is taken from the struct itself;
// - the upper half links each type into lists of its own type only.
unsafe impl Listed for Function {
    const NODE: usize = offset_of!(Function, named);
}
// SAFETY: as above.
unsafe impl Listed for BasicBlock {
    const NODE: usize = offset_of!(BasicBlock, named);
}
// SAFETY: as above.
unsafe impl Listed for Instruction {
    const NODE: usize = offset_of!(Instruction, named);
}
// SAFETY: as above.
unsafe impl Listed for Storage {
    const NODE: usize = offset_of!(Storage, named);
}
// SAFETY: as above.
unsafe impl Listed for MemoryLocation {
    const NODE: usize = offset_of!(MemoryLocation, named);
}
// SAFETY: as above.
unsafe impl Listed for DMAQueue {
    const NODE: usize = offset_of!(DMAQueue, named);
}
// SAFETY: as above.
unsafe impl Listed for Argument {
    const NODE: usize = offset_of!(Argument, node);
}
// SAFETY: as above.
unsafe impl Listed for BasicBlockArgument {
    const NODE: usize = offset_of!(BasicBlockArgument, node);
}

/// The node of an object.
pub fn node<T: Listed>(object: &T) -> &IlistNode {
    let address = core::ptr::from_ref(object).cast::<u8>().wrapping_add(T::NODE).cast::<IlistNode>();
    // SAFETY: by the trait's promise a node lies there, inside the object.
    unsafe { &*address }
}

/// The object around a node; `None` at the sentinel.
fn from_node<T: Listed>(sentinel: &IlistNode, node: *const IlistNode) -> Option<&T> {
    if node.is_null() || core::ptr::eq(node, sentinel) {
        return None;
    }
    let object = core::ptr::with_exposed_provenance::<T>(node.addr() - T::NODE);
    // SAFETY:
    // - the node is not the sentinel, so it is that of a `T` (second condition of the trait);
    // - the object's provenance was exposed when it was allocated;
    // - objects stay valid until the arena goes, and the sentinel lies in the same arena.
    Some(unsafe { &*object })
}

/// The first object of a list.
pub fn first<T: Listed>(sentinel: &IlistNode) -> Option<&T> {
    from_node(sentinel, sentinel.next_ptr())
}

/// The last object of a list.
pub fn last<T: Listed>(sentinel: &IlistNode) -> Option<&T> {
    from_node(sentinel, sentinel.prev_ptr())
}

/// The object after `object`, which must be in the list of `sentinel`.
pub fn next<'m, T: Listed>(sentinel: &'m IlistNode, object: &T) -> Option<&'m T> {
    from_node(sentinel, node(object).next_ptr())
}

/// The object before `object`, which must be in the list of `sentinel`.
pub fn prev<'m, T: Listed>(sentinel: &'m IlistNode, object: &T) -> Option<&'m T> {
    from_node(sentinel, node(object).prev_ptr())
}
