//! `same_inst` over every opcode and every payload field of the table, and what takes no part in it.

mod built;

use bir_core::Error;
use bir_core::enums::bir::{
    AluOpType, Dtype, EdgeKind, EngineType, InstructionType as Op, NamedObjectOrigin, UpdateMode,
};
use bir_core::ir::{
    APPair, AffinePredicate, Argument, EdgeSet, Instruction, Module, OperandList, OperandSpec, Place, Update,
};
use bir_core::op::{
    BAD_VARIANT, Field, MaybeType, NOT_IMPLEMENTED, OPCODES, Slot, same_computation, same_inst, same_inst_and_operands,
};
use built::{find, main_of, module_of, opcode, record};
use proptest::prelude::*;
use serde_json::{Value, json};

const PATTERN: [APPair; 2] = [APPair { step: 512, num: 128 }, APPair { step: 1, num: 512 }];
const ABSTRACT: [usize; 6] = [0, 7, 18, 47, 68, 77];
const NOT_COMPARED: [usize; 3] = [55, 56, 84];
const STRUCTURED: [usize; 4] = [105, 106, 107, 108];

/// The opcodes that a document can hold and whose payload is compared.
fn compared() -> impl Iterator<Item = usize> {
    (0..110).filter(|o| !ABSTRACT.contains(o) && !NOT_COMPARED.contains(o) && !STRUCTURED.contains(o))
}

fn affine(c: i64) -> Value {
    json!({"kind": "AffExprKind", "terms": [], "c": c})
}

/// Different values of a field, the first of which need not be the default.
fn values(field: &Field) -> Vec<Value> {
    match field.slot {
        Slot::Bool | Slot::Maybe(MaybeType::Bool) => vec![json!(false), json!(true)],
        Slot::U32 | Slot::Maybe(_) => vec![json!(1), json!(2)],
        Slot::F32 => vec![json!(0.5), json!(1.5), json!("inf")],
        Slot::Enum(id) => id.info().members.iter().map(|m| json!(m.name)).collect(),
        Slot::MaybePair(_) => vec![json!([32, 64]), json!([32, 32]), json!([64, 64])],
        Slot::String => vec![json!("one"), json!("another text, longer than fifteen bytes")],
        Slot::Json => vec![json!({"k": 1}), json!({"k": 2}), json!({})],
        Slot::Queue => vec![json!("q0"), json!("q1")],
        Slot::Block if field.key == "instance" => vec![json!("qb0"), json!("qb1")],
        Slot::Block => vec![json!("t0"), json!("t1")],
        Slot::VecU32 => vec![json!([1]), json!([2]), json!([1, 1]), json!([])],
        Slot::VecVecU32 | Slot::VecVecU64 => vec![json!([[1]]), json!([[2]]), json!([[1], []]), json!([[1, 1]])],
        Slot::VecString => vec![json!(["i"]), json!(["j"]), json!(["i", "i"])],
        Slot::VecEnum(id) => id.info().members.iter().map(|m| json!([m.name])).chain([json!([])]).collect(),
        Slot::DmaBlocks => vec![json!(["d0"]), json!(["d1"]), json!(["d0", "d1"])],
        Slot::VecExpr => vec![json!([affine(1)]), json!([affine(2)]), json!([affine(1), affine(1)])],
        Slot::SmallF32 { .. } => vec![json!([1.0]), json!([2.0]), json!([1.0, 1.0]), json!([])],
        Slot::SmallPairs => vec![json!([[1, 2]]), json!([[2, 2]]), json!([[1, 3]]), json!([[1, 2], [1, 2]])],
        Slot::SmallMaybe(_) => vec![json!([1]), json!([2]), json!([1, 1]), json!([affine(1)]), json!([affine(2)])],
        Slot::Expr => vec![affine(1), affine(2)],
        Slot::U32Array { len: 2 } => vec![json!([1, 2]), json!([1, 3]), json!([2, 2])],
        Slot::U32Array { .. } => vec![json!([1, 2, 3]), json!([1, 2, 2])],
        other => panic!("no values for {}: {other:?}", field.key),
    }
}

