//! Documents to draw, and what must hold for every picture.

use bir_core::doc::{ReadOptions, read_json};
use bir_core::graph::model::Graph;
use bir_core::ir::Module;
use std::collections::BTreeMap;
use std::fs;

pub fn data(name: &str) -> String {
    format!("{}/../tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub fn load(document: &str) -> Module {
    read_json(document.as_bytes(), &ReadOptions::default()).unwrap().module
}

/// The example documents of `spec/bir-json.md` section 11.
fn examples() -> Vec<String> {
    let prose = fs::read_to_string(format!("{}/../spec/bir-json.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    prose.split("```json\n").skip(1).map(|b| b.split("```").next().unwrap().to_owned()).collect()
}

pub fn example(number: usize) -> String {
    examples().swap_remove(number)
}

/// All documents at hand, with names.
pub fn documents() -> Vec<(String, String)> {
    let mut all: Vec<_> = examples().into_iter().enumerate().map(|(i, d)| (format!("example {i}"), d)).collect();
    for folder in ["bir", "families"] {
        let mut files: Vec<_> = fs::read_dir(data(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|f| f.to_string_lossy().ends_with(".bir.json")) {
            all.push((file.display().to_string(), fs::read_to_string(file).unwrap()));
        }
    }
    assert!(all.len() >= 14);
    all
}

/// Position and size.
#[derive(Clone, Copy, Debug)]
struct Rect {
    x: i32,
    y: i32,
    w: i32,
    h: i32,
}

impl Rect {
    fn of(node: roxmltree::Node<'_, '_>) -> Rect {
        let number = |name| node.attribute(name).map_or(0, |v| v.parse().unwrap());
        Rect { x: number("x"), y: number("y"), w: number("width"), h: number("height") }
    }

    fn apart(&self, other: &Rect) -> bool {
        self.x + self.w <= other.x
            || other.x + other.w <= self.x
            || self.y + self.h <= other.y
            || other.y + other.h <= self.y
    }

    fn inside(&self, other: &Rect) -> bool {
        self.x >= other.x
            && self.y >= other.y
            && self.x + self.w <= other.x + other.w
            && self.y + self.h <= other.y + other.h
    }
}

/// Width of a text: 0.62 of the size of the font for each character, twice that for wide ones; more than fonts take.
fn extent(node: roxmltree::Node<'_, '_>) -> Rect {
    let (size, label) = match node.attribute("class") {
        Some("t") => (15, false),
        Some("h") => (12, false),
        Some("l") => (11, true),
        _ => (11, false),
    };
    let columns: i32 = node.text().unwrap_or("").chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum();
    let w = columns * size * 62 / 100;
    if let Some(turn) = node.attribute("transform") {
        assert!(label && turn.ends_with("rotate(-90)"), "{turn}");
        let place = turn.trim_start_matches("translate(").split(')').next().unwrap();
        let (x, y) = place.split_once(' ').unwrap();
        let (x, y): (i32, i32) = (x.parse().unwrap(), y.parse().unwrap());
        return Rect { x: x - 9, y: y - w, w: 11, h: w };
    }
    let Rect { x, y, .. } = Rect::of(node);
    let x = match node.attribute("text-anchor") {
        Some("middle") => x - w / 2,
        Some("end") => x - w,
        _ => x,
    };
    Rect { x, y: y - size * 8 / 10, w, h: size }
}

/// The corners of a path of M, L and Q (whose middle point is a corner).
fn corners(path: &str) -> Vec<(i32, i32)> {
    let mut corners = Vec::new();
    for part in path.split(['M', 'L', 'Q']) {
        let numbers: Vec<i32> = part.split_whitespace().map(|n| n.parse().unwrap()).collect();
        corners.extend(numbers.chunks(2).map(|p| (p[0], p[1])));
    }
    corners
}

/// Well-formed; everything lies inside; nodes do not overlap; no edge crosses a node; labels do not collide.
#[track_caller]
pub fn check_svg(name: &str, text: &str, graph: Option<&Graph>) {
    let svg = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let root = svg.root_element();
    let size: Vec<i32> = root.attribute("viewBox").unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let page = Rect { x: 0, y: 0, w: size[2], h: size[3] };
    let shapes = |tag: &'static str| root.descendants().filter(move |n| n.has_tag_name(tag));
    for rect in shapes("rect").map(Rect::of) {
        assert!(rect.inside(&page), "{name}: {rect:?} in {page:?}");
    }
    let mut labels: Vec<Rect> = Vec::new();
    for node in shapes("text") {
        let own = extent(node);
        assert!(own.inside(&page), "{name}: {:?} {own:?} in {page:?}", node.text());
        if node.attribute("class") == Some("l") {
            assert!(labels.iter().all(|l| l.apart(&own)), "{name}: {:?} collides", node.text());
            labels.push(own);
        }
    }
    let Some(graph) = graph else { return };
    let tooltip = |n: roxmltree::Node<'_, '_>| {
        n.children().find(|c| c.has_tag_name("title")).and_then(|t| t.text()).map(str::to_owned)
    };
    let boxes: Vec<_> = shapes("rect").filter(|n| n.attribute("class") == Some("b")).collect();
    assert_eq!(boxes.len(), graph.nodes.len(), "{name}");
    let rects: Vec<Rect> = boxes.iter().map(|n| Rect::of(*n)).collect();
    for (i, a) in rects.iter().enumerate() {
        assert!(rects[..i].iter().all(|b| a.apart(b)), "{name}: {:?} overlaps", tooltip(boxes[i]));
    }
    // Texts of nodes lie in their nodes: each is in one of them, or outside of all.
    for node in shapes("text") {
        let own = extent(node);
        let touched = rects.iter().filter(|r| !r.apart(&own)).collect::<Vec<_>>();
        assert!(touched.iter().all(|r| own.inside(r)), "{name}: {:?} {own:?} leaves {touched:?}", node.text());
    }
    let paths: Vec<_> = shapes("path").filter(|n| n.attribute("class") == Some("e")).collect();
    assert_eq!(paths.len(), graph.edges.len(), "{name}");
    for (path, edge) in paths.iter().zip(&graph.edges) {
        let [from, to] = [edge.from, edge.to].map(|n| rects[n as usize]);
        let corners = corners(path.attribute("d").unwrap());
        let (first, last) = (corners[0], corners[corners.len() - 1]);
        assert_eq!((first.1, last.1), (from.y + from.h, to.y), "{name}: {:?}", tooltip(*path));
        assert!(first.0 > from.x && first.0 < from.x + from.w && last.0 > to.x && last.0 < to.x + to.w);
        for pair in corners.windows(2) {
            let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
            let line = Rect { x: ax.min(bx), y: ay.min(by), w: (ax - bx).abs(), h: (ay - by).abs() };
            assert!(line.inside(&page), "{name}: {:?} {line:?} in {page:?}", tooltip(*path));
            let crossed = rects.iter().position(|r| {
                line.x < r.x + r.w && line.x + line.w > r.x && line.y < r.y + r.h && line.y + line.h > r.y
            });
            assert_eq!(crossed, None, "{name}: {:?} crosses a node", tooltip(*path));
        }
    }
}

/// Quotes, brackets and HTML tables close; each node and each edge is there once.
#[track_caller]
pub fn check_dot(name: &str, text: &str, graph: Option<&Graph>) {
    let (mut quoted, mut escaped, mut open, mut angle) = (false, false, Vec::new(), 0);
    for c in text.chars() {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', c == '\\' && !escaped);
            continue;
        }
        match c {
            '<' => angle += 1,
            '>' if angle > 0 => angle -= 1,
            '"' if angle == 0 => quoted = true,
            '{' | '[' if angle == 0 => open.push(c),
            '}' if angle == 0 => assert_eq!(open.pop(), Some('{'), "{name}"),
            ']' if angle == 0 => assert_eq!(open.pop(), Some('['), "{name}"),
            c => assert!(c == '\n' || !c.is_control(), "{name}: {c:?}"),
        }
    }
    assert!(!quoted && open.is_empty() && angle == 0, "{name}: {text}");
    for html in text.split("label=<").skip(1).map(|rest| rest.split(">];").next().unwrap()) {
        roxmltree::Document::parse(html).unwrap_or_else(|e| panic!("{name}: {e}\n{html}"));
    }
    let Some(graph) = graph else { return };
    let (mut nodes, mut edges, mut clusters) = (BTreeMap::new(), BTreeMap::new(), 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        match words[..] {
            // Those that only order nodes have no tooltip.
            [from, "->", to] if line.contains("tooltip=") => *edges.entry((from, to)).or_insert(0) += 1,
            ["subgraph", ..] => clusters += 1,
            [node, label, ..] if label.starts_with("[label=") => *nodes.entry(node).or_insert(0) += 1,
            _ => {}
        }
    }
    let names: Vec<String> = (0..graph.nodes.len()).map(|at| format!("n{at}")).collect();
    assert!(names.iter().all(|n| nodes.get(n.as_str()) == Some(&1)), "{name}: {nodes:?}");
    let mut expected = BTreeMap::new();
    for edge in &graph.edges {
        *expected.entry((names[edge.from as usize].as_str(), names[edge.to as usize].as_str())).or_insert(0) += 1;
    }
    assert_eq!(edges, expected, "{name}");
    assert_eq!(clusters, graph.clusters.len(), "{name}");
}
