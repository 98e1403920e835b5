//! Blocks and instructions, nested ones included. Depth costs no stack.

use super::chain::{Axis, Chain, shown};
use super::differ::{Check, Differ, Member, NONE, Segment, push};
use super::digest::Part;
use crate::enums::bir::{EdgeKind, InstructionType};
use crate::enums::id;
use crate::ir::edge::EdgeSet;
use crate::ir::expr::{AffinePredicate, QuasiAffineExpr};
use crate::ir::named::Objects;
use crate::ir::raw::cast::{as_physical, as_register_pattern, as_symbolic_immediate};
use crate::ir::raw::layout::DynamicAPINFO;
use crate::ir::raw::{Argument, BasicBlock, BasicBlockArgument, BasicBlockHolder, Instruction, LoopAxis, StorageBase};
use crate::ir::{APPair, OperandList};
use alloc::string::String;
use alloc::vec::Vec;

/// Two lists being walked, below the path's first `depth` segments.
enum Frame<'x> {
    Blocks { a: Objects<'x, BasicBlock>, b: Objects<'x, BasicBlock>, index: usize, depth: usize },
    Instructions { a: Objects<'x, Instruction>, b: Objects<'x, Instruction>, index: usize, depth: usize },
}

/// A pair as text.
fn pair(p: APPair) -> String {
    crate::error::text(format_args!("[{}, {}]", p.step, p.num))
}

impl<'x> Differ<'x> {
    /// All blocks of two holders.
    pub(super) fn holders(&mut self, a: &'x BasicBlockHolder, b: &'x BasicBlockHolder) -> Check {
        let frame = Frame::Blocks { a: a.blocks(), b: b.blocks(), index: 0, depth: self.depth() };
        self.walk(frame)
    }

    /// Two blocks.
    pub(super) fn block(&mut self, a: &'x BasicBlock, b: &'x BasicBlock) -> Check {
        self.own_of_block(a, b)?;
        let depth = self.depth();
        self.walk(Frame::Instructions { a: a.instructions(), b: b.instructions(), index: 0, depth })
    }

    /// Two instructions.
    pub(super) fn instruction(&mut self, a: &'x Instruction, b: &'x Instruction) -> Check {
        self.own_of_instruction(a, b)?;
        match (a.block_holder(), b.block_holder()) {
            (Some(a), Some(b)) => self.holders(a, b),
            _ => Ok(()),
        }
    }

    fn walk(&mut self, first: Frame<'x>) -> Check {
        let mut frames = Vec::new();
        push(&mut frames, first)?;
        while let Some(frame) = frames.last_mut() {
            match frame {
                Frame::Blocks { a, b, index, depth } => {
                    let depth = *depth;
                    let both = (a.next(), b.next());
                    self.enter_element("blocks", index, depth)?;
                    match both {
                        (Some(a), Some(b)) => {
                            self.own_of_block(a, b)?;
                            let depth = self.depth();
                            let (a, b) = (a.instructions(), b.instructions());
                            push(&mut frames, Frame::Instructions { a, b, index: 0, depth })?;
                        }
                        (None, None) => {
                            self.back(depth);
                            frames.pop();
                        }
                        (a, b) => return self.surplus(a.map(BasicBlock::name), b.map(BasicBlock::name)),
                    }
                }
                Frame::Instructions { a, b, index, depth } => {
                    let depth = *depth;
                    let both = (a.next(), b.next());
                    self.enter_element("instructions", index, depth)?;
                    match both {
                        (Some(a), Some(b)) => {
                            self.own_of_instruction(a, b)?;
                            if let (Some(a), Some(b)) = (a.block_holder(), b.block_holder()) {
                                let depth = self.depth();
                                push(&mut frames, Frame::Blocks { a: a.blocks(), b: b.blocks(), index: 0, depth })?;
                            }
                        }
                        (None, None) => {
                            self.back(depth);
                            frames.pop();
                        }
                        (a, b) => return self.surplus(a.map(Instruction::name), b.map(Instruction::name)),
                    }
                }
            }
        }
        Ok(())
    }

    /// Enters the next element of a list below the path's first `depth` segments.
    fn enter_element(&mut self, key: &'static str, index: &mut usize, depth: usize) -> Check {
        self.back(depth);
        self.enter(Segment::Key(key))?;
        self.enter(Segment::Index(*index))?;
        *index = index.wrapping_add(1);
        Ok(())
    }

    fn surplus(&mut self, a: Option<crate::mem::Str<'_>>, b: Option<crate::mem::Str<'_>>) -> Check {
        let show = |x: &Option<crate::mem::Str<'_>>| crate::error::text(x.as_deref().unwrap_or(NONE));
        self.report("", show(&a), show(&b))
    }

