//! A package read by whoever asks for the next member, instead of by a visitor that is told: for callers in other languages,
//! and for packages that come through a pipe or a socket.
//!
//! Memory does not grow with the package but by the names of its members, which are kept because no two may be equal.
#![forbid(unsafe_code)]

use super::package::duplicate;
use super::stamp::{Input, Stamp};
use crate::fallible::{copy, zeros};
use crate::neff::gzip::is_gzip;
use crate::neff::header::{self, Header};
use crate::neff::tar::MemberHeader;
use crate::neff::walk::{Limits, Memory, Step, Walk, WalkOptions};
use crate::sink::Sink;
use crate::{Error, ErrorCode, Result};
use std::boxed::Box;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::string::String;
use std::vec::Vec;

/// Size of the reading buffer in bytes.
const BUFFER: usize = 1 << 18;
/// Bytes that are read at first, and after a jump; then twice as many each time.
const FIRST_READ: usize = 1 << 12;

/// Where the bytes of a package come from.
pub trait Feed {
    /// Size of the whole package in bytes, if it is known.
    fn total(&self) -> Option<u64>;

    /// Puts the next bytes into the buffer; returns how many, 0 only at the end.
    ///
    /// # Errors
    /// What reading fails with.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize>;

    /// Passes over the next bytes; `false` if that cannot be done without reading them.
    ///
    /// # Errors
    /// What the system answers.
    fn skip(&mut self, _bytes: u64) -> Result<bool> {
        Ok(false)
    }

    /// Whether what was read so far is still what is there.
    ///
    /// # Errors
    /// `Conflict` if not.
    fn check(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Feed for Box<dyn Feed> {
    fn total(&self) -> Option<u64> {
        (**self).total()
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        (**self).read(buffer)
    }

    fn skip(&mut self, bytes: u64) -> Result<bool> {
        (**self).skip(bytes)
    }

    fn check(&mut self) -> Result<()> {
        (**self).check()
    }
}

/// The bytes of a file, which must not change meanwhile.
#[derive(Debug)]
pub struct FileFeed {
    file: File,
    stamp: Stamp,
}

impl FileFeed {
    /// The file at `path`.
    ///
    /// # Errors
    /// `Io`, also for what is no ordinary file.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(cannot_read)?;
        let stamp = file.stamp().map_err(cannot_read)?;
        Ok(FileFeed { file, stamp })
    }
}

impl Feed for FileFeed {
    fn total(&self) -> Option<u64> {
        Some(self.stamp.length)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.file.read(buffer) {
                Ok(count) => return Ok(count),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(cannot_read(e)),
            }
        }
    }

    fn skip(&mut self, bytes: u64) -> Result<bool> {
        let Ok(bytes) = i64::try_from(bytes) else { return Ok(false) };
        self.file.seek(SeekFrom::Current(bytes)).map_err(cannot_read)?;
        Ok(true)
    }

    fn check(&mut self) -> Result<()> {
        let now = self.file.stamp().map_err(cannot_read)?;
        if now == self.stamp {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Conflict, "the file was changed while it was read").expected_found(&self.stamp, &now))
    }
}

/// How to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderOptions {
    /// Compare the header's hash with the payload at the end. Without it, what is not asked for of an uncompressed file is
    /// jumped over.
    pub verify_hash: bool,
    /// What the package may ask for.
    pub limits: Limits,
}

impl Default for ReaderOptions {
    /// Verifies, within the default limits.
    fn default() -> Self {
        ReaderOptions { verify_hash: true, limits: Limits::default() }
    }
}

/// A package on its way in.
///
/// Errors of all functions that read: those of [`Walk`]; `DuplicateName` for a member of a name that was there; what the feed
/// fails with; `Conflict` if it has changed; `OutOfMemory`. After one, every call gives the same error again.
#[derive(Debug)]
pub struct PackageReader<'m, F> {
    feed: F,
    walk: Walk<'m>,
    compressed: bool,
    buffer: Vec<u8>,
    /// The part of the buffer that the walk has not taken.
    at: usize,
    filled: usize,
    /// How many bytes are asked for next. Little is read after a jump, as another one may follow.
    reach: usize,
    /// Bytes of the current member that the caller had no room for, from `rest_at` on.
    rest: Vec<u8>,
    rest_at: usize,
    /// Bytes of the current member that were not handed out; `None` if there is no current member.
    left: Option<u64>,
    names: HashSet<String>,
    stopped: bool,
    ended: bool,
    failed: Option<Error>,
}

/// As [`Step`], without what it refers to.
enum Found {
    Nothing,
    Header,
    Member,
    /// So many bytes of contents, of which as many as fit were copied and the others kept.
    Data(usize),
    End,
}

