//! Every function with bad arguments: `c/bad.c` over a table made from the header, and `c/wrong_kinds.c`.

use crate::build::{Link, header, here, program, run, scratch};
use bir_c_tests::header::prototypes;
use bir_c_tests::table::{Types, source};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Builds the program that calls all functions with bad arguments.
pub fn bad(name: &str, options: &[&str]) -> PathBuf {
    let text = header("bir.h");
    let functions = prototypes(&text).unwrap();
    let table = source(&functions, &Types::new(&text, &functions).unwrap()).unwrap();
    let folder = scratch(&format!("{name}-table"));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("bad_table.h");
    // Two tests may want the same program at the same time: what one compiles is not written by the other.
    static WRITING: Mutex<()> = Mutex::new(());
    let writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if std::fs::read_to_string(&file).ok().as_ref() != Some(&table) {
        std::fs::write(file, table).unwrap();
    }
    drop(writing);
    let include = format!("-I{}", folder.display());
    let all: Vec<&str> = [include.as_str()].into_iter().chain(options.iter().copied()).collect();
    program(name, &[here("c/bad.c"), here("c/fixture.c"), here("c/folder.c"), here("c/samples.c")], &all, Link::Shared)
}

/// Builds a program of the folder `c` that uses the fixture.
pub fn with_fixture(name: &str, source: &str, options: &[&str]) -> PathBuf {
    program(name, &[here("c").join(source), here("c/fixture.c"), here("c/samples.c")], options, Link::Shared)
}

#[test]
fn bad_arguments_give_errors_and_change_nothing() {
    let output = run(&mut Command::new(bad("bad", &["-O1"]))).expect_ok();
    assert!(output.contains(" 0 complaints"), "{output}");
}

#[test]
fn wrong_kinds_and_places_are_refused() {
    run(&mut Command::new(with_fixture("wrong_kinds", "wrong_kinds.c", &[]))).expect_ok();
}

#[test]
fn threads_do_not_disturb_each_other() {
    run(&mut Command::new(with_fixture("threads", "threads.c", &[]))).expect_ok();
}
