//! Puts the constants of a subgraph into one file.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::{Map, Value};

/// Constants start at multiples of this in the merged file, in bytes, unless their variable asks for more.
const ALIGNMENT: u64 = 64;

/// The descriptors of one subgraph, as their JSON members say.
#[derive(Clone, Debug)]
pub struct Subgraph {
    /// `def.json`.
    pub definition: Value,
    /// The engine documents that the definition names: file name and content.
    pub engines: Vec<(String, Value)>,
}

/// The data of a constant's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// Bytes of the file before the data: an NPY header, which a loader skips.
    pub skip: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// A number that files with equal data share.
    pub content: u64,
}

/// A part of the merged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The file it comes from, relative to the subgraph's folder.
    pub file_name: String,
    /// Where its data starts in that file, in bytes.
    pub skip: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// Where it lies in the data of the merged file; what lies between pieces is zero.
    pub offset: u64,
}

/// What was merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Name of the merged variable.
    pub variable: String,
    /// Name of its file, relative to the subgraph's folder: an NPY file of bytes.
    pub file_name: String,
    /// Bytes of its data.
    pub bytes: u64,
    /// The parts, by offset.
    pub pieces: Vec<Piece>,
    /// The variables that are no more, in the order of their ids.
    pub variables: Vec<String>,
    /// Files that nothing names any more, sorted.
    pub unused_files: Vec<String>,
    /// Bytes that equal constants did not take a second time.
    pub saved_bytes: u64,
}

struct Candidate {
    name: String,
    id: u64,
    file_name: String,
    alignment: u64,
    payload: Payload,
}

/// Makes one variable of all constants of a subgraph that only descriptors read; `None`, and nothing changed, if there are fewer
/// than two. `payload` tells about the file of a constant, and `None` if there is no such file.
///
/// Ids stay dense: the merged variable takes the id of the first constant, those above it move down, and pointers and lists
/// follow.
///
/// # Errors
/// `WrongType`, `MissingKey` for a definition that no loader would take; `LimitExceeded` if the merged file would have 2^63 bytes.
pub fn merge_constants(subgraph: &mut Subgraph, payload: &dyn Fn(&str) -> Option<Payload>) -> Result<Option<Merged>> {
    let candidates = candidates(subgraph, payload)?;
    if candidates.len() < 2 {
        return Ok(None);
    }
    let variables = variables(&subgraph.definition)?;
    let variable = free_name("weights", "", &|name| variables.contains_key(name));
    let files: BTreeSet<&str> = variables.values().filter_map(|v| v.get("file_name")?.as_str()).collect();
    let file_name = free_name("weights", ".npy", &|name| files.contains(name) || payload(name).is_some());
    let (merged, offsets) = lay_out(&candidates, variable, file_name)?;
    let kept_files: BTreeSet<&str> = variables
        .iter()
        .filter(|(name, _)| !offsets.contains_key(name.as_str()))
        .filter_map(|(_, v)| v.get("file_name")?.as_str())
        .collect();
    let mut unused: Vec<String> = candidates.iter().map(|c| c.file_name.clone()).collect();
    unused.retain(|file| !kept_files.contains(file.as_str()));
    unused.sort();
    unused.dedup();
    let merged = Merged { unused_files: unused, ..merged };

    let alignment = candidates.iter().map(|c| c.alignment).max().unwrap_or(0);
    redirect(&mut subgraph.engines, &merged.variable, &offsets)?;
    rebuild(&mut subgraph.definition, &merged, &candidates, alignment)?;
    Ok(Some(merged))
}

fn variables(definition: &Value) -> Result<&Map<String, Value>> {
    match definition.get("var") {
        Some(Value::Object(variables)) => Ok(variables),
        Some(_) => Err(Error::new(ErrorCode::WrongType, "the variables are no object").at("var")),
        None => Err(Error::new(ErrorCode::MissingKey, "the definition has no variables").at("var")),
    }
}

