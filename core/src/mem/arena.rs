//! One place for everything a module owns: objects never move, are never freed alone, and go all at once.
#![allow(unsafe_code)]

use super::ahead::StartAhead;
use super::chunks::{Chunks, GRAIN};
use super::hash_node::Spare;
use super::zeroable::Zeroable;
use crate::error::{Error, Result, bail};
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

/// A bump arena with fallible allocation, a memory limit and failure injection.
///
/// Memory comes zeroed and stays at its address until the arena is dropped. Nothing in it is dropped. The arena may move to
/// another thread with all that lies in it, but is not shared between threads.
#[derive(Default)]
pub struct Arena {
    chunks: Chunks,
    used: Cell<u64>,
    limit: Cell<Option<u64>>,
    fail_after: Cell<Option<u64>>,
    /// What the symbol tables of this arena gave back or hold in readiness.
    pub(super) spare: Spare,
}

// SAFETY:
// - the only parts that are not `Send` by themselves are pointers of `spare`, and those point to memory of this very arena
// - every borrow of the memory is tied to a borrow of the arena, so none exists while the arena moves
unsafe impl Send for Arena {}

impl Arena {
    /// An empty arena. It takes no memory from the system before the first allocation.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Sets the limit of [`used_bytes`](Self::used_bytes), in bytes; `None` lifts it. An allocation that would exceed it
    /// is `OutOfMemory`. What is in use already stays valid, even above the limit.
    pub fn set_limit(&self, bytes: Option<u64>) {
        self.limit.set(bytes);
    }

    /// From here on, once it grows large, the arena asks `start` for somebody who makes its memory ready before it is used; `None`
    /// ends that, and waits for what was begun.
    pub fn set_ahead(&self, start: Option<StartAhead>) {
        self.chunks.set_ahead(start);
    }

    /// The limit of [`used_bytes`](Self::used_bytes), in bytes; `None` if there is none.
    pub fn limit(&self) -> Option<u64> {
        self.limit.get()
    }

    /// Bytes handed out, with the padding up to each allocation's alignment (8 at least).
    pub fn used_bytes(&self) -> u64 {
        self.used.get()
    }

    /// Bytes taken from the system, unused ones and bookkeeping included.
    pub fn reserved_bytes(&self) -> u64 {
        self.chunks.reserved()
    }

    /// Failure injection for tests: that many more allocations succeed, then every one is `OutOfMemory`; `None` ends it.
    pub fn fail_after(&self, allocations: Option<u64>) {
        self.fail_after.set(allocations);
    }

    /// Allocates zeroed bytes of the given size and alignment. A size of 0 is served as 1, so that every address is one
    /// object's own.
    ///
    /// The address is exposed: `core::ptr::with_exposed_provenance` may make a pointer to any part of the allocation from
    /// a number, e.g. to an object from the address of a list node inside it.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` if the system refuses, or if the limit (which the message names) would be exceeded.
    #[inline]
    pub fn alloc_layout(&self, layout: Layout) -> Result<NonNull<u8>> {
        // An alignment is a power of two, and a `Layout` guarantees that rounding up to its own does not overflow; the grain may be
        // larger.
        let mask = layout.align().max(GRAIN) - 1;
        let Some(size) = layout.size().max(1).checked_add(mask) else { return Err(Error::out_of_memory()) };
        let size = (size & !mask) as u64;
        let used = self.used.get();
        let total = used.saturating_add(size);
        if self.limit.get().is_some() || self.fail_after.get().is_some() {
            self.check(used, size, total)?;
        }
        let Some(start) = self.chunks.alloc(layout) else { return Err(Error::out_of_memory()) };
        start.as_ptr().expose_provenance();
        self.used.set(total);
        Ok(start)
    }

    /// Checks an allocation against the limit and the failure that was ordered.
    #[cold]
    #[inline(never)]
    fn check(&self, used: u64, size: u64, total: u64) -> Result<()> {
        if let Some(limit) = self.limit.get().filter(|limit| total > *limit) {
            bail!(
                OutOfMemory,
                "the memory limit of {limit} bytes is reached: {used} are in use, {size} more are needed"
            );
        }
        if let Some(left) = self.fail_after.get() {
            let Some(left) = left.checked_sub(1) else { return Err(Error::out_of_memory()) };
            self.fail_after.set(Some(left));
        }
        Ok(())
    }

    /// Allocates an object of zero bytes.
    ///
    /// # Errors
    ///
    /// As [`alloc_layout`](Self::alloc_layout).
    pub fn alloc_zeroed<T: Zeroable>(&self) -> Result<&T> {
        const { assert!(!core::mem::needs_drop::<T>(), "arena objects have no destructor") };
        let start = self.alloc_layout(Layout::new::<T>())?.cast::<T>();
        // SAFETY:
        // - the memory has the size and alignment of T and is zero, which `Zeroable` makes a valid T
        // - it stays in place as long as the arena, which the result borrows
        // - only shared references to it are ever made
        Ok(unsafe { start.as_ref() })
    }

