//! Builds a package from plain parts: the same parts give the same bytes on every machine (`spec/neff.md` section 11).
#![forbid(unsafe_code)]

mod assemble;
mod constants;
mod members;

use super::descriptors::{Engine, Queue, Tensor};
use super::path::safe_member_path;
use super::target::Target;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// The most physical cores: their folders have two digits.
pub const MAX_CORES: u32 = 99;

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
}

/// What differs between the physical cores of a program.
#[derive(Clone, Debug, Default)]
struct Core {
    constants: Vec<Constant>,
    queues: Vec<Queue>,
}

/// Collects the parts of a package for one logical core.
///
/// The builder adds `info.json`, `neff.json`, `kelf-0.json`, and for each physical core `sgNN/def.json` and the
/// files of the five engines; engine files that are not given become empty ones.
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
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
    cores: Vec<Core>,
    members: Vec<(String, Cow<'a, [u8]>)>,
}

impl<'a> PackageBuilder<'a> {
    /// A package of the program `name` for a logical core of `cores` physical ones (the header's `lnc_size`).
    ///
    /// # Errors
    ///
    /// `BadValue` unless there are 1 to [`MAX_CORES`] cores; `OutOfMemory`.
    pub fn new(name: &str, target: Target, cores: u32) -> Result<Self> {
        if cores == 0 || cores > MAX_CORES {
            return Err(Error::new(ErrorCode::BadValue, "the number of physical cores is wrong")
                .expected_found(format_args!("1 to {MAX_CORES}"), cores));
        }
        Ok(PackageBuilder {
            name: copy(name)?,
            tool_version: String::new(),
            build_version: String::new(),
            target,
            feature_bits: 0,
            compression: Compression::default(),
            pad_payload: false,
            uuid: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            cores: (0..cores).map(|_| Core::default()).collect(),
            members: Vec::new(),
        })
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

    /// Adds an input, in the order of the program's inputs.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn input(&mut self, input: Tensor) -> Result<()> {
        push(&mut self.inputs, input)
    }

    /// Adds an output, in the order of the program's outputs.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    pub fn output(&mut self, output: Tensor) -> Result<()> {
        push(&mut self.outputs, output)
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
    pub fn constant_file(&mut self, core: u32, file_name: &str, bytes: impl Into<Cow<'a, [u8]>>) -> Result<()> {
        self.core_mut(core)?;
        let path = safe_member_path(file_name)?;
        self.member(&Engine::member(&super::descriptors::graph_name(core as usize), path), bytes)
    }

    /// Sets the descriptor file (JSON) of an engine.
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member); `NotFound` for a core that does not exist.
    pub fn engine_json(&mut self, core: u32, engine: Engine, json: impl Into<Cow<'a, [u8]>>) -> Result<()> {
        self.constant_file(core, engine.json_name(), json)
    }

    /// Sets the instruction stream of an engine.
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member); `NotFound` for a core that does not exist.
    pub fn engine_bin(&mut self, core: u32, engine: Engine, stream: impl Into<Cow<'a, [u8]>>) -> Result<()> {
        self.constant_file(core, engine.bin_name(), stream)
    }

    /// Adds any other member, e.g. the module as `sg00/bir.json`. A leading `./` is dropped.
    ///
    /// # Errors
    ///
    /// `UnsafePath` for a name that is not a relative path without `..`; `OutOfMemory`. A name that is taken is found by
    /// [`build`](Self::build).
    pub fn member(&mut self, name: &str, bytes: impl Into<Cow<'a, [u8]>>) -> Result<()> {
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
        assemble::build(self)
    }

    fn core_mut(&mut self, core: u32) -> Result<&mut Core> {
        let count = self.cores.len();
        self.cores.get_mut(core as usize).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "no such physical core")
                .expected_found(format_args!("a number below {count}"), core)
        })
    }
}

#[cfg(test)]
mod tests;
