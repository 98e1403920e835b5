//! Which NEFF version a writer states and which ones a loader takes (`spec/neff.md` sections 2.3, 3 and 9).
#![forbid(unsafe_code)]

use super::{Header, fields, unsupported};
use crate::error::Result;

/// The largest NEFF major version a loader takes.
pub const MAX_NEFF_MAJOR: u64 = 2;

/// Feature bits that make a loader refuse a package of NEFF version 2; bit 63 is never a reason.
pub const UNSUPPORTED_FEATURES: u64 = 0x7FFF_FFFF_F800_0000;

/// The NEFF version of a package with these feature bits: 2.0 if there are any, else 1.0.
pub const fn neff_version(feature_bits: u64) -> (u64, u64) {
    (if feature_bits == 0 { 1 } else { 2 }, 0)
}

pub(super) fn check(header: &Header) -> Result<()> {
    let major = header.neff_version_major;
    if major > MAX_NEFF_MAJOR {
        let expected = format_args!("at most {MAX_NEFF_MAJOR}");
        return Err(unsupported(fields::NEFF_VERSION_MAJOR, "unknown NEFF version", expected, major));
    }
    let unknown = header.feature_bits & UNSUPPORTED_FEATURES;
    if major == MAX_NEFF_MAJOR && unknown != 0 {
        let expected = format_args!("no bit of {UNSUPPORTED_FEATURES:#x}");
        let found = format_args!("{:#x}", header.feature_bits);
        return Err(unsupported(fields::FEATURE_BITS, "unknown feature bits", expected, found));
    }
    Ok(())
}
