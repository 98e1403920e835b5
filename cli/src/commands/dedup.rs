//! `bir dedup`: which constant files are equal, so that whoever pays for a package's size sees where it comes from.

use super::dedup_view;
use crate::args::Dedup;
use crate::console::Console;
use crate::fault::{Failure, Fault, InFile, Outcome};
use crate::files;
use crate::load::{self, Content};
use crate::progress::Progress;
use crate::report::Report;
use bir_core::consts::dedup::Session;
use bir_core::consts::digest::hex;
use bir_core::consts::npy::dtype_of_head;
use bir_core::contents::{Contents, Data, fill_at};
use bir_core::enums::bir::{Dtype, MemoryType};
use bir_core::host::dedup::{
    DEFAULT_DTYPE, DEFAULT_MEMORY_TYPE, DedupReport, DedupedFile, Entry, Keys, Options, dedup_entries, dedup_files,
};
use bir_core::host::spool::Spool;
use bir_core::neff::inventory::HEAD_BYTES;
use bir_core::neff::walk::Limits;
use bir_core::pack::{constants_digest, module_constants};
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Compares files, the constants of a document, or the members of a package.
pub fn run(args: &Dedup, console: &Console) -> Outcome<Report> {
    match args.paths.as_slice() {
        [one] => match content(one)? {
            Single::Document => document(args, one, console),
            Single::Package => {
                of_files_only(args, "a package")?;
                package(args, one, console)
            }
            Single::Files => listed(args, console),
        },
        _ => listed(args, console),
    }
}

/// An element type by its name.
pub fn dtype(name: &str) -> Result<Dtype, String> {
    Dtype::from_name(name).map_err(|error| error.to_string())
}

/// A memory type by its name.
pub fn memory_type(name: &str) -> Result<MemoryType, String> {
    MemoryType::from_name(name).map_err(|error| error.to_string())
}

/// What a single argument is. A single file has no equal, so it need not be a constant file itself.
enum Single {
    Document,
    Package,
    Files,
}

fn content(path: &Path) -> Outcome<Single> {
    if files::is_standard(path) {
        return Ok(Single::Document);
    }
    // What is wrong with it, or that it is no ordinary file, is told with the other findings; nothing is opened here that
    // could keep us waiting.
    if !std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return Ok(Single::Files);
    }
    let name = path.as_os_str().as_encoded_bytes();
    if name.ends_with(b".json") || name.ends_with(b".cbor") {
        return Ok(Single::Document);
    }
    let Ok(opened) = files::open(path) else { return Ok(Single::Files) };
    Ok(match Content::of(opened.head()) {
        Content::Package => Single::Package,
        Content::Document(_) if opened.head().trim_ascii_start().starts_with(b"{") => Single::Document,
        _ => Single::Files,
    })
}

/// The options that say where the constants of a document are make sense for a document only.
fn of_files_only(args: &Dedup, what: &str) -> Outcome<()> {
    match args.const_dir {
        Some(_) => Err(Fault::Usage(format!("--const-dir is for a document; this is {what}"))),
        None => Ok(()),
    }
}

fn options<'o>(args: &Dedup, progress: &'o (dyn Fn(u64, u64) + Sync)) -> Options<'o> {
    let threads = args.threads.map_or(0, usize::from);
    Options {
        threads,
        keys: if args.keys { Keys::All } else { Keys::Equal },
        progress: Some(progress),
        ..Options::default()
    }
}

/// Files and folders.
fn listed(args: &Dedup, console: &Console) -> Outcome<Report> {
    of_files_only(args, "a list of files and folders")?;
    let progress = Progress::bytes(console.quiet, 0, String::from("Comparing files"));
    let show = |done, total| progress.at_of(done, total);
    let memory_type = args.memory_type.map_or(DEFAULT_MEMORY_TYPE, MemoryType::name);
    let report = dedup_files(&args.paths, args.dtype.map(Dtype::name), memory_type, &options(args, &show))?;
    drop(progress);
    finish(args, &report, None, console)
}

