//! Operands: access patterns, immediates and register operands in an instruction's three lists.
//!
//! A pattern or register operand enters itself into the use list of its storage: as writer when it is an output, else as
//! reader. Immediates bind to nothing and always stand in `ins`, whatever list they were asked into.

use super::expr::{self, QuasiAffineExpr};
use super::id;
use super::module::same;
use super::named::{self, node_at};
use super::place::Place;
use super::raw::cast::{
    as_access_pattern, as_immediate, as_immediate_array, as_physical, as_register_pattern, as_symbolic,
    as_symbolic_immediate,
};
use super::raw::layout::{
    AccessPattern, DynamicAPINFO, ImmediateArray, ImmediateValue, PhysicalAccessPattern, RegisterAccess,
    RegisterAccessPattern, SymbolicAccessPattern, SymbolicImmediateValue,
};
use super::raw::state::Identified;
use super::raw::values::ExprCoefficient;
use super::raw::{
    APPair, Argument, Function, Instruction, MemoryLocation, MemoryLocationSet, ModuleState, Register, StorageBase,
    list,
};
use super::uses::{self, Role, registers};
use crate::Result;
use crate::enums::bir::{ArgumentKind, Dtype, IndirectDim};
use crate::error::bail;
use crate::mem::IlistNode;
use core::ptr::NonNull;

/// Which of an instruction's operand lists; the numbers are those of InstructionArgumentType.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OperandList {
    /// `ins`.
    Ins = 0,
    /// `indirection_ins`.
    IndirectionIns = 1,
    /// `outs`.
    Outs = 2,
}

impl OperandList {
    /// All lists, in the order of their numbers.
    pub const ALL: [OperandList; 3] = [OperandList::Ins, OperandList::IndirectionIns, OperandList::Outs];

    /// The key in documents.
    pub const fn key(self) -> &'static str {
        match self {
            OperandList::Ins => "ins",
            OperandList::IndirectionIns => "indirection_ins",
            OperandList::Outs => "outs",
        }
    }

    /// The list of that number.
    pub fn from_number(number: i32) -> Option<Self> {
        usize::try_from(number).ok().and_then(|n| Self::ALL.get(n).copied())
    }
}

/// The largest number of dimensions of an access pattern (`spec/bir-json.md` section 6).
pub const MAX_DIMS: usize = 5;

/// Run-time parts of a physical pattern: `address = c + sum of coef * expr` (`spec/bir-json.md` section 6).
#[derive(Clone, Copy, Debug)]
pub struct DynamicSpec<'a> {
    /// The pattern that is really accessed.
    pub actual_ap: &'a [APPair],
    /// Expressions and their factors.
    pub aff_expr: &'a [(QuasiAffineExpr<'a>, i64)],
    /// Constant part, in elements.
    pub c: i64,
    /// Which dimension is indirect.
    pub indirect_dim: IndirectDim,
    /// Largest index.
    pub indirect_dim_max_index: i32,
}

/// What a new operand is.
#[derive(Clone, Copy, Debug)]
pub enum OperandSpec<'a, 'm> {
    /// `physical_ap`: a pattern over a location.
    Physical {
        /// The location.
        location: &'m MemoryLocation,
        /// Element type.
        dtype: Dtype,
        /// Dimensions, outermost (partition) first.
        pattern: &'a [APPair],
        /// Offset in elements.
        offset: u64,
    },
    /// `symbolic_ap`: a pattern over a set, with symbolic addresses.
    Symbolic {
        /// The set.
        set: &'m MemoryLocationSet,
        /// Element type.
        dtype: Dtype,
        /// Dimensions.
        pattern: &'a [APPair],
        /// Address expressions.
        addrs: &'a [QuasiAffineExpr<'a>],
    },
    /// `register_ap`: a pattern over a set at an address in registers.
    RegisterPattern {
        /// The set.
        set: &'m MemoryLocationSet,
        /// Element type.
        dtype: Dtype,
        /// Dimensions.
        pattern: &'a [APPair],
        /// `regref`.
        register: &'m Register,
        /// `reg_ap_offset`.
        offset_register: Option<&'m Register>,
        /// `reg_sub_tensor_id`.
        sub_tensor_register: Option<&'m Register>,
    },
    /// `imm_value`: the low bits of `bits`, as wide as the type.
    Immediate {
        /// Element type.
        dtype: Dtype,
        /// The value's bits.
        bits: u64,
    },
    /// `symbolic_imm_value`.
    SymbolicImmediate {
        /// Element type.
        dtype: Dtype,
        /// The listed values' bits.
        values: &'a [u64],
        /// The expression.
        expr: QuasiAffineExpr<'a>,
    },
    /// `imm_array`.
    ImmediateArray {
        /// Element type.
        dtype: Dtype,
        /// The values.
        values: &'a [i64],
    },
    /// `register_access`: a register itself.
    Register {
        /// The register.
        register: &'m Register,
        /// Element type.
        dtype: Dtype,
    },
}

