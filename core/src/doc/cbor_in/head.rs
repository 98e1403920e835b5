//! The head of an item: what it is, and where its content or the next item starts.
#![forbid(unsafe_code)]

use super::CborInput;
use crate::doc::input::ValueKind;
use crate::doc::json_out::float;
use crate::error::Result;

/// Ends what is of indefinite length.
pub(super) const BREAK: u8 = 0xFF;

/// An item that a document can hold. Lengths are absent where a break ends the item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// The number itself.
    Unsigned(u64),
    /// n for -1 - n.
    Negative(u64),
    Text(Option<u64>),
    Array(Option<u64>),
    Map(Option<u64>),
    Bool(bool),
    Null,
    Float(f64),
}

impl Item {
    #[inline]
    pub(super) fn kind(self) -> ValueKind {
        match self {
            Item::Unsigned(_) | Item::Negative(_) => ValueKind::Number,
            Item::Float(value) if value.is_finite() => ValueKind::Number,
            Item::Text(_) | Item::Float(_) => ValueKind::String,
            Item::Array(_) => ValueKind::Array,
            Item::Map(_) => ValueKind::Object,
            Item::Bool(_) => ValueKind::Bool,
            Item::Null => ValueKind::Null,
        }
    }

    /// The item as an error message says it.
    pub(super) fn describe(self) -> &'static str {
        let word = if let Item::Float(value) = self { float::word(value) } else { None };
        match word {
            Some("nan") => "the float NaN",
            Some(_) => "an infinite float",
            None => self.kind().describe(),
        }
    }
}

/// An item and where its head ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) item: Item,
    pub(super) end: usize,
}

/// The `N` bytes at `at` as a number.
#[inline(always)]
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let chunk = bytes.get(at..)?.first_chunk::<N>()?;
    Some(chunk.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// The number in the head at `at` and where the head ends. `Err` with the missing number of bytes if it is cut off; `None`
/// if there is no number.
#[inline(always)]
fn argument(bytes: &[u8], at: usize, first: u8) -> Result<Option<(u64, usize)>, u64> {
    let (number, width) = match first & 0x1F {
        info @ 0..24 => return Ok(Some((info.into(), at + 1))),
        24 => (number::<1>(bytes, at + 1), 1),
        25 => (number::<2>(bytes, at + 1), 2),
        26 => (number::<4>(bytes, at + 1), 4),
        27 => (number::<8>(bytes, at + 1), 8),
        _ => return Ok(None),
    };
    match number {
        Some(number) => Ok(Some((number, at + 1 + width))),
        None => Err((at + 1 + width - bytes.len()) as u64),
    }
}

/// Where the document starts that the tag `tag` stands in front of; 0 if there is no such tag.
pub(super) fn behind_tag(bytes: &[u8], tag: u64) -> usize {
    match bytes.first() {
        Some(&first @ 0xC0..=0xDB) => match argument(bytes, 0, first) {
            Ok(Some((number, end))) if number == tag => end,
            _ => 0,
        },
        _ => 0,
    }
}

/// The value of a float of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
pub(super) fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3FF);
    let magnitude = match bits >> 10 & 0x1F {
        0 => fraction / f64::from(1 << 24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * f64::from(1u32 << exponent) / f64::from(1 << 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

impl CborInput<'_> {
    /// The head of the item at `at`. `expected` is what an error asks for if nothing starts there.
    #[inline(always)]
    pub(super) fn head(&self, at: usize, expected: &'static str) -> Result<Head> {
        // Most heads are one byte with a small number.
        let item = match self.bytes.get(at) {
            Some(&first @ 0x00..=0x17) => Item::Unsigned(first.into()),
            Some(&first @ 0x60..=0x77) => Item::Text(Some((first & 0x1F).into())),
            Some(&first @ 0x80..=0x97) => Item::Array(Some((first & 0x1F).into())),
            Some(&first @ 0xA0..=0xB7) => Item::Map(Some((first & 0x1F).into())),
            _ => return self.long_head(at, expected),
        };
        Ok(Head { item, end: at + 1 })
    }

    #[inline(never)]
    fn long_head(&self, at: usize, expected: &'static str) -> Result<Head> {
        let Some(&first) = self.bytes.get(at) else { return Err(self.syntax(at, expected)) };
        let (argument, end) = match argument(self.bytes, at, first) {
            Ok(Some((number, end))) => (Some(number), end),
            Ok(None) => (None, at + 1),
            Err(missing) => return Err(self.cut_off(missing)),
        };
        let indefinite = first & 0x1F == 31;
        let item = match (first >> 5, argument) {
            (0, Some(number)) => Item::Unsigned(number),
            (1, Some(number)) => Item::Negative(number),
            (3, length) if length.is_some() || indefinite => Item::Text(length),
            (4, length) if length.is_some() || indefinite => Item::Array(length),
            (5, length) if length.is_some() || indefinite => Item::Map(length),
            (7, Some(number)) => match (first, number) {
                (0xF4, _) => Item::Bool(false),
                (0xF5, _) => Item::Bool(true),
                (0xF6, _) => Item::Null,
                (0xF9, bits) => Item::Float(half(bits as u16)),
                (0xFA, bits) => Item::Float(f32::from_bits(bits as u32).into()),
                (0xFB, bits) => Item::Float(f64::from_bits(bits)),
                _ => return Err(self.no_value(at, first, argument, expected)),
            },
            _ => return Err(self.no_value(at, first, argument, expected)),
        };
        Ok(Head { item, end })
    }

    /// The length and the start of the text that is the key at the current place.
    #[inline]
    pub(super) fn key(&self) -> Result<(Option<u64>, usize)> {
        match self.head(self.pos, "a key")? {
            Head { item: Item::Text(length), end } => Ok((length, end)),
            Head { item, .. } => Err(self.unsupported(self.pos, "a text key", item.describe())),
        }
    }

    /// The error of an item that is malformed or that no document can hold.
    #[cold]
    #[inline(never)]
    fn no_value(&self, at: usize, first: u8, argument: Option<u64>, expected: &'static str) -> crate::Error {
        match (first >> 5, argument) {
            (2, _) if argument.is_some() || first == 0x5F => self.unsupported(at, expected, "a byte string"),
            (6, Some(tag)) => self.unsupported(at, expected, format_args!("tag {tag}")),
            (7, Some(23)) if first == 0xF7 => self.unsupported(at, expected, "`undefined`"),
            // In two bytes, values below 32 are not well-formed.
            (7, Some(number)) if first != 0xF8 || number >= 32 => {
                self.unsupported(at, expected, format_args!("simple value {number}"))
            }
            _ => self.syntax(at, expected),
        }
    }
}
