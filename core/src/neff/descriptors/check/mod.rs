//! A package that unpacks may still not load; this follows every name from the manifest down as a loader does, and says
//! everything that is wrong instead of the first thing (`spec/neff.md` sections 8 and 9).
#![forbid(unsafe_code)]

mod definition;
mod graph;
mod kelf;
mod variables;

use crate::error::{Error, ErrorCode, Position};
use crate::neff::read::Package;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;
use serde_json::Value;

/// The members whose name ends so are dropped by loaders, so they may be named and absent.
const DROPPED: &str = "wavegraph-bin.json";

/// Follows all names of a package. Empty if a loader has nothing to complain about.
///
/// Every finding has the member and the place in it as its path. References to debug files may dangle.
pub fn check(package: &Package<'_>) -> Vec<Error> {
    let mut checker = Checker { package, findings: Vec::new() };
    for kelf in graph::check(&mut checker) {
        for (definition, target) in kelf::check(&mut checker, &kelf) {
            definition::check(&mut checker, &definition, target);
        }
    }
    checker.findings
}

/// The package and what was found in it.
struct Checker<'p> {
    package: &'p Package<'p>,
    findings: Vec<Error>,
}

impl<'p> Checker<'p> {
    /// A member as a loader sees it.
    fn member(&self, name: &str) -> Option<&'p [u8]> {
        let name = name.trim_start_matches("./");
        if name.ends_with(DROPPED) {
            return None;
        }
        self.package.member(name)
    }

    fn finding(
        &mut self,
        code: ErrorCode,
        at: impl Display,
        message: &str,
        expected: impl Display,
        found: impl Display,
    ) {
        self.findings.push(Error::new(code, message).expected_found(expected, found).at(at));
    }

    /// A member that has to exist because `named_by` names it.
    fn required(&mut self, name: &str, named_by: impl Display) -> Option<&'p [u8]> {
        let member = self.member(name);
        if member.is_none() && !name.ends_with(DROPPED) {
            self.finding(ErrorCode::UnresolvedRef, named_by, "a member does not exist", format!("`{name}`"), "");
        }
        member
    }

    /// Parses a member; a byte order mark at its start is skipped.
    fn parse(&mut self, name: &str, bytes: &[u8]) -> Option<Value> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match serde_json::from_slice(text) {
            Ok(value) => Some(value),
            Err(e) => {
                let (line, column) = (e.line() as u32, e.column() as u32);
                let before = text.split_inclusive(|&b| b == b'\n').take(e.line().saturating_sub(1));
                let start = bytes.len() - text.len() + before.map(<[u8]>::len).sum::<usize>();
                let offset = (start + e.column().saturating_sub(1)) as u64;
                let position = Position { line, column, offset };
                self.findings.push(Error::new(ErrorCode::Syntax, e).at(name).at_position(position));
                None
            }
        }
    }

    /// The value of a required key of an object; `at` is the object's place.
    fn key<'v>(&mut self, value: &'v Value, at: &str, key: &str, kind: Kind) -> Option<&'v Value> {
        let place = || if at.ends_with(':') { format!("{at} {key}") } else { format!("{at}.{key}") };
        match value.get(key) {
            Some(value) if kind.matches(value) => Some(value),
            Some(value) => {
                self.finding(
                    ErrorCode::WrongType,
                    place(),
                    "a value has the wrong type",
                    kind.name(),
                    type_name(value),
                );
                None
            }
            None => {
                self.finding(ErrorCode::MissingKey, place(), "a required key is absent", kind.name(), "");
                None
            }
        }
    }

    /// As [`key`](Self::key) for an array, as a slice; empty after a finding.
    fn array<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> &'v [Value] {
        self.key(value, at, key, Kind::Array).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// As [`key`](Self::key) for a string.
    fn string<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> Option<&'v str> {
        self.key(value, at, key, Kind::String).and_then(Value::as_str)
    }

    /// An optional string: a finding if it is there and no string.
    fn optional_string<'v>(&mut self, value: &'v Value, at: &str, key: &str) -> Option<&'v str> {
        value.get(key)?;
        self.string(value, at, key)
    }
}

/// The JSON types that keys ask for.
#[derive(Clone, Copy)]
enum Kind {
    Array,
    Number,
    Object,
    String,
}

impl Kind {
    fn matches(self, value: &Value) -> bool {
        match self {
            Kind::Array => value.is_array(),
            Kind::Number => value.is_u64(),
            Kind::Object => value.is_object(),
            Kind::String => value.is_string(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Kind::Array => "an array",
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

/// The folder of a member with its slash; empty at the top.
fn folder(name: &str) -> &str {
    name.rfind('/').and_then(|slash| name.get(..=slash)).unwrap_or("")
}

/// A name relative to the folder of another member.
fn beside(member: &str, name: &str) -> String {
    format!("{}{name}", folder(member))
}
