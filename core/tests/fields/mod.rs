//! Values that are not the default, for every field of every opcode.
#![allow(dead_code, reason = "each test file uses a part")]

use bir_core::Result;
use bir_core::enums::bir::{DMAQueueType, Dtype, InstructionType, MemoryType, TensorKind};
use bir_core::ir::{APPair, BasicBlock, DMAQueue, ExprKind, ExprNode, Function, Instruction, Module, Place, Register};
use bir_core::op::{Default as FieldDefault, Field, MaybeType, Slot, Value};

/// A module with something for every kind of reference.
pub struct Fixture<'m> {
    pub module: &'m Module,
    pub block: &'m BasicBlock,
    pub other: &'m BasicBlock,
    pub callee: &'m Function,
    pub queue: &'m DMAQueue,
    pub instance: &'m BasicBlock,
    pub dma_block: &'m Instruction,
    pub trigger: &'m Instruction,
    pub registers: [&'m Register; 2],
}

impl<'m> Fixture<'m> {
    pub fn new(module: &'m Module) -> Result<Self> {
        let main = module.add_function("main", Place::End)?.object;
        let callee = module.add_function("callee", Place::End)?.object;
        let queue = module.add_queue("q", DMAQueueType::dynamic, Place::End)?.object;
        let instance = queue.add_block("q_bb", Place::End)?.object;
        let dma_block = instance.add_instruction(InstructionType::DMABlock, "dma_block_0", Place::End)?.object;
        let block = main.add_block("Block1", Place::End)?.object;
        let other = main.add_block("Block2", Place::End)?.object;
        let trigger = other.add_instruction(InstructionType::DMATrigger, "T", Place::End)?.object;
        trigger.set("queue", &Value::Queue(queue))?;
        trigger.set("dma_blocks", &Value::List(vec![Value::Instruction(dma_block)]))?;
        let registers = [main.add_register("r0", Place::End)?.object, main.add_register("r1", Place::End)?.object];
        let set = main.add_set("x_set", TensorKind::Internal, Dtype::float32, Place::End)?.object;
        set.add_location("x", MemoryType::SB, Place::End)?.object.set_dims(&[128, 512])?;
        Ok(Fixture { module, block, other, callee, queue, instance, dma_block, trigger, registers })
    }

    pub fn node(&self) -> Result<&'m ExprNode> {
        let register = self.module.register_value(self.registers[1])?;
        let shard = self.module.leaf(ExprKind::ShardIDKind, 4, 0)?;
        self.module.affine(&[(register, 3), (shard, -1)], 17)
    }

    pub fn maybe(&self, kind: MaybeType, field: &Field, affine: bool) -> Result<Value<'m>> {
        if affine {
            return Ok(Value::Expr(self.module.expression(self.node()?)?));
        }
        let default = if let FieldDefault::Int(v) = field.default { v } else { 0 };
        Ok(match kind {
            MaybeType::Bool => Value::Bool(default == 0),
            MaybeType::I32 => Value::Int(-7),
            MaybeType::U8 => Value::Int(200),
            MaybeType::U16 => Value::Int(60_000),
            MaybeType::U32 => Value::Int(4_000_000_000),
            MaybeType::U64 => Value::Int(u64::MAX.into()),
        })
    }

    /// A value of the field's type that is not its default; `None` for what has a method of its own.
    pub fn other_value(&self, field: &Field, affine: bool) -> Result<Option<Value<'m>>> {
        let default = if let FieldDefault::Int(v) = field.default { v } else { 0 };
        let ints = |v: &[i128]| Value::List(v.iter().map(|n| Value::Int(*n)).collect());
        Ok(Some(match field.slot {
            Slot::Bool => Value::Bool(default == 0),
            Slot::U32 => Value::Int(77),
            Slot::F32 => Value::Float(0.15625),
            Slot::Enum(id) => {
                let member = id.info().members.iter().rev().find(|m| i64::from(m.ordinal) != default).unwrap();
                Value::Enum(id, member.ordinal)
            }
            Slot::Maybe(kind) => self.maybe(kind, field, affine)?,
            Slot::MaybePair(kind) => Value::List(vec![self.maybe(kind, field, affine)?, Value::Int(32)]),
            Slot::String => Value::Text("a text that is longer than fifteen bytes".into()),
            Slot::Json => Value::Json(r#"{"a":[1,2.5,null],"b":"c"}"#.into()),
            Slot::Queue => Value::Queue(self.queue),
            Slot::Block => Value::Block(if field.key == "instance" { self.instance } else { self.other }),
            Slot::Function => Value::Function(self.callee),
            Slot::Trigger => Value::Instruction(self.trigger),
            Slot::DmaBlocks => Value::List(vec![Value::Instruction(self.dma_block)]),
            Slot::VecU32 => ints(&[1, 2, 4_294_967_295]),
            Slot::VecVecU32 => Value::List(vec![ints(&[0, 1]), ints(&[2, 3])]),
            Slot::VecVecU64 => Value::List(vec![ints(&[128, 512]), ints(&[u64::MAX.into()])]),
            Slot::VecString => Value::List(vec![Value::Text("i".into()), Value::Text("another loop axis".into())]),
            Slot::VecEnum(id) => Value::List(vec![Value::Enum(id, 3), Value::Enum(id, 1)]),
            Slot::VecRegister => {
                Value::List(vec![Value::Register(self.registers[0]), Value::Register(self.registers[1])])
            }
            Slot::VecExpr => Value::List(vec![Value::Expr(self.module.expression(self.node()?)?)]),
            Slot::SmallF32 { .. } => Value::List([1.5, -0.0, 3.0e-8].map(Value::Float).to_vec()),
            Slot::SmallPairs => Value::List((1..7).map(|i| Value::Pair(APPair { step: -i, num: i })).collect()),
            Slot::SmallMaybe(kind) => {
                Value::List(vec![self.maybe(kind, field, false)?, self.maybe(kind, field, true)?])
            }
            Slot::Expr => Value::Expr(self.module.expression(self.node()?)?),
            Slot::RuntimeValue => Value::Node(self.module.register_value(self.registers[0])?),
            Slot::U32Array { len } => ints(&(1..=i128::from(len)).collect::<Vec<_>>()),
            Slot::Axis | Slot::Blocks => return Ok(None),
        }))
    }
}
