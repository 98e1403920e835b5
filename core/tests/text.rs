//! The readable form: texts that were read and found right, every payload field, and modules that contradict themselves.
mod built;
mod ir_common;
mod rich;

use bir_core::doc::{ReadOptions, read_json};
use bir_core::enums::bir::{EdgeKind, InstructionType as Op, MemoryType, TensorKind};
use bir_core::ir::{APPair, AffinePredicate, EdgeSet, ExprKind, Instruction, Module, ModuleRef, OperandList, Place};
use bir_core::op::{Default, Field, FieldKind, OPCODES, Presence, Slot, Value};
use bir_core::text::{
    Output, Plain, PrintOptions, Printer, Style, expression_text, field_text, operand_text, print_block,
    print_function, print_instruction, print_module,
};
use bir_core::{Error, ErrorCode};
use built::{find, main_of, module_of, opcode, record};
use ir_common::raw::Raw;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

const PLAIN: PrintOptions = PrintOptions { all: false, ids: true };
const ALL: PrintOptions = PrintOptions { all: true, ids: true };
const BARE: PrintOptions = PrintOptions { all: false, ids: false };

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

fn load(text: &[u8]) -> Module {
    read_json(text, &ReadOptions::default()).unwrap().module
}

fn text(module: &ModuleRef, options: &PrintOptions) -> String {
    let mut out = Vec::new();
    print_module(module, &mut out, options).unwrap();
    String::from_utf8(out).unwrap()
}

fn line(instruction: &Instruction, options: &PrintOptions) -> String {
    let mut out = Vec::new();
    print_instruction(instruction, &mut out, options).unwrap();
    String::from_utf8(out).unwrap()
}

