//! The files of `tests/data/klr`, and short ways to read and write them.
#![allow(dead_code, reason = "each test program uses a part")]
use bir_core::klr::{EncodeOptions, File, encode};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/klr").join(name)
}

/// The bytes of a file.
pub fn read(folder_name: &str, name: &str) -> Vec<u8> {
    std::fs::read(folder(folder_name).join(name)).unwrap_or_else(|e| panic!("{folder_name}/{name}: {e}"))
}

/// The names, without the ending, and the bytes of all files of a folder with this ending.
pub fn files(folder_name: &str, ending: &str) -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder(folder_name))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(&format!(".{ending}"))?.to_owned()))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), read(folder_name, &format!("{name}.{ending}")))).collect()
}

/// The file as bytes.
pub fn reencoded(file: &File<'_>, options: &EncodeOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(file, &mut bytes, options).unwrap();
    bytes
}
