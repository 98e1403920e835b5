//! Files, with their names in every error.
#![forbid(unsafe_code)]

use bir_core::doc::IoSource;
use bir_core::host::extract::{ExtractOptions, Refused, extract, extract_file};
use bir_core::host::package::PackageFile;
use bir_core::host::replace::replace;
use bir_core::neff::Package;
use bir_core::sink::{IoSink, Sink};
use bir_core::{Error, ErrorCode, Result};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

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

/// An error of the system that has the file's name as its place, as one with the name before its message.
pub fn path_first(mut error: Error) -> Error {
    if error.code != ErrorCode::Io || error.path.is_empty() {
        return error;
    }
    let path = core::mem::take(&mut error.path);
    in_file(Path::new(&path), error)
}

/// A whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| io_error(path, "read the file", &e))
}

/// A file to be read piece by piece.
pub fn source(path: &Path) -> Result<IoSource<File>> {
    let file = File::open(path).map_err(|e| io_error(path, "read the file", &e))?;
    let about = file.metadata().map_err(|e| io_error(path, "read the file", &e))?;
    Ok(IoSource::new(file, about.is_file().then_some(about.len())))
}

/// Writes a whole file, which `fill` fills, as [`replace`] does.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Sink) -> Result<()>) -> Result<()> {
    let fill = |file: &mut dyn Write| fill(&mut IoSink::new(file)).map_err(|e| in_file(path, e));
    replace(path, fill, |e| io_error(path, "write the file", &e))
}

/// Writes all members of a package below `folder`.
pub fn unpack(package: &Package<'_>, folder: &Path, overwrite: bool) -> Result<()> {
    let members: Vec<_> = package.members().iter().collect();
    extract(package, &members, folder, overwrite, |_| {}).map_err(refusal)
}

/// The same for a package in a file.
pub fn unpack_file(package: &mut PackageFile, folder: &Path, options: ExtractOptions) -> Result<()> {
    extract_file(package, None, folder, options, &mut |_| {}).map(|_| ()).map_err(refusal)
}

fn refusal(Refused { file, error }: Refused) -> Error {
    match file {
        Some(file) => in_file(&file, error),
        None => error,
    }
}
