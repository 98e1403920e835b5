//! What there is to know of the contents of many files, found by all cores: which of them are equal, and their digests.
#![forbid(unsafe_code)]

use super::cache::Cache;
use super::classes::Classes;
use super::crew::{Counter, crew};
use super::file::same;
use super::plan::{Plan, plan};
use super::small::look_at_all;
use super::worker::{Equal, Found, Hash, Worker};
use super::{Keys, Options, threads};
use crate::consts::Content;
use crate::consts::digest::Md5;
use crate::consts::md5::digest_many;
use crate::host::stamp::Stamp;
use crate::{Error, ErrorCode, Result};
use core::sync::atomic::{AtomicU64, Ordering};
use std::boxed::Box;
use std::path::Path;
use std::time::SystemTime;
use std::vec::Vec;

/// How many contents in memory a thread hashes at a time.
const HASHED: usize = 256;

/// How a file came here.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// Whether it is a file is not known.
    Unknown,
    /// Its folder says that it is an ordinary file.
    File,
    /// It was looked at.
    Known(Stamp),
}

/// A file to be looked into.
#[derive(Debug)]
pub(super) struct Subject<'f> {
    pub path: &'f Path,
    pub origin: Origin,
    /// Whether its digest is wanted whatever the others are.
    pub hash: bool,
}

