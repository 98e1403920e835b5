//! Kernels of the older JSON form: read as they are, and lowered to the documents that the tool of that time wrote.

use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use bir_core::enums::klr::{AluOp, Dtype};
use bir_core::klr::older::{self, Access, Index, Kernel, Memory, Operator, Slice, Statement, Value as Argument};
use bir_core::lower::{LowerOptions, Lowered, Severity, lower_older};
use bir_core::{ErrorCode, Position};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn kernel(name: &str) -> Kernel {
    older::read_json(text(name).as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn lower(kernel: &Kernel) -> Lowered {
    lower_older(kernel, &LowerOptions::default()).unwrap()
}

/// With every key, as readers of that time want it.
fn document(lowered: &Lowered) -> Value {
    let mut out = Vec::new();
    write_json(&lowered.module, &mut out, &WriteOptions { compact: true, explicit: true }).unwrap();
    serde_json::from_slice(&out).unwrap()
}

const KNOWN: [&str; 4] = ["scale_add", "minmax", "cmp_ops", "slices"];

/// What differs between a known document and ours on purpose: the names of instructions, which that writer gave none of
/// their own, keys that it did not have, and `2` for `2.0`.
fn assert_expressed(known: &Value, ours: &Value, path: &str) {
    match (known, ours) {
        (Value::Object(known), Value::Object(ours)) => {
            for (key, value) in known {
                if key == "name" && known.contains_key("opcode") {
                    assert_eq!(value, "noop_test", "{path}");
                    continue;
                }
                assert_expressed(value, ours.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"));
            }
        }
        (Value::Array(known), Value::Array(ours)) => {
            assert_eq!(known.len(), ours.len(), "{path}");
            for (index, (known, ours)) in known.iter().zip(ours).enumerate() {
                assert_expressed(known, ours, &format!("{path}[{index}]"));
            }
        }
        (Value::Number(known), Value::Number(ours)) => assert_eq!(known.as_f64(), ours.as_f64(), "{path}"),
        _ => assert_eq!(known, ours, "{path}"),
    }
}

#[test]
fn known_kernels_become_the_known_documents() {
    for name in KNOWN {
        let lowered = lower(&kernel(&format!("bir/{name}.klr.json")));
        assert!(lowered.is_good() && lowered.diagnostics.is_empty(), "{name}: {:?}", lowered.diagnostics);
        let known: Value = serde_json::from_str(&text(&format!("bir/{name}.bir.json"))).unwrap();
        let ours = document(&lowered);
        assert_expressed(&known, &ours, name);
        // Names of our own are unique.
        let instructions = ours["functions"][0]["blocks"][0]["instructions"].as_array().unwrap();
        let names: std::collections::BTreeSet<_> = instructions.iter().map(|i| i["name"].to_string()).collect();
        assert_eq!(names.len(), instructions.len(), "{name}");
    }
}

/// A comparison that leaves out nothing else: one value changed in the known document is seen.
#[test]
fn every_value_of_a_known_document_is_compared() {
    let known: Value = serde_json::from_str(&text("bir/slices.bir.json")).unwrap();
    let ours = document(&lower(&kernel("bir/slices.klr.json")));
    let mut leaves = Vec::new();
    collect(&known, String::new(), &mut leaves);
    assert!(leaves.len() > 100);
    for pointer in leaves {
        let mut other = known.clone();
        *other.pointer_mut(&pointer).unwrap() = json!("changed");
        let compare = std::panic::AssertUnwindSafe(|| assert_expressed(&other, &ours, ""));
        assert!(std::panic::catch_unwind(compare).is_err(), "{pointer}");
    }
}

fn collect(value: &Value, at: String, leaves: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(k, v)| collect(v, format!("{at}/{k}"), leaves)),
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(i, v)| collect(v, format!("{at}/{i}"), leaves))
        }
        _ => leaves.push(at),
    }
}

