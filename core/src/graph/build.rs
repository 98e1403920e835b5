//! From a module to its graph: the nodes of the part that is shown, and every edge between them.
#![forbid(unsafe_code)]

use super::describe::{self, defect};
use super::links::Links;
use super::model::{Cluster, ClusterKind, Graph, Lane, Node, NodeKind};
use super::select::{Container, Selection, What, block_path};
use super::text::{Count, Grouped};
use super::{GraphOptions, index32};
use crate::Result;
use crate::enums::bir::EngineType;
use crate::fallible::{append, copy, format, push};
use crate::ir::{BasicBlock, BasicBlockHolder, DMAQueue, Instruction, ModuleRef, function_path};
use alloc::string::String;
use alloc::vec::Vec;

/// With more queues than this, all share one column.
const MAX_QUEUE_LANES: usize = 6;

/// Paths that are longer, in bytes, are shortened.
const MAX_PATH: usize = 400;

/// The engines' columns, from left to right: data comes in, passes PE and Activation, and is worked on by DVE and Pool.
const ENGINES: [EngineType; 8] = [
    EngineType::SP,
    EngineType::DMA,
    EngineType::PE,
    EngineType::Activation,
    EngineType::DVE,
    EngineType::Pool,
    EngineType::ALL,
    EngineType::Unassigned,
];

/// The graph of a module.
///
/// # Errors
/// As [`write_graph`](super::write_graph), but for the sink's.
pub fn build(module: &ModuleRef, options: &GraphOptions<'_>) -> Result<Graph> {
    let selection = Selection::new(module, options)?;
    let mut builder = Builder::default();
    builder.lane(Lane::Control)?;
    builder.module(&selection)?;
    builder.queues(&selection)?;
    builder.edges()?;
    let title = title(module, options)?;
    builder.finish(title)
}

fn title(module: &ModuleRef, options: &GraphOptions<'_>) -> Result<String> {
    let mut title = String::new();
    if let Some(block) = options.block {
        append(&mut title, format_args!("block {block} of "))?;
    }
    match (options.function, module.functions().next(), module.function_count()) {
        (Some(name), ..) => append(&mut title, format_args!("function {name}"))?,
        (None, Some(only), 1) => append(&mut title, format_args!("module with function {}", only.name()))?,
        (None, _, count) => append(&mut title, format_args!("module with {}", Count(count as u64, "function")))?,
    }
    if let (Ok(arch), Ok(revision)) = (module.arch(), module.revision()) {
        append(&mut title, format_args!(", {} {}", arch.name(), revision.name()))?;
    }
    Ok(title)
}

#[derive(Default)]
pub(super) struct Builder<'m> {
    lanes: Vec<Lane>,
    clusters: Vec<Cluster>,
    pub(super) nodes: Vec<Node>,
    pub(super) links: Links,
    /// Ids of functions, blocks, queues and instructions, and the node that stands for each; sorted before it is used.
    pub(super) members: Vec<(i32, u32)>,
    /// The instructions in the part that is shown, and the nodes that stand for them.
    pub(super) shown: Vec<(&'m Instruction, u32)>,
    /// Edges of which one end is not shown.
    pub(super) outside: u64,
    /// Instructions that have no node of their own.
    collapsed: u64,
}

/// A path one level further down. Of a very deep one the middle is left out: else the paths of nested blocks would take
/// memory that grows with the square of the depth.
fn below(path: &str, list: &str, number: usize) -> Result<String> {
    let mut tail = path;
    if path.len() > MAX_PATH {
        tail = path.get(path.len() - MAX_PATH / 2..).and_then(|t| t.split_once('.')).map_or("", |(_, tail)| tail);
    }
    let gap = if tail.len() < path.len() { "\u{2026}." } else { "" };
    format(format_args!("{gap}{tail}.{list}[{number}]"))
}

/// A list of blocks or instructions that is being walked.
enum Step<'m> {
    Open { container: usize, cluster: Option<u32>, path: String },
    Instructions { next: Option<&'m Instruction>, position: usize, child: usize, cluster: u32, path: String },
}

impl<'m> Builder<'m> {
    fn lane(&mut self, lane: Lane) -> Result<u32> {
        if let Some(at) = self.lanes.iter().position(|l| *l == lane) {
            return index32(at);
        }
        push(&mut self.lanes, lane)?;
        index32(self.lanes.len().saturating_sub(1))
    }

