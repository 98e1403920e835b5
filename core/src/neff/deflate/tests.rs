//! Comparison with stock zlib, given the whole input at once.
#![forbid(unsafe_code)]

use super::*;
use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;
use alloc::vec;
use alloc::vec::Vec;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use proptest::prelude::*;

fn zlib(input: &[u8]) -> Vec<u8> {
    zlib_in_two(input, 0)
}

/// Compresses what is cut in two.
fn zlib_in_two(input: &[u8], cut: usize) -> Vec<u8> {
    let mut stream = Compress::new(Compression::new(1), false);
    let mut out = Vec::with_capacity(input.len() + 1024);
    if cut > 0 {
        stream.compress_vec(&input[..cut], &mut out, FlushCompress::None).unwrap();
    }
    loop {
        let rest = &input[stream.total_in() as usize..];
        match stream.compress_vec(rest, &mut out, FlushCompress::Finish).unwrap() {
            Status::StreamEnd => return out,
            _ => out.reserve(1 << 16),
        }
    }
}

/// Compresses what is cut into pieces of these sizes, again and again.
fn ours(mut input: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut stream = Deflate::new(Vec::new()).unwrap();
    for &size in sizes.iter().cycle() {
        let (piece, rest) = input.split_at(size.min(input.len()));
        stream.write(piece).unwrap();
        input = rest;
        if input.is_empty() {
            break;
        }
    }
    stream.finish().unwrap()
}

