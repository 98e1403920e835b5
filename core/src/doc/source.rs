//! Where a streamed document comes from, because the reader serves files, pipes and callbacks of embedders alike, and knows
//! no operating system.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};

/// Gives bytes in order.
pub trait Source {
    /// Puts the next bytes into `buffer`, which is not empty, and returns how many; 0 at the end, and only there.
    ///
    /// # Errors
    /// Whatever kept it from reading; the document is not read further then.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize>;

    /// Bytes from the start to the end, if known. Shown as the aim of the progress, and believed in nothing else.
    fn total(&self) -> Option<u64> {
        None
    }
}

/// The error of a source that returns more than the size of the buffer.
#[cold]
pub(super) fn too_much() -> Error {
    Error::new(ErrorCode::Io, "a source says that it read more than there is room for")
}

impl<S: Source + ?Sized> Source for &mut S {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        (**self).read(buffer)
    }

    fn total(&self) -> Option<u64> {
        (**self).total()
    }
}

impl Source for &[u8] {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let (now, later) = self.split_at(self.len().min(buffer.len()));
        if let Some(target) = buffer.get_mut(..now.len()) {
            target.copy_from_slice(now);
        }
        *self = later;
        Ok(now.len())
    }
}

/// A [`Source`] of anything that `std` can read. Errors are [`ErrorCode::Io`](crate::ErrorCode::Io) with the text of the
/// system; an interrupted call is repeated.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct IoSource<R: std::io::Read> {
    reader: R,
    total: Option<u64>,
}

#[cfg(feature = "std")]
impl<R: std::io::Read> IoSource<R> {
    /// Reads from `reader`, of which `total` bytes are to come, if that is known.
    pub fn new(reader: R, total: Option<u64>) -> Self {
        IoSource { reader, total }
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read> Source for IoSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Ok(bytes) => return Ok(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::new(ErrorCode::Io, error)),
            }
        }
    }

    fn total(&self) -> Option<u64> {
        self.total
    }
}