    fn node(&mut self, node: Node) -> Result<u32> {
        let at = index32(self.nodes.len())?;
        push(&mut self.members, (node.id, at))?;
        push(&mut self.nodes, node)?;
        Ok(at)
    }

    fn cluster(&mut self, parent: Option<u32>, kind: ClusterKind, name: &str) -> Result<u32> {
        let at = index32(self.clusters.len())?;
        push(&mut self.clusters, Cluster { parent, kind, name: copy(name)? })?;
        Ok(at)
    }

    /// The head of something, or something collapsed.
    fn box_node(
        &mut self,
        container: &Container<'m>,
        kind: NodeKind,
        (name, id, path): (&str, i32, &str),
        (lane, cluster): (u32, Option<u32>),
    ) -> Result<u32> {
        let (mut lines, mut details) = (Vec::new(), String::new());
        let counts =
            describe::counts(&container.by_engine, container.blocks, matches!(container.what, What::Block(_)))?;
        let word = match container.what {
            What::Module => "module",
            What::Function(_) => "function",
            What::Block(_) => "block",
            What::Queue(queue) => {
                push(&mut lines, format(format_args!("{} queue", queue.queue_type()?.name()))?)?;
                "queue"
            }
        };
        append(&mut details, format_args!("{word} {name}"))?;
        if !path.is_empty() {
            append(&mut details, format_args!("\n{path}, id {id}"))?;
        }
        for line in &counts {
            append(&mut details, format_args!("\n{line}"))?;
        }
        let instructions = if kind.is_collapsed() { container.instructions() } else { 0 };
        if kind.is_collapsed() {
            for line in counts {
                push(&mut lines, line)?;
            }
            self.collapsed = self.collapsed.saturating_add(instructions);
        } else if lines.is_empty() {
            push(&mut lines, format(format_args!("{word}, {}", Count(container.instructions(), "instruction")))?)?;
        }
        let (name, path, opcode, inner_edges) = (copy(name)?, copy(path)?, "", 0);
        self.node(Node { kind, cluster, lane, name, opcode, id, path, lines, details, instructions, inner_edges })
    }

    fn instruction(&mut self, instruction: &'m Instruction, lane: u32, cluster: u32, path: String) -> Result<u32> {
        let structured =
            instruction.block_holder().is_some() && matches!(self.lanes.get(lane as usize), Some(Lane::Control));
        let at = self.node(Node {
            kind: if structured { NodeKind::Structured } else { NodeKind::Instruction },
            cluster: Some(cluster),
            lane,
            name: format(instruction.name())?,
            opcode: instruction.info()?.name,
            id: instruction.unique_id(),
            lines: describe::lines(instruction)?,
            details: describe::details(instruction, &path)?,
            path,
            instructions: 1,
            inner_edges: 0,
        })?;
        push(&mut self.shown, (instruction, at))?;
        Ok(at)
    }

    /// Functions and blocks. Depth costs no stack.
    fn module(&mut self, selection: &Selection<'m>) -> Result<()> {
        let Some(root) = selection.containers.first() else { return Ok(()) };
        if !root.open {
            let at = self.box_node(root, NodeKind::CollapsedModule, ("module", -1, ""), (0, None))?;
            for container in selection.containers.iter().skip(1) {
                match container.what {
                    What::Function(function) => push(&mut self.members, (function.unique_id(), at))?,
                    What::Block(block) => self.stands_for_block(at, block)?,
                    What::Module | What::Queue(_) => {}
                }
            }
            for (_, queue) in selection.queues() {
                self.stands_for_queue(at, selection, queue)?;
            }
            return Ok(());
        }
        let mut steps = Vec::new();
        let (first, count) = root.children;
        for container in (first..first.saturating_add(count)).rev() {
            let path = match selection.containers.get(container).map(|c| c.what) {
                Some(What::Function(function)) => function_path(function),
                Some(What::Block(block)) => block_path(block),
                _ => String::new(),
            };
            push(&mut steps, Step::Open { container, cluster: None, path })?;
        }
        while let Some(step) = steps.pop() {
            match step {
                Step::Open { container, cluster, path } => {
                    self.open(selection, container, cluster, path, &mut steps)?
                }
                Step::Instructions { next: Some(instruction), position, child, cluster, path } => {
                    let here = below(&path, "instructions", position)?;
                    let nested: usize = instruction.block_holder().map_or(0, BasicBlockHolder::block_count);
                    push(
                        &mut steps,
                        Step::Instructions {
                            next: instruction.next(),
                            position: position.saturating_add(1),
                            child: child.saturating_add(nested),
                            cluster,
                            path,
                        },
                    )?;
                    for number in (0..nested).rev() {
                        let path = below(&here, "blocks", number)?;
                        let container = child.saturating_add(number);
                        push(&mut steps, Step::Open { container, cluster: Some(cluster), path })?;
                    }
                    let lane = match instruction.block_holder() {
                        Some(_) => 0,
                        None => self.engine_lane(instruction)?,
                    };
                    self.instruction(instruction, lane, cluster, here)?;
                }
                Step::Instructions { next: None, .. } => {}
            }
        }
        Ok(())
    }

