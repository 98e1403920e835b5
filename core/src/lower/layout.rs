//! What the memory location of a tensor is like: sizes and address (`spec/lowering.md` section 3.1).

use crate::Result;
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, TensorKind};
use crate::enums::klr;
use crate::error::bail;
use crate::ir::{Function, MemoryLocation, MemoryLocationSet, Place};

/// Bytes of a PSUM bank, per partition (`spec/klr.md` section 4).
const PSUM_BANK_BYTES: u64 = 2048;

/// The memory type of a KLR memory; registers have none.
pub(super) const fn memory_type(memory: klr::Memory) -> Option<MemoryType> {
    match memory {
        klr::Memory::hbm | klr::Memory::shared_hbm | klr::Memory::private_hbm => Some(MemoryType::DRAM),
        klr::Memory::sbuf => Some(MemoryType::SB),
        klr::Memory::psum => Some(MemoryType::PSUM),
        klr::Memory::reg => None,
    }
}

/// Bank and address of an offset into a PSUM partition.
pub(super) const fn psum_place(offset: u64) -> (u64, u64) {
    (offset / PSUM_BANK_BYTES, offset % PSUM_BANK_BYTES)
}

/// What a location is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    pub memory: MemoryType,
    pub dtype: Dtype,
    pub rows: u64,
    pub elements: u64,
    pub shape: &'a [u64],
    pub first_row: Option<u64>,
    pub offset: Option<u64>,
    pub space: MemoryAddressSpace,
}

impl Layout<'_> {
    /// The dims: rows, and bytes of a row; `None` beyond 32 bits.
    pub fn dims(&self) -> Option<[u32; 2]> {
        let bytes = self.elements.checked_mul(u64::from(self.dtype.container_bytes()))?;
        Some([u32::try_from(self.rows).ok()?, u32::try_from(bytes).ok()?])
    }

    /// Whether size and address fit the members of a location.
    pub fn fits(&self) -> bool {
        self.dims().is_some() && u32::try_from(self.first_row.unwrap_or(0)).is_ok()
    }

    /// Gives a location its size and address, which must fit.
    pub fn apply(&self, set: &MemoryLocationSet, location: &MemoryLocation) -> Result<()> {
        let (Some(dims), Ok(first_row)) = (self.dims(), u32::try_from(self.first_row.unwrap_or(0))) else {
            bail!(Internal, "the layout of a tensor was not checked");
        };
        set.set_dtype(self.dtype);
        set.set_addr_space(self.space);
        set.set_tensor_shape(self.shape)?;
        set.set_partition_dim(0);
        location.set_memory_type(self.memory)?;
        location.set_dims(&dims)?;
        location.set_base_partition(first_row);
        let (bank, address) = match self.memory {
            MemoryType::PSUM => psum_place(self.offset.unwrap_or(0)),
            _ => (0, self.offset.unwrap_or(0)),
        };
        // At most u64::MAX / 2048.
        location.set_bank(bank.cast_signed());
        location.set_addr(address);
        location.set_allocated(self.first_row.is_some() && self.offset.is_some());
        Ok(())
    }
}

/// A new set `<name>_set` with one location of that name.
pub(super) fn add<'m>(
    function: &'m Function,
    name: &str,
    kind: TensorKind,
    dtype: Dtype,
    memory: MemoryType,
) -> Result<(&'m MemoryLocationSet, &'m MemoryLocation)> {
    let set_name = crate::fallible::format(format_args!("{name}_set"))?;
    let set = function.add_set(&set_name, kind, dtype, Place::End)?.object;
    Ok((set, set.add_location(name, memory, Place::End)?.object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psum_offsets_split_into_bank_and_address() {
        assert_eq!(psum_place(0), (0, 0));
        assert_eq!(psum_place(2047), (0, 2047));
        assert_eq!(psum_place(2048), (1, 0));
        assert_eq!(psum_place(7 * 2048 + 64), (7, 64));
    }

    #[test]
    fn memories() {
        assert_eq!(memory_type(klr::Memory::private_hbm), Some(MemoryType::DRAM));
        assert_eq!(memory_type(klr::Memory::sbuf), Some(MemoryType::SB));
        assert_eq!(memory_type(klr::Memory::psum), Some(MemoryType::PSUM));
        assert_eq!(memory_type(klr::Memory::reg), None);
    }

    #[test]
    fn dims_are_rows_and_bytes() {
        let layout = |rows, elements, dtype| Layout {
            memory: MemoryType::SB,
            dtype,
            rows,
            elements,
            shape: &[],
            first_row: None,
            offset: None,
            space: MemoryAddressSpace::Local,
        };
        assert_eq!(layout(128, 512, Dtype::float32).dims(), Some([128, 2048]));
        assert_eq!(layout(4, 10, Dtype::bfloat16).dims(), Some([4, 20]));
        assert_eq!(layout(4, 1 << 30, Dtype::float32).dims(), None);
        assert_eq!(layout(1, u64::MAX, Dtype::uint8).dims(), None);
        assert_eq!(layout(1 << 32, 1, Dtype::uint8).dims(), None);
    }
}
