//! A folder of files as members of a package: what `unpack` wrote, changed perhaps, becomes a package again.
#![forbid(unsafe_code)]

use super::FileContents;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;
use std::fs;
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec::Vec;

/// How deep folders may lie in one another.
const MAX_DEPTH: usize = 64;

/// The files below `folder`, by their names relative to it with `/` between elements, in no particular order.
///
/// Links to files are followed, because weights are often kept elsewhere; links to folders are not, because they may lead in
/// circles.
///
/// # Errors
/// `Io` for what cannot be read; `Unsupported` for a link to a folder, a device, a pipe, and a name that is not UTF-8;
/// `LimitExceeded` for folders deeper than 64.
pub fn files_below(folder: &Path) -> Result<Vec<(String, FileContents)>> {
    let mut files = Vec::new();
    let mut waiting = Vec::from([(folder.to_path_buf(), String::new(), 0)]);
    while let Some((folder, prefix, depth)) = waiting.pop() {
        let failed = |e: std::io::Error| {
            Error::new(ErrorCode::Io, format_args!("cannot read the folder: {e}")).at(folder.display())
        };
        if depth > MAX_DEPTH {
            return Err(Error::new(ErrorCode::LimitExceeded, "the folders are too deep")
                .expected_found(format_args!("at most {MAX_DEPTH}"), depth)
                .at(folder.display()));
        }
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_str().ok_or_else(|| unsupported(&path, "the name is not UTF-8"))?;
            let kind = entry.file_type().map_err(failed)?;
            let full = std::format!("{prefix}{name}");
            if kind.is_dir() {
                push(&mut waiting, (path, full + "/", depth + 1))?;
            } else if kind.is_symlink() && path.is_dir() {
                return Err(unsupported(&path, "a link to a folder"));
            } else {
                push(&mut files, (full, FileContents::new(path)?))?;
            }
        }
    }
    Ok(files)
}

fn unsupported(path: &Path, what: &str) -> Error {
    Error::new(ErrorCode::Unsupported, what).at(PathBuf::from(path).display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::Contents;
    use crate::host::tests::Folder;

    fn names(folder: &Path) -> Vec<(String, u64)> {
        let mut names: Vec<_> = files_below(folder).unwrap().into_iter().map(|(n, c)| (n, c.size())).collect();
        names.sort();
        names
    }

    #[test]
    fn finds_all_files() {
        let folder = Folder::new("below");
        fs::create_dir_all(folder.path().join("sg00/deep/er")).unwrap();
        fs::create_dir_all(folder.path().join("none")).unwrap();
        for (name, bytes) in [("info.json", "{}"), ("sg00/w", "123"), ("sg00/deep/er/x", "")] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        assert_eq!(names(folder.path()), [("info.json".into(), 2), ("sg00/deep/er/x".into(), 0), ("sg00/w".into(), 3)]);
        assert_eq!(files_below(&folder.path().join("info.json")).unwrap_err().code, ErrorCode::Io);
    }

    #[cfg(unix)]
    #[test]
    fn links() {
        let folder = Folder::new("links");
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        fs::write(folder.path().join("a"), "12").unwrap();
        link("a", "b");
        assert_eq!(names(folder.path()), [("a".into(), 2), ("b".into(), 2)]);
        link("none", "c");
        assert_eq!(files_below(folder.path()).unwrap_err().code, ErrorCode::Io);
        fs::remove_file(folder.path().join("c")).unwrap();
        link(".", "d");
        assert_eq!(files_below(folder.path()).unwrap_err().code, ErrorCode::Unsupported);
    }
}