    fn engine_lane(&mut self, instruction: &Instruction) -> Result<u32> {
        self.lane(Lane::Engine(instruction.engine().unwrap_or(EngineType::Unassigned), instruction.engine_id()))
    }

    /// Shows a function or block, open or as one node.
    fn open(
        &mut self,
        selection: &Selection<'m>,
        at: usize,
        outer: Option<u32>,
        path: String,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<()> {
        let Some(container) = selection.containers.get(at) else { return Err(defect("a container is missing")) };
        let (first, count) = container.children;
        match container.what {
            What::Function(function) => {
                let (name, id) = (function.name(), function.unique_id());
                if !container.open {
                    let kind = NodeKind::CollapsedFunction;
                    let node = self.box_node(container, kind, (&name, id, &path), (0, outer))?;
                    return function.blocks().try_for_each(|block| self.stands_for_block_deep(node, block));
                }
                let cluster = self.cluster(outer, ClusterKind::Function, &name)?;
                self.box_node(container, NodeKind::Function, (&name, id, &path), (0, Some(cluster)))?;
                for number in (0..count).rev() {
                    let path = below(&path, "blocks", number)?;
                    let container = first.saturating_add(number);
                    push(steps, Step::Open { container, cluster: Some(cluster), path })?;
                }
            }
            What::Block(block) => {
                let (name, id) = (block.name(), block.unique_id());
                if !container.open {
                    let node = self.box_node(container, NodeKind::CollapsedBlock, (&name, id, &path), (0, outer))?;
                    return self.stands_for_block_deep(node, block);
                }
                let cluster = self.cluster(outer, ClusterKind::Block, &name)?;
                self.box_node(container, NodeKind::Block, (&name, id, &path), (0, Some(cluster)))?;
                let next = block.instructions().next();
                push(steps, Step::Instructions { next, position: 0, child: first, cluster, path })?;
            }
            What::Module | What::Queue(_) => return Err(defect("a queue is no part of a function")),
        }
        Ok(())
    }

    /// A node that stands for a block and the instructions right in it.
    fn stands_for_block(&mut self, node: u32, block: &'m BasicBlock) -> Result<()> {
        push(&mut self.members, (block.unique_id(), node))?;
        for instruction in block.instructions() {
            self.stands_for(node, instruction)?;
        }
        Ok(())
    }

    /// A node that stands for a block and everything in it.
    fn stands_for_block_deep(&mut self, node: u32, block: &'m BasicBlock) -> Result<()> {
        self.stands_for_block(node, block)?;
        for holder in block.instructions().filter_map(Instruction::block_holder) {
            for nested in holder.blocks() {
                push(&mut self.members, (nested.unique_id(), node))?;
            }
            for instruction in holder.instructions() {
                self.stands_for(node, instruction)?;
                for nested in instruction.block_holder().into_iter().flat_map(BasicBlockHolder::blocks) {
                    push(&mut self.members, (nested.unique_id(), node))?;
                }
            }
        }
        Ok(())
    }

    fn stands_for(&mut self, node: u32, instruction: &'m Instruction) -> Result<()> {
        push(&mut self.members, (instruction.unique_id(), node))?;
        push(&mut self.shown, (instruction, node))
    }

    fn stands_for_queue(&mut self, node: u32, selection: &Selection<'m>, queue: &'m DMAQueue) -> Result<()> {
        push(&mut self.members, (queue.unique_id(), node))?;
        for block in queue.blocks() {
            push(&mut self.members, (block.unique_id(), node))?;
        }
        for instruction in selection.of_queue(queue) {
            self.stands_for(node, instruction)?;
            for below in instruction.block_holder().into_iter().flat_map(BasicBlockHolder::instructions) {
                self.stands_for(node, below)?;
            }
        }
        Ok(())
    }

    /// Queues come last; the layout puts their DMA blocks beside what starts them.
    fn queues(&mut self, selection: &Selection<'m>) -> Result<()> {
        if !selection.containers.first().is_some_and(|root| root.open) {
            return Ok(());
        }
        let shared = selection.queues().count() > MAX_QUEUE_LANES;
        for (container, queue) in selection.queues() {
            let name = queue.name();
            let lane = self.lane(if shared { Lane::Queues } else { Lane::Queue(copy(&name)?) })?;
            let number = queue.module()?.queues().position(|q| q.unique_id() == queue.unique_id());
            let path = format(format_args!("queues[{}]", number.unwrap_or_default()))?;
            let kind = if container.open { NodeKind::Queue } else { NodeKind::CollapsedQueue };
            let head = self.box_node(container, kind, (&name, queue.unique_id(), &path), (lane, None))?;
            if !container.open {
                self.stands_for_queue(head, selection, queue)?;
                continue;
            }
            for block in queue.blocks() {
                push(&mut self.members, (block.unique_id(), head))?;
            }
            for instruction in selection.of_queue(queue) {
                let cluster = self.cluster(None, ClusterKind::DmaBlock, &instruction.name())?;
                let node = self.instruction(instruction, lane, cluster, instruction.path())?;
                let Some(holder) = instruction.block_holder() else { continue };
                for block in holder.blocks() {
                    push(&mut self.members, (block.unique_id(), node))?;
                }
                for below in holder.instructions() {
                    self.instruction(below, lane, cluster, below.path())?;
                    for nested in below.block_holder().into_iter().flat_map(BasicBlockHolder::blocks) {
                        push(&mut self.members, (nested.unique_id(), node))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, title: String) -> Result<Graph> {
        let instructions: u64 = self.nodes.iter().map(|n| n.instructions).sum();
        let collapsed_nodes = self.nodes.iter().filter(|n| n.kind.is_collapsed()).count() as u64;
        for node in self.nodes.iter_mut().filter(|n| n.inner_edges > 0) {
            let line = format(Count(node.inner_edges, "inner edge"))?;
            append(&mut node.details, format_args!("\n{line}"))?;
            push(&mut node.lines, line)?;
        }
        let mut note = String::new();
        if collapsed_nodes > 0 {
            append(
                &mut note,
                format_args!(
                    "{} of {} are collapsed into {}: more nodes, or one block alone, would show them.",
                    Grouped(self.collapsed),
                    Count(instructions, "instruction"),
                    Count(collapsed_nodes, "node"),
                ),
            )?;
        }
        if self.outside > 0 {
            let space = if note.is_empty() { "" } else { " " };
            append(&mut note, format_args!("{space}{} to what is not shown.", Count(self.outside, "edge")))?;
        }
        let order = self.sort_lanes()?;
        for node in &mut self.nodes {
            node.lane = order.get(node.lane as usize).copied().unwrap_or_default();
        }
        let Builder { lanes, clusters, nodes, links, .. } = self;
        Ok(Graph { title, note, lanes, clusters, nodes, edges: links.finish(), instructions })
    }

    /// Sorts the columns; the new number of each old one.
    fn sort_lanes(&mut self) -> Result<Vec<u32>> {
        let key = |lane: &Lane| match lane {
            Lane::Control => (0, 0),
            Lane::Engine(engine, number) => {
                (1 + ENGINES.iter().position(|e| e == engine).unwrap_or(ENGINES.len()), *number)
            }
            Lane::Queue(_) | Lane::Queues => (usize::MAX, 0),
        };
        let mut numbered = Vec::new();
        for (at, lane) in core::mem::take(&mut self.lanes).into_iter().enumerate() {
            push(&mut numbered, (key(&lane), at, lane))?;
        }
        numbered.sort_unstable_by_key(|(key, at, _)| (*key, *at));
        let mut order = Vec::new();
        for _ in &numbered {
            push(&mut order, 0)?;
        }
        for (new, (_, old, lane)) in numbered.into_iter().enumerate() {
            if let Some(place) = order.get_mut(old) {
                *place = index32(new)?;
            }
            push(&mut self.lanes, lane)?;
        }
        Ok(order)
    }
}
