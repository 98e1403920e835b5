//! The family tests against the sets of the specification's prose, written out here as numbers; and the original's masks
//! and byte table against the same sets.

mod built;

use bir_core::ErrorCode;
use bir_core::enums::IrEnum;
use bir_core::enums::bir::{
    AluOpType, ArchLevel, CollectiveKind, CopyMode, DGEType, Dtype, EngineType, IndirectDim, InstructionType as Op,
    MemoryType, MemsetMode, TensorKind,
};
use bir_core::ir::{
    APPair, Argument, DynamicSpec, ExprKind, Function, Instruction, Module, OperandList, OperandSpec, Place,
};
use bir_core::op::family::{self, PREDICATES};
use built::{find, main_of, module_of, opcode, record};
use serde_json::json;

const DMA: [i32; 11] = [18, 19, 22, 32, 41, 42, 43, 44, 45, 46, 67];
const AXI: [i32; 18] = [18, 19, 22, 32, 41, 42, 43, 44, 45, 46, 67, 68, 69, 70, 71, 72, 75, 76];
const RNG: [i32; 7] = [58, 59, 60, 65, 97, 98, 99];
const SR: [i32; 8] = [19, 22, 32, 68, 69, 70, 71, 72];
const PATTERN: [APPair; 2] = [APPair { step: 512, num: 128 }, APPair { step: 1, num: 512 }];

fn passes(name: &str, i: &Instruction) -> bool {
    (family::find(name).unwrap().test)(i).unwrap_or_else(|e| panic!("{name} of {}: {e}", i.name()))
}

fn name_of<E: IrEnum>(number: i32) -> &'static str {
    E::from_ordinal(number.into()).expect("a member").name()
}

/// Every opcode in its default state, and DMACopy, Memset and CollectiveCompute once per value of the field that decides.
/// The second number is that value.
fn variants(module: &Module) -> Vec<(i32, i32, &Instruction)> {
    let mut all = Vec::new();
    let block = main_of(module).find_block("t0").unwrap();
    for number in (0..110).filter(|n| ![10, 32, 48].contains(n)) {
        all.push((number, -1, *block.add_instruction(opcode(number), opcode(number).name(), Place::End).unwrap()));
    }
    for (number, count) in [(10, 2), (32, 4), (48, 11)] {
        all.extend((0..count).map(|sub| (number, sub, find(module, &format!("{number}.{sub}")))));
    }
    all
}

fn with_variants() -> Module {
    let mut records = Vec::new();
    for mode in 0..2 {
        let payload = json!({"mode": name_of::<MemsetMode>(mode), "constant": 0});
        records.push(record(&format!("10.{mode}"), "Memset", payload));
    }
    for mode in 0..4 {
        records.push(record(&format!("32.{mode}"), "DMACopy", json!({"mode": name_of::<CopyMode>(mode)})));
    }
    for kind in 0..11 {
        let payload = json!({"kind": name_of::<CollectiveKind>(kind)});
        records.push(record(&format!("48.{kind}"), "CollectiveCompute", payload));
    }
    module_of(records)
}

