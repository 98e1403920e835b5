//! The memory of an arena: chunks that are used up from their start to their end and go all at once.
//!
//! Chunks come zeroed from the allocator, and large ones from a system that hands out zero pages anyway. So what is allocated
//! is zero without being written: of an object that is mostly empty, such as a schedule block, most pages and cache lines are
//! never touched. A general bump arena cannot know that its memory is zero, and would have it written once more.
#![allow(unsafe_code)]
#![allow(clippy::unnecessary_min_or_max)] // A page is 0 bytes where there are no huge ones.

use super::ahead::{Ahead, FreshPages, StartAhead};
use super::huge_pages;
use alloc::alloc::{alloc_zeroed, dealloc};
use alloc::boxed::Box;
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

/// Every allocation is a multiple of this many bytes, which is the alignment of nearly all objects.
pub(super) const GRAIN: usize = 8;
/// The alignment of chunks.
const ALIGN: usize = 16;
/// Bytes of the first chunk. Each chunk is twice as large as the one before, up to [`LARGEST`] or what one allocation needs.
const FIRST: usize = 1 << 10;
/// Bytes of a chunk, unless one allocation needs more: beyond this, doubling would only reserve what may never be used.
const LARGEST: usize = 64 << 20;
/// Chunks that would be larger than this have two huge pages at least, where there are any, and begin and end with them: every page
/// of a usual size costs a fault of its own, five hundred at each end of a chunk.
const SMALL: usize = 512 << 10;

/// What stands at the start of a chunk.
struct Header {
    /// The chunk before.
    previous: *mut Header,
    /// Bytes of the chunk, this header included.
    size: usize,
}

/// The chunks, of which the last one is being used up.
pub(super) struct Chunks {
    last: Cell<*mut Header>,
    /// Where the next allocation can start, in the last chunk.
    next: Cell<*mut u8>,
    /// Bytes from there to the end of the chunk, or of what is open of it.
    left: Cell<usize>,
    /// Bytes of the last chunk behind that, which are opened page by page: so it shows when the next page is due.
    closed: Cell<usize>,
    reserved: Cell<u64>,
    /// Who makes pages ready, and how to begin with it once there are any.
    ahead: Cell<Option<Box<dyn Ahead>>>,
    start_ahead: Cell<Option<StartAhead>>,
}

impl Default for Chunks {
    fn default() -> Self {
        Chunks {
            last: Cell::new(ptr::null_mut()),
            next: Cell::new(ptr::null_mut()),
            left: Cell::new(0),
            closed: Cell::new(0),
            reserved: Cell::new(0),
            ahead: Cell::new(None),
            start_ahead: Cell::new(None),
        }
    }
}

impl Chunks {
    /// Bytes taken from the system.
    pub(super) fn reserved(&self) -> u64 {
        self.reserved.get()
    }

    /// Zeroed bytes that nobody has, one at least; `None` if the system refuses.
    #[inline]
    pub(super) fn alloc(&self, layout: Layout) -> Option<NonNull<u8>> {
        let align = layout.align().max(GRAIN);
        let size = layout.size().max(1).checked_add(GRAIN - 1)? & !(GRAIN - 1);
        match self.take(size, align) {
            Some(start) => Some(start),
            None => {
                self.grow(size, align)?;
                self.take(size, align)
            }
        }
    }

    /// From here on `start` is asked for somebody who makes pages ready; `None` ends that, and waits for it.
    pub(super) fn set_ahead(&self, start: Option<StartAhead>) {
        self.start_ahead.set(start);
        self.ahead.set(None);
        if start.is_none() {
            self.left.set(self.left.get() + self.closed.replace(0));
        }
    }

    /// Opens more of the last chunk, or makes one, so that such an allocation fits.
    #[cold]
    #[inline(never)]
    fn grow(&self, size: usize, align: usize) -> Option<()> {
        let needed = size.checked_add(align)?;
        let (left, closed) = (self.left.get(), self.closed.get());
        if needed > left.saturating_add(closed) {
            return self.add_chunk(size, align);
        }
        let more = needed.saturating_sub(left).checked_next_multiple_of(huge_pages::PAGE.max(1))?.min(closed);
        self.left.set(left + more);
        self.closed.set(closed - more);
        self.call_ahead();
        Some(())
    }

