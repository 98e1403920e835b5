//! The programs again, under valgrind and with the compiler's sanitizers on their side of the boundary; and programs with
//! one deliberate defect each, which show that these really look.

use crate::bad::{bad, with_fixture};
use crate::build::{Link, Outcome, cc, exists, here, program, run, scratch, skipped};
use crate::cpp::{cpp, ilist};
use crate::good::{good, plain_good};
use std::path::PathBuf;
use std::process::Command;

/// The largest containers: valgrind is slow.
const SIZE: &str = "1000";

const SANITIZE: &[&str] =
    &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-O1"];

/// Whether valgrind is here; if not, says what is not checked.
fn has_valgrind() -> bool {
    let there = exists("valgrind");
    if !there {
        skipped("there is no valgrind: nothing is run under it");
    }
    there
}

fn under_valgrind(tool: &[&str], program: &PathBuf, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("valgrind");
    let mut suppressions = std::ffi::OsString::from("--suppressions=");
    suppressions.push(here("valgrind.supp"));
    command.args(["--quiet", "--error-exitcode=1"]).arg(suppressions).args(tool).arg(program).args(arguments);
    run(&mut command)
}

const MEMCHECK: &[&str] = &["--leak-check=full", "--show-leak-kinds=all", "--errors-for-leak-kinds=all"];
const HELGRIND: &[&str] = &["--tool=helgrind"];

/// Runs a program with the options that make its sanitizers see most.
fn sanitized(program: &PathBuf, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(program);
    command.env("ASAN_OPTIONS", "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1");
    command.env("UBSAN_OPTIONS", "print_stacktrace=1");
    run(command.args(arguments))
}

/// Whether the compiler has the sanitizers; if not, says what is not checked.
fn has_sanitizers() -> bool {
    let (source, output) = (scratch("has_sanitizers.c"), scratch("has_sanitizers"));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let there = run(Command::new(cc()).args(SANITIZE).arg("-o").arg(output).arg(source)).code == Some(0);
    if !there {
        skipped("the compiler has no AddressSanitizer: nothing is run under it");
    }
    there
}

#[test]
fn calls_are_clean_under_valgrind() {
    if !has_valgrind() {
        return;
    }
    let good = plain_good();
    under_valgrind(MEMCHECK, &good, &[]).expect_ok();
    under_valgrind(MEMCHECK, &with_fixture("wrong_kinds", "wrong_kinds.c", &[]), &[]).expect_ok();
    let threads = with_fixture("threads", "threads.c", &[]);
    under_valgrind(MEMCHECK, &threads, &["2"]).expect_ok();
    under_valgrind(HELGRIND, &threads, &["1"]).expect_ok();
}

#[test]
fn bad_calls_are_clean_under_valgrind() {
    if has_valgrind() {
        under_valgrind(MEMCHECK, &bad("bad", &["-O1"]), &["quick"]).expect_ok();
    }
}

#[test]
fn objects_are_clean_under_valgrind() {
    if !has_valgrind() {
        return;
    }
    for name in ["containers", "objects", "wrapper", "handles"] {
        let program = cpp(name, &format!("{name}.cpp"), &["-O1"]);
        under_valgrind(MEMCHECK, &program, &[SIZE]).expect_ok();
    }
    if let Some(program) = ilist("ilist", &["-O1"]) {
        under_valgrind(MEMCHECK, &program, &[SIZE]).expect_ok();
    }
}

#[test]
fn calls_are_clean_with_sanitizers() {
    if !has_sanitizers() {
        return;
    }
    sanitized(&program("good-sanitized", &good(), SANITIZE, Link::Shared), &[]).expect_ok();
    sanitized(&bad("bad-sanitized", SANITIZE), &["quick"]).expect_ok();
    sanitized(&with_fixture("wrong_kinds-sanitized", "wrong_kinds.c", SANITIZE), &[]).expect_ok();
    sanitized(&with_fixture("threads-sanitized", "threads.c", SANITIZE), &[]).expect_ok();
}

#[test]
fn objects_are_clean_with_sanitizers() {
    if !has_sanitizers() {
        return;
    }
    for name in ["containers", "objects", "wrapper", "handles"] {
        sanitized(&cpp(&format!("{name}-sanitized"), &format!("{name}.cpp"), SANITIZE), &[SIZE]).expect_ok();
    }
    if let Some(program) = ilist("ilist-sanitized", SANITIZE) {
        sanitized(&program, &[SIZE]).expect_ok();
    }
}

fn defect(name: &str, options: &[&str]) -> PathBuf {
    let kind = if options.is_empty() { "plain" } else { "sanitized" };
    let source = here("defects").join(format!("{name}.c"));
    program(&format!("defect-{name}-{kind}"), &[source], options, Link::Shared)
}

/// A defect must be found, and by the words that name it.
fn expect_found(outcome: &Outcome, words: &str) {
    assert!(outcome.code != Some(0) && outcome.output.contains(words), "no `{words}` found: {outcome:?}");
}

#[test]
fn valgrind_finds_deliberate_defects() {
    if !has_valgrind() {
        return;
    }
    let cases = [
        ("leak", MEMCHECK, "lost"),
        ("use_after_destroy", MEMCHECK, "Invalid read"),
        ("write_past_end", MEMCHECK, "Invalid write"),
        ("uninitialized", MEMCHECK, "uninitialised"),
        ("race", HELGRIND, "Possible data race"),
    ];
    for (name, tool, words) in cases {
        expect_found(&under_valgrind(tool, &defect(name, &[]), &[]), words);
    }
}

#[test]
fn the_sanitizers_find_deliberate_defects() {
    if !has_sanitizers() {
        return;
    }
    let cases = [
        ("leak", "LeakSanitizer"),
        ("use_after_destroy", "heap-use-after-free"),
        ("write_past_end", "heap-buffer-overflow"),
        ("overflow", "signed integer overflow"),
    ];
    for (name, words) in cases {
        expect_found(&sanitized(&defect(name, SANITIZE), &[]), words);
    }
}
