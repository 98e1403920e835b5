//! Instructions: the common part that every opcode shares.

use super::expr::{self, AffinePredicate, QuasiAffineExpr};
use super::named::{self, named_methods};
use super::place::Place;
use super::raw::{
    BasicBlock, BasicBlockHolder, Function, Instruction, InstructionSched, ModuleState, StringList, cast, halves,
    owner, slot,
};
use crate::enums::bir::{EngineType, InstructionType};
use crate::error::bail;
use crate::mem::{StdString, Str};
use crate::{Error, ErrorCode, Result};
use alloc::vec::Vec;

named_methods!(Instruction, "instruction");

impl Instruction {
    /// The opcode.
    ///
    /// # Errors
    /// `CorruptIr` for a number outside 0..=109.
    pub fn opcode(&self) -> Result<InstructionType> {
        let ordinal = self.opcode.get();
        InstructionType::from_ordinal(ordinal.into()).map_err(|e| {
            Error::new(ErrorCode::CorruptIr, format_args!("corrupt IR: {e}")).at(format_args!("{}", self.name()))
        })
    }

    /// The block that it is in; `None` when unlinked.
    pub fn block(&self) -> Option<&BasicBlock> {
        owner::owner(self)
    }

    /// The function around it, loops included; `None` in a queue or when unlinked.
    pub fn function(&self) -> Option<&Function> {
        self.block()?.function()
    }

    /// The structured instruction whose body it is in.
    pub fn parent_instruction(&self) -> Option<&Instruction> {
        match self.block()?.holder()?.part_of()? {
            cast::HolderOwner::Instruction(instruction) => Some(instruction),
            _ => None,
        }
    }

    /// The holder of nested blocks, for Loop, DynamicForLoop, DMABlock and DoWhile.
    pub fn block_holder(&self) -> Option<&BasicBlockHolder> {
        cast::as_holder(self)
    }

    /// Engine.
    pub fn engine(&self) -> Result<EngineType> {
        EngineType::from_ordinal(self.engine.get().into())
    }

    /// Sets the engine.
    pub fn set_engine(&self, engine: EngineType) {
        self.engine.set(engine.ordinal());
    }

    /// Which engine of that type.
    pub fn engine_id(&self) -> u32 {
        self.engine_id.get()
    }

    /// Sets which engine of that type.
    pub fn set_engine_id(&self, id: u32) {
        self.engine_id.set(id);
    }

    /// The schedule block to read: the shared one until something was written.
    pub(crate) fn sched(&self) -> Result<&InstructionSched> {
        slot::required(self.sched.get(), "the schedule block of an instruction")
    }

    /// The schedule block to write: its own, made on first use.
    pub(crate) fn sched_mut(&self) -> Result<&InstructionSched> {
        self.own_sched(named::state_of(self)?)
    }

    /// As [`Instruction::sched_mut`], in a module of this state, of which the instruction must be.
    #[inline]
    fn own_sched<'m>(&'m self, state: &'m ModuleState) -> Result<&'m InstructionSched> {
        if self.sched.ptr() != state.default_sched.ptr() {
            return self.sched();
        }
        self.new_sched(state)
    }

    #[inline(never)]
    fn new_sched<'m>(&'m self, state: &'m ModuleState) -> Result<&'m InstructionSched> {
        let own = state.alloc::<InstructionSched>()?;
        super::edge::init_sched(own);
        self.sched.set(Some(own));
        Ok(own)
    }

    /// Changes the schedule block; `state` is that of the module. If it fails, an instruction that shared the default block shares
    /// it again.
    #[inline]
    pub(crate) fn change_sched<'m, R>(
        &'m self,
        state: &'m ModuleState,
        change: impl FnOnce(&'m InstructionSched) -> Result<R>,
    ) -> Result<R> {
        let before = self.sched.ptr();
        let result = self.own_sched(state).and_then(change);
        if result.is_err() {
            self.sched.set_ptr(before);
        }
        result
    }

