//! Casts along the class tree, each guarded by the discriminator that the original's casts look at.

use super::layout::*;
use super::pointer::Ptr;
use super::shapes::SHAPES;

/// Bytes between the start of a structured-control object and its Instruction part. `spec/layout.md` section 7.
pub const HOLDER_BYTES: isize = 0x58;

/// Discriminator of `StorageBase::storage_kind`.
pub mod storage_kind {
    /// MemoryLocationSet.
    pub const SET: i32 = 1;
    /// Register.
    pub const REGISTER: i32 = 2;
    /// MemoryLocation.
    pub const LOCATION: i32 = 4;
}

/// Discriminator of `BasicBlockHolder::holder_kind`.
pub mod holder_kind {
    /// Function.
    pub const FUNCTION: i32 = 0;
    /// DMAQueue; the number is a choice (`docs/choices.md`).
    pub const QUEUE: i32 = 1;
    /// Loop, DynamicForLoop, DMABlock, DoWhile: 3 to 6.
    pub const FIRST_STRUCTURED: i32 = 3;
    /// The last structured kind.
    pub const LAST_STRUCTURED: i32 = 6;
}

/// Reads the `U` that begins `back` bytes before `object` (behind its start if negative).
///
/// # Safety
/// - a `U` really begins there, in the same arena.
unsafe fn downcast<T, U>(object: &T, back: isize) -> &U {
    let address = core::ptr::from_ref(object).addr().wrapping_add_signed(-back);
    let whole = core::ptr::with_exposed_provenance::<U>(address);
    // SAFETY:
    // - by the caller's promise a `U` lies there;
    // - its provenance was exposed when it was allocated.
    unsafe { &*whole }
}

macro_rules! storage_cast {
    ($(#[$doc:meta])* $name:ident, $to:ident, $kind:expr) => {
        $(#[$doc])*
        pub fn $name(storage: &StorageBase) -> Option<&$to> {
            // SAFETY: `storage_kind` is written once, at creation, and says which class the object has.
            (storage.storage_kind.get() == $kind).then(|| unsafe { downcast(storage, 0) })
        }
    };
}
storage_cast!(/// The set.
    as_set, MemoryLocationSet, storage_kind::SET);
storage_cast!(/// The register.
    as_register, Register, storage_kind::REGISTER);
storage_cast!(/// The location.
    as_location, MemoryLocation, storage_kind::LOCATION);

/// The `Storage` part of a set or register.
pub fn as_storage(storage: &StorageBase) -> Option<&Storage> {
    // SAFETY: sets and registers begin with their Storage part.
    matches!(storage.storage_kind.get(), storage_kind::SET | storage_kind::REGISTER)
        .then(|| unsafe { downcast(storage, 0) })
}

macro_rules! argument_cast {
    ($(#[$doc:meta])* $name:ident, $to:ident, $kind:pat) => {
        $(#[$doc])*
        pub fn $name(argument: &Argument) -> Option<&$to> {
            // SAFETY: `kind` is written once, at creation, and says which class the operand has.
            matches!(argument.kind.get(), $kind).then(|| unsafe { downcast(argument, 0) })
        }
    };
}
argument_cast!(/// The pattern part of kinds 1, 2 and 3.
    as_access_pattern, AccessPattern, 1..=3);
argument_cast!(/// Kind 1.
    as_physical, PhysicalAccessPattern, 1);
argument_cast!(/// Kind 2.
    as_symbolic, SymbolicAccessPattern, 2);
argument_cast!(/// Kind 3.
    as_register_pattern, RegisterAccessPattern, 3);
argument_cast!(/// Kinds 6 and 7.
    as_immediate, ImmediateValue, 6 | 7);
argument_cast!(/// Kind 7.
    as_symbolic_immediate, SymbolicImmediateValue, 7);
argument_cast!(/// Kind 8.
    as_immediate_array, ImmediateArray, 8);

/// What a holder is part of.
pub enum HolderOwner<'m> {
    /// A function.
    Function(&'m Function),
    /// A queue.
    Queue(&'m DMAQueue),
    /// A structured-control instruction: its Instruction part.
    Instruction(&'m Instruction),
}

/// What `holder` is part of; `None` for an unknown kind.
pub fn holder_owner(holder: &BasicBlockHolder) -> Option<HolderOwner<'_>> {
    // SAFETY: `holder_kind` is written once, at creation, and says which object the holder begins.
    unsafe {
        Some(match holder.holder_kind.get() {
            holder_kind::FUNCTION => HolderOwner::Function(downcast(holder, 0)),
            holder_kind::QUEUE => HolderOwner::Queue(downcast(holder, 0)),
            holder_kind::FIRST_STRUCTURED..=holder_kind::LAST_STRUCTURED => {
                HolderOwner::Instruction(downcast(holder, -HOLDER_BYTES))
            }
            _ => return None,
        })
    }
}

/// Whether instructions of this opcode begin with a block holder: Loop, DynamicForLoop, DMABlock, DoWhile.
pub fn is_structured(opcode: i32) -> bool {
    usize::try_from(opcode).ok().and_then(|o| SHAPES.get(o)).is_some_and(|s| s.holder_kind >= 0)
}

/// The holder part of a structured-control instruction.
pub fn as_holder(instruction: &Instruction) -> Option<&BasicBlockHolder> {
    // SAFETY: structured-control objects are allocated with their holder `HOLDER_BYTES` before the Instruction part.
    is_structured(instruction.opcode.get()).then(|| unsafe { downcast(instruction, HOLDER_BYTES) })
}

/// A dynamic axis, if `axis` is one.
pub fn as_dynamic_axis(axis: &LoopAxis) -> Option<&DynamicForLoopAxis> {
    // SAFETY: `axis_kind` lies at the same place in both records and is written once, at creation.
    (axis.axis_kind.get() == 1).then(|| unsafe { downcast(axis, 0) })
}

/// The address of a dynamic axis as that of an axis.
pub fn as_axis(axis: &DynamicForLoopAxis) -> &LoopAxis {
    // SAFETY: the prefix up to the name has the same members in both records, and a dynamic axis is the larger one.
    unsafe { downcast(axis, 0) }
}

/// The loop of either axis.
pub fn axis_parent(axis: &LoopAxis) -> Option<&Instruction> {
    match as_dynamic_axis(axis) {
        Some(dynamic) => dynamic.parent.get().map(|p| &p.instruction),
        None => axis.parent.get(),
    }
}

/// Sets the loop of either axis.
pub fn set_axis_parent(axis: &LoopAxis, parent: &Instruction) {
    match as_dynamic_axis(axis) {
        // SAFETY: the parent of a dynamic axis is a DynamicForLoop, whose object begins `HOLDER_BYTES` before this part.
        Some(dynamic) => dynamic.parent.set_ptr(Ptr::to(unsafe { downcast(parent, HOLDER_BYTES) })),
        None => axis.parent.set(Some(parent)),
    }
}
