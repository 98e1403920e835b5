//! The payload of a package is a POSIX tar. Written, it is byte for byte what libarchive's pax writer makes under the
//! producer's settings; read, it may also be plain ustar or GNU (`spec/neff.md` section 4).
#![forbid(unsafe_code)]

mod block;
mod extended;
mod header;
mod name;
mod number;
mod pax;
mod read;
mod walk;
mod write;

pub use read::{Entries, Entry};
pub use walk::{MemberHeader, Step, TarWalk};
pub use write::{Attributes, TarWriter};

/// Size of a block in bytes; everything in a tar starts at a multiple of it.
pub const BLOCK: usize = 512;

/// The owner name of every member (`spec/neff.md` section 4.1).
pub const OWNER: &str = "nobody";

/// Bytes of padding after `length` bytes of data.
pub(super) const fn padding(length: usize) -> usize {
    length.wrapping_neg() % BLOCK
}

#[cfg(test)]
mod tests;
