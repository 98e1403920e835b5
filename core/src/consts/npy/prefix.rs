//! All that is known of an NPY file stands before its data. One function reads it, from whole files and from their beginnings
//! alike, so both find the same faults in the same places.
#![forbid(unsafe_code)]

use super::descr::Order;
use super::fault::NpyFault;
use super::show::{Hex, Shape};
use super::{MAGIC, MAX_HEADER, Npy, Options, dictionary};
use crate::error::{Error, Result};

/// What the beginning of a file gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// The header.
    Whole(Npy),
    /// Nothing yet: this many bytes from the start of the file are needed, more than there were.
    Needs(usize),
}

/// Reads the header from `head`, the beginning of a file or all of it, for who wants to know a file without reading its data.
/// The size of the data is not looked at: see [`Npy::check_file_bytes`].
///
/// # Errors
///
/// As [`parse_with`](super::parse_with), but for what depends on the end of the file.
pub fn parse_prefix(head: &[u8], options: Options) -> Result<Prefix> {
    read(head, options, Access::Whole)
}

/// How the data will come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// All at once, so that its order can be changed.
    Whole,
    /// In pieces, each of which is gone when the next one comes.
    Pieces,
}

/// Reads the header from `head`, the beginning of a file. The size of the data is not looked at.
pub(super) fn read(head: &[u8], options: Options, access: Access) -> Result<Prefix> {
    if !begins_well(head) {
        return Err(bad_magic(head));
    }
    let (Some(&major), Some(&minor)) = (head.get(6), head.get(7)) else { return Ok(Prefix::Needs(8)) };
    let (start, length) = match (major, minor) {
        (1, 0) => match head.get(8..10).and_then(|field| field.try_into().ok()) {
            Some(field) => (10, usize::from(u16::from_le_bytes(field))),
            None => return Ok(Prefix::Needs(10)),
        },
        (2 | 3, 0) => match head.get(8..12).and_then(|field| field.try_into().ok()) {
            Some(field) => (12, usize::try_from(u32::from_le_bytes(field)).unwrap_or(usize::MAX)),
            None => return Ok(Prefix::Needs(12)),
        },
        _ => {
            let found = format_args!("{major}.{minor}");
            return Err(NpyFault::Version.error(6).expected_found("1.0, 2.0 or 3.0", found));
        }
    };
    if length > MAX_HEADER {
        let expected = format_args!("at most {MAX_HEADER} bytes");
        return Err(NpyFault::HeaderTooLong.error(8).expected_found(expected, format_args!("{length} bytes")));
    }
    let data_offset = start + length;
    let Some(text) = head.get(start..data_offset) else { return Ok(Prefix::Needs(data_offset)) };
    let header = dictionary::parse(text, start, major == 3)?;

    let (descr, descr_at) = header.descr;
    if descr.order == Order::Big && descr.width > 1 && !options.allow_conversion {
        return Err(NpyFault::ByteOrder.error(descr_at).expected_found("little-endian (`<`)", "big-endian (`>`)"));
    }
    let (fortran_order, fortran_at) = header.fortran_order;
    let (shape, shape_at) = header.shape;
    let npy = Npy { version: (major, minor), descr, fortran_order, shape, data_offset, data_bytes: 0 };
    if npy.fortran_order && npy.shape.len() > 1 && !options.allow_conversion {
        return Err(NpyFault::FortranOrder.error(fortran_at).expected_found("False", "True"));
    }
    if npy.is_transposed() && access == Access::Pieces {
        return Err(NpyFault::FortranOrder
            .error(fortran_at)
            .expected_found("False: the order of data that comes in pieces cannot be changed", "True"));
    }
    let Some(data_bytes) = data_bytes(&npy.shape, descr.width) else {
        let found = format_args!("{} elements of {} bytes", Shape(&npy.shape), descr.width);
        return Err(NpyFault::SizeOverflow.error(shape_at).expected_found("less than 2^64 bytes", found));
    };
    Ok(Prefix::Whole(Npy { data_bytes, ..npy }))
}

/// The error of a file that ends after `head`, of which `needed` bytes were to come.
pub(super) fn ended(head: &[u8], needed: usize) -> Error {
    if head.len() < MAGIC.len() || !begins_well(head) {
        return bad_magic(head);
    }
    let found = format_args!("{} bytes", head.len());
    NpyFault::TruncatedHeader.error(head.len() as u64).expected_found(format_args!("{needed} bytes"), found)
}

/// Whether the magic bytes are right, as far as they are there.
fn begins_well(head: &[u8]) -> bool {
    head.iter().zip(&MAGIC).all(|(found, expected)| found == expected)
}

fn bad_magic(head: &[u8]) -> Error {
    let error = NpyFault::BadMagic.error(0);
    match head.get(..MAGIC.len()).unwrap_or(head) {
        [] => error.expected_found(Hex(&MAGIC), "an empty file"),
        found => error.expected_found(Hex(&MAGIC), Hex(found)),
    }
}

/// Product of the dimensions times the width, in bytes. A zero dimension gives 0 whatever the others are.
pub(super) fn data_bytes(shape: &[u64], width: u32) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    let elements = shape.iter().try_fold(1u64, |product, &dimension| product.checked_mul(dimension))?;
    elements.checked_mul(u64::from(width))
}
