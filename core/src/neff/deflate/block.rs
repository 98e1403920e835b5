//! Writes a block in the type that takes the fewest bytes.
#![forbid(unsafe_code)]

use super::alphabet::{
    DISTANCES, END_OF_BLOCK, FIRST_LENGTH, FIXED_DISTANCE, FIXED_LITERALS, LENGTH_CODES, LITERALS, distance_extra,
    length_extra,
};
use super::bits::BitWriter;
use super::huffman::{CODE_BITS, MAX_BITS, code_lengths, codes};
use super::lengths::Header;
use super::symbols::{DISTANCE, DISTANCE_CODE, MATCH, Symbol, Symbols};
use crate::error::Result;
use crate::sink::Sink;

const STORED: u32 = 0;
const FIXED: u32 = 1;
const DYNAMIC: u32 = 2;
/// The most bytes of one stored block.
const STORED_MAX: usize = 65535;
/// The bit writer's buffer holds so many bytes, each in the longest code.
const LITERALS_AT_ONCE: usize = 1 << 14;

/// Writes the symbols as a block. `bytes` are what they stand for, if these are still at hand.
pub(super) fn write(
    symbols: &Symbols,
    bytes: Option<&[u8]>,
    last: bool,
    out: &mut BitWriter,
    sink: &mut (impl Sink + ?Sized),
) -> Result<()> {
    let literals = symbols.literal_frequencies();
    let distances = symbols.distance_frequencies();
    let mut literal_lengths = [0u8; LITERALS];
    let mut distance_lengths = [0u8; DISTANCES];
    let literals_used = code_lengths(&literals, MAX_BITS, &mut literal_lengths);
    let distances_used = code_lengths(&distances, MAX_BITS, &mut distance_lengths);
    let header = Header::new(
        literal_lengths.get(..literals_used).unwrap_or_default(),
        distance_lengths.get(..distances_used).unwrap_or_default(),
    );

    let extra = extra_bits(&literals, &distances);
    let own = bytes_of(extra + cost(&literals, &literal_lengths) + cost(&distances, &distance_lengths) + header.bits);
    let fixed_distances = [FIXED_DISTANCE; DISTANCES];
    let fixed = bytes_of(extra + cost(&literals, &FIXED_LITERALS) + cost(&distances, &fixed_distances));
    if let Some(bytes) = bytes
        && bytes.len() as u64 + 4 <= own.min(fixed)
    {
        return stored(bytes, last, out, sink);
    }
    let mut packed = Codes { literals: [0; 512], end: 0, distances: [0; 32] };
    if fixed <= own {
        out.put(FIXED << 1 | u32::from(last), 3);
        packed.set(&FIXED_LITERALS, &fixed_distances);
    } else {
        out.put(DYNAMIC << 1 | u32::from(last), 3);
        header.write(out);
        packed.set(&literal_lengths, &distance_lengths);
    }
    packed.write(symbols.list(), out);
    if last {
        out.align();
    }
    out.drain(sink)
}

/// Writes bytes as a block of literals with codes of its own, or stored if that takes no more. `counts` say how often each byte
/// occurs.
pub(super) fn literals(
    bytes: &[u8],
    counts: &[u32; 256],
    out: &mut BitWriter,
    sink: &mut (impl Sink + ?Sized),
) -> Result<()> {
    let mut frequencies = [0u32; LITERALS];
    for (frequency, count) in frequencies.iter_mut().zip(counts.iter().chain(&[1])) {
        *frequency = *count;
    }
    let mut lengths = [0u8; LITERALS];
    let mut distance_lengths = [0u8; DISTANCES];
    let used = code_lengths(&frequencies, MAX_BITS, &mut lengths);
    let distances_used = code_lengths(&[0; DISTANCES], MAX_BITS, &mut distance_lengths);
    let header = Header::new(
        lengths.get(..used).unwrap_or_default(),
        distance_lengths.get(..distances_used).unwrap_or_default(),
    );
    if bytes.len() as u64 + 4 <= bytes_of(cost(&frequencies, &lengths) + header.bits) {
        return stored(bytes, false, out, sink);
    }
    out.put(DYNAMIC << 1, 3);
    header.write(out);
    let mut packed = Codes { literals: [0; 512], end: 0, distances: [0; 32] };
    packed.set(&lengths, &distance_lengths);
    for part in bytes.chunks(LITERALS_AT_ONCE) {
        packed.write_literals(part, out);
        out.drain(sink)?;
    }
    packed.write_end(out);
    out.drain(sink)
}

