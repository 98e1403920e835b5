#![forbid(unsafe_code)]

use super::*;
use crate::error::ErrorCode;
use alloc::vec::Vec;
use std::string::ToString;

fn data(name: &str) -> Vec<u8> {
    std::fs::read([env!("CARGO_MANIFEST_DIR"), "/../tests/data/libarchive-ref/", name].concat()).unwrap()
}

#[test]
fn reads_the_reference_members() {
    assert!(gunzip(&data("short.tar.gz"), 1 << 20).unwrap() == data("short.tar"));
    assert!(gunzip(&data("short.padded.tar.gz"), 1 << 20).unwrap() == data("short.tar"));
    assert!(gunzip(&data("empty.tar.gz"), 1 << 20).unwrap() == data("empty.tar"));
}

#[test]
fn the_limit_is_exact() {
    let file = data("short.tar.gz");
    assert_eq!(gunzip(&file, 4096).unwrap().len(), 4096);
    for limit in [0, 1, 4095] {
        let error = gunzip(&file, limit).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded);
        assert!(error.message.contains("max_unpacked_bytes"));
    }
}

#[test]
fn reads_optional_header_fields() {
    let plain = data("short.tar.gz");
    let mut header = [&plain[..3], &[2 | 4 | 8 | 16], &plain[4..10], &[3, 0], b"abc", b"name\0", b"comment\0"].concat();
    let sum = (crc32fast::hash(&header) as u16).to_le_bytes();
    header.extend_from_slice(&sum);
    let full = [&header[..], &plain[10..]].concat();
    assert!(gunzip(&full, 4096).unwrap() == data("short.tar"));
    for cut in 0..full.len() {
        assert_eq!(gunzip(&full[..cut], 4096).unwrap_err().code, ErrorCode::BadCompression);
    }
    let mut damaged = full.clone();
    damaged[header.len() - 1] ^= 1;
    let error = gunzip(&damaged, 4096).unwrap_err();
    assert_eq!(error.position.unwrap().offset, header.len() as u64 - 2, "{error}");
}

#[test]
fn damage_and_truncation_are_errors_with_an_offset() {
    let file = data("short.tar.gz");
    for cut in 0..file.len() {
        let error = gunzip(&file[..cut], 1 << 20).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadCompression);
        assert!(error.position.is_some() && !error.expected.is_empty() && !error.found.is_empty(), "{error}");
    }
    for at in 0..file.len() {
        // Time, extra flags and system say nothing about the data.
        if (4..10).contains(&at) {
            continue;
        }
        for bit in 0..8 {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            match gunzip(&damaged, 1 << 20) {
                // Some bits change nothing: the flag for text, unused codes, the distance of a match inside zeros.
                Ok(out) => assert!(out == data("short.tar"), "byte {at} bit {bit}"),
                Err(error) => assert!(error.position.is_some(), "{error}"),
            }
        }
    }
    let surplus = [&file[..], &[0, 0, 1]].concat();
    let error = gunzip(&surplus, 1 << 20).unwrap_err();
    assert_eq!((error.code, error.position.unwrap().offset), (ErrorCode::BadCompression, file.len() as u64 + 2));
    let mut wrong_sum = file.clone();
    wrong_sum[file.len() - 8] ^= 1;
    let error = gunzip(&wrong_sum, 1 << 20).unwrap_err().to_string();
    assert!(error.contains("checksum") && error.contains("(byte 303)"), "{error}");
}

mod written {
    use super::*;
    use crate::consts::digest::{hex, md5};
    use crate::sink::Sink;
    use proptest::prelude::*;
    use std::format;

    fn gzip(pieces: &[&[u8]]) -> Vec<u8> {
        let mut writer = GzipWriter::new(Vec::new()).unwrap();
        pieces.iter().for_each(|piece| writer.write(piece).unwrap());
        writer.finish().unwrap()
    }

    #[test]
    fn reproduces_the_reference_members() {
        for name in ["short.tar", "empty.tar"] {
            let tar = data(name);
            let expected = data(&[name, ".gz"].concat());
            assert!(gzip(&[&tar]) == expected);
            assert!(gzip(&tar.chunks(1).collect::<Vec<_>>()) == expected);
        }
        let mut padded = gzip(&[&data("short.tar")]);
        padded.resize(padded.len() + record_padding(padded.len()), 0);
        assert!(padded == data("short.padded.tar.gz"));
        assert_eq!((record_padding(0), record_padding(RECORD), record_padding(1)), (0, 0, RECORD - 1));
    }

