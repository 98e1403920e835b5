//! What a file promises and no reader enforces: the proof fields' statements, and integers that the C++ side can hold
//! (`spec/klr.md` sections 2 and 4).

use super::ast::{AccessBasic, Slice, TensorName};
use super::file::File;
use super::schema::Head;
use super::trail::Trail;
use super::visit::{Visitor, Walk};
use crate::enums::crosswalk::translate_dtype;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;
use alloc::vec::Vec;

/// What [`check`] found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings, in the order of the file: code, path, message, and where it applies expected and found. The code is
    /// `BadValue` for a number that is too large or may not be 0, and `Conflict` for two that contradict each other.
    pub list: Vec<Error>,
    /// Further ones that were not kept.
    pub dropped: u64,
}

/// Looks for broken promises; a file with findings can be read and written all the same. At most `limit` findings are
/// kept.
///
/// # Errors
/// `OutOfMemory`, and `LimitExceeded` for more than 64 records within each other.
pub fn check(file: &File<'_>, limit: usize) -> Result<Findings> {
    let mut checker = Checker { trail: Trail::default(), findings: Findings::default(), limit };
    file.walk(&mut checker)?;
    Ok(checker.findings)
}

struct Checker {
    trail: Trail,
    findings: Findings,
    limit: usize,
}

impl Checker {
    fn found(&mut self, make: impl FnOnce() -> Error) -> Result<()> {
        if self.findings.list.len() >= self.limit {
            self.findings.dropped = self.findings.dropped.saturating_add(1);
            return Ok(());
        }
        push(&mut self.findings.list, self.trail.place(make()))
    }
}

impl Visitor for Checker {
    fn nat(&mut self, value: u64) -> Result<()> {
        if u32::try_from(value).is_ok() {
            return Ok(());
        }
        self.found(|| {
            let error = Error::new(ErrorCode::BadValue, "the C++ side holds 32 bits");
            error.expected_found(format_args!("{} at most", u32::MAX), value)
        })
    }

    fn int(&mut self, value: i64) -> Result<()> {
        if i32::try_from(value).is_ok() {
            return Ok(());
        }
        self.found(|| {
            let error = Error::new(ErrorCode::BadValue, "the C++ side holds 32 bits");
            error.expected_found(format_args!("{}..={}", i32::MIN, i32::MAX), value)
        })
    }

    fn bool(&mut self, _value: bool) -> Result<()> {
        Ok(())
    }

    fn f32(&mut self, _value: f32) -> Result<()> {
        Ok(())
    }

    fn text(&mut self, _value: &str) -> Result<()> {
        Ok(())
    }

    fn member(&mut self, _tag: u8, _ctor: u8, _name: &'static str) -> Result<()> {
        Ok(())
    }

    fn none(&mut self) -> Result<()> {
        Ok(())
    }

    fn begin_list(&mut self, _len: usize) -> Result<()> {
        Ok(())
    }

    fn element(&mut self, index: usize) -> Result<()> {
        self.trail.element(index);
        Ok(())
    }

    fn end_element(&mut self) {
        self.trail.leave();
    }

    fn begin(&mut self, head: &'static Head) -> Result<()> {
        self.trail.begin(head)
    }

    fn end(&mut self, head: &'static Head) -> Result<()> {
        self.trail.end(head);
        Ok(())
    }

    fn field(&mut self, name: &'static str) -> Result<()> {
        self.trail.field(name);
        Ok(())
    }

    fn end_field(&mut self) {
        self.trail.leave();
    }

    fn wants_head_field(&mut self, _name: &'static str, present: bool) -> Result<bool> {
        Ok(present)
    }

    fn missing(&mut self, _name: &'static str) -> Result<()> {
        Ok(())
    }

    fn tensor_name(&mut self, tensor: &TensorName<'_>) -> Result<()> {
        let TensorName { shape, address, free_elements, dtype, .. } = tensor;
        if shape.par_dim > address.par_size {
            self.found(|| {
                let error = Error::new(ErrorCode::Conflict, "the tensor has more partitions than its address");
                error.expected_found(format_args!("parDim {} at most", address.par_size), shape.par_dim)
            })?;
        }
        let size = u64::from(translate_dtype(dtype.ordinal().cast_unsigned())?.container_bytes());
        let bytes = u128::from(*free_elements) * u128::from(size);
        if bytes > u128::from(address.free_size) {
            self.found(|| {
                let error = Error::new(ErrorCode::Conflict, "the tensor is larger than its address");
                let expected = format_args!("{} bytes per partition at most", address.free_size);
                error.expected_found(expected, format_args!("{free_elements} elements of {size} bytes"))
            })?;
        }
        tensor.walk_parts(self)
    }

    fn slice(&mut self, slice: &Slice) -> Result<()> {
        if slice.step == 0 {
            self.found(|| Error::new(ErrorCode::BadValue, "the step of a slice is 0"))?;
        }
        slice.walk_parts(self)
    }

    fn access_basic(&mut self, access: &AccessBasic<'_>) -> Result<()> {
        let dims = access.tensor.shape.free_dims.len().saturating_add(1);
        let indexes = access.indexes.len();
        if indexes != dims {
            self.found(|| {
                let error = Error::new(ErrorCode::Conflict, "the access has not one index per dimension");
                error.expected_found(format_args!("{dims} indexes"), indexes)
            })?;
        }
        access.walk_parts(self)
    }
}
