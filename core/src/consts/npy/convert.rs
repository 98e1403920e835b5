//! The device takes little-endian data in C order; this makes it from files that are neither.
#![forbid(unsafe_code)]

use super::Npy;
use super::descr::Order;
use super::fault::NpyFault;
use crate::error::{Error, Result};
use alloc::vec::Vec;

pub(super) fn convert(npy: &Npy, file: &[u8]) -> Result<Vec<u8>> {
    let data = npy.data(file).ok_or_else(|| NpyFault::ShortData.error(file.len() as u64))?;
    let mut out = Vec::new();
    out.try_reserve_exact(data.len()).map_err(|_| Error::out_of_memory())?;
    let width = npy.descr.width as usize;
    if npy.is_transposed() {
        to_c_order(&npy.shape, width, data, &mut out)?;
    } else {
        out.extend_from_slice(data);
    }
    if npy.descr.order == Order::Big {
        swap_elements(&mut out, width);
    }
    Ok(out)
}

/// Reverses the bytes of each element of `width` bytes.
pub(super) fn swap_elements(bytes: &mut [u8], width: usize) {
    fn swap<const WIDTH: usize>(bytes: &mut [u8]) {
        bytes.as_chunks_mut::<WIDTH>().0.iter_mut().for_each(|element| element.reverse());
    }
    match width {
        2 => swap::<2>(bytes),
        4 => swap::<4>(bytes),
        8 => swap::<8>(bytes),
        _ => {}
    }
}

/// Walks the elements in C order and takes each from its Fortran place. No dimension is zero.
fn to_c_order(shape: &[u64], width: usize, data: &[u8], out: &mut Vec<u8>) -> Result<()> {
    // Per dimension: extent, distance between neighbours in elements, current index.
    let mut axes: Vec<(u64, u64, u64)> = Vec::new();
    axes.try_reserve_exact(shape.len()).map_err(|_| Error::out_of_memory())?;
    let mut stride = 1u64;
    for &extent in shape {
        axes.push((extent, stride, 0));
        stride = stride.saturating_mul(extent);
    }
    let mut place = 0u64;
    for _ in 0..stride {
        let from = usize::try_from(place).unwrap_or(usize::MAX).saturating_mul(width);
        let element = data.get(from..from.saturating_add(width));
        out.extend_from_slice(element.ok_or_else(|| NpyFault::ShortData.error(from as u64))?);
        for (extent, stride, index) in axes.iter_mut().rev() {
            *index += 1;
            place = place.wrapping_add(*stride);
            if *index < *extent {
                break;
            }
            place = place.wrapping_sub(stride.wrapping_mul(*extent));
            *index = 0;
        }
    }
    Ok(())
}
