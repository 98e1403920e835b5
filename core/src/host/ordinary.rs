//! Only ordinary files are read, none of them ever waits for another program, and each is checked to be at the end of reading
//! what it was at the first look.
#![forbid(unsafe_code)]

use super::failure::system;
use super::stamp::Stamp;
use crate::error::{Error, ErrorCode, Result};
use core::fmt::Display;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::path::Path;

/// What kind of file it is, in a word.
pub(super) fn kind(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    match kind {
        kind if kind.is_symlink() => "a link",
        kind if kind.is_dir() => "a folder",
        kind if kind.is_file() => "a file",
        _ => "something else",
    }
}

/// The state of an ordinary file of which this is known.
///
/// # Errors
/// `Unsupported` for what is no ordinary file.
pub(super) fn stamp(about: &Metadata) -> Result<Stamp> {
    if about.is_file() {
        return Ok(Stamp::of(about));
    }
    Err(Error::new(ErrorCode::Unsupported, "not an ordinary file").expected_found("a file", kind(about.file_type())))
}

/// The state of an ordinary file, which is not opened for that. Links are followed.
///
/// # Errors
/// `Io`; as [`stamp`].
pub(super) fn look(path: &Path) -> Result<Stamp> {
    stamp(&fs::metadata(path).map_err(|e| system("look at the file", &e))?)
}

/// The state of an open file, which must be an ordinary one.
///
/// # Errors
/// As [`look`].
pub(super) fn look_at(file: &File) -> Result<Stamp> {
    stamp(&file.metadata().map_err(|e| system("look at the file", &e))?)
}

/// Opens a file for reading.
///
/// # Errors
/// `Io`.
pub(super) fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A FIFO that has taken the file's place meanwhile must not keep us waiting.
        options.custom_flags(libc::O_NONBLOCK);
    }
    options.open(path).map_err(|e| system("open the file", &e))
}

/// Whether an open file is still what it was when it was looked at.
///
/// # Errors
/// `Conflict` if not; `Io`.
pub(super) fn unchanged(file: &File, before: &Stamp) -> Result<()> {
    let now = Stamp::of(&file.metadata().map_err(|e| system("look at the file", &e))?);
    if now == *before {
        return Ok(());
    }
    if now.length != before.length {
        return Err(other_length(before.length, now.length));
    }
    Err(match now.same_file(before) {
        true => changed("the modification time from before", "a later write"),
        false => changed("the file from before", "another one of its name"),
    })
}

/// A file ends, in bytes, elsewhere than it did before.
pub(super) fn other_length(expected: u64, found: u64) -> Error {
    changed(format_args!("{expected} bytes"), format_args!("{found} bytes"))
}

fn changed(expected: impl Display, found: impl Display) -> Error {
    Error::new(ErrorCode::Conflict, "the file changed while it was read").expected_found(expected, found)
}
