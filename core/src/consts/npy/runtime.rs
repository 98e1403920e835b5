//! The runtime reads constant files by a cruder rule than the format's; what it takes for data has to be the data
//! (`spec/consts.md` section 3.3).
#![forbid(unsafe_code)]

use super::descr::{Order, descr_for};
use super::fault::NpyFault;
use super::{Npy, NpyWriter};
use crate::error::Result;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Whether the runtime takes a file for NPY: it looks at the first two bytes only. A constant of raw bytes that begins so
/// has to be stored as NPY (`spec/consts.md` section 3.4): see [`wrap_raw`].
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
    u64::from(length).checked_add(10).filter(|&start| start <= size)
}

/// Raw data of a constant as the file that a package takes: as it is, or as an NPY file if the runtime would take it for one
/// ([`looks_like_npy`]). `dtype` is the IR's; data of a type that NPY has none for is written as bytes in one dimension, which
/// the runtime does not look at.
///
/// # Errors
/// [`NpyFault::ShortData`] or [`NpyFault::SurplusData`] if the data is not what `dtype` and `shape` need, as far as it has to be
/// wrapped; as [`NpyWriter::for_dtype`]; `OutOfMemory`.
pub fn wrap_raw<'r>(raw: &'r [u8], dtype: &str, shape: &[u64]) -> Result<Cow<'r, [u8]>> {
    if !looks_like_npy(raw) {
        return Ok(Cow::Borrowed(raw));
    }
    let mut writer = match descr_for(dtype) {
        Some(_) => NpyWriter::for_dtype(Vec::new(), dtype, shape)?,
        None => NpyWriter::new(Vec::new(), "|u1", &[raw.len() as u64])?,
    };
    writer.write(raw)?;
    Ok(Cow::Owned(writer.finish()?))
}

impl Npy {
    /// Whether the runtime finds the data of this file where it is and as a device takes it: version 1.0, little-endian, C
    /// order.
    ///
    /// # Errors
    /// [`NpyFault::Version`], [`NpyFault::ByteOrder`] or [`NpyFault::FortranOrder`].
    pub fn check_runtime(&self) -> Result<()> {
        let (major, minor) = self.version;
        if self.version != (1, 0) {
            let expected = "1.0, the only one that the runtime reads";
            return Err(NpyFault::Version.error(6).expected_found(expected, format_args!("{major}.{minor}")));
        }
        if self.descr.order == Order::Big && self.descr.width > 1 {
            return Err(NpyFault::ByteOrder.bare().expected_found("little-endian (`<`)", self.descr));
        }
        if self.is_transposed() {
            return Err(NpyFault::FortranOrder.bare().expected_found("False", "True"));
        }
        Ok(())
    }
}
