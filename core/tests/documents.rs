//! Documents in and out: real ones, the examples of the specification, and what must fail.
use bir_core::doc::{Loaded, ReadOptions, WarningKind, WriteOptions, read_json, write_json};
use bir_core::enums::bir::InstructionType;
use bir_core::ir::{ModuleRef, Place};
use bir_core::{Error, ErrorCode};
use std::fs;

mod samples;
use samples::{data, documents, examples, families, same};

fn load(text: &[u8]) -> Result<Loaded, Error> {
    read_json(text, &ReadOptions::default())
}

fn text(module: &ModuleRef, options: &WriteOptions) -> String {
    let mut out = Vec::new();
    write_json(module, &mut out, options).unwrap();
    String::from_utf8(out).unwrap()
}

const PLAIN: WriteOptions = WriteOptions { compact: false, explicit: false };
const COMPACT: WriteOptions = WriteOptions { compact: true, explicit: false };
const EXPLICIT: WriteOptions = WriteOptions { compact: false, explicit: true };

#[test]
fn every_document_survives_each_form() {
    for (name, source) in documents() {
        let first = load(source.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = text(&first.module, &PLAIN);
        for form in [PLAIN, COMPACT, EXPLICIT] {
            let out = text(&first.module, &form);
            let again = load(out.as_bytes()).unwrap_or_else(|e| panic!("{name} {form:?}: {e}"));
            same(&text(&again.module, &form), &out, &format!("{name} {form:?}"));
            same(&text(&again.module, &PLAIN), &written, &format!("{name} {form:?}"));
        }
    }
}

#[test]
fn duplicate_names_of_real_documents_become_warnings() {
    let source = fs::read(data("tests/data/bir/scale_add.bir.json")).unwrap();
    let loaded = load(&source).unwrap();
    let block = loaded.module.find_function("sg0000").unwrap().find_block("Block1").unwrap();
    let names: Vec<String> = block.instructions().map(|i| i.name().to_string()).collect();
    assert_eq!(names, ["noop_test", "noop_test_1", "noop_test_2"]);
    let renames: Vec<&str> =
        loaded.warnings.iter().filter(|w| w.kind == WarningKind::Renamed).map(|w| w.path.as_str()).collect();
    assert_eq!(renames, ["functions[0].blocks[0].instructions[1]", "functions[0].blocks[0].instructions[2]"]);
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    assert_eq!(read_json(&source, &strict).unwrap_err().code, ErrorCode::DuplicateName);
}

#[track_caller]
fn fails(text: &str, code: ErrorCode, path: &str) -> Error {
    let error = load(text.as_bytes()).expect_err("it must fail");
    assert_eq!((error.code, error.path.as_str()), (code, path), "{error}");
    assert!(error.position.is_some(), "{error}");
    error
}

#[test]
fn one_edit_makes_the_example_fail() {
    let example = &examples()[0];
    let edit = |from: &str, to: &str| {
        assert!(example.contains(from), "{from}");
        example.replacen(from, to, 1)
    };
    fails(&edit(",\n \"version\": 2", ""), ErrorCode::MissingKey, "");
    fails(
        &edit("\"dependencies\": [[\"I-0\", \"Flow\"], [\"I-1\", \"Flow\"]]", "\"dependencies\": {}"),
        ErrorCode::WrongType,
        "functions[0].blocks[0].instructions[2].dependencies",
    );
    fails(
        &edit("[\"I-0\", \"Flow\"]", "[\"I-9\", \"Flow\"]"),
        ErrorCode::UnresolvedRef,
        "functions[0].blocks[0].instructions[2].dependencies[0]",
    );
    fails(
        &edit("\"queue\": \"q_in\"", "\"queue\": \"q_none\""),
        ErrorCode::UnresolvedRef,
        "functions[0].blocks[0].instructions[0].queue",
    );
    fails(
        &edit("\"kind\": \"physical_ap\"", "\"kind\": \"ap\""),
        ErrorCode::Unsupported,
        "functions[0].blocks[0].instructions[0].ins[0].kind",
    );
    fails(
        &edit("\"memref\": \"x\"", "\"memref\": \"zz\""),
        ErrorCode::UnresolvedRef,
        "functions[0].blocks[0].instructions[0].ins[0].memref",
    );
    // Without an affine expression the version does not matter.
    load(edit("\"version\": 2", "\"version\": 3").as_bytes()).unwrap();
    let affine = &examples()[1];
    let error = load(affine.replacen("\"version\": 2", "\"version\": 3", 1).as_bytes()).unwrap_err();
    assert_eq!(error.code, ErrorCode::BadValue);
    assert!(error.path.ends_with("addrs[0]"), "{error}");
}

#[test]
fn a_float_that_would_become_infinite_is_refused() {
    let scale_add = std::fs::read_to_string(data("tests/data/bir/scale_add.bir.json")).unwrap();
    let with = |number: &str| scale_add.replacen("\"const0\": 2", &format!("\"const0\": {number}"), 1);
    assert_ne!(with("3"), scale_add);
    let path = "functions[0].blocks[0].instructions[1].const0";
    for number in ["3.5e38", "-1e300", "1e999"] {
        let error = fails(&with(number), ErrorCode::BadValue, path);
        assert_eq!(error.position.unwrap().offset as usize, with(number).find(number).unwrap(), "{error}");
    }
    for number in ["3.4028235e38", "1e-60", "\"-inf\""] {
        load(with(number).as_bytes()).unwrap();
    }
}

#[test]
fn an_opcode_that_does_not_exist_is_corrupt_ir() {
    let scale_add = std::fs::read_to_string(data("tests/data/bir/scale_add.bir.json")).unwrap();
    let with = |opcode: &str| scale_add.replacen("\"opcode\": \"TensorScalar\"", &format!("\"opcode\": {opcode}"), 1);
    assert_ne!(with("1"), scale_add);
    let cases = [
        ("\"TensorScalr\"", ErrorCode::UnknownEnum, "did you mean `TensorScalar`?"),
        ("110", ErrorCode::WrongType, "found 110"),
        ("-1", ErrorCode::WrongType, "found -1"),
        ("10", ErrorCode::WrongType, "expected \"Memset\", found 10"),
    ];
    for (opcode, code, part) in cases {
        let error = fails(&with(opcode), code, "functions[0].blocks[0].instructions[1].opcode");
        assert!(error.to_string().contains("corrupt IR") && error.to_string().contains(part), "{error}");
    }
}

#[test]
fn references_mean_names_of_the_document() {
    let example = &examples()[0];
    let twice = example.replacen("\"name\": \"I-1\"", "\"name\": \"I-0\"", 1).replacen(
        "[\"I-1\", \"Flow\"]",
        "[\"I-0\", \"Anti\"]",
        1,
    );
    let loaded = load(twice.as_bytes()).unwrap();
    let main = loaded.module.find_function("sg0000").unwrap();
    let waits = main.find_instruction("I-2").unwrap();
    let edges: Vec<String> = waits
        .dependencies(bir_core::ir::EdgeSet::Normal)
        .map(|e| format!("{} {}", e.target.name(), e.kind.name()))
        .collect();
    assert_eq!(edges, ["I-0 Flow"]);
    assert!(main.find_instruction("I-0_1").is_some());
    assert_eq!(loaded.warnings.len(), 1);
}

#[test]
fn an_unknown_key_is_a_warning_with_its_path() {
    let text = examples()[0].replacen("\"mode\": \"Copy\",", "\"mode\": \"Copy\", \"mood\": [1, {}],", 1);
    let loaded = load(text.as_bytes()).unwrap();
    assert_eq!(loaded.warnings.len(), 1);
    assert_eq!(loaded.warnings[0].path, "functions[0].blocks[0].instructions[0].mood");
    assert!(loaded.warnings[0].position.line > 20);
}

#[test]
fn an_axis_of_a_loop_elsewhere_cannot_be_written() {
    let module = bir_core::ir::Module::new().unwrap();
    let block = module.add_function("f", Place::End).unwrap().object.add_block("b", Place::End).unwrap().object;
    let inside = |name, axis| {
        let looped = block.add_instruction(InstructionType::Loop, name, Place::End).unwrap().object;
        let axis = looped.set_loop_axis(axis, 0, 8, 1).unwrap();
        let body = looped.block_holder().unwrap().add_block(&format!("{name}_body"), Place::End).unwrap().object;
        let inner = body.add_instruction(InstructionType::NoOp, &format!("{name}_inner"), Place::End).unwrap().object;
        (axis, inner)
    };
    let ((i, first), (other_i, second)) = (inside("first", "i"), inside("second", "i"));
    let expr = |axis| module.expression(module.axis_value(axis).unwrap()).unwrap();
    first.set_order(&[expr(i)]).unwrap();
    second.set_order(&[expr(other_i)]).unwrap();
    let right = text(&module, &WriteOptions::default());
    same(&text(&load(right.as_bytes()).unwrap().module, &WriteOptions::default()), &right, "loops");
    // Of the same name, but around another instruction; and a name that is nowhere around.
    for (axis, found) in [(i, "another axis of that name"), (inside("third", "k").0, "none")] {
        second.set_order(&[expr(axis)]).unwrap();
        let error = write_json(&module, &mut Vec::new(), &WriteOptions::default()).unwrap_err();
        assert_eq!((error.code, error.found.as_str()), (ErrorCode::CorruptIr, found), "{error}");
        assert_eq!(error.path, "functions[0].blocks[0].instructions[1].blocks[0].instructions[0].order");
    }
    second.set_order(&[]).unwrap();
    second.set_loopnest(&[i]).unwrap();
    let error = write_json(&module, &mut Vec::new(), &WriteOptions::default()).unwrap_err();
    assert!(error.path.ends_with(".loopnest"), "{error}");
}

#[test]
fn truncated_documents_fail_and_nothing_else() {
    let source = fs::read(data("tests/data/bir/scale_add.bir.json")).unwrap();
    let end = source.iter().rposition(|b| *b == b'}').unwrap();
    for cut in 0..end {
        assert!(load(&source[..cut]).is_err(), "{cut}");
    }
}

#[test]
fn the_family_documents_hold_every_opcode_and_come_back_byte_for_byte() {
    let mut opcodes = std::collections::BTreeSet::new();
    for (name, source) in families() {
        let strict = ReadOptions { strict: true, ..ReadOptions::default() };
        let loaded = read_json(source.as_bytes(), &strict).unwrap_or_else(|e| panic!("{name}: {e}"));
        same(&text(&loaded.module, &PLAIN), &source, &name);
        for form in [COMPACT, EXPLICIT] {
            let again = load(text(&loaded.module, &form).as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
            same(&text(&again.module, &PLAIN), &source, &name);
            assert!(bir_core::ir::difference(&*loaded.module, &*again.module).is_none());
        }
        let functions = loaded.module.functions().flat_map(|f| f.instructions());
        let queues = loaded.module.queues().flat_map(|q| q.block_holder().instructions());
        opcodes.extend(functions.chain(queues).map(|i| i.opcode().unwrap()));
    }
    assert_eq!(opcodes.len(), 110);
}

#[test]
fn a_dynamic_loop_may_lack_bounds_and_a_static_one_may_not() {
    let looped = |opcode: &str, axis: &str| {
        format!(
            r#"{{"version": 2, "arch": "gen3", "functions": [{{"name": "f", "allocations": [], "blocks": [{{"name": "b",
                "instructions": [{{"name": "i", "opcode": "{opcode}", "engine": "Pool", "ins": [], "outs": [],
                "{axis}": {{"name": "j", "lb": 0, "ub": 4, "stride": null}}, "blocks": []}}]}}]}}]}}"#
        )
    };
    let loaded = load(looped("DynamicForLoop", "DynamicForLoopAxis").as_bytes()).unwrap();
    let again = load(text(&loaded.module, &PLAIN).as_bytes()).unwrap();
    assert!(bir_core::ir::difference(&*loaded.module, &*again.module).is_none());
    let place = "functions[0].blocks[0].instructions[0].LoopAxis";
    fails(&looped("Loop", "LoopAxis"), ErrorCode::MissingKey, place);
}
