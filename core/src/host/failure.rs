//! What the system answers, as an error of this crate.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode};
use std::io;
use std::path::Path;

/// `Io`, or `OutOfMemory` where that is the reason: what could not be done, and why.
pub(super) fn system(doing: &str, error: &io::Error) -> Error {
    let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
    Error::new(code, format_args!("cannot {doing}: {error}"))
}

/// As [`system`], of the file or folder at `path`.
pub(super) fn of_file(path: &Path, doing: &str, error: &io::Error) -> Error {
    system(doing, error).at(path.display())
}
