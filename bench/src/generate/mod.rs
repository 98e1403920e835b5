//! A document as large as wanted that looks like what a compiler makes of a transformer: layer by layer, tile by tile, with
//! the instructions, access patterns, dependencies, semaphores and tensors such a program has.
//!
//! The same number of instructions always gives the same bytes. From about one layer (7,000 instructions) on, the mix hardly
//! depends on the number, so documents of different sizes can be compared per byte.

mod access;
mod attention;
mod buffers;
mod emit;
mod layer;
mod ops;

use bir_core::Result;
use bir_core::ir::Module;

/// Instructions of the full document.
pub const FULL: usize = 665_013;

/// What a generated module holds, for those who judge how realistic it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions.
    pub instructions: usize,
    /// Operands of all lists.
    pub operands: usize,
    /// Dependencies.
    pub dependencies: usize,
    /// Instructions with sync information.
    pub synchronized: usize,
    /// Storage sets, each with one location.
    pub tensors: usize,
    /// Blocks of the function.
    pub blocks: usize,
}

/// A module with that many instructions.
pub fn build(instructions: usize) -> Result<(Module, Counts)> {
    let module = Module::new()?;
    let counts = layer::run(&module, instructions)?;
    Ok((module, counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};

    fn text(module: &Module) -> Vec<u8> {
        let mut text = Vec::new();
        write_json(module, &mut text, &WriteOptions::default()).unwrap();
        text
    }

    #[test]
    fn what_was_generated_is_read_and_written_unchanged() {
        // A layer and a part of the next.
        let (module, counts) = build(9_500).unwrap();
        let written = text(&module);
        let options = ReadOptions { strict: true, ..ReadOptions::default() };
        let loaded = read_json(&written, &options).unwrap();
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings.first());
        assert!(loaded.module.structurally_equal(&module));
        assert!(text(&loaded.module) == written);
        let function = loaded.module.find_function("sg0000").unwrap();
        assert_eq!(function.instructions().count(), 9_500);
        assert_eq!(counts.instructions, 9_500);
        assert_eq!(function.block_count(), counts.blocks);
        assert_eq!(function.storage_count(), counts.tensors);
        let operands: usize = function.instructions().map(|i| i.ins().count() + i.outs().count()).sum();
        assert_eq!(operands, counts.operands);
    }

    #[test]
    fn the_number_decides_everything() {
        assert!(text(&build(700).unwrap().0) == text(&build(700).unwrap().0));
        assert_eq!(build(0).unwrap().1.instructions, 0);
        assert_eq!(build(1).unwrap().1.instructions, 1);
    }

    #[test]
    fn the_mix_does_not_depend_on_the_number() {
        let per_instruction = |n: usize| text(&build(n).unwrap().0).len() as f64 / n as f64;
        let ratio = per_instruction(6_650) / per_instruction(20_000);
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
    }
}
