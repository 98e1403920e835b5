//! Reads instructions of forms that are remembered. First the text is followed to the end of the instruction, and nothing is made;
//! where it goes on as no form does, the instruction is left to the general way. Then the form says what to make of the values,
//! in the order of the text; a value that is not as simple as it should be is read by the general way, at its own place.
#![forbid(unsafe_code)]

use super::super::super::input::Input;
use super::super::{Reader, State, TextPair};
use super::tree::{Amount, At, Compact, Part, Taken, Takes};
use super::{FIRST_FIELD, Header, PLAIN_EDGES};
use crate::fallible::copy;
use crate::ir::raw::Flag;
use crate::ir::raw::payload::{MaybeContent, make_maybe};
use crate::ir::raw::slot::slot;
use crate::ir::raw::values::MaybeAffine;
use crate::ir::{APPair, BasicBlock, EdgeSet, Function, Instruction, OperandList, OperandSpec, Place, Update, Wait};
use crate::op::{Field, OpcodeInfo, Slot};
use crate::{Error, ErrorCode, Result};
use alloc::vec::Vec;
use core::cell::Cell;

/// Levels of nesting that a form may have without a look at the limit: values that are read by themselves look.
pub(super) const LEVELS: u32 = 8;
/// Elements that an object or an array of a form may have in the same way.
pub(super) const ELEMENTS: u64 = 512;

/// What was read of an instruction.
struct Recalled<'a> {
    /// Where it starts.
    start: u64,
    /// The number of its form.
    form: u32,
    edges: [TextPair<'a>; PLAIN_EDGES],
    edge_count: usize,
}

/// The values of an instruction.
struct Values<'v> {
    start: u64,
    taken: &'v [Taken],
}

impl Values<'_> {
    #[inline(always)]
    fn get(&self, number: u16) -> Result<&Taken> {
        self.taken.get(usize::from(number)).ok_or_else(no_value)
    }

    #[inline(always)]
    fn number(&self, amount: Amount) -> Result<u64> {
        match amount {
            Amount::Known(number) => Ok(number),
            Amount::Taken(number) => self.get(number).map(|taken| taken.number),
        }
    }

    #[inline(always)]
    fn offset(&self, at: At) -> Result<u64> {
        match at {
            At::Taken(number) => self.get(number).map(|taken| taken.start),
            At::Branch(0, bytes) => Ok(self.start.saturating_add(bytes.into())),
            At::Branch(number, bytes) => self.get(number - 1).map(|taken| taken.end.saturating_add(bytes.into())),
        }
    }
}

