//! Functions of the caller, as the core wants them.

use crate::types::{BIR_STATUS_OK, bir_status};
use bir_core::contents::Contents;
use bir_core::doc::{Progress, Sink, Source};
use bir_core::host::package_reader::Feed;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};
use core::ops::ControlFlow;

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

/// The sink of a function that the caller has to give.
///
/// # Safety
/// As [`CallbackSink::new`].
pub unsafe fn sink(write: Option<Write>, user: *mut c_void) -> Result<CallbackSink> {
    let write = write.ok_or_else(|| Error::new(ErrorCode::NullArgument, "a function is required"))?;
    // SAFETY: as promised to this function.
    Ok(unsafe { CallbackSink::new(write, user) })
}

impl Sink for CallbackSink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        // SAFETY: as promised to `new`.
        outcome(unsafe { (self.write)(self.user, bytes.as_ptr().cast(), bytes.len()) })
    }
}

/// The function that gives a document piece by piece.
pub type Read =
    unsafe extern "C" fn(user: *mut c_void, buffer: *mut c_char, size: usize, count: *mut usize) -> bir_status;

/// A source of the caller.
pub struct CallbackSource {
    read: Read,
    user: *mut c_void,
    total: Option<u64>,
}

impl CallbackSource {
    /// # Safety
    /// - `read` may be called with `user` as long as the source lives, and does not unwind.
    pub unsafe fn new(read: Read, user: *mut c_void, total: Option<u64>) -> Self {
        CallbackSource { read, user, total }
    }
}

impl Source for CallbackSource {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut count = 0;
        // SAFETY: as promised to `new`; the buffer has that size, and the reader takes care of a count that is larger.
        outcome(unsafe { (self.read)(self.user, buffer.as_mut_ptr().cast(), buffer.len(), &raw mut count) })?;
        Ok(count)
    }

    fn total(&self) -> Option<u64> {
        self.total
    }
}

impl Feed for CallbackSource {
    fn total(&self) -> Option<u64> {
        self.total
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        Source::read(self, buffer)
    }
}

/// The function that gives the bytes of a member from any place on.
pub type ReadAt = unsafe extern "C" fn(
    user: *mut c_void,
    offset: u64,
    buffer: *mut c_char,
    size: usize,
    count: *mut usize,
) -> bir_status;

/// Contents of the caller.
pub struct CallbackContents {
    read_at: ReadAt,
    user: *mut c_void,
    size: u64,
}

impl CallbackContents {
    /// # Safety
    /// - `read_at` may be called with `user` as long as the contents live, and does not unwind.
    pub unsafe fn new(read_at: ReadAt, user: *mut c_void, size: u64) -> Self {
        CallbackContents { read_at, user, size }
    }
}

impl Contents for CallbackContents {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut count = 0;
        // SAFETY: as promised to `new`; the buffer has that size.
        outcome(unsafe {
            (self.read_at)(self.user, offset, buffer.as_mut_ptr().cast(), buffer.len(), &raw mut count)
        })?;
        if count > buffer.len() {
            return Err(Error::new(
                ErrorCode::BadValue,
                "the caller's function gave more bytes than there is room for",
            )
            .expected_found(format_args!("at most {} bytes", buffer.len()), count));
        }
        Ok(count)
    }
}

/// The function that is told of the progress.
pub type Tell = unsafe extern "C" fn(user: *mut c_void, bytes: u64, total: u64, instructions: u64) -> bir_status;

/// Tells the caller of the progress. Any result but OK stops the reading, and is kept in `stopped`.
///
/// # Safety
/// - `tell` may be called with `user`, and does not unwind.
pub unsafe fn tell_progress(
    tell: Tell,
    user: *mut c_void,
    progress: &Progress,
    stopped: &mut Option<Error>,
) -> ControlFlow<()> {
    let total = progress.total.unwrap_or(0);
    // SAFETY: as promised to this function.
    match outcome(unsafe { tell(user, progress.bytes, total, progress.instructions) }) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            *stopped = Some(error);
            ControlFlow::Break(())
        }
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
