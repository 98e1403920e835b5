//! The header states size and digest of the payload, so both are taken while it is written.
#![forbid(unsafe_code)]

use crate::consts::digest::Running;
use crate::error::Result;
use crate::neff::header::{check_pkg_version, hash_of_digest, uuid_of_digest};
use crate::sink::Sink;
use sha2::{Digest, Sha256};

/// What a header says about its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadSummary {
    /// Bytes as stored.
    pub size: u64,
    /// Digest as the header holds it (`spec/neff.md` section 2.1).
    pub hash: [u8; 32],
    /// The uuid derived from the payload (`spec/neff.md` section 2.2).
    pub uuid: [u8; 16],
}

/// Passes the payload on and takes size and digest of it.
pub struct Payload<S> {
    sink: S,
    size: u64,
    /// The digest of version 2, and the source of the uuid in either version.
    md5: Running,
    /// The digest of version 1.
    sha256: Option<Sha256>,
}

impl<S: Sink> Payload<S> {
    /// A payload of a package of that version.
    ///
    /// # Errors
    /// `Unsupported` unless the version is 1 or 2.
    pub fn new(sink: S, pkg_version: u64) -> Result<Self> {
        check_pkg_version(pkg_version)?;
        Ok(Payload { sink, size: 0, md5: Running::new(), sha256: (pkg_version == 1).then(Sha256::new) })
    }

    /// Bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Nothing more comes.
    pub fn finish(self) -> (PayloadSummary, S) {
        let md5 = self.md5.finish();
        let hash = match self.sha256 {
            Some(sha256) => sha256.finalize().into(),
            None => hash_of_digest(md5),
        };
        (PayloadSummary { size: self.size, hash, uuid: uuid_of_digest(md5) }, self.sink)
    }
}

impl<S: Sink> Sink for Payload<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.write(bytes)?;
        self.md5.update(bytes);
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
        self.size = self.size.saturating_add(bytes.len() as u64);
        Ok(())
    }
}
