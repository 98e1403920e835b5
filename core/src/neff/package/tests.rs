#![forbid(unsafe_code)]

use super::*;
use crate::consts::{Dedup, npy};
use crate::neff::descriptors::{Backing, ENGINES, QueueKind, VariableKind, check};
use crate::neff::header::Header;
use crate::neff::read::{Options, Package};
use alloc::vec;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/");

fn data(name: &str) -> Vec<u8> {
    std::fs::read([DATA, name].concat()).unwrap()
}

fn tensor(name: &str) -> Tensor {
    Tensor { name: name.into(), dtype: "float32".into(), shape: vec![2, 3], bytes: 24 }
}

fn constant(variable: &str, file_name: &str) -> Constant {
    Constant { variable: variable.into(), file_name: file_name.into(), bytes: 24, alignment: 0, offset: 0 }
}

/// A builder with one input and one output.
fn small(cores: u32) -> PackageBuilder<'static> {
    let mut builder = PackageBuilder::new("synthetic", Target::Sunda, cores).unwrap();
    builder.input(tensor("input0")).unwrap();
    builder.output(tensor("output0")).unwrap();
    builder.set_compression(Compression::None);
    builder
}

/// The parts of the synthetic sample.
fn synthetic() -> PackageBuilder<'static> {
    let mut builder = small(1);
    builder.set_tool_version("0.0.0+synthetic").unwrap();
    builder.constant(0, constant("w", "w.npy")).unwrap();
    builder.constant_file(0, "w.npy", data("libarchive-ref/in/w.npy")).unwrap();
    builder.member("hlo_stats.json", &b"{}\n"[..]).unwrap();
    for (name, kind, semaphore) in
        [("q_in", QueueKind::In, 10), ("q_out", QueueKind::Out, 11), ("q_w", QueueKind::Data, 12)]
    {
        let queue = Queue { name: name.into(), kind, owner: Engine::Sp, semaphore: Some(semaphore), num_queues: 1 };
        builder.queue(0, queue).unwrap();
    }
    builder
}

fn open(file: &[u8]) -> Package<'_> {
    Package::open(file, Options::default()).unwrap()
}

#[test]
fn rebuilds_the_sample_byte_for_byte() {
    let mut builder = synthetic();
    builder.set_compression(Compression::Exact);
    assert!(builder.build().unwrap() == data("neff/synthetic-minimal.neff"));

    builder.set_pad_payload(true);
    let padded = builder.build().unwrap();
    assert_eq!(padded.len(), 1024 + 10240);
    let package = open(&padded);
    assert_eq!(package.header().data_size, 10240);
    assert_eq!(check(&package), []);
}

#[test]
fn the_parallel_form_holds_the_same_archive() {
    let mut builder = synthetic();
    builder.set_compression(Compression::Parallel);
    let file = builder.build().unwrap();
    let package = open(&file);
    assert!(package.is_compressed());
    assert!(package.tar() == open(&data("neff/synthetic-minimal.neff")).tar());
    assert_eq!(check(&package), []);
    assert!(builder.build().unwrap() == file);
}

#[test]
fn rebuilds_the_archive_of_the_sample() {
    let sample = data("neff/synthetic-minimal.neff");
    let file = synthetic().build().unwrap();
    let package = open(&file);
    assert!(!package.is_compressed());
    assert!(package.tar() == open(&sample).tar());
    assert_eq!(package.ir_signature(), open(&sample).ir_signature());
    assert_eq!(check(&package), []);
}

#[test]
fn logical_cores_of_two_physical_ones() {
    let mut builder = small(2);
    builder.set_build_version("1.2.3").unwrap();
    for core in [0, 1] {
        builder.engine_bin(core, Engine::Pe, vec![core as u8; 64]).unwrap();
    }
    builder.engine_json(1, Engine::Act, &b"{\"dma\": []}"[..]).unwrap();
    builder.set_uuid([7; 16]);
    let file = builder.build().unwrap();
    let package = open(&file);
    let header = package.header();
    assert_eq!((header.num_tpb, header.requested_tpb_count, header.tpb_per_node[..2].to_vec()), (2, 2, vec![2, 0]));
    assert_eq!((header.lnc_size, header.feature_bits, header.neff_version_major), (2, 0x400, 2));
    assert_eq!((&*header.build_version(), header.uuid), ("1.2.3", [7; 16]));
    assert_eq!(package.member("sg01/PE0.bin"), Some(&[1; 64][..]));
    assert_eq!(package.member("sg01/Activation0.json"), Some(&b"{\"dma\": []}"[..]));
    assert_eq!(package.members().len(), 3 + 2 * (2 * ENGINES.len() + 1));
    let definition = std::str::from_utf8(package.member("sg01/def.json").unwrap()).unwrap();
    assert!(definition.contains("\"neff_features\": [\n        \"neff_feature_vnc\"\n    ]"), "{definition}");
    assert_eq!(check(&package), []);
}

