//! All 110 opcodes through the table: defaults, every field set to another value, JSON and back.
use bir_core::doc::{Format, ReadOptions, WriteOptions, read_document, read_json, write_document, write_json};
use bir_core::enums::bir::{AluOpType, DMAQueueType, Dtype, InstructionType, MemoryType, TensorKind};
use bir_core::ir::{
    APPair, BasicBlock, DMAQueue, ExprKind, ExprNode, Function, Instruction, Module, Place, QuasiAffineExpr, Register,
    difference,
};
use bir_core::op::{Default as FieldDefault, Field, Maybe, MaybeType, OPCODES, OpcodeInfo, Presence, Slot, Value};
use bir_core::{ErrorCode, Result};

/// A module with something for every kind of reference.
struct Fixture<'m> {
    module: &'m Module,
    block: &'m BasicBlock,
    other: &'m BasicBlock,
    callee: &'m Function,
    queue: &'m DMAQueue,
    instance: &'m BasicBlock,
    dma_block: &'m Instruction,
    trigger: &'m Instruction,
    registers: [&'m Register; 2],
}

impl<'m> Fixture<'m> {
    fn new(module: &'m Module) -> Result<Self> {
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

    fn node(&self) -> Result<&'m ExprNode> {
        let register = self.module.register_value(self.registers[1])?;
        let shard = self.module.leaf(ExprKind::ShardIDKind, 4, 0)?;
        self.module.affine(&[(register, 3), (shard, -1)], 17)
    }

    fn maybe(&self, kind: MaybeType, field: &Field, affine: bool) -> Result<Value<'m>> {
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
    fn other_value(&self, field: &Field, affine: bool) -> Result<Option<Value<'m>>> {
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

    /// An instruction of the opcode whose every field differs from the default.
    fn filled(&self, opcode: InstructionType, affine: bool) -> Result<&'m Instruction> {
        let instruction = self.block.add_instruction(opcode, opcode.name(), Place::End)?.object;
        match opcode {
            InstructionType::Loop => drop(instruction.set_loop_axis("i", 1, 9, 2)?),
            InstructionType::DynamicForLoop => {
                let constant = |c| self.module.affine(&[], c).and_then(|n| self.module.expression(n));
                instruction.set_dynamic_axis("j", constant(0)?, self.module.expression(self.node()?)?, constant(1)?)?;
            }
            _ => {}
        }
        for field in OpcodeInfo::of(opcode).fields {
            if let Some(value) = self.other_value(field, affine)? {
                instruction.set_field(field, &value).unwrap_or_else(|e| panic!("{}.{}: {e}", opcode.name(), field.key));
            }
        }
        Ok(instruction)
    }
}

