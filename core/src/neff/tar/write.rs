//! Writes the members of a package one after the other, with the bytes of the producer's archive library.
#![forbid(unsafe_code)]

use super::block::{self, Fields, MAX_OCTAL_ID};
use super::{BLOCK, name, padding, pax};
use crate::contents::{Contents, write_whole};
use crate::error::{ErrorCode, Result};
use crate::neff::path::safe_member_path;
use crate::neff::pieces::write_zeros;
use crate::sink::Sink;
use alloc::vec::Vec;

/// The largest size that eleven octal digits hold.
const MAX_OCTAL_SIZE: u64 = (1 << 33) - 1;

/// The host's traces in a header: the producer copies them from its files (`spec/neff.md` section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Permission bits; the lower twelve are stored.
    pub mode: u32,
    /// Owner number.
    pub uid: u32,
    /// Group number.
    pub gid: u32,
}

impl Attributes {
    /// What packages get whatever the host: owner 0, group 0, mode 0644, or 0755 for a shared object (`.so`).
    pub fn deterministic(name: &str) -> Self {
        Attributes { mode: if name.ends_with(".so") { 0o755 } else { 0o644 }, uid: 0, gid: 0 }
    }
}

/// Writes a tar into a [`Sink`].
pub struct TarWriter<S> {
    sink: S,
}

impl<S: Sink> TarWriter<S> {
    /// A writer with no members yet.
    pub fn new(sink: S) -> Self {
        TarWriter { sink }
    }

    /// Writes a regular file. A leading `./` of the name is not stored.
    ///
    /// # Errors
    ///
    /// `UnsafePath` for a name that [`safe_member_path`] refuses, `OutOfMemory`, and the sink's errors.
    pub fn file(&mut self, name: &str, attributes: Attributes, data: &[u8]) -> Result<()> {
        self.member(name, attributes, &data)
    }

    /// As [`file`](Self::file) for contents that need not be in memory.
    ///
    /// # Errors
    ///
    /// As [`file`](Self::file); `Conflict` if the contents are not as long as they said; what reading them fails with.
    pub fn member(&mut self, name: &str, attributes: Attributes, contents: &dyn Contents) -> Result<()> {
        let size = contents.size();
        self.header(name, attributes, size)?;
        write_whole(contents, &mut self.sink).map_err(|e| match e.code {
            ErrorCode::Conflict if e.path.is_empty() => e.at(name),
            _ => e,
        })?;
        write_zeros(&mut self.sink, padding((size % BLOCK as u64) as usize))
    }

    /// Writes the header blocks alone.
    pub(super) fn header(&mut self, name: &str, attributes: Attributes, size: u64) -> Result<()> {
        let path = safe_member_path(name)?.as_bytes();
        let Attributes { mode, uid, gid } = attributes;
        let (uid, gid) = (u64::from(uid), u64::from(gid));

        let mut records = Vec::new();
        if name::needs_record(path) {
            pax::push_record(&mut records, "path", path)?;
        }
        for (key, id) in [("gid", gid), ("uid", uid)] {
            if id > MAX_OCTAL_ID {
                pax::push_number(&mut records, key, id)?;
            }
        }
        if size > MAX_OCTAL_SIZE {
            pax::push_number(&mut records, "size", size)?;
        }
        if !records.is_empty() {
            let extended = Fields {
                name: &name::shorten(path, b"PaxHeader")?,
                mode: mode & 0o777,
                uid: uid.min(MAX_OCTAL_ID),
                gid: gid.min(MAX_OCTAL_ID),
                size: records.len() as u64,
                typeflag: b'x',
            };
            self.sink.write(&block::encode(&extended)?)?;
            self.sink.write(&records)?;
            write_zeros(&mut self.sink, padding(records.len()))?;
        }
        let shortened;
        let stored = if name::needs_record(path) {
            shortened = name::shorten(path, b"")?;
            &shortened
        } else {
            path
        };
        let main = Fields { name: stored, mode, uid, gid, size, typeflag: b'0' };
        self.sink.write(&block::encode(&main)?)
    }

    /// Writes the end of the archive, two zero blocks, and gives the sink back.
    ///
    /// # Errors
    ///
    /// The sink's errors.
    pub fn finish(mut self) -> Result<S> {
        write_zeros(&mut self.sink, 2 * BLOCK)?;
        Ok(self.sink)
    }
}