fn fields(opcode: usize) -> impl Iterator<Item = &'static Field> {
    OPCODES[opcode].fields.iter()
}

/// A payload with every field at its first value.
fn base(opcode: usize) -> Value {
    Value::Object(fields(opcode).map(|f| (f.key.to_string(), values(f)[0].clone())).collect())
}

fn with(payload: &Value, key: &str, value: Value) -> Value {
    let mut changed = payload.clone();
    changed[key] = value;
    changed
}

fn add<'m>(i: &'m Instruction, module: &'m Module, list: OperandList, name: &str) -> &'m Argument {
    let location = main_of(module).find_location(name).expect("a location");
    let spec = OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &PATTERN, offset: 0 };
    i.add_operand(list, &spec, Place::End).expect("an operand")
}

fn both(a: &Instruction, b: &Instruction) -> (Result<bool, Error>, Result<bool, Error>) {
    (same_inst(a, b), same_inst(b, a))
}

#[test]
fn every_payload_field_counts() {
    let mut compared_fields = 0;
    for number in compared() {
        let (name, base) = (OPCODES[number].name, base(number));
        let mut records = vec![record("a", name, base.clone()), record("twin", name, base.clone())];
        let mut changed = 0;
        for field in fields(number) {
            for value in values(field).into_iter().skip(1) {
                records.push(record(&format!("changed {changed}"), name, with(&base, field.key, value)));
                changed += 1;
            }
            compared_fields += 1;
        }
        let module = module_of(records);
        let a = find(&module, "a");
        assert_eq!(both(a, find(&module, "twin")), (Ok(true), Ok(true)), "{name}");
        assert_eq!(same_inst(a, a), Ok(true), "{name}");
        let changed: Vec<_> = (0..changed).map(|n| find(&module, &format!("changed {n}"))).collect();
        for (n, x) in changed.iter().enumerate() {
            assert_eq!(both(a, x), (Ok(false), Ok(false)), "{name}, change {n}");
            assert_eq!(same_inst_and_operands(a, x), Ok(false), "{name}, change {n}");
            assert_eq!(same_computation(a, x), Ok(false), "{name}, change {n}");
            // No two of the changes are alike.
            for y in &changed[n + 1..] {
                assert_eq!(both(x, y), (Ok(false), Ok(false)), "{name}, change {n}");
            }
        }
    }
    // All fields of the table, but those of the opcodes that are not compared at all.
    let skipped = |o: usize| ABSTRACT.contains(&o) || NOT_COMPARED.contains(&o) || STRUCTURED.contains(&o);
    let all: usize = (0..110).filter(|o| !skipped(*o)).map(|o| OPCODES[o].fields.len()).sum();
    assert_eq!(compared_fields, all);
}

#[test]
fn expressions_are_compared_or_refused() {
    for number in compared() {
        let (name, base) = (OPCODES[number].name, base(number));
        for field in fields(number).filter(|f| matches!(f.slot, Slot::Maybe(_))) {
            let module = module_of(vec![
                record("constant", name, base.clone()),
                record("one", name, with(&base, field.key, affine(1))),
                record("also one", name, with(&base, field.key, affine(1))),
                record("two", name, with(&base, field.key, affine(2))),
            ]);
            let [constant, one, also, two] = ["constant", "one", "also one", "two"].map(|n| find(&module, n));
            if number <= 4 {
                for (x, y) in [(one, constant), (constant, one), (one, also), (one, two), (one, one)] {
                    let error = same_inst(x, y).unwrap_err();
                    assert_eq!(error.code, BAD_VARIANT, "{name}.{}: {error}", field.key);
                    assert!(error.message.contains(field.key), "{error}");
                    assert_eq!(same_inst_and_operands(x, y).unwrap_err().code, BAD_VARIANT);
                }
            } else {
                assert_eq!(both(one, also), (Ok(true), Ok(true)), "{name}.{}", field.key);
                assert_eq!(both(one, two), (Ok(false), Ok(false)), "{name}.{}", field.key);
                assert_eq!(both(one, constant), (Ok(false), Ok(false)), "{name}.{}", field.key);
            }
        }
    }
    // The variant is looked at only behind the gate, and before any other field.
    let activation = base(4);
    let changed = with(&with(&activation, "can_read_uninit", affine(1)), "scale", json!(9));
    let module = module_of(vec![
        record("affine", "Activation", changed),
        record("plain", "Activation", activation),
        record("copy", "GenericCopy", json!({})),
    ]);
    let [affine, plain, copy] = ["affine", "plain", "copy"].map(|n| find(&module, n));
    assert_eq!(same_inst(plain, affine).unwrap_err().code, BAD_VARIANT);
    assert_eq!(same_inst(copy, affine), Ok(false));
    assert_eq!(same_inst(affine, copy), Ok(false));
}

