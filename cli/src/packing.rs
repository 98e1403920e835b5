//! Writing a package: what `pack`, `create` and `optimize` have in common.

use crate::args::{self, Packing};
use crate::console::Console;
use crate::fault::{Fault, Outcome};
use crate::files;
use crate::output;
use crate::progress::Progress;
use bir_core::host::extract::Refused;
use bir_core::host::package_writer::{WriteOptions, write_file, write_stream};
use bir_core::neff::Compression;
use bir_core::neff::header::{Header, SIZE};
use bir_core::neff::package::Archive;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

impl Packing {
    /// The kind of compression, where nothing else is asked for `default`.
    pub fn compression(&self, default: Compression) -> Compression {
        match self.compression {
            None => default,
            Some(args::Compression::Exact) => Compression::Exact,
            Some(args::Compression::Parallel) => Compression::Parallel,
            Some(args::Compression::None) => Compression::None,
        }
    }

    /// The number of threads as the library takes it.
    pub fn threads(&self) -> usize {
        self.threads.map_or(0, usize::from)
    }

    /// What else the options say of an archive.
    pub fn apply(&self, archive: &mut Archive<'_>) {
        archive.set_uuid(self.uuid);
        archive.set_pad_payload(self.pad);
    }
}

/// Fails where a package cannot go: where JSON goes, and to a terminal.
pub fn check_output(path: &Path, console: &Console) -> Outcome<()> {
    if files::is_standard(path) {
        if console.json {
            return Err(Fault::Usage(String::from("--json and -o - both want standard output")));
        }
        if output::is_terminal(path) {
            return Err(Fault::Usage(String::from("a package is no text: give a file or a pipe")));
        }
    }
    Ok(())
}

/// Writes the package; its size in bytes.
pub fn write(archive: &Archive<'_>, output: &Path, threads: usize, console: &Console) -> Outcome<u64> {
    let progress = Progress::bytes(console.quiet, archive.member_bytes(), format!("Writing {}", files::name(output)));
    let bar = progress.handle();
    let mut tell = |done| {
        bar.position(done);
        ControlFlow::Continue(())
    };
    let options = WriteOptions { threads, progress: Some(&mut tell) };
    let header: Header = if files::is_standard(output) {
        write_stream(archive, &mut io::stdout().lock(), options)?
    } else {
        write_file(archive, output, options)?
    };
    Ok(header.data_size.saturating_add(SIZE as u64))
}

/// The fault of a file that an error is about, or of `other`.
pub fn refused(Refused { file, error }: Refused, other: &str) -> Fault {
    Fault::of_file(file.map_or_else(|| other.to_owned(), |f| f.to_string_lossy().into_owned()), error)
}
