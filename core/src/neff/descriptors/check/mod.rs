//! A package that unpacks may still not load; this follows every name from the manifest down as a loader does, and says
//! everything that is wrong instead of the first thing (`spec/neff.md` sections 8 and 9).
#![forbid(unsafe_code)]

mod collectives;
mod cores;
mod definition;
mod dma;
mod finding;
mod graph;
mod header;
mod kelf;
mod libraries;
mod locate;
mod queues;
mod tensor_map;
mod variables;

pub use finding::{Finding, Severity};
pub use graph::tensor_bytes;

use crate::error::{Error, ErrorCode, Position};
use crate::fallible::push;
use crate::neff::header::Header;
use crate::neff::inventory::{DROPPED, Inventory, Item, parse};
use crate::neff::read::Package;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;
use serde_json::Value;

/// What a loader would refuse in a package, by following all its names: the findings of [`findings`] that are errors.
///
/// Every one has the member and the place in it as its path. References to debug files may dangle.
pub fn check(package: &Package<'_>) -> Vec<Error> {
    let facts = Facts { header: Some(package.header()), ..Facts::default() };
    let found = Inventory::of(package).map(|inventory| findings(&inventory, &facts));
    match found {
        Ok(found) => found.into_iter().filter(|f| f.severity == Severity::Error).map(|f| f.error).collect(),
        Err(error) => Vec::from([error]),
    }
}

/// What is known of the package beside its members.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'h> {
    /// The header; without it nothing is compared with it.
    pub header: Option<&'h Header>,
    /// The payload's digest as the hash field holds it, if it was computed.
    pub computed_hash: Option<[u8; 32]>,
}

/// Everything that there is to say about a package, in the order of its parts: header, members, manifest, kelfs, definitions.
pub fn findings(inventory: &Inventory, facts: &Facts<'_>) -> Vec<Finding> {
    let mut checker = Checker { inventory, findings: Vec::new() };
    for name in inventory.duplicates() {
        checker.finding(ErrorCode::DuplicateName, name, "two members have one name", "", "");
    }
    let mut program = Program::default();
    for kelf in graph::check(&mut checker, &mut program) {
        kelf::check(&mut checker, &kelf, &mut program);
    }
    let mut graphs = core::mem::take(&mut program.graphs);
    for graph in &mut graphs {
        definition::check(&mut checker, graph, facts);
    }
    program.graphs = graphs;
    graph::check_tensors(&mut checker, &program);
    libraries::check_file(&mut checker, &program);
    tensor_map::check(&mut checker, &program);
    if let Some(header) = facts.header {
        // The header comes first, but what it says is measured against the rest.
        let members = core::mem::take(&mut checker.findings);
        header::check(&mut checker, header, facts.computed_hash);
        cores::check(&mut checker, header, &program);
        checker.findings.extend(members);
    }
    checker.findings
}

/// What the descriptors say of the program as a whole.
#[derive(Debug, Default)]
struct Program {
    /// Executable nodes of the manifest.
    kelf_nodes: usize,
    /// Inputs and outputs of the manifest, as far as they can be told.
    tensors: Vec<graph::Entry>,
    /// Number of graphs of each kelf, by its name.
    kelfs: Vec<(String, usize)>,
    graphs: Vec<GraphFacts>,
}

/// One graph: its definition and what was found in it.
#[derive(Debug)]
struct GraphFacts {
    definition: String,
    target: Option<crate::neff::target::Target>,
    /// Type and size of each variable.
    variables: BTreeMap<String, VariableFacts>,
    libraries: Vec<Value>,
}

/// What others ask of a variable.
#[derive(Clone, Debug)]
struct VariableFacts {
    kind: String,
    size: Option<u64>,
}

/// The package and what was found in it.
struct Checker<'p> {
    inventory: &'p Inventory,
    findings: Vec<Finding>,
}

impl<'p> Checker<'p> {
    /// A finding that makes a loader refuse the package.
    fn finding(
        &mut self,
        code: ErrorCode,
        at: impl Display,
        message: &str,
        expected: impl Display,
        found: impl Display,
    ) {
        self.tell(Severity::Error, code, at, message, expected, found);
    }

    /// A finding that no loader is known to mind.
    fn warning(
        &mut self,
        code: ErrorCode,
        at: impl Display,
        message: &str,
        expected: impl Display,
        found: impl Display,
    ) {
        self.tell(Severity::Warning, code, at, message, expected, found);
    }

    fn tell(
        &mut self,
        severity: Severity,
        code: ErrorCode,
        at: impl Display,
        message: &str,
        expected: impl Display,
        found: impl Display,
    ) {
        let mut error = Error::new(code, message).expected_found(expected, found).at(at);
        // A place in a member that is at hand has an offset.
        if let Some((member, place)) = error.path.split_once(": ")
            && let Some(bytes) = self.inventory.item(member).and_then(Item::whole)
        {
            let offset = locate::locate(bytes, place) as u64;
            error.position = Some(Position { line: 0, column: 0, offset });
        }
        self.push(severity, error);
    }

