//! The row of each node: the longest path through program order and edges.
#![forbid(unsafe_code)]

use super::layout::filled;
use super::model::{ClusterKind, Graph, Lane, Node, NodeKind, Relation};
use crate::Result;
use crate::enums::bir::EngineType;
use crate::fallible::push;
use alloc::vec::Vec;

/// The row of each node.
pub(super) fn rows(graph: &Graph) -> Result<Vec<usize>> {
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
