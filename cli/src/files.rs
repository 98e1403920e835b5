//! Input files, and their names in messages.

use crate::fault::{Fault, Outcome};
use crate::progress::Progress;
use std::io::Read;
use std::path::Path;

/// Whether the path stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an input in messages.
pub fn name(path: &Path) -> String {
    if is_standard(path) { String::from("standard input") } else { path.to_string_lossy().into_owned() }
}

/// All bytes of a file, or of standard input for `-`.
pub fn read(path: &Path, quiet: bool) -> Outcome<Vec<u8>> {
    let name = name(path);
    let _progress = Progress::spinner(quiet, format!("Reading {name}"));
    if !is_standard(path) {
        return std::fs::read(path).map_err(|e| Fault::io(name, "cannot read", &e));
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(e) => Err(Fault::io(name, "cannot read", &e)),
    }
}
