//! The operators of the older form as instructions.

use super::super::access::Operand;
use super::super::stop::{Field, Step, refuse, refuse_with};
use super::super::table::{ORIGIN, rule};
use super::super::wording;
use super::Older;
use crate::Result;
use crate::enums::bir::{DGEType, EngineType, InstructionType, MemsetMode, NamedObjectOrigin};
use crate::enums::{crosswalk, klr};
use crate::fallible::push;
use crate::ir::{Instruction, OperandList, Place};
use crate::klr::older::{Operator, Scalars, Statement, Store, Value};
use crate::op::Maybe;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// The name of a statement's operator, if it is one of the known ones.
pub(super) fn operator(statement: &Statement) -> Option<&'static str> {
    let Statement::Store(store) = statement else { return None };
    match store.op {
        Operator::Load => Some("load"),
        Operator::Save => Some("save"),
        Operator::Memset(_) => Some("memset"),
        Operator::TensorScalar(..) => Some("tensorScalar"),
        Operator::TensorScalarAddr(_) => Some("tensorScalarAddr"),
        Operator::Other(_) => None,
    }
}

impl<'m, 'k> Older<'m, 'k> {
    pub fn lower(&mut self, statement: &'k Statement) -> Step<()> {
        let Statement::Store(store) = statement else { return refuse(&rule::STMT_KIND, Field::NONE) };
        match &store.op {
            Operator::Load => {
                let load = self.emit(store, InstructionType::Load, 1..=1)?.as_load()?;
                load.set_dge_type(DGEType::None)?;
            }
            Operator::Save => {
                let save = self.emit(store, InstructionType::Save, 1..=1)?.as_save()?;
                save.set_dge_type(DGEType::None)?;
            }
            Operator::Memset(bits) => {
                let Ok(bits) = u32::try_from(*bits) else { return refuse_with(&wording::NUMBER_RANGE, "op", bits) };
                let memset = self.emit(store, InstructionType::Memset, 0..=0)?.as_memset()?;
                memset.set_mode(MemsetMode::Const)?;
                memset.set_constant(Maybe::Constant(bits))?;
            }
            Operator::TensorScalar(scalars, constants) => {
                let instruction = self.emit(store, InstructionType::TensorScalar, 1..=1)?;
                set_scalars(instruction, *scalars)?;
                let tensor_scalar = instruction.as_tensor_scalar()?;
                tensor_scalar.set_const0(constants.const0)?;
                tensor_scalar.set_const1(constants.const1)?;
            }
            Operator::TensorScalarAddr(scalars) => {
                // Data, then one or two scalars.
                let instruction = self.emit(store, InstructionType::TensorScalarPtr, 2..=3)?;
                set_scalars(instruction, *scalars)?;
                instruction.as_tensor_scalar_ptr()?.set_is_tensor_scalar_addr(Maybe::Constant(true))?;
            }
            Operator::Other(name) => return refuse_with(&rule::OP_KIND, Field::from("op"), name),
        }
        Ok(())
    }

    /// The instruction with its operands: dst, and as many arguments as it may have.
    fn emit(
        &mut self,
        store: &'k Store,
        opcode: InstructionType,
        arguments: RangeInclusive<usize>,
    ) -> Step<&'m Instruction> {
        if !arguments.contains(&store.args.len()) {
            return refuse_with(&wording::ARGUMENT_COUNT, "args", store.args.len());
        }
        let dst = self.access(&store.dst, "dst".into())?;
        let mut ins = Vec::new();
        for (index, value) in store.args.iter().enumerate() {
            let field = Field::at("args", index);
            let Value::Access(access) = value else { return refuse(&rule::OPERAND_KIND, field) };
            push(&mut ins, self.access(access, field)?)?;
        }
        let instruction = self.add(opcode)?;
        for access in ins {
            Operand::Access(access).add_to(instruction, OperandList::Ins)?;
        }
        Operand::Access(dst).add_to(instruction, OperandList::Outs)?;
        Ok(instruction)
    }

    fn add(&mut self, opcode: InstructionType) -> Result<&'m Instruction> {
        let name = crate::fallible::format(format_args!("{}-{}", opcode.name(), self.number))?;
        self.number = self.number.wrapping_add(1);
        let instruction = self.block.add_instruction(opcode, &name, Place::End)?.object;
        instruction.set_engine(EngineType::Unassigned);
        instruction.set_origin(NamedObjectOrigin::from_ordinal(ORIGIN)?);
        Ok(instruction)
    }
}

/// Operations and reversals, whose keys both opcodes have.
fn set_scalars(instruction: &Instruction, scalars: Scalars) -> Result<()> {
    use crate::op::Value as Field;
    let alu = |op: klr::AluOp| -> Result<Field<'_>> {
        let op = crosswalk::translate_alu_op(op.ordinal().cast_unsigned())?;
        Ok(Field::Enum(crate::enums::bir::AluOpType::ID, op.ordinal()))
    };
    instruction.set("op0", &alu(scalars.op0)?)?;
    instruction.set("op1", &alu(scalars.op1)?)?;
    instruction.set("reverse0", &Field::Bool(scalars.reverse0))?;
    instruction.set("reverse1", &Field::Bool(scalars.reverse1))
}
