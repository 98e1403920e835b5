//! A file that is read at any place; reads that follow each other need no seek.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// A file and its place.
#[derive(Debug)]
pub(super) struct RandomFile {
    /// The file.
    pub file: File,
    /// Where it stands; `None` if that is not known.
    at: Option<u64>,
}

impl RandomFile {
    /// A file that stands anywhere.
    pub fn new(file: File) -> Self {
        RandomFile { file, at: None }
    }

    /// Reads from `offset` on; 0 at the end of the file.
    pub fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at != Some(offset) {
            self.at = None;
            self.file.seek(SeekFrom::Start(offset))?;
        }
        loop {
            match self.file.read(buffer) {
                Ok(count) => {
                    self.at = Some(offset.saturating_add(count as u64));
                    return Ok(count);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}
