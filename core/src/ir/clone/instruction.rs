//! Blocks and instructions: first the objects, nested ones included, then header, operands and payload.

use super::cloner::{Cloner, Root, not_made};
use super::expr::try_collect;
use super::plan::{Plan, Step};
use super::resolve::block_path;
use super::storage::copy_named;
use crate::enums::bir::{ArgumentKind, Dtype, IndirectDim};
use crate::error::bail;
use crate::ir::edge::EdgeSet;
use crate::ir::expr::QuasiAffineExpr;
use crate::ir::operand::{DynamicSpec, OperandSpec};
use crate::ir::raw::cast::{as_dynamic_axis, as_holder, as_register_pattern, as_symbolic_immediate, set_axis_parent};
use crate::ir::raw::layout::DynamicForLoopAxis;
use crate::ir::raw::slot::{Slot, shape, slot};
use crate::ir::raw::values::{SyncUpdate, SyncWait};
use crate::ir::raw::{
    Argument, BasicBlock, BasicBlockHolder, Instruction, Link, LoopAxis, MemoryLocation, MemoryLocationSet, Ptr,
    StorageBase,
};
use crate::ir::{OperandList, Place, Placed};
use crate::{Error, Result};
use alloc::vec::Vec;

/// The storage that an operand must have.
fn bound(operand: &Argument) -> Result<&StorageBase> {
    crate::ir::raw::slot::required(operand.storage(), "the storage of an operand")
}

