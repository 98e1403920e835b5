//! Kernels in the JSON form of 2025, before there was a binary one: what the released tools of that year print for a traced
//! kernel (`spec/klr.md` section 7, `spec/lowering.md` section 10).
//!
//! [`read_json`] walks the text once into the values of this module; [`crate::lower`] makes a module of them. Statements and
//! operators that this form's lowering does not take are kept by name, so that they can be refused where they stand.
//!
//! ```
//! use bir_core::klr::older;
//!
//! let kernel = older::read_json(br#"{"name": "k", "inputs": [], "outputs": [], "body": []}"#)?;
//! assert_eq!(kernel.name, "k");
//! let error = older::read_json(br#"{"name": "k", "inputs": {}}"#).unwrap_err();
//! assert_eq!(error.to_string(), "inputs: the value has the wrong type: expected an array, found an object \
//!     (line 1, column 25, byte 24)");
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod access;
mod operator;
mod reader;
mod statement;
mod tensor;

pub use access::{Access, Index, Pair, Slice};
pub use operator::{Constants, Operator, Scalars};
pub use statement::{Statement, Store, Value};
pub use tensor::{Memory, Region, Tensor};

use crate::Result;
use crate::doc::{Input, JsonInput, Limits};
use alloc::string::String;
use alloc::vec::Vec;
use reader::{Reader, member};

/// A traced kernel: one core, one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name, with that of its Python module before a dot.
    pub name: String,
    /// The arguments, in order.
    pub inputs: Vec<Tensor>,
    /// The results, in order. An argument that the kernel returns stands in both lists.
    pub outputs: Vec<Tensor>,
    /// The statements, in order.
    pub body: Vec<Statement>,
}

/// Whether the text is an object with the keys of a kernel: the first key that only one of them has decides between this
/// form and a BIR document. The rest is not looked at.
#[must_use]
pub fn is_kernel(bytes: &[u8]) -> bool {
    let mut input = JsonInput::new(bytes, Limits::default());
    if input.begin_object().is_err() {
        return false;
    }
    while let Ok(Some(key)) = input.next_key() {
        match key.as_ref() {
            "body" | "inputs" | "outputs" => return true,
            "functions" | "version" | "arch" => return false,
            _ if input.skip().is_err() => return false,
            _ => {}
        }
    }
    false
}

/// Reads a kernel from JSON text with the usual limits.
///
/// # Errors
/// As [`read`].
pub fn read_json(bytes: &[u8]) -> Result<Kernel> {
    read(JsonInput::new(bytes, Limits::default()))
}

/// Reads a kernel; nothing may follow it.
///
/// # Errors
/// `Syntax`, `WrongType`, `MissingKey`, `UnknownKey`, `DuplicateName` for a key that comes twice, `UnknownEnum`, `BadValue`,
/// `LimitExceeded` and `OutOfMemory`, with path and position.
pub fn read<'a, I: Input<'a>>(input: I) -> Result<Kernel> {
    let mut reader = Reader::new(input);
    let kernel = Kernel::read(&mut reader)?;
    reader.finish()?;
    Ok(kernel)
}

impl Kernel {
    fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        let (mut name, mut inputs, mut outputs, mut body) = (None, None, None, None);
        r.object(|r, key| match key {
            "name" => member(r, "name", &mut name, Reader::text),
            "inputs" => member(r, "inputs", &mut inputs, |r| r.list(Tensor::read)),
            "outputs" => member(r, "outputs", &mut outputs, |r| r.list(Tensor::read)),
            "body" => member(r, "body", &mut body, |r| r.list(Statement::read)),
            _ => Err(r.unknown_key(key)),
        })?;
        Ok(Kernel {
            name: r.required("name", name)?,
            inputs: r.required("inputs", inputs)?,
            outputs: r.required("outputs", outputs)?,
            body: r.required("body", body)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_told_from_documents() {
        assert!(is_kernel(br#" {"name": "k", "outputs": ["#));
        assert!(is_kernel(br#"{"name": {"a": [1, 2]}, "body": 3}"#));
        for other in
            [&br#"{"attributes": {"body": 1}, "functions": [], "body": 1}"#[..], b"[]", b"{}", b"", b"{\"a\": }"]
        {
            assert!(!is_kernel(other));
        }
    }
}
