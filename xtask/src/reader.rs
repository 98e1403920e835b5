//! The independent reader: a program that was written without this library reads what this library writes.
//!
//! Public and of another origin, it finds what our own tests cannot: a misreading of the format that our reader and our
//! writer share. It comes from a package that is fetched, not kept here; without it the step skips itself.
mod compare;
mod program;

use crate::ci::{Log, Outcome, Workspace};
use crate::generate::Result;
use program::Program;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The real documents that the step converts.
const DOCUMENTS: &str = "tests/data/bir";

/// Converts each real document to the form that writes every key, has the independent reader print it, and compares.
pub fn run(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    let reader = match program::fetch(workspace, log)? {
        Program::Ready(path) => path,
        Program::Unavailable(why) => return Ok(Outcome::Skipped(why)),
    };
    let documents = documents(workspace)?;
    for document in &documents {
        let original = parse(&fs::read(document).map_err(|e| format!("{}: {e}", document.display()))?, document)?;
        // First the reader alone: if it does not give back what it once wrote, it is no judge.
        same(&original, &read(workspace, &reader, document)?, document)?;
        let converted = convert(workspace, log, document)?;
        same(&original, &read(workspace, &reader, &converted)?, &converted)?;
    }
    Ok(Outcome::Passed(format!("{} documents", documents.len())))
}

/// Runs the program with the given arguments, input and outputs as they are.
pub fn pass_through(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    match program::fetch(workspace, &Log::create(workspace, "klr")?)? {
        Program::Unavailable(why) => Err(why),
        Program::Ready(path) => {
            let status = std::process::Command::new(&path).args(arguments).status();
            let status = status.map_err(|e| format!("{}: {e}", path.display()))?;
            if status.success() { Ok(()) } else { Err(format!("klr failed, {status}")) }
        }
    }
}

/// The documents, by name.
fn documents(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let folder = workspace.root.join(DOCUMENTS);
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|e| format!("{DOCUMENTS}: {e}"))? {
        let path = entry.map_err(|e| format!("{DOCUMENTS}: {e}"))?.path();
        if path.to_string_lossy().ends_with(".bir.json") {
            found.push(path);
        }
    }
    found.sort();
    if found.is_empty() { Err(format!("{DOCUMENTS} has no *.bir.json")) } else { Ok(found) }
}

/// Writes the document with every key, through the `bir` command.
fn convert(workspace: &Workspace, log: &Log, document: &Path) -> Result<PathBuf> {
    let folder = workspace.target.join("reader/converted");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let output = folder.join(document.file_name().unwrap_or_default());
    if output.exists() {
        fs::remove_file(&output).map_err(|e| format!("{}: {e}", output.display()))?;
    }
    let mut command = workspace.cargo(&["run", "-q", "-p", "bir-cli", "--", "convert", "--explicit"]);
    command.arg(document).arg("-o").arg(&output);
    log.run(command)?;
    if output.is_file() { Ok(output) } else { Err(format!("bir convert wrote no {}", output.display())) }
}

/// The document as the reader prints it.
fn read(workspace: &Workspace, reader: &Path, document: &Path) -> Result<Value> {
    let mut command = workspace.command(&reader.to_string_lossy(), &["parse-bir", "-j"]);
    let output = command.arg(document).output().map_err(|e| format!("{}: {e}", reader.display()))?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        return Err(format!("{}: the independent reader refuses it: {}{}", document.display(), err, out));
    }
    parse(&output.stdout, document)
}

fn parse(bytes: &[u8], document: &Path) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|e| format!("{}: {e}", document.display()))
}

fn same(original: &Value, printed: &Value, document: &Path) -> Result<()> {
    match compare::first_difference(original, printed) {
        None => Ok(()),
        Some(difference) => Err(format!("{}: as the independent reader sees it: {difference}", document.display())),
    }
}
