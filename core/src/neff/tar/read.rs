//! Reads the members of a package without copying them and without believing a single number in it.
//!
//! Accepted: ustar, pax and GNU long names. Directories are skipped as the runtime does; links, devices and unsafe
//! names are refused, because a package is unpacked into a folder.
#![forbid(unsafe_code)]

use super::block::{self, checksums};
use super::{BLOCK, number, padding, pax};
use crate::error::{Error, ErrorCode, Position, Result};
use crate::neff::path::safe_member_path;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// A regular file in a tar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name, safe to unpack ([`safe_member_path`]).
    pub name: Cow<'a, str>,
    /// Permission bits.
    pub mode: u32,
    /// Owner number.
    pub uid: u64,
    /// Group number.
    pub gid: u64,
    /// Time of last change in seconds since 1970, rounded towards zero.
    pub mtime: i64,
    /// The type byte of the header: `0`, `7` or NUL.
    pub typeflag: u8,
    /// Offset of the member's last header block from the start of the tar, in bytes.
    pub header_offset: usize,
    /// Offset of the data from the start of the tar, in bytes.
    pub data_offset: usize,
    /// The contents.
    pub data: &'a [u8],
}

/// The regular files of a tar, in order; ends after the first error.
///
/// Errors are `BadArchive` (malformed), `UnsafePath` (links and unsafe names), `Unsupported` (devices, sparse files and
/// other kinds) and `OutOfMemory`, with the byte offset in the tar.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    tar: &'a [u8],
    at: usize,
    done: bool,
}

/// What an extended header or a GNU long name says about the next member.
#[derive(Default)]
struct Overrides<'a> {
    path: Option<&'a [u8]>,
    long_name: Option<&'a [u8]>,
    size: Option<u64>,
    uid: Option<u64>,
    gid: Option<u64>,
    mtime: Option<i64>,
}

impl<'a> Entries<'a> {
    /// The files of `tar`.
    pub fn new(tar: &'a [u8]) -> Self {
        Entries { tar, at: 0, done: false }
    }

