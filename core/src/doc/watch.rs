//! Watching a document being read, because one of gigabytes takes seconds: people want to see how far it is, and to stop it.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use core::fmt;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};

/// Bytes between two calls of the progress function, about.
const INTERVAL: u64 = 1 << 20;

/// How far the reading of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes to read, if known.
    pub total: Option<u64>,
    /// Instructions read, nested ones included.
    pub instructions: u64,
}

/// A function that is told of the progress; `Break` stops the reading.
pub type ProgressFn<'w> = dyn FnMut(&Progress) -> ControlFlow<()> + 'w;

/// Who watches. Stopped in either way, the reading ends with [`ErrorCode::Cancelled`], and there is no module.
#[derive(Default)]
pub struct Watch<'w> {
    progress: Option<&'w mut ProgressFn<'w>>,
    cancel: Option<&'w AtomicBool>,
    /// Bytes from which on the function is called again.
    next: u64,
    instructions: u64,
}

impl<'w> Watch<'w> {
    /// Nobody watches.
    pub fn new() -> Self {
        Watch::default()
    }

    /// Calls `progress` at the start, about once per MiB, and at the end of a document that was read well.
    #[must_use]
    pub fn progress(self, progress: &'w mut ProgressFn<'w>) -> Self {
        Watch { progress: Some(progress), ..self }
    }

    /// Stops when `flag` is set, which any thread may do. It is looked at once per instruction.
    #[must_use]
    pub fn cancel(self, flag: &'w AtomicBool) -> Self {
        Watch { cancel: Some(flag), ..self }
    }

    /// The same watchers, for a shorter time.
    pub(super) fn reborrow(&mut self) -> Watch<'_> {
        let progress: Option<&mut ProgressFn<'_>> = match &mut self.progress {
            Some(progress) => Some(&mut **progress),
            None => None,
        };
        Watch { progress, cancel: self.cancel, next: self.next, instructions: self.instructions }
    }

    /// Counts an instruction.
    pub(super) fn instruction(&mut self) {
        self.instructions += 1;
    }

    /// Looks whether to stop, and tells the progress when it is time.
    #[inline]
    pub(super) fn look(&mut self, bytes: u64, total: Option<u64>) -> Result<()> {
        if bytes >= self.next && self.progress.is_some() {
            self.next = bytes.saturating_add(INTERVAL);
            self.tell(bytes, total)?;
        }
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(cancelled()),
            _ => Ok(()),
        }
    }

    /// Tells the progress, whatever was told before.
    pub(super) fn tell(&mut self, bytes: u64, total: Option<u64>) -> Result<()> {
        let Some(progress) = &mut self.progress else { return Ok(()) };
        match progress(&Progress { bytes, total, instructions: self.instructions }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(cancelled()),
        }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("progress", &self.progress.is_some())
            .field("cancel", &self.cancel)
            .field("instructions", &self.instructions)
            .finish_non_exhaustive()
    }
}

#[cold]
fn cancelled() -> Error {
    Error::new(ErrorCode::Cancelled, "the reading was stopped")
}