    /// Whether the instruction still shares the default schedule block.
    pub fn shares_schedule(&self) -> bool {
        named::state_of(self).is_ok_and(|s| self.sched.ptr() == s.default_sched.ptr())
    }

    /// Scheduled start, in cycles.
    pub fn scheduled_start(&self) -> i64 {
        self.sched.get().map_or(0, |s| s.scheduled_start.get())
    }

    /// Scheduled end, in cycles.
    pub fn scheduled_end(&self) -> i64 {
        self.sched.get().map_or(0, |s| s.scheduled_end.get())
    }

    /// Sets the scheduled start and end, in cycles.
    pub fn set_schedule(&self, start: i64, end: i64) -> Result<()> {
        named::state_of(self)?;
        if (start, end) == (self.scheduled_start(), self.scheduled_end()) {
            return Ok(());
        }
        let sched = self.sched_mut()?;
        sched.scheduled_start.set(start);
        sched.scheduled_end.set(end);
        Ok(())
    }

    /// The verbatim `debug` object, compact JSON; `None` if there is none.
    pub fn debug_json(&self) -> Option<Str<'_>> {
        halves::debug_text(self).map(StdString::get)
    }

    /// Sets or clears the `debug` object.
    pub fn set_debug_json(&self, json: Option<&str>) -> Result<()> {
        let state = named::state_of(self)?;
        let Some(json) = json else {
            halves::set_debug_text(self, None);
            return Ok(());
        };
        if let Some(text) = halves::debug_text(self) {
            return text.set(&state.arena, json);
        }
        let text = state.alloc::<StdString>()?;
        text.init();
        text.set(&state.arena, json)?;
        halves::set_debug_text(self, Some(text));
        Ok(())
    }

    /// Opt-in pass names.
    pub fn optin_passes(&self) -> impl Iterator<Item = Str<'_>> {
        self.sched.get().and_then(|s| s.optin_passes.get()).into_iter().flat_map(StringList::iter)
    }

    /// Replaces the opt-in pass names.
    pub fn set_optin_passes<S: AsRef<str>>(&self, names: &[S]) -> Result<()> {
        let state = named::state_of(self)?;
        if names.is_empty() && self.optin_passes().next().is_none() {
            return Ok(());
        }
        self.change_sched(state, |sched| {
            let list = match sched.optin_passes.get() {
                Some(list) => list,
                None => state.alloc::<StringList>()?,
            };
            list.assign(&state.arena, names)?;
            sched.optin_passes.set(Some(list));
            Ok(())
        })
    }

    /// Predicates that guard the instruction.
    pub fn predicates(&self) -> impl Iterator<Item = AffinePredicate<'_>> {
        self.predicates.iter().map(|p| AffinePredicate::lend(p, self))
    }

    /// Replaces the predicates.
    ///
    /// # Errors
    /// `ForeignModule`, `BadValue` for an unknown comparison, `OutOfMemory`; nothing changed then.
    pub fn set_predicates(&self, predicates: &[AffinePredicate<'_>]) -> Result<()> {
        let values = expr::stored_predicates(named::module_of(self)?, predicates)?;
        self.predicates.assign(&named::state_of(self)?.arena, &values)
    }

    /// The `order` expressions.
    pub fn order(&self) -> impl Iterator<Item = QuasiAffineExpr<'_>> {
        self.sched.get().into_iter().flat_map(|s| s.order.iter()).map(|e| QuasiAffineExpr::lend(e, self))
    }

    /// Replaces the `order` expressions.
    ///
    /// # Errors
    /// `ForeignModule`, `OutOfMemory`; nothing changed then.
    pub fn set_order(&self, order: &[QuasiAffineExpr<'_>]) -> Result<()> {
        let state = named::state_of(self)?;
        if order.is_empty() && self.order().next().is_none() {
            return Ok(());
        }
        let values = expr::stored(named::module_of(self)?, order)?;
        self.change_sched(state, |sched| sched.order.assign(&state.arena, &values))
    }

    /// `dma_trigger_debug_update_semaphore_id`.
    pub fn debug_update_semaphore(&self) -> Option<u32> {
        let sched = self.sched.get()?;
        sched.dma_trigger_debug_engaged.get().then(|| sched.dma_trigger_debug_update_semaphore_id.get())
    }

    /// Sets or clears `dma_trigger_debug_update_semaphore_id`.
    pub fn set_debug_update_semaphore(&self, id: Option<u32>) -> Result<()> {
        named::state_of(self)?;
        if id == self.debug_update_semaphore() {
            return Ok(());
        }
        let sched = self.sched_mut()?;
        sched.dma_trigger_debug_engaged.set(id.is_some());
        sched.dma_trigger_debug_update_semaphore_id.set(id.unwrap_or_default());
        Ok(())
    }

    /// Takes the instruction out of its block; it stays whole, edges included.
    pub fn unlink(&self) -> Result<()> {
        named::unlink(named::state_of(self)?, self);
        Ok(())
    }

    /// Puts it at a place in `block`, out of wherever it was. Returns whether it was renamed.
    ///
    /// # Errors
    /// `ForeignModule`; `BadValue` if the block lies inside the instruction itself.
    pub fn move_to<'m>(&'m self, block: &'m BasicBlock, place: Place<'m, Instruction>) -> Result<bool> {
        named::same_module(named::module_of(block)?, self)?;
        let mut outer = Some(block);
        while let Some(cast::HolderOwner::Instruction(parent)) = outer.and_then(|b| b.holder()?.part_of()) {
            if owner::same(parent, self) {
                bail!(BadValue, "instruction `{}` cannot be moved into itself", self.name());
            }
            outer = parent.block();
        }
        named::relocate(block, self, place)
    }

    /// Erases it with its operands, its nested blocks, and the edges to and from it.
    pub fn erase(&self) -> Result<()> {
        named::state_of(self)?;
        if let Some(holder) = self.block_holder() {
            super::block::erase_blocks(holder)?;
        }
        self.erase_alone()
    }

    /// Erases it; the nested blocks are gone already.
    pub(crate) fn erase_alone(&self) -> Result<()> {
        let state = named::state_of(self)?;
        self.clear_edges()?;
        for list in super::OperandList::ALL {
            for operand in self.operands(list) {
                operand.erase()?;
            }
        }
        named::unlink(state, self);
        named::mark_erased(&self.named);
        Ok(())
    }

    /// Where it is among all instructions of its block, from 0.
    pub fn position(&self) -> Option<usize> {
        self.block()?.instructions().position(|i| owner::same(i, self))
    }

    /// Its path in a document: `functions[0].blocks[1].instructions[4]`, nested ones included. For messages.
    pub fn path(&self) -> alloc::string::String {
        let mut parts: Vec<alloc::string::String> = Vec::new();
        let mut at = Some(self);
        while let Some(instruction) = at {
            let Some(block) = instruction.block() else { break };
            let here = instruction.position().unwrap_or_default();
            let Some(holder) = block.holder() else { break };
            let number = holder.blocks().position(|b| owner::same(b, block)).unwrap_or_default();
            parts.push(crate::error::text(format_args!("blocks[{number}].instructions[{here}]")));
            match holder.part_of() {
                Some(cast::HolderOwner::Function(f)) => parts.push(function_path(f)),
                Some(cast::HolderOwner::Queue(q)) => {
                    let number = q.module().ok().and_then(|m| m.queues().position(|x| owner::same(x, q)));
                    parts.push(crate::error::text(format_args!("queues[{}]", number.unwrap_or_default())));
                }
                _ => {}
            }
            at = instruction.parent_instruction();
        }
        parts.reverse();
        parts.join(".")
    }
}

/// A function's path in a document.
pub(crate) fn function_path(function: &Function) -> alloc::string::String {
    let Some(holder) = function.holder() else { return crate::error::text(function.name()) };
    let number = holder.functions().position(|f| owner::same(f, function)).unwrap_or_default();
    let nki = holder.module().and_then(|m| m.nki_holder().ok()).is_some_and(|n| owner::same(n, holder));
    crate::error::text(format_args!("{}functions[{number}]", if nki { "nki_functions." } else { "" }))
}