/// What the first look at a file told.
#[derive(Debug)]
pub(super) enum Known {
    /// It was not looked at.
    Nothing,
    /// It fits a buffer, and was read.
    Small { stamp: Stamp, print: u32, dtype: Option<&'static str> },
    /// It does not, and a sample was taken.
    Large { stamp: Stamp, print: u32, dtype: Option<&'static str> },
    /// It cannot be read.
    Problem(Error),
}

impl Known {
    /// What the file is, if it could be looked at.
    pub fn stamp(&self) -> Option<&Stamp> {
        match self {
            Known::Small { stamp, .. } | Known::Large { stamp, .. } => Some(stamp),
            Known::Nothing | Known::Problem(_) => None,
        }
    }
}

/// What is known of a file at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Fact {
    pub size: u64,
    /// The first file with these bytes.
    pub first: usize,
    /// Its digest, if it was wanted.
    pub digest: Option<Md5>,
    /// The element type that it states.
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
    pub threads: usize,
    /// When the work began.
    pub begun: SystemTime,
    options: &'r Options<'r>,
    done: AtomicU64,
    total: AtomicU64,
}

impl<'f> Run<'f, '_> {
    /// Where a file is and what it was when it was looked at.
    pub fn file<'k>(&self, known: &'k [Known], file: usize) -> Option<(&'f Path, &'k Stamp)> {
        Some((self.subjects.get(file)?.path, known.get(file)?.stamp()?))
    }

    /// Whether the digest of a file is wanted whatever the others are.
    pub fn wants(&self, file: usize) -> bool {
        self.options.keys == Keys::All || self.subjects.get(file).is_some_and(|subject| subject.hash)
    }

    /// Which files are hashed without being wanted.
    pub fn hash(&self) -> Hash {
        if self.options.keys == Keys::None { Hash::None } else { Hash::Equal }
    }

    /// Whether nobody wants to stop.
    pub fn goes_on(&self) -> bool {
        !self.options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// # Errors
    /// `Cancelled` if somebody wants to stop.
    pub fn check(&self) -> Result<()> {
        if self.goes_on() { Ok(()) } else { Err(Error::new(ErrorCode::Cancelled, "cancelled")) }
    }

    /// So many bytes more are to come.
    pub fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes more need no further look.
    pub fn passed(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Tells how far the work is.
    pub fn tell(&self) {
        if let Some(progress) = self.options.progress {
            let total = self.total.load(Ordering::Relaxed);
            progress(self.done.load(Ordering::Relaxed).min(total), total);
        }
    }
}

/// Looks into all files. What is wrong with one is among its facts.
///
/// # Errors
/// `Cancelled`, `OutOfMemory`.
pub(super) fn study(subjects: &[Subject<'_>], options: &Options<'_>) -> Result<Vec<Fact>> {
    let threads = threads(options);
    let (done, total) = (AtomicU64::new(0), AtomicU64::new(0));
    let run = &Run { subjects, threads, begun: SystemTime::now(), options, done, total };
    let cache = Cache::default();
    let looked = look_at_all(run, &cache)?;
    let mut known = looked.known;
    let mut classes = Classes::new(subjects.len())?;
    looked.links.iter().for_each(|(a, b)| classes.join(*a, *b));
    let mut problems: Vec<Option<Error>> = Vec::new();
    problems.try_reserve_exact(known.len()).map_err(|_| Error::out_of_memory())?;
    problems.extend(known.iter_mut().map(|known| match known {
        Known::Problem(error) => Some(core::mem::replace(error, Error::out_of_memory())),
        _ => None,
    }));
    let known = known.as_slice();

    // Small files of one print that did not meet in memory.
    let small = known.iter().enumerate().filter_map(|(file, known)| match known {
        Known::Small { stamp, print, .. } => Some(((stamp.length, *print), file)),
        _ => None,
    });
    meet(run, known, small, &mut classes, &mut problems)?;
    let mut plan = plan(run, known)?;
    let mut digests = std::vec![None; known.len()];
    hash_small(run, known, cache, &mut plan, &mut classes, &problems, &mut digests)?;

    let (counter, tasks) = (Counter::default(), &plan);
    let mut equal = Vec::new();
    for found in crew(threads.min(plan.tasks.len()), || Worker::work(run, known, tasks, &counter)) {
        let Found { equal: more, problems: wrong } = found?;
        equal.extend(more);
        tell(&mut problems, wrong);
    }
    run.tell();
    for equal in &equal {
        for pair in equal.files.windows(2) {
            if let [a, b] = pair {
                classes.join(*a, *b);
            }
        }
    }
    let cross = equal.iter().filter(|equal| equal.cross);
    let cross = cross.filter_map(|equal| Some((equal.digest?, *equal.files.first()?)));
    meet(run, known, cross, &mut classes, &mut problems)?;
    facts(run, known, &equal, digests, classes, problems)
}

fn tell(problems: &mut [Option<Error>], found: Vec<(usize, Error)>) {
    for (file, error) in found {
        if let Some(to) = problems.get_mut(file) {
            to.get_or_insert(error);
        }
    }
}

/// Compares files of one key that are not known to be equal.
fn meet<K: Ord>(
    run: &Run<'_, '_>,
    known: &[Known],
    files: impl Iterator<Item = (K, usize)>,
    classes: &mut Classes,
    problems: &mut [Option<Error>],
) -> Result<()> {
    let mut files: Vec<(K, usize)> = files.map(|(key, file)| (key, classes.first(file))).collect();
    files.sort_unstable();
    files.dedup();
    let mut members = Vec::new();
    let mut groups = Vec::new();
    for group in files.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let from = members.len();
        members.extend(group.iter().map(|file| file.1));
        groups.push(from..members.len());
    }
    let (counter, groups, members) = (Counter::default(), &groups, &members);
    let compared = crew(run.threads.min(groups.len()), || {
        let (mut links, mut problems) = (Vec::new(), Vec::new());
        while let Some(range) = counter.take(1, groups.len()) {
            if let Some(group) = groups.get(range.start).and_then(|group| members.get(group.clone())) {
                meet_group(run, known, group, &mut links, &mut problems);
            }
        }
        (links, problems)
    });
    run.check()?;
    for (links, wrong) in compared {
        links.iter().for_each(|(a, b)| classes.join(*a, *b));
        tell(problems, wrong);
    }
    Ok(())
}

/// Compares files of one key with each other.
fn meet_group(
    run: &Run<'_, '_>,
    known: &[Known],
    group: &[usize],
    links: &mut Vec<(usize, usize)>,
    problems: &mut Vec<(usize, Error)>,
) {
    let mut distinct: Vec<usize> = Vec::new();
    'files: for &file in group {
        let Some(this) = run.file(known, file) else { continue };
        for &other in &distinct {
            let Some(that) = run.file(known, other) else { continue };
            match same([that, this], || run.goes_on()) {
                Ok(Some(true)) => {
                    links.push((other, file));
                    continue 'files;
                }
                Ok(Some(false)) => {}
                Ok(None) => return,
                Err((0, error)) => problems.push((other, error)),
                Err((_, error)) => {
                    problems.push((file, error));
                    continue 'files;
                }
            }
        }
        distinct.push(file);
    }
}

