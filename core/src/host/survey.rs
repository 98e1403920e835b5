//! What is in a package file, and what is wrong with it, in one pass that keeps no weights.
#![forbid(unsafe_code)]

use super::package::{PackageFile, Passed, Visitor, Wish, duplicate};
use super::stamp::Input;
use crate::Result;
use crate::neff::descriptors::{Facts, Finding, Severity, findings};
use crate::neff::inventory::{Inventory, InventoryLimits};
use crate::neff::tar::MemberHeader;
use std::vec::Vec;

/// How far a compressed package is inflated anyway, so that small ones are always seen whole. Takes some 10 ms.
const CHEAP_BYTES: u64 = 4 << 20;

/// How much of a package is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Of an uncompressed package all members, of a compressed one those up to the last descriptor, so that no weights
    /// behind it are inflated.
    Descriptors,
    /// All members, and of each as much as a check needs.
    Members,
    /// All contents, for the IR signature.
    Contents,
}

/// What a survey found.
#[derive(Debug)]
pub struct Survey {
    /// What was read, also before an error.
    pub inventory: Inventory,
    /// How the pass ended.
    pub passed: Result<Passed>,
}

/// Surveys a package. A second member of a name ends it, unless `keep_duplicates`. `progress` hears how many bytes of the
/// file are done with.
pub fn survey<I: Input>(
    package: &mut PackageFile<I>,
    verify_hash: bool,
    reach: Reach,
    keep_duplicates: bool,
    progress: &mut dyn FnMut(u64),
) -> Survey {
    let mut look = Look {
        inventory: Inventory::new(InventoryLimits::default(), reach == Reach::Contents),
        stops: reach == Reach::Descriptors && package.is_compressed(),
        keep_duplicates,
        progress,
    };
    let passed = package.pass(verify_hash, &mut look);
    Survey { inventory: look.inventory, passed }
}

/// A package and everything that there is to say about it.
#[derive(Debug)]
pub struct Checked {
    /// What was read.
    pub inventory: Inventory,
    /// How the pass ended; after an error this is the only finding, as nothing can be followed then.
    pub passed: Result<Passed>,
    /// What was found, the header first.
    pub findings: Vec<Finding>,
}

/// Checks a package: its hash, its archive, and that everything in it fits together. `progress` as of [`survey`].
pub fn check_file<I: Input>(package: &mut PackageFile<I>, progress: &mut dyn FnMut(u64)) -> Checked {
    let Survey { inventory, passed } = survey(package, true, Reach::Contents, true, progress);
    let findings = match &passed {
        Ok(passed) => {
            let facts = Facts { header: Some(package.header()), computed_hash: passed.computed_hash };
            findings(&inventory, &facts)
        }
        Err(error) => Vec::from([Finding { severity: Severity::Error, error: error.clone() }]),
    };
    Checked { inventory, passed, findings }
}

/// Fills an inventory.
struct Look<'p> {
    inventory: Inventory,
    /// Whether the descriptors are enough.
    stops: bool,
    keep_duplicates: bool,
    progress: &'p mut dyn FnMut(u64),
}

impl Visitor for Look<'_> {
    fn member(&mut self, member: &MemberHeader<'_>) -> Result<Wish> {
        let used = self.inventory.begin(member)?;
        let end = member.data_offset.saturating_add(member.size);
        if self.stops && end > CHEAP_BYTES && self.inventory.has_descriptors() {
            return Ok(Wish::Stop);
        }
        Ok(if used { Wish::Contents } else { Wish::Next })
    }

    fn data(&mut self, bytes: &[u8]) -> Result<Wish> {
        Ok(if self.inventory.data(bytes)? { Wish::Contents } else { Wish::Next })
    }

    fn end(&mut self) -> Result<Wish> {
        self.inventory.end()?;
        Ok(Wish::Next)
    }

    fn duplicate(&mut self, name: &str) -> Result<()> {
        if self.keep_duplicates { Ok(()) } else { Err(duplicate(name)) }
    }

    fn progress(&mut self, file_bytes: u64) {
        (self.progress)(file_bytes);
    }
}
