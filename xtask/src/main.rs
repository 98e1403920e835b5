//! The only entry that CI and people call: generates what comes from `spec/`, checks that nothing drifted, installs what
//! the checks need, and runs them.
mod bench;
mod ci;
mod generate;
mod library;
mod reader;

use ci::Workspace;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

  gen            write the generated files from spec/*.toml
  check          fail if a generated file differs from what gen would write
  lib [--release]
                 build libbir.so, libbir.a, headers and a pkg-config file into target/<profile>/{lib,include}
  install        install what the checks need and this machine lacks (Debian's packages)
  ci [STEP...]   run all checks, or the named ones, in their order
  klr ARG...     run the independent reader and writer of BIR documents
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let workspace = Workspace::current();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["gen"] => generate::write(&workspace.root),
        ["check"] => generate::check(&workspace.root),
        ["lib"] => library::run(&workspace, false),
        ["lib", "--release"] => library::run(&workspace, true),
        ["install"] => ci::install::run(&workspace),
        ["ci", steps @ ..] => ci::run(&workspace, steps),
        ["bench", arguments @ ..] => bench::run(&workspace, arguments),
        ["klr", arguments @ ..] => reader::pass_through(&workspace, arguments),
        _ => {
            eprint!("{USAGE}{}\nsteps of ci:\n{}", bench::USAGE, ci::list());
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
