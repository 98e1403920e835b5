//! From the tensors of the older form to memory locations.

use super::super::layout::psum_place;
use super::super::stop::{Field, Step, refuse, refuse_with};
use super::super::table::rule;
use super::super::wording;
use super::Older;
use crate::Result;
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, TensorClass, TensorKind};
use crate::enums::crosswalk;
use crate::fallible::push;
use crate::ir::raw::state::{FixedState, fixed_state};
use crate::ir::{MemoryLocation, Place};
use crate::klr::older::{Memory, Tensor};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// The tensors of the function, by name.
pub(super) struct Tensors<'m, 'k>(HashMap<&'k str, Known<'m, 'k>, FixedState>);

/// A tensor of the function.
#[derive(Clone, Copy)]
pub(super) struct Known<'m, 'k> {
    pub location: &'m MemoryLocation,
    pub dtype: Dtype,
    /// Its first definition.
    first: &'k Tensor,
}

impl Tensors<'_, '_> {
    pub fn new() -> Self {
        Tensors(HashMap::with_hasher(fixed_state()))
    }
}

/// Where a tensor lies, with the offsets of all regions added up.
struct Address {
    partition: u64,
    bytes: u64,
    /// Every region that lies in another one has both offsets, and there is one.
    allocated: bool,
}

impl Address {
    /// `None` if a sum is beyond 64 bits.
    fn of(tensor: &Tensor) -> Option<Address> {
        let mut address = Address { partition: 0, bytes: 0, allocated: false };
        for (index, region) in tensor.regions.iter().enumerate() {
            let is_memory = index > 0 && index + 1 == tensor.regions.len();
            match (region.partition_offset, region.free_offset) {
                // A whole memory lies nowhere.
                (None, None) if is_memory => {}
                (Some(partition), Some(bytes)) => {
                    address.allocated |= index == 0;
                    address.partition = address.partition.checked_add(partition)?;
                    address.bytes = address.bytes.checked_add(bytes)?;
                }
                (partition, bytes) => {
                    address.partition = address.partition.checked_add(partition.unwrap_or(0))?;
                    address.bytes = address.bytes.checked_add(bytes.unwrap_or(0))?;
                    return Some(Address { allocated: false, ..address });
                }
            }
        }
        Some(address)
    }
}

fn memory_type(tensor: &Tensor) -> MemoryType {
    match tensor.regions.first().map(|region| region.memory) {
        None | Some(Memory::Hbm) => MemoryType::DRAM,
        Some(Memory::Sbuf) => MemoryType::SB,
        Some(Memory::Psum) => MemoryType::PSUM,
        Some(Memory::Registers) => MemoryType::REG,
    }
}

impl<'m, 'k> Older<'m, 'k> {
    /// Inputs, then outputs that are no inputs. An input that is also an output is written by the kernel: it counts as output,
    /// in its place among the inputs.
    pub fn arguments(&mut self) -> Result<()> {
        let kernel = self.kernel;
        for (index, input) in kernel.inputs.iter().enumerate() {
            let returned = kernel.outputs.iter().any(|output| output.name == input.name);
            let kind = if returned { TensorKind::Output } else { TensorKind::Input };
            let step = self.tensor(input, kind, Field::at("inputs", index)).map(drop);
            self.note(step)?;
        }
        for (index, output) in kernel.outputs.iter().enumerate() {
            let step = self.tensor(output, TensorKind::Output, Field::at("outputs", index)).map(drop);
            self.note(step)?;
        }
        Ok(())
    }

    /// The tensor of that name, made with this kind if there is none.
    pub fn tensor(&mut self, tensor: &'k Tensor, kind: TensorKind, field: Field) -> Step<Known<'m, 'k>> {
        if let Some(known) = self.tensors.0.get(tensor.name.as_str()).copied() {
            let first = known.first;
            if (first.dtype, first.partitions, &first.free_dims) != (tensor.dtype, tensor.partitions, &tensor.free_dims)
            {
                return refuse_with(&wording::TENSOR_CONFLICT, field, &tensor.name);
            }
            if first.regions != tensor.regions {
                self.warn(&wording::TENSOR_ADDRESS, field, &tensor.name)?;
            }
            return Ok(known);
        }
        let Ok(dtype) = crosswalk::translate_dtype(tensor.dtype.ordinal().cast_unsigned()) else {
            return refuse(&rule::DTYPE, field);
        };
        let bytes = tensor.elements().and_then(|n| n.checked_mul(dtype.container_bytes().into()));
        let dims = (u32::try_from(tensor.partitions).ok()).zip(bytes.and_then(|bytes| u32::try_from(bytes).ok()));
        let address = Address::of(tensor).and_then(|address| Some((u32::try_from(address.partition).ok()?, address)));
        let (Some((partitions, bytes)), Some((base, address))) = (dims, address) else {
            return refuse_with(&wording::TENSOR_SIZE, field, &tensor.name);
        };
        let location = self.add_location(tensor, kind, dtype, [partitions, bytes])?;
        location.set_base_partition(base);
        let (bank, addr) = match memory_type(tensor) {
            MemoryType::PSUM => psum_place(address.bytes),
            _ => (0, address.bytes),
        };
        location.set_bank(bank.cast_signed());
        location.set_addr(addr);
        location.set_allocated(address.allocated);
        let known = Known { location, dtype, first: tensor };
        self.tensors.0.try_reserve(1).map_err(|_| crate::Error::out_of_memory())?;
        self.tensors.0.insert(&tensor.name, known);
        Ok(known)
    }

    /// A set with one location, as the documents of that time describe them.
    fn add_location(
        &self,
        tensor: &Tensor,
        kind: TensorKind,
        dtype: Dtype,
        dims: [u32; 2],
    ) -> Result<&'m MemoryLocation> {
        let memory = match kind {
            TensorKind::Input => MemoryType::Input,
            TensorKind::Output => MemoryType::Output,
            _ => memory_type(tensor),
        };
        let mut shape = Vec::new();
        push(&mut shape, tensor.partitions)?;
        for dim in &tensor.free_dims {
            push(&mut shape, *dim)?;
        }
        let name = crate::fallible::format(format_args!("{}_set", tensor.name))?;
        let set = self.function.add_set(&name, kind, dtype, Place::End)?.object;
        set.set_addr_space(MemoryAddressSpace::Shared);
        set.set_tensor_shape(&shape)?;
        set.set_partition_dim(0);
        set.set_tensor_class(match memory {
            MemoryType::SB => TensorClass::NeuronSBTensor,
            MemoryType::PSUM => TensorClass::NeuronPSUMTensor,
            _ => TensorClass::Tensor,
        });
        let location = set.add_location(&tensor.name, memory, Place::End)?.object;
        location.set_tensor_id(0);
        location.set_dims(&dims)?;
        Ok(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::klr;
    use crate::klr::older::Region;

    fn placed(offsets: &[(Option<u64>, Option<u64>)]) -> Option<(u64, u64, bool)> {
        let region = |(partition_offset, free_offset): &(Option<u64>, Option<u64>)| Region {
            memory: Memory::Sbuf,
            partitions: 32,
            bytes: 256,
            partition_offset: *partition_offset,
            free_offset: *free_offset,
        };
        let regions = offsets.iter().map(region).collect();
        let tensor =
            Tensor { name: "t".into(), dtype: klr::Dtype::float32, partitions: 1, free_dims: std::vec![1], regions };
        Address::of(&tensor).map(|a| (a.partition, a.bytes, a.allocated))
    }

    #[test]
    fn offsets_of_regions_within_regions_add_up() {
        let whole = (None, None);
        assert_eq!(placed(&[whole]), Some((0, 0, false)));
        assert_eq!(placed(&[(Some(0), Some(256)), whole]), Some((0, 256, true)));
        assert_eq!(placed(&[(Some(32), Some(256)), (Some(64), Some(512)), whole]), Some((96, 768, true)));
        // A piece of something that has no place yet.
        assert_eq!(placed(&[(Some(0), Some(4)), whole, whole]), Some((0, 4, false)));
        assert_eq!(placed(&[(Some(0), None), whole]), Some((0, 0, false)));
        assert_eq!(placed(&[(Some(u64::MAX), Some(0)), (Some(1), Some(0)), whole]), None);
        assert_eq!(placed(&[]), Some((0, 0, false)));
    }
}
