//! De-duplication of files, and the mere reading of them on as many threads.

use super::files::Files;
use crate::clock::Clock;
use crate::{Result, memory};
use bir_core::host::dedup::{DEFAULT_MEMORY_TYPE, Options, dedup_files};
use serde_json::json;
use std::path::{Path, PathBuf};

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
    let paths: Vec<PathBuf> = files.names.iter().map(|name| files.path(name)).collect();
    let options = Options { threads, ..Options::default() };
    let report = dedup_files(&paths, Some("bfloat16"), DEFAULT_MEMORY_TYPE, &options)?;
    if let Some(problem) = report.problems.first() {
        return Err(format!("{}: {}", problem.path.display(), problem.error).into());
    }
    Ok((report.unique_files, report.saved_bytes))
}