    /// Has the page made ready that is opened next.
    fn call_ahead(&self) {
        let size = self.closed.get().min(huge_pages::PAGE);
        if size == 0 {
            return;
        }
        let mut ahead = self.ahead.take().or_else(|| self.start_ahead.take().and_then(|start| start()));
        if let Some(ahead) = &mut ahead {
            ahead.make_ready(FreshPages::new(self.next.get().addr() + self.left.get(), size));
        }
        self.ahead.set(ahead);
    }

    /// Takes bytes from the last chunk, if there are enough.
    #[inline(always)]
    fn take(&self, size: usize, align: usize) -> Option<NonNull<u8>> {
        let next = self.next.get();
        let gap = next.addr().wrapping_neg() & (align - 1);
        let left = self.left.get().checked_sub(gap)?.checked_sub(size)?;
        let start = next.wrapping_add(gap);
        // Null before the first chunk only, when nothing but no bytes at all would fit.
        let start = NonNull::new(start)?;
        self.next.set(start.as_ptr().wrapping_add(size));
        self.left.set(left);
        Some(start)
    }

    /// Makes a chunk in which such an allocation fits; what was left of the last one is given up.
    fn add_chunk(&self, size: usize, align: usize) -> Option<()> {
        let last = self.last.get();
        // SAFETY: null or the header of a chunk of ours, which lives until `drop`.
        let before = unsafe { last.as_ref() }.map_or(FIRST / 2, |header| header.size);
        let wanted = before.saturating_mul(2).min(LARGEST);
        let needed = size_of::<Header>().checked_add(size)?.checked_add(align)?;
        let mut total = wanted.max(needed);
        if total > SMALL {
            // One page more, for what lies before the first whole one and behind the last.
            total = total.max(2 * huge_pages::PAGE).checked_add(huge_pages::PAGE)?;
        }
        let total = total.checked_next_multiple_of(ALIGN)?;
        let layout = Layout::from_size_align(total, ALIGN).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let whole = huge_pages::advise(start, total).filter(|(_, size)| *size >= needed);
        let (skipped, usable) = whole.unwrap_or((size_of::<Header>(), total - size_of::<Header>()));
        let header = start.cast::<Header>();
        // SAFETY: the chunk is fresh, large enough for a header, and aligned for it.
        unsafe { header.write(Header { previous: last, size: total }) };
        self.last.set(header.as_ptr());
        self.next.set(start.as_ptr().wrapping_add(skipped.max(size_of::<Header>())));
        let left = usable - size_of::<Header>().saturating_sub(skipped);
        let ahead = self.ahead.take();
        let is_watched = ahead.is_some() || self.start_ahead.get().is_some();
        self.ahead.set(ahead);
        // What is in whole pages is opened one after the other.
        let closed = match whole {
            Some((_, whole)) if is_watched => (whole - huge_pages::PAGE).min(left.saturating_sub(needed)),
            _ => 0,
        };
        let closed = closed / huge_pages::PAGE.max(1) * huge_pages::PAGE;
        self.left.set(left - closed);
        self.closed.set(closed);
        self.reserved.set(self.reserved.get().saturating_add(total as u64));
        self.call_ahead();
        Some(())
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        // Nobody makes pages ready that are gone.
        self.ahead.set(None);
        let mut chunk = self.last.get();
        // SAFETY:
        // - the headers form a chain that ends with null, and each is read before its chunk goes
        // - each chunk was allocated with this size and alignment, and nobody uses it after its arena
        while let Some(Header { previous, size }) = unsafe { chunk.as_ref() } {
            let (previous, layout) = (*previous, Layout::from_size_align(*size, ALIGN));
            if let Ok(layout) = layout {
                // SAFETY: see above.
                unsafe { dealloc(chunk.cast(), layout) };
            }
            chunk = previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn allocations_are_zero_aligned_and_apart() {
        let chunks = Chunks::default();
        assert_eq!(chunks.reserved(), 0);
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let mut total = 0;
        for round in 0..300 {
            for align in [1, 8, 16, 64, 4096] {
                let size = round * 37 % 5000 + 1;
                let start = chunks.alloc(Layout::from_size_align(size, align).unwrap()).unwrap();
                assert_eq!(start.addr().get() % align.max(GRAIN), 0);
                // SAFETY:
                // - these bytes were just allocated, are zero, and nobody else has them
                let bytes = unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), size) };
                assert!(bytes.iter().all(|b| *b == 0));
                bytes.fill(0xFF);
                taken.push((start.addr().get(), size));
                total += size as u64;
            }
        }
        taken.sort_unstable();
        assert!(taken.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
        assert!(chunks.reserved() >= total && chunks.reserved() < 4 * total + (LARGEST as u64));
    }