impl<'m, F: Feed> PackageReader<'m, F> {
    /// Reads the header of a package.
    ///
    /// # Errors
    /// `BadHeader` and `Unsupported` as [`Header::parse`]; what the feed fails with; `OutOfMemory`.
    pub fn new(feed: F, memory: &'m mut Memory, options: ReaderOptions) -> Result<Self> {
        let ReaderOptions { verify_hash, limits } = options;
        let walk = Walk::new(memory.buffers(), WalkOptions { verify_hash, file_size: feed.total(), limits });
        let mut reader = PackageReader {
            feed,
            walk,
            compressed: false,
            buffer: zeros(BUFFER)?,
            at: 0,
            filled: 0,
            reach: FIRST_READ,
            rest: Vec::new(),
            rest_at: 0,
            left: None,
            names: HashSet::new(),
            stopped: false,
            ended: false,
            failed: None,
        };
        // The header, and the two bytes behind it, which tell the form of the payload.
        while reader.filled < header::SIZE.saturating_add(2) {
            let room = reader.buffer.get_mut(reader.filled..FIRST_READ).unwrap_or_default();
            match read_from(&mut reader.feed, room)? {
                0 => break,
                count => reader.filled = reader.filled.saturating_add(count),
            }
        }
        if !matches!(reader.step(&mut [])?, Found::Header) {
            return Err(header::too_short(reader.filled));
        }
        reader.compressed = is_gzip(reader.buffer.get(reader.at..reader.filled).unwrap_or_default());
        Ok(reader)
    }

    /// The header.
    pub fn header(&self) -> Option<&Header> {
        self.walk.header()
    }

    /// Whether the payload is a gzip member; otherwise it is a plain tar.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// Goes to the next member, past what is left of the current one; `None` behind the last one, when the hash was compared if
    /// that was asked for.
    ///
    /// # Errors
    /// See [`PackageReader`].
    pub fn next_member(&mut self) -> Result<Option<MemberHeader<'_>>> {
        self.leave_member();
        let found = self.guarded(Self::seek_member)?;
        Ok(if found { self.walk.member() } else { None })
    }

    /// Bytes of the current member that were not handed out; 0 without one.
    pub fn left(&self) -> u64 {
        self.left.unwrap_or_default()
    }

    /// Fills the buffer with the next bytes of the current member; returns how many, less than there is room for only at the end
    /// of the member.
    ///
    /// # Errors
    /// `NotFound` if there is no current member, which changes nothing; see [`PackageReader`].
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.guarded(|_| Ok(()))?;
        if self.left.is_none() {
            return Err(Error::new(ErrorCode::NotFound, "there is no current member"));
        }
        self.guarded(|reader| reader.fill(buffer))
    }

    /// Passes over all that is left and compares the hash, unless that is switched off. The rest is not unpacked, so what is wrong
    /// in it does not show but by the hash.
    ///
    /// # Errors
    /// See [`PackageReader`].
    pub fn finish(&mut self) -> Result<()> {
        self.leave_member();
        self.guarded(|reader| {
            if !reader.ended {
                reader.walk.stop();
                reader.stopped = true;
                while reader.seek_member()? {}
            }
            Ok(())
        })
    }

    fn leave_member(&mut self) {
        self.rest.clear();
        self.rest_at = 0;
        if self.left.take().is_some() {
            self.walk.skip_contents();
        }
    }

    /// Does something unless that failed before, and remembers if it fails.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        work(self).map_err(|error| {
            // What changes gives strange errors; the change is what there is to tell.
            let error = self.feed.check().err().unwrap_or(error);
            self.failed = Some(error.clone());
            error
        })
    }

    fn seek_member(&mut self) -> Result<bool> {
        while !self.ended {
            match self.step(&mut [])? {
                Found::Member => {
                    let Some(member) = self.walk.member() else { continue };
                    let name = copy(member.name)?;
                    self.left = Some(member.size);
                    self.names.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                    if self.names.contains(&name) {
                        return Err(duplicate(&name));
                    }
                    self.names.insert(name);
                    return Ok(true);
                }
                Found::Nothing => self.refill()?,
                Found::End => self.end()?,
                // Of a member that is left.
                Found::Data(_) | Found::Header => self.rest.clear(),
            }
        }
        Ok(false)
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0usize;
        loop {
            let room = buffer.get_mut(filled..).unwrap_or_default();
            let left = self.left.unwrap_or_default();
            if room.is_empty() || left == 0 {
                return Ok(filled);
            }
            let kept = self.rest.get(self.rest_at..).unwrap_or_default();
            let count = if kept.is_empty() {
                self.rest.clear();
                self.rest_at = 0;
                match self.step(room)? {
                    Found::Data(count) => count,
                    Found::Nothing => {
                        self.refill()?;
                        continue;
                    }
                    Found::Header | Found::Member | Found::End => {
                        return Err(Error::new(ErrorCode::Internal, "a member ended too early"));
                    }
                }
            } else {
                let count = copy_some(kept, room);
                self.rest_at = self.rest_at.saturating_add(count);
                count
            };
            filled = filled.saturating_add(count);
            self.left = Some(left.saturating_sub(count as u64));
        }
    }

    /// Walks on. Contents go into `room`, and to `rest` what does not fit.
    fn step(&mut self, room: &mut [u8]) -> Result<Found> {
        let mut piece = self.buffer.get(self.at..self.filled).unwrap_or_default();
        let step = self.walk.step(&mut piece);
        self.at = self.filled.saturating_sub(piece.len());
        Ok(match step? {
            Step::NeedInput => Found::Nothing,
            Step::Header(_) => Found::Header,
            Step::Member(_) => Found::Member,
            Step::Data(data) => {
                let count = copy_some(data, room);
                self.rest.write(data.get(count..).unwrap_or_default())?;
                Found::Data(count)
            }
            Step::End => Found::End,
        })
    }

    /// Gets more bytes for the walk, which has taken all.
    fn refill(&mut self) -> Result<()> {
        let jump = self.walk.skippable();
        if jump > 0 && self.feed.skip(jump)? {
            self.walk.skipped(jump);
            self.reach = FIRST_READ;
        }
        let room = self.buffer.get_mut(..self.reach).unwrap_or_default();
        (self.at, self.filled) = (0, 0);
        self.filled = read_from(&mut self.feed, room)?;
        self.reach = self.reach.saturating_mul(2).min(BUFFER);
        if self.filled == 0 {
            self.walk.finish()?;
        }
        Ok(())
    }

    /// The walk is at the end; so must be what it walks over.
    fn end(&mut self) -> Result<()> {
        if !self.stopped {
            if self.at == self.filled && self.feed.total().is_none() {
                self.refill()?;
            }
            // Bytes that are left over are an error of the walk.
            self.step(&mut [])?;
        }
        self.feed.check()?;
        self.ended = true;
        Ok(())
    }
}

