//! Passes over a package that commands share, with their progress on the terminal.

use crate::fault::{InFile, Outcome};
use crate::load::PackageInput;
use crate::progress::Progress;
use bir_core::host::package::Passed;
use bir_core::host::survey::{Checked, Reach, Survey, check_file, survey};
use bir_core::neff::Inventory;

/// Reads a package's inventory.
pub fn inventory(
    package: &mut PackageInput,
    file: &str,
    verify_hash: bool,
    reach: Reach,
    quiet: bool,
) -> Outcome<(Inventory, Passed)> {
    let progress = Progress::bytes(quiet, package.size(), format!("Reading {file}"));
    let bar = progress.handle();
    let Survey { inventory, passed } = survey(package, verify_hash, reach, false, &mut |bytes| bar.position(bytes));
    drop(progress);
    Ok((inventory, passed.in_file(file)?))
}

/// Checks a package.
pub fn check(package: &mut PackageInput, file: &str, quiet: bool) -> Checked {
    let progress = Progress::bytes(quiet, package.size(), format!("Checking {file}"));
    let bar = progress.handle();
    check_file(package, &mut |bytes| bar.position(bytes))
}