    /// Allocates a copy of `bytes`, which nobody changes. No bytes cost no memory.
    ///
    /// # Errors
    ///
    /// As [`alloc_layout`](Self::alloc_layout).
    pub fn alloc_bytes(&self, bytes: &[u8]) -> Result<&[u8]> {
        if bytes.is_empty() {
            return Ok(&[]);
        }
        let start = self.alloc_layout(Layout::for_value(bytes))?;
        // SAFETY:
        // - the allocation has `bytes.len()` bytes, is fresh and so apart from `bytes`, and is initialised
        // - it stays in place as long as the arena, which the result borrows, and is not written again
        unsafe {
            start.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
            Ok(core::slice::from_raw_parts(start.as_ptr(), bytes.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use std::string::ToString;

    #[test]
    fn hands_out_zeroed_aligned_memory() {
        let arena = Arena::new();
        assert_eq!((arena.used_bytes(), arena.reserved_bytes()), (0, 0));
        for align in [1, 2, 4, 8, 16, 64, 4096] {
            for size in [0, 1, 7, 8, 24, 5000] {
                let start = arena.alloc_layout(Layout::from_size_align(size, align).unwrap()).unwrap();
                assert_eq!(start.addr().get() % align, 0);
                // SAFETY:
                // - `size` bytes at `start` were just allocated and initialised
                let bytes = unsafe { core::slice::from_raw_parts(start.as_ptr(), size) };
                assert!(bytes.iter().all(|b| *b == 0));
                // SAFETY:
                // - as above, and `bytes` is not used any more
                unsafe { start.write_bytes(0xFF, size) };
            }
        }
        let used = arena.used_bytes();
        assert!(arena.reserved_bytes() >= used);
        let value = arena.alloc_zeroed::<[Cell<u32>; 3]>().unwrap();
        assert_eq!(value.each_ref().map(Cell::get), [0; 3]);
        assert_eq!(arena.used_bytes(), used + 16);
        assert_eq!(arena.alloc_bytes(b"").unwrap(), b"");
        assert_eq!(arena.alloc_bytes(b"abc").unwrap(), b"abc");
        assert_eq!(arena.used_bytes(), used + 24);
    }

    #[test]
    fn zero_sized_requests_have_their_own_addresses() {
        let arena = Arena::new();
        let empty = Layout::from_size_align(0, 1).unwrap();
        assert_ne!(arena.alloc_layout(empty).unwrap(), arena.alloc_layout(empty).unwrap());
    }

    #[test]
    fn keeps_the_limit_and_names_it() {
        let arena = Arena::new();
        arena.set_limit(Some(20));
        arena.alloc_bytes(b"0123456789").unwrap();
        let error = arena.alloc_bytes(b"x").unwrap_err();
        assert_eq!(error.code, ErrorCode::OutOfMemory);
        assert_eq!(error.to_string(), "the memory limit of 20 bytes is reached: 16 are in use, 8 more are needed");
        assert_eq!(arena.used_bytes(), 16);
        arena.set_limit(Some(24));
        arena.alloc_bytes(b"x").unwrap();
        arena.set_limit(None);
        arena.alloc_bytes(&[1; 5000]).unwrap();
    }

    #[test]
    fn refuses_what_no_system_can_give() {
        let arena = Arena::new();
        for align in [1, 8, 4096] {
            for size in [isize::MAX as usize - (align - 1), isize::MAX as usize / 2] {
                let layout = Layout::from_size_align(size, align).unwrap();
                assert_eq!(arena.alloc_layout(layout).unwrap_err().code, ErrorCode::OutOfMemory);
            }
        }
        assert_eq!(arena.used_bytes(), 0);
        arena.alloc_bytes(b"still fine").unwrap();
    }

    #[test]
    fn injected_failures_come_when_ordered() {
        let arena = Arena::new();
        arena.fail_after(Some(2));
        assert!(arena.alloc_bytes(b"a").is_ok());
        assert!(arena.alloc_bytes(b"b").is_ok());
        assert_eq!(arena.alloc_bytes(b"c").unwrap_err().code, ErrorCode::OutOfMemory);
        assert!(arena.alloc_bytes(b"d").is_err());
        arena.fail_after(None);
        assert!(arena.alloc_bytes(b"e").is_ok());
    }

    #[test]
    fn moves_between_threads() {
        let arena = Arena::new();
        arena.alloc_bytes(b"made here").unwrap();
        let arena = std::thread::spawn(move || {
            arena.alloc_bytes(b"and there").unwrap();
            arena
        });
        assert_eq!(arena.join().unwrap().used_bytes(), 32);
    }
}
