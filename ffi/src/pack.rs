//! Packaging

use crate::boundary::{any, destroy, flag, give, nothing_at, object, path, put, slice, str_out, text};
use crate::callback::outcome;
use crate::files;
use crate::handle::{Buffer, FileSink, Packed};
use crate::records::{
    bir_buffer, bir_file, bir_file_callback, bir_file_sink, bir_pack_options, bir_pack_report, bir_packed_constant,
};
use crate::types::{bir_error, bir_module, bir_status, bir_string};
use bir_core::ir::ModuleRef;
use bir_core::neff::Compression;
use bir_core::neff::path::safe_member_path;
use bir_core::pack::{PackOptions, pack_module};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};
use std::cell::RefCell;
use std::path::Path;

/// One gzip member with the bytes of stock zlib at level 1.
pub const BIR_COMPRESSION_ZLIB: i32 = 0;
/// A plain tar, for fast loading.
pub const BIR_COMPRESSION_NONE: i32 = 1;
/// Gzip in independent pieces, which several cores could compress; the bytes depend on the contents alone.
pub const BIR_COMPRESSION_PARALLEL: i32 = 2;

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

/// A text of the options, or its default if it is absent.
unsafe fn text_or(given: bir_string, default: String) -> Result<String> {
    // SAFETY: the caller's promise, see the crate's first comment.
    if given.data.is_null() { Ok(default) } else { unsafe { text(given.data, given.len) }.map(str::to_owned) }
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

impl Source<'_> {
    fn file(&self, name: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Some((_, found)) = self.files.iter().find(|file| file.0 == name) {
            append(&mut bytes, found)?;
            return Ok(bytes);
        }
        if let Some(callback) = self.callback {
            let sink = FileSink(RefCell::new(bytes));
            // SAFETY: the caller's promise: the function may be called with what was given for it.
            let status = unsafe { callback(self.user, name.as_ptr().cast(), name.len(), any(&sink).cast()) };
            if status != ErrorCode::NotFound.number() {
                return outcome(status).map(|()| sink.0.into_inner());
            }
        }
        match self.folder {
            Some(folder) => files::read(&folder.join(safe_member_path(name)?)),
            None => Err(Error::new(ErrorCode::NotFound, format_args!("nobody has the file `{name}`"))),
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
        let compression = match given.compression {
            BIR_COMPRESSION_ZLIB => Compression::Exact,
            BIR_COMPRESSION_NONE => Compression::None,
            BIR_COMPRESSION_PARALLEL => Compression::Parallel,
            other => {
                return Err(Error::new(ErrorCode::BadValue, format_args!("{other} is no compression: 0, 1 and 2 are")));
            }
        };
        let defaults = PackOptions::default();
        let mut options = PackOptions {
            name: text_or(given.name, defaults.name)?,
            compression,
            deduplicate: !flag(given.keep_duplicates),
            feature_bits: given.feature_bits,
            tool_version: text_or(given.tool_version, defaults.tool_version)?,
            module_member: text_or(given.module_member, defaults.module_member)?,
            members: Vec::new(),
        };
        for member in slice(given.members, given.member_count)? {
            let mut bytes = Vec::new();
            append(&mut bytes, contents(member)?)?;
            options.members.push((text(member.name.data, member.name.len)?.to_owned(), bytes.into()));
        }
        let mut files = Vec::new();
        for file in slice(given.files, given.file_count)? {
            files.push((text(file.name.data, file.name.len)?, contents(file)?));
        }
        let folder = match given.const_dir.data.is_null() {
            true => None,
            false => Some(path(given.const_dir.data, given.const_dir.len)?),
        };
        let source = Source { files, folder, callback: given.read_file, user: given.user };
        pack_module(module, &mut |name| source.file(name), &options)
    }
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
