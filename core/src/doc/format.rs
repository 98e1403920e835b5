//! The two forms of a document, told apart by the first byte so that no caller has to say which one it has
//! (`spec/bir-json.md` section 1 rule 1).
#![forbid(unsafe_code)]

use super::cbor_in::CborInput;
use super::read::{Loaded, ReadOptions, read, read_json};
use crate::Result;

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
/// As [`read_json`]; a position has an offset, and 0 as line and column.
pub fn read_cbor(bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    read(CborInput::new(bytes, options.limits), options)
}

/// Reads a document in the form that its first byte shows; see [`Format::of`].
///
/// # Errors
/// As [`read_json`] and [`read_cbor`].
pub fn read_document(bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    match Format::of(bytes) {
        Format::Json => read_json(bytes, options),
        Format::Cbor => read_cbor(bytes, options),
    }
}
