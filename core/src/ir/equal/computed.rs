//! Parts of two instructions compared by what they compute: payload and operands, without header. For `same_inst`.
//!
//! References count by name, as everywhere in this room. Each comparison starts afresh, because what was seen on the way to
//! a difference is not known to be equal.

use super::chain::Scope;
use super::differ::{Check, Differ};
use super::settled;
use crate::Result;
use crate::ir::raw::slot::shape;
use crate::ir::raw::{Argument, Function, Instruction};

fn differ<'x>(a: Option<&'x Function>, b: Option<&'x Function>) -> Differ<'x> {
    let (a, b) = Scope::of_functions(a, b);
    let mut differ = Differ::new(a, b);
    differ.by_value = true;
    differ
}

fn verdict(check: Check) -> Result<bool> {
    Ok(settled(check)?.is_none())
}

/// Whether `b` has the payload that `a` has: all slots of `a`'s opcode, floats by IEEE equality. Nested blocks do not count.
pub(crate) fn same_payload(a: &Instruction, b: &Instruction) -> Result<bool> {
    let (own, other) = (shape(a.opcode.get())?, shape(b.opcode.get())?);
    if !own.slots.iter().all(|s| other.slots.contains(s)) {
        return Ok(false);
    }
    verdict(differ(a.function(), b.function()).payload(a, b))
}

/// Whether two operands are the same: kind, element type, storage, pattern, offset with its run-time parts, literal.
pub(crate) fn same_operand(a: &Argument, b: &Argument) -> Result<bool> {
    verdict(differ(a.function(), b.function()).operand(a, b))
}

/// Whether two instructions are under the same predicates and have the same `order`.
pub(crate) fn same_guards(a: &Instruction, b: &Instruction) -> Result<bool> {
    let mut differ = differ(a.function(), b.function());
    let guards = differ.predicates("predicates", a.predicates(), b.predicates());
    verdict(guards.and_then(|()| differ.exprs("order", a.order(), b.order())))
}