/// Compares with a committed text, which was read by a person.
#[track_caller]
fn golden(name: &str, actual: &str) {
    let expected = fs::read_to_string(data("text").join(name)).unwrap_or_default();
    if expected != actual {
        let line = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or(expected.lines().count().min(actual.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_owned();
        let found = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&found, actual).unwrap();
        let (line, shown, found) = (line + 1, at(&expected), (at(actual), found.display()));
        panic!(
            "{name}, line {line}:\n  expected {shown}\n  found    {}\n  the whole text found is in {}",
            found.0, found.1
        );
    }
}

#[test]
fn examples_of_the_specification() {
    let prose = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/bir-json.md")).unwrap();
    let examples: Vec<&str> = prose.split("```json\n").skip(1).map(|b| b.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 3);
    for (index, example) in examples.iter().enumerate() {
        golden(&format!("example-{}.txt", index + 1), &text(&load(example.as_bytes()), &PLAIN));
    }
    // The one that the documentation shows.
    let shown = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/text.md")).unwrap();
    assert!(shown.contains(&fs::read_to_string(data("text/example-2.txt")).unwrap()));
}

#[test]
fn real_kernels_and_all_opcodes() {
    for name in ["cmp_ops", "minmax", "scale_add", "slices"] {
        let module = load(&fs::read(data("bir").join(format!("{name}.bir.json"))).unwrap());
        golden(&format!("{name}.txt"), &text(&module, &PLAIN));
    }
    let mut opcodes = std::collections::BTreeSet::new();
    for name in ["collective", "compute", "control", "dma", "kernel", "matmul", "random"] {
        let module = load(&fs::read(data("families").join(format!("{name}.bir.json"))).unwrap());
        golden(&format!("{name}.txt"), &text(&module, &PLAIN));
        for instruction in module.functions().flat_map(|f| f.instructions()) {
            opcodes.insert(instruction.opcode().unwrap().name());
            fields_that_differ_are_there(instruction);
        }
    }
    assert!(opcodes.len() >= 100, "{}", opcodes.len());
}

/// What a document says of an instruction beside its header stands in its line.
fn fields_that_differ_are_there(instruction: &Instruction) {
    let line = line(instruction, &PLAIN);
    for field in instruction.info().unwrap().fields {
        let value = instruction.get_field(field).unwrap();
        let number = if let Default::Int(number) = field.default { i128::from(number) } else { 0 };
        let says = match &value {
            Value::Absent => false,
            Value::Bool(value) => i128::from(*value) != number,
            Value::Int(value) => *value != number,
            Value::Enum(_, value) => i128::from(*value) != number,
            Value::Float(value) => *value != if let Default::Float(default) = field.default { default } else { 0.0 },
            Value::Text(text) => !text.is_empty(),
            Value::List(values) if field.fixed_length().is_some() => values.iter().any(|v| !matches!(v, Value::Int(0))),
            Value::List(values) => !values.is_empty(),
            _ => true,
        };
        let key = if field.slot == Slot::Blocks { " blocks:".to_owned() } else { format!(" {}=", field.key) };
        assert!(!says || line.contains(&key), "{key} in {line}");
    }
}

#[test]
fn everything_at_once() {
    let module = rich::rich().unwrap();
    golden("rich.txt", &text(&module, &PLAIN));
    golden("rich-all.txt", &text(&module, &ALL));
    golden("rich-bare.txt", &text(&module, &BARE));
    // Another module at other addresses, built in the same way, gives the same bytes.
    let again = rich::rich().unwrap();
    for options in [PLAIN, ALL, BARE] {
        assert_eq!(text(&module, &options), text(&again, &options));
    }
}

/// A value of a field that is not its default, and how it reads.
fn other_value<'m>(m: &'m Module, field: &Field) -> (Value<'m>, String) {
    let main = main_of(m);
    let number = if let Default::Int(number) = field.default { number } else { 0 };
    let r0 = || main.find_register("r0").unwrap();
    let shard = || m.leaf(ExprKind::ShardIDKind, 4, 0).unwrap();
    let (value, text) = match field.kind() {
        FieldKind::Bool if number == 0 => (Value::Bool(true), "true".to_owned()),
        FieldKind::Bool => (Value::Bool(false), "false".to_owned()),
        FieldKind::Int if number == 3 => (Value::Int(5), "5".to_owned()),
        FieldKind::Int => (Value::Int(3), "3".to_owned()),
        FieldKind::Float => (Value::Float(2.5), "2.5".to_owned()),
        FieldKind::Enum => {
            let id = field.enum_id().unwrap();
            let member =
                id.info().members.iter().rfind(|m| i64::from(m.ordinal) != number && m.name != "None").unwrap();
            (Value::Enum(id, member.ordinal), member.name.to_owned())
        }
        FieldKind::Text => (Value::Text("say \"x\"\n".to_owned()), r#""say \"x\"\n""#.to_owned()),
        FieldKind::Json => (Value::Json("{\"k\":[1,2]}".to_owned()), "{\"k\":[1,2]}".to_owned()),
        FieldKind::Expr => {
            let expr = m.expression(m.affine(&[(shard(), -2)], 1).unwrap()).unwrap();
            let formula = "-2*shard_id(ub=4) + 1";
            let text = if field.list_depth() == 0 { format!("({formula})") } else { formula.to_owned() };
            (Value::Expr(expr), text)
        }
        FieldKind::Node => (Value::Node(m.register_value(r0()).unwrap()), "%r0".to_owned()),
        FieldKind::Queue => (Value::Queue(m.find_queue("q1").unwrap()), "q1".to_owned()),
        FieldKind::Block => {
            let queue_block = m.find_queue("q0").unwrap().find_block("qb1").unwrap();
            match field.key {
                "instance" => (Value::Block(queue_block), "q0:qb1".to_owned()),
                _ => (Value::Block(main.find_block("t1").unwrap()), "t1".to_owned()),
            }
        }
        FieldKind::Function => (Value::Function(m.find_function("other").unwrap()), "other".to_owned()),
        FieldKind::Instruction => {
            let block = m.find_queue("q0").unwrap().find_block("qb0").unwrap().find_instruction("d1").unwrap();
            (Value::Instruction(block), "q0:qb0/d1".to_owned())
        }
        FieldKind::Register => (Value::Register(r0()), "%r0".to_owned()),
        FieldKind::Pair => (Value::Pair(APPair { step: -2, num: 3 }), "-2 x 3".to_owned()),
        FieldKind::Axis | FieldKind::Blocks => unreachable!("{} has a method of its own", field.key),
    };
    let count = usize::from(field.fixed_length().unwrap_or(2));
    match field.list_depth() {
        0 => (value, text),
        1 => (Value::List(vec![value; count]), format!("[{}]", vec![text; count].join(", "))),
        _ => (Value::List(vec![Value::List(vec![value])]), format!("[[{text}]]")),
    }
}

#[test]
fn every_field_of_every_opcode() {
    let mut fields = 0;
    for info in OPCODES {
        let number = OPCODES.iter().position(|o| std::ptr::eq(o, info)).unwrap() as i32;
        for field in info.fields {
            let m = module_of(vec![]);
            let block = main_of(&m).find_block("entry").unwrap();
            block.add_instruction(Op::DMATrigger, "trigger", Place::End).unwrap();
            let i = block.add_instruction(opcode(number), "i", Place::End).unwrap().object;
            let key = format!(" {}=", field.key);
            let before = line(i, &PLAIN);
            assert!(field.presence == Presence::Required || !before.contains(&key), "{before}");
            let expected = match field.kind() {
                FieldKind::Axis if info.name == "Loop" => {
                    i.set_loop_axis("i", -4, 8, 2).unwrap();
                    format!("{key}(i in -4..8 step 2)")
                }
                FieldKind::Axis => {
                    let one = m.expression(m.affine(&[], 1).unwrap()).unwrap();
                    i.set_dynamic_axis("j 1", one, one, one).unwrap();
                    format!("{key}(\"j 1\" in 1..1 step 1)")
                }
                FieldKind::Blocks => {
                    i.block_holder().unwrap().add_block("inner", Place::End).unwrap();
                    " blocks:\n  block inner (id ".to_owned()
                }
                FieldKind::Instruction if field.slot == Slot::Trigger => {
                    i.set_field(field, &Value::Instruction(find(&m, "trigger"))).unwrap();
                    format!("{key}trigger")
                }
                _ => {
                    let (value, expected) = other_value(&m, field);
                    i.set_field(field, &value).unwrap_or_else(|e| panic!("{} {}: {e}", info.name, field.key));
                    assert_eq!(field_text(i, field, &PLAIN).unwrap(), expected, "{} {}", info.name, field.key);
                    format!("{key}{expected}")
                }
            };
            let after = line(i, &PLAIN);
            let at = after.find(&expected).unwrap_or_else(|| panic!("no {expected:?} in {after}"));
            let rest = &after[at + expected.len()..];
            assert!(expected.ends_with("(id ") || rest.starts_with([' ', '\n']), "{after}");
            assert!(after.starts_with(&format!("i (id {}): {}", i.unique_id(), info.name)), "{after}");
            // Everything shows every field.
            let all = line(i, &ALL);
            for field in info.fields.iter().filter(|f| f.slot != Slot::Blocks) {
                assert!(all.contains(&format!(" {}=", field.key)), "{} in {all}", field.key);
            }
            fields += 1;
        }
    }
    assert_eq!((OPCODES.len(), fields), (110, OPCODES.iter().map(|o| o.fields.len()).sum()));
}

#[test]
fn formulas() {
    let m = module_of(vec![record(
        "L",
        "Loop",
        json!({"LoopAxis": {"name": "i", "lb": 0, "ub": 4, "stride": 1}, "blocks": []}),
    )]);
    let axis = m.axis_value(find(&m, "L").axis().unwrap()).unwrap();
    let r1 = m.register_value(main_of(&m).find_register("r1").unwrap()).unwrap();
    let shown = |node| expression_text(m.expression(node).unwrap(), &PLAIN).unwrap();
    let all = |node| expression_text(m.expression(node).unwrap(), &ALL).unwrap();
    let affine = |terms: &[_], c| m.affine(terms, c).unwrap();
    let unary = |kind, node, n| m.unary(kind, node, n, 7).unwrap();
    let simple = affine(&[(axis, 512)], 3);
    for (node, plain, full) in [
        (simple, "512*i + 3", "aff(512*i + 3)"),
        (affine(&[(axis, 1)], 0), "i", "aff(1*i + 0)"),
        (affine(&[(axis, -1), (r1, -4)], -9), "-i - 4*%main:r1 - 9", "aff(-1*i - 4*%main:r1 - 9)"),
        (affine(&[], 0), "0", "aff(0)"),
        (affine(&[], i64::MIN), "-9223372036854775808", "aff(-9223372036854775808)"),
        (affine(&[(axis, i64::MIN)], 1), "-9223372036854775808*i + 1", "aff(-9223372036854775808*i + 1)"),
        (
            affine(&[(simple, 2), (simple, 1)], 1),
            "2*(512*i + 3) + (512*i + 3) + 1",
            "aff(2*aff(512*i + 3) + 1*aff(512*i + 3) + 1)",
        ),
        (m.sum(&[simple, axis]).unwrap(), "(512*i + 3) + i", "sum(aff(512*i + 3) + i)"),
        (m.sum(&[]).unwrap(), "sum()", "sum()"),
        (unary(ExprKind::ModuloKind, simple, 64), "(512*i + 3) mod 64", "aff(512*i + 3) mod 64"),
        (unary(ExprKind::FloorDivKind, axis, 2), "i floordiv 2", "i floordiv 2"),
        (unary(ExprKind::MultKind, axis, -2), "i*(-2)", "mult(i*(-2))"),
        (unary(ExprKind::MultKind, unary(ExprKind::ModuloKind, axis, 3), 2), "(i mod 3)*2", "mult((i mod 3)*2)"),
        (affine(&[(unary(ExprKind::ModuloKind, axis, 3), 5)], 0), "5*(i mod 3)", "aff(5*(i mod 3) + 0)"),
        (
            unary(ExprKind::CCDivKind, simple, 4),
            "ccdiv(512*i + 3, 4, replica_groups_id=7)",
            "ccdiv(aff(512*i + 3), 4, replica_groups_id=7)",
        ),
        (
            m.leaf(ExprKind::CCGetRankKind, 1, 2).unwrap(),
            "cc_rank(iteration_id=1, channel_id=2)",
            "cc_rank(iteration_id=1, channel_id=2)",
        ),
        (m.leaf(ExprKind::IndirectArgId, 3, 0).unwrap(), "indirect_arg(arg_id=3)", "indirect_arg(arg_id=3)"),
    ] {
        assert_eq!((shown(node).as_str(), all(node).as_str()), (plain, full));
    }
    let i = find(&m, "L");
    let at = |node| m.expression(node).unwrap();
    i.set_predicates(&[AffinePredicate { expr: at(simple), op: 0 }, AffinePredicate { expr: at(axis), op: 1 }])
        .unwrap();
    assert!(line(i, &PLAIN).contains(" predicates=[512*i + 3 >= 0, i == 0]"), "{}", line(i, &PLAIN));
}

/// A small expression with two to the power of its depth paths, and one deeper than documents can be.
#[test]
fn large_expressions_are_cut() {
    let m = Module::new().unwrap();
    let mut shared = m.leaf(ExprKind::ShardIDKind, 1, 0).unwrap();
    let mut deep = shared;
    for _ in 0..60 {
        shared = m.sum(&[shared, shared]).unwrap();
    }
    for _ in 0..100_000 {
        deep = m.unary(ExprKind::ModuloKind, deep, 2, 0).unwrap();
    }
    for (node, limit) in [(shared, 1 << 20), (deep, 1 << 12)] {
        for options in [PLAIN, ALL] {
            let text = expression_text(m.expression(node).unwrap(), &options).unwrap();
            assert!(text.contains("...") && text.len() < limit, "{}", text.len());
        }
    }
}

#[test]
fn names_cannot_look_like_anything_else() {
    let m = module_of(vec![]);
    let main = main_of(&m);
    let set = main.find_set("a_set").unwrap();
    let location = main.find_location("a").unwrap();
    location.set_name("a\nb\x1b[31m").unwrap();
    let block = main.find_block("entry").unwrap();
    block.set_name("").unwrap();
    let i = block.add_instruction(Op::TensorCopy, "evil (id 7): \u{202e}", Place::End).unwrap().object;
    i.add_operand(OperandList::Ins, &physical(location), Place::End).unwrap();
    i.set_debug_json(Some("{\n}")).unwrap();
    set.storage().set_name("none").unwrap();
    let text = text(&m, &ALL);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && !text.contains('\u{202e}'), "{text}");
    assert!(text.contains("\n  block \"\" (id "), "{text}");
    assert!(text.contains("\n    \"evil (id 7): \\u{202e}\" (id "), "{text}");
    assert!(text.contains(" \"none\"/\"a\\nb\\u{1b}[31m\"[512 x 128, 1 x 512]+0:float32"), "{text}");
    assert!(text.contains(" debug=\"{\\n}\""), "{text}");
}

