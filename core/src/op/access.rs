//! Payload fields by key: get and set, with type and range checks, for every opcode through the one table.
#![forbid(unsafe_code)]

use super::field::{Default, Field, MaybeType, OpcodeInfo, Slot};
use super::table::OPCODES;
use super::value::Value;
use crate::enums::EnumId;
use crate::enums::bir::InstructionType;
use crate::error::{bail, text};
use crate::fallible::{copy, push};
use crate::ir::raw::payload::{ABSENT, MaybeContent, SlotView, VERBATIM, is_absent, make_maybe, read_maybe, view};
use crate::ir::raw::values::MaybeAffine;
use crate::ir::raw::{DMAQueue, Link, ModuleState, Ptr};
use crate::ir::{APPair, ExprKind, Instruction, ModuleRef, QuasiAffineExpr, own_node, set_linked_text};
use crate::mem::{StdString, StdVector};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

impl OpcodeInfo {
    /// The row of an opcode.
    pub fn of(opcode: InstructionType) -> &'static OpcodeInfo {
        // The table has one row per member of the enum (a test compares the two).
        &OPCODES[opcode.ordinal() as usize]
    }

    /// The row of that name or ordinal as text; `UnknownEnum` with the nearest name otherwise.
    pub fn find(text: &str) -> Result<&'static OpcodeInfo> {
        let opcode = match text.parse::<i64>() {
            Ok(ordinal) => InstructionType::from_ordinal(ordinal),
            Err(_) => InstructionType::from_name(text),
        };
        opcode.map(OpcodeInfo::of)
    }

    /// The field of that key, or an error that names the keys there are.
    pub fn require(&self, key: &str) -> Result<&'static Field> {
        self.field(key).ok_or_else(|| {
            let keys: Vec<&str> = self.fields.iter().map(|f| f.key).collect();
            let expected = if keys.is_empty() { String::from("no payload key") } else { keys.join(", ") };
            Error::new(ErrorCode::UnknownKey, format_args!("{} has no field `{key}`", self.name))
                .expected_found(expected, format_args!("`{key}`"))
        })
    }
}

fn allocated<T>(result: core::result::Result<T, alloc::collections::TryReserveError>) -> Result<T> {
    result.map_err(|_| Error::out_of_memory())
}

fn list<'m>(values: impl Iterator<Item = Value<'m>>) -> Result<Value<'m>> {
    let mut all = Vec::new();
    for value in values {
        push(&mut all, value)?;
    }
    Ok(Value::List(all))
}