/// The constant files of a document, as `bir pack` would merge them.
fn document(args: &Dedup, path: &Path, console: &Console) -> Outcome<Report> {
    if args.dtype.is_some() || args.memory_type.is_some() {
        let message = "a document states the types of its constants: give no --dtype and --memory-type";
        return Err(Fault::Usage(String::from(message)));
    }
    let name = files::name(path);
    let loaded = load::document(path, args.strict, console)?;
    let constants = module_constants(&loaded.module).in_file(&name)?;
    let folder = files::const_dir(args.const_dir.as_deref(), path);
    let paths: Vec<PathBuf> = constants.iter().map(|constant| folder.join(&constant.file)).collect();
    let entries: Vec<Entry<'_>> = constants
        .iter()
        .zip(&paths)
        .map(|(constant, path)| Entry {
            name: &constant.file,
            path,
            dtype: Some(constant.dtype.name()),
            memory_type: constant.memory_type.name(),
        })
        .collect();
    let progress = Progress::bytes(console.quiet, 0, format!("Comparing the constants of {name}"));
    let show = |done, total| progress.at_of(done, total);
    let report = dedup_entries(&entries, &options(args, &show)).in_file(&name)?;
    drop(progress);
    // What cannot be read is not among the files.
    let readable = constants.iter().zip(&paths).filter(|(_, path)| report.problems.iter().all(|p| p.path != **path));
    let constants = readable.zip(&report.files).map(|((constant, _), file)| {
        json!({
            "variable": constant.variable, "file": constant.file, "dtype": constant.dtype.name(),
            "memory_type": constant.memory_type.name(), "bytes": file.bytes, "key": file.key,
        })
    });
    let keys: Option<Vec<&str>> = report.files.iter().map(|file| file.key.as_deref()).collect();
    let digest = keys.filter(|_| args.keys && report.problems.is_empty()).map(|keys| hex(&constants_digest(keys)));
    let more = json!({ "constants": constants.collect::<Vec<_>>(), "digest": digest });
    finish(args, &report, Some(more), console)
}

/// The members of a package.
fn package(args: &Dedup, path: &Path, console: &Console) -> Outcome<Report> {
    let name = files::name(path);
    let progress = Progress::bytes(console.quiet, 0, format!("Comparing the members of {name}"));
    let total = std::fs::metadata(path).map_or(0, |about| about.len());
    let spool = Spool::of_package(path, Limits::default(), false, &mut |done| progress.at_of(done, total));
    let report = spool.and_then(|spool| members(args, &spool)).in_file(&name)?;
    drop(progress);
    finish(args, &report, None, console)
}

fn members(args: &Dedup, package: &Spool) -> bir_core::Result<DedupReport> {
    let memory_type = args.memory_type.map_or(DEFAULT_MEMORY_TYPE, MemoryType::name);
    let mut session: Session<Data<'static>> = Session::new();
    for member in package.members() {
        let mut head = [0; HEAD_BYTES];
        let count = fill_at(&*member.contents, 0, &mut head)?;
        let stated = head.get(..count).and_then(dtype_of_head);
        let dtype = args.dtype.map(Dtype::name).or(stated).unwrap_or(DEFAULT_DTYPE);
        session.add(&member.name, Rc::clone(&member.contents), dtype, memory_type)?;
    }
    let mut report = DedupReport {
        unique_files: session.unique_files(),
        saved_bytes: session.saved_bytes(),
        ..DedupReport::default()
    };
    let mut uses = vec![0_u32; session.records().len()];
    for presented in session.presentations() {
        if let Some(count) = uses.get_mut(presented.record) {
            *count += 1;
        }
    }
    // The place of the first file of each record.
    let mut places = Vec::new();
    for (place, presented) in session.presentations().iter().enumerate() {
        if presented.record == places.len() {
            places.push(place);
        }
        let Some(record) = session.records().get(presented.record) else { continue };
        let shared = uses.get(presented.record).is_some_and(|count| *count > 1);
        let key = if args.keys || shared { Some(record.key()?.to_owned()) } else { None };
        report.bytes = report.bytes.saturating_add(record.content.size());
        report.files.push(DedupedFile {
            name: presented.name.clone(),
            path: PathBuf::from(&presented.name),
            bytes: record.content.size(),
            key,
            stored_as: places.get(presented.record).copied().unwrap_or(place),
            matched: presented.matched,
        });
    }
    Ok(report)
}

/// Shows what was found. What could not be read makes the command fail, after everything else is shown.
fn finish(args: &Dedup, report: &DedupReport, more: Option<Value>, console: &Console) -> Outcome<Report> {
    let inputs: Vec<String> = args.paths.iter().map(|path| files::name(path)).collect();
    let skipped = || report.skipped.iter().map(|s| format!("{} ({})", s.path.to_string_lossy(), s.found));
    if args.strict
        && let Some(first) = skipped().next()
    {
        return Err(Error::new(ErrorCode::Unsupported, format_args!("left out: {first}")).into());
    }
    console.warnings("left out", skipped(), 0);
    let mut problems: Vec<Failure> = report
        .problems
        .iter()
        .map(|p| Failure { error: p.error.clone(), file: Some(p.path.to_string_lossy().into_owned()) })
        .collect();
    let mut json = dedup_view::json(report, &inputs, &problems);
    let mut text = dedup_view::text(report, args.keys, console);
    if let (Some(object), Some(Value::Object(more))) = (json.as_object_mut(), more) {
        if let Some(Value::String(digest)) = more.get("digest") {
            text += &format!("digest of all constants {digest}\n");
        }
        object.extend(more);
    }
    let failure = if problems.len() > 1 {
        console.failures(&problems);
        let message = format!("{} files or folders cannot be read", problems.len());
        Some(Failure { error: Error::new(ErrorCode::Io, message), file: None })
    } else {
        problems.pop()
    };
    Ok(Report { failure, ..Report::new(text, json) })
}
