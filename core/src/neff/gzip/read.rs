//! Inflates a payload that lies in memory, within a limit.
#![forbid(unsafe_code)]

use super::stream::{Gunzip, Inflated, WINDOW, Window};
use crate::error::{Error, ErrorCode, Position, Result};
use crate::fallible::zeros;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Whether the data starts as a gzip member does.
pub fn is_gzip(data: &[u8]) -> bool {
    data.starts_with(&[0x1f, 0x8b])
}

/// A window on the heap.
///
/// # Errors
///
/// `OutOfMemory`.
pub fn window() -> Result<Box<Window>> {
    let bytes = zeros(WINDOW)?.into_boxed_slice();
    bytes.try_into().map_err(|_| Error::out_of_memory())
}

/// Inflates the one member of `data` into at most `limit` bytes. Zero bytes after the trailer are padding.
///
/// # Errors
///
/// - `BadCompression` with the byte offset: malformed header or DEFLATE stream, wrong checksum or length, data cut short,
///   or other bytes after the trailer;
/// - `LimitExceeded`: more than `limit` bytes;
/// - `OutOfMemory`.
pub fn gunzip(data: &[u8], limit: usize) -> Result<Vec<u8>> {
    let mut gunzip = Gunzip::new(window()?);
    let mut input = data;
    let mut out = Vec::new();
    loop {
        match gunzip.step(&mut input)? {
            Inflated::NeedInput => break,
            Inflated::Output(place) => {
                let piece = gunzip.window().get(place).unwrap_or_default();
                if piece.len() > limit.saturating_sub(out.len()) {
                    let at = data.len().saturating_sub(input.len()) as u64;
                    return Err(Error::new(
                        ErrorCode::LimitExceeded,
                        "the payload unpacks to more than `max_unpacked_bytes`",
                    )
                    .expected_found(format_args!("at most {limit} bytes"), "more")
                    .at_position(place_of(at)));
                }
                out.try_reserve(piece.len()).map_err(|_| Error::out_of_memory())?;
                out.extend_from_slice(piece);
            }
        }
    }
    gunzip.finish()?;
    Ok(out)
}

fn place_of(offset: u64) -> Position {
    Position { line: 0, column: 0, offset }
}

pub(super) fn fault(offset: u64, message: &str) -> Error {
    Error::new(ErrorCode::BadCompression, message).at_position(place_of(offset))
}

pub(super) fn short(at: u64, expected: impl fmt::Display) -> Error {
    fault(at, "the compressed data is cut short").expected_found(expected, format_args!("the end after {at} bytes"))
}