impl Instruction {
    /// The table row of the instruction's opcode.
    pub fn info(&self) -> Result<&'static OpcodeInfo> {
        self.opcode().map(OpcodeInfo::of)
    }

    /// The value of the field of that key.
    ///
    /// # Errors
    /// `UnknownKey` if the opcode has no such field; `OutOfMemory`.
    pub fn get(&self, key: &str) -> Result<Value<'_>> {
        self.get_field(self.info()?.require(key)?)
    }

    /// Sets the field of that key.
    ///
    /// # Errors
    /// `UnknownKey`; `WrongType` for a value of another type, `BadValue` outside its range, `UnknownEnum` for an ordinal
    /// that the enum lacks, `ForeignModule`, `Unsupported` for what has a method of its own (axes, nested blocks).
    pub fn set(&self, key: &str, value: &Value<'_>) -> Result<()> {
        self.set_field(self.info()?.require(key)?, value)
    }

    pub(super) fn slot_view(&self, field: &Field) -> Result<SlotView<'_>> {
        match view(self, field.offset, field.slot) {
            Some(view) => Ok(view),
            None => bail!(CorruptIr, "corrupt IR: `{}` is no field of {}", field.key, self.opcode()?.name()),
        }
    }

    /// The back link of a DMABlock to its DMATrigger.
    pub(crate) fn trigger_link(&self) -> Option<&Link<Instruction>> {
        let field = self.info().ok()?.fields.iter().find(|f| f.slot == Slot::Trigger)?;
        match view(self, field.offset, field.slot)? {
            SlotView::Trigger(link) => Some(link),
            _ => None,
        }
    }

    /// The queue that the instruction names.
    pub(crate) fn queue_link(&self) -> Option<&Link<DMAQueue>> {
        let field = self.info().ok()?.fields.iter().find(|f| f.slot == Slot::Queue)?;
        match view(self, field.offset, field.slot)? {
            SlotView::Queue(link) => Some(link),
            _ => None,
        }
    }

    /// The value of a field of the instruction's opcode.
    pub fn get_field(&self, field: &'static Field) -> Result<Value<'_>> {
        Ok(match self.slot_view(field)? {
            SlotView::Flag(flag) => Value::Bool(flag.get()),
            SlotView::Word(word) => match field.slot {
                Slot::Enum(id) => Value::Enum(id, word.get().cast_signed()),
                Slot::F32 => Value::Float(f32::from_bits(word.get())),
                _ => Value::Int(word.get().into()),
            },
            SlotView::Words(words) => list(words.iter().map(|w| Value::Int(w.get().into())))?,
            SlotView::Maybe(kind, cell) => self.maybe_value(kind, cell.get())?,
            SlotView::MaybePair(kind, pair) => {
                let mut values = Vec::new();
                allocated(values.try_reserve_exact(2))?;
                for cell in pair {
                    values.push(self.maybe_value(kind, cell.get())?);
                }
                Value::List(values)
            }
            SlotView::Text(string) => Value::Text(copy(&string.get())?),
            SlotView::Json(link) => match link.get() {
                Some(string) => Value::Json(copy(&string.get())?),
                None => Value::Absent,
            },
            SlotView::Queue(link) => link.get().map_or(Value::Absent, Value::Queue),
            SlotView::Block(link) => link.get().map_or(Value::Absent, Value::Block),
            SlotView::Function(link) => link.get().map_or(Value::Absent, Value::Function),
            SlotView::Trigger(link) => link.get().map_or(Value::Absent, Value::Instruction),
            SlotView::VecWord(words) => match field.slot {
                Slot::VecEnum(id) => list(words.iter().map(|w| Value::Enum(id, w.cast_signed())))?,
                _ => list(words.iter().map(|w| Value::Int(w.into())))?,
            },
            SlotView::VecVecU32(rows) => rows_value(rows)?,
            SlotView::VecVecU64(rows) => rows_value(rows)?,
            SlotView::VecString(texts) => {
                let mut values = Vec::new();
                for text in texts.iter() {
                    allocated(values.try_reserve(1))?;
                    values.push(Value::Text(copy(&text)?));
                }
                Value::List(values)
            }
            SlotView::VecRegister(registers) => {
                list(registers.iter().filter_map(|r| r.get(self)).map(Value::Register))?
            }
            SlotView::DmaBlocks(blocks) => list(blocks.iter().filter_map(|b| b.get(self)).map(Value::Instruction))?,
            SlotView::VecExpr(exprs) => list(exprs.iter().map(|e| Value::Expr(QuasiAffineExpr::lend(e, self))))?,
            SlotView::SmallWord(words) => list(words.iter().map(|w| Value::Float(f32::from_bits(w))))?,
            SlotView::SmallPairs(pairs) => list(pairs.iter().map(Value::Pair))?,
            SlotView::SmallMaybe(kind, values) => {
                let mut all = Vec::new();
                for value in values.iter() {
                    allocated(all.try_reserve(1))?;
                    all.push(self.maybe_value(kind, value)?);
                }
                Value::List(all)
            }
            SlotView::Expr(cell) => {
                let expr = QuasiAffineExpr::lend(cell.get(), self);
                if expr.is_none() { Value::Absent } else { Value::Expr(expr) }
            }
            SlotView::RuntimeValue(link) => link.get().map_or(Value::Absent, Value::Node),
            SlotView::Axis => self.axis().map_or(Value::Absent, Value::Axis),
            SlotView::Blocks => {
                let holder = self.block_holder();
                list(holder.into_iter().flat_map(|h| h.blocks()).map(Value::Block))?
            }
        })
    }

    fn maybe_value(&self, kind: MaybeType, value: MaybeAffine) -> Result<Value<'_>> {
        if is_absent(value) {
            return Ok(Value::Absent);
        }
        Ok(match read_maybe(value, kind, self) {
            MaybeContent::Affine(expr) => Value::Expr(QuasiAffineExpr::lend(expr, self)),
            MaybeContent::Verbatim(Some(string)) => Value::Json(copy(&string.get())?),
            MaybeContent::Verbatim(None) => Value::Absent,
            MaybeContent::Constant(bits) => match kind {
                MaybeType::Bool => Value::Bool(bits != 0),
                MaybeType::I32 => Value::Int((bits as u32).cast_signed().into()),
                _ => Value::Int(bits.into()),
            },
        })
    }

    /// Sets a field of the instruction's opcode; see [`Instruction::set`]. On failure nothing changed.
    pub fn set_field(&self, field: &'static Field, value: &Value<'_>) -> Result<()> {
        let module = self.module()?;
        let state = module.module_state()?;
        let setter = Setter { module, state, instruction: self, field };
        setter.set(value).map_err(|e| e.at(field.key))
    }
}