fn inflate(bytes: &[u8], length: usize) -> Vec<u8> {
    let out = miniz_oxide::inflate::decompress_to_vec(bytes).unwrap();
    let mut other = Vec::with_capacity(length + 64);
    let status = Decompress::new(false).decompress_vec(bytes, &mut other, FlushDecompress::Finish).unwrap();
    assert_eq!(status, Status::StreamEnd);
    assert!(other == out);
    out
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// What an input is made of.
#[derive(Clone, Debug)]
enum Part {
    Run(u8, usize),
    Noise(u64, usize),
    /// Noise of so many different bytes.
    Few(u64, u8, usize),
    /// Bytes that are each half as likely as the one before: deep Huffman trees.
    Halving(u64, usize),
    /// Small floats of 16 bits: every other byte has few values.
    Weights(u64, usize),
    Text(u64, usize),
    /// What was so far back, again.
    Copy(usize, usize),
    /// The string at the last multiple of 32768, again.
    CopyOfBoundary(usize),
}

fn grow(input: &mut Vec<u8>, part: &Part) {
    let random = |seed: u64| Random(seed | 1);
    match *part {
        Part::Run(byte, length) => input.resize(input.len() + length, byte),
        Part::Noise(seed, length) => {
            let mut random = random(seed);
            input.extend((0..length).map(|_| random.next() as u8));
        }
        Part::Few(seed, values, length) => {
            let mut random = random(seed);
            input.extend((0..length).map(|_| random.below(usize::from(values) + 1) as u8));
        }
        Part::Halving(seed, length) => {
            let mut random = random(seed);
            input.extend((0..length).map(|_| 7 * random.next().trailing_zeros() as u8));
        }
        Part::Weights(seed, length) => {
            let mut random = random(seed);
            input.extend((0..length / 2).flat_map(|_| [random.next() as u8, 0x3c + random.below(5) as u8]));
        }
        Part::Text(seed, length) => {
            let mut random = random(seed);
            let end = input.len() + length;
            while input.len() < end {
                let word =
                    ["\"name\": ", "\"opcode\": \"Matmult\",\n", "[128, 512], ", "float32 ", "42"][random.below(5)];
                input.extend_from_slice(word.as_bytes());
            }
        }
        Part::Copy(distance, length) if distance <= input.len() && distance > 0 => {
            (0..length).for_each(|_| input.push(input[input.len() - distance]));
        }
        Part::CopyOfBoundary(length) => {
            let from = input.len() / 32768 * 32768;
            (from..from + length).for_each(|at| input.push(input.get(at).copied().unwrap_or_default()));
        }
        Part::Copy(..) => {}
    }
}

fn parts(longest: usize) -> impl Strategy<Value = Part> {
    let length = || prop_oneof![1..12usize, 1..300usize, 1..longest];
    let distance = prop_oneof![1..300usize, 1..40_000usize, 32_500..32_512usize, 32_760..32_776usize];
    prop_oneof![
        1 => (any::<u8>(), length()).prop_map(|(byte, length)| Part::Run(byte, length)),
        1 => (any::<u64>(), length()).prop_map(|(seed, length)| Part::Noise(seed, length)),
        1 => (any::<u64>(), any::<u8>(), length()).prop_map(|(seed, values, length)| Part::Few(seed, values, length)),
        1 => (any::<u64>(), length()).prop_map(|(seed, length)| Part::Halving(seed, length)),
        1 => (any::<u64>(), length()).prop_map(|(seed, length)| Part::Weights(seed, length)),
        1 => (any::<u64>(), length()).prop_map(|(seed, length)| Part::Text(seed, length)),
        3 => (distance, length()).prop_map(|(distance, length)| Part::Copy(distance, length)),
        1 => (1..400usize).prop_map(Part::CopyOfBoundary),
    ]
}

fn inputs(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(parts(longest), 0..20).prop_map(|parts| {
        let mut input = Vec::new();
        parts.iter().for_each(|part| grow(&mut input, part));
        input.truncate(300_000);
        input
    })
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![0..4usize, 1..700usize, 1..100_000usize, 65_500..65_600usize], 1..8)
        .prop_filter("no progress", |sizes| sizes.iter().sum::<usize>() > 8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn short_inputs_equal_zlib(input in inputs(100), sizes in sizes()) {
        let expected = zlib(&input);
        prop_assert!(ours(&input, &sizes) == expected);
        prop_assert!(inflate(&expected, input.len()) == input);
    }

    #[test]
    fn long_inputs_equal_zlib(input in inputs(40_000), sizes in sizes()) {
        prop_assert!(ours(&input, &sizes) == zlib(&input));
    }

    #[test]
    fn pieces_inflate_to_the_input(first in inputs(40_000), second in inputs(40_000)) {
        let mut out = Vec::new();
        let mut encoder = PieceEncoder::new().unwrap();
        encoder.encode(&first, false, &mut out).unwrap();
        encoder.encode(&second, true, &mut out).unwrap();
        prop_assert!(inflate(&out, first.len() + second.len()) == [&first[..], &second].concat());
        let mut alone = Vec::new();
        compress_piece(&first, false, &mut alone).unwrap();
        compress_piece(&second, true, &mut alone).unwrap();
        prop_assert!(alone == out);
    }
}

/// Several MB, so that every buffer is used again and blocks are longer than zlib's window.
#[test]
fn megabytes_equal_zlib() {
    let mut input = Vec::new();
    let long = [
        Part::Run(0, 5_000_000),
        Part::Noise(1, 300_000),
        Part::Weights(2, 300_000),
        Part::Copy(32_506, 400_000),
        Part::Copy(32_507, 100_000),
        Part::Text(3, 500_000),
        Part::Noise(4, 20_000),
        Part::Copy(20_000, 200_000),
        Part::Halving(5, 300_000),
        Part::Few(6, 250, 200_000),
    ];
    long.iter().for_each(|part| grow(&mut input, part));
    assert!(ours(&input, &[70_001, 3, 512]) == zlib(&input));
}

/// Zero to three bytes more than a number of symbols that ends a block, and lengths around zlib's window.
#[test]
fn lengths_around_every_limit_equal_zlib() {
    let mut noise = Vec::new();
    grow(&mut noise, &Part::Noise(7, 140_000));
    let blocks = [16_382, 16_383, 16_384, 16_385, 32_766, 32_767];
    let windows =
        [1 << 15, 1 << 16, 3 << 15, 1 << 17].into_iter().flat_map(|size| [size - 262, size - 1, size, size + 1]);
    for length in (0..300).step_by(7).chain(blocks).chain(windows) {
        assert!(ours(&noise[..length], &[length.max(1)]) == zlib(&noise[..length]), "{length} bytes of noise");
        let zeros = vec![0; length];
        assert!(ours(&zeros, &[length.max(1)]) == zlib(&zeros), "{length} zeros");
    }
}

/// The string at a multiple of 32768 is found at the longest distance, unless zlib then waits for input or the input ends: its
/// window has moved on before it looks. That is the only place where zlib's bytes depend on the cutting of the input.
#[test]
fn the_longest_distance_equals_zlib() {
    for half in 0..3 {
        let mut start = Vec::new();
        grow(&mut start, &Part::Noise(8 + half, 32_768 * half as usize + 32_506));
        // Strings with an odd third byte have hashes of their own.
        start.iter_mut().for_each(|byte| *byte &= 0x7e);
        start[32_768 * half as usize..][..8].copy_from_slice(&[1, 3, 7, 13, 21, 31, 43, 57]);
        let input = |distance: usize, left: usize| {
            let mut input = start.clone();
            grow(&mut input, &Part::Copy(distance, 8.min(left)));
            grow(&mut input, &Part::Few(9, 99, left.saturating_sub(8)));
            input
        };
        for distance in 32_505..32_508 {
            for left in (3..12).chain(255..270) {
                let input = input(distance, left);
                let expected = zlib(&input);
                assert!(ours(&input, &[5000]) == expected, "distance {distance}, {left} bytes left");
                assert!(ours(&input, &[start.len(), 1]) == expected, "distance {distance}, {left} bytes left");
            }
            let input = input(distance, 400);
            let depends = zlib_in_two(&input, start.len() + 261) != zlib(&input);
            assert_eq!(depends, distance == 32_506 && half > 0, "half {half}, distance {distance}");
        }
    }
}

/// A sink with little room.
struct Full(usize);

impl Sink for Full {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| Error::new(ErrorCode::Io, "the disk is full"))?;
        Ok(())
    }
}

