//! The CBOR writer: the bytes are those that the original's JSON library makes of the same tree (`to_cbor` of
//! nlohmann::json), so that files of both compare byte for byte.
//!
//! That form (RFC 8949): definite lengths, numbers and lengths in the fewest bytes, floats in 32 bits where these hold them
//! exactly and in 64 otherwise, never in 16. What JSON has no number for is the string that JSON text has.
#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use crate::doc::json_out::float;
use crate::doc::output::{Kind, Output, misuse};
use crate::error::{Error, Result};
use crate::fallible::push;
use crate::sink::Sink;

/// Bytes that are gathered before they go to the sink.
const CHUNK: usize = 64 << 10;

/// The three high bits of an item's first byte.
mod major {
    pub(super) const UNSIGNED: u8 = 0 << 5;
    pub(super) const NEGATIVE: u8 = 1 << 5;
    pub(super) const TEXT: u8 = 3 << 5;
    pub(super) const ARRAY: u8 = 4 << 5;
    pub(super) const MAP: u8 = 5 << 5;
}

/// Writes one CBOR document into a [`Sink`].
///
/// The length of a container stands before its content. Where the caller does not say it, the content is held in memory
/// until the end of the container; otherwise no more than a chunk is.
pub struct CborOut<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    buffer: Vec<u8>,
    outer: Vec<Level>,
    level: Level,
    after_key: bool,
    /// Open containers whose length is not known yet: nothing of them may leave the buffer.
    held: u32,
}

/// An open container, or the root.
#[derive(Clone, Copy)]
struct Level {
    kind: Kind,
    count: u64,
    length: Length,
}

/// What stands before the content of a container.
#[derive(Clone, Copy)]
enum Length {
    Written(u64),
    /// One byte in the buffer, to be replaced.
    Awaited(usize),
}

/// The first byte of an item and the number behind it.
struct Head {
    bytes: [u8; 9],
    len: usize,
}