/// Everything of a header that the comparison must not look at.
fn change_header(module: &Module, i: &Instruction) {
    i.set_engine(EngineType::SP);
    i.set_engine_id(3);
    i.set_origin(NamedObjectOrigin::NKI);
    i.set_schedule(5, 9).unwrap();
    i.set_debug_json(Some("{\"line\":1}")).unwrap();
    i.set_optin_passes(&["dce"]).unwrap();
    i.set_debug_update_semaphore(Some(4)).unwrap();
    let expr = module.expression(module.affine(&[], 3).unwrap()).unwrap();
    i.set_predicates(&[AffinePredicate { expr, op: 1 }]).unwrap();
    i.set_order(&[expr]).unwrap();
    let update = Update { id: 1, value: 2, mode: UpdateMode::MEMBERS[0], sync_type: 0, target_core: None };
    i.add_update(update).unwrap();
    let other = find(module, "other");
    i.add_dependency(other, EdgeKind::Flow, EdgeSet::Normal).unwrap();
    i.add_dependency(other, EdgeKind::Anti, EdgeSet::LoopCarried).unwrap();
    i.add_unroll_dependency(other, EdgeKind::Flow, &[expr], &[]).unwrap();
}

#[test]
fn headers_do_not_count_and_operands_do_above_four() {
    for number in compared() {
        let (name, base) = (OPCODES[number].name, base(number));
        let mut records: Vec<_> = ["a", "b"].map(|n| record(n, name, base.clone())).into();
        records.push(record("other", "NoOp", json!({})));
        let module = module_of(records);
        let (a, b) = (find(&module, "a"), find(&module, "b"));
        change_header(&module, b);
        assert_eq!(both(a, b), (Ok(true), Ok(true)), "{name}");
        for i in [a, b] {
            add(i, &module, OperandList::Ins, "a");
            add(i, &module, OperandList::IndirectionIns, "b");
            add(i, &module, OperandList::Outs, "c");
        }
        assert_eq!(both(a, b), (Ok(true), Ok(true)), "{name}");
        assert_eq!(same_inst_and_operands(a, b), Ok(true), "{name}");
        for list in OperandList::ALL {
            let extra = add(b, &module, list, "x");
            // Opcodes 1 to 4 do not look.
            assert_eq!(both(a, b), (Ok(number <= 4), Ok(number <= 4)), "{name} {list:?}");
            assert_eq!(same_inst_and_operands(a, b), Ok(false), "{name} {list:?}");
            extra.erase().unwrap();
        }
        assert_eq!(same_inst_and_operands(a, b), Ok(true), "{name}");
    }
}

