//! What decides the content of made inputs, as a number: they are made again when it changes.
use crate::ci::Workspace;
use crate::generate::Result;
use std::fs;
use std::hash::{DefaultHasher, Hasher};

/// The number of an input of that size which the sources of a folder make.
pub fn of(workspace: &Workspace, generator: &str, size: usize) -> Result<String> {
    let folder = workspace.root.join(generator);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    hasher.write_usize(size);
    for file in files {
        hasher.write(&fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_generators_are_told_apart() {
        let workspace = Workspace::current();
        let [documents, weights] = ["bench/src/generate", "bench/src/weights"];
        assert_ne!(of(&workspace, documents, 7), of(&workspace, documents, 8));
        assert_ne!(of(&workspace, documents, 7), of(&workspace, weights, 7));
        assert_eq!(of(&workspace, documents, 7), of(&workspace, documents, 7));
        assert!(of(&workspace, "no/such", 7).is_err());
    }
}
