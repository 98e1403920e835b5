//! What is read all the same, with a warning: each kind in each kind of object, with its exact path and place, in the order
//! of the text, up to the limit.

mod doc_support;

use bir_core::ErrorCode;
use bir_core::doc::{ReadOptions, Warning, WarningKind, read_json};
use bir_core::op::OPCODES;
use doc_support::*;

/// The warnings of a document that is written with a mark `¦` at the place of each, in their order.
#[track_caller]
fn check_warnings(marked: &str, expected: &[(WarningKind, &str, &str)]) {
    let mut text = String::new();
    let mut offsets = Vec::new();
    for piece in marked.split('¦') {
        text.push_str(piece);
        offsets.push(text.len());
    }
    offsets.pop();
    let loaded = load(&text).unwrap_or_else(|e| panic!("{marked}: {e}"));
    let places = |w: &Warning| (w.position.offset as usize, (w.position.line, w.position.column));
    let found: Vec<_> =
        loaded.warnings.iter().map(|w| (w.kind, w.path.as_str(), w.message.as_str(), places(w))).collect();
    let ours: Vec<_> = expected
        .iter()
        .zip(&offsets)
        .map(|(&(kind, path, message), &offset)| (kind, path, message, (offset, line_and_column(&text, offset))))
        .collect();
    assert_eq!(expected.len(), offsets.len(), "a mark for each warning: {marked}");
    assert_eq!(found, ours, "{marked}");
    assert_eq!(loaded.warnings_dropped, 0);
    // In strict mode the first of them in the order of reading is an error.
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let Err(error) = read_json(text.as_bytes(), &strict) else { panic!("{marked} was read in strict mode") };
    let same = loaded.warnings.iter().find(|w| w.path == error.path && w.message == error.message);
    let Some(warning) = same else { panic!("{marked}: {error} is none of the warnings") };
    assert_eq!(error.position, Some(warning.position));
    let code = match warning.kind {
        WarningKind::Renamed => ErrorCode::DuplicateName,
        WarningKind::BareDependency => ErrorCode::WrongType,
        WarningKind::MovedImmediate => ErrorCode::WrongKind,
        _ => ErrorCode::UnknownKey,
    };
    assert_eq!(error.code, code);
}

/// A document with the unknown key `zz` in one object, at the mark.
#[track_caller]
fn check_unknown(frame: &Frame, rows: &[(&str, &str)]) {
    for (part, path) in rows {
        let path = format!("{}{path}", frame.path);
        let marked = frame.text.replacen('@', part, 1);
        check_warnings(
            &marked,
            &[(WarningKind::UnknownKey, path.trim_start_matches('.'), "unknown key `zz`; dropped")],
        );
    }
}

