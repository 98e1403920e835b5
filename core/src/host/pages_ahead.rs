//! A thread that makes the memory of a growing module ready: see [`crate::mem::ahead`]. It lives while one document is loaded, and
//! is at most a huge page ahead.
#![forbid(unsafe_code)]

use crate::mem::ahead::{Ahead, FreshPages};
use std::boxed::Box;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

struct Thread {
    pages: Option<Sender<FreshPages>>,
    handle: Option<JoinHandle<()>>,
}

impl Ahead for Thread {
    fn make_ready(&mut self, pages: FreshPages) {
        if let Some(sender) = &self.pages {
            // A thread that has ended has nothing to do with what a module contains.
            let _ = sender.send(pages);
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.pages = None;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// Starts such a thread, for [`ReadOptions::ahead`](crate::doc::ReadOptions::ahead); `None` where there is one core only, or the
/// system has no thread to give.
pub fn start() -> Option<Box<dyn Ahead>> {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        return None;
    }
    let (sender, receiver) = channel::<FreshPages>();
    let work = move || receiver.iter().for_each(|pages| pages.make_ready());
    let handle = Builder::new().name("bir-pages".into()).stack_size(64 << 10).spawn(work).ok()?;
    Some(Box::new(Thread { pages: Some(sender), handle: Some(handle) }))
}