/// What the prose says of an instruction without operands, with every other field at its default.
fn expected(name: &str, op: i32, sub: i32) -> bool {
    match name {
        "isTransposeDMA" => op == 71 || (op, sub) == (32, 1),
        "isReplicateDMA" => op == 72 || (op, sub) == (32, 3),
        "isCCEDMA" => op == 70 || (op, sub) == (32, 2),
        "isCopyOrCastDMA" => [19, 22].contains(&op) || (op, sub) == (32, 0),
        "isDMAFamily" => DMA.contains(&op),
        "isQueueAllocated" => DMA.contains(&op) || (47..=50).contains(&op),
        "isQueueBound" => DMA.contains(&op) || (47..=50).contains(&op) || op == 85,
        "isFineGrainCCOp" => op == 48 && sub > 6,
        "isCoarseGrainCCOp" => op == 48 && sub <= 6,
        "isRNGInstruction" => RNG.contains(&op) || (op, sub) == (10, 1),
        "isAxiInstruction" => AXI.contains(&op),
        "isReadVarAddr" => op == 41,
        "isTransposeInstruction" => op == 40 || op == 71 || (op, sub) == (32, 1),
        "readsFullInputBeforeCompute" => op == 35,
        "isMatmulOutputOpcode" => [7, 8, 9, 95].contains(&op),
        // These need operands, or a field that is not at its default.
        "isCopyDMA"
        | "isCastDMA"
        | "isSRDMA"
        | "isSRCopyDMA"
        | "isSRCastDMA"
        | "isIOCopyDMA"
        | "isIOCastDMA"
        | "isRemoteUpdateInstruction"
        | "isHWDGEDMAWithEngineSet"
        | "isDynamicOffsetDMA"
        | "isScalarDynamicOffsetDMA"
        | "isVectorDynamicOffsetDMA"
        | "isDstReduceDGE"
        | "isTensorScalarAddr"
        | "isBitVecInstruction"
        | "canInstReadFromUninitMem"
        | "isCCHavingSBScratchPad" => false,
        _ => panic!("no expectation for {name}"),
    }
}

#[test]
fn every_opcode_and_deciding_field() {
    let module = with_variants();
    let all = variants(&module);
    assert_eq!(all.len(), 107 + 2 + 4 + 11);
    assert_eq!(PREDICATES.len(), 32);
    for test in PREDICATES {
        assert!(std::ptr::eq(family::find(test.name).unwrap(), test), "{} stands twice", test.name);
        for (op, sub, i) in &all {
            assert_eq!(passes(test.name, i), expected(test.name, *op, *sub), "{} of {op}.{sub}", test.name);
        }
    }
    assert_eq!(family::find("isIODMA").unwrap_err().code, ErrorCode::NotFound);
    let error = family::find("isTransposeDma1").unwrap_err();
    assert!(error.expected.contains(", did you mean `isTransposeDMA`? ("), "{error}");
    assert!(all[0].2.is_transpose_dma().is_ok_and(|x| !x));
}

#[test]
fn the_roster_covers_the_published_tests() {
    // Those without a reading, and those of engines, architectures and element types.
    let elsewhere =
        ["isIODMA", "IsAluOpOnPool", "isDataPathEngine", "isX4Dtype", "supportsDMAQoSOnISA", "isArchSupported"];
    for row in bir_core::enums::predicate::PREDICATES {
        let name = row.name.split(' ').next().unwrap();
        assert_eq!(family::find(name).is_ok(), !elsewhere.contains(&name), "{name}");
    }
}

#[test]
fn masks_and_byte_table_agree() {
    let inside = |op: i32, base: i32, last: u32, mask: u64| {
        let d = op.cast_unsigned().wrapping_sub(base.cast_unsigned());
        (d <= last).then(|| mask >> d & 1 == 1)
    };
    let mut bytes = [0_u8; 49];
    for op in [19, 22, 32, 41, 42, 43, 44, 45, 46, 67] {
        bytes[op - 19] = 1;
    }
    let printed = "01 00 00 01 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 01 01 01 01 01 01 00 00 00 00 \
                   00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01";
    let printed: Vec<u8> = printed.split_whitespace().map(|b| b.parse().unwrap()).collect();
    assert_eq!(printed, bytes);
    let module = with_variants();
    for (op, sub, i) in variants(&module) {
        let rng = inside(op, 58, 0x29, 0x380_0000_0085) == Some(true) || op == 59 || (op, sub) == (10, 1);
        assert_eq!(passes("isRNGInstruction", i), rng, "{op}.{sub}");
        // A set bit rejects; outside the window everything is rejected.
        let sr = inside(op, 19, 0x35, 0xFFC1_FFFF_FFFF_DFF6) == Some(false);
        assert_eq!(SR.contains(&op), sr, "{op}");
        let listed = usize::try_from(op - 19).ok().and_then(|d| printed.get(d)) == Some(&1);
        assert_eq!(passes("isDMAFamily", i), listed || op == 18, "{op}");
        let axi = listed || op == 18 || (68..=72).contains(&op) || (75..=76).contains(&op);
        assert_eq!(passes("isAxiInstruction", i), axi, "{op}");
    }
    for engine in EngineType::MEMBERS {
        assert_eq!(family::is_data_path_engine(*engine), 0x6E_u32 >> engine.ordinal() & 1 == 1, "{engine}");
    }
}

