//! What reading must refuse beyond wrong types and missing keys, after the error table (`spec/bir-json.md` section 9), each
//! condition with the smallest document that has it: edges, branches, queues, calls,
//! block arguments.

mod doc_support;

use bir_core::ErrorCode::*;
use doc_support::*;

const NONE: &str = "none of that name";
const AN_INSTRUCTION: &str = "the name of an instruction";

#[test]
#[rustfmt::skip]
fn dependencies() {
    check(
        &NOOP,
        &[
            (r#""dependencies": ¦{}"#, WrongType, ".dependencies", "", "a JSON array of edges", "an object"),
            (r#""dependencies": ¦"i""#, WrongType, ".dependencies", "", "a JSON array of edges", "a string"),
            (r#""loop_carried_dependencies": ¦{}"#,
                WrongType, ".loop_carried_dependencies", "", "a JSON array of edges", "an object"),
            (r#""loop_carried_dependencies": ¦7"#,
                WrongType, ".loop_carried_dependencies", "", "a JSON array of edges", "a number"),
            (r#""unroll_dependencies": ¦{}"#, WrongType, ".unroll_dependencies", "", "an array", "an object"),
            // Unknown names, found in the second pass or when the function ends.
            (r#""dependencies": [¦["k", "Flow"]]"#,
                UnresolvedRef, ".dependencies[0]", "unknown dependency `k`", AN_INSTRUCTION, NONE),
            (r#""dependencies": [¦"k"]"#,
                UnresolvedRef, ".dependencies[0]", "unknown dependency `k`", AN_INSTRUCTION, NONE),
            (r#""dependencies": [¦{"id": "k", "kind": "Anti"}]"#,
                UnresolvedRef, ".dependencies[0]", "unknown dependency `k`", AN_INSTRUCTION, NONE),
            (r#""loop_carried_dependencies": [¦["k", 1]]"#,
                UnresolvedRef, ".loop_carried_dependencies[0]", "unknown loop-carried dependency `k`", AN_INSTRUCTION, NONE),
            (r#""unroll_dependencies": [¦["k"]]"#,
                UnresolvedRef, ".unroll_dependencies[0]", "unknown dependency `k`", AN_INSTRUCTION, NONE),
            // Self edges.
            (r#""dependencies": [¦["i"]]"#,
                BadValue, ".dependencies[0]", "instruction `i` cannot depend on itself", "", ""),
            (r#""loop_carried_dependencies": [¦["i"]]"#,
                BadValue, ".loop_carried_dependencies[0]", "instruction `i` cannot depend on itself", "", ""),
            // An edge kind above 7, a number below without a member, an unknown name.
            (r#""dependencies": [["k", ¦8]]"#,
                BadValue, ".dependencies[0][1]", "an edge kind fits three bits", "0 to 7", "8"),
            (r#""dependencies": [["k", ¦-1]]"#,
                BadValue, ".dependencies[0][1]", "an edge kind fits three bits", "0 to 7", "-1"),
            (r#""dependencies": [["k", ¦5]]"#,
                UnknownEnum, ".dependencies[0][1]", "Unknown EdgeKind", "an ordinal of EdgeKind, 0..=4", "5"),
            (r#""dependencies": [{"id": "k", "kind": ¦9}]"#,
                BadValue, ".dependencies[0].kind", "an edge kind fits three bits", "0 to 7", "9"),
            (r#""loop_carried_dependencies": [["k", ¦"Flaw"]]"#,
                UnknownEnum, ".loop_carried_dependencies[0][1]", "Unknown EdgeKind string: Flaw", "a member of EdgeKind, did you mean `Flow`? (Invalid, Ordered, Anti, Output, Flow)", "`Flaw`"),
            (r#""unroll_dependencies": [["k", ¦8]]"#,
                BadValue, ".unroll_dependencies[0][1]", "an edge kind fits three bits", "0 to 7", "8"),
        ],
    );
    check(
        &INSTRUCTIONS,
        &[
            // The third of three, in the second instruction.
            (r#"{"name": "a", "opcode": "NoOp"},
                {"name": "b", "opcode": "NoOp", "dependencies": ["a", ["c", "Anti"], ¦["d", "Flow"]]}, {"name": "c", "opcode": "NoOp"}"#, UnresolvedRef, "[1].dependencies[2]", "unknown dependency `d`", AN_INSTRUCTION, NONE),
        ],
    );
}

#[test]
#[rustfmt::skip]
fn branch_targets() {
    check(
        &INSTRUCTIONS,
        &[
            (r#"{"name": "i", "opcode": "CompareAndBranch", "comp_op": "IS_LTREG", "on_true": "b", "on_false": ¦"c"}"#,
                UnresolvedRef, "[0].on_false", "there is no block `c`", "the name of a block", NONE),
            (r#"{"name": "i", "opcode": "CompareAndBranch", "comp_op": "IS_LTREG", "on_true": ¦"c", "on_false": "b"}"#,
                UnresolvedRef, "[0].on_true", "there is no block `c`", "the name of a block", NONE),
            (r#"{"name": "i", "opcode": "UnconditionalBranch", "target": ¦"c"}"#,
                UnresolvedRef, "[0].target", "there is no block `c`", "the name of a block", NONE),
            (r#"{"name": "i", "opcode": "Call", "target": ¦"c"}"#,
                UnresolvedRef, "[0].target", "there is no function `c`", "the name of a function", NONE),
        ],
    );
}

#[test]
#[rustfmt::skip]
fn queues_and_triggers() {
    const TRIGGER: Frame = Frame {
        text: r#"{"version": 2, "arch": "gen3",
            "queues": [{"name": "q", "blocks": [{"name": "qb", "instructions": [
                {"name": "d", "opcode": "DMABlock", "blocks": []}]}]}],
            "functions": [{"name": "f", "allocations": [], "blocks": [{"name": "b", "instructions": [@]}]}]}"#,
        path: "functions[0].blocks[0].instructions[0]",
    };
    check(
        &TRIGGER,
        &[
            (r#"{"name": "i", "opcode": "DMACopy", "mode": "Copy", "queue": ¦"p"}"#,
                UnresolvedRef, ".queue", "queue `p` does not exist", "the name of a queue of the module", NONE),
            (r#"¦{"name": "i", "opcode": "DMATrigger", "dma_blocks": ["d"]}"#, MissingKey, "", "", "`queue`", ""),
            (r#"¦{"name": "i", "opcode": "DMATrigger", "dma_blocks": ["d"], "queue": null}"#,
                MissingKey, "", "", "`queue`", ""),
            (r#"¦{"name": "i", "opcode": "DMATrigger", "queue": "q", "dma_blocks": []}"#,
                MissingKey, "", "a DMATrigger must have queue and block set", "a name in `dma_blocks`", ""),
            (r#"¦{"name": "i", "opcode": "DMATrigger", "queue": "q"}"#, MissingKey, "", "", "`dma_blocks`", ""),
            (r#"{"name": "i", "opcode": "DMATrigger", "queue": "q", "dma_blocks": ["d", ¦"e"]}"#,
                UnresolvedRef, ".dma_blocks[1]", "DMA block `e` does not exist in queue `q`", "the name of a DMABlock", NONE),
            (r#"{"name": "i", "opcode": "DMATrigger", "queue": ¦"p", "dma_blocks": ["d"]}"#,
                UnresolvedRef, ".queue", "queue `p` does not exist", "the name of a queue of the module", NONE),
            (r#"{"name": "i", "opcode": "NoOp", "sync_info": {"on_wait": [{"id": 1, "from": ¦"k"}]}}"#,
                UnresolvedRef, ".sync_info.on_wait[0].from", "unknown producer `k`", AN_INSTRUCTION, NONE),
            (r#"{"name": "i", "opcode": "NoOp", "sync_info": {"on_wait": [{"id": 1, "from": "d"}, {"id": 2, "from": ¦"k"}]}}"#,
                UnresolvedRef, ".sync_info.on_wait[1].from", "unknown producer `k`", AN_INSTRUCTION, NONE),
            (r#"{"name": "i", "opcode": "SwitchQueueInstance", "queue": "q", "instance_name": ¦"k"}"#,
                UnresolvedRef, ".instance_name", "there is no block `k` in the queue of the instruction", "the name of a block", NONE),
        ],
    );
    check(
        &QUEUE,
        &[
            (r#"{"name": "q", "blocks": [{"name": "b", "instructions": [
                    {"name": "i", "opcode": "DMABlock", "blocks": [], "dma_trigger": ¦"t"}]}]}"#,
                UnresolvedRef, ".blocks[0].instructions[0].dma_trigger", "there is no DMATrigger `t`", "the name of a DMATrigger", NONE),
            // Nested, in a queue: the path of the second pass goes all the way.
            (r#"{"name": "q", "blocks": [{"name": "b", "instructions": [
                    {"name": "d", "opcode": "DMABlock", "blocks": []},
                {"name": "i", "opcode": "DMABlock", "blocks": [{"name": "in", "instructions": [ {"name": "k", "opcode": "NoOp", "dependencies": ["d", ¦"none"]}]}]}]}]}"#, UnresolvedRef, ".blocks[0].instructions[1].blocks[0].instructions[0].dependencies[1]", "unknown dependency `none`", AN_INSTRUCTION, NONE),
            (r#"{"name": "q", "blocks": [{"name": "b", "instructions": [], "arguments": [¦{"name": "a"}]}]}"#,
                Unsupported, ".blocks[0].arguments[0]", "a block of a queue has no arguments", "", ""),
            (r#"{"name": "q", "blocks": [{"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "ins": [
                    ¦{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x"}]}]}]}"#,
                MissingKey, ".blocks[0].instructions[0].ins[0]", "an operand in a queue says whose location it means", "`memref_owner_func`", ""),
            (r#"{"name": "q", "blocks": [{"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "ins": [
                    {"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memref_owner_func": ¦"g"}]}]}]}"#,
                UnresolvedRef, ".blocks[0].instructions[0].ins[0].memref_owner_func", "there is no function `g`", "the name of a function", NONE),
        ],
    );
}

