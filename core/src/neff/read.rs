//! Opens a package from one slice: header, payload, members. Nothing in the file is trusted, and an uncompressed payload
//! is not copied.
#![forbid(unsafe_code)]

use super::gzip::{gunzip, is_gzip};
use super::header::{self, Header, verify_hash};
use super::tar::Entries;
use super::walk::{in_payload, nested};
use crate::consts::digest::Md5;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// How to open a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Compare the header's digest with the payload.
    pub verify_hash: bool,
    /// The most bytes a compressed payload may unpack to.
    pub max_unpacked_bytes: u64,
}

impl Default for Options {
    /// Verifies, and unpacks at most 8 GiB.
    fn default() -> Self {
        Options { verify_hash: true, max_unpacked_bytes: 8 << 30 }
    }
}

/// A member, without its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Relative path, safe to unpack.
    pub name: String,
    /// Permission bits.
    pub mode: u32,
    /// Owner number.
    pub uid: u64,
    /// Group number.
    pub gid: u64,
    /// Time of last change in seconds since 1970.
    pub mtime: i64,
    /// The type byte of the archive header.
    pub typeflag: u8,
    /// Where the contents lie in the unpacked tar.
    pub range: Range<usize>,
}

impl Member {
    /// Size of the contents in bytes.
    pub fn size(&self) -> usize {
        self.range.len()
    }
}

/// An open package.
#[derive(Clone, Debug)]
pub struct Package<'f> {
    header: Header,
    compressed: bool,
    tar: Cow<'f, [u8]>,
    members: Vec<Member>,
    /// Places in `members`, in the order of names.
    by_name: Vec<usize>,
}

impl<'f> Package<'f> {
    /// Opens the package `file`.
    ///
    /// # Errors
    ///
    /// With place, expected and found; offsets count from the start of the file, or of the unpacked tar where the path
    /// begins with `tar`:
    ///
    /// - `BadHeader`, `Unsupported`: see [`Header::parse`];
    /// - `HashMismatch`: the digest is wrong and `verify_hash` is set;
    /// - `BadCompression`, `LimitExceeded`: the payload is no proper gzip member or unpacks to too much;
    /// - `BadArchive`, `UnsafePath`: see [`Entries`];
    /// - `DuplicateName`: two members of one name, of which loaders take either;
    /// - `OutOfMemory`.
    pub fn open(file: &'f [u8], options: Options) -> Result<Self> {
        let header = Header::parse(file)?;
        if options.verify_hash {
            verify_hash(&header, file)?;
        }
        let payload = file.get(header::SIZE..).unwrap_or_default();
        let compressed = is_gzip(payload);
        let tar = if compressed {
            let limit = usize::try_from(options.max_unpacked_bytes).unwrap_or(usize::MAX);
            Cow::Owned(gunzip(payload, limit).map_err(in_payload)?)
        } else {
            Cow::Borrowed(payload)
        };
        let members = list(&tar).map_err(if compressed { nested } else { in_payload })?;
        let by_name = sort(&members)?;
        Ok(Package { header, compressed, tar, members, by_name })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the payload is a gzip member; otherwise it is a plain tar.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// The unpacked tar.
    pub fn tar(&self) -> &[u8] {
        &self.tar
    }

    /// The members, in file order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The contents of a member of this package.
    pub fn contents(&self, member: &Member) -> &[u8] {
        self.tar.get(member.range.clone()).unwrap_or_default()
    }

    /// The contents of the member `name`, which may start with `./`.
    pub fn member(&self, name: &str) -> Option<&[u8]> {
        let name = name.trim_start_matches("./");
        let found = self.by_name.binary_search_by(|&i| self.members.get(i).map_or("", |m| m.name.as_str()).cmp(name));
        let member = self.members.get(*self.by_name.get(found.ok()?)?)?;
        Some(self.contents(member))
    }

    /// All members in file order as relative path, safe to create below any folder, and contents.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.members.iter().map(|member| (member.name.as_str(), self.contents(member)))
    }

    /// The IR signature ([`super::signature`]).
    pub fn ir_signature(&self) -> Md5 {
        super::signature::ir_signature(self.files())
    }
}

fn list(tar: &[u8]) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for entry in Entries::new(tar) {
        let entry = entry?;
        let member = Member {
            name: entry.name,
            mode: entry.mode,
            uid: entry.uid,
            gid: entry.gid,
            mtime: entry.mtime,
            typeflag: entry.typeflag,
            range: entry.data_offset..entry.data_offset.saturating_add(entry.data.len()),
        };
        push(&mut members, member)?;
    }
    Ok(members)
}

/// The places of the members in the order of their names, which have to differ.
fn sort(members: &[Member]) -> Result<Vec<usize>> {
    let mut by_name = Vec::new();
    by_name.try_reserve_exact(members.len()).map_err(|_| Error::out_of_memory())?;
    by_name.extend(0..members.len());
    let name = |i: usize| members.get(i).map_or("", |member| member.name.as_str());
    by_name.sort_unstable_by(|&a, &b| name(a).cmp(name(b)));
    for pair in by_name.windows(2) {
        if let [a, b] = *pair
            && name(a) == name(b)
        {
            return Err(Error::new(ErrorCode::DuplicateName, "two members have one name").at(name(a)));
        }
    }
    Ok(by_name)
}

#[cfg(test)]
mod tests;
