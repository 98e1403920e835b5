//! How edges run between the boxes: down from a node into the gap below its row, along the gap to a gutter between two
//! columns, through the gutter to the gap above the target, and down into it. So no edge crosses a node.
//!
//! Edges of one kind share their way out of a node, and edges of one kind their way into a node. Whatever else would lie on
//! top of each other gets tracks side by side: the first free track in order of their beginnings, which is the smallest
//! number possible. Gaps and gutters are as wide as their tracks need.
#![forbid(unsafe_code)]

use super::layout::{Grid, MARGIN, filled};
use super::model::{Graph, Link};
use super::palette;
use crate::error::bail;
use crate::fallible::push;
use crate::{Error, Result};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Distance between two tracks.
const TRACK: i32 = 6;
/// Room beside the tracks of a gap, and of a gutter.
const GAP: i32 = 10;
const GUTTER: i32 = 12;
/// More edges are refused: nobody could see anything.
const MAX_EDGES: usize = 1_000_000;

/// Positions of columns and rows, and the corners of each edge.
pub(super) struct Routes {
    pub edges: Vec<Vec<(i32, i32)>>,
    pub lane_x: Vec<i32>,
    pub row_y: Vec<i32>,
    pub width: i32,
    pub height: i32,
}

/// An end of edges at a node: all edges of one style into or out of it.
type Port = (u32, usize);

/// What has to be put on a track: where (a gap or gutter), from, to, and who.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Span<K> {
    channel: usize,
    from: i32,
    to: i32,
    key: K,
}

/// How an edge runs.
#[derive(Clone, Copy)]
enum Way {
    /// Straight down to the next node of the column; the number tells edges between the same two apart.
    Straight(i32),
    /// Through one gap.
    Gap,
    /// Through a gutter.
    Gutter(usize),
}

fn way(graph: &Graph, grid: &Grid, edge: &Link, before: Option<&Link>, number: &mut i32) -> Way {
    let (from, to) = (edge.from as usize, edge.to as usize);
    *number = if before.is_some_and(|b| (b.from, b.to) == (edge.from, edge.to)) { *number + 1 } else { 0 };
    if grid.below[from] == edge.to {
        return Way::Straight(*number);
    }
    let (row, target) = (grid.row[from], grid.row[to]);
    if target == row + 1 {
        return Way::Gap;
    }
    let (source, lane) = (graph.nodes[from].lane as usize, graph.nodes[to].lane as usize);
    Way::Gutter(match source.cmp(&lane) {
        core::cmp::Ordering::Less => lane,
        core::cmp::Ordering::Greater => lane + 1,
        // Back to the left, on to the right.
        core::cmp::Ordering::Equal if target <= row => lane,
        core::cmp::Ordering::Equal => lane + 1,
    })
}

/// Where the ports of nodes are, from the left edge of the node: those in on its left half, those out on its right half.
struct Ports {
    list: Vec<Port>,
    out: bool,
}

impl Ports {
    fn new(mut list: Vec<Port>, out: bool) -> Self {
        list.sort_unstable();
        list.dedup();
        Ports { list, out }
    }

    fn x(&self, graph: &Graph, grid: &Grid, port: Port) -> i32 {
        let first = self.list.partition_point(|p| p.0 < port.0);
        let count = self.list[first..].partition_point(|p| p.0 == port.0);
        let at = self.list[first..first + count].partition_point(|p| *p < port);
        let width = grid.widths[graph.nodes[port.0 as usize].lane as usize];
        let (begin, end) = if self.out { (width * 58 / 100, width - 6) } else { (6, width * 42 / 100) };
        begin + (end - begin) * (2 * at as i32 + 1) / (2 * count as i32)
    }
}

/// The track of each span, and the number of tracks of each channel.
struct Tracks<K> {
    of: Vec<(K, i32)>,
    count: Vec<i32>,
}

impl<K: Copy + Ord> Tracks<K> {
    /// `spans` may name a key several times: it is one span from the first to the last place then.
    fn new(mut spans: Vec<Span<K>>, channels: usize, distance: i32) -> Result<Self> {
        spans.sort_unstable_by_key(|s| s.key);
        spans.dedup_by(|next, kept| {
            let same = next.key == kept.key;
            if same {
                (kept.from, kept.to) = (kept.from.min(next.from), kept.to.max(next.to));
            }
            same
        });
        spans.sort_unstable();
        let mut tracks = Tracks { of: Vec::new(), count: filled(0, channels)? };
        // Tracks by where they are free from, and free ones by number.
        let mut busy: BinaryHeap<Reverse<(i32, i32)>> = BinaryHeap::new();
        let mut free: BinaryHeap<Reverse<i32>> = BinaryHeap::new();
        let memory = |_| Error::out_of_memory();
        let mut channel = usize::MAX;
        for span in spans {
            if span.channel != channel {
                channel = span.channel;
                busy.clear();
                free.clear();
            }
            while let Some(Reverse((end, track))) = busy.peek().copied().filter(|Reverse((end, _))| *end < span.from) {
                debug_assert!(end < span.from);
                busy.pop();
                free.try_reserve(1).map_err(memory)?;
                free.push(Reverse(track));
            }
            let track = match free.pop() {
                Some(Reverse(track)) => track,
                None => {
                    let count = &mut tracks.count[channel];
                    *count += 1;
                    *count - 1
                }
            };
            busy.try_reserve(1).map_err(memory)?;
            busy.push(Reverse((span.to.saturating_add(distance), track)));
            push(&mut tracks.of, (span.key, track))?;
        }
        tracks.of.sort_unstable();
        Ok(tracks)
    }