/// A location in a set of that kind.
fn in_set(main: &Function, name: &str, kind: TensorKind, memory: MemoryType) {
    let set = main.add_set(name, kind, Dtype::float32, Place::End).unwrap().object;
    set.add_location(name, memory, Place::End).unwrap();
}

fn add<'m>(i: &'m Instruction, main: &'m Function, list: OperandList, name: &str, dtype: Dtype) -> &'m Argument {
    let location = main.find_location(name).expect("a location");
    let spec = OperandSpec::Physical { location, dtype, pattern: &PATTERN, offset: 0 };
    i.add_operand(list, &spec, Place::End).expect("an operand")
}

#[test]
fn element_types_and_tensor_kinds_of_both_ends() {
    let module = with_variants();
    let main = main_of(&module);
    for kind in TensorKind::MEMBERS {
        in_set(main, kind.name(), *kind, MemoryType::DRAM);
    }
    let all = variants(&module);
    for (_, _, i) in &all {
        add(i, main, OperandList::Ins, "Internal", Dtype::float32);
    }
    // One end is not enough.
    for name in ["isCopyDMA", "isCastDMA", "isSRDMA", "isSRCopyDMA", "isSRCastDMA", "isIOCopyDMA", "isIOCastDMA"] {
        assert!(all.iter().all(|(_, _, i)| !passes(name, i)), "{name}");
    }
    for (_, _, i) in &all {
        add(i, main, OperandList::Outs, "Internal", Dtype::float32);
    }
    let kinds = |k: i32| main.find_location(TensorKind::from_ordinal(k.into()).unwrap().name()).unwrap().base();
    for (from, to) in (0..10).flat_map(|f| (0..10).map(move |t| (f, t))) {
        for dtype in [Dtype::float32, Dtype::bfloat16] {
            for (op, sub, i) in &all {
                let ends = [i.ins().next().unwrap(), i.outs().next().unwrap()];
                ends[0].set_storage(kinds(from)).unwrap();
                ends[1].set_storage(kinds(to)).unwrap();
                ends[1].set_dtype(dtype).unwrap();
                let moves = [19, 22].contains(op) || (*op, *sub) == (32, 0);
                let (copy, cast) = (moves && dtype == Dtype::float32, moves && dtype != Dtype::float32);
                let io = from <= 5 || to <= 5;
                let sr = SR.contains(op) && from == 7 && to == 7;
                let wanted = [
                    ("isCopyDMA", copy),
                    ("isCastDMA", cast),
                    ("isIOCopyDMA", copy && io),
                    ("isIOCastDMA", cast && io),
                    ("isSRDMA", sr),
                    ("isSRCopyDMA", sr && copy),
                    ("isSRCastDMA", sr && cast),
                    ("isCopyOrCastDMA", moves),
                    ("isDynamicOffsetDMA", false),
                ];
                for (name, expected) in wanted {
                    assert_eq!(passes(name, i), expected, "{name} of {op}.{sub}, {from} to {to}, {dtype}");
                }
            }
        }
    }
}