    fn push(&mut self, severity: Severity, error: Error) {
        // Without memory for one more there is none to tell of it.
        let _ = push(&mut self.findings, Finding { severity, error });
    }

    /// A member that has to exist because `named_by` names it.
    fn required(&mut self, name: &str, named_by: impl Display) -> Option<&'p Item> {
        let member = self.inventory.loaded(name);
        if member.is_none() && !name.ends_with(DROPPED) {
            self.finding(ErrorCode::UnresolvedRef, named_by, "a member does not exist", format!("`{name}`"), "");
        }
        member
    }

    /// Parses a descriptor; a byte order mark at its start is skipped.
    fn parse(&mut self, item: &Item) -> Option<Value> {
        let Some(bytes) = item.whole() else {
            self.push(Severity::Error, self.inventory.too_large(item));
            return None;
        };
        match parse(bytes) {
            Ok(value) => Some(value),
            Err(e) => {
                let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
                let (line, column) = (e.line() as u32, e.column() as u32);
                let before = text.split_inclusive(|&b| b == b'\n').take(e.line().saturating_sub(1));
                let start = bytes.len().saturating_sub(text.len()).saturating_add(before.map(<[u8]>::len).sum());
                let offset = start.saturating_add(e.column().saturating_sub(1)) as u64;
                let position = Position { line, column, offset };
                self.push(Severity::Error, Error::new(ErrorCode::Syntax, e).at(&item.name).at_position(position));
                None
            }
        }
    }

    /// The value of a required key of an object; `at` is the object's place.
    fn key<'v>(&mut self, value: &'v Value, at: &str, key: &str, kind: Kind) -> Option<&'v Value> {
        match value.get(key) {
            Some(_) => self.optional(value, at, key, kind),
            None => {
                self.finding(ErrorCode::MissingKey, inside(at, key), "a required key is absent", kind.name(), "");
                None
            }
        }
    }

    /// The value of a key that may be absent: a finding if it is there and of another type.
    fn optional<'v>(&mut self, value: &'v Value, at: &str, key: &str, kind: Kind) -> Option<&'v Value> {
        let value = value.get(key)?;
        if !kind.matches(value) {
            let place = inside(at, key);
            self.finding(ErrorCode::WrongType, place, "a value has the wrong type", kind.name(), type_name(value));
            return None;
        }
        Some(value)
    }

    /// As [`key`](Self::key) for an array, as a slice; empty after a finding.
    fn array<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> &'v [Value] {
        self.key(value, at, key, Kind::Array).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// As [`optional`](Self::optional) for an array, as a slice.
    fn optional_array<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> &'v [Value] {
        self.optional(value, at, key, Kind::Array).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// As [`key`](Self::key) for a string.
    fn string<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> Option<&'v str> {
        self.key(value, at, key, Kind::String).and_then(Value::as_str)
    }

    /// As [`optional`](Self::optional) for a string.
    fn optional_string<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> Option<&'v str> {
        self.optional(value, at, key, Kind::String).and_then(Value::as_str)
    }

    /// As [`optional`](Self::optional) for a number.
    fn optional_number(&mut self, value: &Value, at: &str, key: &str) -> Option<u64> {
        self.optional(value, at, key, Kind::Number).and_then(Value::as_u64)
    }

    /// A warning for a word that is none of those known.
    fn known(&mut self, word: Option<&str>, at: &str, key: &str, words: &[&str]) {
        if let Some(word) = word.filter(|word| !words.contains(word)) {
            let place = inside(at, key);
            let found = format!("`{word}`");
            self.warning(ErrorCode::UnknownEnum, place, "an unknown word", words.join(", "), found);
        }
    }
}

/// The place of a key of an object; that of a whole member ends in a colon.
fn inside(at: &str, key: &str) -> String {
    if at.ends_with(':') { format!("{at} {key}") } else { format!("{at}.{key}") }
}

/// The JSON types that keys ask for.
#[derive(Clone, Copy)]
enum Kind {
    Array,
    Bool,
    Number,
    Object,
    String,
}

impl Kind {
    fn matches(self, value: &Value) -> bool {
        match self {
            Kind::Array => value.is_array(),
            Kind::Bool => value.is_boolean(),
            Kind::Number => value.is_u64(),
            Kind::Object => value.is_object(),
            Kind::String => value.is_string(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Array => "an array",
            Kind::Bool => "true or false",
            Kind::Number => "a non-negative integer",
            Kind::Object => "an object",
            Kind::String => "a string",
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "another number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The value as JSON, cut where it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The folder of a member with its slash; empty at the top.
fn folder(name: &str) -> &str {
    name.rfind('/').and_then(|slash| name.get(..=slash)).unwrap_or("")
}

/// A name relative to the folder of another member.
fn beside(member: &str, name: &str) -> String {
    format!("{}{name}", folder(member))
}
