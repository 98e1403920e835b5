//! Reading with the place at hand: an [`Input`] and the path to the value that comes next, so that every error says where it
//! is.

use crate::doc::path::Path;
use crate::doc::{Input, Number, ValueKind};
use crate::enums::IrEnum;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;

pub(super) struct Reader<I> {
    input: I,
    path: Path,
}

/// Reads a member into its slot; a key that came before is an error.
pub(super) fn member<'a, I: Input<'a>, T>(
    r: &mut Reader<I>,
    key: &'static str,
    slot: &mut Option<T>,
    read: impl FnOnce(&mut Reader<I>) -> Result<T>,
) -> Result<()> {
    r.path.push_key(key);
    if slot.is_some() {
        return Err(r.error(ErrorCode::DuplicateName, "the key comes twice"));
    }
    *slot = Some(read(r)?);
    r.path.pop();
    Ok(())
}

impl<'a, I: Input<'a>> Reader<I> {
    pub fn new(input: I) -> Self {
        Reader { input, path: Path::new() }
    }

    /// Nothing but white space may follow.
    pub fn finish(&mut self) -> Result<()> {
        self.input.finish()
    }

    /// An error of the value before which the reader stands.
    pub fn error(&mut self, code: ErrorCode, message: impl Display) -> Error {
        // Moves over what stands before the value; a value that is not there has its own error.
        match self.input.peek() {
            Ok(_) => self.place(Error::new(code, message)),
            Err(error) => self.place(error),
        }
    }

    fn place(&self, error: Error) -> Error {
        error.at(&self.path).at_position(self.input.position_of(self.input.offset()))
    }

    fn wrong_type(&mut self, expected: impl Display) -> Error {
        let mut error = self.input.wrong_type(expected);
        if error.code == ErrorCode::WrongType {
            error.message = crate::error::text("the value has the wrong type");
        }
        self.place(error)
    }

    fn expect(&mut self, kind: ValueKind) -> Result<()> {
        match self.kind()? {
            found if found == kind => Ok(()),
            _ => Err(self.wrong_type(kind.describe())),
        }
    }

    /// The kind of the next value.
    pub fn kind(&mut self) -> Result<ValueKind> {
        self.input.peek().map_err(|error| self.place(error))
    }

    /// An object, member by member; each call reads one value.
    pub fn object(&mut self, mut member: impl FnMut(&mut Self, &str) -> Result<()>) -> Result<()> {
        self.expect(ValueKind::Object)?;
        self.input.begin_object().map_err(|error| self.place(error))?;
        while let Some(key) = self.input.next_key().map_err(|error| self.place(error))? {
            member(self, &key)?;
        }
        Ok(())
    }

    /// A constructor with a value: an object with one key. `read` gets the key and reads its value.
    pub fn constructor<T>(&mut self, what: &str, read: impl FnOnce(&mut Self, &str) -> Result<T>) -> Result<T> {
        let mut read = Some(read);
        let mut value = None;
        self.object(|r, key| match read.take() {
            Some(read) => {
                r.path.push_name(key);
                value = Some(read(r, key)?);
                r.path.pop();
                Ok(())
            }
            None => Err(r.error(ErrorCode::UnknownKey, format_args!("{what} has one key")).expected_found("", key)),
        })?;
        match value {
            Some(value) => Ok(value),
            None => Err(self.place(Error::new(ErrorCode::MissingKey, format_args!("{what} has one key")))),
        }
    }

    /// An object with this one key: how a constructor with a named argument is written.
    pub fn only<T>(&mut self, name: &'static str, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.constructor("the object", |r, key| if key == name { read(r) } else { Err(r.unknown_key(key)) })
    }