/// Operands of one list. Safe against changes: an operand that leaves the list ends the walk.
pub struct Operands<'m> {
    instruction: &'m Instruction,
    list: OperandList,
    front: Option<&'m Argument>,
    back: Option<&'m Argument>,
}

impl<'m> Operands<'m> {
    fn valid(&self, argument: &'m Argument) -> Option<&'m Argument> {
        let here = argument.node.is_linked()
            && argument.list.get() == self.list as u8
            && argument.parent.get().is_some_and(|p| same(p, self.instruction));
        here.then_some(argument)
    }
}

impl<'m> Iterator for Operands<'m> {
    type Item = &'m Argument;
    fn next(&mut self) -> Option<&'m Argument> {
        let argument = self.front.take().and_then(|a| self.valid(a))?;
        if self.back.is_some_and(|b| same(b, argument)) {
            self.back = None;
        } else {
            self.front = list::next(self.instruction.sentinel(self.list), argument);
        }
        Some(argument)
    }
}

impl<'m> DoubleEndedIterator for Operands<'m> {
    fn next_back(&mut self) -> Option<&'m Argument> {
        let argument = self.back.take().and_then(|a| self.valid(a))?;
        if self.front.is_some_and(|f| same(f, argument)) {
            self.front = None;
        } else {
            self.back = list::prev(self.instruction.sentinel(self.list), argument);
        }
        Some(argument)
    }
}

/// Fails unless a pattern has 1 to [`MAX_DIMS`] dimensions.
fn check_pattern(pattern: &[APPair]) -> Result<()> {
    if pattern.is_empty() || pattern.len() > MAX_DIMS {
        bail!(BadValue, "an access pattern has 1 to {MAX_DIMS} dimensions, not {}", pattern.len());
    }
    Ok(())
}

/// Fails for element types that an immediate cannot have: fp8, fp4 and float32r (`spec/bir-json.md` section 6).
pub(crate) fn check_immediate_dtype(dtype: Dtype) -> Result<()> {
    let name = dtype.name();
    if name.starts_with("float8") || name.starts_with("float4") || dtype == Dtype::float32r {
        bail!(Unsupported, "an immediate cannot have the dtype `{name}`");
    }
    Ok(())
}

impl Instruction {
    pub(crate) fn sentinel(&self, list: OperandList) -> &IlistNode {
        match list {
            OperandList::Ins => &self.ins,
            OperandList::IndirectionIns => &self.indirection_ins,
            OperandList::Outs => &self.outs,
        }
    }

