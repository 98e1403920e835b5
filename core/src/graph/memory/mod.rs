//! Where each location lies, because an allocator's work is judged by its map.
//!
//! SB has 128 partitions of 196,608 bytes, PSUM 128 of 16,384 in 8 banks of 2,048 (`spec/klr.md` section 4). A location is a
//! rectangle there: from its first partition `base`, as many as `dims[0]`; from its byte `addr`, as many as `dims[1]`
//! (`spec/bir-json.md` section 7). In PSUM `addr` counts from the start of `bank` (`spec/lowering.md` section 3.1); an `addr`
//! that lies beyond one bank counts from the start of PSUM. More than two dims: all but the first multiply; a single one
//! is bytes of one partition.
//!
//! Locations may share bytes: they are then used at different times, or are meant to.
#![forbid(unsafe_code)]

mod dot;
mod json;
mod lists;
mod svg;
#[cfg(test)]
mod tests;
mod usage;

use super::GraphOptions;
use super::select::Chosen;
use super::text::{Count, Grouped, joined};
use super::{Format, select::block_path};
use crate::Result;
use crate::enums::bir::{Dtype, MemoryType, TensorKind};
use crate::fallible::{append, format, push};
use crate::ir::{
    BasicBlock, BasicBlockHolder, Function, Instruction, MemoryLocation, ModuleRef, OperandList, function_path,
};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;

pub use usage::Area;

/// Partitions of SB and PSUM.
pub const PARTITIONS: u64 = 128;
/// Bytes of a partition of SB.
pub const SB_BYTES: u64 = 196_608;
/// Bytes of a partition of PSUM.
pub const PSUM_BYTES: u64 = 16_384;
/// Bytes of a partition in one bank of PSUM.
pub const BANK_BYTES: u64 = 2_048;

/// Overlaps that are listed by number; more are counted.
const MAX_OVERLAPS: usize = 256;

/// The map of a module, or of the part that was asked for.
#[derive(Clone, Debug)]
pub struct MemoryMap {
    /// What it shows, in one line.
    pub title: String,
    /// What is left out, in one line; empty if nothing is.
    pub note: String,
    /// The functions, in order: each has the memory for itself while it runs.
    pub functions: Vec<FunctionMap>,
}

/// The memory of one function.
#[derive(Clone, Debug)]
pub struct FunctionMap {
    /// Name.
    pub name: String,
    /// Path in a document.
    pub path: String,
    /// SB and PSUM.
    pub memories: [Memory; 2],
    /// What is elsewhere, or nowhere yet, in the order of the document.
    pub others: Vec<Other>,
}

/// SB or PSUM.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Which one.
    pub kind: MemoryType,
    /// Bytes of a partition.
    pub size: u64,
    /// The locations that are shown, by address, first partition and order in the document.
    pub regions: Vec<Region>,
    /// Locations in it, those left out included.
    pub count: u64,
    /// Bytes in use of each partition, each counted once, those of locations left out included.
    pub used: Vec<u64>,
}

impl Memory {
    /// Bytes in use of all partitions.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.used.iter().sum()
    }
}

/// A location in SB or PSUM.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its number in the picture of the function, from 1.
    pub number: usize,
    /// Name.
    pub name: String,
    /// Name of its set.
    pub set: String,
    /// Unique id.
    pub id: i32,
    /// Partitions and bytes.
    pub area: Area,
    /// `bank` as the document has it.
    pub bank: i64,
    /// Tensor kind.
    pub kind: TensorKind,
    /// Element type.
    pub dtype: Dtype,
    /// Shape of the tensor, like `128 x 512`.
    pub shape: String,
    /// Whether it may not be moved.
    pub pinned: bool,
    /// What is wrong with its place; empty if nothing is.
    pub fault: &'static str,
    /// Numbers of shown regions that share bytes with it, 256 at most.
    pub overlaps: Vec<usize>,
    /// How many shown regions share bytes with it.
    pub overlap_count: usize,
}

/// A location that has no place in SB or PSUM.
#[derive(Clone, Debug)]
pub struct Other {
    /// Name.
    pub name: String,
    /// Name of its set.
    pub set: String,
    /// Unique id.
    pub id: i32,
    /// Memory type.
    pub memory: MemoryType,
    /// Whether it has an address.
    pub allocated: bool,
    /// Byte address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Tensor kind.
    pub kind: TensorKind,
    /// Element type.
    pub dtype: Dtype,
    /// Shape of the tensor.
    pub shape: String,
}

/// Writes the memory map of a module.
///
/// # Errors
/// As [`write_graph`](super::write_graph).
pub fn write_memory<S: Sink + ?Sized>(
    module: &ModuleRef,
    sink: &mut S,
    format: Format,
    options: &GraphOptions<'_>,
) -> Result<()> {
    let map = memory_of(module, options)?;
    match format {
        Format::Svg => svg::write(&map, sink),
        Format::Dot => dot::write(&map, sink),
        Format::Json => json::write(&map, sink),
    }
}

