//! The second pass: links that may point forward. Edges to instructions that were read already are made at once; the rest
//! waits here, with the name in the document and its place in the text.
#![forbid(unsafe_code)]

use super::super::input::Input;
use super::super::path::Path;
use super::{Reader, Renames, address, root_holder, unresolved};
use crate::enums::bir::{EdgeKind, InstructionType};
use crate::fallible::push;
use crate::ir::raw::slot::slot;
use crate::ir::raw::{Link, Ptr};
use crate::ir::{
    AffinePredicate, BasicBlock, BasicBlockArgument, BasicBlockHolder, DMAQueue, EdgeSet, Function, Instruction,
    MemoryLocation, QuasiAffineExpr, StorageBase,
};
use crate::mem::StdVector;
use crate::op::{Field, Slot};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::hash::BuildHasher;
use hashbrown::{HashMap, HashTable};

/// Names of instructions, by the function or queue around them: each name means the first instruction in program order,
/// depth first, that bore it.
#[derive(Default)]
pub(super) struct Scopes<'m> {
    tables: Vec<Scope<'m>>,
    /// The address of a function's or queue's holder to its place in `tables`.
    places: HashMap<usize, usize, super::Fixed>,
    /// The place that was asked for last.
    last: Cell<usize>,
    hasher: super::Fixed,
}

/// One scope.
struct Scope<'m> {
    /// The address of the holder.
    root: usize,
    /// Each name's hash beside its instruction: a table that grows, or a search that fails, then touches no instructions.
    names: HashTable<(u64, &'m Instruction)>,
}

impl<'m> Scopes<'m> {
    /// Begins the scope of a function or queue.
    pub(super) fn open(&mut self, root: &'m BasicBlockHolder) -> Result<()> {
        self.places.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        if self.place(root).is_none() {
            self.places.insert(address(root), self.tables.len());
            push(&mut self.tables, Scope { root: address(root), names: HashTable::new() })?;
        }
        Ok(())
    }

    /// The place of a scope in `tables`.
    #[inline]
    fn place(&self, root: &BasicBlockHolder) -> Option<usize> {
        let last = self.last.get();
        if self.tables.get(last).is_some_and(|scope| scope.root == address(root)) {
            return Some(last);
        }
        let place = *self.places.get(&address(root))?;
        self.last.set(place);
        Some(place)
    }

    fn is_called(instruction: &Instruction, name: &str, renames: &Renames) -> bool {
        if renames.renamed.is_empty() {
            return *instruction.name() == *name;
        }
        match renames.renamed.get(&address(instruction)) {
            Some(original) => original == name,
            None => *instruction.name() == *name,
        }
    }

    /// Enters an instruction under its name in the document, unless an earlier one has that name.
    pub(super) fn enter(&mut self, instruction: &'m Instruction, name: &str, renames: &Renames) -> Result<()> {
        let Some(root) = root_holder(instruction) else { return Ok(()) };
        let hash = self.hasher.hash_one(name);
        let Some(Scope { names: table, .. }) = self.place(root).and_then(|place| self.tables.get_mut(place)) else {
            return Ok(());
        };
        if table.find(hash, |(h, i)| *h == hash && Self::is_called(i, name, renames)).is_some() {
            return Ok(());
        }
        let stored = |(hash, _): &(u64, &'m Instruction)| *hash;
        table.try_reserve(1, stored).map_err(|_| Error::out_of_memory())?;
        table.insert_unique(hash, (hash, instruction), stored);
        Ok(())
    }

    /// The instruction that a name means in the scope of `root`.
    pub(super) fn find(&self, root: &BasicBlockHolder, name: &str, renames: &Renames) -> Option<&'m Instruction> {
        let hash = self.hasher.hash_one(name);
        let table = &self.tables.get(self.place(root)?)?.names;
        let found = table.find(hash, |(h, i)| *h == hash && Self::is_called(i, name, renames));
        found.map(|(_, instruction)| *instruction)
    }
}