#[test]
fn each_part_of_an_operand_counts() {
    let copies = |names: &[&str]| names.iter().map(|n| record(n, "TensorCopy", json!({}))).collect::<Vec<_>>();
    let module = module_of(copies(&["a", "b"]));
    let (a, b) = (find(&module, "a"), find(&module, "b"));
    let main = main_of(&module);
    let pair = |list, name| [a, b].map(|i| add(i, &module, list, name));
    let [_, input] = pair(OperandList::Ins, "a");
    let [_, output] = pair(OperandList::Outs, "b");
    let check = |wanted: bool, what: &str| {
        assert_eq!(both(a, b), (Ok(wanted), Ok(wanted)), "{what}");
        assert_eq!(same_inst_and_operands(a, b), Ok(wanted), "{what}");
    };
    check(true, "twins");
    for operand in [input, output] {
        let own = operand.storage().unwrap();
        operand.set_storage(main.find_location("c").unwrap().base()).unwrap();
        check(false, "storage");
        operand.set_storage(own).unwrap();
        operand.set_dtype(Dtype::int32).unwrap();
        check(false, "dtype");
        operand.set_dtype(Dtype::float32).unwrap();
        for pattern in [vec![PATTERN[0]], vec![PATTERN[0], APPair { step: 2, num: 512 }], vec![PATTERN[1], PATTERN[0]]]
        {
            operand.set_pattern(&pattern).unwrap();
            check(false, "pattern");
        }
        operand.set_pattern(&PATTERN).unwrap();
        operand.set_offset(1).unwrap();
        check(false, "offset");
        operand.set_offset(0).unwrap();
        check(true, "back");
    }
    // Literals by their bits: a NaN is the same literal as itself, and the two zeros are two.
    let immediate = |bits| OperandSpec::Immediate { dtype: Dtype::float32, bits };
    let nan = u64::from(f32::NAN.to_bits());
    let literals = [a, b].map(|i| i.add_operand(OperandList::Ins, &immediate(nan), Place::End).unwrap());
    check(true, "literal NaN");
    for (x, y) in [(0, 0x8000_0000), (1, 2)] {
        literals[0].set_immediate_bits(x).unwrap();
        literals[1].set_immediate_bits(y).unwrap();
        check(false, "literals");
    }
    literals.into_iter().for_each(|l| l.erase().unwrap());
    // Kinds; the spelling of a symbolic pattern is none of them.
    let set = main.find_set("a_set").unwrap();
    let r = |name| main.find_register(name).unwrap();
    let addr = |c| module.expression(module.affine(&[], c).unwrap()).unwrap();
    let dtype = Dtype::float32;
    let specs = [
        OperandSpec::Symbolic { set, dtype, pattern: &PATTERN, addrs: &[addr(0)] },
        OperandSpec::Symbolic { set, dtype, pattern: &PATTERN, addrs: &[addr(1)] },
        OperandSpec::RegisterPattern {
            set,
            dtype,
            pattern: &PATTERN,
            register: r("r0"),
            offset_register: None,
            sub_tensor_register: None,
        },
        OperandSpec::RegisterPattern {
            set,
            dtype,
            pattern: &PATTERN,
            register: r("r1"),
            offset_register: None,
            sub_tensor_register: None,
        },
        OperandSpec::Register { register: r("r0"), dtype },
        OperandSpec::Register { register: r("r1"), dtype },
        OperandSpec::ImmediateArray { dtype, values: &[1, 2] },
        OperandSpec::ImmediateArray { dtype, values: &[1, 3] },
        OperandSpec::SymbolicImmediate { dtype, values: &[1], expr: addr(0) },
        OperandSpec::SymbolicImmediate { dtype, values: &[1], expr: addr(1) },
    ];
    for (m, x) in specs.iter().enumerate() {
        for (n, y) in specs.iter().enumerate() {
            let made = [(a, x), (b, y)].map(|(i, s)| i.add_operand(OperandList::Ins, s, Place::End).unwrap());
            check(m == n, &format!("{m} {n}"));
            made[0].set_spelled_pwap(true);
            check(m == n, &format!("{m} {n}, spelled otherwise"));
            made.into_iter().for_each(|o| o.erase().unwrap());
        }
    }
}

