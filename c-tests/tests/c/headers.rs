//! The headers compile alone, in every standard that users may have, without a warning.

use crate::build::{WARNINGS, cc, cxx, exists, here, root, run, scratch, skipped};
use std::path::Path;
use std::process::Command;

const C: &[&str] = &["c99", "c11", "c17"];
const CPP: &[&str] = &["c++11", "c++14", "c++17", "c++20", "c++23"];

/// Compiles a text that includes headers of the library and nothing else before them.
fn compile(compiler: &str, standard: &str, name: &str, text: &str, options: &[&str]) {
    let language = if standard.starts_with("c++") { "c++" } else { "c" };
    let source = scratch(&format!("headers-{name}-{standard}.{language}"));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new(compiler);
    command.args([&format!("-std={standard}"), "-fsyntax-only", "-x", language]).args(WARNINGS).args(options);
    run(command.arg("-I").arg(root().join("include")).arg(&source)).expect_ok();
}

fn compilers(pair: [String; 2]) -> Vec<String> {
    let mut found = vec![pair[0].clone()];
    // A second compiler has other warnings.
    if pair[0] != pair[1] && exists(&pair[1]) {
        found.push(pair[1].clone());
    }
    found
}

fn each(standards: &[&str], name: &str, text: &str, options: &[&str]) {
    let cpp = standards.iter().all(|s| s.starts_with("c++"));
    let pair = if cpp { [cxx(), "clang++".to_owned()] } else { [cc(), "clang".to_owned()] };
    for compiler in compilers(pair) {
        for standard in standards {
            compile(&compiler, standard, name, text, options);
        }
    }
}

#[test]
fn bir_h_compiles_alone_and_twice() {
    // Other warnings that users of a public header may have on.
    let c = ["-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wredundant-decls", "-Wundef"];
    let cpp = ["-Wshadow", "-Wundef", "-Wold-style-cast", "-Wextra-semi", "-Wredundant-decls"];
    let text = "#include \"bir.h\"\n#include \"bir.h\"\n#include \"bir_enums.h\"\n";
    each(C, "bir", text, &c);
    each(CPP, "bir", text, &cpp);
    let text = "#include \"bir_enums.h\"\n#include \"bir_enums.h\"\n#include \"bir.h\"\n";
    each(C, "bir_enums", text, &c);
    each(CPP, "bir_enums", text, &cpp);
}

#[test]
fn bir_layout_hpp_compiles_alone_and_twice() {
    let text = "#include \"bir_layout.hpp\"\n#include \"bir_layout.hpp\"\n#include \"bir.h\"\n";
    each(CPP, "bir_layout", text, &["-Wshadow", "-Wundef", "-Wold-style-cast", "-Wextra-semi"]);
}

#[test]
fn bir_hpp_compiles_alone_and_twice() {
    if !root().join("include/bir.hpp").is_file() {
        return skipped("there is no include/bir.hpp yet");
    }
    let text = "#include \"bir.hpp\"\n#include \"bir.hpp\"\n#include \"bir.h\"\n#include \"bir_layout.hpp\"\n";
    each(&["c++17", "c++20", "c++23"], "bir_hpp", text, &["-Wshadow", "-Wundef"]);
}

#[test]
fn a_struct_has_the_same_layout_in_c_and_cpp() {
    // sizeof in both languages, for all structs that callers make themselves.
    let text = std::fs::read_to_string(here("c/sizes.h")).unwrap();
    assert!(Path::new(&here("c/sizes.h")).is_file() && text.contains("SIZE_CHECK"));
    each(C, "sizes", &format!("#include \"bir.h\"\n{text}"), &["-Wno-pedantic"]);
    each(CPP, "sizes", &format!("#include \"bir.h\"\n{text}"), &[]);
}
