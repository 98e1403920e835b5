//! Other forms in which a document may say the same: older spellings, numbers for names, defaults spelled out. Each is
//! read like the form that is written today.

mod doc_support;

use bir_core::enums::IrEnum;
use bir_core::enums::bir::{
    ArchLevel, ArchRevision, DMAQueueType, Dtype, EngineType, MemoryAddressSpace, NamedObjectOrigin, TensorClass,
    TensorKind, UpdateMode, WaitMode,
};
use bir_core::ir::difference;
use doc_support::*;

/// Two parts of a document that must mean the same; the second is as it is written today.
#[track_caller]
fn check_same(frame: &Frame, pairs: &[(&str, &str)]) {
    for (other, today) in pairs {
        let [other, today] = [other, today].map(|part| {
            let (text, ..) = frame.fill(part, "");
            load(&text).unwrap_or_else(|e| panic!("{part}: {e}")).module
        });
        if let Some(d) = difference(&*other, &*today) {
            panic!("{d}\n{}", written(&other));
        }
        let text = written(&other);
        assert_eq!(text, written(&today));
        let again = load(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert!(difference(&*other, &*again.module).is_none(), "{text}");
        assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    }
}

/// A part of a document comes back with this text in it.
#[track_caller]
fn check_writes(frame: &Frame, rows: &[(&str, &str)]) {
    for (part, wanted) in rows {
        let (text, ..) = frame.fill(part, "");
        let loaded = load(&text).unwrap_or_else(|e| panic!("{part}: {e}"));
        let compact: String = written(&loaded.module).split_whitespace().collect();
        assert!(compact.contains(wanted), "{part}: no {wanted} in {compact}");
    }
}

#[test]
#[rustfmt::skip]
fn of_modules_functions_and_storage() {
    check_same(&DOCUMENT, &[
        (r#"{"module": {"version": 2, "arch": "gen3", "functions": []}}"#, r#"{"version": 2, "arch": "gen3", "functions": []}"#),
        (r#"{"version": 1, "arch": "gen3", "functions": []}"#, r#"{"version": 2, "arch": "gen3", "functions": []}"#),
        (r#"{"version": 7, "arch": "gen3", "functions": []}"#, r#"{"version": 2, "arch": "gen3", "functions": []}"#),
    ]);
    check_same(&MODULE, &[
        (r#""revision": "v1""#, r#""revision": null"#),
        (r#""queues": []"#, r#""queues": null"#),
        (r#""nki_functions": {}"#, r#""nki_functions": null"#),
        (r#""nki_functions": {"functions": []}"#, r#""nki_functions": null"#),
        (r#""attributes": {}"#, r#""attributes": null"#),
        (r#""attributes": {"neuron_core_id": null}"#, r#""attributes": null"#),
        (r#""artifact_path": """#, r#""artifact_path": null"#),
        (r#""artifact_info": {}"#, r#""artifact_info": null"#),
        (r#""call_to_physical_memlocs": {}"#, r#""call_to_physical_memlocs": null"#),
        (r#""queues": [{"name": "q", "origin": "Internal", "blocks": [], "type": "data", "engine": "Unassigned", "engine_id": 0,
             "num_dma_engines": 0, "attributes": {}}]"#, r#""queues": [{"name": "q"}]"#),
    ]);
    check_same(&FUNCTION, &[
        (r#"{"name": "f", "allocations": [], "blocks": [], "origin": "Internal", "attributes": []}"#,
            r#"{"name": "f", "allocations": [], "blocks": []}"#),
        (r#"{"name": "f", "allocations": [], "blocks": [], "attributes": {"no_spill": true, "need_dce": false, "need_unroll": 1}}"#,
            r#"{"name": "f", "allocations": [], "blocks": [], "attributes": ["need_unroll", "no_spill"]}"#),
        // Blocks before allocations.
        (r#"{"blocks": [{"instructions": [{"ins": [{"regref": "r", "dtype": "int8", "kind": "register_access"}], "opcode": "NoOp", "name": "i"}],
              "name": "b"}], "allocations": [{"name": "r"}], "name": "f"}"#,
            r#"{"name": "f", "allocations": [{"Skind": "register", "name": "r"}], "blocks": [{"name": "b", "instructions": [
              {"name": "i", "opcode": "NoOp", "ins": [{"kind": "register_access", "dtype": "int8", "regref": "r"}]}]}]}"#),
    ]);
    const SET_OF_X: &str = r#"{"name": "s", "kind": "Const", "dtype": "int8", "memorylocations": [{"name": "x", "type": "DRAM", "dims": [8]}]}"#;
    check_same(&ALLOCATIONS, &[
        (r#"{"name": "r"}"#, r#"{"Skind": "register", "name": "r"}"#),
        (r#"{"name": "r", "num_physical_regs": 1, "origin": "Internal", "dtype": null}"#, r#"{"Skind": "register", "name": "r"}"#),
        (r#"{"Skind": "memory_location_set", "name": "s", "kind": "Const", "dtype": "int8", "memorylocations": [
             {"Skind": "memory_location", "name": "x", "type": "DRAM", "dims": [8]}]}"#, SET_OF_X),
        (r#"{"name": "s", "kind": "Const", "dtype": "int8", "origin": "Internal", "tensor_shape": [], "partition_dim": 0,
             "tensor_class": null, "addr_space": "Local", "tensorId2MemLocSize": null, "file": "", "no_spill": false,
             "do_not_spill": false, "do_not_rotate": false, "virtual": 0, "volatile": false, "debug": null, "memorylocations": [
               {"name": "x", "type": "DRAM", "dims": [8], "origin": "Internal", "optin_passes": [], "addr": 0, "base": 0, "bank": 0,
                "allocated": false, "user_allocated": false, "pinned": false, "tensor_id": -1, "var_id": -1, "table_entry_id": -1,
                "memLocSetId": -1, "pack_id_hint": -1, "alias": [], "pointer_ref_memloc": null, "alloced_func": null,
                "remote_writer_func": null, "remote_local_target": null, "location_alt": false, "written_by_another_core": false,
                "is_shared_post_dram_alloc": false, "runtime_reserved": false, "device_print_metadata": null}]}"#, SET_OF_X),
    ]);
    check_same(&SET, &[
        (r#""no_spill": true"#, r#""do_not_spill": true"#),
        (r#""no_spill": 1"#, r#""do_not_spill": true"#),
        (r#""no_spill": true, "do_not_spill": false"#, r#""do_not_spill": true"#),
        (r#""do_not_spill": true, "no_spill": false"#, r#""do_not_spill": true"#),
        // The size of the id table is that of the set unless it says otherwise.
        (r#""tensorId2MemLocSize": 0"#, r#""tensorId2MemLocSize": null"#),
    ]);
    check_same(&LOCATIONS, &[
        (r#"{"name": "x", "type": 1, "dims": []}"#, r#"{"name": "x", "type": "Unallocated", "dims": []}"#),
        (r#"{"name": "x", "type": 2, "dims": []}"#, r#"{"name": "x", "type": "Input", "dims": []}"#),
        (r#"{"name": "x", "type": 4, "dims": []}"#, r#"{"name": "x", "type": "Output", "dims": []}"#),
        (r#"{"name": "x", "type": 8, "dims": []}"#, r#"{"name": "x", "type": "DRAM", "dims": []}"#),
        (r#"{"name": "x", "type": 16, "dims": []}"#, r#"{"name": "x", "type": "SB", "dims": []}"#),
        (r#"{"name": "x", "type": 32, "dims": []}"#, r#"{"name": "x", "type": "PSUM", "dims": []}"#),
        (r#"{"name": "x", "type": 64, "dims": []}"#, r#"{"name": "x", "type": "RNGSTATE", "dims": []}"#),
        (r#"{"name": "x", "type": 128, "dims": []}"#, r#"{"name": "x", "type": "REG", "dims": []}"#),
    ]);
}

/// The old form without the set, any number for the bits, and one direction, both, or one twice.
#[test]
fn of_aliases() {
    let two = |a: &str, b: &str| {
        format!(
            r#"{{"name": "x", "type": "DRAM", "dims": [8], "alias": [{a}]}}, {{"name": "y", "type": "DRAM", "dims": [8], "alias": [{b}]}}"#
        )
    };
    let (to_y, to_x) = (r#"["s", "y", 1]"#, r#"["s", "x", 1]"#);
    let today = two(to_y, to_x);
    for (a, b) in [
        (to_y, ""),
        ("", to_x),
        (r#"["y", 1]"#, r#"["x", 1]"#),
        (r#"["y", 1], ["s", "y", 1]"#, ""),
        (r#"["s", "y", true]"#, r#"["s", "x", 1.0]"#),
        (r#"["s", "y", 1e0]"#, ""),
    ] {
        check_same(&LOCATIONS, &[(&two(a, b), &today)]);
    }
    // Bits are OR-ed.
    check_same(&LOCATIONS, &[(&two(r#"["y", 2]"#, r#"["x", 1]"#), &two(r#"["s", "y", 3]"#, r#"["s", "x", 3]"#))]);
}

#[test]
#[rustfmt::skip]
fn of_instructions() {
    let edges = |first: &str| format!(r#"{{"name": "a", "opcode": "NoOp"}}, {{"name": "b", "opcode": "NoOp", "dependencies": [{first}]}}"#);
    for (form, kind) in [
        (r#""a""#, "Flow"), (r#"["a"]"#, "Flow"), (r#"["a", 4]"#, "Flow"), (r#"{"id": "a"}"#, "Flow"),
        (r#"["a", 0]"#, "Invalid"), (r#"["a", 1]"#, "Ordered"), (r#"["a", 2]"#, "Anti"), (r#"["a", 3]"#, "Output"),
        (r#"{"id": "a", "kind": "Anti"}"#, "Anti"), (r#"{"kind": 3, "id": "a"}"#, "Output"), (r#"{"id": "a", "kind": null}"#, "Flow"),
    ] {
        check_same(&INSTRUCTIONS, &[(&edges(form), &edges(&format!(r#"["a", "{kind}"]"#)))]);
        let carried = |edge: &str| edges(edge).replace("dependencies", "loop_carried_dependencies");
        check_same(&INSTRUCTIONS, &[(&carried(form), &carried(&format!(r#"["a", "{kind}"]"#)))]);
    }
    check_same(&NOOP, &[
        (r#""origin": "Internal", "engine": "Unassigned", "engine_id": 0, "scheduled_start": 0, "scheduled_end": 0, "optin_passes": [],
             "dependencies": [], "loop_carried_dependencies": [], "unroll_dependencies": [], "sync_info": null, "ins": [],
             "indirection_ins": [], "outs": [], "debug": null, "loopnest": [], "predicates": [], "order": []"#, r#""ins": null"#),
        (r#""sync_info": {"on_wait": [{"id": 1, "wait_value": 0, "mode": "sem-ge-imm", "sync_type": 0, "from": null}],
             "on_update": [{"id": 2, "update_value": 0, "mode": "sem-add-imm", "sync_type": 0, "target_core": null}]}"#,
            r#""sync_info": {"on_wait": [{"id": 1}], "on_update": [{"id": 2}]}"#),
        (r#""predicates": [{"expr": {"kind": "AffExprKind"}}]"#, r#""predicates": [{"expr": {"kind": "AffExprKind", "c": 0, "terms": []}, "op": "ge"}]"#),
    ]);
    // Loop records of an older producer have no name.
    check_same(&INSTRUCTIONS, &[
        (r#"{"opcode": "Loop", "LoopAxis": {"name": "j", "lb": 0, "ub": 1, "stride": 1}, "blocks": []}"#,
            r#"{"name": "Loop", "opcode": "Loop", "LoopAxis": {"name": "j", "lb": 0, "ub": 1, "stride": 1}, "blocks": []}"#),
        (r#"{"opcode": "DMABlock", "blocks": []}"#, r#"{"name": "DMABlock", "opcode": "DMABlock", "blocks": []}"#),
    ]);
}

#[test]
#[rustfmt::skip]
fn of_operands() {
    let immediate = |value: &str, dtype: &str| format!(r#"{{"kind": "imm_value", "dtype": "{dtype}", "value": {value}}}"#);
    for (dtype, other, today) in [
        ("float32", "2", "2.0"), ("float32", "-0", "-0.0"), ("float32", "1e1", "10.0"), ("bfloat16", "1", "1.0"),
        ("float16", "0.5", "5e-1"), ("float32", "\"inf\"", "\"inf\""),
    ] {
        check_same(&OPERAND, &[(&immediate(other, dtype), &immediate(today, dtype))]);
    }
    for (dtype, value) in [
        ("float32", "\"inf\""), ("float32", "\"-inf\""), ("float32", "\"nan\""), ("float32", "2.0"), ("float32", "-0.0"), ("int8", "-128"),
        ("uint8", "255"), ("int64", "-9223372036854775808"), ("uint64", "18446744073709551615"),
    ] {
        check_writes(&OPERAND, &[(&immediate(value, dtype), &format!(r#""value":{value}}}"#))]);
    }
    const X: &str = r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memsetref": "s"}"#;
    check_same(&OPERAND, &[
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x"}"#, X),
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memref_owner_func": "f", "offset": 0,
             "access_shape": [], "dynamic_ap_info": null}"#, X),
        (r#"{"kind": "symbolic_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s", "addrs": [], "access_shape": [],
             "tensor_indirect_arg_id": -1, "num_tensor_indirect_indices": 0}"#,
            r#"{"kind": "symbolic_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s"}"#),
        (r#"{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s", "regref": "r", "reg_ap_offset": null,
             "reg_sub_tensor_id": null, "const_ap_offset": 0, "const_sub_tensor_id": -1, "is_regloc_offset": 0}"#,
            r#"{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s", "regref": "r"}"#),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "value_list": [], "expr": null}"#,
            r#"{"kind": "symbolic_imm_value", "dtype": "int8"}"#),
    ]);
    // Ordinals of IndirectDim, and what is absent in a dynamic access pattern.
    let dynamic = |rest: &str| format!(r#"{{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "dynamic_ap_info": {{{rest}}}}}"#);
    for (ordinal, name) in [(0, "W"), (1, "Z"), (2, "Y"), (3, "X")] {
        check_same(&OPERAND, &[(&dynamic(&format!(r#""indirect_dim": {ordinal}"#)), &dynamic(&format!(r#""indirect_dim": "{name}""#)))]);
    }
    check_same(&OPERAND, &[
        (&dynamic(""), &dynamic(r#""actual_ap": [], "aff_expr": [], "c": 0, "indirect_dim": "W", "indirect_dim_max_index": 0"#)),
        (&dynamic(r#""aff_expr": [{"offset_expr": {"c": 2}}]"#),
            &dynamic(r#""aff_expr": [{"offset_expr": {"kind": "AffExprKind", "c": 2, "terms": []}, "coef": 1}]"#)),
    ]);
    // One to five pairs.
    for n in 1..=5 {
        let pairs = vec!["[1,2]"; n].join(",");
        let part = format!(r#"{{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [{pairs}]}}"#);
        check_writes(&OPERAND, &[(&part, &format!(r#""ap":[{pairs}]"#))]);
    }
    // The spelling of one kind is kept.
    check_writes(&OPERAND, &[
        (r#"{"kind": "symbolic_pwap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s"}"#, r#""kind":"symbolic_pwap""#),
        (r#"{"kind": "symbolic_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s"}"#, r#""kind":"symbolic_ap""#),
    ]);
    // Immediates become inputs, whatever list they stand in.
    for list in ["outs", "indirection_ins"] {
        let (text, ..) = NOOP.fill(&format!(r#""{list}": [{}], "ins": [{{"kind": "register_access", "dtype": "int8", "regref": "r"}}]"#, immediate("1", "int8")), "");
        let loaded = load(&text).unwrap();
        let instruction = loaded.module.find_function("f").unwrap().find_instruction("i").unwrap();
        assert_eq!((instruction.ins().count(), instruction.outs().count()), (2, 0), "{list}");
    }
}

/// Version 1, placeholders, and a kind that is another one.
#[test]
#[rustfmt::skip]
fn of_expressions() {
    const J: &str = r#"{"kind": "AffIVKind", "axis": "j"}"#;
    let terms = format!(r#"{{"kind": "AffExprKind", "c": 5, "terms": [{{"coeff": 3, "idx": {J}}}]}}"#);
    let none = r#"{"kind": "AffExprKind", "c": 0, "terms": []}"#;
    let wrap = |kind: &str, denom: &str| format!(r#"{{"kind": "{kind}", "numer": {terms}, "denom": {denom}}}"#);
    const OLD: &str = r#""terms": [{"AxisLabel": "j", "coef": 3}], "c": 5"#;
    let old = |op: &str| format!(r#"{{{OLD}, "op": "{op}", "op_param": 4}}"#);
    for (other, today) in [
        (format!("{{{OLD}}}"), terms.clone()),
        (old("Mod"), wrap("ModuloKind", "4")),
        (old("Div"), wrap("FloorDivKind", "4")),
        (old("CCGetRank"), wrap("CCDivKind", r#"4, "replica_groups_id": 0"#)),
        (old("IndirectArgId"), r#"{"kind": "IndirectArgId", "arg_id": 4}"#.into()),
        (r#"{"op_param": null, "op": null, "c": 5, "terms": [{"coef": 3, "AxisLabel": "j"}]}"#.into(), terms.clone()),
        (r#"{"terms": [{"AxisLabel": "j"}]}"#.into(), format!(r#"{{"kind": "AffExprKind", "c": 0, "terms": [{{"coeff": 1, "idx": {J}}}]}}"#)),
        (wrap("CCModKind", "4"), wrap("ModuloKind", "4")),
        (r#"{"kind": "AffExprKind"}"#.into(), none.into()),
        (r#"{"kind": "AffExprKind", "terms": null, "c": null}"#.into(), none.into()),
        (r#"{"c": 0}"#.into(), none.into()),
        (r#"{"terms": []}"#.into(), none.into()),
        (r#"{}"#.into(), none.into()),
        (format!(r#"{{"kind": "SumKind", "terms": [{J}, {J}]}}"#), format!(r#"{{"kind": "SumKind", "n_terms": 2, "terms": [{J}, {J}]}}"#)),
        (r#"{"kind": "SumKind", "n_terms": 0}"#.into(), r#"{"kind": "SumKind", "n_terms": 0, "terms": []}"#.into()),
        (format!(r#"{{"kind": "CCDivKind", "numer": {J}, "denom": 2}}"#),
            format!(r#"{{"kind": "CCDivKind", "numer": {J}, "denom": 2, "replica_groups_id": 0}}"#)),
        (format!(r#"{{"kind": "AffExprKind", "terms": [{{"idx": {J}}}]}}"#), format!(r#"{{"kind": "AffExprKind", "c": 0, "terms": [{{"coeff": 1, "idx": {J}}}]}}"#)),
    ] {
        check_same(&EXPRESSION, &[(&other, &today)]);
        // Either form under either version: the shape tells them apart.
        let one = EXPRESSION.fill(&other, "").0.replacen("\"version\": 2", "\"version\": 1", 1);
        let two = load(&EXPRESSION.fill(&today, "").0).unwrap();
        let one = load(&one).unwrap_or_else(|e| panic!("{other}: {e}"));
        assert!(difference(&*one.module, &*two.module).is_none(), "{other}");
        assert!(written(&one.module).contains("\"version\": 2"));
    }
}

/// The column `accept` of `spec/instructions.toml`.
#[test]
#[rustfmt::skip]
fn of_payload_fields() {
    let with = |opcode: &str, required: &str, rest: &str| format!(r#"{{"name": "i", "opcode": "{opcode}"{required}{rest}}}"#);
    const COLLECTIVE: &str = r#", "kind": "AllReduce", "op": "add", "replica_groups": [[0, 1]]"#;
    let rows = [
        // Opcode, required keys, the other form, today's.
        ("SwitchQueueInstance", "", r#", "queue": "q", "instance_name": "qb""#, r#", "queue": "q", "instance": "qb""#),
        ("InlineASMBytes", r#", "latency_estimate": 1, "sync_type": "dma""#, r#", "asm_bytes": [72, 105, 233]"#, r#", "asm_bytes": "Hi\u00e9""#),
        ("InlineASMBytes", r#", "latency_estimate": 1, "asm_bytes": """#, r#", "sync_type": "SequencerType""#, r#", "sync_type": "sequencer""#),
        ("InlineASMBytes", r#", "latency_estimate": 1, "asm_bytes": """#, r#", "sync_type": "DataPathType""#, r#", "sync_type": "datapath""#),
        ("InlineASMBytes", r#", "latency_estimate": 1, "asm_bytes": """#, r#", "sync_type": "DMAType""#, r#", "sync_type": "dma""#),
        ("CollectiveCompute", COLLECTIVE, r#", "send_to_rank": 3"#, r#", "send_to_rank": {"kind": "AffExprKind", "c": 3, "terms": []}"#),
        ("CollectiveCompute", COLLECTIVE, r#", "recv_from_rank": 3"#, r#", "recv_from_rank": [{"kind": "AffExprKind", "c": 3, "terms": []}]"#),
        ("CollectiveCompute", COLLECTIVE, r#", "recv_from_rank": [3, {"c": 4}]"#,
            r#", "recv_from_rank": [{"kind": "AffExprKind", "c": 3, "terms": []}, {"kind": "AffExprKind", "c": 4, "terms": []}]"#),
        ("CollectiveCompute", "", r#", "cc_channel": {"kind": "AllReduce", "op": "add", "replica_groups": [[0, 1]]}"#, COLLECTIVE),
        ("GenericIndirectLoad", "", r#", "indirect_dims": [0, 3]"#, r#", "indirect_dims": ["W", "X"]"#),
        ("GenericIndirectSave", "", r#", "indirect_dims": [1, "Y"]"#, r#", "indirect_dims": ["Z", "Y"]"#),
        ("DMACopy", r#", "mode": "Copy""#, r#", "dge_type": "Unassigned""#, r#", "dge_type": null"#),
    ];
    const WITH_QUEUE: Frame = Frame {
        text: r#"{"version": 2, "arch": "gen3", "queues": [{"name": "q", "blocks": [{"name": "qb", "instructions": []}]}],
            "functions": [{"name": "f", "allocations": [], "blocks": [{"name": "b", "instructions": [@]}]}]}"#,
        path: "",
    };
    for (opcode, required, other, today) in rows {
        check_same(&WITH_QUEUE, &[(&with(opcode, required, other), &with(opcode, required, today))]);
    }
    check_writes(&WITH_QUEUE, &[
        (&with("DMACopy", r#", "mode": "Copy""#, r#", "dge_type": "None""#), r#""dge_type":"None""#),
        (&with("CollectiveCompute", COLLECTIVE, r#", "permute_chain": [1, [2, null]], "src1_bitmap": []"#), r#""permute_chain":[1,[2,null]]"#),
        (&with("CollectiveCompute", COLLECTIVE, r#", "permute_chain": [1, [2, null]], "src1_bitmap": []"#), r#""src1_bitmap":[]"#),
        (&with("CollectiveCompute", COLLECTIVE, r#", "cc_channel": 3"#), r#""cc_channel":3"#),
        (&with("CollectiveCompute", COLLECTIVE, r#", "cc_channel": {"kind": "ShardIDKind", "ub": 2}"#), r#""cc_channel":{"kind":"ShardIDKind","ub":2}"#),
    ]);
    // Keys of a dynamic axis beside the object: it bears the name that the document gave the loop.
    check_same(&INSTRUCTIONS, &[
        (r#"{"name": "j", "opcode": "DynamicForLoop", "lb": 0, "stride": {"c": 1}, "ub": {"kind": "IntRuntimeValueKind", "regref": "r"}, "blocks": []}"#,
            r#"{"name": "j", "opcode": "DynamicForLoop", "DynamicForLoopAxis": {"name": "j", "lb": {"kind": "AffExprKind", "c": 0, "terms": []},
                "ub": {"kind": "IntRuntimeValueKind", "regref": "r"}, "stride": {"kind": "AffExprKind", "c": 1, "terms": []}}, "blocks": []}"#),
        (r#"{"name": "j", "opcode": "NoOp"}, {"name": "j", "opcode": "DynamicForLoop", "lb": 0, "blocks": [
                {"name": "b", "instructions": [{"name": "k", "opcode": "NoOp", "loopnest": ["j"]}]}]}"#,
            r#"{"name": "j", "opcode": "NoOp"}, {"name": "j_1", "opcode": "DynamicForLoop", "DynamicForLoopAxis": {"name": "j",
                "lb": {"kind": "AffExprKind", "c": 0, "terms": []}}, "blocks": [
                {"name": "b", "instructions": [{"name": "k", "opcode": "NoOp", "loopnest": ["j"]}]}]}"#),
    ]);
}

/// Gives another form of a value, if it has one.
type Swap = fn(&str) -> Option<String>;

/// Other forms of payload fields whose opcodes need many keys: they are taken from the documents that have them all.
#[test]
fn of_payload_fields_of_whole_instructions() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/families");
    let texts: Vec<String> = ["compute", "matmul", "dma", "collective", "random", "control", "kernel"]
        .iter()
        .map(|n| std::fs::read_to_string(folder.join(format!("{n}.bir.json"))).unwrap())
        .collect();
    // A key, its value as it is written without white space, and another form of it.
    let mut checked = 0;
    for text in &texts {
        let first = load(text).unwrap();
        let tree = doc_support::tree::Tree::parse(text);
        let swaps: [(&str, Swap); 3] = [
            ("\"psum_buf_shape\"", |v| v.replacen(", ", ", [", 1).strip_suffix(']').map(|v| format!("{v}]]"))),
            ("\"sb_buf_shape\"", |v| v.replacen(", ", ", [", 1).strip_suffix(']').map(|v| format!("{v}]]"))),
            ("\"pattern\"", |v| {
                let pairs = v.strip_prefix("[[")?.strip_suffix("]]")?.split("], [");
                let pairs = pairs.map(|p| p.split_once(", ").map(|(s, n)| format!("{{\"num\": {n}, \"step\": {s}}}")));
                Some(format!("[{}]", pairs.collect::<Option<Vec<_>>>()?.join(", ")))
            }),
        ];
        for (key, swap) in swaps {
            let mut other = tree.clone();
            let mut changed = 0;
            other.each_object(&mut |members| {
                for (_, value) in members.iter_mut().filter(|m| m.0 == key) {
                    if let Some(form) = swap(&value.text()) {
                        *value = doc_support::tree::Tree::parse(&form);
                        changed += 1;
                    }
                }
            });
            let again = load(&other.text()).unwrap_or_else(|e| panic!("{key}: {e}"));
            assert!(difference(&*first.module, &*again.module).is_none(), "{key}");
            checked += usize::from(changed > 0);
        }
    }
    assert_eq!(checked, 3, "both shapes of kernels, and patterns");
}

/// Every member of the enums of headers and storage is read and written by its name.
#[test]
fn of_every_member_of_an_enum() {
    fn all<E: IrEnum>(frame: &Frame, part: &str) {
        let mut left_out = 0;
        for member in E::INFO.members {
            let (text, ..) = frame.fill(&part.replacen('$', member.name, 1), "");
            let loaded = load(&text).unwrap_or_else(|e| panic!("{part}, {}: {e}", member.name));
            let again = load(&written(&loaded.module)).unwrap();
            assert!(difference(&*loaded.module, &*again.module).is_none(), "{part}, {}", member.name);
            let key = part.rsplit_once(": \"$\"").unwrap().0.rsplit('"').nth(1).unwrap();
            let compact: String = written(&loaded.module).split_whitespace().collect();
            let wanted = format!("\"{key}\":\"{}\"", member.name);
            left_out += usize::from(!compact.contains(&wanted));
        }
        // Only the default.
        assert!(left_out <= 1, "{part}: {left_out}");
    }
    all::<ArchLevel>(&DOCUMENT, r#"{"version": 2, "functions": [], "arch": "$"}"#);
    all::<ArchRevision>(&MODULE, r#""revision": "$""#);
    all::<NamedObjectOrigin>(&FUNCTION, r#"{"name": "f", "allocations": [], "blocks": [], "origin": "$"}"#);
    all::<DMAQueueType>(&QUEUE, r#"{"name": "q", "type": "$"}"#);
    all::<EngineType>(&QUEUE, r#"{"name": "q", "engine": "$"}"#);
    all::<EngineType>(&NOOP, r#""engine": "$""#);
    all::<TensorKind>(&ALLOCATIONS, r#"{"name": "s", "dtype": "int8", "memorylocations": [], "kind": "$"}"#);
    all::<Dtype>(&ALLOCATIONS, r#"{"name": "s", "kind": "Const", "memorylocations": [], "dtype": "$"}"#);
    all::<TensorClass>(&SET, r#""tensor_class": "$""#);
    all::<MemoryAddressSpace>(&SET, r#""addr_space": "$""#);
    all::<WaitMode>(&NOOP, r#""sync_info": {"on_wait": [{"id": 1, "mode": "$"}]}"#);
    all::<UpdateMode>(&NOOP, r#""sync_info": {"on_update": [{"id": 1, "mode": "$"}]}"#);
}
