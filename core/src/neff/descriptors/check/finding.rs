//! What a check has to say: an error with its place, and how much it matters.
#![forbid(unsafe_code)]

use crate::error::Error;
use core::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Legal, and seldom: worth knowing when something else is wrong.
    Note,
    /// No loader is known to refuse it, but no known producer writes it.
    Warning,
    /// A loader refuses it, or would read what is not there.
    Error,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One thing that a check found.
///
/// The error's path is a header field (`num_tpb`) or a member and the place in it (`sg00/def.json: var.w.size`); its position
/// counts from the start of the file for the first and from the start of the member for the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong where, with what was expected and found.
    pub error: Error,
}

impl Finding {
    /// The member that it is about; `None` for the header and for the package as a whole.
    pub fn member(&self) -> Option<&str> {
        let path = self.error.path.as_str();
        match path.split_once(": ") {
            Some((member, _)) => Some(member),
            None => Some(path).filter(|path| path.contains(['.', '/'])),
        }
    }

    /// The place in the member, or the field of the header.
    pub fn place(&self) -> &str {
        let path = self.error.path.as_str();
        match path.split_once(": ") {
            Some((_, place)) => place,
            None if self.member().is_some() => "",
            None => path,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity.name(), self.error)
    }
}
