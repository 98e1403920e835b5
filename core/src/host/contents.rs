//! Constant files are larger than memory may be, so a package takes them from the disk piece by piece.
#![forbid(unsafe_code)]

use crate::contents::Contents;
use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::vec::Vec;

/// Bytes read at a time.
const PIECE: usize = 1 << 17;

/// The contents of a file, which stays closed until it is read. That it does not change meanwhile is checked as far as size and
/// time of change tell.
#[derive(Clone, Debug)]
pub struct FileContents {
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
}

impl FileContents {
    /// The contents of the ordinary file at `path`.
    ///
    /// # Errors
    /// `Io` with the path if the file cannot be looked at; `Unsupported` for a folder, a device or a pipe.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let about = std::fs::metadata(&path).map_err(|e| failed(&path, &e))?;
        if !about.is_file() {
            return Err(Error::new(ErrorCode::Unsupported, "not an ordinary file")
                .expected_found("a file", kind(&about))
                .at(path.display()));
        }
        Ok(FileContents { path, size: about.len(), modified: about.modified().ok() })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open(&self) -> Result<File> {
        let file = File::open(&self.path).map_err(|e| failed(&self.path, &e))?;
        self.check(&file)?;
        Ok(file)
    }

    /// Compares the open file with what was seen first.
    fn check(&self, file: &File) -> Result<()> {
        let about = file.metadata().map_err(|e| failed(&self.path, &e))?;
        if about.len() != self.size {
            return Err(self.changed(about.len()));
        }
        if about.modified().ok() != self.modified {
            return Err(
                Error::new(ErrorCode::Conflict, "the file was written to while it was read").at(self.path.display())
            );
        }
        Ok(())
    }

    fn changed(&self, found: u64) -> Error {
        Error::new(ErrorCode::Conflict, "the file changed while it was read")
            .expected_found(format_args!("{} bytes", self.size), format_args!("{found} bytes"))
            .at(self.path.display())
    }
}

impl Contents for FileContents {
    fn size(&self) -> u64 {
        self.size
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        let mut file = self.open()?;
        let mut buffer = Vec::new();
        let wanted = usize::try_from(self.size).unwrap_or(PIECE).clamp(1, PIECE);
        buffer.try_reserve_exact(wanted).map_err(|_| Error::out_of_memory())?;
        buffer.resize(wanted, 0);
        let mut left = self.size;
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(wanted).min(wanted);
            let piece = buffer.get_mut(..room).unwrap_or_default();
            match file.read(piece) {
                Ok(0) => return Err(self.changed(self.size.saturating_sub(left))),
                Ok(count) => {
                    sink.write(piece.get(..count).unwrap_or_default())?;
                    left = left.saturating_sub(count as u64);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(&self.path, &e)),
            }
        }
        self.check(&file)
    }

    fn start(&self, buffer: &mut [u8]) -> Result<usize> {
        let mut file = self.open()?.take(buffer.len() as u64);
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match file.read(rest) {
                Ok(0) => break,
                Ok(count) => filled = filled.saturating_add(count),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(&self.path, &e)),
            }
        }
        Ok(filled)
    }
}

fn kind(about: &Metadata) -> &'static str {
    if about.is_dir() { "a folder" } else { "a device or pipe" }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
    Error::new(code, format_args!("cannot read the file: {error}")).at(path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tests::Folder;
    use std::fs;

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
        assert_eq!((contents.start(&mut start).unwrap(), start), (5, [0, 1, 2, 3, 4]));
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
