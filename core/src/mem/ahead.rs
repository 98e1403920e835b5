//! Memory that is made ready before it is used: a module of gigabytes is written from end to end while it is loaded, and the
//! system clears every page first. Where another core has nothing to do, it can have the page cleared by then.
//!
//! This room has no threads, so it only says what comes next; `host` has somebody who listens. Nothing but the time depends on it.
#![forbid(unsafe_code)]

use super::huge_pages;
use alloc::boxed::Box;

/// Pages of an arena that it will use next.
#[derive(Debug)]
pub struct FreshPages {
    pub(super) start: usize,
    pub(super) size: usize,
}

impl FreshPages {
    pub(super) fn new(start: usize, size: usize) -> FreshPages {
        FreshPages { start, size }
    }

    /// Has the system make them ready. It may refuse: then the one who uses them has to wait as ever.
    pub fn make_ready(&self) {
        huge_pages::populate(self.start, self.size);
    }
}

/// Somebody who makes pages ready while others work. Dropping it waits for what it has begun.
pub trait Ahead: Send {
    /// Takes pages to make ready, soon.
    fn make_ready(&mut self, pages: FreshPages);
}

/// Begins with it, if it can be done here. Asked once an arena grows large.
pub type StartAhead = fn() -> Option<Box<dyn Ahead>>;
