//! Packages as files: members by name, and whole passes, in memory that does not grow with the file.
//!
//! What is not asked for is jumped over in an uncompressed package; a compressed one has to be inflated up to the last
//! member that is asked for. A file that changes while it is read is an error.
#![forbid(unsafe_code)]

use super::stamp::{Input, Stamp};
use crate::fallible::{push, zeros};
use crate::neff::header::{self, Header};
use crate::neff::path::safe_member_path;
use crate::neff::tar::MemberHeader;
use crate::neff::walk::{Limits, Memory, Step, Walk, WalkOptions};
use crate::sink::Sink;
use crate::{Error, ErrorCode, Result};
use std::borrow::ToOwned;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, SeekFrom};
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;

/// Size of the reading buffer in bytes.
const BUFFER: usize = 1 << 18;
/// Bytes that are read at first, and after a jump; then twice as many each time.
const FIRST_READ: usize = 1 << 12;

/// What a visitor wants of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Its contents.
    Contents,
    /// The next member.
    Next,
    /// Nothing more of the package.
    Stop,
}

/// Hears of the members of a package, in file order.
pub trait Visitor {
    /// A member begins.
    ///
    /// # Errors
    /// Whatever ends the pass.
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish>;

    /// The next bytes of the contents that were asked for, never empty; whether more of them are wanted.
    ///
    /// # Errors
    /// Whatever ends the pass.
    fn data(&mut self, _bytes: &[u8]) -> Result<Wish> {
        Ok(Wish::Contents)
    }

    /// All contents that were asked for were told; what is wanted next ([`Wish::Contents`] means the same as `Next`).
    ///
    /// # Errors
    /// Whatever ends the pass.
    fn end(&mut self) -> Result<Wish> {
        Ok(Wish::Next)
    }

    /// A member has the name of an earlier one, of which loaders take either.
    ///
    /// # Errors
    /// `DuplicateName`, unless a visitor has other ideas.
    fn duplicate(&mut self, name: &str) -> Result<()> {
        Err(duplicate(name))
    }

    /// So many bytes of the file are done with.
    fn progress(&mut self, _file_bytes: u64) {}
}

/// The error of a second member of a name.
pub fn duplicate(name: &str) -> Error {
    Error::new(ErrorCode::DuplicateName, "two members have one name").at(name)
}

/// What a pass found out about the package as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// Whether the visitor heard of all members.
    pub complete: bool,
    /// Bytes of the tar that were looked at: its size, if the pass is complete.
    pub unpacked_bytes: u64,
    /// The payload's digest as the hash field holds it, if the hash was to be verified.
    pub computed_hash: Option<[u8; 32]>,
    /// `HashMismatch`, if the digest is not the header's.
    pub hash_error: Option<Error>,
}

impl Passed {
    /// An error if the hash is wrong.
    ///
    /// # Errors
    /// `HashMismatch`.
    pub fn verified(self) -> Result<Passed> {
        match self.hash_error {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}

/// An open package file.
#[derive(Debug)]
pub struct PackageFile<I = File> {
    input: I,
    stamp: Stamp,
    header: Header,
    compressed: bool,
    limits: Limits,
    memory: Memory,
    buffer: Vec<u8>,
}

impl PackageFile<File> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// `Io`, and as [`new`](PackageFile::new).
    pub fn open(path: &Path, limits: Limits) -> Result<Self> {
        PackageFile::new(File::open(path).map_err(cannot_read)?, limits)
    }
}

impl<I: Input> PackageFile<I> {
    /// Reads the header of a package.
    ///
    /// # Errors
    /// `Io`; `BadHeader` and `Unsupported` as [`Header::parse`]; `OutOfMemory`.
    pub fn new(mut input: I, limits: Limits) -> Result<Self> {
        let stamp = input.stamp().map_err(cannot_read)?;
        // The header and the first two bytes of the payload.
        let mut head = [0; header::SIZE + 2];
        input.seek(SeekFrom::Start(0)).map_err(cannot_read)?;
        let filled = read_full(&mut input, &mut head)?;
        let head = head.get(..filled).unwrap_or_default();
        let bytes = head.first_chunk::<{ header::SIZE }>().ok_or_else(|| header::too_short(filled))?;
        let header = Header::read(bytes);
        header.check(stamp.length)?;
        let compressed = crate::neff::gzip::is_gzip(head.get(header::SIZE..).unwrap_or_default());
        let (memory, buffer) = (Memory::new()?, zeros(BUFFER)?);
        Ok(PackageFile { input, stamp, header, compressed, limits, memory, buffer })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the payload is a gzip member; otherwise it is a plain tar.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.stamp.length
    }

