//! Which instruction set hashes is decided here, once, and never shows in a result.
#![forbid(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::neon::Neon;
use super::scalar::Scalar;
use super::simd::{Group, Simd};
#[cfg(target_arch = "x86_64")]
use super::sse2::Sse2;
use core::fmt;

/// An instruction set that this CPU has. All give the same digests.
#[derive(Clone, Copy)]
pub struct Kernel(Set);

#[derive(Clone, Copy)]
enum Set {
    Scalar(Scalar),
    #[cfg(target_arch = "x86_64")]
    Sse2(Sse2),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon(Neon),
}

/// Runs with what the set holds and the number of lanes of its vectors.
macro_rules! each {
    ($set:expr, $simd:ident => $run:expr, $scalar:ident => $alone:expr) => {
        match $set {
            Set::Scalar($scalar) => $alone,
            #[cfg(target_arch = "x86_64")]
            Set::Sse2($simd) => $run,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2($simd) => $run,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512($simd) => $run,
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Set::Neon($simd) => $run,
        }
    };
}

impl Kernel {
    /// The one with the most lanes. The CPU is asked with the feature `std`; without it only what the target promises
    /// is used.
    pub fn best() -> Kernel {
        Kernel::available().last().unwrap_or(Kernel(Set::Scalar(Scalar)))
    }

    /// All that this CPU has, the one with the most lanes last.
    pub fn available() -> impl Iterator<Item = Kernel> {
        [
            Some(Set::Scalar(Scalar)),
            #[cfg(target_arch = "x86_64")]
            Sse2::new().map(Set::Sse2),
            #[cfg(target_arch = "x86_64")]
            Avx2::new().map(Set::Avx2),
            #[cfg(target_arch = "x86_64")]
            Avx512::new().map(Set::Avx512),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Neon::new().map(Set::Neon),
        ]
        .into_iter()
        .flatten()
        .map(Kernel)
    }

    /// The name of the instruction set, e.g. `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar(_) => "scalar",
            #[cfg(target_arch = "x86_64")]
            Set::Sse2(_) => "sse2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(_) => "avx512",
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Set::Neon(_) => "neon",
        }
    }

    /// How many messages it hashes at once: two vectors, since the steps of one alone wait for each other.
    pub fn lanes(self) -> usize {
        each!(self.0, simd => 2 * lanes_of(simd), _simd => 1)
    }

    /// Where message `n` of a run lies: group and lane.
    pub(super) fn place(self, n: usize) -> (usize, usize) {
        let lanes = each!(self.0, simd => lanes_of(simd), _simd => 1);
        (n / lanes, n % lanes)
    }

    /// Hashes the next `blocks` blocks of `messages` messages, at most as many as there are [`lanes`](Self::lanes).
    pub(super) fn compress(self, groups: &mut [Group<'_>; 2], messages: usize, blocks: usize) {
        let [first, _] = groups;
        if messages <= 1 {
            return Scalar.one(core::array::from_mut(first), blocks);
        }
        each!(self.0, simd => if messages <= lanes_of(simd) {
            simd.one(core::array::from_mut(first), blocks)
        } else {
            simd.two(groups, blocks)
        }, simd => simd.one(core::array::from_mut(first), blocks))
    }
}

/// The lanes of a vector. Other processors have none here.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
const fn lanes_of<S: Simd>(_: S) -> usize {
    S::LANES
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
