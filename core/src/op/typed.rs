//! Between [`Value`] and Rust types, for the generated accessors (`inst.as_tensor_scalar()?.op0()`).
#![forbid(unsafe_code)]

use super::field::Field;
use super::value::Value;
use crate::enums::IrEnum;
use crate::ir::{APPair, BasicBlock, DMAQueue, ExprNode, Function, Instruction, LoopAxis, QuasiAffineExpr, Register};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// A maybe-affine value.
#[derive(Clone, Debug)]
pub enum Maybe<'m, T> {
    /// No value (rows whose default is "absent").
    Absent,
    /// A constant.
    Constant(T),
    /// An expression.
    Affine(QuasiAffineExpr<'m>),
    /// JSON of an older form, kept verbatim.
    Verbatim(String),
}

impl<T: Copy> Maybe<'_, T> {
    /// The constant; `None` for anything else.
    pub fn constant(&self) -> Option<T> {
        match self {
            Maybe::Constant(value) => Some(*value),
            _ => None,
        }
    }
}

/// What a field's value can be read as.
pub trait FromValue<'m>: Sized {
    /// The value as this type; `None` if it is of another type.
    fn from_value(value: Value<'m>) -> Option<Self>;
}

/// What a field can be set from.
pub trait ToValue<'m> {
    /// The value.
    fn to_value(self) -> Value<'m>;
}

/// Reads a field as `T`.
pub(crate) fn get<'m, T: FromValue<'m>>(instruction: &'m Instruction, field: &'static Field) -> Result<T> {
    T::from_value(instruction.get_field(field)?).ok_or_else(|| {
        Error::new(ErrorCode::CorruptIr, format_args!("corrupt IR: `{}` is no {}", field.key, field.type_text))
    })
}

/// Sets a field from `T`.
pub(crate) fn set<'v, T: ToValue<'v>>(instruction: &Instruction, field: &'static Field, value: T) -> Result<()> {
    instruction.set_field(field, &value.to_value())
}

macro_rules! integers {
    ($($type:ty),*) => { $(
        impl<'m> FromValue<'m> for $type {
            fn from_value(value: Value<'m>) -> Option<Self> {
                match value {
                    Value::Int(number) => <$type>::try_from(number).ok(),
                    _ => None,
                }
            }
        }
        impl<'m> ToValue<'m> for $type {
            fn to_value(self) -> Value<'m> {
                Value::Int(self.into())
            }
        }
    )* };
}
integers!(u8, u16, u32, i32, u64);

macro_rules! plain {
    ($($type:ty: $variant:ident),*) => { $(
        impl<'m> FromValue<'m> for $type {
            fn from_value(value: Value<'m>) -> Option<Self> {
                match value {
                    Value::$variant(inner) => Some(inner),
                    _ => None,
                }
            }
        }
        impl<'m> ToValue<'m> for $type {
            fn to_value(self) -> Value<'m> {
                Value::$variant(self)
            }
        }
    )* };
}
plain!(bool: Bool, f32: Float, APPair: Pair);

macro_rules! references {
    ($($type:ty: $variant:ident),*) => { $(
        impl<'m> FromValue<'m> for &'m $type {
            fn from_value(value: Value<'m>) -> Option<Self> {
                match value {
                    Value::$variant(object) => Some(object),
                    _ => None,
                }
            }
        }
        impl<'m> ToValue<'m> for &'m $type {
            fn to_value(self) -> Value<'m> {
                Value::$variant(self)
            }
        }
        impl<'m> FromValue<'m> for Option<&'m $type> {
            fn from_value(value: Value<'m>) -> Option<Self> {
                match value {
                    Value::Absent => Some(None),
                    Value::$variant(object) => Some(Some(object)),
                    _ => None,
                }
            }
        }
        impl<'m> ToValue<'m> for Option<&'m $type> {
            fn to_value(self) -> Value<'m> {
                self.map_or(Value::Absent, Value::$variant)
            }
        }
    )* };
}
references!(DMAQueue: Queue, BasicBlock: Block, Function: Function, Instruction: Instruction, Register: Register, LoopAxis: Axis, ExprNode: Node);

