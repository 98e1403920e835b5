//! The manifest: nodes, entries and the kelf of every executable node.
#![forbid(unsafe_code)]

use super::{Checker, Kind, Program};
use crate::error::ErrorCode;
use crate::neff::descriptors::MAX_DIMENSIONS;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// An input or output of the program, as the manifest has it.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its name.
    pub name: String,
    /// The type of the variable that it has to be: `input` or `output`.
    pub kind: &'static str,
    /// Its size in bytes, where type and shape tell it.
    pub bytes: Option<u64>,
    /// Where the manifest names it.
    pub at: String,
}

/// Checks `neff.json`, or `kelp.json` in its place; returns the kelf members that exist.
pub(super) fn check(checker: &mut Checker<'_>, program: &mut Program) -> Vec<String> {
    let Some(item) = checker.inventory.manifest() else {
        checker.finding(ErrorCode::NotFound, "neff.json", "the package has no graph manifest", "`neff.json`", "");
        return Vec::new();
    };
    let name = item.name.as_str();
    let Some(manifest) = checker.parse(item) else { return Vec::new() };
    let at = &format!("{name}:");
    let nodes = checker.array(&manifest, at, "nodes");
    let arg_nodes = checker.array(&manifest, at, "arg_nodes");
    let heads = checker.array(&manifest, at, "heads");
    let row_ptr = checker.array(&manifest, at, "node_row_ptr");
    let entries = entries(checker, &manifest, at);

    if manifest.get("node_row_ptr").is_some_and(Value::is_array) && row_ptr.len() != nodes.len().saturating_add(1) {
        let place = format!("{at} node_row_ptr");
        checker.finding(ErrorCode::Conflict, place, "wrong number of rows", nodes.len() + 1, row_ptr.len());
    }
    let sizes = |entry: Option<usize>| -> Option<u64> {
        let list = |key: &str| manifest.get("attrs")?.get(key)?.get(1)?.get(entry?);
        tensor_bytes(list("dltype")?.as_str()?, list("shape")?.as_array()?)
    };
    for (i, arg) in arg_nodes.iter().enumerate() {
        let place = format!("{at} arg_nodes[{i}]");
        if let Some(node) = index(checker, arg, &place, "input node", nodes.len()) {
            let entry = entry(checker, row_ptr, node, 0, &place, entries);
            let name = nodes.get(node).and_then(|node| node.get("name")).and_then(Value::as_str);
            let place = format!("{at} nodes[{node}].name");
            program.tensors.extend(name.map(|name| Entry {
                name: name.into(),
                kind: "input",
                bytes: sizes(entry),
                at: place,
            }));
        }
    }
    for (i, head) in heads.iter().enumerate() {
        let place = format!("{at} heads[{i}]");
        let node = head.get(0).unwrap_or(&Value::Null);
        let output = head.get(1).and_then(Value::as_u64).unwrap_or(0);
        if let Some(node) = index(checker, node, &place, "output node", nodes.len()) {
            let entry = entry(checker, row_ptr, node, output, &place, entries);
            let names = nodes.get(node).and_then(|node| node.get("output_names"));
            let name = usize::try_from(output).ok().and_then(|i| names?.get(i)?.as_str());
            let place = format!("{at} nodes[{node}].output_names[{output}]");
            program.tensors.extend(name.map(|name| Entry {
                name: name.into(),
                kind: "output",
                bytes: sizes(entry),
                at: place,
            }));
        }
    }
    kelfs(checker, nodes, at, program)
}

/// Whether inputs and outputs are variables of some graph, of the size that the manifest tells.
pub(super) fn check_tensors(checker: &mut Checker<'_>, program: &Program) {
    if program.graphs.is_empty() {
        return;
    }
    for Entry { name, kind, bytes, at } in &program.tensors {
        let found = program.graphs.iter().find_map(|g| g.variables.get(name).filter(|v| v.kind == *kind));
        let Some(variable) = found else {
            let expected = format!("a variable `{name}` of type `{kind}`");
            checker.warning(ErrorCode::UnresolvedRef, at, "no graph has this variable", expected, "none");
            continue;
        };
        if let (Some(bytes), Some(size)) = (*bytes, variable.size)
            && bytes != size
        {
            let message = "type and shape do not make the size of the variable";
            checker.warning(ErrorCode::Conflict, at, message, format!("{size} bytes"), format!("{bytes} bytes"));
        }
    }
}