impl<'s, 't> Cloner<'s, 't> {
    /// A root block, empty.
    pub(super) fn make_root_block(
        &mut self,
        from: &'s BasicBlock,
        holder: &'t BasicBlockHolder,
        name: &str,
        place: Place<'t, BasicBlock>,
    ) -> Result<Placed<'t, BasicBlock>> {
        let placed = self.make(|| holder.add_block(name, place), |p| Root::Block(p.object))?;
        self.enter_block(from, placed.object)?;
        Ok(placed)
    }

    fn enter_block(&mut self, from: &'s BasicBlock, to: &'t BasicBlock) -> Result<()> {
        copy_named(&from.named, &to.named);
        self.blocks.insert(from, to)
    }

    /// A root instruction, without operands and nested blocks.
    pub(super) fn make_root_instruction(
        &mut self,
        from: &'s Instruction,
        block: &'t BasicBlock,
        name: &str,
        place: Place<'t, Instruction>,
    ) -> Result<Placed<'t, Instruction>> {
        let opcode = from.opcode()?;
        let placed = self.make(|| block.add_instruction(opcode, name, place), |p| Root::Instruction(p.object))?;
        self.enter_instruction(from, placed.object)?;
        Ok(placed)
    }

    fn enter_instruction(&mut self, from: &'s Instruction, to: &'t Instruction) -> Result<()> {
        copy_named(&from.named, &to.named);
        self.instructions.insert(from, to)?;
        match from.axis() {
            Some(axis) => self.make_axis(axis, to),
            None => Ok(()),
        }
    }

    /// The axis of a loop. Bounds of a dynamic one are expressions, which come later.
    fn make_axis(&mut self, from: &'s LoopAxis, to: &'t Instruction) -> Result<()> {
        let shape = shape(to.opcode.get())?;
        let Some(offset) = shape.slots.iter().find(|s| s.1 == Slot::Axis).map(|s| s.0) else { return Ok(()) };
        let axis = match as_dynamic_axis(from) {
            Some(dynamic) => {
                let axis = self.state.alloc::<DynamicForLoopAxis>()?;
                axis.axis_kind.set(dynamic.axis_kind.get());
                axis.dynamic_flag.set(dynamic.dynamic_flag.get());
                axis.has_runtime_flag.set(dynamic.has_runtime_flag.get());
                axis.name.init();
                axis.name.set(&self.state.arena, &dynamic.name.get())?;
                axis.as_axis()
            }
            None => {
                let axis = self.state.alloc::<LoopAxis>()?;
                axis.name.init();
                axis.name.set(&self.state.arena, &from.name.get())?;
                axis.lb.set(from.lb.get());
                axis.ub.set(from.ub.get());
                axis.stride.set(from.stride.get());
                axis
            }
        };
        set_axis_parent(axis, to);
        // Either axis lies behind the pointer; the axis itself says which.
        crate::ir::raw::slot::required(slot::<Link<LoopAxis>>(to, offset), "the axis slot of a loop")?.set(Some(axis));
        self.axes.insert(from, axis)
    }

    /// The objects of a plan, whose roots were made already.
    pub(super) fn make_planned(&mut self, plan: &Plan<'s>) -> Result<()> {
        for step in plan.steps() {
            match step {
                Step::Block(block) if self.blocks.get(block).is_none() => {
                    let Some(holder) = self.holder_for(block) else {
                        return Err(not_made("the owner of block", &block.name()));
                    };
                    let made = holder.add_block(&block.name(), Place::End).map_err(|e| e.at(block_path(block)))?;
                    self.enter_block(block, made.object)?;
                }
                Step::Instruction(instruction) if self.instructions.get(instruction).is_none() => {
                    let Some(block) = instruction.block().and_then(|b| self.blocks.get(b)) else {
                        return Err(not_made("the block of instruction", &instruction.name()));
                    };
                    let made = instruction
                        .opcode()
                        .and_then(|opcode| block.add_instruction(opcode, &instruction.name(), Place::End))
                        .map_err(|e| e.at(instruction.path()))?;
                    self.enter_instruction(instruction, made.object)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The clone of the holder of a block.
    fn holder_for(&self, block: &'s BasicBlock) -> Option<&'t BasicBlockHolder> {
        use crate::ir::HolderOwner;
        match block.holder()?.part_of()? {
            HolderOwner::Function(function) => Some(self.functions.get(function)?.block_holder()),
            HolderOwner::Queue(queue) => Some(self.queues.get(queue)?.block_holder()),
            HolderOwner::Instruction(instruction) => as_holder(self.instructions.get(instruction)?),
        }
    }

    /// The contents of a plan's objects.
    pub(super) fn fill_planned(&mut self, plan: &Plan<'s>) -> Result<()> {
        for step in plan.steps() {
            match step {
                Step::Block(block) => {
                    let to = self.blocks.get(block).ok_or_else(|| not_made("block", &block.name()))?;
                    self.fill_block(block, to)?;
                }
                Step::Instruction(instruction) => {
                    let to = self.instructions.get(instruction);
                    let to = to.ok_or_else(|| not_made("instruction", &instruction.name()))?;
                    self.fill_instruction(instruction, to).map_err(|e| e.at(instruction.path()))?;
                }
            }
        }
        Ok(())
    }

    /// Block arguments.
    fn fill_block(&mut self, from: &'s BasicBlock, to: &'t BasicBlock) -> Result<()> {
        for (number, argument) in from.arguments().enumerate() {
            let place = |e: Error| e.at(format_args!("{}.arguments[{number}]", block_path(from)));
            let clone = to.add_argument(&argument.name(), Place::End).map_err(place)?;
            if let Some(location) = argument.location() {
                self.storage(location).and_then(|s| clone.set_location(Some(s))).map_err(place)?;
            }
            for (value, predecessor) in argument.incoming() {
                let pair = self.storage(value).and_then(|v| Ok((v, self.block(predecessor)?)));
                pair.and_then(|(v, p)| clone.add_incoming(v, p)).map_err(place)?;
            }
        }
        Ok(())
    }

    fn fill_instruction(&mut self, from: &'s Instruction, to: &'t Instruction) -> Result<()> {
        to.engine.set(from.engine.get());
        to.engine_id.set(from.engine_id.get());
        let nest = try_collect(from.loopnest().map(|a| self.axis(a)))?;
        to.set_loopnest(&nest)?;
        to.set_predicates(&self.predicates(from.predicates())?)?;
        self.fill_schedule(from, to)?;
        for list in OperandList::ALL {
            for (number, operand) in from.operands(list).enumerate() {
                let place = |e: Error| e.at(format_args!("{}.{}[{number}]", from.path(), list.key()));
                self.operand(operand, to, list).map_err(place)?;
            }
        }
        if let (Some(axis), Some(clone)) = (from.axis().and_then(as_dynamic_axis), to.axis().and_then(as_dynamic_axis))
        {
            clone.lb.set(self.expr(axis.lb())?.raw());
            clone.ub.set(self.expr(axis.ub())?.raw());
            clone.stride.set(self.expr(axis.stride())?.raw());
        }
        self.payload(from, to)
    }

    /// The contents of the schedule block. An instruction that has nothing to say there goes on sharing the default one.
    fn fill_schedule(&mut self, from: &'s Instruction, to: &'t Instruction) -> Result<()> {
        if from.shares_schedule() {
            return Ok(());
        }
        to.set_schedule(from.scheduled_start(), from.scheduled_end())?;
        if let Some(json) = from.debug_json() {
            to.set_debug_json(Some(&json))?;
        }
        to.set_optin_passes(&crate::ir::expr::collect(from.optin_passes(), 0)?)?;
        to.set_order(&self.exprs(from.order())?)?;
        to.set_debug_update_semaphore(from.debug_update_semaphore())?;
        self.fill_sync(from, to)?;
        for set in [EdgeSet::Normal, EdgeSet::LoopCarried] {
            for edge in from.dependencies(set) {
                let Some(target) = self.edge_target(edge.target)? else { continue };
                // A target outside keeps its schedule block: it has one of its own, for the mirror of the source's edge.
                to.add_dependency(target, edge.kind, set)?;
            }
        }
        for (target, kind, exprs, predicates) in from.unroll_dependencies() {
            let Some(target) = self.edge_target(target)? else { continue };
            let exprs = self.exprs(exprs.into_iter())?;
            let predicates = self.predicates(predicates.into_iter())?;
            to.add_unroll_dependency(target, kind, &exprs, &predicates)?;
        }
        Ok(())
    }

    /// Waits and updates, with whatever numbers stand in them.
    fn fill_sync(&mut self, from: &'s Instruction, to: &'t Instruction) -> Result<()> {
        if !from.has_sync_info() {
            return Ok(());
        }
        to.set_sync_info(true)?;
        let (source, own) = (from.sched()?, to.sched_mut()?);
        for wait in source.sync_waits.iter() {
            let producer = wait.from.get(from).map(|p| self.producer(p)).transpose()?.flatten();
            let wait = SyncWait { vptr: core::ptr::null(), from: Ptr::to_option(producer), gap_20: 0, ..wait };
            own.sync_waits.push(&self.state.arena, wait)?;
        }
        for update in source.sync_updates.iter() {
            let update = SyncUpdate { vptr: core::ptr::null(), gap_19: [0; 3], ..update };
            own.sync_updates.push(&self.state.arena, update)?;
        }
        Ok(())
    }

    fn operand(&mut self, from: &'s Argument, to: &'t Instruction, list: OperandList) -> Result<()> {
        // The number in memory is copied below, be it published or not.
        let dtype = from.dtype().unwrap_or(Dtype::float32);
        let pattern = crate::ir::expr::collect(from.pattern(), from.pattern().len())?;
        let add = |spec: &OperandSpec<'_, 't>| to.add_operand(list, spec, Place::End);
        let set_of = |s: &Self| -> Result<&'t MemoryLocationSet> {
            let set = crate::ir::raw::slot::required(bound(from)?.as_set(), "the set of an access pattern")?;
            s.set(set)
        };
        let clone = match from.kind()? {
            ArgumentKind::PhysicalAccessPattern => {
                let location = bound(from)?.as_location();
                let location: &MemoryLocation = crate::ir::raw::slot::required(location, "the location of an operand")?;
                let (location, offset) = (self.location(location)?, from.offset().unwrap_or_default());
                let clone = add(&OperandSpec::Physical { location, dtype, pattern: &pattern, offset })?;
                self.dynamic(from, clone)?;
                clone
            }
            ArgumentKind::SymbolicAccessPattern => {
                let addrs = self.exprs(from.addrs())?;
                let clone =
                    add(&OperandSpec::Symbolic { set: set_of(self)?, dtype, pattern: &pattern, addrs: &addrs })?;
                if let Some((id, indices)) = from.tensor_indirection() {
                    clone.set_tensor_indirection(id, indices)?;
                }
                clone.set_spelled_pwap(from.is_spelled_pwap());
                clone
            }
            ArgumentKind::RegisterAccessPattern => {
                let part = as_register_pattern(from);
                let part = crate::ir::raw::slot::required(part, "the register part of an operand")?;
                let register = crate::ir::raw::slot::required(part.reg_loc.get(), "the register of an operand")?;
                let clone = add(&OperandSpec::RegisterPattern {
                    set: set_of(self)?,
                    dtype,
                    pattern: &pattern,
                    register: self.register(register)?,
                    offset_register: part.reg_ap_offset.get().map(|r| self.register(r)).transpose()?,
                    sub_tensor_register: part.reg_sub_tensor_id.get().map(|r| self.register(r)).transpose()?,
                })?;
                if let Some((offset, id, is_regloc_offset)) = from.register_constants() {
                    clone.set_register_constants(offset, id, is_regloc_offset)?;
                }
                clone
            }
            ArgumentKind::ImmediateValue => {
                add(&OperandSpec::Immediate { dtype, bits: from.immediate_bits().unwrap_or_default() })?
            }
            ArgumentKind::SymbolicImmediateValue => {
                let part = as_symbolic_immediate(from);
                let part = crate::ir::raw::slot::required(part, "the symbolic part of an immediate")?;
                let values: Vec<u64> = crate::ir::expr::collect(part.value_list.iter(), part.value_list.len())?;
                let expr = self.expr(QuasiAffineExpr::lend(part.expr.get(), from))?;
                let clone = add(&OperandSpec::SymbolicImmediate { dtype, values: &values, expr })?;
                clone.set_immediate_bits(from.immediate_bits().unwrap_or_default())?;
                clone
            }
            ArgumentKind::ImmediateArray => {
                let values: Vec<i64> = crate::ir::expr::collect(from.immediate_array(), from.immediate_array().len())?;
                add(&OperandSpec::ImmediateArray { dtype, values: &values })?
            }
            ArgumentKind::RegisterAccess => {
                let register = bound(from)?.as_register();
                let register = crate::ir::raw::slot::required(register, "the register of an operand")?;
                add(&OperandSpec::Register { register: self.register(register)?, dtype })?
            }
            kind => bail!(CorruptIr, "corrupt IR: no operand has the kind {}", kind.name()),
        };
        if from.access_shape().len() > 0 {
            let shape: Vec<u64> = crate::ir::expr::collect(from.access_shape(), from.access_shape().len())?;
            clone.set_access_shape(&shape)?;
        }
        clone.dtype.set(from.dtype.get());
        clone.is_active.set(from.is_active.get());
        Ok(())
    }

    fn dynamic(&mut self, from: &'s Argument, to: &'t Argument) -> Result<()> {
        let Some(info) = from.dynamic() else { return Ok(()) };
        let actual_ap = crate::ir::expr::collect(info.actual_ap.iter(), info.actual_ap.len())?;
        let aff_expr = try_collect(info.terms().map(|(expr, coef)| Ok((self.expr(expr)?, coef))))?;
        to.set_dynamic(Some(&DynamicSpec {
            actual_ap: &actual_ap,
            aff_expr: &aff_expr,
            c: info.c.get(),
            indirect_dim: IndirectDim::MEMBERS[0],
            indirect_dim_max_index: info.indirect_dim_max_index.get(),
        }))?;
        if let Some(clone) = to.dynamic() {
            clone.indirect_dim.set(info.indirect_dim.get());
        }
        Ok(())
    }
}
