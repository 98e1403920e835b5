//! Payload slots by type, so that code over "every slot of every opcode" (cloning, comparing) reads the table's word for
//! what lies in a slot in one place only.
#![allow(unsafe_code)]

use super::layout::{BasicBlock, DMAQueue, Function, Instruction, Register};
use super::pointer::{Flag, Link, Ptr};
use super::slot::{MaybeType, Slot, slot};
use super::values::{APPair, ExprNode, MaybeAffine, MaybeAffinePayload, QuasiAffineExpr, StringList};
use crate::mem::{SmallVectorHeader, StdString, StdVector};
use core::cell::Cell;

/// A payload slot, seen as what lies in it.
pub(crate) enum SlotView<'m> {
    /// Bool.
    Flag(&'m Flag),
    /// U32, F32 (its bits) and Enum (its ordinal).
    Word(&'m Cell<u32>),
    /// U32Array.
    Words(&'m [Cell<u32>]),
    /// Maybe.
    Maybe(MaybeType, &'m Cell<MaybeAffine>),
    /// MaybePair.
    MaybePair(MaybeType, [&'m Cell<MaybeAffine>; 2]),
    /// String.
    Text(&'m StdString),
    /// Json; null is absent.
    Json(&'m Link<StdString>),
    /// Queue.
    Queue(&'m Link<DMAQueue>),
    /// Block.
    Block(&'m Link<BasicBlock>),
    /// Function.
    Function(&'m Link<Function>),
    /// Trigger.
    Trigger(&'m Link<Instruction>),
    /// VecU32, and VecEnum (its ordinals).
    VecWord(&'m StdVector<u32>),
    /// VecVecU32.
    VecVecU32(&'m StdVector<StdVector<u32>>),
    /// VecVecU64.
    VecVecU64(&'m StdVector<StdVector<u64>>),
    /// VecString.
    VecString(&'m StringList),
    /// VecRegister.
    VecRegister(&'m StdVector<Ptr<Register>>),
    /// DmaBlocks.
    DmaBlocks(&'m StdVector<Ptr<Instruction>>),
    /// VecExpr.
    VecExpr(&'m StdVector<QuasiAffineExpr>),
    /// SmallF32: bits.
    SmallWord(&'m SmallVectorHeader<u32>),
    /// SmallPairs.
    SmallPairs(&'m SmallVectorHeader<APPair>),
    /// SmallMaybe.
    SmallMaybe(MaybeType, &'m SmallVectorHeader<MaybeAffine>),
    /// Expr.
    Expr(&'m Cell<QuasiAffineExpr>),
    /// RuntimeValue.
    RuntimeValue(&'m Link<ExprNode>),
    /// Axis: read it by `Instruction::axis`.
    Axis,
    /// Blocks: they lie in the holder.
    Blocks,
}

/// The slot at `offset` of `instruction`, which the table says to be a `kind`; `None` if it does not lie in the payload.
pub(crate) fn view(instruction: &Instruction, offset: u16, kind: Slot) -> Option<SlotView<'_>> {
    let i = instruction;
    Some(match kind {
        Slot::Bool => SlotView::Flag(slot(i, offset)?),
        Slot::U32 | Slot::F32 | Slot::Enum(_) => SlotView::Word(slot(i, offset)?),
        Slot::U32Array { len: 2 } => SlotView::Words(slot::<[Cell<u32>; 2]>(i, offset)?),
        Slot::U32Array { len: 3 } => SlotView::Words(slot::<[Cell<u32>; 3]>(i, offset)?),
        // No opcode has another length (a test views every slot of the table).
        Slot::U32Array { .. } => return None,
        Slot::Maybe(t) => SlotView::Maybe(t, slot(i, offset)?),
        Slot::MaybePair(t) => {
            let pair = slot::<[Cell<MaybeAffine>; 2]>(i, offset)?;
            SlotView::MaybePair(t, pair.each_ref())
        }
        Slot::String => SlotView::Text(slot(i, offset)?),
        Slot::Json => SlotView::Json(slot(i, offset)?),
        Slot::Queue => SlotView::Queue(slot(i, offset)?),
        Slot::Block => SlotView::Block(slot(i, offset)?),
        Slot::Function => SlotView::Function(slot(i, offset)?),
        Slot::Trigger => SlotView::Trigger(slot(i, offset)?),
        Slot::VecU32 | Slot::VecEnum(_) => SlotView::VecWord(slot(i, offset)?),
        Slot::VecVecU32 => SlotView::VecVecU32(slot(i, offset)?),
        Slot::VecVecU64 => SlotView::VecVecU64(slot(i, offset)?),
        Slot::VecString => SlotView::VecString(slot(i, offset)?),
        Slot::VecRegister => SlotView::VecRegister(slot(i, offset)?),
        Slot::DmaBlocks => SlotView::DmaBlocks(slot(i, offset)?),
        Slot::VecExpr => SlotView::VecExpr(slot(i, offset)?),
        Slot::SmallF32 { .. } => SlotView::SmallWord(slot(i, offset)?),
        Slot::SmallPairs => SlotView::SmallPairs(slot(i, offset)?),
        Slot::SmallMaybe(t) => SlotView::SmallMaybe(t, slot(i, offset)?),
        Slot::Expr => SlotView::Expr(slot(i, offset)?),
        Slot::RuntimeValue => SlotView::RuntimeValue(slot(i, offset)?),
        Slot::Axis => SlotView::Axis,
        Slot::Blocks => SlotView::Blocks,
    })
}

/// What a [`MaybeAffine`] holds.
#[derive(Clone, Copy)]
pub(crate) enum MaybeContent<'m> {
    /// The constant, zero-extended from the width of its type.
    Constant(u64),
    /// The expression.
    Affine(QuasiAffineExpr),
    /// Verbatim JSON; `None` if its pointer is null.
    Verbatim(Option<&'m StdString>),
}

/// Private state byte: the field is absent.
pub(crate) const ABSENT: u8 = 1;
/// Private state byte: the field holds verbatim JSON.
pub(crate) const VERBATIM: u8 = 2;

/// Whether the field is absent: it has no value, not even the default one.
pub(crate) fn is_absent(value: MaybeAffine) -> bool {
    value.tag == 0 && value.state == ABSENT
}

/// The bits of a constant of that type.
const fn mask(kind: MaybeType) -> u64 {
    match kind {
        MaybeType::Bool | MaybeType::U8 => 0xFF,
        MaybeType::U16 => 0xFFFF,
        MaybeType::U32 | MaybeType::I32 => 0xFFFF_FFFF,
        MaybeType::U64 => u64::MAX,
    }
}

/// Reads a [`MaybeAffine`]. `anchor` is any object of its module.
pub(crate) fn read_maybe<'m, A: ?Sized>(value: MaybeAffine, kind: MaybeType, anchor: &'m A) -> MaybeContent<'m> {
    match (value.tag, value.state) {
        // SAFETY:
        // - tag 1 says that the payload is an expression; every write of another arm writes another tag;
        // - all 32 bytes were written, zeroed first.
        (1, _) => MaybeContent::Affine(unsafe { value.payload.affine }),
        // SAFETY:
        // - state 2 says that a text pointer lies behind eight zero bytes;
        // - all 32 bytes were written, zeroed first.
        (_, VERBATIM) => MaybeContent::Verbatim(unsafe { value.payload.verbatim }.1.get(anchor)),
        // SAFETY: any bytes are a number, and all 32 bytes were written, zeroed first.
        _ => MaybeContent::Constant(unsafe { value.payload.constant } & mask(kind)),
    }
}

/// A [`MaybeAffine`] of that content; tag and state byte are given, not derived, so that foreign ones survive.
pub(crate) fn make_maybe(content: MaybeContent<'_>, tag: u8, state: u8) -> MaybeAffine {
    let mut payload = MaybeAffinePayload { bytes: [0; 4] };
    match content {
        MaybeContent::Constant(bits) => payload.constant = bits,
        MaybeContent::Affine(expr) => payload.affine = expr,
        MaybeContent::Verbatim(text) => payload.verbatim = (0, Ptr::to_option(text)),
    }
    MaybeAffine { payload, tag, state, padding: [0; 6] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::raw::shapes::SHAPES;
    use crate::ir::{Module, Place};

    #[test]
    fn every_slot_of_the_table_has_a_view() {
        let module = Module::new().unwrap();
        let block = *module.add_function("f", Place::End).unwrap().add_block("b", Place::End).unwrap();
        for (ordinal, shape) in SHAPES.iter().enumerate() {
            let opcode = crate::enums::bir::InstructionType::from_ordinal(ordinal as i64).unwrap();
            let instruction = *block.add_instruction(opcode, opcode.name(), Place::End).unwrap();
            for (offset, kind) in shape.slots {
                assert!(view(instruction, *offset, *kind).is_some(), "{opcode:?} {offset:#x} {kind:?}");
            }
        }
    }

    #[test]
    fn constants_are_cut_to_their_width() {
        let module = Module::new().unwrap();
        let dirty = make_maybe(MaybeContent::Constant(u64::MAX), 0, 0);
        for (kind, bits) in [(MaybeType::Bool, 0xFF), (MaybeType::U16, 0xFFFF), (MaybeType::I32, u64::from(u32::MAX))] {
            assert!(matches!(read_maybe(dirty, kind, &module), MaybeContent::Constant(b) if b == bits));
        }
    }
}
