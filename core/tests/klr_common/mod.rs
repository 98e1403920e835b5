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

/// A kernel with the tensor of the worked example in `spec/klr.md` section 2 as its only input, written by hand.
#[rustfmt::skip]
pub const EXAMPLE: [u8; 79] = [
    0xd9, 0xd9, 0xf7, 0x83, 0x00, 0x00, 0x0c,       // 0: version 0.0.12
    0xd9, 0xeb, 0x00, 0x81, 0x63, b'N', b'K', b'I', // 7: metadata
    0xd9, 0xec, 0x03, 0x81,                         // 15: contents, lnc
    0xd9, 0x6c, 0x00, 0x87, 0x61, b'k', 0x81,       // 19: LncKernel "k", one input
    0xd9, 0x72, 0x00, 0x88, 0x61, b'a',             // 26: TensorName "a"
    0xd9, 0x6f, 0x05, 0x80,                         // 32: float32
    0xd9, 0x70, 0x00, 0x82, 0x18, 0x80,             // 36: Shape, parDim 128
    0x81, 0x19, 0x02, 0x00,                         // 42: freeDims [512]
    0xd9, 0x71, 0x00, 0x87, 0x61, b'a',             // 46: Address "a"
    0xd9, 0x6e, 0x00, 0x80,                         // 52: hbm
    0x18, 0x80, 0x19, 0x08, 0x00,                   // 56: parSize 128, freeSize 2048
    0xd9, 0xff, 0x00, 0x80, 0xd9, 0xff, 0x00, 0x80, // 61: no parOffset, no freeOffset
    0xf4,                                           // 69: not shared
    0x19, 0x02, 0x00,                               // 70: freeElements 512
    0xf5,                                           // 73: addressRotation
    0x80, 0x80, 0x80, 0x80, 0x80,                   // 74: outputs, bodies, constants, buffers, edges
];
