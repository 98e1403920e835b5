//! Values of the wrong JSON type, at every key of every kind of object (`spec/bir-json.md` sections 3 to 8).

mod doc_support;

use bir_core::ErrorCode::WrongType;
use bir_core::op::{Field, OPCODES, OlderText, Slot};
use doc_support::*;

/// A value of each type but null, which is an absent key; the letter that stands for the type; the type in words.
const VALUES: [(&str, char, &str); 5] = [
    ("true", 'b', "a boolean"),
    ("7", 'n', "a number"),
    (r#""x""#, 's', "a string"),
    ("[]", 'a', "an array"),
    ("{}", 'o', "an object"),
];

/// A part of a document with `$` for the value, its path, the letters of the types that the value may have, and what the
/// error of all others expects.
type Key = (&'static str, &'static str, &'static str, &'static str);

/// Puts every value of another type into each place.
#[track_caller]
fn check_types(frame: &Frame, keys: &[Key]) {
    let mut wrong = Vec::new();
    for &(part, path, types, expected) in keys {
        let fraction = ("1.5", 'n', "1.5");
        let whole = expected == "an integer";
        let values = VALUES.iter().filter(|v| !types.contains(v.1)).chain(whole.then_some(&fraction));
        let mut count = 0;
        for (value, _, found) in values {
            count += 1;
            let (text, path, offset) = frame.fill(&part.replacen('$', &format!("¦{value}"), 1), path);
            let offset = offset.unwrap_or_else(|| panic!("no `$`: {part}"));
            let ours = format!("{WrongType:?} at {path}, byte {offset}: expected {expected}, found {found}");
            let theirs = match load(&text) {
                Ok(_) => "was read".into(),
                Err(e) => format!(
                    "{:?} at {}, byte {}: expected {}, found {}",
                    e.code,
                    e.path,
                    e.position.map_or(0, |p| p.offset),
                    e.expected,
                    e.found
                ),
            };
            if ours != theirs {
                wrong.push(format!("{part} with {value}\n  must be {ours}\n  but is  {theirs}"));
            }
        }
        assert!(count > 0, "{part} takes everything");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ROOT: Frame = Frame { text: "{@}", path: "" };

#[test]
#[rustfmt::skip]
fn of_the_module() {
    check_types(&DOCUMENT, &[("$", "", "o", "an object")]);
    check_types(&ROOT, &[
        (r#""version": $"#, "version", "n", "an integer"),
        (r#""arch": $"#, "arch", "s", "a name of ArchLevel"),
        (r#""revision": $"#, "revision", "s", "a name of ArchRevision"),
        (r#""functions": $"#, "functions", "a", "an array"),
        (r#""functions": [$]"#, "functions[0]", "o", "an object"),
        (r#""artifact_path": $"#, "artifact_path", "s", "a string"),
        (r#""artifact_info": $"#, "artifact_info", "o", "an object"),
        (r#""attributes": $"#, "attributes", "o", "an object"),
        (r#""attributes": {"neuron_core_id": $}"#, "attributes.neuron_core_id", "bns", "a boolean, an integer or a string"),
        (r#""attributes": {"replica_groups": $}"#, "attributes.replica_groups", "a", "an array"),
        (r#""attributes": {"src_target_pairs": $}"#, "attributes.src_target_pairs", "a", "an array"),
    ]);
    check_types(&MODULE, &[
        (r#""nki_functions": $"#, "nki_functions", "o", "an object"),
        (r#""nki_functions": {"functions": $}"#, "nki_functions.functions", "a", "an array"),
        (r#""queues": $"#, "queues", "a", "an array"),
        (r#""queues": [$]"#, "queues[0]", "o", "an object"),
        (r#""call_to_physical_memlocs": $"#, "call_to_physical_memlocs", "o", "an object"),
        (r#""call_to_physical_memlocs": {"c": $}"#, "call_to_physical_memlocs.c", "a", "an array"),
        (r#""call_to_physical_memlocs": {"c": [$]}"#, "call_to_physical_memlocs.c[0]", "s", "a string"),
    ]);
}

#[test]
#[rustfmt::skip]
fn of_functions_blocks_and_queues() {
    check_types(&FUNCTION, &[
        (r#"{"name": $}"#, ".name", "s", "a string"),
        (r#"{"origin": $}"#, ".origin", "s", "a name of NamedObjectOrigin"),
        (r#"{"attributes": $}"#, ".attributes", "ao", "an array of names"),
        (r#"{"attributes": [$]}"#, ".attributes[0]", "s", "a string"),
        (r#"{"attributes": {"need_dce": $}}"#, ".attributes.need_dce", "bn", "a boolean"),
        (r#"{"allocations": $}"#, ".allocations", "a", "an array"),
        (r#"{"allocations": [$]}"#, ".allocations[0]", "o", "an object"),
        (r#"{"name": "f", "allocations": [], "blocks": $}"#, ".blocks", "a", "an array"),
        // Blocks that come first wait for the allocations.
        (r#"{"blocks": $, "name": "f", "allocations": []}"#, ".blocks", "a", "an array"),
        (r#"{"name": "f", "allocations": [], "blocks": [$]}"#, ".blocks[0]", "o", "an object"),
    ]);
    check_types(&BLOCK, &[
        (r#"{"name": $}"#, ".name", "s", "a string"),
        (r#"{"origin": $}"#, ".origin", "s", "a name of NamedObjectOrigin"),
        (r#"{"instructions": $}"#, ".instructions", "a", "an array"),
        (r#"{"instructions": [$]}"#, ".instructions[0]", "o", "an object"),
        (r#"{"arguments": $}"#, ".arguments", "a", "an array"),
        (r#"{"arguments": [$]}"#, ".arguments[0]", "o", "an object"),
        (r#"{"arguments": [{"name": $}]}"#, ".arguments[0].name", "s", "a string"),
        (r#"{"arguments": [{"location": $}]}"#, ".arguments[0].location", "s", "a string"),
        (r#"{"arguments": [{"memref": $}]}"#, ".arguments[0].memref", "s", "a string"),
        (r#"{"arguments": [{"memsetref": $}]}"#, ".arguments[0].memsetref", "s", "a string"),
        (r#"{"arguments": [{"regref": $}]}"#, ".arguments[0].regref", "s", "a string"),
        (r#"{"arguments": [{"incoming_values": $}]}"#, ".arguments[0].incoming_values", "a", "an array"),
        (r#"{"arguments": [{"incoming_values": [$]}]}"#, ".arguments[0].incoming_values[0]", "a", "an array"),
        (r#"{"arguments": [{"incoming_values": [["x", $]]}]}"#, ".arguments[0].incoming_values[0][1]", "s", "a string"),
    ]);
    check_types(&QUEUE, &[
        (r#"{"name": $}"#, ".name", "s", "a string"),
        (r#"{"name": "q", "origin": $}"#, ".origin", "s", "a name of NamedObjectOrigin"),
        (r#"{"name": "q", "type": $}"#, ".type", "s", "a name of DMAQueueType"),
        (r#"{"name": "q", "engine": $}"#, ".engine", "s", "a name of EngineType"),
        (r#"{"name": "q", "engine_id": $}"#, ".engine_id", "n", "an integer"),
        (r#"{"name": "q", "num_dma_engines": $}"#, ".num_dma_engines", "n", "an integer"),
        (r#"{"name": "q", "attributes": $}"#, ".attributes", "o", "an object"),
        (r#"{"name": "q", "blocks": $}"#, ".blocks", "a", "an array"),
        (r#"{"name": "q", "blocks": [$]}"#, ".blocks[0]", "o", "an object"),
    ]);
}

#[test]
#[rustfmt::skip]
fn of_storage() {
    check_types(&ALLOCATIONS, &[
        (r#"{"Skind": $}"#, "[0].Skind", "s", "a string"),
        (r#"{"name": $, "memorylocations": []}"#, "[0].name", "s", "a string"),
        (r#"{"name": "s", "kind": $, "memorylocations": []}"#, "[0].kind", "s", "a name of TensorKind"),
        (r#"{"name": "s", "kind": "Const", "dtype": $, "memorylocations": []}"#, "[0].dtype", "s", "a name of Dtype"),
        (r#"{"name": "s", "kind": "Const", "dtype": "int8", "memorylocations": $}"#,
            "[0].memorylocations", "a", "an array"),
        (r#"{"name": "s", "kind": "Const", "dtype": "int8", "memorylocations": [$]}"#,
            "[0].memorylocations[0]", "o", "an object"),
        (r#"{"Skind": "register", "name": $}"#, "[0].name", "s", "a string"),
        (r#"{"Skind": "register", "name": "r", "origin": $}"#, "[0].origin", "s", "a name of NamedObjectOrigin"),
        (r#"{"Skind": "register", "name": "r", "dtype": $}"#, "[0].dtype", "s", "a name of Dtype"),
        (r#"{"Skind": "register", "name": "r", "num_physical_regs": $}"#, "[0].num_physical_regs", "n", "an integer"),
    ]);
    check_types(&SET, &[
        (r#""origin": $"#, ".origin", "s", "a name of NamedObjectOrigin"),
        (r#""tensor_shape": $"#, ".tensor_shape", "a", "an array"),
        (r#""tensor_shape": [4, $]"#, ".tensor_shape[1]", "n", "an integer"),
        (r#""partition_dim": $"#, ".partition_dim", "n", "an integer"),
        (r#""tensor_class": $"#, ".tensor_class", "s", "a name of TensorClass"),
        (r#""addr_space": $"#, ".addr_space", "s", "a name of MemoryAddressSpace"),
        (r#""tensorId2MemLocSize": $"#, ".tensorId2MemLocSize", "n", "an integer"),
        (r#""file": $"#, ".file", "s", "a string"),
        (r#""no_spill": $"#, ".no_spill", "bn", "a boolean"),
        (r#""do_not_spill": $"#, ".do_not_spill", "bn", "a boolean"),
        (r#""do_not_rotate": $"#, ".do_not_rotate", "bn", "a boolean"),
        (r#""virtual": $"#, ".virtual", "bn", "a boolean"),
        (r#""volatile": $"#, ".volatile", "bn", "a boolean"),
        (r#""debug": $"#, ".debug", "o", "an object"),
    ]);
    check_types(&LOCATIONS, &[
        (r#"{"name": $}"#, "[0].name", "s", "a string"),
        (r#"{"name": "x", "type": $}"#, "[0].type", "sn", "a name of MemoryType"),
        (r#"{"name": "x", "type": "SB", "dims": $}"#, "[0].dims", "a", "an array"),
        (r#"{"name": "x", "type": "SB", "dims": [$]}"#, "[0].dims[0]", "n", "an integer"),
    ]);
    check_types(&LOCATION, &[
        (r#""Skind": $"#, ".Skind", "s", "a string"),
        (r#""origin": $"#, ".origin", "s", "a name of NamedObjectOrigin"),
        (r#""optin_passes": $"#, ".optin_passes", "a", "an array"),
        (r#""optin_passes": [$]"#, ".optin_passes[0]", "s", "a string"),
        (r#""addr": $"#, ".addr", "n", "an integer"),
        (r#""base": $"#, ".base", "n", "an integer"),
        (r#""bank": $"#, ".bank", "n", "an integer"),
        (r#""allocated": $"#, ".allocated", "bn", "a boolean"),
        (r#""user_allocated": $"#, ".user_allocated", "bn", "a boolean"),
        (r#""pinned": $"#, ".pinned", "bn", "a boolean"),
        (r#""tensor_id": $"#, ".tensor_id", "n", "an integer"),
        (r#""var_id": $"#, ".var_id", "n", "an integer"),
        (r#""table_entry_id": $"#, ".table_entry_id", "n", "an integer"),
        (r#""memLocSetId": $"#, ".memLocSetId", "n", "an integer"),
        (r#""pack_id_hint": $"#, ".pack_id_hint", "n", "an integer"),
        (r#""pointer_ref_memloc": $"#, ".pointer_ref_memloc", "s", "a string"),
        (r#""alias": $"#, ".alias", "a", "an array of aliases"),
        (r#""alias": [$]"#, ".alias[0]", "a", "an array"),
        (r#""alias": [["x", $]]"#, ".alias[0][1]", "bns", "a number"),
        (r#""alloced_func": $"#, ".alloced_func", "s", "a string"),
        (r#""remote_writer_func": $"#, ".remote_writer_func", "s", "a string"),
        (r#""remote_local_target": $"#, ".remote_local_target", "a", "an array"),
        (r#""remote_local_target": [$, 1]"#, ".remote_local_target[0]", "s", "a string"),
        (r#""remote_local_target": ["x", $]"#, ".remote_local_target[1]", "n", "an integer"),
        (r#""location_alt": $"#, ".location_alt", "bn", "a boolean"),
        (r#""written_by_another_core": $"#, ".written_by_another_core", "bn", "a boolean"),
        (r#""is_shared_post_dram_alloc": $"#, ".is_shared_post_dram_alloc", "bn", "a boolean"),
        (r#""runtime_reserved": $"#, ".runtime_reserved", "bn", "a boolean"),
        (r#""device_print_metadata": $"#, ".device_print_metadata", "o", "an object"),
    ]);
}

#[test]
#[rustfmt::skip]
fn of_instruction_headers() {
    check_types(&INSTRUCTIONS, &[
        (r#"{"opcode": "NoOp", "name": $}"#, "[0].name", "s", "a string"),
        (r#"{"name": "i", "opcode": $}"#, "[0].opcode", "ns", "a string"),
        (r#"{"name": "i", "opcode": "DMATrigger", "dma_trigger_debug_update_semaphore_id": $}"#,
            "[0].dma_trigger_debug_update_semaphore_id", "n", "an integer"),
    ]);
    check_types(&NOOP, &[
        (r#""origin": $"#, ".origin", "s", "a name of NamedObjectOrigin"),
        (r#""engine": $"#, ".engine", "s", "a name of EngineType"),
        (r#""engine_id": $"#, ".engine_id", "n", "an integer"),
        (r#""scheduled_start": $"#, ".scheduled_start", "n", "an integer"),
        (r#""scheduled_end": $"#, ".scheduled_end", "n", "an integer"),
        (r#""optin_passes": $"#, ".optin_passes", "a", "an array"),
        (r#""optin_passes": [$]"#, ".optin_passes[0]", "s", "a string"),
        (r#""dependencies": $"#, ".dependencies", "a", "a JSON array of edges"),
        (r#""dependencies": [$]"#, ".dependencies[0]", "sao", "an edge: [name, kind] or a name"),
        (r#""dependencies": [[$]]"#, ".dependencies[0][0]", "s", "a string"),
        (r#""dependencies": [["k", $]]"#, ".dependencies[0][1]", "ns", "a name of EdgeKind"),
        (r#""dependencies": [{"id": $}]"#, ".dependencies[0].id", "s", "a string"),
        (r#""dependencies": [{"id": "k", "kind": $}]"#, ".dependencies[0].kind", "ns", "a name of EdgeKind"),
        (r#""loop_carried_dependencies": $"#, ".loop_carried_dependencies", "a", "a JSON array of edges"),
        (r#""loop_carried_dependencies": [$]"#,
            ".loop_carried_dependencies[0]", "sao", "an edge: [name, kind] or a name"),
        (r#""unroll_dependencies": $"#, ".unroll_dependencies", "a", "an array"),
        (r#""unroll_dependencies": [$]"#, ".unroll_dependencies[0]", "a", "an array"),
        (r#""unroll_dependencies": [[$]]"#, ".unroll_dependencies[0][0]", "s", "a string"),
        (r#""unroll_dependencies": [["k", $]]"#, ".unroll_dependencies[0][1]", "ns", "a name of EdgeKind"),
        (r#""unroll_dependencies": [["k", "Flow", $]]"#, ".unroll_dependencies[0][2]", "a", "an array"),
        (r#""unroll_dependencies": [["k", "Flow", [$]]]"#, ".unroll_dependencies[0][2][0]", "o", "an object"),
        (r#""unroll_dependencies": [["k", "Flow", [], $]]"#, ".unroll_dependencies[0][3]", "a", "an array"),
        (r#""unroll_dependencies": [["k", "Flow", [], [$]]]"#, ".unroll_dependencies[0][3][0]", "o", "an object"),
        (r#""sync_info": $"#, ".sync_info", "o", "an object"),
        (r#""sync_info": {"on_wait": $}"#, ".sync_info.on_wait", "a", "an array"),
        (r#""sync_info": {"on_wait": [$]}"#, ".sync_info.on_wait[0]", "o", "an object"),
        (r#""sync_info": {"on_wait": [{"id": $}]}"#, ".sync_info.on_wait[0].id", "n", "an integer"),
        (r#""sync_info": {"on_wait": [{"wait_value": $}]}"#, ".sync_info.on_wait[0].wait_value", "n", "an integer"),
        (r#""sync_info": {"on_wait": [{"from": $}]}"#, ".sync_info.on_wait[0].from", "s", "a string"),
        (r#""sync_info": {"on_wait": [{"mode": $}]}"#, ".sync_info.on_wait[0].mode", "s", "a name of WaitMode"),
        (r#""sync_info": {"on_wait": [{"sync_type": $}]}"#, ".sync_info.on_wait[0].sync_type", "n", "an integer"),
        (r#""sync_info": {"on_update": $}"#, ".sync_info.on_update", "a", "an array"),
        (r#""sync_info": {"on_update": [$]}"#, ".sync_info.on_update[0]", "o", "an object"),
        (r#""sync_info": {"on_update": [{"id": $}]}"#, ".sync_info.on_update[0].id", "n", "an integer"),
        (r#""sync_info": {"on_update": [{"update_value": $}]}"#,
            ".sync_info.on_update[0].update_value", "n", "an integer"),
        (r#""sync_info": {"on_update": [{"mode": $}]}"#, ".sync_info.on_update[0].mode", "s", "a name of UpdateMode"),
        (r#""sync_info": {"on_update": [{"sync_type": $}]}"#, ".sync_info.on_update[0].sync_type", "n", "an integer"),
        (r#""sync_info": {"on_update": [{"target_core": $}]}"#,
            ".sync_info.on_update[0].target_core", "n", "an integer"),
        (r#""ins": $"#, ".ins", "a", "an array"),
        (r#""ins": [$]"#, ".ins[0]", "o", "an object"),
        (r#""indirection_ins": $"#, ".indirection_ins", "a", "an array"),
        (r#""indirection_ins": [$]"#, ".indirection_ins[0]", "o", "an object"),
        (r#""outs": $"#, ".outs", "a", "an array"),
        (r#""outs": [$]"#, ".outs[0]", "o", "an object"),
        (r#""debug": $"#, ".debug", "o", "an object"),
        (r#""loopnest": $"#, ".loopnest", "a", "an array"),
        (r#""loopnest": [$]"#, ".loopnest[0]", "s", "a string"),
        (r#""predicates": $"#, ".predicates", "a", "an array"),
        (r#""predicates": [$]"#, ".predicates[0]", "o", "an object"),
        (r#""predicates": [{"expr": $}]"#, ".predicates[0].expr", "o", "an object"),
        (r#""predicates": [{"op": $}]"#, ".predicates[0].op", "s", "a string"),
        (r#""order": $"#, ".order", "a", "an array"),
        (r#""order": [$]"#, ".order[0]", "o", "an object"),
    ]);
}

#[test]
#[rustfmt::skip]
fn of_operands() {
    check_types(&OPERAND, &[
        (r#"{"kind": $}"#, ".kind", "s", "a string"),
        (r#"{"dtype": $}"#, ".dtype", "s", "a name of Dtype"),
        (r#"{"ap": $}"#, ".ap", "a", "an array"),
        (r#"{"ap": [$]}"#, ".ap[0]", "a", "an array"),
        (r#"{"ap": [[1, 2], [$, 2]]}"#, ".ap[1][0]", "n", "an integer"),
        (r#"{"ap": [[1, $]]}"#, ".ap[0][1]", "n", "an integer"),
        (r#"{"offset": $}"#, ".offset", "n", "an integer"),
        (r#"{"memref": $}"#, ".memref", "s", "a string"),
        (r#"{"memsetref": $}"#, ".memsetref", "s", "a string"),
        (r#"{"regref": $}"#, ".regref", "s", "a string"),
        (r#"{"reg_ap_offset": $}"#, ".reg_ap_offset", "s", "a string"),
        (r#"{"reg_sub_tensor_id": $}"#, ".reg_sub_tensor_id", "s", "a string"),
        (r#"{"memref_owner_func": $}"#, ".memref_owner_func", "s", "a string"),
        (r#"{"access_shape": $}"#, ".access_shape", "a", "an array"),
        (r#"{"access_shape": [$]}"#, ".access_shape[0]", "n", "an integer"),
        (r#"{"addrs": $}"#, ".addrs", "a", "an array"),
        (r#"{"addrs": [$]}"#, ".addrs[0]", "o", "an object"),
        (r#"{"tensor_indirect_arg_id": $}"#, ".tensor_indirect_arg_id", "n", "an integer"),
        (r#"{"num_tensor_indirect_indices": $}"#, ".num_tensor_indirect_indices", "n", "an integer"),
        (r#"{"const_ap_offset": $}"#, ".const_ap_offset", "n", "an integer"),
        (r#"{"const_sub_tensor_id": $}"#, ".const_sub_tensor_id", "n", "an integer"),
        (r#"{"is_regloc_offset": $}"#, ".is_regloc_offset", "bn", "a boolean"),
        (r#"{"kind": "imm_value", "dtype": "int8", "value": $}"#, ".value", "n", "an integer"),
        (r#"{"kind": "imm_value", "dtype": "float32", "value": $}"#, ".value", "ns", "a number"),
        (r#"{"kind": "imm_array", "dtype": "int8", "value_array": $}"#, ".value_array", "a", "an array"),
        (r#"{"kind": "imm_array", "dtype": "int8", "value_array": [$]}"#, ".value_array[0]", "n", "an integer"),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "value_list": $}"#, ".value_list", "a", "an array"),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "value_list": [$]}"#, ".value_list[0]", "o", "an object"),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "value_list": [{"value": $}]}"#,
            ".value_list[0].value", "n", "an integer"),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "expr": $}"#, ".expr", "o", "an object"),
    ]);
    const DYNAMIC: Frame = Frame {
        text: r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [
            {"name": "s", "kind": "Internal", "dtype": "int8", "memorylocations": [{"name": "x", "type": "SB", "dims": [8]}]}],
            "blocks": [{"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "ins": [
                {"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "dynamic_ap_info": @}]}]}]}]}"#,
        path: "functions[0].blocks[0].instructions[0].ins[0].dynamic_ap_info",
    };
    check_types(&DYNAMIC, &[
        ("$", "", "o", "an object"),
        (r#"{"actual_ap": $}"#, ".actual_ap", "a", "an array"),
        (r#"{"actual_ap": [[1, $]]}"#, ".actual_ap[0][1]", "n", "an integer"),
        (r#"{"aff_expr": $}"#, ".aff_expr", "a", "an array"),
        (r#"{"aff_expr": [$]}"#, ".aff_expr[0]", "o", "an object"),
        (r#"{"aff_expr": [{"offset_expr": $}]}"#, ".aff_expr[0].offset_expr", "o", "an object"),
        (r#"{"aff_expr": [{"coef": $}]}"#, ".aff_expr[0].coef", "n", "an integer"),
        (r#"{"c": $}"#, ".c", "n", "an integer"),
        (r#"{"indirect_dim": $}"#, ".indirect_dim", "ns", "a name of IndirectDim"),
        (r#"{"indirect_dim_max_index": $}"#, ".indirect_dim_max_index", "n", "an integer"),
    ]);
}

#[test]
#[rustfmt::skip]
fn of_expressions_and_loop_axes() {
    check_types(&EXPRESSION, &[
        (r#"{"kind": $}"#, ".kind", "s", "a string"),
        (r#"{"kind": "AffExprKind", "terms": $}"#, ".terms", "a", "an array"),
        (r#"{"kind": "AffExprKind", "terms": [$]}"#, ".terms[0]", "o", "an object"),
        (r#"{"kind": "AffExprKind", "terms": [{"idx": $}]}"#, ".terms[0].idx", "o", "an object"),
        (r#"{"kind": "AffExprKind", "terms": [{"coeff": $}]}"#, ".terms[0].coeff", "n", "an integer"),
        (r#"{"kind": "AffExprKind", "c": $}"#, ".c", "n", "an integer"),
        (r#"{"kind": "AffIVKind", "axis": $}"#, ".axis", "s", "a string"),
        (r#"{"kind": "ShardIDKind", "ub": $}"#, ".ub", "n", "an integer"),
        (r#"{"kind": "IntRuntimeValueKind", "regref": $}"#, ".regref", "s", "a string"),
        (r#"{"kind": "SumKind", "n_terms": $}"#, ".n_terms", "n", "an integer"),
        (r#"{"kind": "SumKind", "terms": $}"#, ".terms", "a", "an array"),
        (r#"{"kind": "SumKind", "terms": [$]}"#, ".terms[0]", "o", "an object"),
        (r#"{"kind": "MultKind", "var": $}"#, ".var", "o", "an object"),
        (r#"{"kind": "MultKind", "scale": $}"#, ".scale", "n", "an integer"),
        (r#"{"kind": "FloorDivKind", "numer": $}"#, ".numer", "o", "an object"),
        (r#"{"kind": "FloorDivKind", "denom": $}"#, ".denom", "n", "an integer"),
        (r#"{"kind": "ModuloKind", "numer": $}"#, ".numer", "o", "an object"),
        (r#"{"kind": "ModuloKind", "denom": $}"#, ".denom", "n", "an integer"),
        (r#"{"kind": "CCModKind", "denom": $}"#, ".denom", "n", "an integer"),
        (r#"{"kind": "CCDivKind", "numer": $}"#, ".numer", "o", "an object"),
        (r#"{"kind": "CCDivKind", "denom": $}"#, ".denom", "n", "an integer"),
        (r#"{"kind": "CCDivKind", "replica_groups_id": $}"#, ".replica_groups_id", "n", "an integer"),
        (r#"{"kind": "CCGetRankKind", "iteration_id": $}"#, ".iteration_id", "n", "an integer"),
        (r#"{"kind": "CCGetRankKind", "channel_id": $}"#, ".channel_id", "n", "an integer"),
        (r#"{"kind": "IndirectArgId", "arg_id": $}"#, ".arg_id", "n", "an integer"),
        // Version 1.
        (r#"{"terms": $}"#, ".terms", "a", "an array"),
        (r#"{"terms": [$]}"#, ".terms[0]", "o", "an object"),
        (r#"{"terms": [{"AxisLabel": $}]}"#, ".terms[0].AxisLabel", "s", "a string"),
        (r#"{"terms": [{"coef": $}]}"#, ".terms[0].coef", "n", "an integer"),
        (r#"{"c": $}"#, ".c", "n", "an integer"),
        (r#"{"op": $}"#, ".op", "s", "a string"),
        (r#"{"op": "Mod", "op_param": $}"#, ".op_param", "n", "an integer"),
    ]);
    check_types(&INSTRUCTIONS, &[
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": $}"#, "[0].LoopAxis", "o", "an object"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": {"name": $}}"#, "[0].LoopAxis.name", "s", "a string"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": {"lb": $}}"#, "[0].LoopAxis.lb", "n", "an integer"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": {"ub": $}}"#, "[0].LoopAxis.ub", "n", "an integer"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": {"stride": $}}"#, "[0].LoopAxis.stride", "n", "an integer"),
        (r#"{"name": "i", "opcode": "DynamicForLoop", "DynamicForLoopAxis": {"ub": $}}"#,
            "[0].DynamicForLoopAxis.ub", "no", "an object"),
        (r#"{"name": "i", "opcode": "DynamicForLoop", "lb": $}"#, "[0].lb", "no", "an object"),
        (r#"{"name": "i", "opcode": "DMABlock", "blocks": $}"#, "[0].blocks", "a", "an array"),
        (r#"{"name": "i", "opcode": "DMABlock", "blocks": [$]}"#, "[0].blocks[0]", "o", "an object"),
    ]);
}

/// The types of a payload field and what an error expects, after the types of `spec/instructions.toml`.
fn types_of(field: &Field) -> (&'static str, String) {
    let named = |id: bir_core::enums::EnumId| format!("a name of {}", id.info().name);
    match field.slot {
        Slot::Bool => ("bn", "a boolean".into()),
        Slot::U32 => ("n", "an integer".into()),
        Slot::F32 => ("ns", "a number".into()),
        Slot::Enum(id) => (if id.info().json_read_number { "ns" } else { "s" }, named(id)),
        Slot::Maybe(_) if field.keeps_array => ("bnao", "a constant or an affine expression".into()),
        Slot::Maybe(_) => ("bno", "a constant or an affine expression".into()),
        Slot::String => match field.older_text {
            OlderText::None => ("s", "a string".into()),
            OlderText::Boolean => ("sb", "a string".into()),
            OlderText::Bytes => ("sa", "a string".into()),
        },
        Slot::Queue | Slot::Block | Slot::Function | Slot::Trigger => ("s", "a string".into()),
        Slot::Json => ("bnsao", String::new()),
        Slot::VecExpr => ("nao", "an object".into()),
        Slot::Expr => ("no", "an object".into()),
        Slot::RuntimeValue | Slot::Axis => ("o", "an object".into()),
        Slot::MaybePair(_)
        | Slot::DmaBlocks
        | Slot::VecU32
        | Slot::VecVecU32
        | Slot::VecVecU64
        | Slot::VecString
        | Slot::VecEnum(_)
        | Slot::VecRegister
        | Slot::SmallF32 { .. }
        | Slot::SmallPairs
        | Slot::SmallMaybe(_)
        | Slot::U32Array { .. }
        | Slot::Blocks => ("a", "an array".into()),
    }
}

/// Every key of every opcode, in every spelling; `blocks`, which is read last, has rows above.
#[test]
fn of_payload_fields() {
    let mut checked = 0;
    for opcode in OPCODES {
        for field in opcode.fields.iter().filter(|f| f.slot != Slot::Blocks) {
            let (types, expected) = types_of(field);
            for key in [field.key].iter().chain(field.aliases) {
                for (value, letter, found) in VALUES.iter().filter(|v| !types.contains(v.1)) {
                    let part = format!(r#"{{"name": "i", "opcode": "{}", "{key}": ¦{value}}}"#, opcode.name);
                    let (text, path, offset) = INSTRUCTIONS.fill(&part, &format!("[0].{key}"));
                    let e = load(&text).err().unwrap_or_else(|| panic!("{part} was read, {letter}"));
                    let theirs = (e.code, e.path, e.expected, e.found, e.position.map(|p| p.offset as usize));
                    assert_eq!(theirs, (WrongType, path, expected.clone(), found.to_string(), offset), "{part}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 900, "{checked}");
}

/// Elements of payload lists.
#[test]
#[rustfmt::skip]
fn of_payload_elements() {
    check_types(&INSTRUCTIONS, &[
        (r#"{"name": "i", "opcode": "DMATrigger", "dma_blocks": [$]}"#, "[0].dma_blocks[0]", "s", "a string"),
        (r#"{"name": "i", "opcode": "Matmult", "tile_size": [1, $]}"#,
            "[0].tile_size[1]", "bno", "a constant or an affine expression"),
        (r#"{"name": "i", "opcode": "Iota", "pattern": [[1, 2], $]}"#, "[0].pattern[1]", "ao", "an array"),
        (r#"{"name": "i", "opcode": "Iota", "pattern": [[1, $]]}"#, "[0].pattern[0][1]", "n", "an integer"),
        (r#"{"name": "i", "opcode": "Iota", "pattern": [{"step": $}]}"#, "[0].pattern[0].step", "n", "an integer"),
        (r#"{"name": "i", "opcode": "Iota", "pattern": [{"step": 1, "num": $}]}"#,
            "[0].pattern[0].num", "n", "an integer"),
        (r#"{"name": "i", "opcode": "GenericIndirectLoad", "indirect_dims": [$]}"#,
            "[0].indirect_dims[0]", "ns", "a name of IndirectDim"),
        (r#"{"name": "i", "opcode": "CollectiveCompute", "replica_groups": [[0], $]}"#,
            "[0].replica_groups[1]", "a", "an array"),
        (r#"{"name": "i", "opcode": "CollectiveCompute", "replica_groups": [[0, $]]}"#,
            "[0].replica_groups[0][1]", "n", "an integer"),
        (r#"{"name": "i", "opcode": "CollectiveCompute", "recv_from_rank": [$]}"#,
            "[0].recv_from_rank[0]", "no", "an object"),
        (r#"{"name": "i", "opcode": "CollectiveCompute", "cc_channel": {"replica_groups": [], "kind": $}}"#,
            "[0].cc_channel.kind", "s", "a string"),
        (r#"{"name": "i", "opcode": "CustomOp", "srcsShape": [[1], [$]]}"#, "[0].srcsShape[1][0]", "n", "an integer"),
        (r#"{"name": "i", "opcode": "CustomOp", "srcsShape": [1, $]}"#, "[0].srcsShape[1]", "na", "an integer"),
        (r#"{"name": "i", "opcode": "BIRKernel", "psum_buf_shape": [1, [2, $]]}"#,
            "[0].psum_buf_shape[1][1]", "n", "an integer"),
        (r#"{"name": "i", "opcode": "InlineASMBytes", "asm_bytes": [65, $]}"#, "[0].asm_bytes[1]", "n", "an integer"),
    ]);
}
