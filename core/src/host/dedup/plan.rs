//! Which files have to be read together. Only files of one size can be equal; of many large ones a sample of each tells most
//! apart.
#![forbid(unsafe_code)]

use super::crew::{Counter, crew};
use super::facts::{Run, Subject};
use super::file::{BUFFER, sample};
use crate::Error;
use core::ops::Range;
use std::vec::Vec;

/// The most files that one thread compares at a time.
pub(super) const BATCH: usize = 16;

/// Files from this size on are sampled, in bytes; below, reading all of one takes no longer.
const SAMPLED: u64 = 4 * BUFFER as u64;

/// Files of one size that are read together.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// Where they stand in the plan's order.
    pub files: Range<usize>,
    /// Whether the digest of each is needed.
    pub hash: bool,
    /// Whether files of other tasks may be equal to these.
    pub cross: bool,
}

/// What there is to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The files that could be looked at.
    pub order: Vec<usize>,
    /// The tasks.
    pub tasks: Vec<Task>,
}

/// Makes the plan of a run; files that cannot be sampled get their problem.
pub(super) fn plan(run: &Run<'_, '_>, problems: &mut [Option<Error>]) -> Result<Plan, Error> {
    let mut order: Vec<(u64, u64, usize)> = Vec::new();
    order.try_reserve_exact(run.subjects.len()).map_err(|_| Error::out_of_memory())?;
    order.extend(run.identities.iter().enumerate().filter_map(|(i, found)| Some((found.as_ref()?.size, 0, i))));
    order.sort_unstable();

    let large = order.chunk_by(|a, b| a.0 == b.0).filter(|files| files.len() > BATCH);
    let large: Vec<usize> = large.flatten().filter(|file| file.0 >= SAMPLED).map(|file| file.2).collect();
    if !large.is_empty() {
        let (counter, large) = (Counter::default(), &large);
        let sampled = crew(run.threads.min(large.len()), || {
            let mut sampled = Vec::new();
            while run.goes_on()
                && let Some(range) = counter.take(BATCH, large.len())
            {
                for &file in large.get(range).unwrap_or_default() {
                    if let (Some(subject), Some(Some(identity))) = (run.subjects.get(file), run.identities.get(file)) {
                        sampled.push((file, sample(subject.path, identity)));
                    }
                }
            }
            sampled
        });
        run.check()?;
        let mut samples = std::vec![0; run.subjects.len()];
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
    let mut from = 0;
    for class in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let cross = class.len() > BATCH;
        for batch in class.chunks(BATCH) {
            let asked = batch.iter().any(|file| run.subjects.get(file.2).is_some_and(|s: &Subject<'_>| s.hash));
            let files = from..from + batch.len();
            from = files.end;
            plan.tasks.push(Task { files, hash: cross || asked, cross });
        }
    }
    plan.order = order.into_iter().map(|file| file.2).collect();
    Ok(plan)
}
