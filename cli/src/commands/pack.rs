//! `bir pack`: a document and its constant files become a package.

use super::pack_folder;
use crate::args::Pack;
use crate::console::Console;
use crate::fault::{InFile, Outcome};
use crate::files;
use crate::load;
use crate::packing::{check_output, refused, write};
use crate::progress::Progress;
use crate::report::Report;
use crate::table::pairs;
use bir_core::contents::{Contents, Data};
use bir_core::host::FileContents;
use bir_core::host::dedup::Options;
use bir_core::host::pack::assemble_from_folder;
use bir_core::ir::ModuleRef;
use bir_core::neff::Compression;
use bir_core::pack::{PackOptions, PackReport};
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;

/// Makes a package.
pub fn run(args: &Pack, console: &Console) -> Outcome<Report> {
    check_output(&args.output, console)?;
    if !files::is_standard(&args.module) && args.module.is_dir() {
        return pack_folder::run(args, console);
    }
    let loaded = load::document(&args.module, args.strict, console)?;
    let folder = files::const_dir(args.const_dir.as_deref(), &args.module);
    module(args, &loaded.module, &files::name(&args.module), &folder, console)
}

/// How the archive is stored.
pub fn compression(args: &Pack) -> Compression {
    if args.no_compress { Compression::None } else { args.packing.compression(Compression::Exact) }
}

/// Further members.
pub fn members(args: &Pack) -> Outcome<Vec<(String, Data<'static>)>> {
    let mut members = Vec::new();
    for (name, path) in &args.member {
        let contents: Rc<dyn Contents> = Rc::new(FileContents::new(path)?);
        members.push((name.clone(), Data::Shared(contents)));
    }
    Ok(members)
}

/// Packs a module that was read from `file`.
pub fn module(args: &Pack, module: &ModuleRef, file: &str, folder: &Path, console: &Console) -> Outcome<Report> {
    let options = PackOptions {
        name: args.name.clone().unwrap_or_else(|| PackOptions::default().name),
        compression: compression(args),
        deduplicate: !args.no_dedup,
        feature_bits: args.feature_bits,
        tool_version: args.tool_version.clone(),
        members: members(args)?,
        ..PackOptions::default()
    };
    let (builder, report) = {
        let progress = Progress::bytes(console.quiet, 0, format!("Comparing the constants of {file}"));
        let show = |done, total| progress.at_of(done, total);
        let compare = Options { threads: args.packing.threads(), progress: Some(&show), ..Options::default() };
        assemble_from_folder(module, folder, &options, &compare).map_err(|r| refused(r, file))?
    };
    if args.strict
        && let Some(warning) = report.warnings.first()
    {
        return Err(Error::new(ErrorCode::Conflict, warning)).in_file(file);
    }
    console.warnings(file, report.warnings.iter().cloned(), 0);
    let mut archive = builder.archive().in_file(file)?;
    args.packing.apply(&mut archive);
    let bytes = write(&archive, &args.output, args.packing.threads(), console)?;
    let target = args.output.to_string_lossy();
    let text = if files::is_standard(&args.output) { String::new() } else { text(&report, &target, bytes) };
    Ok(Report::new(text, pack_json(&report, file, &target, bytes)))
}

fn text(report: &PackReport, target: &str, bytes: u64) -> String {
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

fn pack_json(report: &PackReport, file: &str, target: &str, bytes: u64) -> Value {
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
