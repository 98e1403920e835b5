//! One thread's share of reading, comparing and hashing, all in one pass: files that could be equal are read side by side,
//! those that are equal so far are hashed as one, and one that differs from all others is let go at once.
//!
//! A thread has a fixed number of buffers, each with an open file. It fills them with the files of several tasks, so that
//! there is something to hash in every lane.
#![forbid(unsafe_code)]

use super::crew::Counter;
use super::facts::{Known, Run};
use super::file::{BUFFER, MAX_BUFFERS, Reader, buffer};
use super::plan::{BATCH, Plan, Task};
use crate::Error;
use crate::consts::digest::Md5;
use crate::consts::md5::{Kernel, Lanes, MAX_LANES, Piece};
use std::vec::Vec;

/// Which files are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    /// None; that they are equal is all that matters.
    None,
    /// Those that have an equal.
    Equal,
    /// All.
    All,
}

/// Files with the same bytes.
#[derive(Debug)]
pub(super) struct Equal {
    /// The files.
    pub files: Vec<usize>,
    /// The MD5 of their bytes, if it was needed.
    pub digest: Option<Md5>,
    /// Whether files of other tasks may be equal to these.
    pub cross: bool,
}

/// What a thread found out.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files that are equal; also single ones if they were to be hashed.
    pub equal: Vec<Equal>,
    /// What is wrong with files.
    pub problems: Vec<(usize, Error)>,
}

/// A buffer and the file that is read into it.
struct Slot<'f> {
    buffer: Vec<u8>,
    /// The part of the buffer that was read and not hashed.
    from: usize,
    to: usize,
    open: Option<(usize, Reader<'f>)>,
}

/// Files of a task that are equal as far as they were read.
struct Part {
    /// Their slots. The lane of the first one hashes for all.
    slots: Vec<usize>,
    /// Bytes that are still to be read.
    left: u64,
    /// Whether nothing was read yet.
    fresh: bool,
    hash: Hash,
    cross: bool,
}

impl Part {
    fn head(&self) -> usize {
        self.slots.first().copied().unwrap_or(usize::MAX)
    }
}

/// A thread at work.
pub(super) struct Worker<'f, 'r> {
    run: &'r Run<'f, 'r>,
    known: &'r [Known],
    plan: &'r Plan,
    next: &'r Counter,
    lanes: Lanes,
    slots: Vec<Slot<'r>>,
    free: Vec<usize>,
    parts: Vec<Part>,
    found: Found,
}

impl<'f, 'r> Worker<'f, 'r> {
    /// Works until no task is left.
    pub fn work(run: &'r Run<'f, 'r>, known: &'r [Known], plan: &'r Plan, next: &'r Counter) -> Result<Found, Error> {
        let kernel = Kernel::best();
        let count = kernel.lanes().clamp(BATCH, MAX_BUFFERS);
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
        for _ in 0..count {
            slots.push(Slot { buffer: buffer()?, from: 0, to: 0, open: None });
        }
        let free = (0..count).rev().collect();
        let (lanes, parts, found) = (Lanes::new(kernel), Vec::new(), Found::default());
        Worker { run, known, plan, next, lanes, slots, free, parts, found }.finish()
    }

    fn finish(mut self) -> Result<Found, Error> {
        let mut waiting = None;
        loop {
            self.run.check()?;
            while let Some(task) = waiting.take().or_else(|| self.next_task()) {
                if task.files.len() > self.free.len() {
                    waiting = Some(task);
                    break;
                }
                self.start(task);
            }
            if self.parts.is_empty() {
                self.run.tell();
                return Ok(self.found);
            }
            for part in core::mem::take(&mut self.parts) {
                let empty = self.slots.get(part.head()).is_none_or(|slot| slot.from == slot.to);
                if part.fresh || (empty && part.left > 0) {
                    self.read(part);
                } else {
                    self.parts.push(part);
                }
            }
            self.hash();
            for part in core::mem::take(&mut self.parts) {
                match self.lanes.take(part.head()) {
                    Some(digest) => self.done(part, Some(digest)),
                    None => self.parts.push(part),
                }
            }
            self.run.tell();
        }
    }

