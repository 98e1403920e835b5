//! Constant files are larger than memory may be, so a package takes them from the disk piece by piece.
#![forbid(unsafe_code)]

use super::failure::system;
use super::ordinary::{look, open, other_length, unchanged};
use super::random::RandomFile;
use super::stamp::Stamp;
use crate::contents::Contents;
use crate::error::Result;
use core::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The contents of a file, which is open from the first read to the one that finds its end. That it does not change meanwhile is
/// checked as far as size and time of change tell, and that it is no other one of its name.
#[derive(Debug)]
pub struct FileContents {
    path: PathBuf,
    stamp: Stamp,
    open: RefCell<Option<RandomFile>>,
}

impl FileContents {
    /// The contents of the ordinary file at `path`.
    ///
    /// # Errors
    /// `Io` with the path if the file cannot be looked at; `Unsupported` for a folder, a device or a pipe.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let stamp = look(&path).map_err(|e| e.at(path.display()))?;
        Ok(FileContents { path, stamp, open: RefCell::default() })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open_file(&self) -> Result<File> {
        let file = open(&self.path)?;
        unchanged(&file, &self.stamp)?;
        Ok(file)
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let mut place = self.open.borrow_mut();
        let open = match place.take() {
            Some(open) => place.insert(open),
            None => place.insert(RandomFile::new(self.open_file()?)),
        };
        let result = open.read_at(offset, buffer).map_err(|e| system("read the file", &e));
        if let Ok(1..) = result {
            return result;
        }
        // At the end, and after an error, the file is closed.
        let open = place.take();
        result?;
        if offset < self.stamp.length {
            return Err(other_length(self.stamp.length, offset));
        }
        if let Some(open) = open {
            unchanged(&open.file, &self.stamp)?;
        }
        Ok(0)
    }
}

impl Contents for FileContents {
    fn size(&self) -> u64 {
        self.stamp.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.read(offset, buffer).map_err(|e| e.at(self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;
    use crate::contents::fill_at;
    use crate::host::tests::Folder;
    use crate::sink::Sink;
    use std::fs;
    use std::vec::Vec;

    const PIECE: usize = 1 << 17;

    #[test]
    fn gives_the_file_again_and_again() {
        let folder = Folder::new("contents");
        let path = folder.path().join("x");
        let bytes: Vec<u8> = (0..300_000u32).map(|i| i as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let contents = FileContents::new(&path).unwrap();
        for _ in 0..2 {
            let mut out = Vec::new();
            contents.write_to(&mut out).unwrap();
            assert!(out == bytes);
        }
        let mut start = [0; 5];
        assert_eq!((fill_at(&contents, 1, &mut start).unwrap(), start), (5, [1, 2, 3, 4, 5]));
    }

    #[test]
    fn a_file_that_changes_is_an_error() {
        let folder = Folder::new("changes");
        let path = folder.path().join("x");
        for later in [&b"abc"[..], b"abcdefgh", b""] {
            fs::write(&path, b"abcde").unwrap();
            let contents = FileContents::new(&path).unwrap();
            fs::write(&path, later).unwrap();
            let error = contents.write_to(&mut Vec::new()).unwrap_err();
            assert_eq!((error.code, &*error.expected), (ErrorCode::Conflict, "5 bytes"));
            assert!(error.path.ends_with('x'), "{error}");
        }
        // While it is read: the sink shortens it.
        struct Shortening<'p>(&'p Path);
        impl Sink for Shortening<'_> {
            fn write(&mut self, _: &[u8]) -> Result<()> {
                fs::OpenOptions::new().write(true).open(self.0).unwrap().set_len(PIECE as u64).unwrap();
                Ok(())
            }
        }
        fs::write(&path, std::vec![1; 3 * PIECE]).unwrap();
        let error = FileContents::new(&path).unwrap().write_to(&mut Shortening(&path)).unwrap_err();
        assert_eq!((error.code, error.found), (ErrorCode::Conflict, std::format!("{PIECE} bytes")));
    }

    #[test]
    fn only_ordinary_files() {
        let folder = Folder::new("kinds");
        assert_eq!(FileContents::new(folder.path()).unwrap_err().found, "a folder");
        assert_eq!(FileContents::new(folder.path().join("none")).unwrap_err().code, ErrorCode::Io);
        #[cfg(unix)]
        assert_eq!(FileContents::new("/dev/zero").unwrap_err().code, ErrorCode::Unsupported);
    }
}
