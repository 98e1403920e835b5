//! Payloads, slot by slot as the table lists them, under the keys of the field table.

use super::chain::{Chain, shown};
use super::differ::{Check, Differ, NONE};
use crate::enums::EnumId;
use crate::ir::expr::QuasiAffineExpr;
use crate::ir::raw::payload::{ABSENT, MaybeContent, SlotView, read_maybe, view};
use crate::ir::raw::slot::{MaybeType, Slot, shape};
use crate::ir::raw::{Instruction, MaybeAffine};
use crate::mem::{StdString, StdVector};
use crate::op::OPCODES;
use alloc::string::String;
use core::fmt::{self, Display};
use core::hash::Hash;

/// The document key of a slot.
fn key(opcode: i32, offset: u16) -> &'static str {
    let info = usize::try_from(opcode).ok().and_then(|o| OPCODES.get(o));
    let field = info.and_then(|i| i.fields.iter().find(|f| f.offset == offset));
    field.map_or("payload", |f| f.key)
}

/// A payload word as its type shows it.
struct Word(Slot, u32);

impl Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Slot::F32 | Slot::SmallF32 { .. } if f32::from_bits(self.1).is_nan() => {
                write!(f, "NaN (bits {:#010x})", self.1)
            }
            Slot::F32 | Slot::SmallF32 { .. } => write!(f, "{:?}", f32::from_bits(self.1)),
            Slot::Enum(id) | Slot::VecEnum(id) => member(f, id, self.1.cast_signed()),
            _ => write!(f, "{}", self.1),
        }
    }
}

fn member(f: &mut fmt::Formatter<'_>, id: EnumId, ordinal: i32) -> fmt::Result {
    match id.info().by_ordinal(ordinal.into()) {
        Ok(member) => f.write_str(member.name),
        Err(_) => write!(f, "{ordinal}"),
    }
}

/// A constant, an expression or verbatim JSON, for messages.
fn maybe_text(value: MaybeAffine, kind: MaybeType, at: &Instruction) -> String {
    match read_maybe(value, kind, at) {
        MaybeContent::Constant(_) if value.state == ABSENT => crate::error::text("(absent)"),
        MaybeContent::Constant(bits) if kind == MaybeType::I32 => crate::error::text((bits as u32).cast_signed()),
        MaybeContent::Constant(bits) => crate::error::text(bits),
        MaybeContent::Affine(_) => crate::error::text("an expression"),
        MaybeContent::Verbatim(text) => text.map_or_else(|| crate::error::text(NONE), |t| crate::error::text(t.get())),
    }
}

impl<'x> Differ<'x> {
    /// All slots of two instructions of one opcode, except nested blocks.
    pub(super) fn payload(&mut self, a: &'x Instruction, b: &'x Instruction) -> Check {
        // An opcode that no table knows has no payload that anybody could compare.
        let Ok(shape) = shape(a.opcode.get()) else { return Ok(()) };
        for (offset, kind) in shape.slots {
            let key = key(a.opcode.get(), *offset);
            match (view(a, *offset, *kind), view(b, *offset, *kind)) {
                (Some(x), Some(y)) => self.slot(key, *kind, (a, x), (b, y))?,
                (x, y) => self.value(key, x.is_some(), y.is_some())?,
            }
        }
        Ok(())
    }

