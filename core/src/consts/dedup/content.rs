//! What a session has to know of a file. The core does no I/O, so files on a disk and bytes in memory answer alike.
#![forbid(unsafe_code)]

use crate::consts::digest::{Md5, Running, md5};
use crate::contents::{Contents, Data, equal};
use crate::error::Result;
use alloc::borrow::Cow;

/// The contents of a constant file.
pub trait Content {
    /// Size in bytes.
    fn size(&self) -> u64;

    /// A number that equal contents share: the size, or something finer that is known without another look at them. The
    /// bytes of contents with unlike numbers are never looked at.
    fn group(&self) -> u64 {
        self.size()
    }

    /// The MD5 of all bytes.
    ///
    /// # Errors
    /// What reading them answers.
    fn digest(&self) -> Result<Md5>;

    /// Whether all bytes are equal.
    ///
    /// # Errors
    /// What reading them answers.
    fn same_bytes(&self, other: &Self) -> Result<bool>;
}

impl Content for Data<'_> {
    fn size(&self) -> u64 {
        Contents::size(self)
    }

    fn digest(&self) -> Result<Md5> {
        let mut running = Running::new();
        self.write_to(&mut running)?;
        Ok(running.finish())
    }

    fn same_bytes(&self, other: &Self) -> Result<bool> {
        equal(self, other)
    }
}

impl Content for Cow<'_, [u8]> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn digest(&self) -> Result<Md5> {
        Ok(md5(self))
    }

    fn same_bytes(&self, other: &Self) -> Result<bool> {
        Ok(self == other)
    }
}
