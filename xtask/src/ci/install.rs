//! Installs what the checks need, so that `make test` works on a machine that has little more than Rust and a C compiler.
//!
//! Everything is looked for first: a machine that has it all asks no package archive.
use super::{Log, Workspace, nostd};
use crate::generate::Result;
use std::fs;
use std::path::Path;
use std::process::Command;

struct Need {
    name: &'static str,
    is_there: fn(&Workspace) -> bool,
    /// Debian packages; each list is an alternative to the one before.
    packages: &'static [&'static [&'static str]],
    /// What is not checked without it.
    without: &'static str,
}

const COMPILERS: Need = Need {
    name: "C and C++ compilers",
    is_there: |w| runs(w, "cc", &["--version"]) && runs(w, "c++", &["--version"]),
    packages: &[&["gcc", "g++", "libc6-dev"]],
    without: "everything that is compiled",
};

/// What packages are compared with, their bytes and the time that they take.
const LIBARCHIVE: Need = Need {
    name: "libarchive",
    is_there: |_| Path::new("/usr/include/archive.h").is_file(),
    packages: &[&["libarchive-dev"]],
    without: "package bytes against the archive library of the original",
};

const NEEDS: &[Need] = &[
    COMPILERS,
    Need {
        name: "LLVM headers",
        is_there: |_| has_llvm_headers(),
        packages: &[&["llvm-14-dev"], &["llvm-dev"]],
        without: "C++ tests against LLVM's own containers",
    },
    Need {
        name: "nlohmann::json",
        is_there: |_| has_nlohmann(),
        packages: &[&["nlohmann-json3-dev"]],
        without: "documents against the JSON library of the original",
    },
    LIBARCHIVE,
    Need {
        name: "valgrind",
        is_there: |w| runs(w, "valgrind", &["--version"]),
        packages: &[&["valgrind"]],
        without: "memory checks of C programs",
    },
    Need {
        name: "pip",
        is_there: |w| runs(w, "python3", &["-m", "pip", "--version"]),
        packages: &[&["python3", "python3-pip"]],
        without: "independent reader",
    },
    Need {
        name: "a compiler for a bare target",
        is_there: |w| nostd::find(w).is_some(),
        packages: &[&["rustc-web", "rust-web-src"]],
        without: "core for a target without operating system",
    },
];

/// What only the document benchmark needs.
const NLOHMANN: Need = Need {
    name: "nlohmann/json.hpp",
    is_there: |_| Path::new("/usr/include/nlohmann/json.hpp").is_file(),
    packages: &[&["nlohmann-json3-dev"]],
    without: "comparison with the C++ baseline",
};

/// What only the document benchmark uses, and can do without.
const SIMDJSON: Need = Need {
    name: "simdjson",
    is_there: |_| Path::new("/usr/include/simdjson.h").is_file(),
    packages: &[&["libsimdjson-dev"]],
    without: "what simdjson makes of the same document",
};

/// What only the kernel benchmark needs.
const LIBCBOR: Need = Need {
    name: "libcbor",
    is_there: |_| Path::new("/usr/include/cbor.h").is_file(),
    packages: &[&["libcbor-dev"]],
    without: "comparison with the C++ baseline",
};

/// Installs what the document benchmark needs, if it is missing; whether it is there then.
pub fn for_benchmarks(workspace: &Workspace) -> Result<bool> {
    all(workspace, &[&COMPILERS, &NLOHMANN])
}

/// As [`for_benchmarks`] for the lines about what could be at most.
pub fn for_limits(workspace: &Workspace) -> Result<bool> {
    all(workspace, &[&COMPILERS, &SIMDJSON])
}

/// As [`for_benchmarks`] for the kernel benchmark.
pub fn for_kernel_benchmarks(workspace: &Workspace) -> Result<bool> {
    all(workspace, &[&COMPILERS, &LIBCBOR])
}

/// As [`for_benchmarks`] for the benchmark of packages.
pub fn for_package_benchmarks(workspace: &Workspace) -> Result<bool> {
    all(workspace, &[&COMPILERS, &LIBARCHIVE])
}

fn all(workspace: &Workspace, needs: &[&Need]) -> Result<bool> {
    provide(workspace, needs.iter().copied())?;
    Ok(needs.iter().all(|need| (need.is_there)(workspace)))
}

/// Installs what is missing. What cannot be installed is said in one line; the checks that need it skip themselves.
pub fn run(workspace: &Workspace) -> Result<()> {
    provide(workspace, NEEDS.iter())
}

fn provide<'a>(workspace: &Workspace, needs: impl Iterator<Item = &'a Need>) -> Result<()> {
    let mut missing: Vec<&Need> = needs.filter(|need| !(need.is_there)(workspace)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let why = match apt(workspace) {
        Ok(apt) => {
            let log = Log::create(workspace, "install")?;
            println!("installing {}", names(&missing));
            // Old package lists may do as well, so a failure here is no reason to stop.
            let update = log.run(apt.command(workspace, &["update"]));
            missing.retain(|need| !(install(workspace, &apt, &log, need) && (need.is_there)(workspace)));
            match update {
                Ok(_) => "apt-get could not install it, see target/ci/install.log",
                Err(_) => "apt-get update failed, see target/ci/install.log",
            }
        }
        Err(why) => why,
    };
    if !missing.is_empty() {
        let skipped: Vec<&str> = missing.iter().map(|need| need.without).collect();
        println!("missing: {} ({why}); SKIPPED: {}", names(&missing), skipped.join(", "));
    }
    Ok(())
}

fn install(workspace: &Workspace, apt: &Apt, log: &Log, need: &Need) -> bool {
    need.packages.iter().any(|packages| {
        let arguments = [&["install", "--yes", "--no-install-recommends"], *packages].concat();
        log.run(apt.command(workspace, &arguments)).is_ok()
    })
}

fn names(needs: &[&Need]) -> String {
    needs.iter().map(|need| need.name).collect::<Vec<_>>().join(", ")
}

/// apt-get with the rights to install.
struct Apt {
    sudo: bool,
}

impl Apt {
    fn command(&self, workspace: &Workspace, arguments: &[&str]) -> Command {
        let mut words = if self.sudo { vec!["sudo", "-n"] } else { Vec::new() };
        // Through env: sudo drops most of the environment.
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]);
        words.extend(arguments);
        workspace.command(words[0], &words[1..])
    }
}

