//! The constant files of a module on a disk: compared with all cores, and read when the package is written.
#![forbid(unsafe_code)]

use super::FileContents;
use super::dedup::{Entry, Options, dedup_entries, digest_files};
use super::extract::Refused;
use crate::consts::digest::Md5;
use crate::contents::{Contents, Data};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use crate::ir::ModuleRef;
use crate::neff::PackageBuilder;
use crate::pack::{
    ModuleConstant, PackOptions, PackReport, PackedConstant, assemble, digest_constants, module_constants,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::vec::Vec;

/// The parts of a module's package, with constant files from `folder`, of which only those are read that could be equal.
/// `options.deduplicate` decides whether equal ones are merged, `compare` how they are looked for.
///
/// The package is the same as that of [`pack_module`](crate::pack::pack_module) with the same files.
///
/// # Errors
/// With the file it is about: `Io`, `Unsupported` for what is no ordinary file, `Conflict` for one that changes, `Cancelled`;
/// as [`assemble`].
pub fn assemble_from_folder(
    module: &ModuleRef,
    folder: &Path,
    options: &PackOptions,
    compare: &Options<'_>,
) -> Result<(PackageBuilder<'static>, PackReport), Refused> {
    let constants = module_constants(module)?;
    let mut paths = Vec::new();
    for constant in &constants {
        push(&mut paths, folder.join(&constant.file))?;
    }
    let (constants, unique_files, saved_bytes) = match options.deduplicate {
        true => merged(constants, &paths, compare)?,
        false => (alone(constants, &paths)?, 0, 0),
    };
    let mut failed = None;
    let mut data = |name: &str| -> Result<Data<'static>> {
        let path = folder.join(name);
        match FileContents::new(&path) {
            Ok(contents) => {
                let contents: Rc<dyn Contents> = Rc::new(contents);
                Ok(Data::Shared(contents))
            }
            Err(error) => {
                failed = Some(path);
                Err(error)
            }
        }
    };
    let assembled = assemble(module, constants, &mut data, options);
    let (builder, mut report) = assembled.map_err(|error| Refused { file: failed, error })?;
    report.unique_files = unique_files;
    report.saved_bytes = saved_bytes;
    Ok((builder, report))
}

/// One digest of all constants of a module ([`constants_digest`](crate::pack::constants_digest)), with files from `folder`, hashed
/// with all cores.
///
/// # Errors
/// What is wrong with a file, at the constant's set; as [`module_constants`].
pub fn digest_folder(module: &ModuleRef, folder: &Path) -> Result<Md5> {
    let mut paths = BTreeMap::new();
    for constant in module_constants(module)? {
        let path = folder.join(&constant.file);
        paths.insert(constant.file, path);
    }
    let list: Vec<&Path> = paths.values().map(PathBuf::as_path).collect();
    let digests = digest_files(&list, &Options::default())?;
    let known: BTreeMap<&str, Result<(u64, Md5)>> = paths.keys().map(|file| file.as_str()).zip(digests).collect();
    let mut file = |name: &str| match known.get(name) {
        Some(found) => found.clone(),
        None => Err(Error::new(ErrorCode::Internal, "a file was not hashed")),
    };
    digest_constants(module, &mut file).map(|digest| digest.digest)
}

/// Which constants share files; how many files there are, and the bytes that sharing saves.
fn merged(
    constants: Vec<ModuleConstant>,
    paths: &[PathBuf],
    compare: &Options<'_>,
) -> Result<(Vec<PackedConstant>, usize, u64), Refused> {
    let mut entries = Vec::new();
    for (constant, path) in constants.iter().zip(paths) {
        let dtype = Some(constant.dtype.name());
        push(&mut entries, Entry { name: &constant.file, path, dtype, memory_type: constant.memory_type.name() })?;
    }
    let report = dedup_entries(&entries, compare)?;
    if let Some(problem) = report.problems.first() {
        let of = constants.iter().zip(paths).find(|(_, path)| **path == problem.path).map(|(constant, _)| constant);
        return Err(refused(of, &problem.path, problem.error.clone()));
    }
    let mut packed = Vec::new();
    for (constant, file) in constants.into_iter().zip(&report.files) {
        let stored_as = report.files.get(file.stored_as).map_or(file.name.as_str(), |first| &first.name);
        let stored_as = copy(stored_as)?;
        let ModuleConstant { variable, file: name, .. } = constant;
        push(&mut packed, PackedConstant { variable, file: name, stored_as, bytes: file.bytes, merged: file.matched })?;
    }
    Ok((packed, report.unique_files, report.saved_bytes))
}

/// Every constant in the file that it names.
fn alone(constants: Vec<ModuleConstant>, paths: &[PathBuf]) -> Result<Vec<PackedConstant>, Refused> {
    let mut packed = Vec::new();
    for (constant, path) in constants.into_iter().zip(paths) {
        let contents = FileContents::new(path).map_err(|error| refused(Some(&constant), path, error))?;
        let ModuleConstant { variable, file, .. } = constant;
        let stored_as = copy(&file)?;
        push(&mut packed, PackedConstant { variable, file, stored_as, bytes: contents.size(), merged: false })?;
    }
    Ok(packed)
}

fn refused(constant: Option<&ModuleConstant>, path: &Path, error: Error) -> Refused {
    let error = match constant {
        Some(constant) if error.code != ErrorCode::OutOfMemory => error.at(format_args!("constant `{}`", constant.set)),
        _ => error,
    };
    Refused { file: Some(path.to_path_buf()), error }
}