#[test]
fn what_comes_out_is_a_document_that_reads_back() {
    for name in KNOWN {
        let lowered = lower(&kernel(&format!("bir/{name}.klr.json")));
        let mut out = Vec::new();
        write_json(&lowered.module, &mut out, &WriteOptions::default()).unwrap();
        let loaded = read_json(&out, &ReadOptions { strict: true, ..ReadOptions::default() }).unwrap();
        let mut again = Vec::new();
        write_json(&loaded.module, &mut again, &WriteOptions::default()).unwrap();
        assert_eq!(out, again, "{name}");
    }
}

/// Operator by operator, in short: opcode, then where it reads and writes.
fn listing(name: &str) -> Vec<String> {
    let lowered = lower(&kernel(&format!("klr/wheel-0.0.12/{name}.klr-2025-07.json")));
    assert!(lowered.is_good() && lowered.diagnostics.is_empty(), "{name}: {:?}", lowered.diagnostics);
    let document = document(&lowered);
    let operand = |o: &Value| format!("{}{}+{}", o["memref"].as_str().unwrap(), o["ap"], o["offset"]);
    let operands = |i: &Value, list| i[list].as_array().unwrap().iter().map(operand).collect::<Vec<_>>().join(" ");
    let instructions = document["functions"][0]["blocks"][0]["instructions"].as_array().unwrap();
    let line =
        |i: &Value| format!("{} {} -> {}", i["opcode"].as_str().unwrap(), operands(i, "ins"), operands(i, "outs"));
    instructions.iter().map(line).collect()
}

/// Every traced kernel of the released wheel is lowered. All tensors are 10 x 10 where nothing else is said.
#[test]
fn kernels_of_the_wheel() {
    const X: &str = "[[10,10],[1,10]]+0";
    let through = |load: &str, scalar: &str, load_from: &str, save_to: &str| {
        vec![
            format!("Load x{load_from} -> {load}"),
            format!("TensorScalar {load} -> {scalar}"),
            format!("Save {scalar} -> y{save_to}"),
        ]
    };
    let t = |name: &str| format!("{name}{X}");
    assert_eq!(listing("shift_down"), through(&t("load.2.6"), &t("tsc.3.6"), X, X));
    assert_eq!(listing("host_control"), through(&t("load.11.6"), &t("tsc.13.8"), X, X));
    let mut clip = through(&t("load.2.6"), &t("tsc.3.6"), X, X);
    clip.insert(2, format!("TensorScalar tsc.3.6{X} -> tsc.4.6{X}"));
    clip[3] = format!("Save tsc.4.6{X} -> y{X}");
    assert_eq!(listing("affine_clip"), clip);
    // x[0:10, 0:10:2] into y[0:10, 0:5].
    let five = "[[5,10],[1,5]]+0";
    let (load, scalar) = (format!("load.2.6{five}"), format!("tsc.3.6{five}"));
    assert_eq!(listing("strided"), through(&load, &scalar, "[[10,10],[2,5]]+0", "[[10,10],[1,5]]+0"));
    // Four rows of ten.
    let four = "[[10,4],[1,10]]+0";
    let (load, scalar) = (format!("load.4.6{four}"), format!("tsc.5.6{four}"));
    assert_eq!(listing("tuple_swap"), through(&load, &scalar, four, four));
    // A hardware pattern: 8 partitions, the first element four times.
    let (load, scalar) = ("load.3.6[[4,8],[1,4]]+0", "tsc.4.6[[4,8],[1,4]]+0");
    assert_eq!(listing("grid_access"), through(load, scalar, "[[10,8],[0,4]]+0", "[[10,8],[0,4]]+0"));
    // Row by row; the first round's tensors are read again in the later ones.
    let rows = listing("per_row");
    assert_eq!(rows.len(), 15);
    let one = "[[10,1],[1,10]]";
    assert_eq!(rows[0], format!("Load x{one}+0 -> load.3.8{one}+0"));
    assert_eq!(rows[12], format!("Load x{one}+40 -> load.3.4{one}+0"));
    assert_eq!(rows[13], format!("TensorScalar load.3.8{one}+0 -> tsc.4.4{one}+0"));
    assert_eq!(rows[14], format!("Save tsc.4.8{one}+0 -> y{one}+40"));
    assert_eq!(
        listing("psum_view"),
        [
            "TensorScalar acc.2[[128,32],[1,128]]+0 -> tsc.3.6[[128,32],[1,128]]+0".to_owned(),
            format!("Save tsc.3.6[[128,10],[1,10]]+0 -> y{X}"),
        ]
    );
    assert_eq!(
        listing("sbuf_views"),
        [
            format!("TensorScalar left_tile.3{X} -> tsc.8.6{X}"),
            format!("TensorScalar right_tile.4{X} -> tsc.9.6{X}"),
            format!("Save tsc.8.6{X} -> x{X}"),
            format!("Save tsc.9.6{X} -> y{X}"),
        ]
    );
    assert_eq!(
        listing("zero_then_copy"),
        [
            format!("Memset  -> zeros_.2.6{X}"),
            format!("TensorScalar zeros_.2.6{X} -> tsc.3.6{X}"),
            format!("Save tsc.3.6{X} -> y{X}"),
        ]
    );
    let all = std::fs::read_dir(data("klr/wheel-0.0.12")).unwrap();
    let traced = all.filter(|e| e.as_ref().unwrap().path().to_str().unwrap().ends_with(".klr-2025-07.json")).count();
    assert_eq!(traced, 10);
}

