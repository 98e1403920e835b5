//! Libraries of custom operators: named in definitions and, the same, in `ucode_lib.json` (`spec/neff.md` section 8.6).
#![forbid(unsafe_code)]

use super::{Checker, Kind, Program, inside, shown};
use crate::error::ErrorCode;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use serde_json::Value;

/// The opcode of every function.
const OPCODE: u64 = 133;
/// The bit of `feature_bits` that libraries need.
const CUSTOM_OPS: u64 = 0x4;
const FILE: &str = "ucode_lib.json";

/// Checks `ucode_lib` of a definition, which may be absent. Libraries are members at the top of the package, unless the
/// runtime brings them.
pub(super) fn check(checker: &mut Checker<'_>, definition: &Value, at: &str, bits: Option<u64>) -> Vec<Value> {
    let libraries = checker.optional_array(definition, at, "ucode_lib");
    check_list(checker, libraries, &format!("{at} ucode_lib"), bits);
    libraries.to_vec()
}

/// Checks `ucode_lib.json`, if there is one, against the definitions.
pub(super) fn check_file(checker: &mut Checker<'_>, program: &Program) {
    let Some(item) = checker.inventory.loaded(FILE) else { return };
    let Some(json) = checker.parse(item) else { return };
    let list = checker.array(&json, &format!("{FILE}:"), "ucode_lib");
    let place = format!("{FILE}: ucode_lib");
    check_list(checker, list, &place, None);
    if let Some(graph) = program.graphs.iter().find(|graph| graph.libraries != list) {
        let found = format!("another list in {}", graph.definition);
        checker.warning(ErrorCode::Conflict, place, "not the libraries of a definition", "the same list", found);
    }
}

fn check_list(checker: &mut Checker<'_>, libraries: &[Value], at: &str, bits: Option<u64>) {
    let mut names = BTreeSet::new();
    for (i, library) in libraries.iter().enumerate() {
        let place = &format!("{at}[{i}]");
        if let Some(file) = checker.string(library, place, "library") {
            let builtin = checker.optional(library, place, "is_builtin", Kind::Bool).and_then(Value::as_bool);
            if builtin != Some(true) {
                checker.required(file, inside(place, "library"));
            }
            if !names.insert(file) {
                let at = inside(place, "library");
                checker.finding(ErrorCode::DuplicateName, at, "a library is listed twice", "", format!("`{file}`"));
            }
        }
        let major = |text: &str| text.split('.').next().and_then(|major| major.parse::<u64>().ok());
        if let Some(version) = checker.optional_string(library, place, "ulib_to_ucode_version")
            && major(version) != Some(1)
        {
            let at = inside(place, "ulib_to_ucode_version");
            checker.finding(ErrorCode::Unsupported, at, "unknown library version", "major 1", format!("`{version}`"));
        }
        for (key, allowed, expected) in [("cpu_id", &[0][..], "0"), ("total_cpus", &[1, 8], "1 or 8")] {
            if let Some(number) = checker.optional_number(library, place, key)
                && !allowed.contains(&number)
            {
                checker.finding(ErrorCode::BadValue, inside(place, key), "a loader refuses this", expected, number);
            }
        }
        for (f, function) in checker.optional_array(library, place, "functions").iter().enumerate() {
            if let Some(opcode) = function.get("opcode").filter(|opcode| opcode.as_u64() != Some(OPCODE)) {
                let at = format!("{place}.functions[{f}].opcode");
                checker.warning(ErrorCode::BadValue, at, "not the opcode of library functions", OPCODE, shown(opcode));
            }
        }
    }
    if !libraries.is_empty() && bits.is_some_and(|bits| bits & CUSTOM_OPS == 0) {
        let expected = format!("bit {CUSTOM_OPS:#x} of `feature_bits`");
        checker.warning(ErrorCode::Conflict, at, "the header does not allow custom ops", expected, "");
    }
}
