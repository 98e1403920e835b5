//! What a constant or a member of a package holds need not be in memory: weights are larger than that, so whoever needs the bytes
//! asks for them when their turn comes and gets them in pieces.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::fmt;

/// Bytes that can be read from the start more than once and are the same each time.
///
/// The archive states the size before the bytes, so a source that gives more or fewer than [`size`](Self::size) is an error
/// of the writer that uses it. Writers that use several threads ask from one thread only.
pub trait Contents {
    /// Number of bytes.
    fn size(&self) -> u64;

    /// Puts all bytes, in pieces of any size.
    ///
    /// # Errors
    /// What reading fails with, and the sink's errors unchanged.
    fn write_to(&self, sink: &mut dyn Sink) -> Result<()>;

    /// Fills the buffer with the first bytes, or with all if there are fewer; returns how many.
    ///
    /// # Errors
    /// What reading fails with.
    fn start(&self, buffer: &mut [u8]) -> Result<usize>;
}

impl Contents for [u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        sink.write(self)
    }

    fn start(&self, buffer: &mut [u8]) -> Result<usize> {
        let count = buffer.len().min(self.len());
        buffer.iter_mut().zip(self).for_each(|(to, from)| *to = *from);
        Ok(count)
    }
}

/// The contents of a member: at hand, or elsewhere.
#[derive(Clone)]
pub enum Data<'a> {
    /// In memory.
    Bytes(Cow<'a, [u8]>),
    /// Read when needed.
    Source(&'a dyn Contents),
    /// Read when needed, and kept as long as anybody wants it.
    Shared(Rc<dyn Contents>),
}

impl Data<'_> {
    /// The same contents, without a copy.
    pub fn borrowed(&self) -> Data<'_> {
        match self {
            Data::Bytes(bytes) => Data::Bytes(Cow::Borrowed(bytes)),
            Data::Source(source) => Data::Source(*source),
            Data::Shared(source) => Data::Source(&**source),
        }
    }

    fn contents(&self) -> &dyn Contents {
        match self {
            Data::Bytes(Cow::Borrowed(bytes)) => bytes,
            Data::Bytes(Cow::Owned(bytes)) => bytes,
            Data::Source(source) => *source,
            Data::Shared(source) => &**source,
        }
    }
}

impl Contents for &[u8] {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        (**self).write_to(sink)
    }

    fn start(&self, buffer: &mut [u8]) -> Result<usize> {
        (**self).start(buffer)
    }
}

impl Contents for Vec<u8> {
    fn size(&self) -> u64 {
        self.as_slice().size()
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        self.as_slice().write_to(sink)
    }

    fn start(&self, buffer: &mut [u8]) -> Result<usize> {
        self.as_slice().start(buffer)
    }
}

impl Contents for Data<'_> {
    fn size(&self) -> u64 {
        self.contents().size()
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        self.contents().write_to(sink)
    }

    fn start(&self, buffer: &mut [u8]) -> Result<usize> {
        self.contents().start(buffer)
    }
}

impl fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.size())
    }
}

impl<'a> From<&'a [u8]> for Data<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Data::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Data<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Data::Bytes(Cow::Owned(bytes))
    }
}

impl<'a> From<Cow<'a, [u8]>> for Data<'a> {
    fn from(bytes: Cow<'a, [u8]>) -> Self {
        Data::Bytes(bytes)
    }
}

impl From<Rc<dyn Contents>> for Data<'_> {
    fn from(source: Rc<dyn Contents>) -> Self {
        Data::Shared(source)
    }
}

impl<'a> From<&'a dyn Contents> for Data<'a> {
    fn from(source: &'a dyn Contents) -> Self {
        Data::Source(source)
    }
}

/// Passes on what `contents` gives and checks that it is as much as it said.
pub(crate) fn write_whole(contents: &dyn Contents, sink: &mut dyn Sink) -> Result<()> {
    let size = contents.size();
    let mut counting = Counting { sink, size, left: size };
    contents.write_to(&mut counting)?;
    match counting.left {
        0 => Ok(()),
        left => Err(changed(size, format_args!("{} bytes", size.saturating_sub(left)))),
    }
}

struct Counting<'s> {
    sink: &'s mut dyn Sink,
    size: u64,
    left: u64,
}

impl Sink for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let count = bytes.len() as u64;
        let Some(left) = self.left.checked_sub(count) else {
            let given = self.size.saturating_sub(self.left).saturating_add(count);
            return Err(changed(self.size, format_args!("at least {given} bytes")));
        };
        self.left = left;
        self.sink.write(bytes)
    }
}

fn changed(expected: u64, found: fmt::Arguments<'_>) -> Error {
    Error::new(ErrorCode::Conflict, "a member changed while it was read")
        .expected_found(format_args!("{expected} bytes"), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says one size and gives another.
    struct Liar(u64, &'static [u8]);

    impl Contents for Liar {
        fn size(&self) -> u64 {
            self.0
        }

        fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
            self.1.chunks(2).try_for_each(|piece| sink.write(piece))
        }

        fn start(&self, buffer: &mut [u8]) -> Result<usize> {
            self.1.start(buffer)
        }
    }

    #[test]
    fn gives_all_or_says_what_is_wrong() {
        let mut out = Vec::new();
        write_whole(&Liar(5, b"abcde"), &mut out).unwrap();
        assert_eq!(out, b"abcde");
        let short = write_whole(&Liar(6, b"abcde"), &mut out).unwrap_err();
        assert_eq!((short.code, &*short.expected, &*short.found), (ErrorCode::Conflict, "6 bytes", "5 bytes"));
        let long = write_whole(&Liar(3, b"abcde"), &mut out).unwrap_err();
        assert_eq!((long.code, &*long.found), (ErrorCode::Conflict, "at least 4 bytes"));
    }

    #[test]
    fn starts() {
        let mut buffer = [0; 4];
        assert_eq!(Data::from(&b"abcdef"[..]).start(&mut buffer).unwrap(), 4);
        assert_eq!(&buffer, b"abcd");
        assert_eq!(Data::from(Vec::from(*b"xy")).start(&mut buffer).unwrap(), 2);
        assert_eq!(&buffer, b"xycd");
    }
}
