//! `bir cse`: removes instructions that compute what an earlier one of their block computed, and says which.

use super::convert::write_document;
use crate::args::{Cse, Form};
use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files;
use crate::load;
use crate::report::Report;
use bir_core::pass::cse::{CseReport, Subject, cse_module};
use serde_json::{Value, json};

/// Runs the pass on a document.
pub fn run(args: &Cse, console: &Console) -> Outcome<Report> {
    let to_standard = files::is_standard(&args.output);
    if console.json && to_standard {
        return Err(Fault::Usage(String::from("--json and -o - both want standard output")));
    }
    let file = files::name(&args.input);
    let loaded = load::document(&args.input, args.strict, console)?;
    let report = cse_module(&loaded.module).in_file(&file)?;
    let form = Form::of_name(&args.output);
    let written = write_document(&loaded.module, &args.output, form, false, &file, console)?;
    // The document itself may be on standard output.
    let text = if to_standard { String::new() } else { format!("{report}\n") };
    Ok(Report::new(text, as_json(&report, &file, &args.output.to_string_lossy(), written)))
}

fn as_json(report: &CseReport, file: &str, target: &str, bytes: u64) -> Value {
    let subject = |s: &Subject| json!({ "name": s.name, "id": s.id, "path": s.path });
    let merged =
        report.merged.iter().map(|m| json!({ "survivor": subject(&m.survivor), "removed": subject(&m.removed) }));
    let kept = report.kept.iter().map(
        |k| json!({ "same_as": subject(&k.same_as), "instruction": subject(&k.instruction), "why": k.why.to_string() }),
    );
    json!({
        "kind": "cse",
        "input": file,
        "output": target,
        "bytes": bytes,
        "blocks": report.blocks,
        "instructions": report.instructions,
        "candidates": report.candidates,
        "merged": merged.collect::<Vec<_>>(),
        "kept": kept.collect::<Vec<_>>(),
    })
}
