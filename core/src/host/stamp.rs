//! Whether a file is still what it was when it was opened: what is read in several passes must not change between them.
#![forbid(unsafe_code)]

use core::fmt;
use std::boxed::Box;
use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read, Seek};
use std::time::SystemTime;

/// Where a package is read from.
pub trait Input: Read + Seek {
    /// Its length, and what else tells one state from another.
    ///
    /// # Errors
    /// What the system answers.
    fn stamp(&mut self) -> io::Result<Stamp>;
}

/// The state of a file: another one in its place, and other contents, are noticed. Two equal ones may still differ if the file was
/// written to within the clock's tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Length in bytes.
    pub length: u64,
    /// When it was last written to, if the system knows.
    pub(super) modified: Option<SystemTime>,
    /// Device and number of the file, where there is such a thing.
    node: (u64, u64),
}

impl Stamp {
    /// The state of a file that the system told of.
    pub fn of(about: &Metadata) -> Stamp {
        #[cfg(unix)]
        let node = {
            use std::os::unix::fs::MetadataExt;
            (about.dev(), about.ino())
        };
        #[cfg(not(unix))]
        let node = (0, 0);
        Stamp { length: about.len(), modified: about.modified().ok(), node }
    }

    /// Whether it is a state of the same file.
    pub(super) fn same_file(&self, other: &Stamp) -> bool {
        self.node == other.node
    }

    /// The same time with another length.
    pub(super) fn with_length(self, length: u64) -> Stamp {
        Stamp { length, ..self }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let seconds = since.unwrap_or_default();
        write!(f, "{} bytes of time {}.{:09}", self.length, seconds.as_secs(), seconds.subsec_nanos())
    }
}

impl Input for File {
    fn stamp(&mut self) -> io::Result<Stamp> {
        let about = self.metadata()?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no ordinary file"));
        }
        Ok(Stamp::of(&about))
    }
}

impl<B: AsRef<[u8]>> Input for Cursor<B> {
    fn stamp(&mut self) -> io::Result<Stamp> {
        Ok(Stamp { length: self.get_ref().as_ref().len() as u64, modified: None, node: (0, 0) })
    }
}

impl Input for Box<dyn Input> {
    fn stamp(&mut self) -> io::Result<Stamp> {
        (**self).stamp()
    }
}
