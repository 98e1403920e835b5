//! Every KLR file of the reference collection, lowered: the opcodes of each statement or its error are those that
//! `expected-lowering.json` derives from the rules, and what comes out is a document that reads back equal.
mod klr_common;
use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use bir_core::enums::bir::{ArchLevel, Dtype, EdgeKind, MemoryAddressSpace, MemoryType, NamedObjectOrigin, TensorKind};
use bir_core::ir::{EdgeSet, Function, Module, difference};
use bir_core::klr::{Arena, DecodeOptions, decode};
use bir_core::lower::{LowerOptions, Lowered, Severity, lower_file};
use klr_common::files;
use serde_json::Value;

fn options(core_id: Option<u32>) -> LowerOptions {
    LowerOptions { core_id, ..LowerOptions::default() }
}

fn file(name: &str) -> Vec<u8> {
    klr_common::read("schema-2.24", &format!("{name}.klr"))
}

fn lower(bytes: &[u8], options: &LowerOptions) -> Lowered {
    let arena = Arena::new();
    let file = decode(bytes, &arena, &DecodeOptions::default()).unwrap();
    lower_file(&file, options).unwrap()
}

/// The derived expectation. Two rows contradict the rules, and `spec/lowering.toml` wins on the single operator: inst.12 of
/// `06_dma` is a `dmaCompute` with reduceOp max (`dma_compute_reduce` asks for add), inst.8 of `13_collectives` an `allReduce`
/// over a named group (`cc_groups`, and `spec/lowering.md` section 11 number 14).
fn expected() -> Value {
    let mut all: Value = serde_json::from_slice(&klr_common::read("", "expected-lowering.json")).unwrap();
    expect_error(&mut all, "06_dma", "inst.12", "dma_compute_reduce");
    expect_error(&mut all, "13_collectives", "inst.8", "cc_groups");
    all
}

/// Expects an error where an opcode is listed.
fn expect_error(all: &mut Value, file: &str, statement: &str, id: &str) {
    let statements = all["files"][file]["cores"][0][0]["statements"].as_array_mut().unwrap();
    let row = statements.iter_mut().find(|s| s["name"] == statement).unwrap().as_object_mut().unwrap();
    row.remove("bir").unwrap();
    row.insert("error".into(), id.into());
}

fn written(module: &Module) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_json(module, &mut bytes, &WriteOptions::default()).unwrap();
    bytes
}

/// Writes the module, reads it, writes it again.
fn round_trip(name: &str, module: &Module) {
    let bytes = written(module);
    let loaded = read_json(&bytes, &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    assert!(written(&loaded.module) == bytes, "{name}: not byte-stable");
    if let Some(d) = difference(module, &loaded.module) {
        panic!("{name}: {d:?}");
    }
}

/// The instructions that come from statements: (block, statement label, opcode), in order.
fn instructions(function: &Function) -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for block in function.blocks() {
        for instruction in block.instructions() {
            assert_eq!(instruction.origin().unwrap(), NamedObjectOrigin::NKI);
            let debug: Value = serde_json::from_str(&instruction.debug_json().unwrap()).unwrap();
            // Those that the lowering adds by itself have no place in a source.
            if debug.get("lineno").is_some() {
                let label = debug["label"].as_str().unwrap().to_owned();
                all.push((block.name().to_string(), label, instruction.opcode().unwrap().name().to_owned()));
            }
        }
    }
    all
}

/// Compares one core of a kernel with the expectation.
fn compare(name: &str, core: &Value, lowered: &Lowered) {
    let mut opcodes = Vec::new();
    let mut errors = Vec::new();
    for block in core.as_array().unwrap() {
        let label = block["block"].as_str().unwrap();
        for (index, statement) in block["statements"].as_array().unwrap().iter().enumerate() {
            let named = statement["name"].as_str();
            match statement.get("error") {
                Some(id) => errors.push((
                    label.to_owned(),
                    named.map_or_else(|| format!("#{index}"), str::to_owned),
                    statement["klr"].as_str().unwrap().to_owned(),
                    id.as_str().unwrap().to_owned(),
                )),
                None => {
                    for opcode in statement["bir"].as_array().unwrap() {
                        let statement = named.unwrap_or("nki-op").to_owned();
                        opcodes.push((label.to_owned(), statement, opcode.as_str().unwrap().to_owned()));
                    }
                }
            }
        }
    }
    let function = lowered.module.functions().next().unwrap();
    assert_eq!(instructions(function), opcodes, "{name}");
    let found: Vec<_> = lowered
        .errors()
        .filter_map(|d| Some((d.block.clone()?, d.statement.clone()?, d.operator?.to_owned(), d.id.to_owned())))
        .collect();
    assert_eq!(found, errors, "{name}");
}

