//! The core of BIR, the backend IR of a machine-learning accelerator compiler.
//!
//! Compiler components in C++, tools in Rust and C and loaders in firmware share one program as plain memory. This
//! crate owns that memory: it creates, queries, changes, reads, writes, de-duplicates and packages programs whose
//! objects have the offsets of `spec/layout.toml`. It needs no operating system: `core` and `alloc` are enough.
//!
//! Rooms, lower ones never know upper ones:
//!
//! - [`mem`]: arena, strings, lists, symbol tables and vectors, byte for byte as libstdc++ and LLVM lay them out;
//! - [`enums`]: the enums, their wire bytes and the five klr to bir crosswalks (generated);
//! - [`ir`]: the objects;
//! - [`op`]: the instruction set as one table, and what it says of an instruction;
//! - [`pass`]: passes over the objects;
//! - [`doc`]: BIR JSON and CBOR, in and out;
//! - [`text`]: the readable form;
//! - [`diff`]: what changed between two modules;
//! - [`graph`]: pictures of a module;
//! - [`consts`]: constant files and their de-duplication;
//! - [`klr`]: the kernels of front ends, in and out;
//! - [`lower`]: from those kernels to the objects;
//! - [`neff`]: the package;
//! - [`inline_weights`]: weights of a model directory become constants of a module;
//! - [`pack`]: from a module to a package;
//! - `host`: files and threads of a host system (feature `std`).
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod consts;
pub mod contents;
pub mod diff;
pub mod doc;
pub mod enums;
pub mod error;
pub mod fallible;
pub mod graph;
#[cfg(feature = "std")]
pub mod host;
pub mod inline_weights;
pub mod ir;
pub mod klr;
pub mod lower;
pub mod mem;
pub mod neff;
pub mod op;
pub mod pack;
pub mod pass;
mod relative_path;
pub mod sink;
pub mod text;

pub use error::{Error, ErrorCode, Position, Result};
