//! Files. One is written beside its target and renamed when it is whole, so a failure leaves the old file as it was.
#![forbid(unsafe_code)]

use bir_core::doc::Sink;
use bir_core::sink::IoSink;
use bir_core::{Error, ErrorCode, Result};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// How many temporary names are tried.
const ATTEMPTS: u32 = 1000;

/// The error of a file that the system refuses.
pub fn io_error(path: &Path, what: &str, error: &io::Error) -> Error {
    let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
    Error::new(code, format_args!("{}: cannot {what}: {error}", path.display()))
}

/// An error with the file's name before its message.
pub fn in_file(path: &Path, mut error: Error) -> Error {
    let text = if error.message.is_empty() { error.code.description() } else { &error.message };
    error.message = Error::new(error.code, format_args!("{}: {text}", path.display())).message;
    error
}

/// A whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| io_error(path, "read the file", &e))
}

/// Writes a whole file, which `fill` fills. Devices and pipes are written to; the file behind a link is replaced, not the
/// link.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Sink) -> Result<()>) -> Result<()> {
    let failed = |e: io::Error| io_error(path, "write the file", &e);
    let fill = |file: &mut File| fill(&mut IoSink::new(file)).map_err(|e| in_file(path, e));
    let target = match fs::symlink_metadata(path) {
        Ok(old) if old.is_symlink() => fs::canonicalize(path).map_err(failed)?,
        _ => path.to_owned(),
    };
    let old = match fs::metadata(&target) {
        Ok(old) => Some(old),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(failed(e)),
    };
    match old {
        Some(old) if old.is_dir() => Err(failed(io::ErrorKind::IsADirectory.into())),
        Some(old) if !old.is_file() => fill(&mut OpenOptions::new().write(true).open(&target).map_err(failed)?),
        old => {
            let mut file = Replacement::create(&target).map_err(failed)?;
            fill(&mut file.file)?;
            file.commit(old.map(|old| old.permissions())).map_err(failed)
        }
    }
}

/// A new file that takes the place of another when it is whole; dropped before that it leaves no trace.
pub struct Replacement {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    done: bool,
}

impl Replacement {
    /// A file beside `target`, under a name that nobody uses. Links are not followed.
    pub fn create(target: &Path) -> io::Result<Replacement> {
        let folder = folder(target);
        for attempt in 0..ATTEMPTS {
            let temporary = folder.join(format!(".bir-{}-{attempt}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok(Replacement { file, temporary, target: target.to_owned(), done: false }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no temporary name is free"))
    }

    /// Where to write.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Brings the bytes to the disk and puts the file in its place.
    pub fn commit(mut self, permissions: Option<fs::Permissions>) -> io::Result<()> {
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.done = true;
        // The rename itself lasts when the folder is on the disk; not every file system can do that.
        if let Ok(folder) = File::open(folder(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.done {
            // Clearing up after a failure, which is what gets reported.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The folder a file is in.
fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
