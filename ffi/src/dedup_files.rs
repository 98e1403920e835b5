//! De-duplication of files on a disk

use crate::boundary::{collect, copy_text_out, destroy, flag, member, nothing_at, object, path, put, slice, str_out};
use crate::handle::DedupFiles;
use crate::package_records::{bir_dedup_files_options, bir_dedup_problem, bir_dedup_report, bir_deduped_file};
use crate::types::{BIR_STATUS_OK, bir_error, bir_status, bir_string};
use bir_core::enums::bir::{Dtype, MemoryType};
use bir_core::fallible::format;
use bir_core::host::dedup::{DEFAULT_MEMORY_TYPE, Keys, Options, dedup_files};
use core::ffi::c_char;
use std::path::{Path, PathBuf};

fn path_out(path: &Path) -> bir_string {
    let bytes = path.as_os_str().as_encoded_bytes();
    bir_string { data: bytes.as_ptr().cast(), len: bytes.len() }
}

/// Finds what could be merged among the files at and below these paths, of which a package would store one each (spec/consts.md
/// section 6), in the order of the bytes of their paths: the order of the arguments makes no difference. Folders are searched to
/// the bottom; links in them, FIFOs and devices are left out; a link that is named itself is followed. Files may be of any size
/// and are read at most twice; memory is bounded. Nothing is changed. options may be NULL. The report is the caller's; what
/// cannot be read is a problem in it and no failure. UNKNOWN_ENUM for another dtype or memory_type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_files(
    paths: *const bir_string,
    path_count: usize,
    options: *const bir_dedup_files_options,
    err: *mut bir_error,
) -> *mut bir_dedup_report {
    boundary!(err, handle {
        let given =
            options!(options, bir_dedup_files_options { threads, has_dtype, keys, dtype, memory_type });
        let dtype = if flag(given.has_dtype) { Some(member::<Dtype>(given.dtype)?.name()) } else { None };
        let memory_type = match given.memory_type {
            0 => DEFAULT_MEMORY_TYPE,
            number => member::<MemoryType>(number)?.name(),
        };
        let paths = slice(paths, path_count)?;
        let paths: Vec<PathBuf> =
            collect(paths.iter().map(|p| path(p.data, p.len).map(Path::to_path_buf)), paths.len())?;
        let keys = if flag(given.keys) { Keys::All } else { Keys::Equal };
        let options = Options { threads: given.threads as usize, keys, ..Options::default() };
        let report = dedup_files(&paths, dtype, memory_type, &options)?;
        let problems = report.problems.iter().map(|problem| format(&problem.error));
        let skipped = report.skipped.iter().map(|skipped| format(skipped.found));
        let messages = collect(problems.chain(skipped), report.problems.len() + report.skipped.len())?;
        Ok(DedupFiles { report, messages })
    })
}

/// Frees the report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_destroy(report: *mut bir_dedup_report) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(report) }
}

/// Number of files that could be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_file_count(
    report: *const bir_dedup_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.report.files.len()) })
}

/// The file at index, in the order of the bytes of the paths. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_file(
    report: *const bir_dedup_report,
    index: usize,
    out: *mut bir_deduped_file,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.report.files.get(index).ok_or_else(|| nothing_at("file", index))?;
        let file = bir_deduped_file {
            name: str_out(&found.name),
            path: path_out(&found.path),
            bytes: found.bytes,
            key: found.key.as_deref().map_or_else(bir_string::default, str_out),
            stored_as: found.stored_as,
            matched: u8::from(found.matched),
        };
        put(out, file)
    })
}

/// Number of distinct files, as bir_dedup_unique_files().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_unique_files(
    report: *const bir_dedup_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.report.unique_files) })
}

/// Sum of the sizes of all files, in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_bytes(
    report: *const bir_dedup_report,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.report.bytes) })
}

/// Sum of the sizes of the files that matched an earlier one, in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_saved_bytes(
    report: *const bir_dedup_report,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.report.saved_bytes) })
}

/// Number of files and folders that could not be read or were left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_problem_count(
    report: *const bir_dedup_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.messages.len()) })
}

/// What was not compared, at index: first what could not be read, then what was left out, each in the order of the bytes of the
/// paths. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_problem(
    report: *const bir_dedup_report,
    index: usize,
    out: *mut bir_dedup_problem,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let DedupFiles { report, messages } = object(report)?;
        let problems = report.problems.iter().map(|problem| (&problem.path, problem.error.code.number()));
        let mut all = problems.chain(report.skipped.iter().map(|skipped| (&skipped.path, BIR_STATUS_OK)));
        let found = all.nth(index).zip(messages.get(index));
        let ((path, status), message) = found.ok_or_else(|| nothing_at("problem", index))?;
        put(out, bir_dedup_problem { path: path_out(path), status, message: str_out(message) })
    })
}

/// The product's line about the file at index, see bir_dedup_diagnostic().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_diagnostic(
    report: *const bir_dedup_report,
    index: usize,
    line: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.report.diagnostics().nth(index).ok_or_else(|| nothing_at("file", index))?;
        copy_text_out(&found.to_string(), line, capacity, len)
    })
}

/// The packager's line about the memory saved, see bir_dedup_message().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_report_message(
    report: *const bir_dedup_report,
    line: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { copy_text_out(&object(report)?.report.message().unwrap_or_default(), line, capacity, len) })
}
