//! Where written bytes go, because the writers serve files, memory and callbacks of embedders alike.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ptr::NonNull;

use crate::error::{Error, Result};
use crate::mem::huge_pages;

/// Bytes of memory from which on huge pages are asked for.
const LARGE: usize = 4 << 20;

/// Takes bytes in order.
pub trait Sink {
    /// Takes all of `bytes`. After an error it is not known how much was taken, and the output is of no use.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Says that about so many bytes will come. A hint: there may be more or fewer.
    fn expect(&mut self, bytes: usize) {
        let _ = bytes;
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        (**self).write(bytes)
    }

    fn expect(&mut self, bytes: usize) {
        (**self).expect(bytes);
    }
}

impl Sink for Vec<u8> {
    /// Appends. [`ErrorCode::OutOfMemory`](crate::ErrorCode::OutOfMemory) if there is no room; nothing is appended then.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let before = self.capacity();
        self.try_reserve(bytes.len()).map_err(|_| Error::out_of_memory())?;
        if self.capacity() != before {
            ask_for_huge_pages(self);
        }
        self.extend_from_slice(bytes);
        Ok(())
    }

    /// Reserves the memory at once. Without so much, it is taken as the bytes come.
    fn expect(&mut self, bytes: usize) {
        if self.try_reserve(bytes).is_ok() {
            ask_for_huge_pages(self);
        }
    }
}

/// Most of what was reserved will be filled, and with pages of a usual size that costs more than to write the bytes.
fn ask_for_huge_pages(memory: &mut Vec<u8>) {
    if memory.capacity() >= LARGE
        && let Some(start) = NonNull::new(memory.as_mut_ptr())
    {
        huge_pages::advise_around(start, memory.capacity());
    }
}

/// A [`Sink`] into anything that `std` can write to. Errors are [`ErrorCode::Io`](crate::ErrorCode::Io) with the text of
/// the system.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct IoSink<W: std::io::Write>(W);

#[cfg(feature = "std")]
impl<W: std::io::Write> IoSink<W> {
    /// Writes into `writer`.
    pub fn new(writer: W) -> Self {
        IoSink(writer)
    }

    /// Makes the writer pass on what it holds back.
    pub fn flush(&mut self) -> Result<()> {
        self.0.flush().map_err(io_error)
    }

    /// The writer, not flushed.
    pub fn into_inner(self) -> W {
        self.0
    }
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Sink for IoSink<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(io_error)
    }
}

#[cfg(feature = "std")]
fn io_error(error: std::io::Error) -> Error {
    Error::new(crate::error::ErrorCode::Io, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_to_memory() {
        let mut out = Vec::new();
        let sink: &mut dyn Sink = &mut out;
        sink.write(b"ab").unwrap();
        sink.expect(usize::MAX);
        sink.expect(LARGE);
        sink.write(b"").unwrap();
        sink.write(b"c").unwrap();
        assert_eq!(out, b"abc");
        assert!(out.capacity() > LARGE);
    }

    #[cfg(feature = "std")]
    #[test]
    fn keeps_the_text_of_the_system() {
        struct Full;
        impl std::io::Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("the disk is full"))
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Err(std::io::Error::other("still full"))
            }
        }
        let mut sink = IoSink::new(Full);
        let error = sink.write(b"x").unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (crate::ErrorCode::Io, "the disk is full"));
        assert_eq!(sink.flush().unwrap_err().message, "still full");

        let mut sink = IoSink::new(Vec::new());
        sink.write(b"xy").unwrap();
        sink.flush().unwrap();
        assert_eq!(sink.into_inner(), b"xy");
    }
}
