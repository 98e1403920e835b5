//! Nothing may be half inlined, so all is looked at first and only then is anything done: this is the looking.
#![forbid(unsafe_code)]

use super::metadata::{Entry, Metadata};
use super::problem::{Problem, ProblemKind};
use super::{METADATA_FILE, TENSOR_CLASS};
use crate::consts::npy::{Npy, NpyFault};
use crate::error::{Error, ErrorCode, Position, Result};
use crate::fallible::{copy, push};
use crate::relative_path::relative_path;
use alloc::string::String;
use alloc::vec::Vec;

/// The files of a model directory. Paths are relative to it and lead nowhere else.
pub trait ModelFiles {
    /// Whether there is a file of that path.
    ///
    /// # Errors
    /// Whatever keeps it from looking.
    fn exists(&mut self, path: &str) -> Result<bool>;

    /// The header of an NPY file whose size was checked, as [`npy::parse`](crate::consts::npy::parse) or
    /// [`npy::parse_prefix`](crate::consts::npy::parse_prefix) and [`Npy::check_file_bytes`] give it.
    ///
    /// # Errors
    /// `NotFound` if there is no such file, what those functions answer, or whatever keeps it from reading.
    fn npy(&mut self, path: &str) -> Result<Npy>;
}

/// A parameter of the program. Its number is its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter<'p> {
    /// Its name, for messages and the report.
    pub name: String,
    /// Its element type in the IR's spelling.
    pub dtype: &'p str,
    /// Its dimensions.
    pub shape: Vec<u64>,
    /// Why it cannot be a constant, if it cannot.
    pub unfit: Option<Unfit>,
}

/// Why a parameter cannot be a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What it would have to be.
    pub expected: &'static str,
    /// What it is.
    pub found: &'static str,
}

/// A parameter that becomes a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Number of the parameter, before anything was removed.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its element type in the IR's spelling; what a void file holds (`spec/consts.md` section 3.2).
    pub dtype: String,
    /// Its class: [`TENSOR_CLASS`].
    pub tensor_class: &'static str,
    /// The file, relative to the model directory, elements separated by `/`.
    pub file: String,
    /// Header of the file: shape, element type, place and size of the data.
    pub npy: Npy,
}

/// A parameter that stays one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Its number before constants were removed.
    pub old: usize,
    /// Its number from then on.
    pub new: usize,
    /// Its name.
    pub name: String,
}

/// What would be done, and what is in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "it may be full of problems"]
pub struct Plan {
    /// The parameters that become constants, by number; those with problems are not among them.
    pub constants: Vec<Constant>,
    /// The new number of each parameter; `None` for those that become constants. Empty if there is any problem.
    pub renumbered: Vec<Option<usize>>,
    /// The parameters that remain, in their order. Empty if there is any problem.
    pub remaining: Vec<Remaining>,
    /// All that is wrong: with `metadata.json`, with the model file, then by number of the parameter.
    pub problems: Vec<Problem>,
    /// What looks wrong, in the same order.
    pub warnings: Vec<Problem>,
}

impl Plan {
    /// Whether nothing is in the way.
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }

    /// What remains keeps its order and moves up.
    fn renumber(&mut self, parameters: &[Parameter<'_>]) -> Result<()> {
        let mut constants = self.constants.iter().map(|constant| constant.number).peekable();
        for (old, parameter) in parameters.iter().enumerate() {
            let removed = constants.next_if_eq(&old).is_some();
            let new = self.remaining.len();
            push(&mut self.renumbered, (!removed).then_some(new))?;
            if !removed {
                push(&mut self.remaining, Remaining { old, new, name: copy(&parameter.name)? })?;
            }
        }
        Ok(())
    }
}