#[test]
fn hardware_descriptors_with_an_engine() {
    let names = DMA.map(|n| (n, opcode(n).name()));
    let mut records = Vec::new();
    for (number, name) in names.iter().filter(|n| n.0 != 18) {
        for dge in 0..4 {
            let mut payload = json!({"dge_type": name_of::<DGEType>(dge)});
            match number {
                32 => payload["mode"] = json!("Copy"),
                46 => (payload["num_indices"], payload["entry_step_elements"]) = (json!(1), json!(1)),
                67 => (payload["queue"], payload["dma_blocks"]) = (json!("q0"), json!(["d0"])),
                _ => {}
            }
            records.push(record(&format!("{number}.{dge}"), name, payload));
        }
    }
    let module = module_of(records);
    for (number, _) in names.iter().filter(|n| n.0 != 18) {
        for dge in 0..4 {
            let i = find(&module, &format!("{number}.{dge}"));
            for engine in EngineType::MEMBERS {
                i.set_engine(*engine);
                let wanted = dge == 2 && engine.ordinal() != 0;
                assert_eq!(passes("isHWDGEDMAWithEngineSet", i), wanted, "{number} {dge} {engine}");
            }
        }
    }
}

#[test]
fn remote_updates() {
    let block = |name, list: &[u32]| record(name, "DMABlock", json!({"blocks": [], "remote_notifications": list}));
    let module = module_of(vec![block("none", &[]), block("some", &[3])]);
    for (name, sync, wanted) in
        [("none", false, false), ("none", true, false), ("some", false, false), ("some", true, true)]
    {
        let i = find(&module, name);
        i.set_sync_info(sync).unwrap();
        assert_eq!(i.is_remote_update_instruction(), Ok(wanted), "{name} {sync}");
    }
    let trigger = main_of(&module).find_block("t0").unwrap().add_instruction(Op::NoOp, "n", Place::End).unwrap();
    trigger.set_sync_info(true).unwrap();
    assert_eq!(trigger.is_remote_update_instruction(), Ok(false));
}

#[test]
fn bit_vector_operations() {
    let bit_vec = |op: i32| [1, 2, 3, 10, 11, 12, 16, 17].contains(&op);
    let count = i32::try_from(AluOpType::MEMBERS.len()).unwrap();
    let mut records = Vec::new();
    let mut wanted = Vec::new();
    for (op0, op1) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
        let (n0, n1) = (name_of::<AluOpType>(op0), name_of::<AluOpType>(op1));
        for opcode in ["TensorScalar", "TensorScalarPtr", "TensorScalarCache"] {
            let mut payload = json!({"op0": n0, "op1": n1, "reverse0": false, "reverse1": false});
            if opcode == "TensorScalar" {
                (payload["const0"], payload["const1"]) = (json!(0), json!(0));
            }
            records.push(record(&format!("{opcode}.{op0}.{op1}"), opcode, payload));
            let both = [op0, op1];
            wanted.push(both.iter().all(|o| *o == 0 || bit_vec(*o)) && both.iter().any(|o| bit_vec(*o)));
        }
        if op1 == 0 {
            records.push(record(&format!("TensorTensor.{op0}"), "TensorTensor", json!({"op": n0})));
            records.push(record(&format!("TensorReduce.{op0}"), "TensorReduce", json!({"op": n0, "axis": "X"})));
            // The register ALU has no bit vectors.
            records.push(record(&format!("RegisterAlu.{op0}"), "RegisterAlu", json!({"op": n0})));
            wanted.extend([bit_vec(op0), bit_vec(op0), false]);
        }
    }
    let module = module_of(records);
    let block = main_of(&module).find_block("entry").unwrap();
    assert_eq!(block.instruction_count(), wanted.len());
    for (i, wanted) in block.instructions().zip(wanted) {
        assert_eq!(passes("isBitVecInstruction", i), wanted, "{}", i.name());
    }
}

