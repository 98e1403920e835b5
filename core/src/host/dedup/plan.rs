//! Which large files have to be read together: those of one size and one sample, since no others can be equal.
#![forbid(unsafe_code)]

use super::facts::{Known, Run};
use super::worker::Hash;
use crate::Error;
use crate::fallible::push;
use core::ops::Range;
use std::vec::Vec;

/// The most files that one thread compares at a time.
pub(super) const BATCH: usize = 16;

/// Files of one size and sample that are read together.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// Where they stand in the plan's order.
    pub files: Range<usize>,
    /// Which digests are needed.
    pub hash: Hash,
    /// Whether files of other tasks may be equal to these.
    pub cross: bool,
}

/// What there is to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The files in the order of the tasks.
    pub order: Vec<usize>,
    /// The tasks.
    pub tasks: Vec<Task>,
}

impl Plan {
    /// Adds a task for some files of one size.
    pub fn add(&mut self, files: impl Iterator<Item = usize>, hash: Hash, cross: bool) {
        let from = self.order.len();
        self.order.extend(files);
        self.tasks.push(Task { files: from..self.order.len(), hash, cross });
    }
}

/// Makes the plan for all files that are larger than a buffer.
pub(super) fn plan(run: &Run<'_, '_>, known: &[Known]) -> Result<Plan, Error> {
    let mut order: Vec<(u64, u32, usize)> = Vec::new();
    for (file, known) in known.iter().enumerate() {
        if let Known::Large { stamp, print, .. } = known {
            push(&mut order, (stamp.length, *print, file))?;
        }
    }
    order.sort_unstable();
    let mut plan = Plan::default();
    for class in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let cross = class.len() > BATCH;
        for batch in class.chunks(BATCH) {
            let asked = batch.iter().any(|file| run.wants(file.2));
            let hash = if cross || asked { Hash::All } else { run.hash() };
            plan.add(batch.iter().map(|file| file.2), hash, cross);
        }
    }
    Ok(plan)
}
