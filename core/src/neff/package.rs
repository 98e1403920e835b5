//! Builds a package from plain parts: the same parts give the same bytes on every machine (`spec/neff.md` section 11).
#![forbid(unsafe_code)]

mod archive;
mod assemble;
mod constants;
mod facts;
mod members;
mod payload;

pub use archive::{Archive, ArchiveMember};
pub use facts::Facts;
pub use payload::{Payload, PayloadSummary};

use super::descriptors::{Engine, Queue, Tensor, Variable};
use super::path::safe_member_path;
use super::target::Target;
use crate::contents::Data;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// The most physical cores: their folders have two digits.
pub const MAX_CORES: u32 = 99;

/// The most logical cores: the header has a byte for each.
pub const MAX_NODES: usize = 64;

/// How the payload is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// One gzip member with the bytes of stock zlib at level 1.
    #[default]
    Exact,
    /// One gzip member in pieces that several threads can compress. Its bytes are the same for any number of threads, but are
    /// not those of zlib.
    Parallel,
    /// A plain tar, for fast loading.
    None,
}

/// A constant of one subgraph. Several may share a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Name of the variable.
    pub variable: String,
    /// Name of the file relative to the subgraph's folder.
    pub file_name: String,
    /// Size of the data in bytes, without an NPY header.
    pub bytes: u64,
    /// Device alignment in bytes, a power of two; 0 for none.
    pub alignment: u64,
    /// Where it starts in the data of the file, in bytes; 0 unless several constants were put into one file.
    pub offset: u64,
}

/// What differs between the physical cores of a program.
#[derive(Clone, Debug, Default)]
struct Core {
    constants: Vec<Constant>,
    variables: Vec<Variable>,
    queues: Vec<Queue>,
}

/// A logical core: an executable node of the graph, and the physical cores that run it together.
#[derive(Clone, Debug, Default)]
struct Node {
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
    cores: Range<usize>,
}

/// Collects the parts of a package, most of all for one logical core; [`add_node`](Self::add_node) makes it several.
///
/// The builder adds `info.json`, `neff.json`, a `kelf-<i>.json` for each logical core, and for each physical core
/// `sgNN/def.json` and the files of the five engines; engine files that are not given become empty ones.
#[derive(Clone, Debug)]
pub struct PackageBuilder<'a> {
    name: String,
    tool_version: String,
    build_version: String,
    target: Target,
    feature_bits: u64,
    compression: Compression,
    pad_payload: bool,
    uuid: Option<[u8; 16]>,
    nodes: Vec<Node>,
    cores: Vec<Core>,
    members: Vec<(String, Data<'a>)>,
}

impl<'a> PackageBuilder<'a> {
    /// A package of the program `name` for a logical core of `cores` physical ones (the header's `lnc_size`).
    ///
    /// # Errors
    ///
    /// `BadValue` unless there are 1 to [`MAX_CORES`] cores; `OutOfMemory`.
    pub fn new(name: &str, target: Target, cores: u32) -> Result<Self> {
        let mut builder = PackageBuilder {
            name: copy(name)?,
            tool_version: String::new(),
            build_version: String::new(),
            target,
            feature_bits: 0,
            compression: Compression::default(),
            pad_payload: false,
            uuid: None,
            nodes: Vec::new(),
            cores: Vec::new(),
            members: Vec::new(),
        };
        builder.add_node(cores)?;
        Ok(builder)
    }

