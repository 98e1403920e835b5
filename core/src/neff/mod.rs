//! A compiled program ships as one file, a NEFF package: a header of 1024 bytes and an archive, usually compressed.
//!
//! - [`header`] and [`features`]: the first 1024 bytes;
//! - [`tar`], [`gzip`] and [`deflate`]: the archive, byte for byte as the producer's libraries write it, and readers for all
//!   that loaders accept;
//! - [`descriptors`]: the JSON members a runtime reads, and the check that follows them;
//! - [`optimize`]: what changes in a package that is to load fast;
//! - [`inventory`]: what there is to know of a package without its weights, which the check works on;
//! - [`compare`]: what differs between two of them;
//! - [`package`]: the writer; [`walk`]: the reader of what arrives in pieces; [`read`]: that of memory; [`signature`]: the
//!   identity of the build data.
//!
//! The facts are in `spec/neff.md`. The room takes plain data and knows nothing of IR objects.
#![forbid(unsafe_code)]

pub mod compare;
pub mod deflate;
pub mod descriptors;
pub mod features;
pub mod gzip;
pub mod header;
pub mod inventory;
pub(crate) mod json;
pub mod optimize;
pub mod package;
pub mod path;
mod pieces;
pub mod read;
pub mod signature;
pub mod tar;
pub mod target;
pub mod walk;

pub use inventory::Inventory;
pub use package::{Compression, PackageBuilder};
pub use read::{Options, Package};
