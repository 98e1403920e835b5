//! A program has thousands of constants, and the digest of each names it; hashed one after the other they would take longer
//! than reading them. An MD5 cannot be split, but many can be computed side by side, each in a lane of a vector.
//!
//! - [`digest_many`]: messages that lie in memory;
//! - [`Lanes`]: messages that arrive in pieces;
//! - [`Kernel`]: the instruction set, chosen at run time.
//!
//! For a single message see [`digest`](super::digest).
#![deny(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod kernel;
mod lanes;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod rounds;
mod scalar;
mod simd;
#[cfg(target_arch = "x86_64")]
mod sse2;

pub use kernel::Kernel;
pub use lanes::{Lanes, MAX_LANES, Piece};

use super::digest::Md5;
use crate::{Error, Result};
use alloc::vec::Vec;
use core::cmp::Reverse;

/// The MD5 of each message, in their order.
///
/// # Errors
/// `OutOfMemory`.
pub fn digest_many(messages: &[&[u8]]) -> Result<Vec<Md5>> {
    digest_many_with(Kernel::best(), messages)
}

/// As [`digest_many`] with a chosen instruction set.
///
/// # Errors
/// `OutOfMemory`.
pub fn digest_many_with(kernel: Kernel, messages: &[&[u8]]) -> Result<Vec<Md5>> {
    let mut digests = Vec::new();
    digests.try_reserve_exact(messages.len()).map_err(|_| Error::out_of_memory())?;
    digests.resize(messages.len(), Md5::default());
    let mut order = Vec::new();
    order.try_reserve_exact(messages.len()).map_err(|_| Error::out_of_memory())?;
    order.extend(messages.iter().enumerate());
    // The long ones first: a long one at the end would be alone.
    order.sort_unstable_by_key(|(i, message)| (Reverse(message.len()), *i));

    let mut next = order.into_iter();
    let mut lanes = Lanes::new(kernel);
    let mut pieces = [Piece::default(); MAX_LANES];
    let mut places: [Option<usize>; MAX_LANES] = [None; MAX_LANES];
    loop {
        let mut busy = false;
        for (lane, (piece, place)) in pieces.iter_mut().zip(&mut places).enumerate().take(kernel.lanes()) {
            if let Some(done) = *place
                && let Some(digest) = lanes.take(lane)
            {
                *place = None;
                if let Some(to) = digests.get_mut(done) {
                    *to = digest;
                }
            }
            if place.is_none()
                && let Some((i, message)) = next.next()
            {
                lanes.begin(lane);
                (*piece, *place) = (Piece { bytes: message, last: true }, Some(i));
            }
            busy |= place.is_some();
        }
        if !busy {
            return Ok(digests);
        }
        lanes.advance(&mut pieces);
    }
}

#[cfg(test)]
mod tests;
