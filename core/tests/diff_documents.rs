//! Documents of real kernels and of all families, edited as text: what was edited is told, and nothing else.

mod changed;

use bir_core::doc::{ReadOptions, read_json};
use bir_core::ir::Module;
use changed::{changes, mirrored};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;

const KERNELS: [&str; 4] = ["bir/scale_add", "bir/minmax", "bir/cmp_ops", "bir/slices"];
const FAMILIES: [&str; 7] = [
    "families/collective",
    "families/compute",
    "families/control",
    "families/dma",
    "families/kernel",
    "families/matmul",
    "families/random",
];

fn document(name: &str) -> Value {
    let path = format!("{}/../tests/data/{name}.bir.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn load(document: &Value) -> Option<Module> {
    Some(read_json(document.to_string().as_bytes(), &ReadOptions::default()).ok()?.module)
}

fn instructions(document: &mut Value) -> &mut Vec<Value> {
    document["functions"][0]["blocks"][0]["instructions"].as_array_mut().unwrap()
}

/// The changes that an edit of a document makes; exchanged documents give them the other way round.
#[track_caller]
fn edited(name: &str, edit: impl FnOnce(&mut Value)) -> Vec<String> {
    let a = document(name);
    let mut b = a.clone();
    edit(&mut b);
    let (a, b) = (load(&a).unwrap(), load(&b).unwrap_or_else(|| panic!("{name} does not load")));
    mirrored(&a, &b);
    changes(&a, &b).iter().map(|l| l.replace("functions[0].blocks[0].instructions", "I")).collect()
}

#[test]
fn kernels_whose_instructions_all_have_one_name() {
    for name in KERNELS {
        let count = instructions(&mut document(name)).len();
        assert!(instructions(&mut document(name)).iter().all(|i| i["name"] == "noop_test"), "{name}");
        for index in 0..=count {
            // One more: nothing else is another one, although all later names are.
            let new = json!({"name": "noop_test", "opcode": "NoOp", "engine": "Pool", "ins": [], "outs": []});
            let found = edited(name, |d| instructions(d).insert(index, new));
            assert_eq!(found, [format!("added instruction I[{index}]")], "{name}");
        }
        for index in 0..count {
            let found = edited(name, |d| drop(instructions(d).remove(index)));
            assert_eq!(found, [format!("removed instruction I[{index}]")], "{name}");
            let found = edited(name, |d| instructions(d)[index]["engine"] = json!("Pool"));
            assert_eq!(found, [format!("changed I[{index}].engine: Unassigned -> Pool")], "{name}");
            let found = edited(name, |d| instructions(d)[index]["outs"][0]["offset"] = json!(64));
            assert_eq!(found, [format!("changed I[{index}].outs[0].offset: 0 -> 64")], "{name}");
            let found = edited(name, |d| instructions(d)[index]["name"] = json!("mine"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(&format!("renamed instruction I[{index}]")), "{found:?}");
        }
        let last = count - 1;
        let found = edited(name, |d| {
            let first = instructions(d).remove(0);
            instructions(d).push(first);
        });
        assert_eq!(found, [format!("moved instruction I[0] -> I[{last}]: Block1[0] -> Block1[{last}]")], "{name}");
    }
}

#[test]
fn two_kernels() {
    let load = |name| load(&document(name)).unwrap();
    let (a, b) = (load("bir/scale_add"), load("bir/minmax"));
    let scalar = "changed functions[0].blocks[0].instructions[1]";
    let expected = ["op0: mult -> max", "const0: 2.0 -> 0.0", "op1: add -> min", "const1: 0.5 -> 6.0"];
    assert_eq!(changes(&a, &b), expected.map(|field| format!("{scalar}.{field}")));
    mirrored(&a, &b);
}

/// Paths of all numbers and flags of a document.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<String>) {
    let mut below = |key: String, value: &Value| {
        path.push(key);
        leaves(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, v)| below(key.replace('~', "~0").replace('/', "~1"), v)),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| below(i.to_string(), v)),
        Value::Bool(_) | Value::Number(_) => found.push(format!("/{}", path.join("/"))),
        Value::Null | Value::String(_) => {}
    }
}

/// The change is told at the object and the key that were edited; below the key, expressions have other words.
#[track_caller]
fn told_where(edit: &str, line: &str) {
    let mut place = String::from("changed ");
    let mut in_object = true;
    for part in edit.split('/').skip(1) {
        let key = match part {
            "no_spill" => "do_not_spill",
            "ap" => "pattern",
            key => key,
        };
        if key.parse::<u32>().is_ok() {
            place += &format!("[{key}]");
            continue;
        }
        if !in_object {
            break;
        }
        let separator = if place.ends_with(' ') { "" } else { "." };
        place += &format!("{separator}{key}");
        let owners = ["functions", "queues", "allocations", "memorylocations", "blocks", "instructions"];
        in_object = owners.contains(&key) || ["ins", "outs", "indirection_ins"].contains(&key);
    }
    // Of pairs, the pair is told.
    let told = |place: &str| line.strip_prefix(place).is_some_and(|rest| rest.starts_with([':', '.', '[']));
    let pair = place.rsplit_once('[').map_or(place.as_str(), |p| p.0);
    assert!(told(&place) || (pair.ends_with(']') && told(pair)), "{edit}: {line} is not at {place}");
}

#[test]
fn each_number_and_flag_by_itself() {
    let mut told = 0;
    for name in KERNELS.iter().chain(&FAMILIES) {
        let original = document(name);
        let a = load(&original).unwrap();
        let mut paths = Vec::new();
        leaves(&original, &mut Vec::new(), &mut paths);
        // Of places that differ in positions only, a few.
        let mut seen: HashMap<String, u32> = HashMap::new();
        for path in paths {
            let place = seen.entry(path.split('/').filter(|p| p.parse::<u32>().is_err()).collect()).or_default();
            *place += 1;
            if *place > 5 {
                continue;
            }
            let mut b = original.clone();
            let leaf = b.pointer_mut(&path).unwrap();
            *leaf = match &*leaf {
                Value::Bool(flag) => json!(!flag),
                number if number.is_f64() => json!(number.as_f64().unwrap() + 1.0),
                number => json!(number.as_i64().unwrap() + 1),
            };
            // What contradicts another value is no document.
            let Some(b) = load(&b) else { continue };
            let found = changes(&a, &b);
            if found.is_empty() {
                assert!(a.structurally_equal(&b));
                continue;
            }
            assert_eq!(found.len(), 1, "{name} {path}: {found:#?}");
            told_where(&path, &found[0]);
            told += 1;
        }
    }
    assert!(told > 500, "{told}");
}
