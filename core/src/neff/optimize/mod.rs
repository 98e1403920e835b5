//! A package that loads fast has its constants in one file, no debug data and no compression; this room says what of a package's
//! descriptors changes for that, and leaves the bytes to whoever holds them.
//!
//! Constants of a subgraph become one variable with one file ([`merge_constants`]): descriptors that read one of them read the
//! merged variable at an offset instead, which needs no key that loaders do not know (`spec/neff.md` sections 8.4 and 8.5).
//! A constant stays alone if anything else refers to it.
#![forbid(unsafe_code)]

mod debug;
mod merge;

pub use debug::{drop_debug_keys, is_debug};
pub use merge::{Merged, Payload, Piece, Subgraph, merge_constants};

#[cfg(test)]
mod tests;
