//! The words after `cargo xtask bench`.
use super::inputs::{FULL, Form};
use crate::generate::Result;
use std::path::PathBuf;

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Write a generated document.
    Gen { instructions: usize, folder: Option<PathBuf>, form: Form },
    /// Measure documents of that form.
    Doc(Options, Form),
    /// Measure kernels.
    Klr(Options),
    /// Measure packages.
    Pack(Options),
}

/// How to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Less data, and no question how time grows.
    pub quick: bool,
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

    /// What measuring programs are told of the clock.
    pub fn clock_flag(&self) -> Option<&'static str> {
        self.cpu.then_some("--cpu")
    }
}

/// Takes the words apart.
pub fn parse(words: &[&str]) -> Result<Command> {
    let Some((command, words)) = words.split_first() else {
        return Err("bench what? gen, doc, klr or pack".to_owned());
    };
    let mut words = words.iter().copied();
    let (mut form, mut instructions, mut folder) = (Form::Standard, FULL, None);
    let (mut quick, mut cpu, mut json, mut rounds) = (false, false, false, None);
    while let Some(word) = words.next() {
        match (*command, word) {
            ("gen" | "doc", "--compact") => form = Form::Compact,
            ("gen", "-n" | "--instructions") => instructions = number(word, words.next())?,
            ("gen", "-o") => folder = Some(words.next().ok_or("-o needs a folder")?.into()),
            ("doc" | "pack", "--quick") => quick = true,
            ("doc" | "klr" | "pack", "--cpu") => cpu = true,
            ("doc" | "klr" | "pack", "--json") => json = true,
            ("doc" | "klr" | "pack", "--rounds") => rounds = Some(number(word, words.next())?),
            _ => return Err(format!("bench {command} does not take `{word}`")),
        }
    }
    let options = |usual: usize| Options { quick, rounds: rounds.unwrap_or(usual), cpu, json };
    match *command {
        "gen" => Ok(Command::Gen { instructions, folder, form }),
        "doc" => Ok(Command::Doc(options(if quick { 5 } else { 3 }), form)),
        "klr" => Ok(Command::Klr(options(5))),
        "pack" => Ok(Command::Pack(options(3))),
        other => Err(format!("there is no `bench {other}`; there are gen, doc, klr and pack")),
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
        let options = |quick, rounds, both| Options { quick, rounds, cpu: both, json: both };
        let doc = |quick, form, rounds, both| Ok(Command::Doc(options(quick, rounds, both), form));
        assert_eq!(parse(&["doc"]), doc(false, Form::Standard, 3, false));
        assert_eq!(parse(&["doc", "--quick", "--json", "--cpu"]), doc(true, Form::Standard, 5, true));
        assert_eq!(parse(&["doc", "--rounds", "2", "--compact"]), doc(false, Form::Compact, 2, false));
        assert_eq!(parse(&["klr"]), Ok(Command::Klr(options(false, 5, false))));
        let words = ["klr", "--json", "--cpu", "--rounds", "1"];
        assert_eq!(parse(&words), Ok(Command::Klr(options(false, 1, true))));
        assert_eq!(parse(&["pack", "--quick"]), Ok(Command::Pack(options(true, 3, false))));
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
            (&[], "gen, doc, klr or pack"),
        ] {
            let error = parse(words).unwrap_err();
            assert!(error.contains(named), "{words:?}: {error}");
        }
    }
}
