//! The library, the compilers, and how programs are built and run.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// No program here needs a tenth of it; what does not end by then hangs.
const TIME_LIMIT: Duration = Duration::from_secs(900);

/// The workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of this crate.
pub fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Where programs are built.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-tests");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// The text of a header in `include/`.
pub fn header(name: &str) -> String {
    std::fs::read_to_string(root().join("include").join(name)).unwrap()
}

/// The C library as `cargo xtask lib` makes it.
pub struct Library {
    /// The folder of libbir.so and libbir.a.
    pub lib: PathBuf,
    /// What a program needs besides libbir.a.
    pub native: Vec<String>,
}

/// The library, built once per run, in the profile of this test.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["run", "--quiet", "--package", "xtask", "--", "lib"]).current_dir(root());
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        let printed = run(&mut command).expect_ok();
        let so = printed.lines().find(|line| line.ends_with("libbir.so.0")).expect("xtask lib prints the library");
        let lib = Path::new(so).parent().unwrap().to_path_buf();
        let package = std::fs::read_to_string(lib.join("pkgconfig/bir.pc")).unwrap();
        let native = package.lines().find_map(|line| line.strip_prefix("Libs.private:")).expect("bir.pc names them");
        Library { lib, native: native.split_whitespace().map(str::to_owned).collect() }
    })
}

/// How a program is linked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// To the shared library, found through its run path.
    Shared,
    /// To the static library.
    Static,
    /// Not to ours but to the system's library of that name.
    Other(&'static str),
}

/// The C compiler.
pub fn cc() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// The C++ compiler.
pub fn cxx() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
}

/// The warnings that every program is built with: all are errors.
pub const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Builds a program from sources of one language, once for each name.
pub fn program<S: AsRef<OsStr>>(name: &str, sources: &[PathBuf], options: &[S], link: Link) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());
    // A test that failed to build one program is no reason for others not to build theirs.
    let slot = BUILT.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_default().clone();
    slot.get_or_init(|| build(name, sources, options, link)).clone()
}

fn build<S: AsRef<OsStr>>(name: &str, sources: &[PathBuf], options: &[S], link: Link) -> PathBuf {
    let cpp = sources.iter().any(|path| path.extension() == Some(OsStr::new("cpp")));
    let output = scratch(name);
    let mut command = Command::new(if cpp { cxx() } else { cc() });
    command.arg(if cpp { "-std=c++17" } else { "-std=c11" }).args(["-g", "-pthread"]).args(WARNINGS).args(options);
    command.arg("-I").arg(root().join("include")).arg("-I").arg(here("c")).arg("-o").arg(&output).args(sources);
    match link {
        Link::Shared => {
            let library = library();
            let mut path = std::ffi::OsString::from("-Wl,-rpath,");
            path.push(&library.lib);
            command.arg("-L").arg(&library.lib).arg("-lbir").arg(path);
        }
        Link::Static => {
            let library = library();
            command.arg(library.lib.join("libbir.a")).args(&library.native);
        }
        Link::Other(name) => {
            command.arg(format!("-l{name}"));
        }
    }
    run(&mut command).expect_ok();
    output
}

/// The sources of a folder of this crate, by name.
pub fn sources(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(here(folder)).unwrap();
    let mut found: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension() == Some(OsStr::new(extension)));
    found.sort();
    assert!(!found.is_empty(), "{folder} has no *.{extension}");
    found
}

/// What a program did.
#[derive(Debug)]
pub struct Outcome {
    /// How it was called.
    pub command: String,
    /// The exit status; none after a signal.
    pub code: Option<i32>,
    /// What it wrote to both outputs.
    pub output: String,
}

impl Outcome {
    /// What it wrote, if it ended well.
    #[track_caller]
    pub fn expect_ok(self) -> String {
        assert_eq!(self.code, Some(0), "{} failed:\n{}", self.command, self.output);
        self.output
    }
}

/// Runs a program; ends it if it hangs.
pub fn run(command: &mut Command) -> Outcome {
    let shown = format!("{command:?}");
    let (mut reader, writer) = std::io::pipe().unwrap();
    command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{shown}: {e}"));
    // The writing ends that the command keeps would hold the pipe open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let output = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if start.elapsed() > TIME_LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{shown} hangs:\n{}", output.join().unwrap());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Outcome { command: shown, code, output: output.join().unwrap() }
}

/// Whether a program can be started here.
pub fn exists(program: impl AsRef<OsStr> + Debug) -> bool {
    Command::new(program).arg("--version").stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

/// Says that something was not checked, so that it is seen: the test harness hides what passing tests print.
pub fn skipped(what: &str) {
    use std::io::Write;
    let line = format!("SKIPPED c-tests: {what}\n");
    // Past the harness's capture; a closed output is no reason to fail.
    let _ = std::fs::OpenOptions::new().write(true).open("/dev/stderr").and_then(|mut e| e.write_all(line.as_bytes()));
}
