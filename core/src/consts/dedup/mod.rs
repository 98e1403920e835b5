//! A compiled program holds the same weights many times; a session finds the equal ones so that the package stores each once.
//!
//! MD5 alone decides nothing, because collisions are cheap to make: constants with equal keys share a bucket and are
//! compared byte for byte (`spec/consts.md` sections 6.3 and 6.7). And hashing is put off: a file of a size that occurs once
//! has no equal, whatever its key is. Records and presentations are kept in the order in which they came, and only that
//! order is ever visible.
//!
//! - [`Session`]: files of any [`Content`];
//! - [`Dedup`]: the same for bytes in memory.
#![forbid(unsafe_code)]

mod content;
mod session;

pub use content::Content;
pub use session::{Added, Diagnostic, Presentation, Record, Session, saved_message};

use alloc::borrow::Cow;

/// A session over bytes in memory.
pub type Dedup<'a> = Session<Cow<'a, [u8]>>;

#[cfg(test)]
mod tests;
