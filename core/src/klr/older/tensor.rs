//! A tensor of the older form, and where it lies.

use super::reader::{Reader, member};
use crate::Result;
use crate::doc::Input;
use crate::enums::klr;
use crate::error::ErrorCode;
use crate::fallible::push;
use alloc::string::String;
use alloc::vec::Vec;

/// A tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: klr::Dtype,
    /// The size of the partition dimension.
    pub partitions: u64,
    /// The sizes of the other dimensions.
    pub free_dims: Vec<u64>,
    /// Where it lies: its region, the region in which that lies, and so on; at least one.
    pub regions: Vec<Region>,
}

/// A memory, by the names of that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// `hbm`.
    Hbm,
    /// `sbuf`.
    Sbuf,
    /// `pmem`, later psum.
    Psum,
    /// `reg`.
    Registers,
}

/// A piece of a memory, placed within another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The memory.
    pub memory: Memory,
    /// Partitions.
    pub partitions: u64,
    /// Bytes per partition.
    pub bytes: u64,
    /// The first partition, from that of the region around it.
    pub partition_offset: Option<u64>,
    /// Bytes from the start of the region around it.
    pub free_offset: Option<u64>,
}

impl Tensor {
    pub(super) fn read<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Self> {
        let (mut name, mut dtype, mut shape, mut address) = (None, None, None, None);
        r.object(|r, key| match key {
            "name" => member(r, "name", &mut name, Reader::text),
            "dtype" => member(r, "dtype", &mut dtype, Reader::member::<klr::Dtype>),
            "shape" => member(r, "shape", &mut shape, shape_of),
            "address" => member(r, "address", &mut address, |r| {
                let mut regions = Vec::new();
                address_of(r, &mut regions)?;
                Ok(regions)
            }),
            _ => Err(r.unknown_key(key)),
        })?;
        let (partitions, free_dims) = r.required("shape", shape)?;
        Ok(Tensor {
            name: r.required("name", name)?,
            dtype: r.required("dtype", dtype)?,
            partitions,
            free_dims,
            regions: r.required("address", address)?,
        })
    }

    /// Elements per partition; `None` beyond 64 bits.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        self.free_dims.iter().try_fold(1_u64, |product, n| product.checked_mul(*n))
    }
}

fn shape_of<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<(u64, Vec<u64>)> {
    let (mut par_dim, mut free_dims) = (None, None);
    r.object(|r, key| match key {
        "parDim" => member(r, "parDim", &mut par_dim, Reader::nat),
        "freeDims" => member(r, "freeDims", &mut free_dims, |r| r.list(Reader::nat)),
        _ => Err(r.unknown_key(key)),
    })?;
    Ok((r.required("parDim", par_dim)?, r.required("freeDims", free_dims)?))
}

/// Reads an address and what it lies in; the nesting is bounded by that of the document.
fn address_of<'a, I: Input<'a>>(r: &mut Reader<I>, regions: &mut Vec<Region>) -> Result<()> {
    let (mut memory, mut size, mut partition, mut free, mut parent) = (None, None, None, None, None);
    let mut around = Vec::new();
    r.object(|r, key| match key {
        "memory" => member(r, "memory", &mut memory, memory_of),
        "size" => member(r, "size", &mut size, |r| r.pair(Reader::nat, Reader::nat)),
        "partitionOffset" => member(r, "partitionOffset", &mut partition, |r| r.option(Reader::nat)),
        "freeOffset" => member(r, "freeOffset", &mut free, |r| r.option(Reader::nat)),
        "parent" => member(r, "parent", &mut parent, |r| r.option(|r| address_of(r, &mut around))),
        _ => Err(r.unknown_key(key)),
    })?;
    r.required("parent", parent)?;
    let (partitions, bytes) = r.required("size", size)?;
    push(
        regions,
        Region {
            memory: r.required("memory", memory)?,
            partitions,
            bytes,
            partition_offset: r.required("partitionOffset", partition)?,
            free_offset: r.required("freeOffset", free)?,
        },
    )?;
    for region in around {
        push(regions, region)?;
    }
    Ok(())
}

fn memory_of<'a, I: Input<'a>>(r: &mut Reader<I>) -> Result<Memory> {
    let known = [("hbm", Memory::Hbm), ("sbuf", Memory::Sbuf), ("pmem", Memory::Psum), ("reg", Memory::Registers)];
    let name = r.peeked_text()?;
    match known.iter().find(|(known, _)| *known == name) {
        Some((_, memory)) => r.skip().map(|()| *memory),
        None => {
            let error = r.error(ErrorCode::UnknownEnum, "there is no such memory");
            Err(error.expected_found("hbm, sbuf, pmem or reg", name))
        }
    }
}