    /// The operands of a list, in order.
    pub fn operands(&self, list: OperandList) -> Operands<'_> {
        let sentinel = self.sentinel(list);
        Operands { instruction: self, list, front: list::first(sentinel), back: list::last(sentinel) }
    }

    /// The inputs.
    pub fn ins(&self) -> Operands<'_> {
        self.operands(OperandList::Ins)
    }

    /// The indirection inputs.
    pub fn indirection_ins(&self) -> Operands<'_> {
        self.operands(OperandList::IndirectionIns)
    }

    /// The outputs.
    pub fn outs(&self) -> Operands<'_> {
        self.operands(OperandList::Outs)
    }

    /// Number of operands of a list.
    pub fn operand_count(&self, list: OperandList) -> usize {
        self.operands(list).count()
    }

    /// Operand `index` of a list.
    pub fn operand(&self, list: OperandList, index: usize) -> Option<&Argument> {
        self.operands(list).nth(index)
    }

    /// Adds an operand. Immediates go to `ins`, whatever list is asked for.
    ///
    /// # Errors
    /// `BadValue` (pattern), `Unsupported` (dtype of an immediate), `ForeignModule`, `NotFound` (place elsewhere),
    /// `Detached`, `IdExhausted`, `OutOfMemory`.
    pub fn add_operand<'m>(
        &'m self,
        list: OperandList,
        spec: &OperandSpec<'_, 'm>,
        place: Place<'m, Argument>,
    ) -> Result<&'m Argument> {
        let module = named::module_of(self)?;
        let state = module.module_state()?;
        let counter = id::of_instruction(self)?;
        id::check(counter)?;
        let argument = create(state, module, spec)?;
        let list = if argument.is_immediate() { OperandList::Ins } else { list };
        argument.parent.set(Some(self));
        argument.list.set(list as u8);
        argument.is_output.set(list == OperandList::Outs);
        if let Place::Before(anchor) | Place::After(anchor) = place
            && !anchor.is_in(self, list)
        {
            bail!(NotFound, "the operand to insert beside is not in `{}` of `{}`", list.key(), self.name());
        }
        argument.reserve_uses(state)?;
        argument.node.insert_before(node_at(self.sentinel(list), place));
        argument.bind(state)?;
        argument.unique_id.set(id::take(counter)?);
        id::register(state, argument.unique_id(), Identified::Argument(NonNull::from(argument)));
        Ok(argument)
    }
}

/// A new operand, complete but neither linked nor bound.
fn create<'m>(state: &'m ModuleState, module: &super::ModuleRef, spec: &OperandSpec<'_, 'm>) -> Result<&'m Argument> {
    let (kind, dtype) = match spec {
        OperandSpec::Physical { dtype, .. } => (ArgumentKind::PhysicalAccessPattern, dtype),
        OperandSpec::Symbolic { dtype, .. } => (ArgumentKind::SymbolicAccessPattern, dtype),
        OperandSpec::RegisterPattern { dtype, .. } => (ArgumentKind::RegisterAccessPattern, dtype),
        OperandSpec::Immediate { dtype, .. } => (ArgumentKind::ImmediateValue, dtype),
        OperandSpec::SymbolicImmediate { dtype, .. } => (ArgumentKind::SymbolicImmediateValue, dtype),
        OperandSpec::ImmediateArray { dtype, .. } => (ArgumentKind::ImmediateArray, dtype),
        OperandSpec::Register { dtype, .. } => (ArgumentKind::RegisterAccess, dtype),
    };
    let start = |argument: &Argument| {
        argument.kind.set(kind.ordinal());
        argument.dtype.set(dtype.ordinal());
        argument.unique_id.set(-1);
    };
    let pattern_of = |part: &AccessPattern, pattern: &[APPair], storage: &StorageBase| -> Result<()> {
        check_pattern(pattern)?;
        start(&part.argument);
        part.pattern.init();
        part.shape.init();
        part.argument.location.set(Some(storage));
        part.pattern.assign(&state.arena, pattern)
    };
    let register_of = |register: &Register| named::same_module(module, &register.storage);
    Ok(match spec {
        OperandSpec::Physical { location, pattern, offset, .. } => {
            named::same_module(module, *location)?;
            let operand = state.alloc::<PhysicalAccessPattern>()?;
            pattern_of(&operand.access_pattern, pattern, &location.storage_base)?;
            operand.offset.set(*offset);
            &operand.access_pattern.argument
        }
        OperandSpec::Symbolic { set, pattern, addrs, .. } => {
            named::same_module(module, &set.storage)?;
            let addrs = expr::stored(module, addrs)?;
            let operand = state.alloc::<SymbolicAccessPattern>()?;
            pattern_of(&operand.access_pattern, pattern, &set.storage.storage_base)?;
            operand.tensor_indirect_arg_id.set(-1);
            operand.addrs.assign(&state.arena, &addrs)?;
            &operand.access_pattern.argument
        }
        OperandSpec::RegisterPattern { set, pattern, register, offset_register, sub_tensor_register, .. } => {
            named::same_module(module, &set.storage)?;
            register_of(register)?;
            for other in [offset_register, sub_tensor_register].into_iter().copied().flatten() {
                register_of(other)?;
            }
            let operand = state.alloc::<RegisterAccessPattern>()?;
            pattern_of(&operand.access_pattern, pattern, &set.storage.storage_base)?;
            operand.reg_loc.set(Some(register));
            operand.reg_ap_offset.set(*offset_register);
            operand.reg_sub_tensor_id.set(*sub_tensor_register);
            operand.const_sub_tensor_id.set(-1);
            &operand.access_pattern.argument
        }
        OperandSpec::Immediate { dtype, bits } => {
            check_immediate_dtype(*dtype)?;
            let operand = state.alloc::<ImmediateValue>()?;
            start(&operand.argument);
            operand.value.set(*bits);
            &operand.argument
        }
        OperandSpec::SymbolicImmediate { dtype, values, expr } => {
            check_immediate_dtype(*dtype)?;
            let expr = expr.stored(module)?;
            let operand = state.alloc::<SymbolicImmediateValue>()?;
            start(&operand.immediate_value.argument);
            operand.value_list.assign(&state.arena, values)?;
            operand.expr.set(expr);
            super::raw::empty_map(&operand.coeff_map);
            &operand.immediate_value.argument
        }
        OperandSpec::ImmediateArray { dtype, values } => {
            check_immediate_dtype(*dtype)?;
            let operand = state.alloc::<ImmediateArray>()?;
            start(&operand.argument);
            operand.values.init();
            operand.values.assign(&state.arena, values)?;
            &operand.argument
        }
        OperandSpec::Register { register, .. } => {
            register_of(register)?;
            let operand = state.alloc::<RegisterAccess>()?;
            start(&operand.argument);
            operand.argument.location.set(Some(&register.storage.storage_base));
            &operand.argument
        }
    })
}