#[test]
fn flags_and_expressions() {
    let expression = json!({"kind": "AffExprKind", "terms": [], "c": 1});
    let op = json!({"op0": "add", "op1": "bypass", "reverse0": false, "reverse1": false});
    let merge = |base: &serde_json::Value, key: &str, value: serde_json::Value| {
        let mut all = base.clone();
        all[key] = value;
        all
    };
    let cases = [
        ("isTensorScalarAddr", "TensorScalarPtr", op.clone(), "is_tensor_scalar_addr"),
        ("isTransposeInstruction", "TensorScalarPtr", op, "apply_transpose"),
        ("isTransposeInstruction", "TensorReduce", json!({"op": "add", "axis": "X"}), "apply_transpose"),
        ("isTransposeInstruction", "BNStats", json!({}), "apply_transpose"),
        ("isTransposeInstruction", "Matmult", json!({}), "is_transpose"),
        ("isTransposeInstruction", "MatmultMx", json!({}), "is_transpose"),
        ("canInstReadFromUninitMem", "TensorCopy", json!({}), "can_read_uninit"),
        ("canInstReadFromUninitMem", "Load", json!({}), "can_read_uninit"),
        ("canInstReadFromUninitMem", "GenericCopy", json!({}), "can_read_uninit"),
        ("canInstReadFromUninitMem", "DMADescriptorCopy", json!({}), "can_read_uninit"),
    ];
    for (test, opcode, base, key) in cases {
        let module = module_of(vec![
            record("no", opcode, merge(&base, key, json!(false))),
            record("yes", opcode, merge(&base, key, json!(true))),
            record("maybe", opcode, merge(&base, key, expression.clone())),
        ]);
        assert!(!passes(test, find(&module, "no")), "{test} {opcode}");
        assert!(passes(test, find(&module, "yes")), "{test} {opcode}");
        let error = (family::find(test).unwrap().test)(find(&module, "maybe")).unwrap_err();
        assert_eq!(error.code, ErrorCode::WrongKind, "{error}");
        assert!(error.message.contains(key) && error.message.contains("maybe"), "{error}");
    }
}

#[test]
fn run_time_offsets() {
    let ops = json!({"mode": "CCE", "cce_op": "add"});
    let module = module_of(vec![
        record("copy", "DMACopy", json!({"mode": "Copy"})),
        record("reduce", "DMACopy", ops),
        record("load", "Load", json!({})),
        record("tensor", "TensorCopy", json!({})),
    ]);
    let main = main_of(&module);
    let indirect = module.expression(module.leaf(ExprKind::IndirectArgId, 0, 0).unwrap()).unwrap();
    let deep = module.sum(&[module.affine(&[(indirect.root().unwrap(), 4)], 1).unwrap()]).unwrap();
    let deep = module.expression(module.unary(ExprKind::MultKind, deep, 2, 0).unwrap()).unwrap();
    let register = main.find_register("r0").unwrap();
    let runtime = module.expression(module.register_value(register).unwrap()).unwrap();
    let dynamic = |expr| {
        move |argument: &Argument| {
            let terms = [(expr, 1)];
            let spec = DynamicSpec {
                actual_ap: &PATTERN,
                aff_expr: &terms,
                c: 0,
                indirect_dim: IndirectDim::MEMBERS[0],
                indirect_dim_max_index: 0,
            };
            argument.set_dynamic(Some(&spec)).unwrap();
        }
    };
    let set = main.find_set("a_set").unwrap();
    // Fixed, scalar, vector.
    let shapes: [(&str, bool, bool); 5] = [
        ("fixed", false, false),
        ("runtime", true, false),
        ("register", true, false),
        ("indirect", false, true),
        ("symbolic", false, true),
    ];
    let operand = |i: &Instruction, list: OperandList, shape: &str| {
        let dtype = Dtype::float32;
        match shape {
            "register" => {
                let spec = OperandSpec::RegisterPattern {
                    set,
                    dtype,
                    pattern: &PATTERN,
                    register,
                    offset_register: None,
                    sub_tensor_register: None,
                };
                i.add_operand(list, &spec, Place::End).unwrap();
            }
            "symbolic" => {
                let spec = OperandSpec::Symbolic { set, dtype, pattern: &PATTERN, addrs: &[] };
                i.add_operand(list, &spec, Place::End).unwrap().set_tensor_indirection(0, 1).unwrap();
            }
            _ => {
                let argument = add(i, main, list, "a", dtype);
                match shape {
                    "runtime" => dynamic(runtime)(argument),
                    "indirect" => dynamic(deep)(argument),
                    _ => {}
                }
            }
        }
    };
    for name in ["copy", "reduce", "load", "tensor"] {
        let i = find(&module, name);
        for (from, from_scalar, from_vector) in shapes {
            for (to, to_scalar, to_vector) in shapes {
                operand(i, OperandList::Ins, from);
                operand(i, OperandList::Outs, to);
                // Only the first of each list counts.
                operand(i, OperandList::Ins, "indirect");
                operand(i, OperandList::Outs, "runtime");
                let is_dma = name != "tensor";
                let (scalar, vector) = (is_dma && (from_scalar || to_scalar), is_dma && (from_vector || to_vector));
                let what = format!("{name} {from} {to}");
                assert_eq!(i.is_scalar_dynamic_offset_dma(), Ok(scalar), "{what}");
                assert_eq!(i.is_vector_dynamic_offset_dma(), Ok(vector), "{what}");
                assert_eq!(i.is_dynamic_offset_dma(), Ok(scalar || vector), "{what}");
                assert_eq!(i.is_dst_reduce_dge(), Ok(name == "reduce" && to_vector), "{what}");
                OperandList::ALL
                    .into_iter()
                    .flat_map(|l| i.operands(l).collect::<Vec<_>>())
                    .for_each(|a| a.erase().unwrap());
            }
        }
    }
}

