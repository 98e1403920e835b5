//! Remembers the form of an instruction that was read well: its text is walked once more, and cut where values stand that differ
//! from instruction to instruction. Whatever is unusual (a key that is not known or stands twice, an escape) makes no form.
#![forbid(unsafe_code)]

use super::super::super::input::{Input, ValueKind};
use super::super::{Reader, TextPair};
use super::tree::{Amount, At, Compact, Form, MOST_VALUES, Part, Takes};
use super::{FIRST_FIELD, Header, PLAIN_EDGES, field_number};
use crate::enums::bir::{ArgumentKind, Dtype, EngineType, InstructionType, UpdateMode, WaitMode};
use crate::enums::id;
use crate::fallible::push;
use crate::ir::{OperandList, default_update_mode, default_wait_mode};
use crate::op::{Field, MaybeType, OpcodeInfo, Slot};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// Members of a `debug` object that is taken apart, at most.
const MOST_PARTS: usize = 16;

/// A form that is being made. What makes no form is an error; nobody sees it.
struct Draft<'a> {
    /// Where the text before the next value starts.
    from: u64,
    way: Vec<(&'a str, Takes)>,
    parts: Vec<Part>,
    name: Option<u16>,
}

/// There is no form.
fn no_form() -> Error {
    Error::new(ErrorCode::Unsupported, "")
}

impl<'a> Draft<'a> {
    /// The number of the next value.
    fn next(&self) -> u16 {
        self.way.len() as u16
    }

