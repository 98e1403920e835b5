//! Which tensor of the caller stands for which tensor of the kernel.

use super::{Bad, Made};
use crate::doc::{Input, JsonInput, JsonOut, Limits, Output as _, Style};
use crate::error::text;
use crate::fallible::{copy, push};
use crate::ir::{Instruction, OperandList};
use crate::op::Json;
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// The two maps of the new instruction.
pub(super) struct Bindings {
    pub args: String,
    pub outs: String,
}

/// Binds the kernel's inputs and outputs, in order.
pub(super) fn bind(carrier: &Instruction, made: &Made<'_>) -> core::result::Result<Bindings, Bad> {
    let payload = carrier.as_nkiklir_kernel()?;
    let args = side("input", &made.inputs, payload.func_args()?, carrier, OperandList::Ins)?;
    let outs = side("output", &made.outputs, payload.func_outs()?, carrier, OperandList::Outs)?;
    Ok(Bindings { args, outs })
}

/// One map: by the names of the carrier's map if it has them, else by its order, and without one by the carrier's operands.
fn side(
    what: &str,
    formals: &[String],
    map: Json,
    carrier: &Instruction,
    list: OperandList,
) -> core::result::Result<String, Bad> {
    let given = match map.0.as_deref() {
        Some(json) => entries(json).map_err(|e| match e.code {
            ErrorCode::OutOfMemory => Bad::Failed(e),
            _ => Bad::Binding(text(e)),
        })?,
        None => Vec::new(),
    };
    let given = if given.is_empty() { operands(carrier, list)? } else { given };
    if given.len() != formals.len() {
        return Err(Bad::Binding(text(format_args!("{} {what}s for {}", given.len(), formals.len()))));
    }
    let by_name = formals.iter().all(|formal| given.iter().any(|(key, _)| key == formal));
    let mut bytes = Vec::new();
    let mut json = JsonOut::new(&mut bytes, Style::Compact);
    json.begin_object()?;
    for (formal, (_, in_order)) in formals.iter().zip(&given) {
        let named = given.iter().find(|(key, _)| by_name && key == formal).map(|(_, actual)| actual);
        json.key(formal)?;
        json.string(named.unwrap_or(in_order))?;
    }
    json.end_object()?;
    json.finish()?;
    let text = String::from_utf8(bytes).map_err(|_| Error::new(ErrorCode::Internal, "a map is not UTF-8"))?;
    Ok(copy(text.trim_end())?)
}

/// The pairs of a map, in the order of its text.
fn entries(json: &str) -> Result<Vec<(String, String)>> {
    let mut input = JsonInput::new(json.as_bytes(), Limits::default());
    let mut all = Vec::new();
    input.begin_object()?;
    while let Some(key) = input.next_key()? {
        let key = copy(&key)?;
        push(&mut all, (key, copy(&input.string()?)?))?;
    }
    Ok(all)
}

/// The tensors that the carrier's operands are of.
fn operands(carrier: &Instruction, list: OperandList) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for operand in carrier.operands(list).filter_map(|operand| operand.storage()) {
        push(&mut all, (String::new(), copy(&operand.name())?))?;
    }
    Ok(all)
}
