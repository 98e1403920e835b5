//! The graph as SVG.
#![forbid(unsafe_code)]

use super::describe::LINE;
use super::layout::{LINE_HEIGHT, Layout, MARGIN, PADDING, Rect, layout, text_width};
use super::model::{ClusterKind, Graph, Link, NodeKind};
use super::palette::{self, LINES};
use super::text::{Grouped, cut, wrapped};
use super::xml::{Anchor, Face, Svg};
use crate::Result;
use crate::fallible::{append, format, push};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;

/// No picture is narrower: the title has to fit.
const MIN_WIDTH: i32 = 480;
/// Radius of the corners of edges.
const RADIUS: i32 = 4;

/// Writes the picture.
pub(super) fn write<S: Sink + ?Sized>(graph: &Graph, sink: &mut S) -> Result<()> {
    // The head's height depends on the picture's width, and only on that.
    let width = layout(graph, 0)?.width.max(MIN_WIDTH);
    let head = Head::new(graph, width)?;
    let layout = layout(graph, head.bottom)?;
    let mut svg = Svg::begin(sink, width, layout.height, &graph.title)?;
    head.write(&mut svg)?;
    boxes(&mut svg, graph, &layout)?;
    edges(&mut svg, graph, &layout)?;
    nodes(&mut svg, graph, &layout)?;
    heads(&mut svg, graph, &layout)?;
    svg.end()
}

/// Title, note and legend.
struct Head {
    title: String,
    note: Vec<String>,
    /// Style, text and place of each entry of the legend.
    legend: Vec<(usize, String, (i32, i32))>,
    bottom: i32,
}

/// Length of the sample of a line in the legend.
const SAMPLE: i32 = 30;

impl Head {
    fn new(graph: &Graph, width: i32) -> Result<Self> {
        // A title's character is 15 / 11 of a usual one.
        let room = |per_mille: i32| usize::try_from((width - 2 * MARGIN) * 1000 / per_mille).unwrap_or_default();
        let title = cut(&graph.title, room(9300))?;
        let note = if graph.note.is_empty() { Vec::new() } else { wrapped(&graph.note, room(6800))? };
        let mut y = MARGIN + 24 + LINE_HEIGHT * i32::try_from(note.len()).unwrap_or_default();
        let mut counts = [0u64; LINES.len()];
        for edge in &graph.edges {
            let count = &mut counts[palette::line(edge.relation)];
            *count = count.saturating_add(edge.count);
        }
        let mut legend = Vec::new();
        let mut x = MARGIN;
        for (at, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            let text = format(format_args!("{} {}", LINES[at].name, Grouped(count)))?;
            let entry = SAMPLE + 6 + text_width(&text) + 20;
            if x > MARGIN && x + entry > width - MARGIN {
                (x, y) = (MARGIN, y + LINE_HEIGHT + 4);
            }
            push(&mut legend, (at, text, (x, y)))?;
            x += entry;
        }
        let bottom = if legend.is_empty() { y - 8 } else { y + 8 };
        Ok(Head { title, note, legend, bottom })
    }

    fn write<S: Sink + ?Sized>(&self, svg: &mut Svg<'_, S>) -> Result<()> {
        svg.text((MARGIN, MARGIN + 4), Anchor::Start, Face::Title, &self.title)?;
        let mut y = MARGIN + 20;
        for line in &self.note {
            svg.text((MARGIN, y), Anchor::Start, Face::Plain, line)?;
            y += LINE_HEIGHT;
        }
        for (at, text, (x, y)) in &self.legend {
            let line = &LINES[*at];
            let attributes = format(format_args!("class=\"e\" stroke=\"{}\"{}", line.colour, dashes(line.dashes)?))?;
            svg.line((*x, y - 4), (x + SAMPLE, y - 4), &attributes)?;
            arrow(svg, (x + SAMPLE, y - 4), (1, 0), line.colour)?;
            svg.text((x + SAMPLE + 6, *y), Anchor::Start, Face::Plain, text)?;
        }
        Ok(())
    }
}

fn dashes(dashes: &str) -> Result<String> {
    if dashes.is_empty() { Ok(String::new()) } else { format(format_args!(" stroke-dasharray=\"{dashes}\"")) }
}

/// Boxes of functions and blocks, and the columns behind them.
fn boxes<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, graph: &Graph, layout: &Layout) -> Result<()> {
    for (cluster, rect) in graph.clusters.iter().zip(&layout.clusters) {
        if rect.w <= 0 || cluster.kind == ClusterKind::DmaBlock {
            continue;
        }
        let (fill, stroke) = match cluster.kind {
            ClusterKind::Function => ("#fbfcfd", "#8c959f"),
            _ => ("#f6f8fa", "#afb8c1"),
        };
        let tooltip = format(format_args!("{} {}", cluster.kind.name(), cluster.name))?;
        svg.rect(*rect, format_args!("rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\""), &tooltip)?;
    }
    // A rail down each column: program order.
    for (at, (lane, (x, w))) in graph.lanes.iter().zip(&layout.lanes).enumerate() {
        let own = |n: &&super::model::Node| n.lane as usize == at;
        let colour = palette::lane(lane).stroke;
        let rects = || graph.nodes.iter().zip(&layout.nodes).filter(|(n, _)| own(n)).map(|(_, r)| r);
        let (top, bottom) = (rects().map(|r| r.y).min(), rects().map(|r| r.y + r.h).max());
        if let (Some(top), Some(bottom)) = (top, bottom) {
            let band = Rect { x: x - 3, y: top - 3, w: w + 6, h: bottom - top + 6 };
            svg.rect(band, format_args!("rx=\"4\" fill=\"{colour}\" fill-opacity=\"0.05\""), "")?;
        }
    }
    for (cluster, rect) in graph.clusters.iter().zip(&layout.clusters) {
        if cluster.kind == ClusterKind::DmaBlock && rect.w > 0 {
            let tooltip = format(format_args!("{} {}", cluster.kind.name(), cluster.name))?;
            svg.rect(*rect, "rx=\"5\" fill=\"#ffffff\" stroke=\"#0072b2\" stroke-dasharray=\"3 2\"", &tooltip)?;
        }
    }
    Ok(())
}

