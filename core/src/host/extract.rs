//! Members of a package as files. A package is not trusted: nothing is written outside the folder, and no link is followed.
//!
//! All or nothing: what arrives is staged in a folder beside its targets and takes its places when all of it is whole. A
//! failure leaves what was there before, and nothing else.
#![forbid(unsafe_code)]

use super::package::{Listed, PackageFile, Visitor, Wish};
use super::stamp::Input;
use crate::fallible::push;
use crate::neff::Package;
use crate::neff::path::safe_member_path;
use crate::neff::read::Member;
use crate::neff::tar::MemberHeader;
use crate::{Error, ErrorCode};
use std::borrow::ToOwned;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, mem};

/// How many names of the staging folder are tried.
const ATTEMPTS: u32 = 1000;

/// Why a package was not unpacked. The error's path is the member's name.
#[derive(Debug)]
pub struct Refused {
    /// The file or folder of the host that it is about, if it is about one.
    pub file: Option<PathBuf>,
    /// Why.
    pub error: Error,
}

impl Refused {
    fn at(file: &Path, code: ErrorCode, why: &str, member: &str) -> Self {
        Refused { file: Some(file.to_owned()), error: Error::new(code, why).at(member) }
    }

    fn system(file: &Path, doing: &str, error: &io::Error) -> Self {
        let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
        Refused { file: Some(file.to_owned()), error: Error::new(code, format_args!("cannot {doing}: {error}")) }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused { file: None, error }
    }
}

/// Writes members of a package in memory below `folder`, which is made if it is missing. `written` hears the bytes of
/// each file.
///
/// # Errors
/// As [`Extraction`].
pub fn extract(
    package: &Package<'_>,
    members: &[&Member],
    folder: &Path,
    overwrite: bool,
    mut written: impl FnMut(usize),
) -> Result<(), Refused> {
    let mut extraction = Extraction::new(folder, overwrite);
    for member in members {
        let contents = package.contents(member);
        extraction.begin(&member.name)?;
        extraction.write(contents)?;
        written(contents.len());
    }
    extraction.commit()
}

/// How to extract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractOptions {
    /// Replace files that exist.
    pub overwrite: bool,
    /// Compare the header's hash with the payload before any file takes its place.
    pub verify_hash: bool,
}

/// Writes the members of these names, or all, below `folder`, which is made if it is missing; memory does not grow with
/// the package. `progress` hears how many bytes of the file are done with. Returns the members that were written.
///
/// # Errors
/// As [`PackageFile::pass`] and [`Extraction`]; `HashMismatch`; `NotFound`, with the name as path, for a name that no
/// member has. Nothing is left behind then.
pub fn extract_file<I: Input>(
    package: &mut PackageFile<I>,
    names: Option<&[&str]>,
    folder: &Path,
    options: ExtractOptions,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Listed>, Refused> {
    let wanted = match names {
        None => None,
        Some(names) => {
            let paths = names.iter().map(|name| safe_member_path(name).map(ToOwned::to_owned));
            Some(paths.collect::<Result<HashSet<String>, Error>>()?)
        }
    };
    let mut unpacker = Unpacker {
        extraction: Extraction::new(folder, options.overwrite),
        wanted,
        written: Vec::new(),
        file: None,
        progress,
    };
    if let Err(error) = package.pass(options.verify_hash, &mut unpacker).and_then(super::package::Passed::verified) {
        return Err(Refused { file: unpacker.file.take(), error });
    }
    if let Some(missing) = unpacker.wanted.iter().flatten().min() {
        return Err(Error::new(ErrorCode::NotFound, "no member has this name").at(missing).into());
    }
    unpacker.extraction.commit()?;
    Ok(unpacker.written)
}

/// Puts what a pass tells into an extraction.
struct Unpacker<'p> {
    extraction: Extraction,
    /// What is still to come; `None` for all.
    wanted: Option<HashSet<String>>,
    written: Vec<Listed>,
    /// The host's file that the last error is about.
    file: Option<PathBuf>,
    progress: &'p mut dyn FnMut(u64),
}

impl Unpacker<'_> {
    fn keep(&mut self, result: Result<(), Refused>) -> Result<(), Error> {
        result.map_err(|Refused { file, error }| {
            self.file = file;
            error
        })
    }
}

