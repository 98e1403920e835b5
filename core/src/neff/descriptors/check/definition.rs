//! A definition: its engines' files, what it refers to, and what generation 3 asks for.
#![forbid(unsafe_code)]

use super::{Checker, Facts, GraphFacts, Kind, beside, collectives, dma, libraries, queues, variables};
use crate::error::ErrorCode;
use crate::neff::descriptors::{ENGINES, Engine};
use crate::neff::features::{FEATURES, def_names};
use crate::neff::target::Target;
use alloc::format;
use serde_json::Value;

/// Bit of the dynamic activation tables.
const DYNAMIC_TABLES: u64 = 0x40;

/// Checks a definition that exists; notes its variables and libraries.
pub(super) fn check(checker: &mut Checker<'_>, graph: &mut GraphFacts, facts: &Facts<'_>) {
    let name = graph.definition.clone();
    let Some(definition) = checker.inventory.loaded(&name).and_then(|item| checker.parse(item)) else { return };
    let at = &format!("{name}:");
    let bits = facts.header.map(|header| header.feature_bits);
    graph.variables = variables::check(checker, &definition, &name, bits);
    let queues = queues::check(checker, &definition, at);
    if graph.target == Some(Target::Cayman) {
        checker.key(&definition, at, "runtime_statebuffer_reservation", Kind::Array);
    }
    let dynamic_tables = bits.is_some_and(|bits| bits & DYNAMIC_TABLES != 0);
    for engine in ENGINES {
        let Some(json) = check_engine(checker, &definition, &name, engine) else { continue };
        dma::check(checker, &json.0, &json.1, graph, &queues);
        if engine == Engine::Act && dynamic_tables {
            activation_tables(checker, &json.0, &json.1, &name);
        }
    }
    collectives::check(checker, &definition, at);
    graph.libraries = libraries::check(checker, &definition, at, bits);
    if let Some(bits) = bits {
        features(checker, &definition, at, bits);
    }
}

/// The engine's descriptors, with their place.
fn check_engine(
    checker: &mut Checker<'_>,
    definition: &Value,
    name: &str,
    engine: Engine,
) -> Option<(Value, alloc::string::String)> {
    let at = &format!("{name}:");
    let instructions = checker.optional_string(definition, at, engine.instr_key());
    if let Some(file) = instructions {
        check_stream(checker, &beside(name, file), &format!("{at} {}", engine.instr_key()));
    }
    let file = checker.optional_string(definition, at, engine.key())?;
    let descriptors = beside(name, file);
    let item = checker.required(&descriptors, format!("{at} {}", engine.key()))?;
    let json = checker.parse(item)?;
    let inner = format!("{descriptors}:");
    // The older form names the instructions in the engine's own file.
    match checker.optional_string(&json, &inner, "instr") {
        Some(file) => check_stream(checker, &beside(name, file), &format!("{inner} instr")),
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
    Some((json, inner))
}

/// An instruction stream has to exist and to be whole slots (`spec/neff.md` section 6.2).
fn check_stream(checker: &mut Checker<'_>, file: &str, at: &str) {
    const SLOT: u64 = 64;
    if let Some(item) = checker.required(file, at)
        && item.size % SLOT != 0
    {
        let found = format!("{} bytes", item.size);
        checker.warning(ErrorCode::Conflict, at, "no whole instruction slots", "a multiple of 64 bytes", found);
    }
}

/// The tables of each set of activation functions.
fn activation_tables(checker: &mut Checker<'_>, json: &Value, inner: &str, name: &str) {
    for (i, set) in checker.optional_array(json, inner, "activation_function_sets").iter().enumerate() {
        let place = format!("{inner} activation_function_sets[{i}]");
        let Some(set) = set.as_str() else {
            checker.finding(ErrorCode::WrongType, place, "a value has the wrong type", "a string", set);
            continue;
        };
        for part in ["bkt", "ctrl"] {
            checker.required(&beside(name, &format!("{set}_{part}.bin")), &place);
        }
    }
}

/// The names in the definition and the bits of the header have to be of one mind (`spec/neff.md` section 3).
fn features(checker: &mut Checker<'_>, definition: &Value, at: &str, bits: u64) {
    if definition.get("neff_features").is_none() {
        return;
    }
    let names = checker.optional_array(definition, at, "neff_features");
    for (i, value) in names.iter().enumerate() {
        let place = format!("{at} neff_features[{i}]");
        let name = value.as_str().unwrap_or_default();
        match FEATURES.iter().find(|feature| feature.def_name == Some(name)) {
            None => {
                checker.warning(ErrorCode::UnknownEnum, place, "an unknown feature", "a feature's name", value);
            }
            Some(feature) if bits & feature.bit == 0 => {
                let expected = format!("bit {:#x} of `feature_bits`", feature.bit);
                checker.warning(
                    ErrorCode::Conflict,
                    place,
                    "the header lacks this feature",
                    expected,
                    format!("{bits:#x}"),
                );
            }
            Some(_) => {}
        }
    }
    for name in def_names(bits).filter(|name| !names.iter().any(|n| n.as_str() == Some(name))) {
        let place = format!("{at} neff_features");
        checker.warning(ErrorCode::Conflict, place, "a feature of the header is not named", format!("`{name}`"), "");
    }
}
