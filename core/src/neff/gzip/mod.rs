//! The payload's compression, one gzip member: with the bytes of stock zlib, which loaders and caches may compare
//! (`spec/neff.md` section 5), or in pieces that several threads can compress.
#![forbid(unsafe_code)]

mod frame;
mod head;
mod pieces;
mod read;
mod stream;
mod write;

#[cfg(feature = "std")]
pub(crate) use frame::Frame;
#[cfg(feature = "std")]
pub(crate) use pieces::Cutter;
pub use pieces::{PIECE, PieceGzipWriter};
pub use read::{gunzip, is_gzip, window};
pub use stream::{Gunzip, Inflated, WINDOW, Window};
pub use write::GzipWriter;

/// The header of every member that is written: no flags, no time, level 1, Unix.
pub const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3];

/// Granularity of the optional padding in bytes (`spec/neff.md` section 5.4).
pub const RECORD: usize = 10240;

/// Zero bytes to add after `length` bytes of payload to fill whole records.
pub const fn record_padding(length: usize) -> usize {
    match length % RECORD {
        0 => 0,
        surplus => RECORD - surplus,
    }
}

#[cfg(test)]
mod tests;
