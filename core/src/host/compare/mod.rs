//! Two package files against each other, in memory that does not grow with their weights: members by digests of their
//! blocks, descriptors by their keys, programs by their instructions, constants by header and data.
#![forbid(unsafe_code)]

mod blocks;
mod members;
mod side;

use super::package::PackageFile;
use super::stamp::Input;
use crate::Result;
use crate::consts::digest::Md5;
use crate::error::Error;
use crate::neff::compare::{Difference, Differences, compare_headers};
use side::Side;
use std::string::{String, ToString};

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareOptions {
    /// Tell also what cannot matter: compression, owners and times of members, the spelling of JSON.
    pub all: bool,
    /// The most differences that are kept.
    pub max_differences: usize,
}

impl Default for CompareOptions {
    /// What matters; 1000 differences.
    fn default() -> Self {
        CompareOptions { all: false, max_differences: 1000 }
    }
}

/// What a comparison found.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The differences: header, package, members in the order of their names.
    pub differences: Differences,
    /// The payloads' digests as the hash field holds them.
    pub hashes: [Option<[u8; 32]>; 2],
    /// The IR signatures.
    pub signatures: [Md5; 2],
    /// `HashMismatch` for a side whose header has another digest.
    pub hash_errors: [Option<Error>; 2],
}

/// Compares two packages. `progress` hears how many bytes of both files together are done with; for what differs, parts
/// of the files are read again after that.
///
/// # Errors
/// As [`PackageFile::pass`], of the first side that has one; the flag tells whether it is the right one.
pub fn compare<A: Input, B: Input>(
    a: &mut PackageFile<A>,
    b: &mut PackageFile<B>,
    options: CompareOptions,
    progress: &mut dyn FnMut(u64),
) -> Result<Comparison, (bool, Error)> {
    let left = Side::read(a, progress).map_err(|e| (false, e))?;
    let done = a.size();
    let right = Side::read(b, &mut |bytes| progress(done.saturating_add(bytes))).map_err(|e| (true, e))?;
    let mut out = Differences::new(options.max_differences, options.all);
    let hashes = [left.passed.computed_hash, right.passed.computed_hash];
    let both = hashes[0].zip(hashes[1]).map(|(a, b)| [a, b]);
    let whole = |error: Error| (false, error);
    compare_headers(a.header(), b.header(), both, &mut out).map_err(whole)?;
    let packed = |compressed: bool| String::from(if compressed { "gzip" } else { "none" });
    if a.is_compressed() != b.is_compressed() {
        let difference = Difference::of_package("compression", packed(a.is_compressed()), packed(b.is_compressed()));
        out.add(Difference { matters: false, changes_hash: true, ..difference }).map_err(whole)?;
    }
    let before = out.total();
    let places = members::compare(&left, &right, &mut out).map_err(whole)?;
    blocks::compare(a, b, &left, &right, places, &mut out)?;
    if out.total() == before && hashes[0] != hashes[1] && a.is_compressed() == b.is_compressed() {
        let sizes = [a.header().data_size, b.header().data_size].map(|size| std::format!("{size} bytes"));
        let [old, new] = sizes;
        let difference = Difference::of_package("framing", old, new);
        out.add(Difference { matters: false, changes_hash: true, ..difference }).map_err(whole)?;
    }
    let signatures = [left.signature(), right.signature()];
    let hash_errors = [left.passed.hash_error, right.passed.hash_error];
    Ok(Comparison { differences: out, hashes, signatures, hash_errors })
}

/// A number of bytes, as text.
fn bytes(size: u64) -> String {
    match size {
        1 => "1 byte".to_string(),
        size => std::format!("{size} bytes"),
    }
}
