//! The generated documents, and the program that makes and measures everything. A document is made when it is missing or when
//! what makes it has changed.
use super::{lines, stamp};
use crate::ci::Workspace;
use crate::generate::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Instructions of the full document.
pub const FULL: usize = 665_013;

/// Where the sources lie that decide what a document holds.
const GENERATOR: &str = "bench/src/generate";

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Keys sorted, indented by two spaces.
    Standard,
    /// One line without spaces.
    Compact,
}

impl Form {
    /// The form in words.
    pub fn name(self) -> &'static str {
        match self {
            Form::Standard => "standard form",
            Form::Compact => "compact form",
        }
    }

    /// What programs are told.
    pub fn flag(self) -> Option<&'static str> {
        (self == Form::Compact).then_some("--compact")
    }
}

/// A generated document.
#[derive(Clone, Debug)]
pub struct Document {
    pub path: PathBuf,
    pub instructions: usize,
    pub bytes: u64,
}

/// `bench gen`: makes a document, whether or not there is one.
pub fn generate(workspace: &Workspace, instructions: usize, folder: Option<PathBuf>, form: Form) -> Result<()> {
    let folder = folder.map_or_else(|| folder_of(workspace), Ok)?;
    let document =
        make(&program(workspace)?, &folder, instructions, form, &stamp::of(workspace, GENERATOR, instructions)?)?;
    println!(
        "{}: {} instructions, {} bytes, {:.0} bytes per instruction",
        document.path.display(),
        document.instructions,
        document.bytes,
        document.bytes as f64 / document.instructions as f64
    );
    Ok(())
}

/// The folder that holds everything of the benchmarks.
pub fn folder_of(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("bench");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// Builds the program that makes what is measured, and measures.
pub fn program(workspace: &Workspace) -> Result<PathBuf> {
    optimised(workspace, "bir-bench", "bir-bench")
}

/// Builds a program of the workspace as users have it.
pub fn optimised(workspace: &Workspace, package: &str, program: &str) -> Result<PathBuf> {
    let mut command = workspace.cargo(&["build", "--quiet", "--release", "-p", package]);
    let status = command.status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() {
        Ok(workspace.target.join("release").join(program))
    } else {
        Err(format!("{package} was not built"))
    }
}

/// The document of that size, made if need be.
pub fn document(workspace: &Workspace, program: &Path, instructions: usize, form: Form) -> Result<Document> {
    let folder = folder_of(workspace)?;
    let path = folder.join(file_name(instructions, form));
    let stamp = stamp::of(workspace, GENERATOR, instructions)?;
    match fs::metadata(&path) {
        Ok(found) if fs::read_to_string(stamp_path(&path)).is_ok_and(|text| text == stamp) => {
            Ok(Document { path, instructions, bytes: found.len() })
        }
        _ => make(program, &folder, instructions, form, &stamp),
    }
}

fn make(program: &Path, folder: &Path, instructions: usize, form: Form, stamp: &str) -> Result<Document> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = folder.join(file_name(instructions, form));
    let mut command = Command::new(program);
    command.args(["gen", "--instructions", &instructions.to_string(), "--output"]).arg(&path).args(form.flag());
    let lines = lines::run(command)?;
    let bytes = lines::phase(&lines, "gen")?.number("bytes")?;
    fs::write(stamp_path(&path), stamp).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(Document { path, instructions, bytes: bytes as u64 })
}

fn file_name(instructions: usize, form: Form) -> String {
    match form {
        Form::Standard => format!("doc-{instructions}.bir.json"),
        Form::Compact => format!("doc-{instructions}.compact.bir.json"),
    }
}

fn stamp_path(document: &Path) -> PathBuf {
    document.with_extension("stamp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_stamps_tell_sizes_and_forms_apart() {
        assert_eq!(file_name(7, Form::Standard), "doc-7.bir.json");
        assert_eq!(file_name(7, Form::Compact), "doc-7.compact.bir.json");
        let stamps = [Form::Standard, Form::Compact].map(|form| stamp_path(Path::new(&file_name(7, form))));
        assert_ne!(stamps[0], stamps[1]);
    }
}
