//! Memory asked for before it is needed: a module is many times larger than a processor's caches, and objects of a list lie behind
//! pointers, so a walk that does little with each waits for memory most of its time.
//!
//! A hint and no more: it reads nothing and fails for no address. Processors without it have nothing to do.
#![allow(unsafe_code)]

/// Bytes that come from memory together.
const LINE: usize = 64;

/// Asks for the first `bytes` bytes from `object` on, which may be more than the object has.
#[inline(always)]
pub(crate) fn prefetch<T>(object: &T, bytes: usize) {
    let start = core::ptr::from_ref(object).cast::<i8>();
    for offset in (0..bytes).step_by(LINE) {
        line(start.wrapping_add(offset));
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
#[inline(always)]
fn line(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY:
    // - the instruction is part of the target, and takes any address: it neither reads for the program nor faults
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

/// This processor has no such hint.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
#[inline(always)]
fn line(_: *const i8) {}