fn location(document: &Value, name: &str) -> Value {
    let sets = document["functions"][0]["allocations"].as_array().unwrap();
    let set = sets.iter().find(|set| set["name"] == format!("{name}_set")).unwrap();
    let location = &set["memorylocations"][0];
    let keys = ["type", "dims", "base", "bank", "addr", "allocated"].map(|key| location[key].clone());
    json!([set["kind"], set["addr_space"], set["tensor_shape"], keys])
}

#[test]
fn tensors_lie_where_their_regions_say() {
    let views = document(&lower(&kernel("klr/wheel-0.0.12/sbuf_views.klr-2025-07.json")));
    // The right half of a tile of 512 bytes.
    let tile = |offset: u64| json!(["Internal", "Shared", [10, 10], ["SB", [10, 40], 0, 0, offset, true]]);
    assert_eq!(location(&views, "left_tile.3"), tile(0));
    assert_eq!(location(&views, "right_tile.4"), tile(256));
    assert_eq!(location(&views, "tsc.8.6"), json!(["Internal", "Shared", [10, 10], ["SB", [10, 40], 0, 0, 0, false]]));
    // Inputs that are returned are written: outputs.
    assert_eq!(location(&views, "x"), json!(["Output", "Shared", [10, 10], ["Output", [10, 40], 0, 0, 0, false]]));
    let psum = document(&lower(&kernel("klr/wheel-0.0.12/psum_view.klr-2025-07.json")));
    assert_eq!(location(&psum, "acc.2"), json!(["Internal", "Shared", [32, 128], ["PSUM", [32, 512], 0, 0, 0, true]]));
    let known = document(&lower(&kernel("bir/minmax.klr.json")));
    assert_eq!(location(&known, "src"), json!(["Input", "Shared", [10, 10], ["Input", [10, 40], 0, 0, 0, false]]));
}

