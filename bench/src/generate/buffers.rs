//! Tensors of the generated program: one set with one location each, in SB, PSUM or DRAM.

use bir_core::Result;
use bir_core::enums::bir::{Dtype, MemoryType, TensorClass, TensorKind};
use bir_core::ir::{Function, MemoryLocation, Place};

/// Partitions of SB and PSUM.
pub const PARTITIONS: u64 = 128;
/// Bytes of a partition of SB that tiles go to, one after another and then from the start again.
const SB_BYTES: u64 = 192 * 1024;
/// Banks of PSUM, of 2 KiB per partition.
const BANKS: u64 = 8;

/// A tensor.
#[derive(Clone, Copy)]
pub struct Buffer<'m> {
    /// Number in order of creation.
    pub id: usize,
    /// Its location.
    pub location: &'m MemoryLocation,
    /// Element type.
    pub dtype: Dtype,
    /// Elements per partition; in DRAM, per row.
    pub columns: u64,
}

/// Makes tensors.
pub struct Buffers<'m> {
    function: &'m Function,
    count: usize,
    sb: u64,
    dram: u64,
    bank: u64,
}

struct Kind {
    kind: TensorKind,
    class: TensorClass,
    memory: MemoryType,
}

impl<'m> Buffers<'m> {
    pub fn new(function: &'m Function) -> Self {
        Buffers { function, count: 0, sb: 0, dram: 0, bank: 0 }
    }

    /// Tensors made so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A tile in SB.
    pub fn sb(&mut self, name: &str, dtype: Dtype, columns: u64) -> Result<Buffer<'m>> {
        let kind = Kind { kind: TensorKind::Internal, class: TensorClass::NeuronLocalTensor, memory: MemoryType::SB };
        let buffer = self.make(name, kind, dtype, PARTITIONS, columns)?;
        let bytes = columns * size(dtype);
        if self.sb + bytes > SB_BYTES {
            self.sb = 0;
        }
        buffer.location.set_addr(self.sb);
        self.sb += bytes;
        Ok(buffer)
    }

    /// A tile in the next bank of PSUM; accumulators are 32 bits wide.
    pub fn psum(&mut self, name: &str, columns: u64) -> Result<Buffer<'m>> {
        let kind = Kind { kind: TensorKind::Internal, class: TensorClass::NeuronPSUMTensor, memory: MemoryType::PSUM };
        let buffer = self.make(name, kind, Dtype::float32, PARTITIONS, columns)?;
        buffer.location.set_bank((self.bank % BANKS).cast_signed());
        buffer.location.set_addr(self.bank % BANKS * 2048);
        self.bank += 1;
        Ok(buffer)
    }

    /// A tensor in DRAM.
    pub fn dram(&mut self, name: &str, kind: TensorKind, rows: u64, columns: u64) -> Result<Buffer<'m>> {
        let kind = Kind { kind, class: TensorClass::NeuronTensor, memory: MemoryType::DRAM };
        self.in_dram(name, kind, rows, columns)
    }

    /// Weights: a constant with its data file.
    pub fn weights(&mut self, name: &str, rows: u64, columns: u64) -> Result<Buffer<'m>> {
        let class = TensorClass::NeuronWeightTensor;
        let kind = Kind { kind: TensorKind::Const, class, memory: MemoryType::DRAM };
        let buffer = self.in_dram(name, kind, rows, columns)?;
        if let Some(set) = buffer.location.set() {
            set.set_file(&format!("{name}.npy"))?;
        }
        Ok(buffer)
    }

    fn in_dram(&mut self, name: &str, kind: Kind, rows: u64, columns: u64) -> Result<Buffer<'m>> {
        let buffer = self.make(name, kind, Dtype::bfloat16, rows, columns)?;
        buffer.location.set_addr(self.dram);
        self.dram += rows * columns * size(Dtype::bfloat16);
        Ok(buffer)
    }

    fn make(&mut self, name: &str, kind: Kind, dtype: Dtype, rows: u64, columns: u64) -> Result<Buffer<'m>> {
        let Kind { kind, class, memory } = kind;
        let set = self.function.add_set(&format!("{name}_set"), kind, dtype, Place::End)?.object;
        set.set_tensor_class(class);
        set.set_tensor_shape(&[rows, columns])?;
        set.set_debug_json(&format!(r#"{{"shape":[{rows},{columns}],"tensor_name":"{name}"}}"#))?;
        let location = set.add_location(name, memory, Place::End)?.object;
        let bytes = columns * size(dtype);
        match memory {
            MemoryType::DRAM => location.set_dims(&[narrow(rows * bytes)])?,
            _ => location.set_dims(&[narrow(rows), narrow(bytes)])?,
        }
        location.set_tensor_id(0);
        location.set_allocated(true);
        self.count += 1;
        Ok(Buffer { id: self.count - 1, location, dtype, columns })
    }
}

/// Bytes of an element of the types that occur here.
fn size(dtype: Dtype) -> u64 {
    if dtype == Dtype::float32 { 4 } else { 2 }
}

/// Dimensions are small by construction.
fn narrow(value: u64) -> u32 {
    u32::try_from(value).expect("a dimension below 4 Gi")
}
