//! What is wrong with a kernel, and where. All findings of a kernel are collected, because a front end's author wants to see
//! them at once.

use super::row::Rule;
use crate::Result;
use crate::fallible::push;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The statement has no lowering.
    Error,
    /// The statement was lowered, but breaks a convention.
    Warning,
}

impl Severity {
    /// The word for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The id of the rule: of `[[error]]` in `spec/lowering.toml`, or our own.
    pub id: &'static str,
    /// The kernel.
    pub kernel: String,
    /// The label of the block.
    pub block: Option<String>,
    /// The name of the statement, or `#` and its index in the block.
    pub statement: Option<String>,
    /// The operator.
    pub operator: Option<&'static str>,
    /// The field of the record, e.g. `srcs[1].offset`.
    pub field: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The source line; 0 if there is none.
    pub line: u64,
    /// The source column.
    pub column: u64,
    /// The text of the rule, filled in.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    /// `kernel k, block main.1, statement inst.3 (tensorTensor), field dst, f.py:12:4: text`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}", self.kernel)?;
        if let Some(block) = &self.block {
            write!(f, ", block {block}")?;
        }
        if let Some(statement) = &self.statement {
            write!(f, ", statement {statement}")?;
        }
        if let Some(operator) = self.operator {
            write!(f, " ({operator})")?;
        }
        if let Some(field) = &self.field {
            write!(f, ", field {field}")?;
        }
        match &self.file {
            Some(file) => write!(f, ", {file}:{}:{}", self.line, self.column)?,
            None if self.line > 0 => write!(f, ", line {}, column {}", self.line, self.column)?,
            None => {}
        }
        write!(f, ": {}", self.message)
    }
}

/// The findings of a run.
#[derive(Debug)]
pub(super) struct Findings {
    pub list: Vec<Diagnostic>,
    pub dropped: u64,
    /// Errors so far, kept or not.
    pub errors: u64,
    limit: usize,
}

impl Findings {
    pub fn new(limit: usize) -> Self {
        Findings { list: Vec::new(), dropped: 0, errors: 0, limit }
    }

    /// Keeps a finding, or counts it if there are enough. `make` is called for one that is kept.
    pub fn add(&mut self, severity: Severity, make: impl FnOnce() -> Result<Diagnostic>) -> Result<()> {
        if severity == Severity::Error {
            self.errors = self.errors.saturating_add(1);
        }
        if self.list.len() >= self.limit {
            self.dropped = self.dropped.saturating_add(1);
            return Ok(());
        }
        push(&mut self.list, make()?)
    }
}

/// The text of a rule with its placeholder replaced.
pub(super) struct Filled<'a>(pub &'static Rule, pub &'a str);

impl fmt::Display for Filled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.wording();
        match text.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?.1))) {
            Some((before, after)) => write!(f, "{before}{}{after}", self.1),
            None => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::rule;
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn texts_are_filled_in() {
        let filled = |rule, argument| Filled(rule, argument).to_string();
        assert_eq!(filled(&rule::OP_KIND, "8"), "Unsupported operator 8");
        assert_eq!(filled(&rule::SCALAR_REGISTER, "r{1}"), "Cannot find register: r{1} for scalar offset");
        assert_eq!(filled(&rule::ALU, ""), "Unsupported ALU operation");
    }

    #[test]
    fn a_finding_reads_from_the_kernel_to_the_text() {
        let mut finding = Diagnostic {
            severity: Severity::Error,
            id: "alu",
            kernel: "k".into(),
            block: Some("main.1".into()),
            statement: Some("inst.3".into()),
            operator: Some("tensorTensor"),
            field: Some("dst".into()),
            file: Some("f.py".into()),
            line: 12,
            column: 4,
            message: "text".into(),
        };
        let long = "kernel k, block main.1, statement inst.3 (tensorTensor), field dst, f.py:12:4: text";
        assert_eq!(finding.to_string(), long);
        (finding.file, finding.field, finding.operator) = (None, None, None);
        assert_eq!(finding.to_string(), "kernel k, block main.1, statement inst.3, line 12, column 4: text");
    }

    #[test]
    fn later_findings_are_counted() {
        let mut findings = Findings::new(0);
        findings.add(Severity::Error, || panic!("not made")).unwrap();
        assert_eq!((findings.list.len(), findings.dropped, findings.errors), (0, 1, 1));
    }
}
