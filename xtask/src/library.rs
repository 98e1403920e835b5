//! The C library as it is installed: `lib/libbir.so.0` with `libbir.so`, `lib/libbir.a`, `include/*` and
//! `lib/pkgconfig/bir.pc` below `target/<profile>`, a tree that works wherever it is copied to.
//!
//! The shared library is linked from the static one, because the compiler gives every shared library of its own a
//! version script without versions, and the linker takes no second one beside it.

use crate::ci::Workspace;
use crate::generate::Result;
use std::fs;
use std::path::Path;

/// The name that programs ask the loader for; it changes with `bir_abi_version`'s incompatible changes.
const SONAME: &str = "libbir.so.0";

const HEADERS: &[&str] = &["bir.h", "bir.hpp", "bir_enums.h", "bir_layout.hpp"];

/// Builds and links everything.
pub fn run(workspace: &Workspace, release: bool) -> Result<()> {
    let profile = if release { "release" } else { "debug" };
    let folder = workspace.target.join(profile);
    let native = build(workspace, release)?;
    let (lib, include) = (folder.join("lib"), folder.join("include"));
    for path in [&lib.join("pkgconfig"), &include] {
        fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let archive = lib.join("libbir.a");
    copy(&folder.join("libbir.a"), &archive)?;
    link(workspace, &archive, &lib, &native)?;
    for header in HEADERS {
        copy(&workspace.root.join("include").join(header), &include.join(header))?;
    }
    let package = lib.join("pkgconfig/bir.pc");
    fs::write(&package, pkg_config(&native)).map_err(|e| format!("{}: {e}", package.display()))?;
    println!("{}\n{}\n{}", lib.join(SONAME).display(), archive.display(), package.display());
    Ok(())
}

/// Builds the static library; returns the system's libraries that it needs, as linker arguments.
fn build(workspace: &Workspace, release: bool) -> Result<String> {
    let mut arguments = vec!["rustc", "--quiet", "-p", "bir-ffi", "--lib", "--crate-type", "staticlib"];
    if release {
        arguments.push("--release");
    }
    arguments.extend(["--", "--print", "native-static-libs"]);
    let output = workspace.cargo(&arguments).output().map_err(|e| format!("cargo: {e}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("the static library was not built:\n{}", text.trim()));
    }
    let native = text.lines().find_map(|line| line.split_once("native-static-libs: ")).map(|(_, list)| list.trim());
    native.map(str::to_owned).ok_or_else(|| format!("the compiler named no system libraries:\n{}", text.trim()))
}

fn link(workspace: &Workspace, archive: &Path, lib: &Path, native: &str) -> Result<()> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = workspace.command(&compiler, &["-shared", "-o"]);
    command.arg(lib.join(SONAME)).arg("-Wl,--whole-archive").arg(archive).args([
        "-Wl,--no-whole-archive",
        "-Wl,--gc-sections",
        "-Wl,--version-script=ffi/libbir.map",
        &format!("-Wl,-soname,{SONAME}"),
        "-Wl,-z,defs",
        "-Wl,-z,relro,-z,now",
    ]);
    command.args(native.split_whitespace());
    let output = command.output().map_err(|e| format!("{compiler}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{SONAME} was not linked:\n{}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let name = lib.join("libbir.so");
    match fs::remove_file(&name) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", name.display())),
        _ => std::os::unix::fs::symlink(SONAME, &name).map_err(|e| format!("{}: {e}", name.display())),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
}

/// The file that tells build systems how to compile and link; its paths are relative to itself.
fn pkg_config(native: &str) -> String {
    format!(
        "prefix=${{pcfiledir}}/../..\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\n\
         Name: bir\nDescription: The objects, documents, constants and packages of BIR\nVersion: {}\n\
         Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -lbir\nLibs.private: {native}\n",
        env!("CARGO_PKG_VERSION")
    )
}
