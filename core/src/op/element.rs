//! One element of a payload field as it lies in the module: reading it copies nothing and takes no time for the others.
#![forbid(unsafe_code)]

use super::field::{Field, MaybeType, Slot};
use crate::enums::EnumId;
use crate::error::bail;
use crate::ir::raw::payload::{MaybeContent, SlotView, is_absent, read_maybe};
use crate::ir::raw::values::MaybeAffine;
use crate::ir::{APPair, BasicBlock, DMAQueue, ExprNode, Function, Instruction, LoopAxis, QuasiAffineExpr, Register};
use crate::mem::{StdString, Str};
use crate::{Error, ErrorCode, Result};

/// An element of a field, or the value of a field that is no list. As [`Value`](super::Value), but texts are lent.
#[derive(Clone, Copy, Debug)]
pub enum Element<'m> {
    /// No value.
    Absent,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// An IEEE single.
    Float(f32),
    /// A member of an enum, by ordinal.
    Enum(EnumId, i32),
    /// Text.
    Text(Str<'m>),
    /// JSON, kept verbatim.
    Json(Str<'m>),
    /// An affine expression.
    Expr(QuasiAffineExpr<'m>),
    /// A run-time value.
    Node(&'m ExprNode),
    /// A pair of an access pattern.
    Pair(APPair),
    /// A queue.
    Queue(&'m DMAQueue),
    /// A block.
    Block(&'m BasicBlock),
    /// A function.
    Function(&'m Function),
    /// An instruction: a DMA trigger or DMA block.
    Instruction(&'m Instruction),
    /// A register.
    Register(&'m Register),
    /// The axis of a loop.
    Axis(&'m LoopAxis),
}

impl Element<'_> {
    /// The kind of element in words, for errors.
    pub fn describe(&self) -> &'static str {
        match self {
            Element::Absent => "no value",
            Element::Bool(_) => "a boolean",
            Element::Int(_) => "an integer",
            Element::Float(_) => "a float",
            Element::Enum(..) => "an enum member",
            Element::Text(_) => "a text",
            Element::Json(_) => "JSON",
            Element::Expr(_) => "an expression",
            Element::Node(_) => "a run-time value",
            Element::Pair(_) => "a pair",
            Element::Queue(_) => "a queue",
            Element::Block(_) => "a block",
            Element::Function(_) => "a function",
            Element::Instruction(_) => "an instruction",
            Element::Register(_) => "a register",
            Element::Axis(_) => "a loop axis",
        }
    }
}

fn nothing(field: &Field, what: &str, index: usize) -> Error {
    Error::new(ErrorCode::NotFound, format_args!("`{}` has no {what} {index}", field.key))
}

fn or_absent<'m, T: ?Sized>(object: Option<&'m T>, element: impl FnOnce(&'m T) -> Element<'m>) -> Element<'m> {
    object.map_or(Element::Absent, element)
}

impl Instruction {
    /// Number of elements: of a list its length, of a list of lists the number of lists; of another field 1, or 0 if it is
    /// absent.
    ///
    /// # Errors
    /// `CorruptIr` if the field is not one of the instruction's opcode.
    pub fn field_len(&self, field: &'static Field) -> Result<usize> {
        Ok(match self.slot_view(field)? {
            SlotView::Words(words) => words.len(),
            SlotView::MaybePair(_, pair) => pair.len(),
            SlotView::VecWord(words) => words.len(),
            SlotView::VecVecU32(rows) => rows.len(),
            SlotView::VecVecU64(rows) => rows.len(),
            SlotView::VecString(texts) => texts.len(),
            SlotView::VecRegister(registers) => registers.len(),
            SlotView::DmaBlocks(blocks) => blocks.len(),
            SlotView::VecExpr(exprs) => exprs.len(),
            SlotView::SmallWord(words) => words.len(),
            SlotView::SmallPairs(pairs) => pairs.len(),
            SlotView::SmallMaybe(_, values) => values.len(),
            SlotView::Blocks => self.block_holder().map_or(0, |holder| holder.block_count()),
            _ => usize::from(!matches!(self.field_element(field, 0)?, Element::Absent)),
        })
    }

    /// Number of elements of one list in a list of lists.
    ///
    /// # Errors
    /// `NotFound` past the end, `WrongKind` for a field of another kind, else as [`Instruction::field_len`].
    pub fn field_row_len(&self, field: &'static Field, row: usize) -> Result<usize> {
        let len = match self.slot_view(field)? {
            SlotView::VecVecU32(rows) => rows.get_ref(row).map(|r| r.len()),
            SlotView::VecVecU64(rows) => rows.get_ref(row).map(|r| r.len()),
            _ => bail!(WrongKind, "`{}` is no list of lists but a {}", field.key, field.type_text),
        };
        len.ok_or_else(|| nothing(field, "row", row))
    }

    /// An element of one list in a list of lists. Constant time.
    ///
    /// # Errors
    /// As [`Instruction::field_row_len`].
    pub fn field_row_element(&self, field: &'static Field, row: usize, index: usize) -> Result<Element<'_>> {
        let value = match self.slot_view(field)? {
            SlotView::VecVecU32(rows) => {
                let row = rows.get_ref(row).ok_or_else(|| nothing(field, "row", row))?;
                row.get(index).map(i128::from)
            }
            SlotView::VecVecU64(rows) => {
                let row = rows.get_ref(row).ok_or_else(|| nothing(field, "row", row))?;
                row.get(index).map(i128::from)
            }
            _ => bail!(WrongKind, "`{}` is no list of lists but a {}", field.key, field.type_text),
        };
        value.map(Element::Int).ok_or_else(|| nothing(field, "element", index))
    }

    /// An element of a list, or with index 0 the value of a field that is no list. Constant time, but for the nested
    /// blocks.
    ///
    /// # Errors
    /// `NotFound` past the end, `WrongKind` for a list of lists, else as [`Instruction::field_len`].
    pub fn field_element(&self, field: &'static Field, index: usize) -> Result<Element<'_>> {
        let view = self.slot_view(field)?;
        let found = match view {
            SlotView::Words(words) => words.get(index).map(|w| Element::Int(w.get().into())),
            SlotView::MaybePair(kind, pair) => pair.get(index).map(|cell| self.maybe_element(kind, cell.get())),
            SlotView::VecWord(words) => words.get(index).map(|word| match field.slot {
                Slot::VecEnum(id) => Element::Enum(id, word.cast_signed()),
                _ => Element::Int(word.into()),
            }),
            SlotView::VecVecU32(_) | SlotView::VecVecU64(_) => {
                bail!(WrongKind, "`{}` is a list of lists, a {}", field.key, field.type_text)
            }
            SlotView::VecString(texts) => texts.get(index).map(Element::Text),
            SlotView::VecRegister(registers) => registers.get(index).map(|r| or_absent(r.get(self), Element::Register)),
            SlotView::DmaBlocks(blocks) => blocks.get(index).map(|b| or_absent(b.get(self), Element::Instruction)),
            SlotView::VecExpr(exprs) => exprs.get(index).map(|e| expression(QuasiAffineExpr::lend(e, self))),
            SlotView::SmallWord(words) => words.get(index).map(|w| Element::Float(f32::from_bits(w))),
            SlotView::SmallPairs(pairs) => pairs.get(index).map(Element::Pair),
            SlotView::SmallMaybe(kind, values) => values.get(index).map(|v| self.maybe_element(kind, v)),
            SlotView::Blocks => self.block_holder().and_then(|h| h.blocks().nth(index)).map(Element::Block),
            single => (index == 0).then(|| self.single_element(field, single)),
        };
        found.ok_or_else(|| nothing(field, "element", index))
    }

    /// The value of a field that is no list.
    fn single_element<'m>(&'m self, field: &Field, view: SlotView<'m>) -> Element<'m> {
        match view {
            SlotView::Flag(flag) => Element::Bool(flag.get()),
            SlotView::Word(word) => match field.slot {
                Slot::Enum(id) => Element::Enum(id, word.get().cast_signed()),
                Slot::F32 => Element::Float(f32::from_bits(word.get())),
                _ => Element::Int(word.get().into()),
            },
            SlotView::Maybe(kind, cell) => self.maybe_element(kind, cell.get()),
            SlotView::Text(string) => Element::Text(string.get()),
            SlotView::Json(link) => json(link.get()),
            SlotView::Queue(link) => or_absent(link.get(), Element::Queue),
            SlotView::Block(link) => or_absent(link.get(), Element::Block),
            SlotView::Function(link) => or_absent(link.get(), Element::Function),
            SlotView::Trigger(link) => or_absent(link.get(), Element::Instruction),
            SlotView::Expr(cell) => expression(QuasiAffineExpr::lend(cell.get(), self)),
            SlotView::RuntimeValue(link) => or_absent(link.get(), Element::Node),
            SlotView::Axis => or_absent(self.axis(), Element::Axis),
            // Lists, whose elements are read above.
            SlotView::Words(_)
            | SlotView::MaybePair(..)
            | SlotView::VecWord(_)
            | SlotView::VecVecU32(_)
            | SlotView::VecVecU64(_)
            | SlotView::VecString(_)
            | SlotView::VecRegister(_)
            | SlotView::DmaBlocks(_)
            | SlotView::VecExpr(_)
            | SlotView::SmallWord(_)
            | SlotView::SmallPairs(_)
            | SlotView::SmallMaybe(..)
            | SlotView::Blocks => Element::Absent,
        }
    }

    fn maybe_element(&self, kind: MaybeType, value: MaybeAffine) -> Element<'_> {
        if is_absent(value) {
            return Element::Absent;
        }
        match read_maybe(value, kind, self) {
            MaybeContent::Affine(expr) => Element::Expr(QuasiAffineExpr::lend(expr, self)),
            MaybeContent::Verbatim(text) => json(text),
            MaybeContent::Constant(bits) => match kind {
                MaybeType::Bool => Element::Bool(bits != 0),
                MaybeType::I32 => Element::Int((bits as u32).cast_signed().into()),
                _ => Element::Int(bits.into()),
            },
        }
    }
}

fn json(text: Option<&StdString>) -> Element<'_> {
    text.map_or(Element::Absent, |t| Element::Json(t.get()))
}

fn expression(expr: QuasiAffineExpr<'_>) -> Element<'_> {
    if expr.is_none() { Element::Absent } else { Element::Expr(expr) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::bir::{DMAQueueType, InstructionType};
    use crate::ir::{Module, Place};
    use crate::op::{FieldKind, OPCODES, OpcodeInfo, Value};
    use alloc::string::ToString;
    use alloc::vec;

    /// The two readers agree: on kinds, lengths and what there is.
    #[test]
    fn elements_are_those_of_the_values() -> Result<()> {
        let module = Module::new()?;
        let block = module.add_function("f", Place::End)?.add_block("b", Place::End)?.object;
        let mut fields = 0;
        for opcode in InstructionType::MEMBERS {
            let instruction = block.add_instruction(*opcode, opcode.name(), Place::End)?.object;
            for field in OpcodeInfo::of(*opcode).fields {
                fields += 1;
                let value = instruction.get_field(field)?;
                let len = instruction.field_len(field)?;
                let expected = match &value {
                    Value::List(items) => items.len(),
                    Value::Absent => 0,
                    _ => 1,
                };
                assert_eq!(len, expected, "{}.{}", opcode.name(), field.key);
                assert_eq!(matches!(value, Value::List(_)), field.list_depth() > 0, "{}", field.type_text);
                if field.list_depth() == 2 {
                    assert_eq!(instruction.field_element(field, 0).unwrap_err().code, ErrorCode::WrongKind);
                    assert_eq!(instruction.field_row_len(field, 0).unwrap_err().code, ErrorCode::NotFound);
                    continue;
                }
                assert_eq!(instruction.field_row_len(field, 0).unwrap_err().code, ErrorCode::WrongKind);
                assert_eq!(instruction.field_element(field, len.max(1)).unwrap_err().code, ErrorCode::NotFound);
                if let (Value::List(items), Some(first)) = (&value, instruction.field_element(field, 0).ok()) {
                    assert_eq!(items[0].describe(), first.describe(), "{}.{}", opcode.name(), field.key);
                } else if field.list_depth() == 0 {
                    let single = instruction.field_element(field, 0)?;
                    assert_eq!(value.describe(), single.describe(), "{}.{}", opcode.name(), field.key);
                }
                if field.can_be_absent() {
                    instruction.set_field(field, &Value::Absent)?;
                    assert!(matches!(instruction.field_element(field, 0)?, Element::Absent));
                } else if field.list_depth() == 0 && field.kind() != FieldKind::Axis {
                    assert!(instruction.set_field(field, &Value::Absent).is_err(), "{}.{}", opcode.name(), field.key);
                }
            }
        }
        assert_eq!(fields, OPCODES.iter().map(|o| o.fields.len()).sum::<usize>());
        Ok(())
    }

    #[test]
    fn the_range_of_integers_is_what_set_takes() -> Result<()> {
        let module = Module::new()?;
        let block = module.add_function("f", Place::End)?.add_block("b", Place::End)?.object;
        let mut fields = 0;
        for opcode in InstructionType::MEMBERS {
            let instruction = block.add_instruction(*opcode, opcode.name(), Place::End)?.object;
            for field in OpcodeInfo::of(*opcode).fields {
                assert_eq!(field.int_range().is_some(), field.kind() == FieldKind::Int, "{}", field.type_text);
                let Some((min, max)) = field.int_range() else { continue };
                let set = |number: i128| {
                    let list = vec![Value::Int(number); usize::from(field.fixed_length().unwrap_or(1))];
                    let value = match field.list_depth() {
                        0 => Value::Int(number),
                        1 => Value::List(list),
                        _ => Value::List(vec![Value::List(list)]),
                    };
                    instruction.set_field(field, &value).map_err(|e| e.code)
                };
                assert_eq!((set(min.into()), set(max.into())), (Ok(()), Ok(())), "{}.{}", opcode.name(), field.key);
                let found = match field.list_depth() {
                    2 => instruction.field_row_element(field, 0, 0)?,
                    _ => instruction.field_element(field, 0)?,
                };
                assert!(matches!(found, Element::Int(n) if n == i128::from(max)), "{found:?}");
                assert_eq!(set(i128::from(min) - 1), Err(ErrorCode::BadValue), "{}.{}", opcode.name(), field.key);
                assert_eq!(set(i128::from(max) + 1), Err(ErrorCode::BadValue), "{}.{}", opcode.name(), field.key);
                fields += 1;
            }
        }
        assert!(fields > 80, "{fields}");
        Ok(())
    }

    #[test]
    fn texts_and_objects_are_lent() -> Result<()> {
        let module = Module::new()?;
        let queue = module.add_queue("q", DMAQueueType::dynamic, Place::End)?.object;
        let block = module.add_function("f", Place::End)?.add_block("b", Place::End)?.object;
        let info = OpcodeInfo::of(InstructionType::DMATrigger);
        let trigger = block.add_instruction(InstructionType::DMATrigger, "t", Place::End)?.object;
        let dma = block.add_instruction(InstructionType::DMABlock, "d", Place::End)?.object;
        trigger.set("queue", &Value::Queue(queue))?;
        trigger.set("dma_blocks", &Value::List(vec![Value::Instruction(dma), Value::Instruction(dma)]))?;
        let element = |key: &str, index| trigger.field_element(info.require(key)?, index);
        assert!(matches!(element("queue", 0)?, Element::Queue(q) if core::ptr::eq(q, queue)));
        assert!(matches!(element("dma_blocks", 1)?, Element::Instruction(d) if core::ptr::eq(d, dma)));
        let error = element("dma_blocks", 2).unwrap_err();
        assert_eq!(error.to_string(), "`dma_blocks` has no element 2");
        Ok(())
    }
}