impl DynamicAPINFO {
    /// The pattern that is really accessed.
    pub fn actual_ap(&self) -> impl ExactSizeIterator<Item = APPair> {
        (0..self.actual_ap.len()).map(|i| self.actual_ap.get(i).unwrap_or_default())
    }

    /// Address expressions and their factors, in elements.
    pub fn terms(&self) -> impl Iterator<Item = (QuasiAffineExpr<'_>, i64)> {
        self.aff_expr.iter().map(|t| (QuasiAffineExpr::lend(t.expr, self), t.coef))
    }

    /// Number of address expressions.
    pub fn term_count(&self) -> usize {
        self.aff_expr.len()
    }

    /// Constant part of the address, in elements.
    pub fn c(&self) -> i64 {
        self.c.get()
    }

    /// Which dimension is indirect.
    pub fn indirect_dim(&self) -> Result<IndirectDim> {
        IndirectDim::from_ordinal(self.indirect_dim.get().into())
    }

    /// Largest index.
    pub fn indirect_dim_max_index(&self) -> i32 {
        self.indirect_dim_max_index.get()
    }
}

impl Argument {
    /// The operand's class.
    pub fn kind(&self) -> Result<ArgumentKind> {
        ArgumentKind::from_ordinal(self.kind.get().into())
    }

    /// Whether it is an immediate: value, symbolic value or array.
    pub fn is_immediate(&self) -> bool {
        as_immediate(self).is_some() || as_immediate_array(self).is_some()
    }

    /// The instruction that it belongs to.
    pub fn instruction(&self) -> Option<&Instruction> {
        self.parent.get()
    }

    /// The function around it; `None` in a queue.
    pub fn function(&self) -> Option<&Function> {
        self.instruction()?.function()
    }

    /// The list that it is in.
    pub fn list(&self) -> OperandList {
        OperandList::from_number(self.list.get().into()).unwrap_or(OperandList::Ins)
    }

    fn is_in(&self, instruction: &Instruction, list: OperandList) -> bool {
        self.node.is_linked() && self.list() == list && self.parent.get().is_some_and(|p| same(p, instruction))
    }

    /// The id, unique in the module.
    pub fn unique_id(&self) -> i32 {
        self.unique_id.get()
    }

    /// Whether it stands in `outs`.
    pub fn is_output(&self) -> bool {
        self.is_output.get()
    }

    /// Whether it writes its storage; else it reads it.
    pub(crate) fn writes(&self) -> bool {
        self.is_output.get()
    }