fn rows_value<'m, T: Copy + Into<i128> + crate::mem::Plain>(rows: &StdVector<StdVector<T>>) -> Result<Value<'m>> {
    let mut all = Vec::new();
    for row in rows.iter_refs() {
        allocated(all.try_reserve(1))?;
        all.push(list(row.iter().map(|v| Value::Int(v.into())))?);
    }
    Ok(Value::List(all))
}

/// One field being set.
struct Setter<'m> {
    module: &'m ModuleRef,
    state: &'m ModuleState,
    instruction: &'m Instruction,
    field: &'static Field,
}

impl<'m> Setter<'m> {
    fn wrong(&self, expected: &str, value: &Value<'_>) -> Error {
        let message = format_args!("`{}` is a {}", self.field.key, self.field.type_text);
        Error::new(ErrorCode::WrongType, message).expected_found(expected, value.describe())
    }

    fn int(&self, value: &Value<'_>, min: i128, max: i128) -> Result<i128> {
        let number = match value {
            Value::Int(number) => *number,
            Value::Bool(flag) => i128::from(*flag),
            Value::Enum(_, ordinal) => (*ordinal).into(),
            _ => return Err(self.wrong("an integer", value)),
        };
        if number < min || number > max {
            return Err(Error::new(ErrorCode::BadValue, format_args!("`{}` is out of range", self.field.key))
                .expected_found(format_args!("{min} to {max}"), number));
        }
        Ok(number)
    }

