//! Members of a package as files. A package is not trusted: nothing is written outside the folder, and no link is followed.
#![forbid(unsafe_code)]

use crate::files::{Replacement, io_error};
use bir_core::neff::Package;
use bir_core::neff::path::safe_member_path;
use bir_core::{Error, ErrorCode, Result};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes all members below `folder`, which is made if it is missing. All places are looked at before anything is written,
/// and each again right before its write.
pub fn extract(package: &Package<'_>, folder: &Path, overwrite: bool) -> Result<()> {
    no_file_is_a_folder(package)?;
    for member in package.members() {
        target(folder, &member.name, overwrite, false)?;
    }
    fs::create_dir_all(folder).map_err(|e| io_error(folder, "make the folder", &e))?;
    for (name, contents) in package.files() {
        let path = target(folder, name, overwrite, true)?;
        write(&path, contents).map_err(|e| io_error(&path, "write the file", &e))?;
    }
    Ok(())
}

/// One member cannot be both a file and the folder of another.
fn no_file_is_a_folder(package: &Package<'_>) -> Result<()> {
    let names: HashSet<&str> = package.members().iter().map(|m| m.name.as_str()).collect();
    for member in package.members() {
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
fn target(folder: &Path, name: &str, overwrite: bool, make: bool) -> Result<PathBuf> {
    let mut path = folder.to_owned();
    let mut elements = safe_member_path(name)?.split('/').peekable();
    while let Some(element) = elements.next() {
        path.push(element);
        let last = elements.peek().is_none();
        let refused = |code, why: &str| Err(Error::new(code, format_args!("{}: {why}", path.display())).at(name));
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
                    fs::create_dir(&path).map_err(|e| io_error(&path, "make the folder", &e))?;
                }
            }
            Err(e) => return Err(io_error(&path, "look at the file", &e)),
        }
    }
    Ok(path)
}

/// Writes under a new name and renames: even a link that appears meanwhile is replaced, not followed.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.file().write_all(contents)?;
    file.commit(None)
}
