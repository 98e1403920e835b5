//! The instructions that the program consists of, one method each.

use super::access::{Access, In};
use super::buffers::Buffer;
use super::emit::{FieldValue, Spec, constant, member};
use super::layer::Program;
use bir_core::Result;
use bir_core::enums::bir::{
    ActivationFunctionType as Func, AluOpType as Alu, AxisListType, CopyMode, DGEType, EngineAccumulationType as Acc,
    EngineType, InstructionType, MatmultPerfMode, MemsetMode,
};
use bir_core::ir::DMAQueue;
use bir_core::op::Value;

impl<'m> Program<'m> {
    fn add(
        &mut self,
        opcode: InstructionType,
        engine: EngineType,
        ins: &[In<'m>],
        outs: &[Access<'m>],
        fields: &[FieldValue<'m>],
    ) -> Result<()> {
        self.emit.add(Spec { opcode, engine, suffix: "", ins, outs, fields })
    }

    /// One partial product; the first clears the accumulator, the last closes it.
    pub fn multiply(
        &mut self,
        by: Access<'m>,
        weights: Access<'m>,
        to: Access<'m>,
        part: u64,
        parts: u64,
    ) -> Result<()> {
        let flag = u8::from(part == 0) | u8::from(part + 1 == parts) << 1;
        self.matmult(by, weights, to, flag, false, "")
    }

    fn matmult(
        &mut self,
        by: Access<'m>,
        weights: Access<'m>,
        to: Access<'m>,
        flag: u8,
        is_transpose: bool,
        suffix: &str,
    ) -> Result<()> {
        let size = Value::List(vec![constant(128_i32), constant(128_i32)]);
        let position = Value::List(vec![constant(0_i32), constant(0_i32)]);
        let fields = [
            ("accumulation_flag", constant(flag)),
            ("is_transpose", constant(is_transpose)),
            ("perf_mode", member(MatmultPerfMode::None)),
            ("tile_size", size),
            ("tile_position", position),
        ];
        let spec = Spec {
            opcode: InstructionType::Matmult,
            engine: EngineType::PE,
            suffix,
            ins: &[by.into(), weights.into()],
            outs: &[to],
            fields: &fields,
        };
        self.emit.add(spec)
    }

    /// Transposes part of a tile by way of the matrix engine.
    pub fn transpose(&mut self, name: &str, from: Buffer<'m>, to: Buffer<'m>, part: u64) -> Result<()> {
        let sum = self.psum(name, 512)?;
        let identity = from.columns_at(part * 512, 128);
        self.matmult(from.groups(part * 512, 128, 4, 128), identity, sum.whole(), 3, true, "-transpose")?;
        self.copy(EngineType::DVE, sum.groups(0, 128, 4, 128), to.groups(part * 512, 128, 4, 128))
    }

    pub fn copy(&mut self, engine: EngineType, from: Access<'m>, to: Access<'m>) -> Result<()> {
        self.add(InstructionType::TensorCopy, engine, &[from.into()], &[to], &[])
    }

    pub fn clear(&mut self, to: Access<'m>) -> Result<()> {
        let fields = [("mode", member(MemsetMode::Const)), ("constant", constant(0_u32))];
        self.add(InstructionType::Memset, EngineType::Pool, &[], &[to], &fields)
    }

    pub fn reduce(&mut self, op: Alu, from: Access<'m>, to: Access<'m>) -> Result<()> {
        let fields = [("op", member(op)), ("axis", member(AxisListType::XY)), ("negate", constant(op == Alu::max))];
        self.add(InstructionType::TensorReduce, EngineType::DVE, &[from.into()], &[to], &fields)
    }

    pub fn invert(&mut self, from: Access<'m>, to: Access<'m>) -> Result<()> {
        self.add(InstructionType::Reciprocal, EngineType::DVE, &[from.into()], &[to], &[])
    }

    pub fn binary(&mut self, op: Alu, a: Access<'m>, b: Access<'m>, to: Access<'m>) -> Result<()> {
        let engine = if op == Alu::add { EngineType::Pool } else { EngineType::DVE };
        let fields = [("op", member(op))];
        self.add(InstructionType::TensorTensor, engine, &[a.into(), b.into()], &[to], &fields)
    }

    /// `to = from * factor + term`.
    pub fn scale_shift(&mut self, from: Access<'m>, to: Access<'m>, factor: f32, term: f32) -> Result<()> {
        let fields = [
            ("op0", member(Alu::mult)),
            ("const0", Value::Float(factor)),
            ("op1", member(Alu::add)),
            ("const1", Value::Float(term)),
        ];
        self.add(InstructionType::TensorScalar, EngineType::DVE, &[from.into()], &[to], &fields)
    }

    /// Multiplies by one value per partition.
    pub fn scale_by(&mut self, from: Access<'m>, factor: Access<'m>, to: Access<'m>) -> Result<()> {
        let fields = [("op0", member(Alu::mult)), ("op1", member(Alu::bypass))];
        self.add(InstructionType::TensorScalarPtr, EngineType::DVE, &[from.into(), factor.into()], &[to], &fields)
    }

    /// `to = func(from * scale)`.
    pub fn apply(&mut self, func: Func, from: Access<'m>, to: Access<'m>, scale: f32) -> Result<()> {
        self.activation(func, from, &[to], scale, Acc::Idle)
    }

    /// The same, and the sum of the results beside.
    pub fn apply_accumulating(&mut self, func: Func, from: Access<'m>, to: Access<'m>, sum: Access<'m>) -> Result<()> {
        self.activation(func, from, &[to, sum], 1.0, Acc::ZeroAccumulate)
    }

    fn activation(&mut self, func: Func, from: Access<'m>, outs: &[Access<'m>], scale: f32, acc: Acc) -> Result<()> {
        let fields = [
            ("func", member(func)),
            ("acc", member(acc)),
            ("scale", Value::Float(scale)),
            ("alpha", Value::Float(0.0)),
            ("reduce_op", member(if acc == Acc::Idle { Alu::bypass } else { Alu::add })),
        ];
        let ins = [from.into(), In::Float(0.0), In::Float(scale), In::Float(0.0)];
        self.add(InstructionType::Activation, EngineType::Activation, &ins, outs, &fields)
    }

    /// Brings activations or cached vectors into SB.
    pub fn load(&mut self, to: Access<'m>, from: Access<'m>, what: &str) -> Result<()> {
        let queue = self.queues.activations;
        self.transfer(InstructionType::DMACopy, queue, from, to, &format!("-ld-{what}"))
    }

    /// Brings weights into SB.
    pub fn load_weights(&mut self, to: Access<'m>, from: Access<'m>) -> Result<()> {
        let queue = self.queues.weights;
        self.transfer(InstructionType::Load, queue, from, to, "-ld-weights")
    }

    /// Brings a tile to DRAM.
    pub fn save(&mut self, to: Access<'m>, from: Access<'m>, what: &str) -> Result<()> {
        let queue = self.queues.results;
        self.transfer(InstructionType::DMACopy, queue, from, to, &format!("-st-{what}"))
    }

    fn transfer(
        &mut self,
        opcode: InstructionType,
        queue: &'m DMAQueue,
        from: Access<'m>,
        to: Access<'m>,
        suffix: &str,
    ) -> Result<()> {
        let fields = [
            ("queue", Value::Queue(queue)),
            ("dge_type", member(DGEType::HWDGE)),
            // Only copies have a mode.
            ("mode", member(CopyMode::Copy)),
        ];
        let fields = if opcode == InstructionType::DMACopy { &fields[..] } else { &fields[..2] };
        self.emit.add(Spec { opcode, engine: EngineType::SP, suffix, ins: &[from.into()], outs: &[to], fields })
    }
}
