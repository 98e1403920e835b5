//! Floats as text: the shortest digits that read back to the same bits, laid out as the original's JSON library does.
//!
//! With `d.ddd` times 10 to the power of `e`: `-4 <= e < 15` gives a plain number with a point (`0.0001`, `100.0`),
//! anything else an exponent with a sign and at least two digits (`1e-05`, `1.5e+20`).
#![forbid(unsafe_code)]

use super::integer::decimal;
use core::fmt::{self, Write};

/// The texts of the floats that came last: most come again, as the scales of a layer do.
#[derive(Debug, Default)]
pub(super) struct Floats([Option<(u32, Text)>; 8]);

impl Floats {
    /// The text of an `f32`, see [`shortest_f32`].
    #[inline]
    pub(super) fn text(&mut self, value: f32) -> Text {
        let bits = value.to_bits();
        let place = (bits.wrapping_mul(0x9E37_79B9) >> 29) as usize;
        match self.0.get_mut(place) {
            Some(Some((known, text))) if *known == bits => *text,
            Some(place) => place.insert((bits, shortest_f32(value))).1,
            None => shortest_f32(value),
        }
    }
}

/// The text of a float; the longest has 24 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    bytes: [u8; 32],
    len: usize,
}

impl Text {
    const fn new() -> Self {
        Text { bytes: [0; 32], len: 0 }
    }

    fn of(text: &[u8]) -> Self {
        let mut out = Text::new();
        out.put(text);
        out
    }

    fn put(&mut self, text: &[u8]) {
        // What does not fit is not a float's text; the array has room for all of these.
        if let Some(room) = self.bytes.get_mut(self.len..self.len + text.len()) {
            room.copy_from_slice(text);
            self.len += text.len();
        }
    }

    fn zeros(&mut self, count: usize) {
        for _ in 0..count {
            self.put(b"0");
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.put(s.as_bytes());
        Ok(())
    }
}

/// The text of an `f32`. It reads back to the same bits also if it is read as an `f64` and then rounded, as readers of JSON
/// do: the shortest digits of an `f32` can lie so close to the middle of two neighbours that an `f64` takes them for the
/// middle, which then rounds to the wrong one (0x15AE43FD does so). Such a number gets the digits of the widened value.
pub(crate) fn shortest_f32(value: f32) -> Text {
    let wide = f64::from(value);
    if let Some(text) = whole(value) {
        return text;
    }
    // The widened value has the same class and sign; only the digits differ.
    if let Some(text) = special(wide) {
        return text;
    }
    let text = layout(format_args!("{value:e}"));
    let read = core::str::from_utf8(text.bytes()).ok().and_then(|text| text.parse::<f64>().ok());
    if read.is_some_and(|read| (read as f32).to_bits() == value.to_bits()) { text } else { shortest_f64(wide) }
}

/// The text of an `f64`.
pub(super) fn shortest_f64(value: f64) -> Text {
    special(value).unwrap_or_else(|| layout(format_args!("{value:e}")))
}

/// The text of a whole number of few digits, as most numbers are: these digits are the shortest, since all floats near it are less
/// than one half apart.
#[inline]
fn whole(value: f32) -> Option<Text> {
    const END: f32 = 1_000_000.0;
    let number = value as i32;
    if number as f32 != value || !(0.0..END).contains(&value.abs()) || (number == 0 && value.is_sign_negative()) {
        return None;
    }
    let mut text = Text::of(if number < 0 { b"-" } else { b"" });
    text.put(decimal(number.unsigned_abs().into()).bytes());
    text.put(b".0");
    Some(text)
}

fn special(value: f64) -> Option<Text> {
    if let Some(word) = word(value) {
        let mut text = Text::of(b"\"");
        text.put(word.as_bytes());
        text.put(b"\"");
        Some(text)
    } else if value == 0.0 {
        Some(Text::of(if value.is_sign_negative() { b"-0.0" } else { b"0.0" }))
    } else {
        None
    }
}

/// The string that stands in documents for a float that is not finite (`spec/bir-json.md` section 10).
pub(in crate::doc) fn word(value: f64) -> Option<&'static str> {
    if value.is_finite() {
        None
    } else if value.is_nan() {
        Some("nan")
    } else {
        Some(if value > 0.0 { "inf" } else { "-inf" })
    }
}

