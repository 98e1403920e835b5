//! Each operator that has a lowering, in each of its forms: what it becomes, worked out by hand from `spec/lowering.toml`.

#[macro_use]
mod lower_support;

#[path = "lower_ops/activation.rs"]
mod activation;
#[path = "lower_ops/arithmetic.rs"]
mod arithmetic;
#[path = "lower_ops/collective.rs"]
mod collective;
#[path = "lower_ops/dma.rs"]
mod dma;
#[path = "lower_ops/gather.rs"]
mod gather;
#[path = "lower_ops/matmul.rs"]
mod matmul;
#[path = "lower_ops/random.rs"]
mod random;
#[path = "lower_ops/registers.rs"]
mod registers;
#[path = "lower_ops/select.rs"]
mod select;

use lower_support::case::Case;
use std::collections::BTreeMap;
use toml::Value;

/// The `[[op]]` rows of the table.
fn rows() -> Vec<Value> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/lowering.toml");
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    table["op"].as_array().unwrap().clone()
}

fn variants(row: &Value) -> Vec<Value> {
    row.get("variant").map(|v| v.as_array().unwrap().clone()).unwrap_or_default()
}

/// Lowers the case and compares; the prefix of an unnamed statement is that of the table.
#[track_caller]
fn check_case(case: &Case) {
    let row = rows().into_iter().find(|r| r["ordinal"].as_integer() == Some(case.op.ordinal().into())).unwrap();
    let variant = variants(&row)[case.variant].clone();
    // A builder's name and the template of tensorTensor are no prefixes.
    let prefix = Some(variant["prefix"].as_str().unwrap()).filter(|p| !p.starts_with('(') && !p.contains('{'));
    case.check(prefix);
}

fn all_cases() -> Vec<(&'static str, Case)> {
    let families = [
        activation::cases(),
        arithmetic::cases(),
        collective::cases(),
        dma::cases(),
        gather::cases(),
        matmul::cases(),
        random::cases(),
        registers::cases(),
        select::cases(),
    ];
    families.into_iter().flatten().collect()
}

/// No form of the table is without a case, and no case leaves out a key that its form sets.
#[test]
fn every_form_and_every_key_of_the_table_is_expected_somewhere() {
    let mut cases: BTreeMap<(i64, usize), Vec<(&str, Case)>> = BTreeMap::new();
    for (name, case) in all_cases() {
        cases.entry((case.op.ordinal().into(), case.variant)).or_default().push((name, case));
    }
    let mut wrong = Vec::new();
    let mut forms = 0;
    for row in rows() {
        let ordinal = row["ordinal"].as_integer().unwrap();
        for (index, variant) in variants(&row).iter().enumerate() {
            forms += 1;
            let klr = row["klr"].as_str().unwrap();
            let opcode = variant["bir"].as_str().unwrap();
            let Some(cases) = cases.remove(&(ordinal, index)) else {
                wrong.push(format!("{klr}, form {index} ({opcode}): no case"));
                continue;
            };
            for (name, case) in cases {
                let Some(own) = case.becomes.iter().find(|is| is.opcode == opcode) else {
                    wrong.push(format!("{name}: expects no {opcode}"));
                    continue;
                };
                for field in variant.get("fields").and_then(Value::as_array).into_iter().flatten() {
                    let (key, value) = (field["key"].as_str().unwrap(), field["value"].as_str().unwrap());
                    if !value.starts_with("left") && !own.payload.contains_key(key) {
                        wrong.push(format!("{name}: does not look at {key}"));
                    }
                }
            }
        }
    }
    wrong.extend(cases.into_values().flatten().map(|(name, _)| format!("{name}: no such form")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(forms, 67);
}

/// What is compared is seen: a case with one thing wrong fails, whatever the thing.
#[test]
fn a_wrong_expectation_fails() {
    use lower_support::case::{case, is};
    use lower_support::{Op, full, plain_op};
    use serde_json::json;
    let good = || is("TensorCopy", "DVE").ins(&[&full("plain_src")]).outs(&[&full("plain_dst")]);
    let op: Op = plain_op();
    check_case(&case(op, good()));
    let wrong = [
        is("TensorCopy", "Pool").ins(&[&full("plain_src")]).outs(&[&full("plain_dst")]),
        is("TensorTensor", "DVE").ins(&[&full("plain_src")]).outs(&[&full("plain_dst")]),
        good().ins(&[]),
        good().ins(&["plain_src:float32 [[64,128],[1,64]] +1"]),
        good().ins(&["plain_src:int32 [[64,128],[1,64]] +0"]),
        good().outs(&[&full("plain_src")]),
        good().indirection(&[&full("plain_src")]),
        good().named("other"),
        good().set(json!({"can_read_uninit": true})),
        good().set(json!({"no_such_key": 1})),
    ];
    for (index, is) in wrong.into_iter().enumerate() {
        let case = case(op, is);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_case(&case))).is_err(), "{index}");
    }
    let more = case(op, good()).followed(good());
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_case(&more))).is_err());
}
