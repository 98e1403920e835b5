//! The header's digest guards the payload as stored, and its uuid is derived from it so that equal programs get equal
//! packages (`spec/neff.md` sections 2.1 and 2.2).
#![forbid(unsafe_code)]

use super::{Header, SIZE, field_error, fields, unsupported};
use crate::consts::digest::{Md5, hex, md5};
use crate::error::{ErrorCode, Result};
use sha2::{Digest, Sha256};

/// The digest of a payload as the hash field holds it: MD5 and sixteen zero bytes for package version 2, SHA-256 for
/// version 1.
///
/// # Errors
///
/// `Unsupported` for another version.
pub fn payload_hash(pkg_version: u64, payload: &[u8]) -> Result<[u8; 32]> {
    check_pkg_version(pkg_version)?;
    Ok(if pkg_version == 1 { Sha256::digest(payload).into() } else { hash_of_digest(md5(payload)) })
}

/// The hash field of package version 2: the payload's MD5 and sixteen zero bytes.
pub fn hash_of_digest(md5: Md5) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.iter_mut().zip(md5).for_each(|(to, from)| *to = from);
    hash
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
    let computed = payload_hash(header.pkg_version, file.get(SIZE..).unwrap_or_default())?;
    let length = if header.pkg_version == 1 { 32 } else { 16 };
    let (computed, stored) = (computed.get(..length), header.hash.get(..length));
    if computed == stored {
        return Ok(());
    }
    let (computed, stored) = (hex(computed.unwrap_or_default()), hex(stored.unwrap_or_default()));
    Err(field_error(
        ErrorCode::HashMismatch,
        fields::HASH,
        "the payload does not have the header's digest",
        computed,
        stored,
    ))
}

/// The MD5 of the payload with the version and variant bits of a random uuid stamped in.
pub fn deterministic_uuid(payload: &[u8]) -> [u8; 16] {
    uuid_of_digest(md5(payload))
}

/// As [`deterministic_uuid`], of the payload's MD5.
pub fn uuid_of_digest(md5: Md5) -> [u8; 16] {
    let mut uuid = md5;
    uuid[6] = uuid[6] & 0x0f | 0x40;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    uuid
}
