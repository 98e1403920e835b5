//! The payload of a clone, slot by slot as the table lists them.

use super::cloner::Cloner;
use super::expr::try_collect;
use crate::Result;
use crate::ir::expr::QuasiAffineExpr;
use crate::ir::expr::collect;
use crate::ir::module::set_linked_text;
use crate::ir::raw::payload::{MaybeContent, SlotView, make_maybe, read_maybe, view};
use crate::ir::raw::slot::{MaybeType, required, shape};
use crate::ir::raw::values::ExprNode;
use crate::ir::raw::{Instruction, MaybeAffine, Ptr};
use crate::mem::StdString;

impl<'s, 't> Cloner<'s, 't> {
    /// Fills all payload slots, except axis and nested blocks, which are objects of their own.
    pub(super) fn payload(&mut self, from: &'s Instruction, to: &'t Instruction) -> Result<()> {
        for (offset, kind) in shape(from.opcode.get())?.slots {
            let source = required(view(from, *offset, *kind), "a payload slot")?;
            let target = required(view(to, *offset, *kind), "a payload slot")?;
            self.slot(from, source, target)?;
        }
        Ok(())
    }

    fn slot(&mut self, from: &'s Instruction, source: SlotView<'s>, target: SlotView<'t>) -> Result<()> {
        let arena = &self.state.arena;
        match (source, target) {
            (SlotView::Flag(a), SlotView::Flag(b)) => b.set(a.get()),
            (SlotView::Word(a), SlotView::Word(b)) => b.set(a.get()),
            (SlotView::Words(a), SlotView::Words(b)) => a.iter().zip(b).for_each(|(a, b)| b.set(a.get())),
            (SlotView::Maybe(t, a), SlotView::Maybe(_, b)) => b.set(self.maybe(a.get(), t, from)?),
            (SlotView::MaybePair(t, a), SlotView::MaybePair(_, b)) => {
                for (a, b) in a.into_iter().zip(b) {
                    b.set(self.maybe(a.get(), t, from)?);
                }
            }
            (SlotView::Text(a), SlotView::Text(b)) => b.set(arena, &a.get())?,
            (SlotView::Json(a), SlotView::Json(b)) => {
                if let Some(text) = a.get() {
                    set_linked_text(self.state, b, &text.get())?;
                }
            }
            (SlotView::Queue(a), SlotView::Queue(b)) => b.set(a.get().map(|q| self.queue(q)).transpose()?),
            (SlotView::Block(a), SlotView::Block(b)) => b.set(a.get().map(|x| self.block(x)).transpose()?),
            (SlotView::Function(a), SlotView::Function(b)) => b.set(a.get().map(|f| self.function(f)).transpose()?),
            (SlotView::Trigger(a), SlotView::Trigger(b)) => b.set(a.get().map(|i| self.instruction(i)).transpose()?),
            (SlotView::VecWord(a), SlotView::VecWord(b)) => b.assign(arena, &collect(a.iter(), a.len())?)?,
            (SlotView::VecVecU32(a), SlotView::VecVecU32(b)) => {
                b.clear();
                for inner in a.iter_refs() {
                    b.push_zeroed(arena)?.assign(arena, &collect(inner.iter(), inner.len())?)?;
                }
            }
            (SlotView::VecVecU64(a), SlotView::VecVecU64(b)) => {
                b.clear();
                for inner in a.iter_refs() {
                    b.push_zeroed(arena)?.assign(arena, &collect(inner.iter(), inner.len())?)?;
                }
            }
            (SlotView::VecString(a), SlotView::VecString(b)) => b.assign(arena, &collect(a.iter(), a.len())?)?,
            (SlotView::VecRegister(a), SlotView::VecRegister(b)) => {
                let registers = a.iter().filter_map(|r| r.get(from));
                b.assign(arena, &try_collect(registers.map(|r| Ok(Ptr::to(self.register(r)?))))?)?;
            }
            (SlotView::DmaBlocks(a), SlotView::DmaBlocks(b)) => {
                let blocks = a.iter().filter_map(|i| i.get(from));
                b.assign(arena, &try_collect(blocks.map(|i| Ok(Ptr::to(self.instruction(i)?))))?)?;
            }
            (SlotView::VecExpr(a), SlotView::VecExpr(b)) => {
                let exprs = self.exprs(a.iter().map(|e| QuasiAffineExpr::lend(e, from)))?;
                b.assign(&self.state.arena, &collect(exprs.iter().map(|e| e.raw()), exprs.len())?)?;
            }
            (SlotView::SmallWord(a), SlotView::SmallWord(b)) => b.assign(arena, &collect(a.iter(), a.len())?)?,
            (SlotView::SmallPairs(a), SlotView::SmallPairs(b)) => b.assign(arena, &collect(a.iter(), a.len())?)?,
            (SlotView::SmallMaybe(t, a), SlotView::SmallMaybe(_, b)) => {
                let values = try_collect(a.iter().map(|v| self.maybe(v, t, from)))?;
                b.assign(&self.state.arena, &values)?;
            }
            (SlotView::Expr(a), SlotView::Expr(b)) => {
                b.set(self.expr(QuasiAffineExpr::lend(a.get(), from))?.raw());
            }
            (SlotView::RuntimeValue(a), SlotView::RuntimeValue(b)) => {
                let node: Option<&ExprNode> = a.get().map(|n| self.node(n)).transpose()?;
                b.set(node);
            }
            // Axis and Blocks. Both views come from one row of the table, so they are of one kind.
            _ => {}
        }
        Ok(())
    }

    fn maybe(&mut self, value: MaybeAffine, kind: MaybeType, from: &'s Instruction) -> Result<MaybeAffine> {
        let content = match read_maybe(value, kind, from) {
            MaybeContent::Constant(bits) => MaybeContent::Constant(bits),
            MaybeContent::Affine(expr) => MaybeContent::Affine(self.expr(QuasiAffineExpr::lend(expr, from))?.raw()),
            MaybeContent::Verbatim(None) => MaybeContent::Verbatim(None),
            MaybeContent::Verbatim(Some(text)) => {
                let own = self.state.alloc::<StdString>()?;
                own.init();
                own.set(&self.state.arena, &text.get())?;
                return Ok(make_maybe(MaybeContent::Verbatim(Some(own)), value.tag, value.state));
            }
        };
        Ok(make_maybe(content, value.tag, value.state))
    }
}
