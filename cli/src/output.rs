//! Output files. A file is written beside its target and renamed when it is whole, so a failure leaves the old file as it was.

use crate::console::to_stdout;
use crate::fault::{Fault, Outcome};
use crate::files::is_standard;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// How many temporary names are tried.
const ATTEMPTS: u32 = 1000;

/// Writes a whole output: a file, a device or pipe, or standard output for `-`. `write` fills it.
pub fn write_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> Outcome<()>) -> Outcome<()> {
    if is_standard(path) {
        // Nothing is shown of an output that fails half way.
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        return to_stdout(&bytes).map_err(|f| Fault::Input(Box::new(f)));
    }
    let failed = |e: io::Error| Fault::io(path.to_string_lossy(), "cannot write", &e);
    // The file behind a link is replaced, not the link.
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
        // A device or pipe cannot be replaced.
        Some(old) if !old.is_file() => {
            let mut file = BufWriter::new(OpenOptions::new().write(true).open(&target).map_err(failed)?);
            write(&mut file)?;
            file.flush().map_err(failed)
        }
        old => {
            let mut file = Replacement::create(&target).map_err(failed)?;
            write(file.writer().map_err(failed)?)?;
            file.commit(old.map(|old| old.permissions())).map_err(failed)
        }
    }
}

/// As [`write_with`] for bytes at hand.
pub fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let failed = |e: io::Error| Fault::io(path.to_string_lossy(), "cannot write", &e);
    write_with(path, |out| out.write_all(bytes).map_err(failed))
}

/// Whether the output would be binary noise on a terminal.
pub fn is_terminal(path: &Path) -> bool {
    is_standard(path) && io::stdout().is_terminal()
}

/// A new file that takes the place of another when it is whole; dropped before that it leaves no trace.
pub struct Replacement {
    file: Option<BufWriter<File>>,
    temporary: PathBuf,
    target: PathBuf,
}

impl Replacement {
    /// A file beside `target`, under a name that nobody uses. Links are not followed.
    pub fn create(target: &Path) -> io::Result<Replacement> {
        let folder = folder(target);
        for attempt in 0..ATTEMPTS {
            let temporary = folder.join(format!(".bir-{}-{attempt}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    return Ok(Replacement { file: Some(BufWriter::new(file)), temporary, target: target.to_owned() });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no temporary name is free"))
    }

    /// Where to write.
    pub fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file is closed"))
    }

    /// Brings the bytes to the disk and puts the file in its place.
    pub fn commit(mut self, permissions: Option<fs::Permissions>) -> io::Result<()> {
        let file = self.file.take().ok_or_else(|| io::Error::other("the file is closed"))?;
        let renamed = finish(file, permissions).and_then(|()| fs::rename(&self.temporary, &self.target));
        if let Err(error) = renamed {
            remove(&self.temporary);
            return Err(error);
        }
        // The rename itself lasts when the folder is on the disk; not every file system can do that.
        if let Ok(folder) = File::open(folder(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            remove(&self.temporary);
        }
    }
}

fn finish(file: BufWriter<File>, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

/// Clears up after a failure, which is what gets reported.
fn remove(temporary: &Path) {
    let _ = fs::remove_file(temporary);
}

/// The folder a file is in.
fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
