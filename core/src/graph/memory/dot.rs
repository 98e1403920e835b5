//! The memory map for Graphviz: a table per memory, sorted by address.
#![forbid(unsafe_code)]

use super::svg::Colours;
use super::{FunctionMap, Memory, MemoryMap, PARTITIONS};
use crate::Result;
use crate::graph::palette::PAPER;
use crate::graph::text::{Dot, Grouped, Out, Percent, Xml, cut};
use crate::sink::Sink;

/// Columns of a name.
const NAME: usize = 40;

/// Writes a graph whose nodes are the memories.
pub(super) fn write<S: Sink + ?Sized>(map: &MemoryMap, sink: &mut S) -> Result<()> {
    let mut out = Out::new(sink);
    let colours = Colours::new(map)?;
    let space = if map.note.is_empty() { "" } else { "\\l" };
    out.put(format_args!(
        "graph \"{title}\" {{\n  graph [label=\"{title}\\l{}{space}\", labelloc=t, labeljust=l, rankdir=LR, \
         fontname=\"Helvetica\", bgcolor=\"{PAPER}\"];\n  node [shape=plain, fontname=\"monospace\", fontsize=10];\n",
        Dot(&map.note),
        title = Dot(&map.title),
    ))?;
    for (at, function) in map.functions.iter().enumerate() {
        out.put(format_args!(
            "  subgraph cluster_{at} {{\n  label=\"function {}\"; style=rounded; color=\"#57606a\"; fontname=\"Helvetica\";\n",
            Dot(&function.name)
        ))?;
        for memory in &function.memories {
            self::memory(&mut out, at, memory, &colours)?;
        }
        others(&mut out, at, function)?;
        out.put("  }\n")?;
    }
    out.put("}\n")?;
    out.flush()
}

fn begin<S: Sink + ?Sized>(out: &mut Out<'_, S>, head: &[&str]) -> Result<()> {
    out.put("<tr>")?;
    for cell in head {
        out.put(format_args!("<td align=\"left\"><b>{cell}</b></td>"))?;
    }
    out.put("</tr>\n")
}

fn cell<S: Sink + ?Sized>(out: &mut Out<'_, S>, value: impl core::fmt::Display) -> Result<()> {
    out.put(format_args!("<td align=\"left\">{value}</td>"))
}

fn memory<S: Sink + ?Sized>(out: &mut Out<'_, S>, at: usize, memory: &Memory, colours: &Colours) -> Result<()> {
    let name = memory.kind.name();
    out.put(format_args!(
        "  {name}_{at} [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"3\">\n\
         <tr><td colspan=\"8\" align=\"left\"><b>{name}</b>: {} of {} bytes in use, {}</td></tr>\n",
        Grouped(memory.used_bytes()),
        Grouped(memory.size * PARTITIONS),
        Percent(memory.used_bytes(), memory.size * PARTITIONS)
    ))?;
    begin(out, &["no.", "bytes", "partitions", "name", "dtype", "kind", "bank", "shares bytes with"])?;
    for region in &memory.regions {
        let area = region.area;
        out.put(format_args!("<tr><td bgcolor=\"{}\">{}</td>", colours.of(region.dtype), region.number))?;
        cell(out, format_args!("{:#x} to {:#x}", area.address, area.end().saturating_sub(1)))?;
        cell(out, format_args!("{} to {}", area.base, area.end_partition().saturating_sub(1)))?;
        cell(out, Xml(&cut(&region.name, NAME)?))?;
        cell(out, region.dtype.name())?;
        cell(out, region.kind.name())?;
        cell(out, region.bank)?;
        let mut overlaps = region.overlap_text(8)?;
        if !region.fault.is_empty() {
            overlaps = crate::fallible::format(format_args!("{overlaps} ({})", region.fault))?;
        }
        cell(out, overlaps)?;
        out.put("</tr>\n")?;
    }
    out.put("</table>>];\n")
}

fn others<S: Sink + ?Sized>(out: &mut Out<'_, S>, at: usize, function: &FunctionMap) -> Result<()> {
    if function.others.is_empty() {
        return Ok(());
    }
    out.put(format_args!(
        "  other_{at} [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"3\">\n\
         <tr><td colspan=\"6\" align=\"left\"><b>elsewhere, or not allocated</b></td></tr>\n"
    ))?;
    begin(out, &["memory", "bytes", "size", "name", "dtype", "kind"])?;
    for other in &function.others {
        out.put("<tr>")?;
        cell(out, other.memory.name())?;
        if other.allocated {
            cell(out, format_args!("from {:#x}", other.address))?;
        } else {
            cell(out, "not allocated")?;
        }
        cell(out, Grouped(other.bytes))?;
        cell(out, Xml(&cut(&other.name, NAME)?))?;
        cell(out, other.dtype.name())?;
        cell(out, other.kind.name())?;
        out.put("</tr>\n")?;
    }
    out.put("</table>>];\n")
}