fn physical(location: &bir_core::ir::MemoryLocation) -> bir_core::ir::OperandSpec<'_, '_> {
    bir_core::ir::OperandSpec::Physical {
        location,
        dtype: bir_core::enums::bir::Dtype::float32,
        pattern: &rich::PATTERN,
        offset: 0,
    }
}

#[test]
fn references_say_which_object_they_mean() {
    let m = module_of(vec![record("x", "NoOp", json!({})), record("y", "NoOp", json!({}))]);
    let main = main_of(&m);
    let other = m.find_function("other").unwrap();
    let (x, y) = (find(&m, "x"), find(&m, "y"));
    let far = main.find_block("t0").unwrap().add_instruction(Op::NoOp, "x", Place::End).unwrap().object;
    let foreign = other.add_block("b", Place::End).unwrap().add_instruction(Op::NoOp, "z", Place::End).unwrap().object;
    let unlinked = main.find_block("t0").unwrap().add_instruction(Op::NoOp, "u", Place::End).unwrap().object;
    for target in [x, far, foreign, unlinked] {
        y.add_dependency(target, EdgeKind::Flow, EdgeSet::Normal).unwrap();
    }
    unlinked.unlink().unwrap();
    let expected = "y: NoOp deps=[x:Flow, t0/x:Flow, other:b/z:Flow, u!unlinked:Flow]\n";
    assert_eq!(line(y, &BARE), expected);
    // Outside of everything, with its block or function.
    main.find_block("t0").unwrap().unlink().unwrap();
    other.unlink().unwrap();
    let expected = "y: NoOp deps=[x:Flow, t0/x!unlinked:Flow, other:b/z:Flow, u!unlinked:Flow]\n";
    assert_eq!(line(y, &BARE), expected);
    other.move_to(m.function_holder(), Place::End).unwrap();

    // Sets with other names, the same location in two sets, another function, an erased location.
    let i = main.find_block("entry").unwrap().add_instruction(Op::TensorCopy, "c", Place::End).unwrap().object;
    let twin = main.find_set("b_set").unwrap().add_location("a", MemoryType::SB, Place::End).unwrap().object;
    let set = other.add_set("s", TensorKind::Internal, bir_core::enums::bir::Dtype::int8, Place::End).unwrap().object;
    let elsewhere = set.add_location("l", MemoryType::SB, Place::End).unwrap().object;
    for location in [main.find_set("a_set").unwrap().find_location("a").unwrap(), twin, elsewhere] {
        let operand = i.add_operand(OperandList::Ins, &physical(location), Place::End).unwrap();
        assert!(line(i, &BARE).contains(&operand_text(operand, &BARE).unwrap()));
    }
    let pattern = "[512 x 128, 1 x 512]:float32";
    assert_eq!(line(i, &BARE), format!("c: TensorCopy a{pattern}, b_set/a{pattern}, other:s/l{pattern}\n"));
    main.find_set("a_set").unwrap().unlink().unwrap();
    twin.unlink().unwrap();
    let expected = format!("c: TensorCopy a!unlinked{pattern}, a!unlinked{pattern}, other:s/l{pattern}\n");
    assert_eq!(line(i, &BARE), expected);
}

