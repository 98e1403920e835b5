//! A new package made of an old one takes its members in another order than they come; what is compressed is unpacked into a
//! temporary file first, what is not stays where it is. Either way memory does not grow with the package.
#![forbid(unsafe_code)]

use super::failure::{of_file, system};
use super::package::{PackageFile, Passed, Visitor, Wish};
use super::random::RandomFile;
use super::replace::Replacement;
use super::stamp::{Input, Stamp};
use crate::contents::Contents;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use crate::neff::header::{self, Header};
use crate::neff::tar::MemberHeader;
use crate::neff::walk::Limits;
use crate::sink::{IoSink, Sink};
use core::cell::RefCell;
use core::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;
use std::string::String;
use std::vec::Vec;

/// Every member of a package, to be read in any order.
#[derive(Debug)]
pub struct Spool {
    header: Header,
    members: Vec<Spooled>,
}

/// A member of a spool.
#[derive(Debug)]
pub struct Spooled {
    /// Relative path, safe to unpack.
    pub name: String,
    /// Its bytes, which can be kept when the spool is gone.
    pub contents: Rc<dyn Contents>,
}

impl fmt::Debug for dyn Contents + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.size())
    }
}

impl Spool {
    /// The members of the package at `path`. With `verify_hash` all of it is read and the digest compared.
    ///
    /// # Errors
    /// As [`PackageFile::open`] and [`PackageFile::pass`]; `HashMismatch`; `Io` for the temporary file.
    pub fn of_package(path: &Path, limits: Limits, verify_hash: bool, progress: &mut dyn FnMut(u64)) -> Result<Spool> {
        let package = PackageFile::open(path, limits)?;
        let header = package.header().clone();
        let (members, passed) = spool(package, path, header::SIZE as u64, verify_hash, progress)?;
        passed.verified()?;
        Ok(Spool { header, members })
    }

    /// The members of the tar at `path`, compressed with gzip or not. The header is the default one.
    ///
    /// # Errors
    /// As [`of_package`](Self::of_package), but for the hash.
    pub fn of_tarball(path: &Path, limits: Limits, progress: &mut dyn FnMut(u64)) -> Result<Spool> {
        let mut file = File::open(path).map_err(|e| of_file(path, "read the file", &e))?;
        let stamp = file.stamp().map_err(|e| of_file(path, "read the file", &e))?;
        let header = Header { data_size: stamp.length, ..Header::default() };
        let package = PackageFile::new(Headed { header: header.write(), at: 0, file }, limits)?;
        let (members, _) = spool(package, path, 0, false, progress)?;
        Ok(Spool { header: Header::default(), members })
    }

    /// The header of the package.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The members, in file order.
    pub fn members(&self) -> &[Spooled] {
        &self.members
    }
}

/// Lists the members of a package whose tar, if it is plain, begins at byte `base` of the file at `path`.
fn spool<I: Input>(
    mut package: PackageFile<I>,
    path: &Path,
    base: u64,
    verify_hash: bool,
    progress: &mut dyn FnMut(u64),
) -> Result<(Vec<Spooled>, Passed)> {
    let mut ranges = Ranges { list: Vec::new(), out: None, base, progress };
    if !package.is_compressed() {
        let passed = package.pass(verify_hash, &mut ranges)?;
        // Another handle, since the package's has a place of its own; it has to be the same file still.
        let mut file = File::open(path).map_err(|e| of_file(path, "read the file", &e))?;
        let stamp = file.stamp().map_err(|e| of_file(path, "read the file", &e))?;
        package.check_unchanged()?;
        let source =
            Rc::new(RefCell::new(Source { file: RandomFile::new(file), stamp: Some(stamp), _temporary: None }));
        return Ok((ranges.members(&source)?, passed));
    }
    let mut temporary = Replacement::create(&std::env::temp_dir().join("members")).map_err(|e| cannot_spool(&e))?;
    let file = temporary.file().try_clone().map_err(|e| cannot_spool(&e))?;
    let out = file.try_clone().map_err(|e| cannot_spool(&e))?;
    ranges.out = Some((IoSink::new(BufWriter::with_capacity(1 << 17, out)), 0));
    let passed = package.pass(verify_hash, &mut ranges)?;
    if let Some((out, _)) = &mut ranges.out {
        out.flush()?;
    }
    let source = Source { file: RandomFile::new(file), stamp: None, _temporary: Some(temporary) };
    let source = Rc::new(RefCell::new(source));
    Ok((ranges.members(&source)?, passed))
}

/// Hears of all members and where their bytes are.
struct Ranges<'p> {
    list: Vec<(String, u64, u64)>,
    /// Where contents go to, and how many bytes did.
    out: Option<(IoSink<BufWriter<File>>, u64)>,
    base: u64,
    progress: &'p mut dyn FnMut(u64),
}

impl Ranges<'_> {
    fn members(self, source: &Rc<RefCell<Source>>) -> Result<Vec<Spooled>> {
        let mut members = Vec::new();
        for (name, offset, size) in self.list {
            let contents = Rc::new(Range { source: Rc::clone(source), offset, size });
            push(&mut members, Spooled { name, contents })?;
        }
        Ok(members)
    }
}

