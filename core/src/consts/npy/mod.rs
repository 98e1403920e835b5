//! Most constants are NPY files; reading only their header gives shape, element width and the place of the data.
//!
//! The rules are those of `spec/consts.md` section 3. Nothing is allocated for the data. Void element types carry a
//! width and no type, so the element type of a constant always comes from its tensor.
#![forbid(unsafe_code)]

mod convert;
mod descr;
mod dictionary;
mod fault;
mod write;

pub use descr::{Descr, DescrKind, DescrRow, Order, TABLE, descr_for};
pub use fault::NpyFault;
pub use write::header;

use crate::error::Result;
use alloc::vec::Vec;

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
    pub data_bytes: usize,
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
    if file.get(..6) != Some(&MAGIC[..]) {
        let found = file.get(..6).unwrap_or(file);
        return Err(NpyFault::BadMagic.error(0).expected_found(Hex(&MAGIC), Hex(found)));
    }
    let truncated = |expected: usize| {
        NpyFault::TruncatedHeader.error(file.len()).expected_found(format_args!("{expected} bytes"), file.len())
    };
    let (Some(&major), Some(&minor)) = (file.get(6), file.get(7)) else { return Err(truncated(8)) };
    let (start, length) = match (major, minor) {
        (1, 0) => {
            let field = file.get(8..10).and_then(|b| b.try_into().ok()).ok_or_else(|| truncated(10))?;
            (10usize, usize::from(u16::from_le_bytes(field)))
        }
        (2 | 3, 0) => {
            let field = file.get(8..12).and_then(|b| b.try_into().ok()).ok_or_else(|| truncated(12))?;
            (12, usize::try_from(u32::from_le_bytes(field)).unwrap_or(usize::MAX))
        }
        _ => {
            let found = format_args!("{major}.{minor}");
            return Err(NpyFault::Version.error(6).expected_found("1.0, 2.0 or 3.0", found));
        }
    };
    if length > MAX_HEADER {
        return Err(NpyFault::HeaderTooLong.error(8).expected_found(format_args!("at most {MAX_HEADER}"), length));
    }
    let data_offset = start.saturating_add(length);
    let text = file.get(start..data_offset).ok_or_else(|| truncated(data_offset))?;
    let header = dictionary::parse(text, start, major == 3)?;

    let (descr, descr_at) = header.descr;
    let order_matters = descr.width > 1;
    if descr.order == Order::Big && order_matters && !options.allow_conversion {
        return Err(NpyFault::ByteOrder.error(descr_at).expected_found("little-endian (`<`)", "big-endian (`>`)"));
    }
    let (fortran_order, fortran_at) = header.fortran_order;
    let (shape, shape_at) = header.shape;
    if fortran_order && shape.len() > 1 && !options.allow_conversion {
        return Err(NpyFault::FortranOrder.error(fortran_at).expected_found("False", "True"));
    }
    let data_bytes = data_bytes(&shape, descr.width).ok_or_else(|| {
        NpyFault::SizeOverflow.error(shape_at).expected_found("a size that fits the machine", Shape(&shape))
    })?;
    let available = file.len().saturating_sub(data_offset);
    if available != data_bytes {
        let fault = if available < data_bytes { NpyFault::ShortData } else { NpyFault::SurplusData };
        let at = data_offset.saturating_add(available.min(data_bytes));
        return Err(fault
            .error(at)
            .expected_found(format_args!("{data_bytes} bytes"), format_args!("{available} bytes")));
    }
    Ok(Npy { version: (major, minor), descr, fortran_order, shape, data_offset, data_bytes })
}

/// Product of the dimensions times the width, in bytes. A zero dimension gives 0 whatever the others are.
fn data_bytes(shape: &[u64], width: u32) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    let elements = shape.iter().try_fold(1u64, |product, &dimension| product.checked_mul(dimension))?;
    elements.checked_mul(u64::from(width)).and_then(|bytes| usize::try_from(bytes).ok())
}

impl Npy {
    /// The data of the file the header was read from; `None` for a shorter slice.
    pub fn data<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        file.get(self.data_offset..self.data_offset.checked_add(self.data_bytes)?)
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

/// Whether raw bytes would be taken for an NPY file by the runtime, which looks at the first two bytes only. Such a
/// constant has to be stored as NPY (`spec/consts.md` sections 3.3 and 3.4).
pub fn looks_like_npy(file: &[u8]) -> bool {
    file.starts_with(&[0x93, 0x4e])
}

/// The data the runtime would copy to the device: behind the header of an NPY file as the runtime reads it, else the
/// whole file (`spec/consts.md` section 3.3). `None` if the header length points outside the file.
pub fn runtime_payload(file: &[u8]) -> Option<&[u8]> {
    if !looks_like_npy(file) {
        return Some(file);
    }
    let length = u16::from_le_bytes(file.get(8..10)?.try_into().ok()?);
    file.get(usize::from(length).checked_add(10)?..)
}

/// As [`runtime_payload`] for a file of `size` bytes of which only the first are at hand: where its payload starts.
pub fn runtime_payload_start(head: &[u8], size: u64) -> Option<u64> {
    if !looks_like_npy(head) {
        return Some(0);
    }
    let length = u16::from_le_bytes(head.get(8..10)?.try_into().ok()?);
    Some(u64::from(length) + 10).filter(|&start| start <= size)
}

struct Hex<'a>(&'a [u8]);
impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().enumerate().try_for_each(|(i, byte)| write!(f, "{}{byte:02x}", if i == 0 { "" } else { " " }))
    }
}

/// A shape as Python writes it.
struct Shape<'a>(&'a [u64]);
impl core::fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("(")?;
        for (i, dimension) in self.0.iter().enumerate() {
            write!(f, "{}{dimension}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

#[cfg(test)]
mod tests;
