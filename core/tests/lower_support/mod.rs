//! Small kernels by hand, and their lowering in a form that reads like `spec/lowering.toml`.
//!
//! Values live as long as the program, so that builders need no arena.
#![allow(dead_code, reason = "each test program uses a part")]

#[macro_use]
pub mod case;

use bir_core::doc::{WriteOptions, write_json};
use bir_core::enums::klr::{Dtype, Engine, Memory};
use bir_core::ir::ModuleRef;
use bir_core::klr::ast::{
    APPair, Access, Address, BirAccessPattern, Block, DataPattern, Edges, Immediate, LncKernel, Operand, Operator, Pos,
    ScalarOffset, Shape, Stmt, TensorName, TensorRef,
};
use bir_core::lower::{LowerOptions, Lowered, lower_kernel};
use serde_json::Value;

pub type Tensor = &'static TensorName<'static>;
pub type Ref = TensorRef<'static>;
pub type Op = Operator<'static>;

/// The kernel of every test.
pub const KERNEL: &str = "kern";
/// The source file of every statement.
pub const FILE: &str = "kernel.py";

/// A value for the rest of the program.
pub fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

pub fn list<T: Clone>(values: &[T]) -> &'static [T] {
    Box::leak(values.to_vec().into_boxed_slice())
}

/// A tensor at the start of its memory: partitions, then free dimensions.
pub fn tensor(name: &'static str, memory: Memory, dtype: Dtype, dims: &[u64]) -> Tensor {
    let bytes = match dtype {
        Dtype::uint8 | Dtype::int8 => 1,
        Dtype::float8_e4m3fn_x4 => 4,
        Dtype::bfloat16 | Dtype::float16 | Dtype::uint16 | Dtype::int16 => 2,
        Dtype::float32 | Dtype::int32 | Dtype::uint32 => 4,
        other => panic!("no size for {}", other.name()),
    };
    let elements: u64 = dims[1..].iter().product();
    leak(TensorName {
        name,
        dtype,
        shape: Shape { par_dim: dims[0], free_dims: list(&dims[1..]) },
        address: Address {
            name,
            memory,
            par_size: dims[0],
            free_size: elements * bytes,
            par_offset: Some(0),
            free_offset: Some(0),
            is_shared: false,
        },
        free_elements: elements,
        address_rotation: false,
    })
}

/// A float32 tensor in SB.
pub fn sb(name: &'static str, dims: &[u64]) -> Tensor {
    tensor(name, Memory::sbuf, Dtype::float32, dims)
}

/// A float32 tensor in DRAM.
pub fn hbm(name: &'static str, dims: &[u64]) -> Tensor {
    tensor(name, Memory::hbm, Dtype::float32, dims)
}

/// The pattern record, for changes.
pub fn pattern(tensor: Tensor, offset: u64, pairs: &[(i64, u64)]) -> BirAccessPattern<'static> {
    BirAccessPattern {
        tensor,
        offset,
        pattern: pairs_of(pairs),
        scalar_offset: None,
        vector_offset: None,
        indirect_dim: 0,
        dtype_override: None,
    }
}

pub fn pairs_of(pairs: &[(i64, u64)]) -> &'static [APPair] {
    list(&pairs.iter().map(|(step, num)| APPair { step: *step, num: *num, offset: 0 }).collect::<Vec<_>>())
}

pub fn refer(pattern: BirAccessPattern<'static>) -> Ref {
    TensorRef::Abstract(Access::BirPattern(leak(pattern)))
}

/// These pairs from this offset on, in elements.
pub fn at(tensor: Tensor, offset: u64, pairs: &[(i64, u64)]) -> Ref {
    refer(pattern(tensor, offset, pairs))
}

/// All of a tensor: `[[F, P], [1, F]]`.
pub fn all(tensor: Tensor) -> Ref {
    let elements = tensor.free_elements;
    at(tensor, 0, &[(elements as i64, tensor.shape.par_dim), (1, elements)])
}

/// All of a float32 tensor of 128 x 64 in SB; what it lowers to is [`full`].
pub fn x(name: &'static str) -> Ref {
    all(sb(name, &[128, 64]))
}

/// The operand that [`x`] becomes.
pub fn full(name: &str) -> String {
    format!("{name}:float32 [[64,128],[1,64]] +0")
}

/// The access with a register as scalar offset of a dimension.
pub fn by_register(tensor: Tensor, offset: u64, pairs: &[(i64, u64)], register: &'static str, dim: i64) -> Ref {
    refer(BirAccessPattern {
        scalar_offset: Some(ScalarOffset::Reg(register)),
        indirect_dim: dim,
        ..pattern(tensor, offset, pairs)
    })
}

