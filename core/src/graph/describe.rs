//! What a node says of an instruction: a few short lines in its box, everything in its tooltip.
#![forbid(unsafe_code)]

use super::select::ByEngine;
use super::text::{Count, Grouped, cut, joined, wrapped};
use crate::enums::bir::{Dtype, EngineType, UpdateMode, WaitMode};
use crate::fallible::{append, format, push};
use crate::ir::{Argument, EdgeSet, Instruction, OperandList, default_update_mode, default_wait_mode};
use crate::op::{Default, Field, Slot, Value};
use crate::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// Columns of a line in a box.
pub(super) const LINE: usize = 28;
/// Items of a list in a tooltip; the rest is counted.
const ITEMS: usize = 16;

/// The lines below the name.
pub(super) fn lines(instruction: &Instruction) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let info = instruction.info()?;
    let mut head = format(info.name)?;
    let mut shown = 0;
    for field in info.fields {
        if let (Slot::Enum(_), true) = (field.slot, shown < 2)
            && let Some(value) = attribute(instruction, field)?
        {
            append(&mut head, format_args!(" {value}"))?;
            shown += 1;
        }
    }
    push(&mut lines, cut(&head, LINE)?)?;
    if let Some(range) = axis(instruction)? {
        push(&mut lines, cut(&range, LINE)?)?;
    }
    let outs = short(instruction, OperandList::Outs)?;
    let ins = short(instruction, OperandList::Ins)?;
    let operands = match (outs.is_empty(), ins.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format(format_args!("{outs} \u{2190}"))?,
        (true, false) => format(format_args!("\u{2190} {ins}"))?,
        (false, false) => format(format_args!("{outs} \u{2190} {ins}"))?,
    };
    if !operands.is_empty() {
        let all = wrapped(&operands, LINE)?;
        let more = all.len() > 2;
        for (i, line) in all.into_iter().take(2).enumerate() {
            let line = if i == 1 && more { cut(&format(format_args!("{line} \u{2026}"))?, LINE)? } else { line };
            push(&mut lines, line)?;
        }
    }
    for (key, name) in targets(instruction)? {
        push(&mut lines, cut(&format(format_args!("{key} \u{2192} {name}"))?, LINE)?)?;
    }
    for wait in waits(instruction)?.into_iter().chain(updates(instruction)?).take(4) {
        push(&mut lines, cut(&wait, LINE)?)?;
    }
    Ok(lines)
}

/// The whole truth.
pub(super) fn details(instruction: &Instruction, path: &str) -> Result<String> {
    let info = instruction.info()?;
    let mut out =
        format(format_args!("{}: {}\n{path}, id {}", instruction.name(), info.name, instruction.unique_id()))?;
    let engine = instruction.engine().map_or("unknown", EngineType::name);
    append(&mut out, format_args!("\nengine {engine} {}", instruction.engine_id()))?;
    let (start, end) = (instruction.scheduled_start(), instruction.scheduled_end());
    if (start, end) != (0, 0) {
        append(&mut out, format_args!("\nscheduled {start} to {end}"))?;
    }
    if let Some(range) = axis(instruction)? {
        append(&mut out, format_args!("\n{range}"))?;
    }
    for field in info.fields {
        if let Some(value) = attribute(instruction, field)? {
            append(&mut out, format_args!("\n{}: {value}", field.key))?;
        }
    }
    for (key, name) in targets(instruction)? {
        append(&mut out, format_args!("\n{key}: {name}"))?;
    }
    for list in [OperandList::Outs, OperandList::Ins, OperandList::IndirectionIns] {
        for operand in instruction.operands(list) {
            append(&mut out, format_args!("\n{}: {}", list.key(), long(operand)?))?;
        }
    }
    for (what, set) in [("waits for", EdgeSet::Normal), ("waits for, of the last iteration", EdgeSet::LoopCarried)] {
        let total = instruction.dependency_count(set);
        let mut edges = Vec::new();
        for edge in instruction.dependencies(set).take(ITEMS) {
            push(&mut edges, format(format_args!("{} ({})", edge.target.name(), edge.kind.name()))?)?;
        }
        if total > 0 {
            append(&mut out, format_args!("\n{what}: {}", joined(edges.iter(), ", ")?))?;
            if total > ITEMS {
                append(&mut out, format_args!(" and {} more", Grouped((total - ITEMS) as u64)))?;
            }
        }
    }
    for line in waits(instruction)?.into_iter().chain(updates(instruction)?) {
        append(&mut out, format_args!("\n{line}"))?;
    }
    Ok(out)
}

/// The lines of a node that stands for several instructions.
pub(super) fn counts(by_engine: &ByEngine, blocks: u64, is_block: bool) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    push(&mut lines, format(Count(by_engine.iter().sum(), "instruction"))?)?;
    if blocks > 0 {
        let what = if is_block { "nested block" } else { "block" };
        push(&mut lines, format(format_args!("in {}", Count(blocks, what)))?)?;
    }
    let mut engines = Vec::new();
    for (engine, count) in EngineType::MEMBERS.iter().zip(by_engine).filter(|(_, count)| **count > 0) {
        push(&mut engines, format(format_args!("{}\u{a0}{}", engine.name(), Grouped(*count)))?)?;
    }
    for line in wrapped(&joined(engines.iter(), " ")?, LINE)? {
        if !line.is_empty() {
            push(&mut lines, line)?;
        }
    }
    Ok(lines)
}

