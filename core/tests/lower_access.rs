//! Tensors and accesses, form by form, worked out by hand from `spec/lowering.md` sections 3.1 and 3.2.

mod lower_support;

use bir_core::enums::klr::{Dtype, Memory};
use bir_core::klr::ast::{
    APPair, Access, BirAccessPattern, LncKernel, Max8, Operator, TensorHbm, TensorName, TensorRef,
};
use bir_core::lower::LowerOptions;
use lower_support::*;
use serde_json::{Value, json};

fn module(src: Ref) -> Value {
    let op = Operator::Max8(leak(Max8 { dst: all(sb("dst", &[128, 8])), src, dtype: None }));
    let lowered = lower(&kernel(&[block("main.1", &[statement(Some("i"), 1, op)])]), &LowerOptions::default());
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    document(&lowered.module)
}

/// What the access becomes as an operand.
fn operand(src: Ref) -> String {
    shorts(&instructions(&module(src), 0)[0], "ins").remove(0)
}

fn simple(tensor: Tensor) -> Ref {
    TensorRef::Abstract(Access::Simple(tensor))
}

#[test]
fn pairs_and_offset_are_taken_as_they_stand() {
    let t = sb("t", &[128, 4, 16]);
    assert_eq!(operand(at(t, 0, &[(64, 128), (16, 4), (1, 16)])), "t:float32 [[64,128],[16,4],[1,16]] +0");
    // Backwards, a broadcast, and rows from 32 on.
    assert_eq!(operand(at(t, 32 * 64 + 15, &[(64, 32), (0, 3), (-1, 16)])), "t:float32 [[64,32],[0,3],[-1,16]] +2063");
    // Neighbours that walk evenly stay two pairs, and so does a pair of one element.
    assert_eq!(operand(at(t, 0, &[(64, 1), (16, 1), (4, 4), (1, 4)])), "t:float32 [[64,1],[16,1],[4,4],[1,4]] +0");
    // The third number of a pair is not used.
    let with_offsets = list(&[(64, 128), (1, 64)].map(|(step, num)| APPair { step, num, offset: 9 }));
    assert_eq!(
        operand(refer(BirAccessPattern { pattern: with_offsets, ..pattern(t, 0, &[]) })),
        "t:float32 [[64,128],[1,64]] +0"
    );
}

#[test]
fn more_than_four_pairs_are_merged() {
    let t = sb("t", &[128, 2, 4, 8]);
    // 32 = 8 x 4 and 8 = 1 x 8; the partitions are left alone, though 64 = 32 x 2.
    let five = [(64, 128), (64, 1), (32, 2), (8, 4), (1, 8)];
    assert_eq!(operand(at(t, 0, &five)), "t:float32 [[64,128],[1,64]] +0");
    // Only 8 = 1 x 8 walks evenly.
    let five = [(64, 128), (0, 3), (32, 2), (8, 2), (1, 8)];
    assert_eq!(operand(at(t, 0, &five)), "t:float32 [[64,128],[0,3],[32,2],[1,16]] +0");
}

#[test]
fn an_override_changes_the_type_of_the_access_only() {
    let overridden = BirAccessPattern {
        dtype_override: Some(Dtype::bfloat16),
        ..pattern(sb("t", &[128, 64]), 0, &[(64, 128), (1, 64)])
    };
    let document = module(refer(overridden));
    assert_eq!(shorts(&instructions(&document, 0)[0], "ins"), ["t:bfloat16 [[64,128],[1,64]] +0"]);
    assert_eq!(set(&document, "t")["dtype"], "float32");
}

#[test]
fn a_whole_tensor_is_two_pairs() {
    assert_eq!(operand(simple(sb("t", &[32, 4, 16]))), "t:float32 [[64,32],[1,64]] +0");
    assert_eq!(operand(simple(tensor("t", Memory::psum, Dtype::uint8, &[1, 7]))), "t:uint8 [[7,1],[1,7]] +0");
    // Padded rows: the layout counts, not the product of the dimensions.
    let padded = TensorName { free_elements: 80, ..*sb("t", &[32, 64]) };
    assert_eq!(operand(simple(leak(padded))), "t:float32 [[80,32],[1,80]] +0");
}

