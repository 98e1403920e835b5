//! What CI checks, as one table: people and CI run the same steps in the same order, and every failure shows in one run.
pub mod install;
pub mod log;
pub mod nostd;
pub mod workspace;

pub use log::Log;
pub use workspace::Workspace;

use crate::generate::{self, Result};
use std::io::Write;
use std::time::Instant;

/// How a step that did not fail ended.
pub enum Outcome {
    /// All was checked; a few words on what, or nothing.
    Passed(String),
    /// This machine lacks something: what was not checked, and why.
    Skipped(String),
}

struct Step {
    /// The word after `cargo xtask ci`.
    name: &'static str,
    /// What it checks.
    title: &'static str,
    run: fn(&Workspace, &Log) -> Result<Outcome>,
}

const STEPS: &[Step] = &[
    Step { name: "fmt", title: "formatting", run: fmt },
    Step { name: "generated", title: "generated files match spec/", run: generated },
    Step { name: "clippy", title: "lints, warnings are errors", run: clippy },
    Step { name: "build", title: "libbir.so, libbir.a and the bir command", run: build },
    Step { name: "test", title: "all tests, all features", run: test },
    Step { name: "test-core", title: "tests of the core without features", run: test_core },
    Step { name: "doc", title: "documentation, warnings are errors", run: doc },
    Step { name: "nostd", title: "core for a target without operating system", run: nostd::run },
    Step { name: "reader", title: "independent reader", run: crate::reader::run },
    Step { name: "demo", title: "make demo", run: demo },
];

/// The names and titles of all steps, one a line.
pub fn list() -> String {
    STEPS.iter().map(|step| format!("  {:<13}  {}\n", step.name, step.title)).collect()
}

/// Runs the named steps, or all if none is named; fails, after the last one, if any failed.
pub fn run(workspace: &Workspace, names: &[&str]) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        return Err(format!("no step is called `{unknown}`; the steps are:\n{}", list()));
    }
    let start = Instant::now();
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), Vec::new());
    for step in STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name)) {
        print!("{:<10} {:<44} ", step.name, step.title);
        // The name shows while the step runs; a closed output is no reason to stop checking.
        let _ = std::io::stdout().flush();
        let begin = Instant::now();
        let result = Log::create(workspace, step.name).and_then(|log| (step.run)(workspace, &log));
        let seconds = begin.elapsed().as_secs_f64();
        match result {
            Ok(Outcome::Passed(note)) => {
                passed += 1;
                println!("{}", format!("ok      {seconds:7.1} s  {note}").trim_end());
            }
            Ok(Outcome::Skipped(why)) => {
                skipped.push(step.name);
                println!("skipped {seconds:7.1} s\nSKIPPED {}: {why}", step.title);
            }
            Err(message) => {
                failed.push(step.name);
                println!("FAILED  {seconds:7.1} s\n{}\n", message.trim_end());
            }
        }
    }
    println!();
    if !failed.is_empty() {
        println!("failed: {} (again: cargo xtask ci {})", failed.join(", "), failed.join(" "));
    }
    if !skipped.is_empty() {
        println!("skipped: {}", skipped.join(", "));
    }
    println!("finished in {:.1} s", start.elapsed().as_secs_f64());
    println!("ci: {passed} passed, {} failed, {} skipped", failed.len(), skipped.len());
    if failed.is_empty() { Ok(()) } else { Err("not every step passed".to_owned()) }
}

fn fmt(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    log.run(workspace.cargo(&["fmt", "--all", "--check"]))?;
    log.run(workspace.cargo(&["fmt", "--check", "--manifest-path", nostd::PROBE_MANIFEST]))?;
    Ok(Outcome::Passed(String::new()))
}

fn generated(workspace: &Workspace, _: &Log) -> Result<Outcome> {
    generate::check(&workspace.root)?;
    Ok(Outcome::Passed(String::new()))
}

fn clippy(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    log.run(workspace.cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]))?;
    log.run(workspace.cargo(&["clippy", "-p", "bir-core", "--all-targets", "--", "-D", "warnings"]))?;
    Ok(Outcome::Passed(String::new()))
}

fn build(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    log.run(workspace.cargo(&["build", "-p", "bir-ffi", "-p", "bir-cli"]))?;
    log.run(workspace.cargo(&["xtask", "lib"]))?;
    Ok(Outcome::Passed(String::new()))
}

fn test(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    counted(&log.run(workspace.cargo(&["test", "--workspace", "--all-features", "--no-fail-fast"]))?)
}

fn test_core(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    counted(&log.run(workspace.cargo(&["test", "-p", "bir-core", "--no-default-features", "--no-fail-fast"]))?)
}

/// Sums up the closing lines of the test programs; a run without any test is a failure.
fn counted(output: &str) -> Result<Outcome> {
    let mut sums = [0_u64; 3];
    for line in output.lines().filter_map(|line| line.strip_prefix("test result:")) {
        for (sum, word) in sums.iter_mut().zip(["passed", "failed", "ignored"]) {
            let count =
                line.split(['.', ';']).find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u64>().ok());
            *sum += count.unwrap_or(0);
        }
    }
    let [passed, failed, ignored] = sums;
    if passed == 0 {
        return Err("no test ran".to_owned());
    }
    Ok(Outcome::Passed(format!("{passed} passed, {failed} failed, {ignored} ignored")))
}

fn doc(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    // Only libraries: the C library and the command are both called `bir` and would overwrite each other's pages.
    let mut command = workspace.cargo(&["doc", "--workspace", "--lib", "--no-deps", "--all-features"]);
    command.env("RUSTDOCFLAGS", "-Dwarnings");
    log.run(command)?;
    Ok(Outcome::Passed(String::new()))
}

fn demo(workspace: &Workspace, log: &Log) -> Result<Outcome> {
    log.run(workspace.command("make", &["demo"]))?;
    Ok(Outcome::Passed(String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_results_are_summed() {
        let output = "running 2 tests\n\
             test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s\n\
             noise\n\
             test result: ok. 5 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        match counted(output) {
            Ok(Outcome::Passed(note)) => assert_eq!(note, "17 passed, 0 failed, 3 ignored"),
            _ => panic!("not counted"),
        }
    }

    #[test]
    fn a_run_without_tests_fails() {
        let output = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert!(counted(output).is_err());
        assert!(counted("").is_err());
    }

    #[test]
    fn step_names_are_unique_and_unknown_ones_are_refused() {
        for (i, step) in STEPS.iter().enumerate() {
            assert!(STEPS[..i].iter().all(|earlier| earlier.name != step.name), "{}", step.name);
        }
        let error = run(&Workspace::current(), &["fmt", "nonsense"]).unwrap_err();
        assert!(error.contains("`nonsense`") && error.contains("nostd"), "{error}");
    }
}
