//! A file that is written in pieces must still be what its header promises, so the bytes are counted.
#![forbid(unsafe_code)]

use super::descr::{Descr, descr_for};
use super::fault::NpyFault;
use super::{Npy, header, prefix, show::Shape};
use crate::error::{Error, Result};
use crate::fallible;
use crate::sink::Sink;

/// Writes an NPY 1.0 file as numpy writes it, C order, little-endian: the header at once, then the data as it comes.
#[derive(Debug)]
pub struct NpyWriter<S: Sink> {
    sink: S,
    data_offset: u64,
    data_bytes: u64,
    written: u64,
}

impl<S: Sink> NpyWriter<S> {
    /// Writes the header for elements of type `descr` (as in `<f4`; void types are spelled `<V2` and `<V1`).
    ///
    /// # Errors
    /// As [`header`]; [`NpyFault::SizeOverflow`] for data of 2^64 bytes or more; what `sink` answers.
    pub fn new(sink: S, descr: &str, shape: &[u64]) -> Result<Self> {
        let width = Descr::parse(descr).map_or(0, |descr| descr.width);
        let prefix = header(descr, shape)?;
        let Some(data_bytes) = prefix::data_bytes(shape, width) else {
            let found = format_args!("{} elements of {width} bytes", Shape(shape));
            return Err(NpyFault::SizeOverflow.bare().expected_found("less than 2^64 bytes", found));
        };
        let mut sink = sink;
        sink.write(&prefix)?;
        Ok(NpyWriter { sink, data_offset: prefix.len() as u64, data_bytes, written: 0 })
    }

    /// Writes the header for elements of the IR type `dtype` (the IR's spelling), see [`descr_for`].
    ///
    /// # Errors
    /// As [`NpyWriter::new`]; [`NpyFault::UnsupportedDtype`] for a type that NPY has none for.
    pub fn for_dtype(sink: S, dtype: &str, shape: &[u64]) -> Result<Self> {
        let descr = descr_for(dtype)
            .ok_or_else(|| NpyFault::UnsupportedDtype.bare().expected_found("a type that NPY files may hold", dtype))?;
        NpyWriter::new(sink, &fallible::format(descr)?, shape)
    }

    /// Bytes of data that are still to come.
    pub fn missing(&self) -> u64 {
        self.data_bytes.saturating_sub(self.written)
    }

    /// Writes the next bytes of the data: little-endian, C order.
    ///
    /// # Errors
    /// [`NpyFault::SurplusData`] for more than the shape needs, nothing of which is written; what the sink answers, after which
    /// the file is of no use.
    pub fn write(&mut self, piece: &[u8]) -> Result<()> {
        let written = self.written.saturating_add(piece.len() as u64);
        if written > self.data_bytes {
            return Err(self.wrong_size(NpyFault::SurplusData, self.data_bytes, written));
        }
        self.sink.write(piece)?;
        self.written = written;
        Ok(())
    }

    /// Ends the file; gives the sink back.
    ///
    /// # Errors
    /// [`NpyFault::ShortData`] for less than the shape needs.
    pub fn finish(self) -> Result<S> {
        if self.written < self.data_bytes {
            return Err(self.wrong_size(NpyFault::ShortData, self.written, self.written));
        }
        Ok(self.sink)
    }

    fn wrong_size(&self, fault: NpyFault, at: u64, found: u64) -> Error {
        Npy::wrong_size(fault, self.data_offset.saturating_add(at), self.data_bytes, format_args!("{found} bytes"))
    }
}

/// So that the data of a reader can go into a writer.
impl<S: Sink> Sink for NpyWriter<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        NpyWriter::write(self, bytes)
    }
}
