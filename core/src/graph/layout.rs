//! Where everything is drawn: a column per engine, rows by what must come first.
//!
//! A node gets the row behind the last node of its column and behind everything it waits for, so the rows are the longest
//! path through program order and edges. Heads, loops and collapsed blocks have a row to themselves, and what follows a
//! block comes below all of it; so boxes never overlap. The DMA blocks of a queue come right below what starts them.
//! Between columns and rows lies the room that [`route`](super::route) needs for the edges. All numbers are pixels.
#![forbid(unsafe_code)]

use super::model::{ClusterKind, Graph, Lane, Node, NodeKind, Relation};
use super::route::{Routes, route};
use super::text::columns;
use crate::Result;
use crate::enums::bir::EngineType;
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

/// The row of each node.
fn rows(graph: &Graph) -> Result<Vec<usize>> {
    let mut rows = Rows {
        graph,
        row: filled(usize::MAX, graph.nodes.len())?,
        next: filled(0, graph.lanes.len())?,
        floor: 0,
        end: 0,
    };
    let queues = graph.nodes.iter().position(|n| is_queue(graph, n)).unwrap_or(graph.nodes.len());
    for (at, node) in graph.nodes.iter().enumerate().skip(queues) {
        if matches!(node.kind, NodeKind::Queue | NodeKind::CollapsedQueue) {
            rows.place(at);
        }
    }
    // The head of the first function stands beside those of the queues.
    rows.end = 0;
    // What the nodes that were placed start.
    let mut started = starts(graph)?;
    let mut open: Option<u32> = None;
    for (at, node) in graph.nodes.iter().enumerate().take(queues) {
        if open.is_some_and(|open| !is_within(graph, node.cluster, open)) {
            rows.floor = rows.end;
        }
        open = node.cluster;
        rows.place(at);
        for to in started.from(at) {
            rows.place_group(to as usize);
        }
    }
    for at in queues..graph.nodes.len() {
        rows.place_group(at);
    }
    Ok(rows.row)
}

/// Whether the node is in the column of a queue.
fn is_queue(graph: &Graph, node: &Node) -> bool {
    matches!(graph.lanes.get(node.lane as usize), Some(Lane::Queue(_) | Lane::Queues))
}

fn is_within(graph: &Graph, inner: Option<u32>, outer: u32) -> bool {
    let mut at = inner;
    while let Some(cluster) = at {
        if cluster == outer {
            return true;
        }
        // Outer clusters have smaller numbers, so this ends.
        at = graph.clusters.get(cluster as usize).and_then(|c| c.parent).filter(|p| *p < cluster && *p >= outer);
    }
    false
}

/// The edges from triggers to DMA blocks, by trigger.
struct Starts(Vec<(u32, u32)>, usize);

fn starts(graph: &Graph) -> Result<Starts> {
    let mut list = Vec::new();
    for edge in graph.edges.iter().filter(|e| e.relation == Relation::Trigger) {
        push(&mut list, (edge.from, edge.to))?;
    }
    list.sort_unstable();
    Ok(Starts(list, 0))
}

impl Starts {
    /// Those of a node; nodes must be asked for in rising order.
    fn from(&mut self, node: usize) -> impl Iterator<Item = u32> {
        let rest = self.0.get(self.1..).unwrap_or_default();
        let skipped = rest.partition_point(|(from, _)| (*from as usize) < node);
        let count = rest.partition_point(|(from, _)| (*from as usize) <= node);
        self.1 += count;
        rest.get(skipped..count).unwrap_or_default().iter().map(|(_, to)| *to)
    }
}

struct Rows<'g> {
    graph: &'g Graph,
    /// `usize::MAX` before it was placed.
    row: Vec<usize>,
    /// The first free row of each column.
    next: Vec<usize>,
    /// Nothing comes above.
    floor: usize,
    /// The first row that is free in all columns.
    end: usize,
}

impl Rows<'_> {
    fn place(&mut self, at: usize) {
        let Some(node) = self.graph.nodes.get(at) else { return };
        let lane = node.lane as usize;
        let mut row = self.floor.max(self.next[lane]);
        if node.kind.is_alone() {
            row = self.end;
            self.floor = row + 1;
        }
        let into = self.graph.edges.partition_point(|e| (e.to as usize) < at);
        for edge in self.graph.edges[into..].iter().take_while(|e| e.to as usize == at) {
            if edge.relation.orders() && self.row[edge.from as usize] != usize::MAX {
                row = row.max(self.row[self.last_of(edge.from as usize)] + 1);
            }
        }
        // What runs on all engines comes behind and before everything that runs on one.
        let everywhere = matches!(self.graph.lanes.get(lane), Some(Lane::Engine(EngineType::ALL, _)));
        if everywhere {
            for (lane, next) in self.graph.lanes.iter().zip(&self.next) {
                if matches!(lane, Lane::Engine(..)) {
                    row = row.max(*next);
                }
            }
        }
        self.row[at] = row;
        self.next[lane] = row + 1;
        self.end = self.end.max(row + 1);
        if everywhere {
            for (lane, next) in self.graph.lanes.iter().zip(&mut self.next) {
                if matches!(lane, Lane::Engine(..)) {
                    *next = row + 1;
                }
            }
        }
    }

    /// The last node of a DMA block that was placed with it, or the node itself.
    fn last_of(&self, at: usize) -> usize {
        let Some(cluster) = self.dma_block(at) else { return at };
        let mut last = at;
        while self.dma_block(last + 1) == Some(cluster) && self.row[last + 1] != usize::MAX {
            last += 1;
        }
        last
    }

    fn dma_block(&self, at: usize) -> Option<u32> {
        let cluster = self.graph.nodes.get(at)?.cluster?;
        (self.graph.clusters.get(cluster as usize)?.kind == ClusterKind::DmaBlock).then_some(cluster)
    }

    /// Places a DMA block and its descriptors, unless that was done.
    fn place_group(&mut self, first: usize) {
        let Some(cluster) = self.dma_block(first) else {
            if self.row.get(first) == Some(&usize::MAX) {
                self.place(first);
            }
            return;
        };
        let mut at = first;
        while self.dma_block(at) == Some(cluster) && self.row[at] == usize::MAX {
            self.place(at);
            at += 1;
        }
    }
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
