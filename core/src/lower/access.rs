//! From tensor references and immediates to operands (`spec/lowering.md` sections 3.2 to 3.4).

use super::kernel::Lowering;
use super::number::i32_of;
use super::pattern::{BadPattern, Pattern};
use super::stop::{Field, Step, refuse, refuse_with};
use super::table::rule;
use super::tensors::Tensor;
use super::wording;
use crate::Result;
use crate::enums::bir::{Dtype, IndirectDim, MemoryType};
use crate::enums::crosswalk;
use crate::ir::{
    DynamicSpec, ExprKind, Instruction, MemoryLocation, OperandList, OperandSpec, Place, QuasiAffineExpr, Register,
};
use crate::klr::ast;

/// An operand that is ready to be added.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'m> {
    /// A pattern over a location.
    Access(Access<'m>),
    /// A literal.
    Immediate { dtype: Dtype, bits: u64 },
    /// A register.
    Register(&'m Register, Dtype),
}

/// A pattern over a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access<'m> {
    pub location: &'m MemoryLocation,
    pub dtype: Dtype,
    pub pattern: Pattern,
    /// In elements.
    pub offset: u64,
    pub dynamic: Option<Dynamic<'m>>,
}

/// The run-time part of an access by DMA (section 3.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamic<'m> {
    /// The pattern that is really accessed.
    pub actual: Pattern,
    /// The register that holds the value; `None` for the indirect argument 1.
    pub register: Option<&'m Register>,
    /// What one step of the value means, in elements.
    pub coefficient: i64,
    /// The constant part, in elements.
    pub constant: i64,
    /// The number of rows; 0 if it is not set.
    pub max_index: i32,
}

/// The number of the argument that an index tensor becomes.
const INDEX_ARGUMENT: i64 = 1;

impl<'m> From<Access<'m>> for Operand<'m> {
    fn from(access: Access<'m>) -> Self {
        Operand::Access(access)
    }
}

impl<'m> Access<'m> {
    /// Every element of a tensor: `[[F, P], [1, F]]`.
    pub fn whole(tensor: &Tensor<'m>) -> Access<'m> {
        let pattern = Pattern::whole(tensor.rows, tensor.elements);
        Access { location: tensor.location, dtype: tensor.dtype, pattern, offset: 0, dynamic: None }
    }
}

impl<'m> Operand<'m> {
    /// A float literal.
    pub fn float(value: f32) -> Operand<'m> {
        Operand::Immediate { dtype: Dtype::float32, bits: value.to_bits().into() }
    }

    /// An integer literal.
    pub fn int(value: i32) -> Operand<'m> {
        Operand::Immediate { dtype: Dtype::int32, bits: value.cast_unsigned().into() }
    }

    /// Adds the operand behind the others of its list.
    pub fn add_to(&self, instruction: &'m Instruction, list: OperandList) -> Result<()> {
        match self {
            Operand::Access(access) => access.add_to(instruction, list),
            Operand::Immediate { dtype, bits } => {
                let spec = OperandSpec::Immediate { dtype: *dtype, bits: *bits };
                instruction.add_operand(list, &spec, Place::End).map(drop)
            }
            Operand::Register(register, dtype) => {
                let spec = OperandSpec::Register { register, dtype: *dtype };
                instruction.add_operand(list, &spec, Place::End).map(drop)
            }
        }
    }
}

impl<'m> Access<'m> {
    fn add_to(&self, instruction: &'m Instruction, list: OperandList) -> Result<()> {
        let Access { location, dtype, offset, .. } = *self;
        let spec = OperandSpec::Physical { location, dtype, pattern: self.pattern.as_slice(), offset };
        let operand = instruction.add_operand(list, &spec, Place::End)?;
        let Some(dynamic) = &self.dynamic else { return Ok(()) };
        let module = instruction.module()?;
        let node = match dynamic.register {
            Some(register) => module.register_value(register)?,
            None => module.leaf(ExprKind::IndirectArgId, INDEX_ARGUMENT, 0)?,
        };
        let expression: QuasiAffineExpr<'_> = module.expression(node)?;
        operand.set_dynamic(Some(&DynamicSpec {
            actual_ap: dynamic.actual.as_slice(),
            aff_expr: &[(expression, dynamic.coefficient)],
            c: dynamic.constant,
            indirect_dim: IndirectDim::W,
            indirect_dim_max_index: dynamic.max_index,
        }))
    }
}

/// The pattern of a reference to a tensor, if the lowering takes it and it is dynamic.
pub(super) fn dynamic_pattern<'k>(reference: &ast::TensorRef<'k>) -> Option<&'k ast::BirAccessPattern<'k>> {
    match reference {
        ast::TensorRef::Abstract(ast::Access::BirPattern(pattern)) if is_dynamic(pattern) => Some(pattern),
        _ => None,
    }
}

fn is_dynamic(pattern: &ast::BirAccessPattern<'_>) -> bool {
    pattern.scalar_offset.is_some() || pattern.vector_offset.is_some()
}

