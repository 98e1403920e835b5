//! De-duplication of constant files

use crate::boundary::{
    bytes_out, copy_text_out, destroy, flag, member, nothing_at, object, offer, put, required, slice, str_out, text,
};
use crate::handle::Session;
use crate::records::{bir_const_file, bir_dedup};
use crate::types::{bir_error, bir_status, bir_string};
use bir_core::consts::{Dedup, dedup_key};
use bir_core::enums::bir::{Dtype, MemoryType};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};
use std::cell::{Ref, RefCell};

fn read(session: &Session) -> Result<Ref<'_, Dedup<'static>>> {
    session.0.try_borrow().map_err(|_| Error::new(ErrorCode::Internal, "the session is being changed"))
}

fn copy(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| Error::out_of_memory())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// A session. With enabled 0 nothing is merged: every name comes back as it was, and what is saved stays 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_create(enabled: u8, err: *mut bir_error) -> *mut bir_dedup {
    boundary!(err, handle {
        Ok(Session(RefCell::new(if flag(enabled) { Dedup::new() } else { Dedup::disabled() })))
    })
}

/// Frees the session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_destroy(dedup: *mut bir_dedup) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(dedup) }
}

/// Presents a constant file with all its bytes, which are copied, the Dtype (BIR_DTYPE_*) of its tensor and the
/// MemoryType (BIR_MEMORY_TYPE_*) of its location. *stored_as is the name to use from now on: of files with the same
/// bytes and types the one presented first, so present them in module order. *matched is 1 if that is an earlier file,
/// else 0; it may be NULL. CONFLICT if the name was presented before with other bytes; UNKNOWN_ENUM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_add(
    dedup: *mut bir_dedup,
    name: *const c_char,
    name_len: usize,
    bytes: *const c_void,
    size: usize,
    dtype: i32,
    memory_type: i32,
    stored_as: *mut bir_string,
    matched: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(stored_as)?;
        let session = object(dedup)?;
        let (dtype, memory_type) = (member::<Dtype>(dtype)?.name(), member::<MemoryType>(memory_type)?.name());
        let bytes = copy(slice(bytes.cast(), size)?)?;
        let busy = |_| Error::new(ErrorCode::Internal, "the session is in use");
        let mut session = session.0.try_borrow_mut().map_err(busy)?;
        let added = session.add(text(name, name_len)?, bytes, dtype, memory_type)?;
        offer(matched, u8::from(added.matched));
        put(stored_as, str_out(added.name))
    })
}

/// Number of files presented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_presented(
    dedup: *const bir_dedup,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, read(object(dedup)?)?.presented()) })
}

/// Number of distinct files, as the product counts them (`getNumUniqFiles`): 0 if nothing is merged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_unique_files(
    dedup: *const bir_dedup,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, read(object(dedup)?)?.unique_files()) })
}

/// Sum of the sizes of the files that matched an earlier one, in bytes (`getBytsDedupedTotal`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_saved_bytes(
    dedup: *const bir_dedup,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, read(object(dedup)?)?.saved_bytes()) })
}

/// Number of files for bir_dedup_file(), whether or not the session merges.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_file_count(
    dedup: *const bir_dedup,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, read(object(dedup)?)?.records().len()) })
}

/// The distinct file at index, in the order of first presentation. A file presented with several types is there once for
/// each, under one name and with the same bytes; a package stores it once. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_file(
    dedup: *const bir_dedup,
    index: usize,
    out: *mut bir_const_file,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let session = read(object(dedup)?)?;
        let found = session.records().get(index).ok_or_else(|| nothing_at("file", index))?;
        let (name, bytes, key) = (str_out(&found.name), bytes_out(&found.content), str_out(found.key()?));
        put(out, bir_const_file { name, bytes, key })
    })
}

/// The product's line about the presentation at index, e.g. `found match for b.npy: a.npy` (spec/consts.md section 6.6).
/// *len is its length in bytes. It is copied with a NUL if capacity, in bytes, is at least *len + 1; capacity 0 asks for
/// the length only; BAD_VALUE if it is between. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_diagnostic(
    dedup: *const bir_dedup,
    index: usize,
    line: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let session = read(object(dedup)?)?;
        let found = session.diagnostics().nth(index).ok_or_else(|| nothing_at("presentation", index))?;
        copy_text_out(&found.to_string(), line, capacity, len)
    })
}

/// The packager's line about the memory saved, in whole KB; empty below one KB (spec/consts.md section 6.6). For line,
/// capacity and len see bir_dedup_diagnostic().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_message(
    dedup: *const bir_dedup,
    line: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { copy_text_out(&read(object(dedup)?)?.message().unwrap_or_default(), line, capacity, len) })
}

/// The key that two constants must share to be merged: MD5 of all bytes in hexadecimal, element type (Dtype, BIR_DTYPE_*)
/// and memory type (MemoryType, BIR_MEMORY_TYPE_*) without separators, e.g. `d41d8cd98f00b204e9800998ecf8427euint8DRAM`.
/// For key, capacity and len see bir_dedup_diagnostic(). UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_dedup_key(
    bytes: *const c_void,
    size: usize,
    dtype: i32,
    memory_type: i32,
    key: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (dtype, memory_type) = (member::<Dtype>(dtype)?.name(), member::<MemoryType>(memory_type)?.name());
        let text = dedup_key(slice(bytes.cast(), size)?, dtype, memory_type);
        copy_text_out(&text, key, capacity, len)
    })
}