/// Values print alike exactly when they are alike: expressions by their nodes, objects by name.
fn shown(value: &Value<'_>) -> String {
    fn node(n: &ExprNode) -> String {
        let terms: Vec<String> = n.terms().map(|(t, c)| format!("{c}*{}", node(t))).collect();
        let register = n.register().map(|r| r.name().to_string());
        format!("{:?}({register:?}, {}, {}, {terms:?})", n.kind(), n.first(), n.second())
    }
    match value {
        Value::Expr(expr) => expr.root().map_or("none".into(), node),
        Value::Node(n) => node(n),
        Value::Queue(q) => q.name().to_string(),
        Value::Block(b) => b.name().to_string(),
        Value::Function(f) => f.name().to_string(),
        Value::Instruction(i) => i.name().to_string(),
        Value::Register(r) => r.name().to_string(),
        Value::Axis(a) => format!("{} {} {} {}", a.name(), a.lb(), a.ub(), a.stride()),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_table_has_a_row_for_every_member_of_the_enum() {
    assert_eq!(OPCODES.len(), InstructionType::MEMBERS.len());
    for (opcode, row) in InstructionType::MEMBERS.iter().zip(OPCODES) {
        assert_eq!(opcode.name(), row.name);
        assert!(row.fields.is_sorted_by_key(|f| f.key));
        for field in row.fields {
            assert!(std::ptr::eq(row.field(field.key).unwrap(), field));
        }
    }
}

#[test]
fn a_new_instruction_has_the_defaults_of_the_table() -> Result<()> {
    let module = Module::new()?;
    let block = module.add_function("f", Place::End)?.add_block("b", Place::End)?.object;
    for opcode in InstructionType::MEMBERS {
        let instruction = block.add_instruction(*opcode, opcode.name(), Place::End)?.object;
        for field in OpcodeInfo::of(*opcode).fields {
            let found = instruction.get_field(field)?;
            let is_default = match (&found, field.default) {
                (Value::Absent, FieldDefault::Absent) => true,
                (Value::Bool(v), FieldDefault::Int(d)) => i64::from(*v) == d,
                (Value::Int(v), FieldDefault::Int(d)) => *v == i128::from(d),
                (Value::Float(v), FieldDefault::Float(d)) => v.to_bits() == d.to_bits(),
                (Value::Enum(_, v), FieldDefault::Int(d)) => i64::from(*v) == d,
                (Value::Text(t), FieldDefault::Empty) => t.is_empty(),
                (Value::List(items), FieldDefault::Empty) => items.is_empty(),
                (Value::List(items), FieldDefault::Zeros) => items.iter().all(|v| matches!(v, Value::Int(0))),
                (Value::List(items), FieldDefault::Int(d)) => {
                    items.len() == 2 && items.iter().all(|v| matches!(v, Value::Int(n) if *n == i128::from(d)))
                }
                // Verbatim JSON that was never given.
                (Value::Absent, FieldDefault::Empty) => field.slot == Slot::Json,
                _ => false,
            };
            assert!(is_default, "{}.{}: {found:?} is not {:?}", opcode.name(), field.key, field.default);
        }
    }
    Ok(())
}

#[test]
fn every_field_of_every_opcode_survives_each_form() -> Result<()> {
    for affine in [false, true] {
        let module = Module::new()?;
        let fixture = Fixture::new(&module)?;
        for opcode in InstructionType::MEMBERS {
            fixture.filled(*opcode, affine)?;
        }
        for (format, explicit, compact) in [
            (Format::Json, false, false),
            (Format::Json, true, false),
            (Format::Json, false, true),
            (Format::Cbor, false, false),
            (Format::Cbor, true, false),
        ] {
            let mut text = Vec::new();
            write_document(&module, &mut text, format, &WriteOptions { compact, explicit })?;
            let loaded = read_document(&text, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
            assert!(loaded.warnings.is_empty(), "{}", loaded.warnings[0]);
            if let Some(d) = difference(&*module, &*loaded.module) {
                panic!("{d}");
            }
            let again = loaded.module.find_function("main").unwrap().find_block("Block1").unwrap();
            for opcode in InstructionType::MEMBERS {
                let (a, b) = (fixture.block.find_instruction(opcode.name()), again.find_instruction(opcode.name()));
                let (a, b) = (a.unwrap(), b.unwrap());
                for field in OpcodeInfo::of(*opcode).fields {
                    let (x, y) = (shown(&a.get_field(field)?), shown(&b.get_field(field)?));
                    assert_eq!(x, y, "{}.{}", opcode.name(), field.key);
                    if let Some(value) = fixture.other_value(field, affine)? {
                        assert_eq!(x, shown(&value), "{}.{}", opcode.name(), field.key);
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_required_key_that_is_absent_is_an_error_and_an_optional_one_is_not() -> Result<()> {
    let module = Module::new()?;
    let fixture = Fixture::new(&module)?;
    let mut checked = 0;
    for opcode in InstructionType::MEMBERS {
        let instruction = fixture.filled(*opcode, false)?;
        let mut text = Vec::new();
        write_json(&module, &mut text, &WriteOptions::default())?;
        let whole: serde_json::Value = serde_json::from_slice(&text).unwrap();
        for field in OpcodeInfo::of(*opcode).fields {
            let mut edited = whole.clone();
            let object = edited["functions"][0]["blocks"][0]["instructions"][0].as_object_mut().unwrap();
            object.remove(field.key).unwrap_or_else(|| panic!("{}.{} was not written", opcode.name(), field.key));
            let result = read_json(&serde_json::to_vec(&edited).unwrap(), &ReadOptions::default());
            // Without a queue, a block in it cannot be found.
            if field.slot == Slot::Queue && OpcodeInfo::of(*opcode).field("instance").is_some() {
                assert_eq!(result.expect_err(field.key).code, ErrorCode::UnresolvedRef);
                continue;
            }
            // A DMATrigger needs its queue, although the key itself is optional.
            if field.presence == Presence::Required || (*opcode == InstructionType::DMATrigger && field.key == "queue")
            {
                let error = result.expect_err(field.key);
                assert_eq!(error.code, ErrorCode::MissingKey, "{}.{}: {error}", opcode.name(), field.key);
                assert!(error.to_string().contains(field.key), "{error}");
            } else {
                result.unwrap_or_else(|e| panic!("{}.{}: {e}", opcode.name(), field.key));
            }
            checked += 1;
        }
        instruction.erase()?;
    }
    assert!(checked > 300);
    Ok(())
}

#[test]
fn setters_check_type_range_enum_and_module() -> Result<()> {
    let module = Module::new()?;
    let fixture = Fixture::new(&module)?;
    let foreign = Module::new()?;
    let their = Fixture::new(&foreign)?;
    let copy = fixture.block.add_instruction(InstructionType::DMACopy, "copy", Place::End)?.object;
    let code = |key: &str, value: &Value<'_>| copy.set(key, value).unwrap_err().code;
    assert_eq!(code("nothing", &Value::Absent), ErrorCode::UnknownKey);
    assert_eq!(code("mode", &Value::Float(1.0)), ErrorCode::WrongType);
    assert_eq!(code("mode", &Value::Int(4)), ErrorCode::UnknownEnum);
    assert_eq!(code("mode", &Value::Enum(AluOpType::ID, 1)), ErrorCode::WrongType);
    assert_eq!(code("duplicate", &Value::Int(2)), ErrorCode::WrongType);
    assert_eq!(code("queue", &Value::Queue(their.queue)), ErrorCode::ForeignModule);
    assert_eq!(code("duplicate", &Value::Expr(foreign.expression(their.node()?)?)), ErrorCode::ForeignModule);
    assert_eq!(code("remote_notification", &Value::List(vec![Value::Int(-1)])), ErrorCode::BadValue);
    assert_eq!(code("duplicate", &Value::Expr(QuasiAffineExpr::NONE)), ErrorCode::BadValue);
    copy.set("mode", &Value::Text("Replicate".into()))?;
    assert_eq!(copy.as_dma_copy()?.mode()?.name(), "Replicate");
    let error = copy.set("mode", &Value::Text("Replicat".into())).unwrap_err();
    assert!(error.to_string().contains("Replicate"), "{error}");
    copy.erase()?;
    assert_eq!(copy.set("mode", &Value::Int(0)).unwrap_err().code, ErrorCode::Detached);
    Ok(())
}

#[test]
fn typed_accessors_agree_with_the_keys() -> Result<()> {
    let module = Module::new()?;
    let fixture = Fixture::new(&module)?;
    let scalar = fixture.block.add_instruction(InstructionType::TensorScalar, "s", Place::End)?.object;
    let view = scalar.as_tensor_scalar()?;
    view.set_op0(AluOpType::mult)?;
    view.set_const0(2.0)?;
    view.set_reverse1(Maybe::Constant(true))?;
    assert_eq!((view.op0()?, view.const0()?, view.reverse1()?.constant()), (AluOpType::mult, 2.0, Some(true)));
    assert!(matches!(scalar.get("const0")?, Value::Float(2.0)));
    assert_eq!(scalar.as_matmult().unwrap_err().code, ErrorCode::WrongKind);
    let matmult = fixture.block.add_instruction(InstructionType::Matmult, "m", Place::End)?.object.as_matmult()?;
    let [first, second] = matmult.tile_size()?;
    assert_eq!((first.constant(), second.constant()), (Some(-1), Some(-1)));
    matmult.set_tile_size([Maybe::Constant(32), Maybe::Affine(module.expression(fixture.node()?)?)])?;
    assert_eq!(matmult.tile_size()?[0].constant(), Some(32));
    let load = fixture.block.add_instruction(InstructionType::Load, "l", Place::End)?.object.as_load()?;
    assert!(load.queue()?.is_none());
    load.set_queue(Some(fixture.queue))?;
    assert_eq!(load.queue()?.unwrap().name(), "q");
    Ok(())
}
