//! The alphabets of RFC 1951: which code stands for which lengths and distances, and the codes that are fixed.
#![forbid(unsafe_code)]

/// Bytes, the end of the block, and length codes.
pub(super) const LITERALS: usize = 286;
/// Distance codes.
pub(super) const DISTANCES: usize = 30;
/// The symbol that ends a block.
pub(super) const END_OF_BLOCK: usize = 256;
/// The first length code.
pub(super) const FIRST_LENGTH: usize = 257;
/// The shortest and the longest match.
pub(super) const MIN_MATCH: usize = 3;
pub(super) const MAX_MATCH: usize = 258;

/// Length code, less [`FIRST_LENGTH`], of each length less [`MIN_MATCH`].
pub(super) const LENGTH_CODES: [u8; 256] = {
    let mut codes = [0u8; 256];
    let mut index = 0;
    while index < 256 {
        codes[index] = match index {
            255 => 28,
            0..=7 => index as u8,
            _ => doubling_code(index as u32, 2) as u8,
        };
        index += 1;
    }
    codes
};

/// Bits that follow a length code, by the code less [`FIRST_LENGTH`].
pub(super) const fn length_extra(code: usize) -> u32 {
    match code {
        28 => 0,
        0..=7 => 0,
        _ => (code as u32 >> 2) - 1,
    }
}

/// Distance code of a distance less 1.
#[inline(always)]
pub(super) const fn distance_code(distance: u32) -> u32 {
    if distance < 4 { distance } else { doubling_code(distance, 1) }
}

/// Bits that follow a distance code.
#[inline(always)]
pub(super) const fn distance_extra(code: u32) -> u32 {
    (code >> 1).saturating_sub(1)
}

/// The code of `value` where each power of two is cut into `2 ^ fraction` codes: the exponent, then `fraction` bits below the
/// highest one. `value` has more than `fraction` bits.
#[inline(always)]
const fn doubling_code(value: u32, fraction: u32) -> u32 {
    let exponent = 31 - value.leading_zeros();
    let step = exponent - fraction;
    (step << fraction) + (value >> step)
}

/// Code lengths of the fixed literal alphabet. Two codes that never occur complete it.
pub(super) const FIXED_LITERALS: [u8; 288] = {
    let mut lengths = [8u8; 288];
    let mut symbol = 144;
    while symbol < 280 {
        lengths[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    lengths
};

/// Code length of every distance code of a fixed block.
pub(super) const FIXED_DISTANCE: u8 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of RFC 1951 section 3.2.5, by its rule: how many values each code stands for.
    #[test]
    fn codes_follow_the_tables() {
        let mut length = 0;
        for code in 0..28 {
            for _ in 0..1 << length_extra(code) {
                if length < 255 {
                    assert_eq!(usize::from(LENGTH_CODES[length]), code, "length {length}");
                }
                length += 1;
            }
        }
        assert_eq!((length, LENGTH_CODES[255]), (256, 28));
        let mut distance = 0;
        for code in 0..DISTANCES as u32 {
            for _ in 0..1 << distance_extra(code) {
                assert_eq!(distance_code(distance), code, "distance {distance}");
                distance += 1;
            }
        }
        assert_eq!(distance, 1 << 15);
    }
}