    /// Whether it was erased.
    pub fn is_erased(&self) -> bool {
        self.erased.get()
    }

    /// Element type.
    pub fn dtype(&self) -> Result<Dtype> {
        Dtype::from_ordinal(self.dtype.get().into())
    }

    /// Sets the element type.
    ///
    /// # Errors
    /// `Unsupported` for a type that an immediate cannot have.
    pub fn set_dtype(&self, dtype: Dtype) -> Result<()> {
        self.live()?;
        if self.is_immediate() {
            check_immediate_dtype(dtype)?;
        }
        self.dtype.set(dtype.ordinal());
        Ok(())
    }

    /// The module that its instruction was made in; an error once either is erased.
    pub fn module(&self) -> Result<&super::ModuleRef> {
        self.live()?;
        match self.parent.get() {
            Some(parent) => named::module_of(parent),
            None => bail!(Detached, "the operand belongs to no instruction"),
        }
    }

    /// Whether the operand is marked active.
    pub fn is_active(&self) -> bool {
        self.is_active.get()
    }

    /// The storage that it is bound to; `None` for immediates.
    pub fn storage(&self) -> Option<&StorageBase> {
        self.location.get()
    }

    /// The next operand of its list.
    pub fn next(&self) -> Option<&Argument> {
        if self.node.is_linked() { list::next(self.parent.get()?.sentinel(self.list()), self) } else { None }
    }

    /// The operand before it in its list.
    pub fn prev(&self) -> Option<&Argument> {
        if self.node.is_linked() { list::prev(self.parent.get()?.sentinel(self.list()), self) } else { None }
    }

    fn live(&self) -> Result<&ModuleState> {
        if self.erased.get() {
            bail!(Detached, "the operand was erased");
        }
        match self.parent.get() {
            Some(parent) => named::state_of(parent),
            None => bail!(Detached, "the operand belongs to no instruction"),
        }
    }

    /// The module of the instruction.
    fn module_of_parent(&self) -> Result<&super::ModuleRef> {
        match self.parent.get() {
            Some(parent) => named::module_of(parent),
            None => bail!(Detached, "the operand belongs to no instruction"),
        }
    }

