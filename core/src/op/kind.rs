//! What a host must know of a field to show and change it without knowing the opcode: its kind, how deep its lists are, and
//! what it takes.
#![forbid(unsafe_code)]

use super::field::{Default, Field, MaybeType, Slot};
use crate::enums::EnumId;

/// What the elements of a field are. The numbers are stable: the C API has them as `BIR_FIELD_KIND_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum FieldKind {
    /// A boolean.
    Bool = 1,
    /// An integer, see [`Field::int_range`].
    Int = 2,
    /// An IEEE single.
    Float = 3,
    /// A member of an enum, see [`Field::enum_id`].
    Enum = 4,
    /// Text.
    Text = 5,
    /// JSON, kept verbatim.
    Json = 6,
    /// An affine expression.
    Expr = 7,
    /// A run-time value: a node of an expression.
    Node = 8,
    /// A queue.
    Queue = 9,
    /// A block.
    Block = 10,
    /// A function.
    Function = 11,
    /// An instruction: a DMA trigger or DMA block.
    Instruction = 12,
    /// A register.
    Register = 13,
    /// The axis of a loop, which is set by a method of its own.
    Axis = 14,
    /// The nested blocks, which are changed through the block holder.
    Blocks = 15,
    /// A pair of an access pattern.
    Pair = 16,
}

impl MaybeType {
    const fn kind(self) -> FieldKind {
        match self {
            MaybeType::Bool => FieldKind::Bool,
            _ => FieldKind::Int,
        }
    }

    const fn range(self) -> Option<(i64, u64)> {
        Some(match self {
            MaybeType::Bool => return None,
            MaybeType::U8 => (0, u8::MAX as u64),
            MaybeType::U16 => (0, u16::MAX as u64),
            MaybeType::U32 => (0, u32::MAX as u64),
            MaybeType::U64 => (0, u64::MAX),
            MaybeType::I32 => (i32::MIN as i64, i32::MAX as u64),
        })
    }
}

impl Field {
    /// What its elements are; for a maybe-affine field, what its constants are.
    pub const fn kind(&self) -> FieldKind {
        match self.slot {
            Slot::Bool => FieldKind::Bool,
            Slot::U32 | Slot::U32Array { .. } | Slot::VecU32 | Slot::VecVecU32 | Slot::VecVecU64 => FieldKind::Int,
            Slot::F32 | Slot::SmallF32 { .. } => FieldKind::Float,
            Slot::Enum(_) | Slot::VecEnum(_) => FieldKind::Enum,
            Slot::Maybe(inner) | Slot::MaybePair(inner) | Slot::SmallMaybe(inner) => inner.kind(),
            Slot::String | Slot::VecString => FieldKind::Text,
            Slot::Json => FieldKind::Json,
            Slot::Expr | Slot::VecExpr => FieldKind::Expr,
            Slot::RuntimeValue => FieldKind::Node,
            Slot::Queue => FieldKind::Queue,
            Slot::Block => FieldKind::Block,
            Slot::Function => FieldKind::Function,
            Slot::Trigger | Slot::DmaBlocks => FieldKind::Instruction,
            Slot::VecRegister => FieldKind::Register,
            Slot::Axis => FieldKind::Axis,
            Slot::Blocks => FieldKind::Blocks,
            Slot::SmallPairs => FieldKind::Pair,
        }
    }

    /// 0 for a single value, 1 for a list, 2 for a list of lists.
    pub const fn list_depth(&self) -> u8 {
        match self.slot {
            Slot::VecVecU32 | Slot::VecVecU64 => 2,
            Slot::MaybePair(_)
            | Slot::VecU32
            | Slot::VecString
            | Slot::VecEnum(_)
            | Slot::VecRegister
            | Slot::DmaBlocks
            | Slot::VecExpr
            | Slot::SmallF32 { .. }
            | Slot::SmallPairs
            | Slot::SmallMaybe(_)
            | Slot::U32Array { .. }
            | Slot::Blocks => 1,
            _ => 0,
        }
    }

    /// The length of a list that cannot have another one.
    pub const fn fixed_length(&self) -> Option<u8> {
        match self.slot {
            Slot::MaybePair(_) => Some(2),
            Slot::U32Array { len } => Some(len),
            _ => None,
        }
    }

    /// Whether its elements may be expressions instead of constants.
    pub const fn is_maybe_affine(&self) -> bool {
        matches!(self.slot, Slot::Maybe(_) | Slot::MaybePair(_) | Slot::SmallMaybe(_))
    }

    /// The enum whose members its elements are.
    pub const fn enum_id(&self) -> Option<EnumId> {
        match self.slot {
            Slot::Enum(id) | Slot::VecEnum(id) => Some(id),
            _ => None,
        }
    }

    /// The smallest and the largest integer that it takes; `None` for a field of another kind.
    pub const fn int_range(&self) -> Option<(i64, u64)> {
        match self.slot {
            Slot::Maybe(inner) | Slot::MaybePair(inner) | Slot::SmallMaybe(inner) => inner.range(),
            Slot::U32 | Slot::U32Array { .. } | Slot::VecU32 | Slot::VecVecU32 => MaybeType::U32.range(),
            Slot::VecVecU64 => MaybeType::U64.range(),
            _ => None,
        }
    }

    /// Whether it can be set to no value. A list cannot, it can be empty.
    pub const fn can_be_absent(&self) -> bool {
        match self.slot {
            Slot::Json
            | Slot::Queue
            | Slot::Block
            | Slot::Function
            | Slot::Trigger
            | Slot::Expr
            | Slot::RuntimeValue => true,
            Slot::Maybe(_) => matches!(self.default, Default::Absent),
            _ => false,
        }
    }
}
