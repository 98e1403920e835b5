//! `bench klr`: reading and lowering of kernels, and the baseline's reading of the same files, in turn and each in its own
//! process.
use super::arguments::Options;
use super::best::Best;
use super::figures::{Figure, Target};
use super::inputs::{folder_of, program};
use super::lines::{self, phase};
use super::{baseline, report};
use crate::ci::Workspace;
use crate::generate::Result;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kernels of the reference collection that are repeated: loads and stores, every ALU operation, and a mix.
const KERNELS: &[&str] = &["01_load_add_store", "04_tensor_tensor_reduce", "07_select_fill"];

/// Where they lie.
const FOLDER: &str = "tests/data/klr/schema-2.24";

/// Bytes of a measured kernel, about.
const BYTES: usize = 50_000_000;

/// What decoding and lowering together should reach at least, in MB/s of the file.
const WANTED: f64 = 200.0;

/// What was measured on one kernel; memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Measured {
    decode: Best,
    both: Best,
    walk: Best,
    tree: Best,
    decode_peak: f64,
    tree_peak: f64,
}

/// Measures and prints.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let program = program(workspace)?;
    let baseline = baseline::build_kernels(workspace)?;
    let mut figures = Vec::new();
    for name in KERNELS {
        eprintln!("bench: {name}");
        let file = make(workspace, &program, name)?;
        let (bytes, best) = measure(&program, &baseline, &file, options)?;
        figures.extend(of_kernel(name, bytes, best));
    }
    let flags = baseline::CPP_FLAGS.join(" ");
    let head = format!(
        "kernels of {} MB; best of {}, {}\nbaseline: a tree from libcbor's events, c++ {flags}",
        BYTES / 1_000_000,
        options.rounds,
        options.clock()
    );
    report::print(options, &head, json!({"baseline_flags": flags}), &figures);
    Ok(())
}

/// Makes the repeated kernel; it takes less time than to find out whether there is one.
fn make(workspace: &Workspace, program: &Path, name: &str) -> Result<PathBuf> {
    let output = folder_of(workspace)?.join(format!("{name}.klr"));
    let mut command = Command::new(program);
    command.arg("klr-gen").arg(workspace.root.join(FOLDER).join(format!("{name}.klr")));
    command.args(["--bytes", &BYTES.to_string(), "--output"]).arg(&output);
    lines::run(command)?;
    Ok(output)
}

/// Reads and lowers, in turn with the baseline.
fn measure(program: &Path, baseline: &Path, file: &Path, options: &Options) -> Result<(f64, Measured)> {
    let (mut bytes, mut best) = (0.0, Measured::default());
    for _ in 0..options.rounds {
        let mut command = Command::new(program);
        command.arg("klr").arg(file).args(options.clock_flag());
        let lines = lines::run(command)?;
        let ours = phase(&lines, "lower")?;
        bytes = ours.number("bytes")?;
        best.decode.take(ours.number("decode_seconds")?);
        best.both.take(ours.number("seconds")?);
        best.decode_peak = ours.number("decode_peak")?;
        let mut command = Command::new(baseline);
        command.arg(file).args(options.clock_flag());
        let lines = lines::run(command)?;
        let theirs = phase(&lines, "tree")?;
        best.walk.take(theirs.number("walk_seconds")?);
        best.tree.take(theirs.number("seconds")?);
        best.tree_peak = theirs.number("peak")?;
    }
    Ok((bytes, best))
}

fn of_kernel(name: &str, bytes: f64, best: Measured) -> [Figure; 5] {
    let speed = |best: Best| bytes / best.seconds() / 1e6;
    let figure = |what: &str, ours, other, target| {
        let (name, unit) = (format!("{name}: {what}"), "MB/s");
        Figure { name, ours, other, unit, target }
    };
    [
        figure("decode and lower", speed(best.both), WANTED, Some(Target::AtLeast(1.0))),
        figure("the same, to tree", speed(best.both), speed(best.tree), None),
        figure("decode, to tree", speed(best.decode), speed(best.tree), None),
        figure("decode, to events", speed(best.decode), speed(best.walk), None),
        Figure { unit: "MB", ..figure("memory", best.decode_peak / 1e6, best.tree_peak / 1e6, None) },
    ]
}

#[cfg(test)]
mod tests {
    use super::super::figures::table;
    use super::*;

    #[test]
    fn speeds_are_bytes_by_time() {
        let best = |seconds| {
            let mut best = Best::default();
            best.take(seconds);
            best
        };
        let (decode, both, walk, tree) = (best(0.1), best(0.2), best(0.1), best(0.5));
        let measured = Measured { decode, both, walk, tree, decode_peak: 2e8, tree_peak: 1e9 };
        let figures = of_kernel("k", 50e6, measured);
        let found: Vec<_> = figures.iter().map(|f| (f.ours.round(), f.other.round(), f.unit)).collect();
        let expected = [(250.0, 200.0, "MB/s"), (250.0, 100.0, "MB/s"), (500.0, 100.0, "MB/s"), (500.0, 500.0, "MB/s")];
        assert_eq!(found[..4], expected);
        assert_eq!(found[4], (200.0, 1000.0, "MB"));
        let text = table(&figures);
        assert!(text.contains("k: decode and lower") && text.ends_with("targets: 1 of 1 met\n"), "{text}");
        let slow = table(&of_kernel("k", 50e6, Measured { both: best(0.26), ..measured }));
        assert!(slow.ends_with("targets: 0 of 1 met\n"), "{slow}");
    }

    #[test]
    fn the_kernels_are_there() {
        let workspace = Workspace::current();
        for name in KERNELS {
            assert!(workspace.root.join(FOLDER).join(format!("{name}.klr")).is_file(), "{name}");
        }
    }
}
