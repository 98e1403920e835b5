//! The words after `cargo xtask bench`.
use super::inputs::{FULL, Form};
use crate::generate::Result;
use std::path::PathBuf;

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Write a generated document.
    Gen { instructions: usize, folder: Option<PathBuf>, form: Form },
    /// Measure documents.
    Doc(Options),
    /// Measure kernels.
    Klr(KernelOptions),
}

/// How to measure kernels.
#[derive(Debug, PartialEq, Eq)]
pub struct KernelOptions {
    /// How often each measurement is made; the best counts.
    pub rounds: usize,
    /// Seconds are the processor's.
    pub cpu: bool,
    /// One JSON object instead of the table.
    pub json: bool,
}

/// How to measure.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// A document of 1/100, and no question how time grows.
    pub quick: bool,
    /// How the documents are written.
    pub form: Form,
    /// How often each measurement is made; the best counts.
    pub rounds: usize,
    /// Seconds are the processor's instead of the wall clock's.
    pub cpu: bool,
    /// One JSON object instead of the table.
    pub json: bool,
}

impl Options {
    /// The clock in words.
    pub fn clock(&self) -> &'static str {
        if self.cpu { "processor time" } else { "wall clock" }
    }
}

/// Takes the words apart.
pub fn parse(words: &[&str]) -> Result<Command> {
    let Some((command, words)) = words.split_first() else { return Err("bench what? gen, doc or klr".to_owned()) };
    let mut words = words.iter().copied();
    let (mut form, mut instructions, mut folder) = (Form::Standard, FULL, None);
    let (mut quick, mut cpu, mut json, mut rounds) = (false, false, false, None);
    while let Some(word) = words.next() {
        match (*command, word) {
            ("gen" | "doc", "--compact") => form = Form::Compact,
            ("gen", "-n" | "--instructions") => instructions = number(word, words.next())?,
            ("gen", "-o") => folder = Some(words.next().ok_or("-o needs a folder")?.into()),
            ("doc", "--quick") => quick = true,
            ("doc" | "klr", "--cpu") => cpu = true,
            ("doc" | "klr", "--json") => json = true,
            ("doc" | "klr", "--rounds") => rounds = Some(number(word, words.next())?),
            _ => return Err(format!("bench {command} does not take `{word}`")),
        }
    }
    match *command {
        "gen" => Ok(Command::Gen { instructions, folder, form }),
        "doc" => {
            let rounds = rounds.unwrap_or(if quick { 5 } else { 3 });
            Ok(Command::Doc(Options { quick, form, rounds, cpu, json }))
        }
        "klr" => Ok(Command::Klr(KernelOptions { rounds: rounds.unwrap_or(5), cpu, json })),
        other => Err(format!("there is no `bench {other}`; there are gen, doc and klr")),
    }
}

fn number(name: &str, word: Option<&str>) -> Result<usize> {
    let word = word.ok_or_else(|| format!("{name} needs a number"))?;
    match word.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{name} needs a number above 0, not `{word}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_commands() {
        let gen_full = Command::Gen { instructions: 665_013, folder: None, form: Form::Standard };
        assert_eq!(parse(&["gen"]), Ok(gen_full));
        let small = Command::Gen { instructions: 7, folder: Some("x".into()), form: Form::Compact };
        assert_eq!(parse(&["gen", "--compact", "-n", "7", "-o", "x"]), Ok(small));
        let doc = |quick, form, rounds, json| Ok(Command::Doc(Options { quick, form, rounds, cpu: json, json }));
        assert_eq!(parse(&["doc"]), doc(false, Form::Standard, 3, false));
        assert_eq!(parse(&["doc", "--quick", "--json", "--cpu"]), doc(true, Form::Standard, 5, true));
        assert_eq!(parse(&["doc", "--rounds", "2", "--compact"]), doc(false, Form::Compact, 2, false));
        let klr = |rounds, json| Ok(Command::Klr(KernelOptions { rounds, cpu: json, json }));
        assert_eq!(parse(&["klr"]), klr(5, false));
        assert_eq!(parse(&["klr", "--json", "--cpu", "--rounds", "1"]), klr(1, true));
    }

    #[test]
    fn wrong_words_are_named() {
        for (words, named) in [
            (&["doc", "--fast"][..], "`--fast`"),
            (&["doc", "-o", "x"], "`-o`"),
            (&["gen", "-n", "0"], "`0`"),
            (&["gen", "-n"], "-n"),
            (&["klr", "--quick"], "`--quick`"),
            (&["neff"], "`bench neff`"),
            (&[], "gen, doc or klr"),
        ] {
            let error = parse(words).unwrap_err();
            assert!(error.contains(named), "{words:?}: {error}");
        }
    }
}
