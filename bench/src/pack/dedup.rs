//! De-duplication of files, and the mere reading of them on as many threads.

use super::files::Files;
use crate::clock::Clock;
use crate::{Result, memory};
use bir_core::consts::Dedup;
use serde_json::json;
use std::io::Read;
use std::path::Path;

/// Reads all files and keeps nothing.
pub fn read(list: &Path, threads: usize, clock: Clock) -> Result<()> {
    let files = Files::of_list(list)?;
    let start = clock.now();
    let bytes = files.read(threads)?;
    println!("{}", json!({"phase": "read", "bytes": bytes, "seconds": clock.now() - start}));
    Ok(())
}

/// Finds the files that are equal.
pub fn merge(list: &Path, threads: usize, clock: Clock) -> Result<()> {
    let files = Files::of_list(list)?;
    let start = clock.now();
    let (unique, saved) = merged(&files, threads)?;
    let line = json!({
        "phase": "dedup",
        "files": files.names.len(),
        "unique": unique,
        "saved": saved,
        "seconds": clock.now() - start,
        "peak": memory::status("VmHWM")?,
    });
    println!("{line}");
    Ok(())
}

/// The number of unique files, and the bytes saved.
fn merged(files: &Files, threads: usize) -> Result<(usize, u64)> {
    let contents = files.each(threads, || {
        |_, mut file: std::fs::File| {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map(|_| bytes)
        }
    })?;
    let mut session = Dedup::new();
    for (name, bytes) in files.names.iter().zip(contents) {
        session.add(name, bytes, "bfloat16", "DRAM")?;
    }
    Ok((session.unique_files(), session.saved_bytes()))
}
