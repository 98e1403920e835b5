//! The JSON members that a runtime reads to find and load the program (`spec/neff.md` section 8).
//!
//! Each builder gives the whole member as bytes; [`check`] reads them back from a package and follows every name.
#![forbid(unsafe_code)]

mod check;
mod definition;
mod engine;
mod graph;
mod info;
mod kelf;
mod variable;

pub use check::{Facts, Finding, Severity, check, findings, tensor_bytes};
pub use definition::{Definition, Queue, QueueKind};
pub use engine::{ENGINES, Engine, empty_engine};
pub use graph::{GraphNode, MAX_DIMENSIONS, Tensor, neff_json};
pub use info::info_json;
pub use kelf::{graph_name, kelf_json, kelf_name};
pub use variable::{Backing, Variable, VariableKind};

#[cfg(test)]
mod tests;
