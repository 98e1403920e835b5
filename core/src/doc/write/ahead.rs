//! The writer asks for the memory of the instructions that come next while it writes one. To write a tile's worth of text takes less
//! time than to wait for what an instruction consists of, since these parts are each behind a pointer of the one before.
#![forbid(unsafe_code)]

use crate::ir::raw::halves::debug_text;
use crate::ir::raw::layout::PhysicalAccessPattern;
use crate::ir::raw::list;
use crate::ir::{Argument, Instruction, OperandList};
use crate::mem::prefetch::prefetch;

/// Bytes of an instruction with most payloads.
const INSTRUCTION: usize = 448;
/// Bytes of an operand.
const OPERAND: usize = size_of::<PhysicalAccessPattern>();
/// Bytes of anything small.
const SMALL: usize = 1;

/// Asks for what the next three instructions need, for each what can be found without waiting: the object itself, then its parts, then
/// what these lead to.
#[inline]
pub(super) fn ask(instruction: &Instruction) {
    let Some(first) = instruction.next() else { return };
    if let Some(node) = first.sched.get().and_then(|sched| sched.dependencies.first()) {
        prefetch(node, SMALL);
    }
    let Some(second) = first.next() else { return };
    parts(second);
    if let Some(third) = second.next() {
        prefetch(third, INSTRUCTION);
    }
}

/// Asks for the parts of an instruction that is there.
#[inline]
fn parts(instruction: &Instruction) {
    if let Some(sched) = instruction.sched.get() {
        prefetch(&sched.optin_passes, SMALL);
        prefetch(&sched.dependencies.head_next, SMALL);
        prefetch(&sched.dependencies.element_count, SMALL);
        prefetch(&sched.loop_carried_dependencies.element_count, SMALL);
        prefetch(&sched.unroll_dependencies, SMALL);
        prefetch(&sched.sync_engaged, SMALL);
        prefetch(&sched.scheduled_start, SMALL);
    }
    for operands in [OperandList::Ins, OperandList::Outs] {
        if let Some(operand) = list::first::<Argument>(instruction.sentinel(operands)) {
            prefetch(operand, OPERAND);
        }
    }
    if let Some(debug) = debug_text(instruction) {
        prefetch(debug, SMALL);
    }
}
