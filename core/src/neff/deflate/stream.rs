//! A sink that compresses into another one.
#![forbid(unsafe_code)]

use super::encoder::Encoder;
use crate::error::Result;
use crate::sink::Sink;

/// A raw DEFLATE stream with the bytes of stock zlib at level 1, however the input is cut (`spec/neff.md` section 5.2).
///
/// Its memory is some 600 KiB, whatever the size of the input.
pub struct Deflate<S> {
    sink: S,
    encoder: Encoder,
}

impl<S: Sink> Deflate<S> {
    /// A stream into `sink`.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn new(sink: S) -> Result<Self> {
        Ok(Deflate { sink, encoder: Encoder::new()? })
    }

    /// Ends the stream and gives the sink back.
    ///
    /// # Errors
    ///
    /// The sink's errors.
    pub fn finish(mut self) -> Result<S> {
        self.encoder.finish(&mut self.sink)?;
        Ok(self.sink)
    }
}

impl<S: Sink> Sink for Deflate<S> {
    /// Compresses `bytes`. What comes out reaches the sink block by block.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.encoder.write(bytes, &mut self.sink)
    }
}
