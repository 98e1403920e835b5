//! The payload's compression: one gzip member, written by stock zlib and nothing else, because every other DEFLATE
//! encoder gives other bytes (`spec/neff.md` section 5).
#![forbid(unsafe_code)]

mod head;
mod read;
mod stream;
#[cfg(feature = "zlib")]
mod write;

pub use read::{gunzip, is_gzip, window};
pub use stream::{Gunzip, Inflated, WINDOW, Window};
#[cfg(feature = "zlib")]
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