    fn bool(&self, value: &Value<'_>) -> Result<bool> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            Value::Int(0) => Ok(false),
            Value::Int(1) => Ok(true),
            _ => Err(self.wrong("a boolean", value)),
        }
    }

    fn float(&self, value: &Value<'_>) -> Result<f32> {
        match value {
            Value::Float(number) => Ok(*number),
            Value::Int(number) => Ok(*number as f32),
            _ => Err(self.wrong("a float", value)),
        }
    }

    fn member(&self, id: EnumId, value: &Value<'_>) -> Result<u32> {
        match value {
            Value::Enum(other, _) if *other != id => {
                return Err(self.wrong(id.info().name, value));
            }
            Value::Text(name) => return Ok(id.info().by_json(name)?.ordinal.cast_unsigned()),
            _ => {}
        }
        let ordinal = self.int(value, i32::MIN.into(), i32::MAX.into())?;
        Ok(id.info().by_ordinal(ordinal as i64)?.ordinal.cast_unsigned())
    }

    fn text<'v>(&self, value: &'v Value<'_>) -> Result<&'v str> {
        match value {
            Value::Text(text) | Value::Json(text) => Ok(text),
            _ => Err(self.wrong("a text", value)),
        }
    }

    fn items<'v, 'x>(&self, value: &'v Value<'x>) -> Result<&'v [Value<'x>]> {
        match value {
            Value::List(items) => Ok(items),
            Value::Absent => Ok(&[]),
            _ => Err(self.wrong("a list", value)),
        }
    }

    fn each<T>(&self, value: &Value<'_>, mut convert: impl FnMut(&Value<'_>) -> Result<T>) -> Result<Vec<T>> {
        let items = self.items(value)?;
        let mut all = Vec::new();
        allocated(all.try_reserve_exact(items.len()))?;
        for (index, item) in items.iter().enumerate() {
            all.push(convert(item).map_err(|e| e.at(format_args!("{}[{index}]", self.field.key)))?);
        }
        Ok(all)
    }

    fn json(&self, value: &Value<'_>) -> Result<String> {
        let given = self.text(value)?;
        serde_json::from_str::<serde_json::Value>(given)
            .map_err(|e| Error::new(ErrorCode::Syntax, format_args!("`{}` is no JSON: {e}", self.field.key)))?;
        copy(given)
    }

    /// A reference to an object of the same module.
    fn same_module(&self, module: Result<&ModuleRef>, name: &str) -> Result<()> {
        if Ptr::to(module?) == Ptr::to(self.module) {
            return Ok(());
        }
        bail!(ForeignModule, "`{name}` belongs to another module")
    }

    fn maybe(&self, kind: MaybeType, value: &Value<'_>) -> Result<MaybeAffine> {
        let (min, max) = match kind {
            MaybeType::Bool => return self.maybe_bool(value),
            MaybeType::U8 => (0, u8::MAX.into()),
            MaybeType::U16 => (0, u16::MAX.into()),
            MaybeType::U32 => (0, u32::MAX.into()),
            MaybeType::U64 => (0, u64::MAX.into()),
            MaybeType::I32 => (i32::MIN.into(), i32::MAX.into()),
        };
        match value {
            Value::Expr(_) | Value::Absent | Value::Json(_) => self.maybe_other(value),
            _ => {
                let number = self.int(value, min, max)?;
                let bits = if kind == MaybeType::I32 { u64::from(number as i32 as u32) } else { number as u64 };
                Ok(make_maybe(MaybeContent::Constant(bits), 0, 0))
            }
        }
    }

    fn maybe_bool(&self, value: &Value<'_>) -> Result<MaybeAffine> {
        match value {
            Value::Expr(_) | Value::Absent | Value::Json(_) => self.maybe_other(value),
            _ => Ok(make_maybe(MaybeContent::Constant(self.bool(value)?.into()), 0, 0)),
        }
    }

    fn maybe_other(&self, value: &Value<'_>) -> Result<MaybeAffine> {
        match value {
            // A value of tag 1 without a root would be neither a constant nor an expression to its readers.
            Value::Expr(expr) if expr.is_none() => {
                bail!(BadValue, "no expression, where a constant or an expression must be")
            }
            Value::Expr(expr) => Ok(make_maybe(MaybeContent::Affine(expr.stored(self.module)?), 1, 0)),
            Value::Absent if self.field.default == Default::Absent => {
                Ok(make_maybe(MaybeContent::Constant(0), 0, ABSENT))
            }
            Value::Json(_) if self.field.keeps_array => {
                let json = self.json(value)?;
                let string = self.state.alloc::<StdString>()?;
                string.init();
                string.set(&self.state.arena, &json)?;
                Ok(make_maybe(MaybeContent::Verbatim(Some(string)), 0, VERBATIM))
            }
            _ => Err(self.wrong("a constant or an expression", value)),
        }
    }

    fn set(&self, value: &Value<'_>) -> Result<()> {
        let arena = &self.state.arena;
        match self.instruction.slot_view(self.field)? {
            SlotView::Flag(flag) => flag.set(self.bool(value)?),
            SlotView::Word(word) => word.set(match self.field.slot {
                Slot::Enum(id) => self.member(id, value)?,
                Slot::F32 => self.float(value)?.to_bits(),
                _ => self.int(value, 0, u32::MAX.into())? as u32,
            }),
            SlotView::Words(words) => {
                let values = self.each(value, |v| Ok(self.int(v, 0, u32::MAX.into())? as u32))?;
                if values.len() != words.len() {
                    let message = format_args!("`{}` has a fixed length", self.field.key);
                    return Err(Error::new(ErrorCode::BadValue, message)
                        .expected_found(format_args!("{} numbers", words.len()), values.len()));
                }
                words.iter().zip(values).for_each(|(w, v)| w.set(v));
            }
            SlotView::Maybe(kind, cell) => cell.set(self.maybe(kind, value)?),
            SlotView::MaybePair(kind, pair) => {
                let values = self.each(value, |v| self.maybe(kind, v))?;
                let [first, second] = <[MaybeAffine; 2]>::try_from(values).map_err(|v| {
                    Error::new(ErrorCode::BadValue, format_args!("`{}` is a pair", self.field.key))
                        .expected_found("two values", v.len())
                })?;
                pair[0].set(first);
                pair[1].set(second);
            }
            SlotView::Text(string) => string.set(arena, self.text(value)?)?,
            SlotView::Json(link) => match value {
                Value::Absent => link.set(None),
                _ => set_linked_text(self.state, link, &self.json(value)?)?,
            },
            SlotView::Queue(link) => match value {
                Value::Absent => link.set(None),
                Value::Queue(queue) => {
                    self.same_module(queue.module(), &queue.name())?;
                    link.set_ptr(Ptr::to(queue));
                }
                _ => return Err(self.wrong("a queue", value)),
            },
            SlotView::Block(link) => match value {
                Value::Absent => link.set(None),
                Value::Block(block) => {
                    self.same_module(block.module(), &block.name())?;
                    link.set_ptr(Ptr::to(block));
                }
                _ => return Err(self.wrong("a block", value)),
            },
            SlotView::Function(link) => match value {
                Value::Absent => link.set(None),
                Value::Function(function) => {
                    self.same_module(function.module(), &function.name())?;
                    link.set_ptr(Ptr::to(function));
                }
                _ => return Err(self.wrong("a function", value)),
            },
            SlotView::Trigger(link) => match value {
                Value::Absent => link.set(None),
                Value::Instruction(trigger) => {
                    self.same_module(trigger.module(), &trigger.name())?;
                    self.opcode_is(trigger, InstructionType::DMATrigger)?;
                    link.set_ptr(Ptr::to(trigger));
                }
                _ => return Err(self.wrong("a DMATrigger", value)),
            },
            SlotView::VecWord(words) => {
                let values = match self.field.slot {
                    Slot::VecEnum(id) => self.each(value, |v| self.member(id, v))?,
                    _ => self.each(value, |v| Ok(self.int(v, 0, u32::MAX.into())? as u32))?,
                };
                words.assign(arena, &values)?;
            }
            SlotView::VecVecU32(rows) => {
                let values = self.each(value, |row| self.each(row, |v| Ok(self.int(v, 0, u32::MAX.into())? as u32)))?;
                self.assign_rows(rows, &values)?;
            }
            SlotView::VecVecU64(rows) => {
                let values = self.each(value, |row| self.each(row, |v| Ok(self.int(v, 0, u64::MAX.into())? as u64)))?;
                self.assign_rows(rows, &values)?;
            }
            SlotView::VecString(texts) => {
                let values = self.each(value, |v| copy(self.text(v)?))?;
                texts.assign(arena, &values)?;
            }
            SlotView::VecRegister(registers) => {
                let values = self.each(value, |v| match v {
                    Value::Register(register) => {
                        self.same_module(register.storage().module(), &register.name())?;
                        Ok(Ptr::to(*register))
                    }
                    _ => Err(self.wrong("a register", v)),
                })?;
                registers.assign(arena, &values)?;
            }
            SlotView::DmaBlocks(blocks) => {
                let values = self.each(value, |v| match v {
                    Value::Instruction(block) => {
                        self.same_module(block.module(), &block.name())?;
                        self.opcode_is(block, InstructionType::DMABlock)?;
                        Ok(Ptr::to(*block))
                    }
                    _ => Err(self.wrong("a DMABlock", v)),
                })?;
                blocks.assign(arena, &values)?;
                // As the loader does: a block that names no trigger of its own belongs to this one.
                for block in values.iter().filter_map(|b| b.get(self.instruction)) {
                    if let Some(link) = block.trigger_link().filter(|t| t.is_null()) {
                        link.set(Some(self.instruction));
                    }
                }
            }
            SlotView::VecExpr(exprs) => {
                let values = self.each(value, |v| match v {
                    Value::Expr(expr) => expr.stored(self.module),
                    _ => Err(self.wrong("an expression", v)),
                })?;
                exprs.assign(arena, &values)?;
            }
            SlotView::SmallWord(words) => {
                let values = self.each(value, |v| Ok(self.float(v)?.to_bits()))?;
                words.assign(arena, &values)?;
            }
            SlotView::SmallPairs(pairs) => {
                let values = self.each(value, |v| self.pair(v))?;
                pairs.assign(arena, &values)?;
            }
            SlotView::SmallMaybe(kind, maybes) => {
                let values = self.each(value, |v| self.maybe(kind, v))?;
                maybes.assign(arena, &values)?;
            }
            SlotView::Expr(cell) => match value {
                Value::Absent => cell.set(QuasiAffineExpr::NONE.stored(self.module)?),
                Value::Expr(expr) => cell.set(expr.stored(self.module)?),
                _ => return Err(self.wrong("an expression", value)),
            },
            SlotView::RuntimeValue(link) => match value {
                Value::Absent => link.set(None),
                Value::Node(node) => {
                    let node = own_node(self.module, node)?;
                    let (expected, found) = (ExprKind::IntRuntimeValueKind, node.kind());
                    if found != Some(expected) {
                        let message = format_args!("`{}` refers to another kind of node", self.field.key);
                        return Err(Error::new(ErrorCode::WrongKind, message)
                            .expected_found(expected.name(), found.map_or("no kind", ExprKind::name)));
                    }
                    link.set(Some(node));
                }
                _ => return Err(self.wrong("an integer run-time value", value)),
            },
            SlotView::Axis => bail!(Unsupported, "an axis is set by set_loop_axis or set_dynamic_axis"),
            SlotView::Blocks => bail!(Unsupported, "nested blocks are changed through the block holder"),
        }
        Ok(())
    }

    fn pair(&self, value: &Value<'_>) -> Result<APPair> {
        match value {
            Value::Pair(pair) => Ok(*pair),
            Value::List(items) => match items.as_slice() {
                [step, num] => {
                    let int = |v| self.int(v, i64::MIN.into(), i64::MAX.into()).map(|n| n as i64);
                    Ok(APPair { step: int(step)?, num: int(num)? })
                }
                _ => Err(self.wrong("a pair [step, num]", value)),
            },
            _ => Err(self.wrong("a pair [step, num]", value)),
        }
    }

    fn opcode_is(&self, instruction: &Instruction, opcode: InstructionType) -> Result<()> {
        let found = instruction.opcode()?;
        if found == opcode {
            return Ok(());
        }
        let message = text(format_args!("`{}` refers to another opcode", self.field.key));
        Err(Error::new(ErrorCode::WrongKind, message).expected_found(opcode.name(), found.name()))
    }

    /// Replaces the rows at once: the new ones are complete before the first change shows.
    fn assign_rows<T: Copy + crate::mem::Plain>(
        &self,
        rows: &StdVector<StdVector<T>>,
        values: &[Vec<T>],
    ) -> Result<()> {
        let fresh = self.state.alloc::<StdVector<StdVector<T>>>()?;
        for row in values {
            fresh.push_zeroed(&self.state.arena)?.assign(&self.state.arena, row)?;
        }
        rows.take_over(fresh);
        Ok(())
    }
}