    fn slot(
        &mut self,
        key: &'static str,
        kind: Slot,
        (a, x): (&'x Instruction, SlotView<'x>),
        (b, y): (&'x Instruction, SlotView<'x>),
    ) -> Check {
        match (x, y) {
            (SlotView::Flag(x), SlotView::Flag(y)) => self.value(key, x.get(), y.get()),
            (SlotView::Word(x), SlotView::Word(y)) => self.word(key, kind, x.get(), y.get()),
            (SlotView::Words(x), SlotView::Words(y)) => {
                self.words(key, kind, x.iter().map(core::cell::Cell::get), y.iter().map(core::cell::Cell::get))
            }
            (SlotView::Maybe(t, x), SlotView::Maybe(_, y)) => self.maybe(key, t, (a, x.get()), (b, y.get())),
            (SlotView::MaybePair(t, x), SlotView::MaybePair(_, y)) => self.maybes(
                key,
                t,
                (a, x.into_iter().map(core::cell::Cell::get)),
                (b, y.into_iter().map(core::cell::Cell::get)),
            ),
            (SlotView::Text(x), SlotView::Text(y)) => self.str(key, &x.get(), &y.get()),
            (SlotView::Json(x), SlotView::Json(y)) => {
                let (x, y) = (x.get().map(StdString::get), y.get().map(StdString::get));
                self.str_option(key, x.as_deref(), y.as_deref())
            }
            (SlotView::Queue(x), SlotView::Queue(y)) => {
                let chain =
                    |scope, q: &'x crate::ir::raw::Link<crate::ir::DMAQueue>| q.get().map(|q| Chain::queue(scope, q));
                self.chains(key, chain(self.a, x), chain(self.b, y))
            }
            (SlotView::Block(x), SlotView::Block(y)) => self.block_ref(key, x.get(), y.get()),
            (SlotView::Function(x), SlotView::Function(y)) => {
                let chain = |scope, f: &'x crate::ir::raw::Link<crate::ir::Function>| {
                    f.get().map(|f| Chain::function(scope, f))
                };
                self.chains(key, chain(self.a, x), chain(self.b, y))
            }
            (SlotView::Trigger(x), SlotView::Trigger(y)) => self.instruction_ref(key, x.get(), y.get()),
            (SlotView::VecWord(x), SlotView::VecWord(y)) => self.words(key, kind, x.iter(), y.iter()),
            (SlotView::VecVecU32(x), SlotView::VecVecU32(y)) => self.nested(key, x, y),
            (SlotView::VecVecU64(x), SlotView::VecVecU64(y)) => self.nested(key, x, y),
            (SlotView::VecString(x), SlotView::VecString(y)) => self.values(key, x.iter(), y.iter()),
            (SlotView::VecRegister(x), SlotView::VecRegister(y)) => {
                let (scope_a, scope_b) = (self.a, self.b);
                let x = x.iter().filter_map(|r| r.get(a)).map(|r| Chain::storage(scope_a, r.storage().base()));
                let y = y.iter().filter_map(|r| r.get(b)).map(|r| Chain::storage(scope_b, r.storage().base()));
                self.list(key, x, y, |c| shown(Some(*c)), |d, x, y| d.chains("", Some(x), Some(y)))
            }
            (SlotView::DmaBlocks(x), SlotView::DmaBlocks(y)) => {
                self.instruction_list(key, x.iter().filter_map(|i| i.get(a)), y.iter().filter_map(|i| i.get(b)))
            }
            (SlotView::VecExpr(x), SlotView::VecExpr(y)) => {
                let lent = |e, at| QuasiAffineExpr::lend(e, at);
                self.exprs(key, x.iter().map(|e| lent(e, a)), y.iter().map(|e| lent(e, b)))
            }
            (SlotView::SmallWord(x), SlotView::SmallWord(y)) => self.words(key, kind, x.iter(), y.iter()),
            (SlotView::SmallPairs(x), SlotView::SmallPairs(y)) => self.pairs(key, x.iter(), y.iter()),
            (SlotView::SmallMaybe(t, x), SlotView::SmallMaybe(_, y)) => {
                self.maybes(key, t, (a, x.iter()), (b, y.iter()))
            }
            (SlotView::Expr(x), SlotView::Expr(y)) => {
                self.expr(key, QuasiAffineExpr::lend(x.get(), a), QuasiAffineExpr::lend(y.get(), b))
            }
            (SlotView::RuntimeValue(x), SlotView::RuntimeValue(y)) => match (x.get(), y.get()) {
                (Some(x), Some(y)) => self.at(key, |d| d.node(x, y)),
                (None, None) => Ok(()),
                (x, y) => self.report(key, super::expr::shown(x), super::expr::shown(y)),
            },
            (SlotView::Axis, SlotView::Axis) => self.axis(key, a.axis(), b.axis()),
            // Nested blocks are compared with their holders. Both views come from one row, so they are of one kind.
            _ => Ok(()),
        }
    }

    fn word(&mut self, key: &'static str, kind: Slot, a: u32, b: u32) -> Check {
        let equal = match kind {
            // IEEE equality: NaN differs from itself, +0 equals -0.
            Slot::F32 | Slot::SmallF32 { .. } if self.by_value => f32::from_bits(a) == f32::from_bits(b),
            _ => a == b,
        };
        if self.feed(a) || equal { Ok(()) } else { self.report(key, Word(kind, a), Word(kind, b)) }
    }

    fn words(
        &mut self,
        key: &'static str,
        kind: Slot,
        a: impl Iterator<Item = u32>,
        b: impl Iterator<Item = u32>,
    ) -> Check {
        self.list(key, a, b, |w| crate::error::text(Word(kind, *w)), |d, x, y| d.word("", kind, x, y))
    }

    fn nested<T: Copy + PartialEq + Display + Hash>(
        &mut self,
        key: &'static str,
        a: &'x StdVector<StdVector<T>>,
        b: &'x StdVector<StdVector<T>>,
    ) -> Check {
        let show = |v: &&StdVector<T>| crate::error::text(format_args!("{} numbers", v.len()));
        self.list(key, a.iter_refs(), b.iter_refs(), show, |d, x, y| d.values("", x.iter(), y.iter()))
    }

    fn maybe(
        &mut self,
        key: &'static str,
        kind: MaybeType,
        (a, x): (&'x Instruction, MaybeAffine),
        (b, y): (&'x Instruction, MaybeAffine),
    ) -> Check {
        let equal = x.tag == y.tag
            && x.state == y.state
            && match (read_maybe(x, kind, a), read_maybe(y, kind, b)) {
                (MaybeContent::Constant(x), MaybeContent::Constant(y)) => x == y,
                (MaybeContent::Affine(x), MaybeContent::Affine(y)) => {
                    return self.expr(key, QuasiAffineExpr::lend(x, a), QuasiAffineExpr::lend(y, b));
                }
                (MaybeContent::Verbatim(x), MaybeContent::Verbatim(y)) => {
                    x.map(StdString::get).as_deref() == y.map(StdString::get).as_deref()
                }
                _ => false,
            };
        if equal { Ok(()) } else { self.report(key, maybe_text(x, kind, a), maybe_text(y, kind, b)) }
    }

    fn maybes(
        &mut self,
        key: &'static str,
        kind: MaybeType,
        (a, x): (&'x Instruction, impl Iterator<Item = MaybeAffine>),
        (b, y): (&'x Instruction, impl Iterator<Item = MaybeAffine>),
    ) -> Check {
        let show = |v: &MaybeAffine| maybe_text(*v, kind, a);
        self.list(key, x, y, show, |d, x, y| d.maybe("", kind, (a, x), (b, y)))
    }
}
