//! The algorithm (RFC 1321), for every instruction set at once.
//!
//! Each step waits for the one before, so a single vector leaves most of a CPU idle. Several groups of lanes therefore take
//! every step together.
#![forbid(unsafe_code)]

use super::simd::{Block, Group, MAX_VECTOR, Simd};

/// The state of a message of which nothing has been hashed.
pub(super) const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// `floor(2^32 * abs(sin(i + 1)))`
const K: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// What a lane without data hashes, to no purpose.
const NOTHING: &Block = &[[0; 16]; 4];

/// Hashes the next `blocks` blocks of every lane of every group.
///
/// Inlined into a function that enables the instruction set; without that every operation would be a call. For the same
/// reason there are no closures here, which would not have it enabled.
#[inline(always)]
pub(super) fn compress<S: Simd, const GROUPS: usize>(simd: S, groups: &mut [Group<'_>; GROUPS], blocks: usize) {
    let zero = simd.splat(0);
    let (mut a, mut b, mut c, mut d) = ([zero; GROUPS], [zero; GROUPS], [zero; GROUPS], [zero; GROUPS]);
    for ((((group, a), b), c), d) in groups.iter().zip(&mut a).zip(&mut b).zip(&mut c).zip(&mut d) {
        let [from_a, from_b, from_c, from_d] = &group.state;
        (*a, *b, *c, *d) = (simd.load(from_a), simd.load(from_b), simd.load(from_c), simd.load(from_d));
    }
    for at in 0..blocks {
        let before = (a, b, c, d);
        let mut words = [[zero; 16]; GROUPS];
        for (words, group) in words.iter_mut().zip(groups.iter()) {
            let mut lanes = [NOTHING; MAX_VECTOR];
            for (lane, data) in lanes.iter_mut().zip(&group.data).take(S::LANES) {
                if let Some(block) = data.get(at) {
                    *lane = block;
                }
            }
            *words = simd.words(&lanes);
        }
        /// One step of every group: `a = b + rotate(a + mix(b, c, d) + word + K[step])`.
        macro_rules! step {
            ($mix:ident, $a:ident, $b:ident, $c:ident, $d:ident, $step:expr, $word:expr, $left:literal) => {
                let constant = simd.splat(K[$step]);
                for ((((a, b), c), d), words) in $a.iter_mut().zip(&$b).zip(&$c).zip(&$d).zip(&words) {
                    let sum = simd.add(simd.add(*a, constant), words[$word % 16]);
                    let sum = simd.$mix(sum, *b, *c, *d);
                    *a = simd.add(simd.rotate::<$left, { 32 - $left }>(sum), *b);
                }
            };
        }
        /// The sixteen steps of a round; the word of its step `i` is `$times * i + $plus`.
        macro_rules! round {
            ($mix:ident, $first:literal, $times:literal, $plus:literal, $l0:literal, $l1:literal, $l2:literal, $l3:literal) => {
                round!(@four $mix, $first, 0, $times, $plus, $l0, $l1, $l2, $l3);
                round!(@four $mix, $first, 4, $times, $plus, $l0, $l1, $l2, $l3);
                round!(@four $mix, $first, 8, $times, $plus, $l0, $l1, $l2, $l3);
                round!(@four $mix, $first, 12, $times, $plus, $l0, $l1, $l2, $l3);
            };
            (@four $mix:ident, $first:literal, $i:literal, $times:literal, $plus:literal, $l0:literal, $l1:literal, $l2:literal, $l3:literal) => {
                step!($mix, a, b, c, d, $first + $i, $times * $i + $plus, $l0);
                step!($mix, d, a, b, c, $first + $i + 1, $times * ($i + 1) + $plus, $l1);
                step!($mix, c, d, a, b, $first + $i + 2, $times * ($i + 2) + $plus, $l2);
                step!($mix, b, c, d, a, $first + $i + 3, $times * ($i + 3) + $plus, $l3);
            };
        }
        round!(add_f, 0, 1, 0, 7, 12, 17, 22);
        round!(add_g, 16, 5, 1, 5, 9, 14, 20);
        round!(add_h, 32, 3, 5, 4, 11, 16, 23);
        round!(add_i, 48, 7, 0, 6, 10, 15, 21);
        let (mut from_a, mut from_b, mut from_c, mut from_d) = before;
        for (now, before) in
            [(&mut a, &mut from_a), (&mut b, &mut from_b), (&mut c, &mut from_c), (&mut d, &mut from_d)]
        {
            for (now, before) in now.iter_mut().zip(before) {
                *now = simd.add(*now, *before);
            }
        }
    }
    for ((((group, a), b), c), d) in groups.iter_mut().zip(&a).zip(&b).zip(&c).zip(&d) {
        let [to_a, to_b, to_c, to_d] = &mut group.state;
        simd.store(*a, to_a);
        simd.store(*b, to_b);
        simd.store(*c, to_c);
        simd.store(*d, to_d);
    }
}
