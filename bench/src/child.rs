//! What another program takes: processor time and memory of the whole process, from its start to its end.

use crate::Result;
use crate::memory;
use serde_json::json;
use std::process::{Command, Stdio};

/// Runs a program, whose output is dropped, and says what it took.
pub fn run(words: &[String]) -> Result<()> {
    let (program, arguments) = words.split_first().ok_or("a program is needed")?;
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err(format!("{program} failed, {status}").into());
    }
    let (seconds, peak) = memory::of_children()?;
    println!("{}", json!({"phase": "child", "cpu_seconds": seconds, "peak": peak}));
    Ok(())
}
