//! What a constant or a member of a package holds need not be in memory: weights are larger than that, so whoever needs the bytes
//! asks for them when their turn comes and gets them in pieces.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::fallible::zeros;
use crate::sink::Sink;
use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::fmt;

/// Bytes that can be read more than once and are the same each time.
///
/// The archive states the size before the bytes, so a source that gives more or fewer than [`size`](Self::size) is an error
/// of the writer that uses it. Writers that use several threads ask from one thread only.
pub trait Contents {
    /// Number of bytes.
    fn size(&self) -> u64;

    /// Puts bytes from `offset` on into the buffer; returns how many, 0 only at the end or for an empty buffer.
    ///
    /// # Errors
    /// What reading fails with.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize>;

    /// Puts all bytes into a sink, in pieces of any size. Bytes beyond [`size`](Self::size) are put too, for the caller to
    /// notice.
    ///
    /// # Errors
    /// What reading fails with, and the sink's errors unchanged; `OutOfMemory`.
    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        let mut buffer = piece_buffer(self.size())?;
        let mut offset = 0u64;
        loop {
            let count = self.read_at(offset, &mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            sink.write(buffer.get(..count).unwrap_or_default())?;
            offset = offset.saturating_add(count as u64);
        }
    }
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 17;

/// A buffer for the pieces of contents of that size. It has a byte more than small contents, so that the end is seen at once.
fn piece_buffer(size: u64) -> Result<Vec<u8>> {
    let bytes = usize::try_from(size).unwrap_or(PIECE).saturating_add(1).min(PIECE);
    zeros(bytes)
}

/// Fills the buffer from `offset` on, as far as there are bytes; returns how many.
///
/// # Errors
/// What reading fails with.
pub fn fill_at(contents: &dyn Contents, offset: u64, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0usize;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match contents.read_at(offset.saturating_add(filled as u64), rest)? {
            0 => break,
            count => filled = filled.saturating_add(count),
        }
    }
    Ok(filled)
}

/// Whether two contents are equal, byte for byte.
///
/// # Errors
/// What reading fails with; `OutOfMemory`.
pub fn equal(a: &dyn Contents, b: &dyn Contents) -> Result<bool> {
    if a.size() != b.size() {
        return Ok(false);
    }
    let (mut left, mut right) = (piece_buffer(a.size())?, piece_buffer(a.size())?);
    let mut offset = 0u64;
    loop {
        let (of_a, of_b) = (fill_at(a, offset, &mut left)?, fill_at(b, offset, &mut right)?);
        if left.get(..of_a) != right.get(..of_b) {
            return Ok(false);
        }
        if of_a < left.len() {
            return Ok(true);
        }
        offset = offset.saturating_add(of_a as u64);
    }
}

impl Contents for [u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let count = buffer.len().min(rest.len());
        buffer.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        Ok(count)
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        sink.write(self)
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

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        (**self).read_at(offset, buffer)
    }
}

impl Contents for Vec<u8> {
    fn size(&self) -> u64 {
        self.as_slice().size()
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        self.as_slice().write_to(sink)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.as_slice().read_at(offset, buffer)
    }
}

impl Contents for Data<'_> {
    fn size(&self) -> u64 {
        self.contents().size()
    }

    fn write_to(&self, sink: &mut dyn Sink) -> Result<()> {
        self.contents().write_to(sink)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.contents().read_at(offset, buffer)
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

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
            let room = buffer.len().min(2);
            self.1.read_at(offset, &mut buffer[..room])
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
    fn reads_anywhere() {
        let mut buffer = [0; 4];
        let data = Data::from(&b"abcdef"[..]);
        assert_eq!((fill_at(&data, 1, &mut buffer).unwrap(), &buffer), (4, b"bcde"));
        assert_eq!((fill_at(&data, 4, &mut buffer).unwrap(), &buffer), (2, b"efde"));
        assert_eq!(fill_at(&data, 6, &mut buffer).unwrap(), 0);
        assert_eq!(fill_at(&data, u64::MAX, &mut buffer).unwrap(), 0);
        assert_eq!(fill_at(&Liar(9, b"xyz"), 0, &mut buffer).unwrap(), 3);
    }

    #[test]
    fn compares() {
        let same = |a: &[u8], b: &[u8]| equal(&Liar(a.len() as u64, a.to_vec().leak()), &b).unwrap();
        assert!(same(b"", b"") && same(b"abcdefg", b"abcdefg"));
        assert!(!same(b"abcdefg", b"abcdefh") && !same(b"abc", b"abcd"));
        let large = alloc::vec![7; 3 * PIECE];
        let mut other = large.clone();
        assert!(equal(&large, &other).unwrap());
        other[3 * PIECE - 1] = 8;
        assert!(!equal(&large, &other).unwrap());
        // What is shorter than it says is not equal.
        assert!(!equal(&Liar(4, b"abc"), &&b"abcd"[..]).unwrap());
    }
}