    /// Binds the operand to another storage of the class that it has; the use lists follow.
    ///
    /// # Errors
    /// `WrongKind` for another class or an immediate, `ForeignModule`, `OutOfMemory`; nothing changed then.
    pub fn set_storage<'m>(&'m self, storage: &'m StorageBase) -> Result<()> {
        let state = self.live()?;
        let Some(old) = self.location.get() else {
            bail!(WrongKind, "an immediate binds to no storage");
        };
        if old.storage_kind.get() != storage.storage_kind.get() {
            bail!(WrongKind, "the operand needs storage of the class of `{}`, not `{}`", old.name(), storage.name());
        }
        if !same(storage.module()?, old.module()?) {
            bail!(ForeignModule, "storage `{}` belongs to another module", storage.name());
        }
        uses::reserve(state, storage, self.writes(), 1)?;
        uses::remove(old, self, Role::Location, self.writes());
        self.location.set(Some(storage));
        uses::add(state, storage, self, Role::Location, self.writes())
    }

    /// The pattern part.
    fn pattern_part(&self) -> Result<&AccessPattern> {
        match as_access_pattern(self) {
            Some(part) => Ok(part),
            None => bail!(WrongKind, "the operand has no access pattern"),
        }
    }

    /// The dimensions of an access pattern, outermost (partition) first; none for other operands.
    pub fn pattern(&self) -> impl ExactSizeIterator<Item = APPair> {
        let pattern = as_access_pattern(self).map(|p| &p.pattern);
        (0..pattern.map_or(0, |p| p.len())).map(move |i| pattern.and_then(|p| p.get(i)).unwrap_or_default())
    }

    /// Replaces the dimensions of an access pattern.
    pub fn set_pattern(&self, pattern: &[APPair]) -> Result<()> {
        let state = self.live()?;
        check_pattern(pattern)?;
        self.pattern_part()?.pattern.assign(&state.arena, pattern)
    }

    /// The access shape of a pattern, in elements; often empty.
    pub fn access_shape(&self) -> impl ExactSizeIterator<Item = u64> {
        let shape = as_access_pattern(self).map(|p| &p.shape);
        (0..shape.map_or(0, |s| s.len())).map(move |i| shape.and_then(|s| s.get(i)).unwrap_or_default())
    }

    /// Replaces the access shape.
    pub fn set_access_shape(&self, shape: &[u64]) -> Result<()> {
        let state = self.live()?;
        self.pattern_part()?.shape.assign(&state.arena, shape)
    }

    /// Offset of a physical pattern, in elements.
    pub fn offset(&self) -> Option<u64> {
        Some(as_physical(self)?.offset.get())
    }

    /// Sets the offset of a physical pattern, in elements.
    pub fn set_offset(&self, offset: u64) -> Result<()> {
        self.live()?;
        match as_physical(self) {
            Some(part) => part.offset.set(offset),
            None => bail!(WrongKind, "only a physical_ap has an offset"),
        }
        Ok(())
    }

    /// The location of a physical pattern.
    pub fn memory_location(&self) -> Option<&MemoryLocation> {
        self.storage()?.as_location()
    }

    /// The set of the operand: that of its location, or its own.
    pub fn memory_location_set(&self) -> Option<&MemoryLocationSet> {
        let storage = self.storage()?;
        storage.as_set().or_else(|| storage.as_location()?.set())
    }

    /// The run-time part of a physical pattern.
    pub fn dynamic(&self) -> Option<&DynamicAPINFO> {
        as_physical(self)?.dynamic_ap_info.get()
    }

    /// Sets or clears the run-time part of a physical pattern.
    pub fn set_dynamic(&self, spec: Option<&DynamicSpec<'_>>) -> Result<()> {
        let state = self.live()?;
        let Some(part) = as_physical(self) else { bail!(WrongKind, "only a physical_ap has a run-time part") };
        let Some(spec) = spec else {
            part.dynamic_ap_info.set(None);
            return Ok(());
        };
        let module = self.module_of_parent()?;
        let terms = expr::collect(core::iter::empty(), spec.aff_expr.len())?;
        let terms = spec.aff_expr.iter().try_fold(terms, |mut list, (expr, coef)| {
            list.push(ExprCoefficient { expr: expr.stored(module)?, coef: *coef });
            Ok::<_, crate::Error>(list)
        })?;
        let info = state.alloc::<DynamicAPINFO>()?;
        info.actual_ap.init();
        info.actual_ap.assign(&state.arena, spec.actual_ap)?;
        info.aff_expr.assign(&state.arena, &terms)?;
        info.c.set(spec.c);
        info.indirect_dim.set(spec.indirect_dim.ordinal());
        info.indirect_dim_max_index.set(spec.indirect_dim_max_index);
        part.dynamic_ap_info.set(Some(info));
        Ok(())
    }

    /// Address expressions of a symbolic pattern.
    pub fn addrs(&self) -> impl Iterator<Item = QuasiAffineExpr<'_>> {
        as_symbolic(self).into_iter().flat_map(|s| s.addrs.iter()).map(|e| QuasiAffineExpr::lend(e, self))
    }

    /// Replaces the address expressions of a symbolic pattern.
    ///
    /// # Errors
    /// `WrongKind` for another operand, `ForeignModule`, `OutOfMemory`; nothing changed then.
    pub fn set_addrs(&self, addrs: &[QuasiAffineExpr<'_>]) -> Result<()> {
        let state = self.live()?;
        match as_symbolic(self) {
            Some(part) => part.addrs.assign(&state.arena, &expr::stored(self.module_of_parent()?, addrs)?),
            None => bail!(WrongKind, "only a symbolic_ap has addrs"),
        }
    }

    /// `tensor_indirect_arg_id` and `num_tensor_indirect_indices` of a symbolic pattern; -1 and 0 when unset.
    pub fn tensor_indirection(&self) -> Option<(i32, i32)> {
        let part = as_symbolic(self)?;
        Some((part.tensor_indirect_arg_id.get(), part.num_tensor_indirect_indices.get()))
    }

    /// Sets the tensor indirection of a symbolic pattern.
    pub fn set_tensor_indirection(&self, arg_id: i32, indices: i32) -> Result<()> {
        self.live()?;
        let Some(part) = as_symbolic(self) else { bail!(WrongKind, "only a symbolic_ap has tensor indirection") };
        part.tensor_indirect_arg_id.set(arg_id);
        part.num_tensor_indirect_indices.set(indices);
        Ok(())
    }

    /// Whether a symbolic pattern was spelled `symbolic_pwap`; a rewrite keeps that.
    pub fn is_spelled_pwap(&self) -> bool {
        as_symbolic(self).is_some_and(|s| s.spelled_pwap.get())
    }

    /// Sets the spelling of a symbolic pattern.
    pub fn set_spelled_pwap(&self, value: bool) {
        if let Some(part) = as_symbolic(self) {
            part.spelled_pwap.set(value);
        }
    }

    /// The registers of a register pattern: `regref`, `reg_ap_offset`, `reg_sub_tensor_id`. For a register operand, the
    /// register comes first.
    pub fn register(&self, index: usize) -> Option<&Register> {
        match as_register_pattern(self) {
            Some(part) => registers(part).get(index)?.get(),
            None if index == 0 => self.storage()?.as_register(),
            None => None,
        }
    }

    /// Sets register `index` of a register pattern (0 `regref`, which cannot be cleared; 1 `reg_ap_offset`;
    /// 2 `reg_sub_tensor_id`); the use lists follow.
    pub fn set_register<'m>(&'m self, index: usize, register: Option<&'m Register>) -> Result<()> {
        let state = self.live()?;
        let Some(part) = as_register_pattern(self) else {
            bail!(WrongKind, "only a register_ap has registers to set");
        };
        let Some(link) = registers(part).get(index).copied() else {
            bail!(BadValue, "a register_ap has registers 0 to 2, not {index}");
        };
        if index == 0 && register.is_none() {
            bail!(BadValue, "regref of a register_ap cannot be cleared");
        }
        if let Some(register) = register {
            named::same_module(self.module_of_parent()?, &register.storage)?;
            uses::reserve(state, &register.storage.storage_base, false, 1)?;
        }
        if let Some(old) = link.get() {
            uses::remove(&old.storage.storage_base, self, Role::Register(index), false);
        }
        link.set(register);
        match register {
            Some(r) => uses::add(state, &r.storage.storage_base, self, Role::Register(index), false),
            None => Ok(()),
        }
    }

    /// `const_ap_offset`, `const_sub_tensor_id` and `is_regloc_offset` of a register pattern.
    pub fn register_constants(&self) -> Option<(u64, i32, bool)> {
        let part = as_register_pattern(self)?;
        Some((part.const_ap_offset.get(), part.const_sub_tensor_id.get(), part.is_regloc_offset.get()))
    }

    /// Sets the constants of a register pattern.
    pub fn set_register_constants(&self, offset: u64, sub_tensor_id: i32, is_regloc_offset: bool) -> Result<()> {
        self.live()?;
        let Some(part) = as_register_pattern(self) else { bail!(WrongKind, "the operand is no register_ap") };
        part.const_ap_offset.set(offset);
        part.const_sub_tensor_id.set(sub_tensor_id);
        part.is_regloc_offset.set(is_regloc_offset);
        Ok(())
    }

    /// The bits of an immediate value.
    pub fn immediate_bits(&self) -> Option<u64> {
        Some(as_immediate(self)?.value.get())
    }

    /// Sets the bits of an immediate value.
    pub fn set_immediate_bits(&self, bits: u64) -> Result<()> {
        self.live()?;
        match as_immediate(self) {
            Some(part) => part.value.set(bits),
            None => bail!(WrongKind, "the operand is no immediate value"),
        }
        Ok(())
    }

    /// Values of an immediate array.
    pub fn immediate_array(&self) -> impl ExactSizeIterator<Item = i64> {
        let values = as_immediate_array(self).map(|p| &p.values);
        (0..values.map_or(0, |v| v.len())).map(move |i| values.and_then(|v| v.get(i)).unwrap_or_default())
    }

    /// Replaces the values of an immediate array.
    pub fn set_immediate_array(&self, values: &[i64]) -> Result<()> {
        let state = self.live()?;
        match as_immediate_array(self) {
            Some(part) => part.values.assign(&state.arena, values),
            None => bail!(WrongKind, "the operand is no immediate array"),
        }
    }

    /// Listed values' bits and expression of a symbolic immediate.
    pub fn symbolic_immediate(&self) -> Option<(impl ExactSizeIterator<Item = u64>, QuasiAffineExpr<'_>)> {
        let part = as_symbolic_immediate(self)?;
        let values = &part.value_list;
        Some((
            (0..values.len()).map(move |i| values.get(i).unwrap_or_default()),
            QuasiAffineExpr::lend(part.expr.get(), self),
        ))
    }

    /// Moves the operand to another place: within its list, to another list, or to another instruction of the module.
    /// Immediates stay in `ins`.
    pub fn move_to<'m>(
        &'m self,
        instruction: &'m Instruction,
        list: OperandList,
        place: Place<'m, Argument>,
    ) -> Result<()> {
        let state = self.live()?;
        named::same_module(self.module_of_parent()?, instruction)?;
        let list = if self.is_immediate() { OperandList::Ins } else { list };
        if let Place::Before(anchor) | Place::After(anchor) = place {
            if !anchor.is_in(instruction, list) {
                bail!(NotFound, "the operand to move beside is not in `{}` of `{}`", list.key(), instruction.name());
            }
            if same(anchor, self) {
                return Ok(());
            }
        }
        let writes = list == OperandList::Outs;
        if let Some(storage) = self.storage().filter(|_| writes != self.writes()) {
            uses::reserve(state, storage, writes, 1)?;
            uses::remove(storage, self, Role::Location, self.writes());
            self.is_output.set(writes);
            uses::add(state, storage, self, Role::Location, writes)?;
        }
        self.node.remove();
        self.parent.set(Some(instruction));
        self.list.set(list as u8);
        self.is_output.set(writes);
        self.node.insert_before(node_at(instruction.sentinel(list), place));
        id::relinked(state, self.unique_id());
        Ok(())
    }

    /// Takes the operand out of its instruction and of the use lists, for good.
    pub fn erase(&self) -> Result<()> {
        self.live()?;
        self.unbind();
        self.node.remove();
        self.erased.set(true);
        Ok(())
    }

    fn register_uses(&self) -> impl Iterator<Item = (usize, &Register)> {
        as_register_pattern(self)
            .into_iter()
            .flat_map(|p| registers(p).into_iter().enumerate())
            .filter_map(|(i, r)| Some((i, r.get()?)))
    }

    fn reserve_uses(&self, state: &ModuleState) -> Result<()> {
        if let Some(storage) = self.storage() {
            uses::reserve(state, storage, self.writes(), 1)?;
        }
        for (_, register) in self.register_uses() {
            // The same register may be named up to three times.
            uses::reserve(state, &register.storage.storage_base, false, 4)?;
        }
        Ok(())
    }

    fn bind(&self, state: &ModuleState) -> Result<()> {
        if let Some(storage) = self.storage() {
            uses::add(state, storage, self, Role::Location, self.writes())?;
        }
        for (index, register) in self.register_uses() {
            uses::add(state, &register.storage.storage_base, self, Role::Register(index), false)?;
        }
        Ok(())
    }

    pub(crate) fn unbind(&self) {
        if let Some(storage) = self.storage() {
            uses::remove(storage, self, Role::Location, self.writes());
        }
        for (index, register) in self.register_uses() {
            uses::remove(&register.storage.storage_base, self, Role::Register(index), false);
        }
    }

    /// One step of replace-all-uses: the last use of `old` as reader or writer becomes one of `new`.
    pub(crate) fn replace_storage<'m>(
        &'m self,
        state: &ModuleState,
        old: &'m StorageBase,
        new: &'m StorageBase,
        writes: bool,
    ) -> Result<()> {
        if self.writes() == writes && self.storage().is_some_and(|s| same(s, old)) {
            uses::remove(old, self, Role::Location, writes);
            self.location.set(Some(new));
            return uses::add(state, new, self, Role::Location, writes);
        }
        let found = self.register_uses().find(|(_, r)| same(&r.storage.storage_base, old)).map(|(i, _)| i);
        match (found, new.as_register()) {
            (Some(index), Some(register)) => self.set_register(index, Some(register)),
            _ => bail!(CorruptIr, "corrupt IR: the use list of `{}` names an operand that does not use it", old.name()),
        }
    }
}
