//! Writes a file in its canonical bytes: shortest integers, proof fields counted and left out, as the Lean writer has it.

use super::file::File;
use super::schema::{Head, Schema};
use super::trail::Trail;
use super::visit::{Visitor, Walk};
use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use alloc::vec::Vec;

/// Bytes that are gathered before they go to the sink.
const CHUNK: usize = 64 << 10;

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncodeOptions {
    /// The schema; `None` for that of the file, or 2.24 if the file has none.
    pub schema: Option<Schema>,
    /// Write a byte `80` for each proof field, as the unmodified C++ writer does. No known consumer reads that.
    pub proof_bytes: bool,
}

/// Writes a file.
///
/// # Errors
/// - those of the sink, and `OutOfMemory`
/// - `Unsupported`: a field has a value that only schema head has, and 2.24 is to be written
/// - `MissingKey`: a field that schema head requires has no value, and head is to be written
/// - `LimitExceeded`: more than 64 records within each other, which no reader takes
///
/// The last three carry the path. After an error the output is of no use.
pub fn encode<S: Sink + ?Sized>(file: &File<'_>, sink: &mut S, options: &EncodeOptions) -> Result<()> {
    let schema = options.schema.or(file.schema).unwrap_or(Schema::V2_24);
    let mut encoder =
        Encoder { sink, buffer: Vec::new(), schema, proof_bytes: options.proof_bytes, trail: Trail::default() };
    file.walk(&mut encoder)?;
    encoder.flush()
}

struct Encoder<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    buffer: Vec<u8>,
    schema: Schema,
    proof_bytes: bool,
    trail: Trail,
}

/// The major types of CBOR.
#[derive(Clone, Copy)]
enum Major {
    Unsigned = 0x00,
    Negative = 0x20,
    Text = 0x60,
    List = 0x80,
}

impl<S: Sink + ?Sized> Encoder<'_, S> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if self.buffer.capacity() - self.buffer.len() < bytes.len() {
            self.flush()?;
            if bytes.len() >= CHUNK {
                return self.sink.write(bytes);
            }
            self.buffer.try_reserve_exact(CHUNK).map_err(|_| Error::out_of_memory())?;
        }
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

    /// The head of an item, in its shortest form.
    #[inline]
    fn item(&mut self, major: Major, number: u64) -> Result<()> {
        let [.., e, f, g, h] = number.to_be_bytes();
        let major = major as u8;
        match number {
            0..=23 => self.put(&[major | h]),
            24..=0xff => self.put(&[major | 24, h]),
            0x100..=0xffff => self.put(&[major | 25, g, h]),
            0x1_0000..=0xffff_ffff => self.put(&[major | 26, e, f, g, h]),
            _ => {
                self.put(&[major | 27])?;
                self.put(&number.to_be_bytes())
            }
        }
    }
}

impl<S: Sink + ?Sized> Visitor for Encoder<'_, S> {
    fn nat(&mut self, value: u64) -> Result<()> {
        self.item(Major::Unsigned, value)
    }

    fn int(&mut self, value: i64) -> Result<()> {
        match u64::try_from(value) {
            Ok(value) => self.item(Major::Unsigned, value),
            // -1 - n is written as n, which is the complement.
            Err(_) => self.item(Major::Negative, (!value).cast_unsigned()),
        }
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.put(&[if value { 0xf5 } else { 0xf4 }])
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        let [a, b, c, d] = value.to_be_bytes();
        self.put(&[0xfa, a, b, c, d])
    }

    fn text(&mut self, value: &str) -> Result<()> {
        self.item(Major::Text, value.len() as u64)?;
        self.put(value.as_bytes())
    }

    fn member(&mut self, tag: u8, ctor: u8, _name: &'static str) -> Result<()> {
        self.put(&[0xd9, tag, ctor, 0x80])
    }

    fn none(&mut self) -> Result<()> {
        self.put(&[0xd9, 255, 0, 0x80])
    }

    fn some(&mut self) -> Result<()> {
        self.put(&[0xd9, 255, 1, 0x81])
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        self.item(Major::List, len as u64)
    }

    fn element(&mut self, index: usize) -> Result<()> {
        self.trail.element(index);
        Ok(())
    }

    fn end_element(&mut self) {
        self.trail.leave();
    }

    fn begin(&mut self, head: &'static Head) -> Result<()> {
        self.trail.begin(head)?;
        self.put(&[0xd9, head.tag, head.ctor, 0x80 | head.arity_in(self.schema)])
    }

    fn end(&mut self, head: &'static Head) -> Result<()> {
        self.trail.end(head);
        Ok(())
    }

    fn field(&mut self, name: &'static str) -> Result<()> {
        self.trail.field(name);
        Ok(())
    }

    fn end_field(&mut self) {
        self.trail.leave();
    }

    fn wants_head_field(&mut self, name: &'static str, present: bool) -> Result<bool> {
        if self.schema == Schema::V2_24 && present {
            let message = format_args!("schema 2.24 has no `{name}`, and it has a value");
            return Err(self.trail.place(Error::new(ErrorCode::Unsupported, message)));
        }
        Ok(self.schema == Schema::Head)
    }

    fn missing(&mut self, name: &'static str) -> Result<()> {
        let message = format_args!("schema head requires `{name}`, and it has no value");
        Err(self.trail.place(Error::new(ErrorCode::MissingKey, message)))
    }

    fn proofs(&mut self, count: u8) -> Result<()> {
        if self.proof_bytes {
            for _ in 0..count {
                self.put(&[0x80])?;
            }
        }
        Ok(())
    }
}
