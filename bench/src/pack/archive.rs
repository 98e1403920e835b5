//! The payload of a package from files: what libarchive is compared with.

use super::files::Files;
use crate::clock::Clock;
use crate::{Result, memory};
use bir_core::neff::gzip::GzipWriter;
use bir_core::neff::tar::{Attributes, TarWriter};
use bir_core::sink::{IoSink, Sink};
use clap::ValueEnum;
use serde_json::json;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// How the payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// One gzip member with the bytes of stock zlib at level 1.
    Exact,
    /// A plain tar.
    None,
}

/// Writes the archive of a list's files.
pub fn run(list: &Path, output: &Path, compression: Compression, clock: Clock) -> Result<()> {
    let files = Files::of_list(list)?;
    let bytes = files.bytes()?;
    let start = clock.now();
    let sink = IoSink::new(BufWriter::with_capacity(1 << 16, File::create(output)?));
    let mut sink = match compression {
        Compression::Exact => members(&files, GzipWriter::new(sink)?)?.finish()?,
        Compression::None => members(&files, sink)?,
    };
    sink.flush()?;
    let seconds = clock.now() - start;
    println!("{}", json!({"phase": "archive", "bytes": bytes, "seconds": seconds, "peak": memory::status("VmHWM")?}));
    Ok(())
}

fn members<S: Sink>(files: &Files, sink: S) -> Result<S> {
    let mut writer = TarWriter::new(sink);
    for name in &files.names {
        writer.file(name, Attributes::deterministic(name), &std::fs::read(files.path(name))?)?;
    }
    Ok(writer.finish()?)
}
