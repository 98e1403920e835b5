//! Headers are part of the de-duplication key, so they are written exactly as current numpy writes them.
#![forbid(unsafe_code)]

use super::descr::{Descr, Order};
use super::fault::NpyFault;
use super::show::Shape;
use crate::error::{Error, Result};
use alloc::vec::Vec;
use core::fmt::Write;

/// Digits that numpy keeps free for a growing first dimension (`spec/consts.md` section 3.1).
const GROWTH_DIGITS: usize = 21;

/// The bytes that come before the data of an NPY 1.0 file in C order, `descr` as in `<f4`.
///
/// Spelling and padding are those of current numpy (`spec/consts.md` section 3.1), except that void types are always
/// spelled `<V2` and `<V1` (section 3.4).
///
/// # Errors
///
/// [`NpyFault::UnsupportedDtype`] or [`NpyFault::ByteOrder`] for a `descr` that packages do not take,
/// [`NpyFault::HeaderTooLong`] for a header that does not fit version 1.0, `OutOfMemory`.
pub fn header(descr: &str, shape: &[u64]) -> Result<Vec<u8>> {
    let parsed = Descr::parse(descr)
        .ok_or_else(|| NpyFault::UnsupportedDtype.bare().expected_found("a type of the IR", descr))?;
    if parsed.order == Order::Big && parsed.width > 1 {
        return Err(NpyFault::ByteOrder.bare().expected_found("little-endian (`<`)", descr));
    }
    let written = parsed.row().map_or("", |row| row.written);

    let mut out = Text(Vec::new());
    out.push(b"\x93NUMPY\x01\x00\0\0").map_err(|_| Error::out_of_memory())?;
    write!(out, "{{'descr': '{written}', 'fortran_order': False, 'shape': {}, }}", Shape(shape))
        .map_err(|_| Error::out_of_memory())?;
    let growth = shape.first().map_or(0, |&d| GROWTH_DIGITS.saturating_sub(decimal_digits(d)));
    let Text(mut out) = out;
    let prefix = (out.len() + growth + 1) / 64 * 64 + 64;
    let Ok(length) = u16::try_from(prefix - 10) else {
        return Err(NpyFault::HeaderTooLong
            .bare()
            .expected_found("at most 65535 bytes", format_args!("{} bytes", prefix - 10)));
    };
    out.try_reserve_exact(prefix - out.len()).map_err(|_| Error::out_of_memory())?;
    out.resize(prefix - 1, b' ');
    out.push(b'\n');
    if let Some(field) = out.get_mut(8..10) {
        field.copy_from_slice(&length.to_le_bytes());
    }
    Ok(out)
}

fn decimal_digits(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

struct Text(Vec<u8>);

impl Text {
    fn push(&mut self, bytes: &[u8]) -> core::fmt::Result {
        self.0.try_reserve(bytes.len()).map_err(|_| core::fmt::Error)?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        self.push(s.as_bytes())
    }
}
