//! A kelf: its target and the definitions it names.
#![forbid(unsafe_code)]

use super::{Checker, GraphFacts, Program, Severity};
use crate::error::ErrorCode;
use crate::neff::target::Target;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use serde_json::Value;

/// Checks a kelf that exists; adds the definitions that exist, with the target.
pub(super) fn check(checker: &mut Checker<'_>, name: &str, program: &mut Program) {
    let Some(kelf) = checker.inventory.loaded(name).and_then(|item| checker.parse(item)) else { return };
    let at = &format!("{name}:");
    let spelling = checker.string(&kelf, at, "target");
    let target = spelling.and_then(Target::from_kelf);
    if let (Some(spelling), None) = (spelling, target) {
        let expected = "sunda, cayman, mariana, v2 to v4 or *";
        checker.finding(ErrorCode::UnknownEnum, format!("{at} target"), "unknown target", expected, spelling);
    }
    let version = checker.optional_string(&kelf, at, "version");
    let numbers = |text: &str| {
        let core = text.split('-').next().unwrap_or_default();
        core.split_once('.').is_some_and(|(a, b)| a.parse::<u32>().is_ok() && b.parse::<u32>().is_ok())
    };
    if let Some(version) = version.filter(|version| !numbers(version)) {
        let place = format!("{at} version");
        checker.tell(Severity::Note, ErrorCode::BadValue, place, "no version", "MAJOR.MINOR", format!("`{version}`"));
    }
    let graphs = checker.array(&kelf, at, "graphs");
    if graphs.is_empty() && kelf.get("graphs").is_some_and(Value::is_array) {
        checker.finding(ErrorCode::NotFound, format!("{at} graphs"), "a kelf without graphs", "at least one", "none");
    }
    program.kelfs.push((name.to_string(), graphs.len()));
    for (i, graph) in graphs.iter().enumerate() {
        let place = format!("{at} graphs[{i}]");
        if let Some(definition) = checker.string(graph, &place, "definition")
            && checker.required(definition, format!("{place}.definition")).is_some()
        {
            program.graphs.push(GraphFacts {
                definition: definition.to_string(),
                target,
                variables: BTreeMap::new(),
                libraries: Vec::new(),
            });
        }
        checker.string(graph, &place, "name");
    }
}
