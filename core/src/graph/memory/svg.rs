//! The memory map as SVG: a panel per memory, bytes to the right, partitions downwards, and lists of everything below.
//!
//! Areas are translucent, so shared bytes are darker. Labels are put where there is room; each has its number, and the
//! lists have all of them, so what is too small for a label is still found.
#![forbid(unsafe_code)]

use super::lists::{groups, list, others};
use super::{BANK_BYTES, FunctionMap, Memory, MemoryMap, PARTITIONS, Region, usage};
use crate::Result;
use crate::enums::bir::{Dtype, MemoryType, TensorKind};
use crate::fallible::{format, push};
use crate::graph::layout::{Rect, text_width};
use crate::graph::palette::{AREAS, GREY};
use crate::graph::text::{Count, Grouped, Percent, cut, wrapped};
use crate::graph::xml::{Anchor, Face, Svg};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) const MARGIN: i32 = 20;
/// Left edge and width of the panels; what lies to the left are the numbers of partitions.
const PANEL_X: i32 = 64;
const PANEL_W: i32 = 1024;
/// Pixels of a partition.
const PARTITION_H: i32 = 3;
const PANEL_H: i32 = PARTITION_H * PARTITIONS as i32;
/// Bytes in use of each partition: bars beside the panel.
const BARS_X: i32 = PANEL_X + PANEL_W + 16;
const BARS_W: i32 = 160;
const WIDTH: i32 = BARS_X + BARS_W + MARGIN;
/// Height of a line of a list.
pub(super) const ROW: i32 = 15;
/// The strip that shows the whole memory above a panel that shows a part.
const STRIP_H: i32 = 8;

/// The colour of each element type.
pub(super) struct Colours(Vec<Dtype>);

impl Colours {
    pub(super) fn new(map: &MemoryMap) -> Result<Self> {
        let mut dtypes: Vec<Dtype> = Vec::new();
        let areas = map.functions.iter().flat_map(|f| &f.memories).flat_map(|m| &m.regions).map(|r| r.dtype);
        for dtype in areas {
            // There are few types, so the list is short.
            if let Err(at) = dtypes.binary_search(&dtype) {
                push(&mut dtypes, dtype)?;
                if let Some(end) = dtypes.get_mut(at..) {
                    end.rotate_right(1);
                }
            }
        }
        Ok(Colours(dtypes))
    }

    pub(super) fn of(&self, dtype: Dtype) -> &'static str {
        let at = self.0.binary_search(&dtype).unwrap_or_default();
        AREAS.get(at % AREAS.len()).copied().unwrap_or(GREY)
    }
}

/// Writes the picture.
pub(super) fn write<S: Sink + ?Sized>(map: &MemoryMap, sink: &mut S) -> Result<()> {
    let colours = Colours::new(map)?;
    let note = if map.note.is_empty() { Vec::new() } else { wrapped(&map.note, 170)? };
    let mut height = MARGIN + 20 + ROW * note.len() as i32 + 42;
    for function in &map.functions {
        height += function_height(function)?;
    }
    let mut svg = Svg::begin(sink, WIDTH, height + MARGIN, &map.title)?;
    svg.text((MARGIN, MARGIN + 4), Anchor::Start, Face::Title, &cut(&map.title, 120)?)?;
    let mut y = MARGIN + 20;
    for line in &note {
        svg.text((MARGIN, y), Anchor::Start, Face::Plain, line)?;
        y += ROW;
    }
    legend(&mut svg, &colours, y)?;
    y += 42;
    for function in &map.functions {
        svg.text(
            (MARGIN, y),
            Anchor::Start,
            Face::Head,
            &cut(&format(format_args!("function {}", function.name))?, 120)?,
        )?;
        y += 14;
        for memory in &function.memories {
            panel(&mut svg, memory, &colours, y)?;
            y += panel_height(memory);
            list(&mut svg, memory, &colours, &mut y)?;
        }
        others(&mut svg, function, &mut y)?;
        y += 20;
    }
    svg.end()
}

fn function_height(function: &FunctionMap) -> Result<i32> {
    let mut height = 14 + 20;
    for memory in &function.memories {
        height += panel_height(memory);
        if !memory.regions.is_empty() {
            height += ROW * (2 + memory.regions.len() as i32);
        }
    }
    for group in groups(function)? {
        height += ROW * (3 + group.1.len() as i32);
    }
    Ok(height)
}

