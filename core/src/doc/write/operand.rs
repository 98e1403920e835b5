//! Operands.
#![forbid(unsafe_code)]

use super::super::read::{Immediate, immediate_range};
use super::{Writer, number};
use crate::doc::output::Output;
use crate::enums::bir::{ArgumentKind, Dtype, IndirectDim};
use crate::ir::{Argument, Instruction, MAX_DIMS, OperandList};
use crate::{Error, ErrorCode, Result};

impl<'m, O: Output> Writer<'_, 'm, O> {
    pub(super) fn operands(
        &mut self,
        instruction: &'m Instruction,
        list: OperandList,
        number: usize,
        always: bool,
    ) -> Result<()> {
        let mut operands = instruction.operands(list).peekable();
        if operands.peek().is_none() && !always {
            return Ok(());
        }
        self.list_key(number, list.key())?;
        for (index, operand) in operands.enumerate() {
            self.operand(operand, instruction)
                .map_err(|e| e.at(format_args!("{}.{}[{index}]", instruction.path(), list.key())))?;
        }
        self.out.phrase(number::LIST_END, O::end_array)
    }

    fn operand(&mut self, operand: &'m Argument, instruction: &'m Instruction) -> Result<()> {
        let kind = operand.kind()?;
        let dtype = operand.dtype()?;
        match kind {
            ArgumentKind::PhysicalAccessPattern => return self.physical(operand, instruction, dtype),
            ArgumentKind::ImmediateValue => {
                self.out.phrase(number::immediate(dtype), |out| {
                    out.begin_object()?;
                    out.schema_key("dtype")?;
                    out.schema_string(dtype.name())?;
                    out.schema_key("kind")?;
                    out.schema_string("imm_value")?;
                    out.schema_key("value")
                })?;
                self.immediate(dtype, operand.immediate_bits().unwrap_or_default())?;
                return self.out.phrase(number::END, O::end_object);
            }
            _ => {}
        }
        let explicit = self.explicit;
        self.out.begin_object()?;
        match kind {
            ArgumentKind::SymbolicAccessPattern => {
                self.access_shape(operand)?;
                let mut addrs = operand.addrs().peekable();
                if addrs.peek().is_some() || explicit {
                    self.out.schema_key("addrs")?;
                    self.out.begin_array()?;
                    for expr in addrs {
                        self.expression(expr)?;
                    }
                    self.out.end_array()?;
                }
                self.pattern(operand)?;
                self.word("dtype", dtype.name())?;
                self.text("kind", if operand.is_spelled_pwap() { "symbolic_pwap" } else { "symbolic_ap" })?;
                self.set_ref(operand)?;
                let (arg_id, indices) = operand.tensor_indirection().unwrap_or((-1, 0));
                if indices != 0 || explicit {
                    self.number("num_tensor_indirect_indices", indices.into())?;
                }
                if arg_id != -1 || explicit {
                    self.number("tensor_indirect_arg_id", arg_id.into())?;
                }
            }
            ArgumentKind::RegisterAccessPattern => {
                let (offset, sub_tensor, is_regloc) = operand.register_constants().unwrap_or((0, -1, false));
                self.access_shape(operand)?;
                self.pattern(operand)?;
                if offset != 0 || explicit {
                    self.unsigned("const_ap_offset", offset)?;
                }
                if sub_tensor != -1 || explicit {
                    self.number("const_sub_tensor_id", sub_tensor.into())?;
                }
                self.word("dtype", dtype.name())?;
                self.flag("is_regloc_offset", is_regloc)?;
                self.word("kind", "register_ap")?;
                self.set_ref(operand)?;
                if let Some(register) = operand.register(1) {
                    self.text("reg_ap_offset", &register.name())?;
                }
                if let Some(register) = operand.register(2) {
                    self.text("reg_sub_tensor_id", &register.name())?;
                }
                let Some(register) = operand.register(0) else { return Err(unbound()) };
                self.text("regref", &register.name())?;
            }
            ArgumentKind::ImmediateArray => {
                self.word("dtype", dtype.name())?;
                self.word("kind", "imm_array")?;
                self.out.schema_key("value_array")?;
                self.out.begin_array()?;
                for value in operand.immediate_array() {
                    self.out.i64(value)?;
                }
                self.out.end_array()?;
            }
            ArgumentKind::SymbolicImmediateValue => {
                self.word("dtype", dtype.name())?;
                let Some((values, expr)) = operand.symbolic_immediate() else { return Err(unbound()) };
                if !expr.is_none() {
                    self.out.schema_key("expr")?;
                    self.expression(expr)?;
                }
                self.word("kind", "symbolic_imm_value")?;
                self.out.schema_key("value_list")?;
                self.out.begin_array()?;
                for bits in values {
                    self.out.begin_object()?;
                    self.out.schema_key("value")?;
                    self.immediate(dtype, bits)?;
                    self.out.end_object()?;
                }
                self.out.end_array()?;
            }
            ArgumentKind::RegisterAccess => {
                self.word("dtype", dtype.name())?;
                self.word("kind", "register_access")?;
                let Some(register) = operand.register(0) else { return Err(unbound()) };
                self.text("regref", &register.name())?;
            }
            ArgumentKind::PhysicalAccessPattern | ArgumentKind::ImmediateValue => {}
            ArgumentKind::RegisterSet => {
                return Err(Error::new(ErrorCode::CorruptIr, "corrupt IR: a RegisterSet operand cannot exist"));
            }
        }
        self.out.end_object()
    }

    /// A pattern over a location.
    fn physical(&mut self, operand: &'m Argument, instruction: &'m Instruction, dtype: Dtype) -> Result<()> {
        let Some(location) = operand.memory_location() else { return Err(unbound()) };
        let owner = location.set().and_then(|s| s.storage().function());
        let here = instruction.function();
        let owner = owner.filter(|o| here.is_none_or(|h| !core::ptr::eq(*o, h)));
        let Some(set) = location.set() else { return Err(unbound()) };
        if operand.access_shape().len() > 0 || operand.dynamic().is_some() || owner.is_some() || self.explicit {
            self.out.begin_object()?;
            self.access_shape(operand)?;
            self.pattern(operand)?;
            self.word("dtype", dtype.name())?;
            self.dynamic(operand)?;
            self.word("kind", "physical_ap")?;
            self.text("memref", &location.name())?;
            if let Some(owner) = owner {
                self.text("memref_owner_func", &owner.name())?;
            }
            self.text("memsetref", &set.name())?;
            self.out.schema_key("offset")?;
        } else {
            // Nothing of a module changes while it is written: of one location, each type and pattern makes the same text.
            let mut key = [[0; 2]; 1 + MAX_DIMS];
            let pairs = operand.pattern();
            let words = 2 * (1 + pairs.len());
            let start = [core::ptr::from_ref(location).addr() as u64, dtype.ordinal() as u64];
            let pairs = pairs.map(|pair| [pair.step as u64, pair.num as u64]);
            key.iter_mut().zip(core::iter::once(start).chain(pairs)).for_each(|(to, from)| *to = from);
            let write = |out: &mut O| {
                out.begin_object()?;
                out.schema_key("ap")?;
                out.begin_array()?;
                out.pairs(operand.pattern().map(|pair| [pair.step, pair.num]))?;
                out.end_array()?;
                out.schema_key("dtype")?;
                out.schema_string(dtype.name())?;
                out.schema_key("kind")?;
                out.schema_string("physical_ap")?;
                out.schema_key("memref")?;
                out.string(&location.name())?;
                out.schema_key("memsetref")?;
                out.string(&set.name())?;
                out.schema_key("offset")
            };
            match key.as_flattened().get(..words) {
                Some(key) => self.out.phrase_of(key, write)?,
                None => write(&mut self.out)?,
            }
        }
        self.out.u64(operand.offset().unwrap_or_default())?;
        self.out.phrase(number::END, O::end_object)
    }

    fn set_ref(&mut self, operand: &'m Argument) -> Result<()> {
        match operand.memory_location_set() {
            Some(set) => self.text("memsetref", &set.name()),
            None => Err(unbound()),
        }
    }

    fn access_shape(&mut self, operand: &'m Argument) -> Result<()> {
        if operand.access_shape().len() == 0 && !self.explicit {
            return Ok(());
        }
        self.out.schema_key("access_shape")?;
        self.out.begin_array()?;
        for extent in operand.access_shape() {
            self.out.u64(extent)?;
        }
        self.out.end_array()
    }

    fn pattern(&mut self, operand: &'m Argument) -> Result<()> {
        self.out.schema_key("ap")?;
        self.pairs(operand.pattern())
    }

    pub(super) fn pairs(&mut self, pairs: impl Iterator<Item = crate::ir::APPair>) -> Result<()> {
        self.out.begin_array()?;
        self.out.pairs(pairs.map(|pair| [pair.step, pair.num]))?;
        self.out.end_array()
    }

    fn immediate(&mut self, dtype: Dtype, bits: u64) -> Result<()> {
        match immediate_range(dtype)? {
            Immediate::Float => self.out.f32(f32::from_bits(bits as u32)),
            Immediate::Integer { min: 0, .. } => self.out.u64(bits),
            Immediate::Integer { bits: width, .. } => {
                let shift = 64 - width;
                self.out.i64(((bits << shift) as i64) >> shift)
            }
        }
    }

    fn dynamic(&mut self, operand: &'m Argument) -> Result<()> {
        let Some(info) = operand.dynamic() else { return Ok(()) };
        self.out.schema_key("dynamic_ap_info")?;
        self.out.begin_object()?;
        self.out.schema_key("actual_ap")?;
        self.pairs(info.actual_ap.iter())?;
        self.out.schema_key("aff_expr")?;
        self.out.begin_array()?;
        for (expr, coef) in info.terms() {
            self.out.begin_object()?;
            self.number("coef", coef)?;
            self.out.schema_key("offset_expr")?;
            self.expression(expr)?;
            self.out.end_object()?;
        }
        self.out.end_array()?;
        self.number("c", info.c.get())?;
        self.word("indirect_dim", IndirectDim::from_ordinal(info.indirect_dim.get().into())?.name())?;
        self.number("indirect_dim_max_index", info.indirect_dim_max_index.get().into())?;
        self.out.end_object()
    }
}

fn unbound() -> Error {
    Error::new(ErrorCode::CorruptIr, "corrupt IR: an operand is bound to nothing, or to storage outside a set")
}