#[test]
fn nesting_deeper_than_the_stack() {
    const LEVELS: usize = 5_000;
    let print = || {
        let m = Module::new().unwrap();
        let mut block = m.add_function("main", Place::End).unwrap().add_block("b", Place::End).unwrap().object;
        for _ in 0..LEVELS {
            let inner = block.add_instruction(Op::Loop, "L", Place::End).unwrap().object;
            block = inner.block_holder().unwrap().add_block("b", Place::End).unwrap().object;
        }
        text(&m, &BARE)
    };
    // 50 bytes of stack per level: no recursion could do with that.
    let text = std::thread::Builder::new().stack_size(50 * LEVELS).spawn(print).unwrap().join().unwrap();
    // Module, an empty line, function, its block; then a loop and its block per level.
    assert_eq!(text.lines().count(), 4 + 2 * LEVELS);
    assert!(text.lines().all(|l| l.len() < 64 + 40));
    assert!(text.starts_with("module: arch=gen3\n\nfunction main:\n  block b:\n    L: Loop LoopAxis=none blocks:\n"));
}

#[test]
fn parts() {
    let m = rich::rich().unwrap();
    let whole = text(&m, &PLAIN);
    let main = m.find_function("main").unwrap();
    let mut function = Vec::new();
    print_function(main, &mut function, &PLAIN).unwrap();
    assert!(whole.contains(&format!("\n\n{}\n", String::from_utf8(function).unwrap())));
    let indented = |text: &str, by: usize| text.lines().map(|l| format!("{}{l}\n", " ".repeat(by))).collect::<String>();
    let mut block = Vec::new();
    print_block(main.find_block("entry").unwrap(), &mut block, &PLAIN).unwrap();
    assert!(whole.contains(&indented(&String::from_utf8(block).unwrap(), 2)));
    let i = main.find_block("entry").unwrap().find_instruction("L0").unwrap();
    assert!(line(i, &PLAIN).lines().count() > 1);
    assert!(whole.contains(&indented(&line(i, &PLAIN), 4)));
}