    fn lcg(count: usize) -> impl Iterator<Item = u8> {
        let mut x = 1u64;
        core::iter::repeat_with(move || {
            x = (x * 1103515245 + 12345) % (1 << 31);
            (x >> 16) as u8
        })
        .take(count)
    }

    /// The DEFLATE check vectors next to the reference archives.
    #[test]
    fn check_vectors() {
        let jsonl: Vec<u8> = (0..20000)
            .flat_map(|i| {
                format!("{{\"name\":\"var_{i}\",\"size\":{},\"type\":\"virtual\",\"var_id\":{i}}},\n", 64 * i)
                    .into_bytes()
            })
            .collect();
        let mut random = lcg(usize::MAX);
        let slots: Vec<u8> = (0..6000)
            .flat_map(|i| {
                let mut slot = [0u8; 64];
                slot[..2].copy_from_slice(&[[0x21, 0x01, 0x02, 0xc1][i % 4], 0x10]);
                slot[4..12].iter_mut().for_each(|b| *b = random.next().unwrap());
                slot
            })
            .collect();
        let noise: Vec<u8> = lcg(140000).collect();
        let mix = [&[0; 70000][..], &noise[..70000], &jsonl[..70000], &noise[70000..]].concat();
        let cases: [(Vec<u8>, &str, usize, &str); 11] = [
            (std::vec![0; 300000], "4a21de7a58fb8ecb9a1b1f08a3068269", 1325, "fba3cfd86dd1364a608bfde423a5daa2"),
            (lcg(200000).collect(), "440fe46aab23b702c494c53197bb3c21", 200065, "2d0647b724396a4d2d9f18f2d13f54eb"),
            (jsonl, "7435729267ea0d2e5f88146fa474d10c", 191773, "6f9b6ccd457dcfeff7c092579daefa40"),
            (slots, "a7fad9901797d6b073da0b5fccadf467", 68607, "c21c0ae3bbda01a47f5812b382a0f0d7"),
            (mix, "a302cfb6fd258fe31f5c3a73c5b81382", 152685, "6e1538411c54ca7120dac4d656424cb1"),
            (b"abc".to_vec(), "900150983cd24fb0d6963f7d28e17f72", 5, "c4b4d684e8f3223f0bb156c56f3af69e"),
            (Vec::new(), "d41d8cd98f00b204e9800998ecf8427e", 2, "598f4fe64aefab8f00bcbea4c9239abf"),
            (std::vec![b'a'; 774], "02d8b132e89d18160265b73262979784", 11, "c146382bff779fe23bb3c9c364091aa5"),
            (lcg(16383).collect(), "5b82196b421ff4545262374916192427", 16388, "105c788126b10e251c369a0b6e578b69"),
            (lcg(16384).collect(), "2d015c6e0ab686d6c509be25a3a23917", 16389, "83b35fb6b100501106c0b719e6e68385"),
            (lcg(16385).collect(), "4291cac869c3a71b691d6458f924e768", 16390, "c8b33a438f69c753fd77f34be0b85879"),
        ];
        for (i, (input, input_md5, length, output_md5)) in cases.iter().enumerate() {
            assert_eq!(hex(&md5(input)), *input_md5, "input {i}");
            let member = gzip(&[input]);
            let raw = &member[10..member.len() - 8];
            assert_eq!((raw.len(), hex(&md5(raw)).as_str()), (*length, *output_md5), "output {i}");
            assert!(gzip(&input.chunks(8192).collect::<Vec<_>>()) == member);
            assert!(gunzip(&member, input.len()).unwrap() == *input);
        }
    }

    proptest! {
        #[test]
        fn round_trips_however_it_is_cut(bytes in prop::collection::vec(0u8..4, 0..3000), cut in 1usize..500) {
            let whole = gzip(&[&bytes]);
            prop_assert_eq!(&gzip(&bytes.chunks(cut).collect::<Vec<_>>()), &whole);
            prop_assert_eq!(gunzip(&whole, bytes.len()).unwrap(), bytes);
        }
    }
}
