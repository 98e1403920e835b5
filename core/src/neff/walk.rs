//! Walks a package that arrives in pieces: header, digest, compression, archive, members. It takes whatever bytes there
//! are and tells what they mean, so it serves memory, files, pipes and links alike, and needs no memory but what it is
//! given: [`Buffers`], and about 14 KB for itself.
//!
//! ```
//! use bir_core::neff::walk::{Memory, Step, Walk, WalkOptions};
//! # let file = std::fs::read("../tests/data/neff/synthetic-minimal.neff").unwrap();
//! let mut memory = Memory::new()?;
//! let mut walk = Walk::new(memory.buffers(), WalkOptions::default());
//! let mut bytes = 0;
//! for mut piece in file.chunks(100) {
//!     loop {
//!         match walk.step(&mut piece)? {
//!             Step::NeedInput | Step::End => break,
//!             Step::Member(member) if !member.name.ends_with(".json") => walk.skip_contents(),
//!             Step::Data(data) => bytes += data.len(),
//!             Step::Header(_) | Step::Member(_) => {}
//!         }
//!     }
//! }
//! walk.finish()?;
//! assert_eq!(bytes, 3 + 67 + 161 + 1717 + 5 * 18 + 1266);
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

use super::gzip::{Gunzip, Inflated, Window, is_gzip, window};
use super::header::{self, Header, PayloadDigest};
use super::tar::{self, MemberHeader, TarWalk};
use crate::error::{Error, ErrorCode, Position, Result};
use crate::fallible::zeros;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

/// The longest member name that [`Memory`] has room for, in bytes: what a Linux path may have.
pub const DEFAULT_NAME_BYTES: usize = 4096;
/// The largest extended header that [`Memory`] has room for, in bytes.
pub const DEFAULT_EXTENDED_BYTES: usize = 1 << 16;

/// What a package may ask of its reader. An error names the limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes a compressed payload may unpack to.
    pub max_unpacked_bytes: u64,
    /// The most times its own size that a compressed payload may unpack to.
    pub max_ratio: u64,
    /// So many bytes may come out of a payload of any size, whatever `max_ratio` is.
    pub ratio_free_bytes: u64,
    /// The most members and directories.
    pub max_members: u64,
    /// The most bytes that the names of all members have together: a reader that lists them has to keep them.
    pub max_names_bytes: u64,
}

impl Default for Limits {
    /// 8 GiB, 300 times beyond 1 GiB (stock zlib at level 1 makes 229 times fewer bytes of nothing but zeros), a million members,
    /// 64 MiB of names.
    fn default() -> Self {
        Limits {
            max_unpacked_bytes: 8 << 30,
            max_ratio: 300,
            ratio_free_bytes: 1 << 30,
            max_members: 1_000_000,
            max_names_bytes: 64 << 20,
        }
    }
}

/// How to walk a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// Digest the payload and compare it with the header's hash at the end. Without it, members of an uncompressed
    /// package can be jumped over ([`Walk::skippable`]).
    pub verify_hash: bool,
    /// Size of the whole file in bytes, if it is known: a wrong length in the header shows at once then.
    pub file_size: Option<u64>,
    /// What the package may ask for.
    pub limits: Limits,
}

impl Default for WalkOptions {
    /// Verifies; the size is not known.
    fn default() -> Self {
        WalkOptions { verify_hash: true, file_size: None, limits: Limits::default() }
    }
}

/// The memory of a walk.
#[derive(Debug)]
pub struct Buffers<'b> {
    /// Takes what is inflated.
    pub window: &'b mut Window,
    /// Takes a member's name; its size is the limit `max_name_bytes`, and should be at least 256.
    pub names: &'b mut [u8],
    /// Takes an extended header; its size is the limit `max_extended_bytes`.
    pub extended: &'b mut [u8],
}

/// [`Buffers`] on the heap, of the default sizes.
#[derive(Debug)]
pub struct Memory {
    window: Box<Window>,
    names: Vec<u8>,
    extended: Vec<u8>,
}

impl Memory {
    /// Takes about 100 KB.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn new() -> Result<Self> {
        let (names, extended) = (zeros(DEFAULT_NAME_BYTES)?, zeros(DEFAULT_EXTENDED_BYTES)?);
        Ok(Memory { window: window()?, names, extended })
    }

    /// The buffers for one walk.
    pub fn buffers(&mut self) -> Buffers<'_> {
        Buffers { window: &mut self.window, names: &mut self.names, extended: &mut self.extended }
    }
}

