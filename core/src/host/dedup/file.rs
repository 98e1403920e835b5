//! Files as they are read here: only ordinary ones, never waiting for another program, and each checked to be at the end of
//! reading what it was at the start.
#![forbid(unsafe_code)]

use crate::consts::md5::MAX_LANES;
use crate::{Error, ErrorCode};
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};
use std::vec::Vec;

/// The bytes of one buffer: enough that a call of the system costs little, and that all buffers of a thread stay in its
/// caches.
pub(super) const BUFFER: usize = 64 << 10;

/// The most buffers of one thread.
pub(super) const MAX_BUFFERS: usize = MAX_LANES;

/// The bytes of each of the three places that a sample looks at.
pub(super) const SAMPLE: usize = 4 << 10;

/// What a file is, so that another one in its place, or other contents, are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// Size in bytes.
    pub size: u64,
    modified: Option<SystemTime>,
    node: (u64, u64),
}

impl Identity {
    fn of(about: &Metadata) -> Identity {
        #[cfg(unix)]
        let node = {
            use std::os::unix::fs::MetadataExt;
            (about.dev(), about.ino())
        };
        #[cfg(not(unix))]
        let node = (0, 0);
        Identity { size: about.len(), modified: about.modified().ok(), node }
    }
}

/// The error of a call of the system.
pub(super) fn system(doing: &str, error: &io::Error) -> Error {
    let code = if error.kind() == io::ErrorKind::OutOfMemory { ErrorCode::OutOfMemory } else { ErrorCode::Io };
    Error::new(code, format_args!("cannot {doing}: {error}"))
}

/// What kind of file it is, in a word.
pub(super) fn kind(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    match kind {
        kind if kind.is_symlink() => "a link",
        kind if kind.is_dir() => "a folder",
        kind if kind.is_file() => "a file",
        _ => "something else",
    }
}

/// The identity of an ordinary file, which is not opened for that. Links are followed.
///
/// # Errors
/// `Io`; `Unsupported` for what is no ordinary file.
pub(super) fn look(path: &Path) -> Result<Identity, Error> {
    identity(&fs::metadata(path).map_err(|e| system("look at the file", &e))?)
}

/// The identity of an ordinary file of which this is known.
pub(super) fn identity(about: &Metadata) -> Result<Identity, Error> {
    if about.is_file() {
        return Ok(Identity::of(about));
    }
    Err(Error::new(ErrorCode::Unsupported, "not an ordinary file").expected_found("a file", kind(about.file_type())))
}

/// Opens a file for reading.
pub(super) fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A FIFO that has taken the file's place meanwhile must not keep us waiting.
        options.custom_flags(libc::O_NONBLOCK);
    }
    options.open(path).map_err(|e| system("open the file", &e))
}

/// The identity of an open file, which must be an ordinary one.
pub(super) fn look_at(file: &File) -> Result<Identity, Error> {
    identity(&file.metadata().map_err(|e| system("look at the file", &e))?)
}

/// An open file and how far it was read.
#[derive(Debug)]
pub(super) struct Reader<'f> {
    file: File,
    identity: &'f Identity,
    at: u64,
}

