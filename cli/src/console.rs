//! The only place that prints, so that colour, JSON, warnings and closed pipes are handled once.

use crate::fault::Failure;
use crate::report::Report;
use bir_core::lower::{Diagnostic, Severity};
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

/// More warnings than this are counted instead of shown.
const SHOWN_WARNINGS: usize = 20;

/// Where and how output goes.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// One JSON object on standard output instead of text.
    pub json: bool,
    /// No warnings, no progress.
    pub quiet: bool,
    colour_out: bool,
    colour_err: bool,
}

impl Console {
    /// Looks at the terminal and at `NO_COLOR`.
    pub fn new(json: bool, quiet: bool) -> Console {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            && std::env::var_os("TERM").is_none_or(|v| v != "dumb");
        Console {
            json,
            quiet,
            colour_out: wanted && io::stdout().is_terminal(),
            colour_err: wanted && io::stderr().is_terminal(),
        }
    }

    /// Whether standard output takes colours.
    pub fn colours(&self) -> bool {
        self.colour_out && !self.json
    }

    /// A heading on standard output.
    pub fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    /// A text on standard output in the style of that number, where there is colour.
    pub fn styled(&self, style: &str, text: &str) -> String {
        if self.colours() { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Prints what a command has to say. A reader that went away is no error.
    pub fn report(&self, report: &Report) -> Result<(), Failure> {
        if report.printed {
            return Ok(());
        }
        let text = match (&report.failure, self.json) {
            (None, true) => json_line(&report.json),
            (Some(failure), true) => {
                let mut value = report.json.clone();
                if let Some(object) = value.as_object_mut() {
                    object.insert(String::from("error"), failure.json());
                }
                json_line(&value)
            }
            (_, false) => report.text.clone(),
        };
        to_stdout(text.as_bytes())?;
        if let Some(failure) = &report.failure {
            self.error_line(failure);
        }
        Ok(())
    }

    /// Prints an error: one line on standard error, and with `--json` an object on standard output.
    pub fn failure(&self, failure: &Failure) {
        if self.json
            && let Err(second) = to_stdout(json_line(&json!({ "error": failure.json() })).as_bytes())
        {
            self.error_line(&second);
        }
        self.error_line(failure);
    }

    /// Prints warnings of a file, of which `dropped` more were not kept.
    pub fn warnings(&self, file: &str, warnings: impl ExactSizeIterator<Item = String>, dropped: u64) {
        if self.quiet {
            return;
        }
        let more = (warnings.len().saturating_sub(SHOWN_WARNINGS) as u64).saturating_add(dropped);
        let mut text = String::new();
        for warning in warnings.take(SHOWN_WARNINGS) {
            let line = clean(&format!("{file}: {warning}"));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {line}", self.paint("33", "warning:"));
        }
        if more > 0 {
            let _ = writeln!(text, "{} {}: and {more} more", self.paint("33", "warning:"), clean(file));
        }
        to_stderr(&text);
    }

    /// Prints what is wrong, if that is more than one thing; each line names its file.
    pub fn errors(&self, lines: impl Iterator<Item = String>) {
        let word = self.paint("1;31", "error:");
        to_stderr(&lines.fold(String::new(), |text, line| text + &format!("{word} {}\n", clean(&line))));
    }

    /// Prints what a kernel breaks, in its order; `dropped` more were not kept. Warnings are hidden by `--quiet`.
    pub fn diagnostics(&self, file: &str, diagnostics: &[Diagnostic], dropped: u64) {
        let mut text = String::new();
        for diagnostic in diagnostics {
            let style = match diagnostic.severity {
                Severity::Error => "1;31",
                Severity::Warning if self.quiet => continue,
                Severity::Warning => "33",
            };
            let word = self.paint(style, &format!("{}:", diagnostic.severity.name()));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{word} {}", clean(&format!("{file}: {diagnostic}")));
        }
        if dropped > 0 {
            let _ = writeln!(text, "{} {}: and {dropped} more", self.paint("33", "note:"), clean(file));
        }
        to_stderr(&text);
    }

    /// Prints several errors, a line each on standard error.
    pub fn failures(&self, failures: &[Failure]) {
        failures.iter().for_each(|failure| self.error_line(failure));
    }

    fn error_line(&self, failure: &Failure) {
        to_stderr(&format!("{} {}\n", self.paint("1;31", "error:"), clean(&failure.line())));
    }

    fn paint(&self, style: &str, text: &str) -> String {
        if self.colour_err { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The text with its control characters escaped: names in files must not steer the terminal.
pub fn clean(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if c.is_control() {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
        out
    })
}

/// Keys are sorted, because the map behind a JSON object is.
fn json_line(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Writes to standard output. A reader that went away is no error.
pub fn to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => {
            let error = Error::new(ErrorCode::Io, format_args!("cannot write: {e}"));
            Err(Failure { error, file: Some(String::from("standard output")) })
        }
    }
}

fn to_stderr(text: &str) {
    // There is nowhere left to report that standard error is closed.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