/// The constants that can be merged, by id.
fn candidates(subgraph: &Subgraph, payload: &dyn Fn(&str) -> Option<Payload>) -> Result<Vec<Candidate>> {
    let variables = variables(&subgraph.definition)?;
    let mut found = BTreeMap::new();
    for (name, variable) in variables {
        let text = |key: &str| variable.get(key).and_then(Value::as_str);
        let number = |key: &str| variable.get(key).and_then(Value::as_u64);
        let (Some("file"), Some(file_name), Some(id), Some(size)) =
            (text("type"), text("file_name"), number("var_id"), number("size"))
        else {
            continue;
        };
        // A key that is not understood may say anything.
        const KNOWN: [&str; 8] = ["type", "var_id", "size", "file_name", "alignment", "dtype", "shape", "ops"];
        let understood = variable.as_object().is_some_and(|keys| keys.keys().all(|key| KNOWN.contains(&key.as_str())));
        let Some(payload) = payload(file_name).filter(|payload| understood && payload.bytes >= size) else { continue };
        let alignment = number("alignment").unwrap_or(0);
        if alignment == 0 || alignment.is_power_of_two() {
            let name = name.clone();
            found.insert(id, Candidate { name, id, file_name: file_name.to_owned(), alignment, payload });
        }
    }
    let mut referenced = BTreeSet::new();
    let mut named = BTreeSet::new();
    for (key, value) in subgraph.definition.as_object().into_iter().flatten() {
        if key != "var" {
            strings(value, &mut named);
        }
    }
    for variable in variables.values() {
        referenced.extend(variable.get("referenced_var_id").and_then(Value::as_u64));
        let list = variable.get("list").and_then(Value::as_array);
        referenced.extend(list.into_iter().flatten().filter_map(Value::as_u64));
    }
    let mut read = BTreeSet::new();
    for (_, engine) in &subgraph.engines {
        uses(engine, &mut read, &mut named);
    }
    found
        .retain(|id, c| !referenced.contains(id) && !named.contains(c.name.as_str()) && read.contains(c.name.as_str()));
    Ok(found.into_values().collect())
}

/// All strings of a value.
fn strings<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::String(text) => {
            found.insert(text);
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(items) => items.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

/// The descriptors of an engine document.
fn descriptors(engine: &Value) -> impl Iterator<Item = &Value> {
    let blocks = engine.get("dma").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| block.get("desc")?.as_array()).flatten()
}

/// The variables that descriptors read through `from`, and all strings that stand elsewhere in the document.
fn uses<'v>(engine: &'v Value, read: &mut BTreeSet<&'v str>, named: &mut BTreeSet<&'v str>) {
    for descriptor in descriptors(engine) {
        for (key, value) in descriptor.as_object().into_iter().flatten() {
            match value.as_str() {
                Some(name) if key == "from" => {
                    read.insert(name);
                }
                _ => strings(value, named),
            }
        }
    }
    for (key, value) in engine.as_object().into_iter().flatten() {
        if key != "dma" {
            strings(value, named);
        }
    }
    for block in engine.get("dma").and_then(Value::as_array).into_iter().flatten() {
        for (key, value) in block.as_object().into_iter().flatten() {
            if key != "desc" {
                strings(value, named);
            }
        }
    }
}

fn free_name(wanted: &str, extension: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut name = alloc::format!("{wanted}{extension}");
    let mut n = 0u64;
    while taken(&name) {
        n = n.saturating_add(1);
        name = alloc::format!("{wanted}_{n}{extension}");
    }
    name
}

