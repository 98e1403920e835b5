//! Adds instructions with what a compiler knows of them: name, line of the source, dependencies, semaphores.

use super::Counts;
use super::access::{Access, In};
use super::buffers::{Buffer, Buffers};
use bir_core::Result;
use bir_core::enums::IrEnum;
use bir_core::enums::bir::{Dtype, EdgeKind, EngineType, InstructionType, UpdateMode, WaitMode};
use bir_core::ir::{BasicBlock, EdgeSet, Function, Instruction, OperandList, OperandSpec, Place, Update, Wait};
use bir_core::op::{Maybe, Member, ToValue, Value};

/// A payload field and its value.
pub type FieldValue<'m> = (&'static str, Value<'m>);

/// A member of an enum as a field's value.
pub fn member<'m, E: IrEnum>(member: E) -> Value<'m> {
    Member(member).to_value()
}

/// A constant where an expression could stand.
pub fn constant<'m, T: ToValue<'m>>(value: T) -> Value<'m> {
    Maybe::Constant(value).to_value()
}

/// Who wrote a tensor last, and who read it since: the last one of each engine, which works in order.
#[derive(Clone, Default)]
struct Uses<'m> {
    writer: Option<&'m Instruction>,
    /// Number of the semaphore update by a DMA that wrote it.
    arrival: Option<Update>,
    readers: Vec<&'m Instruction>,
}

/// Adds instructions to a function until there are enough.
pub struct Emitter<'m> {
    pub buffers: Buffers<'m>,
    function: &'m Function,
    block: Option<&'m BasicBlock>,
    uses: Vec<Uses<'m>>,
    left: usize,
    number: u64,
    transfers: u32,
    /// Line of the source program that the next instructions come from.
    pub line: u32,
    counts: Counts,
}

/// One instruction to be.
pub struct Spec<'a, 'm> {
    pub opcode: InstructionType,
    pub engine: EngineType,
    /// What the name ends with.
    pub suffix: &'a str,
    pub ins: &'a [In<'m>],
    pub outs: &'a [Access<'m>],
    pub fields: &'a [FieldValue<'m>],
}

impl<'m> Emitter<'m> {
    pub fn new(function: &'m Function, instructions: usize) -> Self {
        Emitter {
            buffers: Buffers::new(function),
            function,
            block: None,
            uses: Vec::new(),
            left: instructions,
            number: 0,
            transfers: 0,
            line: 1,
            counts: Counts::default(),
        }
    }

    /// Whether there are enough instructions.
    pub fn is_full(&self) -> bool {
        self.left == 0
    }

    /// What there is by now.
    pub fn counts(&self) -> Counts {
        Counts { tensors: self.buffers.count(), ..self.counts }
    }

    /// Begins the next block, if more instructions are to come.
    pub fn begin_block(&mut self) -> Result<()> {
        if !self.is_full() {
            self.counts.blocks += 1;
            self.block = Some(self.function.add_block(&format!("Block{}", self.counts.blocks), Place::End)?.object);
        }
        Ok(())
    }

    /// Adds an instruction; nothing, if there are enough.
    pub fn add(&mut self, spec: Spec<'_, 'm>) -> Result<()> {
        let Some(block) = self.block.filter(|_| !self.is_full()) else { return Ok(()) };
        self.left -= 1;
        self.counts.instructions += 1;
        // Passes before have removed some, so numbers have gaps.
        self.number += 1 + (self.number * 7 % 5) / 3;
        let name = format!("I-{}{}", self.number, spec.suffix);
        let instruction = block.add_instruction(spec.opcode, &name, Place::End)?.object;
        instruction.set_engine(spec.engine);
        for (key, value) in spec.fields {
            instruction.set(key, value)?;
        }
        let is_dma = spec.engine == EngineType::SP;
        // What DMA engines do was added by the compiler and has no line.
        if !is_dma {
            let line = self.line + u32::from(self.number.is_multiple_of(3));
            instruction.set_debug_json(Some(&format!(r#"{{"lineno":{line}}}"#)))?;
        }
        for input in spec.ins {
            match input {
                In::Tensor(access) => {
                    self.reads(instruction, access.buffer)?;
                    instruction.add_operand(OperandList::Ins, &access.spec(), Place::End)?;
                }
                In::Float(value) => {
                    let spec = OperandSpec::Immediate { dtype: Dtype::float32, bits: value.to_bits().into() };
                    instruction.add_operand(OperandList::Ins, &spec, Place::End)?;
                }
            }
        }
        for access in spec.outs {
            self.writes(instruction, access.buffer, is_dma)?;
            instruction.add_operand(OperandList::Outs, &access.spec(), Place::End)?;
        }
        self.counts.operands += spec.ins.len() + spec.outs.len();
        self.counts.synchronized += usize::from(instruction.has_sync_info());
        Ok(())
    }

    fn reads(&mut self, instruction: &'m Instruction, buffer: Buffer<'m>) -> Result<()> {
        let uses = uses_of(&mut self.uses, buffer);
        let engine = instruction.engine()?;
        uses.readers.retain(|reader| !reader.engine().is_ok_and(|e| e == engine));
        uses.readers.push(instruction);
        let (writer, arrival) = (uses.writer, uses.arrival.take());
        let Some(writer) = writer else { return Ok(()) };
        // The first reader of what a DMA brings waits for its semaphore.
        if let Some(Update { id, value, .. }) = arrival {
            let wait = Wait { id, value, mode: WaitMode::sem_ge_imm, sync_type: 0, from: Some(writer) };
            instruction.add_wait(wait)?;
        }
        self.depend(instruction, writer, EdgeKind::Flow)
    }

    fn writes(&mut self, instruction: &'m Instruction, buffer: Buffer<'m>, is_dma: bool) -> Result<()> {
        let uses = uses_of(&mut self.uses, buffer);
        let readers = std::mem::take(&mut uses.readers);
        let writer = uses.writer.replace(instruction);
        uses.arrival = None;
        if is_dma {
            self.transfers += 1;
            let (id, value) = (3 + self.transfers % 24, 16);
            let update = Update { id, value, mode: UpdateMode::sem_add_imm, sync_type: 0, target_core: None };
            uses.arrival = Some(update);
            instruction.add_update(update)?;
        }
        for &reader in &readers {
            self.depend(instruction, reader, EdgeKind::Anti)?;
        }
        // Readers since then imply the order behind the last writer.
        if let Some(writer) = writer.filter(|_| readers.is_empty()) {
            self.depend(instruction, writer, EdgeKind::Output)?;
        }
        Ok(())
    }

    fn depend(&mut self, instruction: &'m Instruction, on: &'m Instruction, kind: EdgeKind) -> Result<()> {
        if !std::ptr::eq(instruction, on) && instruction.dependency_kind(on, EdgeSet::Normal).is_none() {
            instruction.add_dependency(on, kind, EdgeSet::Normal)?;
            self.counts.dependencies += 1;
        }
        Ok(())
    }
}

fn uses_of<'a, 'm>(uses: &'a mut Vec<Uses<'m>>, buffer: Buffer<'m>) -> &'a mut Uses<'m> {
    if uses.len() <= buffer.id {
        uses.resize(buffer.id + 1, Uses::default());
    }
    &mut uses[buffer.id]
}
