//! The list of blocks and instructions to clone, made before the first clone: a clone may be put inside its own source.

use crate::Result;
use crate::fallible::push;
use crate::ir::{BasicBlock, BasicBlockHolder, Instruction};
use alloc::vec::Vec;

/// One object to clone.
#[derive(Clone, Copy)]
pub(super) enum Step<'s> {
    Block(&'s BasicBlock),
    Instruction(&'s Instruction),
}

/// Blocks and instructions, each after what it lies in, otherwise in program order. Nesting costs no stack.
#[derive(Default)]
pub(super) struct Plan<'s>(Vec<Step<'s>>);

impl<'s> Plan<'s> {
    fn push(&mut self, step: Step<'s>) -> Result<()> {
        push(&mut self.0, step)
    }

    fn push_with_blocks(&mut self, instruction: &'s Instruction) -> Result<()> {
        self.push(Step::Instruction(instruction))?;
        for block in instruction.block_holder().into_iter().flat_map(BasicBlockHolder::blocks) {
            self.push(Step::Block(block))?;
        }
        Ok(())
    }

    /// An instruction and what is nested in it.
    pub(super) fn add_instruction(&mut self, instruction: &'s Instruction) -> Result<()> {
        self.push_with_blocks(instruction)?;
        for inner in instruction.block_holder().into_iter().flat_map(BasicBlockHolder::instructions) {
            self.push_with_blocks(inner)?;
        }
        Ok(())
    }

    /// A block with its instructions.
    pub(super) fn add_block(&mut self, block: &'s BasicBlock) -> Result<()> {
        self.push(Step::Block(block))?;
        for instruction in block.instructions() {
            self.add_instruction(instruction)?;
        }
        Ok(())
    }

    /// All blocks of a holder.
    pub(super) fn add_holder(&mut self, holder: &'s BasicBlockHolder) -> Result<()> {
        for block in holder.blocks() {
            self.push(Step::Block(block))?;
        }
        for instruction in holder.instructions() {
            self.push_with_blocks(instruction)?;
        }
        Ok(())
    }

    /// The steps, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step<'s>> {
        self.0.iter().copied()
    }
}