    fn next_entry(&mut self) -> Result<Option<Entry<'a>>> {
        let mut overrides = Overrides::default();
        let mut pending = false;
        loop {
            let header_offset = self.at;
            let header = self.block()?;
            if header.iter().all(|&b| b == 0) {
                if pending {
                    return Err(fault(header_offset, "the archive ends after an extended header")
                        .expected_found("a member", "the end of the archive"));
                }
                self.end()?;
                return Ok(None);
            }
            let gnu = check(header, header_offset)?;
            let field = |range: Range<usize>| header.get(range).unwrap_or_default();
            let number = |range: Range<usize>, name: &str| {
                let at = header_offset.saturating_add(range.start);
                number::read(field(range.clone())).ok_or_else(|| bad_number(at, name, field(range)))
            };
            let typeflag = header.get(block::TYPE).copied().unwrap_or(0);
            let size = number(block::SIZE, "size")?;

            // Members without data of their own keep quiet about what follows them.
            match typeflag {
                b'x' | b'g' | b'L' | b'K' => {
                    let body_at = self.at;
                    let body = self.data(size, header_offset)?;
                    match typeflag {
                        b'x' => overrides.read(body, body_at)?,
                        b'L' => overrides.long_name = Some(until_nul(body)),
                        _ => {}
                    }
                    pending |= typeflag != b'g';
                    continue;
                }
                _ => {}
            }

            let joined;
            let name: &'a [u8] = until_nul(self.field(header_offset, block::NAME));
            let prefix: &'a [u8] = if gnu { &[] } else { until_nul(self.field(header_offset, block::PREFIX)) };
            let raw = match overrides.path.or(overrides.long_name) {
                Some(long) => Raw::Borrowed(long),
                None if prefix.is_empty() => Raw::Borrowed(name),
                None => {
                    joined = join(prefix, name)?;
                    Raw::Owned(joined)
                }
            };
            let name = raw.text(header_offset)?;
            let directory = typeflag == b'5' || (typeflag == 0 && name.ends_with('/'));
            if directory {
                // `.` is the folder itself, and a trailing slash is how directories are written.
                let path = name.trim_end_matches('/');
                if !(path == "." || path == "./.") {
                    safe_member_path(path).map_err(|e| e.at_position(place(header_offset)))?;
                }
                overrides = Overrides::default();
                pending = false;
                continue;
            }
            match typeflag {
                b'0' | b'7' | 0 => {}
                b'1' | b'2' => {
                    let found = if typeflag == b'1' { "a hard link" } else { "a symbolic link" };
                    return Err(Error::new(ErrorCode::UnsafePath, "a package holds no links")
                        .expected_found("a regular file", found)
                        .at(&*name)
                        .at_position(place(header_offset.saturating_add(block::TYPE))));
                }
                other => {
                    let found = format_args!("type `{}`", other.escape_ascii());
                    return Err(Error::new(ErrorCode::Unsupported, "a package holds regular files only")
                        .expected_found("a regular file", found)
                        .at(&*name)
                        .at_position(place(header_offset.saturating_add(block::TYPE))));
                }
            }
            let name = match name {
                Cow::Borrowed(name) => {
                    Cow::Borrowed(safe_member_path(name).map_err(|e| e.at_position(place(header_offset)))?)
                }
                Cow::Owned(mut name) => {
                    let path = safe_member_path(&name).map_err(|e| e.at_position(place(header_offset)))?;
                    let stripped = name.len() - path.len();
                    name.drain(..stripped);
                    Cow::Owned(name)
                }
            };
            let mtime = match overrides.mtime {
                Some(mtime) => mtime,
                None => {
                    let at = header_offset.saturating_add(block::MTIME.start);
                    number::read_signed(field(block::MTIME))
                        .ok_or_else(|| bad_number(at, "mtime", field(block::MTIME)))?
                }
            };
            let uid = overrides.uid.map_or_else(|| number(block::UID, "uid"), Ok)?;
            let gid = overrides.gid.map_or_else(|| number(block::GID, "gid"), Ok)?;
            let mode = (number(block::MODE, "mode")? & 0o7777) as u32;
            let data_offset = self.at;
            let data = self.data(overrides.size.unwrap_or(size), header_offset).map_err(|e| e.at(&*name))?;
            return Ok(Some(Entry { name, mode, uid, gid, mtime, typeflag, header_offset, data_offset, data }));
        }
    }

    /// The next block, which has to be there.
    fn block(&mut self) -> Result<&'a [u8; BLOCK]> {
        let rest = self.tar.get(self.at..).unwrap_or_default();
        let Some(block) = rest.first_chunk::<BLOCK>() else {
            return Err(fault(self.at, "the archive is cut short")
                .expected_found("a header or a zero block of 512 bytes", format_args!("{} bytes", rest.len())));
        };
        self.at = self.at.saturating_add(BLOCK);
        Ok(block)
    }

    fn field(&self, header_offset: usize, range: Range<usize>) -> &'a [u8] {
        let header = self.tar.get(header_offset..).unwrap_or_default();
        header.get(range).unwrap_or_default()
    }

    /// `size` bytes of data and their padding.
    fn data(&mut self, size: u64, header_offset: usize) -> Result<&'a [u8]> {
        let rest = self.tar.get(self.at..).unwrap_or_default();
        let taken = usize::try_from(size).ok().and_then(|size| {
            let padded = size.checked_add(padding(size))?;
            rest.get(..padded).and_then(|padded| padded.get(..size)).map(|data| (data, padded))
        });
        let Some((data, padded)) = taken else {
            return Err(fault(header_offset.saturating_add(block::SIZE.start), "a member is longer than the archive")
                .expected_found(
                    format_args!("at most {} bytes with padding", rest.len()),
                    format_args!("{size} bytes"),
                ));
        };
        self.at = self.at.saturating_add(padded);
        Ok(data)
    }

    /// Behind the first zero block: a second one, then nothing but zeros.
    fn end(&self) -> Result<()> {
        let rest = self.tar.get(self.at..).unwrap_or_default();
        if rest.len() < BLOCK {
            return Err(fault(self.at, "the end of the archive is cut short")
                .expected_found("a second zero block of 512 bytes", format_args!("{} bytes", rest.len())));
        }
        match rest.iter().position(|&b| b != 0) {
            None => Ok(()),
            Some(surplus) => {
                let at = self.at.saturating_add(surplus);
                Err(fault(at, "data after the end of the archive").expected_found("zeros", "other bytes"))
            }
        }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let entry = self.next_entry();
        self.done = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}

