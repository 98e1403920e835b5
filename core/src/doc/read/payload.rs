//! Payload fields: one reader per kind of slot, for all opcodes.
#![forbid(unsafe_code)]

use super::super::input::{Input, ValueKind};
use super::{Reader, address, unresolved};
use crate::enums::EnumId;
use crate::enums::bir::{CollectiveKind, InstSyncType};
use crate::enums::id;
use crate::ir::raw::payload::{MaybeContent, VERBATIM, make_maybe};
use crate::ir::raw::slot::slot;
use crate::ir::raw::values::{APPair, MaybeAffine, QuasiAffineExpr as RawExpr, StringList};
use crate::ir::raw::{Flag, Link, Ptr, Register};
use crate::ir::{Instruction, QuasiAffineExpr, stored_expressions};
use crate::mem::{SmallVectorHeader, StdString, StdVector};
use crate::op::{Field, MaybeType, OlderText, Slot};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    fn slot_of<T: crate::mem::Zeroable>(&self, instruction: &'m Instruction, offset: u16) -> Result<&'m T> {
        slot::<T>(instruction, offset)
            .ok_or_else(|| self.error(ErrorCode::Internal, format_args!("no payload slot at {offset:#x}")))
    }

    fn arena(&self) -> Result<&'m crate::mem::Arena> {
        self.module.arena()
    }

    /// Reads the value of one field.
    /// `key` is how the document spells it.
    pub(super) fn field(
        &mut self,
        instruction: &'m Instruction,
        field: &'static Field,
        key: &'static str,
    ) -> Result<()> {
        let at = field.offset;
        match field.slot {
            Slot::Bool => {
                let value = self.bool()?;
                self.slot_of::<Flag>(instruction, at)?.set(value);
            }
            Slot::U32 => {
                let value = self.u32()?;
                self.slot_of::<Cell<u32>>(instruction, at)?.set(value);
            }
            Slot::F32 => {
                let value = self.f32()?;
                self.slot_of::<Cell<f32>>(instruction, at)?.set(value);
            }
            Slot::Enum(id) => {
                let value = self.payload_enum(id)?;
                self.slot_of::<Cell<i32>>(instruction, at)?.set(value);
            }
            Slot::Maybe(inner) => {
                let value = self.maybe(instruction, inner, field)?;
                if let Some(value) = value {
                    self.slot_of::<Cell<MaybeAffine>>(instruction, at)?.set(value);
                }
            }
            Slot::MaybePair(inner) => {
                let values = self.list(|r| r.maybe_value(instruction, inner))?;
                let [first, second] = <[MaybeAffine; 2]>::try_from(values).map_err(|v| {
                    self.error(ErrorCode::WrongType, "").expected_found("two values", format_args!("{}", v.len()))
                })?;
                self.slot_of::<Cell<MaybeAffine>>(instruction, at)?.set(first);
                self.slot_of::<Cell<MaybeAffine>>(instruction, at + 0x28)?.set(second);
            }
            Slot::String => {
                let text = self.text_field(field.older_text)?;
                let arena = self.arena()?;
                self.slot_of::<StdString>(instruction, at)?.set(arena, &text).map_err(|e| self.place(e))?;
            }
            Slot::Json => {
                let text = self.verbatim()?;
                self.set_json(instruction, at, &text)?;
            }
            Slot::Queue | Slot::Block | Slot::Function | Slot::Trigger => {
                let offset = self.input.offset();
                let name = self.string()?.into_owned();
                self.pending.slot(instruction, field, key, name, offset)?;
            }
            Slot::DmaBlocks => {
                let names = self.list(|r| Ok((r.string()?.into_owned(), r.at)))?;
                self.pending.dma_blocks(instruction, field, key, names)?;
            }
            Slot::VecU32 => {
                let values = self.list(Self::u32)?;
                self.slot_of::<StdVector<u32>>(instruction, at)?
                    .assign(self.arena()?, &values)
                    .map_err(|e| self.place(e))?;
            }
            Slot::VecVecU32 => {
                let rows = self.list(|r| r.list(Self::u32))?;
                let list = self.slot_of::<StdVector<StdVector<u32>>>(instruction, at)?;
                self.assign_rows(list, &rows)?;
            }
            Slot::VecVecU64 => {
                let rows = self.shapes()?;
                let list = self.slot_of::<StdVector<StdVector<u64>>>(instruction, at)?;
                self.assign_rows(list, &rows)?;
            }
            Slot::VecString => {
                let texts = self.strings()?;
                let arena = self.arena()?;
                self.slot_of::<StringList>(instruction, at)?.assign(arena, &texts).map_err(|e| self.place(e))?;
            }
            Slot::VecEnum(id) => {
                let values = self.list(|r| r.enum_value(id).map(|v| v as i32))?;
                self.slot_of::<StdVector<i32>>(instruction, at)?
                    .assign(self.arena()?, &values)
                    .map_err(|e| self.place(e))?;
            }
            Slot::VecRegister => {
                let registers: Vec<Ptr<Register>> = self.list(|r| {
                    let name = r.string()?;
                    let function = instruction.function();
                    let found = function.and_then(|f| r.storage_by_name(f, &name)?.as_register());
                    found.map(Ptr::to).ok_or_else(|| r.place(unresolved("register", &name)))
                })?;
                let list = self.slot_of::<StdVector<Ptr<Register>>>(instruction, at)?;
                list.assign(self.arena()?, &registers).map_err(|e| self.place(e))?;
            }
            Slot::VecExpr => {
                let exprs = match self.input.peek()? {
                    ValueKind::Array => self.list(|r| r.expression_or_integer(instruction))?,
                    _ => {
                        let mut one = Vec::new();
                        one.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                        one.push(self.expression_or_integer(instruction)?);
                        one
                    }
                };
                let list = self.slot_of::<StdVector<RawExpr>>(instruction, at)?;
                let exprs = stored_expressions(self.module, &exprs)?;
                list.assign(self.arena()?, &exprs).map_err(|e| self.place(e))?;
            }
            Slot::SmallF32 { .. } => {
                let values = self.list(Self::f32)?;
                let list = self.slot_of::<SmallVectorHeader<f32>>(instruction, at)?;
                list.assign(self.arena()?, &values).map_err(|e| self.place(e))?;
            }
            Slot::SmallPairs => {
                let values = self.list(Self::step_num)?;
                let list = self.slot_of::<SmallVectorHeader<APPair>>(instruction, at)?;
                list.assign(self.arena()?, &values).map_err(|e| self.place(e))?;
            }
            Slot::SmallMaybe(inner) => {
                let values = self.list(|r| r.maybe_value(instruction, inner))?;
                let list = self.slot_of::<SmallVectorHeader<MaybeAffine>>(instruction, at)?;
                list.assign(self.arena()?, &values).map_err(|e| self.place(e))?;
            }
            Slot::Expr => {
                let expr = self.expression_or_integer(instruction)?;
                self.slot_of::<Cell<RawExpr>>(instruction, at)?.set(expr.stored(self.module)?);
            }
            Slot::RuntimeValue => {
                let node = self.node(instruction)?;
                if node.kind() != Some(crate::ir::ExprKind::IntRuntimeValueKind) {
                    return Err(self
                        .error(ErrorCode::WrongKind, "the condition is an integer run-time value")
                        .expected_found("IntRuntimeValueKind", node.kind().map_or("another kind", |k| k.name())));
                }
                self.slot_of::<Link<crate::ir::ExprNode>>(instruction, at)?.set(Some(node));
            }
            Slot::U32Array { len } => {
                let values = self.flat_numbers()?;
                if values.len() != usize::from(len) {
                    return Err(self
                        .error(ErrorCode::WrongType, "")
                        .expected_found(format_args!("{len} numbers"), format_args!("{}", values.len())));
                }
                for (i, value) in values.iter().enumerate() {
                    self.slot_of::<Cell<u32>>(instruction, at + 4 * i as u16)?.set(*value);
                }
            }
            Slot::Axis => self.axis(instruction)?,
            // Read by the caller, after the header.
            Slot::Blocks => self.input.skip()?,
        }
        Ok(())
    }

    /// Keys that belong to a field but stand beside it; all others are unknown.
    pub(super) fn payload_elsewhere(
        &mut self,
        instruction: &'m Instruction,
        key: &str,
        seen_fields: &mut u64,
    ) -> Result<()> {
        let info = crate::op::OpcodeInfo::of(instruction.opcode()?);
        // A dynamic axis may be written flat: its four keys beside the object instead of in it.
        let axis = info.fields.iter().position(|f| f.slot == Slot::Axis && f.key == "DynamicForLoopAxis");
        if let Some(index) = axis.filter(|_| matches!(key, "lb" | "ub" | "stride")) {
            let key: &'static str = match key {
                "lb" => "lb",
                "ub" => "ub",
                _ => "stride",
            };
            *seen_fields |= 1 << index;
            return self.under(key, |r| {
                let expr = r.expression_or_integer(instruction)?;
                // The axis bears the name that the document gave its loop.
                let name = match r.renames.renamed.get(&address(instruction)) {
                    Some(name) => name.clone(),
                    None => crate::error::text(instruction.name()),
                };
                let (mut lb, mut ub, mut stride) = instruction
                    .axis()
                    .and_then(|a| a.as_dynamic())
                    .map_or((QuasiAffineExpr::NONE, QuasiAffineExpr::NONE, QuasiAffineExpr::NONE), |a| {
                        (a.lb(), a.ub(), a.stride())
                    });
                match key {
                    "lb" => lb = expr,
                    "ub" => ub = expr,
                    _ => stride = expr,
                }
                instruction.set_dynamic_axis(&name, lb, ub, stride).map(|_| ()).map_err(|e| r.place(e))
            });
        }
        self.unknown_key(key)
    }

    fn payload_enum(&mut self, id: EnumId) -> Result<i32> {
        // The older producer spells the sync types of inline assembly in another way.
        if id == id::INST_SYNC_TYPE && self.input.peek()? == ValueKind::String {
            let mark = self.input.mark();
            let older = match &*self.input.string()? {
                "DataPathType" => Some(InstSyncType::datapath),
                "SequencerType" => Some(InstSyncType::sequencer),
                "DMAType" => Some(InstSyncType::dma),
                _ => None,
            };
            if let Some(member) = older {
                return Ok(member.ordinal());
            }
            self.input.reset(mark);
        }
        Ok(self.enum_value(id)? as i32)
    }

    /// Text, or the older form of the field: a boolean, an array of byte values.
    fn text_field(&mut self, older: OlderText) -> Result<String> {
        match self.input.peek()? {
            ValueKind::Bool if older == OlderText::Boolean => {
                Ok(String::from(if self.input.bool()? { "true" } else { "false" }))
            }
            ValueKind::Array if older == OlderText::Bytes => {
                let mut text = String::new();
                self.array(|r, _| {
                    let byte = r.integer(0, 255)? as u8;
                    text.try_reserve(2).map_err(|_| Error::out_of_memory())?;
                    text.push(char::from(byte));
                    Ok(())
                })?;
                Ok(text)
            }
            _ => Ok(self.string()?.into_owned()),
        }
    }

    fn set_json(&mut self, instruction: &'m Instruction, at: u16, text: &str) -> Result<()> {
        let link = self.slot_of::<Link<StdString>>(instruction, at)?;
        let state = self.module.module_state()?;
        crate::ir::set_linked_text(state, link, text).map_err(|e| self.place(e))
    }

    fn assign_rows<T: Copy + crate::mem::Plain>(
        &mut self,
        list: &'m StdVector<StdVector<T>>,
        rows: &[Vec<T>],
    ) -> Result<()> {
        let arena = self.arena()?;
        for row in rows {
            list.push_zeroed(arena).and_then(|r| r.assign(arena, row)).map_err(|e| self.place(e))?;
        }
        Ok(())
    }

    /// A list of shapes; one flat list counts as a single shape.
    fn shapes(&mut self) -> Result<Vec<Vec<u64>>> {
        let mut rows: Vec<Vec<u64>> = Vec::new();
        let mut flat: Vec<u64> = Vec::new();
        self.array(|r, _| {
            if r.input.peek()? == ValueKind::Array {
                let row = r.list(Self::u64)?;
                rows.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                rows.push(row);
            } else {
                let value = r.u64()?;
                flat.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                flat.push(value);
            }
            Ok(())
        })?;
        match (rows.is_empty(), flat.is_empty()) {
            (_, true) => Ok(rows),
            (true, false) => {
                rows.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                rows.push(flat);
                Ok(rows)
            }
            (false, false) => Err(self.error(ErrorCode::WrongType, "shapes and numbers are mixed")),
        }
    }

    /// Numbers, nested or not: `[a, [b, c]]` as well as `[a, b, c]`.
    fn flat_numbers(&mut self) -> Result<Vec<u32>> {
        let mut values = Vec::new();
        self.array(|r, _| {
            let more = if r.input.peek()? == ValueKind::Array { r.list(Self::u32)? } else { alloc::vec![r.u32()?] };
            values.try_reserve(more.len()).map_err(|_| Error::out_of_memory())?;
            values.extend(more);
            Ok(())
        })?;
        Ok(values)
    }

    /// `[step, num]`, or an object with these keys.
    fn step_num(&mut self) -> Result<APPair> {
        if self.input.peek()? != ValueKind::Object {
            return self.pair();
        }
        let (mut step, mut num) = (None, None);
        self.object(|r, key| match &*key {
            "step" => r.under("step", |r| {
                step = Some(r.i64()?);
                Ok(())
            }),
            "num" => r.under("num", |r| {
                num = Some(r.i64()?);
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        Ok(APPair { step: step.ok_or_else(|| self.missing("step"))?, num: num.ok_or_else(|| self.missing("num"))? })
    }

    /// A constant or an expression, or an older form that is kept as it is. `None`: the value belongs to other fields.
    fn maybe(
        &mut self,
        instruction: &'m Instruction,
        inner: MaybeType,
        field: &'static Field,
    ) -> Result<Option<MaybeAffine>> {
        match self.input.peek()? {
            ValueKind::Array => {
                if !field.keeps_array {
                    return Err(self.wrong_type("a constant or an affine expression"));
                }
                let text = self.verbatim()?;
                let state = self.module.module_state()?;
                let string = state.alloc::<StdString>()?;
                string.init();
                string.set(&state.arena, &text).map_err(|e| self.place(e))?;
                Ok(Some(make_maybe(MaybeContent::Verbatim(Some(string)), 0, VERBATIM)))
            }
            ValueKind::Object if field.key == "cc_channel" => {
                let [kind, groups] = self.scan(["kind", "replica_groups"])?;
                let collective = match kind {
                    Some(mark) => self.at_mark(mark, |r| r.under("kind", |r| r.string()))?,
                    None => alloc::borrow::Cow::Borrowed(""),
                };
                if groups.is_none() && CollectiveKind::from_name(&collective).is_err() {
                    return self.maybe_value(instruction, inner).map(Some);
                }
                let info = crate::op::OpcodeInfo::of(instruction.opcode()?);
                self.object(|r, key| {
                    match info.field(&key).filter(|f| matches!(f.key, "kind" | "replica_groups" | "op")) {
                        Some(field) => r.under(field.key, |r| r.field(instruction, field, field.key)),
                        None => r.unknown_key(&key),
                    }
                })?;
                Ok(None)
            }
            _ => self.maybe_value(instruction, inner).map(Some),
        }
    }

    fn maybe_value(&mut self, instruction: &'m Instruction, inner: MaybeType) -> Result<MaybeAffine> {
        let kind = self.input.peek()?;
        if !matches!(kind, ValueKind::Object | ValueKind::Bool | ValueKind::Number) {
            return Err(self.wrong_type("a constant or an affine expression"));
        }
        if kind == ValueKind::Object {
            return Ok(make_maybe(MaybeContent::Affine(self.expression(instruction)?.stored(self.module)?), 1, 0));
        }
        let bits = match inner {
            MaybeType::Bool => u64::from(self.bool()?),
            MaybeType::U8 => self.constant(0, u8::MAX.into())?,
            MaybeType::U16 => self.constant(0, u16::MAX.into())?,
            MaybeType::U32 => self.constant(0, u32::MAX.into())?,
            MaybeType::U64 => self.constant(0, u64::MAX.into())?,
            MaybeType::I32 => self.constant(i32::MIN.into(), i32::MAX.into())? & u64::from(u32::MAX),
        };
        Ok(make_maybe(MaybeContent::Constant(bits), 0, 0))
    }

    /// An integer constant; a boolean counts as 0 or 1.
    fn constant(&mut self, min: i128, max: i128) -> Result<u64> {
        if let Some(value) = u64::try_from(max).ok().and_then(|max| self.plain(max)) {
            return Ok(value);
        }
        if self.input.peek()? == ValueKind::Bool {
            return Ok(u64::from(self.input.bool()?));
        }
        let value = self.integer(min, max)?;
        Ok(if value < 0 { value as i64 as u64 } else { value as u64 })
    }

    /// The axis object of a Loop (integers) or DynamicForLoop (expressions).
    fn axis(&mut self, instruction: &'m Instruction) -> Result<()> {
        let is_static = instruction.opcode()? == crate::enums::bir::InstructionType::Loop;
        let mut name = None;
        let (mut lb, mut ub, mut stride) = (None, None, None);
        let (mut lb_expr, mut ub_expr, mut stride_expr) = (None, None, None);
        self.object(|r, key| match &*key {
            "name" => r.under("name", |r| {
                name = Some(r.string()?);
                Ok(())
            }),
            "lb" => r.under("lb", |r| {
                if is_static {
                    lb = Some(r.i32()?)
                } else {
                    lb_expr = Some(r.expression_or_integer(instruction)?)
                }
                Ok(())
            }),
            "ub" => r.under("ub", |r| {
                if is_static {
                    ub = Some(r.i64()?)
                } else {
                    ub_expr = Some(r.expression_or_integer(instruction)?)
                }
                Ok(())
            }),
            "stride" => r.under("stride", |r| {
                if is_static {
                    stride = Some(r.i64()?)
                } else {
                    stride_expr = Some(r.expression_or_integer(instruction)?)
                }
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        let name = name.ok_or_else(|| self.missing("name"))?;
        // A dynamic loop may lack bounds, which is written as `null`.
        let need = |present: bool, key: &str| if present || !is_static { Ok(()) } else { Err(self.missing(key)) };
        need(lb.is_some(), "lb")?;
        need(ub.is_some(), "ub")?;
        need(stride.is_some(), "stride")?;
        let done = if let (Some(lb), Some(ub), Some(stride)) = (lb, ub, stride) {
            instruction.set_loop_axis(&name, lb, ub, stride).map(|_| ())
        } else {
            instruction
                .set_dynamic_axis(
                    &name,
                    lb_expr.unwrap_or(QuasiAffineExpr::NONE),
                    ub_expr.unwrap_or(QuasiAffineExpr::NONE),
                    stride_expr.unwrap_or(QuasiAffineExpr::NONE),
                )
                .map(|_| ())
        };
        done.map_err(|e| self.place(e))
    }
}
