//! Files that replace others. One is written beside its target and renamed when it is whole, so a failure leaves the old file
//! as it was.
#![forbid(unsafe_code)]

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{borrow::ToOwned, format};

/// How many temporary names are tried.
const ATTEMPTS: u32 = 1000;

/// Writes a whole file, which `fill` fills. The file behind a link is replaced, not the link; a device or pipe is written to.
/// The permissions of an old file stay.
///
/// # Errors
/// Whatever `fill` answers, and errors of the system as `failed` makes them the caller's. An ordinary file is as before then.
pub fn replace<E>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    failed: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    match Place::open(path).map_err(&failed)? {
        Place::Device(file) => {
            let mut file = BufWriter::new(file);
            fill(&mut file)?;
            file.flush().map_err(failed)
        }
        Place::File(replacement, permissions) => {
            let mut file = BufWriter::new(replacement);
            fill(&mut file)?;
            let replacement = file.into_inner().map_err(|e| failed(e.into_error()))?;
            replacement.commit(permissions).map_err(failed)
        }
    }
}

/// Where the bytes for a path go.
#[derive(Debug)]
pub enum Place {
    /// Into a new file that then takes the place of the old one, if there is one, whose permissions are given.
    File(Replacement, Option<Permissions>),
    /// Straight into a device or pipe, which cannot be replaced.
    Device(File),
}

impl Place {
    /// Looks at `path` and opens what is to be written to.
    ///
    /// # Errors
    /// What the system answers; `IsADirectory` for a folder.
    pub fn open(path: &Path) -> io::Result<Place> {
        let target = match fs::symlink_metadata(path) {
            Ok(old) if old.is_symlink() => fs::canonicalize(path)?,
            _ => path.to_owned(),
        };
        let old = match fs::metadata(&target) {
            Ok(old) => Some(old),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        match old {
            Some(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Some(old) if !old.is_file() => Ok(Place::Device(OpenOptions::new().write(true).open(&target)?)),
            old => Ok(Place::File(Replacement::create(&target)?, old.map(|old| old.permissions()))),
        }
    }
}

/// A new file that takes the place of another when it is whole; dropped before that it leaves no trace.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    renamed: bool,
}

impl Replacement {
    /// A file beside `target`, under a name that nobody uses. Links are not followed.
    ///
    /// # Errors
    /// What the system answers.
    pub fn create(target: &Path) -> io::Result<Replacement> {
        let folder = folder(target);
        for attempt in 0..ATTEMPTS {
            let temporary = folder.join(format!(".bir-{}-{attempt}.tmp", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let target = target.to_owned();
                    return Ok(Replacement { file, temporary, target, renamed: false });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no temporary name is free"))
    }

    /// The file, open for reading and writing.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Brings the bytes to the disk and puts the file in its place.
    ///
    /// # Errors
    /// What the system answers; the target is as before then.
    pub fn commit(mut self, permissions: Option<Permissions>) -> io::Result<()> {
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.renamed = true;
        // The rename itself lasts when the folder is on the disk; not every file system can do that.
        if let Ok(folder) = File::open(folder(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.renamed {
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