    /// A list.
    pub fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::new();
        self.expect(ValueKind::Array)?;
        self.input.begin_array().map_err(|error| self.place(error))?;
        while self.input.next_element().map_err(|error| self.place(error))? {
            self.path.push_index(list.len());
            let value = element(self)?;
            push(&mut list, value)?;
            self.path.pop();
        }
        Ok(list)
    }

    /// A pair: a list of two.
    pub fn pair<T, U>(
        &mut self,
        first: impl FnOnce(&mut Self) -> Result<T>,
        second: impl FnOnce(&mut Self) -> Result<U>,
    ) -> Result<(T, U)> {
        self.expect(ValueKind::Array)?;
        self.input.begin_array().map_err(|error| self.place(error))?;
        let first = self.element_of_pair(0, first)?;
        let second = self.element_of_pair(1, second)?;
        if self.input.next_element().map_err(|error| self.place(error))? {
            return Err(self.error(ErrorCode::BadValue, "a pair has two elements"));
        }
        Ok((first, second))
    }

    fn element_of_pair<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if !self.input.next_element().map_err(|error| self.place(error))? {
            let error = Error::new(ErrorCode::BadValue, "a pair has two elements");
            return Err(self.place(error.expected_found(2, index)));
        }
        self.path.push_index(index);
        let value = read(self)?;
        self.path.pop();
        Ok(value)
    }

    /// A value or null.
    pub fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.kind()? == ValueKind::Null {
            self.input.null().map_err(|error| self.place(error))?;
            return Ok(None);
        }
        read(self).map(Some)
    }

    /// Passes over a value.
    pub fn skip(&mut self) -> Result<()> {
        self.input.skip().map_err(|error| self.place(error))
    }

    fn borrowed(&mut self) -> Result<Cow<'a, str>> {
        self.expect(ValueKind::String)?;
        self.input.string().map_err(|error| self.place(error))
    }

    /// The next value, a text, which is not consumed.
    pub fn peeked_text(&mut self) -> Result<Cow<'a, str>> {
        let mark = self.input.mark();
        let text = self.borrowed()?;
        self.input.reset(mark);
        Ok(text)
    }

    /// A text.
    pub fn text(&mut self) -> Result<String> {
        Ok(match self.borrowed()? {
            Cow::Borrowed(text) => copy(text)?,
            Cow::Owned(text) => text,
        })
    }

    /// A boolean.
    pub fn bool(&mut self) -> Result<bool> {
        self.expect(ValueKind::Bool)?;
        self.input.bool().map_err(|error| self.place(error))
    }

    fn number(&mut self) -> Result<Number> {
        self.expect(ValueKind::Number)?;
        self.input.number().map_err(|error| self.place(error))
    }

    /// The error of a number that has been read.
    fn bad_number(&mut self, mark: I::Mark, expected: &str, found: Number) -> Error {
        self.input.reset(mark);
        self.error(ErrorCode::BadValue, "the number is out of range").expected_found(expected, found)
    }

    /// A natural number.
    pub fn nat(&mut self) -> Result<u64> {
        let mark = self.input.mark();
        match self.number()? {
            Number::U64(number) => Ok(number),
            other => Err(self.bad_number(mark, "an integer from 0 to 2^64 - 1", other)),
        }
    }

    /// An integer.
    pub fn int(&mut self) -> Result<i64> {
        let mark = self.input.mark();
        match self.number()? {
            Number::I64(number) => Ok(number),
            Number::U64(number) if i64::try_from(number).is_ok() => Ok(number.cast_signed()),
            other => Err(self.bad_number(mark, "an integer of 64 bits", other)),
        }
    }

    /// A float of 64 bits.
    pub fn f64(&mut self) -> Result<f64> {
        Ok(match self.number()? {
            Number::U64(number) => number as f64,
            Number::I64(number) => number as f64,
            Number::F64(number) => number,
        })
    }

    /// A float of 32 bits: the nearest one; beyond its range is an error.
    pub fn f32(&mut self) -> Result<f32> {
        let mark = self.input.mark();
        let number = self.f64()?;
        let narrow = number as f32;
        if narrow.is_infinite() {
            return Err(self.bad_number(mark, "a float of 32 bits", Number::F64(number)));
        }
        Ok(narrow)
    }

    /// A member of an enum of the KLR side, by name.
    pub fn member<E: IrEnum>(&mut self) -> Result<E> {
        let name = self.peeked_text()?;
        let member = E::from_name(&name).map_err(|error| self.place(error))?;
        self.skip()?;
        Ok(member)
    }

    /// A value of an object that must be there.
    pub fn required<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| self.place(Error::new(ErrorCode::MissingKey, format_args!("`{key}` is missing"))))
    }

    /// The error of a key that does not belong here; the reader stands before its value.
    pub fn unknown_key(&mut self, key: &str) -> Error {
        self.error(ErrorCode::UnknownKey, format_args!("`{key}` is not known here"))
    }

    /// The error of a constructor that does not exist.
    pub fn unknown(&mut self, what: &str, expected: &str, found: &str) -> Error {
        self.error(ErrorCode::UnknownEnum, format_args!("there is no such {what}")).expected_found(expected, found)
    }
}
