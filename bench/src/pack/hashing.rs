//! MD5 of many blobs in memory on one core: ours against the `md5` crate.

use crate::Result;
use crate::clock::Clock;
use crate::weights::bfloat::Weights;
use bir_core::consts::digest;
use serde_json::json;

/// A digest.
type Md5 = [u8; 16];

/// Hashes `bytes` of blobs of `size` bytes.
pub fn run(bytes: usize, size: usize, clock: Clock) -> Result<()> {
    let mut content = vec![0; bytes / size * size];
    Weights::new(1).fill(&mut content);
    let blobs: Vec<&[u8]> = content.chunks(size).collect();
    let (crate_seconds, expected) = timed(clock, || of_crate(&blobs));
    let (our_seconds, found) = timed(clock, || ours(&blobs));
    if found != expected {
        return Err("the digests differ from the crate's".into());
    }
    let line = json!({
        "phase": "hash",
        "bytes": content.len(),
        "seconds": our_seconds,
        "crate_seconds": crate_seconds,
        "vectors": vectors(),
    });
    println!("{line}");
    Ok(())
}

/// Many blobs, as de-duplication hashes them.
fn ours(blobs: &[&[u8]]) -> Vec<Md5> {
    blobs.iter().map(|blob| digest::md5(blob)).collect()
}

/// One after the other.
fn of_crate(blobs: &[&[u8]]) -> Vec<Md5> {
    blobs.iter().map(|blob| md5::compute(blob).0).collect()
}

fn timed(clock: Clock, hash: impl FnOnce() -> Vec<Md5>) -> (f64, Vec<Md5>) {
    let start = clock.now();
    let digests = hash();
    (clock.now() - start, digests)
}

/// The widest vectors that this processor has.
fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return "AVX-512";
    } else if is_x86_feature_detected!("avx2") {
        return "AVX2";
    }
    "128 bits"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_the_crates() {
        let blobs: [&[u8]; 4] = [b"", b"a", &[7; 1000], &[0; 64]];
        assert_eq!(ours(&blobs), of_crate(&blobs));
    }
}
