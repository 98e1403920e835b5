//! Members of a package as files. A package is not trusted: nothing is written outside the folder, and no link is followed.
#![forbid(unsafe_code)]

use super::replace::Replacement;
use crate::neff::Package;
use crate::neff::path::safe_member_path;
use crate::neff::read::Member;
use crate::{Error, ErrorCode};
use std::borrow::ToOwned;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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

/// Writes members of a package below `folder`, which is made if it is missing. All places are looked at before anything is
/// written, and each again right before its write. `written` hears the bytes of each file.
///
/// # Errors
/// `UnsafePath` for a name that leads outside or through a link; `Conflict` where a file and a folder meet; `DuplicateName`
/// for a file that exists, unless `overwrite`; `Io`, after which files written before stay.
pub fn extract(
    package: &Package<'_>,
    members: &[&Member],
    folder: &Path,
    overwrite: bool,
    mut written: impl FnMut(usize),
) -> Result<(), Refused> {
    no_file_is_a_folder(members)?;
    for member in members {
        target(folder, &member.name, overwrite, false)?;
    }
    fs::create_dir_all(folder).map_err(|e| Refused::system(folder, "make the folder", &e))?;
    for member in members {
        let path = target(folder, &member.name, overwrite, true)?;
        let contents = package.contents(member);
        write(&path, contents).map_err(|e| Refused::system(&path, "write the file", &e))?;
        written(contents.len());
    }
    Ok(())
}

/// One member cannot be both a file and the folder of another.
fn no_file_is_a_folder(members: &[&Member]) -> Result<(), Error> {
    let names: HashSet<&str> = members.iter().map(|m| m.name.as_str()).collect();
    for member in members {
        for (slash, _) in member.name.match_indices('/') {
            if let Some(folder) = member.name.get(..slash).filter(|folder| names.contains(folder)) {
                return Err(Error::new(ErrorCode::Conflict, "a member lies below another member that is a file")
                    .expected_found("a folder", format_args!("the file `{folder}`"))
                    .at(&member.name));
            }
        }
    }
    Ok(())
}

/// The path of a member below `folder`, after a look at every element of it. With `make` the folders are made.
fn target(folder: &Path, name: &str, overwrite: bool, make: bool) -> Result<PathBuf, Refused> {
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
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                if make && !last {
                    fs::create_dir(&path).map_err(|e| Refused::system(&path, "make the folder", &e))?;
                }
            }
            Err(e) => return Err(Refused::system(&path, "look at the file", &e)),
        }
    }
    Ok(path)
}

/// Writes under a new name and renames: even a link that appears meanwhile is replaced, not followed.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.write_all(contents)?;
    file.commit(None)
}
