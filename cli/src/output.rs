//! Output files. A file is written beside its target and renamed when it is whole, so a failure leaves the old file as it was.

use crate::console::to_stdout;
use crate::fault::{Fault, Outcome};
use crate::files::is_standard;
use bir_core::host::replace::replace;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes a whole output: a file, a device or pipe, or standard output for `-`. `write` fills it.
pub fn write_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> Outcome<()>) -> Outcome<()> {
    if is_standard(path) {
        // Nothing is shown of an output that fails half way.
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        return to_stdout(&bytes).map_err(|f| Fault::Input(Box::new(f)));
    }
    let failed = |e: io::Error| Fault::io(path.to_string_lossy(), "cannot write", &e);
    replace(path, write, failed)
}

/// Whether the output would be binary noise on a terminal.
pub fn is_terminal(path: &Path) -> bool {
    is_standard(path) && io::stdout().is_terminal()
}
