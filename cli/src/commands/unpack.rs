//! `bir unpack`: members as files. A package is not trusted: nothing is written outside the folder, and no link is followed.

use crate::args::Unpack;
use crate::console::{Console, clean};
use crate::fault::{Fault, Outcome};
use crate::files;
use crate::load;
use crate::progress::Progress;
use crate::report::Report;
use crate::suggest;
use bir_core::ErrorCode;
use bir_core::host::extract::{Refused, extract};
use bir_core::neff::Package;
use bir_core::neff::read::Member;
use serde_json::json;
use std::collections::HashSet;

/// Extracts members.
pub fn run(args: &Unpack, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.neff);
    let bytes = files::read(&args.neff, console.quiet)?;
    let package = load::package(&bytes, &file, !args.ignore_hash, console)?;
    let wanted = choose(&package, &args.member, &file)?;
    let total = wanted.iter().fold(0, |sum: u64, m| sum.saturating_add(m.size() as u64));
    let progress = Progress::bytes(console.quiet, total, format!("Unpacking {file}"));
    extract(&package, &wanted, &args.dir, args.force, |bytes| progress.advance(bytes as u64))
        .map_err(|refused| explained(refused, &file))?;
    drop(progress);
    let text = wanted.iter().fold(String::new(), |text, m| text + &clean(&m.name) + "\n");
    let members = wanted.iter().map(|m| json!({ "name": m.name, "size": m.size() }));
    let json = json!({
        "kind": "unpack", "file": file, "dir": args.dir.to_string_lossy(), "members": members.collect::<Vec<_>>(),
    });
    Ok(Report::new(text, json))
}

/// The members that were asked for, each once, in file order.
fn choose<'p>(package: &'p Package<'_>, names: &[String], file: &str) -> Outcome<Vec<&'p Member>> {
    if names.is_empty() {
        return Ok(package.members().iter().collect());
    }
    let mut chosen = HashSet::new();
    for name in names {
        let name = name.trim_start_matches("./");
        if package.member(name).is_none() {
            let all = package.members().iter().map(|m| m.name.as_str());
            let error = suggest::unknown("member", name, all, "`bir list` shows them");
            return Err(Fault::of_file(file, error));
        }
        chosen.insert(name);
    }
    Ok(package.members().iter().filter(|m| chosen.contains(m.name.as_str())).collect())
}

/// Names the file, and the way out if there is one.
fn explained(Refused { file, mut error }: Refused, package: &str) -> Fault {
    if error.code == ErrorCode::DuplicateName {
        error.message.push_str("; --force overwrites it");
    }
    Fault::of_file(file.map_or_else(|| package.into(), |f| f.to_string_lossy().into_owned()), error)
}
