//! Counts what a test takes from the allocator, which fails on demand.
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

thread_local! {
    /// Bytes in use, the most there were since [`peak`] began, and allocations that may still succeed.
    static USED: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The system's allocator, counted per thread, and failing on demand.
struct Counting;

impl Counting {
    fn take(bytes: usize) -> bool {
        if let Some(left) = LEFT.get() {
            let Some(left) = left.checked_sub(1) else { return false };
            LEFT.set(Some(left));
        }
        USED.set(USED.get().saturating_add(bytes));
        PEAK.set(PEAK.get().max(USED.get()));
        true
    }

    fn give(bytes: usize) {
        USED.set(USED.get().saturating_sub(bytes));
    }
}

// SAFETY:
// - all memory comes from and goes to the system's allocator, with the layouts that the caller gives
// - the counters are plain thread-local numbers, which need no allocation
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Counting::take(layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        Counting::give(layout.size());
        // SAFETY: the caller's memory and layout, which came from the system.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` gives, and the most memory it had in use at a time.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = USED.get();
    PEAK.set(before);
    let value = work();
    (value, PEAK.get() - before)
}

/// What `work` gives if so many of its allocations succeed, and the others fail.
pub fn with_allocations<T>(count: usize, work: impl FnOnce() -> T) -> T {
    LEFT.set(Some(count));
    let value = work();
    LEFT.set(None);
    value
}
