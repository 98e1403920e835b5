//! Tensors that the lowering makes itself: the zero bias of activations and the identity matrices of transposes
//! (`spec/lowering.toml`, `[[generated]]`).

use super::access::{Access, Operand};
use super::kernel::{Lowering, Spot};
use super::pattern::Pattern;
use super::stop::Field;
use super::tensors::{SB_BYTES, Tensor, made_name};
use super::wording;
use crate::Result;
use crate::enums::bir::{AluOpType, Dtype, EngineType, InstructionType, MemsetMode};
use crate::fallible::{format, push};
use crate::ir::{APPair, BasicBlock, Instruction, OperandList, Place};
use crate::op::{Maybe, Value};
use alloc::vec::Vec;

/// Rows and columns of an identity matrix.
const ROWS: i64 = 128;
/// The engine that fills the tensors.
const ENGINE: EngineType = EngineType::Pool;

/// The tensors made so far.
#[derive(Default)]
pub(super) struct Made<'m> {
    zero_bias: Option<Tensor<'m>>,
    identities: Vec<Tensor<'m>>,
    /// The last of the instructions that fill them, at the start of the first block.
    last: Option<&'m Instruction>,
}

impl<'m> Lowering<'m, '_> {
    /// The zero bias: one element in each partition.
    pub fn zero_bias(&mut self) -> Result<Operand<'m>> {
        let tensor = match self.made.zero_bias {
            Some(tensor) => tensor,
            None => {
                // One per kernel, and a kernel has its own function.
                let tensor = self.made_tensor(&made_name("zero_bias_act_", 0)?, Dtype::float32, 1)?;
                self.fill_with_zero(&made_name("memset_zero_bias_", 0)?, &tensor)?;
                self.made.zero_bias = Some(tensor);
                tensor
            }
        };
        Ok(Operand::Access(Access {
            location: tensor.location,
            dtype: tensor.dtype,
            pattern: Pattern::whole(ROWS, 1),
            offset: 0,
            dynamic: None,
        }))
    }

    /// The identity matrix of an element type.
    pub fn identity(&mut self, dtype: Dtype) -> Result<Operand<'m>> {
        let found = self.made.identities.iter().find(|t| t.dtype == dtype).copied();
        let tensor = match found {
            Some(tensor) => tensor,
            None => {
                let name = made_name("id.", dtype.name())?;
                let tensor = self.made_tensor(&name, dtype, ROWS.cast_unsigned())?;
                self.fill_with_zero(&format(format_args!("{name}_memset"))?, &tensor)?;
                self.set_diagonal(&format(format_args!("{name}=IDAffineSelect(mask,fill=1)"))?, &tensor)?;
                push(&mut self.made.identities, tensor)?;
                tensor
            }
        };
        Ok(Operand::Access(Access::whole(&tensor)))
    }

    fn fill_with_zero(&mut self, name: &str, tensor: &Tensor<'m>) -> Result<()> {
        let Some(instruction) = self.prologue(InstructionType::Memset, name)? else { return Ok(()) };
        Operand::Access(Access::whole(tensor)).add_to(instruction, OperandList::Outs)?;
        let memset = instruction.as_memset()?;
        memset.set_mode(MemsetMode::Const)?;
        memset.set_constant(Maybe::Constant(0))
    }

    /// Keeps what is off the diagonal and sets the diagonal to 1.
    fn set_diagonal(&mut self, name: &str, tensor: &Tensor<'m>) -> Result<()> {
        let Some(instruction) = self.prologue(InstructionType::TensorScalarAffineSelect, name)? else {
            return Ok(());
        };
        let whole = Operand::Access(Access::whole(tensor));
        whole.add_to(instruction, OperandList::Ins)?;
        whole.add_to(instruction, OperandList::Outs)?;
        let select = instruction.as_tensor_scalar_affine_select()?;
        select.set_compare_op(AluOpType::not_equal)?;
        select.set_fill_value(1.0)?;
        select.set_base(Maybe::Constant(0))?;
        let mut pattern = Vec::new();
        push(&mut pattern, Value::Pair(APPair { step: -1, num: ROWS }))?;
        instruction.set("pattern", &Value::List(pattern))?;
        select.set_channel_multiplier(Maybe::Constant(1))
    }

    /// A new instruction at the start of the first block, behind earlier ones of this kind: they come before every use.
    fn prologue(&mut self, opcode: InstructionType, name: &str) -> Result<Option<&'m Instruction>> {
        let first: Option<&'m BasicBlock> = self.blocks.iter().copied().flatten().next();
        let Some(block) = first else { return Ok(None) };
        let place = self.made.last.map_or(Place::Start, Place::After);
        let instruction = block.add_instruction(opcode, name, place)?.object;
        instruction.set_engine(ENGINE);
        // It belongs to no statement.
        let spot = core::mem::take(&mut self.spot);
        self.mark(instruction)?;
        self.spot = spot;
        self.made.last = Some(instruction);
        Ok(Some(instruction))
    }
}

/// Gives the tensors of the compiler addresses behind those of the kernel: first the zero bias, then the identity matrices.
/// In a kernel whose own SB tensors have no addresses they get none either.
pub(super) fn place(lowering: &mut Lowering<'_, '_>) -> Result<()> {
    let Some(mut at) = lowering.tensors.sb_end else { return Ok(()) };
    lowering.spot = Spot::default();
    let made = lowering.made.zero_bias.into_iter().chain(core::mem::take(&mut lowering.made.identities));
    for tensor in made {
        let element = u64::from(tensor.dtype.container_bytes());
        let start = at.checked_next_multiple_of(element).unwrap_or(u64::MAX);
        let end = start.saturating_add(tensor.elements.cast_unsigned().saturating_mul(element));
        if end > SB_BYTES {
            lowering.warn(&wording::UNPLACED, Field::NONE, tensor.location.name())?;
            continue;
        }
        tensor.location.set_addr(start);
        tensor.location.set_allocated(true);
        at = end;
    }
    Ok(())
}