/// Bytes of a tensor; `None` if a dimension is no number or the size is none. Types that a runtime does not know take one
/// byte (`spec/neff.md` section 8.1).
pub fn tensor_bytes(dtype: &str, shape: &[Value]) -> Option<u64> {
    let width = match dtype {
        "int64" | "uint64" => 8,
        "float32" | "int32" | "uint32" => 4,
        "float16" | "bfloat16" | "int16" | "uint16" => 2,
        _ => 1,
    };
    shape.iter().try_fold(width, |product: u64, dimension| product.checked_mul(dimension.as_u64()?))
}

/// The number of entries according to `attrs`.
fn entries(checker: &mut Checker<'_>, manifest: &Value, at: &str) -> Option<usize> {
    let attrs = checker.key(manifest, at, "attrs", Kind::Object)?;
    let at = format!("{at} attrs");
    // Each is a pair of a type word and a list.
    let mut list = |key: &str| {
        let pair = checker.array(attrs, &at, key);
        let list = pair.get(1).and_then(Value::as_array);
        if list.is_none() && !pair.is_empty() {
            let place = format!("{at}.{key}[1]");
            checker.finding(ErrorCode::WrongType, place, "a value has the wrong type", "an array", "");
        }
        list
    };
    let (types, shapes) = (list("dltype"), list("shape"));
    let (types, shapes) = (types?, shapes?);
    if types.len() != shapes.len() {
        checker.finding(ErrorCode::Conflict, &at, "`shape` and `dltype` differ in length", types.len(), shapes.len());
    }
    for (i, shape) in shapes.iter().enumerate() {
        let dimensions = shape.as_array().map_or(0, Vec::len);
        if dimensions > MAX_DIMENSIONS {
            let place = format!("{at}.shape[1][{i}]");
            let expected = format!("at most {MAX_DIMENSIONS}");
            checker.finding(ErrorCode::LimitExceeded, place, "a tensor has too many dimensions", expected, dimensions);
        }
    }
    Some(types.len().min(shapes.len()))
}

/// A node number below `count`.
fn index(checker: &mut Checker<'_>, value: &Value, at: &str, what: &str, count: usize) -> Option<usize> {
    let index = value.as_u64().and_then(|i| usize::try_from(i).ok()).filter(|&i| i < count);
    if index.is_none() {
        let message = format!("{what} id out of range");
        checker.finding(ErrorCode::UnresolvedRef, at, &message, format!("a number below {count}"), value);
    }
    index
}

/// The entry of an output of a node, which has to be listed in `attrs`.
fn entry(
    checker: &mut Checker<'_>,
    row_ptr: &[Value],
    node: usize,
    output: u64,
    at: &str,
    entries: Option<usize>,
) -> Option<usize> {
    let entries = entries?;
    let start = row_ptr.get(node).and_then(Value::as_u64);
    let entry = start.and_then(|start| start.checked_add(output));
    if entry.is_none_or(|entry| entry >= entries as u64) {
        let found = entry.map_or("none".to_string(), |entry| entry.to_string());
        let expected = format!("an entry below {entries}");
        checker.finding(ErrorCode::UnresolvedRef, at, "entry id out of range", expected, found);
        return None;
    }
    entry.and_then(|entry| usize::try_from(entry).ok())
}

fn kelfs(checker: &mut Checker<'_>, nodes: &[Value], at: &str, program: &mut Program) -> Vec<String> {
    let mut kelfs = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let Some(attrs) = node.get("attrs").filter(|a| a.get("func_name").and_then(Value::as_str) == Some("__kelf"))
        else {
            continue;
        };
        program.kelf_nodes = program.kelf_nodes.saturating_add(1);
        let place = format!("{at} nodes[{i}].attrs");
        if let Some(kelf) = checker.string(attrs, &place, "kelf")
            && checker.required(kelf, format!("{place}.kelf")).is_some()
        {
            kelfs.push(kelf.to_string());
        }
        for (key, list) in [("num_inputs", "inputs"), ("num_outputs", "output_names")] {
            let stated = attrs.get(key).and_then(Value::as_str);
            let listed = node.get(list).and_then(Value::as_array).map(Vec::len);
            if let (Some(stated), Some(listed)) = (stated, listed)
                && stated.parse() != Ok(listed)
            {
                let place = format!("{place}.{key}");
                let message = format!("not the length of `{list}`");
                checker.warning(ErrorCode::Conflict, place, &message, listed, format!("`{stated}`"));
            }
        }
    }
    if program.kelf_nodes == 0 {
        let place = format!("{at} nodes");
        checker.finding(ErrorCode::NotFound, place, "no kelf node", "a node with `func_name` `__kelf`", "none");
    }
    kelfs
}
