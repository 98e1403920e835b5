//! Modules for the tests of the instruction set: payloads come from a document, the rest through the public interface.
#![allow(dead_code, reason = "each test file uses a part")]

use bir_core::doc::{ReadOptions, read_json};
use bir_core::enums::bir::InstructionType as Op;
use bir_core::ir::{Function, Instruction, Module};
use serde_json::{Value, json};

/// An instruction of a document: header and the payload keys given.
pub fn record(name: &str, opcode: &str, payload: Value) -> Value {
    let mut record = json!({
        "name": name, "opcode": opcode, "engine": "Unassigned", "engine_id": 0, "ins": [], "outs": [], "origin": "Internal",
        "optin_passes": [], "scheduled_start": 0, "scheduled_end": 0,
    });
    for (key, value) in payload.as_object().expect("payloads are objects") {
        record[key] = value.clone();
    }
    record
}

fn location(name: &str, kind: &str, memory: &str) -> Value {
    json!({
        "Skind": "memory_location_set", "addr_space": "Local", "dtype": "float32", "kind": kind, "name": format!("{name}_set"),
        "partition_dim": 0, "tensor_shape": [128, 512],
        "memorylocations": [{
            "Skind": "memory_location", "addr": 0, "allocated": false, "bank": 0, "base": 0, "dims": [128, 2048],
            "name": name, "pinned": false, "tensor_id": 0, "type": memory,
        }],
    })
}

fn queue(name: &str) -> Value {
    let inner = |name| record(name, "DMABlock", json!({"blocks": []}));
    let block = |name, inner| json!({"name": name, "origin": "Internal", "instructions": inner});
    let blocks = json!([block("qb0", json!([inner("d0"), inner("d1")])), block("qb1", json!([]))]);
    json!({"name": name, "origin": "Internal", "type": "data", "blocks": blocks})
}

/// A module whose function `main` has the records in its block `entry`, then the blocks `t0` and `t1`; locations `x` and `y`
/// in DRAM, `a`, `b`, `c` in SB, `p` in PSUM; registers `r0` and `r1`; a function `other`; queues `q0` and `q1`, each with
/// the blocks `qb0`, which has the DMABlocks `d0` and `d1`, and `qb1`.
pub fn module_of(records: Vec<Value>) -> Module {
    let block = |name: &str, records: Vec<Value>| json!({"name": name, "origin": "Internal", "instructions": records});
    let register = |name: &str| json!({"Skind": "register", "dtype": "int32", "name": name, "num_physical_regs": 1});
    let document = json!({
        "version": 2, "arch": "gen3",
        "functions": [
            {"name": "main", "origin": "Internal", "attributes": [],
             "allocations": [
                location("x", "ExternalInput", "DRAM"), location("y", "ExternalOutput", "DRAM"),
                location("a", "Internal", "SB"), location("b", "Internal", "SB"), location("c", "Internal", "SB"),
                location("p", "Internal", "PSUM"), register("r0"), register("r1")],
             "blocks": [block("entry", records), block("t0", vec![]), block("t1", vec![])]},
            {"name": "other", "origin": "Internal", "attributes": [], "allocations": [], "blocks": []},
        ],
        "queues": [queue("q0"), queue("q1")],
    });
    let text = document.to_string();
    read_json(text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}")).module
}

pub fn main_of(module: &Module) -> &Function {
    module.find_function("main").expect("the module has a main")
}

pub fn find<'m>(module: &'m Module, name: &str) -> &'m Instruction {
    main_of(module).find_block("entry").and_then(|b| b.find_instruction(name)).expect("entry has that instruction")
}

pub fn opcode(number: i32) -> Op {
    Op::from_ordinal(number.into()).expect("an opcode")
}
