//! Writes every generated file, so that opcodes, fields, enums and offsets are listed once, in `spec/`.
pub mod accessors;
pub mod enums;
pub mod header;
pub mod instructions;
pub mod klr;
pub mod layout;
pub mod libstdcxx;
pub mod lowering;
pub mod passes;

use std::fs;
use std::path::Path;

/// A generated file: path below the workspace, content.
pub type Output = (String, String);
/// An error as one readable line.
pub type Result<T> = std::result::Result<T, String>;

fn outputs(root: &Path) -> Result<Vec<Output>> {
    let mut all = enums::outputs(root)?;
    all.extend(layout::outputs(root)?);
    all.extend(instructions::outputs(root)?);
    all.extend(accessors::outputs(root)?);
    all.extend(klr::outputs(root)?);
    all.extend(libstdcxx::outputs(root)?);
    all.extend(lowering::outputs(root)?);
    all.extend(passes::outputs(root)?);
    all.extend(header::outputs(root)?);
    Ok(all)
}

/// Reads and parses `spec/<name>`.
pub fn spec(root: &Path, name: &str) -> Result<toml::Table> {
    let path = root.join("spec").join(name);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.parse::<toml::Table>().map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes every generated file whose content changed.
pub fn write(root: &Path) -> Result<()> {
    for (path, content) in outputs(root)? {
        let target = root.join(&path);
        if fs::read_to_string(&target).is_ok_and(|old| old == content) {
            continue;
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|e| format!("{path}: {e}"))?;
        }
        fs::write(&target, content).map_err(|e| format!("{path}: {e}"))?;
        println!("wrote {path}");
    }
    Ok(())
}

/// Fails if any generated file differs from what [`write`] would produce.
pub fn check(root: &Path) -> Result<()> {
    let mut stale = Vec::new();
    for (path, content) in outputs(root)? {
        if !fs::read_to_string(root.join(&path)).is_ok_and(|old| old == content) {
            stale.push(path);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale generated files, run `cargo xtask gen`: {}", stale.join(", ")))
}