#[test]
fn scratch_pads_of_collectives() {
    let module = module_of(vec![
        record("cc", "CollectiveCompute", json!({})),
        record("tt", "TensorTensor", json!({"op": "add"})),
    ]);
    let main = main_of(&module);
    for (outs, wanted) in [
        (&["a"][..], false),
        (&["a", "b"], true),
        (&["a", "x"], false),
        (&["x", "y"], false),
        (&["a", "b", "c"], false),
        (&["a", "p"], false),
    ] {
        for (name, wanted) in [("cc", wanted), ("tt", false)] {
            let i = find(&module, name);
            let made: Vec<_> = outs.iter().map(|o| add(i, main, OperandList::Outs, o, Dtype::float32)).collect();
            assert_eq!(i.is_cc_having_sb_scratch_pad(), Ok(wanted), "{name} {outs:?}");
            made.into_iter().for_each(|a| a.erase().unwrap());
        }
    }
    // A set counts by its first location.
    let i = find(&module, "cc");
    for set in ["a_set", "b_set"] {
        let set = main.find_set(set).unwrap();
        let spec = OperandSpec::Symbolic { set, dtype: Dtype::float32, pattern: &PATTERN, addrs: &[] };
        i.add_operand(OperandList::Outs, &spec, Place::End).unwrap();
    }
    assert_eq!(i.is_cc_having_sb_scratch_pad(), Ok(true));
}

#[test]
fn kinds_engines_and_architectures() {
    for kind in TensorKind::MEMBERS {
        let k = kind.ordinal();
        let groups = [
            family::is_external_input_kind(*kind),
            family::is_input_kind(*kind),
            family::is_external_output_kind(*kind),
            family::is_output_kind(*kind),
        ];
        let wanted = [[0, 1].contains(&k), [0, 1, 2].contains(&k), [3, 4].contains(&k), [3, 4, 5].contains(&k)];
        assert_eq!(groups, wanted, "{kind}");
    }
    let engines: Vec<_> = EngineType::MEMBERS.iter().filter(|e| family::is_data_path_engine(**e)).collect();
    assert_eq!(engines.iter().map(|e| e.ordinal()).collect::<Vec<_>>(), [1, 2, 3, 5, 6]);
    for arch in ArchLevel::MEMBERS {
        assert_eq!(family::supports_dma_qos_on_isa(*arch), arch.ordinal() > 29, "{arch}");
    }
    let x4: Vec<_> = Dtype::MEMBERS.iter().filter(|d| family::is_x4_dtype(**d)).map(|d| d.ordinal()).collect();
    assert_eq!(x4, [2, 8, 9]);
}
