//! The DEFLATE encoder of packages, because their bytes are those of stock zlib at level 1 and no other encoder writes these
//! (`spec/neff.md` section 5.2). It equals zlib with window bits 15, memory level 8, the default strategy and no flush before
//! the end, given the whole input at once.
//!
//! From the bytes to the stream:
//!
//! - `window`: the last 64 KiB and what is still to come;
//! - `matcher`: the greedy search for earlier strings;
//! - `symbols`: the literals and matches of a block, counted;
//! - `huffman` and `lengths`: codes, and how a block tells them;
//! - `block`: the cheapest of the three block types;
//! - `bits`: bits to bytes;
//! - `encoder`: all of it in order, and [`Deflate`] in front;
//! - `piece`: the faster form, whose bytes are our own: independent pieces, each chunk treated as its `content` deserves.
#![forbid(unsafe_code)]

mod alphabet;
mod bits;
mod block;
mod content;
mod encoder;
mod huffman;
mod lengths;
mod matcher;
mod piece;
mod stream;
mod symbols;
mod window;

pub use piece::{PieceEncoder, compress_piece};
pub use stream::Deflate;

#[cfg(test)]
mod tests;
