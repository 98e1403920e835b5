//! Instructions: header keys and payload fields, merged in the order of their keys.
#![forbid(unsafe_code)]

use super::expr::in_scope;
use super::large::Members;
use super::plan::{Header, Step};
use super::{Writer, ahead, number};
use crate::doc::output::Output;
use crate::enums::bir::InstructionType;
use crate::ir::raw::slot::Payload;
use crate::ir::{
    BasicBlockHolder, EdgeSet, HolderOwner, Instruction, OperandList, Update, Wait, default_update_mode,
    default_wait_mode,
};
use crate::op::{Field, Slot};
use crate::{Error, ErrorCode, Result};
use hashbrown::HashMap;

/// Places of the instructions of one function or queue, for the order of edges.
pub(super) enum Places {
    /// Ids rise with the place, as in every module that was just loaded: the id serves.
    ById,
    /// Place by address.
    Map(HashMap<usize, usize, crate::ir::raw::state::FixedState>),
}

impl Places {
    pub(super) fn of(root: &BasicBlockHolder) -> Result<Self> {
        let mut last = -1;
        if root.instructions().all(|i| core::mem::replace(&mut last, i.unique_id()) < i.unique_id()) {
            return Ok(Places::ById);
        }
        let mut map = HashMap::with_hasher(crate::ir::raw::state::fixed_state());
        for (place, instruction) in root.instructions().enumerate() {
            map.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            map.insert(core::ptr::from_ref(instruction).addr(), place);
        }
        Ok(Places::Map(map))
    }

    fn place(&self, instruction: &Instruction) -> usize {
        match self {
            Places::ById => instruction.unique_id() as usize,
            Places::Map(map) => map.get(&core::ptr::from_ref(instruction).addr()).copied().unwrap_or(usize::MAX),
        }
    }
}

/// The bit of a header key in a set of them.
#[inline(always)]
fn bit(header: Header) -> u32 {
    1 << header as u32
}

/// Header keys that have no value: most of those that instructions can have, so that it pays not to come to them one by one.
#[inline]
fn absent(i: &Instruction) -> u32 {
    let set = |is_absent: bool, header| if is_absent { bit(header) } else { 0 };
    set(i.debug_json().is_none(), Header::Debug)
        | set(i.dependency_count(EdgeSet::Normal) == 0, Header::Dependencies)
        | set(i.dependency_count(EdgeSet::LoopCarried) == 0, Header::LoopCarriedDependencies)
        | set(!i.has_sync_info(), Header::DebugUpdateSemaphore)
        | set(!i.has_sync_info(), Header::SyncInfo)
        | set(i.indirection_ins().next().is_none(), Header::IndirectionIns)
        | set(i.loopnest().next().is_none(), Header::Loopnest)
        | set(i.order().next().is_none(), Header::Order)
        | set(i.predicates().next().is_none(), Header::Predicates)
        | set(i.unroll_dependencies().next().is_none(), Header::UnrollDependencies)
}

impl<'m> Members<'m> for &'m Instruction {
    fn write_members<O: Output>(self, w: &mut Writer<'_, 'm, O>) -> Result<()> {
        let opcode = self.opcode()?;
        let payload = Payload::of(self).ok_or_else(|| Error::new(ErrorCode::Internal, "an opcode without a shape"))?;
        let absent = if w.explicit { 0 } else { absent(self) };
        for index in w.plans.of(opcode)? {
            match w.plans.step(index) {
                Some(Step::Field(field, number)) => w.field(self, &payload, field, number)?,
                Some(Step::Header(header, ..)) if absent & bit(header) != 0 => {}
                Some(Step::Header(header, key, number)) => w
                    .header(self, opcode, header, key, number)
                    .map_err(|e| e.at(format_args!("{}.{key}", self.path())))?,
                None => return Err(Error::new(ErrorCode::Internal, "no plan")),
            }
        }
        Ok(())
    }
}