/// Writes bytes as they are, as many blocks as that takes, at least one.
pub(super) fn stored(mut bytes: &[u8], last: bool, out: &mut BitWriter, sink: &mut (impl Sink + ?Sized)) -> Result<()> {
    loop {
        let (piece, rest) = bytes.split_at(bytes.len().min(STORED_MAX));
        out.put(STORED << 1 | u32::from(last && rest.is_empty()), 3);
        out.align();
        let length = piece.len() as u32;
        out.put(length | (length ^ 0xffff) << 16, 32);
        out.drain(sink)?;
        if !piece.is_empty() {
            sink.write(piece)?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        bytes = rest;
    }
}

/// Whole bytes of a block of so many bits, with the 3 bits that begin it.
fn bytes_of(bits: u64) -> u64 {
    (bits + 3).div_ceil(8)
}

fn cost(frequencies: &[u32], lengths: &[u8]) -> u64 {
    frequencies.iter().zip(lengths).map(|(&frequency, &length)| u64::from(frequency) * u64::from(length)).sum()
}

/// Bits that follow the codes of lengths and distances.
fn extra_bits(literals: &[u32; LITERALS], distances: &[u32; DISTANCES]) -> u64 {
    let lengths = literals.iter().skip(FIRST_LENGTH).enumerate().map(|(code, &n)| u64::from(n * length_extra(code)));
    let distances = (0u32..).zip(distances).map(|(code, &n)| u64::from(n * distance_extra(code)));
    lengths.sum::<u64>() + distances.sum::<u64>()
}

/// Codes by what they are looked up with.
struct Codes {
    /// By byte; then by length less 3, with the extra bits.
    literals: [u32; 512],
    end: u32,
    distances: [u32; 32],
}

/// A packed code: its bits and their number.
#[inline(always)]
fn unpack(code: u32) -> (u64, u32) {
    (u64::from(code & ((1 << CODE_BITS) - 1)), code >> CODE_BITS)
}

impl Codes {
    fn set(&mut self, literals: &[u8], distances: &[u8]) {
        let mut all = [0u32; FIXED_LITERALS.len()];
        codes(literals, &mut all);
        codes(distances, &mut self.distances);
        let (bytes, lengths) = self.literals.split_at_mut(256);
        for (packed, code) in bytes.iter_mut().zip(all) {
            *packed = code;
        }
        self.end = all.get(END_OF_BLOCK).copied().unwrap_or_default();
        for (index, (packed, code)) in (0u32..).zip(lengths.iter_mut().zip(LENGTH_CODES)) {
            let extra = length_extra(usize::from(code));
            let (bits, count) = unpack(all.get(FIRST_LENGTH + usize::from(code)).copied().unwrap_or_default());
            // All codes but the last begin at a multiple of their reach.
            let value = if extra == 0 { 0 } else { index & ((1 << extra) - 1) };
            *packed = bits as u32 | value << count | (count + extra) << CODE_BITS;
        }
    }

    fn write(&self, symbols: &[Symbol], out: &mut BitWriter) {
        for &symbol in symbols {
            if symbol & MATCH == 0 {
                let (bits, count) = unpack(self.literals[symbol as usize & 0xff]);
                out.add(bits, count);
            } else {
                let (bits, count) = unpack(self.literals[256 + (symbol as usize & 0xff)]);
                out.add(bits, count);
                let code = symbol >> DISTANCE_CODE & 31;
                let (bits, count) = unpack(self.distances[code as usize]);
                let extra = distance_extra(code);
                let value = u64::from(symbol >> DISTANCE) & ((1 << extra) - 1);
                out.add(bits | value << count, count + extra);
            }
            out.carry();
        }
        self.write_end(out);
    }

    fn write_literals(&self, bytes: &[u8], out: &mut BitWriter) {
        let (triples, rest) = bytes.as_chunks::<3>();
        let add = |byte: u8, out: &mut BitWriter| {
            let (bits, count) = unpack(self.literals[usize::from(byte)]);
            out.add(bits, count);
        };
        for triple in triples {
            triple.iter().for_each(|&byte| add(byte, out));
            out.carry();
        }
        rest.iter().for_each(|&byte| add(byte, out));
        out.carry();
    }

    fn write_end(&self, out: &mut BitWriter) {
        let (bits, count) = unpack(self.end);
        out.add(bits, count);
        out.carry();
    }
}