impl<'m, 'k> Lowering<'m, 'k> {
    /// A reference that must be static.
    pub fn access(&mut self, reference: &ast::TensorRef<'k>, field: impl Into<Field>) -> Step<Access<'m>> {
        let field = field.into();
        match reference {
            ast::TensorRef::Abstract(access) => self.plain_access(access, field),
            ast::TensorRef::Hbm(hbm) => Ok(Access::whole(&self.hbm_tensor(hbm, field)?)),
            ast::TensorRef::Sbuf(_) | ast::TensorRef::Psum(_) | ast::TensorRef::Register(_) => {
                refuse(&rule::TENSORREF_KIND, field)
            }
        }
    }

    /// As [`Lowering::access`], as operand.
    pub fn read(&mut self, reference: &ast::TensorRef<'k>, field: impl Into<Field>) -> Step<Operand<'m>> {
        self.access(reference, field).map(Operand::Access)
    }

    /// An access that must be static.
    pub fn plain_access(&mut self, access: &ast::Access<'k>, field: Field) -> Step<Access<'m>> {
        match access {
            ast::Access::Simple(tensor) => Ok(Access::whole(&self.tensor(tensor, field)?)),
            ast::Access::BirPattern(pattern) if is_dynamic(pattern) => refuse(&rule::DYNAMIC_FORBIDDEN, field),
            ast::Access::BirPattern(pattern) => Ok(self.static_part(pattern, field)?.1),
            ast::Access::Basic(_) | ast::Access::Pattern(_) => refuse_with(&rule::ACCESS_KIND, field, access.ordinal()),
        }
    }

    /// The tensor of a pattern, and the access without its dynamic offsets.
    pub fn static_part(
        &mut self,
        pattern: &'k ast::BirAccessPattern<'k>,
        field: Field,
    ) -> Step<(Tensor<'m>, Access<'m>)> {
        let tensor = self.tensor(pattern.tensor, field)?;
        let dtype = match pattern.dtype_override {
            None => tensor.dtype,
            Some(dtype) => match crosswalk::translate_dtype(dtype.ordinal().cast_unsigned()) {
                Ok(dtype) => dtype,
                Err(_) => return refuse(&rule::DTYPE, field.part("dtypeOverride")),
            },
        };
        let pairs = match Pattern::new(pattern.pattern) {
            Ok(pairs) => pairs,
            Err(BadPattern::Pairs(count)) => return refuse_with(&wording::ACCESS_PAIRS, field.part("pattern"), count),
            Err(BadPattern::Count(num)) => return refuse_with(&wording::NUMBER_RANGE, field.part("pattern"), num),
        };
        if tensor.memory != MemoryType::DRAM {
            self.check_conventions(pattern, &pairs, field)?;
        }
        let access = Access { location: tensor.location, dtype, pattern: pairs, offset: pattern.offset, dynamic: None };
        Ok((tensor, access))
    }

    /// What front ends promise of accesses to on-chip memory.
    fn check_conventions(&mut self, pattern: &ast::BirAccessPattern<'_>, pairs: &Pattern, field: Field) -> Result<()> {
        let elements = pattern.tensor.free_elements;
        let first = pairs.first();
        if first.num > 1 && i64::try_from(elements) != Ok(first.step) {
            self.warn(&wording::ACCESS_STEP, field.part("pattern"), first.step)?;
        }
        let row = pattern.offset.checked_div(elements).unwrap_or(0);
        let row = row.saturating_add(pattern.tensor.address.par_offset.unwrap_or(0));
        if !matches!(row, 0 | 32 | 64 | 96) {
            self.warn(&wording::ACCESS_PARTITION, field.part("offset"), row)?;
        }
        Ok(())
    }

    /// An operand that may be immediate.
    pub fn operand(&mut self, operand: &ast::Operand<'k>, field: impl Into<Field>) -> Step<Operand<'m>> {
        match operand {
            ast::Operand::Imm(immediate) => self.immediate(*immediate, field),
            ast::Operand::Tile(reference) => self.read(reference, field),
        }
    }

    /// A literal.
    pub fn immediate(&self, immediate: ast::Immediate, field: impl Into<Field>) -> Step<Operand<'m>> {
        let field = field.into();
        match immediate {
            ast::Immediate::Float(value) => Ok(Operand::float(value)),
            ast::Immediate::Int(value) => Ok(Operand::int(i32_of(value, field)?)),
            ast::Immediate::Register(_) | ast::Immediate::Pointer => refuse(&rule::IMMEDIATE_KIND, field),
        }
    }

    /// The register of that name, made if there is none.
    pub fn register(&mut self, name: &'k str) -> Result<&'m Register> {
        if let Some(register) = self.registers.get(name) {
            return Ok(*register);
        }
        let register = self.function.add_register(name, Place::End)?.object;
        self.registers.try_reserve(1).map_err(|_| crate::Error::out_of_memory())?;
        self.registers.insert(name, register);
        Ok(register)
    }
}