#[test]
#[rustfmt::skip]
fn an_unknown_key_in_every_kind_of_object() {
    check_unknown(&MODULE, &[
        (r#""zz": ¦{"a": [null]}"#, "zz"),
        (r#""queues": [{"name": "q", "zz": ¦1}]"#, "queues[0].zz"),
        (r#""queues": [{"zz": ¦1, "name": "q"}]"#, "queues[0].zz"),
    ]);
    check_unknown(&DOCUMENT, &[
        (r#"{"module": {"version": 2, "arch": "gen3", "functions": []}, "zz": ¦1}"#, "zz"),
        (r#"{"module": {"version": 2, "zz": ¦1, "arch": "gen3", "functions": []}}"#, "module.zz"),
    ]);
    check_unknown(&FUNCTION, &[
        (r#"{"name": "f", "zz": ¦"text", "allocations": [], "blocks": []}"#, ".zz"),
    ]);
    check_unknown(&ALLOCATIONS, &[(r#"{"Skind": "register", "name": "r", "zz": ¦1}"#, "[0].zz")]);
    check_unknown(&SET, &[(r#""zz": ¦1"#, ".zz")]);
    check_unknown(&LOCATION, &[(r#""zz": ¦[]"#, ".zz")]);
    check_unknown(&BLOCK, &[
        (r#"{"name": "b", "instructions": [], "zz": ¦1}"#, ".zz"),
        (r#"{"name": "b", "instructions": [], "arguments": [{"name": "a", "zz": ¦1}]}"#, ".arguments[0].zz"),
    ]);
    check_unknown(&NOOP, &[
        (r#""zz": ¦1"#, ".zz"),
        (r#""sync_info": {"zz": ¦1}"#, ".sync_info.zz"),
        (r#""sync_info": {"on_wait": [{"id": 1, "zz": ¦1}]}"#, ".sync_info.on_wait[0].zz"),
        (r#""sync_info": {"on_update": [{"id": 1, "zz": ¦1}]}"#, ".sync_info.on_update[0].zz"),
        (r#""predicates": [{"expr": {}, "zz": ¦1}]"#, ".predicates[0].zz"),
        // A key of another opcode, of the trigger, of a structured instruction.
        (r#""unroll_dependencies": [["i", "Flow", [{"zz": ¦1}]]]"#, ".unroll_dependencies[0][2][0].zz"),
    ]);
    check_unknown(&INSTRUCTIONS, &[
        (r#"{"name": "a", "opcode": "NoOp"}, {"name": "b", "opcode": "NoOp", "dependencies": [{"id": "a", "zz": ¦1}]}"#,
            "[1].dependencies[0].zz"),
        (r#"{"name": "i", "opcode": "Loop", "blocks": [], "LoopAxis": {"name": "j", "lb": 0, "ub": 1, "stride": 1, "zz": ¦1}}"#,
            "[0].LoopAxis.zz"),
        (r#"{"name": "i", "opcode": "DynamicForLoop", "blocks": [], "DynamicForLoopAxis": {"name": "j", "zz": ¦1}}"#,
            "[0].DynamicForLoopAxis.zz"),
        (r#"{"name": "i", "opcode": "DMABlock", "blocks": [{"name": "b", "instructions": [], "zz": ¦1}]}"#,
            "[0].blocks[0].zz"),
    ]);
    check_unknown(&OPERAND, &[
        (r#"{"kind": "imm_value", "dtype": "int8", "value": 1, "zz": ¦1}"#, ".zz"),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "value_list": [{"value": 1, "zz": ¦1}]}"#, ".value_list[0].zz"),
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "dynamic_ap_info": {"zz": ¦1}}"#,
            ".dynamic_ap_info.zz"),
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x",
             "dynamic_ap_info": {"aff_expr": [{"offset_expr": {}, "zz": ¦1}]}}"#, ".dynamic_ap_info.aff_expr[0].zz"),
    ]);
    check_unknown(&EXPRESSION, &[
        (r#"{"kind": "AffExprKind", "zz": ¦1}"#, ".zz"),
        (r#"{"kind": "AffExprKind", "terms": [{"idx": {"kind": "AffIVKind", "axis": "j", "zz": ¦1}}]}"#, ".terms[0].idx.zz"),
        (r#"{"kind": "AffExprKind", "terms": [{"idx": {"kind": "AffIVKind", "axis": "j"}, "zz": ¦1}]}"#, ".terms[0].zz"),
        (r#"{"c": 1, "zz": ¦1}"#, ".zz"),
        (r#"{"terms": [{"AxisLabel": "j", "zz": ¦1}]}"#, ".terms[0].zz"),
    ]);
}

/// Every opcode that has no required payload key drops an unknown one.
#[test]
fn an_unknown_key_of_every_opcode() {
    let mut checked = 0;
    for opcode in OPCODES {
        let part = format!(r#"{{"name": "i", "opcode": "{}", "zz": ¦7}}"#, opcode.name);
        let (text, path, offset) = INSTRUCTIONS.fill(&part, "[0].zz");
        let Ok(loaded) = load(&text) else { continue };
        let [warning] = loaded.warnings.as_slice() else { panic!("{part}: {:?}", loaded.warnings) };
        let place = Some(warning.position.offset as usize);
        assert_eq!((warning.kind, &warning.path, place), (WarningKind::UnknownKey, &path, offset));
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

/// A key of another kind of operand is as unknown as any; it is found when the kind is known.
#[test]
fn keys_of_other_kinds_of_operands() {
    let part = r#"{"offset": ¦3, "kind": "imm_value", "dtype": "int8", "regref": ¦"r", "value": 1, "zz": ¦1}"#;
    check_warnings(
        &OPERAND.text.replacen('@', part, 1),
        &[
            (
                WarningKind::UnknownKey,
                "functions[0].blocks[0].instructions[0].ins[0].offset",
                "unknown key `offset` of a imm_value; dropped",
            ),
            (
                WarningKind::UnknownKey,
                "functions[0].blocks[0].instructions[0].ins[0].regref",
                "unknown key `regref` of a imm_value; dropped",
            ),
            (WarningKind::UnknownKey, "functions[0].blocks[0].instructions[0].ins[0].zz", "unknown key `zz`; dropped"),
        ],
    );
}

#[test]
fn ignored_keys_of_older_producers() {
    for opcode in ["Matmult", "MatmultBase", "MatmultSparse"] {
        let info = OPCODES.iter().find(|o| o.name == opcode).unwrap();
        assert_eq!(info.ignored_keys, ["start_tensor_calc", "stop_tensor_calc"]);
    }
    let families = include_str!("../../tests/data/families/matmul.bir.json");
    let text = families.replacen("\"opcode\": \"Matmult\"", "\"opcode\": \"Matmult\", \"stop_tensor_calc\": ¦true", 1);
    let offset = text.find('¦').unwrap();
    let loaded = load(&text.replacen('¦', "", 1)).unwrap();
    let [warning] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    assert_eq!(warning.kind, WarningKind::IgnoredKey);
    assert!(warning.path.starts_with("functions[0].blocks[0].instructions["), "{warning}");
    assert!(warning.path.ends_with("].stop_tensor_calc"), "{warning}");
    assert_eq!(warning.message, "key `stop_tensor_calc` of an older producer; dropped");
    assert_eq!(warning.position.offset as usize, offset);
}

#[test]
fn bare_edges_and_moved_immediates() {
    let part = r#"{"name": "a", "opcode": "NoOp", "loop_carried_dependencies": [¦"b"],
                   "outs": [{"kind": "register_access", "dtype": "int8", "regref": "r"},
                            ¦{"kind": "imm_value", "dtype": "int8", "value": 1}]},
                  {"name": "b", "opcode": "NoOp", "dependencies": [["a", "Flow"], ¦"a"], "indirection_ins": [
                            ¦{"kind": "imm_array", "dtype": "int8", "value_array": [1]}]}"#;
    let instructions = INSTRUCTIONS.path;
    check_warnings(
        &INSTRUCTIONS.text.replacen('@', part, 1),
        &[
            (
                WarningKind::BareDependency,
                &format!("{instructions}[0].loop_carried_dependencies[0]"),
                "the bare name `b` counts as a Flow edge",
            ),
            (
                WarningKind::MovedImmediate,
                &format!("{instructions}[0].outs[1]"),
                "an immediate in `outs` becomes an input",
            ),
            (
                WarningKind::BareDependency,
                &format!("{instructions}[1].dependencies[1]"),
                "the bare name `a` counts as a Flow edge",
            ),
            (
                WarningKind::MovedImmediate,
                &format!("{instructions}[1].indirection_ins[0]"),
                "an immediate in `indirection_ins` becomes an input",
            ),
        ],
    );
}

/// Functions and blocks learn their names late, but their warnings stand where they do.
#[test]
fn renames_in_every_kind_of_container() {
    let marked = r#"{"version": 2, "arch": "gen3", "functions": [
        {"name": "f", "allocations": [], "blocks": []},
        ¦{"allocations": [
            {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [
                {"name": "x", "type": "DRAM", "dims": [8]},
                ¦{"name": "x", "type": "DRAM", "dims": [8], "zz": ¦1}]},
            ¦{"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": []},
            ¦{"Skind": "register", "name": "s"}],
         "blocks": [
            {"name": "b", "instructions": []},
            ¦{"instructions": [{"name": "i", "opcode": "NoOp"}, ¦{"name": "i", "opcode": "NoOp", "zz": ¦1}], "name": "b"}],
         "name": "f"}],
      "nki_functions": {"functions": [
        {"name": "f", "allocations": [], "blocks": []},
        ¦{"name": "f", "allocations": [], "blocks": []}]},
      "queues": [{"name": "q"}, ¦{"name": "q", "blocks": [
        {"name": "b", "instructions": []}, ¦{"name": "b", "instructions": []}]}]}"#;
    let renamed = |name: &str| format!("the name `{name}` is taken; the object is now `{name}_1`");
    use WarningKind::*;
    check_warnings(
        marked,
        &[
            (Renamed, "functions[1]", &renamed("f")),
            (Renamed, "functions[1].allocations[0].memorylocations[1]", &renamed("x")),
            (UnknownKey, "functions[1].allocations[0].memorylocations[1].zz", "unknown key `zz`; dropped"),
            (Renamed, "functions[1].allocations[1]", &renamed("s")),
            (Renamed, "functions[1].allocations[2]", "the name `s` is taken; the object is now `s_2`"),
            (Renamed, "functions[1].blocks[1]", &renamed("b")),
            (Renamed, "functions[1].blocks[1].instructions[1]", &renamed("i")),
            (UnknownKey, "functions[1].blocks[1].instructions[1].zz", "unknown key `zz`; dropped"),
            (Renamed, "nki_functions.functions[1]", &renamed("f")),
            (Renamed, "queues[1]", &renamed("q")),
            (Renamed, "queues[1].blocks[1]", &renamed("b")),
        ],
    );
}

/// Queues and NKI functions are read after the functions wherever they stand, and still the warnings have the order of the
/// text.
#[test]
fn the_order_is_that_of_the_text() {
    use WarningKind::*;
    check_warnings(
        r#"{"queues": [{"name": "q", "a": ¦1}], "nki_functions": {"functions": [
              {"name": "k", "allocations": [], "blocks": [], "b": ¦1}]},
            "functions": [{"blocks": [{"name": "b", "instructions": [], "c": ¦1}], "name": "f", "d": ¦1, "allocations": [
              {"Skind": "register", "name": "r", "e": ¦1}]}],
            "f": ¦1, "version": 2, "arch": "gen3"}"#,
        &[
            (UnknownKey, "queues[0].a", "unknown key `a`; dropped"),
            (UnknownKey, "nki_functions.functions[0].b", "unknown key `b`; dropped"),
            (UnknownKey, "functions[0].blocks[0].c", "unknown key `c`; dropped"),
            (UnknownKey, "functions[0].d", "unknown key `d`; dropped"),
            (UnknownKey, "functions[0].allocations[0].e", "unknown key `e`; dropped"),
            (UnknownKey, "f", "unknown key `f`; dropped"),
        ],
    );
}

/// The first ones in the order of the text are kept, whatever the limit, and all others counted.
#[test]
fn the_limit_keeps_the_first_and_counts_the_rest() {
    let text = r#"{"queues": [{"name": "q", "a": 1}, {"name": "q", "b": 1}], "version": 2, "arch": "gen3", "functions": [
        {"c": 1, "allocations": [], "blocks": [], "name": "f"}, {"d": 1, "name": "f", "allocations": [], "blocks": []}]}"#;
    let paths = ["queues[0].a", "queues[1]", "queues[1].b", "functions[0].c", "functions[1]", "functions[1].d"];
    for limit in 0..=paths.len() + 1 {
        let options = ReadOptions { max_warnings: limit, ..ReadOptions::default() };
        let loaded = read_json(text.as_bytes(), &options).unwrap();
        let found: Vec<&str> = loaded.warnings.iter().map(|w| w.path.as_str()).collect();
        assert_eq!(found, &paths[..limit.min(paths.len())]);
        assert_eq!(loaded.warnings_dropped as usize, paths.len().saturating_sub(limit));
    }
}

/// Both documents of `spec/bir-json.md` section 11 that must load with a warning.
#[test]
fn the_first_example_with_a_name_twice_or_an_unknown_key() {
    let prose = include_str!("../../spec/bir-json.md");
    let example = prose.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let twice = example.replacen("\"name\": \"I-1\"", "\"name\": \"I-0\"", 1).replacen(
        "[\"I-1\", \"Flow\"]",
        "[\"I-0\", \"Flow\"]",
        1,
    );
    let loaded = load(&twice).unwrap();
    let [warning] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    assert_eq!(warning.path, "functions[0].blocks[0].instructions[1]");
    assert_eq!(warning.message, "the name `I-0` is taken; the object is now `I-0_1`");
    let function = loaded.module.find_function("sg0000").unwrap();
    let waits = function.find_instruction("I-2").unwrap();
    let targets: Vec<String> =
        waits.dependencies(bir_core::ir::EdgeSet::Normal).map(|e| e.target.name().to_string()).collect();
    assert_eq!(targets, ["I-0"]);
    let unknown = example.replacen("\"arch\"", "\"arch_of_tomorrow\": {}, \"arch\"", 1);
    let loaded = load(&unknown).unwrap();
    let [warning] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    assert_eq!((warning.kind, warning.path.as_str()), (WarningKind::UnknownKey, "arch_of_tomorrow"));
}
