//! Functions of the caller, as the core wants them.

use crate::types::{BIR_STATUS_OK, bir_status};
use bir_core::doc::Sink;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};

/// The function that takes a document piece by piece.
pub type Write = unsafe extern "C" fn(user: *mut c_void, bytes: *const c_char, len: usize) -> bir_status;

/// A sink of the caller.
pub struct CallbackSink {
    write: Write,
    user: *mut c_void,
}

impl CallbackSink {
    /// # Safety
    /// - `write` may be called with `user` as long as the sink lives, and does not unwind.
    pub unsafe fn new(write: Write, user: *mut c_void) -> Self {
        CallbackSink { write, user }
    }
}

impl Sink for CallbackSink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        // SAFETY: as promised to `new`.
        outcome(unsafe { (self.write)(self.user, bytes.as_ptr().cast(), bytes.len()) })
    }
}

/// What a callback's result says.
pub fn outcome(status: bir_status) -> Result<()> {
    if status == BIR_STATUS_OK {
        return Ok(());
    }
    let code = ErrorCode::ALL.iter().copied().find(|code| code.number() == status).unwrap_or(ErrorCode::Io);
    Err(Error::new(code, format_args!("the caller's function ended it with {status}")))
}
