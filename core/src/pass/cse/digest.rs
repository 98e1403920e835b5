//! What an instruction reads, writes and names, and a hash of what two instructions must have in common to be the same.
//!
//! Equal instructions have equal hashes: floats are hashed as numbers, expressions as trees, storage by id. What is left out
//! (texts that candidates rarely have, access shapes) only makes hashes meet more often.
#![forbid(unsafe_code)]

use super::touch::{Reach, Regions, Touch, key};
use crate::Result;
use crate::fallible::push;
use crate::ir::raw::payload::{MaybeContent, SlotView, read_maybe, view};
use crate::ir::raw::slot::{MaybeType, Slot, shape};
use crate::ir::raw::state::fixed_state;
use crate::ir::raw::values::MaybeAffine;
use crate::ir::{APPair, Argument, ExprNode, Instruction, OperandList, QuasiAffineExpr, Register};
use crate::mem::{StdString, StdVector};
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash, Hasher};

/// Nodes of all expressions of an instruction, spelled out as trees, up to which it is a candidate: shared nodes make trees
/// larger than any memory.
const MAX_NODES: usize = 1024;

/// What a candidate touches and names.
#[derive(Debug)]
pub(super) struct Digest {
    /// Storage that it reads, run-time addresses and predicates included.
    pub(super) reads: Vec<Touch>,
    /// Storage that it writes.
    pub(super) writes: Vec<Touch>,
    /// The storages, registers and axes that it names, by address, in a fixed order.
    pub(super) named: Vec<usize>,
    /// The hash.
    pub(super) hash: u64,
}

/// The digest of an instruction that computes; `None` if others see what it touches, or if its expressions are too large.
pub(super) fn digest(i: &Instruction, regions: &Regions<'_>) -> Result<Option<Digest>> {
    let mut walk = Walk {
        hasher: fixed_state().build_hasher(),
        reads: Vec::new(),
        writes: Vec::new(),
        named: Vec::new(),
        nodes: 0,
        fit: true,
        at: i,
    };
    walk.add((i.opcode.get(), i.engine.get(), i.engine_id()));
    for axis in i.loopnest() {
        push(&mut walk.named, key(axis))?;
    }
    for predicate in i.predicates() {
        walk.add(predicate.op);
        walk.expr(predicate.expr)?;
    }
    for expr in i.order() {
        walk.expr(expr)?;
    }
    walk.payload()?;
    for list in OperandList::ALL {
        for operand in i.operands(list) {
            walk.operand(operand, regions)?;
        }
        walk.add(list as u8);
    }
    let Walk { hasher, reads, writes, named, fit, .. } = walk;
    Ok(fit.then(|| Digest { reads, writes, named, hash: hasher.finish() }))
}

struct Walk<'m, H> {
    hasher: H,
    reads: Vec<Touch>,
    writes: Vec<Touch>,
    named: Vec<usize>,
    nodes: usize,
    /// Cleared by what makes it no candidate.
    fit: bool,
    at: &'m Instruction,
}

/// A float's bits, as a number: both zeros are one.
fn as_number(bits: u32) -> u32 {
    if f32::from_bits(bits) == 0.0 { 0 } else { bits }
}

impl<'m, H: Hasher> Walk<'m, H> {
    fn add(&mut self, value: impl Hash) {
        value.hash(&mut self.hasher);
    }

    fn text(&mut self, text: &StdString) {
        self.add(&*text.get());
    }

    fn register(&mut self, register: &Register) -> Result<()> {
        self.add(register.storage().unique_id());
        push(&mut self.named, key(register))?;
        push(&mut self.reads, Touch::Register(key(register)))
    }

    fn expr(&mut self, expr: QuasiAffineExpr<'_>) -> Result<()> {
        let mut pending: Vec<&ExprNode> = Vec::new();
        if let Some(root) = expr.root() {
            push(&mut pending, root)?;
        }
        self.add(expr.is_none());
        while let Some(node) = pending.pop() {
            // Terms are counted when they are met: a node may have any number of them.
            let terms = node.term_count();
            self.nodes = self.nodes.saturating_add(1).saturating_add(terms);
            if self.nodes > MAX_NODES {
                self.fit = false;
                return Ok(());
            }
            self.add((node.kind().map(|k| k as i32), node.first(), node.second(), terms));
            if let Some(axis) = node.axis() {
                push(&mut self.named, key(axis))?;
                self.add(&*axis.name());
            }
            if let Some(register) = node.register() {
                self.register(register)?;
            }
            if let Some(operand) = node.operand() {
                push(&mut pending, operand)?;
            }
            for (term, coefficient) in node.terms() {
                self.add(coefficient);
                push(&mut pending, term)?;
            }
        }
        Ok(())
    }

