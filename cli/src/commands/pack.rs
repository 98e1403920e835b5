//! `bir pack`: a document and its constant files become a package.

use crate::args::Pack;
use crate::console::Console;
use crate::fault::{Failure, Fault, InFile, Outcome};
use crate::files;
use crate::load;
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use crate::table::pairs;
use bir_core::neff::Compression;
use bir_core::neff::path::safe_member_path;
use bir_core::pack::{PackOptions, PackReport, pack_module};
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};
use std::path::Path;

/// Makes a package.
pub fn run(args: &Pack, console: &Console) -> Outcome<Report> {
    if console.json && files::is_standard(&args.output) {
        return Err(Fault::Usage(String::from("--json and -o - both want standard output")));
    }
    if output::is_terminal(&args.output) {
        return Err(Fault::Usage(String::from("a package is no text: give a file or a pipe")));
    }
    let file = files::name(&args.module);
    let loaded = load::document(&args.module, args.strict, console)?;
    let mut members = Vec::new();
    for (name, path) in &args.member {
        members.push((name.clone(), files::read(path, console.quiet)?));
    }
    let options = PackOptions {
        name: args.name.clone(),
        compression: if args.no_compress { Compression::None } else { Compression::default() },
        deduplicate: !args.no_dedup,
        feature_bits: args.feature_bits,
        tool_version: args.tool_version.clone(),
        members,
        ..PackOptions::default()
    };
    let folder = files::const_dir(args.const_dir.as_deref(), &args.module);
    // The core knows the set of a constant whose file is bad, this knows the path and the system's reason.
    let mut bad_file = None;
    let packed = {
        let _progress = Progress::spinner(console.quiet, format!("Packing {file}"));
        pack_module(&loaded.module, &mut |name| constant(&folder, name, &mut bad_file), &options)
    };
    let packed = packed.map_err(|error| {
        let file = bad_file.take().unwrap_or_else(|| file.clone());
        Fault::Input(Box::new(Failure { error, file: Some(file) }))
    })?;
    if args.strict
        && let Some(warning) = packed.report.warnings.first()
    {
        return Err(Error::new(ErrorCode::Conflict, warning)).in_file(&file);
    }
    console.warnings(&file, packed.report.warnings.iter().cloned(), 0);
    output::write(&args.output, &packed.bytes)?;
    let target = args.output.to_string_lossy();
    let text = if files::is_standard(&args.output) {
        String::new()
    } else {
        text(&packed.report, &target, packed.bytes.len())
    };
    Ok(Report::new(text, pack_json(&packed.report, &file, &target, packed.bytes.len())))
}

fn constant(folder: &Path, name: &str, bad_file: &mut Option<String>) -> bir_core::Result<Vec<u8>> {
    let path = folder.join(safe_member_path(name)?);
    std::fs::read(&path).map_err(|e| {
        *bad_file = Some(path.to_string_lossy().into_owned());
        Error::new(ErrorCode::Io, format_args!("cannot read the constant file: {e}"))
    })
}

fn text(report: &PackReport, target: &str, bytes: usize) -> String {
    pairs(&[
        ("package", format!("{target}, {bytes} bytes")),
        ("inputs", report.inputs.join(", ")),
        ("outputs", report.outputs.join(", ")),
        (
            "constants",
            format!(
                "{} in {} files, {} bytes saved by merging",
                report.constants.len(),
                report.unique_files,
                report.saved_bytes
            ),
        ),
    ])
}

fn pack_json(report: &PackReport, file: &str, target: &str, bytes: usize) -> Value {
    let constants = report.constants.iter().map(|c| {
        json!({
            "variable": c.variable, "file": c.file, "stored_as": c.stored_as, "bytes": c.bytes, "merged": c.merged,
        })
    });
    json!({
        "kind": "pack",
        "input": file,
        "output": target,
        "bytes": bytes,
        "inputs": report.inputs,
        "outputs": report.outputs,
        "constants": constants.collect::<Vec<_>>(),
        "unique_files": report.unique_files,
        "saved_bytes": report.saved_bytes,
        "warnings": report.warnings,
    })
}
