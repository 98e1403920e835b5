//! Runs the command, and makes files for it to work on.
#![allow(dead_code)] // Each test file uses a part.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What a run of the command gave.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
    pub bytes: Vec<u8>,
}

impl Run {
    #[track_caller]
    pub fn good(self) -> Run {
        assert_eq!(self.code, 0, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// The one JSON object on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out));
        assert!(value.is_object(), "{value}");
        value
    }

    /// Bad input: exit code 1, one line for people, no output.
    #[track_caller]
    pub fn fails(self, texts: &[&str]) -> Run {
        assert_eq!(self.code, 1, "stdout: {}\nstderr: {}", self.out, self.err);
        let errors: Vec<&str> = self.err.lines().filter(|l| l.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{}", self.err);
        texts.iter().for_each(|text| assert!(errors[0].contains(text), "no {text:?} in {}", errors[0]));
        self
    }

    /// The error object of a run with `--json`; all keys are there.
    #[track_caller]
    pub fn error(self, code: &str) -> Value {
        let run = self.fails(&[]);
        let error = run.json()["error"].clone();
        let keys: Vec<&str> = error.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["code", "column", "expected", "file", "found", "line", "message", "offset", "path"]);
        assert_eq!(error["code"], code, "{error}");
        error
    }

    #[track_caller]
    pub fn usage(self) -> Run {
        assert_eq!(self.code, 2, "stdout: {}\nstderr: {}", self.out, self.err);
        assert!(self.out.is_empty() && !self.err.is_empty());
        self
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bir"));
    command.env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

/// What a run gave that was started in another way than [`bir`]'s.
pub fn run_of(output: Output) -> Run {
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        bytes: output.stdout,
    }
}

pub fn bir<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Run {
    run_of(command().args(args).output().unwrap())
}

/// As [`bir`] with bytes on standard input.
pub fn bir_with_input(args: &[&str], input: &[u8]) -> Run {
    let mut child =
        command().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    run_of(child.wait_with_output().unwrap())
}

/// A reader of the output that goes away at once.
pub fn bir_into_closed_pipe(args: &[&str]) -> Run {
    let mut child = command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    run_of(child.wait_with_output().unwrap())
}

pub fn data(name: &str) -> String {
    format!("{}/../tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub const DOCUMENTS: [&str; 4] =
    ["bir/scale_add.bir.json", "bir/minmax.bir.json", "bir/cmp_ops.bir.json", "bir/slices.bir.json"];
pub const NEFF: &str = "neff/synthetic-minimal.neff";

/// The example documents of `spec/bir-json.md` section 11.
pub fn examples() -> Vec<String> {
    let prose = fs::read_to_string(format!("{}/../spec/bir-json.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    prose.split("```json\n").skip(1).map(|b| b.split("```").next().unwrap().to_owned()).collect()
}

/// An NPY file of a [128, 512] float32 tensor, whose elements count from `first`.
pub fn weights(first: u32) -> Vec<u8> {
    let mut dictionary = String::from("{'descr': '<f4', 'fortran_order': False, 'shape': (128, 512), }");
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    dictionary += &" ".repeat(length - dictionary.len() - 1);
    dictionary.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(length as u16).to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.extend((first..first + 128 * 512).flat_map(|i| (i as f32).to_le_bytes()));
    bytes
}

/// A folder of its own, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file; the path to it.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.path(name)
    }

    /// The names of all files and links below, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if fs::symlink_metadata(&path).unwrap().is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(&self.0).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
