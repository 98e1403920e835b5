//! Numbers in a tar header are octal digits as long as they fit and big-endian binary beyond.
#![forbid(unsafe_code)]

/// How a number field is laid out: `digits` octal digits, then the terminator. A wider number overwrites the
/// terminator byte by byte, then becomes binary (`spec/neff.md` section 4.3).
pub(super) fn write(field: &mut [u8], value: u64, digits: usize, terminator: &[u8]) {
    let width = field.len();
    let Some(used) = (digits..=width).find(|&n| n >= 22 || value >> (3 * n as u32) == 0) else {
        write_binary(field, value);
        return;
    };
    for (i, byte) in field.iter_mut().enumerate() {
        *byte = match used.checked_sub(i + 1) {
            // At 22 digits and more the shift would leave the number; those digits are zero.
            Some(place) => b'0' + value.checked_shr(3 * place as u32).map_or(0, |v| (v & 7) as u8),
            // What is left of the terminator: its end, because the digits grow over its start.
            None => terminator.get(i - digits).copied().unwrap_or(0),
        };
    }
}

/// Base-256: big-endian in the whole field, top bit of the first byte set.
fn write_binary(field: &mut [u8], value: u64) {
    for (i, byte) in field.iter_mut().rev().enumerate() {
        *byte = value.checked_shr(8 * i as u32).map_or(0, |v| v as u8);
    }
    if let Some(first) = field.first_mut() {
        *first |= 0x80;
    }
}

/// Reads an octal or base-256 field. `None` if it is malformed, negative or too large.
pub(super) fn read(field: &[u8]) -> Option<u64> {
    match field.first()? {
        0x80..=0xff => read_binary(field).and_then(|value| u64::try_from(value).ok()),
        _ => read_octal(field),
    }
}

/// As [`read`], but a base-256 number may be negative.
pub(super) fn read_signed(field: &[u8]) -> Option<i64> {
    match field.first()? {
        0x80..=0xff => read_binary(field).and_then(|value| i64::try_from(value).ok()),
        _ => read_octal(field).and_then(|value| i64::try_from(value).ok()),
    }
}

/// Leading spaces, digits, then only spaces and NULs; an empty field is 0.
fn read_octal(field: &[u8]) -> Option<u64> {
    let start = field.iter().position(|&b| b != b' ').unwrap_or(field.len());
    let field = field.get(start..)?;
    let end = field.iter().position(|b| !matches!(b, b'0'..=b'7')).unwrap_or(field.len());
    let (digits, rest) = field.split_at_checked(end)?;
    if rest.iter().any(|b| !matches!(b, b' ' | 0)) {
        return None;
    }
    digits.iter().try_fold(0u64, |value, digit| value.checked_mul(8)?.checked_add(u64::from(digit - b'0')))
}

fn read_binary(field: &[u8]) -> Option<i128> {
    let (first, rest) = field.split_first()?;
    // The top bit is the marker; the sign is the bit below it.
    let start = if first & 0x40 != 0 { i128::from(*first) - 256 } else { i128::from(first & 0x3f) };
    rest.iter().try_fold(start, |value, &byte| value.checked_mul(256)?.checked_add(i128::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(value: u64) -> [u8; 8] {
        let mut field = [0xff; 8];
        write(&mut field, value, 6, b" \0");
        field
    }

    fn size(value: u64) -> [u8; 12] {
        let mut field = [0xff; 12];
        write(&mut field, value, 11, b" ");
        field
    }

    #[test]
    fn digits_grow_over_the_terminator() {
        assert_eq!(&id(0o644), b"000644 \0");
        assert_eq!(&id(262143), b"777777 \0");
        assert_eq!(&id(262144), b"1000000\0");
        assert_eq!(&id(2097151), b"7777777\0");
        assert_eq!(&id(2097152), b"10000000");
        assert_eq!(&id(16777215), b"77777777");
        assert_eq!(id(16777216), [0x80, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(&size(0), b"00000000000 ");
        assert_eq!(&size((1 << 33) - 1), b"77777777777 ");
        assert_eq!(&size(1 << 33), b"100000000000");
        assert_eq!(&size((1 << 36) - 1), b"777777777777");
        assert_eq!(size(1 << 36), [0x80, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0]);
        assert_eq!(size(u64::MAX), [0x80, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn refuses_what_is_no_number() {
        for field in [
            &b"12x"[..],
            b"8",
            b"-1 ",
            b"1 1",
            b"",
            &[0xff; 8],
            &[0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            b"7777777777777777777777777",
        ] {
            assert_eq!(read(field), None, "{field:?}");
        }
        assert_eq!(read(b"  17 \0\0"), Some(15));
        assert_eq!(read(&[0; 8]), Some(0));
        assert_eq!(read_signed(&[0xff; 12]), Some(-1));
    }

    proptest! {
        #[test]
        fn round_trips(value in any::<u64>(), shift in 0u32..64) {
            let value = value >> shift;
            prop_assert_eq!(read(&size(value)), Some(value));
            let small = value & ((1 << 53) - 1);
            prop_assert_eq!(read(&id(small)), Some(small));
        }

        #[test]
        fn reading_never_panics(field in prop::collection::vec(any::<u8>(), 0..32)) {
            let _ = (read(&field), read_signed(&field));
        }
    }
}
