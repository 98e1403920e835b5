//! Variables: dense ids, at least one output, and files that exist and hold enough.
#![forbid(unsafe_code)]

use super::{Checker, Kind, beside};
use crate::consts::npy;
use crate::error::ErrorCode;
use alloc::format;
use alloc::vec::Vec;
use serde_json::Value;

/// Checks `var` of a definition.
pub(super) fn check(checker: &mut Checker<'_>, definition: &Value, name: &str) {
    let Some(variables) = checker.key(definition, &format!("{name}:"), "var", Kind::Object).and_then(Value::as_object)
    else {
        return;
    };
    let mut ids = Vec::new();
    let mut outputs = 0usize;
    for (variable, value) in variables {
        let at = &format!("{name}: var.{variable}");
        if let Some(id) = checker.key(value, at, "var_id", Kind::Number).and_then(Value::as_u64) {
            ids.push(id);
        }
        if let Some(alignment) = value.get("alignment")
            && !alignment.as_u64().is_some_and(|a| a == 0 || a.is_power_of_two())
        {
            let place = format!("{at}.alignment");
            checker.finding(ErrorCode::BadValue, place, "the alignment is wrong", "0 or a power of two", alignment);
        }
        match checker.string(value, at, "type") {
            Some("output") => outputs += 1,
            Some("file") => check_file(checker, value, name, at),
            _ => {}
        }
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
}

/// The member of a constant, and whether the payload the runtime takes from it is as long as the variable.
fn check_file(checker: &mut Checker<'_>, value: &Value, name: &str, at: &str) {
    let size = checker.key(value, at, "size", Kind::Number).and_then(Value::as_u64);
    let Some(file) = checker.string(value, at, "file_name") else { return };
    let Some(bytes) = checker.required(&beside(name, file), format!("{at}.file_name")) else { return };
    let payload = npy::runtime_payload(bytes).map_or(0, <[u8]>::len) as u64;
    if size.is_some_and(|size| payload < size) {
        let expected = format!("at least {} bytes", size.unwrap_or(0));
        let place = format!("{at}.size");
        checker.finding(ErrorCode::Conflict, place, "a constant is shorter than its variable", expected, payload);
    }
}