impl Visitor for Unpacker<'_> {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish, Error> {
        if self.wanted.as_mut().is_some_and(|wanted| !wanted.remove(member.name)) {
            return Ok(Wish::Next);
        }
        let begun = self.extraction.begin(member.name);
        self.keep(begun)?;
        push(&mut self.written, Listed { name: member.name.to_owned(), size: member.size })?;
        Ok(Wish::Contents)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Wish, Error> {
        let written = self.extraction.write(bytes);
        self.keep(written)?;
        Ok(Wish::Contents)
    }

    fn end(&mut self) -> Result<Wish, Error> {
        let done = self.wanted.as_ref().is_some_and(HashSet::is_empty);
        Ok(if done { Wish::Stop } else { Wish::Next })
    }

    fn progress(&mut self, file_bytes: u64) {
        (self.progress)(file_bytes);
    }
}

/// Files on their way to a folder. Dropped before [`commit`](Self::commit) it leaves no trace.
///
/// Errors are `UnsafePath` for a name that leads outside or through a link; `Conflict` where a file and a folder meet;
/// `DuplicateName` for a file that exists, unless it may be overwritten; `Io`.
#[derive(Debug)]
pub struct Extraction {
    folder: PathBuf,
    overwrite: bool,
    /// Folders that were made, outermost first.
    made: Vec<PathBuf>,
    staging: Option<PathBuf>,
    /// The file that is written now.
    open: Option<(File, PathBuf)>,
    /// Names of the files, which are staged under their numbers.
    names: Vec<String>,
    taken: HashSet<String>,
    /// Folders of the names.
    folders: HashSet<String>,
}

impl Extraction {
    /// An extraction to `folder`, of which nothing is written yet.
    pub fn new(folder: &Path, overwrite: bool) -> Self {
        Extraction {
            folder: folder.to_owned(),
            overwrite,
            made: Vec::new(),
            staging: None,
            open: None,
            names: Vec::new(),
            taken: HashSet::new(),
            folders: HashSet::new(),
        }
    }

    /// Begins the file of a member, after a look at its place.
    ///
    /// # Errors
    /// See [`Extraction`].
    pub fn begin(&mut self, name: &str) -> Result<(), Refused> {
        let name = safe_member_path(name)?;
        self.open = None;
        self.claim(name)?;
        look(&self.folder, name, self.overwrite)?;
        let path = self.staged(self.names.len())?;
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = file.map_err(|e| Refused::system(&path, "make the file", &e))?;
        self.open = Some((file, path));
        push(&mut self.names, name.to_owned())?;
        Ok(())
    }