#[test]
fn constants_of_a_session_share_files() {
    let header = npy::header("<f4", &[2, 3]).unwrap();
    let weights: Vec<Vec<u8>> = [1u8, 2].iter().map(|&v| [&header[..], &[v; 24]].concat()).collect();
    let mut dedup = Dedup::new();
    for (name, weight) in [("a.npy", 0), ("b.npy", 0), ("c.npy", 1)] {
        dedup.add(name, &weights[weight], "float32", "DRAM").unwrap();
    }
    let mut builder = small(1);
    for (variable, name) in [("a", "a.npy"), ("b", "b.npy"), ("c", "c.npy")] {
        builder.constant(0, constant(variable, dedup.name_of(name).unwrap())).unwrap();
    }
    for (name, bytes) in dedup.files() {
        builder.constant_file(0, name, bytes).unwrap();
    }
    let file = builder.build().unwrap();
    let package = open(&file);
    assert_eq!(check(&package), []);
    let constants: Vec<_> =
        package.members().iter().filter(|m| m.name.ends_with(".npy")).map(|m| &m.name[..]).collect();
    assert_eq!(constants, ["sg00/a.npy", "sg00/c.npy"]);
    let definition: serde_json::Value = serde_json::from_slice(package.member("sg00/def.json").unwrap()).unwrap();
    assert_eq!(
        definition["var"]["b"],
        serde_json::json!({"file_name": "a.npy", "size": 24, "type": "file", "var_id": 4})
    );
    assert_eq!(package.header().feature_bits, 0);
}

#[test]
fn raw_constants_set_their_bit_and_must_not_look_like_npy() {
    let mut builder = small(1);
    builder.constant(0, constant("w", "w.bin")).unwrap();
    assert_eq!(builder.build().unwrap_err().code, ErrorCode::UnresolvedRef);
    builder.constant_file(0, "w.bin", vec![0; 24]).unwrap();
    let header = Header::parse(&builder.build().unwrap()).unwrap();
    assert_eq!((header.feature_bits, header.neff_version_major), (1, 2));

    let mut builder = small(1);
    builder.constant(0, constant("w", "w.bin")).unwrap();
    builder.constant_file(0, "w.bin", data("libarchive-ref/in/w.npy")).unwrap();
    assert_eq!(builder.build().unwrap_err().code, ErrorCode::Conflict);
}

#[test]
fn several_logical_cores() {
    let mut builder = PackageBuilder::new("two", Target::Cayman, 2).unwrap();
    builder.set_compression(Compression::None);
    assert_eq!(builder.add_node(1).unwrap_err().code, ErrorCode::BadValue);
    assert_eq!(builder.add_node(2).unwrap(), 1);
    for (node, output) in [(0, "left"), (1, "right")] {
        builder.node_input(node, tensor("shared")).unwrap();
        builder.node_output(node, tensor(output)).unwrap();
    }
    builder.node_input(1, tensor("own")).unwrap();
    assert_eq!(builder.node_input(2, tensor("none")).unwrap_err().code, ErrorCode::NotFound);
    builder.constant(3, constant("w", "w.npy")).unwrap();
    builder.constant_file(3, "w.npy", data("libarchive-ref/in/w.npy")).unwrap();
    let file = builder.build().unwrap();
    let package = open(&file);
    assert_eq!(check(&package), []);
    let header = package.header();
    assert_eq!((header.num_tpb, header.lnc_size, &header.tpb_per_node[..3]), (4, 2, &[2, 2, 0][..]));
    let json = |name: &str| -> serde_json::Value { serde_json::from_slice(package.member(name).unwrap()).unwrap() };
    let manifest = json("neff.json");
    let names = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap().into()).collect()
    };
    assert_eq!(names(&manifest["nodes"]), ["shared", "own", "sg_coreV10", "sg_coreV11"]);
    assert_eq!(manifest["arg_nodes"], serde_json::json!([0, 1]));
    assert_eq!(manifest["heads"], serde_json::json!([[2, 0, 0], [3, 0, 0]]));
    assert_eq!(manifest["node_row_ptr"], serde_json::json!([0, 1, 2, 3, 4]));
    assert_eq!(manifest["nodes"][3]["inputs"], serde_json::json!([[0, 0, 0], [1, 0, 0]]));
    assert_eq!(manifest["nodes"][3]["attrs"]["kelf"], "kelf-1.json");
    assert_eq!(names(&json("kelf-1.json")["graphs"]), ["sg02", "sg03"]);
    assert_eq!(json("sg02/def.json")["var"]["right"]["type"], "output");
    assert_eq!(json("sg03/def.json")["var"]["w"]["type"], "file");

    let mut other = tensor("shared");
    other.dtype = "int32".into();
    builder.node_input(1, other).unwrap();
    assert_eq!(builder.build().unwrap_err().path, "shared");
}

