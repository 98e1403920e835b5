//! Everything that a document may have is read and written again: every key at a value that is not its default, in any
//! order, null for an absent one.

mod doc_support;

use bir_core::doc::{ReadOptions, read_json};
use bir_core::ir::difference;
use bir_core::op::OPCODES;
use doc_support::tree::Tree;
use doc_support::*;
use std::collections::BTreeSet;

/// Every key of `spec/bir-json.md` sections 3 to 8 that a writer writes, at another value than its default.
const EVERY_KEY: &str = include_str!("../../tests/data/documents/every_key.bir.json");

fn documents() -> Vec<(String, String)> {
    let mut all = vec![("every key".to_string(), EVERY_KEY.to_string())];
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    for (part, names) in [
        ("bir", ["scale_add", "minmax", "cmp_ops", "slices"].as_slice()),
        ("families", &["compute", "matmul", "dma", "collective", "random", "control", "kernel"]),
    ] {
        for name in names {
            let text = std::fs::read_to_string(folder.join(part).join(format!("{name}.bir.json"))).unwrap();
            all.push((name.to_string(), text));
        }
    }
    let prose = include_str!("../../spec/bir-json.md");
    let examples = prose.split("```json\n").skip(1).map(|b| b.split("```").next().unwrap().to_string());
    all.extend(examples.enumerate().map(|(i, e)| (format!("example {}", i + 1), e)));
    assert_eq!(all.len(), 15);
    all
}

#[test]
fn every_key_is_read_and_comes_back() {
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let loaded = read_json(EVERY_KEY.as_bytes(), &strict).unwrap_or_else(|e| panic!("{e}"));
    let text = written(&loaded.module);
    let (ours, theirs) = (Tree::parse(EVERY_KEY).sorted().text(), Tree::parse(&text).text());
    let split = |t: &str| t.split_inclusive(['{', '}']).map(str::to_string).collect::<Vec<_>>();
    for (ours, theirs) in split(&ours).iter().zip(split(&theirs)) {
        assert_eq!(*ours, theirs);
    }
    assert_eq!(ours, theirs);
}

/// The keys that the tables of the specification name are all in that document, but for those that are never written.
#[test]
fn the_document_has_every_key_of_the_specification() {
    let mut keys = BTreeSet::new();
    Tree::parse(EVERY_KEY).each_object(&mut |members| {
        keys.extend(members.iter().map(|m| m.0.trim_matches('"').to_string()));
    });
    let prose = include_str!("../../spec/bir-json.md");
    let sections = &prose[prose.find("## 3. Module").unwrap()..prose.find("## 9. Errors").unwrap()];
    let mut named = BTreeSet::new();
    for row in sections.lines().filter(|l| l.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        // The key stands first; in the table of headers behind its number, in those of operands and expressions behind
        // the kind. Kinds are values.
        for cell in cells.iter().skip(1).take(2) {
            for (at, word) in cell.split('`').enumerate() {
                if at % 2 == 1 && word.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
                    named.insert(word.to_string());
                }
            }
        }
    }
    // Kinds of operands, and values that stand in those columns.
    let values = [
        "physical_ap",
        "symbolic_ap",
        "symbolic_pwap",
        "register_ap",
        "imm_value",
        "imm_array",
        "symbolic_imm_value",
        "register_access",
    ];
    // Read, never written: `no_spill` is for the explicit form, `n_terms` of a sum is written with its terms.
    let read_only = ["no_spill"];
    for name in named.iter().filter(|n| !values.contains(&n.as_str()) && !read_only.contains(&n.as_str())) {
        assert!(keys.contains(name), "`{name}` is in no object of the document");
    }
    assert!(named.len() > 120, "{}", named.len());
    // Prose of the same sections: block arguments, sync records, pairs of dynamic patterns, loops, version 2 nodes.
    for name in [
        "memref",
        "memsetref",
        "regref",
        "incoming_values",
        "on_wait",
        "on_update",
        "id",
        "wait_value",
        "update_value",
        "from",
        "mode",
        "sync_type",
        "target_core",
        "actual_ap",
        "aff_expr",
        "coef",
        "offset_expr",
        "c",
        "indirect_dim",
        "indirect_dim_max_index",
        "LoopAxis",
        "DynamicForLoopAxis",
        "lb",
        "ub",
        "stride",
        "cond",
        "expr",
        "op",
        "coeff",
        "idx",
    ] {
        assert!(keys.contains(name), "`{name}` is in no object of the document");
    }
}

/// A generator of the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

