//! Packaging

use crate::boundary::{any, destroy, flag, give, nothing_at, object, path, put, required, slice, str_out, text};
use crate::callback::outcome;
use crate::files;
use crate::handle::{Buffer, Constants, FileSink, Packed};
use crate::package_records::{bir_constant_digest, bir_constants_report, bir_digest};
use crate::records::{
    bir_buffer, bir_file, bir_file_callback, bir_file_sink, bir_pack_options, bir_pack_report, bir_packed_constant,
};
use crate::types::{bir_error, bir_module, bir_status, bir_string};
use bir_core::consts::digest::{Md5, md5};
use bir_core::fallible::{copy, push};
use bir_core::host::dedup::digest_files;
use bir_core::ir::ModuleRef;
use bir_core::neff::Compression;
use bir_core::neff::path::safe_member_path;
use bir_core::pack::{ConstantsDigest, PackOptions, digest_constants, pack_module};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// One gzip member with the bytes of stock zlib at level 1.
pub const BIR_COMPRESSION_ZLIB: i32 = 0;
/// A plain tar, for fast loading.
pub const BIR_COMPRESSION_NONE: i32 = 1;
/// One gzip member in pieces that several threads can compress. The bytes are the same for any number of threads, but not those
/// of zlib.
pub const BIR_COMPRESSION_PARALLEL: i32 = 2;

/// The compression of a number.
pub fn compression(number: i32) -> Result<Compression> {
    match number {
        BIR_COMPRESSION_ZLIB => Ok(Compression::Exact),
        BIR_COMPRESSION_NONE => Ok(Compression::None),
        BIR_COMPRESSION_PARALLEL => Ok(Compression::Parallel),
        other => Err(Error::new(ErrorCode::BadValue, format_args!("{other} is no compression: 0 to 2 are"))),
    }
}

/// Adds bytes, which are copied, to a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_file_sink_write(
    sink: *mut bir_file_sink,
    bytes: *const c_void,
    size: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let busy = |_| Error::new(ErrorCode::Internal, "the sink is in use");
        let mut file = object(sink)?.0.try_borrow_mut().map_err(busy)?;
        append(&mut file, slice(bytes.cast(), size)?)
    })
}

fn append(file: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    file.try_reserve(bytes.len()).map_err(|_| Error::out_of_memory())?;
    file.extend_from_slice(bytes);
    Ok(())
}

/// Bytes of the caller as the library's own.
pub fn copied(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut copy = Vec::new();
    append(&mut copy, bytes)?;
    Ok(copy)
}

/// A text of the options, or its default if it is absent.
pub unsafe fn text_or(given: bir_string, default: String) -> Result<String> {
    // SAFETY: the caller's promise, see the crate's first comment.
    if given.data.is_null() { Ok(default) } else { copy(unsafe { text(given.data, given.len) }?) }
}

unsafe fn contents<'a>(file: &bir_file) -> Result<&'a [u8]> {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { slice(file.bytes.cast(), file.size) }
}

/// Where constant files come from.
struct Source<'a> {
    files: Vec<(&'a str, &'a [u8])>,
    folder: Option<&'a Path>,
    callback: bir_file_callback,
    user: *mut c_void,
}

/// A constant file where it was found.
enum Found<'a> {
    Given(&'a [u8]),
    Made(Vec<u8>),
    Named(PathBuf),
}

impl<'a> Source<'a> {
    /// The source that the options tell of.
    unsafe fn of(given: &bir_pack_options) -> Result<Self> {
        // SAFETY: the caller's promise, see the crate's first comment.
        unsafe {
            let mut files = Vec::new();
            for file in slice(given.files, given.file_count)? {
                files.push((text(file.name.data, file.name.len)?, contents(file)?));
            }
            let folder = match given.const_dir.data.is_null() {
                true => None,
                false => Some(path(given.const_dir.data, given.const_dir.len)?),
            };
            Ok(Source { files, folder, callback: given.read_file, user: given.user })
        }
    }