#[test]
fn values_are_read_as_they_stand() {
    let strided = kernel("klr/wheel-0.0.12/strided.klr-2025-07.json");
    assert_eq!(strided.name, "wq.strided");
    assert_eq!(strided.inputs.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!((strided.outputs.len(), strided.body.len()), (1, 3));
    let Statement::Store(load) = &strided.body[0] else { panic!("{:?}", strided.body[0]) };
    assert_eq!((&load.op, load.dst.tensor().free_dims.as_slice()), (&Operator::Load, [5].as_slice()));
    let [Argument::Access(Access::Basic { tensor, indexes })] = load.args.as_slice() else { panic!("{:?}", load.args) };
    assert_eq!((tensor.dtype, tensor.partitions), (Dtype::float32, 10));
    let slice = |end, step| Index::Slice(Slice { start: 0, end, step });
    assert_eq!(indexes, &[slice(10, 1), slice(10, 2)]);
    let Statement::Store(scalar) = &strided.body[1] else { panic!("{:?}", strided.body[1]) };
    let Operator::TensorScalar(scalars, constants) = &scalar.op else { panic!("{:?}", scalar.op) };
    assert_eq!(
        (scalars.op0, scalars.reverse0, scalars.op1, scalars.reverse1),
        (AluOp::logical_xor, true, AluOp::bypass, false)
    );
    assert_eq!((constants.const0, constants.const1), (1.0, 0.0));
    let views = kernel("klr/wheel-0.0.12/sbuf_views.klr-2025-07.json");
    let Statement::Store(store) = &views.body[1] else { panic!("{:?}", views.body[1]) };
    let Argument::Access(access) = &store.args[0] else { panic!("{:?}", store.args) };
    let regions: Vec<_> =
        access.tensor().regions.iter().map(|r| (r.memory, r.partitions, r.bytes, r.free_offset)).collect();
    let sbuf = |partitions, bytes, offset| (Memory::Sbuf, partitions, bytes, offset);
    assert_eq!(regions, [sbuf(32, 256, Some(256)), sbuf(32, 512, Some(0)), sbuf(128, 196_608, None)]);
}

const TENSOR: &str = r#"{"name": "t", "dtype": "float32", "shape": {"parDim": 4, "freeDims": [8]}, "address":
    {"size": [4, 32], "memory": "sbuf", "partitionOffset": null, "freeOffset": null, "parent": null}}"#;

