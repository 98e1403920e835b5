//! What the graph of a module consists of, apart from where it is drawn.
#![forbid(unsafe_code)]

use crate::enums::bir::{EdgeKind, EngineType};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The graph of a module, or of the part that was asked for.
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it shows, in one line.
    pub title: String,
    /// What is collapsed or leaves the picture, in one line; empty if nothing is.
    pub note: String,
    /// The columns, in the order in which they are drawn.
    pub lanes: Vec<Lane>,
    /// Functions, blocks and DMA blocks that hold nodes, outer ones first.
    pub clusters: Vec<Cluster>,
    /// The nodes in program order; those of queues behind all others.
    pub nodes: Vec<Node>,
    /// The edges, by the node they lead to, then by the node they come from, then by relation.
    pub edges: Vec<Link>,
    /// Instructions in the part that was asked for, collapsed ones included.
    pub instructions: u64,
}

/// A column: who runs the nodes in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Blocks, loops and whatever is collapsed: not run by one engine.
    Control,
    /// An engine, by type and number.
    Engine(EngineType, u32),
    /// A DMA queue.
    Queue(String),
    /// Several DMA queues.
    Queues,
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lane::Control => f.write_str("control"),
            Lane::Engine(engine, 0) => f.write_str(engine.name()),
            Lane::Engine(engine, number) => write!(f, "{} {number}", engine.name()),
            Lane::Queue(name) => write!(f, "queue {name}"),
            Lane::Queues => f.write_str("queues"),
        }
    }
}

/// What kind of box a cluster is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterKind {
    /// A function.
    Function,
    /// A block of a function or of a structured instruction.
    Block,
    /// A DMA block with its descriptors.
    DmaBlock,
}

impl ClusterKind {
    /// The kind as a word.
    pub const fn name(self) -> &'static str {
        match self {
            ClusterKind::Function => "function",
            ClusterKind::Block => "block",
            ClusterKind::DmaBlock => "dma_block",
        }
    }
}

/// A box around nodes.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The box around it; always one with a smaller number.
    pub parent: Option<u32>,
    /// What it is.
    pub kind: ClusterKind,
    /// Name of the function, block or DMA block.
    pub name: String,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// One instruction, DMA blocks and descriptors included.
    Instruction,
    /// An instruction with nested blocks.
    Structured,
    /// The head of a block whose instructions are shown below it.
    Block,
    /// The head of a function whose blocks are shown below it.
    Function,
    /// The head of a DMA queue whose DMA blocks are shown below it.
    Queue,
    /// A block, with all that is in it.
    CollapsedBlock,
    /// A function, with all that is in it.
    CollapsedFunction,
    /// A queue, with all that is in it.
    CollapsedQueue,
    /// The whole module.
    CollapsedModule,
}

impl NodeKind {
    /// The kind as a word.
    pub const fn name(self) -> &'static str {
        match self {
            NodeKind::Instruction => "instruction",
            NodeKind::Structured => "structured_instruction",
            NodeKind::Block => "block",
            NodeKind::Function => "function",
            NodeKind::Queue => "queue",
            NodeKind::CollapsedBlock => "collapsed_block",
            NodeKind::CollapsedFunction => "collapsed_function",
            NodeKind::CollapsedQueue => "collapsed_queue",
            NodeKind::CollapsedModule => "collapsed_module",
        }
    }

    /// Whether it stands for all that is in it.
    pub const fn is_collapsed(self) -> bool {
        matches!(
            self,
            NodeKind::CollapsedBlock
                | NodeKind::CollapsedFunction
                | NodeKind::CollapsedQueue
                | NodeKind::CollapsedModule
        )
    }

    /// Whether nothing in its function stands beside it.
    pub(super) const fn is_alone(self) -> bool {
        !matches!(self, NodeKind::Instruction | NodeKind::Queue | NodeKind::CollapsedQueue)
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it stands for.
    pub kind: NodeKind,
    /// The box that it is in.
    pub cluster: Option<u32>,
    /// Its column: an index into [`Graph::lanes`].
    pub lane: u32,
    /// Its name.
    pub name: String,
    /// Opcode; empty for what is no instruction.
    pub opcode: &'static str,
    /// Unique id of the object.
    pub id: i32,
    /// Path of the object in a document; empty for the module.
    pub path: String,
    /// Lines below the name.
    pub lines: Vec<String>,
    /// Everything that is worth knowing, several lines.
    pub details: String,
    /// Instructions that it stands for; 1 for an instruction, 0 for a head.
    pub instructions: u64,
    /// Edges between instructions that it stands for, of all relations.
    pub inner_edges: u64,
}

/// Why an edge is there. It leads from what comes first to what waits or is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// `dependencies`.
    Dependency(EdgeKind),
    /// `loop_carried_dependencies`.
    LoopCarried(EdgeKind),
    /// `unroll_dependencies`.
    Unroll(EdgeKind),
    /// A wait for a semaphore that names its producer: semaphore and value; `None` where one end is collapsed.
    Sync(Option<(u32, u32)>),
    /// A DMA trigger or the like, and the DMA block that it starts.
    Trigger,
    /// A payload field that names a block: a branch target, a hint, an instance of a queue.
    Branch(&'static str),
    /// A payload field that names a function.
    Call(&'static str),
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relation::Dependency(kind) => write!(f, "{}", kind.name()),
            Relation::LoopCarried(kind) => write!(f, "{}, loop-carried", kind.name()),
            Relation::Unroll(kind) => write!(f, "{}, unroll", kind.name()),
            Relation::Sync(Some((semaphore, value))) => write!(f, "semaphore {semaphore} reaches {value}"),
            Relation::Sync(None) => f.write_str("semaphore"),
            Relation::Trigger => f.write_str("starts"),
            Relation::Branch(key) | Relation::Call(key) => f.write_str(key),
        }
    }
}

impl Relation {
    /// The kind of relation as a word.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::Dependency(_) => "dependency",
            Relation::LoopCarried(_) => "loop_carried_dependency",
            Relation::Unroll(_) => "unroll_dependency",
            Relation::Sync(_) => "sync",
            Relation::Trigger => "trigger",
            Relation::Branch(_) => "branch",
            Relation::Call(_) => "call",
        }
    }

    /// Whether the target starts after the source within one run of the program text.
    pub(super) const fn orders(self) -> bool {
        matches!(self, Relation::Dependency(_) | Relation::Unroll(_) | Relation::Sync(_) | Relation::Trigger)
    }
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The node that waits or is reached.
    pub to: u32,
    /// The node that comes first.
    pub from: u32,
    /// Why.
    pub relation: Relation,
    /// Number of edges between instructions that it stands for.
    pub count: u64,
}
