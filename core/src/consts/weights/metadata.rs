//! `metadata.json` is the only word on which file belongs to which parameter (`spec/consts.md` section 2.2), and is written by
//! hand as often as by a front end; so every mistake in it has its line.
#![forbid(unsafe_code)]

use super::METADATA_FILE;
use super::problem::{Problem, ProblemKind};
use crate::doc::{Input, JsonInput, Limits};
use crate::error::{Error, ErrorCode, Position, Result};
use crate::fallible::{copy, push};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// The keys of the file.
const MODEL_FILES: &str = "model_files";
const VERSION: &str = "version";
const WEIGHTS: &str = "weights";
const WEIGHT_FILES: &str = "weight_files";

/// The version that front ends write.
const KNOWN_VERSION: &str = "1.0";

/// A model directory's `metadata.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// File of the model, relative to the directory, and where it stands.
    pub model_file: Option<(String, Position)>,
    /// Version of the file; not needed, and of no effect.
    pub version: Option<String>,
    /// The key of the table of weights: `weights`, or its older name `weight_files`; empty if there is none.
    pub table: &'static str,
    /// The weights, by number; entries of one number in the order of the file.
    pub entries: Vec<Entry>,
    /// What is wrong, in the order of the file.
    pub problems: Vec<Problem>,
    /// What looks wrong and does not matter: unknown keys, another version.
    pub warnings: Vec<Problem>,
}

/// One weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key as it stands there.
    pub key: String,
    /// Number of the parameter; `u64::MAX` stands for all that are larger.
    pub number: u64,
    /// The path as it stands there.
    pub path: String,
    /// Where the path stands.
    pub position: Position,
}

impl Metadata {
    /// Reads the file. Mistakes do not end the reading, except for text that is no JSON; they are kept as problems.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn parse(text: &[u8]) -> Result<Metadata> {
        let mut reader = Reader { input: JsonInput::new(text, Limits::default()), metadata: Metadata::default() };
        match reader.read() {
            Ok(()) => {}
            Err(error) if error.code == ErrorCode::OutOfMemory => return Err(error),
            Err(error) => push(&mut reader.metadata.problems, problem(error)?)?,
        }
        let mut metadata = reader.metadata;
        metadata.entries.sort_unstable_by_key(|entry| (entry.number, entry.position.offset));
        Ok(metadata)
    }
}

struct Reader<'t> {
    input: JsonInput<'t>,
    metadata: Metadata,
}

