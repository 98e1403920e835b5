//! Compresses with stock zlib at level 1, window 15, memory level 8, as the producer's archive library does.
#![forbid(unsafe_code)]

use super::HEADER;
use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use alloc::boxed::Box;
use flate2::{Compress, Compression, FlushCompress, Status};

/// Size of the buffer between zlib and the sink in bytes.
const BUFFER: usize = 1 << 15;

/// A sink that compresses into another one.
pub struct GzipWriter<S> {
    sink: S,
    deflate: Compress,
    crc: crc32fast::Hasher,
    buffer: Box<[u8; BUFFER]>,
}

impl<S: Sink> GzipWriter<S> {
    /// Writes the member header ([`HEADER`]).
    ///
    /// # Errors
    ///
    /// The sink's errors.
    pub fn new(mut sink: S) -> Result<Self> {
        sink.write(&HEADER)?;
        let deflate = Compress::new(Compression::new(1), false);
        Ok(GzipWriter { sink, deflate, crc: crc32fast::Hasher::new(), buffer: Box::new([0; BUFFER]) })
    }

    /// Ends the stream, writes the trailer and gives the sink back.
    ///
    /// # Errors
    ///
    /// `Internal` if zlib fails, and the sink's errors.
    pub fn finish(mut self) -> Result<S> {
        self.compress(&[], FlushCompress::Finish)?;
        self.sink.write(&self.crc.finalize().to_le_bytes())?;
        self.sink.write(&(self.deflate.total_in() as u32).to_le_bytes())?;
        Ok(self.sink)
    }

    fn compress(&mut self, mut input: &[u8], flush: FlushCompress) -> Result<()> {
        loop {
            let (read_before, written_before) = (self.deflate.total_in(), self.deflate.total_out());
            let status = self
                .deflate
                .compress(input, &mut self.buffer[..], flush)
                .map_err(|e| Error::new(ErrorCode::Internal, format_args!("zlib failed: {e}")))?;
            let read = (self.deflate.total_in() - read_before) as usize;
            let written = (self.deflate.total_out() - written_before) as usize;
            input = input.get(read..).unwrap_or_default();
            self.sink.write(self.buffer.get(..written).unwrap_or_default())?;
            let finished = match flush {
                FlushCompress::Finish => status == Status::StreamEnd,
                // With room left in the buffer zlib has taken all it was given.
                _ => input.is_empty() && written < BUFFER,
            };
            if finished {
                return Ok(());
            }
            if read == 0 && written == 0 {
                return Err(Error::new(ErrorCode::Internal, "zlib makes no progress"));
            }
        }
    }
}

impl<S: Sink> Sink for GzipWriter<S> {
    fn write(&mut self, piece: &[u8]) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        self.crc.update(piece);
        self.compress(piece, FlushCompress::None)
    }
}
