//! The rest of what reading must refuse: the edits of the example of `spec/bir-json.md` section 11, keys that stand twice,
//! and the rows of the error table that the objects themselves refuse.

mod doc_support;

use bir_core::ErrorCode::*;
use bir_core::enums::bir::{Dtype, EdgeKind, InstructionType, MemoryType, TensorKind};
use bir_core::ir::{EdgeSet, Module, Place};
use doc_support::*;

const NONE: &str = "none of that name";
const AN_INSTRUCTION: &str = "the name of an instruction";

#[test]
#[rustfmt::skip]
fn keys_that_stand_twice() {
    const TWICE: &str = "the key stands twice in one object";
    check(
        &INSTRUCTIONS,
        &[
            (r#"{"name": "i", "opcode": "NoOp", "ins": [], "ins": ¦[]}"#, Conflict, "[0].ins", TWICE, "", ""),
            (r#"{"name": "i", "opcode": "DMACopy", "mode": "Copy", "mode": ¦"Copy"}"#,
                Conflict, "[0].mode", TWICE, "", ""),
            (r#"{"name": "i", "opcode": "NoOp", "ins": [{"kind": "imm_value", "value": 1, "value": ¦2, "dtype": "int8"}]}"#,
                Conflict, "[0].ins[0].value", TWICE, "", ""),
        ],
    );
    check(&MODULE, &[(r#""functions": ¦[]"#, Conflict, "functions", TWICE, "", "")]);
    check(
        &FUNCTION,
        &[(r#"{"name": "f", "allocations": [], "blocks": [], "blocks": ¦[]}"#, Conflict, ".blocks", TWICE, "", "")],
    );
}

/// Each document is one edit away from the example of `spec/bir-json.md` section 11.1.
#[test]
fn one_edit_of_the_first_example() {
    let prose = include_str!("../../spec/bir-json.md");
    let example = prose.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    load(example).unwrap();
    let instruction = |rest: &str| format!("functions[0].blocks[0].instructions{rest}");
    // What is replaced, by what (with the mark), and code, path, expected, found.
    let edits = [
        // The root object is what lacks a key.
        (",\n \"version\": 2}", "}", MissingKey, String::new(), "`version`", ""),
        (
            r#""dependencies": [["I-0", "Flow"], ["I-1", "Flow"]]"#,
            r#""dependencies": ¦{}"#,
            WrongType,
            instruction("[2].dependencies"),
            "a JSON array of edges",
            "an object",
        ),
        (
            r#"["I-1", "Flow"]"#,
            r#"¦["I-9", "Flow"]"#,
            UnresolvedRef,
            instruction("[2].dependencies[1]"),
            AN_INSTRUCTION,
            NONE,
        ),
        (
            r#""queue": "q_out""#,
            r#""queue": ¦"q_none""#,
            UnresolvedRef,
            instruction("[3].queue"),
            "the name of a queue of the module",
            NONE,
        ),
        (
            r#""kind": "physical_ap""#,
            r#""kind": ¦"ap""#,
            Unsupported,
            instruction("[0].ins[0].kind"),
            "physical_ap, symbolic_ap, symbolic_pwap, register_ap, imm_value, imm_array, symbolic_imm_value or register_access",
            "`ap`",
        ),
        (
            r#""memref": "wt""#,
            r#""memref": ¦"zz""#,
            UnresolvedRef,
            instruction("[1].outs[0].memref"),
            "the name of a location",
            NONE,
        ),
    ];
    for (from, to, code, path, expected, found) in edits {
        assert!(example.contains(from), "{from}");
        let marked = example.replacen(from, to, 1);
        let offset = marked.find('¦').unwrap_or(0);
        let error = load(&marked.replacen('¦', "", 1)).expect_err(to);
        let place = error.position.unwrap();
        assert_eq!(
            (error.code, error.path.as_str(), error.expected.as_str(), error.found.as_str(), place.offset as usize),
            (code, path.as_str(), expected, found, offset),
            "{error}"
        );
        assert_eq!((place.line, place.column), line_and_column(&marked, offset), "{error}");
    }
    let version_3 = example.replacen("\"version\": 2", "\"version\": 3", 1);
    load(&version_3).unwrap();
    let affine = version_3.replacen(r#""mode": "Copy""#, r#""order": [¦{"c": 0}], "mode": "Copy""#, 1);
    let offset = affine.find('¦').unwrap();
    let error = load(&affine.replacen('¦', "", 1)).unwrap_err();
    assert_eq!((error.code, error.path), (BadValue, instruction("[0].order[0]")));
    assert_eq!(error.position.unwrap().offset as usize, offset);
}

/// The rows of the table that writing and changing share with reading: the objects themselves refuse, so a document with
/// them cannot come about.
#[test]
fn the_objects_refuse_what_documents_may_not_have() {
    let module = Module::new().unwrap();
    let function = module.add_function("f", Place::End).unwrap().object;
    let set = function.add_set("s", TensorKind::Internal, Dtype::int8, Place::End).unwrap().object;
    let at = |name, memory| set.add_location(name, memory, Place::End).unwrap().object;
    let (dram, psum) = (at("d", MemoryType::DRAM), at("p", MemoryType::PSUM));
    // A pack hint and another memory than PSUM, in either order.
    assert_eq!(dram.set_pack_id_hint(1).unwrap_err().code, BadValue);
    psum.set_pack_id_hint(1).unwrap();
    let error = psum.set_memory_type(MemoryType::SB).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (BadValue, "location `p` has a pack_id_hint, which only applies to PSUM")
    );
    assert!(written(&module).contains("\"pack_id_hint\": 1"));
    // An alias outside DRAM, in either order.
    assert_eq!(dram.add_alias(psum, 1).unwrap_err().code, BadValue);
    let other = at("e", MemoryType::DRAM);
    dram.add_alias(other, 1).unwrap();
    assert_eq!(other.set_memory_type(MemoryType::SB).unwrap_err().code, BadValue);
    // A self edge.
    let block = function.add_block("b", Place::End).unwrap().object;
    let i = block.add_instruction(InstructionType::NoOp, "i", Place::End).unwrap().object;
    for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
        let error = i.add_dependency(i, EdgeKind::Flow, set).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (BadValue, "instruction `i` cannot depend on itself"));
    }
    // An edge kind above 7.
    let error = EdgeKind::from_ordinal(8).unwrap_err();
    assert_eq!((error.code, error.found.as_str()), (UnknownEnum, "8"));
    // A function outside a module has no way to ids.
    function.unlink().unwrap();
    let error = block.add_instruction(InstructionType::NoOp, "j", Place::End).unwrap_err();
    assert!(error.code == Detached && error.message.contains("outside a module"), "{error}");
}
