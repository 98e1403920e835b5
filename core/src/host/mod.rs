//! What takes a host system, because the command and the C library must use it alike: a file is replaced whole or not at all,
//! what a package holds never lands outside the folder it is unpacked into, and all cores compress.
//!
//! This is the only room that touches the file system and starts threads; it exists with the feature `std`.
#![forbid(unsafe_code)]

pub mod compare;
pub mod contents;
pub mod dedup;
pub mod extract;
mod failure;
pub mod folder;
pub mod model_dir;
pub mod optimize;
mod ordinary;
pub mod pack;
pub mod package;
pub mod package_reader;
pub mod package_writer;
pub mod pages_ahead;
mod parallel_gzip;
mod pipe;
mod random;
pub mod replace;
pub mod spool;
pub mod stamp;
pub mod survey;

pub use contents::FileContents;
pub use parallel_gzip::{MAX_THREADS, ParallelGzip};

#[cfg(test)]
mod tests;
