//! Addresses in two halves, for objects of ours whose address has to lie in the four-byte gaps of a published struct.

use super::layout::Instruction;
use crate::mem::StdString;

/// The text of an instruction's `debug` object, if it has one.
///
/// It does not lie in the schedule block: what C++ keeps there has an unpublished type, and nearly every instruction of a
/// compiler's program has a line number, but far from all need the 2712 bytes of a block for anything else.
pub fn debug_text(instruction: &Instruction) -> Option<&StdString> {
    let address = ((u64::from(instruction.debug_high.get()) << 32) | u64::from(instruction.debug_low.get())) as usize;
    // SAFETY:
    // - the two halves are null or were written by `set_debug_text` from a text of this arena, whose addresses are exposed;
    // - the text lives as long as the arena, which the instruction lies in too.
    unsafe { core::ptr::with_exposed_provenance::<StdString>(address).as_ref() }
}

/// Sets or clears the text, which lies in the arena of the instruction.
pub fn set_debug_text(instruction: &Instruction, text: Option<&StdString>) {
    let address = text.map_or(0, |text| core::ptr::from_ref(text).expose_provenance()) as u64;
    instruction.debug_low.set(address as u32);
    instruction.debug_high.set((address >> 32) as u32);
}