impl<'f> Reader<'f> {
    /// Opens a file that was looked at.
    pub fn open(path: &Path, identity: &'f Identity) -> Result<Reader<'f>, Error> {
        Ok(Reader::new(open(path)?, identity))
    }

    /// A file that was opened and looked at.
    pub fn new(file: File, identity: &'f Identity) -> Reader<'f> {
        Reader { file, identity, at: 0 }
    }

    /// Fills the whole buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Error> {
        let mut rest = buffer;
        while !rest.is_empty() {
            match self.file.read(rest) {
                Ok(0) => {
                    return Err(changed(
                        format_args!("{} bytes", self.identity.size),
                        format_args!("{} bytes", self.at),
                    ));
                }
                Ok(count) => {
                    self.at = self.at.saturating_add(count as u64);
                    rest = rest.get_mut(count..).unwrap_or_default();
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(system("read the file", &e)),
            }
        }
        Ok(())
    }

    /// Whether the file is still what it was when it was looked at.
    pub fn check(&self) -> Result<(), Error> {
        let now = self.file.metadata().map_err(|e| system("look at the file", &e))?;
        let now = Identity::of(&now);
        if now == *self.identity {
            return Ok(());
        }
        if now.size != self.identity.size {
            return Err(changed(format_args!("{} bytes", self.identity.size), format_args!("{} bytes", now.size)));
        }
        Err(match now.node == self.identity.node {
            true => changed("the modification time from before", "a later write"),
            false => changed("the file from before", "another one of its name"),
        })
    }
}

fn changed(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(ErrorCode::Conflict, "the file changed while it was read").expected_found(expected, found)
}

/// An empty buffer of [`BUFFER`] bytes.
pub(super) fn buffer() -> Result<Vec<u8>, Error> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(BUFFER).map_err(|_| Error::out_of_memory())?;
    buffer.resize(BUFFER, 0);
    Ok(buffer)
}

/// A number that equal bytes share, and few others.
pub(super) fn print(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// A number for some of the bytes of a large file that was just opened, which equal files share. The buffer
/// begins with the file's first bytes then.
pub(super) fn sample(reader: &mut Reader<'_>, buffer: &mut [u8]) -> Result<u32, Error> {
    let bytes = buffer.get_mut(..3 * SAMPLE).unwrap_or_default();
    let last = reader.identity.size.saturating_sub(SAMPLE as u64);
    for (from, part) in [0, last / 2, last].into_iter().zip(bytes.chunks_mut(SAMPLE)) {
        if from != reader.at {
            reader.file.seek(SeekFrom::Start(from)).map_err(|e| system("read the file", &e))?;
            reader.at = from;
        }
        reader.fill(part)?;
    }
    Ok(print(bytes))
}

/// Reads a file that fits the buffer at once, and tells what it is. `None` if it does not fit, or was written so lately that it
/// might have been while it was read; the file is at its start then.
pub(super) fn read_small(mut file: &File, buffer: &mut [u8], begun: SystemTime) -> Result<Option<Identity>, Error> {
    let count = loop {
        match file.read(buffer) {
            Ok(count) => break count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(system("read the file", &e)),
        }
    };
    if count < buffer.len() {
        let identity = look_at(file)?;
        // What the file's clock and ours may differ by, and then some.
        let settled = begun.checked_sub(Duration::from_secs(10)).zip(identity.modified);
        if identity.size == count as u64 && settled.is_some_and(|(long_ago, modified)| modified < long_ago) {
            return Ok(Some(identity));
        }
    }
    file.rewind().map_err(|e| system("read the file", &e))?;
    Ok(None)
}

/// Whether two files of one size have the same bytes; an error comes with the number of the file, 0 or 1.
pub(super) fn same(
    files: [(&Path, &Identity); 2],
    mut go_on: impl FnMut() -> bool,
) -> Result<Option<bool>, (usize, Error)> {
    let [(one, identity), (other, other_identity)] = files;
    let mut left = identity.size;
    let (mut a, mut b) = (buffer().map_err(|e| (0, e))?, buffer().map_err(|e| (1, e))?);
    let mut one = Reader::open(one, identity).map_err(|e| (0, e))?;
    let mut other = Reader::open(other, other_identity).map_err(|e| (1, e))?;
    let mut equal = true;
    while left > 0 && equal {
        if !go_on() {
            return Ok(None);
        }
        let count = left.min(BUFFER as u64);
        let (a, b) = match (a.get_mut(..count as usize), b.get_mut(..count as usize)) {
            (Some(a), Some(b)) => (a, b),
            _ => break,
        };
        one.fill(a).map_err(|e| (0, e))?;
        other.fill(b).map_err(|e| (1, e))?;
        equal = a == b;
        left -= count;
    }
    one.check().map_err(|e| (0, e))?;
    other.check().map_err(|e| (1, e))?;
    Ok(Some(equal))
}