#[test]
fn a_tensor_given_as_an_address_lies_in_dram() {
    let hbm = TensorHbm { name: "t", dtype: Dtype::int32, address: 4096, dims: pairs_of(&[(96, 16), (8, 12), (1, 8)]) };
    let document = module(TensorRef::Hbm(leak(hbm)));
    assert_eq!(shorts(&instructions(&document, 0)[0], "ins"), ["t:int32 [[96,16],[1,96]] +0"]);
    let found = place(&document, "t");
    // 12 x 8 elements of 4 bytes in a row.
    assert_eq!((&found["type"], &found["dims"], &found["addr"]), (&json!("DRAM"), &json!([16, 384]), &json!(4096)));
}

fn set<'d>(document: &'d Value, name: &str) -> &'d Value {
    let sets = document["functions"][0]["allocations"].as_array().unwrap();
    sets.iter().find(|set| set["name"] == format!("{name}_set")).unwrap_or_else(|| panic!("no set of {name}"))
}

fn place<'d>(document: &'d Value, name: &str) -> &'d Value {
    let location = &set(document, name)["memorylocations"][0];
    assert_eq!(location["name"], name);
    location
}

/// Type, dims, base, bank, addr, allocated.
fn layout(tensor: Tensor) -> Value {
    let document = module(simple(tensor));
    let found = place(&document, tensor.name);
    let set = set(&document, tensor.name);
    assert_eq!((&set["kind"], &set["partition_dim"]), (&json!("Internal"), &json!(0)));
    json!(["type", "dims", "base", "bank", "addr", "allocated"].map(|key| &found[key]))
}

fn with(tensor: Tensor, change: impl FnOnce(&mut TensorName<'static>)) -> Tensor {
    let mut other = *tensor;
    change(&mut other);
    leak(other)
}

#[test]
fn locations_of_each_memory() {
    for memory in [Memory::hbm, Memory::shared_hbm, Memory::private_hbm] {
        let t = tensor("t", memory, Dtype::bfloat16, &[4, 2, 8]);
        assert_eq!(layout(t), json!(["DRAM", [4, 32], 0, 0, 0, true]), "{}", memory.name());
    }
    let on_chip = with(tensor("t", Memory::sbuf, Dtype::float32, &[32, 2, 8]), |t| {
        (t.address.par_offset, t.address.free_offset) = (Some(64), Some(1024));
    });
    assert_eq!(layout(on_chip), json!(["SB", [32, 64], 64, 0, 1024, true]));
    // Banks of 2048 bytes: 5 x 2048 + 96.
    let psum = with(tensor("t", Memory::psum, Dtype::float32, &[128, 16]), |t| t.address.free_offset = Some(10_336));
    assert_eq!(layout(psum), json!(["PSUM", [128, 64], 0, 5, 96, true]));
    // Without both offsets it has no place yet.
    let unplaced = with(sb("t", &[128, 16]), |t| t.address.par_offset = None);
    assert_eq!(layout(unplaced), json!(["SB", [128, 64], 0, 0, 0, false]));
}

#[test]
fn shapes_and_address_spaces() {
    let document = module(simple(tensor("t", Memory::hbm, Dtype::uint16, &[4, 2, 8])));
    let found = set(&document, "t");
    assert_eq!((&found["tensor_shape"], &found["dtype"]), (&json!([4, 2, 8]), &json!("uint16")));
    assert_eq!(found["addr_space"], "Local");
    let shared = module(simple(tensor("t", Memory::shared_hbm, Dtype::uint16, &[4, 8])));
    assert_eq!(set(&shared, "t")["addr_space"], "Shared");
    let flagged = module(simple(with(hbm("t", &[4, 8]), |t| t.address.is_shared = true)));
    assert_eq!(set(&flagged, "t")["addr_space"], "Shared");
}

/// The type is that of the memory, the kind that of the kernel's lists.
#[test]
fn kinds_of_tensors() {
    let (input, output, buffer) = (hbm("in", &[4, 8]), hbm("out", &[4, 8]), hbm("shared", &[4, 8]));
    let kernel = LncKernel {
        inputs: list(&[*input]),
        outputs: list(&[*output]),
        shared_buffers: list(&[*buffer]),
        ..kernel(&[block("main.1", &[])])
    };
    let lowered = lower(&kernel, &LowerOptions::default());
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let document = document(&lowered.module);
    for (name, kind) in [("in", "Input"), ("out", "Output"), ("shared", "Internal")] {
        assert_eq!((&set(&document, name)["kind"], &place(&document, name)["type"]), (&json!(kind), &json!("DRAM")));
    }
}