    fn find(&self, name: &str) -> Result<Found<'a>> {
        if let Some((_, found)) = self.files.iter().find(|file| file.0 == name) {
            return Ok(Found::Given(found));
        }
        if let Some(callback) = self.callback {
            let sink = FileSink(RefCell::new(Vec::new()));
            // SAFETY: the caller's promise: the function may be called with what was given for it.
            let status = unsafe { callback(self.user, name.as_ptr().cast(), name.len(), any(&sink).cast()) };
            if status != ErrorCode::NotFound.number() {
                return outcome(status).map(|()| Found::Made(sink.0.into_inner()));
            }
        }
        match self.folder {
            Some(folder) => Ok(Found::Named(folder.join(safe_member_path(name)?))),
            None => Err(Error::new(ErrorCode::NotFound, format_args!("nobody has the file `{name}`"))),
        }
    }

    fn file(&self, name: &str) -> Result<Vec<u8>> {
        match self.find(name)? {
            Found::Given(bytes) => copied(bytes),
            Found::Made(bytes) => Ok(bytes),
            Found::Named(path) => files::read(&path),
        }
    }

    /// Size and MD5 of a file, of which no more than a piece is in memory if it is one of the folder.
    fn digest(&self, name: &str) -> Result<(u64, Md5)> {
        match self.find(name)? {
            Found::Given(bytes) => Ok((bytes.len() as u64, md5(bytes))),
            Found::Made(bytes) => Ok((bytes.len() as u64, md5(&bytes))),
            Found::Named(path) => {
                let options = bir_core::host::dedup::Options { threads: 1, ..Default::default() };
                let digests = digest_files(&[&path], &options)?;
                let missing = || Err(Error::new(ErrorCode::Internal, "a file was not hashed"));
                digests.into_iter().next().unwrap_or_else(missing).map_err(|e| files::in_file(&path, e))
            }
        }
    }
}

unsafe fn pack(module: &ModuleRef, given: *const bir_pack_options) -> Result<bir_core::pack::Packed> {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe {
        let given = options!(
            given,
            bir_pack_options {
                compression,
                name,
                keep_duplicates,
                feature_bits,
                tool_version,
                module_member,
                files,
                file_count,
                read_file,
                user,
                const_dir,
                members,
                member_count,
            }
        );
        let defaults = PackOptions::default();
        let mut options = PackOptions {
            name: text_or(given.name, defaults.name)?,
            compression: compression(given.compression)?,
            deduplicate: !flag(given.keep_duplicates),
            feature_bits: given.feature_bits,
            tool_version: text_or(given.tool_version, defaults.tool_version)?,
            module_member: text_or(given.module_member, defaults.module_member)?,
            members: Vec::new(),
        };
        for member in slice(given.members, given.member_count)? {
            let bytes = copied(contents(member)?)?;
            push(&mut options.members, (copy(text(member.name.data, member.name.len)?)?, bytes.into()))?;
        }
        let source = Source::of(&given)?;
        pack_module(module, &mut |name| source.file(name), &options)
    }
}

/// What the options say of constant files.
unsafe fn digest(module: &ModuleRef, given: *const bir_pack_options) -> Result<ConstantsDigest> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe { options!(given, bir_pack_options { files, file_count, read_file, user, const_dir }) };
    // SAFETY: as above.
    let source = unsafe { Source::of(&given) }?;
    digest_constants(module, &mut |name| source.digest(name))
}

/// Hands the report to a caller who wants it.
unsafe fn hand_over(packed: bir_core::pack::PackReport, report: *mut *mut bir_pack_report) {
    if !report.is_null() {
        // SAFETY: the caller's promise, see the crate's first comment.
        unsafe { report.write(give(Packed(packed))) };
    }
}

/// Packages a module: its boundary tensors and constants become variables, equal constant files are stored once, and the
/// module itself is a member that names the files as they are stored. Equal inputs give equal bytes. The buffer and,
/// unless report is NULL, *report are the caller's; options may be NULL. NOT_FOUND or IO for a constant file that nobody
/// has, and what read_file returns, with the constant as path; CONFLICT for one name with two contents; UNSAFE_PATH for a
/// file name that leaves its folder; MISSING_KEY for a module without output; UNSUPPORTED for an architecture that packages
/// do not know.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_module(
    module: *const bir_module,
    options: *const bir_pack_options,
    report: *mut *mut bir_pack_report,
    err: *mut bir_error,
) -> *mut bir_buffer {
    boundary!(err, handle {
        let packed = pack(object(module)?, options)?;
        hand_over(packed.report, report);
        Ok(Buffer(packed.bytes))
    })
}

