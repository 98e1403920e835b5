#![forbid(unsafe_code)]

use super::*;
use crate::error::{Error, ErrorCode};
use crate::neff::header::{Header, payload_hash};
use crate::neff::read::{Options, Package};
use crate::neff::tar::{Attributes, TarWriter};
use crate::neff::target::Target;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Files = BTreeMap<String, Vec<u8>>;
/// A change, and the code and place of what it breaks.
type Case<'c> = (&'c dyn Fn(&mut Value), ErrorCode, &'c str);

fn sample() -> Files {
    let file =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/neff/synthetic-minimal.neff")).unwrap();
    let package = Package::open(&file, Options::default()).unwrap();
    package.files().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect()
}

fn findings(files: &Files) -> Vec<Error> {
    let mut writer = TarWriter::new(Vec::new());
    files.iter().for_each(|(name, data)| writer.file(name, Attributes::deterministic(name), data).unwrap());
    let payload = writer.finish().unwrap();
    let header =
        Header { data_size: payload.len() as u64, hash: payload_hash(2, &payload).unwrap(), ..Header::default() };
    let file = [&header.write()[..], &payload].concat();
    check(&Package::open(&file, Options::default()).unwrap())
}

fn tensor(name: &str) -> Tensor {
    Tensor { name: name.into(), dtype: "float32".into(), shape: vec![2, 3], bytes: 24 }
}

fn variables() -> Vec<Variable> {
    let variable = |name: &str, kind, bytes| Variable { name: name.into(), kind, bytes, alignment: 0 };
    vec![
        variable("input0", VariableKind::Input, Some(24)),
        variable("SB", VariableKind::StateBuffer, None),
        variable("output0", VariableKind::Output, Some(24)),
        variable("w", VariableKind::File { file_name: "w.npy".into(), offset: 0 }, Some(24)),
    ]
}

fn queues() -> Vec<Queue> {
    [("q_w", QueueKind::Data, 12), ("q_in", QueueKind::In, 10), ("q_out", QueueKind::Out, 11)]
        .map(|(name, kind, semaphore)| Queue {
            name: name.into(),
            kind,
            owner: Engine::Sp,
            semaphore: Some(semaphore),
            num_queues: 1,
        })
        .into()
}

/// Every descriptor of the sample, byte for byte.
#[test]
fn reproduces_the_sample() {
    let files = sample();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let same = |name: &str, built: Vec<u8>| assert_eq!(text(&built), text(&files[name]), "{name}");
    same("info.json", info_json("synthetic", "0.0.0+synthetic").unwrap());
    same("kelf-0.json", kelf_json(Target::Sunda, 0..1).unwrap());
    same("neff.json", neff_json(&[GraphNode { inputs: &[tensor("input0")], outputs: &[tensor("output0")] }]).unwrap());
    for engine in ENGINES {
        same(&["sg00/", engine.json_name()].concat(), empty_engine().unwrap());
        assert!(files[&["sg00/", engine.bin_name()].concat()].is_empty());
    }
    let definition = Definition { variables: &variables(), queues: &queues(), feature_bits: 0 };
    same("sg00/def.json", definition.json().unwrap());
    // The published size of a one-graph kelf.
    assert_eq!(kelf_json(Target::Sunda, 0..1).unwrap().len(), 161);
}

#[test]
fn keys_are_sorted_whatever_the_optional_parts() {
    let mut variables = variables();
    variables[3].alignment = 64;
    let mut queues = queues();
    queues[0].num_queues = 16;
    let definition = Definition { variables: &variables, queues: &queues, feature_bits: u64::MAX };
    let documents = [
        definition.json().unwrap(),
        neff_json(&[GraphNode { inputs: &[tensor("a"), tensor("b")], outputs: &[tensor("c"), tensor("d")] }]).unwrap(),
        kelf_json(Target::Any, 0..3).unwrap(),
    ];
    for document in documents {
        let value: Value = serde_json::from_slice(&document).unwrap();
        let text = String::from_utf8(document).unwrap();
        // Without the indentation: every key stands where a sorted map prints it.
        let compact: String = text.lines().map(str::trim_start).collect::<String>().replace("\": ", "\":");
        assert_eq!(compact, value.to_string());
    }
}

#[test]
fn several_inputs_outputs_and_cores() {
    let manifest: Value = serde_json::from_slice(
        &neff_json(&[GraphNode { inputs: &[tensor("a"), tensor("b")], outputs: &[tensor("c"), tensor("d")] }]).unwrap(),
    )
    .unwrap();
    assert_eq!(manifest["arg_nodes"], json!([0, 1]));
    assert_eq!(manifest["heads"], json!([[2, 0, 0], [2, 1, 0]]));
    assert_eq!(manifest["node_row_ptr"], json!([0, 1, 2, 4]));
    assert_eq!(manifest["nodes"][2]["inputs"], json!([[0, 0, 0], [1, 0, 0]]));
    assert_eq!(manifest["attrs"]["storage_id"], json!(["list_int", [0, 1, 2, 3]]));
    let kelf: Value = serde_json::from_slice(&kelf_json(Target::Cayman, 0..12).unwrap()).unwrap();
    assert_eq!(kelf["graphs"][11], json!({"definition": "sg11/def.json", "name": "sg11"}));
    let mut wide = tensor("wide");
    wide.shape = vec![1; 33];
    let error = neff_json(&[GraphNode { inputs: &[], outputs: &[wide] }]).unwrap_err();
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::LimitExceeded, "wide"));
    assert_eq!((Engine::from_ordinal(2), Engine::from_ordinal(4)), (Some(Engine::Act), None));
}

