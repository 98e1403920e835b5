//! The byte hash of libstdc++, because cached hashes and bucket numbers in symbol tables are part of the shared memory.

use super::hash_params::{MULTIPLIER, SHIFT};

/// The seed that `std::hash<std::string>` gives to the byte hash.
pub use super::hash_params::SEED;

/// Folds the high bits of `x` into its low ones.
fn mix(x: u64) -> u64 {
    x ^ (x >> SHIFT)
}

/// `std::_Hash_bytes` of 64-bit libstdc++ (`spec/layout.md` section 3.2); with [`SEED`] it is `std::hash<std::string>`.
pub fn hash_bytes(bytes: &[u8], seed: u64) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    for word in words {
        let word = mix(u64::from_le_bytes(*word).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER);
        hash = (hash ^ word).wrapping_mul(MULTIPLIER);
    }
    if !rest.is_empty() {
        let tail = rest.iter().rev().fold(0, |tail, byte| tail << 8 | u64::from(*byte));
        hash = (hash ^ tail).wrapping_mul(MULTIPLIER);
    }
    mix(mix(hash).wrapping_mul(MULTIPLIER))
}

#[cfg(test)]
mod tests {
    use super::super::hash_params::VECTORS;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn agrees_with_the_check_values_of_the_layout() {
        for (text, expected) in VECTORS {
            assert_eq!(hash_bytes(text.as_bytes(), SEED), expected, "{text:?}");
        }
    }

    #[test]
    fn agrees_with_the_real_library() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/libstdcxx-ref/hash_vectors.tsv");
        let table = std::fs::read_to_string(path).unwrap();
        let mut rows = 0;
        for line in table.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [length, hex, expected] = columns[..] else { panic!("three columns: {line:?}") };
            let key: Vec<u8> =
                (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
            assert_eq!(key.len(), length.parse::<usize>().unwrap());
            assert_eq!(hash_bytes(&key, SEED), u64::from_str_radix(expected, 16).unwrap(), "{line}");
            rows += 1;
        }
        assert_eq!(rows, 115);
    }
}
