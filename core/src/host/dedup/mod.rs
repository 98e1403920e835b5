//! De-duplication of constant files on a disk: thousands of small ones, and some that are larger than memory.
//!
//! Who is merged, and under which name, is decided by [`Session`], in the order of the list.
//! What it has to know of the contents is found beforehand, by all cores (`spec/consts.md` section 6):
//!
//! 1. every file is opened; one that fits a buffer is read at once and compared with those read before, of others a sample is
//!    taken: their start, middle and end;
//! 2. larger files of one size and sample are read side by side and compared as they come, as long as they are equal;
//! 3. where these are more files than a thread has buffers, those of equal digest are compared with each other;
//! 4. what needs a key is hashed, once for all equal files, in the lanes of a vector.
//!
//! Each thread has 16 to 32 buffers of 64 KiB, all together 32 MiB for small contents, whatever the files are. Files are read,
//! not mapped: a mapped file that another program cuts short ends the process that reads it.
#![forbid(unsafe_code)]

mod cache;
mod classes;
mod crew;
mod facts;
mod file;
mod plan;
mod small;
mod walk;
mod worker;

use crate::consts::dedup::{Diagnostic, Session, saved_message};
use crate::consts::digest::Md5;
use crate::consts::join_key;
use crate::consts::key::location_key;
use crate::fallible::push;
use crate::{Error, ErrorCode, Result};
use core::fmt;
use core::sync::atomic::AtomicBool;
use facts::{Fact, Origin, Subject, study};
use std::borrow::ToOwned;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec::Vec;

/// The element type of files that state none, in the IR's spelling: bytes.
pub const DEFAULT_DTYPE: &str = "uint8";

/// The memory type of files of which nobody says where they go, in the IR's spelling.
pub const DEFAULT_MEMORY_TYPE: &str = "DRAM";

/// How far the work is: bytes that need no further look, of all bytes that were found so far.
pub type Progress<'o> = dyn Fn(u64, u64) + Sync + 'o;

/// Which files get their key. What is merged does not depend on it, because bytes decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// None: nothing is hashed but what must be told apart among many of one size.
    None,
    /// Those that have an equal.
    #[default]
    Equal,
    /// All.
    All,
}

/// How files are looked into.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// Threads, this one included; 0 for as many as there are cores. No result depends on it.
    pub threads: usize,
    /// Which files get their key.
    pub keys: Keys,
    /// Called now and then, from any thread.
    pub progress: Option<&'o Progress<'o>>,
    /// Set to true by any thread to stop the work.
    pub cancel: Option<&'o AtomicBool>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("threads", &self.threads).field("keys", &self.keys).finish_non_exhaustive()
    }
}

/// A constant file as it is presented.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'e> {
    /// The name that it is known by.
    pub name: &'e str,
    /// Where it lies.
    pub path: &'e Path,
    /// The element type, in the IR's spelling; without one, what an NPY header states, else [`DEFAULT_DTYPE`].
    pub dtype: Option<&'e str>,
    /// The memory type, in the IR's spelling.
    pub memory_type: &'e str,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DedupedFile {
    /// The name that it was presented under.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
    /// Its key (`spec/consts.md` section 6.1), if it was wanted.
    pub key: Option<String>,
    /// The place in [`DedupReport::files`] of the file that stands for it: itself, or an earlier one.
    pub stored_as: usize,
    /// Whether an earlier file stands for it.
    pub matched: bool,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: Error,
}

/// Something in a folder that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where.
    pub path: PathBuf,
    /// What it is, e.g. `a link`.
    pub found: &'static str,
}

/// What could be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DedupReport {
    /// The files that could be read, in the order in which they were presented.
    pub files: Vec<DedupedFile>,
    /// Distinct files (`getNumUniqFiles`).
    pub unique_files: usize,
    /// Sum of the sizes of all files, in bytes.
    pub bytes: u64,
    /// Sum of the sizes of those that matched an earlier one, in bytes (`getBytsDedupedTotal`).
    pub saved_bytes: u64,
    /// What could not be read. These files are not among `files`.
    pub problems: Vec<Problem>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

impl DedupReport {
    /// The product's line about each file, in their order (`spec/consts.md` section 6.6).
    pub fn diagnostics(&self) -> impl Iterator<Item = Diagnostic<'_>> {
        self.files.iter().filter_map(|file| {
            let canonical = &self.files.get(file.stored_as)?.name;
            Some(Diagnostic { name: &file.name, canonical, matched: file.matched })
        })
    }

    /// The packager's line about the saved memory, in whole KB; `None` below one KB.
    pub fn message(&self) -> Option<String> {
        saved_message(self.saved_bytes)
    }
}

