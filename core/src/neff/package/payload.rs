//! The header states size and digest of the payload, so both are taken while it is written.
#![forbid(unsafe_code)]

use crate::consts::digest::Running;
use crate::error::Result;
use crate::neff::header::{PayloadDigest, uuid_of_digest};
use crate::sink::Sink;

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
    hash: PayloadDigest,
    /// The uuid comes of the MD5 also where that is not the digest of the header.
    md5: Option<Running>,
}

impl<S: Sink> Payload<S> {
    /// A payload of a package of that version.
    ///
    /// # Errors
    /// `Unsupported` unless the version is 1 or 2.
    pub fn new(sink: S, pkg_version: u64) -> Result<Self> {
        let hash = PayloadDigest::new(pkg_version)?;
        Ok(Payload { sink, size: 0, hash, md5: (pkg_version == 1).then(Running::new) })
    }

    /// Bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Nothing more comes.
    pub fn finish(self) -> (PayloadSummary, S) {
        let hash = self.hash.finish();
        let md5 = match self.md5 {
            Some(md5) => md5.finish(),
            None => hash.first_chunk().copied().unwrap_or_default(),
        };
        (PayloadSummary { size: self.size, hash, uuid: uuid_of_digest(md5) }, self.sink)
    }
}

impl<S: Sink> Sink for Payload<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.write(bytes)?;
        self.hash.update(bytes);
        if let Some(md5) = &mut self.md5 {
            md5.update(bytes);
        }
        self.size = self.size.saturating_add(bytes.len() as u64);
        Ok(())
    }
}