fn read_from(feed: &mut impl Feed, room: &mut [u8]) -> Result<usize> {
    let count = feed.read(room)?;
    if count > room.len() {
        return Err(Error::new(ErrorCode::BadValue, "more bytes were given than there is room for")
            .expected_found(format_args!("at most {} bytes", room.len()), count));
    }
    Ok(count)
}

/// Copies as much as fits; returns how much.
fn copy_some(from: &[u8], to: &mut [u8]) -> usize {
    let count = from.len().min(to.len());
    if let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) {
        to.copy_from_slice(from);
    }
    count
}

fn cannot_read(error: io::Error) -> Error {
    let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
    Error::new(code, format_args!("cannot read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tests::Folder;
    use crate::neff::descriptors::Tensor;
    use crate::neff::target::Target;
    use crate::neff::{Compression, PackageBuilder};
    use std::fs;
    use std::string::ToString;
    use std::vec;

    const MEMBERS: [(&str, usize); 4] = [("a.bin", 0), ("b.bin", 1_000_000), ("c/d.bin", 511), ("e.bin", 70_000)];

    fn content(size: usize) -> Vec<u8> {
        (0..size as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    fn package(compression: Compression) -> Vec<u8> {
        let mut builder = PackageBuilder::new("p", Target::Cayman, 1).unwrap();
        builder.set_compression(compression);
        builder.output(Tensor { name: "o".into(), dtype: "uint8".into(), shape: vec![4], bytes: 4 }).unwrap();
        for (name, size) in MEMBERS {
            builder.member(name, content(size)).unwrap();
        }
        builder.build().unwrap()
    }

    /// Gives at most so many bytes at a time.
    struct Drops<'b> {
        bytes: &'b [u8],
        most: usize,
        total: Option<u64>,
        taken: usize,
    }

    impl Feed for Drops<'_> {
        fn total(&self) -> Option<u64> {
            self.total
        }

        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let room = buffer.len().min(self.most);
            let count = copy_some(&self.bytes[self.taken..], &mut buffer[..room]);
            self.taken += count;
            Ok(count)
        }
    }

    fn drops(bytes: &[u8], most: usize) -> Drops<'_> {
        Drops { bytes, most, total: None, taken: 0 }
    }

    /// The names, and the contents of those that `wanted` likes, with a buffer of that size.
    fn all<F: Feed>(
        feed: F,
        options: ReaderOptions,
        room: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        let mut memory = Memory::new()?;
        let mut reader = PackageReader::new(feed, &mut memory, options)?;
        let mut found = Vec::new();
        while let Some(member) = reader.next_member()? {
            let (name, size) = (member.name.to_string(), member.size);
            let mut contents = Vec::new();
            if wanted(&name) {
                let mut buffer = vec![0; room];
                loop {
                    let count = reader.read(&mut buffer)?;
                    contents.extend_from_slice(&buffer[..count]);
                    if count < room {
                        break;
                    }
                }
                assert_eq!((contents.len() as u64, reader.read(&mut buffer)?), (size, 0));
            }
            found.push((name, contents));
        }
        assert!(reader.next_member()?.is_none());
        assert_eq!(reader.read(&mut [0]).unwrap_err().code, ErrorCode::NotFound);
        reader.finish()?;
        Ok(found)
    }

    #[test]
    fn gives_every_member_whatever_the_pieces_are() {
        let folder = Folder::new("reader");
        for compression in [Compression::Exact, Compression::Parallel, Compression::None] {
            let bytes = package(compression);
            let path = folder.path().join("x");
            fs::write(&path, &bytes).unwrap();
            for verify_hash in [true, false] {
                let options = ReaderOptions { verify_hash, ..ReaderOptions::default() };
                let whole = all(FileFeed::open(&path).unwrap(), options, 1 << 20, |_| true).unwrap();
                for (name, size) in MEMBERS {
                    assert!(whole.iter().any(|m| m.0 == name && m.1 == content(size)), "{name}");
                }
                for (most, room) in [(1 << 20, 7), (777, 1 << 16), (1 << 12, 100_000)] {
                    assert!(all(drops(&bytes, most), options, room, |_| true).unwrap() == whole);
                }
                let some = all(FileFeed::open(&path).unwrap(), options, 999, |name| name == "e.bin").unwrap();
                assert!(some.iter().zip(&whole).all(|(a, b)| a.0 == b.0 && (a.0 != "e.bin" || a.1 == b.1)));
            }
        }
    }

    #[test]
    fn jumps_over_what_is_not_asked_for() {
        struct Counting(FileFeed, usize);
        impl Feed for &mut Counting {
            fn total(&self) -> Option<u64> {
                self.0.total()
            }
            fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
                let count = self.0.read(buffer)?;
                self.1 += count;
                Ok(count)
            }
            fn skip(&mut self, bytes: u64) -> Result<bool> {
                self.0.skip(bytes)
            }
        }
        let folder = Folder::new("jumps");
        let path = folder.path().join("x");
        fs::write(&path, package(Compression::None)).unwrap();
        let mut feed = Counting(FileFeed::open(&path).unwrap(), 0);
        let options = ReaderOptions { verify_hash: false, ..ReaderOptions::default() };
        all(&mut feed, options, 1, |_| false).unwrap();
        assert!(feed.1 < 150_000, "{}", feed.1);
    }

    #[test]
    fn every_cut_and_every_surplus_is_an_error_that_stays() {
        for compression in [Compression::Exact, Compression::None] {
            let bytes = package(compression);
            for cut in (0..bytes.len()).step_by(49_999).chain([1023, 1024, 1025, bytes.len() - 1]) {
                let result = all(drops(&bytes[..cut], 5000), ReaderOptions::default(), 4096, |_| true).map(|_| ());
                assert_eq!(result.map_err(|e| e.code), Err(ErrorCode::BadHeader), "{cut}");
            }
            let longer = [&bytes[..], b"x"].concat();
            for most in [1 << 20, bytes.len()] {
                let result = all(drops(&longer, most), ReaderOptions::default(), 4096, |_| true).map(|_| ());
                assert_eq!(result.map_err(|e| e.code), Err(ErrorCode::BadHeader));
            }
            let mut changed = bytes;
            let last = changed.len() - 600;
            changed[last] ^= 1;
            let mut memory = Memory::new().unwrap();
            let mut reader = PackageReader::new(drops(&changed, 5000), &mut memory, ReaderOptions::default()).unwrap();
            assert_eq!(reader.is_compressed(), compression == Compression::Exact);
            reader.next_member().unwrap();
            for _ in 0..2 {
                assert_eq!(reader.finish().unwrap_err().code, ErrorCode::HashMismatch);
                assert_eq!(reader.next_member().unwrap_err().code, ErrorCode::HashMismatch);
                assert_eq!(reader.read(&mut [0]).unwrap_err().code, ErrorCode::HashMismatch);
            }
        }
    }

    #[test]
    fn a_file_that_changes_is_an_error() {
        let folder = Folder::new("changing");
        let path = folder.path().join("x");
        fs::write(&path, package(Compression::None)).unwrap();
        let mut memory = Memory::new().unwrap();
        let feed = FileFeed::open(&path).unwrap();
        let mut reader = PackageReader::new(feed, &mut memory, ReaderOptions::default()).unwrap();
        reader.next_member().unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(9000).unwrap();
        assert_eq!(reader.finish().unwrap_err().code, ErrorCode::Conflict);
    }
}
