//! The subcommands, one per file.

pub mod check;
pub mod compile;
pub mod convert;
pub mod cse;
pub mod dedup;
mod dedup_view;
pub mod diff;
mod diff_package;
pub mod enums;
pub mod graph;
pub mod info;
mod info_document;
pub(crate) mod info_package;
pub mod inline_weights;
pub mod klr_show;
pub mod list;
pub mod opcode;
pub mod pack;
pub mod print;
mod print_output;
mod print_select;
pub mod translate;
pub mod unpack;
