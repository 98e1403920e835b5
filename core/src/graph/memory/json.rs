//! The memory map as data.
#![forbid(unsafe_code)]

use super::{FunctionMap, Memory, MemoryMap, PARTITIONS};
use crate::Result;
use crate::doc::{JsonOut, Output as _, Style};
use crate::graph::json::{number, text};
use crate::sink::Sink;

/// Writes one object, keys sorted.
pub(super) fn write<S: Sink + ?Sized>(map: &MemoryMap, sink: &mut S) -> Result<()> {
    let mut out = JsonOut::new(sink, Style::Pretty);
    out.begin_object()?;
    out.key("functions")?;
    out.begin_array()?;
    for function in &map.functions {
        self::function(&mut out, function)?;
    }
    out.end_array()?;
    text(&mut out, "kind", "memory_map")?;
    text(&mut out, "note", &map.note)?;
    text(&mut out, "title", &map.title)?;
    out.end_object()?;
    out.finish()
}

fn function<S: Sink + ?Sized>(out: &mut JsonOut<'_, S>, function: &FunctionMap) -> Result<()> {
    out.begin_object()?;
    out.key("memories")?;
    out.begin_array()?;
    for memory in &function.memories {
        self::memory(out, memory)?;
    }
    out.end_array()?;
    text(out, "name", &function.name)?;
    out.key("others")?;
    out.begin_array()?;
    for other in &function.others {
        out.begin_object()?;
        number(out, "address", other.address)?;
        out.key("allocated")?;
        out.bool(other.allocated)?;
        number(out, "bytes", other.bytes)?;
        text(out, "dtype", other.dtype.name())?;
        out.key("id")?;
        out.i64(other.id.into())?;
        text(out, "kind", other.kind.name())?;
        text(out, "memory", other.memory.name())?;
        text(out, "name", &other.name)?;
        text(out, "set", &other.set)?;
        text(out, "shape", &other.shape)?;
        out.end_object()?;
    }
    out.end_array()?;
    text(out, "path", &function.path)?;
    out.end_object()
}

fn memory<S: Sink + ?Sized>(out: &mut JsonOut<'_, S>, memory: &Memory) -> Result<()> {
    out.begin_object()?;
    number(out, "bytes_per_partition", memory.size)?;
    number(out, "location_count", memory.count)?;
    out.key("locations")?;
    out.begin_array()?;
    for region in &memory.regions {
        out.begin_object()?;
        number(out, "address", region.area.address)?;
        out.key("bank")?;
        out.i64(region.bank)?;
        number(out, "base", region.area.base)?;
        number(out, "bytes", region.area.bytes)?;
        text(out, "dtype", region.dtype.name())?;
        text(out, "fault", region.fault)?;
        out.key("id")?;
        out.i64(region.id.into())?;
        text(out, "kind", region.kind.name())?;
        text(out, "name", &region.name)?;
        number(out, "number", region.number as u64)?;
        number(out, "overlap_count", region.overlap_count as u64)?;
        out.key("overlaps")?;
        out.begin_array()?;
        region.overlaps.iter().try_for_each(|n| out.u64(*n as u64))?;
        out.end_array()?;
        number(out, "partitions", region.area.partitions)?;
        out.key("pinned")?;
        out.bool(region.pinned)?;
        text(out, "set", &region.set)?;
        text(out, "shape", &region.shape)?;
        out.end_object()?;
    }
    out.end_array()?;
    text(out, "memory", memory.kind.name())?;
    number(out, "partitions", PARTITIONS)?;
    number(out, "used_bytes", memory.used_bytes())?;
    out.key("used_per_partition")?;
    out.begin_array()?;
    memory.used.iter().try_for_each(|n| out.u64(*n))?;
    out.end_array()?;
    out.end_object()
}
