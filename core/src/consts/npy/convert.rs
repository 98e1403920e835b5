//! The device takes little-endian data in C order; this makes it from files that are neither.
#![forbid(unsafe_code)]

use super::Npy;
use super::descr::Order;
use super::fault::NpyFault;
use crate::error::{Error, Result};
use alloc::vec::Vec;

pub(super) fn convert(npy: &Npy, file: &[u8]) -> Result<Vec<u8>> {
    let data = npy.data(file).ok_or_else(|| NpyFault::ShortData.error(file.len()))?;
    let mut out = Vec::new();
    out.try_reserve_exact(data.len()).map_err(|_| Error::out_of_memory())?;
    let width = npy.descr.width as usize;
    if npy.fortran_order && npy.shape.len() > 1 && !data.is_empty() {
        to_c_order(&npy.shape, width, data, &mut out)?;
    } else {
        out.extend_from_slice(data);
    }
    if npy.descr.order == Order::Big {
        out.chunks_exact_mut(width.max(1)).for_each(<[u8]>::reverse);
    }
    Ok(out)
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
        out.extend_from_slice(element.ok_or_else(|| NpyFault::ShortData.error(from))?);
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
