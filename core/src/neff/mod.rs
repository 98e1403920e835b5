//! A compiled program ships as one file, a NEFF package.
#![forbid(unsafe_code)]
pub mod features;
pub mod gzip;
pub mod header;
pub mod path;
pub mod sink;
pub mod tar;
