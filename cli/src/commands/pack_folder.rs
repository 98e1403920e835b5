//! `bir pack DIR`: a folder that holds the files of a package, or one document and its constants.

use super::pack;
use super::unpack::PAYLOAD;
use crate::args::Pack;
use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files;
use crate::load;
use crate::packing::write;
use crate::report::Report;
use crate::table::pairs;
use bir_core::consts::weights::{METADATA_FILE, Problem};
use bir_core::contents::{Contents, Data};
use bir_core::host::folder::files_below;
use bir_core::host::model_dir::ModelDir;
use bir_core::inline_weights::inline_weights;
use bir_core::neff::header::Header;
use bir_core::neff::inventory::parse;
use bir_core::neff::package::{Archive, Facts};
use bir_core::{Error, ErrorCode, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The graph manifests, by which the files of a package are known.
const MANIFESTS: [&str; 2] = ["neff.json", "kelp.json"];

/// Endings of documents.
const DOCUMENTS: [&str; 2] = [".bir.json", ".bir.cbor"];

/// Packs a folder.
pub fn run(args: &Pack, console: &Console) -> Outcome<Report> {
    let folder = &args.module;
    if MANIFESTS.iter().any(|name| folder.join(name).is_file()) {
        return package_files(args, folder, console);
    }
    let document = only_document(folder)?;
    let loaded = load::document(&document, args.strict, console)?;
    let name = files::name(&document);
    if folder.join(METADATA_FILE).is_file() {
        let mut dir = ModelDir::new(folder);
        let metadata = dir.metadata().in_file(&folder.join(METADATA_FILE).to_string_lossy())?;
        let plan = inline_weights(&loaded.module, &metadata, &mut dir).in_file(&name)?;
        console.warnings(&name, plan.warnings.iter().map(Problem::to_string).collect::<Vec<_>>().into_iter(), 0);
        console.errors(plan.problems.iter().map(|p| format!("{}: {p}", folder.to_string_lossy())));
        if !plan.problems.is_empty() {
            let message = format_args!("{} problems with the weights; nothing was written", plan.problems.len());
            return Err(Error::new(ErrorCode::Conflict, message)).in_file(&folder.to_string_lossy());
        }
    }
    let constants = args.const_dir.as_deref().unwrap_or(folder);
    pack::module(args, &loaded.module, &name, constants, console)
}

/// The one document of a folder.
fn only_document(folder: &Path) -> Outcome<PathBuf> {
    let name = folder.to_string_lossy();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| Fault::io(&*name, "cannot read the folder", &e))? {
        let path = entry.map_err(|e| Fault::io(&*name, "cannot read the folder", &e))?.path();
        if DOCUMENTS.iter().any(|ending| path.as_os_str().as_encoded_bytes().ends_with(ending.as_bytes())) {
            found.push(path);
        }
    }
    found.sort();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Fault::of_file(
            name,
            Error::new(ErrorCode::NotFound, "nothing to pack in the folder")
                .expected_found("neff.json and the other files of a package, or a document (*.bir.json)", "neither"),
        )),
        several => Err(Fault::of_file(
            name,
            Error::new(ErrorCode::Conflict, "several documents in the folder; name the one to pack")
                .expected_found("one", several.len()),
        )),
    }
}

/// Packs the files of a package.
fn package_files(args: &Pack, folder: &Path, console: &Console) -> Outcome<Report> {
    let name = folder.to_string_lossy();
    let mut members: Vec<(String, Data<'static>)> = Vec::new();
    for (member, contents) in files_below(folder)? {
        // The payload beside its members is none of them.
        if member != PAYLOAD {
            let contents: Rc<dyn Contents> = Rc::new(contents);
            members.push((member, Data::Shared(contents)));
        }
    }
    members.extend(pack::members(args)?);
    let facts = facts(&members).in_file(&name)?;
    let mut header = Header { feature_bits: args.feature_bits, ..Header::default() };
    facts.apply(&mut header);
    header.set_model_name(args.name.as_deref().or(facts.name.as_deref()).unwrap_or("module"));
    header.set_build_version(&args.tool_version);
    let mut archive = Archive::new(header, pack::compression(args));
    args.packing.apply(&mut archive);
    for (member, data) in members {
        archive.add(&member, data).in_file(&name)?;
    }
    archive.sort().in_file(&name)?;
    let bytes = write(&archive, &args.output, args.packing.threads(), console)?;
    Ok(report(&archive, "pack", &name, &args.output, bytes))
}

/// What the descriptors among members say.
pub fn facts(members: &[(String, Data<'static>)]) -> Result<Facts> {
    Facts::of(&mut |name| {
        let Some((_, data)) = members.iter().find(|(member, _)| member == name) else { return Ok(None) };
        let mut text = Vec::new();
        data.write_to(&mut text)?;
        let value: Value =
            parse(&text).map_err(|e| Error::new(ErrorCode::Syntax, format_args!("no JSON: {e}")).at(name))?;
        Ok(Some(value))
    })
}

/// The report about a package that was made of members.
pub fn report(archive: &Archive<'_>, kind: &str, input: &str, output: &Path, bytes: u64) -> Report {
    let target = output.to_string_lossy();
    let count = archive.members().len();
    let text = pairs(&[
        ("package", format!("{target}, {bytes} bytes")),
        ("members", format!("{count}, {} bytes", archive.member_bytes())),
    ]);
    let members = archive.members().iter().map(|m| json!({ "name": m.name, "size": m.data.size() }));
    let json = json!({
        "kind": kind, "input": input, "output": target, "bytes": bytes, "members": members.collect::<Vec<_>>(),
    });
    Report::new(if files::is_standard(output) { String::new() } else { text }, json)
}
