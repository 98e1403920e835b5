//! Inflates a payload without zlib, within a limit, and checks everything the format lets one check.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Position, Result};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Header checksum, extra field, file name, comment.
const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;

/// Whether the data starts as a gzip member does.
pub fn is_gzip(data: &[u8]) -> bool {
    data.starts_with(&[0x1f, 0x8b])
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
    let body_at = header(data)?;
    let body = data.get(body_at..).unwrap_or_default();
    let (out, consumed) = inflate(body, body_at, limit)?;

    let trailer_at = body_at.saturating_add(consumed);
    let rest = data.get(trailer_at..).unwrap_or_default();
    let Some((trailer, padding)) = rest.split_first_chunk::<8>() else {
        return Err(short(data, format_args!("a trailer of 8 bytes at byte {trailer_at}")));
    };
    let (crc, length) = trailer.split_at(4);
    let crc = u32::from_le_bytes(crc.try_into().unwrap_or_default());
    let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
    let found = crc32fast::hash(&out);
    if crc != found {
        return Err(fault(trailer_at, "the checksum of the compressed data is wrong")
            .expected_found(format_args!("{found:08x}"), format_args!("{crc:08x}")));
    }
    if length != out.len() as u32 {
        return Err(fault(trailer_at.saturating_add(4), "the length of the compressed data is wrong")
            .expected_found(out.len() as u32, length));
    }
    if let Some(surplus) = padding.iter().position(|&b| b != 0) {
        let at = trailer_at.saturating_add(8).saturating_add(surplus);
        return Err(fault(at, "data after the compressed data").expected_found("zeros", "other bytes"));
    }
    Ok(out)
}

/// Reads the member header; returns where the DEFLATE stream starts.
fn header(data: &[u8]) -> Result<usize> {
    let Some(&[id1, id2, method, flags, ..]) = data.first_chunk::<10>() else {
        return Err(short(data, "a gzip header of 10 bytes"));
    };
    if [id1, id2] != [0x1f, 0x8b] {
        return Err(fault(0, "not gzip data").expected_found("1f 8b", format_args!("{id1:02x} {id2:02x}")));
    }
    if method != 8 {
        return Err(fault(2, "unknown compression method").expected_found(8, method));
    }
    if flags & 0xe0 != 0 {
        return Err(fault(3, "reserved gzip flags are set").expected_found("at most 1f", format_args!("{flags:02x}")));
    }
    let mut at = 10usize;
    if flags & FEXTRA != 0 {
        let length = data.get(at..).and_then(<[u8]>::first_chunk::<2>).ok_or_else(|| short(data, "the extra field"))?;
        at = at.saturating_add(2).saturating_add(usize::from(u16::from_le_bytes(*length)));
    }
    for flag in [FNAME, FCOMMENT] {
        if flags & flag != 0 {
            let text = data.get(at..).unwrap_or_default();
            let end =
                text.iter().position(|&b| b == 0).ok_or_else(|| short(data, "the end of a text in the header"))?;
            at = at.saturating_add(end).saturating_add(1);
        }
    }
    if flags & FHCRC != 0 {
        let stored =
            data.get(at..).and_then(<[u8]>::first_chunk::<2>).ok_or_else(|| short(data, "the header checksum"))?;
        let stored = u16::from_le_bytes(*stored);
        let found = crc32fast::hash(data.get(..at).unwrap_or_default()) as u16;
        if stored != found {
            return Err(fault(at, "the checksum of the gzip header is wrong")
                .expected_found(format_args!("{found:04x}"), format_args!("{stored:04x}")));
        }
        at = at.saturating_add(2);
    }
    if at > data.len() {
        return Err(short(data, "the end of the gzip header"));
    }
    Ok(at)
}

/// Inflates `body`, which starts at byte `body_at` of the data; returns the output and the bytes used.
fn inflate(body: &[u8], body_at: usize, limit: usize) -> Result<(Vec<u8>, usize)> {
    let mut state = Box::<DecompressorOxide>::default();
    let mut out = Vec::new();
    // One byte more than allowed, so that "exactly the limit" and "too much" differ.
    let ceiling = limit.saturating_add(1);
    let (mut consumed, mut produced) = (0usize, 0usize);
    let mut room = body.len().saturating_mul(4).max(1 << 16);
    loop {
        let size = out.len().saturating_add(room).min(ceiling);
        out.try_reserve_exact(size.saturating_sub(out.len())).map_err(|_| Error::out_of_memory())?;
        out.resize(size, 0);
        let input = body.get(consumed..).unwrap_or_default();
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, written) = decompress(&mut state, input, &mut out, produced, flags);
        consumed = consumed.saturating_add(read).min(body.len());
        produced = produced.saturating_add(written).min(out.len());
        if produced > limit {
            return Err(Error::new(ErrorCode::LimitExceeded, "the payload unpacks to more than `max_unpacked_bytes`")
                .expected_found(format_args!("at most {limit} bytes"), "more")
                .at_position(place(body_at.saturating_add(consumed))));
        }
        match status {
            TINFLStatus::Done => break,
            TINFLStatus::HasMoreOutput if produced == out.len() => room = out.len(),
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                return Err(fault(body_at.saturating_add(body.len()), "the compressed data is cut short")
                    .expected_found("the end of the DEFLATE stream", "the end of the data"));
            }
            status => {
                return Err(fault(body_at.saturating_add(consumed), "malformed DEFLATE stream")
                    .expected_found("a valid block", format_args!("{status:?}")));
            }
        }
    }
    out.truncate(produced);
    Ok((out, consumed))
}

fn place(offset: usize) -> Position {
    Position { line: 0, column: 0, offset: offset as u64 }
}

fn fault(offset: usize, message: &str) -> Error {
    Error::new(ErrorCode::BadCompression, message).at_position(place(offset))
}

fn short(data: &[u8], expected: impl fmt::Display) -> Error {
    fault(data.len(), "the compressed data is cut short")
        .expected_found(expected, format_args!("the end after {} bytes", data.len()))
}