/// Packages a module into a file, see bir_pack_module(). The file is written beside the target, brought to the disk and
/// renamed: a failure leaves the old file as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_module_to_file(
    module: *const bir_module,
    options: *const bir_pack_options,
    file: *const c_char,
    file_len: usize,
    report: *mut *mut bir_pack_report,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let file = path(file, file_len)?;
        let packed = pack(object(module)?, options)?;
        files::write(file, |sink| sink.write(&packed.bytes))?;
        hand_over(packed.report, report);
        Ok(())
    })
}

/// Number of input tensors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_input_count(
    report: *const bir_pack_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.inputs.len()) })
}

/// The name of the input tensor at index, in module order. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_input(
    report: *const bir_pack_report,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.0.inputs.get(index).ok_or_else(|| nothing_at("input", index))?;
        put(out, str_out(found))
    })
}

/// Number of output tensors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_output_count(
    report: *const bir_pack_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.outputs.len()) })
}

/// The name of the output tensor at index, in module order. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_output(
    report: *const bir_pack_report,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.0.outputs.get(index).ok_or_else(|| nothing_at("output", index))?;
        put(out, str_out(found))
    })
}

/// Number of constants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_constant_count(
    report: *const bir_pack_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.constants.len()) })
}

/// The constant at index, in module order. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_constant(
    report: *const bir_pack_report,
    index: usize,
    out: *mut bir_packed_constant,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.0.constants.get(index).ok_or_else(|| nothing_at("constant", index))?;
        let constant = bir_packed_constant {
            variable: str_out(&found.variable),
            file: str_out(&found.file),
            stored_as: str_out(&found.stored_as),
            bytes: found.bytes,
            merged: u8::from(found.merged),
        };
        put(out, constant)
    })
}

/// Number of constant files stored; 0 with keep_duplicates, as bir_dedup_unique_files().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_unique_files(
    report: *const bir_pack_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.unique_files) })
}

/// Bytes that merging saved: the sizes of the constant files that matched an earlier one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_saved_bytes(
    report: *const bir_pack_report,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.saved_bytes) })
}

/// Number of warnings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_warning_count(
    report: *const bir_pack_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.warnings.len()) })
}

/// The warning at index: what looks wrong but does not stop the packager. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_warning(
    report: *const bir_pack_report,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.0.warnings.get(index).ok_or_else(|| nothing_at("warning", index))?;
        put(out, str_out(found))
    })
}

/// Frees the report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_pack_report_destroy(report: *mut bir_pack_report) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(report) }
}

/// One digest for the contents of all constants of a module that come from files: the MD5 of their keys (bir_dedup_key()), each
/// ended by a line feed, in module order (spec/consts.md sections 6.1 and 6.4). It does not depend on names and places of
/// files, so it tells whether a program was compiled with the same weights. The files are found as bir_pack_module() finds
/// them; other members of the options do not matter; options may be NULL. Unless report is NULL, *report is the caller's.
/// NOT_FOUND or IO for a file that nobody has, and what read_file returns, with the constant as path; UNSAFE_PATH for a file
/// name that leaves its folder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_constants_digest(
    module: *const bir_module,
    options: *const bir_pack_options,
    out: *mut bir_digest,
    report: *mut *mut bir_constants_report,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(out)?;
        let found = digest(object(module)?, options)?;
        put(out, bir_digest { bytes: found.digest })?;
        if !report.is_null() {
            report.write(give(Constants(found)));
        }
        Ok(())
    })
}

/// Number of constants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_constants_report_count(
    report: *const bir_constants_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.0.constants.len()) })
}

/// The constant at index, in module order. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_constants_report_get(
    report: *const bir_constants_report,
    index: usize,
    out: *mut bir_constant_digest,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.0.constants.get(index).ok_or_else(|| nothing_at("constant", index))?;
        let constant = bir_constant_digest {
            variable: str_out(&found.constant.variable),
            set: str_out(&found.constant.set),
            file: str_out(&found.constant.file),
            bytes: found.bytes,
            key: str_out(&found.key),
        };
        put(out, constant)
    })
}

/// Frees the report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_constants_report_destroy(report: *mut bir_constants_report) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(report) }
}