#[test]
fn every_file_lowers_as_the_rules_say() {
    let expected = expected();
    let all = files("schema-2.24", "klr");
    assert_eq!(all.len(), expected["files"].as_object().unwrap().len());
    let (mut statements, mut kernels) = (0, 0);
    for (name, bytes) in all {
        let row = &expected["files"][&name];
        let arena = Arena::new();
        let file = decode(&bytes, &arena, &DecodeOptions::default()).unwrap();
        if let Some(id) = row.get("file_error") {
            assert_eq!(id, "wrong_contents");
            let error = lower_file(&file, &options(None)).unwrap_err();
            assert_eq!(error.message, "Wrong KLIR content type", "{name}");
            continue;
        }
        for (index, core) in row["cores"].as_array().unwrap().iter().enumerate() {
            let lowered = lower_file(&file, &options(Some(index as u32))).unwrap();
            compare(&name, core, &lowered);
            round_trip(&name, &lowered.module);
            kernels += 1;
            statements += lowered.module.functions().next().unwrap().instructions().count();
            let edges: Vec<_> = lowered.errors().filter(|d| d.statement.is_none()).map(|d| d.id).collect();
            let wanted: Vec<_> = row.get("edge_error").and_then(Value::as_str).into_iter().collect();
            assert_eq!(edges, wanted, "{name}");
        }
    }
    assert!(kernels == 35 && statements > 500, "{kernels} kernels, {statements} instructions");
}

#[test]
fn files_of_the_newest_schema_lower_to_the_same_opcodes() {
    let mut expected = expected();
    // There the command of the reduction is in the file, and it is one that is refused everywhere.
    expect_error(&mut expected, "03_tensor_scalar", "inst.7", "load_accumulate");
    for (name, bytes) in files("schema-head", "klr") {
        let row = &expected["files"][&name];
        for (index, core) in row["cores"].as_array().into_iter().flatten().enumerate() {
            let lowered = lower(&bytes, &options(Some(index as u32)));
            compare(&name, core, &lowered);
            round_trip(&name, &lowered.module);
        }
    }
}

#[test]
fn broken_kernels_say_where_and_why() {
    let texts = [
        ("err_bad_dge_mode", "dge_mode", "dgeMode", "Unsupported dgeMode 4, the largest is 3"),
        (
            "err_both_dynamic",
            "copy_both_dynamic",
            "",
            "Only one of src and dst can have dynamic access in tensor_copy.",
        ),
        (
            "err_dangling_edge",
            "edge_name",
            "edges[0].toEdges",
            "nobody is not found, unable to complete dependency edge insertion",
        ),
        (
            "err_dma_transpose_rank2",
            "dma_transpose_rank",
            "dst",
            "DMA Tranpose must have 4-D access pattern. Explicitly writing AP is required if slicing is not generating \
             correct pattern",
        ),
        ("err_dynamic_not_allowed", "dynamic_forbidden", "src0", "Dynamic Access is not allowed in the instruction."),
        ("err_dynamic_without_dge", "dma_dge_src", "src", "DGE must be enabled when dynamic src access in DMA is used"),
        (
            "err_engine_without_hwdge",
            "dma_engine",
            "engine",
            "dma_copy engine can only be specified when HWDGE mode is used.",
        ),
        ("err_int_activation_scale", "activation_scale_int", "scale", "scale for activation must be a float32"),
        ("err_load_accumulate", "load_accumulate", "accumulatorCmd", "LoadAccumulate is not supported"),
        (
            "err_match_replace_int",
            "match_replace_float",
            "replaceValue",
            "The replace value for MatchReplace8 must be a float",
        ),
        (
            "err_matmul_tile_rank",
            "matmul_tile",
            "tilePosition",
            "tileSize and tilePosition have two elements each, not 3",
        ),
        ("err_nonzero_float_offset", "nonzero_offset", "indexOffset", "indexOffset must be int32"),
        (
            "err_pe_transpose",
            "pe_transpose",
            "engine",
            "TransposeOp should only happen on DVE. The PE variant should have been legalized by the FE!",
        ),
        (
            "err_scalar_and_vector_offset",
            "both_offsets",
            "src",
            "A dynamic access has a scalar or a vector offset, not both",
        ),
        (
            "err_stream_transpose_too_big",
            "stream_transpose_size",
            "dst",
            "Operand must be no larger than (32, 32) (64, 64)",
        ),
        (
            "err_vector_offset_bad_dim",
            "vector_dim",
            "src.indirectDim",
            "When using vector offset, the only supported indirectDim is 0",
        ),
    ];
    assert_eq!(files("schema-2.24", "klr").iter().filter(|f| f.0.starts_with("err_")).count(), texts.len());
    for (name, id, field, text) in texts {
        let lowered = lower(&file(name), &options(None));
        let [error] = lowered.errors().collect::<Vec<_>>()[..] else { panic!("{name}: {:?}", lowered.diagnostics) };
        assert_eq!((error.id, error.field.as_deref().unwrap_or(""), error.message.as_str()), (id, field, text));
        assert!(!lowered.is_good());
        if id != "edge_name" {
            assert_eq!((error.block.as_deref(), error.statement.as_deref()), (Some("main.1"), Some("inst.1")));
            assert_eq!((error.file.as_deref(), error.line, error.column), (Some("kernels.py"), 1, 2), "{name}");
        }
    }
}