#[test]
fn definitions_refuse_what_a_loader_refuses() {
    let refused = |change: &dyn Fn(&mut Vec<Variable>, &mut Vec<Queue>)| {
        let (mut variables, mut queues) = (variables(), queues());
        change(&mut variables, &mut queues);
        let error = Definition { variables: &variables, queues: &queues, feature_bits: 0 }.json().unwrap_err();
        (error.code, error.path)
    };
    assert_eq!(refused(&|v, _| v[3].alignment = 48), (ErrorCode::BadValue, "w".into()));
    assert_eq!(refused(&|v, _| v[0].bytes = None), (ErrorCode::MissingKey, "input0".into()));
    assert_eq!(refused(&|v, _| v[2].kind = VariableKind::TmpBuf), (ErrorCode::MissingKey, "var".into()));
    assert_eq!(refused(&|v, _| v[1].name = "w".into()), (ErrorCode::DuplicateName, "w".into()));
    assert_eq!(refused(&|_, q| q[1].name = "q_w".into()), (ErrorCode::DuplicateName, "q_w".into()));
    assert_eq!(refused(&|_, q| q[1].num_queues = 17), (ErrorCode::BadValue, "q_in".into()));
    let file = |name: &str| VariableKind::File { file_name: name.into(), offset: 0 };
    assert_eq!(refused(&|v, _| v[3].kind = file("../w.npy")).0, ErrorCode::UnsafePath);
    let many = |_: &mut Vec<Variable>, q: &mut Vec<Queue>| {
        *q = (0..12).map(|i| Queue { name: i.to_string(), num_queues: 16, ..q[0].clone() }).collect();
    };
    assert_eq!(refused(&many), (ErrorCode::LimitExceeded, "dma_queue".into()));
}

/// Changes one value of a JSON member and gives the findings as code and path.
fn after(member: &str, change: impl Fn(&mut Value)) -> Vec<(ErrorCode, String)> {
    let mut files = sample();
    let mut value = serde_json::from_slice(&files[member]).unwrap();
    change(&mut value);
    files.insert(member.into(), value.to_string().into_bytes());
    findings(&files).into_iter().map(|e| (e.code, e.path)).collect()
}

fn remove(value: &mut Value, key: &str) {
    value.as_object_mut().unwrap().remove(key);
}

fn one(code: ErrorCode, path: &str) -> Vec<(ErrorCode, String)> {
    vec![(code, path.to_string())]
}

#[test]
fn the_sample_has_no_findings() {
    assert_eq!(findings(&sample()), []);
    let mut files = sample();
    let manifest = files.remove("neff.json").unwrap();
    files.insert("kelp.json".into(), [b"\xef\xbb\xbf", &manifest[..]].concat());
    assert_eq!(findings(&files), []);
}

#[test]
fn finds_missing_members() {
    for (member, code, path) in [
        ("neff.json", ErrorCode::NotFound, "neff.json"),
        ("kelf-0.json", ErrorCode::UnresolvedRef, "neff.json: nodes[1].attrs.kelf"),
        ("sg00/def.json", ErrorCode::UnresolvedRef, "kelf-0.json: graphs[0].definition"),
        ("sg00/PE0.json", ErrorCode::UnresolvedRef, "sg00/def.json: pe"),
        ("sg00/PE0.bin", ErrorCode::UnresolvedRef, "sg00/def.json: pe_instr"),
        ("sg00/w.npy", ErrorCode::UnresolvedRef, "sg00/def.json: var.w.file_name"),
    ] {
        let mut files = sample();
        files.remove(member).unwrap();
        let found: Vec<_> = findings(&files).into_iter().map(|e| (e.code, e.path)).collect();
        assert_eq!(found, one(code, path), "{member}");
    }
}

