//! The payload of a package from files: what libarchive is compared with.

use super::files::Files;
use crate::clock::Clock;
use crate::{Result, memory};
use bir_core::contents::Contents;
use bir_core::host::FileContents;
use bir_core::host::package_writer::{WriteOptions, write_payload};
use bir_core::neff;
use bir_core::neff::header::Header;
use bir_core::neff::package::Archive;
use bir_core::sink::IoSink;
use clap::ValueEnum;
use serde_json::json;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::rc::Rc;

/// How the payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// One gzip member with the bytes of stock zlib at level 1.
    Exact,
    /// One gzip member in pieces, for several threads.
    Parallel,
    /// A plain tar.
    None,
}

impl From<Compression> for neff::Compression {
    fn from(compression: Compression) -> Self {
        match compression {
            Compression::Exact => neff::Compression::Exact,
            Compression::Parallel => neff::Compression::Parallel,
            Compression::None => neff::Compression::None,
        }
    }
}

/// Writes the archive of a list's files with so many threads. Its digest is taken on the way, as for a package.
pub fn run(list: &Path, output: &Path, compression: Compression, threads: usize, clock: Clock) -> Result<()> {
    let files = Files::of_list(list)?;
    let bytes = files.bytes()?;
    let start = clock.now();
    let mut archive = Archive::new(Header::default(), compression.into());
    for name in &files.names {
        archive.add(name, contents(&files, name)?)?;
    }
    archive.sort()?;
    let sink = IoSink::new(BufWriter::with_capacity(1 << 16, File::create(output)?));
    let (_, mut sink) = write_payload(&archive, sink, WriteOptions { threads, progress: None })?;
    sink.flush()?;
    let seconds = clock.now() - start;
    println!("{}", json!({"phase": "archive", "bytes": bytes, "seconds": seconds, "peak": memory::status("VmHWM")?}));
    Ok(())
}

/// What a file holds, read when its turn comes.
pub fn contents(files: &Files, name: &str) -> Result<Rc<dyn Contents>> {
    Ok(Rc::new(FileContents::new(files.path(name))?))
}
