//! Where everything is drawn: a column per engine, rows by what must come first.
//!
//! A node gets the row behind the last node of its column and behind everything it waits for, so the rows are the longest
//! path through program order and edges. Heads, loops and collapsed blocks have a row to themselves, and what follows a
//! block comes below all of it; so boxes never overlap. The DMA blocks of a queue come right below what starts them.
//! Between columns and rows lies the room that [`route`](super::route) needs for the edges. All numbers are pixels.
#![forbid(unsafe_code)]

use super::model::{ClusterKind, Graph, Lane, Node, NodeKind};
use super::route::{Routes, route};
use super::rows::rows;
use super::text::columns;
use crate::Result;
use crate::fallible::{format, push};
use alloc::vec::Vec;

/// Width of a character of 11 pixels in tenths: more than any usual fixed-width font takes.
const CHARACTER: i32 = 68;
/// From one line of text to the next.
pub(super) const LINE_HEIGHT: i32 = 14;
/// Room around the text in a box.
pub(super) const PADDING: i32 = 6;
/// Distance of the outermost box from the border.
pub(super) const MARGIN: i32 = 20;
/// How much further in an inner box begins.
const INSET: i32 = 6;
/// Boxes nested deeper are drawn at the same place.
const MAX_INSET: i32 = 10;
/// Height of the line with the names of the columns.
const LANE_HEAD: i32 = 22;
/// It is repeated after so many rows.
const HEAD_EVERY: usize = 16;

/// The width of a text in boxes.
pub(super) fn text_width(text: &str) -> i32 {
    width_of(columns(text))
}

fn width_of(columns: usize) -> i32 {
    let columns = i32::try_from(columns.min(100_000)).unwrap_or(0);
    (columns * CHARACTER + 9) / 10
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub x: i32,
    pub y: i32,
    pub w: i32,
    pub h: i32,
}

/// The drawing.
pub(super) struct Layout {
    pub nodes: Vec<Rect>,
    /// By cluster; empty for one without nodes.
    pub clusters: Vec<Rect>,
    /// Left edge and width of each column.
    pub lanes: Vec<(i32, i32)>,
    /// Where the names of the columns stand.
    pub lane_heads: Vec<i32>,
    /// The corners of each edge.
    pub edges: Vec<Vec<(i32, i32)>>,
    pub width: i32,
    pub height: i32,
}

/// Rows and columns, before sizes are known.
pub(super) struct Grid {
    pub row: Vec<usize>,
    pub rows: usize,
    pub columns: usize,
    /// Size of each column and row.
    pub widths: Vec<i32>,
    pub heights: Vec<i32>,
    /// Room at the top of each gap between rows, for the ends of boxes, and at its bottom, for their beginnings.
    pub gap_top: Vec<i32>,
    pub gap_bottom: Vec<i32>,
    /// The rows above which the names of the columns stand.
    pub heads: Vec<bool>,
    /// The node below each node in its column; `u32::MAX` for none.
    pub below: Vec<u32>,
    /// Where the first gutter begins: inside of all boxes.
    pub left: i32,
    /// The depth of the innermost box.
    pub depth: i32,
}

/// A list of one value so many times.
pub(super) fn filled<T: Copy>(value: T, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    for _ in 0..count {
        push(&mut list, value)?;
    }
    Ok(list)
}

/// Lays a graph out from `top` on downwards.
pub(super) fn layout(graph: &Graph, top: i32) -> Result<Layout> {
    let row = rows(graph)?;
    let grid = measure(graph, row)?;
    let Routes { edges, lane_x, row_y, width, height } = route(graph, &grid, top)?;
    let mut nodes = Vec::new();
    for (node, &row) in graph.nodes.iter().zip(&grid.row) {
        let lane = node.lane as usize;
        push(&mut nodes, Rect { x: lane_x[lane], y: row_y[row], w: grid.widths[lane], h: node_height(node) })?;
    }
    let mut lanes = Vec::new();
    for (x, w) in lane_x.iter().zip(&grid.widths) {
        push(&mut lanes, (*x, *w))?;
    }
    let mut lane_heads = Vec::new();
    for (row, _) in grid.heads.iter().enumerate().filter(|(_, head)| **head) {
        push(&mut lane_heads, row_y[row] - grid.gap_bottom[row] + 15)?;
    }
    // The boxes of functions end where the gutter before the first queue does.
    let engines = graph.lanes.iter().filter(|l| !matches!(l, Lane::Queue(_) | Lane::Queues)).count();
    let right = lane_x.get(engines).map_or(width - MARGIN, |x| x - 10);
    let clusters = clusters(graph, &nodes, &grid, right)?;
    Ok(Layout { nodes, clusters, lanes, lane_heads, edges, width, height })
}

pub(super) fn node_height(node: &Node) -> i32 {
    let lines = i32::try_from(node.lines.len().min(1000)).unwrap_or(0);
    (lines + 1) * LINE_HEIGHT + PADDING
}

