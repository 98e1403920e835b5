//! `bir enum`, `bir translate` and `bir opcode`.

mod common;
use common::*;

#[test]
fn enums_are_listed() {
    let run = bir(&["enum"]).good();
    assert!(run.out.contains("bir.InstructionType") && run.out.contains("klr.Dtype"));
    let json = bir(&["enum", "--json"]).good().json();
    assert_eq!(json["enums"].as_array().unwrap().len(), run.out.lines().count() - 1);
    bir_into_closed_pipe(&["enum", "InstructionType"]).good();
}

#[test]
fn an_enum_is_a_table_of_its_members() {
    let run = bir(&["enum", "InstructionType"]).good();
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("ORDINAL  NAME"));
    assert_eq!(lines.len(), 111);
    for (i, line) in lines[1..].iter().enumerate() {
        assert_eq!(line.split_whitespace().next(), Some(i.to_string().as_str()));
    }
    assert!(bir(&["enum", "bir.Dtype"]).good().out.contains("float4_e2m1fn_x4  0x05    0x05    0x10"));
    let json = bir(&["enum", "AluOpType", "--json"]).good().json();
    assert_eq!(json["members"].as_array().unwrap().len(), 33);
    assert_eq!(json["members"][24]["wire"]["CoreV4"].as_array().unwrap().len(), 0);
    assert!(bir(&["enum", "FunctionAttribute"]).good().out.ends_with("of 25 members are published)\n"));
}

#[test]
fn a_member_is_found_by_name_and_number() {
    let by_name = bir(&["enum", "Dtype", "bfloat16"]).good().out;
    assert_eq!(by_name, bir(&["enum", "Dtype", "12"]).good().out);
    assert_eq!(by_name, bir(&["enum", "Dtype", "0xc"]).good().out);
    assert_eq!(bir(&["enum", "klr.Dtype", "1", "--json"]).good().json()["name"], "bfloat16");
    assert_eq!(bir(&["enum", "MemoryType", "SB", "--json"]).good().json()["enum"], "bir.MemoryType");
}

#[test]
fn unknown_names_get_the_nearest() {
    bir(&["enum", "dtpe"]).fails(&["did you mean `Dtype`?"]);
    bir(&["enum", "Dtype", "bfloat"]).fails(&["Unknown Dtype string: bfloat", "did you mean `bfloat16`?"]);
    bir(&["enum", "Dtype", "20"]).fails(&["0..=19"]);
    bir(&["enum", "Dtype", "-1"]).fails(&["found -1"]);
    bir(&["enum", "Dtype", "--json", "bfloat"]).error("UnknownEnum");
    bir(&["enum", "--json", "Nonsense"]).error("NotFound");
    bir(&["opcode", "DMACpy"]).fails(&["did you mean `DMACopy`?"]);
    bir(&["translate", "alu_opp", "1"]).fails(&["did you mean `alu_op`?"]);
    bir(&["enum", "Dtype", "1", "2"]).usage();
}

#[track_caller]
fn translated(args: &[&str], expected: &str) {
    let run = bir(&[&["translate"], args].concat()).good();
    assert_eq!(run.out, format!("{expected}\n"));
}

#[test]
fn klr_becomes_bir() {
    translated(&["dtype", "float8_e4m3"], "klr.Dtype float8_e4m3 (16) -> bir.Dtype float8e4 (4)");
    translated(&["klr.Dtype", "16"], "klr.Dtype float8_e4m3 (16) -> bir.Dtype float8e4 (4)");
    translated(&["engine", "act"], "klr.Engine act (2) -> bir.EngineType Activation (2)");
    translated(&["alu_op", "1"], "klr.AluOp abs (1) -> bir.AluOpType abs (29)");
    translated(&["AluOpType", "1"], "klr.AluOp abs (1) -> bir.AluOpType abs (29)");
    translated(
        &["accum_cmd", "Accumulate"],
        "klr.AccumCmd Accumulate (3) -> bir.EngineAccumulationType AddAccumulate (4)",
    );
    translated(&["codegenActivationFunc", "1"], bir(&["translate", "activation", "1"]).out.trim_end());
    translated(&["dge_mode", "0"], "klr.dgeMode 0 -> bir.DGEType Unassigned (3)");
    translated(
        &["engine", "99"],
        "klr.Engine 99 -> bir.EngineType Unassigned (0)  [soft default: 99 is not in the table]",
    );
    let json = bir(&["translate", "--json", "activation", "0"]).good().json();
    assert_eq!((json["bir"]["name"].as_str(), json["soft_default"].as_bool()), (Some("Unknown"), Some(true)));
}

