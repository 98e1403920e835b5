//! A kelf: its target and the definitions it names.
#![forbid(unsafe_code)]

use super::Checker;
use crate::error::ErrorCode;
use crate::neff::target::Target;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// Checks a kelf that exists; returns the definitions that exist, with the target.
pub(super) fn check(checker: &mut Checker<'_>, name: &str) -> Vec<(String, Option<Target>)> {
    let mut definitions = Vec::new();
    let Some(kelf) = checker.member(name).and_then(|bytes| checker.parse(name, bytes)) else { return definitions };
    let at = &format!("{name}:");
    let spelling = checker.string(&kelf, at, "target");
    let target = spelling.and_then(Target::from_kelf);
    if let (Some(spelling), None) = (spelling, target) {
        let expected = "sunda, cayman, mariana, v2 to v4 or *";
        checker.finding(ErrorCode::UnknownEnum, format!("{at} target"), "unknown target", expected, spelling);
    }
    let graphs = checker.array(&kelf, at, "graphs");
    if graphs.is_empty() && kelf.get("graphs").is_some_and(Value::is_array) {
        checker.finding(ErrorCode::NotFound, format!("{at} graphs"), "a kelf without graphs", "at least one", "none");
    }
    for (i, graph) in graphs.iter().enumerate() {
        let place = format!("{at} graphs[{i}]");
        if let Some(definition) = checker.string(graph, &place, "definition")
            && checker.required(definition, format!("{place}.definition")).is_some()
        {
            definitions.push((definition.to_string(), target));
        }
    }
    definitions
}