/// The names of the columns, over everything else.
fn heads<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, graph: &Graph, layout: &Layout) -> Result<()> {
    for (lane, (x, w)) in graph.lanes.iter().zip(&layout.lanes) {
        // A character of a heading takes 7.5 pixels.
        let name = cut(&format(lane)?, usize::try_from(w * 10 / 75).unwrap_or_default())?;
        for y in &layout.lane_heads {
            svg.text((x + w / 2, *y), Anchor::Middle, Face::Head, &name)?;
        }
    }
    Ok(())
}

/// An edge's tooltip, in all formats.
pub(super) fn edge_text(graph: &Graph, edge: &Link) -> Result<String> {
    let name = |at: u32| graph.nodes.get(at as usize).map_or("", |n| n.name.as_str());
    let mut text = format(format_args!("{} \u{2192} {}: {}", name(edge.from), name(edge.to), edge.relation))?;
    if edge.count > 1 {
        append(&mut text, format_args!(", {} times", Grouped(edge.count)))?;
    }
    Ok(text)
}

fn edges<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, graph: &Graph, layout: &Layout) -> Result<()> {
    for (edge, corners) in graph.edges.iter().zip(&layout.edges) {
        let line = &LINES[palette::line(edge.relation)];
        let path = path(corners)?;
        // Every ten-fold makes it wider.
        let wide = edge.count.checked_ilog10().unwrap_or(0).min(6);
        let width =
            if wide > 0 { format(format_args!(" style=\"stroke-width: {}\"", 1 + wide))? } else { String::new() };
        svg.out.put(format_args!(
            "<path class=\"e\" d=\"{path}\" stroke=\"{}\"{}{width}><title>{}</title></path>\n",
            line.colour,
            dashes(line.dashes)?,
            super::text::Xml(&edge_text(graph, edge)?)
        ))?;
    }
    // All arrowheads above all lines.
    for (edge, corners) in graph.edges.iter().zip(&layout.edges) {
        if let Some(tip) = corners.last() {
            arrow(svg, *tip, (0, 1), LINES[palette::line(edge.relation)].colour)?;
        }
    }
    Ok(())
}

fn arrow<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, (x, y): (i32, i32), (dx, dy): (i32, i32), colour: &str) -> Result<()> {
    let (back, side) = ((x - 6 * dx, y - 6 * dy), (3 * dy, 3 * dx));
    svg.out.put(format_args!(
        "<path d=\"M{x} {y}L{} {}L{} {}z\" fill=\"{colour}\"/>\n",
        back.0 + side.0,
        back.1 + side.1,
        back.0 - side.0,
        back.1 - side.1
    ))
}

/// A line with round corners: so a turn is told from a crossing.
fn path(corners: &[(i32, i32)]) -> Result<String> {
    let mut path = String::new();
    for (at, &(x, y)) in corners.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|b| corners.get(b));
        match (before, corners.get(at + 1)) {
            (None, _) => append(&mut path, format_args!("M{x} {y}"))?,
            (Some(_), None) => append(&mut path, format_args!("L{x} {y}"))?,
            (Some(&(bx, by)), Some(&(ax, ay))) => {
                let towards = |tx: i32, ty: i32| {
                    let radius = RADIUS.min((tx - x).abs().max((ty - y).abs()) / 2);
                    (x + (tx - x).signum() * radius, y + (ty - y).signum() * radius)
                };
                let ((px, py), (qx, qy)) = (towards(bx, by), towards(ax, ay));
                append(&mut path, format_args!("L{px} {py}Q{x} {y} {qx} {qy}"))?;
            }
        }
    }
    Ok(path)
}

fn nodes<S: Sink + ?Sized>(svg: &mut Svg<'_, S>, graph: &Graph, layout: &Layout) -> Result<()> {
    for (node, rect) in graph.nodes.iter().zip(&layout.nodes) {
        let fill = graph
            .lanes
            .get(node.lane as usize)
            .map_or_else(|| palette::lane(&super::model::Lane::Control), palette::lane);
        let (round, wide) = match node.kind {
            NodeKind::Instruction => (3, 1),
            NodeKind::Structured => (10, 1),
            kind if kind.is_collapsed() => (3, 3),
            _ => (10, 1),
        };
        let attributes = format(format_args!(
            "class=\"b\" rx=\"{round}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{wide}\"",
            fill.fill, fill.stroke
        ))?;
        svg.rect(*rect, &attributes, &node.details)?;
        let mut y = rect.y + LINE_HEIGHT - 1;
        svg.text((rect.x + PADDING, y), Anchor::Start, Face::Name, &cut(&node.name, LINE)?)?;
        for (at, line) in node.lines.iter().enumerate() {
            y += LINE_HEIGHT;
            let face = if at == 0 { Face::Plain } else { Face::Minor };
            svg.text((rect.x + PADDING, y), Anchor::Start, face, &cut(line, LINE)?)?;
        }
    }
    Ok(())
}
