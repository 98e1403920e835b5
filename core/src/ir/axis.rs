//! Loop axes: static ones with integer bounds, dynamic ones with expressions.

use super::expr::{self, QuasiAffineExpr};
use super::named;
use super::raw::{DynamicForLoopAxis, Instruction, LoopAxis, Ptr, cast, slot};
use crate::Result;
use crate::enums::bir::InstructionType;
use crate::error::bail;
use crate::mem::Str;

impl LoopAxis {
    /// The axis name, by which expressions refer to it.
    pub fn name(&self) -> Str<'_> {
        match cast::as_dynamic_axis(self) {
            Some(dynamic) => dynamic.name.get(),
            None => self.name.get(),
        }
    }

    /// The axis as a dynamic one, if it is.
    pub fn as_dynamic(&self) -> Option<&DynamicForLoopAxis> {
        cast::as_dynamic_axis(self)
    }

    /// Lower bound; 0 for a dynamic axis.
    pub fn lb(&self) -> i32 {
        if self.as_dynamic().is_some() { 0 } else { self.lb.get() }
    }

    /// Upper bound, excluded; 0 for a dynamic axis.
    pub fn ub(&self) -> i64 {
        if self.as_dynamic().is_some() { 0 } else { self.ub.get() }
    }

    /// Stride; 1 for a dynamic axis. Negative runs downward, never 0.
    pub fn stride(&self) -> i64 {
        if self.as_dynamic().is_some() { 1 } else { self.stride.get() }
    }

    /// Number of iterations: `ceil((ub - lb) / stride)`, 0 when empty; 0 for a dynamic axis (`spec/layout.md` section 7).
    pub fn trip_count(&self) -> u64 {
        if self.as_dynamic().is_some() {
            return 0;
        }
        let distance = i128::from(self.ub.get()) - i128::from(self.lb.get());
        let stride = i128::from(self.stride.get());
        if stride == 0 || distance.signum() != stride.signum() {
            return 0;
        }
        let trips = distance.unsigned_abs().div_ceil(stride.unsigned_abs());
        u64::try_from(trips).unwrap_or(u64::MAX)
    }
}

impl DynamicForLoopAxis {
    /// Lower bound.
    pub fn lb(&self) -> QuasiAffineExpr<'_> {
        QuasiAffineExpr::lend(self.lb.get(), self)
    }

    /// Upper bound, excluded.
    pub fn ub(&self) -> QuasiAffineExpr<'_> {
        QuasiAffineExpr::lend(self.ub.get(), self)
    }

    /// Stride.
    pub fn stride(&self) -> QuasiAffineExpr<'_> {
        QuasiAffineExpr::lend(self.stride.get(), self)
    }

    /// The axis as any loop holds it.
    pub fn as_axis(&self) -> &LoopAxis {
        cast::as_axis(self)
    }
}

impl Instruction {
    /// The axis of a Loop or DynamicForLoop; `None` before it is set, and for other opcodes.
    pub fn axis(&self) -> Option<&LoopAxis> {
        let offset = axis_offset(self)?;
        slot::slot::<super::raw::Link<LoopAxis>>(self, offset)?.get()
    }

    /// Gives a Loop its axis, or changes its bounds if it has one.
    ///
    /// # Errors
    /// `BadValue` for a stride of 0, `WrongKind` for other opcodes, `OutOfMemory`.
    pub fn set_loop_axis(&self, name: &str, lb: i32, ub: i64, stride: i64) -> Result<&LoopAxis> {
        if stride == 0 {
            bail!(BadValue, "the stride of axis `{name}` is 0");
        }
        if self.opcode()? != InstructionType::Loop {
            bail!(WrongKind, "instruction `{}` is no Loop", self.name());
        }
        let state = named::state_of(self)?;
        let Some(link) = axis_offset(self).and_then(|o| slot::slot::<super::raw::Link<LoopAxis>>(self, o)) else {
            bail!(CorruptIr, "corrupt IR: a Loop without axis slot");
        };
        let axis = match link.get() {
            Some(axis) => axis,
            None => {
                let axis = state.alloc::<LoopAxis>()?;
                axis.name.init();
                axis
            }
        };
        axis.name.set(&state.arena, name)?;
        axis.lb.set(lb);
        axis.ub.set(ub);
        axis.stride.set(stride);
        axis.parent.set(Some(self));
        link.set(Some(axis));
        Ok(axis)
    }

    /// Gives a DynamicForLoop its axis, or changes its bounds if it has one.
    ///
    /// # Errors
    /// `WrongKind` for other opcodes, `ForeignModule`, `OutOfMemory`; nothing changed then.
    pub fn set_dynamic_axis(
        &self,
        name: &str,
        lb: QuasiAffineExpr<'_>,
        ub: QuasiAffineExpr<'_>,
        stride: QuasiAffineExpr<'_>,
    ) -> Result<&DynamicForLoopAxis> {
        if self.opcode()? != InstructionType::DynamicForLoop {
            bail!(WrongKind, "instruction `{}` is no DynamicForLoop", self.name());
        }
        let state = named::state_of(self)?;
        let module = named::module_of(self)?;
        let (lb, ub, stride) = (lb.stored(module)?, ub.stored(module)?, stride.stored(module)?);
        let Some(link) = axis_offset(self).and_then(|o| slot::slot::<super::raw::Link<DynamicForLoopAxis>>(self, o))
        else {
            bail!(CorruptIr, "corrupt IR: a DynamicForLoop without axis slot");
        };
        let axis = match link.get() {
            Some(axis) => axis,
            None => {
                let axis = state.alloc::<DynamicForLoopAxis>()?;
                axis.name.init();
                axis.axis_kind.set(1);
                axis.dynamic_flag.set(1);
                axis.has_runtime_flag.set(1);
                axis
            }
        };
        axis.name.set(&state.arena, name)?;
        axis.lb.set(lb);
        axis.ub.set(ub);
        axis.stride.set(stride);
        cast::set_axis_parent(axis.as_axis(), self);
        link.set(Some(axis));
        Ok(axis)
    }

    /// The axis of that name of an enclosing loop, innermost first; the instruction's own axis comes first of all.
    pub fn find_axis_outward(&self, name: &str) -> Option<&LoopAxis> {
        let mut at = Some(self);
        while let Some(instruction) = at {
            if let Some(axis) = instruction.axis().filter(|a| *a.name() == *name) {
                return Some(axis);
            }
            at = instruction.parent_instruction();
        }
        None
    }

    /// Names of the loop nest as axes, outermost first.
    pub fn loopnest(&self) -> impl Iterator<Item = &LoopAxis> {
        self.loopnest.iter().filter_map(|p| p.get(self))
    }

    /// Replaces the loop nest.
    ///
    /// # Errors
    /// `ForeignModule` for an axis of another module, `Detached` for that of an erased loop, `OutOfMemory`; nothing changed
    /// then.
    pub fn set_loopnest(&self, axes: &[&LoopAxis]) -> Result<()> {
        let state = named::state_of(self)?;
        let module = named::module_of(self)?;
        axes.iter().try_for_each(|a| expr::check_axis(module, a))?;
        let list = expr::collect(axes.iter().map(|a| Ptr::to(*a)), axes.len())?;
        self.loopnest.assign(&state.arena, &list)
    }
}

/// Offset of the axis slot: the one slot of kind Axis that Loop and DynamicForLoop have.
fn axis_offset(instruction: &Instruction) -> Option<u16> {
    let shape = slot::shape(instruction.opcode.get()).ok()?;
    shape.slots.iter().find(|s| s.1 == slot::Slot::Axis).map(|s| s.0)
}
