//! The enums, because the same word has three numbers: one in front-end records (klr), one in the objects (bir) and
//! one in the silicon (isa), and a cast between them is always wrong.
//!
//! Everything listed comes from `spec/enums.toml` through `cargo xtask gen`; the prose is `spec/enums.md`.
//!
//! - [`bir`], [`klr`], [`isa`], [`walrus`]: one Rust enum per enum of a space;
//! - [`EnumInfo`], [`ENUMS`], [`find`], [`EnumId`]: the same enums for code that gets their names at run time;
//! - [`CoreGeneration`]: the silicon bytes per generation (`wire_byte`), [`emit`] the opcode bytes;
//! - [`crosswalk`]: the only legal bridges from klr to bir;
//! - [`accept`], [`predicate`]: which opcodes a class accepts, and the family tests as data.
#![forbid(unsafe_code)]
// The crate's error is a plain value, so that failing needs no memory.
#![allow(clippy::result_large_err)]

pub mod accept;
mod alias;
mod arch;
mod argument;
pub mod crosswalk;
mod define;
mod dtype;
pub mod emit;
mod info;
mod ir_enum;
pub mod predicate;
mod qos;
pub(crate) mod suggest;
mod sync;
mod tensor_kind;
pub mod wire;

/// The enums of the objects in memory. Ordinals belong to build 2.24.5133.0; documents carry the names.
#[rustfmt::skip]
#[path = "generated/bir.rs"]
pub mod bir;
/// The words that classify members and enums, e.g. the class of an ALU operation.
#[rustfmt::skip]
#[path = "generated/category.rs"]
pub mod category;
/// The [`EnumId`] of every enum: the bir enums under their bare name, the other spaces with a prefix.
#[rustfmt::skip]
#[path = "generated/id.rs"]
pub mod id;
/// The enums of the silicon.
#[rustfmt::skip]
#[path = "generated/isa.rs"]
pub mod isa;
/// The enums of front-end (KLR) records: numbered from 1, 0 is reserved.
#[rustfmt::skip]
#[path = "generated/klr.rs"]
pub mod klr;
#[rustfmt::skip]
#[path = "generated/roster.rs"]
mod roster;
#[cfg(test)]
mod spec_tests;
/// The enums of pass options, which are no part of the IR.
#[rustfmt::skip]
#[path = "generated/walrus.rs"]
pub mod walrus;

pub use alias::AliasMask;
pub use category::{Confidence, JsonForm, Shape, Space, WireForm};
pub use info::{Attribute, AttributeValue, EnumId, EnumInfo, MemberInfo, find};
pub use ir_enum::IrEnum;
pub use roster::ENUMS;
pub use wire::CoreGeneration;
