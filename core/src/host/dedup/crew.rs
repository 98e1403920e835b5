//! All cores, for work that nobody can tell apart from that of one.
#![forbid(unsafe_code)]

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};
use std::vec::Vec;

/// Runs `work` on up to `threads` threads, this one included; what each made, in no order that means anything.
pub(super) fn crew<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        // A system that has no more threads gets along with fewer.
        let others: Vec<_> = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut made = Vec::new();
        made.push(work());
        for other in others {
            match other.join() {
                Ok(result) => made.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        made
    })
}

/// Numbers that are given out, each to one thread.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicUsize);

impl Counter {
    /// The next `count` numbers below `end`, or what is left of them.
    pub fn take(&self, count: usize, end: usize) -> Option<Range<usize>> {
        let from = self.0.fetch_add(count, Ordering::Relaxed);
        (from < end).then(|| from..from.saturating_add(count).min(end))
    }
}
