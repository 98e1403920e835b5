//! The two forms of a document, told apart by the first byte so that no caller has to say which one it has
//! (`spec/bir-json.md` section 1 rule 1).
#![forbid(unsafe_code)]

use super::cbor_in::CborInput;
use super::input::Limits;
use super::json_in::JsonInput;
use super::read::{Loaded, ReadOptions, read, read_json_stream, read_watched};
use super::source::{Source, too_much};
use super::watch::Watch;
use crate::error::{Error, Result};
use alloc::vec::Vec;

/// Bytes of a stream that are read before its form is known, at most.
const FIRST: usize = 4 << 10;

/// The form of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON text.
    #[default]
    Json,
    /// CBOR (RFC 8949).
    Cbor,
}

impl Format {
    /// The form of a document that begins with `bytes`: CBOR if that is a map (0xA0 to 0xBF) or a tag in front of one
    /// (0xD9), else JSON.
    pub const fn of(bytes: &[u8]) -> Format {
        match bytes {
            [0xA0..=0xBF | 0xD9, ..] => Format::Cbor,
            _ => Format::Json,
        }
    }

    /// The form as a word.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Json => "JSON",
            Format::Cbor => "CBOR",
        }
    }
}

/// Reads a CBOR document.
///
/// # Errors
/// As [`read_json`](super::read_json); a position has an offset, and 0 as line and column.
pub fn read_cbor(bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    read(CborInput::new(bytes, options.limits), options)
}

/// Reads a document in the form that its first byte shows; see [`Format::of`].
///
/// # Errors
/// As [`read_json`](super::read_json) and [`read_cbor`].
pub fn read_document(bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    read_document_watched(bytes, options, &mut Watch::new())
}

/// As [`read_document`], while `watch` is told of the progress and may stop it.
///
/// # Errors
/// As [`read_document`]; [`Cancelled`](crate::ErrorCode::Cancelled) when it was stopped.
pub fn read_document_watched(bytes: &[u8], options: &ReadOptions, watch: &mut Watch<'_>) -> Result<Loaded> {
    match Format::of(bytes) {
        Format::Json => read_watched(JsonInput::new(bytes, options.limits), options, watch),
        Format::Cbor => read_watched(CborInput::new(bytes, options.limits), options, watch),
    }
}

/// Reads a document from a source, in the form that its first byte shows.
///
/// JSON is read piece by piece, see [`read_json_stream`]. CBOR is gathered first: it says beforehand how long its containers
/// are, and that can only be held against what is there. [`Limits::max_buffer_bytes`] holds for all of it then.
///
/// # Errors
/// As [`read_document_watched`], and what the source reports.
pub fn read_document_stream<S: Source>(mut source: S, options: &ReadOptions, watch: &mut Watch<'_>) -> Result<Loaded> {
    let mut head = Vec::new();
    gather(&mut source, &mut head, FIRST, 1)?;
    match Format::of(&head) {
        Format::Json => read_json_stream(Begun { head, given: 0, source }, options, watch),
        Format::Cbor => {
            let max = options.limits.max_buffer_bytes;
            loop {
                let held = head.len();
                gather(&mut source, &mut head, held.max(FIRST), usize::MAX)?;
                if head.len() as u64 > max {
                    return Err(Limits::exceeded("max_buffer_bytes", max));
                }
                if head.len() == held {
                    break;
                }
            }
            read_document_watched(&head, options, watch)
        }
    }
}

/// Appends at most `room` bytes of the source, but no more calls than it takes for `enough` of them or for its end.
fn gather(source: &mut impl Source, bytes: &mut Vec<u8>, room: usize, enough: usize) -> Result<()> {
    let start = bytes.len();
    bytes.try_reserve(room).map_err(|_| Error::out_of_memory())?;
    bytes.resize(start + room, 0);
    let mut end = start;
    while end - start < enough.min(room) {
        let free = bytes.get_mut(end..).unwrap_or_default();
        let there = free.len();
        match source.read(free)? {
            0 => break,
            read if read > there => {
                return Err(too_much());
            }
            read => end += read,
        }
    }
    bytes.truncate(end);
    Ok(())
}

/// A source of which some bytes were read already.
struct Begun<S> {
    head: Vec<u8>,
    /// Bytes of the head that were given again.
    given: usize,
    source: S,
}

impl<S: Source> Source for Begun<S> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut rest = self.head.get(self.given..).unwrap_or_default();
        if rest.is_empty() {
            return self.source.read(buffer);
        }
        let read = Source::read(&mut rest, buffer)?;
        self.given += read;
        Ok(read)
    }

    fn total(&self) -> Option<u64> {
        self.source.total()
    }
}