impl Visitor for Ranges<'_> {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish> {
        let (offset, wish) = match &self.out {
            Some((_, written)) => (*written, Wish::Contents),
            None => (self.base.saturating_add(member.data_offset), Wish::Next),
        };
        push(&mut self.list, (copy(member.name)?, offset, member.size))?;
        Ok(wish)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Wish> {
        if let Some((out, written)) = &mut self.out {
            out.write(bytes)?;
            *written = written.saturating_add(bytes.len() as u64);
        }
        Ok(Wish::Contents)
    }

    fn progress(&mut self, file_bytes: u64) {
        (self.progress)(file_bytes);
    }
}

/// The file that members lie in.
#[derive(Debug)]
struct Source {
    file: RandomFile,
    /// What it was when it was opened; a temporary file is nobody else's.
    stamp: Option<Stamp>,
    /// Removed with the last member.
    _temporary: Option<Replacement>,
}

/// A part of a file.
#[derive(Debug)]
struct Range {
    source: Rc<RefCell<Source>>,
    offset: u64,
    size: u64,
}

impl Contents for Range {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let left = self.size.saturating_sub(offset);
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = buffer.get_mut(..room).unwrap_or_default();
        let mut source = self.source.borrow_mut();
        if buffer.is_empty() {
            return source.check().map(|()| 0);
        }
        let count = source.file.read_at(self.offset.saturating_add(offset), buffer).map_err(|e| cannot_spool(&e))?;
        if count == 0 {
            source.check()?;
            return Err(Error::new(ErrorCode::Io, "the package ends before its last member"));
        }
        Ok(count)
    }
}

impl Source {
    fn check(&mut self) -> Result<()> {
        let Some(stamp) = &self.stamp else { return Ok(()) };
        let now = self.file.file.stamp().map_err(|e| cannot_spool(&e))?;
        if now == *stamp {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Conflict, "the package was changed while it was read").expected_found(stamp, now))
    }
}

/// A tar with a header before it, which makes it a package.
struct Headed {
    header: [u8; header::SIZE],
    at: u64,
    file: File,
}

impl Read for Headed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = header::SIZE as u64;
        let count = if self.at < size {
            let mut rest = self.header.get(self.at as usize..).unwrap_or_default();
            rest.read(buffer)?
        } else {
            self.file.seek(SeekFrom::Start(self.at - size))?;
            self.file.read(buffer)?
        };
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for Headed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else { return Err(io::ErrorKind::Unsupported.into()) };
        self.at = at;
        Ok(at)
    }
}

impl Input for Headed {
    fn stamp(&mut self) -> io::Result<Stamp> {
        let stamp = self.file.stamp()?;
        let length = stamp.length.saturating_add(header::SIZE as u64);
        Ok(stamp.with_length(length))
    }
}

fn cannot_spool(error: &io::Error) -> Error {
    system("unpack the members", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tests::Folder;
    use crate::neff::Compression;
    use crate::neff::package::Archive;
    use std::fs;

    fn written(spool: &Spool) -> Vec<(String, Vec<u8>)> {
        // Backwards: any order will do.
        let mut all: Vec<_> = spool
            .members()
            .iter()
            .rev()
            .map(|member| {
                let mut bytes = Vec::new();
                member.contents.write_to(&mut bytes).unwrap();
                (member.name.clone(), bytes)
            })
            .collect();
        all.reverse();
        all
    }

    #[test]
    fn members_in_any_order() {
        let folder = Folder::new("spool");
        let path = folder.path().join("x");
        let members = [("a", std::vec![1u8; 300_000]), ("b", Vec::new()), ("c/d", Vec::from(*b"xyz"))];
        let expected: Vec<(String, Vec<u8>)> = members.iter().map(|(n, b)| ((*n).into(), b.clone())).collect();
        for compression in [Compression::None, Compression::Exact] {
            let mut archive = Archive::new(Header { num_tpb: 3, ..Header::default() }, compression);
            for (name, bytes) in &members {
                archive.add(name, &bytes[..]).unwrap();
            }
            archive.sort().unwrap();
            let package = archive.build().unwrap();
            fs::write(&path, &package).unwrap();
            let spool = Spool::of_package(&path, Limits::default(), true, &mut |_| {}).unwrap();
            assert_eq!(spool.header().num_tpb, 3);
            assert!(written(&spool) == expected);
            // Without its header it is a tarball.
            fs::write(&path, &package[header::SIZE..]).unwrap();
            let spool = Spool::of_tarball(&path, Limits::default(), &mut |_| {}).unwrap();
            assert!(written(&spool) == expected);
        }
        drop(folder);
    }

    #[test]
    fn a_wrong_hash_and_a_change_are_errors() {
        let folder = Folder::new("spool-bad");
        let path = folder.path().join("x");
        let mut archive = Archive::new(Header::default(), Compression::None);
        archive.add("a", &[1u8; 3000][..]).unwrap();
        let mut package = archive.build().unwrap();
        fs::write(&path, &package).unwrap();
        let spool = Spool::of_package(&path, Limits::default(), true, &mut |_| {}).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(2000).unwrap();
        let error = spool.members()[0].contents.write_to(&mut Vec::new()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict);
        package[2000] ^= 1;
        fs::write(&path, &package).unwrap();
        let error = Spool::of_package(&path, Limits::default(), true, &mut |_| {}).unwrap_err();
        assert_eq!(error.code, ErrorCode::HashMismatch);
    }
}