#[test]
fn every_kind_of_variable() {
    let mut builder = small(1);
    let file = VariableKind::File { file_name: "w.npy".into(), offset: 8 };
    for (name, kind, bytes) in [
        ("t", VariableKind::TmpBuf, Some(64)),
        ("v", VariableKind::Virtual { offset: 512, backing: Backing::Main }, Some(32)),
        ("s", VariableKind::Virtual { offset: 0, backing: Backing::Sharded }, Some(32)),
        ("p", VariableKind::Pointer { to: "t".into() }, None),
        ("l", VariableKind::List { of: vec!["p".into(), "input0".into()] }, None),
        ("d", VariableKind::DgeTable { of: vec!["t".into()] }, None),
        ("w", file, Some(16)),
    ] {
        builder.variable(0, Variable { name: name.into(), kind, bytes, alignment: 0 }).unwrap();
    }
    builder.constant_file(0, "w.npy", data("libarchive-ref/in/w.npy")).unwrap();
    let file = builder.build().unwrap();
    let package = open(&file);
    let definition: serde_json::Value = serde_json::from_slice(package.member("sg00/def.json").unwrap()).unwrap();
    for (name, expected) in [
        ("t", serde_json::json!({"size": 64, "type": "tmp-buf", "var_id": 3})),
        ("v", serde_json::json!({"backing_variable_off": 512, "size": 32, "type": "virtual", "var_id": 4})),
        (
            "s",
            serde_json::json!({"backing_buf": "sharded", "backing_variable_off": 0, "size": 32, "type": "virtual", "var_id": 5}),
        ),
        ("p", serde_json::json!({"referenced_var_id": 3, "size": 8, "type": "pointer", "var_id": 6})),
        ("l", serde_json::json!({"list": [6, 0], "type": "list", "var_id": 7})),
        ("d", serde_json::json!({"list": [3], "type": "dge-table", "var_id": 8})),
        ("w", serde_json::json!({"file_name": "w.npy", "size": 16, "type": "file", "var_id": 9, "var_offset": 8})),
    ] {
        assert_eq!(definition["var"][name], expected, "{name}");
    }
    let lost = VariableKind::Pointer { to: "none".into() };
    builder.variable(0, Variable { name: "q".into(), kind: lost, bytes: None, alignment: 0 }).unwrap();
    assert_eq!(builder.build().unwrap_err().code, ErrorCode::UnresolvedRef);
}

#[test]
fn refuses_bad_parts() {
    for cores in [0, 100] {
        assert_eq!(PackageBuilder::new("x", Target::Any, cores).unwrap_err().code, ErrorCode::BadValue);
    }
    let mut builder = small(1);
    assert_eq!(builder.member("../x", &b""[..]).unwrap_err().code, ErrorCode::UnsafePath);
    assert_eq!(builder.member("/x", &b""[..]).unwrap_err().code, ErrorCode::UnsafePath);
    assert_eq!(builder.constant_file(0, "../x", &b""[..]).unwrap_err().code, ErrorCode::UnsafePath);
    assert_eq!(builder.constant_file(1, "x", &b""[..]).unwrap_err().code, ErrorCode::NotFound);

    let refused = |members: &[&'static str]| {
        let mut builder = small(1);
        members.iter().for_each(|name| builder.member(name, &b""[..]).unwrap());
        let error = builder.build().unwrap_err();
        (error.code, error.path)
    };
    assert_eq!(refused(&["x", "./x"]), (ErrorCode::DuplicateName, "x".into()));
    assert_eq!(refused(&["info.json"]), (ErrorCode::DuplicateName, "info.json".into()));
    assert_eq!(refused(&["sg00"]), (ErrorCode::Conflict, "sg00".into()));
    let mut no_output = PackageBuilder::new("x", Target::Any, 1).unwrap();
    no_output.set_compression(Compression::None);
    assert_eq!(no_output.build().unwrap_err().code, ErrorCode::MissingKey);
}

#[test]
fn the_order_of_calls_does_not_matter() {
    let names = ["sg00/bir.json", "z.so", "a/b/x", "a/b.json", "sg00/wéight.npy"];
    let build = |order: &mut dyn Iterator<Item = &'static str>| {
        let mut builder = small(1);
        order.for_each(|name| builder.member(name, name.as_bytes()).unwrap());
        builder.build().unwrap()
    };
    let file = build(&mut names.into_iter());
    assert!(file == build(&mut names.into_iter().rev()));
    let package = open(&file);
    let order: Vec<_> = package.members().iter().map(|m| m.name.as_str()).filter(|n| names.contains(n)).collect();
    assert_eq!(order, ["a/b/x", "a/b.json", "sg00/bir.json", "sg00/wéight.npy", "z.so"]);
    let mode = |name: &str| package.members().iter().find(|m| m.name == name).unwrap().mode;
    assert_eq!((mode("z.so"), mode("sg00/bir.json")), (0o755, 0o644));
}