    /// Walks the package from its start and tells the visitor. With `verify_hash` every byte of the file is read, else
    /// no more than the visitor wants.
    ///
    /// # Errors
    /// Those of [`Walk`] but `HashMismatch`, which comes with [`Passed`]; those of the visitor; `Io`; `Conflict` if the
    /// file has changed since it was opened.
    pub fn pass(&mut self, verify_hash: bool, visitor: &mut dyn Visitor) -> Result<Passed> {
        let result = self.walk(verify_hash, visitor);
        // A file that changes gives strange errors; the change is what there is to tell.
        self.check_unchanged()?;
        result
    }

    /// Compares the file with what it was when it was opened.
    ///
    /// # Errors
    /// `Conflict` if it has changed; `Io`.
    pub fn check_unchanged(&mut self) -> Result<()> {
        let now = self.input.stamp().map_err(cannot_read)?;
        if now == self.stamp {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Conflict, "the file was changed while it was read").expected_found(&self.stamp, &now))
    }

    /// The members of these names, which may start with `./`, in memory; what is not there is not in the result. Reads no
    /// further than to the last of them.
    ///
    /// # Errors
    /// As [`pass`](Self::pass); `LimitExceeded` for a member of more than `max_bytes`.
    pub fn contents(&mut self, names: &[&str], max_bytes: u64) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut wanted = HashSet::new();
        for name in names {
            wanted.insert(safe_member_path(name)?.to_owned());
        }
        let mut collect = Collect { wanted, max_bytes, found: BTreeMap::new(), current: None };
        if !collect.wanted.is_empty() {
            self.pass(false, &mut collect)?;
        }
        Ok(collect.found)
    }

    fn walk(&mut self, verify_hash: bool, visitor: &mut dyn Visitor) -> Result<Passed> {
        let PackageFile { input, stamp, header, limits, memory, buffer, .. } = self;
        let options = WalkOptions { verify_hash, file_size: Some(stamp.length), limits: *limits };
        let mut walk = Walk::new(memory.buffers(), options);
        let mut names: HashSet<String> = HashSet::new();
        // Bytes of the current member that are still to come, if they were asked for.
        let mut left = None;
        let mut complete = true;
        let mut hash_error = None;
        input.seek(SeekFrom::Start(0)).map_err(cannot_read)?;
        // Little is read after a jump, as another one may follow.
        let mut reach = FIRST_READ;
        'file: loop {
            let jump = walk.skippable();
            if jump > 0 {
                let to = walk.file_bytes().saturating_add(jump);
                input.seek(SeekFrom::Start(to)).map_err(cannot_read)?;
                walk.skipped(jump);
                reach = FIRST_READ;
            }
            let room = buffer.get_mut(..reach).unwrap_or_default();
            let count = read_some(input, room)?;
            reach = reach.saturating_mul(2).min(BUFFER);
            let mut piece = buffer.get(..count).unwrap_or_default();
            loop {
                let wish = match walk.step(&mut piece) {
                    Ok(Step::NeedInput) if count == 0 => {
                        walk.finish()?;
                        break 'file;
                    }
                    Ok(Step::NeedInput) => break,
                    Ok(Step::End) => break 'file,
                    Ok(Step::Header(found)) if found == header => continue,
                    Ok(Step::Header(_)) => {
                        return Err(Error::new(ErrorCode::Conflict, "the header was changed while it was read"));
                    }
                    Ok(Step::Member(member)) => {
                        if !names.insert(member.name.to_string()) {
                            visitor.duplicate(member.name)?;
                        }
                        let wish = visitor.member(&member)?;
                        left = (wish == Wish::Contents).then_some(member.size);
                        wish
                    }
                    Ok(Step::Data(data)) => {
                        let wish = visitor.data(data)?;
                        left = left.filter(|_| wish == Wish::Contents).map(|l| l.saturating_sub(data.len() as u64));
                        wish
                    }
                    Err(error) if error.code == ErrorCode::HashMismatch => {
                        hash_error = Some(error);
                        break 'file;
                    }
                    Err(error) => return Err(error),
                };
                let wish = match left {
                    Some(0) => {
                        left = None;
                        visitor.end()?
                    }
                    _ => wish,
                };
                match wish {
                    Wish::Contents => {}
                    Wish::Next => walk.skip_contents(),
                    Wish::Stop => {
                        complete = false;
                        walk.stop();
                    }
                }
            }
            visitor.progress(walk.file_bytes());
        }
        visitor.progress(walk.file_bytes());
        let (unpacked_bytes, computed_hash) = (walk.unpacked_bytes(), walk.computed_hash());
        Ok(Passed { complete, unpacked_bytes, computed_hash, hash_error })
    }
}

