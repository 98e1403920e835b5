//! The objects seen by C++: casts to the structs of bir_layout.hpp, read by the real containers.

use crate::build::{Link, exists, here, program, root, run, skipped};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a program of the folder `cpp`.
pub fn cpp(name: &str, source: &str, options: &[&str]) -> PathBuf {
    program(name, &[here("cpp").join(source)], options, Link::Shared)
}

/// What a program needs to use LLVM's lists; none if LLVM's headers are not here.
pub fn llvm_options() -> Option<Vec<String>> {
    let has_list = |folder: &str| Path::new(folder).join("llvm/ADT/simple_ilist.h").is_file();
    let mut folders = Vec::new();
    let versions: Vec<String> = (14..=22).map(|version| format!("-{version}")).collect();
    for config in ["llvm-config".to_owned()].into_iter().chain(versions.iter().map(|v| format!("llvm-config{v}"))) {
        if exists(&config) {
            folders.push(run(Command::new(&config).arg("--includedir")).expect_ok().trim().to_owned());
        }
    }
    folders.extend(versions.iter().map(|version| format!("/usr/include/llvm{version}")));
    let folder = folders.into_iter().find(|folder| has_list(folder))?;
    // Only headers are used: no library is linked that could disagree with them.
    Some(vec!["-isystem".to_owned(), folder, "-DLLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1".to_owned()])
}

/// The program that needs LLVM; none, and said so, without it.
pub fn ilist(name: &str, options: &[&str]) -> Option<PathBuf> {
    let Some(llvm) = llvm_options() else {
        skipped("LLVM's headers are not installed: the lists are not walked by llvm::simple_ilist");
        return None;
    };
    let all: Vec<&str> = llvm.iter().map(String::as_str).chain(options.iter().copied()).collect();
    Some(cpp(name, "ilist.cpp", &all))
}

#[test]
fn symbol_tables_are_std_unordered_maps() {
    run(&mut Command::new(cpp("containers", "containers.cpp", &["-O1"]))).expect_ok();
}

#[test]
fn members_are_where_cpp_looks_for_them() {
    run(&mut Command::new(cpp("objects", "objects.cpp", &["-O1"]))).expect_ok();
}

#[test]
fn lists_are_llvm_simple_ilists() {
    if let Some(program) = ilist("ilist", &["-O1"]) {
        run(&mut Command::new(program)).expect_ok();
    }
}

/// Whether nlohmann::json, the JSON library of the original, is here.
fn has_nlohmann() -> bool {
    ["/usr/include", "/usr/local/include"].iter().any(|folder| Path::new(folder).join("nlohmann/json.hpp").is_file())
}

#[test]
fn documents_are_those_of_nlohmann_json() {
    if !has_nlohmann() {
        skipped("nlohmann::json is not installed: documents are not compared with its dump and to_cbor");
        return;
    }
    let mut command = Command::new(cpp("documents", "documents.cpp", &["-O1"]));
    for folder in ["tests/data/bir", "tests/data/families"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        command.args(entries.filter(|path| path.to_string_lossy().ends_with(".bir.json")));
    }
    assert_eq!(command.get_args().count(), 4 + 7);
    run(&mut command).expect_ok();
}

#[test]
fn bir_hpp_does_what_it_says() {
    run(&mut Command::new(cpp("wrapper", "wrapper.cpp", &["-O1"]))).expect_ok();
    run(&mut Command::new(cpp("handles", "handles.cpp", &["-O1"]))).expect_ok();
}