#[test]
fn the_order_of_keys_is_free() {
    let mut numbers = Numbers(7);
    for (name, text) in documents() {
        let first = load(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let plain = written(&first.module);
        let tree = Tree::parse(&text);
        for round in 0..6 {
            let mut other = tree.clone();
            other.each_object(&mut |members| match round {
                0 => members.reverse(),
                1 => members.sort_by(|a, b| a.0.cmp(&b.0)),
                2 => members.sort_by(|a, b| b.0.cmp(&a.0)),
                _ => (1..members.len()).rev().for_each(|i| members.swap(i, numbers.below(i + 1))),
            });
            let other = other.text();
            let again = load(&other).unwrap_or_else(|e| panic!("{name}, {round}: {e}\n{other}"));
            if let Some(d) = difference(&*first.module, &*again.module) {
                panic!("{name}, {round}: {d}");
            }
            assert_eq!(again.warnings.len(), first.warnings.len(), "{name}, {round}");
            assert!(written(&again.module) == plain, "{name}, {round}");
        }
    }
}

/// What reading gives: the module as text, or the error without its place.
fn outcome(text: &str) -> Result<String, String> {
    match load(text) {
        Ok(loaded) => Ok(written(&loaded.module)),
        Err(e) => Err(format!("{:?} {} {} {}", e.code, e.path, e.message, e.expected)),
    }
}

/// Every key of every object of a document, once without it and once with null.
#[test]
fn null_is_absent_for_every_key() {
    // Values that are kept whole: there null is a value.
    const VERBATIM: [&str; 8] = [
        "\"debug\"",
        "\"artifact_info\"",
        "\"device_print_metadata\"",
        "\"kernel_attrs\"",
        "\"func_args\"",
        "\"func_outs\"",
        "\"arguments\"",
        "\"unroll\"",
    ];
    let mut checked = BTreeSet::new();
    for (name, text) in
        documents().into_iter().filter(|d| ["every key", "kernel", "scale_add", "example 2"].contains(&d.0.as_str()))
    {
        let tree = Tree::parse(&text);
        let mut count = 0;
        tree.clone().each_object(&mut |members| count += members.len());
        for wanted in 0..count {
            let (mut absent, mut null) = (tree.clone(), tree.clone());
            let mut key = String::new();
            let mut at = 0;
            absent.each_object(&mut |members| {
                if (at..at + members.len()).contains(&wanted) {
                    key = members.remove(wanted - at).0;
                    // What was counted with it is not passed any more.
                    at = usize::MAX / 2;
                }
                at += members.len();
            });
            at = 0;
            null.each_object(&mut |members| {
                if (at..at + members.len()).contains(&wanted) {
                    members[wanted - at].1 = Tree::Atom("null".into());
                    at = usize::MAX / 2;
                }
                at += members.len();
            });
            if inside_verbatim(&tree, wanted, &VERBATIM) {
                continue;
            }
            let (absent, null) = (absent.text(), null.text());
            assert_eq!(outcome(&absent), outcome(&null), "{name}: {key}");
            checked.insert(key);
        }
    }
    assert!(checked.len() > 150, "{}: {checked:?}", checked.len());
}

/// Whether the member of that number lies in a value that is kept whole.
fn inside_verbatim(tree: &Tree, wanted: usize, verbatim: &[&str]) -> bool {
    fn walk(tree: &Tree, kept: bool, verbatim: &[&str], order: &mut Vec<bool>) {
        match tree {
            Tree::Atom(_) => {}
            Tree::Array(elements) => elements.iter().for_each(|e| walk(e, kept, verbatim, order)),
            Tree::Object(members) => {
                order.extend(members.iter().map(|_| kept));
                // A queue's attributes are kept whole, a module's and a function's are not; the arguments of an
                // instruction are, a block's are not.
                let has = |key: &str| members.iter().any(|m| m.0 == key);
                let (queue, instruction) = (has("\"num_dma_engines\""), has("\"opcode\""));
                for (key, value) in members {
                    let starts = verbatim.contains(&key.as_str()) && (instruction || key != "\"arguments\"")
                        || queue && key == "\"attributes\"";
                    walk(value, kept || starts, verbatim, order);
                }
            }
        }
    }
    let mut order = Vec::new();
    walk(tree, false, verbatim, &mut order);
    order[wanted]
}

/// Every payload key of every opcode.
#[test]
fn null_is_absent_for_every_payload_key() {
    for opcode in OPCODES {
        let (without, ..) = INSTRUCTIONS.fill(&format!(r#"{{"name": "i", "opcode": "{}"}}"#, opcode.name), "");
        let expected = outcome(&without);
        for key in opcode.fields.iter().flat_map(|f| [f.key].into_iter().chain(f.aliases.iter().copied())) {
            let part = format!(r#"{{"name": "i", "opcode": "{}", "{key}": null}}"#, opcode.name);
            assert_eq!(outcome(&INSTRUCTIONS.fill(&part, "").0), expected, "{part}");
        }
    }
}