#[test]
fn two_cores() {
    let bytes = file("14_two_cores_constants_edges");
    let expected = expected();
    let cores = &expected["files"]["14_two_cores_constants_edges"]["cores"];
    for core in 0..2 {
        let lowered = lower(&bytes, &options(Some(core)));
        assert!(lowered.is_good(), "{:?}", lowered.diagnostics);
        compare("core", &cores[core as usize], &lowered);
        let function = lowered.module.functions().next().unwrap();
        let sent = function.instructions().find(|i| i.opcode().unwrap().name() == "CollectiveCompute").unwrap();
        assert_eq!(sent.name(), "LocalSendRecv-0");
        let ranks = sent.as_collective_compute().unwrap().recv_from_rank().unwrap();
        assert_eq!(ranks[0].root().unwrap().first(), i64::from(1 - core));
    }
    // A third core has nothing to do.
    let lowered = lower(&bytes, &options(Some(2)));
    assert!(lowered.is_good());
    let function = lowered.module.functions().next().unwrap();
    assert_eq!((function.block_count(), function.instructions().count()), (0, 0));
    assert!(function.storage_count() > 0);
    // Which core is not said.
    let lowered = lower(&bytes, &options(None));
    let [error] = &lowered.diagnostics[..] else { panic!("{:?}", lowered.diagnostics) };
    assert_eq!((error.id, error.severity), ("core_id_unset", Severity::Error));
    assert_eq!(error.message, "The kernel has 2 bodies, one per core, and no core id is given");
    assert_eq!(lowered.module.functions().next().unwrap().instructions().count(), 0);
}