#[test]
#[rustfmt::skip]
fn nki_functions_and_call_bindings() {
    check(
        &MODULE,
        &[
            (r#""nki_functions": {"kernels": ¦[]}"#,
                BadValue, "nki_functions.kernels", "nki_functions has exactly one key", "`functions`", "`kernels`"),
            (r#""nki_functions": {"functions": [], "a b": ¦1}"#,
                BadValue, "nki_functions[\"a b\"]", "nki_functions has exactly one key", "`functions`", "`a b`"),
            (r#""nki_functions": {"functions": [{"name": "k", "allocations": [], "blocks": [{"name": "b", "instructions": [
                    {"name": "i", "opcode": "NoOp", "dependencies": [¦"j"]}]}]}]}"#,
                UnresolvedRef, "nki_functions.functions[0].blocks[0].instructions[0].dependencies[0]", "unknown dependency `j`", AN_INSTRUCTION, NONE),
            (r#""call_to_physical_memlocs": {"c": ¦[]}"#,
                UnresolvedRef, "call_to_physical_memlocs.c", "there is no call `c` in the main function", "the name of a Call", NONE),
        ],
    );
    const CALLS: Frame = Frame {
        text: r#"{"version": 2, "arch": "gen3", "functions": [
            {"name": "g", "blocks": [], "allocations": [{"name": "s", "kind": "Internal", "dtype": "int8",
                "memorylocations": [{"name": "x", "type": "DRAM", "dims": [8]}]}]},
            {"name": "main", "allocations": [], "blocks": [{"name": "b", "instructions": [
                {"name": "a call", "opcode": "Call", "target": "g"}, {"name": "n", "opcode": "NoOp"}]}]}],
            "call_to_physical_memlocs": {@}}"#,
        path: "call_to_physical_memlocs",
    };
    check(
        &CALLS,
        &[
            (r#""a call": ["x", ¦"y"]"#,
                UnresolvedRef, "[\"a call\"][1]", "`y` is no location of the called function `g`", "the name of a location", NONE),
            (r#""n": ¦["x"]"#, WrongKind, ".n", "`n` is no Call", "Call", "NoOp"),
            (r#""b": ¦["x"]"#,
                UnresolvedRef, ".b", "there is no call `b` in the main function", "the name of a Call", NONE),
            (r#""a call": ["x", ¦7]"#, WrongType, "[\"a call\"][1]", "", "a string", "a number"),
            (r#""a call": ¦{}"#, WrongType, "[\"a call\"]", "", "an array", "an object"),
        ],
    );
}

#[test]
#[rustfmt::skip]
fn block_arguments() {
    check(
        &IN_BLOCK,
        &[
            (r#""arguments": [{"memref": ¦"y"}]"#,
                UnresolvedRef, ".arguments[0].memref", "there is no location `y`", "the name of a location", NONE),
            (r#""arguments": [{"memsetref": ¦"x"}]"#,
                UnresolvedRef, ".arguments[0].memsetref", "there is no set `x`", "the name of a set", NONE),
            (r#""arguments": [{"regref": ¦"s"}]"#,
                UnresolvedRef, ".arguments[0].regref", "there is no register `s`", "the name of a register", NONE),
            (r#""arguments": [{"location": ¦"y"}]"#,
                UnresolvedRef, ".arguments[0].location", "there is no storage `y`", "the name of a storage", NONE),
            (r#""arguments": [{"memref": "x", "memsetref": ¦"s"}]"#,
                Conflict, ".arguments[0].memsetref", "a block argument is bound to one storage", "", ""),
            (r#""arguments": [{"name": "a"}, {"incoming_values": [["x", "b"], ¦["y", "b"]]}]"#,
                UnresolvedRef, ".arguments[1].incoming_values[1]", "there is no storage `y`", "the name of a storage", NONE),
            (r#""arguments": [{"incoming_values": [¦["x", "c"]]}]"#,
                UnresolvedRef, ".arguments[0].incoming_values[0]", "there is no block `c`", "the name of a block", NONE),
            (r#""arguments": [{"incoming_values": [¦["x"]]}]"#,
                WrongType, ".arguments[0].incoming_values[0]", "", "[storage name, block name]", "1 names"),
        ],
    );
}

/// In the wrapper of a round-trip tool the path starts there, also in the second pass.
#[test]
#[rustfmt::skip]
fn wrapped_modules() {
    const WRAPPER: Frame = Frame {
        text: r#"{"module": {"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [], "blocks": [
            {"name": "b", "instructions": [{"name": "i", "opcode": "NoOp"@}]}]}]}}"#,
        path: "module.functions[0].blocks[0].instructions[0]",
    };
    check(
        &WRAPPER,
        &[
            (r#", "engine_id": ¦-1"#, BadValue, ".engine_id", "the number is out of range", "0 to 4294967295", "-1"),
            (r#", "dependencies": [¦"k"]"#,
                UnresolvedRef, ".dependencies[0]", "unknown dependency `k`", AN_INSTRUCTION, NONE),
        ],
    );
    const CALLS: Frame = Frame {
        text: r#"{"module": {"version": 2, "arch": "gen3", "functions": [], "call_to_physical_memlocs": {@}}}"#,
        path: "module.call_to_physical_memlocs",
    };
    check(
        &CALLS,
        &[(r#""c": ¦[]"#,
            UnresolvedRef, ".c", "there is no call `c` in the main function", "the name of a Call", NONE)],
    );
    check(
        &DOCUMENT,
        &[
            (r#"¦{"module": null}"#, MissingKey, "", "", "`module`", ""),
            (r#"{"module": ¦{}}"#, MissingKey, "module", "", "`version`", ""),
            (r#"{"module": ¦[]}"#, WrongType, "module", "", "an object", "an array"),
        ],
    );
}

/// `main` comes first among its like, but the path counts as the document does.
#[test]
#[rustfmt::skip]
fn late_errors_count_in_the_order_of_the_document() {
    check(
        &DOCUMENT,
        &[(r#"{"version": 2, "arch": "gen3", "functions": [
                    {"name": "f", "allocations": [], "blocks": []},
            {"name": "main", "allocations": [], "blocks": [{"name": "a", "instructions": []}, {"name": "main", "instructions": [{"name": "i", "opcode": "NoOp", "dependencies": [¦"k"]}]}]}]}"#, UnresolvedRef, "functions[1].blocks[1].instructions[0].dependencies[0]", "unknown dependency `k`", AN_INSTRUCTION, NONE)],
    );
}
