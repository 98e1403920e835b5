//! `bir unpack`: members as files. A package is not trusted: nothing is written outside the folder, and no link is followed.

use crate::args::Unpack;
use crate::console::{Console, clean};
use crate::fault::{Fault, Outcome};
use crate::files;
use crate::load;
use crate::output::Replacement;
use crate::progress::Progress;
use crate::report::Report;
use crate::suggest;
use bir_core::neff::Package;
use bir_core::neff::path::safe_member_path;
use bir_core::neff::read::Member;
use bir_core::{Error, ErrorCode};
use serde_json::json;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Extracts members.
pub fn run(args: &Unpack, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.neff);
    let bytes = files::read(&args.neff, console.quiet)?;
    let package = load::package(&bytes, &file, !args.ignore_hash, console)?;
    let wanted = choose(&package, &args.member, &file)?;
    no_file_is_a_folder(&wanted, &file)?;
    // Everything is looked at before anything is written, and again right before each write.
    for member in &wanted {
        target(&args.dir, &member.name, args.force, false)?;
    }
    fs::create_dir_all(&args.dir).map_err(|e| Fault::io(args.dir.to_string_lossy(), "cannot make the folder", &e))?;
    let total = wanted.iter().fold(0, |sum: u64, m| sum.saturating_add(m.size() as u64));
    let progress = Progress::bytes(console.quiet, total, format!("Unpacking {file}"));
    for member in &wanted {
        let path = target(&args.dir, &member.name, args.force, true)?;
        let contents = package.contents(member);
        write(&path, contents).map_err(|e| Fault::io(path.to_string_lossy(), "cannot write", &e))?;
        progress.advance(contents.len() as u64);
    }
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

/// One member cannot be both a file and the folder of another.
fn no_file_is_a_folder(members: &[&Member], file: &str) -> Outcome<()> {
    let names: HashSet<&str> = members.iter().map(|m| m.name.as_str()).collect();
    for member in members {
        for (slash, _) in member.name.match_indices('/') {
            if let Some(folder) = member.name.get(..slash).filter(|folder| names.contains(folder)) {
                let message = "a member lies below another member that is a file";
                let error = Error::new(ErrorCode::Conflict, message)
                    .expected_found("a folder", format_args!("the file `{folder}`"));
                return Err(Fault::of_file(file, error.at(&member.name)));
            }
        }
    }
    Ok(())
}

/// The path of a member below `dir`, after a look at every element of it. With `make` the folders are made.
fn target(dir: &Path, name: &str, force: bool, make: bool) -> Outcome<PathBuf> {
    let safe = safe_member_path(name)?;
    let mut path = dir.to_owned();
    let mut elements = safe.split('/').peekable();
    while let Some(element) = elements.next() {
        path.push(element);
        let last = elements.peek().is_none();
        let shown = || path.to_string_lossy().into_owned();
        let refused = |code, message: &str| Err(Fault::of_file(shown(), Error::new(code, message).at(name)));
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => return refused(ErrorCode::UnsafePath, "refusing to follow a link"),
            Ok(found) if last && found.is_dir() => return refused(ErrorCode::Conflict, "a folder is in the way"),
            Ok(found) if last && !found.is_file() => return refused(ErrorCode::Conflict, "this is no ordinary file"),
            Ok(_) if last && !force => {
                return refused(ErrorCode::DuplicateName, "the file exists; --force overwrites it");
            }
            Ok(found) if !last && !found.is_dir() => {
                return refused(ErrorCode::Conflict, "a file is in the way of a folder");
            }
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                if make && !last {
                    fs::create_dir(&path).map_err(|e| Fault::io(shown(), "cannot make the folder", &e))?;
                }
            }
            Err(e) => return Err(Fault::io(shown(), "cannot look at the file", &e)),
        }
    }
    Ok(path)
}

/// Writes under a new name and renames: even a link that appears meanwhile is replaced, not followed.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = Replacement::create(path)?;
    file.writer()?.write_all(contents)?;
    file.commit(None)
}
