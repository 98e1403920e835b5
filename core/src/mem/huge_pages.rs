//! Huge pages under large arenas: a module of gigabytes is touched once from end to end while it is loaded, and with pages of
//! 4 KiB a third of that time is spent in the kernel's page faults.
//!
//! A hint and no more: what the system makes of it changes no result, and systems without it have nothing to do.
#![allow(unsafe_code)]

use core::ptr::NonNull;

/// The size and alignment of a huge page on the targets that have the hint, in bytes; 0 on others.
pub(super) const PAGE: usize = if cfg!(all(feature = "std", target_os = "linux")) { 2 << 20 } else { 0 };

/// Asks for huge pages under the whole ones within `size` bytes from `start`, which are the caller's. Gives how many bytes come
/// before them and how many they are; `None` if there are none.
#[cfg(all(feature = "std", target_os = "linux"))]
pub(super) fn advise(start: NonNull<u8>, size: usize) -> Option<(usize, usize)> {
    let from = start.addr().get();
    let end = from.saturating_add(size) / PAGE * PAGE;
    let first = from.checked_next_multiple_of(PAGE).filter(|first| *first < end)?;
    // SAFETY:
    // - the range lies within memory of the caller, and the hint changes neither contents nor access
    unsafe { libc::madvise(start.as_ptr().with_addr(first).cast(), end - first, libc::MADV_HUGEPAGE) };
    Some((first - from, end - first))
}

/// This system has no such hint.
#[cfg(not(all(feature = "std", target_os = "linux")))]
pub(super) fn advise(_: NonNull<u8>, _: usize) -> Option<(usize, usize)> {
    None
}

/// As [`advise`], for all pages that have a part of the `size` bytes from `start`. Memory that an allocator has mapped for one block
/// stays in one piece then, as it must if the system is to move it when it grows.
#[cfg(all(feature = "std", target_os = "linux"))]
pub(crate) fn advise_around(start: NonNull<u8>, size: usize) {
    const USUAL: usize = 4 << 10;
    let before = start.addr().get() % USUAL;
    let first = start.as_ptr().wrapping_sub(before);
    // SAFETY:
    // - the hint changes neither contents nor access, of other memory on the same pages neither;
    // - a range that the system does not take is refused by it, and nothing depends on the answer
    unsafe { libc::madvise(first.cast(), size.saturating_add(before), libc::MADV_HUGEPAGE) };
}

/// This system has no such hint.
#[cfg(not(all(feature = "std", target_os = "linux")))]
pub(crate) fn advise_around(_: NonNull<u8>, _: usize) {}

/// Has the system make `size` bytes from `start` ready, as a write would, but for what they contain. Where nothing is mapped, it
/// refuses.
#[cfg(all(feature = "std", target_os = "linux"))]
pub(super) fn populate(start: usize, size: usize) {
    let start = core::ptr::without_provenance_mut::<u8>(start);
    // SAFETY:
    // - this neither reads nor changes what the memory contains, whoever it belongs to, nor who may access it
    unsafe { libc::madvise(start.cast(), size, libc::MADV_POPULATE_WRITE) };
}

/// This system has no such hint.
#[cfg(not(all(feature = "std", target_os = "linux")))]
pub(super) fn populate(_: usize, _: usize) {}
