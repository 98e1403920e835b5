//! The C API of BIR: `libbir.so` and `libbir.a`. No logic lives here: every function checks its pointers and numbers,
//! calls the core once, and hands the answer out. Only files are of this crate, since the core has none (`files`,
//! `extract`).
//!
//! `include/bir.h` is written from these files by `cargo xtask gen`, one section per file. The conventions
//! stand in that header's first comment (`xtask/src/generate/header.rs`).
//!
//! Safety, once for all functions: the caller's promise is that every object pointer is NULL or leads to a live object of
//! the type that it says, in a module that was not destroyed and that only this thread uses now; that every text and array
//! has the length given; that every result pointer is NULL or may be written. All `unsafe` that follows from it is in
//! [`boundary`].
#![allow(non_camel_case_types)]
// The promise is the same everywhere and stands above and in the header.
#![allow(clippy::missing_safety_doc)]
// Signatures are C's.
#![allow(clippy::too_many_arguments)]

#[macro_use]
pub mod boundary;
pub mod axis;
pub mod block;
pub mod block_arg;
pub mod buffer;
mod callback;
pub mod clone;
pub mod crosswalk;
pub mod dedup;
pub mod dedup_files;
pub mod dependency;
pub mod diff;
pub mod document;
pub mod enums;
pub mod equal;
pub mod expr;
pub mod family;
pub mod field;
mod files;
pub mod function;
pub mod graph;
mod handle;
pub mod instruction;
pub mod isa;
pub mod klr;
pub mod location;
pub mod module;
pub mod opcode;
pub mod operand;
pub mod pack;
pub mod package;
pub mod package_reader;
pub mod package_records;
pub mod package_writer;
pub mod pass;
pub mod queue;
pub mod records;
pub mod register;
pub mod same;
pub mod set;
pub mod storage;
pub mod sync;
pub mod text;
pub mod types;
pub mod version;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_documents;
#[cfg(test)]
mod tests_fields;
#[cfg(test)]
mod tests_packages;
#[cfg(test)]
mod tests_passes;
