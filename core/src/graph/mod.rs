//! Pictures of a module, because what waits for what and what lies where is seen at once in a picture and hardly ever in
//! a document.
//!
//! Two pictures, three forms each:
//!
//! - the graph ([`write_graph`]): functions, blocks, loops, instructions and DMA blocks, with everything that one of them
//!   waits for or leads to. Each engine has a column and program order goes down; an instruction stands as high as what it
//!   waits for allows, so what stands side by side may run at the same time;
//! - the memory map ([`write_memory`]): where each location lies in SB and PSUM, partition by byte address.
//!
//! Each comes as SVG (complete, no scripts, details as tooltips), as Graphviz DOT (its own layout, for those who want
//! another one) and as JSON (the facts of the picture). The layout is computed in integers, so equal modules give equal
//! bytes on every machine.
//!
//! Large modules: what does not fit into [`GraphOptions::max_nodes`] is collapsed, block by block, and the picture says so.
//! The time for a picture grows with the size of the module, its own size with `max_nodes`.
//!
//! ```
//! use bir_core::doc::{ReadOptions, read_json};
//! use bir_core::graph::{Format, GraphOptions, write_graph};
//!
//! let text = br#"{"version": 2, "arch": "gen3", "functions": [{"name": "main", "allocations": [], "blocks":
//!     [{"name": "b", "instructions": [{"name": "I-0", "opcode": "NoOp", "engine": "PE"},
//!       {"name": "I-1", "opcode": "NoOp", "engine": "DVE", "dependencies": [["I-0", "Flow"]]}]}]}]}"#;
//! let loaded = read_json(text, &ReadOptions::default())?;
//! let mut dot = Vec::new();
//! write_graph(&loaded.module, &mut dot, Format::Dot, &GraphOptions::default())?;
//! assert!(String::from_utf8_lossy(&dot).contains("tooltip=\"I-0 \u{2192} I-1: Flow"));
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod build;
mod connect;
mod describe;
mod dot;
mod json;
mod layout;
mod links;
pub mod memory;
pub mod model;
mod palette;
mod route;
mod rows;
mod select;
mod svg;
mod text;
mod xml;

pub use build::build as graph_of;
pub use memory::write_memory;

use crate::error::bail;
use crate::ir::ModuleRef;
use crate::sink::Sink;
use crate::{Error, ErrorCode, Result};

/// The form of a picture. The numbers are stable: the C API has them as `BIR_GRAPH_FORMAT_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Format {
    /// Scalable Vector Graphics, version 1.1.
    #[default]
    Svg = 0,
    /// A graph for Graphviz `dot`.
    Dot = 1,
    /// The facts of the picture as one JSON object.
    Json = 2,
}

impl Format {
    /// The form of that number.
    pub fn from_number(number: i32) -> Option<Format> {
        [Format::Svg, Format::Dot, Format::Json].into_iter().find(|f| *f as i32 == number)
    }
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphOptions<'o> {
    /// Only the function of that name; `None` for all.
    pub function: Option<&'o str>,
    /// Only the block of that name, nested ones included; without a function, the first one that has it.
    pub block: Option<&'o str>,
    /// The largest number of nodes of a graph, and of drawn locations of a memory map: 1 to [`MAX_NODES_LIMIT`]. Blocks
    /// that would exceed it are collapsed.
    pub max_nodes: usize,
}

/// [`GraphOptions::max_nodes`] unless set.
pub const DEFAULT_MAX_NODES: usize = 500;
/// The largest [`GraphOptions::max_nodes`]: no viewer shows more.
pub const MAX_NODES_LIMIT: usize = 20_000;

impl Default for GraphOptions<'_> {
    fn default() -> Self {
        GraphOptions { function: None, block: None, max_nodes: DEFAULT_MAX_NODES }
    }
}

impl GraphOptions<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        if (1..=MAX_NODES_LIMIT).contains(&self.max_nodes) {
            return Ok(());
        }
        Err(Error::new(ErrorCode::BadValue, "`max_nodes` is out of range")
            .expected_found(format_args!("1 to {MAX_NODES_LIMIT}"), self.max_nodes))
    }
}

/// Writes the graph of a module.
///
/// # Errors
/// `NotFound` for a function or block that does not exist, `BadValue` for `max_nodes` out of range, `CorruptIr` or
/// `UnknownEnum` where foreign code wrote what no enum knows, `OutOfMemory`, and what the sink reports.
pub fn write_graph<S: Sink + ?Sized>(
    module: &ModuleRef,
    sink: &mut S,
    format: Format,
    options: &GraphOptions<'_>,
) -> Result<()> {
    let graph = graph_of(module, options)?;
    match format {
        Format::Svg => svg::write(&graph, sink),
        Format::Dot => dot::write(&graph, sink),
        Format::Json => json::write(&graph, sink),
    }
}

/// An index that must fit the 32 bits of the tables here.
fn index32(index: usize) -> Result<u32> {
    match u32::try_from(index) {
        Ok(index) => Ok(index),
        Err(_) => bail!(LimitExceeded, "the module has more than 2^32 objects"),
    }
}
