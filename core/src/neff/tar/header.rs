//! One header block as a reader sees it: checksum and magic first, then its fields, none of them believed.
#![forbid(unsafe_code)]

use super::block::{self, checksums};
use super::{BLOCK, number};
use crate::error::{Error, ErrorCode, Position, Result};
use core::fmt;
use core::ops::Range;

/// A header block with a good checksum and a known magic.
#[derive(Clone, Copy)]
pub(super) struct Block<'b> {
    bytes: &'b [u8; BLOCK],
    offset: u64,
    /// Of the GNU dialect, which has no prefix field.
    gnu: bool,
}

impl<'b> Block<'b> {
    /// Checks checksum and magic of the block at `offset` of the tar.
    pub fn open(bytes: &'b [u8; BLOCK], offset: u64) -> Result<Self> {
        let (unsigned, signed) = checksums(bytes);
        let field = bytes.get(block::CHECKSUM).unwrap_or_default();
        let stored = number::read(field);
        if stored != Some(unsigned) && stored.map(i64::try_from) != Some(Ok(signed)) {
            return Err(fault(after(offset, block::CHECKSUM.start), "the checksum of a member header is wrong")
                .expected_found(format_args!("{unsigned:06o}"), Bytes(field)));
        }
        let magic = bytes.get(block::MAGIC).unwrap_or_default();
        let gnu = match magic {
            b"ustar  \0" => true,
            [b'u', b's', b't', b'a', b'r', 0, ..] => false,
            _ => {
                return Err(fault(after(offset, block::MAGIC.start), "unknown archive format")
                    .expected_found("`ustar`", Bytes(magic)));
            }
        };
        Ok(Block { bytes, offset, gnu })
    }

    /// The type byte.
    pub fn typeflag(self) -> u8 {
        self.bytes.get(block::TYPE).copied().unwrap_or(0)
    }

    /// The name field up to its first NUL.
    pub fn name(self) -> &'b [u8] {
        until_nul(self.field(block::NAME))
    }

    /// The prefix field up to its first NUL; empty in the GNU dialect.
    pub fn prefix(self) -> &'b [u8] {
        if self.gnu { &[] } else { until_nul(self.field(block::PREFIX)) }
    }

    /// The size of the data in bytes.
    pub fn size(self) -> Result<u64> {
        self.number(block::SIZE, "size")
    }

    /// The owner number.
    pub fn uid(self) -> Result<u64> {
        self.number(block::UID, "uid")
    }

    /// The group number.
    pub fn gid(self) -> Result<u64> {
        self.number(block::GID, "gid")
    }

    /// The permission bits.
    pub fn mode(self) -> Result<u32> {
        Ok((self.number(block::MODE, "mode")? & 0o7777) as u32)
    }

    /// The time of last change in seconds since 1970.
    pub fn mtime(self) -> Result<i64> {
        let field = self.field(block::MTIME);
        number::read_signed(field).ok_or_else(|| bad_number(after(self.offset, block::MTIME.start), "mtime", field))
    }

    fn number(self, range: Range<usize>, name: &str) -> Result<u64> {
        let at = after(self.offset, range.start);
        let field = self.field(range);
        number::read(field).ok_or_else(|| bad_number(at, name, field))
    }

    fn field(self, range: Range<usize>) -> &'b [u8] {
        self.bytes.get(range).unwrap_or_default()
    }
}

pub(super) fn until_nul(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
    field.get(..end).unwrap_or(field)
}

/// The offset of a field.
pub(super) fn after(offset: u64, field: usize) -> u64 {
    offset.saturating_add(field as u64)
}

pub(super) fn place(offset: u64) -> Position {
    Position { line: 0, column: 0, offset }
}

pub(super) fn fault(offset: u64, message: &str) -> Error {
    Error::new(ErrorCode::BadArchive, message).at_position(place(offset))
}

pub(super) fn bad_number(offset: u64, name: &str, found: &[u8]) -> Error {
    fault(offset, "a number in a member header is malformed").at(name).expected_found("a number", Bytes(found))
}

/// Bytes of a field as text.
struct Bytes<'a>(&'a [u8]);
impl fmt::Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.escape_ascii())
    }
}
