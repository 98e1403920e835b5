//! The statements of the older form.

use super::access::Access;
use super::operator::Operator;
use super::reader::{Reader, member};
use crate::Result;
use crate::doc::Input;
use alloc::string::String;
use alloc::vec::Vec;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `store`: an operator writes a tensor.
    Store(Store),
    /// `ret` or `assign`, which compute nothing; what they hold is not kept.
    Other(String),
}

/// `dst := op args`.
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    /// What is written.
    pub dst: Access,
    /// The operator.
    pub op: Operator,
    /// Its arguments, in order.
    pub args: Vec<Value>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A tensor.
    Access(Access),
    /// A variable, boolean, integer or float, by the name of the constructor.
    Other(String),
}

impl Statement {
    pub(super) fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        r.constructor("a statement", |r, form| match form {
            "store" => Store::read(r).map(Statement::Store),
            "ret" | "assign" => {
                r.skip()?;
                crate::fallible::copy(form).map(Statement::Other)
            }
            _ => Err(r.unknown("statement", "ret, assign or store", form)),
        })
    }
}

impl Store {
    fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        let (mut dst, mut op, mut args) = (None, None, None);
        r.object(|r, key| match key {
            "dst" => member(r, "dst", &mut dst, Access::read),
            "op" => member(r, "op", &mut op, Operator::read),
            "args" => member(r, "args", &mut args, |r| r.list(Value::read)),
            _ => Err(r.unknown_key(key)),
        })?;
        Ok(Store { dst: r.required("dst", dst)?, op: r.required("op", op)?, args: r.required("args", args)? })
    }
}

impl Value {
    fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        r.constructor("a value", |r, form| match form {
            "access" => r.only("a", Access::read).map(Value::Access),
            "var" | "bool" | "int" | "float" => {
                r.skip()?;
                crate::fallible::copy(form).map(Value::Other)
            }
            _ => Err(r.unknown("value", "var, bool, int, float or access", form)),
        })
    }
}
