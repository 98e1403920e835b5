//! Passes

use crate::boundary::{copy_text_out, destroy, give, live, nothing_at, object, offer, put, required, str_out};
use crate::records::{bir_cse_kept, bir_cse_merge, bir_cse_report, bir_cse_subject};
use crate::types::{bir_error, bir_function, bir_module, bir_status};
use bir_core::fallible::format;
use bir_core::pass::cse::{CseReport, Subject, Why, cse_function, cse_module};
use core::ffi::c_char;

/// Another reason than the ones below: of a later version of the library.
pub const BIR_CSE_REASON_OTHER: i32 = 0;
/// An unroll dependency, a wait or a DMA list names the instruction.
pub const BIR_CSE_REASON_REFERENCED: i32 = 1;
/// The instruction has unroll dependencies of its own.
pub const BIR_CSE_REASON_HAS_UNROLL_DEPENDENCIES: i32 = 2;
/// The instruction updates a debug semaphore.
pub const BIR_CSE_REASON_HAS_DEBUG_SEMAPHORE: i32 = 3;
/// The instruction waits for something that does not come before the one it would be merged into.
pub const BIR_CSE_REASON_WAITS_FOR_LATER: i32 = 4;
/// Something waits for the instruction that does not come after the one it would be merged into.
pub const BIR_CSE_REASON_WAITED_FOR_EARLIER: i32 = 5;

fn reason(why: Why) -> i32 {
    match why {
        Why::Referenced => BIR_CSE_REASON_REFERENCED,
        Why::HasUnrollDependencies => BIR_CSE_REASON_HAS_UNROLL_DEPENDENCIES,
        Why::HasDebugSemaphore => BIR_CSE_REASON_HAS_DEBUG_SEMAPHORE,
        Why::WaitsForLater => BIR_CSE_REASON_WAITS_FOR_LATER,
        Why::WaitedForEarlier => BIR_CSE_REASON_WAITED_FOR_EARLIER,
        _ => BIR_CSE_REASON_OTHER,
    }
}

/// Writes member by member: bytes between members, which would be whatever lay on the stack, stay the caller's.
unsafe fn put_subject(out: *mut bir_cse_subject, of: &Subject) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe {
        (&raw mut (*out).name).write(str_out(&of.name));
        (&raw mut (*out).path).write(str_out(&of.path));
        (&raw mut (*out).id).write(of.id);
    }
}

/// Gives a report to a caller who wants it.
unsafe fn hand_over(made: CseReport, report: *mut *mut bir_cse_report) {
    if !report.is_null() {
        // SAFETY: the caller's promise, see the crate's first comment.
        unsafe { offer(report, give(made)) };
    }
}

/// Common subexpression elimination: erases the instructions of a function, those in loops included, that compute again
/// what an earlier one of their block computed and what still lies in their outputs. Only what certainly does nothing else
/// is erased; what waited for it waits for the earlier one. *report says what was done and is the caller's; report may be
/// NULL. DETACHED for an erased function, UNKNOWN_ENUM or CORRUPT_IR for numbers that foreign code wrote; what was erased
/// before a failure stays so, and the function computes the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_cse(
    function: *mut bir_function,
    report: *mut *mut bir_cse_report,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        hand_over(cse_function(live(function)?)?, report);
        Ok(())
    })
}

/// bir_function_cse() for every function of a module, NKI functions included, with one report. Queues are left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_cse(
    module: *mut bir_module,
    report: *mut *mut bir_cse_report,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        hand_over(cse_module(object(module)?)?, report);
        Ok(())
    })
}

/// Number of blocks that were looked at, those of loops included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_block_count(
    report: *const bir_cse_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.blocks) })
}

/// Number of instructions that were looked at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_inst_count(
    report: *const bir_cse_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.instructions) })
}

/// Number of instructions among them that only compute, so that they could be merged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_candidate_count(
    report: *const bir_cse_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.candidates) })
}

/// Number of instructions that were merged into an earlier one and erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_merged_count(
    report: *const bir_cse_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.merged.len()) })
}

/// The merge at index, in program order, outer blocks first. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_merged(
    report: *const bir_cse_report,
    index: usize,
    out: *mut bir_cse_merge,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.merged.get(index).ok_or_else(|| nothing_at("merge", index))?;
        required(out)?;
        put_subject(&raw mut (*out).survivor, &found.survivor);
        put_subject(&raw mut (*out).removed, &found.removed);
        Ok(())
    })
}

/// Number of instructions that compute nothing new but had to stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_kept_count(
    report: *const bir_cse_report,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(report)?.kept.len()) })
}

/// The instruction at index that had to stay, in program order, outer blocks first. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_kept(
    report: *const bir_cse_report,
    index: usize,
    out: *mut bir_cse_kept,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(report)?.kept.get(index).ok_or_else(|| nothing_at("kept instruction", index))?;
        required(out)?;
        put_subject(&raw mut (*out).instruction, &found.instruction);
        put_subject(&raw mut (*out).same_as, &found.same_as);
        (&raw mut (*out).text).write(str_out(found.why.text()));
        (&raw mut (*out).reason).write(reason(found.why));
        Ok(())
    })
}

/// The report for people: a line per merge, a line per instruction that had to stay, and the counts, without a line end
/// behind them. *len is its length in bytes. It is copied with a NUL if capacity, in bytes, is at least *len + 1; capacity
/// 0 asks for the length only; BAD_VALUE if it is between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_text(
    report: *const bir_cse_report,
    text: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { copy_text_out(&format(object(report)?)?, text, capacity, len) })
}

/// Frees the report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_cse_report_destroy(report: *mut bir_cse_report) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(report) }
}
