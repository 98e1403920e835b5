//! Which large files have to be read together. Only files of one size can be equal; of many, a sample of each tells most apart.
#![forbid(unsafe_code)]

use super::crew::{Counter, crew};
use super::facts::{Known, Run};
use super::file::{BUFFER, sample};
use super::worker::Hash;
use crate::Error;
use core::ops::Range;
use std::vec::Vec;

/// The most files that one thread compares at a time.
pub(super) const BATCH: usize = 16;

/// Files of one size that are read together.
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

/// Makes the plan for all files that are larger than a buffer; those that cannot be sampled get their problem.
pub(super) fn plan(run: &Run<'_, '_>, known: &[Known], problems: &mut [Option<Error>]) -> Result<Plan, Error> {
    let large = known.iter().enumerate().filter_map(|(file, known)| Some((known.identity()?.size, 0, file)));
    let mut order: Vec<(u64, u32, usize)> = large.filter(|file| file.0 > BUFFER as u64).collect();
    order.sort_unstable();

    let many = order.chunk_by(|a, b| a.0 == b.0).filter(|files| files.len() > BATCH);
    let many: Vec<usize> = many.flatten().map(|file| file.2).collect();
    if !many.is_empty() {
        let (counter, many) = (Counter::default(), &many);
        let sampled = crew(run.threads.min(many.len()), || {
            let mut sampled = Vec::new();
            while run.goes_on()
                && let Some(range) = counter.take(BATCH, many.len())
            {
                for &file in many.get(range).unwrap_or_default() {
                    if let Some((path, identity)) = run.file(known, file) {
                        sampled.push((file, sample(path, identity)));
                    }
                }
            }
            sampled
        });
        run.check()?;
        let mut samples = std::vec![0; known.len()];
        for (file, sample) in sampled.into_iter().flatten() {
            match (sample, samples.get_mut(file), problems.get_mut(file)) {
                (Ok(number), Some(to), _) => *to = number,
                (Err(error), _, Some(to)) => *to = Some(error),
                _ => {}
            }
        }
        order.retain(|file| problems.get(file.2).is_some_and(Option::is_none));
        for file in &mut order {
            file.1 = samples.get(file.2).copied().unwrap_or_default();
        }
        order.sort_unstable();
    }

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
