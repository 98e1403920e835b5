//! A gzip member with the bytes of stock zlib at level 1, as the producer's archive library writes it.
#![forbid(unsafe_code)]

use super::frame::Frame;
use crate::error::Result;
use crate::neff::deflate::Deflate;
use crate::sink::Sink;

/// A sink that compresses into another one, some 600 KiB large.
pub struct GzipWriter<S> {
    deflate: Deflate<S>,
    frame: Frame,
}

impl<S: Sink> GzipWriter<S> {
    /// Writes the member header ([`HEADER`](super::HEADER)).
    ///
    /// # Errors
    ///
    /// The sink's errors; `OutOfMemory`.
    pub fn new(mut sink: S) -> Result<Self> {
        let frame = Frame::begin(&mut sink)?;
        Ok(GzipWriter { deflate: Deflate::new(sink)?, frame })
    }

    /// Ends the stream, writes the trailer and gives the sink back.
    ///
    /// # Errors
    ///
    /// The sink's errors.
    pub fn finish(self) -> Result<S> {
        let mut sink = self.deflate.finish()?;
        self.frame.end(&mut sink)?;
        Ok(sink)
    }
}

impl<S: Sink> Sink for GzipWriter<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.frame.update(bytes);
        self.deflate.write(bytes)
    }
}
