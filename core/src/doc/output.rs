//! The push interface of a document, because the writer must not know whether it writes JSON text or CBOR: both forms hold
//! the same tree, so that a document in one is the twin of a document in the other.
//!
//! An object is written as `begin_object`, then `key` and one value in turn, then `end_object`; an array as `begin_array`,
//! its elements, `end_array`.
#![forbid(unsafe_code)]

use crate::doc::value_out;
use crate::error::{Error, ErrorCode, Result};

/// A document that is written value by value.
///
/// Every method gives the sink's errors, [`ErrorCode::OutOfMemory`] if there is no memory for the buffer or the nesting,
/// and [`ErrorCode::Internal`] if it is called where a document does not allow it (a value without a key in an object, an
/// end of what is not open, a second root). After an error the output is of no use. Nothing is complete before
/// [`Output::finish`].
pub trait Output {
    /// Whether the form puts the length of a container before its content. What is written between [`Output::begin_object`]
    /// or [`Output::begin_array`] and its end is held in memory then; what can be large is therefore better opened with
    /// [`Output::begin_object_of`] and [`Output::begin_array_of`].
    const LENGTHS: bool;

    /// Opens an object.
    fn begin_object(&mut self) -> Result<()>;

    /// Opens an object of so many members. With another number of them, its end may fail with [`ErrorCode::Internal`].
    fn begin_object_of(&mut self, members: u64) -> Result<()> {
        let _ = members;
        self.begin_object()
    }

    /// Writes the key of the object's next member. Keys are written in the order of the calls: sorting them, and not
    /// repeating them, is the caller's part.
    fn key(&mut self, key: &str) -> Result<()>;

    /// As [`Output::key`], for a key of the schema: it has nothing that a form would have to escape.
    fn schema_key(&mut self, key: &'static str) -> Result<()> {
        self.key(key)
    }

    /// Writes what `write` writes: whatever stands between two values and is the same for all calls with this number, keys and words
    /// of the schema, brackets. A form may write what it was before, at the same place in a document, and leave out the call. So
    /// numbers are small, and each stands for one phrase only.
    fn phrase(&mut self, number: usize, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()>
    where
        Self: Sized,
    {
        let _ = number;
        write(self)
    }

    /// As [`Output::phrase`], for a phrase that is the same for all calls with this key, and not for many more of them.
    fn phrase_of(&mut self, key: &[u64], write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()>
    where
        Self: Sized,
    {
        let _ = key;
        write(self)
    }

    /// Closes the object.
    fn end_object(&mut self) -> Result<()>;

    /// Opens an array.
    fn begin_array(&mut self) -> Result<()>;

    /// Opens an array of so many elements. With another number of them, its end may fail with [`ErrorCode::Internal`].
    fn begin_array_of(&mut self, elements: u64) -> Result<()> {
        let _ = elements;
        self.begin_array()
    }

    /// Closes the array.
    fn end_array(&mut self) -> Result<()>;

    /// Writes pairs of integers, arrays as elements of the array that is open.
    fn pairs(&mut self, pairs: impl Iterator<Item = [i64; 2]>) -> Result<()>
    where
        Self: Sized,
    {
        pairs_by_value(self, pairs)
    }

    /// Writes an array of a string and a word of the schema.
    fn name_and_word(&mut self, name: &str, word: &'static str) -> Result<()> {
        name_and_word_by_value(self, name, word)
    }

    /// Writes a string.
    fn string(&mut self, text: &str) -> Result<()>;

    /// As [`Output::string`], for a word of the schema: it has nothing that a form would have to escape.
    fn schema_string(&mut self, text: &'static str) -> Result<()> {
        self.string(text)
    }

    /// Writes an integer.
    fn i64(&mut self, value: i64) -> Result<()>;

    /// Writes an integer.
    fn u64(&mut self, value: u64) -> Result<()>;

    /// Writes a number that reads back to the same `f32`, also through an `f64`, and stays a float. Infinity and NaN are
    /// the strings "inf", "-inf" and "nan".
    fn f32(&mut self, value: f32) -> Result<()>;

    /// Writes a number that reads back to the same `f64`; otherwise like [`Output::f32`].
    fn f64(&mut self, value: f64) -> Result<()>;

    /// Writes `true` or `false`.
    fn bool(&mut self, value: bool) -> Result<()>;

    /// Writes `null`.
    fn null(&mut self) -> Result<()>;

    /// Writes a whole value, object keys sorted by bytes.
    fn value(&mut self, value: &serde_json::Value) -> Result<()>
    where
        Self: Sized,
    {
        value_out::write(self, value)
    }

    /// Writes an object that is given as compact text, if it is so plain that it need not be read for that; `false` and nothing is
    /// written if it is not.
    fn compact_object(&mut self, text: &str) -> Result<bool> {
        let _ = text;
        Ok(false)
    }

    /// Ends the document and hands the rest to the sink.
    fn finish(self) -> Result<()>
    where
        Self: Sized;
}

/// What an [`Output`] is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Root,
    Array,
    Object,
}

/// The error of a call where a document does not allow it.
#[cold]
pub(super) fn misuse(what: &str) -> Error {
    Error::new(ErrorCode::Internal, format_args!("the writer was given {what} where a document does not allow it"))
}

/// [`Output::pairs`] for an output that has no shorter way.
#[inline(never)]
pub(super) fn pairs_by_value(out: &mut impl Output, pairs: impl Iterator<Item = [i64; 2]>) -> Result<()> {
    for [first, second] in pairs {
        out.begin_array()?;
        out.i64(first)?;
        out.i64(second)?;
        out.end_array()?;
    }
    Ok(())
}

/// [`Output::name_and_word`] for an output that has no shorter way.
#[inline(never)]
pub(super) fn name_and_word_by_value<O: Output + ?Sized>(out: &mut O, name: &str, word: &'static str) -> Result<()> {
    out.begin_array()?;
    out.string(name)?;
    out.schema_string(word)?;
    out.end_array()
}
