//! From a module to a package: which tensors are its boundary, which constants it has, and which of their files are one.
//!
//! The top room of the core: it knows documents, constants and packages, and nobody knows it. Files come from the caller,
//! since the core has none.
#![forbid(unsafe_code)]

mod constant_file;
mod constants;

pub use constants::{
    ConstantDigest, ConstantsDigest, ModuleConstant, constants_digest, digest_constants, module_constants,
};

use crate::consts::Dedup;
use crate::contents::Data;
use crate::doc::{WriteOptions, write_json_with_files};
use crate::enums::bir::TensorKind;
use crate::error::bail;
use crate::fallible::{copy, format, push};
use crate::ir::{MemoryLocation, MemoryLocationSet, ModuleRef};
use crate::neff::descriptors::Tensor;
use crate::neff::package::Constant;
use crate::neff::path::safe_member_path;
use crate::neff::target::Target;
use crate::neff::{Compression, PackageBuilder};
use crate::{Error, Result};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashSet;

/// How a module is packaged.
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// Model name in the header; never taken from a path.
    pub name: String,
    /// How the payload is stored.
    pub compression: Compression,
    /// Merge equal constant files (`spec/consts.md` section 6).
    pub deduplicate: bool,
    /// Feature bits of the program (`spec/neff.md` section 3).
    pub feature_bits: u64,
    /// `tool_version` of `info.json`; may be empty.
    pub tool_version: String,
    /// Name of the module's member.
    pub module_member: String,
    /// More members: name, content.
    pub members: Vec<(String, Data<'static>)>,
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions {
            name: String::from("module"),
            compression: Compression::default(),
            deduplicate: true,
            feature_bits: 0,
            tool_version: String::new(),
            module_member: String::from("sg00/bir.json"),
            members: Vec::new(),
        }
    }
}

/// A constant of the module and the file that holds it in the package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedConstant {
    /// Variable: the location's name.
    pub variable: String,
    /// The file that the module names.
    pub file: String,
    /// The file in the package: the first one with these bytes, dtype and memory type.
    pub stored_as: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Whether it shares its file with an earlier constant.
    pub merged: bool,
}

/// What went into a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackReport {
    /// Names of the input tensors.
    pub inputs: Vec<String>,
    /// Names of the output tensors.
    pub outputs: Vec<String>,
    /// The constants, in module order.
    pub constants: Vec<PackedConstant>,
    /// Number of constant files stored.
    pub unique_files: usize,
    /// Bytes that merging saved.
    pub saved_bytes: u64,
    /// What looks wrong but does not stop the packager.
    pub warnings: Vec<String>,
}

/// A package and what went into it.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The package.
    pub bytes: Vec<u8>,
    /// What went into it.
    pub report: PackReport,
}

/// Packages a module in memory: its boundary tensors and constants become variables, constant files are merged, and the module
/// itself is a member that names the files as they are stored. Equal inputs give equal bytes.
///
/// `file` is called with each constant's file name, in module order, and returns its bytes. Where files are too large for memory
/// see [`assemble`].
///
/// # Errors
/// What `file` reports, at the constant's set; `Conflict` for one name with two contents; as [`assemble`].
pub fn pack_module(
    module: &ModuleRef,
    file: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    options: &PackOptions,
) -> Result<Packed> {
    let mut dedup = if options.deduplicate { Dedup::new() } else { Dedup::disabled() };
    let mut constants = Vec::new();
    for constant in module_constants(module)? {
        let place = |e: Error| e.at(format_args!("constant `{}`", constant.set));
        let bytes = file(&constant.file).map_err(place)?;
        let size = bytes.len() as u64;
        let (dtype, memory_type) = (constant.dtype.name(), constant.memory_type.name());
        let added = dedup.add(&constant.file, bytes, dtype, memory_type).map_err(place)?;
        let (stored_as, merged) = (copy(added.name)?, added.matched);
        let ModuleConstant { variable, file, .. } = constant;
        push(&mut constants, PackedConstant { variable, file, stored_as, bytes: size, merged })?;
    }
    let files: BTreeMap<&str, &[u8]> = dedup.files().collect();
    let mut data = |name: &str| Ok(Data::from(files.get(name).copied().unwrap_or_default()));
    let (builder, mut report) = assemble(module, constants, &mut data, options)?;
    report.unique_files = dedup.unique_files();
    report.saved_bytes = dedup.saved_bytes();
    Ok(Packed { bytes: builder.build()?, report })
}