    fn track(&self, key: K) -> i32 {
        let found = self.of.binary_search_by(|(k, _)| k.cmp(&key));
        found.ok().and_then(|at| self.of.get(at)).map_or(0, |(_, track)| *track)
    }
}

/// Routes all edges; the first row begins below `top`.
pub(super) fn route(graph: &Graph, grid: &Grid, top: i32) -> Result<Routes> {
    if graph.edges.len() > MAX_EDGES {
        bail!(LimitExceeded, "the graph has {} edges, more than {MAX_EDGES}: lower `max_nodes`", graph.edges.len());
    }
    let mut ways = Vec::new();
    let (mut ins, mut outs) = (Vec::new(), Vec::new());
    let mut number = 0;
    for (at, edge) in graph.edges.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|b| graph.edges.get(b));
        let way = way(graph, grid, edge, before, &mut number);
        push(&mut ways, way)?;
        if !matches!(way, Way::Straight(_)) {
            let line = palette::line(edge.relation);
            push(&mut ins, (edge.to, line))?;
            push(&mut outs, (edge.from, line))?;
        }
    }
    let (ins, outs) = (Ports::new(ins, false), Ports::new(outs, true));

    // Gutters first: they decide where the columns are.
    let mut spans = Vec::new();
    for (edge, way) in graph.edges.iter().zip(&ways) {
        if let Way::Gutter(gutter) = *way {
            let (a, b) = (grid.row[edge.from as usize] as i32 + 1, grid.row[edge.to as usize] as i32);
            let key = (gutter, edge.from, palette::line(edge.relation));
            push(&mut spans, Span { channel: gutter, from: a.min(b), to: a.max(b), key })?;
        }
    }
    let gutters = Tracks::new(spans, grid.columns + 1, 0)?;
    let mut x = grid.left;
    let (mut lane_x, mut gutter_x) = (Vec::new(), Vec::new());
    for (at, tracks) in gutters.count.iter().enumerate() {
        push(&mut gutter_x, x + GUTTER)?;
        // Nothing runs left of the first column as a rule.
        x += if *tracks == 0 && at == 0 { 4 } else { 2 * GUTTER + TRACK * (tracks - 1).max(0) };
        if let Some(width) = grid.widths.get(at) {
            push(&mut lane_x, x)?;
            x += width;
        }
    }
    let width = x + grid.left - 4;

    let in_x = |port: Port| lane_x[graph.nodes[port.0 as usize].lane as usize] + ins.x(graph, grid, port);
    let out_x = |port: Port| lane_x[graph.nodes[port.0 as usize].lane as usize] + outs.x(graph, grid, port);
    let vertical = |gutter: usize, port: Port| gutter_x[gutter] + TRACK * gutters.track((gutter, port.0, port.1));

    // Then gaps, with real distances.
    let mut spans = Vec::new();
    for (edge, way) in graph.edges.iter().zip(&ways) {
        let line = palette::line(edge.relation);
        let (out, into) = ((edge.from, line), (edge.to, line));
        let gap = grid.row[edge.from as usize] + 1;
        let mut add =
            |channel, a: i32, b: i32, key| push(&mut spans, Span { channel, from: a.min(b), to: a.max(b), key });
        match *way {
            Way::Straight(_) => {}
            Way::Gap => add(gap, out_x(out), in_x(into), (true, out))?,
            Way::Gutter(gutter) => {
                let x = vertical(gutter, out);
                add(gap, out_x(out), x, (true, out))?;
                add(grid.row[edge.to as usize], x, in_x(into), (false, into))?;
            }
        }
    }
    let gaps = Tracks::new(spans, grid.rows + 1, 4)?;
    let mut y = top;
    let (mut row_y, mut gap_y) = (Vec::new(), Vec::new());
    for (at, tracks) in gaps.count.iter().enumerate() {
        push(&mut gap_y, y + grid.gap_top[at] + GAP)?;
        y += grid.gap_top[at] + 2 * GAP + TRACK * (tracks - 1).max(0) + grid.gap_bottom[at];
        if let Some(height) = grid.heights.get(at) {
            push(&mut row_y, y)?;
            y += height;
        }
    }
    let height = y + MARGIN;

    let mut edges = Vec::new();
    for (edge, way) in graph.edges.iter().zip(&ways) {
        let line = palette::line(edge.relation);
        let (out, into) = ((edge.from, line), (edge.to, line));
        let (from, to) = (edge.from as usize, edge.to as usize);
        let bottom = row_y[grid.row[from]] + super::layout::node_height(&graph.nodes[from]);
        let target = row_y[grid.row[to]];
        let gap = grid.row[from] + 1;
        let below = gap_y[gap] + TRACK * gaps.track((true, out));
        let mut corners = Vec::new();
        let points: &[(i32, i32)] = match *way {
            Way::Straight(number) => {
                let lane = graph.nodes[from].lane as usize;
                // To the left and to the right of the middle by turns.
                let side = if number % 2 == 0 { number / 2 } else { -(number + 1) / 2 };
                let x = lane_x[lane] + grid.widths[lane] / 2 + (TRACK * side).clamp(-40, 40);
                &[(x, bottom), (x, target)]
            }
            Way::Gap => {
                let (a, b) = (out_x(out), in_x(into));
                &[(a, bottom), (a, below), (b, below), (b, target)]
            }
            Way::Gutter(gutter) => {
                let (a, x, b) = (out_x(out), vertical(gutter, out), in_x(into));
                let above = gap_y[grid.row[to]] + TRACK * gaps.track((false, into));
                &[(a, bottom), (a, below), (x, below), (x, above), (b, above), (b, target)]
            }
        };
        for point in points {
            push(&mut corners, *point)?;
        }
        push(&mut edges, corners)?;
    }
    Ok(Routes { edges, lane_x, row_y, width, height })
}