#[test]
fn gates_are_directional() {
    let module = Module::new().unwrap();
    let block = *module.add_function("main", Place::End).unwrap().add_block("b", Place::End).unwrap();
    let made: Vec<&Instruction> =
        (0..110).map(|n| *block.add_instruction(opcode(n), opcode(n).name(), Place::End).unwrap()).collect();
    let accepted = |n: usize| -> &[usize] {
        match n {
            0 => &[0, 1, 2, 3],
            7 => &[7, 8, 9, 95],
            18 => &[18, 19, 22, 32, 41, 42, 43, 44, 45, 46, 67],
            47 => &[47, 48, 49, 50],
            68 => &[68, 69, 70, 71, 72],
            77 => &[77, 78, 79, 81, 82, 83],
            _ => &[],
        }
    };
    for (m, a) in made.iter().enumerate() {
        for (n, b) in made.iter().enumerate() {
            let result = same_inst(a, b);
            if NOT_COMPARED.contains(&m) {
                assert_eq!(result.unwrap_err().code, NOT_IMPLEMENTED, "{m} {n}");
                continue;
            }
            // Payloads are at their defaults, so the gate alone decides.
            assert_eq!(result, Ok(m == n || accepted(m).contains(&n)), "{m} {n}");
        }
    }
    assert_eq!(same_inst(made[77], made[80]), Ok(false));
    assert_eq!(same_inst(made[0], made[1]), Ok(true));
    assert_eq!(same_inst(made[1], made[0]), Ok(false));
    // Structured control: the object itself only.
    for n in STRUCTURED {
        let twin = *block.add_instruction(opcode(n as i32), "twin", Place::End).unwrap();
        assert_eq!(both(made[n], twin), (Ok(false), Ok(false)));
        assert_eq!(same_inst_and_operands(made[n], twin), Ok(false));
        assert_eq!(same_computation(made[n], made[n]), Ok(true));
    }
    // For Generic and GenericRelu not even operands count, unless they are asked for.
    for (m, n) in [(0, 1), (2, 2)] {
        let twin = *block.add_instruction(opcode(n), "twin", Place::End).unwrap();
        let set = twin.function().unwrap();
        let register = *set.add_register("r", Place::End).unwrap();
        twin.add_operand(OperandList::Ins, &OperandSpec::Register { register, dtype: Dtype::int32 }, Place::End)
            .unwrap();
        assert_eq!(same_inst(made[m], twin), Ok(true));
        assert_eq!(same_inst_and_operands(made[m], twin), Ok(false));
    }
    // An abstract class compares the fields that it has.
    let tree = module_of(vec![
        record("l", "Load", json!({"dge_type": "HWDGE"})),
        record("q", "Load", json!({"can_read_uninit": true})),
    ]);
    let dma = *main_of(&tree).find_block("t0").unwrap().add_instruction(Op::DMA, "dma", Place::End).unwrap();
    assert_eq!(same_inst(dma, find(&tree, "l")), Ok(false));
    assert_eq!(same_inst(dma, find(&tree, "q")), Ok(true));
    assert_eq!(same_inst(find(&tree, "q"), dma), Ok(false));
}

#[test]
fn references_count_by_name() {
    let records = || vec![record("copy", "TensorCopy", json!({})), record("load", "Load", json!({"queue": "q0"}))];
    let (one, two) = (module_of(records()), module_of(records()));
    for name in ["copy", "load"] {
        let (a, b) = (find(&one, name), find(&two, name));
        add(a, &one, OperandList::Ins, "a");
        add(b, &two, OperandList::Ins, "a");
        assert_eq!(both(a, b), (Ok(true), Ok(true)));
        main_of(&two).set_name("elsewhere").unwrap();
        assert_eq!(both(a, b), (Ok(true), Ok(true)), "the function's own name is none of the names");
        main_of_renamed(&two).find_set("a_set").unwrap().storage().set_name("renamed").unwrap();
        assert_eq!(both(a, b), (Ok(false), Ok(false)));
        main_of_renamed(&two).find_set("renamed").unwrap().storage().set_name("a_set").unwrap();
        main_of_renamed(&two).set_name("main").unwrap();
    }
}

