//! References of a clone: to a clone if the target was cloned too; else to the target itself where that is right; else to
//! what has the target's name at the destination.

use super::cloner::Cloner;
use crate::error::bail;
use crate::ir::raw::{
    BasicBlock, BasicBlockHolder, DMAQueue, Function, FunctionHolder, Instruction, LoopAxis, MemoryLocation,
    MemoryLocationSet, Module, Ptr, Register, Storage, StorageBase, cast, owner::same,
};
use crate::{Error, ErrorCode, Result};

/// The outermost owner of a block.
enum Around<'a> {
    Function(&'a Function),
    Queue(&'a DMAQueue),
}

fn around(block: &BasicBlock) -> Option<Around<'_>> {
    let mut block = block;
    loop {
        match block.holder()?.part_of()? {
            cast::HolderOwner::Function(function) => return Some(Around::Function(function)),
            cast::HolderOwner::Queue(queue) => return Some(Around::Queue(queue)),
            cast::HolderOwner::Instruction(instruction) => block = instruction.block()?,
        }
    }
}

/// The instruction that an axis belongs to.
fn parent_of(axis: &LoopAxis) -> Option<&Instruction> {
    match axis.as_dynamic() {
        Some(dynamic) => dynamic.parent.get().map(|l| &l.instruction),
        None => axis.parent.get(),
    }
}

fn missing(what: &str, name: &str, place: &dyn core::fmt::Display) -> Error {
    Error::new(ErrorCode::UnresolvedRef, format_args!("{what} `{name}` does not exist in {place}"))
}

fn in_function(function: &Function) -> impl core::fmt::Display + '_ {
    struct Place<'a>(&'a Function);
    impl core::fmt::Display for Place<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            write!(f, "function `{}`", &*self.0.name())
        }
    }
    Place(function)
}

/// Where names of functions and queues are looked up.
const TARGET: &str = "the target module";