impl<'a> Overrides<'a> {
    fn read(&mut self, body: &'a [u8], body_at: usize) -> Result<()> {
        for record in pax::records(body) {
            let (key, value) = record.map_err(|at| {
                fault(body_at.saturating_add(at), "malformed extended header")
                    .expected_found("`<length> <key>=<value>` and a newline", "other bytes")
            })?;
            let number = |name: &str| pax::decimal(value).ok_or_else(|| bad_number(body_at, name, value));
            match key {
                b"path" => self.path = Some(value),
                b"size" => self.size = Some(number("size")?),
                b"uid" => self.uid = Some(number("uid")?),
                b"gid" => self.gid = Some(number("gid")?),
                b"mtime" => self.mtime = Some(seconds(value).ok_or_else(|| bad_number(body_at, "mtime", value))?),
                _ if key.starts_with(b"GNU.sparse.") => {
                    return Err(Error::new(ErrorCode::Unsupported, "sparse files are not supported")
                        .at_position(place(body_at)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A name before it is known to be text.
enum Raw<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
}

impl<'a> Raw<'a> {
    fn text(self, header_offset: usize) -> Result<Cow<'a, str>> {
        let bad = || fault(header_offset, "a member name is not UTF-8").expected_found("UTF-8", "other bytes");
        match self {
            Raw::Borrowed(bytes) => core::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| bad()),
            Raw::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| bad()),
        }
    }
}

/// Checks checksum and magic; tells whether the block is of the GNU dialect, which has no prefix field.
fn check(header: &[u8; BLOCK], offset: usize) -> Result<bool> {
    let (unsigned, signed) = checksums(header);
    let field = header.get(block::CHECKSUM).unwrap_or_default();
    let stored = number::read(field);
    if stored != Some(unsigned) && stored.map(i64::try_from) != Some(Ok(signed)) {
        return Err(fault(offset.saturating_add(block::CHECKSUM.start), "the checksum of a member header is wrong")
            .expected_found(format_args!("{unsigned:06o}"), Bytes(field)));
    }
    let magic = header.get(block::MAGIC).unwrap_or_default();
    match magic {
        b"ustar  \0" => Ok(true),
        [b'u', b's', b't', b'a', b'r', 0, ..] => Ok(false),
        _ => Err(fault(offset.saturating_add(block::MAGIC.start), "unknown archive format")
            .expected_found("`ustar`", Bytes(magic))),
    }
}

fn join(prefix: &[u8], name: &[u8]) -> Result<Vec<u8>> {
    let mut joined = Vec::new();
    joined.try_reserve_exact(prefix.len() + 1 + name.len()).map_err(|_| Error::out_of_memory())?;
    joined.extend_from_slice(prefix);
    joined.push(b'/');
    joined.extend_from_slice(name);
    Ok(joined)
}

fn until_nul(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
    field.get(..end).unwrap_or(field)
}

/// Whole seconds of a decimal time, which may be negative and have a fraction.
fn seconds(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = text.splitn(2, |&b| b == b'.');
    let whole = i64::try_from(pax::decimal(parts.next()?)?).ok()?;
    if let Some(fraction) = parts.next()
        && !fraction.iter().all(u8::is_ascii_digit)
    {
        return None;
    }
    Some(if negative { -whole } else { whole })
}

fn place(offset: usize) -> Position {
    Position { line: 0, column: 0, offset: offset as u64 }
}

fn fault(offset: usize, message: &str) -> Error {
    Error::new(ErrorCode::BadArchive, message).at_position(place(offset))
}

fn bad_number(offset: usize, name: &str, found: &[u8]) -> Error {
    fault(offset, "a number in a member header is malformed").at(name).expected_found("a number", Bytes(found))
}

/// Bytes of a field as text.
struct Bytes<'a>(&'a [u8]);
impl fmt::Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.escape_ascii())
    }
}
