//! Most constants are NPY files; reading only their header gives shape, element width and the place of the data.
//!
//! The rules are those of `spec/consts.md` section 3. Nothing is allocated for the data. Void element types carry a
//! width and no type, so the element type of a constant always comes from its tensor.
#![forbid(unsafe_code)]

mod convert;
mod descr;
mod dictionary;
mod fault;
mod head;
mod prefix;
mod read;
mod runtime;
mod show;
mod write;
mod writer;

pub use descr::{Descr, DescrKind, DescrRow, Order, TABLE, descr_for};
pub use fault::NpyFault;
pub use head::dtype_of_head;
pub use prefix::{Prefix, parse_prefix};
pub use read::NpyReader;
pub use runtime::{looks_like_npy, runtime_payload, runtime_payload_start, wrap_raw};
pub(crate) use show::Shape;
pub use write::header;
pub use writer::NpyWriter;

use crate::error::{Error, Result};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::Display;
use prefix::Access;

/// The first six bytes of every NPY file.
pub const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The longest header text that is read, in bytes (`spec/consts.md` section 3.4).
pub const MAX_HEADER: usize = 65535;

/// How to read a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Accept big-endian and Fortran-order files, which [`Npy::converted`] then turns into what a device takes.
    pub allow_conversion: bool,
}

/// The header of an NPY file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Npy {
    /// Format version: 1.0, 2.0 or 3.0.
    pub version: (u8, u8),
    /// Element type as the file states it.
    pub descr: Descr,
    /// First index varies fastest.
    pub fortran_order: bool,
    /// Dimensions, outermost first; empty for a scalar.
    pub shape: Vec<u64>,
    /// Offset of the data from the start of the file, in bytes.
    pub data_offset: usize,
    /// Size of the data in bytes: product of the shape times the element width.
    pub data_bytes: u64,
}

/// Reads the header of a file that a device can take as it is: little-endian, C order.
///
/// # Errors
///
/// One per [`NpyFault`], with the byte offset; add the file's name with [`Error::at`](crate::Error::at). `OutOfMemory` for the shape.
pub fn parse(file: &[u8]) -> Result<Npy> {
    parse_with(file, Options::default())
}

/// Reads the header of a file under `options`.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_with(file: &[u8], options: Options) -> Result<Npy> {
    match prefix::read(file, options, Access::Whole)? {
        Prefix::Needs(bytes) => Err(prefix::ended(file, bytes)),
        Prefix::Whole(npy) => {
            npy.check_data_bytes(file.len().saturating_sub(npy.data_offset) as u64)?;
            Ok(npy)
        }
    }
}

impl Npy {
    /// The data of the file the header was read from; `None` for a shorter slice.
    pub fn data<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        let bytes = usize::try_from(self.data_bytes).ok()?;
        file.get(self.data_offset..self.data_offset.checked_add(bytes)?)
    }

    /// Whether the data lies in another order than C's: in Fortran order, and the shape is one where that differs.
    pub fn is_transposed(&self) -> bool {
        self.fortran_order
            && !self.shape.contains(&0)
            && self.shape.iter().filter(|dimension| **dimension > 1).count() > 1
    }

    /// Checks that a file of `bytes` bytes holds exactly the data that its header promises, for who has read no more than
    /// the header.
    ///
    /// # Errors
    ///
    /// [`NpyFault::ShortData`] or [`NpyFault::SurplusData`], at the byte where the file ends or should.
    pub fn check_file_bytes(&self, bytes: u64) -> Result<()> {
        self.check_data_bytes(bytes.saturating_sub(self.data_offset as u64))
    }

    fn check_data_bytes(&self, found: u64) -> Result<()> {
        let fault = match found.cmp(&self.data_bytes) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => NpyFault::ShortData,
            Ordering::Greater => NpyFault::SurplusData,
        };
        let at = (self.data_offset as u64).saturating_add(found.min(self.data_bytes));
        Err(Npy::wrong_size(fault, at, self.data_bytes, format_args!("{found} bytes")))
    }

    fn wrong_size(fault: NpyFault, at: u64, expected: u64, found: impl Display) -> Error {
        fault.error(at).expected_found(format_args!("{expected} bytes of data"), found)
    }

    /// Checks the shape against the tensor's.
    ///
    /// # Errors
    ///
    /// [`NpyFault::ShapeMismatch`] (NCC_INL001).
    pub fn check_shape(&self, shape: &[u64]) -> Result<()> {
        if self.shape == shape {
            return Ok(());
        }
        Err(NpyFault::ShapeMismatch.bare().expected_found(Shape(shape), Shape(&self.shape)))
    }

    /// Checks the element width against the container width of the tensor's element type, in bytes: all a void type
    /// can be checked for (`spec/consts.md` section 3.2).
    ///
    /// # Errors
    ///
    /// [`NpyFault::TypeMismatch`] (NCC_INL002).
    pub fn check_width(&self, container_bytes: u32) -> Result<()> {
        if self.descr.width == container_bytes {
            return Ok(());
        }
        let expected = format_args!("elements of {container_bytes} bytes");
        Err(NpyFault::TypeMismatch.bare().expected_found(expected, self.descr))
    }

    /// Checks the element type by name (`float32`, …) as far as the file states one: a void type passes for every
    /// type it may hold.
    ///
    /// # Errors
    ///
    /// [`NpyFault::TypeMismatch`] (NCC_INL002).
    pub fn check_dtype(&self, dtype: &str) -> Result<()> {
        if self.descr.may_hold(dtype) {
            return Ok(());
        }
        Err(NpyFault::TypeMismatch.bare().expected_found(dtype, self.descr))
    }

    /// The data in little-endian bytes and C order.
    ///
    /// # Errors
    ///
    /// [`NpyFault::ShortData`] if `file` is not the file the header was read from; `OutOfMemory`.
    pub fn converted(&self, file: &[u8]) -> Result<Vec<u8>> {
        convert::convert(self, file)
    }
}

#[cfg(test)]
mod tests;
