//! The place in the file, and the smallest things that are read there.
//!
//! An error is built where it happens and waits in the decoder; on the way up only its path is added to. So the results on
//! the common path are small, and nothing is tracked for a file that is good.

use super::super::arena::Arena;
use super::super::ast::TensorName;
use super::super::schema::{Head, MAX_DEPTH, Schema};
use super::seen::Seen;
use super::{Decode, DecodeOptions, refuse};
use crate::doc::path::Path;
use crate::error::{Error, ErrorCode, Position, Result};
use alloc::vec::Vec;

/// Something is wrong; the decoder knows what.
#[derive(Debug)]
pub(crate) struct Failed(());

/// The result of reading.
pub(crate) type Read<T> = core::result::Result<T, Failed>;

/// The head of a record as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Where it begins.
    pub start: u64,
    /// The record type.
    pub tag: u8,
    /// The constructor byte.
    pub ctor: u8,
    /// Counted fields; 255 stands for more.
    pub fields: u8,
}

/// How proof fields are written in this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proofs {
    Unknown,
    Absent,
    Present,
}

/// A step of the path, found on the way up.
#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    Element(usize),
}

/// A file that is being read.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    rest: &'a [u8],
    len: usize,
    arena: &'a Arena,
    options: DecodeOptions,
    depth: u32,
    schema: Option<Schema>,
    proofs: Proofs,
    seen: Seen<'a>,
    error: Error,
    /// From the innermost step outwards.
    steps: Vec<Step>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8], arena: &'a Arena, options: DecodeOptions) -> Self {
        Decoder {
            rest: bytes,
            len: bytes.len(),
            arena,
            options,
            depth: 0,
            schema: None,
            proofs: Proofs::Unknown,
            seen: Seen::new(),
            error: Error::out_of_memory(),
            steps: Vec::new(),
        }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Where the rest begins.
    pub(crate) fn offset(&self) -> u64 {
        // No slice is longer than 2^63 bytes.
        self.len.saturating_sub(self.rest.len()) as u64
    }

    /// Goes back to what was once the rest.
    pub(crate) fn back_to(&mut self, rest: &'a [u8]) {
        self.rest = rest;
    }

    pub(crate) fn schema(&self) -> Option<Schema> {
        self.schema
    }

    pub(crate) fn has_proof_bytes(&self) -> bool {
        self.proofs == Proofs::Present
    }

    /// Keeps an error.
    #[cold]
    pub(crate) fn fail(&mut self, offset: u64, error: Error) -> Failed {
        self.error = error.at_position(Position { line: 0, column: 0, offset });
        Failed(())
    }

    /// The error happened in this field.
    #[cold]
    pub(crate) fn in_field(&mut self, failed: Failed, name: &'static str) -> Failed {
        self.step(failed, Step::Field(name))
    }

    /// The error happened in this element.
    #[cold]
    pub(crate) fn in_element(&mut self, failed: Failed, index: usize) -> Failed {
        self.step(failed, Step::Element(index))
    }

    fn step(&mut self, failed: Failed, step: Step) -> Failed {
        // Without memory the path is less exact, and the error still arrives.
        if self.steps.try_reserve(1).is_ok() {
            self.steps.push(step);
        }
        failed
    }

    /// The error with its path.
    pub(crate) fn into_error(self, _failed: Failed) -> Error {
        let mut path = Path::new();
        for step in self.steps.iter().rev() {
            match *step {
                Step::Field(name) => path.push_key(name),
                Step::Element(index) => path.push_index(index),
            }
        }
        self.error.at(path)
    }

    fn kept<T>(&mut self, result: Result<T>) -> Read<T> {
        result.map_err(|error| self.fail(self.offset(), error))
    }

    /// Puts a value into the arena.
    #[inline]
    pub(crate) fn keep<T: Copy>(&mut self, value: T) -> Read<&'a T> {
        self.kept(self.arena.value(value))
    }

    /// Room for a list in the arena.
    #[inline]
    pub(crate) fn room<T: Copy>(&mut self, len: usize, filler: T) -> Read<&'a mut [T]> {
        self.kept(self.arena.filled(len, filler))
    }

    /// Reads the value of a field, or of a constructor.
    #[inline]
    pub(crate) fn field<T: Decode<'a>>(&mut self, name: &'static str) -> Read<T> {
        match T::decode(self) {
            Ok(value) => Ok(value),
            Err(failed) => Err(self.in_field(failed, name)),
        }
    }

    /// Reads a tensor, or finds it among the recent ones.
    pub(crate) fn tensor(&mut self) -> Read<&'a TensorName<'a>> {
        /// Levels of records in a tensor: itself and its parts.
        const LEVELS: u32 = 2;
        let before = self.rest;
        if self.depth + LEVELS <= MAX_DEPTH
            && let Some((tensor, rest)) = self.seen.get(before)
        {
            self.rest = rest;
            return Ok(tensor);
        }
        let value = TensorName::decode(self)?;
        let tensor = self.keep(value)?;
        self.seen.put(before, before.len().saturating_sub(self.rest.len()), tensor);
        Ok(tensor)
    }

    /// Reads the head of a record, and says whether a record of several shapes has that of schema head.
    #[inline]
    pub(crate) fn begin(&mut self, head: &'static Head) -> Read<bool> {
        self.deeper()?;
        let [old, new] = head.arity;
        if let Some((first, rest)) = self.rest.split_first_chunk::<4>()
            && old == new
            && *first == [0xd9, head.tag, head.ctor, 0x80 | old]
        {
            self.rest = rest;
            return Ok(false);
        }
        self.begin_other(head)
    }

    /// As [`Decoder::begin`], for what is not the shortest form of the only shape.
    #[inline(never)]
    fn begin_other(&mut self, head: &'static Head) -> Read<bool> {
        let record = self.record(head.name)?;
        if record.tag != head.tag {
            return Err(self.wrong_record(&record, head.name, head.tag));
        }
        if record.ctor != head.ctor {
            return Err(self.unknown_ctor(&record, head.name, &[(head.ctor, head.ctor_name)]));
        }
        let [old, new] = head.arity;
        let found = match record.fields {
            fields if fields == old && old == new => return Ok(false),
            fields if fields == old => Schema::V2_24,
            fields if fields == new => Schema::Head,
            _ => return Err(self.wrong_arity(&record, head.name, head.arity)),
        };
        match self.schema {
            Some(earlier) if earlier != found => Err(self.two_schemas(&record, head.name, earlier, found)),
            _ => {
                self.schema = Some(found);
                Ok(found == Schema::Head)
            }
        }
    }

    /// Reads the head of a union.
    #[inline]
    pub(crate) fn begin_union(&mut self, name: &'static str, tag: u8) -> Read<Record> {
        self.deeper()?;
        let record = self.record(name)?;
        if record.tag != tag {
            return Err(self.wrong_record(&record, name, tag));
        }
        Ok(record)
    }

    /// Checks the number of fields of a union's constructor.
    #[inline]
    pub(crate) fn counts(&mut self, record: &Record, ctor: &'static str, fields: u8) -> Read<()> {
        if record.fields == fields { Ok(()) } else { Err(self.wrong_arity(record, ctor, [fields; 2])) }
    }

    #[inline]
    fn deeper(&mut self) -> Read<()> {
        if self.depth >= MAX_DEPTH {
            let error = Error::new(ErrorCode::LimitExceeded, "records are nested too deeply");
            let error = error.expected_found(format_args!("{MAX_DEPTH} levels at most"), "one more");
            return Err(self.fail(self.offset(), error));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves the record that was begun last.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reads the head of any record. `name` is that of the expected one.
    #[inline]
    pub(crate) fn record(&mut self, name: &'static str) -> Read<Record> {
        if let Some((&[0xd9, tag, ctor, count @ 0x80..=0x97], rest)) = self.rest.split_first_chunk::<4>() {
            let start = self.offset();
            self.rest = rest;
            return Ok(Record { start, tag, ctor, fields: count & 0x1f });
        }
        self.record_other(name)
    }

    #[inline(never)]
    fn record_other(&mut self, name: &'static str) -> Read<Record> {
        let (start, before) = (self.offset(), self.rest);
        match before {
            [0xd9, tag, ctor, rest @ ..] => {
                self.rest = rest;
                let count = self.count("the number of fields")?;
                let fields = u8::try_from(count).unwrap_or(u8::MAX);
                Ok(Record { start, tag: *tag, ctor: *ctor, fields })
            }
            [] | [0xd9, ..] => Err(self.ends_early(start, format_args!("the record {name}"))),
            _ => Err(self.wrong_type(before, format_args!("the record {name}"))),
        }
    }

    /// Reads a member of an enum.
    #[inline]
    pub(crate) fn member<T: Copy>(&mut self, name: &'static str, tag: u8, members: &'static [T]) -> Read<T> {
        let record = self.record(name)?;
        if record.tag != tag {
            return Err(self.wrong_record(&record, name, tag));
        }
        let Some(member) = members.get(usize::from(record.ctor)) else {
            return Err(self.unknown_member(&record, name, members.len()));
        };
        if record.fields != 0 {
            return Err(self.wrong_arity(&record, name, [0; 2]));
        }
        Ok(*member)
    }

    /// Reads whether an option has a value.
    #[inline]
    pub(crate) fn option(&mut self) -> Read<bool> {
        const OPTION: u8 = 255;
        let record = self.record("option")?;
        match (record.tag, record.ctor, record.fields) {
            (OPTION, 0, 0) => Ok(false),
            (OPTION, 1, 1) => Ok(true),
            (OPTION, 0, _) => Err(self.wrong_arity(&record, "none", [0; 2])),
            (OPTION, 1, _) => Err(self.wrong_arity(&record, "some", [1; 2])),
            (OPTION, ..) => Err(self.unknown_ctor(&record, "option", &[(0, "none"), (1, "some")])),
            _ => Err(self.wrong_record(&record, "option", OPTION)),
        }
    }

    /// Reads a nat.
    #[inline]
    pub(crate) fn nat(&mut self) -> Read<u64> {
        match self.rest {
            [small @ 0..=0x17, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*small))
            }
            [0x18..=0x1f, ..] => self.argument(),
            other => Err(self.wrong_type(other, "an unsigned integer")),
        }
    }

    /// Reads an int.
    #[inline]
    pub(crate) fn int(&mut self) -> Read<i64> {
        let (start, before) = (self.offset(), self.rest);
        let negative = match before {
            [0..=0x1f, ..] => false,
            [0x20..=0x3f, ..] => true,
            other => return Err(self.wrong_type(other, "an integer")),
        };
        let value = self.argument()?;
        match i64::try_from(value) {
            Ok(value) => Ok(if negative { !value } else { value }),
            Err(_) => Err(self.too_large(start, negative, value)),
        }
    }

    #[inline]
    pub(crate) fn bool(&mut self) -> Read<bool> {
        match self.rest {
            [byte @ (0xf4 | 0xf5), rest @ ..] => {
                self.rest = rest;
                Ok(*byte == 0xf5)
            }
            other => Err(self.wrong_type(other, "a bool")),
        }
    }

    #[inline]
    pub(crate) fn f32(&mut self) -> Read<f32> {
        match self.rest {
            [0xfa, a, b, c, d, rest @ ..] => {
                self.rest = rest;
                Ok(f32::from_be_bytes([*a, *b, *c, *d]))
            }
            [0xfa, ..] => Err(self.ends_early(self.offset(), "a 32-bit float")),
            other => Err(self.wrong_type(other, "a 32-bit float")),
        }
    }

    /// Reads a text.
    #[inline]
    pub(crate) fn text(&mut self) -> Read<&'a str> {
        let (start, before) = (self.offset(), self.rest);
        if !matches!(before, [0x60..=0x7f, ..]) {
            return Err(self.wrong_type(before, "a text"));
        }
        let len = self.argument()?;
        if len > self.options.max_text_bytes {
            return Err(self.too_long(start, len));
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let Some((text, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.ends_early(start, format_args!("a text of {len} bytes")));
        };
        match core::str::from_utf8(text) {
            Ok(text) => {
                self.rest = rest;
                Ok(text)
            }
            Err(error) => Err(self.not_utf8(text, error)),
        }
    }

    /// Reads the head of a list whose elements take `least` bytes each, and checks that the rest of the file can hold it.
    #[inline]
    pub(crate) fn list(&mut self, least: usize) -> Read<usize> {
        let start = self.offset();
        let len = self.count("a list")?;
        let room = self.rest.len() / least.max(1);
        match usize::try_from(len) {
            Ok(len) if len <= room => Ok(len),
            _ => Err(self.list_too_long(start, len, room)),
        }
    }

    /// Reads the head of a CBOR array.
    #[inline]
    fn count(&mut self, what: &str) -> Read<u64> {
        match self.rest {
            [0x80..=0x9f, ..] => self.argument(),
            other => Err(self.wrong_type(other, what)),
        }
    }

    /// Reads the first byte of an item and the number that it leads to.
    #[inline]
    fn argument(&mut self) -> Read<u64> {
        let start = self.rest;
        let Some((first, rest)) = start.split_first() else { return Err(self.ends_early(self.offset(), "an item")) };
        let read = match first & 0x1f {
            small @ 0..=23 => Some((u64::from(small), rest)),
            24 => rest.split_first().map(|(byte, rest)| (u64::from(*byte), rest)),
            25 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u16::from_be_bytes(*bytes)), rest)),
            26 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u32::from_be_bytes(*bytes)), rest)),
            27 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from_be_bytes(*bytes), rest)),
            31 => return Err(self.indefinite()),
            _ => return Err(self.reserved(*first)),
        };
        let Some((value, rest)) = read else {
            return Err(self.ends_early(self.offset(), refuse::describe(start)));
        };
        self.rest = rest;
        Ok(value)
    }

    /// Passes over proof fields. The first ones of a file, which are those of a TensorName, show how they are written:
    /// behind them comes a bool, so `80` is not it.
    #[inline]
    pub(crate) fn proofs(&mut self, count: u8) -> Read<()> {
        if self.proofs == Proofs::Absent {
            return Ok(());
        }
        self.proofs_present(count)
    }

    #[inline(never)]
    fn proofs_present(&mut self, count: u8) -> Read<()> {
        if self.proofs == Proofs::Unknown {
            if self.rest.first() != Some(&0x80) {
                self.proofs = Proofs::Absent;
                return Ok(());
            }
            if !self.options.proof_bytes {
                return Err(self.proof_bytes());
            }
            self.proofs = Proofs::Present;
        }
        for _ in 0..count {
            match self.rest {
                [0x80, rest @ ..] => self.rest = rest,
                other => return Err(self.wrong_type(other, "the byte `80` of a proof field")),
            }
        }
        Ok(())
    }

    pub(super) fn max_text_bytes(&self) -> u64 {
        self.options.max_text_bytes
    }
}