    fn next_task(&self) -> Option<&'r Task> {
        let range = self.next.take(1, self.plan.tasks.len())?;
        self.plan.tasks.get(range.start)
    }

    /// Opens the files of a task.
    fn start(&mut self, task: &Task) {
        let (mut slots, mut left) = (Vec::new(), 0);
        // It has no equal, and can be opened, as was seen when it was looked at.
        if task.files.len() == 1 && task.hash != Hash::All {
            let file = self.plan.order.get(task.files.start).and_then(|file| self.run.file(self.known, *file));
            self.run.passed(file.map_or(0, |(_, stamp)| stamp.length));
            return;
        }
        for &file in self.plan.order.get(task.files.clone()).unwrap_or_default() {
            let Some((path, stamp)) = self.run.file(self.known, file) else { continue };
            left = stamp.length;
            match Reader::open(path, stamp) {
                Ok(reader) => {
                    if let Some(free) = self.free.pop()
                        && let Some(slot) = self.slots.get_mut(free)
                    {
                        (slot.from, slot.to, slot.open) = (0, 0, Some((file, reader)));
                        slots.push(free);
                    }
                }
                Err(error) => {
                    self.run.passed(stamp.length);
                    self.found.problems.push((file, error));
                }
            }
        }
        if let Some(head) = slots.first() {
            if task.hash != Hash::None {
                self.lanes.begin(*head);
            }
            self.parts.push(Part { slots, left, fresh: true, hash: task.hash, cross: task.cross });
        }
    }

    /// Reads on in every file of a part, which falls into parts of files that are still equal.
    fn read(&mut self, part: Part) {
        let count = part.left.min(BUFFER as u64) as usize;
        let left = part.left - count as u64;
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut failed = Vec::new();
        for &index in &part.slots {
            let filled = match self.slots.get_mut(index) {
                Some(Slot { buffer, from, to, open: Some((file, reader)) }) => {
                    (*from, *to) = (0, count);
                    let filled = reader.fill(buffer.get_mut(..count).unwrap_or_default());
                    filled.map_err(|error| (*file, error))
                }
                _ => continue,
            };
            match filled {
                Ok(()) => {
                    self.run.passed(count as u64);
                    let bytes = self.bytes(index);
                    let same = groups.iter_mut().find(|g| g.first().is_some_and(|first| self.bytes(*first) == bytes));
                    match same {
                        Some(group) => group.push(index),
                        None => groups.push(std::vec![index]),
                    }
                }
                Err(problem) => {
                    self.run.passed(part.left);
                    self.found.problems.push(problem);
                    failed.push(index);
                }
            }
        }
        // What was hashed so far is the same for all of them.
        for &other in groups.iter().filter_map(|group| group.first()).filter(|first| **first != part.head()) {
            self.lanes.copy(part.head(), other);
        }
        failed.into_iter().for_each(|index| self.release(index));
        for slots in groups {
            let next = Part { slots, left, fresh: false, ..part };
            if next.slots.len() == 1 && next.hash != Hash::All {
                for index in next.slots {
                    self.run.passed(left);
                    self.checked(index);
                    self.release(index);
                }
            } else if next.hash == Hash::None {
                for &index in &next.slots {
                    if let Some(slot) = self.slots.get_mut(index) {
                        slot.from = slot.to;
                    }
                }
                if left == 0 { self.done(next, None) } else { self.parts.push(next) }
            } else {
                self.parts.push(next);
            }
        }
    }

    /// Hashes what was read, until a lane has nothing left.
    fn hash(&mut self) {
        let mut pieces = [Piece::default(); MAX_LANES];
        for part in &self.parts {
            if let (Some(piece), Some(slot)) = (pieces.get_mut(part.head()), self.slots.get(part.head())) {
                let bytes = slot.buffer.get(slot.from..slot.to).unwrap_or_default();
                *piece = Piece { bytes, last: part.left == 0 };
            }
        }
        self.lanes.advance(&mut pieces);
        let left = pieces.map(|piece| piece.bytes.len());
        for part in &self.parts {
            if let (Some(left), Some(slot)) = (left.get(part.head()), self.slots.get_mut(part.head())) {
                slot.from = slot.to.saturating_sub(*left);
            }
        }
    }

    /// Ends a part whose bytes were all read.
    fn done(&mut self, part: Part, digest: Option<Md5>) {
        let files: Vec<usize> = part.slots.iter().filter_map(|index| self.checked(*index)).collect();
        if !files.is_empty() {
            self.found.equal.push(Equal { files, digest, cross: part.cross });
        }
        part.slots.into_iter().for_each(|index| self.release(index));
    }

    /// The file of a slot if it is still what it was; else it gets a problem.
    fn checked(&mut self, index: usize) -> Option<usize> {
        let (file, reader) = self.slots.get(index)?.open.as_ref()?;
        match reader.check() {
            Ok(()) => Some(*file),
            Err(error) => {
                self.found.problems.push((*file, error));
                None
            }
        }
    }

    fn release(&mut self, index: usize) {
        self.lanes.stop(index);
        if let Some(slot) = self.slots.get_mut(index) {
            slot.open = None;
            self.free.push(index);
        }
    }

    /// What was read and not hashed.
    fn bytes(&self, index: usize) -> &[u8] {
        self.slots.get(index).and_then(|slot| slot.buffer.get(slot.from..slot.to)).unwrap_or_default()
    }
}
