//! Kernels of front ends

use crate::boundary::{destroy, flag, give, member, nothing_at, object, put, required, slice, str_out};
use crate::handle::LowerReport;
use crate::records::{bir_diagnostic, bir_lower_options, bir_lower_report};
use crate::types::{bir_error, bir_module, bir_status};
use bir_core::enums::bir::ArchLevel;
use bir_core::klr::{Arena, DecodeOptions, decode, older};
use bir_core::lower::{LowerOptions, Lowered, Severity, lower_carriers, lower_file, lower_older};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::c_void;

/// The statement has no lowering.
pub const BIR_SEVERITY_ERROR: i32 = 1;
/// The statement was lowered, but breaks a convention.
pub const BIR_SEVERITY_WARNING: i32 = 2;
/// Legal, and seldom: only packages have notes, see bir_findings_severity().
pub const BIR_SEVERITY_NOTE: i32 = 3;

unsafe fn lower_options(given: *const bir_lower_options) -> Result<(LowerOptions, DecodeOptions)> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe {
        options!(
            given,
            bir_lower_options { arch, has_core_id, strict, reverse_pred, proof_bytes, core_id, max_diagnostics }
        )
    };
    let mut lower = LowerOptions {
        core_id: flag(given.has_core_id).then_some(given.core_id),
        strict: flag(given.strict),
        reverse_pred: flag(given.reverse_pred),
        ..LowerOptions::default()
    };
    if given.arch != 0 {
        lower.arch = member::<ArchLevel>(given.arch)?;
    }
    if given.max_diagnostics != 0 {
        lower.max_diagnostics = given.max_diagnostics as usize;
    }
    Ok((lower, DecodeOptions { proof_bytes: flag(given.proof_bytes), ..DecodeOptions::default() }))
}

/// Gives a report to the caller. One who wants none learns of the first error by a failure.
unsafe fn hand_over(made: LowerReport, report: *mut *mut bir_lower_report) -> Result<()> {
    if !report.is_null() {
        // SAFETY: the caller's promise, see the crate's first comment.
        unsafe { report.write(give(made)) };
        return Ok(());
    }
    if made.errors == 0 {
        return Ok(());
    }
    let first = made.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let text = first.map_or_else(|| String::from("the kernel has errors"), ToString::to_string);
    Err(Error::new(ErrorCode::Unsupported, text))
}

/// Lowers a kernel to a module of one function (spec/lowering.md): len bytes of a KLR file (spec/klr.md), or the text of
/// a kernel in the JSON form of 2025. A module is made even if statements have errors; it lacks those then, and *report
/// lists them. The module and *report are the caller's. With NULL for report, an error in a statement is a failure:
/// UNSUPPORTED, with the text of the first one. options may be NULL. SYNTAX, WRONG_TYPE, UNKNOWN_ENUM, UNSUPPORTED,
/// CONFLICT, WRONG_KIND, MISSING_KEY, UNKNOWN_KEY, BAD_VALUE or LIMIT_EXCEEDED for what is no such kernel, with path and
/// offset; UNKNOWN_ENUM for another arch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_klr_lower(
    kernel: *const c_void,
    len: usize,
    options: *const bir_lower_options,
    report: *mut *mut bir_lower_report,
    err: *mut bir_error,
) -> *mut bir_module {
    boundary!(err, pointer {
        let (options, decoding) = lower_options(options)?;
        let kernel = slice(kernel.cast(), len)?;
        let lowered = if older::is_kernel(kernel) {
            lower_older(&older::read_json(kernel)?, &options)?
        } else {
            let arena = Arena::new();
            lower_file(&decode(kernel, &arena, &decoding)?, &options)?
        };
        let Lowered { module, diagnostics, dropped, error_count } = lowered;
        hand_over(LowerReport { diagnostics, dropped, errors: error_count, lowered: 0, refused: 0 }, report)?;
        // SAFETY: a module that was given up lives until it is taken back by `bir_module_destroy`.
        Ok(Some(module.into_address().as_ref()))
    })
}

/// Lowers the kernels that the NKIKLIRKernel instructions of a module carry, in place (spec/lowering.md section 1). One
/// whose kernel has errors stays as it is, and *report lists them; the others are lowered all the same. *report is the
/// caller's. With NULL for report, an error is a failure: UNSUPPORTED, with the text of the first one. options may be
/// NULL, and proof_bytes is not used. DETACHED, OUT_OF_MEMORY or ID_EXHAUSTED leave later ones as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_lower_carriers(
    module: *mut bir_module,
    options: *const bir_lower_options,
    report: *mut *mut bir_lower_report,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (options, _) = lower_options(options)?;
        let done = lower_carriers(object(module)?, &options)?;
        let errors = done.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        // A carrier that was refused has an error, kept or not.
        let errors = (errors as u64).max(done.refused as u64);
        let made = LowerReport {
            diagnostics: done.diagnostics,
            dropped: done.dropped,
            errors,
            lowered: done.lowered,
            refused: done.refused,
        };
        hand_over(made, report)
    })
}

/// Number of diagnostics kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_diagnostic_count(
    report: *const bir_lower_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.diagnostics.len()) })
}

/// Number of errors, of which 0 says that everything was lowered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_error_count(
    report: *const bir_lower_report,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.errors) })
}

/// Number of diagnostics that were dropped because there were more than max_diagnostics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_dropped_count(
    report: *const bir_lower_report,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.dropped) })
}

/// Number of instructions that carried a kernel and were replaced; 0 for bir_klr_lower().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_lowered_count(
    report: *const bir_lower_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.lowered) })
}

/// Number of instructions that carry a kernel with errors and were left as they are; 0 for bir_klr_lower().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_refused_count(
    report: *const bir_lower_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.refused) })
}

/// The diagnostic at index, in the order of the kernel. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_diagnostic(
    report: *const bir_lower_report,
    index: usize,
    out: *mut bir_diagnostic,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.diagnostics.get(index).ok_or_else(|| nothing_at("diagnostic", index))?;
        required(out)?;
        let text = |text: &Option<String>| str_out(text.as_deref().unwrap_or(""));
        // Member by member: bytes between members, which would be whatever lay on the stack, stay the caller's.
        (&raw mut (*out).severity).write(match found.severity {
            Severity::Error => BIR_SEVERITY_ERROR,
            Severity::Warning => BIR_SEVERITY_WARNING,
        });
        (&raw mut (*out).line).write(found.line);
        (&raw mut (*out).column).write(found.column);
        (&raw mut (*out).id).write(str_out(found.id));
        (&raw mut (*out).message).write(str_out(&found.message));
        (&raw mut (*out).kernel).write(str_out(&found.kernel));
        (&raw mut (*out).block).write(text(&found.block));
        (&raw mut (*out).statement).write(text(&found.statement));
        (&raw mut (*out).operator_name).write(str_out(found.operator.unwrap_or("")));
        (&raw mut (*out).field).write(text(&found.field));
        (&raw mut (*out).file).write(text(&found.file));
        Ok(())
    })
}

/// Frees the report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_lower_report_destroy(report: *mut bir_lower_report) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(report) }
}
