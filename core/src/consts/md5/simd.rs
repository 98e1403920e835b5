//! What the algorithm asks of an instruction set, so that it is written once for all of them.
#![forbid(unsafe_code)]

/// A block of a message: four times sixteen bytes.
pub type Block = [[u8; 16]; 4];

/// The most lanes in one vector.
pub(super) const MAX_VECTOR: usize = 16;

/// Up to [`MAX_VECTOR`] messages that are hashed side by side, one in each lane of a vector.
pub(super) struct Group<'d> {
    /// The states word by word: `state[w][l]` is word `w` of lane `l`.
    pub state: [[u32; MAX_VECTOR]; 4],
    /// What comes next in each lane. A lane that is shorter than the run goes on with zeros, so one without a message
    /// can be left empty.
    pub data: [&'d [Block]; MAX_VECTOR],
}

impl Group<'_> {
    /// A group without messages.
    pub const EMPTY: Self = Group { state: [[0; MAX_VECTOR]; 4], data: [&[]; MAX_VECTOR] };
}

/// An instruction set that the CPU has, by the existence of the value, and its vectors of 32-bit words.
pub(super) trait Simd: Copy {
    /// One word of every lane.
    type Word: Copy;
    /// Lanes of one vector, at most [`MAX_VECTOR`].
    const LANES: usize;

    /// The same word in every lane.
    fn splat(self, word: u32) -> Self::Word;
    /// The first [`LANES`](Self::LANES) of these words.
    fn load(self, from: &[u32; MAX_VECTOR]) -> Self::Word;
    /// Writes the first [`LANES`](Self::LANES) words.
    fn store(self, words: Self::Word, to: &mut [u32; MAX_VECTOR]);
    /// The sixteen words of a block of every lane.
    fn words(self, blocks: &[&Block; MAX_VECTOR]) -> [Self::Word; 16];

    /// `x + y`
    fn add(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// `x & y`
    fn and(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// `!x & y`
    fn not_and(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// `x | y`
    fn or(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// `x ^ y`
    fn xor(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// Rotates each word to the left by `LEFT` bits; `RIGHT` is 32 - `LEFT`.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self, x: Self::Word) -> Self::Word;

    /// `sum` and the mix of the first round: `b ? c : d`.
    #[inline(always)]
    fn add_f(self, sum: Self::Word, b: Self::Word, c: Self::Word, d: Self::Word) -> Self::Word {
        self.add(sum, self.xor(d, self.and(b, self.xor(c, d))))
    }

    /// `sum` and the mix of the second round: `d ? b : c`. The halves have no bit in common, so they can be added, and
    /// only one of them waits for `b`, which comes last.
    #[inline(always)]
    fn add_g(self, sum: Self::Word, b: Self::Word, c: Self::Word, d: Self::Word) -> Self::Word {
        self.add(self.add(sum, self.not_and(d, c)), self.and(d, b))
    }

    /// `sum` and the mix of the third round: `b ^ c ^ d`.
    #[inline(always)]
    fn add_h(self, sum: Self::Word, b: Self::Word, c: Self::Word, d: Self::Word) -> Self::Word {
        self.add(sum, self.xor(b, self.xor(c, d)))
    }

    /// `sum` and the mix of the fourth round: `c ^ (b | !d)`.
    #[inline(always)]
    fn add_i(self, sum: Self::Word, b: Self::Word, c: Self::Word, d: Self::Word) -> Self::Word {
        self.add(sum, self.xor(c, self.or(b, self.xor(d, self.splat(u32::MAX)))))
    }
}

/// Vectors made of parts of four words, which the instruction sets interleave alike. Other processors have none here.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub(super) trait Parts: Simd {
    /// A vector whose part `p` is `parts[p]`, for as many parts as it has.
    fn row(self, parts: [&[u8; 16]; 4]) -> Self::Word;
    /// The lower two words of each part of `x` and `y` in turn.
    fn low_words(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// The upper two words of each part of `x` and `y` in turn.
    fn high_words(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// The lower half of each part of `x`, then of `y`.
    fn low_halves(self, x: Self::Word, y: Self::Word) -> Self::Word;
    /// The upper half of each part of `x`, then of `y`.
    fn high_halves(self, x: Self::Word, y: Self::Word) -> Self::Word;

    /// [`Simd::words`]: one quarter of the blocks after the other, as squares of four lanes and four words that are
    /// transposed within the parts.
    #[inline(always)]
    fn transposed(self, blocks: &[&Block; MAX_VECTOR]) -> [Self::Word; 16] {
        let mut words = [self.splat(0); 16];
        let (four, _) = words.as_chunks_mut::<4>();
        for (quarter, four) in four.iter_mut().enumerate() {
            let [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15] = *blocks;
            // Constant after unrolling, so never out of range.
            let q = quarter & 3;
            let x0 = self.row([&b0[q], &b4[q], &b8[q], &b12[q]]);
            let x1 = self.row([&b1[q], &b5[q], &b9[q], &b13[q]]);
            let x2 = self.row([&b2[q], &b6[q], &b10[q], &b14[q]]);
            let x3 = self.row([&b3[q], &b7[q], &b11[q], &b15[q]]);
            let (low01, high01) = (self.low_words(x0, x1), self.high_words(x0, x1));
            let (low23, high23) = (self.low_words(x2, x3), self.high_words(x2, x3));
            *four = [
                self.low_halves(low01, low23),
                self.high_halves(low01, low23),
                self.low_halves(high01, high23),
                self.high_halves(high01, high23),
            ];
        }
        words
    }
}
