//! `tensor_map.json`: names of inputs and outputs, and which share memory (`spec/neff.md` section 8.7). A runtime does not
//! read it, but tools do.
#![forbid(unsafe_code)]

use super::{Checker, Program, inside};
use crate::error::ErrorCode;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

/// Checks every tensor map.
pub(super) fn check(checker: &mut Checker<'_>, program: &Program) {
    let maps = checker.inventory.items().iter().filter(|item| item.name.rsplit('/').next() == Some("tensor_map.json"));
    let maps: Vec<_> = maps.collect();
    for item in maps {
        let Some(json) = checker.parse(item) else { continue };
        let at = &format!("{}:", item.name);
        for (list, kind) in [("inputs", "input"), ("outputs", "output")] {
            for (i, tensor) in checker.optional_array(&json, at, list).iter().enumerate() {
                let place = format!("{at} {list}[{i}]");
                if let Some(name) = checker.string(tensor, &place, "name") {
                    exists(checker, program, name, kind, &inside(&place, "name"));
                }
            }
        }
        let mut aliased: BTreeMap<&str, &str> = BTreeMap::new();
        for (i, alias) in checker.optional_array(&json, at, "alias_map").iter().enumerate() {
            let place = format!("{at} alias_map[{i}]");
            let input = checker.string(alias, &place, "input_name");
            let output = checker.string(alias, &place, "output_name");
            let (Some(input), Some(output)) = (input, output) else { continue };
            exists(checker, program, input, "input", &inside(&place, "input_name"));
            exists(checker, program, output, "output", &inside(&place, "output_name"));
            if let Some(first) = aliased.insert(input, output)
                && first != output
            {
                let message = "an input may share memory with one output only";
                let expected = format!("`{first}`");
                checker.finding(ErrorCode::Conflict, &place, message, expected, format!("`{output}`"));
            }
        }
    }
}

fn exists(checker: &mut Checker<'_>, program: &Program, name: &str, kind: &str, at: &str) {
    let known = program.graphs.iter().any(|graph| graph.variables.get(name).is_some_and(|v| v.kind == kind));
    if !known && !program.graphs.is_empty() {
        let expected = format!("a variable of type `{kind}`");
        checker.warning(ErrorCode::UnresolvedRef, at, "no graph has this variable", expected, format!("`{name}`"));
    }
}
