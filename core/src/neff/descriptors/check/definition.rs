//! A definition: its engines' files and what generation 3 asks for.
#![forbid(unsafe_code)]

use super::{Checker, Kind, beside, variables};
use crate::error::ErrorCode;
use crate::neff::descriptors::{ENGINES, Engine};
use crate::neff::target::Target;
use alloc::format;
use serde_json::Value;

/// Checks a definition that exists.
pub(super) fn check(checker: &mut Checker<'_>, name: &str, target: Option<Target>) {
    let Some(definition) = checker.member(name).and_then(|bytes| checker.parse(name, bytes)) else { return };
    let at = &format!("{name}:");
    variables::check(checker, &definition, name);
    if target == Some(Target::Cayman) {
        checker.key(&definition, at, "runtime_statebuffer_reservation", Kind::Array);
    }
    for engine in ENGINES {
        check_engine(checker, &definition, name, engine);
    }
    libraries(checker, &definition, at);
}

fn check_engine(checker: &mut Checker<'_>, definition: &Value, name: &str, engine: Engine) {
    let at = &format!("{name}:");
    let instructions = checker.optional_string(definition, at, engine.instr_key());
    if let Some(file) = instructions {
        checker.required(&beside(name, file), format!("{at} {}", engine.instr_key()));
    }
    let Some(file) = checker.optional_string(definition, at, engine.key()) else { return };
    let descriptors = beside(name, file);
    let Some(bytes) = checker.required(&descriptors, format!("{at} {}", engine.key())) else { return };
    let Some(json) = checker.parse(&descriptors, bytes) else { return };
    let inner = &format!("{descriptors}:");
    // The older form names the instructions in the engine's own file.
    match checker.optional_string(&json, inner, "instr") {
        Some(file) => {
            checker.required(&beside(name, file), format!("{inner} instr"));
        }
        None if instructions.is_none() && json.get("instr").is_none() => {
            let place = format!("{at} {}", engine.instr_key());
            checker.finding(ErrorCode::MissingKey, place, "an engine without instructions", "a file name", "");
        }
        None => {}
    }
    let tables = json.get("dve_tables").and_then(Value::as_array);
    for (i, table) in tables.into_iter().flatten().enumerate() {
        for key in ["control_table", "datapath_table", "opcode_table"] {
            if let Some(file) = checker.optional_string(table, &format!("{inner} dve_tables[{i}]"), key) {
                checker.required(&beside(name, file), format!("{inner} dve_tables[{i}].{key}"));
            }
        }
    }
}

/// Libraries are members at the top of the package, unless the runtime brings them.
fn libraries(checker: &mut Checker<'_>, definition: &Value, at: &str) {
    let libraries = definition.get("ucode_lib").and_then(Value::as_array);
    for (i, library) in libraries.into_iter().flatten().enumerate() {
        let place = format!("{at} ucode_lib[{i}]");
        if library.get("is_builtin").and_then(Value::as_bool) != Some(true)
            && let Some(file) = checker.string(library, &place, "library")
        {
            checker.required(file, format!("{place}.library"));
        }
    }
}
