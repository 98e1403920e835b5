//! Files as they are read here: through few buffers of one size, and compared as cheaply as their sizes allow.
#![forbid(unsafe_code)]

use crate::Error;
use crate::consts::md5::MAX_LANES;
use crate::fallible::zeros;
use crate::host::failure::system;
use crate::host::ordinary::{look_at, open, other_length, unchanged};
use crate::host::stamp::Stamp;
use std::fs::File;
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

/// An open file and how far it was read.
#[derive(Debug)]
pub(super) struct Reader<'f> {
    file: File,
    stamp: &'f Stamp,
    at: u64,
}

impl<'f> Reader<'f> {
    /// Opens a file that was looked at.
    pub fn open(path: &Path, stamp: &'f Stamp) -> Result<Reader<'f>, Error> {
        Ok(Reader::new(open(path)?, stamp))
    }

    /// A file that was opened and looked at.
    pub fn new(file: File, stamp: &'f Stamp) -> Reader<'f> {
        Reader { file, stamp, at: 0 }
    }

    /// Fills the whole buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Error> {
        let mut rest = buffer;
        while !rest.is_empty() {
            match self.file.read(rest) {
                Ok(0) => {
                    return Err(other_length(self.stamp.length, self.at));
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
        unchanged(&self.file, self.stamp)
    }
}

/// An empty buffer of [`BUFFER`] bytes.
pub(super) fn buffer() -> Result<Vec<u8>, Error> {
    zeros(BUFFER)
}

/// A number that equal bytes share, and few others.
pub(super) fn print(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// A number for some of the bytes of a large file that was just opened, which equal files share. The buffer
/// begins with the file's first bytes then.
pub(super) fn sample(reader: &mut Reader<'_>, buffer: &mut [u8]) -> Result<u32, Error> {
    let bytes = buffer.get_mut(..3 * SAMPLE).unwrap_or_default();
    let last = reader.stamp.length.saturating_sub(SAMPLE as u64);
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
pub(super) fn read_small(mut file: &File, buffer: &mut [u8], begun: SystemTime) -> Result<Option<Stamp>, Error> {
    let count = loop {
        match file.read(buffer) {
            Ok(count) => break count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(system("read the file", &e)),
        }
    };
    if count < buffer.len() {
        let stamp = look_at(file)?;
        // What the file's clock and ours may differ by, and then some.
        let settled = begun.checked_sub(Duration::from_secs(10)).zip(stamp.modified);
        if stamp.length == count as u64 && settled.is_some_and(|(long_ago, modified)| modified < long_ago) {
            return Ok(Some(stamp));
        }
    }
    file.rewind().map_err(|e| system("read the file", &e))?;
    Ok(None)
}

/// Whether two files of one size have the same bytes; an error comes with the number of the file, 0 or 1.
pub(super) fn same(
    files: [(&Path, &Stamp); 2],
    mut go_on: impl FnMut() -> bool,
) -> Result<Option<bool>, (usize, Error)> {
    let [(one, stamp), (other, other_stamp)] = files;
    let mut left = stamp.length;
    let (mut a, mut b) = (buffer().map_err(|e| (0, e))?, buffer().map_err(|e| (1, e))?);
    let mut one = Reader::open(one, stamp).map_err(|e| (0, e))?;
    let mut other = Reader::open(other, other_stamp).map_err(|e| (1, e))?;
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
