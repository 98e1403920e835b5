//! Payload fields, as the table lists them: `key=value`, those at their default only where everything is asked for.
#![forbid(unsafe_code)]

use super::expr::Binding;
use super::printer::Printer;
use super::style::{Output, Style};
use crate::Result;
use crate::ir::Instruction;
use crate::op::{Default, Element, Field, Presence, Slot};

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    /// All fields to be shown, each behind a space. Nested blocks have lines of their own.
    pub(super) fn payload(&mut self, instruction: &Instruction, fields: &'static [Field]) -> Result<()> {
        for field in fields.iter().filter(|f| f.slot != Slot::Blocks) {
            if self.all || is_shown(instruction, field)? {
                self.key(field.key)?;
                self.field_value(instruction, field)?;
            }
        }
        Ok(())
    }

    /// The value of one field, nested blocks not included.
    pub(super) fn field_value(&mut self, instruction: &Instruction, field: &'static Field) -> Result<()> {
        let at = |index| instruction.field_element(field, index);
        match field.list_depth() {
            _ if field.slot == Slot::Blocks => {
                self.list(0..instruction.field_len(field)?, |p, i| p.element(at(i)?, instruction))
            }
            0 => self.single(at(0)?, instruction),
            1 => self.list(0..instruction.field_len(field)?, |p, i| p.element(at(i)?, instruction)),
            _ => self.list(0..instruction.field_len(field)?, |p, row| {
                p.list(0..instruction.field_row_len(field, row)?, |p, i| {
                    p.element(instruction.field_row_element(field, row, i)?, instruction)
                })
            }),
        }
    }

    /// A value that stands for itself: formulas of more than one part are in parentheses.
    fn single(&mut self, element: Element<'_>, instruction: &Instruction) -> Result<()> {
        match element {
            Element::Expr(expr) => self.expr(expr, Binding::Atom),
            Element::Node(node) => self.formula(node, Binding::Atom),
            other => self.element(other, instruction),
        }
    }

    fn element(&mut self, element: Element<'_>, instruction: &Instruction) -> Result<()> {
        match element {
            Element::Absent => self.none(),
            Element::Bool(value) => self.flag(value),
            Element::Int(value) => self.integer(value),
            Element::Float(value) => self.float(value),
            Element::Enum(id, ordinal) => self.ordinal(id.info(), Style::Member, ordinal),
            Element::Text(text) => self.quoted(Style::Text, &text),
            Element::Json(json) => self.json(&json),
            Element::Expr(expr) => self.expr(expr, Binding::Sum),
            Element::Node(node) => self.formula(node, Binding::Sum),
            Element::Pair(pair) => self.pair(pair),
            Element::Queue(queue) => self.queue_ref(queue),
            Element::Block(block) => self.block_ref(block, instruction.block()),
            Element::Function(function) => self.function_ref(function),
            Element::Instruction(target) => self.instruction_ref(target, instruction.block()),
            Element::Register(register) => self.register_ref(register),
            Element::Axis(axis) => self.axis(axis),
        }
    }
}

/// Whether a field says something: it differs from its default, or it has none, because readers insist on it, and is not
/// just false, empty or `None`.
fn is_shown(instruction: &Instruction, field: &'static Field) -> Result<bool> {
    let len = instruction.field_len(field)?;
    let required = field.presence == Presence::Required;
    match (field.list_depth(), field.fixed_length()) {
        (0, _) => {
            let value = instruction.field_element(field, 0)?;
            Ok(!is_default(&value, field.default) || required && !says_nothing(&value))
        }
        // Of these, each element has the default.
        (_, Some(_)) => {
            for index in 0..len {
                if required || !is_default(&instruction.field_element(field, index)?, field.default) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (_, None) => Ok(len > 0),
    }
}

fn says_nothing(value: &Element<'_>) -> bool {
    match value {
        Element::Bool(value) => !value,
        Element::Text(text) => text.is_empty(),
        Element::Enum(id, ordinal) => id.info().by_ordinal((*ordinal).into()).is_ok_and(|m| m.name == "None"),
        _ => false,
    }
}

fn is_default(element: &Element<'_>, default: Default) -> bool {
    let number = match default {
        Default::Int(number) => number,
        _ => 0,
    };
    let absent = default == Default::Absent;
    match element {
        Element::Absent => true,
        Element::Bool(value) => !absent && i64::from(*value) == number,
        // An unsigned field holds the bits of a negative default.
        Element::Int(value) => {
            let bits = [i128::from(number), i128::from(number as u64), i128::from(number as u32)];
            !absent && (*value == bits[0] || number < 0 && bits.contains(value))
        }
        Element::Float(value) => {
            let default = if let Default::Float(value) = default { value } else { 0.0 };
            value.to_bits() == default.to_bits()
        }
        Element::Enum(_, ordinal) => i64::from(*ordinal) == number,
        Element::Text(text) => text.is_empty(),
        _ => false,
    }
}
