//! Pieces of a stream that know nothing of each other, so that several threads can encode them: put one after the other they
//! are one DEFLATE stream. Which bytes they have is our own choice, so data that hardly shrinks is not searched for strings.
#![forbid(unsafe_code)]

use super::block;
use super::content::{Content, MAX_CHUNK, content, count};
use super::encoder::Encoder;
use crate::error::{Error, Result};
use alloc::vec::Vec;

/// Encodes one piece after the other with the same memory, some 600 KiB.
pub struct PieceEncoder {
    encoder: Encoder,
}

impl PieceEncoder {
    /// An encoder for pieces.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn new() -> Result<Self> {
        Ok(PieceEncoder { encoder: Encoder::new()? })
    }

    /// Appends `input` as a piece to `out`: whole bytes, which decode without what is before them. The `last` piece ends the
    /// stream. The bytes depend on nothing but these two.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`; `out` has an unusable part of the piece at its end then.
    pub fn encode(&mut self, input: &[u8], last: bool, out: &mut Vec<u8>) -> Result<()> {
        // A piece that failed has left something behind.
        self.encoder.reset();
        // Room for noise at once, so that memory does not grow by doubling.
        let room = input.len().saturating_add(input.len() >> 8).saturating_add(64);
        out.try_reserve(room).map_err(|_| Error::out_of_memory())?;
        let (mut at, mut noise) = (0, 0);
        for chunk in input.chunks(MAX_CHUNK) {
            let content = content(chunk);
            if !matches!(content, Content::Noise) {
                self.store(input, at, &mut noise, out)?;
            }
            match content {
                // Chunks in a row are stored together.
                Content::Noise => noise += chunk.len(),
                Content::Bytes => {
                    self.encoder.restart(out)?;
                    block::literals(chunk, &count(chunk), self.encoder.out(), out)?;
                }
                Content::Strings => self.encoder.write(chunk, out)?,
            }
            at += chunk.len();
        }
        self.store(input, at, &mut noise, out)?;
        self.encoder.restart(out)?;
        block::stored(&[], last, self.encoder.out(), out)
    }
    /// Stores the last `count` bytes before `at`, and sets their number to 0.
    fn store(&mut self, input: &[u8], at: usize, count: &mut usize, out: &mut Vec<u8>) -> Result<()> {
        let bytes = input.get(at.saturating_sub(*count)..at).unwrap_or_default();
        *count = 0;
        if bytes.is_empty() {
            return Ok(());
        }
        self.encoder.restart(out)?;
        block::stored(bytes, false, self.encoder.out(), out)
    }
}

/// Appends `input` as a piece to `out`, see [`PieceEncoder::encode`].
///
/// # Errors
///
/// `OutOfMemory`.
pub fn compress_piece(input: &[u8], last: bool, out: &mut Vec<u8>) -> Result<()> {
    PieceEncoder::new()?.encode(input, last, out)
}
