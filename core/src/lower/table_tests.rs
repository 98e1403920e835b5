//! The generated rows against the types of the operators and against the crosswalks, which hold the same tables.

use super::table::{OPERATORS, RULES};
use crate::enums::crosswalk::{CROSSWALKS, Crosswalk, KLR_MAPS, OutOfRange};
use std::format;
use std::string::String;
use std::vec::Vec;
use toml::{Table, Value};

fn spec() -> Table {
    let path = format!("{}/../spec/lowering.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

#[test]
fn the_maps_are_the_crosswalks() {
    let spec = spec();
    let maps = spec["map"].as_array().unwrap();
    assert_eq!(maps.len(), 8);
    for map in maps {
        let names = (map["klr"].as_str().unwrap(), map["bir"].as_str().unwrap());
        let is_it = |c: &&&Crosswalk| (c.klr_name, c.bir_enum.info().name) == names || c.klr_name == names.0;
        let crosswalk = CROSSWALKS.iter().chain(KLR_MAPS).find(is_it).unwrap_or_else(|| panic!("{names:?}"));
        assert_eq!(crosswalk.bir_enum.info().name, names.1);
        let first = u32::try_from(map["first_klr"].as_integer().unwrap()).unwrap();
        let table = map["table"].as_array().unwrap().iter().map(|v| v.as_integer().unwrap() as i32);
        let pairs: Vec<(u32, i32)> = (first..).zip(table).collect();
        assert_eq!(crosswalk.pairs, pairs, "{names:?}");
        let soft = map["out_of_range"].as_str().unwrap().split(' ').next().unwrap().parse::<i32>().ok();
        match crosswalk.out_of_range {
            OutOfRange::Default(default) => assert_eq!(soft, Some(default), "{names:?}"),
            OutOfRange::Error(_) => assert_eq!(soft, None, "{names:?}"),
        }
    }
}

#[test]
fn error_texts_of_the_maps_are_those_of_the_rules() {
    for (name, id) in [("codegenDtype", "dtype"), ("codegenAluOp", "alu"), ("codegenAccumCmd", "accum")] {
        let crosswalk = CROSSWALKS.iter().find(|c| c.name == name).unwrap();
        let rule = RULES.iter().find(|r| r.id == id).unwrap();
        assert_eq!(crosswalk.out_of_range, OutOfRange::Error(rule.wording()));
    }
}

#[test]
fn the_rows_are_the_specification() {
    let spec = spec();
    let rows = spec["op"].as_array().unwrap();
    assert_eq!((rows.len(), OPERATORS.len()), (76, 76));
    for (row, operator) in rows.iter().zip(&OPERATORS) {
        assert_eq!(row["klr"].as_str(), Some(operator.name));
        assert_eq!(row["status"].as_str() == Some("lowered"), operator.lowered, "{}", operator.name);
        let forms = row.get("variant").and_then(Value::as_array).map_or(&[][..], |v| v);
        let opcodes: Vec<_> = forms.iter().map(|f| String::from(f["bir"].as_str().unwrap())).collect();
        let found: Vec<_> = operator.variants.iter().map(|v| String::from(v.opcode.name())).collect();
        assert_eq!(opcodes, found, "{}", operator.name);
    }
    assert_eq!(OPERATORS.iter().filter(|o| o.lowered).count(), 60);
    assert_eq!(RULES.len(), spec["error"].as_array().unwrap().len());
}

#[test]
fn the_rows_are_those_of_the_schema() {
    let path = format!("{}/../spec/klr_schema.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    for operator in &OPERATORS {
        assert!(text.contains(&format!("\"{}\"", operator.name)), "{}", operator.name);
    }
}