/// Holds the entries of a model directory against the parameters of a program and its files. What is wrong becomes a problem of
/// the plan, whatever else is wrong.
///
/// # Errors
/// `OutOfMemory`.
pub fn plan(metadata: Metadata, parameters: &[Parameter<'_>], files: &mut (impl ModelFiles + ?Sized)) -> Result<Plan> {
    let Metadata { model_file: model, table, entries, problems, warnings, .. } = metadata;
    let mut plan = Plan { problems, warnings, ..Plan::default() };
    if let Some((path, position)) = &model {
        model_file(path, *position, files, &mut plan)?;
    }
    let mut previous: Option<&Entry> = None;
    for entry in &entries {
        let parameter = usize::try_from(entry.number).ok().and_then(|number| parameters.get(number));
        let mut look = Look { table, entry, parameter, problems: &mut plan.problems };
        let before = look.problems.len();
        // All numbers beyond 64 bits are one number here; none of them is a parameter's.
        if let Some(earlier) = previous.filter(|e| e.number == entry.number && entry.number < u64::MAX) {
            look.duplicate(earlier)?;
        }
        previous = Some(entry);
        if parameter.is_none() {
            look.no_such_parameter(parameters.len())?;
        }
        if let Some(unfit) = parameter.and_then(|parameter| parameter.unfit) {
            let error = Error::new(ErrorCode::Conflict, "the parameter cannot be a constant");
            look.found(ProblemKind::Program, None, error.expected_found(unfit.expected, unfit.found))?;
        }
        let Some((file, npy)) = look.file(files)? else { continue };
        let good = look.problems.len() == before;
        if let Err(error) = npy.check_runtime() {
            let problems = &mut plan.warnings;
            Look { problems, ..look }.found(ProblemKind::Npy(NpyFault::Version), Some(&file), error)?;
        }
        if let (Some(parameter), Ok(number), true) = (parameter, usize::try_from(entry.number), good) {
            let (name, dtype) = (copy(&parameter.name)?, copy(parameter.dtype)?);
            push(&mut plan.constants, Constant { number, name, dtype, tensor_class: TENSOR_CLASS, file, npy })?;
        }
    }
    if plan.is_good() {
        plan.renumber(parameters)?;
    }
    Ok(plan)
}

fn model_file(path: &str, position: Position, files: &mut (impl ModelFiles + ?Sized), plan: &mut Plan) -> Result<()> {
    let (kind, error) = match relative_path(path).map(|path| files.exists(path)) {
        Ok(Ok(true)) => return Ok(()),
        Ok(Ok(false)) => {
            let error = Error::new(ErrorCode::NotFound, "Corrupted input dir, model file does not exist!");
            (ProblemKind::ModelFile, error.expected_found("a file", format_args!("`{}`", path.escape_debug())))
        }
        Ok(Err(error)) if error.code == ErrorCode::OutOfMemory => return Err(error),
        Ok(Err(error)) => (ProblemKind::ModelFile, error),
        Err(why) => (ProblemKind::UnsafePath, unsafe_path(path, why)),
    };
    let error = error.at("model_files").at_position(position);
    push(&mut plan.problems, Problem::in_file(kind, METADATA_FILE, error)?)
}

fn unsafe_path(path: &str, why: &str) -> Error {
    Error::new(ErrorCode::UnsafePath, format_args!("the path `{}` is not safe", path.escape_debug()))
        .expected_found("a relative path below the model directory", why)
}

/// A look at one entry.
struct Look<'l, 'p> {
    table: &'static str,
    entry: &'l Entry,
    parameter: Option<&'l Parameter<'p>>,
    problems: &'l mut Vec<Problem>,
}

impl Look<'_, '_> {
    fn found(&mut self, kind: ProblemKind, file: Option<&str>, error: Error) -> Result<()> {
        let problem = Problem {
            kind,
            number: Some(self.entry.number),
            parameter: self.parameter.map_or(Ok(String::new()), |parameter| copy(&parameter.name))?,
            file: file.map(copy).transpose()?,
            error,
        };
        push(self.problems, problem)
    }

    /// Something about the entry itself.
    fn found_here(&mut self, kind: ProblemKind, error: Error) -> Result<()> {
        let error = error.at(format_args!("{}.{}", self.table, self.entry.key)).at_position(self.entry.position);
        self.found(kind, Some(METADATA_FILE), error)
    }

    fn duplicate(&mut self, earlier: &Entry) -> Result<()> {
        let Position { line, .. } = earlier.position;
        let error = Error::new(ErrorCode::DuplicateName, "the parameter has an entry already")
            .expected_found("one entry", format_args!("another with the key `{}` in line {line}", earlier.key));
        self.found_here(ProblemKind::Duplicate, error)
    }

    fn no_such_parameter(&mut self, count: usize) -> Result<()> {
        let key = self.entry.key.as_str();
        let error = Error::new(ErrorCode::NotFound, format_args!("the program has no parameter number {key}"));
        let expected = match count {
            0 => error.expected_found("no entry: the program has no parameters", ""),
            _ => error.expected_found(format_args!("a number below {count}"), key),
        };
        self.found_here(ProblemKind::ParameterNumber, expected)
    }

    /// The safe path of the file and its header, if both are good. Whether it fits the parameter is another question.
    fn file(&mut self, files: &mut (impl ModelFiles + ?Sized)) -> Result<Option<(String, Npy)>> {
        let path = match relative_path(&self.entry.path) {
            Ok(path) => path,
            Err(why) => {
                self.found_here(ProblemKind::UnsafePath, unsafe_path(&self.entry.path, why))?;
                return Ok(None);
            }
        };
        let npy = match files.npy(path) {
            Ok(npy) => npy,
            Err(error) if error.code == ErrorCode::OutOfMemory => return Err(error),
            Err(error) => {
                let kind = NpyFault::of(&error).map_or(ProblemKind::WeightFile, ProblemKind::Npy);
                self.found(kind, Some(path), error)?;
                return Ok(None);
            }
        };
        if let Some(parameter) = self.parameter {
            if let Err(error) = npy.check_shape(&parameter.shape) {
                self.found(ProblemKind::Npy(NpyFault::ShapeMismatch), Some(path), error)?;
            }
            if let Err(error) = npy.check_dtype(parameter.dtype) {
                self.found(ProblemKind::Npy(NpyFault::TypeMismatch), Some(path), error)?;
            }
        }
        Ok(Some((copy(path)?, npy)))
    }
}
