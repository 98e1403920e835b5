//! Proof that the core needs no operating system: it is built for a bare target, for which no std exists, and linked
//! with nothing else into a program that has no symbol open.
use super::{Log, Outcome, Workspace};
use crate::generate::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// The manifest of the program that is built for the bare target.
pub const PROBE_MANIFEST: &str = "tests/nostd-probe/Cargo.toml";

/// Targets without operating system that an installed toolchain may have, in the order of preference.
const BARE_TARGETS: &[&str] = &[
    "thumbv7em-none-eabi",
    "thumbv7em-none-eabihf",
    "riscv32imac-unknown-none-elf",
    "riscv32imc-unknown-none-elf",
    "riscv64gc-unknown-none-elf",
    "riscv64imac-unknown-none-elf",
    "aarch64-unknown-none",
    "x86_64-unknown-none",
];
/// The target whose core and alloc are built from source where no bare target is installed. It has no 64-bit atomics.
const BUILT_TARGET: &str = "thumbv7em-none-eabi";
/// The compiler of Debian's package rustc-web.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// A compiler that can build for a bare target.
#[derive(Debug, PartialEq, Eq)]
pub enum Bare {
    /// The compiler in use has the libraries of this target.
    Installed(&'static str),
    /// This compiler's core and alloc have to be built from the source that lies beside it.
    Source(String),
}

/// Finds a compiler for a bare target; nothing if there is none.
pub fn find(workspace: &Workspace) -> Option<Bare> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    if let Some(sysroot) = sysroot(workspace, &rustc) {
        if let Some(target) = BARE_TARGETS.iter().find(|target| has_core(&sysroot, target)) {
            return Some(Bare::Installed(target));
        }
        if has_source(&sysroot) {
            return Some(Bare::Source(rustc));
        }
    }
    let version = workspace.ask(DEBIAN_RUSTC, &["--version"])?;
    let recent = release(&version)? >= release(&format!("rustc {}", env!("CARGO_PKG_RUST_VERSION")))?;
    let sysroot = sysroot(workspace, DEBIAN_RUSTC)?;
    (recent && has_source(&sysroot)).then(|| Bare::Source(DEBIAN_RUSTC.to_owned()))
}

/// Builds and links the probe for the bare target.
pub fn run(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    let Some(bare) = find(workspace) else {
        return Ok(Outcome::Skipped(format!(
            "no compiler for a bare target (rustup target add {BUILT_TARGET}, or Debian's rustc-web and rust-web-src)"
        )));
    };
    // The probe is a workspace of its own; with this lock file it gets the versions that the library is tested with.
    let lock = workspace.root.join(PROBE_MANIFEST).with_file_name("Cargo.lock");
    fs::copy(workspace.root.join("Cargo.lock"), &lock).map_err(|e| format!("{}: {e}", lock.display()))?;

    let folder = workspace.target.join("nostd");
    let folder_text = folder.to_string_lossy();
    let target = match &bare {
        Bare::Installed(target) => target,
        Bare::Source(_) => BUILT_TARGET,
    };
    let mut command = workspace.cargo(&["build", "--release", "--manifest-path", PROBE_MANIFEST, "--target", target]);
    command.args(["--target-dir", &folder_text]).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    if let Bare::Source(rustc) = &bare {
        // Both are part of a stable compiler, behind this switch: the build itself uses stable Rust only.
        command.args(["-Z", "build-std=core,alloc"]).env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
    }
    log.run(command)?;

    let archive = folder.join(target).join("release/libnostd_probe.a");
    let Some(linker) = linker(workspace) else {
        return Ok(Outcome::Passed(format!("{target}, not linked: no rust-lld")));
    };
    let image = archive.with_file_name("nostd-probe.elf");
    let (linker, image_text, archive) = (linker.to_string_lossy(), image.to_string_lossy(), archive.to_string_lossy());
    let arguments =
        ["-flavor", "gnu", "-e", "probe_start", "--fatal-warnings", "-o", &image_text, "--whole-archive", &archive];
    log.run(workspace.command(&linker, &arguments))?;
    Ok(Outcome::Passed(format!("{target}, linked")))
}

fn sysroot(workspace: &Workspace, rustc: &str) -> Option<PathBuf> {
    workspace.ask(rustc, &["--print", "sysroot"]).map(PathBuf::from)
}

/// Whether the compiler has a built core for the target.
fn has_core(sysroot: &Path, target: &str) -> bool {
    let Ok(entries) = fs::read_dir(sysroot.join("lib/rustlib").join(target).join("lib")) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
}

/// Whether the source of core lies where Cargo looks for it.
fn has_source(sysroot: &Path) -> bool {
    sysroot.join("lib/rustlib/src/rust/library/core/Cargo.toml").is_file()
}

/// The linker that comes with the toolchain and knows every target.
fn linker(workspace: &Workspace) -> Option<PathBuf> {
    let hosts = fs::read_dir(sysroot(workspace, "rustc")?.join("lib/rustlib")).ok()?;
    hosts.flatten().map(|host| host.path().join("bin/rust-lld")).find(|path| path.is_file())
}

/// Major and minor number in the line `rustc 1.96.0 (...)`.
fn release(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.split_whitespace().nth(1)?.split(['.', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_compare_as_numbers() {
        assert_eq!(release("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"), Some((1, 96)));
        assert_eq!(release("rustc 1.95"), Some((1, 95)));
        assert_eq!(release("rustc 1.100.0-nightly (x)"), Some((1, 100)));
        assert!(release("rustc 1.100.0") > release("rustc 1.95"));
        assert_eq!(release("not a compiler"), None);
    }

    #[test]
    fn a_target_without_core_is_not_installed() {
        let workspace = Workspace::current();
        let sysroot = sysroot(&workspace, "rustc").unwrap();
        assert!(!has_core(&sysroot, "no-such-target"));
        assert!(
            has_core(&sysroot, "x86_64-unknown-linux-gnu") || !cfg!(all(target_os = "linux", target_arch = "x86_64"))
        );
    }
}
