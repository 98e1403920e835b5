//! Walks a tar that arrives in pieces, without believing a single number in it and without memory of its own.
//!
//! Accepted: ustar, pax and GNU long names. Directories are skipped as the runtime does; links, devices and unsafe
//! names are refused, because a package is unpacked into a folder.
#![forbid(unsafe_code)]

use super::extended::{NameFrom, Overrides};
use super::header::{Block, after, fault, place, until_nul};
use super::{BLOCK, block};
use crate::error::{Error, ErrorCode, Result};
use crate::neff::path::safe_member_path;
use crate::neff::walk::Limits;
use core::fmt;

/// A regular file in a tar, without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberHeader<'n> {
    /// The name, safe to unpack ([`safe_member_path`]).
    pub name: &'n str,
    /// Size of the contents in bytes.
    pub size: u64,
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
    pub header_offset: u64,
    /// Offset of the contents from the start of the tar, in bytes.
    pub data_offset: u64,
}

/// What the bytes of a tar meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'i> {
    /// All bytes were taken; more are needed, or [`TarWalk::finish`] if there are none.
    NeedInput,
    /// A member begins: [`TarWalk::member`].
    Member,
    /// The next bytes of its contents, never empty.
    Data(&'i [u8]),
}

/// The state of a walk. `B` is a buffer of bytes, the caller's or one on the heap.
///
/// Errors are `BadArchive` (malformed), `UnsafePath` (links and unsafe names), `Unsupported` (devices, sparse files and
/// other kinds) and `LimitExceeded`, with the byte offset in the tar. After an error the walk is of no use.
#[derive(Clone)]
pub struct TarWalk<B> {
    names: B,
    extended: B,
    /// Length of the tar, if it is known.
    total: Option<u64>,
    limits: Limits,
    /// Bytes of the tar taken so far.
    at: u64,
    members: u64,
    names_bytes: u64,
    state: State,
    block: [u8; BLOCK],
    overrides: Overrides,
    /// Offset of the last header block, and size of the body behind it.
    header_offset: u64,
    body: u64,
    current: Option<Current>,
}

#[derive(Clone, Copy)]
enum State {
    /// Gathers a header block, of which so many bytes are there.
    Header { filled: usize },
    /// Gathers the body of an extended header or long name.
    Extended { typeflag: u8, size: usize, filled: usize },
    /// Passes over bytes that matter to nobody.
    Skip { left: u64 },
    /// Inside the contents of a member.
    Data { left: u64, padding: u64 },
    /// Behind the last member, after so many zero bytes of the end's second block and what follows it.
    End { zeros: u64 },
}

/// The numbers of a [`MemberHeader`], and where in the buffer its name is.
#[derive(Clone, Copy)]
struct Current {
    name_start: usize,
    name_end: usize,
    size: u64,
    mode: u32,
    uid: u64,
    gid: u64,
    mtime: i64,
    typeflag: u8,
    data_offset: u64,
}

impl<B> fmt::Debug for TarWalk<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TarWalk").field("at", &self.at).field("members", &self.members).finish_non_exhaustive()
    }
}

impl<B: AsRef<[u8]> + AsMut<[u8]>> TarWalk<B> {
    /// A walk at the start of a tar of `total` bytes, if that is known. The size of `names` limits a member's name
    /// (`max_name_bytes`, at least 256 for any ustar name), that of `extended` an extended header
    /// (`max_extended_bytes`); of `limits` those on members and names count.
    pub fn new(names: B, extended: B, total: Option<u64>, limits: &Limits) -> Self {
        TarWalk {
            names,
            extended,
            total,
            limits: *limits,
            at: 0,
            members: 0,
            names_bytes: 0,
            state: State::Header { filled: 0 },
            block: [0; BLOCK],
            overrides: Overrides::default(),
            header_offset: 0,
            body: 0,
            current: None,
        }
    }

    /// Sets the length of the tar, once it is known: a member that cannot fit is refused at its header then.
    pub fn set_total(&mut self, total: Option<u64>) {
        self.total = total;
    }