    pub(super) fn own_of_block(&mut self, a: &'x BasicBlock, b: &'x BasicBlock) -> Check {
        self.named(&a.named, &b.named)?;
        let show = |x: &&BasicBlockArgument| crate::error::text(x.name());
        self.list("arguments", a.arguments(), b.arguments(), show, |d, a, b| {
            d.str("name", &a.name(), &b.name())?;
            d.storage_ref("location", a.location(), b.location())?;
            let show = |x: &(&StorageBase, &BasicBlock)| crate::error::text(x.0.name());
            d.list("incoming_values", a.incoming(), b.incoming(), show, |d, (a, from_a), (b, from_b)| {
                d.storage_ref("value", Some(a), Some(b))?;
                d.block_ref("predecessor", Some(from_a), Some(from_b))
            })
        })
    }

    pub(super) fn block_ref(
        &mut self,
        key: &'static str,
        a: Option<&'x BasicBlock>,
        b: Option<&'x BasicBlock>,
    ) -> Check {
        self.chains(key, a.map(|a| Chain::block(self.a, a)), b.map(|b| Chain::block(self.b, b)))
    }

    pub(super) fn instruction_ref(
        &mut self,
        key: &'static str,
        a: Option<&'x Instruction>,
        b: Option<&'x Instruction>,
    ) -> Check {
        self.chains(key, a.map(|a| Chain::instruction(self.a, a)), b.map(|b| Chain::instruction(self.b, b)))
    }

    /// Everything of two instructions but nested blocks.
    pub(super) fn own_of_instruction(&mut self, a: &'x Instruction, b: &'x Instruction) -> Check {
        self.named(&a.named, &b.named)?;
        self.ordinal("opcode", InstructionType::ID, a.opcode.get(), b.opcode.get())?;
        self.ordinal("engine", id::ENGINE_TYPE, a.engine.get(), b.engine.get())?;
        self.value("engine_id", a.engine_id(), b.engine_id())?;
        self.value("scheduled_start", a.scheduled_start(), b.scheduled_start())?;
        self.value("scheduled_end", a.scheduled_end(), b.scheduled_end())?;
        self.optin_mask(&a.named, &b.named)?;
        self.values("optin_passes", a.optin_passes(), b.optin_passes())?;
        self.edges("dependencies", a, b, EdgeSet::Normal)?;
        self.edges("loop_carried_dependencies", a, b, EdgeSet::LoopCarried)?;
        self.unroll(a, b)?;
        self.sync(a, b)?;
        self.part(Part::Operands);
        for list in OperandList::ALL {
            let show =
                |x: &&Argument| crate::error::text(format_args!("{} operand", Member(id::ARGUMENT_KIND, x.kind.get())));
            self.list(list.key(), a.operands(list), b.operands(list), show, Self::operand)?;
        }
        self.part(Part::Own);
        self.str_option("debug", a.debug_json().as_deref(), b.debug_json().as_deref())?;
        let nest = |scope, i: &'x Instruction| i.loopnest().map(move |x| Axis::new(scope, x));
        let (nest_a, nest_b) = (nest(self.a, a), nest(self.b, b));
        self.list("loopnest", nest_a, nest_b, |x| crate::error::text(x), |d, x, y| d.axis_ref("", Some(x), Some(y)))?;
        self.predicates("predicates", a.predicates(), b.predicates())?;
        self.exprs("order", a.order(), b.order())?;
        let semaphore = |i: &Instruction| i.debug_update_semaphore().map_or(-1, i64::from);
        self.value("dma_trigger_debug_update_semaphore_id", semaphore(a), semaphore(b))?;
        // A payload belongs to its opcode: slots of two opcodes have nothing to do with each other.
        if a.opcode.get() == b.opcode.get() { self.payload(a, b) } else { Ok(()) }
    }

