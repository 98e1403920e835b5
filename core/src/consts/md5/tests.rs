//! Every kernel that this CPU has, against the `md5` crate.

use super::*;
use crate::consts::digest::{hex, md5};
use proptest::prelude::*;
use std::string::String;

/// Deterministic bytes that repeat nowhere near.
fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

/// What cannot be checked here is said, not passed over.
#[test]
fn kernels_of_this_cpu() {
    let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
    assert_eq!(names.first(), Some(&"scalar"));
    assert_eq!(names.last(), Some(&Kernel::best().name()));
    for kernel in Kernel::available() {
        assert!((1..=MAX_LANES).contains(&kernel.lanes()), "{kernel:?}");
    }
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(names.get(1), Some(&"sse2"));
        for (name, title) in [("avx2", "AVX2"), ("avx512", "AVX-512")] {
            if !names.contains(&name) {
                // Past the capture of the test runner, so that it is seen.
                use std::io::Write;
                writeln!(std::io::stderr(), "not checked: this CPU has no {title}").unwrap();
            }
        }
    }
    #[cfg(target_arch = "aarch64")]
    assert_eq!(names, ["scalar", "neon"]);
}

/// RFC 1321, A.5.
#[test]
fn published_digests() {
    let vectors = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ];
    let messages: Vec<&[u8]> = vectors.iter().map(|v| v.0.as_bytes()).collect();
    for kernel in Kernel::available() {
        let digests: Vec<String> = digest_many_with(kernel, &messages).unwrap().iter().map(|d| hex(d)).collect();
        assert_eq!(digests, vectors.map(|v| v.1), "{kernel:?}");
        for (message, digest) in vectors {
            assert_eq!(hex(&digest_many_with(kernel, &[message.as_bytes()]).unwrap()[0]), digest, "{kernel:?}");
        }
    }
    assert!(digest_many(&[]).unwrap().is_empty());
}

#[test]
fn all_short_lengths_alone_and_together() {
    let all: Vec<Vec<u8>> = (0..=300).map(|n| bytes(n, n as u64 + 1)).collect();
    let messages: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let expected: Vec<Md5> = messages.iter().map(|m| md5(m)).collect();
    for kernel in Kernel::available() {
        assert!(digest_many_with(kernel, &messages).unwrap() == expected, "{kernel:?}");
        for (message, digest) in messages.iter().zip(&expected) {
            assert_eq!(digest_many_with(kernel, &[message]).unwrap(), [*digest], "{kernel:?} {}", message.len());
        }
        // Every number of lanes in use, with equal lengths.
        for count in 1..=kernel.lanes() + 1 {
            let messages: Vec<Vec<u8>> = (0..count).map(|n| bytes(200, n as u64)).collect();
            let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let expected: Vec<Md5> = slices.iter().map(|m| md5(m)).collect();
            assert_eq!(digest_many_with(kernel, &slices).unwrap(), expected, "{kernel:?} {count}");
        }
    }
}

#[test]
fn a_copied_lane_goes_its_own_way() {
    let (head, one, two) = (bytes(128, 1), bytes(77, 2), bytes(64, 3));
    for kernel in Kernel::available() {
        let mut lanes = Lanes::new(kernel);
        lanes.begin(3);
        let mut pieces = [Piece::default(); MAX_LANES];
        pieces[3].bytes = &head;
        lanes.advance(&mut pieces);
        assert!(pieces[3].bytes.is_empty() && lanes.take(3).is_none());
        lanes.copy(3, 0);
        pieces[3] = Piece { bytes: &one, last: true };
        pieces[0] = Piece { bytes: &two, last: true };
        let mut digests = [None; 2];
        while digests.contains(&None) {
            lanes.advance(&mut pieces);
            digests = [digests[0].or(lanes.take(3)), digests[1].or(lanes.take(0))];
        }
        let whole = |tail: &[u8]| Some(md5(&[&head, tail].concat()));
        assert_eq!(digests, [whole(&one), whole(&two)], "{kernel:?}");
        lanes.begin(0);
        lanes.stop(0);
        lanes.advance(&mut pieces);
        assert!(lanes.take(0).is_none() && lanes.take(MAX_LANES).is_none());
    }
}

/// Hashes messages in pieces that end at the given places, in lanes that are filled again as they get free.
fn in_pieces(kernel: Kernel, messages: &[(Vec<u8>, Vec<usize>)]) -> Vec<Md5> {
    let mut digests = std::vec![None; messages.len()];
    let mut lanes = Lanes::new(kernel);
    let mut pieces = [Piece::default(); MAX_LANES];
    let mut places: Vec<Option<(usize, usize, usize)>> = std::vec![None; MAX_LANES];
    let mut next = 0;
    while digests.contains(&None) {
        for lane in 0..MAX_LANES {
            if let Some((message, ..)) = places[lane]
                && let Some(digest) = lanes.take(lane)
            {
                assert!(digests[message].replace(digest).is_none());
                places[lane] = None;
            }
            if places[lane].is_none() && next < messages.len() {
                lanes.begin(lane);
                places[lane] = Some((next, 0, 0));
                pieces[lane] = Piece::default();
                next += 1;
            }
            if let Some((message, at, cut)) = places[lane]
                && pieces[lane].bytes.is_empty()
                && !pieces[lane].last
            {
                let (bytes, cuts) = &messages[message];
                let end = cuts.get(cut).map_or(bytes.len(), |c| (*c).clamp(at, bytes.len()));
                pieces[lane] = Piece { bytes: &bytes[at..end], last: cut >= cuts.len() };
                places[lane] = Some((message, end, cut + 1));
            }
        }
        lanes.advance(&mut pieces);
    }
    digests.into_iter().flatten().collect()
}

proptest! {
    // Each case hashes everything with every kernel, without optimisation.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn mixed_lengths_in_memory(lengths in prop::collection::vec(prop_oneof![0usize..200, 0usize..200, 0usize..3000], 0..50)) {
        let all: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, n)| bytes(*n, i as u64)).collect();
        let messages: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        let expected: Vec<Md5> = messages.iter().map(|m| md5(m)).collect();
        for kernel in Kernel::available() {
            prop_assert!(digest_many_with(kernel, &messages).unwrap() == expected, "{:?}", kernel);
        }
    }

    #[test]
    fn mixed_lengths_in_pieces(messages in prop::collection::vec((0usize..700, prop::collection::vec(0usize..700, 0..8)), 1..50)) {
        let messages: Vec<(Vec<u8>, Vec<usize>)> = messages
            .into_iter()
            .enumerate()
            .map(|(i, (length, mut cuts))| {
                cuts.sort_unstable();
                (bytes(length, i as u64), cuts)
            })
            .collect();
        let expected: Vec<Md5> = messages.iter().map(|m| md5(&m.0)).collect();
        for kernel in Kernel::available() {
            prop_assert!(in_pieces(kernel, &messages) == expected, "{:?}", kernel);
        }
    }
}