#[test]
fn finds_faults_of_the_manifest() {
    use ErrorCode::*;
    for key in ["nodes", "arg_nodes", "heads", "node_row_ptr", "attrs"] {
        let found = after("neff.json", |v| remove(v, key));
        assert!(found.contains(&(MissingKey, alloc::format!("neff.json: {key}"))), "{found:?}");
    }
    let cases: [Case<'_>; 10] = [
        (&|v| remove(&mut v["attrs"], "shape"), MissingKey, "neff.json: attrs.shape"),
        (&|v| v["attrs"]["dltype"] = json!(5), WrongType, "neff.json: attrs.dltype"),
        (&|v| v["attrs"]["dltype"][1] = json!("x"), WrongType, "neff.json: attrs.dltype[1]"),
        (&|v| v["attrs"]["shape"][1][0] = json!(vec![1; 33]), LimitExceeded, "neff.json: attrs.shape[1][0]"),
        (&|v| v["arg_nodes"][0] = json!(2), UnresolvedRef, "neff.json: arg_nodes[0]"),
        (&|v| v["heads"][0][0] = json!(9), UnresolvedRef, "neff.json: heads[0]"),
        (&|v| v["heads"][0][1] = json!(1), UnresolvedRef, "neff.json: heads[0]"),
        (&|v| v["node_row_ptr"] = json!([0, 1]), Conflict, "neff.json: node_row_ptr"),
        (&|v| v["nodes"][1]["attrs"]["func_name"] = json!("f"), NotFound, "neff.json: nodes"),
        (&|v| v["nodes"][1]["attrs"]["kelf"] = json!(0), WrongType, "neff.json: nodes[1].attrs.kelf"),
    ];
    for (change, code, path) in cases {
        assert_eq!(after("neff.json", change), one(code, path));
    }
}

#[test]
fn finds_faults_of_kelf_and_definition() {
    use ErrorCode::*;
    assert_eq!(after("kelf-0.json", |v| v["target"] = json!("gen9")), one(UnknownEnum, "kelf-0.json: target"));
    assert_eq!(after("kelf-0.json", |v| v["graphs"] = json!([])), one(NotFound, "kelf-0.json: graphs"));
    let definition: [Case<'_>; 13] = [
        (&|v| remove(v, "var"), MissingKey, "var"),
        (&|v| remove(&mut v["var"]["SB"], "type"), MissingKey, "var.SB.type"),
        (&|v| v["var"]["SB"]["var_id"] = json!(-1), WrongType, "var.SB.var_id"),
        (&|v| v["var"]["w"]["var_id"] = json!(7), Conflict, "var"),
        (&|v| v["var"]["w"]["var_id"] = json!(0), Conflict, "var"),
        (&|v| remove(&mut v["var"], "SB"), Conflict, "var"),
        (&|v| v["var"]["output0"]["type"] = json!("tmp-buf"), NotFound, "var"),
        (&|v| v["var"]["w"]["size"] = json!(25), Conflict, "var.w.size"),
        (&|v| v["var"]["w"]["alignment"] = json!(3), BadValue, "var.w.alignment"),
        (&|v| remove(&mut v["var"]["w"], "file_name"), MissingKey, "var.w.file_name"),
        (&|v| remove(v, "pe_instr"), MissingKey, "pe_instr"),
        (&|v| v["pe"] = json!(1), WrongType, "pe"),
        (&|v| v["ucode_lib"] = json!([{"library": "x.so"}]), UnresolvedRef, "ucode_lib[0].library"),
    ];
    for (change, code, path) in definition {
        let found = after("sg00/def.json", change);
        let path = alloc::format!("sg00/def.json: {path}");
        assert!(found.contains(&(code, path.clone())), "{path}: {found:?}");
        assert!(found.len() <= 2, "{found:?}");
    }
    let tables = json!({"dma": [], "dve_tables": [{"opcode_table": "t.bin"}]});
    assert_eq!(
        after("sg00/DVE0.json", |v| *v = tables.clone()),
        one(UnresolvedRef, "sg00/DVE0.json: dve_tables[0].opcode_table")
    );
    assert_eq!(after("sg00/PE0.json", |v| v["instr"] = json!("old.bin")), one(UnresolvedRef, "sg00/PE0.json: instr"));
    assert_eq!(after("sg00/def.json", |v| v["ucode_lib"] = json!([{"library": "x.so", "is_builtin": true}])), []);
    assert_eq!(after("sg00/def.json", |v| v["debug_info"] = json!({"wavegraph": "x-wavegraph-bin.json"})), []);
}

#[test]
fn generation_3_needs_the_reservation() {
    let mut files = sample();
    let mut value: Value = serde_json::from_slice(&files["sg00/def.json"]).unwrap();
    remove(&mut value, "runtime_statebuffer_reservation");
    files.insert("sg00/def.json".into(), value.to_string().into_bytes());
    assert_eq!(findings(&files), []);
    files.insert("kelf-0.json".into(), kelf_json(Target::Cayman, 0..1).unwrap());
    let found = findings(&files);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, "sg00/def.json: runtime_statebuffer_reservation");
}

#[test]
fn syntax_errors_have_a_place() {
    let mut files = sample();
    files.insert("kelf-0.json".into(), b"\xef\xbb\xbf{\n  \"a\": x}".to_vec());
    let found = findings(&files);
    let position = found[0].position.unwrap();
    assert_eq!((found.len(), found[0].code, found[0].path.as_str()), (1, ErrorCode::Syntax, "kelf-0.json"));
    assert_eq!((position.line, position.column, position.offset), (2, 8, 3 + 2 + 7));
}
