//! The errors of the decoder: what was expected, what stands there, and where.

use super::super::names::RECORDS;
use super::super::schema::Schema;
use super::decoder::{Decoder, Failed, Record};
use crate::error::{Error, ErrorCode};
use core::fmt::{self, Display};
use core::str::Utf8Error;

/// The first bytes of something, as numbers.
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else { return f.write_str("the end of the file") };
        write!(f, "`{first:02x}")?;
        for byte in rest.iter().take(2) {
            write!(f, " {byte:02x}")?;
        }
        f.write_str("`")
    }
}

/// A record by its number.
struct Named(u8);

impl Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match RECORDS.iter().find(|(tag, _)| *tag == self.0) {
            Some((tag, name)) => write!(f, "the record {name} ({tag})"),
            None => match self.0 {
                255 => f.write_str("an option"),
                tag => write!(f, "a record of type {tag}"),
            },
        }
    }
}

/// What stands at the beginning of `rest`.
pub(super) fn describe(rest: &[u8]) -> impl Display + use<'_> {
    Item(rest)
}

struct Item<'a>(&'a [u8]);

impl Display for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            [] => "the end of the file",
            [0xd9, tag, ..] => return Named(*tag).fmt(f),
            [0x00..=0x1f, ..] => "an unsigned integer",
            [0x20..=0x3f, ..] => "a negative integer",
            [0x40..=0x5f, ..] => "a byte string",
            [0x60..=0x7f, ..] => "a text",
            [0x80..=0x9f, ..] => "a list",
            [0xa0..=0xbf, ..] => "a map",
            [0xf4 | 0xf5, ..] => "a bool",
            [0xf9, ..] => "a 16-bit float",
            [0xfa, ..] => "a 32-bit float",
            [0xfb, ..] => "a 64-bit float",
            [other, ..] => return write!(f, "the byte `{other:02x}`"),
        };
        f.write_str(text)
    }
}

impl<'a> Decoder<'a> {
    #[cold]
    pub(super) fn ends_early(&mut self, start: u64, expected: impl Display) -> Failed {
        let error = Error::new(ErrorCode::Syntax, "the file ends too early");
        self.fail(start, error.expected_found(expected, "the end of the file"))
    }

    /// `rest` is not what was expected.
    #[cold]
    pub(super) fn wrong_type(&mut self, rest: &'a [u8], expected: impl Display) -> Failed {
        if rest.is_empty() {
            return self.ends_early(self.offset(), expected);
        }
        let error = Error::new(ErrorCode::WrongType, "").expected_found(expected, describe(rest));
        self.fail(self.offset(), error)
    }

    #[cold]
    pub(super) fn wrong_record(&mut self, record: &Record, name: &str, tag: u8) -> Failed {
        let expected = format_args!("the record {name} ({tag})");
        let error = Error::new(ErrorCode::WrongType, "").expected_found(expected, Named(record.tag));
        self.fail(record.start, error)
    }

    #[cold]
    pub(crate) fn unknown_ctor(&mut self, record: &Record, name: &str, known: &[(u8, &str)]) -> Failed {
        let error = Error::new(ErrorCode::UnknownEnum, format_args!("not a constructor of {name}"));
        let (last, _) = known.last().copied().unwrap_or_default();
        let error = match known {
            [(only, _)] => error.expected_found(only, record.ctor),
            [(first, _), ..] => error.expected_found(format_args!("{first}..={last}"), record.ctor),
            [] => error,
        };
        self.fail(record.start, error)
    }

    #[cold]
    pub(super) fn unknown_member(&mut self, record: &Record, name: &str, count: usize) -> Failed {
        let error = Error::new(ErrorCode::UnknownEnum, format_args!("not a member of {name}"));
        let error = error.expected_found(format_args!("0..={}", count.saturating_sub(1)), record.ctor);
        self.fail(record.start, error)
    }

    #[cold]
    pub(super) fn wrong_arity(&mut self, record: &Record, name: &str, [old, new]: [u8; 2]) -> Failed {
        let error = Error::new(
            ErrorCode::Unsupported,
            format_args!("unsupported KLR schema: `{name}` has another number of fields"),
        );
        let found = record.fields;
        let error = match (old == new, found == u8::MAX) {
            (_, true) => error.expected_found(new, "255 or more"),
            (true, false) => error.expected_found(old, found),
            (false, false) => error.expected_found(format_args!("{old} or {new}"), found),
        };
        self.fail(record.start, error)
    }

    #[cold]
    pub(super) fn two_schemas(&mut self, record: &Record, name: &str, earlier: Schema, found: Schema) -> Failed {
        let error = Error::new(ErrorCode::Conflict, "the file mixes two KLR schemas").expected_found(
            format_args!("schema {earlier}, as earlier records have it"),
            format_args!("`{name}` of schema {found}"),
        );
        self.fail(record.start, error)
    }

    #[cold]
    pub(super) fn too_large(&mut self, start: u64, negative: bool, value: u64) -> Failed {
        let error = Error::new(ErrorCode::BadValue, "the integer does not fit 64 bits");
        // A negative integer is written as -1 - value.
        let value = if negative { -1 - i128::from(value) } else { i128::from(value) };
        self.fail(start, error.expected_found(format_args!("{}..={}", i64::MIN, i64::MAX), value))
    }

    #[cold]
    pub(super) fn too_long(&mut self, start: u64, len: u64) -> Failed {
        let error = Error::new(ErrorCode::LimitExceeded, "the text is too long");
        let limit = self.max_text_bytes();
        self.fail(start, error.expected_found(format_args!("{limit} bytes at most"), format_args!("{len} bytes")))
    }

    #[cold]
    pub(super) fn list_too_long(&mut self, start: u64, len: u64, room: usize) -> Failed {
        let error = Error::new(ErrorCode::Syntax, "the file ends too early for the list");
        let expected = format_args!("{room} elements at most, which the rest of the file can hold");
        self.fail(start, error.expected_found(expected, len))
    }

    #[cold]
    pub(super) fn not_utf8(&mut self, text: &[u8], error: Utf8Error) -> Failed {
        let at = self.offset().saturating_add(error.valid_up_to() as u64);
        let found = Bytes(text.get(error.valid_up_to()..).unwrap_or_default());
        self.fail(at, Error::new(ErrorCode::Syntax, "the text is not UTF-8").expected_found("UTF-8", found))
    }

    #[cold]
    pub(super) fn indefinite(&mut self) -> Failed {
        let error = Error::new(ErrorCode::Unsupported, "indefinite lengths are no part of KLR");
        self.fail(self.offset(), error.expected_found("a definite length", Bytes(self.rest())))
    }

    #[cold]
    pub(super) fn reserved(&mut self, byte: u8) -> Failed {
        let error = Error::new(ErrorCode::Syntax, "CBOR reserves this byte");
        self.fail(self.offset(), error.expected_found("an item", format_args!("`{byte:02x}`")))
    }

    #[cold]
    pub(super) fn proof_bytes(&mut self) -> Failed {
        let error = Error::new(
            ErrorCode::Unsupported,
            "the file has a byte for each proof field, as only the unmodified C++ writer does; the option proof_bytes takes it",
        );
        self.fail(self.offset(), error.expected_found("a bool", "`80`"))
    }
}
