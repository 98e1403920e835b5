//! Colours and line styles, in one place for all pictures. They are told apart by people who do not see all colours (the
//! palette of Okabe and Ito), and each also by its dashes or its column.
#![forbid(unsafe_code)]

use super::model::{Lane, Relation};
use crate::enums::bir::{EdgeKind, EngineType};

/// Colours of a node: the box and its frame.
pub(super) struct Fill {
    pub fill: &'static str,
    pub stroke: &'static str,
}

/// Text.
pub(super) const INK: &str = "#1b1f24";
/// Lesser text.
pub(super) const GREY: &str = "#57606a";
/// The background; pictures are as readable on a dark page as on a white one.
pub(super) const PAPER: &str = "#ffffff";

/// The colours of a column.
pub(super) fn lane(lane: &Lane) -> Fill {
    let (fill, stroke) = match lane {
        Lane::Control => ("#eaeef2", "#57606a"),
        Lane::Engine(EngineType::PE, _) => ("#fde3cf", "#d55e00"),
        Lane::Engine(EngineType::Activation, _) => ("#f7e0ee", "#b5588f"),
        Lane::Engine(EngineType::DVE, _) => ("#d8f3e9", "#009e73"),
        Lane::Engine(EngineType::Pool, _) => ("#fff0c9", "#c98a00"),
        Lane::Engine(EngineType::SP, _) => ("#dbeefb", "#2f8fc4"),
        Lane::Engine(EngineType::DMA, _) => ("#dbe7f5", "#0072b2"),
        Lane::Engine(EngineType::ALL, _) => ("#f4f4d2", "#8a8a00"),
        Lane::Engine(EngineType::Unassigned, _) => ("#f3f4f6", "#6e7781"),
        Lane::Queue(_) | Lane::Queues => ("#dbe7f5", "#0072b2"),
    };
    Fill { fill, stroke }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub name: &'static str,
    pub colour: &'static str,
    /// Lengths of dashes and gaps in SVG; empty for a solid line.
    pub dashes: &'static str,
    /// The nearest style of DOT.
    pub dot: &'static str,
}

/// The styles of edges; the order is that of the legend.
pub(super) const LINES: [Line; 11] = [
    Line { name: "Flow", colour: "#0072b2", dashes: "", dot: "solid" },
    Line { name: "Anti", colour: "#c07a00", dashes: "6 3", dot: "dashed" },
    Line { name: "Output", colour: "#b5588f", dashes: "2 2", dot: "dotted" },
    Line { name: "Ordered", colour: "#6e7781", dashes: "1 3", dot: "dotted" },
    Line { name: "Invalid", colour: "#000000", dashes: "1 5", dot: "dotted" },
    Line { name: "loop-carried", colour: "#d55e00", dashes: "8 3 2 3", dot: "bold" },
    Line { name: "unroll", colour: "#8a8a00", dashes: "8 2", dot: "dashed" },
    Line { name: "semaphore", colour: "#009e73", dashes: "", dot: "solid" },
    Line { name: "starts DMA block", colour: "#1f9bcf", dashes: "10 2", dot: "bold" },
    Line { name: "block", colour: "#1b1f24", dashes: "", dot: "bold" },
    Line { name: "call", colour: "#1b1f24", dashes: "4 2", dot: "dashed" },
];

/// The style of a relation: an index into [`LINES`].
pub(super) const fn line(relation: Relation) -> usize {
    match relation {
        Relation::Dependency(EdgeKind::Flow) => 0,
        Relation::Dependency(EdgeKind::Anti) => 1,
        Relation::Dependency(EdgeKind::Output) => 2,
        Relation::Dependency(EdgeKind::Ordered) => 3,
        Relation::Dependency(EdgeKind::Invalid) => 4,
        Relation::LoopCarried(_) => 5,
        Relation::Unroll(_) => 6,
        Relation::Sync(_) => 7,
        Relation::Trigger => 8,
        Relation::Branch(_) => 9,
        Relation::Call(_) => 10,
    }
}

/// Colours of locations, by element type in the order in which the types occur; then again, which the frame shows.
pub(super) const AREAS: [&str; 8] =
    ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#8c959f"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_edge_has_a_line() {
        for (kind, name) in EdgeKind::MEMBERS.iter().map(|k| (*k, k.name())) {
            assert_eq!(LINES[line(Relation::Dependency(kind))].name, name);
        }
        for (i, a) in LINES.iter().enumerate() {
            assert!(LINES[..i].iter().all(|b| (a.colour, a.dashes) != (b.colour, b.dashes)), "{}", a.name);
        }
    }
}
