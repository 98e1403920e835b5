//! A program without operating system that uses the core: what it does not bring along itself must not be needed.
#![no_std]
#![allow(unsafe_code)]

extern crate alloc;

use alloc::string::ToString;
use bir_core::{Error, ErrorCode};
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;

const HEAP_BYTES: usize = 256 * 1024;

#[repr(align(16))]
struct Memory([u8; HEAP_BYTES]);

/// Hands out a fixed piece of memory from its start to its end and takes nothing back.
struct Bump {
    memory: UnsafeCell<Memory>,
    used: UnsafeCell<usize>,
}

// SAFETY: the program has one thread and no interrupt handlers, so nothing is shared.
unsafe impl Sync for Bump {}

// SAFETY:
// - pieces are aligned as asked for (`next_multiple_of` on the address) and lie inside `memory`;
// - they never overlap, because `used` only grows.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the pointer is that of `memory`; no reference is made.
        let base = unsafe { &raw mut (*self.memory.get()).0 }.cast::<u8>();
        // SAFETY: one thread, and no reference to `used` outlives this function.
        let used = unsafe { &mut *self.used.get() };
        let address = base as usize + *used;
        let start = *used + (address.next_multiple_of(layout.align()) - address);
        match start.checked_add(layout.size()) {
            Some(end) if end <= HEAP_BYTES => {
                *used = end;
                // SAFETY: `start` is at most `HEAP_BYTES`.
                unsafe { base.add(start) }
            }
            _ => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Bump = Bump { memory: UnsafeCell::new(Memory([0; HEAP_BYTES])), used: UnsafeCell::new(0) };

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// The entry: builds an error, as firmware that refuses a document would, and returns the length of its text.
#[unsafe(no_mangle)]
pub extern "C" fn probe_start() -> usize {
    let error = Error::new(ErrorCode::BadValue, format_args!("{} is out of range", 7)).at("functions[0]");
    error.to_string().len()
}