impl<'m, O: Output> Writer<'_, 'm, O> {
    pub(super) fn instruction(&mut self, instruction: &'m Instruction) -> Result<()> {
        ahead::ask(instruction);
        let outer = self.scope.replace(instruction);
        if instruction.block_holder().is_some() {
            self.large(instruction)?;
        } else {
            self.out.phrase(number::INSTRUCTION, O::begin_object)?;
            instruction.write_members(self)?;
            self.out.phrase(number::INSTRUCTION_END, O::end_object)?;
        }
        self.scope = outer;
        Ok(())
    }

    #[inline]
    fn field(
        &mut self,
        instruction: &'m Instruction,
        payload: &Payload<'m>,
        field: &'static Field,
        number: usize,
    ) -> Result<()> {
        let written = match field.slot {
            Slot::Blocks => instruction.block_holder().map_or(Ok(()), |holder| self.blocks(holder)),
            _ => self.payload(instruction, payload, field, number),
        };
        written.map_err(|e| e.at(format_args!("{}.{}", instruction.path(), field.key)))
    }

    fn header(
        &mut self,
        instruction: &'m Instruction,
        opcode: InstructionType,
        header: Header,
        key: &'static str,
        number: usize,
    ) -> Result<()> {
        match header {
            Header::Debug => match instruction.debug_json().filter(|debug| !debug.is_empty()) {
                Some(debug) => {
                    self.key(number, key)?;
                    self.verbatim(&debug)
                }
                None => Ok(()),
            },
            Header::Dependencies => self.edges(instruction, key, number, EdgeSet::Normal),
            Header::LoopCarriedDependencies => self.edges(instruction, key, number, EdgeSet::LoopCarried),
            Header::DebugUpdateSemaphore => match instruction.debug_update_semaphore() {
                Some(id) if instruction.has_sync_info() => self.unsigned(key, id.into()),
                _ => Ok(()),
            },
            Header::Engine => {
                let engine = instruction.engine()?;
                self.member(number::engine(engine), key, engine.name())
            }
            Header::EngineId => {
                self.key(number, key)?;
                self.out.u64(instruction.engine_id().into())
            }
            Header::Ins => self.operands(instruction, OperandList::Ins, number, true),
            Header::IndirectionIns => self.operands(instruction, OperandList::IndirectionIns, number, self.explicit),
            Header::Outs => self.operands(instruction, OperandList::Outs, number, true),
            Header::Loopnest => {
                instruction.loopnest().try_for_each(|axis| in_scope(instruction, axis))?;
                self.names(key, instruction.loopnest().map(|a| a.name()), self.explicit)
            }
            Header::Name => {
                self.key(number, key)?;
                self.out.string(&instruction.name())
            }
            Header::Opcode => self.member(number, key, opcode.name()),
            Header::OptinPasses if instruction.optin_passes().next().is_none() => {
                self.out.phrase(number::NO_PASSES, |out| {
                    out.schema_key(key)?;
                    out.begin_array()?;
                    out.end_array()
                })
            }
            Header::OptinPasses => self.names(key, instruction.optin_passes(), true),
            Header::Order => {
                let mut order = instruction.order().peekable();
                if order.peek().is_none() && !self.explicit {
                    return Ok(());
                }
                self.out.schema_key(key)?;
                self.out.begin_array()?;
                for expr in order {
                    self.expression(expr)?;
                }
                self.out.end_array()
            }
            Header::Origin => {
                let origin = instruction.origin()?;
                self.member(number::origin(origin), key, origin.name())
            }
            Header::Predicates => {
                let mut predicates = instruction.predicates().peekable();
                if predicates.peek().is_none() && !self.explicit {
                    return Ok(());
                }
                self.out.schema_key(key)?;
                self.out.begin_array()?;
                for predicate in predicates {
                    self.predicate(predicate)?;
                }
                self.out.end_array()
            }
            Header::ScheduledEnd => {
                self.key(number, key)?;
                self.out.i64(instruction.scheduled_end())
            }
            Header::ScheduledStart => {
                self.key(number, key)?;
                self.out.i64(instruction.scheduled_start())
            }
            Header::SyncInfo if instruction.has_sync_info() => self.sync_info(instruction),
            Header::SyncInfo => Ok(()),
            Header::UnrollDependencies => self.unroll_dependencies(instruction),
        }
    }

    fn edges(&mut self, instruction: &'m Instruction, key: &'static str, number: usize, set: EdgeSet) -> Result<()> {
        let count = instruction.dependency_count(set);
        if count == 0 && !self.explicit {
            return Ok(());
        }
        let mut edges = core::mem::take(&mut self.edges);
        edges.clear();
        edges.try_reserve(count).map_err(|_| Error::out_of_memory())?;
        edges.extend(instruction.dependencies(set).take(count));
        if edges.len() > 1 {
            let places = self.places_of(instruction)?;
            // In memory they are in the order of their ids, which mostly is that of their places.
            if !edges.is_sorted_by_key(|e| places.place(e.target)) {
                edges.sort_by_cached_key(|e| places.place(e.target));
            }
        }
        self.list_key(number, key)?;
        for edge in &edges {
            live(edge.target)?;
            self.out.name_and_word(&edge.target.name(), edge.kind.name())?;
        }
        self.edges = edges;
        self.out.phrase(number::LIST_END, O::end_array)
    }

    /// The places in the function or queue around an instruction; kept for the next instruction of the same one.
    fn places_of(&mut self, instruction: &'m Instruction) -> Result<&Places> {
        let mut holder = instruction.block().and_then(|b| b.holder());
        while let Some(HolderOwner::Instruction(outer)) = holder.and_then(BasicBlockHolder::part_of) {
            holder = outer.block().and_then(|b| b.holder());
        }
        let Some(root) = holder else {
            return Err(Error::new(ErrorCode::CorruptIr, "corrupt IR: a written instruction is outside a function"));
        };
        let address = core::ptr::from_ref(root).addr();
        if self.places.as_ref().is_none_or(|p| p.0 != address) {
            self.places = Some((address, Places::of(root)?));
        }
        match &self.places {
            Some((_, places)) => Ok(places),
            None => Err(Error::new(ErrorCode::Internal, "no places")),
        }
    }

    fn unroll_dependencies(&mut self, instruction: &'m Instruction) -> Result<()> {
        let mut edges = instruction.unroll_dependencies().peekable();
        if edges.peek().is_none() && !self.explicit {
            return Ok(());
        }
        self.out.schema_key("unroll_dependencies")?;
        self.out.begin_array()?;
        for (target, kind, exprs, predicates) in edges {
            live(target)?;
            self.out.begin_array()?;
            self.out.string(&target.name())?;
            self.out.schema_string(kind.name())?;
            self.out.begin_array()?;
            for expr in exprs {
                self.expression(expr)?;
            }
            self.out.end_array()?;
            self.out.begin_array()?;
            for predicate in predicates {
                self.predicate(predicate)?;
            }
            self.out.end_array()?;
            self.out.end_array()?;
        }
        self.out.end_array()
    }

    fn sync_info(&mut self, instruction: &'m Instruction) -> Result<()> {
        self.out.schema_key("sync_info")?;
        self.out.begin_object()?;
        let mut updates = instruction.updates().peekable();
        if updates.peek().is_some() || self.explicit {
            self.out.schema_key("on_update")?;
            self.out.begin_array()?;
            for update in updates {
                self.update(update)?;
            }
            self.out.end_array()?;
        }
        let mut waits = instruction.waits().peekable();
        if waits.peek().is_some() || self.explicit {
            self.out.schema_key("on_wait")?;
            self.out.begin_array()?;
            for wait in waits {
                self.wait(wait)?;
            }
            self.out.end_array()?;
        }
        self.out.end_object()
    }

    fn update(&mut self, update: Update) -> Result<()> {
        self.out.begin_object()?;
        self.unsigned("id", update.id.into())?;
        if update.mode != default_update_mode() || self.explicit {
            self.word("mode", update.mode.name())?;
        }
        if update.sync_type != 0 || self.explicit {
            self.number("sync_type", update.sync_type.into())?;
        }
        if let Some(core) = update.target_core {
            self.unsigned("target_core", core.into())?;
        }
        self.unsigned("update_value", update.value.into())?;
        self.out.end_object()
    }

    fn wait(&mut self, wait: Wait<'m>) -> Result<()> {
        self.out.begin_object()?;
        if let Some(from) = wait.from {
            live(from)?;
            self.text("from", &from.name())?;
        }
        self.unsigned("id", wait.id.into())?;
        if wait.mode != default_wait_mode() || self.explicit {
            self.word("mode", wait.mode.name())?;
        }
        if wait.sync_type != 0 || self.explicit {
            self.number("sync_type", wait.sync_type.into())?;
        }
        self.unsigned("wait_value", wait.value.into())?;
        self.out.end_object()
    }
}

/// Fails for a reference to an instruction that was erased.
pub(super) fn live(instruction: &Instruction) -> Result<()> {
    if instruction.is_erased() {
        let message = format_args!("corrupt IR: a reference to the erased instruction `{}`", instruction.name());
        return Err(Error::new(ErrorCode::CorruptIr, message));
    }
    Ok(())
}
