//! The lists below the panels: every location in full.
#![forbid(unsafe_code)]

use super::svg::{Colours, MARGIN, ROW, area_style};
use super::{FunctionMap, Memory, Other};
use crate::Result;
use crate::enums::bir::{MemoryType, TensorKind};
use crate::fallible::{append, format, push};
use crate::graph::layout::Rect;
use crate::graph::text::{Count, Grouped, cut};
use crate::graph::xml::{Anchor, Face, Svg};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;

/// Left edge and width of the columns of lists.
const COLUMNS: [(i32, i32); 8] =
    [(44, 40), (90, 190), (290, 110), (410, 150), (570, 80), (660, 160), (830, 110), (950, 318)];

fn row<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, y: i32, face: Face, cells: &[&str]) -> Result<()> {
    for (cell, (x, width)) in cells.iter().zip(COLUMNS) {
        if !cell.is_empty() {
            let room = usize::try_from(width * 10 / 68).unwrap_or_default();
            svg.text((x, y), Anchor::Start, face, &cut(cell, room)?)?;
        }
    }
    Ok(())
}

/// The locations of a memory; moves `y` on.
pub(super) fn list<S: Sink + ?Sized>(
    svg: &mut Svg<'_, S>,
    memory: &Memory,
    colours: &Colours,
    y: &mut i32,
) -> Result<()> {
    if memory.regions.is_empty() {
        return Ok(());
    }
    row(
        svg,
        *y,
        Face::Minor,
        &["no.", "name", "dtype", "kind", "partitions", "bytes", "per partition", "shares bytes with"],
    )?;
    *y += ROW;
    for region in &memory.regions {
        let area = region.area;
        let swatch = Rect { x: MARGIN, y: *y - 10, w: 12, h: 11 };
        let style = area_style(colours.of(region.dtype), region.kind != TensorKind::Internal, region.pinned)?;
        svg.rect(swatch, style, &region.details()?)?;
        let mut last = region.overlap_text(12)?;
        if !region.fault.is_empty() {
            let space = if last.is_empty() { "" } else { "; " };
            append(&mut last, format_args!("{space}{}", region.fault))?;
        }
        row(
            svg,
            *y,
            Face::Plain,
            &[
                &format(region.number)?,
                &region.name,
                region.dtype.name(),
                region.kind.name(),
                &format(format_args!("{} to {}", area.base, area.end_partition().saturating_sub(1)))?,
                &format(format_args!("{:#x} to {:#x}", area.address, area.end().saturating_sub(1)))?,
                &format(Grouped(area.bytes))?,
                &last,
            ],
        )?;
        *y += ROW;
    }
    *y += ROW;
    Ok(())
}

/// What has no place in SB or PSUM, by memory; what is not allocated comes last.
pub(super) fn groups(function: &FunctionMap) -> Result<Vec<(String, Vec<&Other>)>> {
    let mut groups = Vec::new();
    for waits in [false, true] {
        for memory in MemoryType::MEMBERS {
            let mut members = Vec::new();
            for other in function.others.iter().filter(|o| o.memory == *memory && is_unallocated(o) == waits) {
                push(&mut members, other)?;
            }
            if members.is_empty() {
                continue;
            }
            let bytes: u64 = members.iter().fold(0, |sum, o| sum.saturating_add(o.bytes));
            let state = if waits && *memory != MemoryType::Unallocated { ", not allocated" } else { "" };
            let title = format(format_args!(
                "{}{state}: {}, {} bytes",
                memory.name(),
                Count(members.len() as u64, "location"),
                Grouped(bytes)
            ))?;
            push(&mut groups, (title, members))?;
        }
    }
    Ok(groups)
}

/// Whether a location should have an address and has none.
fn is_unallocated(other: &Other) -> bool {
    match other.memory {
        MemoryType::Unallocated => true,
        MemoryType::SB | MemoryType::PSUM | MemoryType::DRAM => !other.allocated,
        _ => false,
    }
}

/// What has no place in SB or PSUM; moves `y` on.
pub(super) fn others<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, function: &FunctionMap, y: &mut i32) -> Result<()> {
    for (title, members) in groups(function)? {
        svg.text((MARGIN, *y), Anchor::Start, Face::Head, &title)?;
        *y += ROW;
        row(svg, *y, Face::Minor, &["", "name", "dtype", "kind", "", "address", "bytes", "shape"])?;
        *y += ROW;
        for other in members {
            let address = if other.allocated { format(format_args!("{:#x}", other.address))? } else { String::new() };
            let bytes = format(Grouped(other.bytes))?;
            let cells = ["", &other.name, other.dtype.name(), other.kind.name(), "", &address, &bytes, &other.shape];
            row(svg, *y, Face::Plain, &cells)?;
            *y += ROW;
        }
        *y += ROW;
    }
    Ok(())
}
