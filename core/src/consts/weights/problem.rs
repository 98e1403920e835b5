//! Somebody who exports a model wants to mend it once, so every finding is kept, with all that is needed to find the place.
#![forbid(unsafe_code)]

use crate::consts::npy::NpyFault;
use crate::error::Error;
use crate::fallible::copy;
use alloc::string::String;
use core::fmt;

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// `metadata.json` is not what it has to be.
    Metadata,
    /// `model_files` names a file that does not exist.
    ModelFile,
    /// The key of an entry is no number of a parameter of the program.
    ParameterNumber,
    /// Two entries are about one parameter.
    Duplicate,
    /// A path leaves the model directory.
    UnsafePath,
    /// A file that an entry names does not exist or cannot be read.
    WeightFile,
    /// Something is wrong with an NPY file, or it does not fit its parameter.
    Npy(NpyFault),
    /// The program does not allow the parameter to be a constant.
    Program,
}

impl ProblemKind {
    /// A short stable name for programs: the code of the product where it has one (`NCC_INL001`, `NCC_INL002`), else a word of
    /// our own.
    pub const fn id(self) -> &'static str {
        match self {
            ProblemKind::Metadata => "metadata",
            ProblemKind::ModelFile => "model_file",
            ProblemKind::ParameterNumber => "parameter_number",
            ProblemKind::Duplicate => "duplicate",
            ProblemKind::UnsafePath => "unsafe_path",
            ProblemKind::WeightFile => "weight_file",
            ProblemKind::Npy(fault) => fault.id(),
            ProblemKind::Program => "program",
        }
    }
}

/// One finding. Displayed, it is a line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// Number of the parameter it is about, if it is about one.
    pub number: Option<u64>,
    /// Name of that parameter; empty if the program has none of that number.
    pub parameter: String,
    /// The file it is about, relative to the model directory; `None` if it is about the program.
    pub file: Option<String>,
    /// What, where, expected and found.
    pub error: Error,
}

impl Problem {
    pub(super) fn in_file(kind: ProblemKind, file: &str, error: Error) -> Result<Problem, Error> {
        Ok(Problem { kind, number: None, parameter: String::new(), file: Some(copy(file)?), error })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        match self.number {
            Some(number) if self.parameter.is_empty() => write!(f, "parameter {number}: ")?,
            Some(number) => write!(f, "parameter {number} (`{}`): ", self.parameter)?,
            None => {}
        }
        self.error.fmt(f)
    }
}
