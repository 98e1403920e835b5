//! The `bir` command: what compiler engineers need to look into documents and packages without writing a program.
//!
//! Every command makes a [`report::Report`]; only this file ends the process and only [`console`] prints, so exit codes and
//! the forms of output are the same everywhere: 0 good, 1 the input is bad, 2 wrong usage; `diff` says 1 for
//! different and 3 for bad, `check` says 1 for what it finds too.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod console;
mod fault;
mod files;
mod load;
mod output;
mod package_pass;
mod package_view;
mod progress;
mod report;
mod suggest;
mod table;

use args::{Cli, Command, Klr};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use console::Console;
use fault::{Failure, Fault, Outcome};
use report::Report;
use std::process::ExitCode;

const BAD_INPUT: u8 = 1;
const BAD_USAGE: u8 = 2;
/// Of `bir diff`: its inputs differ. Of `bir check`: a loader would refuse its input.
const DIFFERENT: u8 = 1;
/// Of `bir diff`, whose 1 is taken.
const BAD_DIFF_INPUT: u8 = 3;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let console = Console::new(cli.json, cli.quiet);
    match run(&cli, &console) {
        Ok(report) => {
            let bad = report.failure.is_some();
            match console.report(&report) {
                Ok(()) if bad => ExitCode::from(BAD_INPUT),
                Ok(()) if report.different => ExitCode::from(DIFFERENT),
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => failed(&cli, &console, &failure),
            }
        }
        Err(Fault::Input(failure)) => failed(&cli, &console, &failure),
        Err(Fault::Usage(message)) => {
            let mut command = Cli::command();
            command.build();
            let named = command.find_subcommand_mut(cli.command.name());
            let error = match named {
                Some(named) => named.error(ErrorKind::ArgumentConflict, message),
                None => command.error(ErrorKind::ArgumentConflict, message),
            };
            usage(&error)
        }
    }
}

fn run(cli: &Cli, console: &Console) -> Outcome<Report> {
    match &cli.command {
        Command::Info(args) => commands::info::run(args, console),
        Command::Convert(args) => commands::convert::run(args, console),
        Command::Compile(args) => commands::compile::run(args, console),
        Command::Print(args) => commands::print::run(args, console),
        Command::Diff(args) => commands::diff::run(args, console),
        Command::Cse(args) => commands::cse::run(args, console),
        Command::Graph(args) => commands::graph::run(args, console),
        Command::InlineWeights(args) => commands::inline_weights::run(args, console),
        Command::Pack(args) => commands::pack::run(args, console),
        Command::List(args) => commands::list::run(args, console),
        Command::Unpack(args) => commands::unpack::run(args, console),
        Command::Check(args) => commands::check::run(args, console),
        Command::Dedup(args) => commands::dedup::run(args, console),
        Command::Enum(args) => commands::enums::run(args, console),
        Command::Translate(args) => commands::translate::run(args, console),
        Command::Opcode(args) => commands::opcode::run(args, console),
        Command::Klr(Klr::Show(args)) => commands::klr_show::run(args, console),
    }
}

/// Help and version are no mistakes: clap knows their code.
fn usage(error: &clap::Error) -> ExitCode {
    // A terminal that is gone cannot be told so.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(BAD_USAGE) } else { ExitCode::SUCCESS }
}

fn failed(cli: &Cli, console: &Console, failure: &Failure) -> ExitCode {
    console.failure(failure);
    ExitCode::from(if matches!(cli.command, Command::Diff(_)) { BAD_DIFF_INPUT } else { BAD_INPUT })
}
