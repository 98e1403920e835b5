//! `bir optimize`: packages that load faster.

use crate::args::Optimize;
use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files;
use crate::packing::{check_output, write};
use crate::progress::Progress;
use crate::report::Report;
use crate::table::pairs;
use bir_core::host::optimize::{OptimizeOptions, Optimized, optimize};
use bir_core::host::spool::Spool;
use bir_core::neff::Compression;
use serde_json::{Value, json};
use std::path::Path;

/// Optimizes each package.
pub fn run(args: &Optimize, console: &Console) -> Outcome<Report> {
    if args.output.is_some() && args.neff.len() > 1 {
        return Err(Fault::Usage(String::from("-o goes with one package")));
    }
    if args.neff.iter().any(|path| files::is_standard(path)) {
        return Err(Fault::Usage(String::from("optimize reads a package more than once: give a file")));
    }
    let (mut text, mut packages) = (String::new(), Vec::new());
    for neff in &args.neff {
        let (of_one, json) = one(args, neff, args.output.as_deref().unwrap_or(neff), console)?;
        text += &of_one;
        packages.push(json);
    }
    Ok(Report::new(text, json!({ "kind": "optimize", "packages": packages })))
}

fn one(args: &Optimize, neff: &Path, output: &Path, console: &Console) -> Outcome<(String, Value)> {
    check_output(output, console)?;
    let name = files::name(neff);
    let before = std::fs::metadata(neff).map_or(0, |about| about.len());
    let spool = {
        let progress = Progress::bytes(console.quiet, before, format!("Reading {name}"));
        let bar = progress.handle();
        let limits = args.limits.limits();
        Spool::of_package(neff, limits, !args.ignore_hash, &mut |done| bar.position(done)).in_file(&name)?
    };
    let compression = args.packing.compression(Compression::None);
    let options = OptimizeOptions { keep_debug: args.keep_debug, merge: !args.no_merge, compression };
    let (mut archive, report) = {
        let _progress = Progress::spinner(console.quiet, format!("Comparing the constants of {name}"));
        optimize(&spool, options).in_file(&name)?
    };
    args.packing.apply(&mut archive);
    let bytes = write(&archive, output, args.packing.threads(), console)?;
    let target = files::name(output);
    let json = json_of(&report, &name, &target, before, bytes);
    Ok((if files::is_standard(output) { String::new() } else { text(&report, &target, before, bytes) }, json))
}

fn text(report: &Optimized, target: &str, before: u64, bytes: u64) -> String {
    let merged = report.merged.iter().map(|(definition, m)| {
        let (count, file, saved) = (m.variables.len(), &m.file_name, m.saved_bytes);
        format!("{definition}: {count} constants in {file}, {saved} bytes saved by merging equal ones")
    });
    pairs(&[
        ("package", format!("{target}, {bytes} bytes (before: {before})")),
        ("members", format!("{} bytes (before: {})", report.bytes_after, report.bytes_before)),
        ("merged", merged.collect::<Vec<_>>().join("; ")),
        ("dropped", report.dropped.join(", ")),
    ])
}

fn json_of(report: &Optimized, input: &str, output: &str, before: u64, bytes: u64) -> Value {
    let merged = report.merged.iter().map(|(definition, m)| {
        json!({
            "definition": definition, "variable": m.variable, "file": m.file_name, "bytes": m.bytes,
            "variables": m.variables, "unused_files": m.unused_files, "saved_bytes": m.saved_bytes,
        })
    });
    json!({
        "input": input, "output": output, "bytes_before": before, "bytes": bytes,
        "member_bytes_before": report.bytes_before, "member_bytes": report.bytes_after,
        "merged": merged.collect::<Vec<_>>(), "dropped": report.dropped,
    })
}