#[test]
fn refusals_have_the_texts_of_the_original() {
    bir(&["translate", "accum_cmd", "LoadAccumulate"]).fails(&["LoadAccumulate is not supported"]);
    bir(&["translate", "accum_cmd", "0"]).fails(&["Unrecognized accumulation cmd encountered!"]);
    bir(&["translate", "dtype", "0"]).fails(&["Unsupported dtype encountered"]);
    bir(&["translate", "alu_op", "30"]).fails(&["Unsupported ALU operation"]);
    bir(&["translate", "--json", "alu_op", "30"]).error("UnknownEnum");
    bir(&["translate", "dtype", "4294967296"]).fails(&["out of range"]);
    bir(&["translate", "dge_mode", "SWDGE"]).fails(&["expected a number"]);
    bir(&["translate", "br_cmp_op", "always"]).fails(&["no BranchCompareOp"]);
}

#[test]
fn bir_comes_from_klr() {
    translated(
        &["--inverse", "dtype", "float8e4"],
        "bir.Dtype float8e4 (4) <- klr.Dtype float8e4 (3), float8_e4m3 (16)",
    );
    translated(&["dtype", "--inverse", "6"], "bir.Dtype float8_e8m0fnu (6) <- unreachable");
    let json = bir(&["translate", "--json", "--inverse", "activation", "Unknown"]).good().json();
    assert_eq!((json["reachable"].as_bool(), json["soft_default"].as_bool()), (Some(false), Some(true)));
    bir(&["translate", "--inverse", "dtype", "float9"]).fails(&["Unknown Dtype string: float9"]);
    bir(&["translate", "--inverse", "dtype"]).usage();
}

#[test]
fn translations_are_listed() {
    assert_eq!(bir(&["translate"]).good().out.lines().count(), 13);
    let table = bir(&["translate", "accum_cmd"]).good().out;
    assert!(table.contains("unreachable: Accumulate, LoadAccumulate"), "{table}");
    assert_eq!(bir(&["translate", "--json"]).good().json()["translations"].as_array().unwrap().len(), 12);
    assert_eq!(bir(&["translate", "--json", "dtype"]).good().json()["pairs"].as_array().unwrap().len(), 20);
}

#[test]
fn an_opcode_shows_its_fields() {
    let run = bir(&["opcode", "DMACopy"]).good();
    assert_eq!(run.out, bir(&["opcode", "32"]).good().out);
    for text in ["opcode          DMACopy (32)", "mode                 0x128   CopyMode", "required  Copy", "1: dst"] {
        assert!(run.out.contains(text), "no {text:?} in {}", run.out);
    }
    let json = bir(&["opcode", "--json", "DMACopy"]).good().json();
    let mode = json["fields"].as_array().unwrap().iter().find(|f| f["key"] == "mode").unwrap().clone();
    assert_eq!(mode["enum"], "bir.CopyMode");
    assert_eq!((mode["default"].as_str(), mode["offset"].as_u64()), (Some("Copy"), Some(0x128)));
    for number in 0..110 {
        bir(&["opcode", &number.to_string(), "--json"]).good().json();
    }
    bir(&["opcode", "110"]).fails(&["0..=109"]);
    bir(&["opcode", "RangeSelectSymbolic"]).fails(&["older generation", "now `RangeSelect`"]);
    bir(&["opcode"]).usage();
}