/// Sizes of columns and rows.
fn measure(graph: &Graph, row: Vec<usize>) -> Result<Grid> {
    let rows = row.iter().max().map_or(0, |r| r + 1);
    let lanes = graph.lanes.len();
    let mut widths = filled(60, lanes)?;
    for (width, lane) in widths.iter_mut().zip(&graph.lanes) {
        *width = (*width).max(text_width(&format(lane)?).min(200) + 2 * PADDING);
    }
    let mut heights = filled(0, rows)?;
    let mut last: Vec<Option<usize>> = filled(None, lanes)?;
    let mut below = filled(u32::MAX, graph.nodes.len())?;
    let mut order = Vec::new();
    for (at, row) in row.iter().enumerate() {
        push(&mut order, (*row, at))?;
    }
    order.sort_unstable();
    for (row, at) in order {
        let Some(node) = graph.nodes.get(at) else { continue };
        let lane = node.lane as usize;
        for line in core::iter::once(&node.name).chain(&node.lines) {
            let width = width_of(columns(line).min(super::describe::LINE)) + 2 * PADDING;
            widths[lane] = widths[lane].max(width);
        }
        heights[row] = heights[row].max(node_height(node));
        if let Some(previous) = last[lane].replace(at) {
            below[previous] = super::index32(at)?;
        }
    }
    let mut gap_top = filled(0, rows + 1)?;
    let mut gap_bottom = filled(0, rows + 1)?;
    let depths = depths(graph)?;
    for (extent, depth) in extents(graph, &row)?.into_iter().zip(&depths) {
        if let Some((first, last)) = extent
            && *depth <= MAX_INSET
        {
            gap_bottom[first] += INSET;
            gap_top[last + 1] += INSET;
        }
    }
    let heads = heads(graph, &row, rows)?;
    for (room, head) in gap_bottom.iter_mut().zip(&heads) {
        *room += if *head { LANE_HEAD } else { 0 };
    }
    let depth = depths.iter().copied().max().unwrap_or(0).min(MAX_INSET);
    let left = MARGIN + INSET * (depth + 1);
    Ok(Grid { row, rows, columns: lanes, widths, heights, gap_top, gap_bottom, heads, below, left, depth })
}

/// The rows above which the names of the columns stand: the first, those where a function begins, and some in between.
fn heads(graph: &Graph, row: &[usize], rows: usize) -> Result<Vec<bool>> {
    let mut heads = filled(false, rows)?;
    for (node, row) in graph.nodes.iter().zip(row) {
        if matches!(node.kind, NodeKind::Function | NodeKind::CollapsedFunction) {
            heads[*row] = true;
        }
    }
    let mut since = HEAD_EVERY;
    for at in 0..rows {
        let soon = heads[at + 1..].iter().take(HEAD_EVERY / 2).any(|head| *head);
        heads[at] |= at == 0 || since >= HEAD_EVERY && !soon;
        since = if heads[at] { 1 } else { since + 1 };
    }
    Ok(heads)
}

/// How many boxes are around each cluster, up to one more than is drawn.
fn depths(graph: &Graph) -> Result<Vec<i32>> {
    let mut depths: Vec<i32> = Vec::new();
    for cluster in &graph.clusters {
        let outer = cluster.parent.and_then(|p| depths.get(p as usize)).copied();
        push(&mut depths, outer.map_or(0, |d| (d + 1).min(MAX_INSET + 1)))?;
    }
    Ok(depths)
}

/// First and last row of each cluster; `None` for one without nodes.
fn extents(graph: &Graph, row: &[usize]) -> Result<Vec<Option<(usize, usize)>>> {
    let mut spans: Vec<Option<(usize, usize)>> = filled(None, graph.clusters.len())?;
    let widen = |span: &mut Option<(usize, usize)>, first: usize, last: usize| {
        *span = Some(span.map_or((first, last), |(f, l)| (f.min(first), l.max(last))));
    };
    for (node, &row) in graph.nodes.iter().zip(row) {
        if let Some(span) = node.cluster.and_then(|c| spans.get_mut(c as usize)) {
            widen(span, row, row);
        }
    }
    // Inner clusters have larger numbers.
    for at in (0..spans.len()).rev() {
        let parent = graph.clusters.get(at).and_then(|c| c.parent);
        if let (Some((first, last)), Some(parent)) = (spans[at], parent)
            && let Some(span) = spans.get_mut(parent as usize)
        {
            widen(span, first, last);
        }
    }
    Ok(spans)
}

/// The boxes: functions and blocks around all engine columns, DMA blocks around their nodes only.
fn clusters(graph: &Graph, nodes: &[Rect], grid: &Grid, right: i32) -> Result<Vec<Rect>> {
    let depths = depths(graph)?;
    // Top, bottom, left and right of what is inside.
    let mut hulls: Vec<Option<[i32; 4]>> = filled(None, graph.clusters.len())?;
    let widen = |hull: Option<&mut Option<[i32; 4]>>, [t, b, l, r]: [i32; 4]| {
        if let Some(hull) = hull {
            *hull = Some(hull.map_or([t, b, l, r], |[a, c, d, e]| [a.min(t), c.max(b), d.min(l), e.max(r)]));
        }
    };
    for (node, rect) in graph.nodes.iter().zip(nodes) {
        let hull = node.cluster.and_then(|c| hulls.get_mut(c as usize));
        widen(hull, [rect.y, rect.y + rect.h, rect.x, rect.x + rect.w]);
    }
    let mut boxes = filled(Rect::default(), graph.clusters.len())?;
    // Inner clusters have larger numbers.
    for (at, cluster) in graph.clusters.iter().enumerate().rev() {
        let Some([t, b, l, r]) = hulls[at] else { continue };
        let inset = INSET * depths[at].min(MAX_INSET);
        let room = if depths[at] <= MAX_INSET { INSET } else { 0 };
        let (t, b) = (t - room, b + room);
        let (x, right) = match cluster.kind {
            ClusterKind::DmaBlock => (l - 5, r + 5),
            _ => (grid.left - (INSET * (1 + MAX_INSET.min(grid.depth))) + inset, right - inset),
        };
        boxes[at] = Rect { x, y: t, w: right - x, h: b - t };
        widen(cluster.parent.and_then(|p| hulls.get_mut(p as usize)), [t, b, l, r]);
    }
    Ok(boxes)
}
