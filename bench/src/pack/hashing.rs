//! MD5 of many blobs in memory on one core: ours, with each instruction set, against the `md5` crate.

use crate::Result;
use crate::clock::Clock;
use crate::weights::bfloat::Weights;
use bir_core::consts::digest::Md5;
use bir_core::consts::md5::{Kernel, digest_many, digest_many_with};
use serde_json::json;

/// Hashes `bytes` of blobs of `size` bytes.
pub fn run(bytes: usize, size: usize, clock: Clock) -> Result<()> {
    let mut content = vec![0; bytes / size * size];
    Weights::new(1).fill(&mut content);
    let blobs: Vec<&[u8]> = content.chunks(size).collect();
    let (crate_seconds, expected) = timed(clock, || Ok(of_crate(&blobs)))?;
    let (our_seconds, found) = timed(clock, || Ok(digest_many(&blobs)?))?;
    check(&expected, &found)?;
    let line = json!({
        "phase": "hash",
        "bytes": content.len(),
        "seconds": our_seconds,
        "crate_seconds": crate_seconds,
        "kernel": Kernel::best().name(),
    });
    println!("{line}");
    for kernel in Kernel::available() {
        let (seconds, found) = timed(clock, || Ok(digest_many_with(kernel, &blobs)?))?;
        check(&expected, &found)?;
        println!("{}", json!({"phase": "kernel", "name": kernel.name(), "lanes": kernel.lanes(), "seconds": seconds}));
    }
    Ok(())
}

fn check(expected: &[Md5], found: &[Md5]) -> Result<()> {
    if found == expected { Ok(()) } else { Err("the digests differ from the crate's".into()) }
}

/// One after the other.
fn of_crate(blobs: &[&[u8]]) -> Vec<Md5> {
    blobs.iter().map(|blob| md5::compute(blob).0).collect()
}

fn timed(clock: Clock, hash: impl FnOnce() -> Result<Vec<Md5>>) -> Result<(f64, Vec<Md5>)> {
    let start = clock.now();
    let digests = hash()?;
    Ok((clock.now() - start, digests))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_the_crates() {
        let blobs: [&[u8]; 4] = [b"", b"a", &[7; 1000], &[0; 64]];
        assert_eq!(digest_many(&blobs).unwrap(), of_crate(&blobs));
    }
}
