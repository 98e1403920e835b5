//! What a command has to say when it is done: the same facts for people and for programs.

use crate::fault::Failure;
use serde_json::Value;

/// The result of a command.
#[derive(Debug)]
pub struct Report {
    /// For people; complete lines.
    pub text: String,
    /// For programs: an object.
    pub json: Value,
    /// Whether the command has printed already what it has to say, because that can be long.
    pub printed: bool,
    /// What is wrong although there is something to show; exit code 1.
    pub failure: Option<Failure>,
    /// Whether what was looked for was found: inputs that differ, errors in a package; exit code 1.
    pub different: bool,
}

impl Report {
    /// A report of something good.
    pub fn new(text: String, json: Value) -> Report {
        Report { text, json, printed: false, failure: None, different: false }
    }

    /// The end of a command that has printed what it has to say.
    pub fn printed() -> Report {
        Report { printed: true, ..Report::new(String::new(), Value::Null) }
    }
}
