//! All 110 opcodes through the table: defaults, every field set to another value, JSON and back.
mod fields;

use bir_core::doc::{Format, ReadOptions, WriteOptions, read_document, read_json, write_document, write_json};
use bir_core::enums::bir::{AluOpType, InstructionType};
use bir_core::ir::{ExprNode, Instruction, Module, Place, QuasiAffineExpr, difference};
use bir_core::op::{Default as FieldDefault, Maybe, OPCODES, OpcodeInfo, Presence, Slot, Value};
use bir_core::{ErrorCode, Result};
use fields::Fixture;

/// An instruction of the opcode whose every field differs from the default.
fn filled<'m>(fixture: &Fixture<'m>, opcode: InstructionType, affine: bool) -> Result<&'m Instruction> {
    let instruction = fixture.block.add_instruction(opcode, opcode.name(), Place::End)?.object;
    match opcode {
        InstructionType::Loop => drop(instruction.set_loop_axis("i", 1, 9, 2)?),
        InstructionType::DynamicForLoop => {
            let constant = |c| fixture.module.affine(&[], c).and_then(|n| fixture.module.expression(n));
            instruction.set_dynamic_axis(
                "j",
                constant(0)?,
                fixture.module.expression(fixture.node()?)?,
                constant(1)?,
            )?;
        }
        _ => {}
    }
    for field in OpcodeInfo::of(opcode).fields {
        if let Some(value) = fixture.other_value(field, affine)? {
            instruction.set_field(field, &value).unwrap_or_else(|e| panic!("{}.{}: {e}", opcode.name(), field.key));
        }
    }
    Ok(instruction)
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
            filled(&fixture, *opcode, affine)?;
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
        let instruction = filled(&fixture, *opcode, false)?;
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
