//! Missing keys, names that are no members of their enum, and numbers out of range, at every level (`spec/bir-json.md`
//! sections 3 to 8).

mod doc_support;

use bir_core::ErrorCode::{self, *};
use bir_core::op::{OPCODES, Presence, Slot};
use doc_support::*;

/// Parts of documents with a mark before the object that lacks a key, its path, the key.
#[track_caller]
fn check_missing(frame: &Frame, rows: &[(&'static str, &'static str, &str)]) {
    for (part, path, key) in rows {
        let (text, path, offset) = frame.fill(part, path);
        let e = load(&text).err().unwrap_or_else(|| panic!("{part} was read"));
        let found = (e.code, e.path.as_str(), e.message.as_str(), e.expected.as_str(), e.found.as_str());
        assert_eq!(found, (MissingKey, path.as_str(), "", format!("`{key}`").as_str(), ""), "{part}: {e}");
        assert_eq!(e.position.map(|p| p.offset as usize), offset, "{part}: {e}");
    }
}

#[test]
#[rustfmt::skip]
fn required_keys() {
    check_missing(&DOCUMENT, &[
        (r#"¦{"arch": "gen3", "functions": []}"#, "", "version"),
        (r#"¦{"version": 2, "functions": []}"#, "", "arch"),
        (r#"¦{"version": 2, "arch": "gen3"}"#, "", "functions"),
        (r#" ¦{"version": null, "arch": "gen3", "functions": []}"#, "", "version"),
    ]);
    check_missing(&FUNCTION, &[
        (r#"¦{"allocations": [], "blocks": []}"#, "", "name"),
        (r#"¦{"name": "f", "blocks": []}"#, "", "allocations"),
        (r#"¦{"name": "f", "allocations": []}"#, "", "blocks"),
        // Blocks that come first are not the cause.
        (r#"¦{"blocks": [{"name": "b", "instructions": []}], "name": "f"}"#, "", "allocations"),
        (r#"¦{"blocks": [{"name": "b", "instructions": []}], "allocations": []}"#, "", "name"),
    ]);
    check_missing(&BLOCK, &[
        (r#"¦{"instructions": []}"#, "", "name"),
        (r#"¦{"name": "b"}"#, "", "instructions"),
    ]);
    check_missing(&QUEUE, &[(r#"¦{"type": "data"}"#, "", "name")]);
    check_missing(&ALLOCATIONS, &[
        (r#"¦{"kind": "Const", "dtype": "int8", "memorylocations": []}"#, "[0]", "name"),
        (r#"¦{"name": "s", "dtype": "int8", "memorylocations": []}"#, "[0]", "kind"),
        (r#"¦{"name": "s", "kind": "Const", "memorylocations": []}"#, "[0]", "dtype"),
        (r#"¦{"Skind": "memory_location_set", "name": "s", "kind": "Const", "dtype": "int8"}"#, "[0]", "memorylocations"),
        (r#"¦{"Skind": "register"}"#, "[0]", "name"),
        (r#"¦{}"#, "[0]", "name"),
    ]);
    check_missing(&LOCATIONS, &[
        (r#"¦{"type": "SB", "dims": [1]}"#, "[0]", "name"),
        (r#"¦{"name": "x", "dims": [1]}"#, "[0]", "type"),
        (r#"¦{"name": "x", "type": "SB"}"#, "[0]", "dims"),
    ]);
    check_missing(&INSTRUCTIONS, &[
        (r#"¦{"opcode": "NoOp"}"#, "[0]", "name"),
        (r#"¦{"name": "i"}"#, "[0]", "opcode"),
        (r#"¦{"name": "i", "opcode": "Loop", "blocks": []}"#, "[0]", "LoopAxis"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": ¦{"lb": 0, "ub": 1, "stride": 1}}"#, "[0].LoopAxis", "name"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": ¦{"name": "j", "ub": 1, "stride": 1}}"#, "[0].LoopAxis", "lb"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": ¦{"name": "j", "lb": 0, "stride": 1}}"#, "[0].LoopAxis", "ub"),
        (r#"{"name": "i", "opcode": "Loop", "LoopAxis": ¦{"name": "j", "lb": 0, "ub": 1}}"#, "[0].LoopAxis", "stride"),
        (r#"{"name": "i", "opcode": "DynamicForLoop", "DynamicForLoopAxis": ¦{"lb": 0}}"#,
            "[0].DynamicForLoopAxis", "name"),
        (r#"{"name": "i", "opcode": "Iota", "pattern": [¦{"num": 1}]}"#, "[0].pattern[0]", "step"),
        (r#"{"name": "i", "opcode": "Iota", "pattern": [[1, 1], ¦{"step": 1}]}"#, "[0].pattern[1]", "num"),
    ]);
    check_missing(&NOOP, &[
        (r#""dependencies": [¦{"kind": "Flow"}]"#, ".dependencies[0]", "id"),
        (r#""sync_info": {"on_wait": [¦{"wait_value": 1}]}"#, ".sync_info.on_wait[0]", "id"),
        (r#""sync_info": {"on_update": [{"id": 1}, ¦{}]}"#, ".sync_info.on_update[1]", "id"),
        (r#""predicates": [¦{"op": "ge"}]"#, ".predicates[0]", "expr"),
        (r#""outs": [¦{"dtype": "int8"}]"#, ".outs[0]", "kind"),
    ]);
    check_missing(&OPERAND, &[
        (r#"¦{"kind": "physical_ap", "ap": [[1, 8]], "memref": "x"}"#, "", "dtype"),
        (r#"¦{"kind": "physical_ap", "dtype": "int8", "memref": "x"}"#, "", "ap"),
        (r#"¦{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]]}"#, "", "memref"),
        (r#"¦{"kind": "symbolic_ap", "ap": [[1, 8]], "memsetref": "s"}"#, "", "dtype"),
        (r#"¦{"kind": "symbolic_ap", "dtype": "int8", "memsetref": "s"}"#, "", "ap"),
        (r#"¦{"kind": "symbolic_pwap", "dtype": "int8", "ap": [[1, 8]]}"#, "", "memsetref"),
        (r#"¦{"kind": "register_ap", "ap": [[1, 8]], "memsetref": "s", "regref": "r"}"#, "", "dtype"),
        (r#"¦{"kind": "register_ap", "dtype": "int8", "memsetref": "s", "regref": "r"}"#, "", "ap"),
        (r#"¦{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "regref": "r"}"#, "", "memsetref"),
        (r#"¦{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s"}"#, "", "regref"),
        (r#"¦{"kind": "imm_value", "value": 1}"#, "", "dtype"),
        (r#"¦{"kind": "imm_value", "dtype": "int8"}"#, "", "value"),
        (r#"¦{"kind": "imm_array", "value_array": []}"#, "", "dtype"),
        (r#"¦{"kind": "imm_array", "dtype": "int8"}"#, "", "value_array"),
        (r#"¦{"kind": "symbolic_imm_value"}"#, "", "dtype"),
        (r#"{"kind": "symbolic_imm_value", "dtype": "int8", "value_list": [¦{}]}"#, ".value_list[0]", "value"),
        (r#"¦{"kind": "register_access", "regref": "r"}"#, "", "dtype"),
        (r#"¦{"kind": "register_access", "dtype": "int8"}"#, "", "regref"),
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "dynamic_ap_info": {"aff_expr": [¦{}]}}"#,
            ".dynamic_ap_info.aff_expr[0]", "offset_expr"),
    ]);
    check_missing(&EXPRESSION, &[
        (r#"{"kind": "AffExprKind", "terms": [¦{"coeff": 1}]}"#, ".terms[0]", "idx"),
        (r#"¦{"kind": "AffIVKind"}"#, "", "axis"),
        (r#"¦{"kind": "ShardIDKind"}"#, "", "ub"),
        (r#"¦{"kind": "IntRuntimeValueKind"}"#, "", "regref"),
        (r#"¦{"kind": "MultKind", "scale": 1}"#, "", "var"),
        (r#"¦{"kind": "MultKind", "var": {}}"#, "", "scale"),
        (r#"¦{"kind": "FloorDivKind", "denom": 1}"#, "", "numer"),
        (r#"¦{"kind": "FloorDivKind", "numer": {}}"#, "", "denom"),
        (r#"¦{"kind": "ModuloKind", "denom": 1}"#, "", "numer"),
        (r#"¦{"kind": "ModuloKind", "numer": {}}"#, "", "denom"),
        (r#"¦{"kind": "CCDivKind", "denom": 1}"#, "", "numer"),
        (r#"¦{"kind": "CCDivKind", "numer": {}}"#, "", "denom"),
        (r#"¦{"kind": "IndirectArgId"}"#, "", "arg_id"),
        (r#"{"terms": [¦{"coef": 1}]}"#, ".terms[0]", "AxisLabel"),
        (r#"¦{"op": "Mod"}"#, "", "op_param"),
        (r#"¦{"op": "Div"}"#, "", "op_param"),
        (r#"¦{"op": "CCGetRank"}"#, "", "op_param"),
        (r#"¦{"op": "IndirectArgId"}"#, "", "op_param"),
    ]);
}

/// Without any payload, the first required field of each opcode is missed.
#[test]
fn the_first_required_key_of_each_opcode() {
    let mut checked = 0;
    for opcode in OPCODES {
        let Some(first) = opcode.fields.iter().find(|f| f.presence == Presence::Required) else { continue };
        let part = format!(r#"¦{{"name": "i", "opcode": "{}"}}"#, opcode.name);
        let (text, path, offset) = INSTRUCTIONS.fill(&part, "[0]");
        let e = load(&text).err().unwrap_or_else(|| panic!("{part} was read"));
        let place = e.position.map(|p| p.offset as usize);
        assert_eq!((e.code, e.path, e.expected, place), (MissingKey, path, format!("`{}`", first.key), offset));
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}

/// Parts of documents with a mark before the name `zz`, its path, the enum.
#[track_caller]
fn check_enums(frame: &Frame, rows: &[(&str, &str, &str)]) {
    for (part, path, name) in rows {
        let (text, path, offset) = frame.fill(part, path);
        let e = load(&text).err().unwrap_or_else(|| panic!("{part} was read"));
        assert_eq!((e.code, e.path.as_str(), e.found.as_str()), (UnknownEnum, path.as_str(), "`zz`"), "{part}: {e}");
        assert!(e.expected.starts_with(&format!("a member of {name}")), "{part}: {e}");
        assert!(e.message.contains("Unknown"), "{part}: {e}");
        assert_eq!(e.position.map(|p| p.offset as usize), offset, "{part}: {e}");
    }
}

#[test]
#[rustfmt::skip]
fn names_of_enums() {
    check_enums(&DOCUMENT, &[(r#"{"arch": ¦"zz"}"#, "arch", "ArchLevel")]);
    check_enums(&MODULE, &[
        (r#""revision": ¦"zz""#, "revision", "ArchRevision"),
        (r#""attributes": {"zz": ¦0}"#, "attributes.zz", "ModuleAttribute"),
    ]);
    check_enums(&FUNCTION, &[(r#"{"origin": ¦"zz"}"#, ".origin", "NamedObjectOrigin")]);
    check_enums(&BLOCK, &[(r#"{"origin": ¦"zz"}"#, ".origin", "NamedObjectOrigin")]);
    check_enums(&QUEUE, &[
        (r#"{"name": "q", "origin": ¦"zz"}"#, ".origin", "NamedObjectOrigin"),
        (r#"{"name": "q", "type": ¦"zz"}"#, ".type", "DMAQueueType"),
        (r#"{"name": "q", "engine": ¦"zz"}"#, ".engine", "EngineType"),
    ]);
    check_enums(&ALLOCATIONS, &[
        (r#"{"name": "s", "kind": ¦"zz", "memorylocations": []}"#, "[0].kind", "TensorKind"),
        (r#"{"name": "s", "kind": "Const", "dtype": ¦"zz", "memorylocations": []}"#, "[0].dtype", "Dtype"),
        (r#"{"Skind": "register", "name": "r", "dtype": ¦"zz"}"#, "[0].dtype", "Dtype"),
        (r#"{"Skind": "register", "name": "r", "origin": ¦"zz"}"#, "[0].origin", "NamedObjectOrigin"),
    ]);
    check_enums(&SET, &[
        (r#""tensor_class": ¦"zz""#, ".tensor_class", "TensorClass"),
        (r#""addr_space": ¦"zz""#, ".addr_space", "MemoryAddressSpace"),
        (r#""origin": ¦"zz""#, ".origin", "NamedObjectOrigin"),
    ]);
    check_enums(&LOCATIONS, &[(r#"{"name": "x", "type": ¦"zz", "dims": []}"#, "[0].type", "MemoryType")]);
    check_enums(&LOCATION, &[(r#""origin": ¦"zz""#, ".origin", "NamedObjectOrigin")]);
    check_enums(&NOOP, &[
        (r#""origin": ¦"zz""#, ".origin", "NamedObjectOrigin"),
        (r#""engine": ¦"zz""#, ".engine", "EngineType"),
        (r#""dependencies": [["k", ¦"zz"]]"#, ".dependencies[0][1]", "EdgeKind"),
        (r#""sync_info": {"on_wait": [{"mode": ¦"zz"}]}"#, ".sync_info.on_wait[0].mode", "WaitMode"),
        (r#""sync_info": {"on_update": [{"mode": ¦"zz"}]}"#, ".sync_info.on_update[0].mode", "UpdateMode"),
    ]);
    check_enums(&OPERAND, &[
        (r#"{"dtype": ¦"zz"}"#, ".dtype", "Dtype"),
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "dynamic_ap_info": {"indirect_dim": ¦"zz"}}"#,
            ".dynamic_ap_info.indirect_dim", "IndirectDim"),
    ]);
    check_enums(&INSTRUCTIONS, &[
        (r#"{"name": "i", "opcode": "GenericIndirectLoad", "indirect_dims": ["X", ¦"zz"]}"#,
            "[0].indirect_dims[1]", "IndirectDim"),
    ]);
}

/// Every enum field of every opcode.
#[test]
fn names_of_payload_enums() {
    let mut checked = 0;
    for opcode in OPCODES {
        for field in opcode.fields {
            let Slot::Enum(id) = field.slot else { continue };
            let part = format!(r#"{{"name": "i", "opcode": "{}", "{}": ¦"zz"}}"#, opcode.name, field.key);
            check_enums(&INSTRUCTIONS, &[(&part, &format!("[0].{}", field.key), id.info().name)]);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

#[test]
#[rustfmt::skip]
fn other_names_and_numbers_of_enums() {
    check(&ALLOCATIONS, &[
        (r#"{"Skind": ¦"memory_location", "name": "x"}"#, UnknownEnum, "[0].Skind", "unknown storage kind",
            "`memory_location_set` or `register`", "`memory_location`"),
    ]);
    check(&LOCATIONS, &[
        (r#"{"name": "x", "type": "SB", "dims": [1], "Skind": ¦"register"}"#, UnknownEnum, "[0].Skind", "unknown storage kind",
            "`memory_location`", "`register`"),
        (r#"{"name": "x", "type": ¦3, "dims": [1]}"#, UnknownEnum, "[0].type", "Unknown memory type",
            "an ordinal of MemoryType: 1, 2, 4, 8, 16, 32, 64, 128", "3"),
    ]);
    check(&OPERAND, &[
        (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "dynamic_ap_info": {"indirect_dim": ¦4}}"#,
            UnknownEnum, ".dynamic_ap_info.indirect_dim", "Unknown IndirectDim", "an ordinal of IndirectDim, 0..=3", "4"),
    ]);
    check(&INSTRUCTIONS, &[
        (r#"{"name": "i", "opcode": ¦"NoOpp"}"#, UnknownEnum, "[0].opcode", "corrupt IR: Unknown opcode",
            "a member of InstructionType, did you mean `NoOp`? (Generic, GenericCopy, GenericRelu, AbstractCopy, Activation, ReadActivationAccumulator, LoadActFuncSet, MatmultBase, Matmult, MatmultSparse, Memset, GetGlobalRankId, ... 110 in all)",
            "`NoOpp`"),
        (r#"{"name": "i", "opcode": ¦10}"#, WrongType, "[0].opcode", "corrupt IR: an opcode is written by its name", "\"Memset\"", "10"),
        (r#"{"name": "i", "opcode": "InlineASMBytes", "asm_bytes": [255, ¦256]}"#,
            BadValue, "[0].asm_bytes[1]", "the number is out of range", "0 to 255", "256"),
        (r#"{"name": "i", "opcode": ¦110}"#, WrongType, "[0].opcode", "corrupt IR: an opcode is written by its name",
            "the name of an opcode", "110"),
    ]);
    // Rosters that are incomplete: other names are kept.
    let kept = load(r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "attributes": ["zz"], "allocations": [], "blocks": [
        {"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "optin_passes": ["yy"]}]}]}]}"#).unwrap();
    let text = written(&kept.module);
    assert!(text.contains("\"zz\"") && text.contains("\"yy\""), "{text}");
}

/// A part of a document with `$` for a number, its path, the smallest and the largest that fits.
#[track_caller]
fn check_range(frame: &Frame, rows: &[(&'static str, &'static str, i128, i128)]) {
    for &(part, path, min, max) in rows {
        for (value, fits) in [(min - 1, false), (min, true), (max, true), (max + 1, false)] {
            let (text, path, offset) = frame.fill(&part.replacen('$', &format!("¦{value}"), 1), path);
            // Beyond 64 bits a JSON number is no integer any more.
            let integer = i128::from(i64::MIN) <= value && value <= i128::from(u64::MAX);
            match (load(&text), fits) {
                (Ok(_), true) => {}
                (Ok(_), false) => panic!("{part} was read with {value}"),
                (Err(e), _) => {
                    assert!(!fits, "{part}, {value}: {e}");
                    let code = if integer { BadValue } else { WrongType };
                    assert_eq!((e.code, e.path.as_str()), (code, path.as_str()), "{e}");
                    if integer {
                        assert_eq!((e.expected, e.found), (format!("{min} to {max}"), value.to_string()), "{part}");
                    }
                    assert_eq!(e.position.map(|p| p.offset as usize), offset, "{part}");
                }
            }
        }
    }
}

#[test]
#[rustfmt::skip]
fn ranges_of_integers() {
    const U32: (i128, i128) = (0, u32::MAX as i128);
    const U64: (i128, i128) = (0, u64::MAX as i128);
    const I32: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);
    const I64: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
    check_range(&QUEUE, &[
        (r#"{"name": "q", "engine_id": $}"#, ".engine_id", U32.0, U32.1),
        (r#"{"name": "q", "num_dma_engines": $}"#, ".num_dma_engines", U32.0, U32.1),
    ]);
    check_range(&ALLOCATIONS, &[
        (r#"{"Skind": "register", "name": "r", "num_physical_regs": $}"#, "[0].num_physical_regs", I32.0, I32.1),
    ]);
    check_range(&SET, &[
        (r#""tensor_shape": [$]"#, ".tensor_shape[0]", U64.0, U64.1),
        (r#""partition_dim": $"#, ".partition_dim", I32.0, I32.1),
        (r#""tensorId2MemLocSize": $"#, ".tensorId2MemLocSize", 0, I64.1),
    ]);
    check_range(&LOCATIONS, &[(r#"{"name": "x", "type": "SB", "dims": [1, $]}"#, "[0].dims[1]", U32.0, U32.1)]);
    check_range(&LOCATION, &[
        (r#""addr": $"#, ".addr", U64.0, U64.1),
        (r#""base": $"#, ".base", U32.0, U32.1),
        (r#""bank": $"#, ".bank", I64.0, I64.1),
        (r#""tensor_id": $"#, ".tensor_id", I32.0, I32.1),
        (r#""var_id": $"#, ".var_id", I32.0, I32.1),
        (r#""table_entry_id": $"#, ".table_entry_id", I32.0, I32.1),
        (r#""memLocSetId": $"#, ".memLocSetId", I32.0, I32.1),
        (r#""remote_local_target": ["x", $]"#, ".remote_local_target[1]", U32.0, U32.1),
    ]);
    check_range(&NOOP, &[
        (r#""engine_id": $"#, ".engine_id", U32.0, U32.1),
        (r#""scheduled_start": $"#, ".scheduled_start", I64.0, I64.1),
        (r#""scheduled_end": $"#, ".scheduled_end", I64.0, I64.1),
        (r#""sync_info": {"on_wait": [{"id": $}]}"#, ".sync_info.on_wait[0].id", U32.0, U32.1),
        (r#""sync_info": {"on_wait": [{"id": 1, "wait_value": $}]}"#, ".sync_info.on_wait[0].wait_value", U32.0, U32.1),
        (r#""sync_info": {"on_wait": [{"id": 1, "sync_type": $}]}"#, ".sync_info.on_wait[0].sync_type", I32.0, I32.1),
        (r#""sync_info": {"on_update": [{"id": 1, "update_value": $}]}"#,
            ".sync_info.on_update[0].update_value", U32.0, U32.1),
        (r#""sync_info": {"on_update": [{"id": 1, "target_core": $}]}"#,
            ".sync_info.on_update[0].target_core", U32.0, U32.1),
    ]);
    check_range(&OPERAND, &[
        (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [[1, $]]}"#, ".ap[0][1]", I64.0, I64.1),
        (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [[1, 1]], "offset": $}"#, ".offset", U64.0, U64.1),
        (r#"{"kind": "imm_value", "dtype": "int8", "value": $}"#, ".value", -128, 127),
        (r#"{"kind": "imm_value", "dtype": "uint8", "value": $}"#, ".value", 0, 255),
        (r#"{"kind": "imm_value", "dtype": "int16", "value": $}"#, ".value", -32768, 32767),
        (r#"{"kind": "imm_value", "dtype": "uint32", "value": $}"#, ".value", U32.0, U32.1),
        (r#"{"kind": "imm_value", "dtype": "int64", "value": $}"#, ".value", I64.0, I64.1),
        (r#"{"kind": "imm_value", "dtype": "uint64", "value": $}"#, ".value", U64.0, U64.1),
        (r#"{"kind": "imm_array", "dtype": "int8", "value_array": [$]}"#, ".value_array[0]", I64.0, I64.1),
    ]);
    check_range(&EXPRESSION, &[
        (r#"{"kind": "AffExprKind", "c": $}"#, ".c", I64.0, I64.1),
        (r#"{"c": $}"#, ".c", I64.0, I64.1),
    ]);
}

/// Forms with a fixed number of elements.
#[test]
#[rustfmt::skip]
fn numbers_of_elements() {
    const EDGE: &str = "[name, kind]";
    const UNROLL: &str = "[name, kind, [affine...], [predicate...]]";
    const W: ErrorCode = WrongType;
    check(&NOOP, &[
        (r#""dependencies": [¦[]]"#, W, ".dependencies[0]", "", EDGE, "0 elements"),
        (r#""dependencies": [¦["k", "Flow", 1]]"#, W, ".dependencies[0]", "", EDGE, "3 elements"),
        (r#""unroll_dependencies": [¦[]]"#, W, ".unroll_dependencies[0]", "", UNROLL, "no elements"),
        (r#""unroll_dependencies": [["k", "Flow", [], [], ¦1]]"#,
            W, ".unroll_dependencies[0][4]", "", "at most four elements", "more"),
    ]);
    check(&LOCATION, &[
        (r#""remote_local_target": ¦["x"]"#, W, ".remote_local_target", "", "[name, number]", "1 elements"),
        (r#""remote_local_target": ¦["x", 1, 2]"#, W, ".remote_local_target", "", "[name, number]", "3 elements"),
    ]);
    check(&INSTRUCTIONS, &[
        (r#"{"name": "i", "opcode": "Matmult", "tile_size": ¦[1]}"#, W, "[0].tile_size", "", "two values", "1"),
        (r#"{"name": "i", "opcode": "BIRKernel", "psum_buf_shape": ¦[1, [2]]}"#, W, "[0].psum_buf_shape", "", "3 numbers", "2"),
        (r#"{"name": "i", "opcode": "CustomOp", "srcsShape": ¦[[1], 2]}"#, W, "[0].srcsShape", "shapes and numbers are mixed", "", ""),
    ]);
}
