//! The tables are derived anew from the raw bytes in `tests/data/crosswalk_bytes.toml` and compared.

use super::*;
use crate::enums::{EnumInfo, IrEnum};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;
use toml::{Table, Value};

fn raw() -> Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/crosswalk_bytes.toml");
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn hex(text: &Value) -> Vec<u8> {
    text.as_str().unwrap().split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// The first klr ordinal and the cells, widened to 32 bits.
fn cells(name: &str) -> (u32, Vec<u32>) {
    let table = raw()[name].as_table().unwrap().clone();
    let cells = match table.get("bytes") {
        Some(bytes) => hex(bytes).chunks(4).map(|cell| u32::from_le_bytes(cell.try_into().unwrap())).collect(),
        None => hex(&table["cells"]).into_iter().map(u32::from).collect(),
    };
    (table["first_klr"].as_integer().unwrap() as u32, cells)
}

/// Numbers around both ends of a table and of the type.
fn probes(count: usize) -> impl Iterator<Item = u32> {
    (0..=count as u32 + 40).chain([u32::MAX - 1, u32::MAX, 1 << 31, 256, 65536])
}

/// What the original does with a cell table: unsigned wrapping index, then the policy.
fn by_cells(first: u32, cells: &[u32], klr: u32) -> Option<i32> {
    cells.get(klr.wrapping_sub(first) as usize).map(|cell| *cell as i32)
}

#[test]
fn dtypes_and_alu_operations_come_from_their_cells() {
    let (first, dtypes) = cells("dtype");
    assert_eq!(dtypes.len(), 20);
    for klr in probes(20) {
        match by_cells(first, &dtypes, klr) {
            Some(bir) => {
                assert_eq!(DTYPE.translate(klr), Ok(bir), "klr {klr}");
                assert_eq!(translate_dtype(klr).map(|d| d.ordinal()), Ok(bir), "klr {klr}");
            }
            None => {
                let e = translate_dtype(klr).unwrap_err();
                assert_eq!(e.message, "Unsupported dtype encountered");
                assert_eq!((e.code, e.found.clone()), (ErrorCode::UnknownEnum, klr.to_string()));
                assert_eq!(DTYPE.translate(klr), Err(e));
            }
        }
    }
    let (first, ops) = cells("alu_op");
    assert_eq!(ops.len(), 29);
    for klr in probes(29) {
        match by_cells(first, &ops, klr) {
            Some(bir) => {
                assert_eq!(ALU_OP.translate(klr), Ok(bir), "klr {klr}");
                assert_eq!(translate_alu_op(klr).map(|d| d.ordinal()), Ok(bir), "klr {klr}");
            }
            None => {
                let e = translate_alu_op(klr).unwrap_err();
                assert_eq!(e.message, "Unsupported ALU operation");
                assert_eq!(ALU_OP.translate(klr), Err(e));
            }
        }
    }
}

#[test]
fn engines_and_activations_have_soft_defaults() {
    let (first, engines) = cells("engine");
    assert_eq!((first, engines.len()), (2, 6));
    for klr in probes(6) {
        let bir = by_cells(first, &engines, klr).unwrap_or(0);
        assert_eq!((ENGINE.translate(klr), translate_engine(klr).ordinal()), (Ok(bir), bir), "klr {klr}");
    }
    assert_eq!(translate_engine(1), bir::EngineType::Unassigned);
    let (first, functions) = cells("activation");
    assert_eq!((first, functions.len()), (1, 25));
    for klr in probes(25) {
        let bir = by_cells(first, &functions, klr).unwrap_or(30);
        assert_eq!((ACTIVATION.translate(klr), translate_activation(klr).ordinal()), (Ok(bir), bir), "klr {klr}");
    }
    assert_eq!(translate_activation(26), bir::ActivationFunctionType::Unknown);
}

#[test]
fn accumulation_commands_come_from_the_jump_table() {
    let table = raw()["accum_cmd"].as_table().unwrap().clone();
    let base = table["base"].as_integer().unwrap();
    let offsets: Vec<i64> = table["offsets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| i64::from(u32::from_str_radix(o.as_str().unwrap(), 16).unwrap() as i32))
        .collect();
    assert_eq!(offsets.len(), 6);
    for klr in probes(6) {
        let target = offsets.get(klr as usize).map(|offset| base + offset);
        let arm = target.map(|address| {
            let targets = table["targets"].as_array().unwrap();
            let arm = targets.iter().find(|t| t["address"].as_integer() == Some(address));
            arm.unwrap_or_else(|| panic!("no arm at {address:#x}"))["result"].clone()
        });
        let expected: Result<i32, String> = match arm {
            Some(Value::Integer(bir)) => Ok(bir as i32),
            Some(Value::String(text)) => Err(text.strip_prefix("error: ").unwrap().to_string()),
            None => Err("Unrecognized accumulation cmd encountered!".to_string()),
            Some(other) => panic!("{other}"),
        };
        assert_eq!(ACCUM_CMD.translate(klr).map_err(|e| e.message), expected, "klr {klr}");
        assert_eq!(translate_accum_cmd(klr).map(|c| c.ordinal()).map_err(|e| e.message), expected, "klr {klr}");
    }
    let refused = translate_accum_cmd(5).unwrap_err();
    assert_eq!((refused.code, refused.message.as_str()), (ErrorCode::Unsupported, "LoadAccumulate is not supported"));
    assert_eq!(refused.found, "5 (`LoadAccumulate`)");
    assert_eq!(translate_accum_cmd(0).unwrap_err().code, ErrorCode::UnknownEnum);
}

fn inverse<K: IrEnum, B: IrEnum>(walk: &Crosswalk, sources: fn(B) -> &'static [K]) {
    assert_eq!((walk.klr_enum, walk.bir_enum), (Some(K::ID), B::ID));
    let mut reached = 0;
    for bir in B::MEMBERS {
        let expected: Vec<u32> = K::MEMBERS
            .iter()
            .map(|k| k.ordinal() as u32)
            .filter(|k| walk.pairs.contains(&(*k, bir.ordinal())))
            .collect();
        let found: Vec<u32> = sources(*bir).iter().map(|k| k.ordinal() as u32).collect();
        assert_eq!(found, expected, "{} {}", walk.name, bir.name());
        assert_eq!(walk.sources(bir.ordinal()).collect::<Vec<_>>(), expected);
        for klr in &found {
            assert_eq!(walk.translate(*klr), Ok(bir.ordinal()));
        }
        if walk.unreachable.contains(&bir.ordinal()) {
            assert!(found.is_empty(), "{} {}", walk.name, bir.name());
        } else if OutOfRange::Default(bir.ordinal()) != walk.out_of_range {
            assert!(!found.is_empty(), "{} {}", walk.name, bir.name());
        }
        reached += found.len();
    }
    assert_eq!(reached, walk.pairs.len());
}

#[test]
fn inverses_are_the_sets_of_sources() {
    inverse(&DTYPE, klr_sources_of_dtype);
    inverse(&ENGINE, klr_sources_of_engine);
    inverse(&ALU_OP, klr_sources_of_alu_op);
    inverse(&ACTIVATION, klr_sources_of_activation);
    inverse(&ACCUM_CMD, klr_sources_of_accum_cmd);
    let e4 = klr_sources_of_dtype(bir::Dtype::float8e4);
    assert_eq!(e4, [klr::Dtype::float8e4, klr::Dtype::float8_e4m3]);
    assert!(klr_sources_of_dtype(bir::Dtype::float8_e8m0fnu).is_empty());
    let add = klr_sources_of_accum_cmd(bir::EngineAccumulationType::AddAccumulate);
    assert_eq!(add, [klr::AccumCmd::Accumulate]);
}

#[test]
fn three_numbers_stay_by_coincidence() {
    let mut fixed = Vec::new();
    for walk in CROSSWALKS.iter().filter(|w| w.name != "codegenAccumCmd") {
        let same = walk.pairs.iter().filter(|p| i64::from(p.0) == i64::from(p.1));
        fixed.extend(same.map(|p| format!("{} {}", walk.name, p.0)));
    }
    assert_eq!(fixed, ["codegenDtype 14", "codegenEngine 2", "codegenAluOp 28"]);
}

#[test]
fn further_relations() {
    assert_eq!((CROSSWALKS.len(), KLR_MAPS.len()), (5, 7));
    let name = |info: &EnumInfo, n: i32| info.by_ordinal(i64::from(n)).unwrap().name;
    for map in KLR_MAPS {
        for (klr, bir) in map.pairs {
            assert_eq!(map.translate(*klr), Ok(*bir));
            assert!(!name(map.bir_enum.info(), *bir).is_empty());
            assert!(map.sources(*bir).any(|k| k == *klr));
        }
        for klr in [u32::MAX, 14, 100] {
            assert!(map.pairs.iter().any(|p| p.0 == klr) || map.translate(klr).is_err(), "{} {klr}", map.name);
        }
    }
    let dge = find("nat dgeMode to DGEType").unwrap();
    assert_eq!([0, 1, 2, 3].map(|k| dge.translate(k)), [3, 1, 2, 0].map(Ok));
    assert_eq!(dge.translate(4).unwrap_err().code, ErrorCode::UnknownEnum);
    let always = find("BrCmpOp to BranchCompareOp").unwrap().translate(1).unwrap_err();
    assert_eq!((always.code, always.found.as_str()), (ErrorCode::Unsupported, "1 (`always`)"));
    // Where both sides spell alike, the relation keeps the spelling.
    for map in ["TensorSubDim to AxisListType", "TransposeOps to TransposeOps", "MatmulPerfMode to MatmultPerfMode"] {
        let map = find(map).unwrap();
        for (klr, bir) in map.pairs {
            let klr = map.klr_enum.unwrap().info().by_ordinal(i64::from(*klr)).unwrap().name;
            assert_eq!(klr, name(map.bir_enum.info(), *bir));
        }
    }
    assert!(find("codegenNothing").is_none());
}
