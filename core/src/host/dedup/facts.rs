//! What there is to know of the contents of many files, found by all cores: which of them are equal, and their digests.
#![forbid(unsafe_code)]

use super::Options;
use super::cache::Cache;
use super::crew::{Counter, crew};
use super::file::{Identity, look, same};
use super::plan::plan;
use super::worker::{Equal, Found, Worker};
use crate::consts::Content;
use crate::consts::digest::Md5;
use crate::{Error, ErrorCode, Result};
use core::sync::atomic::{AtomicU64, Ordering};
use std::path::Path;
use std::vec::Vec;

/// How many files a thread looks at before it asks for more.
const LOOKED_AT: usize = 64;

/// A file to be looked into.
#[derive(Debug)]
pub(super) struct Subject<'f> {
    pub path: &'f Path,
    /// What is known of it already.
    pub identity: Option<Identity>,
    /// Whether its digest is wanted whatever the others are.
    pub hash: bool,
}

/// What is known of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Fact {
    pub size: u64,
    /// The first file with these bytes.
    pub first: usize,
    /// Its digest, if it was wanted or another file has the same bytes.
    pub digest: Option<Md5>,
    /// The element type that it states, if the digest is known.
    pub dtype: Option<&'static str>,
    /// Why nothing else is known.
    pub problem: Option<Error>,
}

impl Content for &Fact {
    fn size(&self) -> u64 {
        self.size
    }

    fn group(&self) -> u64 {
        self.first as u64
    }

    fn digest(&self) -> Result<Md5> {
        self.digest.ok_or_else(|| Error::new(ErrorCode::Internal, "the digest of this file was not asked for"))
    }

    fn same_bytes(&self, other: &Self) -> Result<bool> {
        Ok(self.first == other.first)
    }
}

/// What all threads share.
pub(super) struct Run<'f, 'r> {
    pub subjects: &'r [Subject<'f>],
    /// What each file is; `None` for one with a problem.
    pub identities: Vec<Option<Identity>>,
    pub threads: usize,
    pub tasks: Counter,
    pub cache: Cache,
    options: &'r Options<'r>,
    done: AtomicU64,
    total: u64,
}

