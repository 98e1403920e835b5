//! What measuring programs print: one JSON object a line, `phase` says of what.
use crate::generate::Result;
use serde_json::Value;
use std::fmt;
use std::process::{Command, Stdio};

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Line(Value);

impl Line {
    /// The number under that key.
    pub fn number(&self, key: &str) -> Result<f64> {
        self.0.get(key).and_then(Value::as_f64).ok_or_else(|| format!("a measurement without `{key}`: {}", self.0))
    }

    /// The text under that key.
    pub fn text(&self, key: &str) -> Result<&str> {
        self.0.get(key).and_then(Value::as_str).ok_or_else(|| format!("a measurement without `{key}`: {}", self.0))
    }

    /// Whether that key is true.
    pub fn is_true(&self, key: &str) -> bool {
        self.0.get(key) == Some(&Value::Bool(true))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Runs a program to its end and reads its lines; what it says on standard error passes through.
pub fn run(mut command: Command) -> Result<Vec<Line>> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{name} failed, {}", output.status));
    }
    parse(&String::from_utf8_lossy(&output.stdout)).map_err(|e| format!("{name}: {e}"))
}

/// Reads lines.
pub fn parse(text: &str) -> Result<Vec<Line>> {
    let one = |line: &str| match serde_json::from_str(line) {
        Ok(value @ Value::Object(_)) => Ok(Line(value)),
        _ => Err(format!("not a measurement: {line}")),
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(one).collect()
}

/// The first measurement of that phase.
pub fn phase<'a>(lines: &'a [Line], name: &str) -> Result<&'a Line> {
    let found = lines.iter().find(|line| line.0.get("phase").and_then(Value::as_str) == Some(name));
    found.ok_or_else(|| format!("no measurement of `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_phase() {
        let lines =
            parse("{\"phase\":\"load\",\"seconds\":0.5,\"peak\":12}\n\n{\"phase\":\"write\",\"same\":true}\n").unwrap();
        assert_eq!(lines.len(), 2);
        let load = phase(&lines, "load").unwrap();
        assert_eq!((load.number("seconds"), load.number("peak")), (Ok(0.5), Ok(12.0)));
        assert!(load.number("bytes").unwrap_err().contains("`bytes`"));
        assert_eq!(load.text("phase"), Ok("load"));
        assert!(load.text("seconds").unwrap_err().contains("`seconds`"));
        assert!(phase(&lines, "write").unwrap().is_true("same") && !load.is_true("same"));
        assert!(phase(&lines, "dump").unwrap_err().contains("`dump`"));
    }

    #[test]
    fn anything_else_is_refused() {
        assert!(parse("load 0.5").unwrap_err().contains("load 0.5"));
        assert!(parse("[1]").is_err());
        assert_eq!(parse("\n"), Ok(Vec::new()));
    }

    #[test]
    fn a_program_that_fails_is_an_error() {
        assert!(run(Command::new("false")).unwrap_err().contains("false failed"));
        assert!(run(Command::new("no-such-program")).unwrap_err().starts_with("no-such-program: "));
    }
}