/// The parts of a module's package, when it is known which of its constants share files: `constants` are those of
/// [`module_constants`], in that order. `data` is called with the name of each file to be stored, once, in module order.
///
/// # Errors
/// What `data` reports, and what reading the start of a file fails with; `UnsafePath` for a file name that leaves its folder;
/// `Unsupported` for an architecture that packages do not know; `OutOfMemory`.
pub fn assemble<'d>(
    module: &ModuleRef,
    constants: Vec<PackedConstant>,
    data: &mut dyn FnMut(&str) -> Result<Data<'d>>,
    options: &PackOptions,
) -> Result<(PackageBuilder<'d>, PackReport)> {
    let target = Target::from_arch(module.arch()?.name())?;
    let mut builder = PackageBuilder::new(&options.name, target, 1)?;
    builder.set_compression(options.compression);
    builder.set_feature_bits(options.feature_bits);
    builder.set_tool_version(&options.tool_version)?;
    let mut report = PackReport { constants, ..PackReport::default() };
    // Bytes of the location of each constant.
    let mut needed = Vec::new();
    each_variable(module, &mut report, &mut |report, variable| {
        let Variable { role, name, set, location } = variable;
        match role {
            Role::Input => {
                builder.input(tensor(&name, set, location)?)?;
                push(&mut report.inputs, name)
            }
            Role::Output => {
                builder.output(tensor(&name, set, location)?)?;
                push(&mut report.outputs, name)
            }
            Role::Constant => push(&mut needed, location.byte_size()),
        }
    })?;

    // Size of the data in each stored file.
    let mut stored: BTreeMap<&str, u64> = BTreeMap::new();
    // The stored file by file and variable, and by file alone for sets whose variable had to be renamed.
    let mut by_variable: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut by_file: BTreeMap<&str, &str> = BTreeMap::new();
    for (number, constant) in report.constants.iter().enumerate() {
        let name = constant.stored_as.as_str();
        by_variable.entry((&constant.file, &constant.variable)).or_insert(name);
        by_file.entry(&constant.file).or_insert(name);
        let bytes = match stored.get(name) {
            Some(bytes) => *bytes,
            None => {
                let data = data(name)?;
                let file = constant_file::look(&data)?;
                if let Some(fault) = file.fault {
                    push(
                        &mut report.warnings,
                        format(format_args!("constant `{}`: {name}: {fault}", constant.variable))?,
                    )?;
                }
                builder.constant_file(0, name, data)?;
                stored.insert(name, file.payload_bytes);
                file.payload_bytes
            }
        };
        // A location without dimensions has no size yet.
        if let Some(needed) = needed.get(number).filter(|needed| ![0, bytes].contains(needed)) {
            let warning = format_args!(
                "constant `{}`: {name}: the data has another size than the tensor: expected {needed} bytes, found {bytes}",
                constant.variable
            );
            push(&mut report.warnings, format(warning)?)?;
        }
        let (variable, file_name) = (copy(&constant.variable)?, copy(name)?);
        builder.constant(0, Constant { variable, file_name, bytes, alignment: 0, offset: 0 })?;
    }
    let stored_as = |set: &MemoryLocationSet| -> Option<String> {
        let (file, variable) = (set.file(), set.locations().next()?.name());
        let file = safe_member_path(&file).ok()?;
        by_variable.get(&(file, &*variable)).or_else(|| by_file.get(file)).map(|name| String::from(*name))
    };
    let mut document = Vec::new();
    write_json_with_files(module, &mut document, &WriteOptions::default(), &stored_as)?;
    builder.member(&options.module_member, document)?;
    for (name, data) in &options.members {
        builder.member(name, data.clone())?;
    }
    Ok((builder, report))
}

/// What a set is to whoever runs the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Given with each run.
    Input,
    /// A result.
    Output,
    /// Data of the program.
    Constant,
}

/// A location that becomes a variable of the package.
struct Variable<'m> {
    role: Role,
    /// Name of the variable.
    name: String,
    set: &'m MemoryLocationSet,
    location: &'m MemoryLocation,
}

/// Visits what becomes a variable, in module order (`spec/consts.md` section 6.4).
fn each_variable<'m>(
    module: &'m ModuleRef,
    report: &mut PackReport,
    visit: &mut dyn FnMut(&mut PackReport, Variable<'m>) -> Result<()>,
) -> Result<()> {
    let mut names: HashSet<String, crate::ir::raw::state::FixedState> =
        HashSet::with_hasher(crate::ir::raw::state::fixed_state());
    for function in module.functions() {
        for set in function.sets() {
            let role = role(set, &mut report.warnings)?;
            for location in set.locations() {
                let Some(role) = role else { continue };
                let name = variable_name(&mut names, &location.name())?;
                visit(report, Variable { role, name, set, location })?;
            }
        }
    }
    Ok(())
}

/// What a set is at the boundary; `None` for what stays inside.
pub(crate) fn role(set: &MemoryLocationSet, warnings: &mut Vec<String>) -> Result<Option<Role>> {
    Ok(match set.kind()? {
        TensorKind::ExternalInput | TensorKind::ExternalInputParameter | TensorKind::Input => {
            // An older producer calls every boundary tensor Input: one that is written and never read is a result.
            let reads = set.locations().map(|l| l.base().reader_count()).sum::<usize>();
            let writes = set.locations().map(|l| l.base().writer_count()).sum::<usize>();
            if set.kind()? == TensorKind::Input && reads == 0 && writes > 0 {
                let text = format_args!("set `{}` has kind Input but is only written: taken as an output", set.name());
                push(warnings, format(text)?)?;
                return Ok(Some(Role::Output));
            }
            Some(Role::Input)
        }
        TensorKind::ExternalOutput | TensorKind::ExternalOutputParameter | TensorKind::Output => Some(Role::Output),
        TensorKind::Const if !set.file().is_empty() => Some(Role::Constant),
        _ => None,
    })
}

fn tensor(name: &str, set: &MemoryLocationSet, location: &MemoryLocation) -> Result<Tensor> {
    let shape: Vec<u64> = set.tensor_shape().collect();
    Ok(Tensor {
        name: String::from(name),
        dtype: String::from(set.dtype()?.name()),
        shape,
        bytes: location.byte_size(),
    })
}

/// Locations of two sets may share a name; variables may not.
fn variable_name(taken: &mut HashSet<String, crate::ir::raw::state::FixedState>, wanted: &str) -> Result<String> {
    let mut name = String::from(wanted);
    let mut n = 0_u32;
    while taken.contains(&name) {
        n += 1;
        if n == u32::MAX {
            bail!(LimitExceeded, "no free variable name for `{wanted}`");
        }
        name = format(format_args!("{wanted}_{n}"))?;
    }
    taken.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    taken.insert(name.clone());
    Ok(name)
}
