//! Buffers

use crate::boundary::{bytes_out, destroy, object, put};
use crate::records::bir_buffer;
use crate::types::{bir_bytes, bir_error, bir_status};

/// The bytes; they never change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_buffer_bytes(
    buffer: *const bir_buffer,
    out: *mut bir_bytes,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, bytes_out(&object(buffer)?.0)) })
}

/// Frees the buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_buffer_destroy(buffer: *mut bir_buffer) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(buffer) }
}
