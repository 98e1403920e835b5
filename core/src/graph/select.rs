//! Which part of a module is shown, and how much of it in detail: blocks are opened from the outside in, in program order, as
//! long as the nodes last. What does not fit stays one node with its counts.
#![forbid(unsafe_code)]

use super::{GraphOptions, index32};
use crate::enums::bir::EngineType;
use crate::error::text;
use crate::fallible::push;
use crate::ir::{BasicBlock, BasicBlockHolder, DMAQueue, Function, HolderOwner, Instruction, ModuleRef, function_path};
use crate::op::{Slot, Value};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// What holds instructions.
#[derive(Clone, Copy)]
pub(super) enum What<'m> {
    Module,
    Function(&'m Function),
    Block(&'m BasicBlock),
    Queue(&'m DMAQueue),
}

/// Instructions by engine, in the order of [`EngineType::MEMBERS`]; what is foreign counts as the first.
pub(super) type ByEngine = [u64; EngineType::MEMBERS.len()];

/// Something that is shown whole or as one node.
pub(super) struct Container<'m> {
    pub what: What<'m>,
    parent: usize,
    /// The containers right below: so many from there on.
    pub children: (usize, usize),
    /// Nodes that opening it adds.
    cost: u64,
    pub by_engine: ByEngine,
    pub blocks: u64,
    pub open: bool,
}

impl<'m> Container<'m> {
    fn new(what: What<'m>, parent: usize) -> Self {
        let by_engine = [0; EngineType::MEMBERS.len()];
        Container { what, parent, children: (0, 0), cost: 0, by_engine, blocks: 0, open: false }
    }

    /// Instructions in it, nested ones included.
    pub(super) fn instructions(&self) -> u64 {
        self.by_engine.iter().sum()
    }

    fn count(&mut self, instruction: &Instruction) {
        let engine = instruction.engine().unwrap_or(EngineType::Unassigned);
        let slot = EngineType::MEMBERS.iter().position(|e| *e == engine).and_then(|i| self.by_engine.get_mut(i));
        if let Some(slot) = slot {
            *slot = slot.saturating_add(1);
        }
    }
}

/// The part that is shown. The first container is the module.
pub(super) struct Selection<'m> {
    pub containers: Vec<Container<'m>>,
    /// The DMA blocks that belong to it, by id, sorted; `None` for all.
    wanted: Option<Vec<i32>>,
}

impl<'m> Selection<'m> {
    pub(super) fn new(module: &'m ModuleRef, options: &GraphOptions<'_>) -> Result<Self> {
        options.check()?;
        let mut selection = Selection { containers: Vec::new(), wanted: None };
        push(&mut selection.containers, Container::new(What::Module, 0))?;
        let chosen = Chosen::new(module, options)?;
        if !matches!(chosen, Chosen::Module) {
            selection.wanted = Some(Vec::new());
        }
        match chosen {
            Chosen::Module => {
                for function in module.functions().chain(module.nki_functions()) {
                    selection.add(What::Function(function), 0)?;
                }
            }
            Chosen::Function(function) => selection.add(What::Function(function), 0)?,
            Chosen::Block(block) => selection.add(What::Block(block), 0)?,
        }
        let mut next = 1;
        while next < selection.containers.len() {
            selection.look_into(next)?;
            next += 1;
        }
        if let Some(wanted) = &mut selection.wanted {
            wanted.sort_unstable();
            wanted.dedup();
        }
        let roots = selection.containers.iter().skip(1).filter(|c| c.parent == 0).count();
        let first_queue = selection.containers.len();
        for queue in module.queues() {
            selection.add_queue(queue)?;
        }
        selection.sum_up(first_queue);
        selection.open(roots, first_queue, options.max_nodes as u64);
        Ok(selection)
    }

    fn add(&mut self, what: What<'m>, parent: usize) -> Result<()> {
        index32(self.containers.len())?;
        push(&mut self.containers, Container::new(what, parent))
    }

    /// Counts what is right in container `at` and appends the containers in it.
    fn look_into(&mut self, at: usize) -> Result<()> {
        let first = self.containers.len();
        let Some(container) = self.containers.get(at) else { return Ok(()) };
        match container.what {
            What::Function(function) => {
                for block in function.blocks() {
                    self.add(What::Block(block), at)?;
                }
            }
            What::Block(block) => {
                for instruction in block.instructions() {
                    if let Some(container) = self.containers.get_mut(at) {
                        container.count(instruction);
                        container.cost = container.cost.saturating_add(1);
                    }
                    if let Some(wanted) = &mut self.wanted {
                        for started in dma_blocks(instruction)? {
                            push(wanted, started.unique_id())?;
                        }
                    }
                    for nested in instruction.block_holder().into_iter().flat_map(BasicBlockHolder::blocks) {
                        self.add(What::Block(nested), at)?;
                    }
                }
            }
            What::Module | What::Queue(_) => {}
        }
        let count = self.containers.len().saturating_sub(first);
        if let Some(container) = self.containers.get_mut(at) {
            container.children = (first, count);
            container.cost = container.cost.saturating_add(count as u64);
        }
        Ok(())
    }