impl Run<'_, '_> {
    /// Whether nobody wants to stop.
    pub fn goes_on(&self) -> bool {
        !self.options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// # Errors
    /// `Cancelled` if somebody wants to stop.
    pub fn check(&self) -> Result<()> {
        if self.goes_on() { Ok(()) } else { Err(Error::new(ErrorCode::Cancelled, "cancelled")) }
    }

    /// So many bytes more need no further look.
    pub fn passed(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Tells how far the work is.
    pub fn tell(&self) {
        if let Some(progress) = self.options.progress {
            progress(self.done.load(Ordering::Relaxed).min(self.total), self.total);
        }
    }
}

/// Looks into all files. What is wrong with one is among its facts.
///
/// # Errors
/// `Cancelled`, `OutOfMemory`.
pub(super) fn study(subjects: &[Subject<'_>], options: &Options<'_>) -> Result<Vec<Fact>> {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let mut problems: Vec<Option<Error>> = Vec::new();
    problems.try_reserve_exact(subjects.len()).map_err(|_| Error::out_of_memory())?;
    problems.resize_with(subjects.len(), || None);
    let mut run = Run {
        subjects,
        identities: Vec::new(),
        threads,
        tasks: Counter::default(),
        cache: Cache::default(),
        options,
        done: AtomicU64::new(0),
        total: 0,
    };
    run.identities = identities(&run, &mut problems)?;
    run.total = run.identities.iter().flatten().fold(0, |sum, identity| sum.saturating_add(identity.size));
    let plan = plan(&run, &mut problems)?;

    let (run, plan) = (&run, &plan);
    let mut all = Found::default();
    for found in crew(threads.min(plan.tasks.len()), || Worker::work(run, plan)) {
        let found = found?;
        all.equal.extend(found.equal);
        all.links.extend(found.links);
        all.problems.extend(found.problems);
    }
    let mut classes = Classes::new(subjects.len())?;
    for equal in &all.equal {
        for pair in equal.files.windows(2) {
            if let [a, b] = pair {
                classes.join(*a, *b);
            }
        }
    }
    all.links.iter().for_each(|(a, b)| classes.join(*a, *b));
    meet(run, &all.equal, &mut classes, &mut all.problems)?;
    for (file, error) in all.problems {
        if let Some(to) = problems.get_mut(file) {
            to.get_or_insert(error);
        }
    }

    facts(run, &all.equal, classes, problems)
}

/// What each file is.
fn identities(run: &Run<'_, '_>, problems: &mut [Option<Error>]) -> Result<Vec<Option<Identity>>> {
    let subjects = run.subjects;
    let counter = Counter::default();
    let threads = run.threads.min(subjects.len().div_ceil(LOOKED_AT));
    let looked = crew(threads, || {
        let mut looked = Vec::new();
        while run.goes_on()
            && let Some(range) = counter.take(LOOKED_AT, subjects.len())
        {
            for (file, subject) in range.clone().zip(subjects.get(range).unwrap_or_default()) {
                looked.push((file, subject.identity.clone().map_or_else(|| look(subject.path), Ok)));
            }
        }
        looked
    });
    run.check()?;
    let mut identities = Vec::new();
    identities.try_reserve_exact(subjects.len()).map_err(|_| Error::out_of_memory())?;
    identities.resize(subjects.len(), None);
    for (file, identity) in looked.into_iter().flatten() {
        match (identity, identities.get_mut(file), problems.get_mut(file)) {
            (Ok(identity), Some(to), _) => *to = Some(identity),
            (Err(error), _, Some(to)) => *to = Some(error),
            _ => {}
        }
    }
    Ok(identities)
}

/// Compares what has the same digest in several tasks and is not known to be equal.
fn meet(run: &Run<'_, '_>, equal: &[Equal], classes: &mut Classes, problems: &mut Vec<(usize, Error)>) -> Result<()> {
    let size = |file: usize| run.identities.get(file).and_then(Option::as_ref).map_or(0, |identity| identity.size);
    let cross = equal.iter().filter(|equal| equal.cross);
    let mut heads: Vec<(u64, Md5, usize)> = cross
        .filter_map(|equal| equal.files.first().map(|file| (size(*file), equal.digest, classes.first(*file))))
        .collect();
    heads.sort_unstable();
    heads.dedup();
    let groups: Vec<&[(u64, Md5, usize)]> =
        heads.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|group| group.len() > 1).collect();
    let counter = Counter::default();
    let compared = crew(run.threads.min(groups.len()), || {
        let mut found = Found::default();
        while let Some(range) = counter.take(1, groups.len()) {
            if let Some(group) = groups.get(range.start) {
                meet_group(run, group, &mut found);
            }
        }
        found
    });
    run.check()?;
    for found in compared {
        found.links.iter().for_each(|(a, b)| classes.join(*a, *b));
        problems.extend(found.problems);
    }
    Ok(())
}

/// Compares files of one digest with each other.
fn meet_group(run: &Run<'_, '_>, group: &[(u64, Md5, usize)], found: &mut Found) {
    let mut distinct: Vec<usize> = Vec::new();
    'files: for &(_, _, file) in group {
        let about = |file: usize| Some((run.subjects.get(file)?.path, run.identities.get(file)?.as_ref()?));
        let Some(this) = about(file) else { continue };
        for &other in &distinct {
            let Some(that) = about(other) else { continue };
            match same([that, this], || run.goes_on()) {
                Ok(Some(true)) => {
                    found.links.push((other, file));
                    continue 'files;
                }
                Ok(Some(false)) => {}
                Ok(None) => return,
                Err((0, error)) => found.problems.push((other, error)),
                Err((_, error)) => {
                    found.problems.push((file, error));
                    continue 'files;
                }
            }
        }
        distinct.push(file);
    }
}

/// Puts together what was found.
fn facts(run: &Run<'_, '_>, equal: &[Equal], mut classes: Classes, problems: Vec<Option<Error>>) -> Result<Vec<Fact>> {
    let mut facts: Vec<Fact> = Vec::new();
    facts.try_reserve_exact(problems.len()).map_err(|_| Error::out_of_memory())?;
    let mut members = std::vec![0_usize; problems.len()];
    for (file, problem) in problems.into_iter().enumerate() {
        let size = run.identities.get(file).and_then(Option::as_ref).map_or(0, |identity| identity.size);
        let first = classes.first(file);
        if problem.is_none()
            && let Some(count) = members.get_mut(first)
        {
            *count += 1;
        }
        facts.push(Fact { size, first, digest: None, dtype: None, problem });
    }
    for equal in equal {
        for &file in &equal.files {
            // Which others were hashed depends on who was read together, and must not show.
            let shared = members.get(classes.first(file)).is_some_and(|count| *count > 1);
            let asked = run.subjects.get(file).is_some_and(|subject| subject.hash);
            if let Some(fact) = facts.get_mut(file).filter(|_| shared || asked) {
                (fact.digest, fact.dtype) = (Some(equal.digest), equal.dtype);
            }
        }
    }
    Ok(facts)
}

/// Sets of equal files, each known by its first one.
struct Classes(Vec<usize>);

impl Classes {
    fn new(count: usize) -> Result<Classes> {
        let mut parents = Vec::new();
        parents.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
        parents.extend(0..count);
        Ok(Classes(parents))
    }

    fn first(&mut self, mut file: usize) -> usize {
        while let Some(parent) = self.0.get(file).copied().filter(|parent| *parent != file) {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(to) = self.0.get_mut(file) {
                *to = above;
            }
            file = above;
        }
        file
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        if let Some(to) = self.0.get_mut(a.max(b)) {
            *to = a.min(b);
        }
    }
}
