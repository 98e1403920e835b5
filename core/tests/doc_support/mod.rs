//! Tables of documents and what reading them must give, written so that a row can be checked by eye: a document is as small
//! as the rule allows, its surroundings come from a [`Frame`], and `¦` stands before the value at fault.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod tree;

use bir_core::ErrorCode;
use bir_core::doc::{Loaded, ReadOptions, WriteOptions, read_json, write_json};
use bir_core::ir::ModuleRef;

/// What stands around the part of a document that a row is about: `@` is the part, and the path is where it stands.
pub struct Frame {
    pub text: &'static str,
    pub path: &'static str,
}

pub const DOCUMENT: Frame = Frame { text: "@", path: "" };

/// Members of the root beside those that are required.
pub const MODULE: Frame = Frame { text: r#"{"version": 2, "arch": "gen3", "functions": [], @}"#, path: "" };

/// A whole function.
pub const FUNCTION: Frame = Frame { text: r#"{"version": 2, "arch": "gen3", "functions": [@]}"#, path: "functions[0]" };

/// Elements of a function's `allocations`.
pub const ALLOCATIONS: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "blocks": [], "allocations": [@]}]}"#,
    path: "functions[0].allocations",
};

/// Members of a set beside those that are required.
pub const SET: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "blocks": [], "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [], @}]}]}"#,
    path: "functions[0].allocations[0]",
};

/// Elements of a set's `memorylocations`.
pub const LOCATIONS: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "blocks": [], "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [@]}]}]}"#,
    path: "functions[0].allocations[0].memorylocations",
};

/// Members of a location in DRAM beside those that are required.
pub const LOCATION: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "blocks": [], "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
        {"name": "x", "type": "DRAM", "dims": [8], @}]}]}]}"#,
    path: "functions[0].allocations[0].memorylocations[0]",
};

/// A whole block of a function that has a set `s` with a location `x`, and a register `r`.
pub const BLOCK: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
            {"name": "x", "type": "DRAM", "dims": [8]}]},
        {"Skind": "register", "name": "r"}],
        "blocks": [@]}]}"#,
    path: "functions[0].blocks[0]",
};

/// Members of a block beside those that are required; same function.
pub const IN_BLOCK: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
            {"name": "x", "type": "DRAM", "dims": [8]}]},
        {"Skind": "register", "name": "r"}],
        "blocks": [{"name": "b", "instructions": [], @}]}]}"#,
    path: "functions[0].blocks[0]",
};

/// Elements of a block's `instructions`; same function.
pub const INSTRUCTIONS: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
            {"name": "x", "type": "DRAM", "dims": [8]}]},
        {"Skind": "register", "name": "r"}],
        "blocks": [{"name": "b", "instructions": [@]}]}]}"#,
    path: "functions[0].blocks[0].instructions",
};

/// Members of a NoOp; same function.
pub const NOOP: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
            {"name": "x", "type": "DRAM", "dims": [8]}]},
        {"Skind": "register", "name": "r"}],
        "blocks": [{"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", @}]}]}]}"#,
    path: "functions[0].blocks[0].instructions[0]",
};

/// A whole operand in `ins` of a NoOp; same function.
pub const OPERAND: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
            {"name": "x", "type": "DRAM", "dims": [8]}]},
        {"Skind": "register", "name": "r"}],
        "blocks": [{"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "ins": [@]}]}]}]}"#,
    path: "functions[0].blocks[0].instructions[0].ins[0]",
};

/// An expression in `order` of a NoOp in a loop over the axis `j`; same function.
pub const EXPRESSION: Frame = Frame {
    text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
        {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
            {"name": "x", "type": "DRAM", "dims": [8]}]},
        {"Skind": "register", "name": "r"}],
        "blocks": [{"name": "b", "instructions": [
            {"name": "L", "opcode": "Loop", "LoopAxis": {"name": "j", "lb": 0, "ub": 4, "stride": 1}, "blocks": [
                {"name": "body", "instructions": [{"name": "i", "opcode": "NoOp", "order": [@]}]}]}]}]}]}"#,
    path: "functions[0].blocks[0].instructions[0].blocks[0].instructions[0].order[0]",
};

/// A whole queue.
pub const QUEUE: Frame =
    Frame { text: r#"{"version": 2, "arch": "gen3", "functions": [], "queues": [@]}"#, path: "queues[0]" };

impl Frame {
    /// The document, the path, and the offset of the mark.
    pub fn fill(&self, part: &str, path: &str) -> (String, String, Option<usize>) {
        let marked = self.text.replacen('@', part, 1);
        let offset = marked.find('¦');
        let text = marked.replacen('¦', "", 1);
        assert!(!text.contains('¦'), "one mark: {part}");
        (text, format!("{}{path}", self.path).trim_start_matches('.').into(), offset)
    }
}

/// Part of a document with a mark, code, path within the frame, message, expected, found.
pub type Row = (&'static str, ErrorCode, &'static str, &'static str, &'static str, &'static str);

pub fn load(text: &str) -> bir_core::Result<Loaded> {
    read_json(text.as_bytes(), &ReadOptions::default())
}

pub fn written(module: &ModuleRef) -> String {
    let mut out = Vec::new();
    write_json(module, &mut out, &WriteOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(out).unwrap()
}

/// Line and column of an offset, from 1.
pub fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset];
    let line = before.matches('\n').count() as u32 + 1;
    (line, (offset - before.rfind('\n').map_or(0, |at| at + 1)) as u32 + 1)
}

/// What differs between a row and the error that its document gives.
fn differs(frame: &Frame, &(part, code, path, message, expected, found): &Row) -> Option<String> {
    let (text, path, offset) = frame.fill(part, path);
    let offset = offset.unwrap_or_else(|| panic!("no mark: {part}"));
    let error = match load(&text) {
        Ok(_) => return Some(format!("{part}\n  was read")),
        Err(error) => error,
    };
    let Some(place) = error.position else { return Some(format!("{part}\n  has no position: {error}")) };
    let ours = (code, path.as_str(), message, expected, found, offset as u64, line_and_column(&text, offset));
    let theirs = (
        error.code,
        error.path.as_str(),
        error.message.as_str(),
        error.expected.as_str(),
        error.found.as_str(),
        place.offset,
        (place.line, place.column),
    );
    (ours != theirs).then(|| format!("{part}\n  must be {ours:?}\n  but is  {theirs:?}"))
}

/// Fails with every row whose document gives another error, or none.
#[track_caller]
pub fn check(frame: &Frame, rows: &[Row]) {
    let wrong: Vec<String> = rows.iter().filter_map(|row| differs(frame, row)).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