/// Numbers that no enum knows, as foreign code may leave them.
#[test]
fn corrupt_objects_are_printed() {
    let m = rich::rich().unwrap();
    let copy = m.find_function("main").unwrap().find_instruction("I-2").unwrap();
    let operand = copy.ins().next().unwrap();
    let location = operand.memory_location().unwrap();
    Raw::of(copy).field("Instruction", "opcode").write_u32(999);
    Raw::of(copy).field("Instruction", "engine").write_u32(77);
    Raw::of(operand).field("Argument", "dtype").write_u32(88);
    Raw::of(&*m).field("Module", "arch").write_u32(12345);
    Raw::of(location.set().unwrap()).field("MemoryLocationSet", "dtype").write_u32(55);
    let text = text(&m, &PLAIN);
    for part in ["module: arch=?12345 ", " ?999 @?77 x[512 x 128, 1 x 512]+16:?88{", "): ?55[128, 512] "] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    Raw::of(operand).field("Argument", "kind").write_u32(9);
    assert!(line(copy, &ALL).contains(" ?999 @?77 ?kind 9 -> a["), "{}", line(copy, &ALL));
    Raw::of(copy).field("Instruction", "opcode").write_u32(Op::TensorCopy.ordinal().cast_unsigned());
    copy.erase().unwrap();
    assert!(line(copy, &PLAIN).starts_with("I-2 (id "));
}