    fn maybe(&mut self, value: MaybeAffine, kind: MaybeType) -> Result<()> {
        match read_maybe(value, kind, self.at) {
            MaybeContent::Constant(bits) => {
                self.add(bits);
                Ok(())
            }
            MaybeContent::Affine(expr) => self.expr(QuasiAffineExpr::lend(expr, self.at)),
            MaybeContent::Verbatim(text) => {
                text.into_iter().for_each(|t| self.text(t));
                Ok(())
            }
        }
    }

    fn word(&mut self, slot: Slot, bits: u32) {
        let float = matches!(slot, Slot::F32 | Slot::SmallF32 { .. });
        self.add(if float { as_number(bits) } else { bits });
    }

    fn pair(&mut self, pair: APPair) {
        self.add((pair.step, pair.num));
    }

    fn nested<T: Copy + Hash>(&mut self, list: &StdVector<StdVector<T>>) {
        for row in list.iter_refs() {
            self.add(row.len());
            row.iter().for_each(|x| self.add(x));
        }
    }

    fn payload(&mut self) -> Result<()> {
        let at = self.at;
        for (offset, slot) in shape(at.opcode.get())?.slots {
            let Some(content) = view(at, *offset, *slot) else { continue };
            self.add(*offset);
            match content {
                SlotView::Flag(x) => self.add(x.get()),
                SlotView::Word(x) => self.word(*slot, x.get()),
                SlotView::Words(x) => x.iter().for_each(|x| self.word(*slot, x.get())),
                SlotView::Maybe(kind, x) => self.maybe(x.get(), kind)?,
                SlotView::MaybePair(kind, [x, y]) => {
                    self.maybe(x.get(), kind)?;
                    self.maybe(y.get(), kind)?;
                }
                SlotView::Text(x) => self.text(x),
                SlotView::Json(x) => x.get().into_iter().for_each(|x| self.text(x)),
                SlotView::VecWord(x) => x.iter().for_each(|x| self.word(*slot, x)),
                SlotView::SmallWord(x) => x.iter().for_each(|x| self.word(*slot, x)),
                SlotView::VecVecU32(x) => self.nested(x),
                SlotView::VecVecU64(x) => self.nested(x),
                SlotView::VecString(x) => x.iter().for_each(|x| self.add(&*x)),
                SlotView::SmallPairs(x) => x.iter().for_each(|x| self.pair(x)),
                SlotView::SmallMaybe(kind, x) => x.iter().try_for_each(|x| self.maybe(x, kind))?,
                SlotView::Expr(x) => self.expr(QuasiAffineExpr::lend(x.get(), at))?,
                SlotView::VecExpr(x) => x.iter().try_for_each(|x| self.expr(QuasiAffineExpr::lend(x, at)))?,
                // References and bodies: no candidate has one, so none is understood.
                SlotView::Queue(_) | SlotView::Block(_) | SlotView::Function(_) | SlotView::Trigger(_) => {
                    self.fit = false
                }
                SlotView::VecRegister(_) | SlotView::DmaBlocks(_) | SlotView::RuntimeValue(_) => self.fit = false,
                SlotView::Axis | SlotView::Blocks => self.fit = false,
            }
        }
        Ok(())
    }

    fn operand(&mut self, operand: &'m Argument, regions: &Regions<'_>) -> Result<()> {
        self.add((operand.kind.get(), operand.dtype.get(), operand.offset(), operand.immediate_bits()));
        operand.pattern().for_each(|p| self.pair(p));
        operand.immediate_array().for_each(|x| self.add(x));
        if let Some(storage) = operand.storage() {
            push(&mut self.named, key(storage))?;
        }
        match regions.reach(operand) {
            Reach::Nothing => {}
            Reach::Part { touch, private: true } => {
                let list = if operand.is_output() { &mut self.writes } else { &mut self.reads };
                push(list, touch)?;
            }
            Reach::Part { private: false, .. } | Reach::Unknown => self.fit = false,
        }
        // The registers of a register pattern; a register operand is its own storage.
        if operand.register_constants().is_some() {
            for register in (0..3).filter_map(|n| operand.register(n)) {
                self.register(register)?;
            }
        }
        for expr in operand.addrs() {
            self.expr(expr)?;
        }
        if let Some((values, expr)) = operand.symbolic_immediate() {
            values.for_each(|x| self.add(x));
            self.expr(expr)?;
        }
        if let Some(dynamic) = operand.dynamic() {
            self.add(dynamic.c());
            for (expr, factor) in dynamic.terms() {
                self.add(factor);
                self.expr(expr)?;
            }
        }
        Ok(())
    }
}
