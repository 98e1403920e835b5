//! From what a user names to a list of files whose order depends on their names alone.
#![forbid(unsafe_code)]

use super::crew::{Counter, crew};
use super::facts::Origin;
use super::{Problem, Skipped};
use crate::host::failure::system;
use crate::host::ordinary::{kind, stamp};
use std::borrow::ToOwned;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::vec::Vec;

/// How many paths a thread takes at a time.
const TAKEN: usize = 64;

/// What lies at and below some paths.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The files, in the order of the bytes of their paths.
    pub files: Vec<(PathBuf, Origin)>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What should have been read and could not.
    pub problems: Vec<Problem>,
}

/// Finds all files at and below `paths`. A link is followed if it was named itself.
pub(super) fn walk(paths: &[PathBuf], threads: usize) -> Walk {
    let counter = Counter::default();
    let looked = crew(threads.min(paths.len().div_ceil(TAKEN)), || {
        let mut looked = Vec::new();
        while let Some(range) = counter.take(TAKEN, paths.len()) {
            looked.extend(paths.get(range).unwrap_or_default().iter().map(|path| {
                let path = tidy(path);
                let about = fs::metadata(&path);
                (path, about)
            }));
        }
        looked
    });
    let mut found = Walk::default();
    for (path, about) in looked.into_iter().flatten() {
        match about {
            Ok(about) if about.is_dir() => found.folder(path),
            Ok(about) => match stamp(&about) {
                Ok(stamp) => found.files.push((path, Origin::Known(stamp))),
                Err(error) => found.problems.push(Problem { path, error }),
            },
            Err(e) => found.problems.push(Problem { path, error: system("look at the file", &e) }),
        }
    }
    found.files.sort_by(|(a, _), (b, _)| bytes(a).cmp(bytes(b)));
    found.files.dedup_by(|(a, _), (b, _)| a.as_os_str() == b.as_os_str());
    found.skipped.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    found.skipped.dedup_by(|a, b| a.path == b.path);
    found.problems.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    found.problems.dedup_by(|a, b| a.path == b.path);
    found
}

impl Walk {
    /// Everything below a folder.
    fn folder(&mut self, folder: PathBuf) {
        let mut folders = Vec::new();
        folders.push(folder);
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(e) => {
                    self.problems.push(Problem { path: folder, error: system("list the folder", &e) });
                    continue;
                }
            };
            for entry in entries {
                let entry = entry.and_then(|entry| Ok((entry.file_type()?, entry.path())));
                match entry {
                    Ok((kind, path)) if kind.is_dir() => folders.push(path),
                    Ok((kind, path)) if kind.is_file() => self.files.push((path, Origin::File)),
                    Ok((other, path)) => self.skipped.push(Skipped { path, found: kind(other) }),
                    Err(e) => {
                        self.problems.push(Problem { path: folder.clone(), error: system("list the folder", &e) });
                        break;
                    }
                }
            }
        }
    }
}

/// The path without what makes no difference, so that one file is not taken for two: `./a//b` is `a/b`.
fn tidy(path: &Path) -> PathBuf {
    let tidy: PathBuf = path.components().filter(|c| *c != Component::CurDir).collect();
    if tidy.as_os_str().is_empty() { path.to_owned() } else { tidy }
}

/// What paths are ordered by.
pub(super) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}