    #[test]
    fn large_chunks_begin_and_end_with_huge_pages() {
        let chunks = Chunks::default();
        let layout = Layout::from_size_align(4096, 8).unwrap();
        // What is left of a chunk is given up, so the end of one is where the next begins.
        let (mut large, mut last) = (0, 0_usize);
        for _ in 0..(40 << 20) / 4096 {
            let before = chunks.reserved();
            let start = chunks.alloc(layout).unwrap().addr().get();
            let added = chunks.reserved() - before;
            if added > SMALL as u64 && huge_pages::PAGE != 0 {
                // Only the header may come before, if the system gave a chunk that begins with a whole page.
                assert!(start % huge_pages::PAGE <= size_of::<Header>());
                assert!(large == 0 || last.next_multiple_of(huge_pages::PAGE) - last <= 4096);
                assert!(added >= 3 * huge_pages::PAGE as u64);
                large += 1;
            }
            last = start + 4096;
        }
        assert!(huge_pages::PAGE == 0 || large >= 3);
    }

    /// Notes what it is asked for.
    struct Notes(std::sync::mpsc::Sender<FreshPages>);

    impl Ahead for Notes {
        fn make_ready(&mut self, pages: FreshPages) {
            pages.make_ready();
            self.0.send(pages).unwrap();
        }
    }

    std::thread_local! {
        static NOTED: Cell<Option<std::sync::mpsc::Sender<FreshPages>>> = const { Cell::new(None) };
    }

    #[test]
    fn pages_are_called_for_before_they_are_used_and_no_earlier() {
        let (sender, noted) = std::sync::mpsc::channel();
        NOTED.set(Some(sender));
        let chunks = Chunks::default();
        chunks.set_ahead(Some(|| Some(Box::new(Notes(NOTED.take()?)))));
        let layout = Layout::from_size_align(5000, 8).unwrap();
        let (mut pages, mut taken): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let page_of = |address: usize| address / huge_pages::PAGE.max(1);
        for _ in 0..(40 << 20) / 5000 {
            let start = chunks.alloc(layout).unwrap();
            // SAFETY:
            // - these bytes were just allocated, are zero, and nobody else has them
            let bytes = unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), 5000) };
            assert!(bytes.iter().all(|b| *b == 0));
            bytes.fill(0xFF);
            taken.push(start.addr().get());
            for called in noted.try_iter() {
                assert!(called.start.is_multiple_of(huge_pages::PAGE) && called.size == huge_pages::PAGE);
                pages.push(page_of(called.start));
            }
            // Only the page that was called for last may be unused.
            let used =
                |page: &usize| taken.iter().rev().take(900).any(|t| (page_of(*t)..=page_of(*t + 4999)).contains(page));
            assert!(pages.iter().rev().nth(1).is_none_or(|page| used(page) || pages.last().is_some_and(used)));
        }
        let calls = pages.len();
        pages.sort_unstable();
        pages.dedup();
        assert_eq!(pages.len(), calls, "no page is called for twice");
        assert!(huge_pages::PAGE == 0 || calls >= 10);
        let used = pages.iter().filter(|page| taken.iter().any(|t| page_of(*t) == **page));
        assert!(used.count() + 1 >= calls);
        chunks.set_ahead(None);
        NOTED.set(None);
        assert!(noted.recv().is_err(), "nobody is left to call");
        let mut sorted = taken.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 5000));
        let large = chunks.alloc(Layout::from_size_align(3 << 20, 4096).unwrap()).unwrap();
        assert_eq!(large.addr().get() % 4096, 0);
    }

    #[test]
    fn chunks_grow_to_a_limit_and_take_what_is_larger() {
        let chunks = Chunks::default();
        let small = Layout::from_size_align(24, 8).unwrap();
        chunks.alloc(small).unwrap();
        assert_eq!(chunks.reserved(), FIRST as u64);
        let large = Layout::from_size_align(LARGEST + 5, 8).unwrap();
        chunks.alloc(large).unwrap();
        let most = (LARGEST + 2 * FIRST + 2 * huge_pages::PAGE) as u64;
        assert!(chunks.reserved() > (LARGEST + FIRST) as u64 && chunks.reserved() < most);
        chunks.alloc(small).unwrap();
        assert!(chunks.reserved() <= 2 * most);
        assert_eq!(chunks.alloc(Layout::from_size_align(isize::MAX as usize - 15, 16).unwrap()), None);
        chunks.alloc(small).unwrap();
    }
}
