//! The place in the file, and the smallest things that are read there.
//!
//! An error is built where it happens and waits in the decoder; on the way up only its path is added to. So the results on
//! the common path are small, and nothing is tracked for a file that is good.

use super::super::arena::Arena;
use super::super::schema::Schema;
use super::seen::Seen;
use super::{Decode, DecodeOptions};
use crate::doc::path::Path;
use crate::error::{Error, Position, Result};
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
pub(super) enum Proofs {
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
    pub(super) rest: &'a [u8],
    len: usize,
    arena: &'a Arena,
    pub(super) options: DecodeOptions,
    pub(super) depth: u32,
    pub(super) schema: Option<Schema>,
    pub(super) proofs: Proofs,
    pub(super) seen: Seen<'a>,
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

    pub(super) fn max_text_bytes(&self) -> u64 {
        self.options.max_text_bytes
    }
}
