//! Packages from files: archives, de-duplication, hashing.

pub mod archive;
pub mod dedup;
pub mod files;
pub mod hashing;
pub mod package;
