//! Archives are produced in pieces; where the pieces go (a buffer, a compressor, a file of the caller) is the sink's
//! business.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use alloc::vec::Vec;

/// Takes bytes in order.
pub trait Sink {
    /// Takes the next piece.
    ///
    /// # Errors
    ///
    /// Whatever stops the sink; the writer passes it on and must not be used again.
    fn put(&mut self, piece: &[u8]) -> Result<()>;
}

impl Sink for Vec<u8> {
    fn put(&mut self, piece: &[u8]) -> Result<()> {
        self.try_reserve(piece.len()).map_err(|_| Error::out_of_memory())?;
        self.extend_from_slice(piece);
        Ok(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn put(&mut self, piece: &[u8]) -> Result<()> {
        (**self).put(piece)
    }
}

/// A sink that hands every piece to a function.
pub struct ToFunction<F>(
    /// The function.
    pub F,
);

impl<F: FnMut(&[u8]) -> Result<()>> Sink for ToFunction<F> {
    fn put(&mut self, piece: &[u8]) -> Result<()> {
        (self.0)(piece)
    }
}

/// Puts `count` zero bytes.
pub(super) fn put_zeros(sink: &mut (impl Sink + ?Sized), mut count: usize) -> Result<()> {
    const ZEROS: [u8; 512] = [0; 512];
    while count > 0 {
        let piece = ZEROS.get(..count.min(ZEROS.len())).unwrap_or(&ZEROS);
        sink.put(piece)?;
        count -= piece.len();
    }
    Ok(())
}

/// Puts a decimal number.
pub(super) fn put_decimal(sink: &mut (impl Sink + ?Sized), value: u64) -> Result<()> {
    let mut buffer = [0u8; 20];
    let mut rest = value;
    let mut start = buffer.len();
    for byte in buffer.iter_mut().rev() {
        *byte = b'0' + (rest % 10) as u8;
        rest /= 10;
        start -= 1;
        if rest == 0 {
            break;
        }
    }
    sink.put(buffer.get(start..).unwrap_or_default())
}
