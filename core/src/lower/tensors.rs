//! From tensors to memory locations (`spec/lowering.md` section 3.1).

use super::kernel::Lowering;
use super::stop::{Field, Step, refuse_with};
use super::table::rule;
use super::wording;
use crate::Result;
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, TensorKind};
use crate::enums::{crosswalk, klr};
use crate::error::bail;
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{Function, MemoryLocation, MemoryLocationSet, Place};
use crate::klr::ast;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Bytes of a PSUM bank, per partition (`spec/klr.md` section 4).
const PSUM_BANK_BYTES: u64 = 2048;
/// Bytes of an SB partition.
pub(super) const SB_BYTES: u64 = 0x30000;

/// A tensor of the kernel in the function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensor<'m> {
    pub location: &'m MemoryLocation,
    pub dtype: Dtype,
    /// Rows: partitions.
    pub rows: i64,
    /// Elements per row.
    pub elements: i64,
    pub memory: MemoryType,
}

/// What is known of a name.
struct Entry<'m, 'k> {
    tensor: Tensor<'m>,
    /// The first definition; `None` for a tensor given as an address, or a constant that nothing has referred to yet.
    first: Option<&'k ast::TensorName<'k>>,
    /// A constant whose type and shape are not known yet.
    pending: Option<&'m MemoryLocationSet>,
}

/// The tensors of a function, by name.
pub(super) struct Tensors<'m, 'k> {
    entries: HashMap<&'k str, Entry<'m, 'k>, FixedState>,
    /// The end of the highest SB tensor with an address, in bytes from the start of a partition; `None` without one.
    pub sb_end: Option<u64>,
}

