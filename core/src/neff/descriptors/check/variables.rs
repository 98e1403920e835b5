//! Variables: dense ids, at least one output, files that exist and hold enough, and references that lead somewhere
//! (`spec/neff.md` section 8.4).
#![forbid(unsafe_code)]

use super::{Checker, Kind, VariableFacts, beside, inside};
use crate::consts::npy;
use crate::error::ErrorCode;
use crate::neff::features::BIN_WEIGHTS;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::Value;

/// The types that are known.
const TYPES: [&str; 12] = [
    "state-buffer",
    "input",
    "output",
    "file",
    "tmp-buf",
    "virtual",
    "pointer",
    "list",
    "dge-table",
    "remote",
    "shared",
    "local",
];

/// Checks `var` of a definition; returns what others ask of the variables.
pub(super) fn check(
    checker: &mut Checker<'_>,
    definition: &Value,
    name: &str,
    bits: Option<u64>,
) -> BTreeMap<String, VariableFacts> {
    let mut facts = BTreeMap::new();
    let variables = checker.key(definition, &format!("{name}:"), "var", Kind::Object).and_then(Value::as_object);
    let Some(variables) = variables else { return facts };
    let mut ids = Vec::new();
    let mut outputs = 0usize;
    for (variable, value) in variables {
        let at = &format!("{name}: var.{variable}");
        let id = checker.key(value, at, "var_id", Kind::Number).and_then(Value::as_u64);
        ids.extend(id);
        if let Some(alignment) = value.get("alignment")
            && !alignment.as_u64().is_some_and(|a| a == 0 || a.is_power_of_two())
        {
            let place = format!("{at}.alignment");
            checker.finding(ErrorCode::BadValue, place, "the alignment is wrong", "0 or a power of two", alignment);
        }
        let fabric = checker.optional_string(value, at, "fabric_path");
        checker.known(fabric, at, "fabric_path", &["main", "alt"]);
        let kind = checker.string(value, at, "type");
        match kind {
            Some("output") => outputs = outputs.saturating_add(1),
            Some("file") => check_file(checker, value, name, at, bits),
            kind => checker.known(kind, at, "type", &TYPES),
        }
        let size = match kind {
            Some("file") => value.get("size").and_then(Value::as_u64),
            _ => checker.optional_number(value, at, "size"),
        };
        if size.is_none()
            && matches!(kind, Some("input" | "output" | "tmp-buf" | "virtual"))
            && value.get("size").is_none()
        {
            checker.warning(
                ErrorCode::MissingKey,
                inside(at, "size"),
                "a variable without a size",
                "a size in bytes",
                "",
            );
        }
        let kind = String::from(kind.unwrap_or_default());
        facts.insert(variable.clone(), VariableFacts { kind, size });
    }
    ids.sort_unstable();
    let dense = ids.iter().enumerate().all(|(i, &id)| id == i as u64);
    if !dense {
        let (max, size) = (ids.last().copied().unwrap_or(0), ids.len());
        let expected = "each number below the count once";
        let found = format!("max={max}, size={size}");
        checker.finding(ErrorCode::Conflict, format!("{name}: var"), "Unexpected var_ids set!", expected, found);
    }
    if outputs == 0 {
        let place = format!("{name}: var");
        checker.finding(ErrorCode::NotFound, place, "no outputs", "a variable of type `output`", "none");
    }
    references(checker, variables.iter(), name, &ids);
    facts
}

/// The member of a constant, and whether the payload the runtime takes from it is as long as the variable.
fn check_file(checker: &mut Checker<'_>, value: &Value, name: &str, at: &str, bits: Option<u64>) {
    let size = checker.key(value, at, "size", Kind::Number).and_then(Value::as_u64);
    let Some(file) = checker.string(value, at, "file_name") else { return };
    let Some(item) = checker.required(&beside(name, file), format!("{at}.file_name")) else { return };
    let Some(start) = npy::runtime_payload_start(&item.kept, item.size) else {
        let place = format!("{at}.file_name");
        let found = format!("a file of {} bytes that starts as NPY does", item.size);
        checker.finding(ErrorCode::Conflict, place, "the NPY header of a constant is cut short", "its data", found);
        return;
    };
    let payload = item.size.saturating_sub(start);
    if let Some(size) = size
        && payload != size
    {
        let place = format!("{at}.size");
        let found = format!("{payload}");
        match payload < size {
            true => {
                let expected = format!("at least {size} bytes");
                checker.finding(ErrorCode::Conflict, place, "a constant is shorter than its variable", expected, found);
            }
            false => {
                let expected = format!("{size} bytes");
                checker.warning(ErrorCode::Conflict, place, "a constant is longer than its variable", expected, found);
            }
        }
    }
    if npy::looks_like_npy(&item.kept) && !item.kept.starts_with(&npy::MAGIC) {
        let place = format!("{at}.file_name");
        let message = "a raw constant that the runtime takes for NPY";
        checker.warning(ErrorCode::Conflict, place, message, "another start than 93 4e", format!("`{}`", item.name));
    }
    if file.ends_with(".bin") && bits.is_some_and(|bits| bits & BIN_WEIGHTS == 0) {
        let place = format!("{at}.file_name");
        let expected = format!("bit {BIN_WEIGHTS:#x} of `feature_bits`");
        checker.warning(
            ErrorCode::Conflict,
            place,
            "the header does not allow raw constants",
            expected,
            format!("`{file}`"),
        );
    }
}

/// Variables that name others by id.
fn references<'v>(
    checker: &mut Checker<'_>,
    variables: impl Iterator<Item = (&'v String, &'v Value)>,
    name: &str,
    ids: &[u64],
) {
    for (variable, value) in variables {
        let at = &format!("{name}: var.{variable}");
        let refer = |checker: &mut Checker<'_>, id: &Value, place: String| {
            if id.as_u64().is_none_or(|id| ids.binary_search(&id).is_err()) {
                checker.finding(ErrorCode::UnresolvedRef, place, "no variable has this id", "an id of `var`", id);
            }
        };
        match value.get("type").and_then(Value::as_str) {
            Some("pointer") => {
                if let Some(id) = checker.key(value, at, "referenced_var_id", Kind::Number) {
                    refer(checker, id, format!("{at}.referenced_var_id"));
                }
                if let Some(size) = value.get("size").filter(|size| size.as_u64() != Some(8)) {
                    checker.warning(ErrorCode::BadValue, inside(at, "size"), "the size of a pointer is wrong", 8, size);
                }
            }
            Some("list" | "dge-table") => {
                for (i, id) in checker.array(value, at, "list").iter().enumerate() {
                    refer(checker, id, format!("{at}.list[{i}]"));
                }
            }
            Some("virtual") => {
                let offset = checker.optional_number(value, at, "backing_variable_off").unwrap_or(0);
                let size = value.get("size").and_then(Value::as_u64).unwrap_or(0);
                if offset.checked_add(size).is_none() {
                    let place = inside(at, "backing_variable_off");
                    checker.finding(ErrorCode::BadValue, place, "offset and size overflow", "less than 2^64", offset);
                }
                let buffer = checker.optional_string(value, at, "backing_buf");
                checker.known(buffer, at, "backing_buf", &["main", "sharded"]);
            }
            _ => {}
        }
    }
}
