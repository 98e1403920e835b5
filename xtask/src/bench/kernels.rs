//! `bench klr`: reading and lowering of kernels, and the baseline's reading of the same files, in turn and each in its own
//! process.
use super::arguments::KernelOptions;
use super::baseline;
use super::figures::{Figure, Target, table, to_json};
use super::inputs::{folder_of, program};
use super::lines::{self, phase};
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

/// The best of all rounds: the shortest times, in seconds, and memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Best {
    decode: f64,
    both: f64,
    walk: f64,
    tree: f64,
    decode_peak: f64,
    tree_peak: f64,
}

impl Best {
    fn shorter(best: &mut f64, seconds: f64) {
        if *best == 0.0 || seconds < *best {
            *best = seconds;
        }
    }
}

/// Measures and prints.
pub fn run(workspace: &Workspace, options: &KernelOptions) -> Result<()> {
    let program = program(workspace)?;
    let baseline = baseline::build_kernels(workspace)?;
    let mut figures = Vec::new();
    for name in KERNELS {
        eprintln!("bench: {name}");
        let file = make(workspace, &program, name)?;
        let (bytes, best) = measure(&program, &baseline, &file, options)?;
        figures.extend(of_kernel(name, bytes, best));
    }
    let flags = baseline::FLAGS.join(" ");
    if options.json {
        let all = json!({"rounds": options.rounds, "cpu": options.cpu, "baseline_flags": flags, "figures": to_json(&figures)});
        println!("{all:#}");
    } else {
        let clock = if options.cpu { "processor time" } else { "wall clock" };
        println!("kernels of {} MB; best of {}, {clock}", BYTES / 1_000_000, options.rounds);
        println!("baseline: a tree from libcbor's events, c++ {flags}");
        print!("\n{}", table(&figures));
    }
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
fn measure(program: &Path, baseline: &Path, file: &Path, options: &KernelOptions) -> Result<(f64, Best)> {
    let (mut bytes, mut best) = (0.0, Best::default());
    for _ in 0..options.rounds {
        let mut command = Command::new(program);
        command.arg("klr").arg(file).args(options.cpu.then_some("--cpu"));
        let lines = lines::run(command)?;
        let ours = phase(&lines, "lower")?;
        bytes = ours.number("bytes")?;
        Best::shorter(&mut best.decode, ours.number("decode_seconds")?);
        Best::shorter(&mut best.both, ours.number("seconds")?);
        best.decode_peak = ours.number("decode_peak")?;
        let mut command = Command::new(baseline);
        command.arg(file).args(options.cpu.then_some("--cpu"));
        let lines = lines::run(command)?;
        let theirs = phase(&lines, "tree")?;
        Best::shorter(&mut best.walk, theirs.number("walk_seconds")?);
        Best::shorter(&mut best.tree, theirs.number("seconds")?);
        best.tree_peak = theirs.number("peak")?;
    }
    Ok((bytes, best))
}

fn of_kernel(name: &str, bytes: f64, best: Best) -> [Figure; 5] {
    let speed = |seconds: f64| bytes / seconds / 1e6;
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
    use super::*;

    #[test]
    fn the_shortest_time_counts() {
        let mut best = 0.0;
        for seconds in [0.5, 0.25, 0.75] {
            Best::shorter(&mut best, seconds);
        }
        assert_eq!(best, 0.25);
    }

    #[test]
    fn speeds_are_bytes_by_time() {
        let best = Best { decode: 0.1, both: 0.2, walk: 0.1, tree: 0.5, decode_peak: 2e8, tree_peak: 1e9 };
        let figures = of_kernel("k", 50e6, best);
        let found: Vec<_> = figures.iter().map(|f| (f.ours.round(), f.other.round(), f.unit)).collect();
        let expected = [(250.0, 200.0, "MB/s"), (250.0, 100.0, "MB/s"), (500.0, 100.0, "MB/s"), (500.0, 500.0, "MB/s")];
        assert_eq!(found[..4], expected);
        assert_eq!(found[4], (200.0, 1000.0, "MB"));
        let text = table(&figures);
        assert!(text.contains("k: decode and lower") && text.ends_with("targets: 1 of 1 met\n"), "{text}");
        let slow = table(&of_kernel("k", 50e6, Best { both: 0.26, ..best }));
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
