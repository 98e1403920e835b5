//! The graph for Graphviz.
#![forbid(unsafe_code)]

use super::model::{ClusterKind, Graph, NodeKind};
use super::palette::{self, LINES};
use super::svg::edge_text;
use super::text::{Dot, Out};
use crate::Result;
use crate::fallible::push;
use crate::sink::Sink;
use alloc::vec::Vec;

/// Writes a digraph. Nodes are called `n<number>`, clusters `cluster_<number>`.
pub(super) fn write<S: Sink + ?Sized>(graph: &Graph, sink: &mut S) -> Result<()> {
    let mut out = Out::new(sink);
    let title = Dot(&graph.title);
    let note = Dot(&graph.note);
    let space = if graph.note.is_empty() { "" } else { "\\l" };
    out.put(format_args!(
        "digraph \"{title}\" {{\n  graph [label=\"{title}\\l{note}{space}\", labelloc=t, labeljust=l, \
         fontname=\"Helvetica\", nodesep=0.25, ranksep=0.35, newrank=true, bgcolor=\"{}\"];\n  \
         node [shape=box, style=filled, fontname=\"monospace\", fontsize=10, margin=\"0.08,0.05\", height=0.2];\n  \
         edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n",
        palette::PAPER
    ))?;
    // Nodes and boxes in each box, in order; inner boxes have larger numbers.
    let mut inside: Vec<(Option<u32>, Item)> = Vec::new();
    for (at, cluster) in graph.clusters.iter().enumerate() {
        push(&mut inside, (cluster.parent, Item::Cluster(at)))?;
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        push(&mut inside, (node.cluster, Item::Node(at)))?;
    }
    inside.sort_unstable();
    let first = |cluster| inside.partition_point(|(c, _)| *c < cluster);
    // Depth costs no stack.
    let mut open: Vec<(Option<u32>, usize)> = Vec::new();
    push(&mut open, (None, first(None)))?;
    while let Some((cluster, at)) = open.last_mut() {
        let Some((_, item)) = inside.get(*at).filter(|(c, _)| c == cluster) else {
            if cluster.is_some() {
                out.put("  }\n")?;
            }
            open.pop();
            continue;
        };
        *at += 1;
        match *item {
            Item::Node(at) => self::node(&mut out, graph, at)?,
            Item::Cluster(at) => {
                let Some(cluster) = graph.clusters.get(at) else { continue };
                let (style, colour) = match cluster.kind {
                    ClusterKind::Function => ("rounded", "#57606a"),
                    ClusterKind::Block => ("rounded,filled", "#afb8c1"),
                    ClusterKind::DmaBlock => ("dashed", "#0072b2"),
                };
                out.put(format_args!(
                    "  subgraph cluster_{at} {{\n  label=\"{} {}\"; style=\"{style}\"; color=\"{colour}\"; \
                     fillcolor=\"#f6f8fa\"; fontname=\"Helvetica\"; fontsize=11;\n",
                    cluster.kind.name().replace('_', " "),
                    Dot(&cluster.name)
                ))?;
                let key = Some(super::index32(at)?);
                push(&mut open, (key, first(key)))?;
            }
        }
    }
    order(&mut out, graph)?;
    for edge in &graph.edges {
        let line = &LINES[palette::line(edge.relation)];
        // What leads back must not turn the order around.
        let free = if edge.relation.orders() { "" } else { ", constraint=false" };
        out.put(format_args!(
            "  n{} -> n{} [color=\"{}\", style={}, tooltip=\"{}\"{free}];\n",
            edge.from,
            edge.to,
            line.colour,
            line.dot,
            Dot(&edge_text(graph, edge)?)
        ))?;
    }
    out.put("}\n")?;
    out.flush()
}

/// Program order: within a box, the nodes of a column go down, below the head. These edges are not seen.
fn order<S: Sink + ?Sized>(out: &mut Out<'_, S>, graph: &Graph) -> Result<()> {
    let mut places: Vec<(Option<u32>, u32, usize)> = Vec::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        push(&mut places, (node.cluster, node.lane, at))?;
    }
    places.sort_unstable();
    for pair in places.windows(2) {
        let [(cluster, lane, a), (next_cluster, next_lane, b)] = *pair else { continue };
        if cluster.is_none() || cluster != next_cluster {
            continue;
        }
        // Heads are in the first column, so what follows another column's last node comes below the head.
        let from = if lane == next_lane {
            a
        } else {
            places.get(places.partition_point(|p| p.0 < cluster)).map_or(a, |(.., head)| *head)
        };
        out.put(format_args!("  n{from} -> n{b} [style=invis];\n"))?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Node(usize),
    Cluster(usize),
}

fn node<S: Sink + ?Sized>(out: &mut Out<'_, S>, graph: &Graph, at: usize) -> Result<()> {
    let Some(node) = graph.nodes.get(at) else { return Ok(()) };
    let Some(lane) = graph.lanes.get(node.lane as usize) else { return Ok(()) };
    let fill = palette::lane(lane);
    out.put(format_args!("  n{at} [label=\"{}\\l", Dot(&node.name)))?;
    for line in &node.lines {
        out.put(format_args!("{}\\l", Dot(line)))?;
    }
    if node.kind == NodeKind::Instruction {
        out.put(format_args!("on {}\\l", Dot(&crate::fallible::format(lane)?)))?;
    }
    let style = match node.kind {
        NodeKind::Instruction => "filled",
        kind if kind.is_collapsed() => "filled,bold",
        _ => "filled,rounded",
    };
    out.put(format_args!(
        "\", fillcolor=\"{}\", color=\"{}\", style=\"{style}\", tooltip=\"{}\"];\n",
        fill.fill,
        fill.stroke,
        Dot(&node.details)
    ))
}