fn main_of_renamed(module: &Module) -> &bir_core::ir::Function {
    module.find_function("elsewhere").expect("renamed")
}

#[test]
fn commutative_inputs_may_change_places() {
    // spec/instructions.md section 5.
    let commutative = [4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 24, 25, 30, 31];
    let unary = [0, 1, 28, 29];
    for op in AluOpType::MEMBERS {
        let number = op.ordinal();
        for opcode in ["TensorTensor", "RegisterAlu"] {
            let names = ["ab", "ba", "ac", "cb", "aa", "a"];
            let module = module_of(names.map(|n| record(n, opcode, json!({"op": op.name()}))).into());
            for name in names {
                for input in name.chars() {
                    add(find(&module, name), &module, OperandList::Ins, &input.to_string());
                }
                add(find(&module, name), &module, OperandList::Outs, "p");
            }
            let same = |x, y| {
                let (x, y) = (find(&module, x), find(&module, y));
                let answer = same_computation(x, y).unwrap();
                assert_eq!(same_computation(y, x), Ok(answer));
                assert_eq!(same_inst(x, y), Ok(std::ptr::eq(x, y)));
                answer
            };
            let swaps = commutative.contains(&number);
            let ignores = unary.contains(&number);
            assert!(same("ab", "ab"), "{opcode} {op}");
            assert_eq!(same("ab", "ba"), swaps, "{opcode} {op}");
            assert_eq!(same("ab", "ac"), ignores, "{opcode} {op}");
            assert_eq!(same("ab", "aa"), ignores, "{opcode} {op}");
            assert!(!same("ab", "cb") && !same("ab", "a"), "{opcode} {op}");
            // The outputs count all the same.
            add(find(&module, "ba"), &module, OperandList::Outs, "x");
            add(find(&module, "ac"), &module, OperandList::Outs, "x");
            assert!(!same("ab", "ba") && !same("ab", "ac"), "{opcode} {op}");
        }
    }
    // Every other opcode keeps the order.
    let module = module_of(["ab", "ba"].map(|n| record(n, "TensorCopy", json!({}))).into());
    for (name, inputs) in [("ab", ["a", "b"]), ("ba", ["b", "a"])] {
        for input in inputs {
            add(find(&module, name), &module, OperandList::Ins, input);
        }
    }
    assert_eq!(same_computation(find(&module, "ab"), find(&module, "ba")), Ok(false));
}

fn float_json(value: f32) -> Value {
    if value.is_nan() {
        json!("nan")
    } else if value.is_infinite() {
        json!(if value > 0.0 { "inf" } else { "-inf" })
    } else {
        json!(value)
    }
}

fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        prop::sample::select(vec![0.0, -0.0, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Floats of a payload are equal as numbers, wherever they lie.
    #[test]
    fn floats_are_compared_as_numbers(a in float(), b in float()) {
        let scale = |name: &str, v| record(name, "Activation", with(&base(4), "scale", float_json(v)));
        let list = |name: &str, v| record(name, "DMACopy", json!({"mode": "Copy", "constants": [float_json(v)]}));
        let value = |name: &str, v| record(name, "MatchReplace", json!({"imm_value": float_json(v)}));
        let records = vec![scale("s0", a), scale("s1", b), list("l0", a), list("l1", b), value("v0", a), value("v1", b)];
        let module = module_of(records);
        for [x, y] in [["s0", "s1"], ["l0", "l1"], ["v0", "v1"]] {
            let (x, y) = (find(&module, x), find(&module, y));
            prop_assert_eq!(both(x, y), (Ok(a == b), Ok(a == b)));
            // Reflexive but for NaN.
            prop_assert_eq!(same_inst(x, x), Ok(!a.is_nan()));
        }
    }
}
