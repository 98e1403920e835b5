//! Every KLR file of the reference collection.
use bir_core::klr::{Arena, DecodeOptions, decode};
use std::path::Path;

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/klr").join(folder);
    let mut names: Vec<_> = std::fs::read_dir(&root).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    names
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "klr"))
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(p).unwrap()))
        .collect()
}

#[test]
fn dump() {
    for folder in ["schema-2.24", "schema-head", "lean-2025-07", "proof-bytes", "wheel-0.0.12"] {
        for (name, bytes) in files(folder) {
            let arena = Arena::new();
            match decode(&bytes, &arena, &DecodeOptions::default()) {
                Ok(file) => println!(
                    "{folder}/{name}: {:?} {} {}x",
                    file.schema,
                    file.contents.name(),
                    arena.reserved_bytes() as f32 / bytes.len() as f32
                ),
                Err(e) => println!("{folder}/{name}: {:?} {e}", e.code),
            }
        }
    }
}