/// Where each constant's data goes; also the offset by variable.
fn lay_out(candidates: &[Candidate], variable: String, file_name: String) -> Result<(Merged, BTreeMap<String, u64>)> {
    let too_large = || Error::new(ErrorCode::LimitExceeded, "the merged constants are too large").at("var");
    let mut pieces: Vec<Piece> = Vec::new();
    // Equal data at an offset that is good enough for both serves both.
    let mut places: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    let mut offsets = BTreeMap::new();
    let (mut end, mut saved_bytes) = (0u64, 0u64);
    for candidate in candidates {
        let alignment = candidate.alignment.max(ALIGNMENT);
        let Payload { skip, bytes, content } = candidate.payload;
        let known = places.entry(content).or_default();
        let shared =
            known.iter().find(|(offset, size)| *size == bytes && offset % alignment == 0).map(|(offset, _)| *offset);
        let offset = match shared {
            Some(offset) => {
                saved_bytes = saved_bytes.saturating_add(bytes);
                offset
            }
            None => {
                let offset = end.checked_next_multiple_of(alignment).ok_or_else(too_large)?;
                end = offset.checked_add(bytes).filter(|end| *end < 1 << 63).ok_or_else(too_large)?;
                known.push((offset, bytes));
                pieces.push(Piece { file_name: candidate.file_name.clone(), skip, bytes, offset });
                offset
            }
        };
        offsets.insert(candidate.name.clone(), offset);
    }
    let variables = candidates.iter().map(|c| c.name.clone()).collect();
    let merged = Merged { variable, file_name, bytes: end, pieces, variables, unused_files: Vec::new(), saved_bytes };
    Ok((merged, offsets))
}

/// Lets descriptors read the merged variable.
fn redirect(engines: &mut [(String, Value)], variable: &str, offsets: &BTreeMap<String, u64>) -> Result<()> {
    for (file, engine) in engines {
        let blocks = engine.get_mut("dma").and_then(Value::as_array_mut).into_iter().flatten();
        for descriptor in blocks.filter_map(|block| block.get_mut("desc")?.as_array_mut()).flatten() {
            let Some(fields) = descriptor.as_object_mut() else { continue };
            let Some(offset) = fields.get("from").and_then(Value::as_str).and_then(|name| offsets.get(name)) else {
                continue;
            };
            let own = match fields.get("from_off") {
                None => 0,
                Some(own) => own.as_u64().ok_or_else(|| {
                    Error::new(ErrorCode::WrongType, "an offset is no number")
                        .expected_found("bytes", own)
                        .at(format_args!("{file}: from_off"))
                })?,
            };
            let sum = own.checked_add(*offset).ok_or_else(|| {
                Error::new(ErrorCode::BadValue, "an offset is too large").at(format_args!("{file}: from_off"))
            })?;
            fields.insert("from".to_owned(), Value::from(variable));
            fields.insert("from_off".to_owned(), Value::from(sum));
        }
    }
    Ok(())
}

/// Puts the merged variable in the place of the constants and renumbers.
fn rebuild(definition: &mut Value, merged: &Merged, candidates: &[Candidate], alignment: u64) -> Result<()> {
    let Some(Value::Object(variables)) = definition.get_mut("var") else {
        return Err(Error::new(ErrorCode::WrongType, "the variables are no object").at("var"));
    };
    for name in &merged.variables {
        variables.remove(name);
    }
    // Every merged id but the first is gone.
    let first = candidates.iter().map(|c| c.id).min().unwrap_or(0);
    let gone: Vec<u64> = candidates.iter().map(|c| c.id).filter(|id| *id != first).collect();
    let moved = |id: u64| id.saturating_sub(gone.partition_point(|other| *other < id) as u64);
    for variable in variables.values_mut() {
        for key in ["var_id", "referenced_var_id"] {
            if let Some(id) = variable.get_mut(key)
                && let Some(number) = id.as_u64()
            {
                *id = Value::from(moved(number));
            }
        }
        for id in variable.get_mut("list").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(number) = id.as_u64() {
                *id = Value::from(moved(number));
            }
        }
    }
    let mut variable = Map::new();
    if alignment != 0 {
        variable.insert("alignment".to_owned(), Value::from(alignment));
    }
    variable.insert("file_name".to_owned(), Value::from(merged.file_name.as_str()));
    variable.insert("size".to_owned(), Value::from(merged.bytes));
    variable.insert("type".to_owned(), Value::from("file"));
    variable.insert("var_id".to_owned(), Value::from(moved(first)));
    variables.insert(merged.variable.clone(), Value::Object(variable));
    Ok(())
}
