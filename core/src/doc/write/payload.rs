//! Payload fields: one writer per kind of slot, for all opcodes.
#![forbid(unsafe_code)]

use super::Writer;
use super::instruction::live;
use crate::doc::output::Output;
use crate::ir::raw::payload::{MaybeContent, is_absent, read_maybe};
use crate::ir::raw::slot::Payload;
use crate::ir::raw::values::{APPair, MaybeAffine, QuasiAffineExpr as RawExpr, StringList};
use crate::ir::raw::{BasicBlock, DMAQueue, Flag, Function, Link, Ptr, Register};
use crate::ir::{ExprNode, Instruction, LoopAxis, QuasiAffineExpr};
use crate::mem::{SmallVectorHeader, StdString, StdVector, Zeroable};
use crate::op::{Default, Emit, Field, MaybeType, Slot};
use crate::{Error, ErrorCode, Result};
use core::cell::Cell;

#[inline(always)]
fn slot_of<'m, T: Zeroable>(payload: &Payload<'m>, offset: u16) -> Result<&'m T> {
    payload.slot::<T>(offset).ok_or_else(|| no_slot(offset))
}

#[cold]
#[inline(never)]
fn no_slot(offset: u16) -> Error {
    Error::new(ErrorCode::Internal, format_args!("no payload slot at {offset:#x}"))
}

