//! Instructions that do the same

use crate::boundary::{object, put_flag};
use crate::types::{bir_error, bir_inst, bir_status};
use bir_core::op::{same_computation, same_inst, same_inst_and_operands};

/// Whether b does the same as a, as `sameInst` of the original asks (spec/instructions.md section 4.2). The class of a
/// decides what counts. Names, ids, engines, edges, schedules, synchronisation, predicates and debug texts never do;
/// storages count by name, so the two may be of two modules. Of GenericCopy, AbstractCopy and Activation the fields are
/// compared and the operands are not; Generic accepts opcodes 0 to 3, whatever is in them, and GenericRelu its own; a
/// Loop, DynamicForLoop, DMABlock or DoWhile is the same as itself only; of all others fields and operands are compared.
/// UNSUPPORTED if a is an NKIKernel, NKIKLIRKernel or Call, WRONG_KIND if a field of the first three holds an expression,
/// on either side.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_same(
    a: *const bir_inst,
    b: *const bir_inst,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, same_inst(object(a)?, object(b)?)?) })
}

/// As bir_inst_same(), and the operands always count: whether both do the same with the same storage.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_same_and_operands(
    a: *const bir_inst,
    b: *const bir_inst,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, same_inst_and_operands(object(a)?, object(b)?)?) })
}

/// As bir_inst_same_and_operands(), but the two inputs of a TensorTensor or RegisterAlu may stand in either order if its
/// operation is commutative, and the second one does not count if the operation is unary (spec/instructions.md section 5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_same_computation(
    a: *const bir_inst,
    b: *const bir_inst,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, same_computation(object(a)?, object(b)?)?) })
}
