//! The examples that people copy from: they build without a warning and do what their comments say. `make demo` runs the
//! one that needs a document.

use crate::build::{Link, program, root, run, scratch};
use std::process::Command;

#[test]
fn a_package_from_pieces() {
    let example = program("package_pieces", &[root().join("examples/c/package_pieces.c")], &["-O1"], Link::Shared);
    let file = scratch("pieces.neff");
    let printed = run(Command::new(example).arg(&file)).expect_ok();
    // 64 times the numbers 0 to 255, each 256 times.
    let sum = 64 * 256 * (0..256_u32).sum::<u32>();
    assert!(printed.contains(&format!("   4194304  sg00/w.bin  (sum {sum})\n")), "{printed}");
    assert!(printed.contains("        24  notes.txt\n") && printed.ends_with("the hash is right\n"), "{printed}");
    std::fs::remove_file(file).unwrap();
}
