//! What kind of data a chunk is, found out in a fraction of the time that compressing it takes: most weights are noise, in which
//! a search for strings finds nothing.
#![forbid(unsafe_code)]

/// The kind of a chunk's bytes.
#[allow(clippy::large_enum_variant)] // Lives on the stack of one function.
pub(super) enum Content {
    /// No byte is likelier than another, and nothing is repeated.
    Noise,
    /// Some bytes are likelier than others, but hardly a string is repeated.
    Bytes,
    /// Strings are repeated.
    Strings,
}

/// Bytes of which one part is looked at.
const GROUP: usize = 64;
/// The last position of a chunk, plus 1.
pub(super) const MAX_CHUNK: usize = 1 << 16;
/// Two strings are equal if so many bytes are: shorter matches cost about what the bytes do.
const EQUAL_BYTES: u32 = 6;
const EQUAL_MASK: u64 = (1 << (8 * EQUAL_BYTES)) - 1;
/// Strings count as repeated if one of so many is.
const ONE_OF: usize = 32;

/// Finds out what a chunk of at most [`MAX_CHUNK`] bytes is. The answer depends on nothing else.
pub(super) fn content(chunk: &[u8]) -> Content {
    // Most chunks with strings show them at once.
    if repeats(chunk, chunk.len() / 8) {
        return Content::Strings;
    }
    if looks_even(chunk) {
        return if repeats_from_a_byte(chunk) { Content::Strings } else { Content::Noise };
    }
    if repeats(chunk, chunk.len()) { Content::Strings } else { Content::Bytes }
}

/// A position within a group that no period of the data follows.
#[inline(always)]
fn scattered(group: usize, range: usize) -> usize {
    ((group as u32).wrapping_mul(0x9e37_79b1) >> 16) as usize % range
}

/// Whether a sample of the bytes, an eighth of them, is as even as random ones are: the mean of the squared deviations, in units
/// of the expected count and per degree of freedom, is 1 for these, and 2 if the bytes of a whole chunk could be 0.3 % shorter.
fn looks_even(chunk: &[u8]) -> bool {
    const SAMPLE: usize = 32;
    let mut counts = Counts::default();
    let mut total = 0u64;
    for (i, part) in chunk.chunks_exact(8 * SAMPLE).enumerate() {
        let at = scattered(i, 7 * SAMPLE);
        counts.add(part.get(at..at + SAMPLE).unwrap_or_default());
        total += SAMPLE as u64;
    }
    // sum((n - total/256)^2) / (total/256) < 2 * 256, times total/256
    let squares: u64 = counts.sums().iter().map(|&n| u64::from(n) * u64::from(n)).sum();
    total >= 2048 && 256 * squares < total * (total + 512)
}

/// The 8 bytes at `at`, the first one lowest.
#[inline(always)]
fn load(chunk: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*chunk.get(at..)?.first_chunk()?))
}

/// Whether strings that begin with one certain byte are repeated. For bytes that are all equally likely: such a byte is then at
/// one of 256 places, and at the same ones whenever the data is repeated, at whatever distance.
fn repeats_from_a_byte(chunk: &[u8]) -> bool {
    const SLOTS: usize = 1 << 10;
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut seen = [0u64; SLOTS];
    let mut repeated = 0;
    let enough = (chunk.len() / 256).div_ceil(ONE_OF);
    let anchor = chunk.get(chunk.len() / 2).copied().unwrap_or_default();
    let (words, _) = chunk.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let unlike = u64::from_le_bytes(*word) ^ (ONES * u64::from(anchor));
        // The lowest bit set is that of the first byte that is the anchor.
        let hits = unlike.wrapping_sub(ONES) & !unlike & ONES << 7;
        if hits == 0 {
            continue;
        }
        let at = 8 * i + hits.trailing_zeros() as usize / 8;
        if let Some(string) = load(chunk, at).map(|bytes| bytes & EQUAL_MASK) {
            let slot = &mut seen[(string.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize & (SLOTS - 1)];
            repeated += usize::from(*slot == string);
            if repeated >= enough {
                return true;
            }
            *slot = string;
        }
    }
    false
}

/// Whether strings at scattered places occur among those before, as many in the bytes up to `end` as make the chunk a repeated
/// one.
fn repeats(chunk: &[u8], end: usize) -> bool {
    const SLOTS: usize = 1 << 13;
    let slot = |string: u64| ((string as u32).wrapping_mul(0x9e37_79b1) >> 19) as usize & (SLOTS - 1);
    let mut newest = [0u16; SLOTS];
    let groups = chunk.windows(GROUP + 8).step_by(GROUP);
    let enough = groups.len().div_ceil(ONE_OF);
    let mut repeated = 0;
    for (i, group) in groups.enumerate().take(end / GROUP) {
        if repeated >= enough {
            return true;
        }
        // Of two neighbours one is at an even distance, and only those at even places are remembered.
        let at = scattered(i, GROUP - 1);
        let found = (at..at + 2).any(|at| {
            load(group, at).is_some_and(|string| {
                let before = load(chunk, newest[slot(string)].into()).unwrap_or_default();
                i > 0 && (before ^ string) & EQUAL_MASK == 0
            })
        });
        repeated += usize::from(found);
        for at in (0..GROUP).step_by(2) {
            if let Some(string) = load(group, at) {
                newest[slot(string)] = (i * GROUP + at) as u16;
            }
        }
    }
    repeated >= enough
}

/// How often each byte occurs.
pub(super) fn count(chunk: &[u8]) -> [u32; 256] {
    let mut counts = Counts::default();
    counts.add(chunk);
    counts.sums()
}

/// Counts of bytes in four tables: neighbours are often equal, and adding to one number twice in a row takes longer.
struct Counts([[u32; 256]; 4]);

impl Default for Counts {
    fn default() -> Self {
        Counts([[0; 256]; 4])
    }
}

impl Counts {
    #[inline(always)]
    fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<4>();
        for word in words {
            for (table, &byte) in self.0.iter_mut().zip(word) {
                table[usize::from(byte)] += 1;
            }
        }
        for (table, &byte) in self.0.iter_mut().zip(rest) {
            table[usize::from(byte)] += 1;
        }
    }

    fn sums(&self) -> [u32; 256] {
        let [mut sums, others @ ..] = self.0;
        for table in others {
            sums.iter_mut().zip(table).for_each(|(sum, count)| *sum += count);
        }
        sums
    }
}