/// A plain field that is not at its default.
fn attribute(instruction: &Instruction, field: &'static Field) -> Result<Option<String>> {
    let (value, default) = (instruction.get_field(field)?, field.default);
    let text = match value {
        Value::Enum(id, ordinal) if default != Default::Int(ordinal.into()) => {
            match id.info().by_ordinal(ordinal.into()) {
                Ok(member) => format(member.name)?,
                Err(_) => format(ordinal)?,
            }
        }
        Value::Bool(set) if default != Default::Int(set.into()) && (set || default != Default::Absent) => format(set)?,
        Value::Int(number) if !matches!(default, Default::Int(d) if i128::from(d) == number) => format(number)?,
        Value::Float(number) if default != Default::Float(number) => format(number)?,
        Value::Text(text) if !text.is_empty() => text,
        Value::Queue(queue) => format(queue.name())?,
        _ => return Ok(None),
    };
    Ok(Some(text))
}

/// The blocks and functions that fields name.
fn targets(instruction: &Instruction) -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    for field in instruction.info()?.fields.iter().filter(|f| matches!(f.slot, Slot::Block | Slot::Function)) {
        match instruction.get_field(field)? {
            Value::Block(block) => push(&mut found, (field.key, format(block.name())?))?,
            Value::Function(function) => push(&mut found, (field.key, format(function.name())?))?,
            _ => {}
        }
    }
    Ok(found)
}

/// The axis of a loop.
fn axis(instruction: &Instruction) -> Result<Option<String>> {
    let Some(axis) = instruction.axis() else { return Ok(None) };
    if axis.as_dynamic().is_some() {
        return format(format_args!("{}: bounds at run time", axis.name())).map(Some);
    }
    let (name, lb, ub, stride) = (axis.name(), axis.lb(), axis.ub(), axis.stride());
    format(format_args!("{name}: {lb} to {ub} by {stride}")).map(Some)
}

fn waits(instruction: &Instruction) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for wait in instruction.waits() {
        let mode: WaitMode = wait.mode;
        let how = if mode == default_wait_mode() { "\u{2265}" } else { mode.name() };
        push(&mut lines, format(format_args!("wait sem {} {how} {}", wait.id, wait.value))?)?;
    }
    Ok(lines)
}

fn updates(instruction: &Instruction) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for update in instruction.updates() {
        let mode: UpdateMode = update.mode;
        let how = if mode == default_update_mode() { "+=" } else { mode.name() };
        push(&mut lines, format(format_args!("then sem {} {how} {}", update.id, update.value))?)?;
    }
    Ok(lines)
}

/// The names of what operands lead to, each once.
fn short(instruction: &Instruction, list: OperandList) -> Result<String> {
    let mut names: Vec<String> = Vec::new();
    for operand in instruction.operands(list).take(ITEMS) {
        let name = match operand.storage() {
            Some(storage) => format(storage.name())?,
            None => immediate(operand)?,
        };
        if !names.contains(&name) {
            push(&mut names, name)?;
        }
    }
    joined(names.iter(), ", ")
}

/// An operand with its pattern.
fn long(operand: &Argument) -> Result<String> {
    let dtype = operand.dtype().map_or("unknown", Dtype::name);
    let Some(storage) = operand.storage() else {
        return format(format_args!("{} {dtype}", immediate(operand)?));
    };
    let mut out = format(storage.name())?;
    if operand.pattern().len() > 0 {
        let mut pairs = Vec::new();
        for pair in operand.pattern() {
            push(&mut pairs, format(format_args!("{} x {}", pair.step, pair.num))?)?;
        }
        append(&mut out, format_args!("[{}]", joined(pairs.iter(), ", ")?))?;
    }
    if let Some(offset) = operand.offset().filter(|o| *o > 0) {
        append(&mut out, format_args!(" + {offset}"))?;
    }
    append(&mut out, format_args!(" {dtype}"))?;
    if let Ok(memory) = storage.memory_type()
        && operand.memory_location().is_some()
    {
        append(&mut out, format_args!(" in {}", memory.name()))?;
    }
    Ok(out)
}

/// An immediate: its value where the type is plain, else its bits.
fn immediate(operand: &Argument) -> Result<String> {
    let Some(bits) = operand.immediate_bits() else {
        let count = operand.immediate_array().len() as u64;
        return if count > 0 { format(Count(count, "immediate")) } else { format("symbolic immediate") };
    };
    match operand.dtype() {
        // Floats of 16 bits are kept as IEEE singles.
        Ok(Dtype::float32 | Dtype::bfloat16 | Dtype::float16) => format(f32::from_bits(bits as u32)),
        Ok(Dtype::int8) => format(bits as u8 as i8),
        Ok(Dtype::int16) => format(bits as u16 as i16),
        Ok(Dtype::int32) => format(bits as u32 as i32),
        Ok(Dtype::int64) => format(bits as i64),
        Ok(Dtype::uint8 | Dtype::uint16 | Dtype::uint32 | Dtype::uint64) => format(bits),
        _ => format(format_args!("{bits:#x}")),
    }
}

/// The error of a table that does not fit itself.
pub(super) fn defect(what: &str) -> Error {
    Error::new(crate::ErrorCode::Internal, what)
}