/// A kernel with this body, `$T` standing for a tensor of 4 x 8 and `$A` for an access to all of it.
fn body(statements: &str) -> String {
    let access = format!(r#"{{"simple": {TENSOR}}}"#);
    let statements = statements.replace("$A", &access).replace("$T", TENSOR);
    format!(r#"{{"name": "k", "inputs": [], "outputs": [], "body": [{statements}]}}"#)
}

#[test]
fn bad_text_is_an_error_with_its_place() {
    let whole = text("bir/slices.klr.json");
    let cases = [
        ("\"name\": \"k9.slices\"", "\"name\": 9", ErrorCode::WrongType, "name"),
        ("\"name\": \"k9.slices\",", "", ErrorCode::MissingKey, ""),
        ("\"outputs\": []", "\"outputs\": [], \"outputs\": []", ErrorCode::DuplicateName, "outputs"),
        ("\"parDim\": 10", "\"parDim\": -1", ErrorCode::BadValue, "inputs[0].shape.parDim"),
        ("\"parDim\": 10", "\"parDim\": 1.5", ErrorCode::BadValue, "inputs[0].shape.parDim"),
        ("\"dtype\": \"float32\"", "\"dtype\": \"float33\"", ErrorCode::UnknownEnum, "inputs[0].dtype"),
        ("\"size\": [10, 40]", "\"size\": [10]", ErrorCode::BadValue, "inputs[0].address.size"),
        ("\"size\": [10, 40]", "\"size\": [10, 40, 1]", ErrorCode::BadValue, "inputs[0].address.size"),
        ("\"memory\": \"sbuf\"", "\"memory\": \"dbuf\"", ErrorCode::UnknownEnum, "inputs[0].address.memory"),
        ("\"parent\": null,", "", ErrorCode::MissingKey, "inputs[0].address"),
        ("\"store\":", "\"stone\":", ErrorCode::UnknownEnum, "body[0].stone"),
        ("\"op\": \"load\"", "\"op\": \"load\", \"at\": 1", ErrorCode::UnknownKey, "body[0].store"),
        ("\"basic\":", "\"basil\":", ErrorCode::UnknownEnum, "body[0].store.args[0].access.a.basil"),
        (
            "[0, [10, 1]]",
            "[0, [10]]",
            ErrorCode::BadValue,
            "body[0].store.args[0].access.a.basic.indexes[0].slice.slice[1]",
        ),
        ("\"op0\": \"subtract\"", "\"op0\": \"sub\"", ErrorCode::UnknownEnum, "body[1].store.op.tensorScalar.op0"),
        ("\"const0\": 1", "\"const0\": 1e39", ErrorCode::BadValue, "body[1].store.op.tensorScalar.const0"),
        ("\"const0\": 1", "\"const0\": true", ErrorCode::WrongType, "body[1].store.op.tensorScalar.const0"),
        ("\"access\":", "\"accent\":", ErrorCode::UnknownEnum, "body[0].store.args[0].accent"),
    ];
    for (from, to, code, path) in cases {
        let changed = whole.replacen(from, to, 1);
        assert_ne!(changed, whole, "{from}");
        let error = older::read_json(changed.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, path), "{to}: {error}");
        assert!(error.position.is_some(), "{to}: {error}");
    }
    // The position is that of the value.
    let error = older::read_json(whole.replacen("\"k9.slices\"", "9", 1).as_bytes()).unwrap_err();
    assert_eq!(error.position, Some(Position { line: 2, column: 10, offset: 25 }));
    assert_eq!((error.expected.as_str(), error.found.as_str()), ("a string", "a number"));
    assert_eq!(older::read_json(format!("{whole} 1").as_bytes()).unwrap_err().code, ErrorCode::Syntax);
}

/// A text that ends early is an error at each of its bytes.
#[test]
fn truncated_text_is_an_error() {
    let whole = text("klr/wheel-0.0.12/grid_access.klr-2025-07.json");
    let end = whole.trim_end().len();
    for at in 0..end {
        assert!(older::read_json(&whole.as_bytes()[..at]).is_err(), "{at}");
    }
    assert!(older::read_json(&whole.as_bytes()[..end]).is_ok());
}

/// Regions within regions end where documents end.
#[test]
fn nesting_is_bounded() {
    let mut nested =
        r#"{"size": [1, 1], "memory": "sbuf", "partitionOffset": 0, "freeOffset": 0, "parent": "#.repeat(100_000);
    nested.push_str("null");
    let kernel = format!(r#"{{"inputs": [{{"address": {nested}"#);
    assert_eq!(older::read_json(kernel.as_bytes()).unwrap_err().code, ErrorCode::LimitExceeded);
}

/// What the operators of that time do not cover is refused where it stands, and the walk goes on.
#[test]
fn other_statements_are_refused_one_by_one() {
    let kernel = older::read_json(
        body(
            r#"{"ret": {"v": {"var": {"x": "y"}}}},
            {"assign": {"x": "a", "e": {"value": {"v": [1, {"b": null}]}}}},
            {"store": {"op": "const", "dst": $A, "args": []}},
            {"store": {"op": {"dropout": {"p": 0.5}}, "dst": $A, "args": []}},
            {"store": {"op": "load", "dst": $A, "args": []}},
            {"store": {"op": "load", "dst": $A, "args": [{"int": {"value": 3}}]}},
            {"store": {"op": {"memset": 4294967296}, "dst": $A, "args": []}},
            {"store": {"op": "save", "dst": {"basic": {"tensor": $T, "indexes": [{"coord": {"e": 1}}]}}, "args": [{"access": {"a": $A}}]}},
            {"store": {"op": "save", "dst": $A, "args": [{"access": {"a": {"basic": {"tensor": $T, "indexes":
                [{"coord": {"e": 1}}, {"coord": {"e": 8}}]}}}}]}},
            {"store": {"op": "save", "dst": $A, "args": [{"access": {"a": $A}}]}}"#,
        )
        .as_bytes(),
    )
    .unwrap();
    let lowered = lower(&kernel);
    let found: Vec<String> = lowered.diagnostics.iter().map(|d| format!("{}: {d}", d.id)).collect();
    assert_eq!(
        found,
        [
            "stmt_kind: kernel k, block Block1, statement #0: Unsupported statement type encountered",
            "stmt_kind: kernel k, block Block1, statement #1: Unsupported statement type encountered",
            "op_kind: kernel k, block Block1, statement #2, field op: Unsupported operator const",
            "op_kind: kernel k, block Block1, statement #3, field op: Unsupported operator dropout",
            "argument_count: kernel k, block Block1, statement #4 (load), field args: The operator does not take 0 arguments",
            "operand_kind: kernel k, block Block1, statement #5 (load), field args[0]: Unrecognized operand type encountered",
            "number_range: kernel k, block Block1, statement #6 (memset), field op: The number 4294967296 is out of range",
            "access_indexes: kernel k, block Block1, statement #7 (save), field dst.indexes: An access has one index per dimension, not 1",
            "access_bounds: kernel k, block Block1, statement #8 (save), field args[0].indexes: The index 8 is outside of the tensor",
        ]
    );
    assert!(!lowered.is_good());
    assert!(lowered.diagnostics.iter().all(|d| d.severity == Severity::Error));
    assert_eq!(document(&lowered)["functions"][0]["blocks"][0]["instructions"].as_array().unwrap().len(), 1);
    let few = lower_older(&kernel, &LowerOptions { max_diagnostics: 2, ..LowerOptions::default() }).unwrap();
    assert_eq!((few.diagnostics.len(), few.dropped, few.error_count), (2, 7, 9));
}

#[test]
fn scalars_from_memory() {
    let kernel = older::read_json(
        body(
            r#"{"store": {"op": {"tensorScalarAddr": {"op0": "mult", "reverse0": true, "op1": "is_gt", "reverse1": false}},
                "dst": $A, "args": [{"access": {"a": $A}}, {"access": {"a": $A}}]}},
            {"store": {"op": {"memset": 1065353216}, "dst": $A, "args": []}}"#,
        )
        .as_bytes(),
    )
    .unwrap();
    let document = document(&lower(&kernel));
    let instructions = document["functions"][0]["blocks"][0]["instructions"].as_array().unwrap();
    let keys = ["opcode", "op0", "reverse0", "op1", "reverse1", "is_tensor_scalar_addr"];
    let found = keys.map(|key| instructions[0][key].clone());
    assert_eq!(json!(found), json!(["TensorScalarPtr", "mult", true, "is_gt", false, true]));
    assert_eq!(instructions[0]["ins"].as_array().unwrap().len(), 2);
    let found = ["opcode", "mode", "constant"].map(|key| instructions[1][key].clone());
    assert_eq!(json!(found), json!(["Memset", "Const", 1_065_353_216]));
}

