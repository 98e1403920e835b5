//! Output of the programs that a step runs: kept out of the way while all goes well, shown whole when one fails.
use super::Workspace;
use crate::generate::Result;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::Command;

/// The file that collects the output of one step, in the order in which it was written.
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// An empty log, `ci/<name>.log` in the target folder.
    pub fn create(workspace: &Workspace, name: &str) -> Result<Log> {
        let folder = workspace.target.join("ci");
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let path = folder.join(format!("{name}.log"));
        File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Log { path })
    }

    /// Runs the program and returns what it printed on both outputs; its failure is an error that shows all of it.
    pub fn run(&self, mut command: Command) -> Result<String> {
        let line = shown(&command);
        let mut file = self.open()?;
        let start = file.seek(SeekFrom::End(0)).map_err(|e| self.failed(e))?;
        let outputs = file.try_clone().and_then(|out| Ok((out, file.try_clone()?))).map_err(|e| self.failed(e))?;
        let status = command.stdout(outputs.0).stderr(outputs.1).status().map_err(|e| format!("`{line}`: {e}"))?;
        let mut output = Vec::new();
        file.seek(SeekFrom::Start(start)).and_then(|_| file.read_to_end(&mut output)).map_err(|e| self.failed(e))?;
        let output = String::from_utf8_lossy(&output).into_owned();
        if status.success() { Ok(output) } else { Err(format!("{output}\n`{line}` failed, {status}")) }
    }

    fn open(&self) -> Result<File> {
        OpenOptions::new().read(true).append(true).open(&self.path).map_err(|e| self.failed(e))
    }

    fn failed(&self, error: std::io::Error) -> String {
        format!("{}: {error}", self.path.display())
    }
}

/// The command line as one would type it.
fn shown(command: &Command) -> String {
    let mut words: Vec<String> = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
        }
    }
    words.push(command.get_program().to_string_lossy().into_owned());
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_the_command_and_both_outputs() {
        let workspace = Workspace::current();
        let log = Log::create(&workspace, &format!("self-test-{}", std::process::id())).unwrap();
        assert_eq!(log.run(workspace.command("sh", &["-c", "echo one; echo two >&2"])).unwrap(), "one\ntwo\n");
        let mut failing = workspace.command("sh", &["-c", "echo three; exit 3"]);
        failing.env("COLOUR", "blue");
        let error = log.run(failing).unwrap_err();
        assert_eq!(error, "three\n\n`COLOUR=blue sh -c echo three; exit 3` failed, exit status: 3");
        assert!(log.run(workspace.command("no-such-program", &[])).unwrap_err().starts_with("`no-such-program`: "));
        assert_eq!(fs::read_to_string(&log.path).unwrap(), "one\ntwo\nthree\n");
        fs::remove_file(&log.path).unwrap();
    }
}
