#![forbid(unsafe_code)]

use super::*;
use crate::error::ErrorCode;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde_json::{Value, json};

fn subgraph() -> Subgraph {
    Subgraph {
        definition: json!({
            "pe": "PE0.json", "pe_dbg": "PE0.dbg", "debug_info": {"wavegraph": "x"},
            "var": {
                "in": {"type": "input", "var_id": 0, "size": 4},
                "a": {"type": "file", "var_id": 1, "size": 100, "file_name": "a.npy"},
                "ptr": {"type": "pointer", "var_id": 2, "size": 8, "referenced_var_id": 6},
                "b": {"type": "file", "var_id": 3, "size": 10, "file_name": "b.bin", "alignment": 256},
                "same": {"type": "file", "var_id": 4, "size": 100, "file_name": "same.npy"},
                "unread": {"type": "file", "var_id": 5, "size": 10, "file_name": "b.bin"},
                "pointed": {"type": "file", "var_id": 6, "size": 10, "file_name": "p.bin"},
                "out": {"type": "output", "var_id": 7, "size": 4},
                "odd": {"type": "file", "var_id": 8, "size": 10, "file_name": "o.bin", "prefix": "x"},
                "listed": {"type": "list", "var_id": 9, "list": [7, 0]},
                "missing": {"type": "file", "var_id": 10, "size": 10, "file_name": "none.bin"},
                "short": {"type": "file", "var_id": 11, "size": 10, "file_name": "short.bin"},
                "written": {"type": "file", "var_id": 12, "size": 10, "file_name": "o.bin"}
            }
        }),
        engines: vec![(
            "PE0.json".into(),
            json!({"dma": [{"id": 0, "queue": "q", "desc": [
                {"from": "a", "to": "SB"},
                {"from": "b", "from_off": 4, "to": "SB"},
                {"from": "same", "from_off": 8, "to": "written"},
                {"from": "in", "from_off": 1, "to": "SB"},
                {"from": "pointed", "to": "SB"}, {"from": "odd", "to": "SB"}, {"from": "missing", "to": "SB"},
                {"from": "short", "to": "SB"}, {"from": "written", "to": "SB"}
            ]}]}),
        )],
    }
}

fn payload(file: &str) -> Option<Payload> {
    Some(match file {
        "a.npy" | "same.npy" => Payload { skip: 128, bytes: 100, content: 1 },
        "b.bin" => Payload { skip: 0, bytes: 10, content: 2 },
        "p.bin" | "o.bin" => Payload { skip: 0, bytes: 10, content: 3 },
        "short.bin" => Payload { skip: 0, bytes: 9, content: 4 },
        _ => return None,
    })
}

#[test]
fn constants_that_only_descriptors_read_become_one() {
    let mut subgraph = subgraph();
    let merged = merge_constants(&mut subgraph, &payload).unwrap().unwrap();
    let piece = |file: &str, skip, bytes, offset| Piece { file_name: file.into(), skip, bytes, offset };
    assert_eq!(merged.pieces, [piece("a.npy", 128, 100, 0), piece("b.bin", 0, 10, 256)]);
    assert_eq!((merged.variable.as_str(), merged.file_name.as_str(), merged.bytes), ("weights", "weights.npy", 266));
    assert_eq!((merged.saved_bytes, merged.variables), (100, vec!["a".into(), "b".into(), String::from("same")]));
    // b.bin is still the file of `unread`.
    assert_eq!(merged.unused_files, ["a.npy", "same.npy"]);

    let variables = &subgraph.definition["var"];
    assert_eq!(
        variables["weights"],
        json!({"alignment": 256, "file_name": "weights.npy", "size": 266, "type": "file", "var_id": 1})
    );
    let mut ids: Vec<u64> = variables.as_object().unwrap().values().map(|v| v["var_id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..11).collect::<Vec<_>>());
    // References follow their variables.
    assert_eq!(variables["ptr"]["referenced_var_id"], variables["pointed"]["var_id"]);
    assert_eq!(variables["listed"]["list"], json!([variables["out"]["var_id"], 0]));

    let descriptors = &subgraph.engines[0].1["dma"][0]["desc"];
    let from = |i: usize| (descriptors[i]["from"].as_str().unwrap(), descriptors[i]["from_off"].as_u64());
    assert_eq!(from(0), ("weights", Some(0)));
    assert_eq!(from(1), ("weights", Some(260)));
    assert_eq!(from(2), ("weights", Some(8)));
    assert_eq!(from(3), ("in", Some(1)));
    assert_eq!((from(4), from(5)), (("pointed", None), ("odd", None)));
}

#[test]
fn fewer_than_two_stay() {
    let mut one = subgraph();
    one.definition["var"].as_object_mut().unwrap().retain(|name, _| name != "b" && name != "same");
    let before = (one.definition.clone(), one.engines.clone());
    assert_eq!(merge_constants(&mut one, &payload).unwrap(), None);
    assert_eq!((one.definition, one.engines), before);
}

#[test]
fn taken_names_and_bad_offsets() {
    let mut taken = subgraph();
    taken.definition["var"]["weights"] = json!({"type": "tmp-buf", "var_id": 13, "size": 1});
    let exists = |file: &str| if file == "weights.npy" { payload("p.bin") } else { payload(file) };
    let merged = merge_constants(&mut taken, &exists).unwrap().unwrap();
    assert_eq!((merged.variable.as_str(), merged.file_name.as_str()), ("weights_1", "weights_1.npy"));

    let mut bad = subgraph();
    bad.engines[0].1["dma"][0]["desc"][0]["from_off"] = json!("x");
    assert_eq!(merge_constants(&mut bad, &payload).unwrap_err().code, ErrorCode::WrongType);
    assert_eq!(
        merge_constants(&mut Subgraph { definition: Value::Null, engines: vec![] }, &payload).unwrap_err().code,
        ErrorCode::MissingKey
    );
}

#[test]
fn debug_data() {
    for name in [
        "debug_info/x.json",
        "sg00/debug_info/y",
        "sg00/PE0.dbg",
        "a.dbg2",
        "a.dbg.gz",
        "sg00/PE0.asm",
        "kernel_debug_info.json",
        "sg00/wavegraph-bin.json",
    ] {
        assert!(is_debug(name), "{name}");
    }
    for name in ["info.json", "sg00/def.json", "sg00/w.npy", "sg00/PE0.bin", "debug_infos/x", "metrics.json"] {
        assert!(!is_debug(name), "{name}");
    }
    let mut definition = subgraph().definition;
    assert_eq!(drop_debug_keys(&mut definition), ["debug_info", "pe_dbg"]);
    assert!(definition.get("debug_info").is_none() && definition.get("pe").is_some());
}