/// There is one body: another core has the tensors and nothing to do.
#[test]
fn cores() {
    let kernel = kernel("bir/minmax.klr.json");
    for (core, count) in [(None, 3), (Some(0), 3), (Some(1), 0)] {
        let lowered = lower_older(&kernel, &LowerOptions { core_id: core, ..LowerOptions::default() }).unwrap();
        let document = document(&lowered);
        let instructions = document["functions"][0]["blocks"][0]["instructions"].as_array().unwrap();
        assert_eq!((instructions.len(), lowered.is_good()), (count, true));
        assert_eq!(document["attributes"]["neuron_core_id"], core.unwrap_or(0));
    }
}

/// A name is one tensor.
#[test]
fn tensors_of_one_name_must_agree() {
    let one = |change: (&str, &str)| {
        let other = TENSOR.replace(change.0, change.1);
        let statement = format!(
            r#"{{"store": {{"op": "save", "dst": {{"simple": {other}}}, "args": [{{"access": {{"a": $A}}}}]}}}}"#
        );
        let lowered = lower(&older::read_json(body(&statement).as_bytes()).unwrap());
        lowered.diagnostics.iter().map(|d| (d.id, d.severity)).collect::<Vec<_>>()
    };
    assert_eq!(one(("float32", "float32")), []);
    assert_eq!(one(("float32", "int32")), [("tensor_conflict", Severity::Error)]);
    assert_eq!(one(("[8]", "[2, 4]")), [("tensor_conflict", Severity::Error)]);
    assert_eq!(one((r#""freeOffset": null"#, r#""freeOffset": 4"#)), [("tensor_address", Severity::Warning)]);
    assert_eq!(one((r#""parDim": 4"#, r#""parDim": 4294967296"#)), [("tensor_size", Severity::Error)]);
}
