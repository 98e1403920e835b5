//! How a block tells its codes: their lengths, shortened run by run, in a third alphabet whose own lengths come first.
#![forbid(unsafe_code)]

use super::alphabet::{DISTANCES, LITERALS};
use super::bits::BitWriter;
use super::huffman::{CODE_BITS, code_lengths, codes};

/// Symbols of the alphabet: 16 lengths and three kinds of runs.
const SYMBOLS: usize = 19;
/// The last length again, 3 to 6 times.
const REPEAT: u8 = 16;
/// 3 to 10 zeros.
const ZEROS: u8 = 17;
/// 11 to 138 zeros.
const MANY_ZEROS: u8 = 18;
/// The order in which the lengths of this alphabet are told: the likely ones first.
const ORDER: [usize; SYMBOLS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The longest code.
const LIMIT: usize = 7;

/// A symbol and what its extra bits hold.
#[derive(Clone, Copy, Default)]
struct Step {
    symbol: u8,
    extra: u8,
}

fn extra_bits(symbol: u8) -> u32 {
    match symbol {
        REPEAT => 2,
        ZEROS => 3,
        MANY_ZEROS => 7,
        _ => 0,
    }
}

/// The code lengths of a block, ready to be told.
pub(super) struct Header {
    literals: usize,
    distances: usize,
    steps: [Step; LITERALS + DISTANCES],
    count: usize,
    lengths: [u8; SYMBOLS],
    /// How many of the alphabet's own lengths are told.
    told: usize,
    /// Size of all of it in bits.
    pub(super) bits: u64,
}

impl Header {
    /// The lengths of literals and distances up to the last one used.
    pub(super) fn new(literals: &[u8], distances: &[u8]) -> Self {
        let mut header = Header {
            literals: literals.len(),
            distances: distances.len(),
            steps: [Step::default(); LITERALS + DISTANCES],
            count: 0,
            lengths: [0; SYMBOLS],
            told: 0,
            bits: 0,
        };
        for lengths in [literals, distances] {
            for run in lengths.chunk_by(|a, b| a == b) {
                header.run(run.first().copied().unwrap_or_default(), run.len());
            }
        }
        let mut frequencies = [0u32; SYMBOLS];
        for step in header.steps() {
            if let Some(frequency) = frequencies.get_mut(usize::from(step.symbol)) {
                *frequency += 1;
            }
        }
        code_lengths(&frequencies, LIMIT, &mut header.lengths);
        let length = |symbol: usize| header.lengths.get(symbol).copied().unwrap_or_default();
        header.told = ORDER.iter().rposition(|&symbol| length(symbol) != 0).map_or(0, |last| last + 1).max(4);
        header.bits = 5 + 5 + 4 + 3 * header.told as u64;
        for (symbol, (frequency, length)) in (0u8..).zip(frequencies.into_iter().zip(header.lengths)) {
            header.bits += u64::from(frequency) * u64::from(u32::from(length) + extra_bits(symbol));
        }
        header
    }

    fn steps(&self) -> &[Step] {
        self.steps.get(..self.count).unwrap_or_default()
    }

    fn step(&mut self, symbol: u8, extra: usize) {
        if let Some(step) = self.steps.get_mut(self.count) {
            *step = Step { symbol, extra: extra as u8 };
            self.count += 1;
        }
    }

    /// A length that occurs `count` times in a row.
    fn run(&mut self, length: u8, mut count: usize) {
        if length == 0 {
            while count >= 3 {
                let zeros = count.min(138);
                match zeros {
                    11.. => self.step(MANY_ZEROS, zeros - 11),
                    _ => self.step(ZEROS, zeros - 3),
                }
                count -= zeros;
            }
        } else if count >= 4 {
            self.step(length, 0);
            count -= 1;
            while count >= 3 {
                let repeats = count.min(6);
                self.step(REPEAT, repeats - 3);
                count -= repeats;
            }
        }
        (0..count).for_each(|_| self.step(length, 0));
    }

    /// Tells the lengths.
    pub(super) fn write(&self, out: &mut BitWriter) {
        out.put((self.literals - 257) as u32, 5);
        out.put((self.distances - 1) as u32, 5);
        out.put((self.told - 4) as u32, 4);
        for &symbol in ORDER.iter().take(self.told) {
            out.put(self.lengths.get(symbol).copied().unwrap_or_default().into(), 3);
        }
        let mut packed = [0u32; SYMBOLS];
        codes(&self.lengths, &mut packed);
        for step in self.steps() {
            let packed = packed.get(usize::from(step.symbol)).copied().unwrap_or_default();
            out.put(packed & ((1 << CODE_BITS) - 1), packed >> CODE_BITS);
            out.put(step.extra.into(), extra_bits(step.symbol));
        }
    }
}
