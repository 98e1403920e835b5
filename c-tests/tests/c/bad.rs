//! Every function with bad arguments: `c/bad.c` over a table made from the header, and `c/wrong_kinds.c`.

use crate::build::{Link, header, here, program, run, scratch};
use bir_c_tests::header::prototypes;
use bir_c_tests::table::{opaque_types, source};
use std::path::PathBuf;
use std::process::Command;

/// Builds the program that calls all functions with bad arguments.
pub fn bad(name: &str, options: &[&str]) -> PathBuf {
    let text = header("bir.h");
    let table = source(&prototypes(&text).unwrap(), &opaque_types(&text)).unwrap();
    let folder = scratch(&format!("{name}-table"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bad_table.h"), table).unwrap();
    let include = format!("-I{}", folder.display());
    // Any function may come to need more than half a wrapper's arguments.
    let all: Vec<&str> =
        [include.as_str(), "-Wno-overlength-strings"].into_iter().chain(options.iter().copied()).collect();
    program(name, &[here("c/bad.c"), here("c/fixture.c")], &all, Link::Shared)
}

#[test]
fn bad_arguments_give_errors_and_change_nothing() {
    let output = run(&mut Command::new(bad("bad", &["-O1"]))).expect_ok();
    assert!(output.contains(" 0 complaints"), "{output}");
}
