//! Instructions: the header that all opcodes share; the payload goes through the field table.
#![forbid(unsafe_code)]

mod learn;
mod recall;
mod tree;

pub(super) use tree::Forms;

use super::super::input::{Input, Limits, Number, ValueKind};
use super::keys::keys;
use super::layout::{Layout, Member};
use super::{Reader, TextPair, WarningKind, address, root_holder};
use crate::enums::bir::{EdgeKind, EngineType, InstructionType, UpdateMode, WaitMode};
use crate::enums::id;
use crate::fallible::push;
use crate::ir::{
    BasicBlock, EdgeSet, Instruction, OperandList, Place, Update, Wait, default_update_mode, default_wait_mode,
};
use crate::op::{OPCODES, OpcodeInfo, Presence, RETIRED};
use crate::{Error, ErrorCode, Result};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

keys! {
    /// Keys that all opcodes share (`spec/bir-json.md` section 5).
    enum Header {
        Name = "name",
        Origin = "origin",
        Opcode = "opcode",
        Engine = "engine",
        EngineId = "engine_id",
        ScheduledStart = "scheduled_start",
        ScheduledEnd = "scheduled_end",
        OptinPasses = "optin_passes",
        Dependencies = "dependencies",
        LoopCarriedDependencies = "loop_carried_dependencies",
        UnrollDependencies = "unroll_dependencies",
        SyncInfo = "sync_info",
        Ins = "ins",
        IndirectionIns = "indirection_ins",
        Outs = "outs",
        Debug = "debug",
        Loopnest = "loopnest",
        Predicates = "predicates",
        Order = "order",
    }
}

/// The number of an opcode's first field; those below are of [`Header`] keys.
const FIRST_FIELD: u8 = Header::ALL.len() as u8;

/// Edges that are read in one go, at most.
const PLAIN_EDGES: usize = 16;

