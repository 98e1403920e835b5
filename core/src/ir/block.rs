//! Basic blocks: instructions in program order, and block arguments.

use super::id;
use super::module::holder_module;
use super::named::{self, Objects, named_methods};
use super::place::{Place, Placed};
use super::raw::state::Identified;
use super::raw::{BasicBlock, BasicBlockHolder, Function, Instruction, owner, slot};
use crate::Result;
use crate::enums::bir::InstructionType;
use crate::error::bail;
use core::ptr::NonNull;

named_methods!(BasicBlock, "block");

impl BasicBlock {
    /// The holder that it is in; `None` when unlinked.
    pub fn holder(&self) -> Option<&BasicBlockHolder> {
        owner::owner(self)
    }

    /// The function around it; `None` in a queue or when unlinked.
    pub fn function(&self) -> Option<&Function> {
        self.holder()?.function()
    }

    /// The instructions, in program order; those of nested blocks are in their instructions.
    pub fn instructions(&self) -> Objects<'_, Instruction> {
        Objects::of(self)
    }

    /// Number of instructions.
    pub fn instruction_count(&self) -> usize {
        self.named_object_container.len()
    }

    /// The instruction of that name in this block itself.
    pub fn find_instruction(&self, name: &str) -> Option<&Instruction> {
        named::find(self, name)
    }

    /// The instruction of that name here or, in a loop body, in the enclosing blocks (`spec/layout.md` section 7).
    pub fn find_instruction_outward(&self, name: &str) -> Option<&Instruction> {
        let mut block = self;
        loop {
            if let Some(found) = block.find_instruction(name) {
                return Some(found);
            }
            let super::HolderOwner::Instruction(instruction) = block.holder()?.part_of()? else { return None };
            block = instruction.block()?;
        }
    }

    /// Adds an instruction with the payload defaults of its opcode. A taken name is changed.
    ///
    /// # Errors
    /// `Detached` below an unlinked owner, `IdExhausted`, `OutOfMemory`, `NotFound` for a place elsewhere.
    pub fn add_instruction<'m>(
        &'m self,
        opcode: InstructionType,
        name: &str,
        place: Place<'m, Instruction>,
    ) -> Result<Placed<'m, Instruction>> {
        let counter = id::of_block(self)?;
        id::check(counter)?;
        let module = named::module_of(self)?;
        let state = module.module_state()?;
        let instruction = slot::create(state, opcode.ordinal())?;
        instruction.named.init(module);
        for list in [&instruction.ins, &instruction.indirection_ins, &instruction.outs] {
            list.init_sentinel();
        }
        instruction.sched.set_ptr(state.default_sched.ptr());
        if let Some(vtable) = state.vtables.get(opcode.ordinal() as usize) {
            instruction.vptr.set(vtable.get().cast_mut());
        }
        let renamed = named::insert(state, self, instruction, name, place)?;
        instruction.named.unique_id.set(id::take(counter)?);
        id::register(state, instruction.unique_id(), Identified::Instruction(NonNull::from(instruction)));
        Ok(Placed { object: instruction, renamed })
    }

    /// Takes the block out of its holder; it stays whole.
    pub fn unlink(&self) -> Result<()> {
        named::unlink(named::state_of(self)?, self);
        Ok(())
    }

    /// Puts the block at a place in `holder`, out of wherever it was. Returns whether it was renamed.
    ///
    /// # Errors
    /// `ForeignModule`; `BadValue` if the holder lies inside the block itself.
    pub fn move_to<'m>(&'m self, holder: &'m BasicBlockHolder, place: Place<'m, BasicBlock>) -> Result<bool> {
        named::same_module(holder_module(holder)?, self)?;
        let mut outer = Some(holder);
        while let Some(super::HolderOwner::Instruction(instruction)) = outer.and_then(BasicBlockHolder::part_of) {
            let Some(block) = instruction.block() else { break };
            if owner::same(block, self) {
                bail!(BadValue, "block `{}` cannot be moved into itself", self.name());
            }
            outer = block.holder();
        }
        named::relocate(holder, self, place)
    }

    /// Erases the block with its instructions and arguments. Edges to and from its instructions go with them; branch
    /// targets that name it are the caller's to change first.
    pub fn erase(&self) -> Result<()> {
        named::state_of(self)?;
        for instruction in self.instructions() {
            instruction.erase()?;
        }
        self.erase_empty()
    }

    /// Erases the block with its arguments; the instructions are gone already.
    fn erase_empty(&self) -> Result<()> {
        let state = named::state_of(self)?;
        for argument in self.arguments() {
            argument.erase()?;
        }
        named::unlink(state, self);
        named::mark_erased(&self.named);
        Ok(())
    }
}

/// Erases all blocks of `root` with everything below, innermost first. No recursion: loops may be nested deeper than the
/// stack allows.
pub(crate) fn erase_blocks(root: &BasicBlockHolder) -> Result<()> {
    let mut at = root;
    loop {
        let Some(block) = at.blocks().next() else {
            if owner::same(at, root) {
                return Ok(());
            }
            // The body of a nested instruction is empty now: back to the holder of that instruction.
            let up = match at.part_of() {
                Some(super::HolderOwner::Instruction(instruction)) => instruction.block().and_then(BasicBlock::holder),
                _ => None,
            };
            at = slot::required(up, "the owner of a nested block")?;
            continue;
        };
        match block.instructions().next() {
            None => block.erase_empty()?,
            Some(instruction) => match instruction.block_holder().filter(|h| h.block_count() > 0) {
                Some(inner) => at = inner,
                None => instruction.erase_alone()?,
            },
        }
    }
}
