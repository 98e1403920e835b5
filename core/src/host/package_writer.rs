//! Packages as files: the header, which is first, is known last, and weights are larger than memory may be.
#![forbid(unsafe_code)]

use super::ParallelGzip;
use super::failure::system;
use super::pipe::{Work, piped};
use super::replace::{Place, Replacement};
use crate::contents::Contents;
use crate::error::{Error, ErrorCode, Result};
use crate::neff::Compression;
use crate::neff::gzip::{GzipWriter, PieceGzipWriter};
use crate::neff::header::{self, Header};
use crate::neff::package::{Archive, Payload, PayloadSummary};
use crate::sink::{IoSink, Sink};
use core::ops::ControlFlow;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::vec::Vec;

/// Tells how many bytes of the tar are done; `Break` ends the work with `Cancelled`.
pub type ProgressFn<'w> = dyn FnMut(u64) -> ControlFlow<()> + 'w;

/// How a package is written. None of it changes a byte.
#[derive(Default)]
pub struct WriteOptions<'w> {
    /// The most threads that work; 0 for as many as the machine has cores.
    pub threads: usize,
    /// Is told of the progress, about once per 256 KiB.
    pub progress: Option<&'w mut ProgressFn<'w>>,
}

/// Writes the package to `path`, replacing what is there when the package is whole; a device or pipe is written to.
/// Returns its header.
///
/// Memory does not grow with the members.
///
/// # Errors
/// As [`Archive::write_payload`]; `Io` with the path for what the system answers; `Cancelled`. The old file is as before then.
pub fn write_file(archive: &Archive<'_>, path: &Path, options: WriteOptions<'_>) -> Result<Header> {
    into_file(
        path,
        options,
        |file, options| fill(archive, file, options),
        |file, options| write_stream(archive, file, options),
    )
}

/// Writes the header of `archive` and then `payload` as it is, whose contents are not looked at. Returns the header.
///
/// # Errors
/// As [`write_file`]; `Unsupported` for a device or pipe.
pub fn write_raw_file(archive: &Archive<'_>, payload: &dyn Contents, path: &Path) -> Result<Header> {
    let raw = |file: &mut File, _: WriteOptions<'_>| {
        file.write_all(&[0; header::SIZE]).map_err(|e| cannot_write(&e))?;
        let out = IoSink::new(BufWriter::with_capacity(1 << 17, &mut *file));
        let mut out = Payload::new(out, archive.pkg_version())?;
        payload.write_to(&mut out)?;
        let (summary, mut out) = out.finish();
        out.flush()?;
        drop(out);
        finish(archive, &summary, file)
    };
    let device = |_: &mut File, _: WriteOptions<'_>| {
        Err(Error::new(ErrorCode::Unsupported, "a payload can only be written to a file").at(path.display()))
    };
    into_file(path, WriteOptions::default(), raw, device)
}

/// Puts a file in the place of `path` that `fill` fills, or lets `stream` write to the device there.
fn into_file<'w>(
    path: &Path,
    options: WriteOptions<'w>,
    fill: impl FnOnce(&mut File, WriteOptions<'w>) -> Result<Header>,
    stream: impl FnOnce(&mut File, WriteOptions<'w>) -> Result<Header>,
) -> Result<Header> {
    let failed = |e: io::Error| cannot_write(&e).at(path.display());
    match Place::open(path).map_err(failed)? {
        Place::Device(mut file) => stream(&mut file, options),
        Place::File(mut replacement, permissions) => {
            let header = fill(replacement.file(), options).map_err(|e| at(e, path))?;
            replacement.commit(permissions).map_err(failed)?;
            Ok(header)
        }
    }
}

/// Writes the package into something that cannot go back to its start; the payload waits in a temporary file, or in memory
/// where there is no place for one.
/// Returns its header.
///
/// # Errors
/// As [`write_file`]. Nothing is written unless the whole package could be made.
pub fn write_stream(archive: &Archive<'_>, out: &mut dyn Write, options: WriteOptions<'_>) -> Result<Header> {
    let Ok(mut waiting) = Replacement::create(&std::env::temp_dir().join("package")) else {
        // Where no file can wait, memory has to do.
        let (summary, payload) = write_payload(archive, Vec::new(), options)?;
        let header = archive.header(&summary);
        out.write_all(&header.write()).and_then(|()| out.write_all(&payload)).map_err(|e| cannot_write(&e))?;
        return out.flush().map(|()| header).map_err(|e| cannot_write(&e));
    };
    let header = fill(archive, waiting.file(), options)?;
    let file = waiting.file();
    file.seek(SeekFrom::Start(0)).map_err(|e| cannot_write(&e))?;
    io::copy(file, out).and_then(|_| out.flush()).map_err(|e| cannot_write(&e))?;
    Ok(header)
}

fn fill(archive: &Archive<'_>, file: &mut File, options: WriteOptions<'_>) -> Result<Header> {
    file.write_all(&[0; header::SIZE]).map_err(|e| cannot_write(&e))?;
    let out = IoSink::new(BufWriter::with_capacity(1 << 17, &mut *file));
    let (summary, mut out) = write_payload(archive, out, options)?;
    out.flush()?;
    drop(out);
    finish(archive, &summary, file)
}

/// Puts the header in its place.
fn finish(archive: &Archive<'_>, summary: &PayloadSummary, file: &mut File) -> Result<Header> {
    let header = archive.header(summary);
    file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&header.write())).map_err(|e| cannot_write(&e))?;
    Ok(header)
}

