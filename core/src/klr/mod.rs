//! KLR files: the kernels that a front end hands over, in and out.
//!
//! [`decode`] reads a file into typed values ([`ast`]); texts stay where they are, everything else lies in an [`Arena`].
//! [`encode`] writes them back, byte for byte as the public writers do. [`write_json`] gives the whole tree as JSON,
//! [`write_listing`] a text for people, and [`check`] finds what no reader enforces. All four walk the values through
//! one interface, [`visit`]. What the format is: `spec/klr.md`.
//!
//! ```
//! use bir_core::klr::{self, Arena, DecodeOptions};
//!
//! // A file whose contents are the name of a kernel elsewhere.
//! let bytes = b"\xd9\xd9\xf7\x83\0\0\x0c\xd9\xeb\0\x81\x63NKI\xd9\xec\x04\x81\x63k.k";
//! let arena = Arena::new();
//! let file = klr::decode(bytes, &arena, &DecodeOptions::default())?;
//! assert_eq!(file.contents.name(), "hlo");
//! assert_eq!(file.lnc().unwrap_err().message, "Wrong KLIR content type");
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod arena;
/// The records of a file as Rust values (generated).
#[rustfmt::skip]
pub mod ast;
mod check;
mod decode;
mod define;
mod encode;
mod file;
mod front_end;
mod json;
mod listing;
#[rustfmt::skip]
mod names;
pub mod older;
mod schema;
mod trail;
pub mod visit;

pub use arena::Arena;
pub use check::{Findings, check};
pub use decode::{DecodeOptions, decode};
pub use encode::{EncodeOptions, encode};
pub use file::File;
pub use json::write_json;
pub use listing::write_listing;
pub use schema::{Head, Schema};