/// A sink that takes so many bytes.
struct Full(usize);

impl bir_core::sink::Sink for Full {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self.0.checked_sub(bytes.len()) {
            Some(rest) => {
                self.0 = rest;
                Ok(())
            }
            None => Err(Error::new(ErrorCode::Io, "the disk is full")),
        }
    }
}

#[test]
fn errors_of_the_sink_arrive() {
    let m = rich::rich().unwrap();
    let len = text(&m, &PLAIN).len();
    assert!(print_module(&m, &mut Full(len), &PLAIN).is_ok());
    assert_eq!(print_module(&m, &mut Full(len - 1), &PLAIN).unwrap_err().message, "the disk is full");
}

#[test]
fn pieces_have_styles() {
    let m = module_of(vec![record("x", "NoOp", json!({}))]);
    let mut pieces: Vec<(Style, String)> = Vec::new();
    Printer::new(&mut pieces, &PLAIN).instruction(find(&m, "x")).unwrap();
    let id = format!("(id {})", find(&m, "x").unique_id());
    let expected = [
        (Style::Name, "x"),
        (Style::Punctuation, " "),
        (Style::Id, &*id),
        (Style::Punctuation, ":"),
        (Style::Punctuation, " "),
        (Style::Opcode, "NoOp"),
    ];
    assert_eq!(pieces.iter().map(|(s, t)| (*s, t.as_str())).collect::<Vec<_>>(), expected);
    // A wrapper sees what the plain text is made of.
    struct Counting<O>(O, usize);
    impl<O: Output> Output for Counting<O> {
        fn begin(&mut self, item: bir_core::text::Item<'_>, depth: usize) -> Result<(), Error> {
            self.1 += 1;
            self.0.begin(item, depth)
        }
        fn piece(&mut self, style: Style, text: &str) -> Result<(), Error> {
            assert!(!text.contains('\n'));
            self.0.piece(style, text)
        }
        fn end(&mut self) -> Result<(), Error> {
            self.0.end()
        }
    }
    let (rich, mut bytes) = (rich::rich().unwrap(), Vec::new());
    let mut counting = Counting(Plain::new(&mut bytes), 0);
    Printer::new(&mut counting, &PLAIN).module(&rich).unwrap();
    let lines = counting.1;
    counting.0.finish().unwrap();
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), text(&rich, &PLAIN));
    assert_eq!(bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()).count(), lines);
}