    /// Adds a logical core of `cores` physical ones, whose numbers follow those that are there; returns its number, from 1 on:
    /// number 0 was there from the start.
    ///
    /// # Errors
    ///
    /// `BadValue` if the physical cores would not be 1 to [`MAX_CORES`] in all, or not as many as the other logical cores have
    /// (the header's `lnc_size` is one number); `LimitExceeded` for more logical cores than the header has places;
    /// `OutOfMemory`.
    pub fn add_node(&mut self, cores: u32) -> Result<u32> {
        let first = self.cores.len();
        let wrong = |expected: fmt::Arguments<'_>, found: u32| {
            Error::new(ErrorCode::BadValue, "the number of physical cores is wrong").expected_found(expected, found)
        };
        let total = u32::try_from(first).unwrap_or(u32::MAX).saturating_add(cores);
        if cores == 0 || total > MAX_CORES {
            return Err(wrong(format_args!("1 to {MAX_CORES}"), total));
        }
        if let Some(node) = self.nodes.first()
            && node.cores.len() != cores as usize
        {
            let expected = node.cores.len();
            return Err(wrong(format_args!("{expected}, as in the other logical cores"), cores));
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(Error::new(ErrorCode::LimitExceeded, "too many logical cores")
                .expected_found(format_args!("at most {MAX_NODES}"), self.nodes.len().saturating_add(1)));
        }
        self.cores.try_reserve(cores as usize).map_err(|_| Error::out_of_memory())?;
        push(&mut self.nodes, Node { cores: first..first.saturating_add(cores as usize), ..Node::default() })?;
        (0..cores).for_each(|_| self.cores.push(Core::default()));
        Ok(u32::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(u32::MAX))
    }

    /// Sets `tool_version` of `info.json`; empty by default.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn set_tool_version(&mut self, version: &str) -> Result<()> {
        self.tool_version = copy(version)?;
        Ok(())
    }

    /// Sets the header's build version; empty by default, cut to 127 bytes.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn set_build_version(&mut self, version: &str) -> Result<()> {
        self.build_version = copy(version)?;
        Ok(())
    }

    /// Sets the feature bits. The bits for raw constants and for several physical cores are added by the builder.
    pub fn set_feature_bits(&mut self, bits: u64) {
        self.feature_bits = bits;
    }

    /// Sets how the payload is stored.
    pub fn set_compression(&mut self, compression: Compression) {
        self.compression = compression;
    }

    /// Whether the payload is filled up with zeros to whole records of 10240 bytes; off by default.
    pub fn set_pad_payload(&mut self, pad: bool) {
        self.pad_payload = pad;
    }

    /// Sets the uuid instead of the one derived from the payload.
    pub fn set_uuid(&mut self, uuid: [u8; 16]) {
        self.uuid = Some(uuid);
    }

    /// Adds an input of the first logical core, in the order of the program's inputs.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn input(&mut self, input: Tensor) -> Result<()> {
        self.node_input(0, input)
    }

    /// Adds an output of the first logical core, in the order of the program's outputs.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn output(&mut self, output: Tensor) -> Result<()> {
        self.node_output(0, output)
    }

    /// Adds an input of a logical core. Logical cores may share inputs.
    ///
    /// # Errors
    ///
    /// `NotFound` for a logical core that does not exist; `OutOfMemory`.
    pub fn node_input(&mut self, node: u32, input: Tensor) -> Result<()> {
        push(&mut self.node_mut(node)?.inputs, input)
    }

    /// Adds an output of a logical core.
    ///
    /// # Errors
    ///
    /// `NotFound` for a logical core that does not exist; `OutOfMemory`.
    pub fn node_output(&mut self, node: u32, output: Tensor) -> Result<()> {
        push(&mut self.node_mut(node)?.outputs, output)
    }

    /// Adds a variable that is neither input, output, constant nor the state buffer to the physical core `core`; the ids of
    /// these variables follow those of the others.
    ///
    /// # Errors
    ///
    /// `NotFound` for a core that does not exist; `OutOfMemory`.
    pub fn variable(&mut self, core: u32, variable: Variable) -> Result<()> {
        push(&mut self.core_mut(core)?.variables, variable)
    }

    /// Adds a DMA queue set to the physical core `core`.
    ///
    /// # Errors
    ///
    /// `NotFound` for a core that does not exist; `OutOfMemory`.
    pub fn queue(&mut self, core: u32, queue: Queue) -> Result<()> {
        push(&mut self.core_mut(core)?.queues, queue)
    }

    /// Adds a constant to the physical core `core`; its file is added once with [`constant_file`](Self::constant_file).
    ///
    /// # Errors
    ///
    /// `NotFound` for a core that does not exist; `OutOfMemory`.
    pub fn constant(&mut self, core: u32, constant: Constant) -> Result<()> {
        push(&mut self.core_mut(core)?.constants, constant)
    }

    /// Adds the file of one or more constants of the physical core `core`, e.g. one of
    /// [`Dedup::files`](crate::consts::Dedup::files). The bytes are stored unchanged.
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member); `NotFound` for a core that does not exist.
    pub fn constant_file(&mut self, core: u32, file_name: &str, bytes: impl Into<Data<'a>>) -> Result<()> {
        self.core_mut(core)?;
        let path = safe_member_path(file_name)?;
        self.member(&Engine::member(&super::descriptors::graph_name(core as usize), path), bytes)
    }

    /// Sets the descriptor file (JSON) of an engine.
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member); `NotFound` for a core that does not exist.
    pub fn engine_json(&mut self, core: u32, engine: Engine, json: impl Into<Data<'a>>) -> Result<()> {
        self.constant_file(core, engine.json_name(), json)
    }

    /// Sets the instruction stream of an engine.
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member); `NotFound` for a core that does not exist.
    pub fn engine_bin(&mut self, core: u32, engine: Engine, stream: impl Into<Data<'a>>) -> Result<()> {
        self.constant_file(core, engine.bin_name(), stream)
    }

    /// Adds any other member, e.g. the module as `sg00/bir.json`. A leading `./` is dropped.
    ///
    /// # Errors
    ///
    /// `UnsafePath` for a name that is not a relative path without `..`; `OutOfMemory`. A name that is taken is found by
    /// [`build`](Self::build).
    pub fn member(&mut self, name: &str, bytes: impl Into<Data<'a>>) -> Result<()> {
        let name = copy(safe_member_path(name)?)?;
        push(&mut self.members, (name, bytes.into()))
    }

    /// The package.
    ///
    /// # Errors
    ///
    /// - `DuplicateName`: two members, variables or queues of one name;
    /// - `Conflict`: a member is also the folder of another, or a raw constant starts as an NPY file does and would be
    ///   misread;
    /// - `UnresolvedRef`: a constant whose file was not added;
    /// - `MissingKey`: no output;
    /// - what [`Definition::json`](super::descriptors::Definition::json) and
    ///   [`neff_json`](super::descriptors::neff_json) refuse; `OutOfMemory`.
    pub fn build(&self) -> Result<Vec<u8>> {
        self.archive()?.build()
    }

    /// The package, ready to be written: for what is too large to [`build`](Self::build) in memory.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn archive(&self) -> Result<Archive<'_>> {
        assemble::archive(self)
    }

    fn node_mut(&mut self, node: u32) -> Result<&mut Node> {
        let count = self.nodes.len();
        self.nodes.get_mut(node as usize).ok_or_else(|| no_such("logical", count, node))
    }

    fn core_mut(&mut self, core: u32) -> Result<&mut Core> {
        let count = self.cores.len();
        self.cores.get_mut(core as usize).ok_or_else(|| no_such("physical", count, core))
    }
}

fn no_such(kind: &str, count: usize, found: u32) -> Error {
    Error::new(ErrorCode::NotFound, format_args!("no such {kind} core"))
        .expected_found(format_args!("a number below {count}"), found)
}

#[cfg(test)]
mod tests;
