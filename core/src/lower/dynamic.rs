//! Accesses whose place is known at run time only (`spec/lowering.md` section 3.3).

use super::access::{Access, Dynamic, Operand};
use super::kernel::Lowering;
use super::number::stride;
use super::stop::{Field, Step, refuse, refuse_with};
use super::table::rule;
use super::wording;
use crate::enums::bir::Dtype;
use crate::ir::Register;
use crate::klr::ast;

/// Where the value of a scalar offset comes from.
pub(super) enum Scalar<'m> {
    /// A register.
    Register(&'m Register),
    /// A tensor of one element.
    Index(Access<'m>),
}

impl<'m> Scalar<'m> {
    /// The value as operand.
    pub fn operand(self) -> Operand<'m> {
        match self {
            Scalar::Register(register) => Operand::Register(register, Dtype::int32),
            Scalar::Index(access) => Operand::Access(access),
        }
    }
}

impl<'m, 'k> Lowering<'m, 'k> {
    /// The source of a scalar offset. A register must have been made before.
    pub fn scalar(&mut self, offset: &ast::ScalarOffset<'k>, field: Field) -> Step<Scalar<'m>> {
        let field = field.part("scalarOffset");
        match offset {
            ast::ScalarOffset::Reg(name) => match self.registers.get(*name) {
                Some(register) => Ok(Scalar::Register(register)),
                None => refuse_with(&rule::SCALAR_REGISTER, field, name),
            },
            ast::ScalarOffset::Acc(access) => self.plain_access(access, field).map(Scalar::Index),
        }
    }

    /// The stride of the dimension that a dynamic access selects.
    pub fn indirect_stride(&self, pattern: &ast::BirAccessPattern<'_>, field: Field) -> Step<i64> {
        match stride(pattern.tensor, pattern.indirect_dim) {
            Some(stride) => Ok(stride),
            None => refuse_with(&wording::INDIRECT_DIM, field.part("indirectDim"), pattern.indirect_dim),
        }
    }

    /// Looks for what a dynamic access by DMA may not be.
    pub fn check_dynamic(&self, pattern: &ast::BirAccessPattern<'k>, field: Field) -> Step<()> {
        if pattern.scalar_offset.is_some() && pattern.vector_offset.is_some() {
            return refuse(&rule::BOTH_OFFSETS, field);
        }
        if let Some(ast::ScalarOffset::Reg(name)) = pattern.scalar_offset
            && !self.registers.contains_key(name)
        {
            return refuse_with(&rule::SCALAR_REGISTER, field.part("scalarOffset"), name);
        }
        if pattern.vector_offset.is_some() && pattern.indirect_dim != 0 {
            return refuse(&rule::VECTOR_DIM, field.part("indirectDim"));
        }
        Ok(())
    }

    /// A side of a DMA that may be dynamic, and the index tensor that goes to the indirection inputs.
    pub fn dma_side(
        &mut self,
        reference: &ast::TensorRef<'k>,
        field: &'static str,
    ) -> Step<(Access<'m>, Option<Access<'m>>)> {
        let Some(pattern) = super::access::dynamic_pattern(reference) else {
            return Ok((self.access(reference, field)?, None));
        };
        let field = Field::from(field);
        let (tensor, part) = self.static_part(pattern, field)?;
        let Ok(constant) = i64::try_from(part.offset) else {
            return refuse_with(&wording::NUMBER_RANGE, field.part("offset"), part.offset);
        };
        let (register, index, coefficient, max_index) = match (&pattern.scalar_offset, &pattern.vector_offset) {
            (Some(scalar), None) => {
                let coefficient = self.indirect_stride(pattern, field)?;
                match self.scalar(scalar, field)? {
                    Scalar::Register(register) => (Some(register), None, coefficient, 0),
                    Scalar::Index(access) => (None, Some(access), coefficient, 0),
                }
            }
            (None, Some(vector)) => {
                let index = self.plain_access(vector, field.part("vectorOffset"))?;
                let Ok(rows) = i32::try_from(tensor.rows) else {
                    return refuse_with(&wording::NUMBER_RANGE, field.part("tensor"), tensor.rows);
                };
                (None, Some(index), tensor.elements, rows)
            }
            _ => return refuse(&rule::BOTH_OFFSETS, field),
        };
        let dynamic = Dynamic { actual: part.pattern, register, coefficient, constant, max_index };
        let whole = Access::whole(&tensor);
        Ok((Access { dtype: part.dtype, dynamic: Some(dynamic), ..whole }, index))
    }
}
