//! The ways a document comes to the reader; each is timed from the opened file to the module.

use bir_core::Result;
use bir_core::doc::{IoSource, Loaded, ReadOptions, Watch, read_document_stream, read_json};
use bir_core::{Error, ErrorCode};
use clap::ValueEnum;
use std::fs::File;
use std::path::Path;

/// A way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// Mapped into memory.
    Map,
    /// Read into a vector first.
    Vec,
    /// Read piece by piece from the file.
    Stream,
}

impl Source {
    /// Reads the document this way.
    pub fn load(self, path: &Path, options: &ReadOptions) -> Result<Loaded> {
        match self {
            Source::Map => read_json(&map(path)?, options),
            Source::Vec => read_json(&std::fs::read(path).map_err(io)?, options),
            Source::Stream => {
                let source = IoSource::new(File::open(path).map_err(io)?, None);
                read_document_stream(source, options, &mut Watch::new())
            }
        }
    }
}

/// The document's bytes, mapped.
pub fn map(path: &Path) -> Result<memmap2::Mmap> {
    let file = File::open(path).map_err(io)?;
    // SAFETY: the file is this benchmark's own, and nothing writes to it while a run lasts.
    unsafe { memmap2::Mmap::map(&file) }.map_err(io)
}

fn io(error: std::io::Error) -> Error {
    Error::new(ErrorCode::Io, error)
}
