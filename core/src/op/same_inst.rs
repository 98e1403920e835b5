//! Whether two instructions do the same: the original's `sameInst`, with which passes find what they may merge.
//!
//! The comparison is directional: the class of `a` decides what counts, and an abstract class accepts the opcodes of its
//! children, never the other way round. Names, ids, engines, dependencies, schedules, synchronisation, predicates and debug
//! texts take no part (`spec/instructions.md` section 4).
#![forbid(unsafe_code)]

use super::field::{Compares, Same, Slot};
use super::read;
use crate::enums::bir::{AluOpType, InstructionType as Op};
use crate::enums::category::Commutativity;
use crate::error::bail;
use crate::ir::raw::payload::SlotView;
use crate::ir::{Argument, Instruction, OperandList, computed};
use crate::{ErrorCode, Result};
use core::ptr::eq;

/// The code of the error for opcodes that the original does not compare: NKIKernel, NKIKLIRKernel, Call.
pub const NOT_IMPLEMENTED: ErrorCode = ErrorCode::Unsupported;

/// The code of the error for a field that holds an expression where the comparison takes a constant: opcodes 0 to 4.
pub const BAD_VARIANT: ErrorCode = ErrorCode::WrongKind;

/// The last opcode whose arm is known in full, and in which operands take no part.
const LAST_WITHOUT_OPERANDS: i32 = Op::Activation.ordinal();

/// What the class of `a` and the opcode of `b` decide.
enum Gate {
    /// This is the answer.
    Answer(bool),
    /// The payload decides, and for opcodes above [`LAST_WITHOUT_OPERANDS`] the operands.
    Open,
}

fn gate(a: &Instruction, b: &Instruction) -> Result<Gate> {
    let info = a.info()?;
    if info.same_compares == Compares::NotImplemented {
        bail!(Unsupported, "sameInst is not implemented for {} (`{}`)", info.name, a.name());
    }
    if info.holder_kind >= 0 {
        return Ok(Gate::Answer(eq(a, b)));
    }
    let other = b.opcode()?.ordinal().cast_unsigned();
    Ok(if info.same_accepts >> (other & 127) & 1 == 1 { Gate::Open } else { Gate::Answer(false) })
}

/// Fails if a field of which only constants are compared holds anything else.
pub(crate) fn check_constants(a: &Instruction, x: &Instruction) -> Result<()> {
    for field in a.info()?.fields {
        if field.same != Same::Exact || !matches!(field.slot, Slot::Maybe(_)) {
            continue;
        }
        if let SlotView::Maybe(kind, value) = x.slot_view(field)?
            && read::of_maybe(value.get(), kind, x).is_none()
        {
            bail!(WrongKind, "sameInst: `{}` of instruction `{}` is no constant", field.key, x.name());
        }
    }
    Ok(())
}

/// The payload of opcodes whose gate is open.
fn payload(a: &Instruction, b: &Instruction) -> Result<bool> {
    if a.info()?.same_compares == Compares::GateOnly {
        return Ok(true);
    }
    if a.opcode.get() <= LAST_WITHOUT_OPERANDS {
        check_constants(a, a)?;
        check_constants(a, b)?;
    }
    computed::same_payload(a, b)
}

fn same_list<'m>(mut a: impl Iterator<Item = &'m Argument>, mut b: impl Iterator<Item = &'m Argument>) -> Result<bool> {
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ok(true),
            (Some(x), Some(y)) if computed::same_operand(x, y)? => {}
            _ => return Ok(false),
        }
    }
}

fn operands(a: &Instruction, b: &Instruction) -> Result<bool> {
    for list in OperandList::ALL {
        if !same_list(a.operands(list), b.operands(list))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether `b` is the same instruction as `a`, as the original asks (`spec/instructions.md` section 4.2).
///
/// - Generic accepts opcodes 0 to 3 and GenericRelu itself; nothing else counts for them.
/// - GenericCopy, AbstractCopy and Activation compare their payload; operands do not count.
/// - Loop, DynamicForLoop, DMABlock and DoWhile are the same only as the same object.
/// - All others pass the gate (their own opcode, or the accept set of an abstract class), then compare every payload field of
///   `a`'s class and then `ins`, `indirection_ins` and `outs` pairwise: kind, element type, pattern, offset, storage by name,
///   literal by its bits. Floats of a payload are compared as numbers: NaN differs from itself, +0 equals -0.
///   Expressions are compared as trees.
///
/// # Errors
/// - [`NOT_IMPLEMENTED`] if `a` is an NKIKernel, NKIKLIRKernel or Call, whatever `b` is;
/// - [`BAD_VARIANT`] if a field of GenericCopy, AbstractCopy or Activation holds an expression, on either side and whether or
///   not another field differs;
/// - `CorruptIr` for an opcode that does not exist, `OutOfMemory`.
pub fn same_inst(a: &Instruction, b: &Instruction) -> Result<bool> {
    match gate(a, b)? {
        Gate::Answer(answer) => Ok(answer),
        Gate::Open => Ok(payload(a, b)? && (a.opcode.get() <= LAST_WITHOUT_OPERANDS || operands(a, b)?)),
    }
}

/// As [`same_inst`], and the operands count for opcodes 0 to 4 too: whether both compute the same from the same storage
/// into the same storage.
///
/// # Errors
/// As [`same_inst`].
pub fn same_inst_and_operands(a: &Instruction, b: &Instruction) -> Result<bool> {
    match gate(a, b)? {
        Gate::Answer(answer) => Ok(answer),
        Gate::Open => Ok(payload(a, b)? && operands(a, b)?),
    }
}

/// As [`same_inst_and_operands`], but the two inputs of TensorTensor and RegisterAlu may stand in either order where the
/// ALU op is commutative, and the second one does not count where the op is unary, and so ignores it
/// (`spec/instructions.md` section 5). Where the order counts, and for every other opcode, the inputs stay in order.
///
/// # Errors
/// As [`same_inst`].
pub fn same_computation(a: &Instruction, b: &Instruction) -> Result<bool> {
    match gate(a, b)? {
        Gate::Answer(answer) => return Ok(answer),
        Gate::Open if !payload(a, b)? => return Ok(false),
        Gate::Open => {}
    }
    if operands(a, b)? {
        return Ok(true);
    }
    // The payloads are equal, so both have this op.
    let op = match a.opcode()? {
        Op::TensorTensor | Op::RegisterAlu => read::member::<AluOpType>(a, "op")?,
        _ => None,
    };
    let Some(order) = op.map(AluOpType::commutativity) else { return Ok(false) };
    let (Some([a0, a1]), Some([b0, b1])) = (two_inputs(a), two_inputs(b)) else { return Ok(false) };
    let inputs = match order {
        Commutativity::OrderSensitive => false,
        Commutativity::Unary => computed::same_operand(a0, b0)?,
        Commutativity::Commutative => computed::same_operand(a0, b1)? && computed::same_operand(a1, b0)?,
    };
    Ok(inputs && same_list(a.indirection_ins(), b.indirection_ins())? && same_list(a.outs(), b.outs())?)
}

/// The inputs of an instruction that has exactly two.
fn two_inputs(i: &Instruction) -> Option<[&Argument; 2]> {
    let mut ins = i.ins();
    let pair = [ins.next()?, ins.next()?];
    ins.next().is_none().then_some(pair)
}
