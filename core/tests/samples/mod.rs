//! The documents that every form must keep: real ones, the examples of the specification, those with every opcode.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// The example documents of spec/bir-json.md section 11.
pub fn examples() -> Vec<String> {
    let prose = fs::read_to_string(data("spec/bir-json.md")).unwrap();
    let blocks: Vec<String> =
        prose.split("```json\n").skip(1).map(|b| b.split("```").next().unwrap().to_string()).collect();
    assert_eq!(blocks.len(), 3);
    blocks
}

/// Real documents and the examples, with their names.
pub fn documents() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = ["scale_add", "minmax", "cmp_ops", "slices"]
        .iter()
        .map(|n| (n.to_string(), fs::read_to_string(data(&format!("tests/data/bir/{n}.bir.json"))).unwrap()))
        .collect();
    all.extend(examples().into_iter().enumerate().map(|(i, e)| (format!("example {}", i + 1), e)));
    all
}

/// The documents that together hold every opcode, with their names.
pub fn families() -> Vec<(String, String)> {
    ["compute", "matmul", "dma", "collective", "random", "control", "kernel"]
        .iter()
        .map(|n| (n.to_string(), fs::read_to_string(data(&format!("tests/data/families/{n}.bir.json"))).unwrap()))
        .collect()
}

#[track_caller]
pub fn same(left: &str, right: &str, what: &str) {
    let line = left.lines().zip(right.lines()).position(|(l, r)| l != r);
    if let Some(n) = line {
        panic!("{what}, line {}: {:?} and {:?}", n + 1, left.lines().nth(n), right.lines().nth(n));
    }
    assert!(left == right, "{what}: one is longer");
}
