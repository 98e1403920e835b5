//! Looks for the end of plain text many bytes at a time, because keys, names and indentation are most of a document.
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;
mod words;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use sse2 as wide;
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use words as wide;

/// Where the first byte at or behind `at` stands that cannot be copied between the quotes of a JSON string as it is: `"`,
/// `\` or a control character below 0x20. The length of `bytes` if there is none.
#[inline(always)]
pub(super) fn special(bytes: &[u8], at: usize) -> usize {
    match wide::special(bytes, at) {
        Ok(found) => found,
        Err(rest) => rest_of(bytes, rest, |b| b == b'"' || b == b'\\' || b < 0x20),
    }
}

/// Where the first byte at or behind `at` stands that is not white space of JSON. The length of `bytes` if there is none.
#[inline(always)]
pub(super) fn token(bytes: &[u8], at: usize) -> usize {
    match wide::token(bytes, at) {
        Ok(found) => found,
        Err(rest) => rest_of(bytes, rest, |b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t')),
    }
}

/// Where the first quote or bracket of any kind stands at or behind `at`. The length of `bytes` if there is none.
#[inline(always)]
pub(super) fn structure(bytes: &[u8], at: usize) -> usize {
    match wide::structure(bytes, at) {
        Ok(found) => found,
        Err(rest) => rest_of(bytes, rest, |b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']')),
    }
}

/// Bytes that are looked at together for [`marks`].
pub(super) const BLOCK: usize = 64;

/// What stands where in a block: bit n is of byte n.
pub(super) struct Marks {
    /// `"`.
    pub(super) quotes: u64,
    /// `{` and `[`.
    pub(super) opening: u64,
    /// `}` and `]`.
    pub(super) closing: u64,
    /// Whether there is a `\`.
    pub(super) escapes: bool,
}

/// Finds quotes, brackets and backslashes.
#[inline(always)]
pub(super) fn marks(block: &[u8; BLOCK]) -> Marks {
    wide::marks(block)
}

/// Whether [`special`] finds nothing in a text of 8 to 16 bytes.
#[inline(always)]
pub(super) fn is_plain_8(text: &[u8]) -> bool {
    let plain = |chunk: Option<&[u8; 8]>| chunk.is_some_and(|chunk| !words::has_special(u64::from_le_bytes(*chunk)));
    plain(text.first_chunk()) && plain(text.last_chunk())
}

/// Whether [`special`] finds nothing in a text of 16 to 32 bytes.
#[inline(always)]
pub(super) fn is_plain_16(text: &[u8]) -> bool {
    wide::is_plain_16(text.first_chunk::<16>()) && wide::is_plain_16(text.last_chunk::<16>())
}

/// The same for the last bytes, which are too few to be looked at together.
#[inline(always)]
fn rest_of(bytes: &[u8], at: usize, stops: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|&b| stops(b)).map_or(bytes.len(), |i| at + i)
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

    /// The same by words of eight bytes.
    fn both(text: &[u8], at: usize, what: usize) -> usize {
        let result = [words::special, words::token, words::structure][what](text, at);
        result.unwrap_or_else(|rest| match what {
            0 => rest_of(text, rest, |b| b == b'"' || b == b'\\' || b < 0x20),
            1 => rest_of(text, rest, |b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t')),
            _ => rest_of(text, rest, |b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']')),
        })
    }

    #[test]
    fn finds_each_byte_in_each_lane() {
        for byte in 0..=255u8 {
            for lane in 0..20 {
                let mut text = vec![b'a'; 23];
                text[lane] = byte;
                let stop = byte == b'"' || byte == b'\\' || byte < 0x20;
                let stop = if stop { lane } else { 23 };
                assert_eq!((special(&text, 0), both(&text, 0, 0)), (stop, stop), "byte {byte} at {lane}");
                let stop = if matches!(byte, b'"' | b'{' | b'}' | b'[' | b']') { lane } else { 23 };
                assert_eq!((structure(&text, 0), both(&text, 0, 2)), (stop, stop), "byte {byte} at {lane}");
                let mut text = vec![b' '; 23];
                text[lane] = byte;
                let space = matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
                let stop = if space { 23 } else { lane };
                assert_eq!((token(&text, 0), both(&text, 0, 1)), (stop, stop), "byte {byte} at {lane}");
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

    #[test]
    fn marks_every_place() {
        for byte in 0..=255u8 {
            for place in 0..BLOCK {
                let mut block = [b'a'; BLOCK];
                block[place] = byte;
                for marks in [marks(&block), words::marks(&block)] {
                    let bit = |is: bool| u64::from(is) << place;
                    assert_eq!(marks.quotes, bit(byte == b'"'), "byte {byte} at {place}");
                    assert_eq!(marks.opening, bit(byte == b'{' || byte == b'['), "byte {byte} at {place}");
                    assert_eq!(marks.closing, bit(byte == b'}' || byte == b']'), "byte {byte} at {place}");
                    assert_eq!(marks.escapes, byte == b'\\', "byte {byte} at {place}");
                }
            }
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
            prop_assert_eq!(structure(&text, from), find(|b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']')));
            for (what, found) in [special(&text, from), token(&text, from), structure(&text, from)].into_iter().enumerate() {
                prop_assert_eq!(both(&text, from, what), found);
            }
        }
    }
}
