//! Every function with good arguments: the programs `c/good*.c`.

use crate::build::{Link, cc, header, here, program, root, run, sources};
use bir_c_tests::header::prototypes;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// The sources of the program.
pub fn good() -> Vec<PathBuf> {
    let mut found = sources("c", "c");
    found.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("good"));
    found.extend([here("c/fixture.c"), here("c/folder.c"), here("c/samples.c")]);
    found
}

/// Builds the program as it is.
pub fn plain_good() -> PathBuf {
    program::<&str>("good", &good(), &[], Link::Shared)
}

#[test]
fn every_function_does_what_it_says() {
    run(&mut Command::new(plain_good())).expect_ok();
}

#[test]
fn the_static_library_does_too() {
    run(&mut Command::new(program::<&str>("good-static", &good(), &[], Link::Static))).expect_ok();
}

/// The names that the programs themselves use, macros expanded, headers left out.
fn used() -> BTreeSet<String> {
    let mut command = Command::new(cc());
    command.args(["-std=c11", "-E", "-I"]).arg(root().join("include")).arg("-I").arg(here("c")).args(good());
    let text = run(&mut command).expect_ok();
    let mut names = BTreeSet::new();
    let mut in_program = false;
    for line in text.lines() {
        if let Some(marker) = line.strip_prefix("# ") {
            let file = marker.split('"').nth(1).unwrap_or_default();
            in_program = file.ends_with(".c");
        } else if in_program {
            let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            names.extend(words.filter(|word| word.starts_with("bir_")).map(str::to_owned));
        }
    }
    names
}

#[test]
fn every_function_of_the_header_is_called() {
    let used = used();
    let functions = prototypes(&header("bir.h")).unwrap();
    assert!(functions.len() > 400, "{} functions are read from the header", functions.len());
    let missing: Vec<String> = functions.into_iter().map(|f| f.name).filter(|name| !used.contains(name)).collect();
    assert!(missing.is_empty(), "no program c/good*.c calls: {}", missing.join(", "));
}