impl<'m, O: Output> Writer<'_, 'm, O> {
    /// Writes one field unless it is at its default and may be left out.
    /// `number` is the first of the field's phrases.
    pub(super) fn payload(
        &mut self,
        instruction: &'m Instruction,
        payload: &Payload<'m>,
        field: &'static Field,
        number: usize,
    ) -> Result<()> {
        let at = field.offset;
        let default_int = match field.default {
            Default::Int(v) => v,
            _ => 0,
        };
        let optional = field.emit != Emit::Always && !self.explicit;
        match field.slot {
            Slot::Bool => {
                let value = slot_of::<Flag>(payload, at)?.get();
                if !(optional && i64::from(value) == default_int) {
                    self.flag_member(field, number, value)?;
                }
            }
            Slot::U32 => {
                let value = slot_of::<Cell<u32>>(payload, at)?.get();
                if !(optional && i64::from(value) == default_int) {
                    self.key(number, field.key)?;
                    self.out.u64(value.into())?;
                }
            }
            Slot::F32 => {
                let value = slot_of::<Cell<f32>>(payload, at)?.get();
                let default = if let Default::Float(v) = field.default { v } else { 0.0 };
                if !(optional && value.to_bits() == default.to_bits()) {
                    self.key(number, field.key)?;
                    self.out.f32(value)?;
                }
            }
            Slot::Enum(id) => {
                let value = slot_of::<Cell<i32>>(payload, at)?.get();
                if !(optional && i64::from(value) == default_int) {
                    let name = id.info().by_ordinal(value.into())?.name;
                    self.key(number, field.key)?;
                    self.out.schema_string(name)?;
                }
            }
            Slot::Maybe(inner) => {
                let value = slot_of::<Cell<MaybeAffine>>(payload, at)?.get();
                if is_absent(value) {
                    // A value that is absent by default has no spelling but `null`.
                    if self.explicit {
                        self.out.schema_key(field.key)?;
                        self.out.null()?;
                    }
                    return Ok(());
                }
                let content = read_maybe(value, inner, instruction);
                let is_default = match (content, field.default) {
                    (MaybeContent::Constant(_), Default::Absent) => false,
                    (MaybeContent::Constant(bits), _) => bits == constant_bits(inner, default_int),
                    _ => false,
                };
                match content {
                    _ if optional && is_default => {}
                    MaybeContent::Constant(bits) if inner == MaybeType::Bool => {
                        self.flag_member(field, number, bits != 0)?;
                    }
                    _ => {
                        self.key(number, field.key)?;
                        self.maybe(inner, value)?;
                    }
                }
            }
            Slot::MaybePair(inner) => {
                let pair = [
                    slot_of::<Cell<MaybeAffine>>(payload, at)?.get(),
                    slot_of::<Cell<MaybeAffine>>(payload, at + 0x28)?.get(),
                ];
                let default = constant_bits(inner, default_int);
                let is_default = pair
                    .iter()
                    .all(|v| matches!(read_maybe(*v, inner, instruction), MaybeContent::Constant(b) if b == default));
                if !(optional && is_default) {
                    self.list_key(number, field.key)?;
                    for value in pair {
                        self.maybe(inner, value)?;
                    }
                    self.out.end_array()?;
                }
            }
            Slot::String => {
                let text = slot_of::<StdString>(payload, at)?.get();
                if !(optional && text.is_empty()) {
                    self.text(field.key, &text)?;
                }
            }
            Slot::Json => {
                let text = slot_of::<Link<StdString>>(payload, at)?.get().map(StdString::get);
                match (text, field.default) {
                    (Some(text), _) => self.verbatim_member(field.key, &text)?,
                    (None, Default::Empty) if !optional => self.verbatim_member(field.key, "{}")?,
                    (None, _) => {}
                }
            }
            Slot::Queue => {
                let name = match slot_of::<Link<DMAQueue>>(payload, at)?.get() {
                    Some(queue) if queue.is_erased() => return Err(erased("queue", &queue.name())),
                    queue => queue.map(DMAQueue::name),
                };
                self.reference(field, name)?;
            }
            Slot::Block => {
                let name = match slot_of::<Link<BasicBlock>>(payload, at)?.get() {
                    Some(block) if block.is_erased() => return Err(erased("block", &block.name())),
                    block => block.map(BasicBlock::name),
                };
                self.reference(field, name)?;
            }
            Slot::Function => {
                let name = match slot_of::<Link<Function>>(payload, at)?.get() {
                    Some(function) if function.is_erased() => return Err(erased("function", &function.name())),
                    function => function.map(Function::name),
                };
                self.reference(field, name)?;
            }
            Slot::Trigger => {
                let trigger = slot_of::<Link<Instruction>>(payload, at)?.get();
                trigger.map(live).transpose()?;
                self.reference(field, trigger.map(Instruction::name))?;
            }
            Slot::DmaBlocks => {
                let blocks = slot_of::<StdVector<Ptr<Instruction>>>(payload, at)?;
                if !(optional && blocks.is_empty()) {
                    self.out.schema_key(field.key)?;
                    self.out.begin_array()?;
                    for block in blocks.iter().filter_map(|b| b.get(instruction)) {
                        live(block)?;
                        self.out.string(&block.name())?;
                    }
                    self.out.end_array()?;
                }
            }
            Slot::VecU32 => {
                let list = slot_of::<StdVector<u32>>(payload, at)?;
                self.list(field, optional, list.iter(), |w, v| w.out.u64(v.into()))?;
            }
            Slot::VecVecU32 => {
                let list = slot_of::<StdVector<StdVector<u32>>>(payload, at)?;
                self.list(field, optional, list.iter_refs(), |w, row| w.row(row.iter().map(u64::from)))?;
            }
            Slot::VecVecU64 => {
                let list = slot_of::<StdVector<StdVector<u64>>>(payload, at)?;
                self.list(field, optional, list.iter_refs(), |w, row| w.row(row.iter()))?;
            }
            Slot::VecString => {
                let list = slot_of::<StringList>(payload, at)?;
                self.names(field.key, list.iter(), !optional)?;
            }
            Slot::VecEnum(id) => {
                let list = slot_of::<StdVector<i32>>(payload, at)?;
                self.list(field, optional, list.iter(), |w, v| w.out.string(id.info().by_ordinal(v.into())?.name))?;
            }
            Slot::VecRegister => {
                let list = slot_of::<StdVector<Ptr<Register>>>(payload, at)?;
                let registers = list.iter().filter_map(|r| r.get(instruction));
                self.list(field, optional, registers, |w, r| w.out.string(&r.name()))?;
            }
            Slot::VecExpr => {
                let list = slot_of::<StdVector<RawExpr>>(payload, at)?;
                let exprs = list.iter().map(|e| QuasiAffineExpr::lend(e, instruction));
                self.list(field, optional, exprs, Self::expression)?;
            }
            Slot::SmallF32 { .. } => {
                let list = slot_of::<SmallVectorHeader<f32>>(payload, at)?;
                self.list(field, optional, list.iter(), |w, v| w.out.f32(v))?;
            }
            Slot::SmallPairs => {
                let list = slot_of::<SmallVectorHeader<APPair>>(payload, at)?;
                if !(optional && list.is_empty()) {
                    self.out.schema_key(field.key)?;
                    self.pairs(list.iter())?;
                }
            }
            Slot::SmallMaybe(inner) => {
                let list = slot_of::<SmallVectorHeader<MaybeAffine>>(payload, at)?;
                self.list(field, optional, list.iter(), |w, v| w.maybe(inner, v))?;
            }
            Slot::Expr => {
                let expr = QuasiAffineExpr::lend(slot_of::<Cell<RawExpr>>(payload, at)?.get(), instruction);
                if !expr.is_none() || self.explicit {
                    self.out.schema_key(field.key)?;
                    self.expression(expr)?;
                }
            }
            Slot::RuntimeValue => {
                if let Some(node) = slot_of::<Link<ExprNode>>(payload, at)?.get() {
                    self.out.schema_key(field.key)?;
                    self.node(node, 0)?;
                }
            }
            Slot::U32Array { len } => {
                self.list_key(number, field.key)?;
                for i in 0..u16::from(len) {
                    self.out.u64(slot_of::<Cell<u32>>(payload, at + 4 * i)?.get().into())?;
                }
                self.out.end_array()?;
            }
            Slot::Axis => {
                if let Some(axis) = instruction.axis() {
                    self.out.schema_key(field.key)?;
                    self.axis(axis)?;
                }
            }
            Slot::Blocks => {}
        }
        Ok(())
    }

    /// A member that is true or false: a phrase for each.
    #[inline]
    fn flag_member(&mut self, field: &'static Field, number: usize, value: bool) -> Result<()> {
        self.out.phrase(number + 1 + usize::from(value), |out| {
            out.schema_key(field.key)?;
            out.bool(value)
        })
    }

    fn list<T>(
        &mut self,
        field: &Field,
        optional: bool,
        items: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        let mut items = items.peekable();
        if optional && items.peek().is_none() {
            return Ok(());
        }
        self.out.schema_key(field.key)?;
        self.out.begin_array()?;
        for item in items {
            write(self, item)?;
        }
        self.out.end_array()
    }

    fn row(&mut self, values: impl Iterator<Item = u64>) -> Result<()> {
        self.out.begin_array()?;
        for value in values {
            self.out.u64(value)?;
        }
        self.out.end_array()
    }

    /// A name reference; `null` only where every key is written.
    fn reference(&mut self, field: &Field, name: Option<crate::mem::Str<'_>>) -> Result<()> {
        match name {
            Some(name) => self.text(field.key, &name),
            None if self.explicit => {
                self.out.schema_key(field.key)?;
                self.out.null()
            }
            None => Ok(()),
        }
    }

    fn maybe(&mut self, inner: MaybeType, value: MaybeAffine) -> Result<()> {
        match read_maybe(value, inner, self.module) {
            MaybeContent::Affine(expr) => self.expression(QuasiAffineExpr::lend(expr, self.module)),
            MaybeContent::Verbatim(text) => self.verbatim(&text.map_or(crate::mem::Str::EMPTY, StdString::get)),
            MaybeContent::Constant(bits) => match inner {
                MaybeType::Bool => self.out.bool(bits != 0),
                MaybeType::I32 => self.out.i64((bits as u32 as i32).into()),
                _ => self.out.u64(bits),
            },
        }
    }

    fn axis(&mut self, axis: &'m LoopAxis) -> Result<()> {
        self.out.begin_object()?;
        match axis.as_dynamic() {
            Some(dynamic) => {
                // The bounds are read before the axis is there.
                let scope = self.scope;
                self.scope = scope.and_then(Instruction::parent_instruction);
                self.out.schema_key("lb")?;
                self.expression(dynamic.lb())?;
                self.text("name", &axis.name())?;
                self.out.schema_key("stride")?;
                self.expression(dynamic.stride())?;
                self.out.schema_key("ub")?;
                self.expression(dynamic.ub())?;
                self.scope = scope;
            }
            None => {
                self.number("lb", axis.lb().into())?;
                self.text("name", &axis.name())?;
                self.number("stride", axis.stride())?;
                self.number("ub", axis.ub())?;
            }
        }
        self.out.end_object()
    }
}

/// The bits of a default constant.
fn constant_bits(inner: MaybeType, default: i64) -> u64 {
    match inner {
        MaybeType::I32 => u64::from(default as i32 as u32),
        _ => default as u64,
    }
}

fn erased(what: &str, name: &str) -> Error {
    Error::new(ErrorCode::CorruptIr, format_args!("corrupt IR: a reference to the erased {what} `{name}`"))
}