fn legend<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, colours: &Colours, y: i32) -> Result<()> {
    let mut x = MARGIN;
    for dtype in &colours.0 {
        let width = 18 + text_width(dtype.name()) + 18;
        // Types that find no room on the line are in the lists.
        if x + width > WIDTH - 420 {
            break;
        }
        let swatch = Rect { x, y, w: 12, h: 12 };
        svg.rect(swatch, area_style(colours.of(*dtype), false, false)?, "")?;
        svg.text((x + 18, y + 10), Anchor::Start, Face::Plain, dtype.name())?;
        x += width;
    }
    for (dashed, bold, text) in [(true, false, "not Internal"), (false, true, "pinned")] {
        svg.rect(Rect { x, y, w: 12, h: 12 }, area_style("#8c959f", dashed, bold)?, "")?;
        svg.text((x + 18, y + 10), Anchor::Start, Face::Plain, text)?;
        x += 18 + text_width(text) + 18;
    }
    svg.text((x, y + 10), Anchor::Start, Face::Minor, "darker where locations share bytes")
}

pub(super) fn area_style(colour: &str, dashed: bool, bold: bool) -> Result<String> {
    let dashes = if dashed { " stroke-dasharray=\"4 2\"" } else { "" };
    let width = if bold { 2 } else { 1 };
    format(format_args!(
        "class=\"b\" fill=\"{colour}\" fill-opacity=\"0.45\" stroke=\"#24292f\" stroke-width=\"{width}\"{dashes}"
    ))
}

/// The bytes that a panel shows: all, or the next power of two that holds what is in use, if that is at most half.
fn shown(memory: &Memory) -> u64 {
    let end = memory.regions.iter().map(|r| r.area.end().min(memory.size)).max().unwrap_or(0);
    let room = end.max(1024).next_power_of_two();
    if memory.kind == MemoryType::PSUM || room > memory.size / 2 { memory.size } else { room }
}

fn panel_height(memory: &Memory) -> i32 {
    if memory.count == 0 {
        return 30;
    }
    let strip = if shown(memory) < memory.size { STRIP_H + 18 } else { 0 };
    26 + strip + PANEL_H + 52
}

/// A place on a scale; exact enough, and never beyond its end.
fn scaled(value: u64, size: u64, length: i32) -> i32 {
    let value = u128::from(value.min(size)) * u128::from(length.unsigned_abs());
    i32::try_from(value / u128::from(size.max(1))).unwrap_or(length)
}

/// Bytes as a person says them.
fn bytes_text(bytes: u64) -> Result<String> {
    if bytes > 0 && bytes.is_multiple_of(1024) {
        format(format_args!("{} KiB", bytes / 1024))
    } else {
        format(Grouped(bytes))
    }
}

fn panel<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, memory: &Memory, colours: &Colours, top: i32) -> Result<()> {
    let name = memory.kind.name();
    if memory.count == 0 {
        let text = format(format_args!("{name}: nothing is allocated"))?;
        return svg.text((MARGIN, top + 16), Anchor::Start, Face::Head, &text);
    }
    let (used, all) = (memory.used_bytes(), memory.size * PARTITIONS);
    let text = format(format_args!(
        "{name}: {}, {} of {} bytes in use ({}), {PARTITIONS} partitions of {} bytes",
        Count(memory.count, "location"),
        Grouped(used),
        Grouped(all),
        Percent(used, all),
        Grouped(memory.size)
    ))?;
    svg.text((MARGIN, top + 16), Anchor::Start, Face::Head, &text)?;
    let shown = shown(memory);
    let mut y = top + 26;
    if shown < memory.size {
        strip(svg, memory, shown, y)?;
        y += STRIP_H + 18;
    }
    let frame = Rect { x: PANEL_X, y, w: PANEL_W, h: PANEL_H };
    svg.rect(frame, "fill=\"#fbfcfd\" stroke=\"#57606a\"", "")?;
    axes(svg, memory, shown, frame)?;
    for region in &memory.regions {
        let rect = place(region, shown, frame);
        if rect.w > 0 && rect.h > 0 {
            let style = area_style(colours.of(region.dtype), region.kind != TensorKind::Internal, region.pinned)?;
            svg.rect(rect, style, &region.details()?)?;
        }
    }
    labels(svg, memory, shown, frame)?;
    bars(svg, memory, y)
}