fn apt(workspace: &Workspace) -> std::result::Result<Apt, &'static str> {
    if !runs(workspace, "apt-get", &["--version"]) {
        return Err("there is no apt-get here");
    }
    if workspace.ask("id", &["-u"]).as_deref() == Some("0") {
        return Ok(Apt { sudo: false });
    }
    if runs(workspace, "sudo", &["-n", "true"]) {
        return Ok(Apt { sudo: true });
    }
    Err("installing needs root or sudo without a password")
}

fn runs(workspace: &Workspace, program: &str, arguments: &[&str]) -> bool {
    workspace.ask(program, arguments).is_some()
}

/// Whether nlohmann::json is where Debian, or a plain installation, puts it.
fn has_nlohmann() -> bool {
    ["/usr/include", "/usr/local/include"].iter().any(|folder| Path::new(folder).join("nlohmann/json.hpp").is_file())
}

/// Whether a version of LLVM has its containers' headers where Debian, or a plain installation, puts them.
fn has_llvm_headers() -> bool {
    const HEADER: &str = "llvm/ADT/StringMap.h";
    let versions = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    versions
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"))
        .map(|entry| entry.path().join("include"))
        .chain(["/usr/include", "/usr/local/include"].map(|folder| Path::new(folder).to_path_buf()))
        .any(|folder| folder.join(HEADER).is_file())
}
