//! Changes between modules

use crate::boundary::{copy_text_out, destroy, give, nothing_at, object, put, required, str_out};
use crate::records::{bir_change, bir_change_subject, bir_changes, bir_diff_options};
use crate::types::{bir_error, bir_module, bir_status};
use bir_core::diff::{DiffOptions, Kind, Subject, What, diff};
use bir_core::fallible::format;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::c_char;

/// Only the second module has the object.
pub const BIR_CHANGE_ADDED: i32 = 0;
/// Only the first module has the object.
pub const BIR_CHANGE_REMOVED: i32 = 1;
/// The object stands elsewhere among its neighbours, or in another owner.
pub const BIR_CHANGE_MOVED: i32 = 2;
/// The object has another name.
pub const BIR_CHANGE_RENAMED: i32 = 3;
/// A field has another value.
pub const BIR_CHANGE_CHANGED: i32 = 4;

/// The module itself.
pub const BIR_CHANGE_KIND_MODULE: i32 = 0;
/// Function, ordinary or NKI.
pub const BIR_CHANGE_KIND_FUNCTION: i32 = 1;
/// DMA queue.
pub const BIR_CHANGE_KIND_QUEUE: i32 = 2;
/// Set of memory locations.
pub const BIR_CHANGE_KIND_SET: i32 = 3;
/// Memory location.
pub const BIR_CHANGE_KIND_LOCATION: i32 = 4;
/// Register.
pub const BIR_CHANGE_KIND_REGISTER: i32 = 5;
/// Basic block.
pub const BIR_CHANGE_KIND_BLOCK: i32 = 6;
/// Instruction.
pub const BIR_CHANGE_KIND_INSTRUCTION: i32 = 7;

const _: () = {
    assert!(BIR_CHANGE_ADDED == What::Added.number() && BIR_CHANGE_REMOVED == What::Removed.number());
    assert!(BIR_CHANGE_MOVED == What::Moved.number() && BIR_CHANGE_RENAMED == What::Renamed.number());
    assert!(BIR_CHANGE_CHANGED == What::Changed.number() && What::ALL.len() == 5);
    assert!(BIR_CHANGE_KIND_MODULE == Kind::Module.number() && BIR_CHANGE_KIND_FUNCTION == Kind::Function.number());
    assert!(BIR_CHANGE_KIND_QUEUE == Kind::Queue.number() && BIR_CHANGE_KIND_SET == Kind::Set.number());
    assert!(BIR_CHANGE_KIND_LOCATION == Kind::Location.number() && BIR_CHANGE_KIND_REGISTER == Kind::Register.number());
    assert!(BIR_CHANGE_KIND_BLOCK == Kind::Block.number() && Kind::ALL.len() == 8);
    assert!(BIR_CHANGE_KIND_INSTRUCTION == Kind::Instruction.number());
};

/// A member by its number.
fn member<T: Copy>(all: &[T], number: i32, what: &str) -> Result<T> {
    let found = usize::try_from(number).ok().and_then(|n| all.get(n).copied());
    found.ok_or_else(|| Error::new(ErrorCode::UnknownEnum, format_args!("{number} is no {what}")))
}

/// Writes member by member: bytes between members stay the caller's.
unsafe fn put_subject(out: *mut bir_change_subject, of: Option<&Subject>) {
    let text = |of: Option<&String>| str_out(of.map_or("", |t| t));
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe {
        (&raw mut (*out).name).write(text(of.map(|s| &s.name)));
        (&raw mut (*out).path).write(text(of.map(|s| &s.path)));
        (&raw mut (*out).opcode).write(text(of.map(|s| &s.opcode)));
        (&raw mut (*out).instructions).write(of.map_or(0, |s| s.instructions));
        (&raw mut (*out).id).write(of.map_or(-1, |s| s.id));
        (&raw mut (*out).present).write(of.is_some().into());
    }
}

/// What changed from module a to module b: objects added, removed, moved and renamed, and fields with another value. Objects
/// are matched by name, then by structure; a reference is equal to one to the counterpart, whatever its name. *out is the
/// caller's; it has no change exactly if bir_module_equal() says so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_diff(
    a: *const bir_module,
    b: *const bir_module,
    options: *const bir_diff_options,
    out: *mut *mut bir_changes,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(out)?;
        let given = options!(options, bir_diff_options { max_changes });
        let mut limits = DiffOptions::default();
        if given.max_changes != 0 {
            limits = limits.max_changes(given.max_changes as usize);
        }
        put(out, give(diff(object(a)?, object(b)?, &limits)?))
    })
}

/// Number of changes that bir_changes_get() gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_changes_count(
    changes: *const bir_changes,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(changes)?.changes.len()) })
}

/// Number of all changes, those beyond the limit included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_changes_total(
    changes: *const bir_changes,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(changes)?.total()) })
}

/// Number of objects of a kind (BIR_CHANGE_KIND_*) that something (BIR_CHANGE_*) happened to, whatever the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_changes_tally(
    changes: *const bir_changes,
    kind: i32,
    what: i32,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(changes)?;
        let (kind, what) = (member(Kind::ALL, kind, "kind of object")?, member(What::ALL, what, "kind of change")?);
        put(out, found.count(kind).of(what))
    })
}

/// The change at index, in program order of the second module; what was removed stands where it was in the first. NOT_FOUND
/// past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_changes_get(
    changes: *const bir_changes,
    index: usize,
    out: *mut bir_change,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(changes)?.changes.get(index).ok_or_else(|| nothing_at("change", index))?;
        required(out)?;
        put_subject(&raw mut (*out).left, found.left.as_ref());
        put_subject(&raw mut (*out).right, found.right.as_ref());
        (&raw mut (*out).field).write(str_out(&found.field));
        (&raw mut (*out).old_value).write(str_out(&found.old));
        (&raw mut (*out).new_value).write(str_out(&found.new));
        (&raw mut (*out).what).write(found.what.number());
        (&raw mut (*out).kind).write(found.kind.number());
        Ok(())
    })
}

/// The changes counted, as a line for people without its end: `2 instructions changed, 1 added`. *len is its length in
/// bytes. It is copied with a NUL if capacity, in bytes, is at least *len + 1; capacity 0 asks for the length only; BAD_VALUE
/// if it is between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_changes_summary(
    changes: *const bir_changes,
    text: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { copy_text_out(&format(object(changes)?.summary())?, text, capacity, len) })
}

/// Frees the changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_changes_destroy(changes: *mut bir_changes) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(changes) }
}