impl Head {
    #[inline]
    fn new(major: u8, number: u64) -> Head {
        let mut bytes = [0; 9];
        let (info, width) = match number {
            0..=23 => (number as u8, 0),
            24..=0xFF => (24, 1),
            0x100..=0xFFFF => (25, 2),
            0x1_0000..=0xFFFF_FFFF => (26, 4),
            _ => (27, 8),
        };
        let [first, rest @ ..] = &mut bytes;
        *first = major | info;
        // The number in big endian, its significant bytes first.
        *rest = (number << ((64 - 8 * width) & 63)).to_be_bytes();
        Head { bytes, len: 1 + width }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

impl<'s, S: Sink + ?Sized> CborOut<'s, S> {
    /// A writer of one document into `sink`.
    pub fn new(sink: &'s mut S) -> Self {
        CborOut {
            sink,
            buffer: Vec::new(),
            outer: Vec::new(),
            level: Level { kind: Kind::Root, count: 0, length: Length::Written(1) },
            after_key: false,
            held: 0,
        }
    }

    /// Members or elements of the innermost open container that were begun so far.
    pub fn count(&self) -> u64 {
        self.level.count
    }

    fn begin(&mut self, kind: Kind, length: Option<u64>) -> Result<()> {
        self.before_value()?;
        push(&mut self.outer, self.level)?;
        let length = match length {
            Some(length) => {
                self.head(major_of(kind), length)?;
                Length::Written(length)
            }
            None => {
                self.put(&[major_of(kind)])?;
                self.held += 1;
                Length::Awaited(self.buffer.len().saturating_sub(1))
            }
        };
        self.level = Level { kind, count: 0, length };
        Ok(())
    }

    fn end(&mut self, kind: Kind) -> Result<()> {
        let Level { kind: open, count, length } = self.level;
        if open != kind || self.after_key {
            return Err(misuse("an end"));
        }
        match length {
            Length::Written(length) if length != count => return Err(misuse("an end after another number of items")),
            Length::Written(_) => {}
            Length::Awaited(at) => {
                self.insert(at, &Head::new(major_of(kind), count))?;
                self.held -= 1;
                // Not only when the buffer is full, as that may always be while something is held.
                if self.held == 0 && self.buffer.len() >= CHUNK {
                    self.flush()?;
                }
            }
        }
        self.level = self.outer.pop().ok_or_else(|| misuse("an end"))?;
        Ok(())
    }

    /// Replaces the byte at `at` of the buffer.
    #[inline]
    fn insert(&mut self, at: usize, head: &Head) -> Result<()> {
        let head = head.bytes();
        let (end, longer) = (self.buffer.len(), head.len() - 1);
        if longer > 0 {
            self.buffer.try_reserve(longer).map_err(|_| Error::out_of_memory())?;
            self.buffer.resize(end + longer, 0);
            self.buffer.copy_within(at + 1..end, at + head.len());
        }
        if let Some(place) = self.buffer.get_mut(at..at + head.len()) {
            place.copy_from_slice(head);
        }
        Ok(())
    }

    /// Counts a value.
    #[inline]
    fn before_value(&mut self) -> Result<()> {
        match self.level.kind {
            Kind::Object => {
                if !self.after_key {
                    return Err(misuse("a value without a key"));
                }
                self.after_key = false;
            }
            Kind::Array => self.level.count += 1,
            Kind::Root => {
                if self.level.count > 0 {
                    return Err(misuse("a second document"));
                }
                self.level.count = 1;
            }
        }
        Ok(())
    }

    #[inline]
    fn head(&mut self, major: u8, number: u64) -> Result<()> {
        self.put(Head::new(major, number).bytes())
    }

    #[inline]
    fn text(&mut self, text: &str) -> Result<()> {
        self.head(major::TEXT, text.len() as u64)?;
        self.put(text.as_bytes())
    }

    fn float(&mut self, value: f64) -> Result<()> {
        let narrow = value as f32;
        if f64::from(narrow) == value {
            let [a, b, c, d] = narrow.to_be_bytes();
            return self.put(&[0xFA, a, b, c, d]);
        }
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        self.put(&[0xFB, a, b, c, d, e, f, g, h])
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if self.buffer.capacity() - self.buffer.len() >= bytes.len() {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        self.put_through(bytes)
    }

    #[inline(never)]
    fn put_through(&mut self, bytes: &[u8]) -> Result<()> {
        if self.held == 0 {
            self.flush()?;
            if bytes.len() >= CHUNK {
                return self.sink.write(bytes);
            }
        }
        self.buffer.try_reserve(bytes.len().max(CHUNK)).map_err(|_| Error::out_of_memory())?;
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            self.sink.write(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }
}

fn major_of(kind: Kind) -> u8 {
    if kind == Kind::Object { major::MAP } else { major::ARRAY }
}

impl<S: Sink + ?Sized> Output for CborOut<'_, S> {
    const LENGTHS: bool = true;

    fn begin_object(&mut self) -> Result<()> {
        self.begin(Kind::Object, None)
    }

    fn begin_object_of(&mut self, members: u64) -> Result<()> {
        self.begin(Kind::Object, Some(members))
    }

    fn key(&mut self, key: &str) -> Result<()> {
        if self.level.kind != Kind::Object || self.after_key {
            return Err(misuse("a key"));
        }
        self.level.count += 1;
        self.after_key = true;
        self.text(key)
    }

    fn end_object(&mut self) -> Result<()> {
        self.end(Kind::Object)
    }

    fn begin_array(&mut self) -> Result<()> {
        self.begin(Kind::Array, None)
    }

    fn begin_array_of(&mut self, elements: u64) -> Result<()> {
        self.begin(Kind::Array, Some(elements))
    }

    fn end_array(&mut self) -> Result<()> {
        self.end(Kind::Array)
    }

    fn string(&mut self, text: &str) -> Result<()> {
        self.before_value()?;
        self.text(text)
    }

    fn i64(&mut self, value: i64) -> Result<()> {
        self.before_value()?;
        // -1 - n is stored as n, which is what `!` makes of it.
        if value < 0 { self.head(major::NEGATIVE, !value as u64) } else { self.head(major::UNSIGNED, value as u64) }
    }

    fn u64(&mut self, value: u64) -> Result<()> {
        self.before_value()?;
        self.head(major::UNSIGNED, value)
    }

    /// The number that a reader of JSON text finds there, which may take 64 bits: 0.1 is the `f64` of this name, not the
    /// widened `f32`. So both forms hold the same tree.
    fn f32(&mut self, value: f32) -> Result<()> {
        self.f64(float::as_read(value))
    }

    fn f64(&mut self, value: f64) -> Result<()> {
        self.before_value()?;
        match float::word(value) {
            Some(word) => self.text(word),
            None => self.float(value),
        }
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.before_value()?;
        self.put(&[if value { 0xF5 } else { 0xF4 }])
    }

    fn null(&mut self) -> Result<()> {
        self.before_value()?;
        self.put(&[0xF6])
    }

    fn finish(mut self) -> Result<()> {
        if self.level.kind != Kind::Root || self.level.count == 0 {
            return Err(misuse("the end of the document"));
        }
        self.flush()
    }
}
