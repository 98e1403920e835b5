//! The header's digest guards the payload as stored, and its uuid is derived from it so that equal programs get equal
//! packages (`spec/neff.md` sections 2.1 and 2.2).
#![forbid(unsafe_code)]

use super::{Header, SIZE, field_error, fields, unsupported};
use crate::consts::digest::{Running, hex, md5};
use crate::error::{ErrorCode, Result};
use core::fmt;
use sha2::{Digest, Sha256};

/// The digest of a payload that arrives in pieces.
#[derive(Clone)]
pub struct PayloadDigest(Kind);

#[derive(Clone)]
enum Kind {
    Md5(Running),
    Sha256(Sha256),
}

impl PayloadDigest {
    /// The digest of nothing yet: MD5 for package version 2, SHA-256 for version 1.
    ///
    /// # Errors
    ///
    /// `Unsupported` for another version.
    pub fn new(pkg_version: u64) -> Result<Self> {
        check_pkg_version(pkg_version)?;
        Ok(PayloadDigest(if pkg_version == 1 { Kind::Sha256(Sha256::new()) } else { Kind::Md5(Running::new()) }))
    }

    /// Takes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        match &mut self.0 {
            Kind::Md5(running) => running.update(piece),
            Kind::Sha256(running) => running.update(piece),
        }
    }

    /// The digest as the hash field holds it: an MD5 and sixteen zero bytes, or a SHA-256.
    pub fn finish(self) -> [u8; 32] {
        match self.0 {
            Kind::Sha256(running) => running.finalize().into(),
            Kind::Md5(running) => {
                let mut hash = [0; 32];
                hash.iter_mut().zip(running.finish()).for_each(|(to, from)| *to = from);
                hash
            }
        }
    }
}

impl fmt::Debug for PayloadDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Md5(_) => "PayloadDigest(MD5)",
            Kind::Sha256(_) => "PayloadDigest(SHA-256)",
        })
    }
}

/// The digest of a payload as the hash field holds it: MD5 and sixteen zero bytes for package version 2, SHA-256 for
/// version 1.
///
/// # Errors
///
/// `Unsupported` for another version.
pub fn payload_hash(pkg_version: u64, payload: &[u8]) -> Result<[u8; 32]> {
    let mut digest = PayloadDigest::new(pkg_version)?;
    digest.update(payload);
    Ok(digest.finish())
}

/// Checks that the package version is one whose digest is known.
///
/// # Errors
///
/// `Unsupported` unless it is 1 or 2.
pub fn check_pkg_version(pkg_version: u64) -> Result<()> {
    match pkg_version {
        1 | 2 => Ok(()),
        _ => Err(unsupported(fields::PKG_VERSION, "unknown package version", "1 or 2", pkg_version)),
    }
}

/// Compares the header's digest with that of the payload behind it. Of version 2 only the first 16 bytes count.
///
/// # Errors
///
/// `HashMismatch` with both digests; `Unsupported` as [`payload_hash`].
pub fn verify_hash(header: &Header, file: &[u8]) -> Result<()> {
    header.compare_hash(&payload_hash(header.pkg_version, file.get(SIZE..).unwrap_or_default())?)
}

impl Header {
    /// The bytes of the hash field that count: all for package version 1, else the first 16.
    pub fn digest(&self) -> &[u8] {
        let length = if self.pkg_version == 1 { 32 } else { 16 };
        self.hash.get(..length).unwrap_or_default()
    }

    /// Compares the header's digest with the payload's.
    ///
    /// # Errors
    ///
    /// `HashMismatch` with both digests.
    pub fn compare_hash(&self, computed: &[u8; 32]) -> Result<()> {
        let stored = self.digest();
        let computed = computed.get(..stored.len()).unwrap_or_default();
        if computed == stored {
            return Ok(());
        }
        Err(field_error(
            ErrorCode::HashMismatch,
            fields::HASH,
            "the payload does not have the header's digest",
            hex(computed),
            hex(stored),
        ))
    }
}

/// The MD5 of the payload with the version and variant bits of a random uuid stamped in.
pub fn deterministic_uuid(payload: &[u8]) -> [u8; 16] {
    uuid_of_digest(md5(payload))
}

/// An MD5 with the version and variant bits of a random uuid stamped in.
pub fn uuid_of_digest(mut md5: [u8; 16]) -> [u8; 16] {
    md5[6] = md5[6] & 0x0f | 0x40;
    md5[8] = md5[8] & 0x3f | 0x80;
    md5
}
