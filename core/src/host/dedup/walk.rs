//! From what a user names to a list of files whose order depends on their names alone.
#![forbid(unsafe_code)]

use super::crew::{Counter, crew};
use super::facts::Origin;
use super::{Problem, Skipped};
use crate::host::failure::system;
use crate::host::ordinary::{kind, stamp};
use std::borrow::ToOwned;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::vec::Vec;

/// How many paths a thread takes at a time.
const TAKEN: usize = 64;

/// So many files of one folder are looked for in its list.
const LISTED: usize = 64;

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
    let listed = &listed(paths);
    let counter = Counter::default();
    let looked = crew(threads.min(paths.len().div_ceil(TAKEN)), || {
        let mut looked = Vec::new();
        while let Some(range) = counter.take(TAKEN, paths.len()) {
            let named = paths.iter().zip(listed).skip(range.start).take(range.len());
            looked.extend(named.map(|(path, listed)| {
                let path = tidy(path);
                let about = if *listed { None } else { Some(fs::metadata(&path)) };
                (path, about)
            }));
        }
        looked
    });
    let mut found = Walk::default();
    for (path, about) in looked.into_iter().flatten() {
        let Some(about) = about else {
            found.files.push((path, Origin::File));
            continue;
        };
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

/// Which of the paths are ordinary files, by the lists of the folders that many of them, one after the other, lie in: to look at
/// each costs half of what reading it does. What is not in the list, or not a file there, is looked at by itself.
fn listed(paths: &[PathBuf]) -> Vec<bool> {
    let mut listed = std::vec![false; paths.len()];
    let mut from = 0;
    // As texts: the comparison of paths takes them apart.
    for named in paths.chunk_by(|a, b| folder_of(a) == folder_of(b)) {
        let places = listed.get_mut(from..from + named.len()).unwrap_or_default();
        from += named.len();
        if named.len() < LISTED {
            continue;
        }
        let mut names = HashMap::with_capacity(named.len());
        names.extend(named.iter().zip(places).filter_map(|(path, place)| Some((path.file_name()?, place))));
        let folder = named.first().and_then(|path| path.parent()).filter(|folder| !folder.as_os_str().is_empty());
        let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { continue };
        // A folder of many more is not listed to its end.
        for entry in entries.take(named.len().saturating_mul(4)).map_while(Result::ok) {
            if entry.file_type().is_ok_and(|kind| kind.is_file())
                && let Some(place) = names.get_mut(&*entry.file_name())
            {
                **place = true;
            }
        }
    }
    listed
}

/// The text before the last element of a path.
fn folder_of(path: &Path) -> Option<&OsStr> {
    path.parent().map(Path::as_os_str)
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