    /// Takes bytes from the start of `input` up to the next thing to tell.
    ///
    /// # Errors
    ///
    /// See [`TarWalk`].
    pub fn step<'i>(&mut self, input: &mut &'i [u8]) -> Result<Step<'i>> {
        loop {
            match self.state {
                State::Skip { left: 0 } | State::Data { left: 0, padding: 0 } => {
                    self.state = State::Header { filled: 0 };
                    continue;
                }
                State::Data { left: 0, padding } => {
                    self.state = State::Skip { left: padding };
                    continue;
                }
                State::Extended { typeflag, size, filled } if filled == size => {
                    self.extended(typeflag, size)?;
                    self.state = State::Skip { left: padding(size as u64) };
                    continue;
                }
                _ if input.is_empty() => return Ok(Step::NeedInput),
                State::Header { filled } => {
                    let Some(room) = self.block.get_mut(filled..) else { return Err(defect()) };
                    let taken = fill(room, input);
                    self.at = after(self.at, taken);
                    let filled = filled.saturating_add(taken);
                    self.state = State::Header { filled };
                    if filled == BLOCK && self.header()? {
                        return Ok(Step::Member);
                    }
                }
                State::Extended { typeflag, size, filled } => {
                    let Some(room) = self.extended.as_mut().get_mut(filled..size) else { return Err(defect()) };
                    let taken = fill(room, input);
                    self.at = after(self.at, taken);
                    self.state = State::Extended { typeflag, size, filled: filled.saturating_add(taken) };
                }
                State::Skip { left } => {
                    let taken = take(input, left).len() as u64;
                    self.at = self.at.saturating_add(taken);
                    self.state = State::Skip { left: left.saturating_sub(taken) };
                }
                State::Data { left, padding } => {
                    let data = take(input, left);
                    self.at = after(self.at, data.len());
                    self.state = State::Data { left: left.saturating_sub(data.len() as u64), padding };
                    return Ok(Step::Data(data));
                }
                State::End { zeros } => {
                    if let Some(surplus) = input.iter().position(|&b| b != 0) {
                        return Err(fault(after(self.at, surplus), "data after the end of the archive")
                            .expected_found("zeros", "other bytes"));
                    }
                    self.at = after(self.at, input.len());
                    self.state = State::End { zeros: after(zeros, input.len()) };
                    *input = &[];
                }
            }
        }
    }

    /// The member that began last.
    pub fn member(&self) -> Option<MemberHeader<'_>> {
        let Current { name_start, name_end, size, mode, uid, gid, mtime, typeflag, data_offset } = self.current?;
        let name = core::str::from_utf8(self.names.as_ref().get(name_start..name_end)?).ok()?;
        let header_offset = self.header_offset;
        Some(MemberHeader { name, size, mode, uid, gid, mtime, typeflag, header_offset, data_offset })
    }

    /// Tells no more of the contents of the current member.
    pub fn skip_contents(&mut self) {
        if let State::Data { left, padding } = self.state {
            self.state = State::Skip { left: left.saturating_add(padding) };
        }
    }

    /// The number of bytes that come next and matter to nobody: a caller that can may jump over them.
    pub fn skippable(&self) -> u64 {
        if let State::Skip { left } = self.state { left } else { 0 }
    }

    /// The caller has jumped over so many bytes, at most [`skippable`](Self::skippable).
    pub fn skipped(&mut self, bytes: u64) {
        if let State::Skip { left } = self.state {
            let bytes = bytes.min(left);
            self.at = self.at.saturating_add(bytes);
            self.state = State::Skip { left: left - bytes };
        }
    }

    /// Bytes of the tar taken so far.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Checks that the tar may end here.
    ///
    /// # Errors
    ///
    /// `BadArchive` if it is cut short.
    pub fn finish(&self) -> Result<()> {
        match self.state {
            State::End { zeros } if zeros >= BLOCK as u64 => Ok(()),
            State::End { zeros } => Err(fault(self.at.saturating_sub(zeros), "the end of the archive is cut short")
                .expected_found("a second zero block of 512 bytes", format_args!("{zeros} bytes"))),
            State::Header { filled } => Err(fault(self.at.saturating_sub(filled as u64), "the archive is cut short")
                .expected_found("a header or a zero block of 512 bytes", format_args!("{filled} bytes"))),
            State::Skip { left: 0 } | State::Data { left: 0, padding: 0 } => {
                Err(fault(self.at, "the archive is cut short")
                    .expected_found("a header or a zero block of 512 bytes", "0 bytes"))
            }
            State::Extended { .. } | State::Skip { .. } | State::Data { .. } => Err(self.too_long(self.body, self.at)),
        }
    }

    /// Reads a whole header block; tells whether a member begins.
    fn header(&mut self) -> Result<bool> {
        let offset = self.at.saturating_sub(BLOCK as u64);
        if self.block.iter().all(|&b| b == 0) {
            if self.overrides.pending {
                return Err(fault(offset, "the archive ends after an extended header")
                    .expected_found("a member", "the end of the archive"));
            }
            self.state = State::End { zeros: 0 };
            return Ok(false);
        }
        self.header_offset = offset;
        self.current = None;
        let header = Block::open(&self.block, offset)?;
        let (typeflag, size) = (header.typeflag(), header.size()?);
        match typeflag {
            // Members without contents of their own keep quiet about what follows them.
            b'x' | b'g' | b'L' | b'K' => {
                let room = self.extended.as_ref().len();
                let Some(body) = usize::try_from(size).ok().filter(|&size| size <= room) else {
                    return Err(Error::new(
                        ErrorCode::LimitExceeded,
                        "an extended header is larger than `max_extended_bytes`",
                    )
                    .expected_found(format_args!("at most {room} bytes"), format_args!("{size} bytes"))
                    .at_position(place(after(offset, block::SIZE.start))));
                };
                self.fits(size)?;
                self.body = size;
                self.state = match typeflag {
                    b'x' | b'L' => State::Extended { typeflag, size: body, filled: 0 },
                    _ => State::Skip { left: size.saturating_add(padding(size)) },
                };
                self.overrides.pending |= typeflag != b'g';
                return Ok(false);
            }
            _ => {}
        }
        self.members = self.members.saturating_add(1);
        if self.members > self.limits.max_members {
            return Err(limit("the archive has more than `max_members` members", self.limits.max_members, offset));
        }

        let Overrides { name_from, mut name_len, .. } = self.overrides;
        if name_from == NameFrom::Header {
            let (prefix, name) = (header.prefix(), header.name());
            // A ustar name is 100 + 1 + 155 bytes at most.
            let mut joined = [0u8; 256];
            let slash: &[u8] = if prefix.is_empty() { b"" } else { b"/" };
            name_len = prefix.len().saturating_add(slash.len()).saturating_add(name.len());
            joined.iter_mut().zip(prefix.iter().chain(slash).chain(name)).for_each(|(to, from)| *to = *from);
            let joined = joined.get(..name_len).unwrap_or(&joined);
            self.overrides.set_name(NameFrom::Header, joined, offset, self.names.as_mut())?;
        }
        self.names_bytes = after(self.names_bytes, name_len);
        if self.names_bytes > self.limits.max_names_bytes {
            let most = self.limits.max_names_bytes;
            return Err(limit("the names of all members are longer than `max_names_bytes`", most, offset));
        }
        let bytes = self.names.as_ref().get(..name_len).unwrap_or_default();
        let name = core::str::from_utf8(bytes)
            .map_err(|_| fault(offset, "a member name is not UTF-8").expected_found("UTF-8", "other bytes"))?;
        let unsafe_at = |e: Error| e.at_position(place(offset));
        if typeflag == b'5' || (typeflag == 0 && name.ends_with('/')) {
            // `.` is the folder itself, and a trailing slash is how directories are written.
            let path = name.trim_end_matches('/');
            if !(path == "." || path == "./.") {
                safe_member_path(path).map_err(unsafe_at)?;
            }
            self.overrides = Overrides::default();
            self.state = State::Header { filled: 0 };
            return Ok(false);
        }
        let other = match typeflag {
            b'0' | b'7' | 0 => None,
            b'1' => Some((ErrorCode::UnsafePath, "a package holds no links", "a hard link")),
            b'2' => Some((ErrorCode::UnsafePath, "a package holds no links", "a symbolic link")),
            _ => Some((ErrorCode::Unsupported, "a package holds regular files only", "")),
        };
        if let Some((code, message, found)) = other {
            let error = Error::new(code, message);
            let error = match found {
                "" => error.expected_found("a regular file", format_args!("type `{}`", typeflag.escape_ascii())),
                found => error.expected_found("a regular file", found),
            };
            return Err(error.at(name).at_position(place(after(offset, block::TYPE))));
        }
        let path = safe_member_path(name).map_err(unsafe_at)?;
        let overrides = &self.overrides;
        let size = overrides.size.unwrap_or(size);
        let current = Current {
            name_start: name_len.saturating_sub(path.len()),
            name_end: name_len,
            size,
            mode: header.mode()?,
            uid: overrides.uid.map_or_else(|| header.uid(), Ok)?,
            gid: overrides.gid.map_or_else(|| header.gid(), Ok)?,
            mtime: overrides.mtime.map_or_else(|| header.mtime(), Ok)?,
            typeflag,
            data_offset: self.at,
        };
        self.fits(size).map_err(|e| e.at(path))?;
        self.current = Some(current);
        self.body = size;
        self.overrides = Overrides::default();
        self.state = State::Data { left: size, padding: padding(size) };
        Ok(true)
    }

    /// Whether a body that starts here can end before the archive does, as far as its length is known.
    fn fits(&self, size: u64) -> Result<()> {
        let rest = self.total.map_or(u64::MAX, |total| total.saturating_sub(self.at));
        match size.checked_add(padding(size)) {
            Some(padded) if padded <= rest => Ok(()),
            _ => Err(self.too_long(size, self.at.saturating_add(rest))),
        }
    }

    /// The error of a body behind the last header when the archive ends at `end`.
    fn too_long(&self, size: u64, end: u64) -> Error {
        let room = end.saturating_sub(after(self.header_offset, BLOCK));
        fault(after(self.header_offset, block::SIZE.start), "a member is longer than the archive")
            .expected_found(format_args!("at most {room} bytes with padding"), format_args!("{size} bytes"))
    }

    /// Reads the whole body of an extended header or long name.
    fn extended(&mut self, typeflag: u8, size: usize) -> Result<()> {
        let body_at = self.at.saturating_sub(size as u64);
        let body = self.extended.as_ref().get(..size).unwrap_or_default();
        let names = self.names.as_mut();
        match typeflag {
            b'x' => self.overrides.read(body, body_at, names),
            _ => self.overrides.set_name(NameFrom::LongName, until_nul(body), body_at, names),
        }
    }
}

/// Bytes of padding after `size` bytes.
fn padding(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}

/// Takes at most `limit` bytes from the start of the input.
fn take<'i>(input: &mut &'i [u8], limit: u64) -> &'i [u8] {
    let count = usize::try_from(limit).unwrap_or(usize::MAX).min(input.len());
    let (taken, rest) = input.split_at_checked(count).unwrap_or((input, &[]));
    *input = rest;
    taken
}

/// Copies from the start of the input as much as there is room for; the number of bytes.
fn fill(room: &mut [u8], input: &mut &[u8]) -> usize {
    let taken = take(input, room.len() as u64);
    room.iter_mut().zip(taken).for_each(|(to, from)| *to = *from);
    taken.len()
}

fn limit(message: &str, most: u64, offset: u64) -> Error {
    Error::new(ErrorCode::LimitExceeded, message)
        .expected_found(format_args!("at most {most}"), "more")
        .at_position(place(offset))
}

fn defect() -> Error {
    Error::new(ErrorCode::Internal, "a tar walk lost its place")
}
