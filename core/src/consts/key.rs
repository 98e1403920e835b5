//! Two constants are one file if their keys and then their bytes agree; the key is what the product calls a unique
//! file name: content digest, element type and memory type without separators (`spec/consts.md` section 6.1).
#![forbid(unsafe_code)]

use super::digest::{Md5, hex, md5};
use alloc::string::String;

/// First half: the MD5 of all bytes of the file (an NPY header included) as 32 lowercase hexadecimal digits.
pub fn content_key(bytes: &[u8]) -> String {
    hex(&md5(bytes))
}

/// Second half: the tensor's element type followed by the location's memory type, both in the IR's spelling
/// (`float32`, `DRAM`).
pub fn location_key(dtype: &str, memory_type: &str) -> String {
    let mut key = String::with_capacity(dtype.len().saturating_add(memory_type.len()));
    key.push_str(dtype);
    key.push_str(memory_type);
    key
}

/// The whole key: [`content_key`] then [`location_key`].
pub fn dedup_key(bytes: &[u8], dtype: &str, memory_type: &str) -> String {
    join_key(&md5(bytes), &location_key(dtype, memory_type))
}

/// The whole key from its halves: the digest behind a [`content_key`] and a [`location_key`].
pub fn join_key(content: &Md5, location: &str) -> String {
    let mut key = hex(content);
    key.push_str(location);
    key
}

/// Separates a key into digest, element type and memory type.
///
/// That is always possible because the digest has 32 digits, element types start with a lowercase and memory types
/// with an uppercase letter and no element type contains one. `None` if `key` is not of that form.
pub fn split_key(key: &str) -> Option<(&str, &str, &str)> {
    let (digest, rest) = key.split_at_checked(32)?;
    let upper = rest.find(|c: char| c.is_ascii_uppercase())?;
    let (dtype, memory_type) = rest.split_at_checked(upper)?;
    let is_digest = digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (is_digest && dtype.starts_with(|c: char| c.is_ascii_lowercase())).then_some((digest, dtype, memory_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consts::npy;
    use std::vec::Vec;

    fn data(name: &str) -> Vec<u8> {
        std::fs::read([env!("CARGO_MANIFEST_DIR"), "/../tests/data/", name].concat()).unwrap()
    }

    fn identity(one: &[u8]) -> Vec<u8> {
        let zero = std::vec![0; one.len()];
        (0..128 * 128).flat_map(|i| if i / 128 == i % 128 { one.to_vec() } else { zero.clone() }).collect()
    }

    fn npy_file(descr: &str, shape: &[u64], data: &[u8]) -> Vec<u8> {
        let mut file = npy::header(descr, shape).unwrap();
        file.extend_from_slice(data);
        file
    }

    /// The 15 examples of `spec/consts.md` section 6.2, in order.
    #[test]
    fn worked_examples() {
        let floats: Vec<u8> = [1f32, 2.0, 3.0, 4.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        let counting: Vec<u8> = (0..16).collect();
        let identity_int8 = identity(&[1]);
        let aligned_64 = npy_file("<f4", &[4], &floats);
        // The 16-aligned header of old numpy: same dictionary, less padding.
        let mut aligned_16 =
            b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".to_vec();
        aligned_16.resize(79, b' ');
        aligned_16.push(b'\n');
        aligned_16.extend_from_slice(&floats);
        let w_npy = data("libarchive-ref/in/w.npy");
        let cases: [(&[u8], &str, &str, &str); 15] = [
            (&floats, "float32", "DRAM", "b4ad64bc24f643726bddf5606af738dafloat32DRAM"),
            (&floats, "uint8", "DRAM", "b4ad64bc24f643726bddf5606af738dauint8DRAM"),
            (&floats, "float32", "SB", "b4ad64bc24f643726bddf5606af738dafloat32SB"),
            (&counting, "int8", "DRAM", "1ac1ef01e96caf1be0d329331a4fc2a8int8DRAM"),
            (&[0; 64], "bfloat16", "DRAM", "3b5d3c7d207e37dceeedd301e35e2e58bfloat16DRAM"),
            (&identity(&[0x80, 0x3f]), "bfloat16", "DRAM", "0a9c43be6b267c3f7dfb291175809859bfloat16DRAM"),
            (&identity(&[0x00, 0x3c]), "float16", "DRAM", "faf30cdccf0579634804f38ab447b46ffloat16DRAM"),
            (&identity(&1f32.to_le_bytes()), "float32", "DRAM", "942acaa17b94fcb759d13f4cee7188a2float32DRAM"),
            (&identity_int8, "int8", "DRAM", "230372823e1691b2717e37b6611c5d1bint8DRAM"),
            (&npy_file("|i1", &[128, 128], &identity_int8), "int8", "DRAM", "e2e71334ee5a06e29ad80f5d11cb9c4fint8DRAM"),
            (&aligned_64, "float32", "DRAM", "560f7b53ccf17e090313214af62751adfloat32DRAM"),
            (&aligned_16, "float32", "DRAM", "d57859c5fcf1159d7649db35c1a2d4cefloat32DRAM"),
            (&w_npy, "float32", "DRAM", "50e4c890644b971d517f87586be2cec4float32DRAM"),
            (&w_npy[w_npy.len() - 24..], "float32", "DRAM", "d49272c2a45d49b0c84bdd176f934982float32DRAM"),
            (&[], "uint8", "DRAM", "d41d8cd98f00b204e9800998ecf8427euint8DRAM"),
        ];
        for (i, (bytes, dtype, memory_type, key)) in cases.iter().enumerate() {
            assert_eq!(dedup_key(bytes, dtype, memory_type), *key, "example {}", i + 1);
            let halves = [content_key(bytes), location_key(dtype, memory_type)].concat();
            assert_eq!(halves, *key);
            assert_eq!(split_key(key), Some((&key[..32], *dtype, *memory_type)));
        }
        assert_eq!(aligned_64.len(), 144);
        assert_eq!(aligned_16.len(), 96);
    }

    #[test]
    fn splits_only_keys() {
        for text in ["", "float32DRAM", "b4ad64bc24f643726bddf5606af738daDRAM", "b4ad64bc24f643726bddf5606af738da", "é"]
        {
            assert_eq!(split_key(text), None, "{text}");
        }
    }
}