/// Hashes one small file of each class that wants it: those in memory now, the others later.
fn hash_small(
    run: &Run<'_, '_>,
    known: &[Known],
    cache: Cache,
    plan: &mut Plan,
    classes: &mut Classes,
    problems: &[Option<Error>],
    digests: &mut [Option<Md5>],
) -> Result<()> {
    // Of each class a file that can be read, and whether it is to be hashed.
    let mut wanted: Vec<(Option<usize>, bool)> = std::vec![(None, false); known.len()];
    for (file, _) in known.iter().enumerate().filter(|(_, known)| matches!(known, Known::Small { .. })) {
        let readable = problems.get(file).is_some_and(Option::is_none);
        if let Some((member, hash)) = wanted.get_mut(classes.first(file)).filter(|_| readable) {
            *hash |= run.wants(file) || (member.is_some() && run.hash() == Hash::Equal);
            member.get_or_insert(file);
        }
    }
    let mut contents: Vec<(usize, Box<[u8]>)> = Vec::new();
    for (file, bytes) in cache.into_known() {
        if let Some((member @ Some(_), true)) = wanted.get_mut(classes.first(file)) {
            *member = None;
            contents.push((file, bytes));
        }
    }
    let (counter, contents) = (Counter::default(), &contents);
    let hashed = crew(run.threads.min(contents.len().div_ceil(HASHED)), || {
        let mut hashed = Vec::new();
        while let Some(range) = counter.take(HASHED, contents.len()) {
            let contents = contents.get(range).unwrap_or_default();
            let bytes: Vec<&[u8]> = contents.iter().map(|(_, bytes)| &**bytes).collect();
            hashed.extend(contents.iter().map(|(file, _)| *file).zip(digest_many(&bytes)?));
        }
        Ok(hashed)
    });
    for hashed in hashed {
        for (file, digest) in hashed? {
            if let Some(to) = digests.get_mut(classes.first(file)) {
                *to = Some(digest);
            }
        }
    }
    for file in wanted.into_iter().filter_map(|(member, hash)| member.filter(|_| hash)) {
        plan.add(core::iter::once(file), Hash::All, false);
    }
    Ok(())
}

/// Puts together what was found. `digests` has those of small files, by the first one of each class.
fn facts(
    run: &Run<'_, '_>,
    known: &[Known],
    equal: &[Equal],
    mut digests: Vec<Option<Md5>>,
    mut classes: Classes,
    problems: Vec<Option<Error>>,
) -> Result<Vec<Fact>> {
    for equal in equal {
        for &file in &equal.files {
            if let Some(digest) = digests.get_mut(classes.first(file)) {
                *digest = digest.or(equal.digest);
            }
        }
    }
    let mut members = std::vec![0_usize; known.len()];
    let mut wanted = std::vec![false; known.len()];
    for (file, _) in problems.iter().enumerate().filter(|(_, problem)| problem.is_none()) {
        let first = classes.first(file);
        if let (Some(count), Some(wants)) = (members.get_mut(first), wanted.get_mut(first)) {
            *count += 1;
            *wants |= run.wants(file);
        }
    }
    let mut facts: Vec<Fact> = Vec::new();
    facts.try_reserve_exact(known.len()).map_err(|_| Error::out_of_memory())?;
    for ((file, known), problem) in known.iter().enumerate().zip(problems) {
        let first = classes.first(file);
        // Which others were hashed or read depends on who was read together, and must not show.
        let shared = run.hash() == Hash::Equal && members.get(first).is_some_and(|count| *count > 1);
        let shown = shared || wanted.get(first) == Some(&true);
        facts.push(Fact {
            size: known.stamp().map_or(0, |stamp| stamp.length),
            first,
            digest: digests.get(first).copied().flatten().filter(|_| shown),
            dtype: match known {
                Known::Small { dtype, .. } | Known::Large { dtype, .. } => *dtype,
                _ => None,
            },
            problem,
        });
    }
    Ok(facts)
}
