//! Instructions: name, engine, operands, origin and debug information (`spec/lowering.md` section 2, end, and section 6).

use super::access::Operand;
use super::kernel::Lowering;
use super::number::engine_of;
use super::row::{Engine, Prefix, Variant};
use super::stop::Step;
use super::table::{DEFAULT_LABEL, ORIGIN};
use crate::doc::{JsonOut, Output as _, Style};
use crate::enums::bir::{EngineType, InstructionType, NamedObjectOrigin};
use crate::enums::klr;
use crate::error::bail;
use crate::fallible::append;
use crate::ir::{Instruction, OperandList, Place};
use crate::op::OpcodeInfo;
use crate::{Error, ErrorCode, Result};

/// The running numbers of names, from 0.
#[derive(Default)]
pub(super) struct Numbers {
    plain: u32,
    collectives: u32,
}

impl Numbers {
    fn next(&mut self, collective: bool) -> u32 {
        let counter = if collective { &mut self.collectives } else { &mut self.plain };
        let number = *counter;
        *counter = counter.wrapping_add(1);
        number
    }
}

/// Collectives keep the name of their builder.
const fn is_collective(opcode: InstructionType) -> bool {
    matches!(opcode, InstructionType::CollectiveCompute)
}

impl<'m, 'k> Lowering<'m, 'k> {
    /// Adds the instruction of a variant with its operands. `engine` is the field of the record, for forms that take it.
    pub fn emit(
        &mut self,
        variant: &'static Variant,
        engine: Option<klr::Engine>,
        ins: &[Operand<'m>],
        outs: &[Operand<'m>],
    ) -> Step<&'m Instruction> {
        let prefix = match variant.prefix {
            Prefix::Text(text) | Prefix::Template(text) => text,
        };
        self.emit_named(variant, prefix, engine, ins, outs)
    }

    /// As [`Lowering::emit`], with a prefix that was filled in.
    pub fn emit_named(
        &mut self,
        variant: &'static Variant,
        prefix: &str,
        engine: Option<klr::Engine>,
        ins: &[Operand<'m>],
        outs: &[Operand<'m>],
    ) -> Step<&'m Instruction> {
        let opcode = variant.opcode;
        let engine = match variant.engine {
            Engine::Fixed(engine) => engine,
            Engine::Mapped | Engine::MappedWithHwdge => engine.map_or(EngineType::Unassigned, engine_of),
            Engine::Default => match OpcodeInfo::of(opcode).default_engine {
                Some(name) => EngineType::from_name(name)?,
                None => EngineType::Unassigned,
            },
        };
        let instruction = self.make_instruction(opcode, prefix, engine)?;
        for operand in ins {
            operand.add_to(instruction, OperandList::Ins)?;
        }
        for operand in outs {
            operand.add_to(instruction, OperandList::Outs)?;
        }
        Ok(instruction)
    }

    /// Adds an instruction to the present block. The first one of a statement takes the statement's name, unless it is a
    /// collective.
    pub fn make_instruction(
        &mut self,
        opcode: InstructionType,
        prefix: &str,
        engine: EngineType,
    ) -> Result<&'m Instruction> {
        let Some(block) = self.block else { bail!(Internal, "a statement outside of a block") };
        let collective = is_collective(opcode);
        let number = self.numbers.next(collective);
        let statement = self.spot.statement.filter(|_| !self.spot.main_made);
        let instruction = match statement.and_then(|s| s.name).filter(|_| !collective) {
            Some(name) => block.add_instruction(opcode, name, Place::End)?.object,
            None => {
                let mut name = core::mem::take(&mut self.name_buffer);
                name.clear();
                append(&mut name, format_args!("{prefix}{number}"))?;
                let instruction = block.add_instruction(opcode, &name, Place::End)?.object;
                self.name_buffer = name;
                instruction
            }
        };
        if statement.is_some() {
            self.remember(Some(instruction))?;
            self.spot.main_made = true;
        }
        instruction.set_engine(engine);
        self.mark(instruction)?;
        Ok(instruction)
    }

    /// Gives an instruction its origin and its debug information: label, kernel name, source position.
    pub fn mark(&mut self, instruction: &'m Instruction) -> Result<()> {
        instruction.set_origin(NamedObjectOrigin::from_ordinal(ORIGIN)?);
        self.debug_buffer.clear();
        let mut json = JsonOut::new(&mut self.debug_buffer, Style::Compact);
        json.begin_object()?;
        let position = self.spot.statement.map(|s| s.pos);
        if let Some(position) = position {
            json.key("column")?;
            json.u64(position.column)?;
            if let Some(file) = position.filename {
                json.key("filename")?;
                json.string(file)?;
            }
        }
        json.key("kernel")?;
        json.string(self.kernel.name)?;
        json.key("label")?;
        json.string(self.spot.statement.and_then(|s| s.name).unwrap_or(DEFAULT_LABEL))?;
        if let Some(position) = position {
            json.key("lineno")?;
            json.u64(position.line)?;
        }
        json.end_object()?;
        json.finish()?;
        let text = core::str::from_utf8(&self.debug_buffer)
            .map_err(|_| Error::new(ErrorCode::Internal, "debug information is not UTF-8"))?;
        instruction.set_debug_json(Some(text.trim_end()))
    }
}