/// The access with a tensor as scalar offset of a dimension.
pub fn by_value(tensor: Tensor, offset: u64, pairs: &[(i64, u64)], value: Tensor, dim: i64) -> Ref {
    refer(BirAccessPattern {
        scalar_offset: Some(ScalarOffset::Acc(Access::Simple(value))),
        indirect_dim: dim,
        ..pattern(tensor, offset, pairs)
    })
}

/// The access with a list of indices.
pub fn by_vector(tensor: Tensor, offset: u64, pairs: &[(i64, u64)], indices: Tensor) -> Ref {
    refer(BirAccessPattern { vector_offset: Some(Access::Simple(indices)), ..pattern(tensor, offset, pairs) })
}

pub fn int(value: i64) -> Operand<'static> {
    Operand::Imm(Immediate::Int(value))
}

pub fn float(value: f32) -> Operand<'static> {
    Operand::Imm(Immediate::Float(value))
}

pub fn tile(reference: Ref) -> Operand<'static> {
    Operand::Tile(reference)
}

pub fn data_pattern(offset: i64, pairs: &[(i64, u64)], channel_multiplier: i64) -> DataPattern<'static> {
    DataPattern { offset, pattern: pairs_of(pairs), channel_multiplier }
}

/// A statement; its position is line `line`, column 5 of [`FILE`].
pub fn statement(name: Option<&'static str>, line: u64, op: Op) -> Stmt<'static> {
    Stmt { op, name, pos: Pos { line, column: 5, line_end: None, column_end: None, filename: Some(FILE) } }
}

pub fn block(label: &'static str, body: &[Stmt<'static>]) -> Block<'static> {
    Block { label, no_reorder: false, body: list(body) }
}

/// A kernel of these blocks.
pub fn kernel(blocks: &[Block<'static>]) -> LncKernel<'static> {
    LncKernel {
        name: KERNEL,
        inputs: &[],
        outputs: &[],
        bodies: list(&[list(blocks)]),
        shared_constants: &[],
        shared_buffers: &[],
        edges: &[],
    }
}

pub fn edge(from: &'static str, to: &[&'static str]) -> Edges<'static> {
    Edges { from_edge: from, to_edges: list(to) }
}

/// A register that holds 3, so that others may use it.
pub fn make_register(name: &'static str) -> Op {
    Operator::RegisterMove(leak(bir_core::klr::ast::RegisterMove { dst: name, imm: 3 }))
}

/// Some operator that lowers to one plain instruction.
pub fn plain_op() -> Op {
    Operator::NcCopy(leak(bir_core::klr::ast::NcCopy {
        dst: x("plain_dst"),
        src: x("plain_src"),
        dtype: None,
        engine: Engine::dve,
    }))
}

pub fn lower(kernel: &LncKernel<'static>, options: &LowerOptions) -> Lowered {
    lower_kernel(kernel, options).unwrap_or_else(|e| panic!("the lowering itself failed: {e}"))
}

/// The module as a document with every key.
pub fn document(module: &ModuleRef) -> Value {
    let mut out = Vec::new();
    write_json(module, &mut out, &WriteOptions { compact: true, explicit: true }).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// The instructions of a block.
pub fn instructions(document: &Value, block: usize) -> Vec<Value> {
    document["functions"][0]["blocks"][block]["instructions"].as_array().unwrap().clone()
}

/// An operand of a document in short: `x:float32 [[64,128],[1,64]] +0`, `imm:int32 7`, `reg:r int32`; what is
/// dynamic about it follows as JSON.
pub fn short(operand: &Value) -> String {
    let text = |key: &str| operand[key].as_str().unwrap_or_else(|| panic!("no text {key}: {operand}")).to_owned();
    match text("kind").as_str() {
        "physical_ap" => {
            assert_eq!(text("memsetref"), format!("{}_set", text("memref")));
            let dynamic = match &operand["dynamic_ap_info"] {
                Value::Null => String::new(),
                info => format!(" dynamic {info}"),
            };
            format!("{}:{} {} +{}{dynamic}", text("memref"), text("dtype"), operand["ap"], operand["offset"])
        }
        "imm_value" => format!("imm:{} {}", text("dtype"), operand["value"]),
        "register_access" => format!("reg:{} {}", text("regref"), text("dtype")),
        kind => panic!("an operand of kind {kind}"),
    }
}

/// The operands of a list in short.
pub fn shorts(instruction: &Value, list: &str) -> Vec<String> {
    instruction[list].as_array().map(|l| l.iter().map(short).collect()).unwrap_or_default()
}
