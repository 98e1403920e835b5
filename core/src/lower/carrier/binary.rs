//! The bytes of a binary that a text field holds. A document can only hold text, so the bytes stand there in base64 or one
//! per character; code that shares the memory may also have put them there as they are.

use crate::Result;
use crate::fallible::push;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// The first bytes of a KLR file.
const HEAD: [u8; 3] = [0xd9, 0xd9, 0xf7];

/// The bytes of a binary; `None` if it is in none of the forms.
pub(super) fn bytes(text: &str) -> Result<Option<Cow<'_, [u8]>>> {
    let raw = text.as_bytes();
    if raw.starts_with(&HEAD) {
        return Ok(Some(Cow::Borrowed(raw)));
    }
    let decoded = match one_per_character(text)? {
        Some(bytes) if bytes.starts_with(&HEAD) => Some(bytes),
        _ => base64(text)?,
    };
    Ok(decoded.map(Cow::Owned))
}

/// Characters up to U+00FF as bytes.
fn one_per_character(text: &str) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    for character in text.chars() {
        let Ok(byte) = u8::try_from(u32::from(character)) else { return Ok(None) };
        push(&mut bytes, byte)?;
    }
    Ok(Some(bytes))
}

/// RFC 4648 section 4: four characters are three bytes, `=` fills the last four.
fn base64(text: &str) -> Result<Option<Vec<u8>>> {
    let raw = text.trim_end_matches(['\n', '\r']).as_bytes();
    let digits = raw.strip_suffix(b"==").or_else(|| raw.strip_suffix(b"=")).unwrap_or(raw);
    if raw.is_empty() || !raw.len().is_multiple_of(4) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Ok(None),
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            // The eight bits above those that wait.
            push(&mut bytes, (bits >> count & 0xff) as u8)?;
        }
    }
    // Bits that fill the last digit are 0.
    Ok((bits & ((1 << count) - 1) == 0).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    #[test]
    fn three_forms_of_the_same_bytes() {
        let expected: &[u8] = b"\xd9\xd9\xf7\x83\x00\x00\x0c\xff";
        // By hand: d9d9f7 is 110110 011101 100111 110111, "2dn3".
        assert_eq!(bytes("2dn3gwAADP8=").unwrap().as_deref(), Some(expected));
        let characters: String = expected.iter().map(|b| char::from(*b)).collect();
        assert_eq!(bytes(&characters).unwrap().as_deref(), Some(expected));
        assert_eq!(bytes("2dn3gwAADP8=\n").unwrap().as_deref(), Some(expected));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "2dn", "2dn3gwAADP9=", "2dn3*wAADP8=", "klir_binary", "\u{100}"] {
            assert_eq!(bytes(text).unwrap(), None, "{text}");
        }
        // Well-formed base64 of something else: the decoder says what is wrong with it.
        assert_eq!(bytes("YWJj").unwrap().as_deref(), Some(&b"abc"[..]));
    }
}