/// The memory map of a module. With a block, only locations that its operands use, or whose sets they use.
///
/// # Errors
/// As [`write_graph`](super::write_graph), but for the sink's.
pub fn memory_of(module: &ModuleRef, options: &GraphOptions<'_>) -> Result<MemoryMap> {
    options.check()?;
    let mut map = MemoryMap { title: String::new(), note: String::new(), functions: Vec::new() };
    let mut left = Left { locations: options.max_nodes, omitted: 0, functions: 0 };
    match Chosen::new(module, options)? {
        Chosen::Module => {
            let count = module.functions().chain(module.nki_functions()).count() as u64;
            match module.functions().next() {
                Some(only) if count == 1 => append(&mut map.title, format_args!("Memory of function {}", only.name()))?,
                _ => append(&mut map.title, format_args!("Memory of {}", Count(count, "function")))?,
            }
            for function in module.functions().chain(module.nki_functions()) {
                add(&mut map, function, None, &mut left)?;
            }
        }
        Chosen::Function(function) => {
            append(&mut map.title, format_args!("Memory of function {}", function.name()))?;
            add(&mut map, function, None, &mut left)?;
        }
        Chosen::Block(block) => {
            append(&mut map.title, format_args!("Memory of block {} ({})", block.name(), block_path(block)))?;
            if let Some(function) = block.function() {
                add(&mut map, function, Some(&used_by(block)?), &mut left)?;
            }
        }
    }
    if left.omitted > 0 {
        append(
            &mut map.note,
            format_args!("{} are not drawn, only counted: the smallest ones.", Count(left.omitted, "location")),
        )?;
    }
    if left.functions > 0 {
        let space = if map.note.is_empty() { "" } else { " " };
        append(&mut map.note, format_args!("{space}{} are not shown.", Count(left.functions, "further function")))?;
    }
    Ok(map)
}

/// What may still be drawn, and what was not.
struct Left {
    locations: usize,
    omitted: u64,
    functions: u64,
}

fn add(map: &mut MemoryMap, function: &Function, only: Option<&[i32]>, left: &mut Left) -> Result<()> {
    if left.locations == 0 {
        left.functions = left.functions.saturating_add(1);
        return Ok(());
    }
    let shown = |l: &&MemoryLocation| only.is_none_or(|only| only.binary_search(&l.unique_id()).is_ok());
    let mut regions: [Vec<Region>; 2] = [Vec::new(), Vec::new()];
    let mut others = Vec::new();
    for location in function.sets().flat_map(|s| s.locations()).filter(shown) {
        match (location.memory_type()?, location.is_allocated()) {
            (MemoryType::SB, true) => push(&mut regions[0], region(location, SB_BYTES)?)?,
            (MemoryType::PSUM, true) => push(&mut regions[1], region(location, PSUM_BYTES)?)?,
            _ if others.len() < left.locations => push(&mut others, other(location)?)?,
            _ => left.omitted = left.omitted.saturating_add(1),
        }
    }
    left.locations = left.locations.saturating_sub(others.len());
    let [sb, psum] = regions;
    let mut number = 1;
    let memories = [
        memory(MemoryType::SB, SB_BYTES, sb, left, &mut number)?,
        memory(MemoryType::PSUM, PSUM_BYTES, psum, left, &mut number)?,
    ];
    let (name, path) = (format(function.name())?, function_path(function));
    push(&mut map.functions, FunctionMap { name, path, memories, others })
}