    /// Dependencies as sets of (target, kind): their order in memory is that of ids.
    fn edges(&mut self, key: &'static str, a: &'x Instruction, b: &'x Instruction, set: EdgeSet) -> Check {
        let list = |scope, i: &'x Instruction| {
            i.dependencies(set).map(move |e| (Chain::instruction(scope, e.target), e.kind.name()))
        };
        let (scope_a, scope_b) = (self.a, self.b);
        self.references(key, || list(scope_a, a), || list(scope_b, b))
    }

    fn unroll(&mut self, a: &'x Instruction, b: &'x Instruction) -> Check {
        let (scope_a, scope_b) = (self.a, self.b);
        let list = |scope, i: &'x Instruction| {
            let entries = i.sched.get().into_iter().flat_map(|s| s.unroll_dependencies.iter_refs());
            entries.filter_map(move |e| Some((Chain::instruction(scope, e.target.get()?), e)))
        };
        let show = |x: &(Chain<'_>, _)| crate::error::text(x.0);
        self.list("unroll_dependencies", list(scope_a, a), list(scope_b, b), show, |d, (to_a, x), (to_b, y)| {
            d.chains("target", Some(to_a), Some(to_b))?;
            d.ordinal("kind", EdgeKind::ID, x.kind.get(), y.kind.get())?;
            let lent = |e, at| QuasiAffineExpr::lend(e, at);
            d.exprs("exprs", x.exprs.iter().map(|e| lent(e, a)), y.exprs.iter().map(|e| lent(e, b)))?;
            let lent = |p, at| AffinePredicate::lend(p, at);
            d.predicates("predicates", x.predicates.iter().map(|p| lent(p, a)), y.predicates.iter().map(|p| lent(p, b)))
        })
    }

    fn sync(&mut self, a: &'x Instruction, b: &'x Instruction) -> Check {
        self.value("sync_info", a.has_sync_info(), b.has_sync_info())?;
        let (Some(x), Some(y)) = (a.sched.get(), b.sched.get()) else { return Ok(()) };
        if !a.has_sync_info() || !b.has_sync_info() {
            return Ok(());
        }
        self.at("sync_info", |d| {
            let show = |w: &crate::ir::raw::values::SyncWait| crate::error::text(format_args!("semaphore {}", w.id));
            d.list("on_wait", x.sync_waits.iter(), y.sync_waits.iter(), show, |d, x, y| {
                d.value("id", x.id, y.id)?;
                d.value("wait_value", x.value, y.value)?;
                d.ordinal("mode", id::WAIT_MODE, x.wait_mode, y.wait_mode)?;
                d.value("sync_type", x.sync_type, y.sync_type)?;
                d.instruction_ref("from", x.from.get(a), y.from.get(b))
            })?;
            let show = |u: &crate::ir::raw::values::SyncUpdate| crate::error::text(format_args!("semaphore {}", u.id));
            d.list("on_update", x.sync_updates.iter(), y.sync_updates.iter(), show, |d, x, y| {
                d.value("id", x.id, y.id)?;
                d.value("update_value", x.value, y.value)?;
                d.ordinal("mode", id::UPDATE_MODE, x.update_mode, y.update_mode)?;
                d.value("sync_type", x.sync_type, y.sync_type)?;
                let core = |u: &crate::ir::raw::values::SyncUpdate| {
                    if u.target_core_engaged == 0 { -1 } else { i64::from(u.target_core) }
                };
                d.value("target_core", core(&x), core(&y))
            })
        })
    }

    /// Two operands.
    pub(super) fn operand(&mut self, a: &'x Argument, b: &'x Argument) -> Check {
        self.ordinal("kind", id::ARGUMENT_KIND, a.kind.get(), b.kind.get())?;
        if a.kind.get() != b.kind.get() {
            // Operands of two kinds have other parts.
            return Ok(());
        }
        self.ordinal("dtype", id::DTYPE, a.dtype.get(), b.dtype.get())?;
        self.storage_ref("location", a.storage(), b.storage())?;
        self.value("is_active", a.is_active(), b.is_active())?;
        self.pairs("pattern", a.pattern(), b.pattern())?;
        self.values("access_shape", a.access_shape(), b.access_shape())?;
        self.value("offset", a.offset().unwrap_or_default(), b.offset().unwrap_or_default())?;
        self.dynamic(a, b)?;
        self.exprs("addrs", a.addrs(), b.addrs())?;
        let (indirect_a, indirect_b) =
            (a.tensor_indirection().unwrap_or_default(), b.tensor_indirection().unwrap_or_default());
        self.value("tensor_indirect_arg_id", indirect_a.0, indirect_b.0)?;
        self.value("num_tensor_indirect_indices", indirect_a.1, indirect_b.1)?;
        if !self.by_value {
            self.value("symbolic_pwap", a.is_spelled_pwap(), b.is_spelled_pwap())?;
        }
        self.registers(a, b)?;
        let bits = |o: &Argument| o.immediate_bits().unwrap_or_default();
        self.value("value", bits(a), bits(b))?;
        self.values("value_array", a.immediate_array(), b.immediate_array())?;
        match (as_symbolic_immediate(a), as_symbolic_immediate(b)) {
            (Some(x), Some(y)) => {
                self.values("value_list", x.value_list.iter(), y.value_list.iter())?;
                self.expr("expr", QuasiAffineExpr::lend(x.expr.get(), a), QuasiAffineExpr::lend(y.expr.get(), b))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn pairs(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = APPair>,
        b: impl Iterator<Item = APPair>,
    ) -> Check {
        self.list(key, a, b, |p| pair(*p), |d, x, y| if x == y { Ok(()) } else { d.report("", pair(x), pair(y)) })
    }

    fn dynamic(&mut self, a: &'x Argument, b: &'x Argument) -> Check {
        let info = |o: &'x Argument| as_physical(o).and_then(|p| p.dynamic_ap_info.get());
        let shown = |i: Option<&DynamicAPINFO>| if i.is_some() { "present" } else { NONE };
        match (info(a), info(b)) {
            (None, None) => Ok(()),
            (Some(x), Some(y)) => self.at("dynamic_ap_info", |d| {
                d.pairs("actual_ap", x.actual_ap.iter(), y.actual_ap.iter())?;
                let show = |_: &(QuasiAffineExpr<'_>, i64)| crate::error::text("an expression");
                d.list("aff_expr", x.terms(), y.terms(), show, |d, x, y| {
                    d.value("coef", x.1, y.1)?;
                    d.expr("offset_expr", x.0, y.0)
                })?;
                d.value("c", x.c.get(), y.c.get())?;
                d.ordinal("indirect_dim", id::INDIRECT_DIM, x.indirect_dim.get(), y.indirect_dim.get())?;
                d.value("indirect_dim_max_index", x.indirect_dim_max_index.get(), y.indirect_dim_max_index.get())
            }),
            (x, y) => self.report("dynamic_ap_info", shown(x), shown(y)),
        }
    }

    /// The registers and constants of a register pattern.
    fn registers(&mut self, a: &'x Argument, b: &'x Argument) -> Check {
        let (Some(x), Some(y)) = (as_register_pattern(a), as_register_pattern(b)) else { return Ok(()) };
        let keys = ["regref", "reg_ap_offset", "reg_sub_tensor_id"];
        for ((key, x), y) in keys.into_iter().zip(crate::ir::uses::registers(x)).zip(crate::ir::uses::registers(y)) {
            let base = |r: &'x crate::ir::raw::Register| r.storage().base();
            self.storage_ref(key, x.get().map(base), y.get().map(base))?;
        }
        self.value("const_ap_offset", x.const_ap_offset.get(), y.const_ap_offset.get())?;
        self.value("const_sub_tensor_id", x.const_sub_tensor_id.get(), y.const_sub_tensor_id.get())?;
        self.value("is_regloc_offset", x.is_regloc_offset.get(), y.is_regloc_offset.get())
    }

    /// The axes of two loops.
    pub(super) fn axis(&mut self, key: &'static str, a: Option<&'x LoopAxis>, b: Option<&'x LoopAxis>) -> Check {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => return Ok(()),
            (a, b) => return self.surplus_at(key, a, b),
        };
        self.at(key, |d| {
            d.value("kind", a.axis_kind.get(), b.axis_kind.get())?;
            if a.axis_kind.get() != b.axis_kind.get() {
                return Ok(());
            }
            d.str("name", &a.name(), &b.name())?;
            d.value("lb", a.lb(), b.lb())?;
            d.value("ub", a.ub(), b.ub())?;
            d.value("stride", a.stride(), b.stride())?;
            match (a.as_dynamic(), b.as_dynamic()) {
                (Some(x), Some(y)) => {
                    d.expr("lb", x.lb(), y.lb())?;
                    d.expr("ub", x.ub(), y.ub())?;
                    d.expr("stride", x.stride(), y.stride())
                }
                _ => Ok(()),
            }
        })
    }

    fn surplus_at(&mut self, key: &'static str, a: Option<&LoopAxis>, b: Option<&LoopAxis>) -> Check {
        let show = |x: Option<&LoopAxis>| x.map_or_else(|| crate::error::text(NONE), |x| crate::error::text(x.name()));
        self.report(key, show(a), show(b))
    }

    /// Two lists of instructions.
    pub(super) fn instruction_list(
        &mut self,
        key: &'static str,
        a: impl Iterator<Item = &'x Instruction>,
        b: impl Iterator<Item = &'x Instruction>,
    ) -> Check {
        let (scope_a, scope_b) = (self.a, self.b);
        let chains = (a.map(|i| Chain::instruction(scope_a, i)), b.map(|i| Chain::instruction(scope_b, i)));
        self.list(key, chains.0, chains.1, |c| shown(Some(*c)), |d, x, y| d.chains("", Some(x), Some(y)))
    }
}