/// The rectangle of a location: never less than a pixel, never outside of the panel.
fn place(region: &Region, shown: u64, frame: Rect) -> Rect {
    let area = region.area;
    let (from, to) = (scaled(area.address, shown, frame.w), scaled(area.end(), shown, frame.w));
    let (top, bottom) = (scaled(area.base, PARTITIONS, frame.h), scaled(area.end_partition(), PARTITIONS, frame.h));
    let outside = area.address >= shown || area.base >= PARTITIONS || area.bytes == 0 || area.partitions == 0;
    if outside {
        return Rect::default();
    }
    let w = (to - from).max(1);
    Rect { x: frame.x + from.min(frame.w - w), y: frame.y + top, w, h: (bottom - top).max(1) }
}

fn axes<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, memory: &Memory, shown: u64, frame: Rect) -> Result<()> {
    for partition in [0, 32, 64, 96, 128] {
        let y = frame.y + PARTITION_H * partition;
        if (1..128).contains(&partition) {
            svg.line((frame.x, y), (frame.x + frame.w, y), "stroke=\"#d0d7de\"")?;
        }
        svg.line((frame.x - 4, y), (frame.x, y), "stroke=\"#57606a\"")?;
        svg.text((frame.x - 7, y + 4), Anchor::End, Face::Minor, &format(partition)?)?;
    }
    let bottom = frame.y + frame.h;
    let steps = if shown.is_power_of_two() { 8 } else { 12 };
    for step in 0..=steps {
        let address = shown * step / steps;
        let x = frame.x + scaled(address, shown, frame.w);
        if step > 0 && step < steps {
            svg.line((x, frame.y), (x, bottom), "stroke=\"#d0d7de\"")?;
        }
        svg.line((x, bottom), (x, bottom + 4), "stroke=\"#57606a\"")?;
        // Beside the last one stands something else.
        let (x, anchor) = if step == steps { (x + 6, Anchor::End) } else { (x, Anchor::Middle) };
        svg.text((x, bottom + 16), anchor, Face::Minor, &format(format_args!("{address:#x}"))?)?;
        svg.text((x, bottom + 29), anchor, Face::Minor, &bytes_text(address)?)?;
    }
    if memory.kind == MemoryType::PSUM {
        for bank in 0..shown / BANK_BYTES {
            let x = frame.x + scaled(bank * BANK_BYTES, shown, frame.w);
            if bank > 0 {
                svg.line((x, frame.y), (x, bottom), "stroke=\"#57606a\" stroke-dasharray=\"5 3\"")?;
            }
            let middle = frame.x + scaled(bank * BANK_BYTES + BANK_BYTES / 2, shown, frame.w);
            let text = format(format_args!("bank {bank}"))?;
            svg.text((middle, bottom + 16), Anchor::Middle, Face::Plain, &text)?;
        }
    }
    Ok(())
}

/// The whole memory as a strip, with the part that the panel shows.
fn strip<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, memory: &Memory, shown: u64, y: i32) -> Result<()> {
    let frame = Rect { x: PANEL_X, y, w: PANEL_W, h: STRIP_H };
    svg.rect(frame, "fill=\"#fbfcfd\" stroke=\"#57606a\"", "all of the memory")?;
    for (from, to) in usage::ranges(memory.regions.iter().map(|r| r.area), memory.size)? {
        let (a, b) = (scaled(from, memory.size, PANEL_W), scaled(to, memory.size, PANEL_W));
        let rect = Rect { x: PANEL_X + a.min(PANEL_W - 1), y, w: (b - a).max(1), h: STRIP_H };
        svg.rect(rect, "fill=\"#8c959f\"", "")?;
    }
    let end = PANEL_X + scaled(shown, memory.size, PANEL_W);
    let lines = "stroke=\"#d55e00\"";
    svg.line((PANEL_X, y + STRIP_H), (PANEL_X, y + STRIP_H + 18), lines)?;
    svg.line((end, y + STRIP_H), (PANEL_X + PANEL_W, y + STRIP_H + 18), lines)?;
    let text = format(format_args!("below: the first {} of {}", bytes_text(shown)?, bytes_text(memory.size)?))?;
    svg.text((PANEL_X + PANEL_W, y - 4), Anchor::End, Face::Minor, &text)
}

