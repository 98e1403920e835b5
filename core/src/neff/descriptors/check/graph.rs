//! The manifest: nodes, entries and the kelf of every executable node.
#![forbid(unsafe_code)]

use super::{Checker, Kind};
use crate::error::ErrorCode;
use crate::neff::descriptors::MAX_DIMENSIONS;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// Checks `neff.json`, or `kelp.json` in its place; returns the kelf members that exist.
pub(super) fn check(checker: &mut Checker<'_>) -> Vec<String> {
    let name = if checker.member("neff.json").is_some() { "neff.json" } else { "kelp.json" };
    let Some(bytes) = checker.member(name) else {
        checker.finding(ErrorCode::NotFound, "neff.json", "the package has no graph manifest", "`neff.json`", "");
        return Vec::new();
    };
    let Some(manifest) = checker.parse(name, bytes) else { return Vec::new() };
    let at = &format!("{name}:");
    let nodes = checker.array(&manifest, at, "nodes");
    let arg_nodes = checker.array(&manifest, at, "arg_nodes");
    let heads = checker.array(&manifest, at, "heads");
    let row_ptr = checker.array(&manifest, at, "node_row_ptr");
    let entries = entries(checker, &manifest, at);

    if manifest.get("node_row_ptr").is_some_and(Value::is_array) && row_ptr.len() != nodes.len() + 1 {
        let place = format!("{at} node_row_ptr");
        checker.finding(ErrorCode::Conflict, place, "wrong number of rows", nodes.len() + 1, row_ptr.len());
    }
    for (i, arg) in arg_nodes.iter().enumerate() {
        let place = format!("{at} arg_nodes[{i}]");
        if let Some(node) = index(checker, arg, &place, "input node", nodes.len()) {
            entry(checker, row_ptr, node, 0, &place, entries);
        }
    }
    for (i, head) in heads.iter().enumerate() {
        let place = format!("{at} heads[{i}]");
        let node = head.get(0).unwrap_or(&Value::Null);
        let output = head.get(1).and_then(Value::as_u64).unwrap_or(0);
        if let Some(node) = index(checker, node, &place, "output node", nodes.len()) {
            entry(checker, row_ptr, node, output, &place, entries);
        }
    }
    kelfs(checker, nodes, at)
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
            checker.finding(
                ErrorCode::WrongType,
                format!("{at}.{key}[1]"),
                "a value has the wrong type",
                "an array",
                "",
            );
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

/// The entry of an output of a node has to be listed in `attrs`.
fn entry(checker: &mut Checker<'_>, row_ptr: &[Value], node: usize, output: u64, at: &str, entries: Option<usize>) {
    let Some(entries) = entries else { return };
    let start = row_ptr.get(node).and_then(Value::as_u64);
    let entry = start.and_then(|start| start.checked_add(output));
    if entry.is_none_or(|entry| entry >= entries as u64) {
        let found = entry.map_or("none".to_string(), |entry| entry.to_string());
        let expected = format!("an entry below {entries}");
        checker.finding(ErrorCode::UnresolvedRef, at, "entry id out of range", expected, found);
    }
}

fn kelfs(checker: &mut Checker<'_>, nodes: &[Value], at: &str) -> Vec<String> {
    let mut kelfs = Vec::new();
    let mut found = false;
    for (i, node) in nodes.iter().enumerate() {
        let Some(attrs) = node.get("attrs").filter(|a| a.get("func_name").and_then(Value::as_str) == Some("__kelf"))
        else {
            continue;
        };
        found = true;
        let place = format!("{at} nodes[{i}].attrs");
        if let Some(kelf) = checker.string(attrs, &place, "kelf")
            && checker.required(kelf, format!("{place}.kelf")).is_some()
        {
            kelfs.push(kelf.to_string());
        }
    }
    if !found {
        let place = format!("{at} nodes");
        checker.finding(ErrorCode::NotFound, place, "no kelf node", "a node with `func_name` `__kelf`", "none");
    }
    kelfs
}
