//! References: a bare name where it is found from where it stands, else with its owners before it, so that it says which
//! object it is without looking others up.
//!
//! `set/location`, `block/instruction`, and `function:` or `queue:` before what lies in another one. The set of a location
//! is left out if it has the usual name, that of the location with `_set`.
#![forbid(unsafe_code)]

use super::printer::Printer;
use super::style::{Output, Style};
use crate::Result;
use crate::ir::{
    BasicBlock, BasicBlockHolder, DMAQueue, Function, HolderOwner, Instruction, MemoryLocation, MemoryLocationSet,
    Register, StorageBase,
};
use core::ptr;

/// What holds a block and all around it.
enum Root<'m> {
    Function(&'m Function),
    Queue(&'m DMAQueue),
}

/// The function or queue around a block.
fn root_of(block: &BasicBlock) -> Option<Root<'_>> {
    let mut holder = block.holder()?;
    loop {
        match holder.part_of()? {
            HolderOwner::Function(function) => return Some(Root::Function(function)),
            HolderOwner::Queue(queue) => return Some(Root::Queue(queue)),
            HolderOwner::Instruction(instruction) => holder = instruction.block()?.holder()?,
        }
    }
}

fn same_root(a: &Root<'_>, b: &Root<'_>) -> bool {
    match (a, b) {
        (Root::Function(a), Root::Function(b)) => ptr::eq(*a, *b),
        (Root::Queue(a), Root::Queue(b)) => ptr::eq(*a, *b),
        _ => false,
    }
}

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    fn reference(&mut self, name: &str) -> Result<()> {
        self.name(Style::Reference, name)
    }

    /// `main:`, unless `owner` is the function one is in.
    fn owner_prefix(&mut self, owner: Option<&Function>) -> Result<()> {
        let Some(owner) = owner else { return Ok(()) };
        if self.here.is_some_and(|here| ptr::eq(here, owner)) {
            return Ok(());
        }
        self.reference(&owner.name())?;
        self.plain(":")
    }

    /// What a reference to something that is gone or outside of everything ends with.
    fn mark(&mut self, erased: bool, linked: bool) -> Result<()> {
        match (erased, linked) {
            (true, _) => self.put(Style::Fault, "!erased"),
            (false, false) => self.put(Style::Fault, "!unlinked"),
            (false, true) => Ok(()),
        }
    }

    pub(super) fn function_ref(&mut self, function: &Function) -> Result<()> {
        self.reference(&function.name())?;
        self.mark(function.is_erased(), function.is_linked())
    }

    pub(super) fn queue_ref(&mut self, queue: &DMAQueue) -> Result<()> {
        self.reference(&queue.name())?;
        self.mark(queue.is_erased(), queue.is_linked())
    }

    pub(super) fn location_ref(&mut self, location: &MemoryLocation) -> Result<()> {
        let name = location.name();
        let set = location.set();
        if let Some(set) = set {
            self.owner_prefix(set.storage().function())?;
            let owner = set.name();
            if owner.strip_suffix("_set") != Some(&*name) {
                self.reference(&owner)?;
                self.plain("/")?;
            }
        }
        self.reference(&name)?;
        self.mark(location.is_erased(), set.is_some_and(|set| set.storage().is_linked()))
    }

    pub(super) fn set_ref(&mut self, set: &MemoryLocationSet) -> Result<()> {
        self.owner_prefix(set.storage().function())?;
        self.reference(&set.name())?;
        self.mark(set.storage().is_erased(), set.storage().is_linked())
    }

    /// `%r0`.
    pub(super) fn register_ref(&mut self, register: &Register) -> Result<()> {
        self.put(Style::Reference, "%")?;
        self.owner_prefix(register.storage().function())?;
        self.reference(&register.name())?;
        self.mark(register.storage().is_erased(), register.storage().is_linked())
    }

    pub(super) fn storage_ref(&mut self, storage: &StorageBase) -> Result<()> {
        match (storage.as_location(), storage.as_set(), storage.as_register()) {
            (Some(location), _, _) => self.location_ref(location),
            (_, Some(set), _) => self.set_ref(set),
            (_, _, Some(register)) => self.register_ref(register),
            _ => self.put(Style::Fault, "?storage"),
        }
    }

    /// `function:`, where `target` lies in another function or queue than `from`.
    fn root_prefix(&mut self, target: Option<Root<'_>>, from: Option<Root<'_>>) -> Result<()> {
        let Some(target) = target else { return Ok(()) };
        if from.is_some_and(|from| same_root(&from, &target)) {
            return Ok(());
        }
        match target {
            Root::Function(function) => self.reference(&function.name())?,
            Root::Queue(queue) => self.reference(&queue.name())?,
        }
        self.plain(":")
    }

    /// A block as seen from an instruction or block in `holder`.
    pub(super) fn block_ref(&mut self, block: &BasicBlock, from: Option<&BasicBlock>) -> Result<()> {
        let name = block.name();
        let holder = from.and_then(BasicBlock::holder);
        let found = holder.and_then(|h: &BasicBlockHolder| h.find_block_outward(&name));
        if found.is_some_and(|found| ptr::eq(found, block)) {
            return self.reference(&name);
        }
        let root = root_of(block);
        let linked = root.is_some();
        self.root_prefix(root, from.and_then(root_of))?;
        self.reference(&name)?;
        self.mark(block.is_erased(), linked)
    }

    /// An instruction as seen from one in the block `from`.
    pub(super) fn instruction_ref(&mut self, target: &Instruction, from: Option<&BasicBlock>) -> Result<()> {
        let (name, block) = (target.name(), target.block());
        if let (Some(block), Some(from)) = (block, from)
            && (ptr::eq(block, from)
                || from.find_instruction_outward(&name).is_some_and(|found| ptr::eq(found, target)))
        {
            return self.reference(&name);
        }
        let mut linked = false;
        if let Some(block) = block {
            let root = root_of(block);
            linked = root.is_some();
            self.root_prefix(root, from.and_then(root_of))?;
            self.reference(&block.name())?;
            self.plain("/")?;
        }
        self.reference(&name)?;
        self.mark(target.is_erased(), linked)
    }
}
