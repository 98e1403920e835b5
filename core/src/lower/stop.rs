//! Why the lowering of a statement stops: a rule is broken, which is noted before the walk goes on, or the library cannot go on.

use super::row::Rule;
use crate::Error;
use crate::error::text;
use alloc::string::String;
use core::fmt;

/// The result of a step of a statement's lowering.
pub(super) type Step<T> = Result<T, Stop>;

/// Why a statement has no lowering.
#[derive(Debug)]
pub(super) enum Stop {
    /// It breaks a rule.
    Refused(Refused),
    /// Memory is out, or the like.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

/// A broken rule.
#[derive(Debug)]
pub(super) struct Refused {
    pub rule: &'static Rule,
    /// What replaces the placeholder of the text.
    pub argument: String,
    pub field: Field,
}

/// A field of an operator's record: `srcs[1].vectorOffset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub name: &'static str,
    pub index: Option<usize>,
    pub part: &'static str,
}

impl Field {
    /// The statement as a whole.
    pub const NONE: Field = Field { name: "", index: None, part: "" };

    /// Element `index` of the list.
    pub const fn at(name: &'static str, index: usize) -> Field {
        Field { name, index: Some(index), part: "" }
    }

    /// A part of it.
    pub const fn part(self, part: &'static str) -> Field {
        Field { part, ..self }
    }
}

impl From<&'static str> for Field {
    fn from(name: &'static str) -> Self {
        Field { name, index: None, part: "" }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        if !self.part.is_empty() {
            write!(f, ".{}", self.part)?;
        }
        Ok(())
    }
}

/// The statement breaks a rule whose text has no placeholder.
pub(super) fn refuse<T>(rule: &'static Rule, field: impl Into<Field>) -> Step<T> {
    Err(Stop::Refused(Refused { rule, argument: String::new(), field: field.into() }))
}

/// The statement breaks a rule.
pub(super) fn refuse_with<T>(rule: &'static Rule, field: impl Into<Field>, argument: impl fmt::Display) -> Step<T> {
    Err(Stop::Refused(Refused { rule, argument: text(argument), field: field.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn fields_read_as_paths() {
        assert_eq!(Field::from("dst").to_string(), "dst");
        assert_eq!(Field::at("srcs", 1).part("offset").to_string(), "srcs[1].offset");
        assert_eq!(Field::NONE.to_string(), "");
    }
}