/// Puts labels where they collide with no other label: small areas first, since they have the fewest places.
fn labels<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, memory: &Memory, shown: u64, frame: Rect) -> Result<()> {
    const HEIGHT: i32 = 13;
    /// Columns of a label.
    const LABEL: usize = 32;
    let mut order: Vec<(i64, usize)> = Vec::new();
    for (at, region) in memory.regions.iter().enumerate() {
        let rect = place(region, shown, frame);
        push(&mut order, (i64::from(rect.w) * i64::from(rect.h), at))?;
    }
    order.sort_unstable();
    let mut taken: Vec<Rect> = Vec::new();
    for (_, at) in order {
        let Some(region) = memory.regions.get(at) else { continue };
        let rect = place(region, shown, frame);
        let long = format(format_args!("{} {}", region.number, region.name))?;
        let fitting = usize::try_from((rect.w - 4) * 10 / 68).unwrap_or_default().max(8);
        for (text, upwards) in [
            (cut(&long, LABEL)?, false),
            (cut(&long, LABEL)?, true),
            (cut(&long, fitting)?, false),
            (format(region.number)?, false),
        ] {
            let along = text_width(&text);
            let (w, h) = if upwards { (HEIGHT, along) } else { (along, HEIGHT) };
            let inset = ((rect.w - w) / 2).min(3);
            let free = |label: &Rect| taken.iter().all(|t| apart(t, label));
            let (x, y) = (rect.x + inset, rect.y + 1);
            let places = (0..24).map(|i| {
                let (x, y) = if upwards { (x + i * HEIGHT, y + 2) } else { (x, y + i * HEIGHT) };
                Rect { x, y, w, h }
            });
            let inside = |p: &Rect| p.x + p.w <= rect.x + rect.w && p.y + p.h <= rect.y + rect.h;
            let mut places = places.take_while(|p| inset >= 0 && inside(p));
            if let Some(label) = places.find(free) {
                if upwards {
                    svg.upwards((label.x + 11, label.y + label.h), &text)?;
                } else {
                    svg.text((label.x, label.y + 11), Anchor::Start, Face::Label, &text)?;
                }
                push(&mut taken, label)?;
                break;
            }
        }
    }
    Ok(())
}

/// Whether two rectangles share no point.
fn apart(a: &Rect, b: &Rect) -> bool {
    b.x + b.w <= a.x || a.x + a.w <= b.x || b.y + b.h <= a.y || a.y + a.h <= b.y
}

/// Bytes in use of each partition.
fn bars<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, memory: &Memory, top: i32) -> Result<()> {
    let frame = Rect { x: BARS_X, y: top, w: BARS_W, h: PANEL_H };
    svg.rect(frame, "fill=\"#fbfcfd\" stroke=\"#57606a\"", "")?;
    let mut from = 0;
    for run in memory.used.chunk_by(|a, b| a == b) {
        let used = run.first().copied().unwrap_or_default();
        let (first, count) = (from, run.len());
        from += count;
        let h = PARTITION_H * count as i32;
        let rect = Rect { x: frame.x, y: top + PARTITION_H * first as i32, w: scaled(used, memory.size, frame.w), h };
        let last = from.saturating_sub(1);
        let tooltip = format(format_args!(
            "partitions {first} to {last}: {} bytes each, {}",
            Grouped(used),
            Percent(used, memory.size)
        ))?;
        if used > 0 {
            svg.rect(Rect { w: rect.w.max(1), ..rect }, "class=\"b\" fill=\"#8c959f\" stroke=\"#57606a\"", &tooltip)?;
        }
    }
    let most = memory.used.iter().copied().max().unwrap_or(0);
    let least = memory.used.iter().copied().min().unwrap_or(0);
    let bottom = top + PANEL_H;
    svg.text((frame.x, top - 4), Anchor::Start, Face::Minor, "in use by partition")?;
    let line =
        |word: &str, used: u64| format(format_args!("{word} {} ({})", Grouped(used), Percent(used, memory.size)));
    svg.text((frame.x, bottom + 16), Anchor::Start, Face::Minor, &line("most ", most)?)?;
    svg.text((frame.x, bottom + 29), Anchor::Start, Face::Minor, &line("least", least)?)
}
