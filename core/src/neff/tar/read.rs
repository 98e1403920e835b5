//! The members of a tar that lies in memory; none of its bytes is copied but the names.
#![forbid(unsafe_code)]

use super::walk::{MemberHeader, Step, TarWalk};
use crate::error::Result;
use crate::fallible::{copy, zeros};
use crate::neff::walk::{DEFAULT_EXTENDED_BYTES, DEFAULT_NAME_BYTES, Limits};
use alloc::string::String;
use alloc::vec::Vec;

/// A regular file in a tar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name, safe to unpack ([`safe_member_path`](crate::neff::path::safe_member_path)).
    pub name: String,
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
/// Errors are those of [`TarWalk`] and `OutOfMemory`.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    tar: &'a [u8],
    rest: &'a [u8],
    walk: Option<TarWalk<Vec<u8>>>,
    done: bool,
}

impl<'a> Entries<'a> {
    /// The files of `tar`.
    pub fn new(tar: &'a [u8]) -> Self {
        Entries { tar, rest: tar, walk: None, done: false }
    }

    fn next_entry(&mut self) -> Result<Option<Entry<'a>>> {
        let walk = match &mut self.walk {
            Some(walk) => walk,
            none => {
                let (names, extended) = (zeros(DEFAULT_NAME_BYTES)?, zeros(DEFAULT_EXTENDED_BYTES)?);
                let total = Some(self.tar.len() as u64);
                none.insert(TarWalk::new(names, extended, total, &Limits::default()))
            }
        };
        loop {
            match walk.step(&mut self.rest)? {
                Step::NeedInput => return walk.finish().map(|()| None),
                // Entries do not come in pieces: the walk knows the whole tar.
                Step::Data(_) => {}
                Step::Member => {
                    let Some(member) = walk.member() else { continue };
                    return entry(self.tar, member).map(Some);
                }
            }
        }
    }
}

fn entry<'a>(tar: &'a [u8], member: MemberHeader<'_>) -> Result<Entry<'a>> {
    let MemberHeader { name, size, mode, uid, gid, mtime, typeflag, header_offset, data_offset } = member;
    // The walk has checked that the contents fit the tar, so these numbers fit the machine.
    let (header_offset, data_offset) = (header_offset as usize, data_offset as usize);
    let data = tar.get(data_offset..data_offset.saturating_add(size as usize)).unwrap_or_default();
    Ok(Entry { name: copy(name)?, mode, uid, gid, mtime, typeflag, header_offset, data_offset, data })
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