/// Locations that operands in a block use, by id.
fn used_by(block: &BasicBlock) -> Result<Vec<i32>> {
    let mut ids = Vec::new();
    let mut note = |instruction: &Instruction| {
        for operand in OperandList::ALL.into_iter().flat_map(|l| instruction.operands(l)) {
            if let Some(location) = operand.memory_location() {
                push(&mut ids, location.unique_id())?;
            } else if let Some(set) = operand.memory_location_set() {
                set.locations().try_for_each(|l| push(&mut ids, l.unique_id()))?;
            }
        }
        Ok(())
    };
    for instruction in block.instructions() {
        note(instruction)?;
        instruction.block_holder().into_iter().flat_map(BasicBlockHolder::instructions).try_for_each(&mut note)?;
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn shape(location: &MemoryLocation) -> Result<String> {
    match location.set() {
        Some(set) => joined(set.tensor_shape(), " x "),
        None => Ok(String::new()),
    }
}

/// Set name, tensor kind and element type.
fn of_set(location: &MemoryLocation) -> Result<(String, TensorKind, Dtype)> {
    let set = location.set();
    let name = set.map(|s| format(s.name())).transpose()?.unwrap_or_default();
    let kind = set.map_or(Ok(TensorKind::Internal), |s| s.kind())?;
    Ok((name, kind, set.map_or(Ok(Dtype::DEFAULT), |s| s.dtype())?))
}

fn region(location: &MemoryLocation, size: u64) -> Result<Region> {
    let mut dims = location.dims().map(u64::from);
    let first = dims.next().unwrap_or_default();
    let rest = dims.next().map(|second| dims.fold(second, u64::saturating_mul));
    let (partitions, bytes) = rest.map_or((1, first), |bytes| (first, bytes));
    let (bank, mut address) = (location.bank(), location.addr());
    let mut fault = "";
    if size == PSUM_BYTES {
        let of_bank = u64::try_from(bank).unwrap_or_default().saturating_mul(BANK_BYTES);
        if address < BANK_BYTES {
            address = address.saturating_add(of_bank);
        } else if bank != 0 && address / BANK_BYTES != of_bank / BANK_BYTES {
            fault = "bank and address contradict each other";
        }
    }
    let area = Area { base: location.base_partition().into(), partitions, address, bytes };
    if area.end_partition() > PARTITIONS || area.end() > size {
        fault = "reaches beyond the end";
    }
    let (set, kind, dtype) = of_set(location)?;
    Ok(Region {
        number: 0,
        name: format(location.name())?,
        set,
        id: location.unique_id(),
        area,
        bank,
        kind,
        dtype,
        shape: shape(location)?,
        pinned: location.is_pinned(),
        fault,
        overlaps: Vec::new(),
        overlap_count: 0,
    })
}

fn other(location: &MemoryLocation) -> Result<Other> {
    let (set, kind, dtype) = of_set(location)?;
    Ok(Other {
        name: format(location.name())?,
        set,
        id: location.unique_id(),
        memory: location.memory_type()?,
        allocated: location.is_allocated(),
        address: location.addr(),
        bytes: location.byte_size(),
        kind,
        dtype,
        shape: shape(location)?,
    })
}

fn memory(
    kind: MemoryType,
    size: u64,
    mut regions: Vec<Region>,
    left: &mut Left,
    number: &mut usize,
) -> Result<Memory> {
    let mut areas = Vec::new();
    for region in &regions {
        push(&mut areas, region.area)?;
    }
    let count = regions.len() as u64;
    let used = usage::used(&mut areas, PARTITIONS, size)?;
    if regions.len() > left.locations {
        // The largest stay. Sorting keeps the order of equal ones only if it is part of the key; ids follow it.
        regions.sort_unstable_by_key(|r| (core::cmp::Reverse(r.area.size()), r.id));
        left.omitted = left.omitted.saturating_add((regions.len() - left.locations) as u64);
        regions.truncate(left.locations);
    }
    left.locations -= regions.len();
    regions.sort_unstable_by_key(|r| (r.area.address, r.area.base, r.id));
    for region in &mut regions {
        region.number = *number;
        *number += 1;
    }
    for at in 0..regions.len() {
        let (before, rest) = regions.split_at_mut(at);
        let Some(region) = rest.first_mut() else { continue };
        let area = region.area;
        for earlier in before.iter_mut().filter(|e| e.area.overlaps(&area)) {
            earlier.shares_with(region.number)?;
            region.shares_with(earlier.number)?;
        }
    }
    Ok(Memory { kind, size, regions, count, used })
}

impl Region {
    fn shares_with(&mut self, number: usize) -> Result<()> {
        self.overlap_count = self.overlap_count.saturating_add(1);
        if self.overlaps.len() < MAX_OVERLAPS { push(&mut self.overlaps, number) } else { Ok(()) }
    }

    /// The first numbers of what shares bytes with it, and how many more there are.
    pub(super) fn overlap_text(&self, limit: usize) -> Result<String> {
        let mut text = joined(self.overlaps.iter().take(limit), ", ")?;
        if self.overlap_count > limit {
            append(&mut text, format_args!(" and {} more", self.overlap_count - limit))?;
        }
        Ok(text)
    }

    /// Everything about it, several lines.
    pub(super) fn details(&self) -> Result<String> {
        let Area { base, partitions, address, bytes } = self.area;
        let mut out = format(format_args!(
            "{} {} ({}), id {}\n{} {} [{}]\npartitions {base} to {}\nbytes {address:#x} to {:#x}, {} per partition",
            self.number,
            self.name,
            self.set,
            self.id,
            self.kind.name(),
            self.dtype.name(),
            self.shape,
            self.area.end_partition().saturating_sub(1),
            self.area.end().saturating_sub(1),
            Grouped(bytes),
        ))?;
        append(&mut out, format_args!("\n{} bytes in {}", Grouped(self.area.size()), Count(partitions, "partition")))?;
        if self.bank != 0 {
            append(&mut out, format_args!("\nbank {}", self.bank))?;
        }
        if self.pinned {
            append(&mut out, "\npinned")?;
        }
        if !self.overlaps.is_empty() {
            append(&mut out, format_args!("\nshares bytes with {}", self.overlap_text(40)?))?;
        }
        if !self.fault.is_empty() {
            append(&mut out, format_args!("\n{}", self.fault))?;
        }
        Ok(out)
    }
}