impl Tensors<'_, '_> {
    pub fn new() -> Self {
        Tensors { entries: HashMap::with_hasher(fixed_state()), sb_end: None }
    }
}

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
    fn dims(&self) -> Option<[u32; 2]> {
        let bytes = self.elements.checked_mul(u64::from(self.dtype.container_bytes()))?;
        Some([u32::try_from(self.rows).ok()?, u32::try_from(bytes).ok()?])
    }

    /// Whether size and address fit the members of a location.
    fn fits(&self) -> bool {
        self.dims().is_some() && u32::try_from(self.first_row.unwrap_or(0)).is_ok()
    }

    /// Gives a location its size and address, which must fit.
    fn apply(&self, set: &MemoryLocationSet, location: &MemoryLocation) -> Result<()> {
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
fn add<'m>(
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

impl<'m, 'k> Lowering<'m, 'k> {
    /// The tensor of a KLR name, made if the function has none.
    pub fn tensor(&mut self, klr: &'k ast::TensorName<'k>, field: Field) -> Step<Tensor<'m>> {
        self.tensor_of_kind(klr, TensorKind::Internal, field)
    }

    /// As [`Lowering::tensor`]; a new one gets this kind.
    pub fn tensor_of_kind(&mut self, klr: &'k ast::TensorName<'k>, kind: TensorKind, field: Field) -> Step<Tensor<'m>> {
        let mut pending = None;
        if let Some(entry) = self.tensors.entries.get(klr.name) {
            match (entry.first, entry.pending) {
                // A tensor that is spelled out again is the one from before, so this is nearly always the case.
                (Some(first), _) if core::ptr::eq(first, klr) => return Ok(entry.tensor),
                (_, Some(set)) => pending = Some((set, entry.tensor.location)),
                (first, None) => {
                    let tensor = entry.tensor;
                    return self.check_again(klr, first, tensor, field);
                }
            }
        }
        let Some(memory) = memory_type(klr.address.memory) else {
            return refuse_with(&wording::TENSOR_MEMORY, field, klr.name);
        };
        let Ok(dtype) = crosswalk::translate_dtype(klr.dtype.ordinal().cast_unsigned()) else {
            return super::stop::refuse(&rule::DTYPE, field);
        };
        let mut shape = Vec::new();
        push(&mut shape, klr.shape.par_dim)?;
        for dim in klr.shape.free_dims {
            push(&mut shape, *dim)?;
        }
        let shared = klr.address.memory == klr::Memory::shared_hbm || klr.address.is_shared;
        let layout = Layout {
            memory,
            dtype,
            rows: klr.shape.par_dim,
            elements: klr.free_elements,
            shape: &shape,
            first_row: klr.address.par_offset,
            offset: klr.address.free_offset,
            space: if shared { MemoryAddressSpace::Shared } else { MemoryAddressSpace::Local },
        };
        if !layout.fits() {
            return refuse_with(&wording::TENSOR_SIZE, field, klr.name);
        }
        let (set, location) = match pending {
            Some(made) => made,
            None => add(self.function, klr.name, kind, dtype, memory)?,
        };
        let tensor = self.place(set, location, &layout)?;
        self.enter(klr.name, Entry { tensor, first: Some(klr), pending: None })?;
        Ok(tensor)
    }

    /// Gives a location its layout, which must fit.
    fn place(
        &mut self,
        set: &'m MemoryLocationSet,
        location: &'m MemoryLocation,
        layout: &Layout<'_>,
    ) -> Result<Tensor<'m>> {
        layout.apply(set, location)?;
        if let (MemoryType::SB, Some(offset), Some([_, bytes])) = (layout.memory, layout.offset, layout.dims()) {
            let end = offset.saturating_add(bytes.into());
            self.tensors.sb_end = Some(self.tensors.sb_end.unwrap_or(0).max(end));
        }
        // Both fit 32 bits, since the dims do.
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        Ok(Tensor {
            location,
            dtype: layout.dtype,
            rows: number(layout.rows),
            elements: number(layout.elements),
            memory: layout.memory,
        })
    }

    fn enter(&mut self, name: &'k str, entry: Entry<'m, 'k>) -> Result<()> {
        self.tensors.entries.try_reserve(1).map_err(|_| crate::Error::out_of_memory())?;
        self.tensors.entries.insert(name, entry);
        Ok(())
    }

    /// A name that is known already: the definition must be the same.
    fn check_again(
        &mut self,
        klr: &'k ast::TensorName<'k>,
        first: Option<&'k ast::TensorName<'k>>,
        tensor: Tensor<'m>,
        field: Field,
    ) -> Step<Tensor<'m>> {
        let same = match first {
            Some(first) => {
                first.dtype == klr.dtype && first.shape == klr.shape && first.free_elements == klr.free_elements
            }
            None => {
                let dtype = crosswalk::translate_dtype(klr.dtype.ordinal().cast_unsigned());
                let numbers = (i64::try_from(klr.shape.par_dim), i64::try_from(klr.free_elements));
                dtype == Ok(tensor.dtype) && numbers == (Ok(tensor.rows), Ok(tensor.elements))
            }
        };
        if !same {
            return refuse_with(&wording::TENSOR_CONFLICT, field, klr.name);
        }
        if first.is_some_and(|first| first.address != klr.address) {
            self.warn(&wording::TENSOR_ADDRESS, field, klr.name)?;
        }
        Ok(tensor)
    }

    /// A tensor given as name and address in DRAM.
    pub fn hbm_tensor(&mut self, hbm: &'k ast::TensorHbm<'k>, field: Field) -> Step<Tensor<'m>> {
        let Ok(dtype) = crosswalk::translate_dtype(hbm.dtype.ordinal().cast_unsigned()) else {
            return super::stop::refuse(&rule::DTYPE, field);
        };
        if let Some(entry) = self.tensors.entries.get(hbm.name).filter(|e| e.pending.is_none()) {
            let tensor = entry.tensor;
            if tensor.dtype != dtype || tensor.memory != MemoryType::DRAM {
                return refuse_with(&wording::TENSOR_CONFLICT, field, hbm.name);
            }
            return Ok(tensor);
        }
        let rows = hbm.dims.first().map_or(1, |pair| pair.num);
        let elements = hbm.dims.iter().skip(1).try_fold(1_u64, |product, pair| product.checked_mul(pair.num));
        let mut shape = Vec::new();
        for pair in hbm.dims {
            push(&mut shape, pair.num)?;
        }
        let layout = Layout {
            memory: MemoryType::DRAM,
            dtype,
            rows,
            elements: elements.unwrap_or(u64::MAX),
            shape: &shape,
            first_row: Some(0),
            offset: Some(hbm.address),
            space: MemoryAddressSpace::Local,
        };
        if !layout.fits() {
            return refuse_with(&wording::TENSOR_SIZE, field, hbm.name);
        }
        let pending = self.tensors.entries.get(hbm.name).and_then(|e| Some((e.pending?, e.tensor.location)));
        let (set, location) = match pending {
            Some(made) => made,
            None => add(self.function, hbm.name, TensorKind::Internal, dtype, MemoryType::DRAM)?,
        };
        let tensor = self.place(set, location, &layout)?;
        self.enter(hbm.name, Entry { tensor, first: None, pending: None })?;
        Ok(tensor)
    }

    /// A shared constant: a set of kind Const with its file. Type and shape come with the first reference.
    pub fn constant(&mut self, constant: &'k ast::SharedConstantFile<'k>, field: Field) -> Step<()> {
        if self.tensors.entries.contains_key(constant.name) {
            return refuse_with(&wording::CONSTANT_CONFLICT, field, constant.name);
        }
        let (dtype, memory) = (Dtype::uint8, MemoryType::DRAM);
        let (set, location) = add(self.function, constant.name, TensorKind::Const, dtype, memory)?;
        set.set_file(constant.file_name)?;
        let tensor = Tensor { location, dtype, rows: 0, elements: 0, memory };
        self.enter(constant.name, Entry { tensor, first: None, pending: Some(set) })?;
        Ok(())
    }

    /// A tensor of the compiler's own in SB, not placed yet; names of the kernel do not lead to it.
    pub fn made_tensor(&mut self, name: &str, dtype: Dtype, elements: u64) -> Result<Tensor<'m>> {
        const ROWS: u64 = 128;
        let (set, location) = add(self.function, name, TensorKind::Internal, dtype, MemoryType::SB)?;
        let layout = Layout {
            memory: MemoryType::SB,
            dtype,
            rows: ROWS,
            elements,
            shape: &[ROWS, elements],
            first_row: None,
            offset: None,
            space: MemoryAddressSpace::Local,
        };
        // 128 rows of at most 128 elements always fit.
        layout.apply(set, location)?;
        let elements = i64::try_from(elements).unwrap_or(i64::MAX);
        Ok(Tensor { location, dtype, rows: 128, elements, memory: MemoryType::SB })
    }

    /// The name of the tensor that a reference is to, for names of instructions.
    pub fn reference_name(reference: &ast::TensorRef<'k>) -> &'k str {
        match reference {
            ast::TensorRef::Abstract(access) => match access {
                ast::Access::Simple(tensor) => tensor.name,
                ast::Access::Basic(basic) => basic.tensor.name,
                ast::Access::Pattern(pattern) => pattern.tensor.name,
                ast::Access::BirPattern(pattern) => pattern.tensor.name,
            },
            ast::TensorRef::Sbuf(sram) | ast::TensorRef::Psum(sram) => sram.name,
            ast::TensorRef::Hbm(hbm) => hbm.name,
            ast::TensorRef::Register(_) => "",
        }
    }
}

/// `<name>` of a tensor that the compiler makes.
pub(super) fn made_name(name: &str, suffix: impl core::fmt::Display) -> Result<String> {
    crate::fallible::format(format_args!("COMPILER-GENERATED-{name}{suffix}"))
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
