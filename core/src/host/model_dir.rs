//! A model directory on a disk. Weights are as large as memory, so only the headers of their files are read.
#![forbid(unsafe_code)]

use crate::consts::npy::{self, Npy, Options, Prefix};
use crate::consts::weights::{METADATA_FILE, ModelFiles};
use crate::{Error, ErrorCode, Result};
use std::borrow::ToOwned;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::vec::Vec;

/// How much of a file is read at first: nearly every header has 128 bytes.
const HEAD: usize = 512;

/// A model directory (`spec/consts.md` section 2): `metadata.json`, the model, and NPY files.
#[derive(Clone, Debug)]
pub struct ModelDir {
    folder: PathBuf,
}

impl ModelDir {
    /// The most bytes that its `metadata.json` may have.
    pub const MAX_METADATA: u64 = 256 << 20;

    /// The directory `folder`. Nothing is read yet.
    pub fn new(folder: &Path) -> ModelDir {
        ModelDir { folder: folder.to_owned() }
    }

    /// The text of `metadata.json`.
    ///
    /// # Errors
    /// `NotFound`, `WrongKind` or `Io` if it cannot be read; `LimitExceeded` beyond [`ModelDir::MAX_METADATA`].
    pub fn metadata(&self) -> Result<Vec<u8>> {
        let hint = "Please ensure metadata.json exists and has read permissions.";
        let failed =
            |error: Error| Error { message: crate::error::text(format_args!("{hint} {}", error.message)), ..error };
        let (file, size) = open(&self.folder.join(METADATA_FILE)).map_err(failed)?;
        if size > ModelDir::MAX_METADATA {
            let expected = format_args!("at most {} bytes", ModelDir::MAX_METADATA);
            return Err(
                Error::new(ErrorCode::LimitExceeded, "metadata.json is too long").expected_found(expected, size)
            );
        }
        let mut text = Vec::new();
        read_up_to(&file, &mut text, ModelDir::MAX_METADATA).map_err(failed)?;
        Ok(text)
    }
}

impl ModelFiles for ModelDir {
    fn exists(&mut self, path: &str) -> Result<bool> {
        match fs::metadata(self.folder.join(path)) {
            Ok(found) => Ok(found.is_file()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(failed(&e)),
        }
    }

    fn npy(&mut self, path: &str) -> Result<Npy> {
        let (file, size) = open(&self.folder.join(path))?;
        let (mut head, mut needed) = (Vec::new(), HEAD);
        loop {
            let missing = needed.saturating_sub(head.len());
            read_up_to(&file, &mut head, missing as u64)?;
            let npy = match npy::parse_prefix(&head, Options::default())? {
                Prefix::Whole(npy) => npy,
                // The file ended, so this is all of it.
                Prefix::Needs(_) if head.len() < needed => npy::parse(&head)?,
                // More than there is, and bounded by the longest header.
                Prefix::Needs(bytes) => {
                    needed = bytes;
                    continue;
                }
            };
            npy.check_file_bytes(size)?;
            return Ok(npy);
        }
    }
}

/// Opens an ordinary file; gives its size too. Links are followed: the directory is the user's own.
fn open(path: &Path) -> Result<(File, u64)> {
    let ordinary = |found: fs::Metadata| match found.is_file() {
        true => Ok(found.len()),
        false => Err(Error::new(ErrorCode::WrongKind, "this is no ordinary file")),
    };
    // Opening a pipe would wait for its other end.
    ordinary(fs::metadata(path).map_err(|e| failed(&e))?)?;
    let file = File::open(path).map_err(|e| failed(&e))?;
    let size = ordinary(file.metadata().map_err(|e| failed(&e))?)?;
    Ok((file, size))
}

/// Appends up to `bytes` bytes; fewer only at the end of the file.
fn read_up_to(file: &File, bytes: &mut Vec<u8>, limit: u64) -> Result<()> {
    file.take(limit).read_to_end(bytes).map(drop).map_err(|e| failed(&e))
}

fn failed(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::new(ErrorCode::NotFound, "the file does not exist"),
        io::ErrorKind::OutOfMemory => Error::out_of_memory(),
        _ => Error::new(ErrorCode::Io, format_args!("cannot read: {error}")),
    }
}