impl<'m> FromValue<'m> for String {
    fn from_value(value: Value<'m>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}
impl<'m> ToValue<'m> for &str {
    fn to_value(self) -> Value<'m> {
        Value::Text(String::from(self))
    }
}

/// JSON text, kept verbatim; `None` is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(pub Option<String>);

impl<'m> FromValue<'m> for Json {
    fn from_value(value: Value<'m>) -> Option<Self> {
        match value {
            Value::Json(text) => Some(Json(Some(text))),
            Value::Absent => Some(Json(None)),
            _ => None,
        }
    }
}
impl<'m> ToValue<'m> for Json {
    fn to_value(self) -> Value<'m> {
        self.0.map_or(Value::Absent, Value::Json)
    }
}

impl<'m> FromValue<'m> for QuasiAffineExpr<'m> {
    fn from_value(value: Value<'m>) -> Option<Self> {
        match value {
            Value::Expr(expr) => Some(expr),
            Value::Absent => Some(QuasiAffineExpr::NONE),
            _ => None,
        }
    }
}
impl<'m> ToValue<'m> for QuasiAffineExpr<'m> {
    fn to_value(self) -> Value<'m> {
        if self.is_none() { Value::Absent } else { Value::Expr(self) }
    }
}

impl<'m, T: FromValue<'m>> FromValue<'m> for Maybe<'m, T> {
    fn from_value(value: Value<'m>) -> Option<Self> {
        Some(match value {
            Value::Absent => Maybe::Absent,
            Value::Expr(expr) => Maybe::Affine(expr),
            Value::Json(text) => Maybe::Verbatim(text),
            constant => Maybe::Constant(T::from_value(constant)?),
        })
    }
}
impl<'m, T: ToValue<'m>> ToValue<'m> for Maybe<'m, T> {
    fn to_value(self) -> Value<'m> {
        match self {
            Maybe::Absent => Value::Absent,
            Maybe::Affine(expr) => Value::Expr(expr),
            Maybe::Verbatim(text) => Value::Json(text),
            Maybe::Constant(constant) => constant.to_value(),
        }
    }
}

impl<'m, T: FromValue<'m>> FromValue<'m> for Vec<T> {
    fn from_value(value: Value<'m>) -> Option<Self> {
        match value {
            Value::List(items) => items.into_iter().map(T::from_value).collect(),
            _ => None,
        }
    }
}
impl<'m, T: ToValue<'m>> ToValue<'m> for Vec<T> {
    fn to_value(self) -> Value<'m> {
        Value::List(self.into_iter().map(T::to_value).collect())
    }
}

impl<'m, T: FromValue<'m>, const N: usize> FromValue<'m> for [T; N] {
    fn from_value(value: Value<'m>) -> Option<Self> {
        <[T; N]>::try_from(Vec::<T>::from_value(value)?).ok()
    }
}
impl<'m, T: ToValue<'m>, const N: usize> ToValue<'m> for [T; N] {
    fn to_value(self) -> Value<'m> {
        Value::List(self.into_iter().map(T::to_value).collect())
    }
}

/// A member of an enum; generated accessors name the enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<E>(pub E);

impl<'m, E: IrEnum> FromValue<'m> for Member<E> {
    fn from_value(value: Value<'m>) -> Option<Self> {
        match value {
            Value::Enum(_, ordinal) => E::from_ordinal(ordinal.into()).ok().map(Member),
            _ => None,
        }
    }
}
impl<'m, E: IrEnum> ToValue<'m> for Member<E> {
    fn to_value(self) -> Value<'m> {
        Value::Enum(E::ID, self.0.ordinal())
    }
}
