//! A gzip member in independent pieces, which several threads can compress at once: the form `parallel` of packages. Its bytes
//! depend on the content only.
#![forbid(unsafe_code)]

use super::frame::Frame;
use crate::error::{Error, Result};
use crate::neff::deflate::PieceEncoder;
use crate::sink::Sink;
use alloc::vec::Vec;

/// Bytes of the content in each piece but the last, which has what is left and may be empty.
pub const PIECE: usize = 512 << 10;

/// Cuts what is written into pieces.
#[derive(Default)]
pub(crate) struct Cutter {
    piece: Vec<u8>,
}

impl Cutter {
    /// Takes bytes up to the end of the piece and returns the others.
    pub(crate) fn fill<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8]> {
        let (taken, rest) = bytes.split_at(bytes.len().min(PIECE.saturating_sub(self.piece.len())));
        if self.piece.capacity() < PIECE {
            let more = PIECE.saturating_sub(self.piece.len());
            self.piece.try_reserve_exact(more).map_err(|_| Error::out_of_memory())?;
        }
        self.piece.extend_from_slice(taken);
        Ok(rest)
    }

    /// What the piece has so far.
    pub(crate) fn piece(&self) -> &[u8] {
        &self.piece
    }

    pub(crate) fn is_full(&self) -> bool {
        self.piece.len() >= PIECE
    }

    /// Begins the next piece, in `memory` that is at hand, and gives this one away.
    #[cfg(feature = "std")]
    pub(crate) fn replace(&mut self, mut memory: Vec<u8>) -> Vec<u8> {
        memory.clear();
        core::mem::replace(&mut self.piece, memory)
    }

    fn clear(&mut self) {
        self.piece.clear();
    }
}

/// A sink that compresses into another one, piece by piece. It takes some 2 MiB.
pub struct PieceGzipWriter<S> {
    sink: S,
    frame: Frame,
    cutter: Cutter,
    encoder: PieceEncoder,
    out: Vec<u8>,
}

impl<S: Sink> PieceGzipWriter<S> {
    /// Writes the member header ([`HEADER`](super::HEADER)).
    ///
    /// # Errors
    ///
    /// The sink's errors; `OutOfMemory`.
    pub fn new(mut sink: S) -> Result<Self> {
        let frame = Frame::begin(&mut sink)?;
        Ok(PieceGzipWriter { sink, frame, cutter: Cutter::default(), encoder: PieceEncoder::new()?, out: Vec::new() })
    }

    /// Ends the stream, writes the trailer and gives the sink back.
    ///
    /// # Errors
    ///
    /// The sink's errors; `OutOfMemory`.
    pub fn finish(mut self) -> Result<S> {
        self.compress(true)?;
        self.frame.end(&mut self.sink)?;
        Ok(self.sink)
    }

    fn compress(&mut self, last: bool) -> Result<()> {
        self.out.clear();
        self.encoder.encode(self.cutter.piece(), last, &mut self.out)?;
        self.frame.update(self.cutter.piece());
        self.cutter.clear();
        self.sink.write(&self.out)
    }
}

impl<S: Sink> Sink for PieceGzipWriter<S> {
    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            bytes = self.cutter.fill(bytes)?;
            if self.cutter.is_full() {
                self.compress(false)?;
            }
        }
        Ok(())
    }
}
