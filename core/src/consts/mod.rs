//! Constants reach the package through one door, so that equal weights are stored once and every file can be checked.
//!
//! - [`digest`]: the MD5 of file contents;
//! - [`md5`]: the MD5 of many files at once;
//! - [`key`]: the key two constants must share to be merged;
//! - [`dedup`]: the session that merges them;
//! - [`npy`]: the file format most constants come in;
//! - [`weights`]: which files of a model directory become constants.
//!
//! The facts are in `spec/consts.md`. The room takes plain data: names of element and memory types come as text, in
//! the spelling of the IR.
#![deny(unsafe_code)]

pub mod dedup;
pub mod digest;
pub mod key;
pub mod md5;
pub mod npy;
pub mod weights;

pub use dedup::{Content, Dedup};
pub use key::{dedup_key, join_key};