/// A table of weights.
#[derive(Default)]
struct Table {
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl<'t> Reader<'t> {
    fn read(&mut self) -> Result<()> {
        let (mut weights, mut weight_files): (Option<Table>, Option<(Table, Position)>) = (None, None);
        let (mut model_files, mut version) = (false, false);
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let at = self.here()?;
            let seen = match &*key {
                MODEL_FILES => core::mem::replace(&mut model_files, true),
                VERSION => core::mem::replace(&mut version, true),
                WEIGHTS => weights.is_some(),
                WEIGHT_FILES => weight_files.is_some(),
                _ => {
                    let error = Error::new(ErrorCode::UnknownKey, "the key is not known and has no effect").at(&key);
                    push(&mut self.metadata.warnings, problem(error.at_position(at))?)?;
                    self.input.skip()?;
                    continue;
                }
            };
            if seen {
                let error = Error::new(ErrorCode::DuplicateName, "the key occurs twice").at(&key);
                push(&mut self.metadata.problems, problem(error.at_position(at))?)?;
                self.input.skip()?;
                continue;
            }
            match &*key {
                MODEL_FILES => {
                    let text = self.text(MODEL_FILES)?;
                    self.metadata.model_file = text.map(|text| Ok((copy(&text)?, at))).transpose()?;
                }
                VERSION => {
                    let text = self.text(VERSION)?;
                    if let Some(text) = text.as_deref().filter(|text| *text != KNOWN_VERSION) {
                        let error =
                            Error::new(ErrorCode::Unsupported, "the version is not known and was not looked at");
                        let error = error.expected_found(format_args!("`{KNOWN_VERSION}`"), format_args!("`{text}`"));
                        push(&mut self.metadata.warnings, problem(error.at(VERSION).at_position(at))?)?;
                    }
                    self.metadata.version = text.map(|text| copy(&text)).transpose()?;
                }
                WEIGHTS => weights = Some(self.table(WEIGHTS)?),
                _ => weight_files = Some((self.table(WEIGHT_FILES)?, at)),
            }
        }
        self.input.finish()?;
        if !model_files {
            self.missing(MODEL_FILES)?;
        }
        let (name, table) = match (weights, weight_files) {
            (None, None) => return self.missing(WEIGHTS),
            (Some(table), None) => (WEIGHTS, table),
            (None, Some((table, _))) => (WEIGHT_FILES, table),
            (Some(table), Some((_, at))) => {
                let error = Error::new(ErrorCode::Conflict, "there must be one table of weights")
                    .expected_found(format_args!("`{WEIGHTS}` only"), format_args!("`{WEIGHT_FILES}` too"))
                    .at(WEIGHT_FILES);
                push(&mut self.metadata.problems, problem(error.at_position(at))?)?;
                (WEIGHTS, table)
            }
        };
        self.metadata.table = name;
        self.metadata.entries = table.entries;
        for problem in table.problems {
            push(&mut self.metadata.problems, problem)?;
        }
        Ok(())
    }

    /// The place of the next value.
    fn here(&mut self) -> Result<Position> {
        self.input.peek()?;
        Ok(self.input.position_of(self.input.offset()))
    }

    fn missing(&mut self, key: &str) -> Result<()> {
        let error = Error::new(ErrorCode::MissingKey, format_args!("the key `{key}` is missing"));
        push(&mut self.metadata.problems, problem(error)?)
    }

    /// A string, or a problem.
    fn text(&mut self, key: &str) -> Result<Option<Cow<'t, str>>> {
        match self.input.string() {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.code == ErrorCode::WrongType => {
                push(&mut self.metadata.problems, problem(error.at(key))?)?;
                self.input.skip()?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn table(&mut self, key: &str) -> Result<Table> {
        let mut table = Table::default();
        match self.input.begin_object() {
            Ok(()) => {}
            Err(error) if error.code == ErrorCode::WrongType => {
                push(&mut table.problems, problem(error.at(key))?)?;
                self.input.skip()?;
                return Ok(table);
            }
            Err(error) => return Err(error),
        }
        while let Some(name) = self.input.next_key()? {
            let position = self.here()?;
            let place = |error: Error| problem(error.at(format_args!("{key}.{}", name.escape_debug())));
            let path = match self.input.string() {
                Ok(path) => Some(path),
                Err(error) if error.code == ErrorCode::WrongType => {
                    push(&mut table.problems, place(error)?)?;
                    self.input.skip()?;
                    None
                }
                Err(error) => return Err(error),
            };
            match (number(&name), path) {
                (Some(number), Some(path)) => {
                    push(&mut table.entries, Entry { key: copy(&name)?, number, path: copy(&path)?, position })?;
                }
                (Some(_), None) => {}
                (None, _) => {
                    let error = Error::new(ErrorCode::BadValue, "the key is not the number of a parameter")
                        .expected_found("decimal digits only", format_args!("`{}`", name.escape_debug()));
                    let problem = place(error.at_position(position))?;
                    push(&mut table.problems, Problem { kind: ProblemKind::ParameterNumber, ..problem })?;
                }
            }
        }
        Ok(table)
    }
}

fn problem(error: Error) -> Result<Problem> {
    Problem::in_file(ProblemKind::Metadata, METADATA_FILE, error)
}

/// The number that a key is, if all of it is digits.
fn number(key: &str) -> Option<u64> {
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| key.parse().unwrap_or(u64::MAX))
}
