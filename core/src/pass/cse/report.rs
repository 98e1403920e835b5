//! What the pass did, for people and tools.
#![forbid(unsafe_code)]

use crate::Result;
use crate::fallible::{copy, format};
use crate::ir::Instruction;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// An instruction as it was before the pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Name.
    pub name: String,
    /// Unique id.
    pub id: i32,
    /// Path in a document, before the pass: `functions[0].blocks[1].instructions[4]`.
    pub path: String,
}

impl Subject {
    pub(super) fn new(instruction: &Instruction, block: &str, position: usize) -> Result<Self> {
        let path = format(format_args!("{block}.instructions[{position}]"))?;
        let name = copy(&instruction.name())?;
        Ok(Subject { name, id: instruction.unique_id(), path })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (id {}, {})", self.name, self.id, self.path)
    }
}

/// An instruction that was removed, and the one that took its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// What stayed.
    pub survivor: Subject,
    /// What was removed.
    pub removed: Subject,
}

/// Why an instruction that computes nothing new stayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// An unroll dependency, a wait or a DMA list names it.
    Referenced,
    /// It has unroll dependencies of its own.
    HasUnrollDependencies,
    /// It updates a debug semaphore.
    HasDebugSemaphore,
    /// It waits for something that does not come before the one it would be merged into.
    WaitsForLater,
    /// Something waits for it that does not come after the one it would be merged into.
    WaitedForEarlier,
}

impl Why {
    /// The reason in words; "it" is the instruction that stayed.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Why::Referenced => "others refer to it",
            Why::HasUnrollDependencies => "it has unroll dependencies",
            Why::HasDebugSemaphore => "it updates a debug semaphore",
            Why::WaitsForLater => "it waits for what does not come before the other",
            Why::WaitedForEarlier => "something waits for it that does not come after the other",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// An instruction that computes nothing new but had to stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The earlier instruction that computes the same.
    pub same_as: Subject,
    /// What stayed.
    pub instruction: Subject,
    /// Why.
    pub why: Why,
}

/// What the pass looked at and what it did, in program order (outer blocks before nested ones).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CseReport {
    /// Blocks looked at, nested ones included.
    pub blocks: usize,
    /// Instructions looked at.
    pub instructions: usize,
    /// Those among them that only compute, so that they could be merged.
    pub candidates: usize,
    /// What was merged.
    pub merged: Vec<Merge>,
    /// What could not be merged although it computes nothing new.
    pub kept: Vec<Kept>,
}

impl fmt::Display for CseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Merge { survivor, removed } in &self.merged {
            writeln!(f, "merged {removed} into {survivor}")?;
        }
        for Kept { same_as, instruction, why } in &self.kept {
            writeln!(f, "kept {instruction}, same as {same_as}: {why}")?;
        }
        let plural = |n| if n == 1 { "" } else { "s" };
        let (merged, candidates, instructions, blocks) =
            (self.merged.len(), self.candidates, self.instructions, self.blocks);
        write!(f, "{merged} of {candidates} candidate{} merged", plural(candidates))?;
        write!(f, ", among {instructions} instruction{}", plural(instructions))?;
        write!(f, " in {blocks} block{}", plural(blocks))
    }
}