    /// A place in the text before the next value.
    fn at(&self, offset: u64) -> At {
        At::Branch(self.next(), offset.saturating_sub(self.from) as u32)
    }
}

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    /// Remembers the form of the instruction that stands from `start` to here.
    pub(super) fn learn(&mut self, start: I::Mark, opcode: InstructionType) -> Result<()> {
        if !self.forms.has_room() || !self.input.has_room(super::recall::LEVELS, super::recall::ELEMENTS) {
            return Ok(());
        }
        let (end, back) = (self.input.offset(), self.input.mark());
        self.input.reset(start);
        let mut draft = Draft { from: self.input.offset(), way: Vec::new(), parts: Vec::new(), name: None };
        let described = self.describe(&mut draft, OpcodeInfo::of(opcode));
        self.input.reset(back);
        match (described, draft.name, self.input.text_between(draft.from, end)) {
            (Ok(()), Some(name), Some(last)) => {
                self.forms.add(&draft.way, last, Form { opcode, name, parts: draft.parts })
            }
            (Err(error), ..) if error.code == ErrorCode::OutOfMemory => Err(error),
            _ => {
                self.forms.looked_in_vain();
                Ok(())
            }
        }
    }

    /// Cuts the text before the value that starts at `start` and ends here.
    fn cut(&mut self, draft: &mut Draft<'a>, start: u64, takes: Takes) -> Result<u16> {
        let text = self.input.text_between(draft.from, start).ok_or_else(no_form)?;
        let number = draft.next();
        if draft.way.len() >= MOST_VALUES {
            return Err(no_form());
        }
        push(&mut draft.way, (text, takes))?;
        draft.from = self.input.offset();
        Ok(number)
    }

    /// Cuts a plain string.
    fn cut_text(&mut self, draft: &mut Draft<'a>) -> Result<u16> {
        let start = self.input.offset();
        self.input.plain_string().ok_or_else(no_form)?;
        self.cut(draft, start, Takes::Text)
    }

    /// A number: one that is 0 is likely to be 0 in the next instruction too.
    fn amount(&mut self, draft: &mut Draft<'a>, max: u64) -> Result<Amount> {
        let start = self.input.offset();
        match self.input.plain_integer(max).ok_or_else(no_form)? {
            0 => Ok(Amount::Known(0)),
            _ => self.cut(draft, start, Takes::Integer(max)).map(Amount::Taken),
        }
    }

    /// Any value, to be read by itself.
    fn value(&mut self, draft: &mut Draft<'a>, levels: u8) -> Result<At> {
        let start = self.input.offset();
        self.input.pass()?;
        self.cut(draft, start, Takes::Value(levels)).map(At::Taken)
    }

    /// Describes a value in its own way; `None` if that fails, and then nothing was read.
    fn attempt<T>(
        &mut self,
        draft: &mut Draft<'a>,
        describe: impl FnOnce(&mut Self, &mut Draft<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        let (start, from, cuts, parts) = (self.input.mark(), draft.from, draft.way.len(), draft.parts.len());
        match describe(self, draft) {
            Ok(described) => Ok(Some(described)),
            Err(error) if error.code == ErrorCode::OutOfMemory => Err(error),
            Err(_) => {
                self.input.reset(start);
                draft.way.truncate(cuts);
                draft.parts.truncate(parts);
                draft.from = from;
                Ok(None)
            }
        }
    }

    fn describe(&mut self, draft: &mut Draft<'a>, info: &'static OpcodeInfo) -> Result<()> {
        let mut seen = [false; 256];
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let number = Header::number(&key).or_else(|| field_number(info, &key)).ok_or_else(no_form)?;
            let seen = seen.get_mut(usize::from(number)).ok_or_else(no_form)?;
            if core::mem::replace(seen, true) || self.input.peek()? == ValueKind::Null {
                return Err(no_form());
            }
            if number < FIRST_FIELD {
                self.describe_header(draft, Header::numbered(number)?, number)?;
            } else {
                let field = info.fields.get(usize::from(number - FIRST_FIELD)).ok_or_else(no_form)?;
                self.describe_field(draft, field, number)?;
            }
        }
        Ok(())
    }

    fn describe_header(&mut self, draft: &mut Draft<'a>, key: Header, number: u8) -> Result<()> {
        let at = draft.at(self.input.offset());
        let part = match key {
            Header::Name => {
                draft.name = Some(self.cut_text(draft)?);
                return Ok(());
            }
            Header::Opcode => return self.input.skip(),
            Header::Origin => Part::Origin(self.origin()?),
            Header::Engine => Part::Engine(EngineType::from_ordinal(self.enum_value(id::ENGINE_TYPE)?)?),
            Header::EngineId => Part::EngineId(self.amount(draft, u32::MAX.into())?),
            Header::ScheduledStart => Part::ScheduledStart(self.amount(draft, i64::MAX as u64)?),
            Header::ScheduledEnd => Part::ScheduledEnd(self.amount(draft, i64::MAX as u64)?),
            Header::OptinPasses | Header::Dependencies | Header::Ins | Header::Outs if self.is_empty_array()? => {
                return Ok(());
            }
            Header::Dependencies => {
                let (offset, mut pairs) = (self.input.offset(), [TextPair::default(); PLAIN_EDGES]);
                match self.input.text_pairs(&self.state.edge_layout, &mut pairs) {
                    Some(_) => Part::Edges { at: At::Taken(self.cut(draft, offset, Takes::Edges)?) },
                    None => Part::Member { number, at: self.value(draft, 1)? },
                }
            }
            Header::Ins => return self.describe_operands(draft, OperandList::Ins),
            Header::Outs => return self.describe_operands(draft, OperandList::Outs),
            Header::Debug => match self.attempt(draft, Self::describe_debug)? {
                Some(text) => Part::Debug { at, text },
                None => Part::Member { number, at: self.value(draft, 1)? },
            },
            Header::SyncInfo => match self.attempt(draft, Self::describe_sync)? {
                Some(()) => return Ok(()),
                None => Part::Member { number, at: self.value(draft, 1)? },
            },
            _ => Part::Member { number, at: self.value(draft, 1)? },
        };
        push(&mut draft.parts, part)
    }

    /// Passes over an array if it is empty; otherwise nothing is consumed.
    fn is_empty_array(&mut self) -> Result<bool> {
        let start = self.input.mark();
        self.input.begin_array()?;
        let empty = !self.input.next_element()?;
        if !empty {
            self.input.reset(start);
        }
        Ok(empty)
    }

    /// A `debug` object whose members are plain, in the order of their keys.
    fn describe_debug(&mut self, draft: &mut Draft<'a>) -> Result<Compact> {
        let (mut compact, mut last) = (Compact::default(), None);
        let mut text = String::from("{");
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let plain = key.bytes().all(|b| b >= b' ' && b != b'"' && b != b'\\');
            if !plain || last.as_ref().is_some_and(|last| *last >= key) || compact.before.len() >= MOST_PARTS {
                return Err(no_form());
            }
            for piece in [if last.is_some() { ",\"" } else { "\"" }, &key, "\":"] {
                text.try_reserve(piece.len()).map_err(|_| Error::out_of_memory())?;
                text.push_str(piece);
            }
            last = Some(key);
            let start = self.input.offset();
            let number = match self.input.peek()? {
                ValueKind::String => self.cut_text(draft)?,
                _ => {
                    self.input.plain_integer(u64::MAX).ok_or_else(no_form)?;
                    self.cut(draft, start, Takes::Integer(u64::MAX))?
                }
            };
            push(&mut compact.before, (core::mem::take(&mut text), number))?;
        }
        text.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        text.push('}');
        compact.last = text;
        Ok(compact)
    }

    fn describe_operands(&mut self, draft: &mut Draft<'a>, list: OperandList) -> Result<()> {
        self.input.begin_array()?;
        let mut index = 0;
        while self.input.next_element()? {
            let pattern = self.attempt(draft, |r, draft| r.describe_operand(draft, list, index))?;
            let part = match pattern {
                Some(part) => part,
                None => match self.attempt(draft, |r, draft| r.describe_immediate(draft, list, index))? {
                    Some(part) => part,
                    None => Part::OtherOperand { list, index, at: self.value(draft, 2)? },
                },
            };
            push(&mut draft.parts, part)?;
            index += 1;
        }
        Ok(())
    }

    /// An operand that is a physical access pattern with its usual keys.
    fn describe_operand(&mut self, draft: &mut Draft<'a>, list: OperandList, index: usize) -> Result<Part> {
        let at = draft.at(self.input.offset());
        let (mut pattern, mut dtype, mut kind, mut offset) = (None, None, None, None);
        let (mut memref, mut memsetref) = (None, None);
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let start = self.input.offset();
            let twice = match &*key {
                "ap" => {
                    let mut pairs = [[0; 2]; crate::ir::MAX_DIMS];
                    self.input.number_pairs(&self.state.pattern_layout, &mut pairs).ok_or_else(no_form)?;
                    pattern.replace(self.cut(draft, start, Takes::Pattern)?).is_some()
                }
                "dtype" => dtype.replace(Dtype::from_ordinal(self.enum_value(id::DTYPE)?)?).is_some(),
                "kind" => kind.replace(self.input.plain_string().ok_or_else(no_form)?).is_some(),
                "memref" => memref.replace(self.cut_text(draft)?).is_some(),
                "memsetref" => memsetref.replace(self.cut_text(draft)?).is_some(),
                "offset" => {
                    self.input.plain_integer(u64::MAX).ok_or_else(no_form)?;
                    offset.replace(self.cut(draft, start, Takes::Integer(u64::MAX))?).is_some()
                }
                _ => true,
            };
            if twice {
                return Err(no_form());
            }
        }
        match (pattern, dtype, kind.map(ArgumentKind::from_json_kind), memref, memsetref, offset) {
            (
                Some(pattern),
                Some(dtype),
                Some(Ok(ArgumentKind::PhysicalAccessPattern)),
                Some(memref),
                Some(memsetref),
                Some(offset),
            ) => Ok(Part::Operand { list, index, at, dtype, pattern, memref, memsetref, offset }),
            _ => Err(no_form()),
        }
    }

    /// An immediate among the inputs.
    fn describe_immediate(&mut self, draft: &mut Draft<'a>, list: OperandList, index: usize) -> Result<Part> {
        let at = draft.at(self.input.offset());
        let (mut dtype, mut kind, mut value) = (None, None, None);
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let twice = match &*key {
                "dtype" => dtype.replace(Dtype::from_ordinal(self.enum_value(id::DTYPE)?)?).is_some(),
                "kind" => kind.replace(self.input.plain_string().ok_or_else(no_form)?).is_some(),
                "value" => {
                    let start = self.input.offset();
                    self.input.pass()?;
                    value.replace(self.cut(draft, start, Takes::Value(3))?).is_some()
                }
                _ => true,
            };
            if twice {
                return Err(no_form());
            }
        }
        match (dtype, kind.map(ArgumentKind::from_json_kind), value, list) {
            (Some(dtype), Some(Ok(ArgumentKind::ImmediateValue)), Some(value), OperandList::Ins) => {
                Ok(Part::Immediate { index, at, dtype, value })
            }
            _ => Err(no_form()),
        }
    }

    fn describe_sync(&mut self, draft: &mut Draft<'a>) -> Result<()> {
        let at = draft.at(self.input.offset());
        push(&mut draft.parts, Part::Sync { at })?;
        let mut seen = [false; 2];
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let waits = match &*key {
                "on_wait" => true,
                "on_update" => false,
                _ => return Err(no_form()),
            };
            let [wait, update] = &mut seen;
            if core::mem::replace(if waits { wait } else { update }, true) {
                return Err(no_form());
            }
            let mut index = 0;
            self.input.begin_array()?;
            while self.input.next_element()? {
                let part = if waits { self.describe_wait(draft, index)? } else { self.describe_update(draft, index)? };
                push(&mut draft.parts, part)?;
                index += 1;
            }
        }
        Ok(())
    }

    fn describe_wait(&mut self, draft: &mut Draft<'a>, index: usize) -> Result<Part> {
        let at = draft.at(self.input.offset());
        let (mut id, mut value, mut mode, mut sync_type, mut from) = (None, None, None, None, None);
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let twice = match &*key {
                "id" => id.replace(self.amount(draft, u32::MAX.into())?).is_some(),
                "wait_value" => value.replace(self.amount(draft, u32::MAX.into())?).is_some(),
                "mode" => mode.replace(WaitMode::from_ordinal(self.enum_value(id::WAIT_MODE)?)?).is_some(),
                "sync_type" => sync_type.replace(self.amount(draft, i32::MAX as u64)?).is_some(),
                "from" => from.replace(self.cut_text(draft)?).is_some(),
                _ => true,
            };
            if twice {
                return Err(no_form());
            }
        }
        Ok(Part::Wait {
            index,
            at,
            id: id.ok_or_else(no_form)?,
            value: value.unwrap_or(Amount::Known(0)),
            mode: mode.unwrap_or_else(default_wait_mode),
            sync_type: sync_type.unwrap_or(Amount::Known(0)),
            from,
        })
    }

    fn describe_update(&mut self, draft: &mut Draft<'a>, index: usize) -> Result<Part> {
        let at = draft.at(self.input.offset());
        let (mut id, mut value, mut mode, mut sync_type, mut core) = (None, None, None, None, None);
        self.input.begin_object()?;
        while let Some(key) = self.input.next_key()? {
            let twice = match &*key {
                "id" => id.replace(self.amount(draft, u32::MAX.into())?).is_some(),
                "update_value" => value.replace(self.amount(draft, u32::MAX.into())?).is_some(),
                "mode" => mode.replace(UpdateMode::from_ordinal(self.enum_value(id::UPDATE_MODE)?)?).is_some(),
                "sync_type" => sync_type.replace(self.amount(draft, i32::MAX as u64)?).is_some(),
                "target_core" => core.replace(self.amount(draft, u32::MAX.into())?).is_some(),
                _ => true,
            };
            if twice {
                return Err(no_form());
            }
        }
        Ok(Part::Update {
            index,
            at,
            id: id.ok_or_else(no_form)?,
            value: value.unwrap_or(Amount::Known(0)),
            mode: mode.unwrap_or_else(default_update_mode),
            sync_type: sync_type.unwrap_or(Amount::Known(0)),
            core,
        })
    }

    fn describe_field(&mut self, draft: &mut Draft<'a>, field: &'static Field, number: u8) -> Result<()> {
        let described = self.attempt(draft, |r, draft| r.describe_constant(draft, field))?;
        let part = match described {
            Some(part) => part,
            None if field.slot == Slot::Blocks => return Err(no_form()),
            None => Part::Member { number, at: self.value(draft, 1)? },
        };
        push(&mut draft.parts, part)
    }

    /// A field whose value is a constant.
    fn describe_constant(&mut self, draft: &mut Draft<'a>, field: &'static Field) -> Result<Part> {
        let kind = self.input.peek()?;
        let most = |inner| match inner {
            MaybeType::Bool => Err(no_form()),
            MaybeType::U8 => Ok(u8::MAX.into()),
            MaybeType::U16 => Ok(u16::MAX.into()),
            MaybeType::U32 => Ok(u32::MAX.into()),
            MaybeType::U64 => Ok(u64::MAX),
            // Those that are not negative.
            MaybeType::I32 => Ok(i32::MAX as u64),
        };
        let bits = match (field.slot, kind) {
            (Slot::Bool | Slot::Maybe(_), ValueKind::Bool) => Amount::Known(self.input.bool()?.into()),
            (Slot::U32, ValueKind::Number) => self.amount(draft, u32::MAX.into())?,
            (Slot::Maybe(inner), ValueKind::Number) => self.amount(draft, most(inner)?)?,
            (Slot::Enum(enumeration), ValueKind::String) if enumeration != id::INST_SYNC_TYPE => {
                Amount::Known(u64::from(self.enum_value(enumeration)? as u32))
            }
            (Slot::MaybePair(inner), ValueKind::Array) => {
                return Ok(Part::Constants { field, bits: self.two(most(inner)?)? });
            }
            _ => return Err(no_form()),
        };
        Ok(Part::Constant { field, bits })
    }

    /// An array of two plain integers.
    fn two(&mut self, max: u64) -> Result<[u64; 2]> {
        let mut values = [0; 2];
        self.input.begin_array()?;
        for value in &mut values {
            if !self.input.next_element()? {
                return Err(no_form());
            }
            *value = self.input.plain_integer(max).ok_or_else(no_form)?;
        }
        if self.input.next_element()? { Err(no_form()) } else { Ok(values) }
    }
}