/// Keeps the contents of some members.
struct Collect {
    wanted: HashSet<String>,
    max_bytes: u64,
    found: BTreeMap<String, Vec<u8>>,
    current: Option<(String, Vec<u8>)>,
}

impl Visitor for Collect {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish> {
        if !self.wanted.remove(member.name) {
            return Ok(Wish::Next);
        }
        if member.size > self.max_bytes {
            return Err(Error::new(ErrorCode::LimitExceeded, "the member is larger than `max_bytes`")
                .expected_found(format_args!("at most {} bytes", self.max_bytes), format_args!("{} bytes", member.size))
                .at(member.name));
        }
        self.current = Some((member.name.to_owned(), Vec::new()));
        Ok(Wish::Contents)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Wish> {
        if let Some((_, contents)) = &mut self.current {
            contents.write(bytes)?;
        }
        Ok(Wish::Contents)
    }

    fn end(&mut self) -> Result<Wish> {
        self.found.extend(self.current.take());
        Ok(if self.wanted.is_empty() { Wish::Stop } else { Wish::Next })
    }
}

/// A member, without its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Relative path, safe to unpack.
    pub name: String,
    /// Size of the contents in bytes.
    pub size: u64,
}

/// Lists the members.
#[derive(Debug, Default)]
pub struct Lister {
    /// All members, in file order.
    pub members: Vec<Listed>,
}

impl Visitor for Lister {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish> {
        push(&mut self.members, Listed { name: member.name.to_owned(), size: member.size })?;
        Ok(Wish::Next)
    }
}

/// Reads once, again if the call was interrupted; 0 at the end.
fn read_some(input: &mut impl Input, buffer: &mut [u8]) -> Result<usize> {
    loop {
        match input.read(buffer) {
            Ok(count) => return Ok(count.min(buffer.len())),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(cannot_read(e)),
        }
    }
}

/// Reads until the buffer is full or the input ends.
fn read_full(input: &mut impl Input, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0usize;
    loop {
        let room = buffer.get_mut(filled..).unwrap_or_default();
        match read_some(input, room)? {
            0 => return Ok(filled),
            count => filled = filled.saturating_add(count),
        }
    }
}

fn cannot_read(error: io::Error) -> Error {
    let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
    Error::new(code, format_args!("cannot read: {error}"))
}
