//! The command as a whole: help, version, wrong usage.

mod common;
use common::*;

const COMMANDS: [&str; 12] = [
    "info",
    "convert",
    "diff",
    "inline-weights",
    "pack",
    "list",
    "unpack",
    "check",
    "dedup",
    "enum",
    "translate",
    "opcode",
];

#[test]
fn help_and_version_are_good() {
    let version = bir(&["--version"]).good().out;
    assert_eq!(version, format!("bir {}\n", env!("CARGO_PKG_VERSION")));
    let help = bir(&["help"]).good().out;
    for command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
        let text = bir(&["help", command]).good().out;
        assert_eq!(text, bir(&[command, "--help"]).good().out);
        assert_eq!(text.matches("Example: bir ").count(), 1, "{text}");
        assert!(text.lines().all(|l| l.len() <= 100), "{text}");
    }
}

#[test]
fn wrong_usage_is_two() {
    bir::<&str>(&[]).usage();
    bir(&["nonsense"]).usage();
    bir(&["--nonsense"]).usage();
    for command in ["info", "convert", "inline-weights", "pack", "list", "unpack", "check", "dedup"] {
        bir(&[command]).usage();
        bir(&[command, "x", "--nonsense"]).usage();
    }
    bir(&["convert", "x"]).usage();
    bir(&["convert", "x", "-o", "y", "--to", "yaml"]).usage();
    bir(&["convert", "x", "-o", "y", "--to", "json", "--compact"]).usage();
    bir(&["pack", "x", "-o", "y", "--feature-bits", "many"]).usage();
    bir(&["pack", "x", "-o", "y", "--member", "=z"]).usage();
    bir(&["pack", "x", "-o", "-", "--json"]).usage();
    bir(&["unpack", "x"]).usage();
    bir(&["dedup", "x", "--dtype", "float"]).usage();
    bir(&["dedup", "x", "--memory-type", "dram"]).usage();
    bir(&["dedup", "x", "--threads", "0"]).usage();
    bir(&["dedup", "x", "y", "--const-dir", "z"]).usage();
}
