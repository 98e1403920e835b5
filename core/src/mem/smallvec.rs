//! LLVM's `SmallVector`: access patterns and sync records keep their few elements inside the object.
#![allow(unsafe_code)]

use super::arena::Arena;
use super::values::value_operations;
use super::zeroable::Zeroable;
use crate::error::{Error, Result, bail};
use core::alloc::Layout;
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr;

/// The head of a `SmallVector<T>` for elements of at least 4 bytes (`spec/layout.md` section 6): where the elements begin,
/// and how many there are and may be, as 32-bit numbers. The inline elements lie elsewhere, usually right behind.
///
/// Zero bytes are an empty vector without inline room. Elements are plain values.
#[repr(C)]
pub struct SmallVectorHeader<T> {
    begin: Cell<*mut T>,
    size: Cell<u32>,
    capacity: Cell<u32>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<SmallVectorHeader<u64>>() == 16
        && core::mem::offset_of!(SmallVectorHeader<u64>, begin) == 0
        && core::mem::offset_of!(SmallVectorHeader<u64>, size) == 8
        && core::mem::offset_of!(SmallVectorHeader<u64>, capacity) == 12
        && core::mem::offset_of!(SmallVector<[u64; 2], 4>, inline) == 16
        && size_of::<SmallVector<[u64; 2], 4>>() == 80
);

// SAFETY:
// - a null pointer with size and capacity 0 is an empty vector
// - no destructor; all fields are cells
// - headers whose inline elements lie elsewhere refer to the same elements after a move
unsafe impl<T> Zeroable for SmallVectorHeader<T> {}

/// Room for `N` elements inside an object.
#[repr(transparent)]
pub struct InlineStorage<T, const N: usize>(UnsafeCell<[MaybeUninit<T>; N]>);

// SAFETY:
// - any bytes are valid; no destructor; all of it lies in a cell
unsafe impl<T, const N: usize> Zeroable for InlineStorage<T, N> {}

impl<T> SmallVectorHeader<T> {
    /// Instantiated with every vector type in use.
    const CHECK: () = {
        assert!(!core::mem::needs_drop::<T>(), "vector elements have no destructor");
        assert!(size_of::<T>() >= 4, "LLVM counts smaller elements in 64 bits");
    };

