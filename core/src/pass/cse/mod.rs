//! Common subexpression elimination: an instruction that computes again what already lies in its outputs is removed.
//!
//! Within a block, instruction L is merged into an earlier instruction E when all of this holds:
//!
//! 1. **Both only compute.** The opcode is one of [`eligible::COMPUTES`]: its effect is what it writes to `outs`, a function
//!    of `ins`, `indirection_ins`, payload and registers alone. So no terminator, branch, structured control, call, kernel,
//!    custom op or inline assembly; no DMA, trigger, descriptor or collective; no random numbers; no semaphore, barrier,
//!    queue or debug instruction; nothing that reads or writes an engine's accumulators or tables. Where a field decides, it
//!    decides: Memset in mode Const; an accumulation command that is Idle; a matmul whose `accumulation_flag` is exactly
//!    START | STOP (3) and whose `psum_zero_region` is 0, so that it neither adds to PSUM nor clears more than it writes.
//! 2. **They are the same**: [`same_inst_and_operands`](crate::op::same_inst_and_operands), on the same engine and engine
//!    id, under the same predicates, `order`, loop nest and opt-in passes; every storage, register and loop axis that they
//!    name is the same object. So both write the same elements of the same storage.
//! 3. **Nothing came between.** No instruction from E up to L, E itself included, writes anything that E reads, and none but
//!    E writes anything that E writes. What overlaps is decided conservatively, see [`touch`]: a location counts as a whole;
//!    a symbolic or register pattern touches its whole set; aliased locations, pointers and overlapping addresses count as
//!    one. An instruction whose effects are not known to be its `outs` alone (calls, control flow, collectives, triggers,
//!    barriers, anything with synchronisation information, ...) counts as a write of everything.
//! 4. **Nobody else sees the storage**: no volatile or virtual set, no pointer, no DRAM in another address space than
//!    Local (`spec/enums.md`: the address space is read for DRAM only), no location that another core writes or mirrors.
//! 5. **L can go**: it has no synchronisation information, no unroll dependencies, no debug semaphore, and no unroll
//!    dependency, wait or DMA list anywhere in the module names it.
//! 6. **Its edges can move to E**: what L waits for, E shall wait for, and what waits for L shall wait for E, in both edge
//!    sets; a second edge between the same two keeps the larger kind. Every Normal edge must still lead to an instruction
//!    that comes earlier in the function, so there are no cycles; else L stays. Edges between E and L disappear: an
//!    instruction follows its own run in the previous iteration by the order of its engine.
//!
//! L's `debug` text, name and schedule are lost. Candidates are found by a hash of all that must be equal, and only the
//! newest few of one hash are compared, so the time is linear in the size of the function (its edges, and the operands and
//! expressions of candidates), plus the sorting of allocated locations. Nothing depends on addresses or hash order: ids feed
//! the hash, and the program's order decides.
#![forbid(unsafe_code)]

mod digest;
pub mod eligible;
mod merge;
mod opcodes;
mod report;
mod scan;
pub mod touch;

pub use report::{CseReport, Kept, Merge, Subject, Why};

use crate::Result;
use crate::enums::bir::InstructionType;
use crate::fallible::{append, push};
use crate::ir::{BasicBlock, Function, Instruction, ModuleRef, Objects, function_path};
use alloc::vec::Vec;
use merge::References;
use scan::Scan;

/// Merges in all blocks of a function, those in loops included.
///
/// # Errors
/// `Detached` for an erased function; `CorruptIr`, `UnknownEnum` where foreign code wrote what no enum knows; `OutOfMemory`.
/// What was merged before the error stays merged, and the program computes the same.
pub fn cse_function(function: &Function) -> Result<CseReport> {
    let mut report = CseReport::default();
    let references = References::of(function.module()?)?;
    in_function(function, &references, &mut report)?;
    Ok(report)
}

/// [`cse_function`] for every function of a module, NKI functions included, in order. Queues are left alone.
///
/// # Errors
/// As [`cse_function`].
pub fn cse_module(module: &ModuleRef) -> Result<CseReport> {
    let mut report = CseReport::default();
    let references = References::of(module)?;
    for function in module.functions().chain(module.nki_functions()) {
        in_function(function, &references, &mut report)?;
    }
    Ok(report)
}

/// Lists being walked. The path's first `depth` bytes are those of the holder of the blocks.
struct Frame<'m> {
    blocks: Objects<'m, BasicBlock>,
    /// Number of the next block.
    block: usize,
    depth: usize,
    /// Structured instructions of the block before that one, with their positions before the pass.
    nested: alloc::vec::IntoIter<(usize, &'m Instruction)>,
    /// Bytes of the path up to that block.
    block_depth: usize,
}

impl<'m> Frame<'m> {
    fn new(blocks: Objects<'m, BasicBlock>, depth: usize) -> Self {
        Frame { blocks, block: 0, depth, nested: Vec::new().into_iter(), block_depth: depth }
    }
}

/// All blocks, outer ones first. Depth costs no stack.
fn in_function(function: &Function, references: &References, report: &mut CseReport) -> Result<()> {
    let mut scan = Scan::new(function, references)?;
    let mut path = function_path(function);
    let mut frames = Vec::new();
    push(&mut frames, Frame::new(function.blocks(), path.len()))?;
    while let Some(frame) = frames.last_mut() {
        if let Some((position, instruction)) = frame.nested.next() {
            path.truncate(frame.block_depth);
            append(&mut path, format_args!(".instructions[{position}]"))?;
            if let Some(holder) = instruction.block_holder() {
                push(&mut frames, Frame::new(holder.blocks(), path.len()))?;
            }
            continue;
        }
        let Some(block) = frame.blocks.next() else {
            frames.pop();
            continue;
        };
        path.truncate(frame.depth);
        append(&mut path, format_args!(".blocks[{}]", frame.block))?;
        frame.block = frame.block.saturating_add(1);
        frame.block_depth = path.len();
        frame.nested = scan.block(block, &path, report)?.into_iter();
    }
    Ok(())
}

/// Whether an instruction has a body of instructions. A DMABlock has descriptors, which are no program.
fn has_body(instruction: &Instruction, opcode: InstructionType) -> bool {
    opcode != InstructionType::DMABlock && instruction.block_holder().is_some()
}
