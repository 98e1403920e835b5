//! Pieces that archives put into a sink again and again.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::sink::Sink;

/// Puts `count` zero bytes.
pub(super) fn write_zeros(sink: &mut (impl Sink + ?Sized), mut count: usize) -> Result<()> {
    const ZEROS: [u8; 512] = [0; 512];
    while count > 0 {
        let piece = ZEROS.get(..count.min(ZEROS.len())).unwrap_or(&ZEROS);
        sink.write(piece)?;
        count -= piece.len();
    }
    Ok(())
}

/// Puts a decimal number.
pub(super) fn write_decimal(sink: &mut (impl Sink + ?Sized), value: u64) -> Result<()> {
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
    sink.write(buffer.get(start..).unwrap_or_default())
}
