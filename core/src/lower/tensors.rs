//! From tensors to memory locations (`spec/lowering.md` section 3.1).

use super::kernel::Lowering;
use super::layout::{Layout, add, memory_type};
use super::stop::{Field, Step, refuse_with};
use super::table::rule;
use super::wording;
use crate::Result;
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, TensorKind};
use crate::enums::{crosswalk, klr};
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{MemoryLocation, MemoryLocationSet};
use crate::klr::ast;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;

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