    /// Makes this an empty vector with the given inline room, which must be part of the same arena object.
    pub(crate) fn init<const N: usize>(&self, storage: &InlineStorage<T, N>) {
        const { assert!(N as u64 <= u32::MAX as u64, "the capacity is a 32-bit number") };
        self.begin.set(storage.0.get().cast());
        self.size.set(0);
        self.capacity.set(N as u32);
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        let () = Self::CHECK;
        self.size.get() as usize
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of elements for which there is room.
    pub fn capacity(&self) -> usize {
        self.capacity.get() as usize
    }

    /// Shortens the vector to `len` elements; does nothing if it is shorter.
    pub(crate) fn truncate(&self, len: usize) {
        if len < self.len() {
            self.set_len(len);
        }
    }

    /// Removes all elements; the buffer stays.
    pub(crate) fn clear(&self) {
        self.truncate(0);
    }

    /// The first slot.
    fn base(&self) -> *mut T {
        self.begin.get()
    }

    /// Sets the length, at most the capacity, which is a 32-bit number.
    fn set_len(&self, len: usize) {
        self.size.set(len as u32);
    }

    /// Makes room for `extra` more elements.
    fn room(&self, arena: &Arena, extra: usize) -> Result<()> {
        self.reserve_as_cpp(arena, self.len().saturating_add(extra))
    }

    /// Makes room for `needed` elements in all; grows to the double and one more, as LLVM does.
    fn reserve_as_cpp(&self, arena: &Arena, needed: usize) -> Result<()> {
        if needed <= self.capacity() {
            return Ok(());
        }
        let Ok(needed) = u32::try_from(needed) else {
            bail!(LimitExceeded, "a small vector holds at most {} elements, not {needed}", u32::MAX);
        };
        let capacity = self.capacity.get().saturating_mul(2).saturating_add(1).max(needed);
        let Ok(layout) = Layout::array::<T>(capacity as usize) else { return Err(Error::out_of_memory()) };
        let buffer = arena.alloc_layout(layout)?.cast::<T>().as_ptr();
        if !self.is_empty() {
            // SAFETY:
            // - the old buffer holds `len` elements; the new one is fresh and larger
            unsafe { ptr::copy_nonoverlapping(self.begin.get(), buffer, self.len()) };
        }
        self.begin.set(buffer);
        self.capacity.set(capacity);
        Ok(())
    }
}

value_operations!(SmallVectorHeader);

/// A `SmallVector<T, N>`: the head, and room for `N` elements right behind it.
#[repr(C)]
pub struct SmallVector<T, const N: usize> {
    header: SmallVectorHeader<T>,
    inline: InlineStorage<T, N>,
}

// SAFETY:
// - both parts are valid when zero, have no destructor and are cells
// - a moved vector that points into its inline room is mended below
unsafe impl<T, const N: usize> Zeroable for SmallVector<T, N> {
    fn relocated(&self, old: *const Self) {
        let old_inline = old.addr().wrapping_add(core::mem::offset_of!(Self, inline));
        if self.header.begin.get().addr() == old_inline {
            self.header.begin.set(self.inline.0.get().cast());
        }
    }
}

impl<T, const N: usize> SmallVector<T, N> {
    /// Makes this an empty vector that uses its inline room. The vector must be at its final address.
    pub(crate) fn init(&self) {
        self.header.init(&self.inline);
    }
}

/// All operations are those of the head.
impl<T, const N: usize> Deref for SmallVector<T, N> {
    type Target = SmallVectorHeader<T>;
    fn deref(&self) -> &SmallVectorHeader<T> {
        &self.header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::mem::StdVector;
    use std::vec::Vec;

    #[test]
    fn grows_like_llvm() {
        let arena = Arena::new();
        let vector: &SmallVector<[u64; 2], 4> = arena.alloc_zeroed().unwrap();
        vector.init();
        let inline: *mut [u64; 2] = vector.inline.0.get().cast();
        let used = arena.used_bytes();
        for i in 0..4 {
            vector.push(&arena, [i, i]).unwrap();
        }
        assert_eq!((vector.begin.get(), vector.capacity(), arena.used_bytes()), (inline, 4, used));
        vector.push(&arena, [4, 4]).unwrap();
        assert_ne!(vector.begin.get(), inline);
        assert_eq!((vector.len(), vector.capacity()), (5, 9));
        vector.reserve(&arena, 10).unwrap();
        assert_eq!(vector.capacity(), 19);
        vector.reserve(&arena, 100).unwrap();
        assert_eq!(vector.capacity(), 100);
        assert_eq!(vector.iter().map(|pair| pair[0]).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let error = vector.reserve(&arena, u32::MAX as usize + 1).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded);
        assert_eq!(vector.capacity(), 100);
    }

    #[test]
    fn heads_may_lie_apart_from_their_elements() {
        let arena = Arena::new();
        let head: &SmallVectorHeader<u32> = arena.alloc_zeroed().unwrap();
        let storage: &InlineStorage<u32, 1> = arena.alloc_zeroed().unwrap();
        head.init(storage);
        head.push(&arena, 7).unwrap();
        assert_eq!(head.begin.get(), storage.0.get().cast());
        head.push(&arena, 8).unwrap();
        assert_eq!((head.capacity(), head.get(0), head.get(1)), (3, Some(7), Some(8)));
        let bare: &SmallVectorHeader<u32> = arena.alloc_zeroed().unwrap();
        bare.push(&arena, 1).unwrap();
        assert_eq!((bare.capacity(), bare.get(0)), (1, Some(1)));
    }

    #[test]
    fn is_unchanged_when_memory_is_out() {
        let arena = Arena::new();
        let vector: &SmallVector<u32, 2> = arena.alloc_zeroed().unwrap();
        vector.init();
        vector.assign(&arena, &[1, 2]).unwrap();
        let before = (vector.begin.get(), vector.len(), vector.capacity());
        arena.fail_after(Some(0));
        let errors = [
            vector.push(&arena, 9).map(drop),
            vector.insert(&arena, 0, 9),
            vector.assign(&arena, &[9; 3]),
            vector.reserve(&arena, 3),
        ];
        assert!(errors.iter().all(|e| e.as_ref().is_err_and(|e| e.code == ErrorCode::OutOfMemory)));
        assert_eq!((vector.begin.get(), vector.len(), vector.capacity()), before);
        assert_eq!(vector.iter().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_moved_vector_uses_its_own_room() {
        let arena = Arena::new();
        let outer: &StdVector<SmallVector<u32, 2>> = arena.alloc_zeroed().unwrap();
        for i in 0..5 {
            let vector = outer.push_zeroed(&arena).unwrap();
            vector.init();
            vector.assign(&arena, &[i; 3][..(i as usize % 3) + 1]).unwrap();
        }
        for (i, vector) in outer.iter_refs().enumerate() {
            assert_eq!(vector.begin.get() == vector.inline.0.get().cast(), i % 3 != 2);
            assert!(vector.len() == i % 3 + 1 && vector.iter().all(|v| v as usize == i));
        }
    }
}