/// What a reader of JSON makes of the text of an `f32`: not the widened value, but one that rounds to the same `f32`.
pub(in crate::doc) fn as_read(value: f32) -> f64 {
    let text = shortest_f32(value);
    core::str::from_utf8(text.bytes()).ok().and_then(|text| text.parse().ok()).unwrap_or(value.into())
}

/// Lays out `[-]d[.ddd]e[-]x`, the shortest digits as `core` gives them.
fn layout(scientific: fmt::Arguments<'_>) -> Text {
    let mut source = Text::new();
    // Writing into an array cannot fail.
    let _ = source.write_fmt(scientific);
    let mut digits = Text::new();
    let mut out = Text::new();
    let (mut exponent, mut exponent_negative, mut in_exponent) = (0i32, false, false);
    for &byte in source.bytes() {
        match byte {
            b'-' if in_exponent => exponent_negative = true,
            b'-' => out.put(b"-"),
            b'e' => in_exponent = true,
            b'0'..=b'9' if in_exponent => exponent = exponent * 10 + i32::from(byte - b'0'),
            b'0'..=b'9' => digits.put(&[byte]),
            _ => {}
        }
    }
    if exponent_negative {
        exponent = -exponent;
    }
    let digits = digits.bytes();
    match exponent {
        0..15 => {
            let point = exponent as usize + 1;
            if let Some((whole, fraction)) = digits.split_at_checked(point).filter(|(_, f)| !f.is_empty()) {
                out.put(whole);
                out.put(b".");
                out.put(fraction);
            } else {
                out.put(digits);
                out.zeros(point - digits.len());
                out.put(b".0");
            }
        }
        -4..0 => {
            out.put(b"0.");
            out.zeros(exponent.unsigned_abs() as usize - 1);
            out.put(digits);
        }
        _ => {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, &[]));
            out.put(first);
            if !rest.is_empty() {
                out.put(b".");
                out.put(rest);
            }
            out.put(if exponent < 0 { b"e-" } else { b"e+" });
            let exponent = exponent.unsigned_abs();
            if exponent < 10 {
                out.put(b"0");
            }
            // Writing into an array cannot fail.
            let _ = write!(out, "{exponent}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn f64_text(value: f64) -> std::string::String {
        std::string::String::from_utf8(shortest_f64(value).bytes().to_vec()).unwrap()
    }

    fn f32_text(value: f32) -> std::string::String {
        std::string::String::from_utf8(shortest_f32(value).bytes().to_vec()).unwrap()
    }

    /// The right column was printed by `dump()` of nlohmann::json 3.11.2.
    #[test]
    fn looks_like_the_original() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.0, "-1.0"),
            (0.5, "0.5"),
            (0.1, "0.1"),
            (0.001, "0.001"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (0.00001, "1e-05"),
            (1e-7, "1e-07"),
            (-1.25e-5, "-1.25e-05"),
            (9.999e-5, "9.999e-05"),
            (123456.789, "123456.789"),
            (1e14, "100000000000000.0"),
            (1e15, "1e+15"),
            (1e16, "1e+16"),
            (1e20, "1e+20"),
            (-1e20, "-1e+20"),
            (1.5e20, "1.5e+20"),
            (123456789012345.0, "123456789012345.0"),
            (1234567890123456.0, "1.234567890123456e+15"),
            (999999999999999.9, "999999999999999.9"),
            (0.3333333333333333, "0.3333333333333333"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (2.2250738585072014e-308, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
            (1e100, "1e+100"),
            (1e22, "1e+22"),
            (4503599627370496.0, "4.503599627370496e+15"),
            (9007199254740992.0, "9.007199254740992e+15"),
            (100.0, "100.0"),
            (1e-10, "1e-10"),
            (1.0e-100, "1e-100"),
            (12345678.0, "12345678.0"),
        ] {
            assert_eq!(f64_text(value), text);
        }
    }

    /// The original prints this one, and about one in a thousand others, a digit longer than needed.
    #[test]
    fn is_shorter_than_the_original_where_that_is_not_shortest() {
        assert_eq!(f64_text(1e23), "1e+23");
        assert_eq!("9.999999999999999e+22".parse::<f64>().unwrap().to_bits(), 1e23f64.to_bits());
    }

    #[test]
    fn specials() {
        assert_eq!(f64_text(f64::INFINITY), "\"inf\"");
        assert_eq!(f64_text(f64::NEG_INFINITY), "\"-inf\"");
        assert_eq!(f64_text(f64::NAN), "\"nan\"");
        assert_eq!(f64_text(-f64::NAN), "\"nan\"");
        assert_eq!(f32_text(f32::INFINITY), "\"inf\"");
        assert_eq!(f32_text(f32::NEG_INFINITY), "\"-inf\"");
        assert_eq!(f32_text(f32::NAN), "\"nan\"");
        assert_eq!(f32_text(0.0), "0.0");
        assert_eq!(f32_text(-0.0), "-0.0");
    }

    #[test]
    fn f32_has_its_own_shortest_digits() {
        for (value, text) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.33333334"),
            (16777216.0, "16777216.0"),
            (f32::MAX, "3.4028235e+38"),
            (f32::MIN_POSITIVE, "1.1754944e-38"),
            (f32::from_bits(1), "1e-45"),
            (1e-7, "1e-07"),
            (-2.5, "-2.5"),
            // As 7.038531e-26 it would come back from an f64 as its neighbour.
            (f32::from_bits(0x15AE_43FD), "7.038530691851209e-26"),
            (f32::from_bits(0x95AE_43FD), "-7.038530691851209e-26"),
            (f32::from_bits(0x15AE_43FC), "7.03853e-26"),
        ] {
            assert_eq!(f32_text(value), text);
            check_f32(value.to_bits());
        }
    }

    #[test]
    fn whole_numbers_look_like_all_others() {
        let numbers =
            (0..=10_000).chain((0..1000).map(|i| i * 997 + 3)).chain([999_999, 1_000_000, 1_000_001, 16_777_217]);
        for number in numbers {
            for value in [number as f32, -(number as f32)] {
                let text = special(value.into()).unwrap_or_else(|| layout(format_args!("{value:e}")));
                assert_eq!(f32_text(value).as_bytes(), text.bytes());
            }
        }
        assert_eq!((f32_text(-0.0), f32_text(1.0), f32_text(-512.0)), ("-0.0".into(), "1.0".into(), "-512.0".into()));
    }

    fn check_f32(bits: u32) {
        let value = f32::from_bits(bits);
        if value.is_finite() {
            let text = f32_text(value);
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits, "{text}");
            assert_eq!((text.parse::<f64>().unwrap() as f32).to_bits(), bits, "{text} through f64");
            assert!(text.contains(['.', 'e']) && text.len() <= 24, "{text}");
        }
    }

    #[test]
    fn every_f32_exponent_reads_back() {
        for exponent in 0..=255u32 {
            for low in [0, 1, 2, 3, 0x2AAAAA, 0x3FFFFF, 0x400000, 0x555555, 0x7FFFFD, 0x7FFFFE, 0x7FFFFF] {
                check_f32(exponent << 23 | low);
                check_f32(1 << 31 | exponent << 23 | low);
            }
            for i in 0..200u32 {
                check_f32(exponent << 23 | i.wrapping_mul(0x9E37_79B9) >> 9);
            }
        }
    }

    #[test]
    fn every_f64_exponent_reads_back() {
        for exponent in 0..2047u64 {
            for i in 0..20u64 {
                let bits = exponent << 52 | i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12;
                let text = f64_text(f64::from_bits(bits));
                assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{text}");
                assert!(text.len() <= 24);
            }
        }
    }

    proptest! {
        #[test]
        fn any_f64_reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = f64_text(value);
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
                prop_assert!(text.contains(['.', 'e']));
                // With one digit less it does not.
                let digits = text.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
                if text.contains('e') && digits > 1 {
                    let shorter = std::format!("{value:.*e}", digits - 2);
                    prop_assert_ne!(shorter.parse::<f64>().unwrap().to_bits(), bits);
                }
            }
        }

        #[test]
        fn any_f32_reads_back(bits: u32) {
            check_f32(bits);
        }
    }
}
