//! The operators of the older form.

use super::reader::{Reader, member};
use crate::Result;
use crate::doc::{Input, ValueKind};
use crate::enums::klr::AluOp;
use alloc::string::String;

/// What a statement does with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// Into on-chip memory.
    Load,
    /// Out of on-chip memory.
    Save,
    /// The same 32 bits everywhere.
    Memset(u64),
    /// Two operations with constants.
    TensorScalar(Scalars, Constants),
    /// Two operations with scalars from memory.
    TensorScalarAddr(Scalars),
    /// One that no tool of that time lowers, by name.
    Other(String),
}

/// Two operations, each with a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalars {
    /// The first operation.
    pub op0: AluOp,
    /// Whether the scalar is the left operand of the first operation.
    pub reverse0: bool,
    /// The second operation.
    pub op1: AluOp,
    /// Whether the scalar is the left operand of the second operation.
    pub reverse1: bool,
}

/// The scalars of `tensorScalar`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Of the first operation.
    pub const0: f32,
    /// Of the second operation.
    pub const1: f32,
}

impl Operator {
    /// The name in the form.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Operator::Load => "load",
            Operator::Save => "save",
            Operator::Memset(_) => "memset",
            Operator::TensorScalar(..) => "tensorScalar",
            Operator::TensorScalarAddr(_) => "tensorScalarAddr",
            Operator::Other(name) => name,
        }
    }

    pub(super) fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        if r.kind()? == ValueKind::String {
            let name = r.text()?;
            return Ok(match name.as_str() {
                "load" => Operator::Load,
                "save" => Operator::Save,
                _ => Operator::Other(name),
            });
        }
        r.constructor("an operator", |r, name| match name {
            "memset" => r.nat().map(Operator::Memset),
            "tensorScalar" => {
                let (scalars, [const0, const1]) = scalars(r, true)?;
                let constants =
                    Constants { const0: r.required("const0", const0)?, const1: r.required("const1", const1)? };
                Ok(Operator::TensorScalar(scalars, constants))
            }
            "tensorScalarAddr" => scalars(r, false).map(|(scalars, _)| Operator::TensorScalarAddr(scalars)),
            _ => {
                r.skip()?;
                crate::fallible::copy(name).map(Operator::Other)
            }
        })
    }
}

fn scalars<'a, I: Input<'a>>(r: &mut Reader<I>, constants: bool) -> Result<(Scalars, [Option<f32>; 2])> {
    let (mut op0, mut op1, mut reverse0, mut reverse1) = (None, None, None, None);
    let (mut const0, mut const1) = (None, None);
    r.object(|r, key| match key {
        "op0" => member(r, "op0", &mut op0, Reader::member::<AluOp>),
        "op1" => member(r, "op1", &mut op1, Reader::member::<AluOp>),
        "reverse0" => member(r, "reverse0", &mut reverse0, Reader::bool),
        "reverse1" => member(r, "reverse1", &mut reverse1, Reader::bool),
        "const0" if constants => member(r, "const0", &mut const0, Reader::f32),
        "const1" if constants => member(r, "const1", &mut const1, Reader::f32),
        _ => Err(r.unknown_key(key)),
    })?;
    let scalars = Scalars {
        op0: r.required("op0", op0)?,
        reverse0: r.required("reverse0", reverse0)?,
        op1: r.required("op1", op1)?,
        reverse1: r.required("reverse1", reverse1)?,
    };
    Ok((scalars, [const0, const1]))
}
