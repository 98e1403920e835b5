//! One payload field of an instruction, by its key: what tests and passes ask about fields that only some opcodes have.
//!
//! `None` means that the opcode has no such field. An expression where a constant is needed is an error, as it is for the
//! plain getter of the original (`spec/instructions.md` section 2).
#![forbid(unsafe_code)]

use crate::Result;
use crate::enums::IrEnum;
use crate::error::bail;
use crate::ir::Instruction;
use crate::ir::raw::payload::{ABSENT, MaybeContent, SlotView, read_maybe};
use crate::ir::raw::slot::MaybeType;
use crate::ir::raw::values::MaybeAffine;

/// The field of that key, and its slot.
fn find<'m>(instruction: &'m Instruction, key: &str) -> Result<Option<SlotView<'m>>> {
    instruction.info()?.field(key).map(|field| instruction.slot_view(field)).transpose()
}

fn wrong<T>(instruction: &Instruction, key: &str, what: &str) -> Result<T> {
    bail!(WrongKind, "`{key}` of instruction `{}` is no {what}", instruction.name())
}

/// An enum field.
///
/// # Errors
/// `UnknownEnum` for a number that is no member; `WrongKind` if the field is no enum.
pub(crate) fn member<E: IrEnum>(instruction: &Instruction, key: &str) -> Result<Option<E>> {
    match find(instruction, key)? {
        None => Ok(None),
        Some(SlotView::Word(word)) => E::from_ordinal(word.get().cast_signed().into()).map(Some),
        Some(_) => wrong(instruction, key, E::INFO.name),
    }
}

/// A field that may be an expression, as the constant that it holds: zero-extended bits.
///
/// # Errors
/// `WrongKind` if it holds an expression or verbatim JSON, or is another kind of field.
pub(crate) fn constant(instruction: &Instruction, key: &str) -> Result<Option<u64>> {
    match find(instruction, key)? {
        None => Ok(None),
        Some(SlotView::Maybe(kind, value)) => match of_maybe(value.get(), kind, instruction) {
            Some(bits) => Ok(Some(bits)),
            None => wrong(instruction, key, "constant"),
        },
        Some(_) => wrong(instruction, key, "constant"),
    }
}

/// The constant of a value that may be an expression; `None` if it is none. An absent one is zero.
pub(crate) fn of_maybe(value: MaybeAffine, kind: MaybeType, at: &Instruction) -> Option<u64> {
    match read_maybe(value, kind, at) {
        MaybeContent::Constant(_) if value.state == ABSENT => Some(0),
        MaybeContent::Constant(bits) => Some(bits),
        MaybeContent::Affine(_) | MaybeContent::Verbatim(_) => None,
    }
}

/// As [`constant`], but `None` too where the field holds an expression.
///
/// # Errors
/// `WrongKind` if it is another kind of field.
pub(crate) fn plain(instruction: &Instruction, key: &str) -> Result<Option<u64>> {
    match find(instruction, key)? {
        None => Ok(None),
        Some(SlotView::Maybe(kind, value)) => Ok(of_maybe(value.get(), kind, instruction)),
        Some(_) => wrong(instruction, key, "constant"),
    }
}

/// As [`constant`], for a flag; false if the opcode has no such field.
pub(crate) fn flag(instruction: &Instruction, key: &str) -> Result<bool> {
    Ok(constant(instruction, key)?.is_some_and(|bits| bits != 0))
}

/// Number of elements of a list of words.
///
/// # Errors
/// `WrongKind` if the field is no such list.
pub(crate) fn word_count(instruction: &Instruction, key: &str) -> Result<Option<usize>> {
    match find(instruction, key)? {
        None => Ok(None),
        Some(SlotView::VecWord(list)) => Ok(Some(list.len())),
        Some(_) => wrong(instruction, key, "list of words"),
    }
}
