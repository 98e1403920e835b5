//! The files that packages are made of. They are made when they are missing or when what makes them has changed.
use super::inputs::folder_of;
use super::lines::{self, Line, phase};
use super::stamp;
use crate::ci::Workspace;
use crate::generate::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of the full set, about.
pub const FULL: usize = 1 << 30;

/// Where the sources lie that decide what the files hold.
const GENERATOR: &str = "bench/src/weights";

/// The files of one kind.
pub struct Class {
    pub name: String,
    /// Names its files.
    pub list: PathBuf,
    pub files: usize,
    pub bytes: f64,
}

/// Files of about so many bytes together, in classes.
pub struct Weights {
    pub folder: PathBuf,
    pub classes: Vec<Class>,
}

/// The files, made if need be.
pub fn make(workspace: &Workspace, program: &Path, bytes: usize) -> Result<Weights> {
    let folder = folder_of(workspace)?.join(format!("weights-{bytes}"));
    let (stamp_path, made_path) = (folder.join("stamp"), folder.join("made"));
    let stamp = stamp::of(workspace, GENERATOR, bytes)?;
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    if !fs::read_to_string(&stamp_path).is_ok_and(|text| text == stamp) {
        // Files of another set must not stay among them.
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        let mut command = Command::new(program);
        command.args(["weights", "--bytes", &bytes.to_string(), "--output"]).arg(&folder);
        let lines = lines::run(command)?;
        let text: Vec<String> = lines.iter().map(Line::to_string).collect();
        fs::write(&made_path, text.join("\n")).and_then(|()| fs::write(&stamp_path, stamp)).map_err(failed)?;
    }
    let made = lines::parse(&fs::read_to_string(&made_path).map_err(failed)?)?;
    phase(&made, "weights")?;
    let classes = made
        .iter()
        .map(|line| {
            let name = line.text("class")?.to_owned();
            let list = folder.join(&name).with_extension("list");
            Ok(Class { name, list, files: line.number("files")? as usize, bytes: line.number("bytes")? })
        })
        .collect::<Result<_>>()?;
    Ok(Weights { folder, classes })
}