/// `spec/lowering.md` section 8.
#[test]
fn the_worked_example() {
    let lowered = lower(&file("01_load_add_store"), &options(None));
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    assert_eq!(lowered.module.arch().unwrap(), ArchLevel::gen3);
    let function = lowered.module.functions().next().unwrap();
    let block = function.find_block("main.1").unwrap();
    let names: Vec<_> = block.instructions().map(|i| i.name().to_string()).collect();
    assert_eq!(names, ["inst.1", "inst.2", "inst.3", "inst.4"]);

    let operands = |i: &bir_core::ir::Instruction| {
        let show = |a: &bir_core::ir::Argument| {
            let pairs: Vec<_> = a.pattern().map(|p| (p.step, p.num)).collect();
            (a.memory_location().unwrap().name().to_string(), pairs, a.offset())
        };
        (i.ins().map(show).collect::<Vec<_>>(), i.outs().map(show).collect::<Vec<_>>())
    };
    let whole = |name: &str| (name.to_owned(), vec![(512, 128), (1, 512)], Some(0));
    let lists = [
        (vec![whole("a")], vec![whole("tensor0")]),
        (vec![whole("b")], vec![whole("tensor1")]),
        (vec![whole("tensor0"), whole("tensor1")], vec![whole("tensor3")]),
        (vec![whole("tensor3")], vec![whole("tensor2")]),
    ];
    for (instruction, expected) in block.instructions().zip(lists) {
        assert_eq!(operands(instruction), expected);
    }
    let copy = block.find_instruction("inst.1").unwrap().as_dma_copy().unwrap();
    assert_eq!(copy.dge_type().unwrap().name(), "Unassigned");
    assert_eq!(copy.oob_is_err().unwrap().constant(), Some(true));
    let add = block.find_instruction("inst.3").unwrap();
    assert_eq!(add.as_tensor_tensor().unwrap().op().unwrap().name(), "add");
    assert_eq!(add.engine().unwrap().name(), "DVE");

    let a = function.find_location("a").unwrap();
    assert_eq!(a.set().unwrap().name(), "a_set");
    assert_eq!(a.set().unwrap().kind().unwrap(), TensorKind::Input);
    assert_eq!(function.find_set("tensor2_set").unwrap().kind().unwrap(), TensorKind::Output);
    let tensor0 = function.find_location("tensor0").unwrap();
    let set = tensor0.set().unwrap();
    assert_eq!((set.kind().unwrap(), set.dtype().unwrap()), (TensorKind::Internal, Dtype::float32));
    assert_eq!((a.memory_type().unwrap(), tensor0.memory_type().unwrap()), (MemoryType::DRAM, MemoryType::SB));
    assert_eq!(tensor0.dims().collect::<Vec<_>>(), [128, 2048]);
    assert_eq!(set.tensor_shape().collect::<Vec<_>>(), [128, 512]);
    assert_eq!((set.partition_dim(), set.addr_space().unwrap()), (0, MemoryAddressSpace::Local));
}

#[test]
fn constants_buffers_and_edges() {
    let lowered = lower(&file("14_two_cores_constants_edges"), &options(Some(0)));
    let function = lowered.module.functions().next().unwrap();
    let constants: Vec<_> = function.sets().filter(|s| s.kind().unwrap() == TensorKind::Const).collect();
    assert!(!constants.is_empty());
    for set in constants {
        assert!(set.file().starts_with("shared_constants/"), "{:?}", set.file());
        assert!(set.locations().next().unwrap().byte_size() > 0);
    }
    let mut edges = 0;
    for instruction in function.instructions() {
        for edge in instruction.dependencies(EdgeSet::Normal) {
            assert_eq!(edge.kind, EdgeKind::Ordered);
            edges += 1;
        }
        assert_eq!(instruction.dependency_count(EdgeSet::LoopCarried), 0);
    }
    assert!(edges > 0);
}

#[test]
fn warnings_are_errors_when_strict() {
    for (name, bytes) in files("schema-2.24", "klr") {
        let arena = Arena::new();
        let file = decode(&bytes, &arena, &DecodeOptions::default()).unwrap();
        let Ok(lenient) = lower_file(&file, &options(Some(0))) else { continue };
        let strict = lower_file(&file, &LowerOptions { strict: true, ..options(Some(0)) }).unwrap();
        assert!(strict.errors().count() >= lenient.diagnostics.len(), "{name}");
        assert_eq!(strict.errors().count(), strict.diagnostics.len(), "{name}");
        for warning in lenient.diagnostics.iter().filter(|d| d.severity == Severity::Warning) {
            println!("{name}: {warning}");
        }
    }
    // Empty tile lists.
    let lowered = lower(&file("05_matmul_transpose_mx"), &LowerOptions { strict: true, ..options(None) });
    assert!(lowered.errors().any(|d| d.id == "matmul_tile" && d.message.ends_with("not 0")));
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let all = lower(&file("17_no_lowering"), &options(None));
    assert_eq!((all.diagnostics.len(), all.dropped), (17, 0));
    let few = lower(&file("17_no_lowering"), &LowerOptions { max_diagnostics: 5, ..options(None) });
    assert_eq!((few.diagnostics.len(), few.dropped, few.is_good()), (5, 12, false));
    assert_eq!(few.diagnostics[..], all.diagnostics[..5]);
    let none = lower(&file("17_no_lowering"), &LowerOptions { max_diagnostics: 0, ..options(None) });
    assert_eq!((none.diagnostics.len(), none.is_good()), (0, false));
}