const SEMAPHORE: &str = "dma_trigger_debug_update_semaphore_id";

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    pub(super) fn instruction(&mut self, block: &'m BasicBlock) -> Result<()> {
        self.watch.instruction();
        self.look()?;
        let limit = Limits::MAX_NESTED_BLOCKS;
        self.nested(|s| &mut s.nested_blocks, "MAX_NESTED_BLOCKS", limit, |r| r.leaf(|r| r.whole_instruction(block)))
    }

    fn whole_instruction(&mut self, block: &'m BasicBlock) -> Result<()> {
        if self.recalled(block)? {
            return Ok(());
        }
        let start = self.input.mark();
        let opcode = self.any_instruction(block)?;
        self.learn(start, opcode)
    }

    /// Reads an instruction in the general way.
    fn any_instruction(&mut self, block: &'m BasicBlock) -> Result<InstructionType> {
        let mut layout = core::mem::take(&mut self.head_layout);
        let [name, opcode] = self.scan_with(Some(&mut layout), ["name", "opcode"])?;
        self.head_layout = layout;
        let opcode = self.required("opcode", opcode, Self::opcode)?;
        let name: Cow<'a, str> = match name {
            Some(mark) => self.at_mark(mark, |r| r.under("name", |r| r.string()))?,
            // Loop records of an older producer have no name.
            None if OpcodeInfo::of(opcode).holder_kind >= 0 => Cow::Borrowed(opcode.name()),
            None => return Err(self.missing("name")),
        };
        let instruction = self.begin_instruction(block, opcode, &name)?;
        let info = OpcodeInfo::of(opcode);
        let mut seen_header = 0_u32;
        let mut seen_fields = 0_u64;
        let mut blocks = None;
        let mut semaphore = None;
        let mut schedule = (0, 0);
        let number = |key: &str| Header::number(key).or_else(|| field_number(info, key));
        let mut layout = self.layout_of(opcode)?;
        self.laid_out(&mut layout, number, |r, member| {
            let (index, older) = match &member {
                Member::Known(number) if *number < FIRST_FIELD => {
                    let header = Header::numbered(*number)?;
                    let mut seen = seen_header & header.bit() != 0;
                    seen_header |= header.bit();
                    return r.under(header.text(), |r| {
                        r.once(&mut seen)?;
                        r.header(instruction, header, &mut schedule)
                    });
                }
                Member::Known(number) => (usize::from(number - FIRST_FIELD), None),
                Member::Other(key) => match info.position(key) {
                    Some(index) => (index, Some(key)),
                    None if key == SEMAPHORE => {
                        // A DMATrigger's, but whatever an instruction bears is written and has to come back.
                        return r.under(SEMAPHORE, |r| r.u32().map(|id| semaphore = Some(id)));
                    }
                    None if info.ignored_keys.contains(&&**key) => return r.ignored_key(key),
                    None => return r.payload_elsewhere(instruction, key, &mut seen_fields),
                },
            };
            let mut seen = seen_fields & (1 << index) != 0;
            seen_fields |= 1 << index;
            let Some(field) = info.fields.get(index) else { return Ok(()) };
            let spelled = older.and_then(|key| field.aliases.iter().find(|a| *a == key)).copied().unwrap_or(field.key);
            r.under(spelled, |r| {
                r.once(&mut seen)?;
                match field.slot {
                    crate::op::Slot::Blocks => {
                        blocks = Some(r.input.mark());
                        r.input.pass()
                    }
                    _ => r.field(instruction, field, spelled),
                }
            })
        })?;
        if let Some(kept) = self.instruction_layouts.get_mut(opcode.ordinal() as usize) {
            *kept = layout;
        }
        for (index, field) in info.fields.iter().enumerate() {
            let absent = seen_fields & (1 << index) == 0;
            if absent && field.presence == Presence::Required {
                return Err(self.missing(field.key));
            }
        }
        self.end_instruction(instruction, opcode, schedule, semaphore, blocks)?;
        Ok(opcode)
    }

    /// Makes an instruction of which nothing but opcode and name is known.
    fn begin_instruction(
        &mut self,
        block: &'m BasicBlock,
        opcode: InstructionType,
        name: &str,
    ) -> Result<&'m Instruction> {
        let placed = block.add_instruction(opcode, name, Place::End).map_err(|e| self.place(e))?;
        let instruction = placed.object;
        if placed.renamed {
            self.renamed(address(block), name, address(instruction), &instruction.name())?;
        }
        let state = &mut *self.state;
        state.scopes.enter(instruction, name, &state.renames)?;
        Ok(instruction)
    }

    /// Does what has to wait for the end of an instruction.
    fn end_instruction(
        &mut self,
        instruction: &'m Instruction,
        opcode: InstructionType,
        schedule: (i64, i64),
        semaphore: Option<u32>,
        blocks: Option<I::Mark>,
    ) -> Result<()> {
        if opcode == InstructionType::DMATrigger {
            let at = self.at;
            self.pending.trigger(instruction, at)?;
        }
        instruction.set_schedule(schedule.0, schedule.1).map_err(|e| self.place(e))?;
        if semaphore.is_some() {
            instruction.set_debug_update_semaphore(semaphore).map_err(|e| self.place(e))?;
        }
        if let (Some(mark), Some(holder)) = (blocks, instruction.block_holder()) {
            self.at_mark(mark, |r| r.under("blocks", |r| r.array(|r, _| r.block(holder))))?;
        }
        Ok(())
    }

    /// The layout of instructions of that opcode, for the time of reading one.
    fn layout_of(&mut self, opcode: InstructionType) -> Result<Layout> {
        let layouts = &mut self.instruction_layouts;
        while layouts.len() < OPCODES.len() {
            push(layouts, Layout::default())?;
        }
        Ok(layouts.get_mut(opcode.ordinal() as usize).map(core::mem::take).unwrap_or_default())
    }

    /// A key of an older producer: warned about and dropped.
    fn ignored_key(&mut self, key: &str) -> Result<()> {
        self.path.push_name(key);
        self.warn(WarningKind::IgnoredKey, format_args!("key `{key}` of an older producer; dropped"))?;
        self.input.skip()?;
        self.path.pop();
        Ok(())
    }

    fn opcode(&mut self) -> Result<InstructionType> {
        let kind = self.input.peek()?;
        let offset = self.input.offset();
        if kind == ValueKind::Number {
            let found = self.input.number()?;
            let named = match found {
                Number::U64(ordinal) => i64::try_from(ordinal).ok().and_then(|o| InstructionType::from_ordinal(o).ok()),
                _ => None,
            };
            let error = Error::new(ErrorCode::WrongType, "corrupt IR: an opcode is written by its name");
            let error = match named {
                Some(opcode) => error.expected_found(format_args!("\"{}\"", opcode.name()), found),
                None => error.expected_found("the name of an opcode", found),
            };
            return Err(error.at_position(self.input.position_of(offset)).at(&self.path));
        }
        let name = self.string()?;
        let member = self.memo.member(id::INSTRUCTION_TYPE, &name);
        member.and_then(|m| InstructionType::from_ordinal(m.ordinal.into())).map_err(|e| {
            let retired = RETIRED.iter().find(|r| r.0 == name);
            let error = match retired {
                Some((old, new)) => Error::new(
                    ErrorCode::UnknownEnum,
                    format_args!("the opcode `{old}` belongs to an older generation; today it is {new}"),
                ),
                None => Error { message: crate::error::text(format_args!("corrupt IR: {}", e.message)), ..e },
            };
            error.at_position(self.input.position_of(offset)).at(&self.path)
        })
    }

    fn header(&mut self, instruction: &'m Instruction, key: Header, schedule: &mut (i64, i64)) -> Result<()> {
        match key {
            Header::Name | Header::Opcode => self.input.skip(),
            Header::Origin => self.origin().map(|o| instruction.set_origin(o)),
            Header::Engine => {
                let engine = self.enum_value(id::ENGINE_TYPE)?;
                instruction.set_engine(EngineType::from_ordinal(engine)?);
                Ok(())
            }
            Header::EngineId => self.u32().map(|v| instruction.set_engine_id(v)),
            Header::ScheduledStart => self.i64().map(|v| schedule.0 = v),
            Header::ScheduledEnd => self.i64().map(|v| schedule.1 = v),
            Header::OptinPasses => {
                let names = self.strings()?;
                instruction.set_optin_passes(&names).map_err(|e| self.place(e))
            }
            Header::Dependencies => self.edges(instruction, EdgeSet::Normal),
            Header::LoopCarriedDependencies => self.edges(instruction, EdgeSet::LoopCarried),
            Header::UnrollDependencies => self.array(|r, index| r.unroll_dependency(instruction, index)),
            Header::SyncInfo => self.sync_info(instruction),
            Header::Ins => self.array(|r, _| r.operand(instruction, OperandList::Ins)),
            Header::IndirectionIns => self.array(|r, _| r.operand(instruction, OperandList::IndirectionIns)),
            Header::Outs => self.array(|r, _| r.operand(instruction, OperandList::Outs)),
            Header::Debug => {
                let debug = self.verbatim_object()?;
                instruction.set_debug_json(Some(&debug)).map_err(|e| self.place(e))
            }
            Header::Loopnest => {
                let axes = self.list(|r| r.axis_ref(instruction))?;
                instruction.set_loopnest(&axes).map_err(|e| self.place(e))
            }
            Header::Predicates => {
                let predicates = self.list(|r| r.predicate(instruction))?;
                instruction.set_predicates(&predicates).map_err(|e| self.place(e))
            }
            Header::Order => {
                let order = self.list(|r| r.expression(instruction))?;
                instruction.set_order(&order).map_err(|e| self.place(e))
            }
        }
    }

    /// `[name, kind]`, a bare name, or an object with `id` and `kind`.
    fn edges(&mut self, instruction: &'m Instruction, set: EdgeSet) -> Result<()> {
        if self.input.peek()? != ValueKind::Array {
            return Err(self.wrong_type("a JSON array of edges"));
        }
        if self.plain_edges(instruction, set)? {
            return Ok(());
        }
        let start = self.input.mark();
        self.array(|r, index| {
            let offset = r.input.offset();
            let (name, kind) = match r.input.peek()? {
                ValueKind::String => {
                    let name = r.input.string()?;
                    r.warn(WarningKind::BareDependency, format_args!("the bare name `{name}` counts as a Flow edge"))?;
                    (name, EdgeKind::Flow)
                }
                ValueKind::Array => {
                    let (mut name, mut kind, mut count) = (None, EdgeKind::Flow, 0);
                    r.array(|r, part| {
                        count = part + 1;
                        match part {
                            0 => name = Some(r.string()?),
                            1 => kind = r.edge_kind()?,
                            _ => r.input.skip()?,
                        }
                        Ok(())
                    })?;
                    match (name, count) {
                        (Some(name), 1 | 2) => (name, kind),
                        _ => {
                            return Err(r
                                .error(ErrorCode::WrongType, "")
                                .expected_found("[name, kind]", format_args!("{count} elements")));
                        }
                    }
                }
                ValueKind::Object => {
                    let (mut name, mut kind) = (None, EdgeKind::Flow);
                    r.object(|r, key| match &*key {
                        "id" => r.under("id", |r| {
                            name = Some(r.string()?);
                            Ok(())
                        }),
                        "kind" => r.under("kind", |r| {
                            kind = r.edge_kind()?;
                            Ok(())
                        }),
                        _ => r.unknown_key(&key),
                    })?;
                    (name.ok_or_else(|| r.missing("id"))?, kind)
                }
                _ => return Err(r.wrong_type("an edge: [name, kind] or a name")),
            };
            r.edge(instruction, root_holder(instruction), set, index, kind, &name, offset)
        })?;
        if let Some(layout) = self.input.pair_layout(start, true, &self.edge_layout) {
            self.edge_layout = layout;
        }
        Ok(())
    }

    /// Edges that are laid out as the last ones were: `false` if they are not, and then nothing was read.
    fn plain_edges(&mut self, instruction: &'m Instruction, set: EdgeSet) -> Result<bool> {
        let (start, at) = (self.input.mark(), self.input.offset());
        let mut pairs = [TextPair::default(); PLAIN_EDGES];
        let Some(count) = self.input.text_pairs(&self.state.edge_layout, &mut pairs) else { return Ok(false) };
        let pairs = pairs.get(..count).unwrap_or_default();
        if !self.make_edges(instruction, set, pairs)? {
            self.input.reset(start);
            return Ok(false);
        }
        self.at = at;
        Ok(true)
    }

    /// Makes edges; `false` if one has no kind that is known, and then nothing was made.
    fn make_edges(&mut self, instruction: &'m Instruction, set: EdgeSet, pairs: &[TextPair<'a>]) -> Result<bool> {
        let mut kinds = [EdgeKind::Flow; PLAIN_EDGES];
        for (pair, kind) in pairs.iter().zip(&mut kinds) {
            match self.memo.member(id::EDGE_KIND, pair.second).and_then(|m| EdgeKind::from_ordinal(m.ordinal.into())) {
                Ok(found) => *kind = found,
                Err(_) => return Ok(false),
            }
        }
        let root = root_holder(instruction);
        for (index, (pair, kind)) in pairs.iter().zip(kinds).enumerate() {
            self.at = pair.offset;
            self.path.push_index(index);
            self.edge(instruction, root, set, index, kind, pair.first, pair.offset)?;
            self.path.pop();
        }
        Ok(true)
    }

    fn edge_kind(&mut self) -> Result<EdgeKind> {
        if self.input.peek()? == ValueKind::Number {
            let number = self.integer(0, 7).map_err(|mut e| {
                if e.code == ErrorCode::BadValue {
                    e.message = crate::error::text("an edge kind fits three bits");
                }
                e
            })?;
            return EdgeKind::from_ordinal(number as i64).map_err(|e| self.place(e));
        }
        EdgeKind::from_ordinal(self.enum_value(id::EDGE_KIND)?)
    }

    /// `[name, kind, [affine...], [predicate...]]`.
    fn unroll_dependency(&mut self, instruction: &'m Instruction, index: usize) -> Result<()> {
        let offset = self.input.offset();
        let (mut name, mut kind) = (None, EdgeKind::Flow);
        let (mut exprs, mut predicates) = (Vec::new(), Vec::new());
        self.array(|r, part| {
            match part {
                0 => name = Some(r.string()?.into_owned()),
                1 => kind = r.edge_kind()?,
                2 => exprs = r.list(|r| r.expression(instruction))?,
                3 => predicates = r.list(|r| r.predicate(instruction))?,
                _ => return Err(r.error(ErrorCode::WrongType, "").expected_found("at most four elements", "more")),
            }
            Ok(())
        })?;
        let name: String = name.ok_or_else(|| {
            self.error(ErrorCode::WrongType, "")
                .expected_found("[name, kind, [affine...], [predicate...]]", "no elements")
        })?;
        self.pending.unroll(instruction, index, name, kind, exprs, predicates, offset)
    }

    fn sync_info(&mut self, instruction: &'m Instruction) -> Result<()> {
        instruction.set_sync_info(true).map_err(|e| self.place(e))?;
        self.object(|r, key| match &*key {
            "on_wait" => r.under("on_wait", |r| r.array(|r, index| r.wait(instruction, index))),
            "on_update" => r.under("on_update", |r| r.array(|r, _| r.update(instruction))),
            _ => r.unknown_key(&key),
        })
    }

    fn wait(&mut self, instruction: &'m Instruction, index: usize) -> Result<()> {
        let mut wait = Wait { id: 0, value: 0, mode: default_wait_mode(), sync_type: 0, from: None };
        let mut from = None;
        let mut has_id = false;
        self.object(|r, key| match &*key {
            "id" => r.under("id", |r| {
                has_id = true;
                wait.id = r.u32()?;
                Ok(())
            }),
            "wait_value" => r.under("wait_value", |r| {
                wait.value = r.u32()?;
                Ok(())
            }),
            "mode" => r.under("mode", |r| {
                wait.mode = WaitMode::from_ordinal(r.enum_value(id::WAIT_MODE)?)?;
                Ok(())
            }),
            "sync_type" => r.under("sync_type", |r| {
                wait.sync_type = r.i32()?;
                Ok(())
            }),
            "from" => r.under("from", |r| {
                from = Some((r.string()?.into_owned(), r.at));
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        if !has_id {
            return Err(self.missing("id"));
        }
        instruction.add_wait(wait).map_err(|e| self.place(e))?;
        match from {
            Some((name, offset)) => self.pending.producer(instruction, index, name, offset),
            None => Ok(()),
        }
    }

    fn update(&mut self, instruction: &'m Instruction) -> Result<()> {
        let mut update = Update { id: 0, value: 0, mode: default_update_mode(), sync_type: 0, target_core: None };
        let mut has_id = false;
        self.object(|r, key| match &*key {
            "id" => r.under("id", |r| {
                has_id = true;
                update.id = r.u32()?;
                Ok(())
            }),
            "update_value" => r.under("update_value", |r| {
                update.value = r.u32()?;
                Ok(())
            }),
            "mode" => r.under("mode", |r| {
                update.mode = UpdateMode::from_ordinal(r.enum_value(id::UPDATE_MODE)?)?;
                Ok(())
            }),
            "sync_type" => r.under("sync_type", |r| {
                update.sync_type = r.i32()?;
                Ok(())
            }),
            "target_core" => r.under("target_core", |r| {
                update.target_core = Some(r.u32()?);
                Ok(())
            }),
            _ => r.unknown_key(&key),
        })?;
        if !has_id {
            return Err(self.missing("id"));
        }
        instruction.add_update(update).map_err(|e| self.place(e))
    }
}

/// The number of the field with that key; older spellings have none.
fn field_number(info: &OpcodeInfo, key: &str) -> Option<u8> {
    let index = info.fields.binary_search_by(|f| f.key.cmp(key)).ok()?;
    u8::try_from(index).ok()?.checked_add(FIRST_FIELD)
}
