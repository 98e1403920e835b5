//! `bir compile`: a kernel of a front end, or a document whose instructions carry kernels, becomes a document.

use super::convert::write_document;
use crate::args::{Compile, Form};
use crate::console::Console;
use crate::fault::{Failure, Fault, InFile, Outcome};
use crate::files::{self, Opened};
use crate::load::{self, Content};
use crate::progress::Progress;
use crate::report::Report;
use bir_core::doc::Format;
use bir_core::enums::bir::ArchLevel;
use bir_core::ir::Module;
use bir_core::klr::{self, Arena, DecodeOptions, older};
use bir_core::lower::{self, Diagnostic, LowerOptions, Severity};
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};

/// What came of an input.
struct Compiled {
    module: Module,
    /// How it was read, for the report.
    form: &'static str,
    diagnostics: Vec<Diagnostic>,
    /// Findings that were not kept.
    dropped: u64,
    /// Whether every statement was lowered.
    good: bool,
    /// Carriers that were lowered, in a document.
    carriers: Option<usize>,
    /// Promises of a file that it breaks.
    findings: klr::Findings,
}

/// Compiles a file.
pub fn run(args: &Compile, console: &Console) -> Outcome<Report> {
    if console.json && files::is_standard(&args.output) {
        return Err(Fault::Usage(String::from("--json and -o - both want standard output")));
    }
    let file = files::name(&args.kernel);
    let bytes = files::read(&args.kernel, console.quiet)?;
    let options = LowerOptions {
        arch: args.arch,
        core_id: args.core,
        strict: args.strict,
        reverse_pred: args.reverse_pred,
        max_diagnostics: args.limit,
    };
    let mut compiled = compile(bytes, &file, args, &options, console)?;
    if args.strict && !compiled.findings.list.is_empty() {
        return Err(Fault::of_file(file, compiled.findings.list.swap_remove(0)));
    }
    console.warnings(&file, compiled.findings.list.iter().map(ToString::to_string), compiled.findings.dropped);
    console.diagnostics(&file, &compiled.diagnostics, compiled.dropped);
    if compiled.carriers == Some(0) && compiled.good {
        console.warnings(&file, [String::from("no instruction carries a kernel")].into_iter(), 0);
    }
    let count = |severity| compiled.diagnostics.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mut json = json!({
        "kind": "compile",
        "form": compiled.form,
        "input": file,
        "output": Value::Null,
        "bytes": 0,
        "carriers": compiled.carriers,
        "diagnostics": compiled.diagnostics.iter().map(diagnostic_json).collect::<Vec<_>>(),
        "dropped": compiled.dropped,
        "error_count": errors,
        "warning_count": warnings,
    });
    let failure = (!compiled.good).then(|| {
        let error = Error::new(ErrorCode::Unsupported, summary(errors, compiled.dropped, args.keep_going));
        Failure { error, file: Some(file.clone()) }
    });
    if compiled.good || args.keep_going {
        let compact = args.compact.then_some(Form::Compact);
        let form = args.to.or(compact).unwrap_or_else(|| Form::of_name(&args.output));
        let written = write_document(&compiled.module, &args.output, form, args.explicit, &file, console)?;
        json["output"] = Value::from(args.output.to_string_lossy());
        json["bytes"] = Value::from(written);
    }
    Ok(Report { failure, ..Report::new(String::new(), json) })
}

/// How many errors there are, and what came of it.
fn summary(errors: usize, dropped: u64, keep_going: bool) -> String {
    let count = match (errors, dropped) {
        (1, 0) => String::from("an error"),
        (errors, 0) => format!("{errors} errors"),
        (0, more) => format!("{more} findings that are not shown"),
        (errors, more) => format!("{errors} errors and {more} more findings"),
    };
    let end = if keep_going { "it was written without those statements" } else { "nothing was written" };
    format!("the kernel has {count}; {end}")
}

fn compile(bytes: Vec<u8>, file: &str, args: &Compile, options: &LowerOptions, console: &Console) -> Outcome<Compiled> {
    match Content::of(&bytes) {
        Content::Document(Format::Json) if older::is_kernel(&bytes) => {
            let _progress = Progress::spinner(console.quiet, format!("Compiling {file}"));
            let kernel = older::read_json(&bytes).in_file(file)?;
            let lowered = lower::lower_older(&kernel, options).in_file(file)?;
            Ok(Compiled::of("older", lowered, klr::Findings::default()))
        }
        // What is neither is best told as what is no kernel.
        Content::Document(Format::Json) if !bytes.trim_ascii_start().starts_with(b"{") => {
            kernel(&bytes, file, args, options, console)
        }
        Content::Document(_) => carriers(Opened::of_bytes(bytes), file, args, options, console),
        Content::Klr => kernel(&bytes, file, args, options, console),
        other => {
            let hint = match other {
                Content::Package => "this is a package; `bir unpack` extracts the document in it",
                _ => "this is compressed; decompress it first",
            };
            let error = Error::new(ErrorCode::Unsupported, hint).expected_found("a kernel", other.name());
            Err(Fault::of_file(file, error))
        }
    }
}

fn kernel(bytes: &[u8], file: &str, args: &Compile, options: &LowerOptions, console: &Console) -> Outcome<Compiled> {
    let _progress = Progress::spinner(console.quiet, format!("Compiling {file}"));
    let arena = Arena::new();
    let decode = DecodeOptions { proof_bytes: args.proof_bytes, ..DecodeOptions::default() };
    let kernel = klr::decode(bytes, &arena, &decode).map_err(super::klr_show::with_hint).in_file(file)?;
    let findings = klr::check(&kernel, args.limit).in_file(file)?;
    let lowered = lower::lower_file(&kernel, options).in_file(file)?;
    Ok(Compiled::of("klr", lowered, findings))
}

fn carriers(
    opened: Opened,
    file: &str,
    args: &Compile,
    options: &LowerOptions,
    console: &Console,
) -> Outcome<Compiled> {
    let loaded = load::opened_document(opened, &args.kernel, options.strict, console)?;
    let _progress = Progress::spinner(console.quiet, format!("Compiling {file}"));
    let report = lower::lower_carriers(&loaded.module, options).in_file(file)?;
    Ok(Compiled {
        module: loaded.module,
        form: "document",
        diagnostics: report.diagnostics,
        dropped: report.dropped,
        good: report.refused == 0,
        carriers: Some(report.lowered),
        findings: klr::Findings::default(),
    })
}

impl Compiled {
    fn of(form: &'static str, lowered: lower::Lowered, findings: klr::Findings) -> Compiled {
        let good = lowered.is_good();
        let lower::Lowered { module, diagnostics, dropped, .. } = lowered;
        Compiled { module, form, diagnostics, dropped, good, carriers: None, findings }
    }
}

/// The architecture of that name.
pub fn arch(text: &str) -> Result<ArchLevel, String> {
    ArchLevel::from_name(text).map_err(|error| error.to_string())
}

fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { severity, id, kernel, block, statement, operator, field, file, line, column, message } =
        diagnostic;
    let place = |number: &u64| (*line > 0).then_some(*number);
    json!({
        "severity": severity.name(),
        "id": id,
        "kernel": kernel,
        "block": block,
        "statement": statement,
        "operator": operator,
        "field": field,
        "file": file,
        "line": place(line),
        "column": place(column),
        "message": message,
    })
}
