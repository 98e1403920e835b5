//! Operands: `x[512 x 128, 1 x 512]+16:float32{...}`, `0.5:float32`, `%r0:int32`.
//!
//! A pattern is the name of its storage, its dimensions as step and number, outermost first, and the offset in elements.
//! What only some have stands in braces, under the keys of documents.
#![forbid(unsafe_code)]

use super::expr::Binding;
use super::printer::{Printer, readable};
use super::style::{Output, Style};
use crate::Result;
use crate::doc::{Immediate, immediate_range};
use crate::enums::bir::{ArgumentKind, Dtype, IndirectDim};
use crate::ir::{APPair, Argument, DynamicAPINFO, QuasiAffineExpr};

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    /// One operand.
    pub(super) fn operand(&mut self, operand: &Argument) -> Result<()> {
        let Some(kind) = readable(operand.kind())? else {
            return self.formatted(Style::Fault, format_args!("?kind {}", operand.kind.get()));
        };
        match kind {
            ArgumentKind::PhysicalAccessPattern
            | ArgumentKind::SymbolicAccessPattern
            | ArgumentKind::RegisterAccessPattern => self.pattern(operand)?,
            ArgumentKind::ImmediateValue => {
                self.immediate(operand.dtype.get(), operand.immediate_bits().unwrap_or_default())?;
            }
            ArgumentKind::ImmediateArray => self.list(operand.immediate_array(), Self::signed)?,
            ArgumentKind::SymbolicImmediateValue => {
                self.expr(operand.symbolic_immediate().map_or(QuasiAffineExpr::NONE, |(_, expr)| expr), Binding::Atom)?;
            }
            ArgumentKind::RegisterAccess => match operand.register(0) {
                Some(register) => self.register_ref(register)?,
                None => self.put(Style::Fault, "?unbound")?,
            },
            ArgumentKind::RegisterSet => self.put(Style::Fault, "?register_set")?,
        }
        self.plain(":")?;
        self.member::<Dtype>(Style::Type, operand.dtype.get())?;
        self.details(operand, kind)?;
        if self.all && self.shows_ids() {
            self.plain(" ")?;
            self.id(operand.unique_id())?;
        }
        Ok(())
    }

    /// Name, dimensions and offset.
    fn pattern(&mut self, operand: &Argument) -> Result<()> {
        match operand.storage() {
            Some(storage) => self.storage_ref(storage)?,
            None => self.put(Style::Fault, "?unbound")?,
        }
        self.list(operand.pattern(), Self::pair)?;
        match operand.offset() {
            Some(offset) if offset != 0 || self.all => {
                self.plain("+")?;
                self.unsigned(offset)
            }
            _ => Ok(()),
        }
    }

    /// `512 x 128`: step and number.
    pub(super) fn pair(&mut self, pair: APPair) -> Result<()> {
        self.signed(pair.step)?;
        self.plain(" x ")?;
        self.signed(pair.num)
    }

    /// The bits of an immediate as its type says.
    fn immediate(&mut self, dtype: i32, bits: u64) -> Result<()> {
        let range = readable(Dtype::from_ordinal(dtype.into()).and_then(immediate_range))?;
        match range {
            Some(Immediate::Float) => self.float(f32::from_bits(bits as u32)),
            Some(Immediate::Integer { min: 0, .. }) => self.unsigned(bits),
            Some(Immediate::Integer { bits: width @ 1..=64, .. }) => {
                let shift = 64 - width;
                self.signed((bits << shift).cast_signed() >> shift)
            }
            _ => self.formatted(Style::Fault, format_args!("?{bits:#x}")),
        }
    }

    /// `{key=value ...}`, if there is something to say.
    fn details(&mut self, operand: &Argument, kind: ArgumentKind) -> Result<()> {
        let mut braces = Braces { open: false };
        let all = self.all;
        if all && operand.is_active() {
            braces.key(self, "is_active")?;
            self.flag(true)?;
        }
        if let Some(info) = operand.dynamic() {
            braces.key(self, "dynamic_ap_info")?;
            self.dynamic(info)?;
        }
        match kind {
            ArgumentKind::SymbolicAccessPattern => {
                // Always there, for it tells this kind from the others.
                braces.key(self, "addrs")?;
                self.list(operand.addrs(), |p, expr| p.expr(expr, Binding::Sum))?;
                let (arg_id, indices) = operand.tensor_indirection().unwrap_or((-1, 0));
                if arg_id != -1 || all {
                    braces.key(self, "tensor_indirect_arg_id")?;
                    self.signed(arg_id.into())?;
                }
                if indices != 0 || all {
                    braces.key(self, "num_tensor_indirect_indices")?;
                    self.signed(indices.into())?;
                }
                if operand.is_spelled_pwap() {
                    braces.key(self, "kind")?;
                    self.put(Style::Member, "symbolic_pwap")?;
                }
            }
            ArgumentKind::RegisterAccessPattern => {
                for (index, key) in ["regref", "reg_ap_offset", "reg_sub_tensor_id"].into_iter().enumerate() {
                    match operand.register(index) {
                        Some(register) => {
                            braces.key(self, key)?;
                            self.register_ref(register)?;
                        }
                        None if index == 0 || all => {
                            braces.key(self, key)?;
                            self.none()?;
                        }
                        None => {}
                    }
                }
                let (offset, sub_tensor, is_regloc) = operand.register_constants().unwrap_or((0, -1, false));
                if offset != 0 || all {
                    braces.key(self, "const_ap_offset")?;
                    self.unsigned(offset)?;
                }
                if sub_tensor != -1 || all {
                    braces.key(self, "const_sub_tensor_id")?;
                    self.signed(sub_tensor.into())?;
                }
                if is_regloc || all {
                    braces.key(self, "is_regloc_offset")?;
                    self.flag(is_regloc)?;
                }
            }
            ArgumentKind::SymbolicImmediateValue => {
                if let Some((values, _)) = operand.symbolic_immediate() {
                    braces.key(self, "value_list")?;
                    self.list(values, |p, bits| p.immediate(operand.dtype.get(), bits))?;
                }
            }
            _ => {}
        }
        let is_pattern = operand.pattern().len() > 0;
        if operand.access_shape().len() > 0 || (all && is_pattern) {
            braces.key(self, "access_shape")?;
            self.list(operand.access_shape(), Self::unsigned)?;
        }
        braces.close(self)
    }

    /// `(9 + 4*(512*i), actual_ap=[...], ...)`: the address in elements, then what else there is.
    fn dynamic(&mut self, info: &DynamicAPINFO) -> Result<()> {
        self.plain("(")?;
        self.signed(info.c())?;
        for (expr, coef) in info.terms() {
            self.plain(if coef < 0 { " - " } else { " + " })?;
            if coef.unsigned_abs() == 1 && !self.all {
                self.expr(expr, Binding::Product)?;
            } else {
                self.unsigned(coef.unsigned_abs())?;
                self.plain("*")?;
                self.expr(expr, Binding::Atom)?;
            }
        }
        self.plain(",")?;
        self.key("actual_ap")?;
        self.list(info.actual_ap(), Self::pair)?;
        self.plain(",")?;
        self.key("indirect_dim")?;
        self.member::<IndirectDim>(Style::Member, info.indirect_dim.get())?;
        self.plain(",")?;
        self.key("indirect_dim_max_index")?;
        self.signed(info.indirect_dim_max_index().into())?;
        self.plain(")")
    }
}

/// Braces that open with the first key.
struct Braces {
    open: bool,
}

impl Braces {
    fn key<O: Output + ?Sized>(&mut self, printer: &mut Printer<'_, '_, O>, key: &str) -> Result<()> {
        printer.plain(if self.open { " " } else { "{" })?;
        self.open = true;
        printer.put(Style::Key, key)?;
        printer.plain("=")
    }

    fn close<O: Output + ?Sized>(&self, printer: &mut Printer<'_, '_, O>) -> Result<()> {
        if self.open { printer.plain("}") } else { Ok(()) }
    }
}
