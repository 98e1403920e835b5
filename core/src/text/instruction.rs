//! Instructions, one line each: `name (id 16): Opcode @Engine ins via indirections -> outs key=value ...`.
#![forbid(unsafe_code)]

use super::expr::Binding;
use super::printer::{Printer, readable};
use super::style::{Output, Style};
use crate::Result;
use crate::enums::bir::{EdgeKind, EngineType};
use crate::ir::{EdgeSet, Instruction, OperandList, Update, Wait};

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    /// The line of an instruction; its nested blocks are not part of it.
    pub(super) fn instruction_line(&mut self, instruction: &Instruction) -> Result<()> {
        self.head("", &instruction.name(), Some(instruction.unique_id()))?;
        let info = readable(instruction.info())?;
        match info {
            Some(info) => {
                self.plain(" ")?;
                self.put(Style::Opcode, info.name)?;
            }
            None => self.formatted(Style::Fault, format_args!(" ?{}", instruction.opcode.get()))?,
        }
        let engine = instruction.engine.get();
        if engine != EngineType::Unassigned.ordinal() || self.all {
            self.engine(engine)?;
        }
        self.operands(instruction)?;
        self.key_unsigned("engine_id", instruction.engine_id().into(), 0)?;
        if let Some(info) = info {
            self.payload(instruction, info.fields)?;
        }
        self.header(instruction)?;
        match instruction.block_holder() {
            Some(holder) if holder.block_count() > 0 => self.put(Style::Keyword, " blocks:"),
            Some(_) if self.all => self.put(Style::Keyword, " blocks:"),
            _ => Ok(()),
        }
    }

    fn operands(&mut self, instruction: &Instruction) -> Result<()> {
        let lists = [(OperandList::Ins, " "), (OperandList::IndirectionIns, " via "), (OperandList::Outs, " -> ")];
        for (list, before) in lists {
            let mut operands = instruction.operands(list).peekable();
            if operands.peek().is_some() {
                self.plain(before)?;
                self.separated(operands, Self::operand)?;
            }
        }
        Ok(())
    }

    fn header(&mut self, instruction: &Instruction) -> Result<()> {
        self.key_list("predicates", instruction.predicates(), Self::predicate)?;
        self.key_list("loopnest", instruction.loopnest(), Self::axis_name)?;
        self.key_list("order", instruction.order(), |p, expr| p.expr(expr, Binding::Sum))?;
        self.edges(instruction, "deps", EdgeSet::Normal)?;
        self.edges(instruction, "carried_deps", EdgeSet::LoopCarried)?;
        self.unroll(instruction)?;
        self.sync(instruction)?;
        self.key_list("optin_passes", instruction.optin_passes(), |p, pass| p.quoted(Style::Text, &pass))?;
        if self.all {
            self.key("schedule")?;
            self.signed(instruction.scheduled_start())?;
            self.plain("..")?;
            self.signed(instruction.scheduled_end())?;
            self.key("debug")?;
            match instruction.debug_json() {
                Some(debug) => self.json(&debug)?,
                None => self.none()?,
            }
        }
        self.origin(instruction.named.named_object_base.origin.get())
    }

    /// In the order of the targets' ids, as they lie in memory.
    fn edges(&mut self, instruction: &Instruction, key: &str, set: EdgeSet) -> Result<()> {
        self.key_list(key, instruction.dependencies(set), |p, edge| p.edge(instruction, edge.target, edge.kind))
    }

    fn edge(&mut self, from: &Instruction, target: &Instruction, kind: EdgeKind) -> Result<()> {
        self.instruction_ref(target, from.block())?;
        self.plain(":")?;
        self.put(Style::Member, kind.name())
    }

    /// ` unroll_deps=[load:Flow exprs=[512*i] predicates=[i >= 0]]`.
    fn unroll(&mut self, instruction: &Instruction) -> Result<()> {
        self.key_list("unroll_deps", instruction.unroll_dependencies(), |p, (target, kind, exprs, predicates)| {
            p.edge(instruction, target, kind)?;
            p.key_list("exprs", exprs.into_iter(), |p, expr| p.expr(expr, Binding::Sum))?;
            p.key_list("predicates", predicates.into_iter(), Self::predicate)
        })
    }

    fn sync(&mut self, instruction: &Instruction) -> Result<()> {
        if instruction.has_sync_info() && instruction.waits().next().is_none() && instruction.updates().next().is_none()
        {
            self.key("sync_info")?;
            self.plain("[]")?;
        }
        self.key_list("waits", instruction.waits(), |p, wait| p.wait(instruction, wait))?;
        self.key_list("updates", instruction.updates(), Self::update)?;
        match instruction.debug_update_semaphore() {
            Some(id) => {
                self.key("dma_trigger_debug_update_semaphore_id")?;
                self.unsigned(id.into())
            }
            None => Ok(()),
        }
    }

    /// `3 sem-ge-imm 16 from=load`: semaphore, comparison, value.
    fn wait(&mut self, instruction: &Instruction, wait: Wait<'_>) -> Result<()> {
        self.semaphore(wait.id, wait.mode.name(), wait.value, wait.sync_type)?;
        match wait.from {
            Some(from) => {
                self.key("from")?;
                self.instruction_ref(from, instruction.block())
            }
            None => Ok(()),
        }
    }

    /// `7 sem-add-imm 2 target_core=1`.
    fn update(&mut self, update: Update) -> Result<()> {
        self.semaphore(update.id, update.mode.name(), update.value, update.sync_type)?;
        match update.target_core {
            Some(core) => {
                self.key("target_core")?;
                self.unsigned(core.into())
            }
            None => Ok(()),
        }
    }

    fn semaphore(&mut self, id: u32, mode: &str, value: u32, sync_type: i32) -> Result<()> {
        self.unsigned(id.into())?;
        self.plain(" ")?;
        self.put(Style::Member, mode)?;
        self.plain(" ")?;
        self.unsigned(value.into())?;
        self.key_number("sync_type", sync_type.into(), 0)
    }
}
