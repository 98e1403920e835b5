//! The first 1024 bytes of a package tell the loader what it needs before it unpacks anything.
//!
//! Every field and check is that of `spec/neff.md` sections 1, 2 and 9. A header that was read keeps the bytes nobody
//! interprets, so writing it again gives the same bytes.
#![forbid(unsafe_code)]

mod digest;
pub(in crate::neff) mod fields;
mod version;

pub use digest::{PayloadDigest, check_pkg_version, deterministic_uuid, payload_hash, uuid_of_digest, verify_hash};
pub use fields::name_at;
pub use version::{MAX_NEFF_MAJOR, UNSUPPORTED_FEATURES, neff_version};

use crate::error::{Error, ErrorCode, Position, Result};
use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use fields::Field;

/// Size of the header in bytes.
pub const SIZE: usize = 1024;

/// The header; field meanings in `spec/neff.md` section 1.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Package version, 1 or 2.
    pub pkg_version: u64,
    /// Always 1024.
    pub header_size: u64,
    /// Payload bytes as stored.
    pub data_size: u64,
    /// NEFF version, major part.
    pub neff_version_major: u64,
    /// NEFF version, minor part.
    pub neff_version_minor: u64,
    /// Free text padded with NUL; see [`build_version`](Self::build_version).
    pub neff_build_version: [u8; 128],
    /// Cores needed for efficient execution.
    pub num_tpb: u32,
    /// Digest of the payload; 16 bytes for package version 2, 32 for version 1.
    pub hash: [u8; 32],
    /// Identity of the program.
    pub uuid: [u8; 16],
    /// Model name padded with NUL; see [`model_name`](Self::model_name).
    pub name: [u8; 256],
    /// Cores asked for at compile time.
    pub requested_tpb_count: u32,
    /// One byte per kelf node.
    pub tpb_per_node: [u8; 64],
    /// What the loader must implement ([`crate::neff::features`]).
    pub feature_bits: u64,
    /// Physical cores per logical core.
    pub lnc_size: u32,
    /// Zero in every known file.
    pub pad: [u8; 468],
}

impl Default for Header {
    /// A header of package version 2 and NEFF version 1.0 with everything else zero.
    fn default() -> Self {
        Header {
            pkg_version: 2,
            header_size: SIZE as u64,
            data_size: 0,
            neff_version_major: 1,
            neff_version_minor: 0,
            neff_build_version: [0; 128],
            num_tpb: 0,
            hash: [0; 32],
            uuid: [0; 16],
            name: [0; 256],
            requested_tpb_count: 0,
            tpb_per_node: [0; 64],
            feature_bits: 0,
            lnc_size: 0,
            pad: [0; 468],
        }
    }
}

impl Header {
    /// Reads and checks the header of a whole file.
    ///
    /// # Errors
    ///
    /// With field, byte offset, expected and found value:
    ///
    /// - `BadHeader`: shorter than 1024 bytes, no payload, another header size, or a payload length that is not that of
    ///   the rest of the file (the loader's status 2);
    /// - `Unsupported`: NEFF version, feature bit or package version that no loader takes (status 10).
    pub fn parse(file: &[u8]) -> Result<Header> {
        let bytes = file.first_chunk::<SIZE>().ok_or_else(|| too_short(file.len()))?;
        let header = Header::read(bytes);
        header.check(file.len() as u64)?;
        Ok(header)
    }

    /// The checks of `spec/neff.md` section 9 in its order, for a file of `file_size` bytes.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn check(&self, file_size: u64) -> Result<()> {
        if self.header_size != SIZE as u64 {
            return Err(wrong(fields::HEADER_SIZE, "wrong header size", SIZE, self.header_size));
        }
        if file_size <= self.header_size {
            return Err(no_payload());
        }
        version::check(self)?;
        let rest = file_size - SIZE as u64;
        if self.data_size != rest {
            return Err(wrong_length(self, rest));
        }
        check_pkg_version(self.pkg_version)
    }

    /// The build version up to its first NUL; bytes that are not UTF-8 are replaced.
    pub fn build_version(&self) -> Cow<'_, str> {
        text(&self.neff_build_version)
    }

    /// The model name up to its first NUL; bytes that are not UTF-8 are replaced.
    pub fn model_name(&self) -> Cow<'_, str> {
        text(&self.name)
    }

    /// Sets the build version, cut to 127 bytes at a character boundary and padded with NUL.
    pub fn set_build_version(&mut self, version: &str) {
        fill(&mut self.neff_build_version, version);
    }

    /// Sets the model name, cut to 255 bytes at a character boundary and padded with NUL.
    pub fn set_model_name(&mut self, name: &str) {
        fill(&mut self.name, name);
    }
}

/// The error of a file of so many bytes, fewer than a header has.
pub(crate) fn too_short(bytes: usize) -> Error {
    Error::new(ErrorCode::BadHeader, "the file is shorter than a package header")
        .expected_found(format_args!("at least {SIZE} bytes"), format_args!("{bytes} bytes"))
        .at("file")
        .at_position(place(bytes))
}

fn no_payload() -> Error {
    Error::new(ErrorCode::BadHeader, "the file ends behind its header")
        .expected_found("a payload", "nothing")
        .at("data")
        .at_position(place(SIZE))
}

/// The error of a payload of so many bytes, which are not as many as the header says.
pub(in crate::neff) fn wrong_length(header: &Header, rest: u64) -> Error {
    let expected = format_args!("{rest} bytes, the rest of the file");
    wrong(fields::DATA_SIZE, "wrong payload length", expected, format_args!("{} bytes", header.data_size))
}

fn text(field: &[u8]) -> Cow<'_, str> {
    let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or(field))
}

/// Fills a field from `text`, leaving at least one NUL at the end. A NUL in the text ends it.
fn fill(field: &mut [u8], text: &str) {
    let text = text.split('\0').next().unwrap_or("");
    let mut end = text.len().min(field.len().saturating_sub(1));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    field.fill(0);
    field.iter_mut().zip(text.bytes().take(end)).for_each(|(to, from)| *to = from);
}

fn place(offset: usize) -> Position {
    Position { line: 0, column: 0, offset: offset as u64 }
}

fn field_error(
    code: ErrorCode,
    field: Field,
    message: &str,
    expected: impl fmt::Display,
    found: impl fmt::Display,
) -> Error {
    fields::located(Error::new(code, message).expected_found(expected, found), field)
}

fn wrong(field: Field, message: &str, expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    field_error(ErrorCode::BadHeader, field, message, expected, found)
}

fn unsupported(field: Field, message: &str, expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    field_error(ErrorCode::Unsupported, field, message, expected, found)
}

#[cfg(test)]
mod tests;
