//! Documents

use crate::boundary::{bytes, destroy, flag, give, nothing_at, object, path, put, put_static, str_out};
use crate::callback::{CallbackSource, sink, tell_progress};
use crate::files;
use crate::handle::{Buffer, LoadReport};
use crate::records::{
    bir_buffer, bir_load_report, bir_progress_callback, bir_read_callback, bir_read_options, bir_warning,
    bir_write_callback, bir_write_options,
};
use crate::types::{bir_error, bir_module, bir_status, bir_string};
use bir_core::doc::{
    Format, Limits, Loaded, Progress, ReadOptions, WarningKind, Watch, WriteOptions, read_document_stream,
    read_document_watched, write_document,
};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};

/// JSON text.
pub const BIR_DOCUMENT_FORMAT_JSON: i32 = 0;
/// CBOR (RFC 8949): the same tree in fewer bytes.
pub const BIR_DOCUMENT_FORMAT_CBOR: i32 = 1;

/// A warning of another kind than the ones below: of a later version of the library.
pub const BIR_WARNING_KIND_OTHER: i32 = 0;
/// A name was taken, so the object got another one.
pub const BIR_WARNING_KIND_RENAMED: i32 = 1;
/// A key that is not known was dropped.
pub const BIR_WARNING_KIND_UNKNOWN_KEY: i32 = 2;
/// A key of an older producer was dropped.
pub const BIR_WARNING_KIND_IGNORED_KEY: i32 = 3;
/// A dependency given as a bare name counts as Flow.
pub const BIR_WARNING_KIND_BARE_DEPENDENCY: i32 = 4;
/// An immediate outside `ins` was put there.
pub const BIR_WARNING_KIND_MOVED_IMMEDIATE: i32 = 5;

/// The kinds that have a number of their own, which begins with 1.
const KINDS: [WarningKind; 5] = [
    WarningKind::Renamed,
    WarningKind::UnknownKey,
    WarningKind::IgnoredKey,
    WarningKind::BareDependency,
    WarningKind::MovedImmediate,
];

/// How to read, and whom to tell.
struct Reading {
    options: ReadOptions,
    progress: bir_progress_callback,
    user: *mut c_void,
}

impl Reading {
    /// Reads a document, by `read`, while the caller's function is told of the progress.
    ///
    /// # Safety
    /// - the caller's function may be called with its `user`, and does not unwind.
    unsafe fn run(self, read: impl FnOnce(&ReadOptions, &mut Watch<'_>) -> Result<Loaded>) -> Result<Loaded> {
        let Some(tell) = self.progress else { return read(&self.options, &mut Watch::new()) };
        let mut stopped = None;
        // SAFETY: as promised to this function.
        let mut show = |progress: &Progress| unsafe { tell_progress(tell, self.user, progress, &mut stopped) };
        let result = read(&self.options, &mut Watch::new().progress(&mut show));
        // What the caller's function returned is more than that the reading was stopped.
        result.map_err(|error| match stopped {
            Some(stopped) => Error { code: stopped.code, message: stopped.message, ..error },
            None => error,
        })
    }
}

unsafe fn read_options(given: *const bir_read_options) -> Reading {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe {
        options!(
            given,
            bir_read_options {
                strict,
                max_depth,
                max_string_bytes,
                max_module_bytes,
                max_warnings,
                max_elements,
                max_buffer_bytes,
                progress,
                progress_user,
            }
        )
    };
    let (mut limits, mut max_warnings) = (Limits::default(), ReadOptions::default().max_warnings);
    if given.max_depth != 0 {
        limits.max_depth = given.max_depth;
    }
    if given.max_string_bytes != 0 {
        limits.max_string_bytes = given.max_string_bytes;
    }
    if given.max_elements != 0 {
        limits.max_elements = given.max_elements;
    }
    if given.max_buffer_bytes != 0 {
        limits.max_buffer_bytes = given.max_buffer_bytes;
    }
    if given.max_warnings != 0 {
        max_warnings = given.max_warnings as usize;
    }
    let max_module_bytes = (given.max_module_bytes != 0).then_some(given.max_module_bytes);
    let options =
        ReadOptions { strict: flag(given.strict), limits, max_module_bytes, max_warnings, ..ReadOptions::default() };
    Reading { options, progress: given.progress, user: given.progress_user }
}

unsafe fn write_options(given: *const bir_write_options) -> Result<(Format, WriteOptions)> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe { options!(given, bir_write_options { compact, all_keys, format }) };
    let format = match given.format {
        BIR_DOCUMENT_FORMAT_JSON => Format::Json,
        BIR_DOCUMENT_FORMAT_CBOR => Format::Cbor,
        other => {
            return Err(Error::new(
                ErrorCode::BadValue,
                format_args!("{other} is no format of documents: 0 and 1 are"),
            ));
        }
    };
    Ok((format, WriteOptions { compact: flag(given.compact), explicit: flag(given.all_keys) }))
}

/// Gives a module and its report to the caller.
unsafe fn hand_over<'m>(loaded: Loaded, report: *mut *mut bir_load_report) -> &'m bir_core::ir::ModuleRef {
    let Loaded { module, warnings, warnings_dropped } = loaded;
    if !report.is_null() {
        // SAFETY: the caller's promise, see the crate's first comment.
        unsafe { report.write(give(LoadReport { warnings, dropped: warnings_dropped })) };
    }
    // SAFETY: a module that was given up lives until it is taken back by `bir_module_destroy`.
    unsafe { module.into_address().as_ref() }
}