    /// The next bytes of the file that was begun last.
    ///
    /// # Errors
    /// See [`Extraction`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let Some((file, path)) = &mut self.open else { return Ok(()) };
        file.write_all(bytes).map_err(|e| {
            let target = self.names.last().map_or_else(|| path.clone(), |name| self.folder.join(name));
            Refused::system(&target, "write the file", &e)
        })
    }

    /// Puts all files in their places, after another look at each.
    ///
    /// # Errors
    /// See [`Extraction`]; all places are as before then.
    pub fn commit(mut self) -> Result<(), Refused> {
        self.open = None;
        let mut placed = Vec::new();
        let result = self.place(&mut placed);
        if result.is_err() {
            for (path, old) in placed.into_iter().rev() {
                // Clearing up after a failure, which is what gets reported.
                let _ = match old {
                    Some(old) => fs::rename(old, path),
                    None => fs::remove_file(path),
                };
            }
            return result;
        }
        self.made.clear();
        Ok(())
    }

    /// Moves file after file; `placed` hears of each, with the place of the file that was there before.
    fn place(&mut self, placed: &mut Vec<(PathBuf, Option<PathBuf>)>) -> Result<(), Refused> {
        make_folders(&self.folder, &mut self.made)?;
        for (number, name) in mem::take(&mut self.names).iter().enumerate() {
            let staged = self.staged(number)?;
            let path = look(&self.folder, name, self.overwrite)?;
            if let Some(parent) = path.parent() {
                make_folders(parent, &mut self.made)?;
            }
            let failed = |e: io::Error| Refused::system(&path, "write the file", &e);
            let old = match fs::symlink_metadata(&path) {
                Ok(_) => {
                    // The old file is given up for the new one, which has to last then.
                    File::open(&staged).and_then(|file| file.sync_all()).map_err(failed)?;
                    let old = staged.with_extension("old");
                    fs::rename(&path, &old).map_err(failed)?;
                    Some(old)
                }
                Err(_) => None,
            };
            if let Err(error) = fs::rename(&staged, &path) {
                if let Some(old) = old {
                    let _ = fs::rename(old, &path);
                }
                return Err(failed(error));
            }
            placed.push((path, old));
        }
        Ok(())
    }

    /// One member cannot be both a file and the folder of another, and two cannot have one name.
    fn claim(&mut self, name: &str) -> Result<(), Error> {
        let conflict = |below: &str, file: &str| {
            Err(Error::new(ErrorCode::Conflict, "a member lies below another member that is a file")
                .expected_found("a folder", format_args!("the file `{file}`"))
                .at(below))
        };
        if self.folders.contains(name) {
            let inside = |other: &&String| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
            return conflict(self.names.iter().find(inside).map_or(name, String::as_str), name);
        }
        for (slash, _) in name.match_indices('/') {
            let folder = name.get(..slash).unwrap_or_default();
            if self.taken.contains(folder) {
                return conflict(name, folder);
            }
            if !self.folders.contains(folder) {
                self.folders.insert(folder.to_owned());
            }
        }
        if !self.taken.insert(name.to_owned()) {
            return Err(Error::new(ErrorCode::DuplicateName, "two members have one name").at(name));
        }
        Ok(())
    }

    /// Where the file of that number waits.
    fn staged(&mut self, number: usize) -> Result<PathBuf, Refused> {
        let folder = match &self.staging {
            Some(folder) => folder,
            None => {
                make_folders(&self.folder, &mut self.made)?;
                self.staging.insert(staging(&self.folder)?)
            }
        };
        Ok(folder.join(number.to_string()))
    }
}

impl Drop for Extraction {
    fn drop(&mut self) {
        self.open = None;
        // Clearing up; what is reported is a failure before.
        if let Some(staging) = &self.staging {
            let _ = fs::remove_dir_all(staging);
        }
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A new folder beside the targets, so that files can be renamed from it.
fn staging(folder: &Path) -> Result<PathBuf, Refused> {
    for attempt in 0..ATTEMPTS {
        let path = folder.join(format!(".bir-{}-{attempt}.tmp", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Refused::system(&path, "make the folder", &e)),
        }
    }
    Err(Refused::at(folder, ErrorCode::Io, "no temporary name is free", ""))
}

/// Makes a folder and those above it, and notes which it made.
fn make_folders(folder: &Path, made: &mut Vec<PathBuf>) -> Result<(), Refused> {
    let missing = folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.is_dir());
    let missing: Vec<&Path> = missing.collect();
    for path in missing.into_iter().rev() {
        match fs::create_dir(path) {
            Ok(()) => made.push(path.to_owned()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(e) => return Err(Refused::system(path, "make the folder", &e)),
        }
    }
    Ok(())
}

/// The path of a member below `folder`, after a look at every element of it.
fn look(folder: &Path, name: &str, overwrite: bool) -> Result<PathBuf, Refused> {
    let mut path = folder.to_owned();
    let mut elements = safe_member_path(name)?.split('/').peekable();
    while let Some(element) = elements.next() {
        path.push(element);
        let last = elements.peek().is_none();
        let refused = |code, why| Err(Refused::at(&path, code, why, name));
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => return refused(ErrorCode::UnsafePath, "a link, which is not followed"),
            Ok(found) if last && found.is_dir() => return refused(ErrorCode::Conflict, "a folder is in the way"),
            Ok(found) if last && !found.is_file() => return refused(ErrorCode::Conflict, "this is no ordinary file"),
            Ok(_) if last && !overwrite => return refused(ErrorCode::DuplicateName, "the file exists"),
            Ok(found) if !last && !found.is_dir() => {
                return refused(ErrorCode::Conflict, "a file is in the way of a folder");
            }
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(Refused::system(&path, "look at the file", &e)),
        }
    }
    Ok(path)
}
