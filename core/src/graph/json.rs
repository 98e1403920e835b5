//! The graph as data, for tools that draw or count for themselves.
#![forbid(unsafe_code)]

use super::model::{Graph, Relation};
use crate::Result;
use crate::doc::{JsonOut, Output as _, Style};
use crate::fallible::format;
use crate::sink::Sink;

/// Writes one object, keys sorted. Nodes and clusters refer to each other by position.
pub(super) fn write<S: Sink + ?Sized>(graph: &Graph, sink: &mut S) -> Result<()> {
    let mut out = JsonOut::new(sink, Style::Pretty);
    out.begin_object()?;
    out.key("clusters")?;
    out.begin_array()?;
    for cluster in &graph.clusters {
        out.begin_object()?;
        text(&mut out, "kind", cluster.kind.name())?;
        text(&mut out, "name", &cluster.name)?;
        index(&mut out, "parent", cluster.parent)?;
        out.end_object()?;
    }
    out.end_array()?;
    out.key("edges")?;
    out.begin_array()?;
    for edge in &graph.edges {
        out.begin_object()?;
        number(&mut out, "count", edge.count)?;
        if let Relation::Branch(key) | Relation::Call(key) = edge.relation {
            text(&mut out, "field", key)?;
        }
        number(&mut out, "from", edge.from.into())?;
        if let Relation::Dependency(kind) | Relation::LoopCarried(kind) | Relation::Unroll(kind) = edge.relation {
            text(&mut out, "kind", kind.name())?;
        }
        text(&mut out, "relation", edge.relation.name())?;
        if let Relation::Sync(Some((semaphore, _))) = edge.relation {
            number(&mut out, "semaphore", semaphore.into())?;
        }
        number(&mut out, "to", edge.to.into())?;
        if let Relation::Sync(Some((_, value))) = edge.relation {
            number(&mut out, "value", value.into())?;
        }
        out.end_object()?;
    }
    out.end_array()?;
    number(&mut out, "instructions", graph.instructions)?;
    text(&mut out, "kind", "graph")?;
    out.key("nodes")?;
    out.begin_array()?;
    for node in &graph.nodes {
        out.begin_object()?;
        index(&mut out, "cluster", node.cluster)?;
        out.key("id")?;
        out.i64(node.id.into())?;
        number(&mut out, "inner_edges", node.inner_edges)?;
        number(&mut out, "instructions", node.instructions)?;
        text(&mut out, "kind", node.kind.name())?;
        let lane = graph.lanes.get(node.lane as usize);
        text(&mut out, "lane", &lane.map(format).transpose()?.unwrap_or_default())?;
        text(&mut out, "name", &node.name)?;
        if !node.opcode.is_empty() {
            text(&mut out, "opcode", node.opcode)?;
        }
        text(&mut out, "path", &node.path)?;
        out.end_object()?;
    }
    out.end_array()?;
    text(&mut out, "note", &graph.note)?;
    text(&mut out, "title", &graph.title)?;
    out.end_object()?;
    out.finish()
}

pub(super) fn text<S: Sink + ?Sized>(out: &mut JsonOut<'_, S>, key: &str, value: &str) -> Result<()> {
    out.key(key)?;
    out.string(value)
}

pub(super) fn number<S: Sink + ?Sized>(out: &mut JsonOut<'_, S>, key: &str, value: u64) -> Result<()> {
    out.key(key)?;
    out.u64(value)
}

fn index<S: Sink + ?Sized>(out: &mut JsonOut<'_, S>, key: &str, value: Option<u32>) -> Result<()> {
    out.key(key)?;
    match value {
        Some(at) => out.u64(at.into()),
        None => out.null(),
    }
}