#[test]
fn errors_of_the_sink_come_back() {
    let mut input = Vec::new();
    [Part::Noise(1, 50_000), Part::Text(2, 200_000)].iter().for_each(|part| grow(&mut input, part));
    let all = zlib(&input).len();
    for room in [0, 1, 16_000, 50_000, all - 1] {
        let write = || {
            let mut stream = Deflate::new(Full(room))?;
            stream.write(&input)?;
            stream.finish()
        };
        assert_eq!(write().map(|_| ()).unwrap_err().message, "the disk is full", "{room} bytes");
    }
    let mut stream = Deflate::new(Full(all)).unwrap();
    stream.write(&input).unwrap();
    assert_eq!(stream.finish().unwrap().0, 0);
}

/// Each kind of content takes the way that is meant for it, which its size shows.
#[test]
fn pieces_are_treated_by_their_content() {
    let piece = |parts: &[Part]| {
        let mut input = Vec::new();
        parts.iter().for_each(|part| grow(&mut input, part));
        let mut out = Vec::new();
        compress_piece(&input, true, &mut out).unwrap();
        assert!(inflate(&out, input.len()) == input);
        (input.len(), out.len(), zlib(&input).len())
    };
    // Stored in whole: 5 bytes for every 65535, and the end.
    assert_eq!(piece(&[Part::Noise(1, 262_140)]).1, 262_140 + 4 * 5 + 5);
    // Noise again within the reach of matches, and beyond it.
    let (input, ours, theirs) = piece(&[Part::Noise(1, 20_000), Part::Copy(20_000, 242_140)]);
    assert!(ours < input / 8 && ours < theirs + 100, "{ours} {theirs}");
    // Weights shrink by their codes alone, and more than with zlib's short matches.
    let (input, ours, theirs) = piece(&[Part::Weights(1, 262_140)]);
    assert!(ours < theirs && ours < 4 * input / 5, "{ours} {theirs}");
    // Text and zeros are left to matches.
    for parts in [vec![Part::Text(1, 262_140)], vec![Part::Run(0, 262_140)]] {
        let (_, ours, theirs) = piece(&parts);
        assert!(ours < theirs + 100, "{ours} {theirs}");
    }
    // Some of each, and pieces of a few bytes.
    let (_, ours, theirs) = piece(&[Part::Noise(1, 100_000), Part::Text(1, 100_000), Part::Weights(1, 100_000)]);
    assert!(ours < theirs + theirs / 50, "{ours} {theirs}");
    for length in 0..20 {
        let (_, ours, _) = piece(&[Part::Noise(1, length)]);
        assert!(ours <= length + 10 + 5, "{length} {ours}");
    }
}
