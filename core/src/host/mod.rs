//! Files of a host system, because the command and the C library must treat them alike: a file is replaced whole or not at
//! all, and what a package holds never lands outside the folder it is unpacked into.
//!
//! This is the only room that touches the file system; it exists with the feature `std`.
#![forbid(unsafe_code)]

pub mod dedup;
pub mod extract;
pub mod replace;
