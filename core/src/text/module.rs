//! Modules, functions, queues and blocks: the lines that others are indented below.
#![forbid(unsafe_code)]

use super::printer::Printer;
use super::style::{Item, Output, Style};
use crate::Result;
use crate::enums::bir::{ArchLevel, ArchRevision, DMAQueueType, EngineType};
use crate::fallible::push;
use crate::ir::{
    BasicBlock, BasicBlockArgument, BasicBlockHolder, DMAQueue, Function, Instruction, ModuleRef, Objects,
};
use alloc::vec::Vec;
use core::ptr;

/// A list that is being walked.
enum Level<'m> {
    Blocks(Objects<'m, BasicBlock>),
    Instructions(Objects<'m, Instruction>),
}

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    /// A whole module: its own line, functions, NKI functions, queues, in their order.
    ///
    /// # Errors
    /// `OutOfMemory`, and those of the output; never because the module contradicts itself.
    pub fn module(&mut self, module: &'m ModuleRef) -> Result<()> {
        self.module_line(module)?;
        for function in module.functions().chain(module.nki_functions()) {
            self.function(function)?;
        }
        for queue in module.queues() {
            self.queue(queue)?;
        }
        Ok(())
    }

    /// What the module itself has, without functions and queues.
    ///
    /// # Errors
    /// As [`Printer::module`].
    pub fn module_line(&mut self, module: &'m ModuleRef) -> Result<()> {
        self.line(Item::Module(module), 0, |p| {
            p.put(Style::Keyword, "module")?;
            p.plain(":")?;
            p.key("arch")?;
            p.member::<ArchLevel>(Style::Member, module.arch.get())?;
            if module.arch_revision.get() != ArchRevision::v1.ordinal() || p.all {
                p.key("revision")?;
                p.member::<ArchRevision>(Style::Member, module.arch_revision.get())?;
            }
            p.key_text("artifact_path", &module.artifact_path())?;
            p.key_json("artifact_info", &module.artifact_info())?;
            p.key_json("attributes", &module.attributes_json())?;
            if p.all && p.shows_ids() {
                p.key("next_unique_id")?;
                p.unsigned(module.next_unique_id().into())?;
            }
            Ok(())
        })?;
        let mut calls = Vec::new();
        for (call, locations) in module.call_bindings() {
            push(&mut calls, (call, locations))?;
        }
        calls.sort_by_key(|(call, _)| call.name());
        for (call, locations) in calls {
            self.line(Item::Call(call), 1, |p| {
                p.put(Style::Keyword, "call_to_physical_memlocs ")?;
                p.instruction_ref(call, None)?;
                p.plain(": ")?;
                p.list(locations, Self::location_ref)
            })?;
        }
        Ok(())
    }

    /// A function: its own line, storages, blocks.
    ///
    /// # Errors
    /// As [`Printer::module`].
    pub fn function(&mut self, function: &'m Function) -> Result<()> {
        let nki = function.holder().is_some_and(|holder| {
            let own = holder.module().map(ModuleRef::function_holder);
            own.is_some_and(|own| !ptr::eq(own, holder))
        });
        self.here = Some(function);
        self.line(Item::Function(function), 0, |p| {
            p.head(if nki { "nki function" } else { "function" }, &function.name(), Some(function.unique_id()))?;
            p.key_list("attributes", function.attributes(), |p, name| p.name(Style::Member, &name))?;
            p.origin(function.named.named_object_base.origin.get())
        })?;
        for storage in function.storages() {
            self.storage(storage, 1)?;
        }
        self.blocks(function.block_holder(), 1)
    }

    /// A queue: its own line, blocks.
    ///
    /// # Errors
    /// As [`Printer::module`].
    pub fn queue(&mut self, queue: &'m DMAQueue) -> Result<()> {
        self.here = None;
        self.line(Item::Queue(queue), 0, |p| {
            p.head("queue", &queue.name(), Some(queue.unique_id()))?;
            p.plain(" ")?;
            p.member::<DMAQueueType>(Style::Member, queue.queue_type.get())?;
            if queue.engine.get() != EngineType::Unassigned.ordinal() || p.all {
                p.engine(queue.engine.get())?;
            }
            p.key_unsigned("engine_id", queue.engine_id().into(), 0)?;
            p.key_unsigned("num_dma_engines", queue.num_dma_engines().into(), 0)?;
            p.key_json("attributes", &queue.attributes_json())?;
            p.origin(queue.named.named_object_base.origin.get())
        })?;
        self.blocks(queue.block_holder(), 1)
    }

    /// A block with everything in it.
    ///
    /// # Errors
    /// As [`Printer::module`].
    pub fn block(&mut self, block: &'m BasicBlock) -> Result<()> {
        self.here = block.function();
        self.block_lines(block, 0)?;
        self.walk(Level::Instructions(block.instructions()), 1, Some(block))
    }

    /// An instruction with its nested blocks.
    ///
    /// # Errors
    /// As [`Printer::module`].
    pub fn instruction(&mut self, instruction: &'m Instruction) -> Result<()> {
        self.here = instruction.function();
        self.line(Item::Instruction(instruction), 0, |p| p.instruction_line(instruction))?;
        match instruction.block_holder() {
            Some(holder) => self.walk(Level::Blocks(holder.blocks()), 1, instruction.block()),
            None => Ok(()),
        }
    }

    fn blocks(&mut self, holder: &'m BasicBlockHolder, depth: usize) -> Result<()> {
        self.walk(Level::Blocks(holder.blocks()), depth, None)
    }

    /// Everything below, depth first. No recursion: loops may be nested deeper than the stack allows. Each object is only
    /// reached through its one owner, so the walk ends, unless foreign code made `around`, the block where it started, an
    /// inner block of itself; that one is not entered again.
    fn walk(&mut self, first: Level<'m>, depth: usize, around: Option<&'m BasicBlock>) -> Result<()> {
        let mut open = Vec::new();
        push(&mut open, first)?;
        while let Some(level) = open.last_mut() {
            let inner = match level {
                Level::Blocks(blocks) => match blocks.next() {
                    Some(block) if around.is_some_and(|around| ptr::eq(around, block)) => continue,
                    Some(block) => {
                        let depth = depth + open.len() - 1;
                        self.block_lines(block, depth)?;
                        Level::Instructions(block.instructions())
                    }
                    None => {
                        open.pop();
                        continue;
                    }
                },
                Level::Instructions(instructions) => match instructions.next() {
                    Some(instruction) => {
                        let depth = depth + open.len() - 1;
                        self.line(Item::Instruction(instruction), depth, |p| p.instruction_line(instruction))?;
                        match instruction.block_holder() {
                            Some(holder) => Level::Blocks(holder.blocks()),
                            None => continue,
                        }
                    }
                    None => {
                        open.pop();
                        continue;
                    }
                },
            };
            push(&mut open, inner)?;
        }
        Ok(())
    }

    /// The line of a block and those of its arguments.
    fn block_lines(&mut self, block: &'m BasicBlock, depth: usize) -> Result<()> {
        self.line(Item::Block(block), depth, |p| {
            p.head("block", &block.name(), Some(block.unique_id()))?;
            p.origin(block.named.named_object_base.origin.get())
        })?;
        for argument in block.arguments() {
            self.line(Item::Argument(argument), depth + 1, |p| p.argument(block, argument))?;
        }
        Ok(())
    }

    /// `arg phi: memref=a incoming_values=[x:entry, y:body]`.
    fn argument(&mut self, block: &BasicBlock, argument: &BasicBlockArgument) -> Result<()> {
        self.head("arg", &argument.name(), None)?;
        if let Some(storage) = argument.location() {
            self.key(match (storage.as_set(), storage.as_register()) {
                (Some(_), _) => "memsetref",
                (_, Some(_)) => "regref",
                _ => "memref",
            })?;
            self.storage_ref(storage)?;
        }
        self.key_list("incoming_values", argument.incoming(), |p, (value, predecessor)| {
            p.storage_ref(value)?;
            p.plain(":")?;
            p.block_ref(predecessor, Some(block))
        })
    }
}
