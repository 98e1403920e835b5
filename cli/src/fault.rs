//! Why a command stopped. The core's errors know everything but the file; this adds it.

use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};

/// Something is wrong with an input: exit code 1.
#[derive(Debug)]
pub struct Failure {
    /// What, where in the file.
    pub error: Error,
    /// The file; `None` where no file is concerned.
    pub file: Option<String>,
}

/// Why a command stopped.
#[derive(Debug)]
pub enum Fault {
    /// Something is wrong with an input: exit code 1.
    Input(Box<Failure>),
    /// The arguments do not fit together: exit code 2.
    Usage(String),
}

/// The result of a command and its parts.
pub type Outcome<T> = Result<T, Fault>;

impl Failure {
    /// The object under `error` of JSON output.
    pub fn json(&self) -> Value {
        let Error { code, path, message, expected, found, position } = &self.error;
        let message = if message.is_empty() { code.description() } else { message };
        let text = position.filter(|p| p.line > 0);
        json!({
            "code": code.name(),
            "path": path,
            "message": message,
            "expected": expected,
            "found": found,
            "file": self.file,
            "line": text.map(|p| p.line),
            "column": text.map(|p| p.column),
            "offset": position.map(|p| p.offset),
        })
    }

    /// One line for people.
    pub fn line(&self) -> String {
        match &self.file {
            Some(file) => format!("{file}: {}", self.error),
            None => self.error.to_string(),
        }
    }
}

impl Fault {
    /// An error of a file.
    pub fn of_file(file: impl Into<String>, error: Error) -> Fault {
        Fault::Input(Box::new(Failure { error, file: Some(file.into()) }))
    }

    /// A system error on a file. `doing` says what failed, e.g. `cannot write`.
    pub fn io(file: impl Into<String>, doing: &str, error: &std::io::Error) -> Fault {
        Fault::of_file(file, Error::new(ErrorCode::Io, format_args!("{doing}: {error}")))
    }
}

impl From<Error> for Fault {
    /// An error that concerns no file.
    fn from(error: Error) -> Fault {
        Fault::Input(Box::new(Failure { error, file: None }))
    }
}

/// Names the file of an error of the core.
pub trait InFile<T> {
    /// The same result with the file in its error.
    fn in_file(self, file: &str) -> Outcome<T>;
}

impl<T> InFile<T> for bir_core::Result<T> {
    fn in_file(self, file: &str) -> Outcome<T> {
        self.map_err(|error| Fault::of_file(file, error))
    }
}
