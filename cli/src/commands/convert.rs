//! `bir convert`: document in, document out, in one of the standard forms.

use crate::args::{Convert, Form};
use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files;
use crate::load;
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use bir_core::doc::{Sink, WriteOptions};
use bir_core::ir::ModuleRef;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Converts a document.
pub fn run(args: &Convert, console: &Console) -> Outcome<Report> {
    if console.json && files::is_standard(&args.output) {
        return Err(Fault::Usage(String::from("--json and -o - both want standard output")));
    }
    let file = files::name(&args.input);
    let loaded = load::document(&args.input, args.strict, console)?;
    let target = args.output.to_string_lossy();
    let compact = args.compact.then_some(Form::Compact);
    let form = args.to.or(compact).unwrap_or_else(|| Form::of_name(&args.output));
    let written = write_document(&loaded.module, &args.output, form, args.explicit, &file, console)?;
    let warnings = (loaded.warnings.len() as u64).saturating_add(loaded.warnings_dropped);
    let json = json!({
        "kind": "convert", "input": file, "output": target, "form": form.name(), "bytes": written,
        "warning_count": warnings,
    });
    Ok(Report::new(String::new(), json))
}

/// Writes a module that was read from `file`; returns the number of bytes.
pub(super) fn write_document(
    module: &ModuleRef,
    output: &Path,
    form: Form,
    explicit: bool,
    file: &str,
    console: &Console,
) -> Outcome<u64> {
    let options = WriteOptions { compact: form == Form::Compact, explicit };
    write_with_sink(output, file, console, |sink| bir_core::doc::write_document(module, sink, form.format(), &options))
}

/// Writes what `write` makes of a module that was read from `file`; returns the number of bytes.
pub(super) fn write_with_sink(
    output: &Path,
    file: &str,
    console: &Console,
    write: impl FnOnce(&mut dyn Sink) -> bir_core::Result<()>,
) -> Outcome<u64> {
    let target = output.to_string_lossy();
    let mut written = 0;
    output::write_with(output, |out| {
        let _progress = Progress::spinner(console.quiet, format!("Writing {target}"));
        let mut sink = Counted { out, written: 0, failed: None };
        let result = write(&mut sink);
        written = sink.written;
        match sink.failed {
            Some(e) => Err(Fault::io(target.as_ref(), "cannot write", &e)),
            // What is left is wrong with the module.
            None => result.in_file(file),
        }
    })?;
    Ok(written)
}

/// Counts what is written and keeps the system's error.
struct Counted<'w> {
    out: &'w mut dyn Write,
    written: u64,
    failed: Option<std::io::Error>,
}

impl Sink for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> bir_core::Result<()> {
        match self.out.write_all(bytes) {
            Ok(()) => {
                self.written = self.written.saturating_add(bytes.len() as u64);
                Ok(())
            }
            Err(e) => {
                self.failed = Some(e);
                Err(bir_core::Error::new(bir_core::ErrorCode::Io, "cannot write"))
            }
        }
    }
}