impl<'t> Cloner<'_, 't> {
    /// An object of the source's module, which must be the destination's too, with the life of the destination.
    fn keep<T>(&self, object: &T) -> Result<&'t T> {
        match Ptr::to(object).get(self.to) {
            Some(kept) if self.same_module => Ok(kept),
            _ => bail!(Internal, "a reference into another module was to be kept"),
        }
    }

    /// The function that stands for `function` at the destination: its clone; the one around the clone for the one around
    /// the source; itself in the same module; else the one of its name.
    pub(super) fn function(&self, function: &Function) -> Result<&'t Function> {
        if let Some(clone) = self.functions.get(function) {
            return Ok(clone);
        }
        if self.same_module {
            return self.keep(function);
        }
        let name = function.name();
        let ordinary = |m: &'t Module| m.function_holder().find_function(&name);
        let nki = |m: &'t Module| m.nki_functions.get().and_then(|h: &'t FunctionHolder| h.find_function(&name));
        let from_nki = function
            .holder()
            .is_some_and(|h| h.module().and_then(|m| m.nki_functions.get()).is_some_and(|n| same(n, h)));
        let found = if from_nki {
            nki(self.to).or_else(|| ordinary(self.to))
        } else {
            ordinary(self.to).or_else(|| nki(self.to))
        };
        found.ok_or_else(|| missing("function", &name, &TARGET))
    }

    /// As [`Cloner::function`], but the function around the source becomes the one around the clone.
    fn scope(&self, function: &Function) -> Result<&'t Function> {
        match (self.from_function, self.to_function) {
            (Some(from), Some(to)) if same(from, function) => Ok(to),
            _ => self.function(function),
        }
    }

    /// Whether the scope that stands for `function` is that very function.
    fn stays(&self, function: &Function, scope: &Function) -> bool {
        self.same_module && same(function, scope)
    }

    pub(super) fn queue(&self, queue: &DMAQueue) -> Result<&'t DMAQueue> {
        if let Some(clone) = self.queues.get(queue) {
            return Ok(clone);
        }
        if self.same_module {
            return self.keep(queue);
        }
        self.to.find_queue(&queue.name()).ok_or_else(|| missing("queue", &queue.name(), &TARGET))
    }

    /// A set, register or location.
    pub(super) fn storage(&self, storage: &StorageBase) -> Result<&'t StorageBase> {
        if let Some(clone) = self.storages.get(storage) {
            return Ok(clone);
        }
        let name = storage.name();
        let Some(function) = storage.function() else {
            return if self.same_module { self.keep(storage) } else { Err(missing("storage", &name, &TARGET)) };
        };
        let scope = self.scope(function)?;
        if self.stays(function, scope) {
            return self.keep(storage);
        }
        let (what, found) = if storage.as_set().is_some() {
            ("set", scope.find_set(&name).map(|s| s.storage().base()))
        } else if storage.as_register().is_some() {
            ("register", scope.find_register(&name).map(|r| r.storage().base()))
        } else {
            let set = storage.as_location().and_then(MemoryLocation::set);
            let set = set.and_then(|s: &MemoryLocationSet| scope.find_set(&s.name()));
            ("location", set.and_then(|s| s.find_location(&name)).map(MemoryLocation::base))
        };
        found.ok_or_else(|| missing(what, &name, &in_function(scope)))
    }

    pub(super) fn location(&self, location: &MemoryLocation) -> Result<&'t MemoryLocation> {
        let found = self.storage(location.base())?;
        found.as_location().ok_or_else(|| missing("location", &location.name(), &TARGET))
    }

    pub(super) fn set(&self, set: &MemoryLocationSet) -> Result<&'t MemoryLocationSet> {
        let found = self.storage(set.storage().base())?;
        found.as_set().ok_or_else(|| missing("set", &set.name(), &TARGET))
    }

    pub(super) fn register(&self, register: &Register) -> Result<&'t Register> {
        let found = self.storage(register.storage().base())?;
        found.as_register().ok_or_else(|| missing("register", &register.name(), &TARGET))
    }

    /// A block that a branch, a queue switch or a block argument names.
    pub(super) fn block(&self, block: &BasicBlock) -> Result<&'t BasicBlock> {
        if let Some(clone) = self.blocks.get(block) {
            return Ok(clone);
        }
        let name = block.name();
        match around(block) {
            Some(Around::Function(function)) => {
                let scope = self.scope(function)?;
                if self.stays(function, scope) {
                    return self.keep(block);
                }
                let own = self.from_function.is_some_and(|f| same(f, function));
                let outward = self.anchor.filter(|_| own).and_then(|a| a.find_block_outward(&name));
                let found = outward.or_else(|| scope.block_holder().find_block_below(&name));
                found.ok_or_else(|| missing("block", &name, &in_function(scope)))
            }
            _ if self.same_module => self.keep(block),
            Some(Around::Queue(queue)) => {
                let scope = self.queue(queue)?;
                let found = scope.block_holder().find_block_below(&name);
                found.ok_or_else(|| missing("block", &name, &format_args!("queue `{}`", &*scope.name())))
            }
            None => Err(missing("block", &name, &TARGET)),
        }
    }

    /// An instruction that a payload names: a DMA block, or the trigger of one.
    pub(super) fn instruction(&self, instruction: &Instruction) -> Result<&'t Instruction> {
        if let Some(clone) = self.instructions.get(instruction) {
            return Ok(clone);
        }
        let name = instruction.name();
        match instruction.block().and_then(around) {
            Some(Around::Function(function)) => {
                let scope = self.scope(function)?;
                if self.stays(function, scope) {
                    return self.keep(instruction);
                }
                scope.find_instruction(&name).ok_or_else(|| missing("instruction", &name, &in_function(scope)))
            }
            _ if self.same_module => self.keep(instruction),
            Some(Around::Queue(queue)) => {
                let scope = self.queue(queue)?;
                let block = instruction.block().and_then(|b| scope.find_block(&b.name()));
                let found = block.and_then(|b| b.find_instruction(&name));
                let found = found.or_else(|| scope.block_holder().find_instruction(&name));
                found.ok_or_else(|| missing("instruction", &name, &format_args!("queue `{}`", &*scope.name())))
            }
            None => Err(missing("instruction", &name, &TARGET)),
        }
    }

    /// The other end of an edge; `None` if it lies outside the clone and the clone is not in its function.
    pub(super) fn edge_target(&self, target: &Instruction) -> Result<Option<&'t Instruction>> {
        match self.instructions.get(target) {
            Some(clone) => Ok(Some(clone)),
            None if self.at_home() => self.keep(target).map(Some),
            None => Ok(None),
        }
    }

    /// The producer of a semaphore: as the other end of an edge, or a DMA block, which is found by name. `None` if there is
    /// none at the destination.
    pub(super) fn producer(&self, producer: &Instruction) -> Result<Option<&'t Instruction>> {
        let kept = self.edge_target(producer)?;
        if kept.is_some() || !matches!(producer.block().and_then(around), Some(Around::Queue(_))) {
            return Ok(kept);
        }
        match self.instruction(producer) {
            Err(error) if error.code == ErrorCode::UnresolvedRef => Ok(None),
            found => found.map(Some),
        }
    }

    /// A loop axis.
    pub(super) fn axis(&self, axis: &LoopAxis) -> Result<&'t LoopAxis> {
        if let Some(clone) = self.axes.get(axis) {
            return Ok(clone);
        }
        let function = parent_of(axis).and_then(Instruction::function);
        let moved = match (self.from_function, function) {
            (Some(from), Some(function)) => same(from, function) && !self.at_home(),
            _ => !self.at_home(),
        };
        if self.same_module && !moved {
            return self.keep(axis);
        }
        let around = self.anchor.and_then(BasicBlockHolder::part_of);
        let found = match around {
            Some(cast::HolderOwner::Instruction(instruction)) => instruction.find_axis_outward(&axis.name()),
            _ => None,
        };
        found.ok_or_else(|| missing("loop axis", &axis.name(), &"the loops around the clone"))
    }
}

/// The path of a storage in a document, for messages.
pub(super) fn storage_path(storage: &Storage) -> alloc::string::String {
    let Some(function) = storage.function() else { return crate::error::text(storage.name()) };
    let number = function.storages().position(|s| same(s, storage)).unwrap_or_default();
    crate::error::text(format_args!("{}.allocations[{number}]", crate::ir::instruction::function_path(function)))
}

/// The path of a location in a document, for messages.
pub(crate) fn location_path(location: &MemoryLocation) -> alloc::string::String {
    let Some(set) = location.set() else { return crate::error::text(location.name()) };
    let number = set.locations().position(|l| same(l, location)).unwrap_or_default();
    crate::error::text(format_args!("{}.memorylocations[{number}]", storage_path(set.storage())))
}

/// The path of a block in a document, for messages.
pub(super) fn block_path(block: &BasicBlock) -> alloc::string::String {
    let Some(holder) = block.holder() else { return crate::error::text(block.name()) };
    let number = holder.blocks().position(|b| same(b, block)).unwrap_or_default();
    let owner = match holder.part_of() {
        Some(cast::HolderOwner::Function(function)) => crate::ir::instruction::function_path(function),
        Some(cast::HolderOwner::Instruction(instruction)) => instruction.path(),
        Some(cast::HolderOwner::Queue(queue)) => crate::error::text(queue.name()),
        None => return crate::error::text(block.name()),
    };
    crate::error::text(format_args!("{owner}.blocks[{number}]"))
}
