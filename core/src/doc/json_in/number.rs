//! Numbers of JSON text: found and checked in one step, turned into a value in another, because a skipped number needs no
//! value.
#![forbid(unsafe_code)]

use super::Flaw;
use crate::doc::input::Number;

/// Decimal digits that always fit into 64 bits.
const SAFE_DIGITS: usize = 19;

/// A well-formed number in the text.
pub(super) struct Lexeme {
    /// Where it ends.
    pub(super) end: usize,
    /// The integer part, if `digits` is at most [`SAFE_DIGITS`].
    magnitude: u64,
    digits: usize,
    negative: bool,
    integer: bool,
}

/// Finds the end of the number that starts at `start` and checks it: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
#[inline(always)]
pub(super) fn lex(text: &[u8], start: usize) -> Result<Lexeme, Flaw> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let negative = byte(start) == b'-';
    let first = start + usize::from(negative);
    let mut at = first;
    let mut magnitude = 0u64;
    loop {
        let digit = byte(at).wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let digits = at - first;
    if digits == 0 {
        return Err(Flaw { at, expected: "a digit" });
    }
    if digits > 1 && byte(first) == b'0' {
        return Err(Flaw { at: first + 1, expected: "no digit behind a leading 0" });
    }
    let integer = !matches!(byte(at), b'.' | b'e' | b'E');
    if !integer {
        at = fraction(text, at)?;
    }
    Ok(Lexeme { end: at, magnitude, digits, negative, integer })
}

/// Passes the fraction and the exponent.
fn fraction(text: &[u8], mut at: usize) -> Result<usize, Flaw> {
    if text.get(at) == Some(&b'.') {
        at = digits(text, at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        at = digits(text, at)?;
    }
    Ok(at)
}

fn digits(text: &[u8], from: usize) -> Result<usize, Flaw> {
    let mut at = from;
    while let Some(b'0'..=b'9') = text.get(at) {
        at += 1;
    }
    if at == from { Err(Flaw { at, expected: "a digit" }) } else { Ok(at) }
}

impl Lexeme {
    /// The value of the number; `None` if it is beyond the range of a 64-bit float. `text` is the number's own text.
    #[inline(always)]
    pub(super) fn number(&self, text: &str) -> Option<Number> {
        if self.integer && self.digits <= SAFE_DIGITS {
            if !self.negative {
                return Some(Number::U64(self.magnitude));
            }
            // `-0` is left to the float, which keeps its sign.
            if let (1.., Some(value)) = (self.magnitude, 0i64.checked_sub_unsigned(self.magnitude)) {
                return Some(Number::I64(value));
            }
        }
        self.long(text)
    }

    #[inline(never)]
    fn long(&self, text: &str) -> Option<Number> {
        if self.integer
            && !self.negative
            && self.digits == SAFE_DIGITS + 1
            && let Ok(value) = text.parse::<u64>()
        {
            return Some(Number::U64(value));
        }
        text.parse::<f64>().ok().filter(|value| value.is_finite()).map(Number::F64)
    }
}