/// What the bytes of a package meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'s> {
    /// All bytes were taken; more are needed, or [`Walk::finish`] if there are none.
    NeedInput,
    /// The header was read and is good.
    Header(&'s Header),
    /// A member begins. [`Walk::skip_contents`] passes over it.
    Member(MemberHeader<'s>),
    /// The next bytes of its contents, never empty.
    Data(&'s [u8]),
    /// The package is whole and, if that was asked for, has the header's digest.
    End,
}

/// As [`Step`], with places instead of references.
enum Found<'i> {
    NeedInput,
    Header,
    Member,
    Input(&'i [u8]),
    Window(Range<usize>),
    End,
}

/// The state of a walk.
///
/// Errors have place, expected and found; offsets count from the start of the file, or of the unpacked tar where the path
/// begins with `tar`:
///
/// - `BadHeader`, `Unsupported`: see [`Header::parse`];
/// - `BadCompression`: see [`Gunzip`]; `BadArchive`, `UnsafePath`, `Unsupported`: see [`TarWalk`];
/// - `LimitExceeded`: see [`Limits`] and [`Buffers`];
/// - `HashMismatch`, at the very end: the digest is wrong.
///
/// After an error the walk is of no use.
#[derive(Debug)]
pub struct Walk<'b> {
    options: WalkOptions,
    head: [u8; header::SIZE],
    filled: usize,
    header: Option<Header>,
    digest: Option<PayloadDigest>,
    /// Bytes of the payload taken so far.
    taken: u64,
    /// The first bytes of the payload, which tell its form.
    start: [u8; 2],
    form: Form,
    gunzip: Gunzip<&'b mut Window>,
    /// What came out of `gunzip` and was not looked at yet.
    pending: Range<usize>,
    tar: TarWalk<&'b mut [u8]>,
    computed: Option<[u8; 32]>,
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Unknown,
    Plain,
    Gzip,
    /// Nobody wants to know more; only the hash goes on.
    Stopped,
}

impl<'b> Walk<'b> {
    /// A walk at the start of a package.
    pub fn new(buffers: Buffers<'b>, options: WalkOptions) -> Self {
        let Buffers { window, names, extended } = buffers;
        Walk {
            options,
            head: [0; header::SIZE],
            filled: 0,
            header: None,
            digest: None,
            taken: 0,
            start: [0; 2],
            form: Form::Unknown,
            gunzip: Gunzip::new(window),
            pending: 0..0,
            tar: TarWalk::new(names, extended, None, &options.limits),
            computed: None,
            ended: false,
        }
    }

    /// Takes bytes from the start of `input` up to the next thing to tell.
    ///
    /// # Errors
    ///
    /// See [`Walk`].
    pub fn step<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Result<Step<'s>> {
        Ok(match self.advance(input)? {
            Found::NeedInput => Step::NeedInput,
            Found::Header => self.header.as_ref().map_or(Step::NeedInput, Step::Header),
            Found::Member => self.tar.member().map_or(Step::NeedInput, Step::Member),
            Found::Input(data) => Step::Data(data),
            Found::Window(place) => Step::Data(self.gunzip.window().get(place).unwrap_or_default()),
            Found::End => Step::End,
        })
    }

    /// Checks that the input may end here.
    ///
    /// # Errors
    ///
    /// `BadHeader` if the file is shorter than its header says.
    pub fn finish(&self) -> Result<()> {
        match &self.header {
            None => Err(header::too_short(self.filled)),
            Some(_) if self.ended => Ok(()),
            Some(header) => Err(header::wrong_length(header, self.taken)),
        }
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Whether the payload is a gzip member; `None` before its first bytes.
    pub fn is_compressed(&self) -> Option<bool> {
        match self.taken {
            0 | 1 => None,
            _ => Some(is_gzip(&self.start)),
        }
    }

    /// The member that began last.
    pub fn member(&self) -> Option<MemberHeader<'_>> {
        self.tar.member()
    }

    /// Tells no more of the contents of the current member.
    pub fn skip_contents(&mut self) {
        self.tar.skip_contents();
    }

    /// Tells nothing more but the end. With the hash verified the rest of the payload has still to come, and is neither
    /// inflated nor looked at; without, this is the end.
    pub fn stop(&mut self) {
        if self.header.is_some() && !self.ended {
            self.form = Form::Stopped;
            self.pending = 0..0;
            self.ended = self.digest.is_none();
        }
    }

    /// The number of bytes of the file that come next and matter to nobody, when all input was taken: a caller that can
    /// jump over them tells so with [`skipped`](Self::skipped). Always 0 when the hash is verified or the package is
    /// compressed.
    pub fn skippable(&self) -> u64 {
        match self.form {
            Form::Plain if self.digest.is_none() => self.tar.skippable().min(self.left()),
            _ => 0,
        }
    }

    /// The caller has jumped over so many bytes, at most [`skippable`](Self::skippable).
    pub fn skipped(&mut self, bytes: u64) {
        let bytes = bytes.min(self.skippable());
        self.tar.skipped(bytes);
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Bytes of the tar looked at so far; at the end, its size.
    pub fn unpacked_bytes(&self) -> u64 {
        self.tar.position()
    }

    /// Bytes of the file taken so far.
    pub fn file_bytes(&self) -> u64 {
        (self.filled as u64).saturating_add(self.taken)
    }

    /// The payload's digest as the hash field holds it: at the end, if the hash is verified, right or wrong.
    pub fn computed_hash(&self) -> Option<[u8; 32]> {
        self.computed
    }

    /// Bytes of the payload that are still to come.
    fn left(&self) -> u64 {
        self.header.as_ref().map_or(0, |header| header.data_size.saturating_sub(self.taken))
    }

    fn advance<'i>(&mut self, input: &mut &'i [u8]) -> Result<Found<'i>> {
        if self.header.is_none() {
            return self.read_header(input);
        }
        loop {
            if self.ended {
                // Who has stopped may have more bytes at hand.
                let stopped = self.form == Form::Stopped && self.left() > 0;
                return if stopped || input.is_empty() { Ok(Found::End) } else { Err(self.surplus(input.len())) };
            }
            // What is inflated already comes first.
            if !self.pending.is_empty() {
                match self.look_at_pending()? {
                    Some(found) => return Ok(found),
                    None => continue,
                }
            }
            if self.form == Form::Gzip && self.gunzip.has_more() {
                self.inflate(&mut &[][..])?;
                continue;
            }
            if self.left() == 0 {
                self.end()?;
                return Ok(Found::End);
            }
            if input.is_empty() {
                return Ok(Found::NeedInput);
            }
            match self.form {
                Form::Unknown => self.look(input)?,
                Form::Gzip => self.inflate(input)?,
                Form::Plain => {
                    if let Some(found) = self.plain(input)? {
                        return Ok(found);
                    }
                }
                Form::Stopped => {
                    let piece = self.payload_of(input);
                    self.took(piece, input);
                }
            }
        }
    }

    fn read_header<'i>(&mut self, input: &mut &'i [u8]) -> Result<Found<'i>> {
        let room = self.head.get_mut(self.filled..).unwrap_or_default();
        let count = room.len().min(input.len());
        let (taken, rest) = input.split_at_checked(count).unwrap_or((input, &[]));
        room.iter_mut().zip(taken).for_each(|(to, from)| *to = *from);
        *input = rest;
        self.filled = self.filled.saturating_add(count);
        if self.filled < header::SIZE {
            return Ok(Found::NeedInput);
        }
        let header = Header::read(&self.head);
        let stated = header.data_size.saturating_add(header::SIZE as u64);
        header.check(self.options.file_size.unwrap_or(stated))?;
        self.digest = match self.options.verify_hash {
            true => Some(PayloadDigest::new(header.pkg_version)?),
            false => None,
        };
        self.header = Some(header);
        Ok(Found::Header)
    }

    /// How many bytes of the input belong to the payload.
    fn payload_of(&self, input: &[u8]) -> usize {
        usize::try_from(self.left()).unwrap_or(usize::MAX).min(input.len())
    }

    /// So many bytes of the input are done with.
    fn took(&mut self, count: usize, input: &mut &[u8]) {
        let (taken, rest) = input.split_at_checked(count).unwrap_or((input, &[]));
        if let Some(digest) = &mut self.digest {
            digest.update(taken);
        }
        self.taken = self.taken.saturating_add(taken.len() as u64);
        *input = rest;
    }

    /// Gathers the first two bytes and tells the form by them.
    fn look(&mut self, input: &mut &[u8]) -> Result<()> {
        let at = self.taken as usize;
        if let (Some(place), Some(&byte)) = (self.start.get_mut(at), input.first()) {
            *place = byte;
        }
        self.took(1, input);
        if at == 0 && self.left() > 0 {
            return Ok(());
        }
        let mut start = self.start.get(..=at).unwrap_or_default();
        // Two bytes are in the middle of either form's header, so there is nothing to tell yet.
        if is_gzip(start) {
            self.form = Form::Gzip;
            self.gunzip.step(&mut start).map_err(in_payload)?;
        } else {
            self.form = Form::Plain;
            self.tar.set_total(self.header.as_ref().map(|header| header.data_size));
            self.tar.step(&mut start).map_err(in_payload)?;
        }
        Ok(())
    }

    fn plain<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<Found<'i>>> {
        let count = self.payload_of(input);
        let mut piece = input.get(..count).unwrap_or_default();
        let step = self.tar.step(&mut piece).map_err(in_payload)?;
        self.took(count.saturating_sub(piece.len()), input);
        Ok(match step {
            tar::Step::NeedInput => None,
            tar::Step::Member => Some(Found::Member),
            tar::Step::Data(data) => Some(Found::Input(data)),
        })
    }

    fn inflate(&mut self, input: &mut &[u8]) -> Result<()> {
        let count = self.payload_of(input);
        let mut piece = input.get(..count).unwrap_or_default();
        let inflated = self.gunzip.step(&mut piece).map_err(in_payload)?;
        self.took(count.saturating_sub(piece.len()), input);
        if let Inflated::Output(place) = inflated {
            self.check_limits()?;
            self.pending = place;
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<()> {
        let Limits { max_unpacked_bytes, max_ratio, ratio_free_bytes, .. } = self.options.limits;
        let unpacked = self.gunzip.length();
        let reached = |message: &str, bytes: u64| {
            Err(in_payload(
                Error::new(ErrorCode::LimitExceeded, message)
                    .expected_found(format_args!("at most {bytes} bytes"), "more")
                    .at_position(Position { line: 0, column: 0, offset: self.taken }),
            ))
        };
        if unpacked > max_unpacked_bytes {
            return reached("the payload unpacks to more than `max_unpacked_bytes`", max_unpacked_bytes);
        }
        let ratio_limit = self.taken.saturating_mul(max_ratio).max(ratio_free_bytes);
        if unpacked > ratio_limit {
            return reached("the payload unpacks to more than `max_ratio` times its size", ratio_limit);
        }
        Ok(())
    }

    fn look_at_pending<'i>(&mut self) -> Result<Option<Found<'i>>> {
        let pending = core::mem::take(&mut self.pending);
        let bytes = self.gunzip.window().get(pending.clone()).unwrap_or_default();
        let mut rest = bytes;
        let step = self.tar.step(&mut rest).map_err(nested)?;
        let taken_to = pending.end.saturating_sub(rest.len());
        self.pending = taken_to..pending.end;
        Ok(match step {
            tar::Step::NeedInput => None,
            tar::Step::Member => Some(Found::Member),
            tar::Step::Data(data) => Some(Found::Window(taken_to.saturating_sub(data.len())..taken_to)),
        })
    }

    /// All of the payload was looked at.
    fn end(&mut self) -> Result<()> {
        match self.form {
            Form::Gzip => {
                self.gunzip.finish().map_err(in_payload)?;
                self.tar.finish().map_err(nested)?;
            }
            Form::Plain => self.tar.finish().map_err(in_payload)?,
            Form::Unknown | Form::Stopped => {}
        }
        self.ended = true;
        if let (Some(digest), Some(header)) = (self.digest.take(), &self.header) {
            let computed = digest.finish();
            self.computed = Some(computed);
            header.compare_hash(&computed)?;
        }
        Ok(())
    }

    /// The error of input behind the payload.
    fn surplus(&self, bytes: usize) -> Error {
        let rest = self.taken.saturating_add(bytes as u64);
        self.header.as_ref().map_or_else(|| header::too_short(self.filled), |header| header::wrong_length(header, rest))
    }
}

/// Moves an error of the payload to its place in the file.
pub(super) fn in_payload(mut error: Error) -> Error {
    if let Some(position) = &mut error.position {
        position.offset = position.offset.saturating_add(header::SIZE as u64);
    }
    error.at("data")
}

/// Marks an error as one of the unpacked tar.
pub(super) fn nested(mut error: Error) -> Error {
    let inner = core::mem::take(&mut error.path);
    match inner.is_empty() {
        true => error.at("tar"),
        false => error.at(format_args!("tar: {inner}")),
    }
}

#[cfg(test)]
mod tests;
