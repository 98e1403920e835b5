//! The value of a payload field, whatever its type: what tools show, and what they set.

use crate::enums::EnumId;
use crate::ir::{APPair, BasicBlock, DMAQueue, ExprNode, Function, Instruction, LoopAxis, QuasiAffineExpr, Register};
use alloc::string::String;
use alloc::vec::Vec;

/// A value. Which variants a field has follows from its [`Slot`](super::Slot).
#[derive(Clone, Debug)]
pub enum Value<'m> {
    /// No value: a null reference, or a row whose default is "absent".
    Absent,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// An IEEE single.
    Float(f32),
    /// A member of an enum, by ordinal.
    Enum(EnumId, i32),
    /// Text.
    Text(String),
    /// JSON, kept verbatim.
    Json(String),
    /// An affine expression.
    Expr(QuasiAffineExpr<'m>),
    /// A run-time value.
    Node(&'m ExprNode),
    /// A pair of an access pattern.
    Pair(APPair),
    /// A queue.
    Queue(&'m DMAQueue),
    /// A block.
    Block(&'m BasicBlock),
    /// A function.
    Function(&'m Function),
    /// An instruction: a DMA trigger or DMA block.
    Instruction(&'m Instruction),
    /// A register.
    Register(&'m Register),
    /// The axis of a loop; set it by `Instruction::set_loop_axis` or `set_dynamic_axis`.
    Axis(&'m LoopAxis),
    /// A list.
    List(Vec<Value<'m>>),
}

impl Value<'_> {
    /// The kind of value in words, for errors.
    pub fn describe(&self) -> &'static str {
        match self {
            Value::Absent => "no value",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Enum(..) => "an enum member",
            Value::Text(_) => "a text",
            Value::Json(_) => "JSON",
            Value::Expr(_) => "an expression",
            Value::Node(_) => "a run-time value",
            Value::Pair(_) => "a pair",
            Value::Queue(_) => "a queue",
            Value::Block(_) => "a block",
            Value::Function(_) => "a function",
            Value::Instruction(_) => "an instruction",
            Value::Register(_) => "a register",
            Value::Axis(_) => "a loop axis",
            Value::List(_) => "a list",
        }
    }
}