/// Reads a module from a document of text_len bytes (spec/bir-json.md): CBOR if the first byte is 0xA0 to 0xBF or 0xD9,
/// else JSON. The module and, unless report is NULL, *report are the caller's. options may be NULL. On failure there is no
/// module at all: SYNTAX, WRONG_TYPE, MISSING_KEY, UNKNOWN_ENUM, UNRESOLVED_REF, BAD_VALUE, UNSUPPORTED, LIMIT_EXCEEDED,
/// and others that spec/bir-json.md section 9 lists; err tells path, line, column and offset, of CBOR path and offset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_load(
    text: *const c_char,
    text_len: usize,
    options: *const bir_read_options,
    report: *mut *mut bir_load_report,
    err: *mut bir_error,
) -> *mut bir_module {
    boundary!(err, pointer {
        let text = bytes(text, text_len)?;
        let loaded = read_options(options).run(|options, watch| read_document_watched(text, options, watch))?;
        Ok(Some(hand_over(loaded, report)))
    })
}

/// Reads a module from a file of either format, see bir_module_load(). The message of a failure begins with the path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_load_file(
    file: *const c_char,
    file_len: usize,
    options: *const bir_read_options,
    report: *mut *mut bir_load_report,
    err: *mut bir_error,
) -> *mut bir_module {
    boundary!(err, pointer {
        let file = path(file, file_len)?;
        let source = files::source(file)?;
        let loaded = read_options(options)
            .run(|options, watch| read_document_stream(source, options, watch))
            .map_err(|e| files::in_file(file, e))?;
        Ok(Some(hand_over(loaded, report)))
    })
}

/// Reads a module from a document that comes piece by piece, see bir_module_load(). Of JSON about one instruction is held in
/// memory at a time (max_buffer_bytes); an error that shows at the end only has an offset but no line. total is the number
/// of bytes to come, for the progress; 0 if it is not known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_load_stream(
    read: bir_read_callback,
    user: *mut c_void,
    total: u64,
    options: *const bir_read_options,
    report: *mut *mut bir_load_report,
    err: *mut bir_error,
) -> *mut bir_module {
    boundary!(err, pointer {
        let read = read.ok_or_else(|| Error::new(ErrorCode::NullArgument, "a function is required"))?;
        let source = CallbackSource::new(read, user, (total != 0).then_some(total));
        let loaded = read_options(options).run(|options, watch| read_document_stream(source, options, watch))?;
        Ok(Some(hand_over(loaded, report)))
    })
}

/// Number of warnings kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_load_report_warning_count(
    report: *const bir_load_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.warnings.len()) })
}

/// Number of warnings that were dropped because there were more than max_warnings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_load_report_dropped_count(
    report: *const bir_load_report,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.dropped) })
}

/// The warning at index: in the order of the text as far as they arise in it, those about links last. NOT_FOUND past the
/// end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_load_report_warning(
    report: *const bir_load_report,
    index: usize,
    out: *mut bir_warning,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.warnings.get(index).ok_or_else(|| nothing_at("warning", index))?;
        let kind = KINDS.iter().position(|kind| *kind == found.kind).map_or(0, |i| i as i32 + 1);
        let (path, message) = (str_out(&found.path), str_out(&found.message));
        let at = found.position;
        put(out, bir_warning { kind, line: at.line, column: at.column, offset: at.offset, path, message })
    })
}

/// Frees the report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_load_report_destroy(report: *mut bir_load_report) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(report) }
}

/// The name of a kind of warning, e.g. `UnknownKey`. NOT_FOUND for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_warning_kind_name(kind: i32, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        if kind == BIR_WARNING_KIND_OTHER {
            return put_static(out, "Other");
        }
        let found = usize::try_from(kind).ok().and_then(|n| KINDS.get(n.checked_sub(1)?));
        let unknown = || Error::new(ErrorCode::NotFound, format_args!("{kind} is no kind of warning"));
        put_static(out, found.ok_or_else(unknown)?.name())
    })
}

/// Writes the module as a document, piece by piece, to the caller's function. Equal modules give equal bytes. options may be
/// NULL; BAD_VALUE for a format that is none. On failure some pieces may have been given: CORRUPT_IR, with the document
/// path, for a module that contradicts itself, e.g. refers to an erased object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_save(
    module: *const bir_module,
    options: *const bir_write_options,
    write: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (format, options) = write_options(options)?;
        write_document(object(module)?, &mut sink(write, user)?, format, &options)
    })
}

/// Writes the module as a document into a buffer, which is the caller's; see bir_module_save().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_save_to_buffer(
    module: *const bir_module,
    options: *const bir_write_options,
    err: *mut bir_error,
) -> *mut bir_buffer {
    boundary!(err, handle {
        let mut text = Vec::new();
        let (format, options) = write_options(options)?;
        write_document(object(module)?, &mut text, format, &options)?;
        Ok(Buffer(text))
    })
}

/// Writes the module as a file; see bir_module_save(). The file is written beside the target, brought to the disk
/// and renamed: a failure leaves the old file as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_save_file(
    module: *const bir_module,
    file: *const c_char,
    file_len: usize,
    options: *const bir_write_options,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (module, (format, options)) = (object(module)?, write_options(options)?);
        files::write(path(file, file_len)?, |sink| write_document(module, sink, format, &options))
    })
}
