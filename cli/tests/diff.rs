//! `bir diff`: exit codes, both forms of output, and what is not told.

mod common;
use common::*;
use serde_json::{Value, json};
use std::fs;

const KERNEL: &str = "bir/scale_add.bir.json";

fn kernel() -> Value {
    serde_json::from_str(&fs::read_to_string(data(KERNEL)).unwrap()).unwrap()
}

/// The kernel with an instruction more in front, another engine, a location of another name, and an empty block less.
fn edited(folder: &Folder) -> (String, String) {
    let (mut a, mut b) = (kernel(), kernel());
    let blocks = a["functions"][0]["blocks"].as_array_mut().unwrap();
    blocks.push(json!({"name": "unused", "instructions": [blocks[0]["instructions"][0].clone()]}));
    let instructions = b["functions"][0]["blocks"][0]["instructions"].as_array_mut().unwrap();
    instructions[1]["engine"] = json!("Pool");
    instructions.insert(0, json!({"name": "noop_test", "opcode": "NoOp", "engine": "SP", "ins": [], "outs": []}));
    let text = b.to_string().replace("\"dst\"", "\"result\"");
    (folder.file("a.bir.json", a.to_string()), folder.file("b.bir.json", text))
}

#[test]
fn equal_documents() {
    let folder = Folder::new();
    let compact = folder.file("compact.bir.json", kernel().to_string());
    let run = bir(&["diff", &data(KERNEL), &compact]).good();
    assert_eq!(run.out, "no differences\n");
    let json = bir(&["diff", "--json", &data(KERNEL), &compact]).good().json();
    assert_eq!((&json["equal"], &json["change_count"], &json["changes"]), (&json!(true), &json!(0), &json!([])));
}

#[test]
fn different_documents_for_people() {
    let folder = Folder::new();
    let (a, b) = edited(&folder);
    let run = bir(&["diff", "-q", &a, &b]);
    let expected = "\
~ location result  functions[0].allocations[0].memorylocations[0]
    renamed  dst -> result
+ instruction noop_test (NoOp)  functions[0].blocks[0].instructions[0]
~ instruction noop_test_2 (TensorScalar)  functions[0].blocks[0].instructions[1] -> functions[0].blocks[0].instructions[2]
    engine  Unassigned -> Pool
- block unused with 1 instruction  functions[0].blocks[1]

1 instruction changed, 1 added; 1 block removed; 1 location renamed
";
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (1, expected, ""));
    // Warnings of both, as of any document.
    let run = bir(&["diff", &a, &b]);
    assert!(run.err.contains("a.bir.json: ") && run.err.contains("b.bir.json: "), "{}", run.err);
}

#[test]
fn different_documents_for_programs() {
    let folder = Folder::new();
    let (a, b) = edited(&folder);
    let run = bir(&["diff", "--json", &a, &b]);
    assert_eq!(run.code, 1);
    let json = run.json();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["change_count", "changes", "counts", "equal", "kind", "left", "right", "summary"]);
    assert_eq!((&json["equal"], &json["left"], &json["change_count"]), (&json!(false), &json!(a), &json!(4)));
    let counts = json!({
        "block": {"removed": 1}, "instruction": {"added": 1, "changed": 1}, "location": {"renamed": 1},
    });
    assert_eq!(json["counts"], counts);
    let change = &json["changes"][2];
    assert_eq!(change["what"], "changed");
    assert_eq!(
        (&change["field"], &change["old"], &change["new"]),
        (&json!("engine"), &json!("Unassigned"), &json!("Pool"))
    );
    assert_eq!(change["left"]["path"], "functions[0].blocks[0].instructions[1]");
    assert_eq!(change["right"]["opcode"], "TensorScalar");
    assert_eq!((&json["changes"][1]["left"], &json["changes"][1]["field"]), (&Value::Null, &Value::Null));
    assert_eq!(json["changes"][3]["left"]["instructions"], 1);
    // Exchanged.
    let back = bir(&["diff", "--json", &b, &a]).json();
    assert_eq!(back["counts"]["instruction"], json!({"removed": 1, "changed": 1}));
    assert_eq!(back["counts"]["block"], json!({"added": 1}));
}

#[test]
fn a_limit_hides_but_counts() {
    let folder = Folder::new();
    let (a, b) = edited(&folder);
    let run = bir(&["diff", "-q", "--limit", "1", &a, &b]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("and 3 more\n"), "{}", run.out);
    assert!(run.out.ends_with("1 instruction changed, 1 added; 1 block removed; 1 location renamed\n"), "{}", run.out);
    let json = bir(&["diff", "--json", "--limit", "0", &a, &b]).json();
    assert_eq!((&json["changes"], &json["change_count"]), (&json!([]), &json!(4)));
}

#[test]
fn long_values_are_cut_to_where_they_differ() {
    let folder = Folder::new();
    let with = |name: &str, mark: &str| {
        let mut document = kernel();
        let text = format!("{}{mark}{}", "a".repeat(300), "b".repeat(300));
        document["functions"][0]["blocks"][0]["instructions"][0]["debug"] = json!({"op_name": text});
        folder.file(name, document.to_string())
    };
    let run = bir(&["diff", "-q", &with("a.json", "1"), &with("b.json", "2")]);
    let context = ("a".repeat(20), "b".repeat(20));
    let line = format!("    debug  ...{0}1{1}... -> ...{0}2{1}...\n", context.0, context.1);
    assert!(run.out.contains(&line), "{}", run.out);
}

#[test]
fn a_bad_document_is_no_difference() {
    let folder = Folder::new();
    let bad = folder.file("bad.bir.json", "{\"version\": 2,");
    for (a, b) in [(data(KERNEL), bad.clone()), (bad, data(KERNEL))] {
        let run = bir(&["diff", &a, &b]);
        assert_eq!((run.code, run.out.as_str()), (3, ""));
        assert!(run.err.contains("error: ") && run.err.contains("bad.bir.json"), "{}", run.err);
    }
    let missing = bir(&["diff", "--json", &data(KERNEL), &folder.path("none")]);
    assert_eq!(missing.code, 3);
    assert_eq!(missing.json()["error"]["code"], "Io");
    assert_eq!(bir(&["diff", &data(NEFF), &data(KERNEL)]).code, 3);
    // Its warnings are errors on demand.
    assert_eq!(bir(&["diff", "--strict", &data(KERNEL), &data(KERNEL)]).code, 3);
}

#[test]
fn standard_input_is_one_of_the_two() {
    let text = fs::read(data(KERNEL)).unwrap();
    assert_eq!(bir_with_input(&["diff", "-", &data(KERNEL)], &text).good().out, "no differences\n");
    assert_eq!(bir_with_input(&["diff", &data(KERNEL), "-"], &text).good().out, "no differences\n");
    bir(&["diff", "-", "-"]).usage();
    bir(&["diff", &data(KERNEL)]).usage();
    bir(&["diff", "--limit", "few", "a", "b"]).usage();
}