/// As [`Archive::write_payload`], with several threads: one reads the members, one or more compress, one takes the digest and
/// writes. The bytes are the same.
///
/// # Errors
/// As [`Archive::write_payload`]; `Cancelled`.
pub fn write_payload<S: Sink + Send>(
    archive: &Archive<'_>,
    sink: S,
    options: WriteOptions<'_>,
) -> Result<(PayloadSummary, S)> {
    let WriteOptions { threads, progress } = options;
    let threads = if threads == 0 { std::thread::available_parallelism().map_or(1, Into::into) } else { threads };
    let mut payload = Payload::new(sink, archive.pkg_version())?;
    let tar = |sink: &mut dyn Sink| match progress {
        Some(progress) => archive.write_tar(&mut Watched { sink, done: 0, next: 0, progress }),
        None => archive.write_tar(sink),
    };
    payload = match (archive.compression(), threads) {
        (Compression::None, 1) => {
            tar(&mut payload)?;
            payload
        }
        (Compression::None, _) => piped(payload, |out| tar(out))?.1,
        (Compression::Exact, 1) => {
            let mut gzip = GzipWriter::new(payload)?;
            tar(&mut gzip)?;
            gzip.finish()?
        }
        (Compression::Exact, _) => {
            piped(payload, |out| piped(GzipWriter::new(out)?, |out| tar(out))?.1.finish().map(|_| ()))?.1
        }
        (Compression::Parallel, 1) => {
            let mut gzip = PieceGzipWriter::new(payload)?;
            tar(&mut gzip)?;
            gzip.finish()?
        }
        (Compression::Parallel, _) => {
            let compress = |out: &mut Work<'_>| {
                let mut gzip = ParallelGzip::new(out, threads)?;
                tar(&mut gzip)?;
                gzip.finish().map(|_| ())
            };
            piped(payload, compress)?.1
        }
    };
    archive.pad(&mut payload)?;
    Ok(payload.finish())
}

/// Counts what passes.
struct Watched<'s, 'p, 'w> {
    sink: &'s mut dyn Sink,
    done: u64,
    next: u64,
    progress: &'p mut ProgressFn<'w>,
}

/// Bytes between two calls of the progress function, about.
const INTERVAL: u64 = 1 << 18;

impl Sink for Watched<'_, '_, '_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.write(bytes)?;
        self.done = self.done.saturating_add(bytes.len() as u64);
        if self.done < self.next {
            return Ok(());
        }
        self.next = self.done.saturating_add(INTERVAL);
        match (self.progress)(self.done) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::new(ErrorCode::Cancelled, "packing was cancelled")),
        }
    }
}

fn cannot_write(error: &io::Error) -> Error {
    system("write the package", error)
}

/// Names the package in errors of the system that name nothing.
fn at(error: Error, path: &Path) -> Error {
    if error.code == ErrorCode::Io && error.path.is_empty() { error.at(path.display()) } else { error }
}