    fn add_queue(&mut self, queue: &'m DMAQueue) -> Result<()> {
        let mut container = Container::new(What::Queue(queue), 0);
        for instruction in self.of_queue(queue) {
            for one in core::iter::once(instruction)
                .chain(instruction.block_holder().into_iter().flat_map(BasicBlockHolder::instructions))
            {
                container.count(one);
                container.cost = container.cost.saturating_add(1);
            }
        }
        if container.cost == 0 {
            return Ok(());
        }
        container.blocks = queue.block_count() as u64;
        index32(self.containers.len())?;
        push(&mut self.containers, container)
    }

    /// The instructions right in a queue that belong to the part that is shown.
    pub(super) fn of_queue(&self, queue: &'m DMAQueue) -> impl Iterator<Item = &'m Instruction> {
        let wanted = self.wanted.as_ref();
        queue
            .blocks()
            .flat_map(BasicBlock::instructions)
            .filter(move |i| wanted.is_none_or(|w| w.binary_search(&i.unique_id()).is_ok()))
    }

    /// Adds up counts, inner ones first: what is inside has a larger number. The module gets those of its queues too.
    fn sum_up(&mut self, first_queue: usize) {
        for at in (1..self.containers.len()).rev() {
            let Some(Container { parent, by_engine, blocks, what, .. }) = self.containers.get(at) else { continue };
            let own = u64::from(matches!(what, What::Block(_)) && at < first_queue);
            let (parent, by_engine, blocks) = (*parent, *by_engine, blocks.saturating_add(own));
            if let Some(parent) = self.containers.get_mut(parent) {
                parent.blocks = parent.blocks.saturating_add(blocks);
                for (sum, part) in parent.by_engine.iter_mut().zip(by_engine) {
                    *sum = sum.saturating_add(part);
                }
            }
        }
    }

    /// Opens containers while the nodes last: the module, then outer ones before inner ones, then queues.
    fn open(&mut self, roots: usize, first_queue: usize, max_nodes: u64) {
        let queues = self.containers.len().saturating_sub(first_queue);
        let mut nodes = (roots as u64).saturating_add(queues as u64);
        if let Some(module) = self.containers.first_mut() {
            module.children = (1, roots);
            // An empty module is shown as such.
            module.open = nodes > 0 && nodes <= max_nodes;
        }
        for at in 1..self.containers.len() {
            let parent = self.containers.get(at).map_or(0, |c| c.parent);
            let reached = self.containers.get(parent).is_some_and(|p| p.open);
            if let Some(container) = self.containers.get_mut(at).filter(|_| reached) {
                let with = nodes.saturating_add(container.cost);
                if with <= max_nodes {
                    (nodes, container.open) = (with, true);
                }
            }
        }
    }

    /// The queues that are shown.
    pub(super) fn queues(&self) -> impl Iterator<Item = (&Container<'m>, &'m DMAQueue)> {
        self.containers.iter().filter_map(|c| match c.what {
            What::Queue(queue) => Some((c, queue)),
            _ => None,
        })
    }
}

/// What the options name.
pub(super) enum Chosen<'m> {
    Module,
    Function(&'m Function),
    Block(&'m BasicBlock),
}

impl<'m> Chosen<'m> {
    /// # Errors
    /// `NotFound`, with the names of functions that there are.
    pub(super) fn new(module: &'m ModuleRef, options: &GraphOptions<'_>) -> Result<Self> {
        let all = || module.functions().chain(module.nki_functions());
        let function = match options.function {
            None => None,
            Some(name) => match all().find(|f| *f.name() == *name) {
                Some(function) => Some(function),
                None => {
                    let names: Vec<String> = all().take(10).map(|f| text(format_args!("`{}`", f.name()))).collect();
                    let error = Error::new(ErrorCode::NotFound, format_args!("there is no function `{name}`"));
                    return Err(error.expected_found(names.join(", "), ""));
                }
            },
        };
        match (options.block, function) {
            (None, None) => Ok(Chosen::Module),
            (None, Some(function)) => Ok(Chosen::Function(function)),
            (Some(name), _) => {
                let mut places = all().filter(|f| function.is_none_or(|g| g.unique_id() == f.unique_id()));
                match places.find_map(|f| f.block_holder().find_block_below(name)) {
                    Some(block) => Ok(Chosen::Block(block)),
                    None => Err(Error::new(ErrorCode::NotFound, format_args!("there is no block `{name}`"))),
                }
            }
        }
    }
}

/// The DMA blocks that an instruction starts.
pub(super) fn dma_blocks(instruction: &Instruction) -> Result<Vec<&Instruction>> {
    let mut found = Vec::new();
    for field in instruction.info()?.fields.iter().filter(|f| f.slot == Slot::DmaBlocks) {
        if let Value::List(values) = instruction.get_field(field)? {
            for value in values {
                if let Value::Instruction(block) = value {
                    push(&mut found, block)?;
                }
            }
        }
    }
    Ok(found)
}

/// A block's path in a document.
pub(super) fn block_path(block: &BasicBlock) -> String {
    let Some(holder) = block.holder() else { return text(block.name()) };
    let number = holder.blocks().position(|b| b.unique_id() == block.unique_id()).unwrap_or_default();
    match holder.part_of() {
        Some(HolderOwner::Function(f)) => text(format_args!("{}.blocks[{number}]", function_path(f))),
        Some(HolderOwner::Instruction(i)) => text(format_args!("{}.blocks[{number}]", i.path())),
        _ => text(format_args!("blocks[{number}]")),
    }
}