/// What a block argument names.
#[derive(Default)]
pub(super) struct ArgumentLinks {
    /// Its path.
    pub(super) path: String,
    /// Where it stood.
    pub(super) offset: u64,
    /// Key and name of the storage, and where the name stood.
    pub(super) location: Option<(&'static str, String, u64)>,
    /// Storage and block names, and where each pair stood.
    pub(super) incoming: Vec<(String, String, u64)>,
}

struct Edge<'m> {
    from: &'m Instruction,
    set: EdgeSet,
    index: u32,
    kind: EdgeKind,
    name: String,
    offset: u64,
}

struct Unroll<'m> {
    from: &'m Instruction,
    index: usize,
    name: String,
    kind: EdgeKind,
    exprs: Vec<QuasiAffineExpr<'m>>,
    predicates: Vec<AffinePredicate<'m>>,
    offset: u64,
}

struct SlotLink<'m> {
    from: &'m Instruction,
    field: &'static Field,
    /// The key as the document spells it.
    key: &'static str,
    /// Each name, and where it stood.
    names: Vec<(String, u64)>,
}

struct Call {
    name: String,
    offset: u64,
    /// Each location's name, and where it stood.
    locations: Vec<(String, u64)>,
}

/// Links that wait.
#[derive(Default)]
pub(super) struct Pending<'m> {
    edges: Vec<Edge<'m>>,
    unrolls: Vec<Unroll<'m>>,
    producers: Vec<(&'m Instruction, usize, String, u64)>,
    slots: Vec<SlotLink<'m>>,
    /// Every DMATrigger, and where it stood.
    triggers: Vec<(&'m Instruction, u64)>,
    arguments: Vec<(&'m BasicBlock, &'m BasicBlockArgument, ArgumentLinks)>,
    calls: Vec<Call>,
}

impl<'m> Pending<'m> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn unroll(
        &mut self,
        from: &'m Instruction,
        index: usize,
        name: String,
        kind: EdgeKind,
        exprs: Vec<QuasiAffineExpr<'m>>,
        predicates: Vec<AffinePredicate<'m>>,
        offset: u64,
    ) -> Result<()> {
        push(&mut self.unrolls, Unroll { from, index, name, kind, exprs, predicates, offset })
    }

    pub(super) fn producer(&mut self, from: &'m Instruction, index: usize, name: String, offset: u64) -> Result<()> {
        push(&mut self.producers, (from, index, name, offset))
    }

    pub(super) fn slot(
        &mut self,
        from: &'m Instruction,
        field: &'static Field,
        key: &'static str,
        name: String,
        offset: u64,
    ) -> Result<()> {
        let mut names = Vec::new();
        push(&mut names, (name, offset))?;
        self.dma_blocks(from, field, key, names)
    }

    pub(super) fn dma_blocks(
        &mut self,
        from: &'m Instruction,
        field: &'static Field,
        key: &'static str,
        names: Vec<(String, u64)>,
    ) -> Result<()> {
        push(&mut self.slots, SlotLink { from, field, key, names })
    }

    pub(super) fn trigger(&mut self, trigger: &'m Instruction, offset: u64) -> Result<()> {
        push(&mut self.triggers, (trigger, offset))
    }

    pub(super) fn argument(
        &mut self,
        block: &'m BasicBlock,
        argument: &'m BasicBlockArgument,
        links: ArgumentLinks,
    ) -> Result<()> {
        push(&mut self.arguments, (block, argument, links))
    }

    pub(super) fn call(&mut self, name: String, locations: Vec<(String, u64)>, offset: u64) -> Result<()> {
        push(&mut self.calls, Call { name, offset, locations })
    }
}

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    /// An edge: made at once if its target was read already. `root` is the [`root_holder`] of `from`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn edge(
        &mut self,
        from: &'m Instruction,
        root: Option<&BasicBlockHolder>,
        set: EdgeSet,
        index: usize,
        kind: EdgeKind,
        name: &str,
        offset: u64,
    ) -> Result<()> {
        let target = root.and_then(|root| self.scopes.find(root, name, &self.renames));
        match target {
            Some(target) => from.add_dependency(target, kind, set).map(|_| ()).map_err(|e| self.place(e)),
            None => {
                let edge = Edge { from, set, index: index as u32, kind, name: String::from(name), offset };
                push(&mut self.pending.edges, edge)
            }
        }
    }

    /// An error of the second pass: its place lies inside an instruction that was read long ago.
    fn late(&self, error: Error, from: &Instruction, inside: core::fmt::Arguments<'_>, offset: u64) -> Error {
        self.late_at(error, format_args!("{}.{inside}", from.path()), offset)
    }

    fn late_at(&self, error: Error, path: core::fmt::Arguments<'_>, offset: u64) -> Error {
        let path = crate::error::text(format_args!("{}{path}", if self.wrapped { "module." } else { "" }));
        Error { path, position: Some(self.input.position_of(offset)), ..error }
    }

    /// What is resolved when all blocks of a function or queue exist: branch targets and loop-carried edges.
    pub(super) fn resolve_function_level(&mut self) -> Result<()> {
        let slots = core::mem::take(&mut self.pending.slots);
        for link in slots {
            if link.field.slot == Slot::Block && !uses_queue(link.from) {
                self.branch_target(&link)?;
            } else {
                push(&mut self.pending.slots, link)?;
            }
        }
        let edges = core::mem::take(&mut self.pending.edges);
        for edge in edges {
            if edge.set == EdgeSet::LoopCarried {
                self.late_edge(&edge)?;
            } else {
                push(&mut self.pending.edges, edge)?;
            }
        }
        Ok(())
    }

    fn branch_target(&mut self, link: &SlotLink<'m>) -> Result<()> {
        let (name, _) = link.first();
        let holder = link.from.block().and_then(BasicBlock::holder);
        match holder.and_then(|h| self.block_outward(h, name)) {
            Some(block) => self.set_link(link, block),
            None => Err(self.late_link(unresolved("block", name), link)),
        }
    }

    /// The error of a link that has one name.
    fn late_link(&self, error: Error, link: &SlotLink<'m>) -> Error {
        self.late(error, link.from, format_args!("{}", link.key), link.first().1)
    }

    fn block_outward(&self, from: &'m BasicBlockHolder, name: &str) -> Option<&'m BasicBlock> {
        let mut holder = from;
        loop {
            if let Some(block) = self.block_in(holder, name) {
                return Some(block);
            }
            let crate::ir::HolderOwner::Instruction(outer) = holder.part_of()? else { return None };
            holder = outer.block()?.holder()?;
        }
    }

    /// The block that a name in the document means in one holder.
    fn block_in(&self, holder: &'m BasicBlockHolder, name: &str) -> Option<&'m BasicBlock> {
        let found = holder.find_block(name);
        let object = self.original(address(holder), name, found.map(address))?;
        found.filter(|f| address(*f) == object).or_else(|| holder.blocks().find(|b| address(*b) == object))
    }

    fn set_link<T>(&self, link: &SlotLink<'m>, target: &'m T) -> Result<()> {
        match slot::<Link<T>>(link.from, link.field.offset) {
            Some(slot) => slot.set(Some(target)),
            None => return Err(self.error(ErrorCode::Internal, "a reference without payload slot")),
        }
        Ok(())
    }

    fn late_edge(&mut self, edge: &Edge<'m>) -> Result<()> {
        let (key, what) = match edge.set {
            EdgeSet::Normal => ("dependencies", "unknown dependency"),
            EdgeSet::LoopCarried => ("loop_carried_dependencies", "unknown loop-carried dependency"),
        };
        let target = root_holder(edge.from).and_then(|root| self.scopes.find(root, &edge.name, &self.renames));
        let place = format_args!("{key}[{}]", edge.index);
        let Some(target) = target else {
            let e = Error::new(ErrorCode::UnresolvedRef, format_args!("{what} `{}`", edge.name))
                .expected_found("the name of an instruction", "none of that name");
            return Err(self.late(e, edge.from, place, edge.offset));
        };
        match edge.from.add_dependency(target, edge.kind, edge.set) {
            Ok(_) => Ok(()),
            Err(e) => Err(self.late(e, edge.from, format_args!("{key}[{}]", edge.index), edge.offset)),
        }
    }

    pub(super) fn function_by_name(&self, name: &str) -> Option<&'m Function> {
        let module = self.module;
        [Some(module.function_holder()), module.nki_holder().ok()].into_iter().flatten().find_map(|holder| {
            let found = holder.find_function(name);
            let object = self.original(address(holder), name, found.map(address))?;
            found.filter(|f| address(*f) == object).or_else(|| holder.functions().find(|f| address(*f) == object))
        })
    }

    fn queue_by_name(&self, name: &str) -> Option<&'m DMAQueue> {
        let found = self.module.find_queue(name);
        let object = self.original(address(self.module), name, found.map(address))?;
        found.filter(|f| address(*f) == object).or_else(|| self.module.queues().find(|q| address(*q) == object))
    }

    /// The first instruction that a name means in any function, then in any queue.
    fn instruction_anywhere(&self, name: &str) -> Option<&'m Instruction> {
        let functions = self.module.functions().chain(self.module.nki_functions()).map(Function::block_holder);
        let queues = self.module.queues().map(DMAQueue::block_holder);
        functions.chain(queues).find_map(|root| self.scopes.find(root, name, &self.renames))
    }

    /// Everything that waited.
    pub(super) fn resolve(&mut self) -> Result<()> {
        let slots = core::mem::take(&mut self.pending.slots);
        // Queues first: instances and DMA blocks are looked up in the queue of their instruction.
        for link in slots.iter().filter(|l| l.field.slot == Slot::Queue) {
            self.queue_link(link)?;
        }
        for link in slots.iter().filter(|l| l.field.slot != Slot::Queue) {
            self.slot_link(link)?;
        }
        self.check_triggers()?;
        for edge in core::mem::take(&mut self.pending.edges) {
            self.late_edge(&edge)?;
        }
        for unroll in core::mem::take(&mut self.pending.unrolls) {
            let target = root_holder(unroll.from).and_then(|root| self.scopes.find(root, &unroll.name, &self.renames));
            let Some(target) = target else {
                let e = Error::new(ErrorCode::UnresolvedRef, format_args!("unknown dependency `{}`", unroll.name))
                    .expected_found("the name of an instruction", "none of that name");
                return Err(self.late_unroll(e, &unroll));
            };
            unroll
                .from
                .add_unroll_dependency(target, unroll.kind, &unroll.exprs, &unroll.predicates)
                .map_err(|e| self.late_unroll(e, &unroll))?;
        }
        for (from, index, name, offset) in core::mem::take(&mut self.pending.producers) {
            let own = root_holder(from).and_then(|root| self.scopes.find(root, &name, &self.renames));
            let place = format_args!("sync_info.on_wait[{index}].from");
            let Some(producer) = own.or_else(|| self.instruction_anywhere(&name)) else {
                let e = Error::new(ErrorCode::UnresolvedRef, format_args!("unknown producer `{name}`"))
                    .expected_found("the name of an instruction", "none of that name");
                return Err(self.late(e, from, place, offset));
            };
            let done = from.set_wait_producer(index, Some(producer));
            done.map_err(|e| self.late(e, from, format_args!("sync_info.on_wait[{index}].from"), offset))?;
        }
        for (block, argument, links) in core::mem::take(&mut self.pending.arguments) {
            self.argument_links(block, argument, &links)?;
        }
        for call in core::mem::take(&mut self.pending.calls) {
            self.call_binding(&call)?;
        }
        Ok(())
    }

    fn late_unroll(&self, error: Error, unroll: &Unroll<'m>) -> Error {
        self.late(error, unroll.from, format_args!("unroll_dependencies[{}]", unroll.index), unroll.offset)
    }

    fn queue_link(&mut self, link: &SlotLink<'m>) -> Result<()> {
        let (name, _) = link.first();
        match self.queue_by_name(name) {
            Some(queue) => self.set_link(link, queue),
            None => {
                let e = Error::new(ErrorCode::UnresolvedRef, format_args!("queue `{name}` does not exist"))
                    .expected_found("the name of a queue of the module", "none of that name");
                Err(self.late_link(e, link))
            }
        }
    }

    fn slot_link(&mut self, link: &SlotLink<'m>) -> Result<()> {
        let (name, _) = link.first();
        match link.field.slot {
            Slot::Function => match self.function_by_name(name) {
                Some(function) => self.set_link(link, function),
                None => Err(self.late_link(unresolved("function", name), link)),
            },
            Slot::Trigger => {
                let found = self.instruction_anywhere(name);
                match found.filter(|i| i.opcode().is_ok_and(|o| o == InstructionType::DMATrigger)) {
                    Some(trigger) => self.set_link(link, trigger),
                    None => Err(self.late_link(unresolved("DMATrigger", name), link)),
                }
            }
            // Branch targets were resolved with their function; what is left names an instance of the queue.
            Slot::Block => {
                let queue = link.from.queue_link().and_then(Link::get);
                match queue.and_then(|q| self.block_in(q.block_holder(), name)) {
                    Some(block) => self.set_link(link, block),
                    None => {
                        let what = format_args!("there is no block `{name}` in the queue of the instruction");
                        let e = Error::new(ErrorCode::UnresolvedRef, what)
                            .expected_found("the name of a block", "none of that name");
                        Err(self.late_link(e, link))
                    }
                }
            }
            Slot::DmaBlocks => {
                // Without a queue the check of the triggers fails.
                let Some(queue) = link.from.queue_link().and_then(Link::get) else { return Ok(()) };
                let Some(list) = slot::<StdVector<Ptr<Instruction>>>(link.from, link.field.offset) else {
                    return Err(self.error(ErrorCode::Internal, "dma_blocks without payload slot"));
                };
                for (index, (name, offset)) in link.names.iter().enumerate() {
                    let found = self.scopes.find(queue.block_holder(), name, &self.renames);
                    let Some(block) = found else {
                        let what = format_args!("DMA block `{name}` does not exist in queue `{}`", queue.name());
                        let e = Error::new(ErrorCode::UnresolvedRef, what)
                            .expected_found("the name of a DMABlock", "none of that name");
                        return Err(self.late(e, link.from, format_args!("{}[{index}]", link.key), *offset));
                    };
                    list.push(self.module.arena()?, Ptr::to(block))?;
                    // The back link of the block, unless its own `dma_trigger` says otherwise.
                    if let Some(trigger) = block.trigger_link().filter(|t| t.is_null()) {
                        trigger.set(Some(link.from));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Every DMATrigger has a queue and at least one block.
    fn check_triggers(&mut self) -> Result<()> {
        let blocks = crate::op::OpcodeInfo::of(InstructionType::DMATrigger)
            .fields
            .iter()
            .find(|f| f.slot == Slot::DmaBlocks)
            .map(|f| f.offset);
        for (trigger, offset) in core::mem::take(&mut self.pending.triggers) {
            let blocks = blocks.and_then(|at| slot::<StdVector<Ptr<Instruction>>>(trigger, at));
            let (has_queue, has_blocks) =
                (trigger.queue_link().is_some_and(|q| !q.is_null()), blocks.is_some_and(|b| !b.is_empty()));
            if !has_queue || !has_blocks {
                let expected = if has_queue { "a name in `dma_blocks`" } else { "`queue`" };
                let e = Error::new(ErrorCode::MissingKey, "a DMATrigger must have queue and block set")
                    .expected_found(expected, "");
                return Err(self.late_at(e, format_args!("{}", trigger.path()), offset));
            }
        }
        Ok(())
    }

    fn argument_links(
        &mut self,
        block: &'m BasicBlock,
        argument: &'m BasicBlockArgument,
        links: &ArgumentLinks,
    ) -> Result<()> {
        // The path was remembered with everything before it.
        let at = |e: Error, inside: core::fmt::Arguments<'_>, offset: u64| Error {
            path: crate::error::text(format_args!("{}{inside}", links.path)),
            position: Some(self.input.position_of(offset)),
            ..e
        };
        let Some(function) = block.function() else {
            let e = Error::new(ErrorCode::Unsupported, "a block of a queue has no arguments");
            return Err(at(e, format_args!(""), links.offset));
        };
        if let Some((key, name, offset)) = &links.location {
            let found = match *key {
                "memref" => self.location_by_name(function, None, name).map(MemoryLocation::base),
                "memsetref" => self.set_by_name(function, name).map(|s| s.storage().base()),
                "regref" => {
                    self.storage_by_name(function, name).and_then(|s| s.as_register()).map(|r| r.storage().base())
                }
                _ => self.any_storage(function, name),
            };
            let kind = match *key {
                "memref" => "location",
                "memsetref" => "set",
                "regref" => "register",
                _ => "storage",
            };
            found
                .ok_or_else(|| unresolved(kind, name))
                .and_then(|storage| argument.set_location(Some(storage)))
                .map_err(|e| at(e, format_args!(".{key}"), *offset))?;
        }
        for (index, (value, predecessor, offset)) in links.incoming.iter().enumerate() {
            let storage = self.any_storage(function, value).ok_or_else(|| unresolved("storage", value));
            let from = block.holder().and_then(|h| self.block_outward(h, predecessor));
            storage
                .and_then(|s| Ok((s, from.ok_or_else(|| unresolved("block", predecessor))?)))
                .and_then(|(storage, from)| argument.add_incoming(storage, from))
                .map_err(|e| at(e, format_args!(".incoming_values[{index}]"), *offset))?;
        }
        Ok(())
    }

    /// A set, register or location of that name, in this order.
    fn any_storage(&self, function: &'m Function, name: &str) -> Option<&'m StorageBase> {
        self.storage_by_name(function, name)
            .map(|s| s.base())
            .or_else(|| self.location_by_name(function, None, name).map(MemoryLocation::base))
    }

    fn call_binding(&mut self, call: &Call) -> Result<()> {
        let mut path = Path::new();
        path.push_key("call_to_physical_memlocs");
        path.push_name(&call.name);
        let name = call.name.as_str();
        let bound = self.bound_call(name).map_err(|e| self.late_at(e, format_args!("{path}"), call.offset))?;
        let (call_instruction, target) = bound;
        let mut found: Vec<&MemoryLocation> = Vec::new();
        for (index, (location, offset)) in call.locations.iter().enumerate() {
            match self.location_by_name(target, None, location) {
                Some(l) => push(&mut found, l)?,
                None => {
                    let message =
                        format_args!("`{location}` is no location of the called function `{}`", target.name());
                    let e = Error::new(ErrorCode::UnresolvedRef, message)
                        .expected_found("the name of a location", "none of that name");
                    return Err(self.late_at(e, format_args!("{path}[{index}]"), *offset));
                }
            }
        }
        let done = self.module.add_call_binding(call_instruction, &found);
        done.map_err(|e| self.late_at(e, format_args!("{path}"), call.offset))
    }

    /// The call of a binding, and the function that it calls.
    fn bound_call(&self, name: &str) -> Result<(&'m Instruction, &'m Function)> {
        let main = self.function_by_name("main").or_else(|| self.module.functions().next());
        let call = main.and_then(|f| self.scopes.find(f.block_holder(), name, &self.renames));
        let Some(call) = call else {
            let message = format_args!("there is no call `{name}` in the main function");
            return Err(
                Error::new(ErrorCode::UnresolvedRef, message).expected_found("the name of a Call", "none of that name")
            );
        };
        if call.opcode()? != InstructionType::Call {
            return Err(Error::new(ErrorCode::WrongKind, format_args!("`{name}` is no Call"))
                .expected_found("Call", call.opcode()?.name()));
        }
        let target = crate::op::OpcodeInfo::of(InstructionType::Call)
            .fields
            .iter()
            .find(|f| f.slot == Slot::Function)
            .and_then(|f| slot::<Link<Function>>(call, f.offset)?.get());
        let Some(target) = target else {
            return Err(Error::new(ErrorCode::UnresolvedRef, format_args!("call `{name}` has no target")));
        };
        Ok((call, target))
    }
}

impl SlotLink<'_> {
    /// The first or only name, and where it stood.
    fn first(&self) -> (&str, u64) {
        self.names.first().map_or(("", 0), |(name, offset)| (name, *offset))
    }
}

/// Whether the opcode names a queue, in which then its block references lie.
fn uses_queue(instruction: &Instruction) -> bool {
    instruction.queue_link().is_some()
}
