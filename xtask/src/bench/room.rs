//! How much memory a process may take here: a baseline that does not fit would be killed, or would measure the disk.
use super::lines::{self, phase};
use crate::generate::Result;
use std::path::Path;
use std::process::Command;

/// Bytes that are free for a process; none if the system does not say.
pub fn available(program: &Path) -> Result<Option<u64>> {
    let mut command = Command::new(program);
    command.arg("room");
    let lines = lines::run(command)?;
    Ok(phase(&lines, "room")?.number("available").ok().map(|bytes| bytes as u64))
}
