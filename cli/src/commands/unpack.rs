//! `bir unpack`: members as files. A package is not trusted: nothing is written outside the folder, and no link is followed.

use crate::args::Unpack;
use crate::console::{Console, clean};
use crate::fault::{Fault, Outcome};
use crate::files;
use crate::load::{self, PackageInput};
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use crate::suggest;
use bir_core::host::extract::{ExtractOptions, Refused, extract_file};
use bir_core::host::package::Lister;
use bir_core::neff::header::SIZE;
use bir_core::{Error, ErrorCode};
use serde_json::json;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The name of the payload beside the members, as other packagers have it.
pub const PAYLOAD: &str = "neff.tgz";

/// Extracts members.
pub fn run(args: &Unpack, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.neff);
    let dir = folder(args)?;
    let mut package = load::package(&args.neff, &args.limits, console)?;
    let names: Vec<&str> = args.member.iter().map(String::as_str).collect();
    let options = ExtractOptions { overwrite: args.force, verify_hash: !args.ignore_hash };
    let progress = Progress::bytes(console.quiet, package.size(), format!("Unpacking {file}"));
    let bar = progress.handle();
    let names = Some(names.as_slice()).filter(|names| !names.is_empty());
    let written = extract_file(&mut package, names, &dir, options, &mut |bytes| bar.position(bytes));
    drop(progress);
    let written = match written {
        Ok(written) => written,
        Err(Refused { error, .. }) if error.code == ErrorCode::NotFound => {
            return Err(Fault::of_file(&file, unknown(&mut package, &error.path)?));
        }
        Err(refused) => return Err(explained(refused, &file)),
    };
    if args.payload {
        payload(args, &dir)?;
    }
    let text = written.iter().fold(String::new(), |text, m| text + &clean(&m.name) + "\n");
    let members = written.iter().map(|m| json!({ "name": m.name, "size": m.size }));
    let json = json!({
        "kind": "unpack", "file": file, "dir": dir.to_string_lossy(), "members": members.collect::<Vec<_>>(),
    });
    Ok(Report::new(text, json))
}

/// Where to: given, or named as the package.
fn folder(args: &Unpack) -> Outcome<PathBuf> {
    match &args.dir {
        Some(dir) => Ok(dir.clone()),
        None if files::is_standard(&args.neff) => {
            Err(Fault::Usage(String::from("give a folder (-d): standard input has no name")))
        }
        None => match args.neff.file_stem() {
            Some(stem) if Path::new(stem) != args.neff => Ok(PathBuf::from(stem)),
            _ => Err(Fault::Usage(String::from("give a folder (-d): the package's name has no ending to leave out"))),
        },
    }
}

/// Writes the payload beside the members.
fn payload(args: &Unpack, dir: &Path) -> Outcome<()> {
    let (file, target) = (files::name(&args.neff), dir.join(PAYLOAD));
    if files::is_standard(&args.neff) {
        return Err(Fault::Usage(String::from("--payload needs a file to read from")));
    }
    if target.exists() && !args.force {
        let error = Error::new(ErrorCode::DuplicateName, "the file exists; --force overwrites it");
        return Err(Fault::of_file(target.to_string_lossy(), error));
    }
    let failed = |e: io::Error| Fault::io(&*file, "cannot read", &e);
    let mut source = File::open(&args.neff).map_err(failed)?;
    source.seek(SeekFrom::Start(SIZE as u64)).map_err(failed)?;
    output::write_with(&target, |out| {
        io::copy(&mut source, out).map_err(|e| Fault::io(target.to_string_lossy(), "cannot write", &e))?;
        Ok(())
    })
}

/// The error of a name that no member has, with one that is like it.
fn unknown(package: &mut PackageInput, name: &str) -> Outcome<Error> {
    let mut lister = Lister::default();
    package.pass(false, &mut lister)?;
    let all = lister.members.iter().map(|m| m.name.as_str());
    Ok(suggest::unknown("member", name, all, "`bir list` shows them"))
}

/// Names the file, and the way out if there is one.
fn explained(Refused { file, mut error }: Refused, package: &str) -> Fault {
    if error.code == ErrorCode::DuplicateName {
        error.message.push_str("; --force overwrites it");
    }
    Fault::of_file(file.map_or_else(|| package.into(), |f| f.to_string_lossy().into_owned()), error)
}
