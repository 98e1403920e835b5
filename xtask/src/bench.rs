//! Benchmarks: makes what they need, runs each measurement in a process of its own, and prints one table.
mod arguments;
mod baseline;
mod best;
mod document;
mod figures;
mod inputs;
mod kernels;
mod lines;
mod packages;
mod report;
mod room;
mod stamp;
mod weights;

use crate::ci::Workspace;
use crate::generate::Result;
use arguments::{Command, parse};

/// What the subcommands take, for the usage text.
pub const USAGE: &str = "  bench gen [--instructions N] [-o DIR] [--compact]
                 write a generated document of N instructions (665013) into DIR (target/bench)
  bench doc [--quick] [--compact] [--rounds K] [--cpu] [--json]
                 measure reading and writing of documents against a C++ baseline (docs/benchmarks.md)
  bench klr [--cpu] [--rounds K] [--json]
                 measure reading and lowering of kernels against a C++ baseline (docs/benchmarks.md)
  bench pack [--quick] [--cpu] [--rounds K] [--json]
                 measure writing of packages against libarchive and zlib, and de-duplication (docs/benchmarks.md)
";

/// Runs the subcommand.
pub fn run(workspace: &Workspace, words: &[&str]) -> Result<()> {
    match parse(words)? {
        Command::Gen { instructions, folder, form } => inputs::generate(workspace, instructions, folder, form),
        Command::Doc(options, form) => document::run(workspace, &options, form),
        Command::Klr(options) => kernels::run(workspace, &options),
        Command::Pack(options) => packages::run(workspace, &options),
    }
}