/// The error of a form whose values are not those that were read: there is none.
#[cold]
fn no_value() -> Error {
    Error::new(ErrorCode::Internal, "a form that was remembered has other values")
}

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    /// Reads an instruction of a form that is remembered; `false` if it has none, and then nothing was read or made.
    pub(super) fn recalled(&mut self, block: &'m BasicBlock) -> Result<bool> {
        if !self.input.has_room(LEVELS, ELEMENTS) {
            return Ok(false);
        }
        let mut recalled =
            Recalled { start: self.input.offset(), form: 0, edges: [TextPair::default(); PLAIN_EDGES], edge_count: 0 };
        let start = self.input.mark();
        if !self.follow(&mut recalled)? {
            self.input.reset(start);
            return Ok(false);
        }
        let number = recalled.form;
        let Some((opcode, name, parts)) = self.forms.take(number) else { return Err(no_value()) };
        let taken = core::mem::take(&mut self.forms.taken);
        let pairs = core::mem::take(&mut self.forms.pairs);
        let values = Values { start: recalled.start, taken: &taken };
        self.at = recalled.start;
        let name = self.text_of(values.get(name)?)?;
        let instruction = self.begin_instruction(block, opcode, name)?;
        let info = OpcodeInfo::of(opcode);
        let function = instruction.function();
        let mut schedule = (0, 0);
        let mut pairs_left = &*pairs;
        for part in &parts {
            self.make(instruction, info, function, part, &values, &recalled, &mut pairs_left, &mut schedule)?;
        }
        self.at = recalled.start;
        self.forms.keep(number, parts);
        self.forms.taken = taken;
        self.forms.pairs = pairs;
        self.end_instruction(instruction, opcode, schedule, None, None)?;
        Ok(true)
    }

    /// Follows the branches from the start of an instruction to its end; `false` if they do not lead there.
    #[inline(always)]
    fn follow(&mut self, recalled: &mut Recalled<'a>) -> Result<bool> {
        let state = &mut *self.state;
        state.forms.pairs.clear();
        let (mut next, mut count) = (state.forms.first(), 0);
        while let Some(at) = next {
            let Some(branch) = state.forms.branches.get(at as usize) else { break };
            let (behind, beside) = (branch.behind, branch.beside);
            let before = self.input.mark();
            if !self.input.passes_text(&branch.text) {
                next = beside;
                continue;
            }
            let start = self.input.offset();
            let number = match branch.takes {
                Takes::Text => self.input.plain_string().map(|_| 0),
                Takes::Integer(max) => self.input.plain_integer(max),
                Takes::Pattern => match branch.pattern(&mut self.input) {
                    Some(pairs) => {
                        append(&mut state.forms.pairs, pairs)?;
                        Some(pairs.len() as u64)
                    }
                    None => Self::new_pattern(&mut self.input, state, at)?,
                },
                Takes::Edges => {
                    let count = self.input.text_pairs(&state.edge_layout, &mut recalled.edges);
                    recalled.edge_count = count.unwrap_or(0);
                    count.map(|count| count as u64)
                }
                Takes::Value(levels) => Self::pass_value(&mut self.input, start, levels.into()),
                Takes::Nothing(form) => {
                    recalled.form = form;
                    return Ok(true);
                }
            };
            match (number, state.forms.taken.get_mut(count)) {
                (Some(number), Some(taken)) => {
                    *taken = Taken { start, end: self.input.offset(), number };
                    (next, count) = (behind, count + 1);
                }
                _ => {
                    self.input.reset(before);
                    next = beside;
                }
            }
        }
        Ok(false)
    }

    /// Reads an access pattern that the branch does not remember.
    #[inline(never)]
    fn new_pattern(input: &mut I, state: &mut State<'m>, branch: u32) -> Result<Option<u64>> {
        let start = input.offset();
        let mut pairs = [[0; 2]; crate::ir::MAX_DIMS];
        let Some(len) = input.number_pairs(&state.pattern_layout, &mut pairs) else { return Ok(None) };
        if let Some(text) = input.text_between(start, input.offset()) {
            state.forms.remember(branch, text, pairs, len)?;
        }
        append(&mut state.forms.pairs, pairs.get(..len).unwrap_or_default())?;
        Ok(Some(len as u64))
    }

    /// Passes over a value that is nested so many levels deeper than this place.
    #[inline(never)]
    fn pass_value(input: &mut I, start: u64, levels: u32) -> Option<u64> {
        let outside = input.mark();
        input.reset(input.mark_at(start, levels));
        let passed = input.pass();
        let end = input.offset();
        input.reset(outside);
        input.reset(input.mark_at(end, 0));
        passed.ok().map(|()| 0)
    }

    /// The text of a string that was passed.
    #[inline(always)]
    fn text_of(&self, taken: &Taken) -> Result<&'a str> {
        self.input.text_between(taken.start.saturating_add(1), taken.end.saturating_sub(1)).ok_or_else(no_value)
    }

    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn make(
        &mut self,
        instruction: &'m Instruction,
        info: &'static OpcodeInfo,
        function: Option<&'m Function>,
        part: &Part,
        values: &Values<'_>,
        recalled: &Recalled<'a>,
        pairs: &mut &[[u64; 2]],
        schedule: &mut (i64, i64),
    ) -> Result<()> {
        match part {
            Part::Engine(engine) => instruction.set_engine(*engine),
            Part::EngineId(id) => instruction.set_engine_id(values.number(*id)? as u32),
            Part::ScheduledStart(start) => schedule.0 = values.number(*start)? as i64,
            Part::ScheduledEnd(end) => schedule.1 = values.number(*end)? as i64,
            Part::Origin(origin) => instruction.set_origin(*origin),
            Part::Constant { field, bits } => set_constant(instruction, field, field.offset, values.number(*bits)?)?,
            Part::Constants { field, bits: [first, second] } => {
                set_constant(instruction, field, field.offset, *first)?;
                set_constant(instruction, field, field.offset + 0x28, *second)?;
            }
            Part::Edges { at } => {
                let offset = values.offset(*at)?;
                let pairs = recalled.edges.get(..recalled.edge_count).unwrap_or_default();
                self.under(Header::Dependencies.text(), |r| {
                    r.at = offset;
                    if !r.make_edges(instruction, EdgeSet::Normal, pairs)? {
                        let mark = r.input.mark_at(offset, 1);
                        r.at_mark(mark, |r| r.edges(instruction, EdgeSet::Normal))?;
                    }
                    Ok(())
                })?;
            }
            Part::Debug { at, text } => {
                self.at = values.offset(*at)?;
                self.under(Header::Debug.text(), |r| r.make_debug(instruction, text, values))?;
            }
            Part::Operand { list, index, at, dtype, pattern, memref, memsetref, offset } => {
                let (own, rest) = pairs.split_at_checked(values.get(*pattern)?.number as usize).ok_or_else(no_value)?;
                *pairs = rest;
                let at = values.offset(*at)?;
                let (name, set) = (self.text_of(values.get(*memref)?)?, self.text_of(values.get(*memsetref)?)?);
                let offset = values.get(*offset)?.number;
                let added = match function.and_then(|function| self.find_location(function, Some(set), name)) {
                    Some(location) => {
                        self.at = at;
                        let mut pattern = [APPair::default(); crate::ir::MAX_DIMS];
                        for (pair, [step, num]) in pattern.iter_mut().zip(own) {
                            *pair = APPair { step: *step as i64, num: *num as i64 };
                        }
                        let pattern = pattern.get(..own.len()).unwrap_or_default();
                        let spec = OperandSpec::Physical { location, dtype: *dtype, pattern, offset };
                        Some(instruction.add_operand(*list, &spec, Place::End))
                    }
                    None => None,
                };
                // Where nothing is wrong, nobody asks for the path.
                if !matches!(added, Some(Ok(_))) {
                    self.path.push_key(list.key());
                    self.path.push_index(*index);
                    match added {
                        Some(added) => drop(added.map_err(|e| self.place(e))?),
                        None => self.read_operand(instruction, *list, at)?,
                    }
                    self.path.pop();
                    self.path.pop();
                }
            }
            Part::Immediate { index, at, dtype, value } => {
                let at = values.offset(*at)?;
                let mark = self.input.mark_at(values.get(*value)?.start, 3);
                self.path.push_key(OperandList::Ins.key());
                self.path.push_index(*index);
                let bits = self.at_mark(mark, |r| r.under("value", |r| r.immediate(*dtype)))?;
                self.at = at;
                self.add(instruction, OperandList::Ins, &OperandSpec::Immediate { dtype: *dtype, bits })?;
                self.path.pop();
                self.path.pop();
            }
            Part::OtherOperand { list, index, at } => {
                let at = values.offset(*at)?;
                self.path.push_key(list.key());
                self.path.push_index(*index);
                self.read_operand(instruction, *list, at)?;
                self.path.pop();
                self.path.pop();
            }
            Part::Sync { at } => {
                self.at = values.offset(*at)?;
                self.under(Header::SyncInfo.text(), |r| instruction.set_sync_info(true).map_err(|e| r.place(e)))?;
            }
            Part::Wait { index, at, id, value, mode, sync_type, from } => {
                let wait = Wait {
                    id: values.number(*id)? as u32,
                    value: values.number(*value)? as u32,
                    mode: *mode,
                    sync_type: values.number(*sync_type)? as i32,
                    from: None,
                };
                self.at = values.offset(*at)?;
                self.in_sync("on_wait", *index, |r| instruction.add_wait(wait).map_err(|e| r.place(e)))?;
                if let Some(from) = from {
                    let from = values.get(*from)?;
                    let name = copy(self.text_of(from)?)?;
                    self.pending.producer(instruction, *index, name, from.start)?;
                }
            }
            Part::Update { index, at, id, value, mode, sync_type, core } => {
                let update = Update {
                    id: values.number(*id)? as u32,
                    value: values.number(*value)? as u32,
                    mode: *mode,
                    sync_type: values.number(*sync_type)? as i32,
                    target_core: core.map(|core| values.number(core)).transpose()?.map(|core| core as u32),
                };
                self.at = values.offset(*at)?;
                self.in_sync("on_update", *index, |r| instruction.add_update(update).map_err(|e| r.place(e)))?;
            }
            Part::Member { number, at } => {
                let mark = self.input.mark_at(values.offset(*at)?, 1);
                self.at_mark(mark, |r| match number.checked_sub(FIRST_FIELD) {
                    None => {
                        let header = Header::numbered(*number)?;
                        r.under(header.text(), |r| r.header(instruction, header, schedule))
                    }
                    Some(index) => {
                        let field = info.fields.get(usize::from(index)).ok_or_else(no_value)?;
                        r.under(field.key, |r| r.field(instruction, field, field.key))
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Does something at an element of `sync_info`.
    fn in_sync(&mut self, key: &'static str, index: usize, then: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.under(Header::SyncInfo.text(), |r| {
            r.under(key, |r| {
                r.path.push_index(index);
                then(r)?;
                r.path.pop();
                Ok(())
            })
        })
    }

    fn read_operand(&mut self, instruction: &'m Instruction, list: OperandList, at: u64) -> Result<()> {
        let mark = self.input.mark_at(at, 2);
        self.at_mark(mark, |r| r.operand(instruction, list))
    }

    fn make_debug(&mut self, instruction: &'m Instruction, compact: &Compact, values: &Values<'_>) -> Result<()> {
        let mut text = core::mem::take(&mut self.forms.text);
        text.clear();
        for (before, number) in &compact.before {
            let taken = values.get(*number)?;
            let value = self.input.text_between(taken.start, taken.end).ok_or_else(no_value)?;
            text.try_reserve(before.len() + value.len()).map_err(|_| Error::out_of_memory())?;
            text.push_str(before);
            text.push_str(value);
        }
        text.try_reserve(compact.last.len()).map_err(|_| Error::out_of_memory())?;
        text.push_str(&compact.last);
        instruction.set_debug_json(Some(&text)).map_err(|e| self.place(e))?;
        self.forms.text = text;
        Ok(())
    }
}

/// Sets a field to a constant.
#[inline(always)]
fn set_constant(instruction: &Instruction, field: &'static Field, at: u16, bits: u64) -> Result<()> {
    match field.slot {
        Slot::Bool => slot::<Flag>(instruction, at).ok_or_else(no_value)?.set(bits != 0),
        Slot::U32 => slot::<Cell<u32>>(instruction, at).ok_or_else(no_value)?.set(bits as u32),
        Slot::Enum(_) => slot::<Cell<i32>>(instruction, at).ok_or_else(no_value)?.set(bits as i32),
        Slot::Maybe(_) | Slot::MaybePair(_) => {
            let value = make_maybe(MaybeContent::Constant(bits), 0, 0);
            slot::<Cell<MaybeAffine>>(instruction, at).ok_or_else(no_value)?.set(value);
        }
        _ => return Err(no_value()),
    }
    Ok(())
}

#[inline(always)]
fn append(all: &mut Vec<[u64; 2]>, pairs: &[[u64; 2]]) -> Result<()> {
    all.try_reserve(pairs.len()).map_err(|_| Error::out_of_memory())?;
    all.extend_from_slice(pairs);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::{ReadOptions, Reader, State, Watch};
    use crate::doc::{JsonInput, WriteOptions, write_json};
    use crate::enums::bir::{Dtype, EdgeKind, InstructionType, MemoryType, TensorKind};
    use crate::ir::{APPair, EdgeSet, Module, OperandList, OperandSpec, Place, Wait, default_wait_mode};
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    /// A document with so many instructions of two opcodes, each with most of what a form can have.
    fn document(instructions: usize) -> String {
        let module = Module::new().unwrap();
        let function = module.add_function("f", Place::End).unwrap().object;
        let set = function.add_set("s_set", TensorKind::Internal, Dtype::float32, Place::End).unwrap().object;
        let location = set.add_location("s", MemoryType::SB, Place::End).unwrap().object;
        let block = function.add_block("b", Place::End).unwrap().object;
        let mut last = None;
        for index in 0..instructions {
            let opcode = [InstructionType::Matmult, InstructionType::Activation][index % 2];
            let instruction = block.add_instruction(opcode, &format!("I-{index}"), Place::End).unwrap().object;
            let pattern = [APPair { step: 128, num: 4 }, APPair { step: 1, num: index as i64 % 5 + 1 }];
            let physical =
                OperandSpec::Physical { location, dtype: Dtype::float32, pattern: &pattern, offset: index as u64 };
            instruction.add_operand(OperandList::Ins, &physical, Place::End).unwrap();
            let bits = u64::from((index as f32).to_bits());
            let immediate = OperandSpec::Immediate { dtype: Dtype::float32, bits };
            instruction.add_operand(OperandList::Ins, &immediate, Place::End).unwrap();
            instruction.add_operand(OperandList::Outs, &physical, Place::End).unwrap();
            instruction.set_debug_json(Some(&format!("{{\"file\":\"f\",\"lineno\":{index}}}"))).unwrap();
            if let Some(last) = last {
                instruction.add_dependency(last, EdgeKind::Flow, EdgeSet::Normal).unwrap();
                let (mode, id) = (default_wait_mode(), index as u32);
                let wait = Wait { id, value: 2, mode, sync_type: 0, from: Some(last) };
                instruction.add_wait(wait).unwrap();
            }
            last = Some(instruction);
        }
        let mut text = Vec::new();
        write_json(&module, &mut text, &WriteOptions::default()).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn every_form_is_remembered_once_and_then_recalled() {
        let text = document(60);
        let (module, options) = (Module::new().unwrap(), ReadOptions::default());
        let mut watch = Watch::new();
        let mut state = State::new(&module, &options, watch.reborrow());
        let input = JsonInput::new(text.as_bytes(), options.limits);
        Reader { input, state: &mut state, _bytes: core::marker::PhantomData }.document().unwrap();
        // The first instruction waits for nothing. A form that was remembered and not recalled would have been added in vain.
        assert_eq!(state.forms.told(), (3, 0));
        drop(state);
        let mut again = Vec::new();
        write_json(&module, &mut again, &WriteOptions::default()).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), text);
    }
}
