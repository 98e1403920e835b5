//! What every gzip member says of its content, whoever compresses it.
#![forbid(unsafe_code)]

use super::HEADER;
use crate::error::Result;
use crate::sink::Sink;
use crc32fast::Hasher;

/// Checksum and length of what a member holds.
#[derive(Default)]
pub(crate) struct Frame {
    crc: Hasher,
    /// Modulo 2^32.
    length: u32,
}

impl Frame {
    /// Writes the member header.
    pub(crate) fn begin(sink: &mut (impl Sink + ?Sized)) -> Result<Frame> {
        sink.write(&HEADER)?;
        Ok(Frame::default())
    }

    /// Adds bytes of the content.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        self.length = self.length.wrapping_add(bytes.len() as u32);
    }

    /// Adds the content of another frame, which comes next.
    #[cfg(feature = "std")]
    pub(crate) fn append(&mut self, next: &Frame) {
        self.crc.combine(&next.crc);
        self.length = self.length.wrapping_add(next.length);
    }

    /// Writes the trailer.
    pub(crate) fn end(self, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
        sink.write(&self.crc.finalize().to_le_bytes())?;
        sink.write(&self.length.to_le_bytes())
    }
}