/// Finds what could be merged among the files at and below `paths`, in the order of the bytes of their paths, so that the
/// order of the arguments makes no difference. Folders are searched to the bottom; links in them, FIFOs and devices are left
/// out. A link that is named itself is followed.
///
/// All files get this element type, by default what an NPY header states, else [`DEFAULT_DTYPE`], and this memory type.
///
/// # Errors
/// `Cancelled`, `OutOfMemory`. What is wrong with a file or folder is in the report.
pub fn dedup_files(
    paths: &[PathBuf],
    dtype: Option<&str>,
    memory_type: &str,
    options: &Options<'_>,
) -> Result<DedupReport> {
    let found = walk::walk(paths, threads(options));
    let subjects: Vec<Subject<'_>> =
        found.files.iter().map(|(path, origin)| Subject { path, origin: origin.clone(), hash: false }).collect();
    let facts = study(&subjects, options)?;
    drop(subjects);
    let files = found.files.into_iter().zip(&facts).map(|((path, _), fact)| {
        let name = name_of(&path);
        (Presented { name, path, dtype, memory_type }, fact)
    });
    let mut report = present(files)?;
    report.problems.extend(found.problems);
    report.problems.sort_by(|a, b| walk::bytes(&a.path).cmp(walk::bytes(&b.path)));
    report.skipped = found.skipped;
    Ok(report)
}

/// Finds what could be merged among these files, presented in their order. One file may be presented several times.
///
/// # Errors
/// `Conflict` for one name with two contents; `Cancelled`, `OutOfMemory`. What is wrong with a file is in the report.
pub fn dedup_entries(entries: &[Entry<'_>], options: &Options<'_>) -> Result<DedupReport> {
    let mut places: HashMap<&Path, usize> = HashMap::default();
    let mut names: HashMap<&str, usize> = HashMap::default();
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    let mut files = Vec::new();
    for entry in entries {
        let place = *places.entry(entry.path).or_insert(subjects.len());
        match subjects.get_mut(place) {
            // It will match itself, which is as good as another file.
            Some(subject) => subject.hash |= options.keys == Keys::Equal,
            None => push(&mut subjects, Subject { path: entry.path, origin: Origin::Unknown, hash: false })?,
        }
        let namesake = *names.entry(entry.name).or_insert(place);
        if namesake != place {
            // If the contents differ that is an error, which tells the digests.
            for both in [namesake, place] {
                if let Some(subject) = subjects.get_mut(both) {
                    subject.hash = true;
                }
            }
        }
        push(&mut files, place)?;
    }
    let facts = study(&subjects, options)?;
    present(entries.iter().zip(&files).filter_map(|(entry, file)| {
        let Entry { name, path, dtype, memory_type } = *entry;
        let presented = Presented { name: name.to_owned(), path: path.to_owned(), dtype, memory_type };
        Some((presented, facts.get(*file)?))
    }))
}

/// Size in bytes and MD5 of each file, in the order of `paths`.
///
/// # Errors
/// `Cancelled`, `OutOfMemory`; what is wrong with a file stands in its place.
pub fn digest_files(paths: &[&Path], options: &Options<'_>) -> Result<Vec<Result<(u64, Md5)>>> {
    let subjects: Vec<Subject<'_>> =
        paths.iter().map(|path| Subject { path, origin: Origin::Unknown, hash: true }).collect();
    let digests = study(&subjects, options)?.into_iter().map(|fact| match (fact.problem, fact.digest) {
        (Some(problem), _) => Err(problem),
        (None, Some(digest)) => Ok((fact.size, digest)),
        (None, None) => Err(Error::new(ErrorCode::Internal, "a file was not hashed")),
    });
    Ok(digests.collect())
}

/// The threads that are wanted.
fn threads(options: &Options<'_>) -> usize {
    match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// A file as it is presented to the session.
struct Presented<'p> {
    name: String,
    path: PathBuf,
    dtype: Option<&'p str>,
    memory_type: &'p str,
}

/// Presents files in their order.
fn present<'p, 'f>(files: impl Iterator<Item = (Presented<'p>, &'f Fact)>) -> Result<DedupReport> {
    let mut session: Session<&Fact> = Session::new();
    let mut report = DedupReport::default();
    let mut told = HashSet::new();
    // Of each record the place of its first file.
    let mut places = Vec::new();
    for (Presented { name, path, dtype, memory_type }, fact) in files {
        if let Some(error) = &fact.problem {
            // A file that is presented twice has its problem once.
            if told.insert(path.clone()) {
                push(&mut report.problems, Problem { path, error: error.clone() })?;
            }
            continue;
        }
        let dtype = dtype.or(fact.dtype).unwrap_or(DEFAULT_DTYPE);
        let added = session.add(&name, fact, dtype, memory_type)?;
        let place = report.files.len();
        if added.record == places.len() {
            push(&mut places, place)?;
        }
        let key = fact.digest.map(|digest| join_key(&digest, &location_key(dtype, memory_type)));
        let stored_as = places.get(added.record).copied().unwrap_or(place);
        let matched = added.matched;
        report.bytes = report.bytes.saturating_add(fact.size);
        push(&mut report.files, DedupedFile { name, path, bytes: fact.size, key, stored_as, matched })?;
    }
    report.unique_files = session.unique_files();
    report.saved_bytes = session.saved_bytes();
    Ok(report)
}

/// A path as a name. Bytes that are no text are shown as `\xff`.
fn name_of(path: &Path) -> String {
    if let Some(name) = path.to_str() {
        return name.to_owned();
    }
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            name.push_str(&std::format!("\\x{byte:02x}"));
        }
    }
    name
}

#[cfg(test)]
mod tests;
