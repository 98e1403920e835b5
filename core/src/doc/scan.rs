//! Looks for the end of plain text eight bytes at a time, because keys, names and indentation are most of a document.
#![forbid(unsafe_code)]

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

const fn every(byte: u8) -> u64 {
    LOW * byte as u64
}

/// The next eight bytes, the first in the lowest place.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Where the first byte at or behind `at` stands that cannot be copied between the quotes of a JSON string as it is: `"`,
/// `\` or a control character below 0x20. The length of `bytes` if there is none.
#[inline(always)]
pub(super) fn special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(x) = word(bytes, at) {
        // A byte is marked by its top bit: `y - 1` borrows into it exactly where y is 0 (`x - 0x20`: where x < 0x20), and
        // `!x` clears it for bytes above 0x7F. A borrow can mark further bytes falsely, but only above a true mark, and
        // the lowest mark is what counts.
        let quote = x ^ every(b'"');
        let backslash = x ^ every(b'\\');
        let marks = (quote.wrapping_sub(LOW) & !quote
            | backslash.wrapping_sub(LOW) & !backslash
            | x.wrapping_sub(every(0x20)) & !x)
            & HIGH;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Where the first byte at or behind `at` stands that is not white space of JSON. The length of `bytes` if there is none.
#[inline(always)]
pub(super) fn token(bytes: &[u8], mut at: usize) -> usize {
    loop {
        if let Some(x) = word(bytes, at) {
            let spaces = ((x ^ every(b' ')).trailing_zeros() / 8) as usize;
            at += spaces;
            if spaces == 8 {
                continue;
            }
        }
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at.min(bytes.len()),
        }
    }
}

/// How many line feeds there are. Sums of single bytes, so that many bytes are compared at once.
pub(super) fn line_feeds(bytes: &[u8]) -> usize {
    bytes.chunks(255).map(|chunk| usize::from(chunk.iter().map(|&b| u8::from(b == b'\n')).sum::<u8>())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn finds_each_byte_in_each_lane() {
        for byte in 0..=255u8 {
            for lane in 0..20 {
                let mut text = vec![b'a'; 23];
                text[lane] = byte;
                let stop = byte == b'"' || byte == b'\\' || byte < 0x20;
                assert_eq!(special(&text, 0), if stop { lane } else { 23 }, "byte {byte} at {lane}");
                let mut text = vec![b' '; 23];
                text[lane] = byte;
                let space = matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
                assert_eq!(token(&text, 0), if space { 23 } else { lane }, "byte {byte} at {lane}");
            }
        }
        assert_eq!((special(b"", 0), token(b"", 0), special(b"a", 9), token(b"a", 9)), (0, 0, 1, 1));
    }

    #[test]
    fn counts_lines() {
        let text: Vec<u8> = (0..1000_u32).map(|i| if i % 3 == 0 || i > 600 { b'\n' } else { b'x' }).collect();
        for end in [0, 1, 254, 255, 256, 601, 1000] {
            assert_eq!(line_feeds(&text[..end]), text[..end].iter().filter(|b| **b == b'\n').count());
        }
    }

    proptest! {
        #[test]
        fn agrees_with_one_byte_at_a_time(
            text in prop::collection::vec(prop_oneof![Just(b' '), Just(b'"'), Just(0x1f), Just(0x7f), Just(0x80), Just(0xa2),
                Just(0xdc), Just(b'!'), Just(b'#'), Just(b'['), Just(b']'), Just(b'\n'), Just(b'\t'), any::<u8>()], 0..40),
            from in 0usize..40,
        ) {
            let find = |stop: fn(&u8) -> bool| {
                let rest: Vec<u8> = text.iter().copied().skip(from).collect();
                rest.iter().position(stop).map_or(text.len(), |i| from + i)
            };
            prop_assert_eq!(special(&text, from), find(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)));
            prop_assert_eq!(token(&text, from), find(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t')));
        }
    }
}
