//! Which instructions only compute, and which at least have no effect beyond their `outs`.
//!
//! The lists are a choice of this pass (`spec/passes.toml`). Whoever is not listed is taken to do anything.
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::bir::{EngineAccumulationType, InstructionType as Op, MemsetMode};
use crate::ir::Instruction;
use crate::op::{BAD_VARIANT, check_constants, read};

pub use super::opcodes::{COMPUTES, WRITES_OUTS_ONLY};

/// `accumulation_flag` of a matmul that starts and stops its own accumulation group: START | STOP.
const STARTS_AND_STOPS: u64 = 3;

const fn mask(list: &[Op]) -> u128 {
    let mut mask = 0;
    let mut rest = list;
    while let [first, tail @ ..] = rest {
        mask |= 1_u128 << (first.ordinal().cast_unsigned() & 127);
        rest = tail;
    }
    mask
}

/// Whether all that the instruction changes is the storage of its `outs`. Synchronisation makes other engines' writes
/// visible, and a remote notification tells another core, so neither counts.
///
/// # Errors
/// `CorruptIr` for an opcode that does not exist.
pub fn writes_outs_only(i: &Instruction) -> Result<bool> {
    const MASK: u128 = mask(COMPUTES) | mask(WRITES_OUTS_ONLY);
    let listed = MASK >> (i.opcode()?.ordinal().cast_unsigned() & 127) & 1 == 1;
    Ok(listed && !i.has_sync_info() && read::word_count(i, "remote_notification")?.unwrap_or(0) == 0)
}

/// Whether the instruction only computes: conditions 1 and 5 of the [pass](super) as far as opcode and payload say. An
/// expression in a field that decides is no permission.
///
/// # Errors
/// `CorruptIr` for an opcode that does not exist, `UnknownEnum` for a number that is no member of a field's enum.
pub fn computes(i: &Instruction) -> Result<bool> {
    const MASK: u128 = mask(COMPUTES);
    let opcode = i.opcode()?;
    if MASK >> (opcode.ordinal().cast_unsigned() & 127) & 1 == 0 || i.has_sync_info() {
        return Ok(false);
    }
    for key in ["acc", "reduce_cmd", "accumulator_cmd"] {
        if read::member::<EngineAccumulationType>(i, key)?.is_some_and(|c| c != EngineAccumulationType::Idle) {
            return Ok(false);
        }
    }
    // A second output is that of an accumulator.
    if matches!(opcode, Op::Activation | Op::TensorScalarPtr | Op::CopyPredicated) && i.outs().nth(1).is_some() {
        return Ok(false);
    }
    if opcode == Op::Memset && read::member(i, "mode")? != Some(MemsetMode::Const) {
        return Ok(false);
    }
    if i.is_matmult_base() {
        let flags = (read::plain(i, "accumulation_flag")?, read::plain(i, "psum_zero_region")?);
        if flags != (Some(STARTS_AND_STOPS), Some(0)) {
            return Ok(false);
        }
    }
    match check_constants(i, i) {
        Err(error) if error.code == BAD_VARIANT => Ok(false),
        other => other.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::OPCODES;

    #[test]
    fn lists_are_disjoint_and_leave_out_what_acts() {
        assert_eq!(mask(COMPUTES).count_ones() as usize, COMPUTES.len());
        assert_eq!(mask(WRITES_OUTS_ONLY).count_ones() as usize, WRITES_OUTS_ONLY.len());
        assert_eq!(mask(COMPUTES) & mask(WRITES_OUTS_ONLY), 0);
        for opcode in COMPUTES {
            let info = &OPCODES[opcode.ordinal() as usize];
            let acts =
                ["control", "sync", "collective", "dma", "memory_dma", "queue", "rng", "kernel", "escape", "region"];
            assert!(!acts.contains(&info.family), "{opcode} is of family {}", info.family);
            assert!(!info.is_abstract && info.holder_kind < 0, "{opcode}");
            // Each has somewhere to put a result.
            assert_ne!(info.outs.1, Some(0), "{opcode}");
            // None names a queue, a block, a function or another instruction.
            use crate::op::Slot;
            let names =
                |s: &Slot| matches!(s, Slot::Queue | Slot::Block | Slot::Function | Slot::Trigger | Slot::DmaBlocks);
            assert!(!info.fields.iter().any(|f| names(&f.slot)), "{opcode}");
        }
    }
}
