//! The walk over a block: what was computed so far and is still there.
#![forbid(unsafe_code)]

use super::digest::{Digest, digest};
use super::eligible::{computes, writes_outs_only};
use super::has_body;
use super::merge::{Order, References, merge, obstacle};
use super::report::{CseReport, Kept, Merge, Subject};
use super::touch::{Clock, Reach, Regions};
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{BasicBlock, Function, Instruction, computed};
use crate::op::same_inst_and_operands;
use crate::{Error, Result};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// How many instructions of one hash are remembered: the newest.
const PER_HASH: usize = 4;

/// An instruction whose result may still be there.
struct Entry<'m> {
    instruction: &'m Instruction,
    /// Among the instructions of its block before the pass.
    position: usize,
    time: u64,
    digest: Digest,
}

/// The state of the walk over a function's blocks.
pub(super) struct Scan<'m, 'r> {
    regions: Regions<'m>,
    references: &'r References,
    order: Order,
    clock: Clock,
    /// Rises with every instruction.
    time: u64,
    /// The time of the last one that may have written anything.
    barrier: u64,
    entries: Vec<Entry<'m>>,
    /// Entries by hash, oldest first.
    buckets: HashMap<u64, Vec<usize>, FixedState>,
}

impl<'m, 'r> Scan<'m, 'r> {
    pub(super) fn new(function: &'m Function, references: &'r References) -> Result<Self> {
        Ok(Scan {
            regions: Regions::of(function)?,
            references,
            order: Order::of(function)?,
            clock: Clock::new(),
            time: 0,
            barrier: 0,
            entries: Vec::new(),
            buckets: HashMap::with_hasher(fixed_state()),
        })
    }

    /// Merges in one block, whose path is given. Returns the instructions that have bodies, with their positions.
    pub(super) fn block(
        &mut self,
        block: &'m BasicBlock,
        path: &str,
        report: &mut CseReport,
    ) -> Result<Vec<(usize, &'m Instruction)>> {
        report.blocks = report.blocks.saturating_add(1);
        // What other blocks computed does not count.
        self.barrier = self.time;
        let mut instructions = Vec::new();
        for instruction in block.instructions() {
            push(&mut instructions, instruction)?;
        }
        let mut nested = Vec::new();
        for (position, instruction) in instructions.into_iter().enumerate() {
            report.instructions = report.instructions.saturating_add(1);
            self.time = self.time.saturating_add(1);
            if has_body(instruction, instruction.opcode()?) {
                push(&mut nested, (position, instruction))?;
            }
            self.instruction(instruction, position, path, report)?;
        }
        Ok(nested)
    }

    fn instruction(
        &mut self,
        instruction: &'m Instruction,
        position: usize,
        path: &str,
        report: &mut CseReport,
    ) -> Result<()> {
        if !writes_outs_only(instruction)? {
            self.barrier = self.time;
            return Ok(());
        }
        let candidate = if computes(instruction)? { digest(instruction, &self.regions)? } else { None };
        let candidate = candidate.filter(|d| !d.writes.is_empty());
        if let Some(digest) = &candidate {
            report.candidates = report.candidates.saturating_add(1);
            if let Some(earlier) = self.find(instruction, digest)? {
                let survivor = Subject::new(earlier.instruction, path, earlier.position)?;
                let subject = Subject::new(instruction, path, position)?;
                match obstacle(earlier.instruction, instruction, self.references, &self.order) {
                    None => {
                        report.merged.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                        merge(earlier.instruction, instruction)?;
                        report.merged.push(Merge { survivor, removed: subject });
                        return Ok(());
                    }
                    Some(why) => push(&mut report.kept, Kept { same_as: survivor, instruction: subject, why })?,
                }
            }
        }
        for operand in instruction.outs() {
            match self.regions.reach(operand) {
                Reach::Nothing => {}
                Reach::Part { touch, .. } => self.clock.write(touch, self.time)?,
                Reach::Unknown => self.barrier = self.time,
            }
        }
        match candidate {
            Some(digest) => self.remember(instruction, position, digest),
            None => Ok(()),
        }
    }

    /// Whether what an entry read and wrote is as it left it.
    fn is_there(&self, entry: &Entry<'_>) -> bool {
        let touched = entry.digest.reads.iter().chain(&entry.digest.writes);
        entry.time > self.barrier && touched.into_iter().all(|t| self.clock.last_write(*t) <= entry.time)
    }

    /// The newest entry that computes the same and is still there.
    fn find(&self, instruction: &Instruction, digest: &Digest) -> Result<Option<&Entry<'m>>> {
        let numbers = self.buckets.get(&digest.hash).into_iter().flatten().rev();
        for entry in numbers.filter_map(|n| self.entries.get(*n)) {
            if self.is_there(entry)
                && entry.digest.named == digest.named
                && same_header(entry.instruction, instruction)?
                && same_inst_and_operands(entry.instruction, instruction)?
            {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Remembers an instruction, unless it overwrote its own inputs.
    fn remember(&mut self, instruction: &'m Instruction, position: usize, digest: Digest) -> Result<()> {
        if digest.reads.iter().any(|t| self.clock.last_write(*t) >= self.time) {
            return Ok(());
        }
        self.buckets.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        let bucket = self.buckets.entry(digest.hash).or_default();
        if bucket.len() >= PER_HASH {
            bucket.remove(0);
        }
        push(bucket, self.entries.len())?;
        push(&mut self.entries, Entry { instruction, position, time: self.time, digest })
    }
}

/// Condition 2 of the [pass](super), as far as headers say.
fn same_header(a: &Instruction, b: &Instruction) -> Result<bool> {
    let placed = a.engine.get() == b.engine.get() && a.engine_id() == b.engine_id();
    Ok(placed && a.optin_passes().eq(b.optin_passes()) && computed::same_guards(a, b)?)
}
