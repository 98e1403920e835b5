//! Instruction objects at their real size, and the payload slots behind the common part.

use super::cast::HOLDER_BYTES;
use super::layout::*;
use super::shapes::{Init, SHAPES, Shape};
use super::state::ModuleState;
use crate::enums::EnumId;
use crate::error::bail;
use crate::mem::{StdString, Zeroable};
use crate::{Error, Result};

/// The constant type of a `MaybeAffine` slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaybeType {
    /// `bool`.
    Bool,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `u64`.
    U64,
}

/// What lies in a payload slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// One byte.
    Bool,
    /// Four bytes.
    U32,
    /// IEEE single.
    F32,
    /// Ordinal of an enum, four bytes.
    Enum(EnumId),
    /// Constant or expression.
    Maybe(MaybeType),
    /// Two of them.
    MaybePair(MaybeType),
    /// `std::string`.
    String,
    /// Private: verbatim JSON behind a pointer to a string; null = absent.
    Json,
    /// Pointer to a queue.
    Queue,
    /// Pointer to a block.
    Block,
    /// Pointer to a function.
    Function,
    /// Pointer to the DMATrigger of a DMABlock.
    Trigger,
    /// `std::vector<u32>`.
    VecU32,
    /// `std::vector<std::vector<u32>>`.
    VecVecU32,
    /// `std::vector<std::vector<u64>>`.
    VecVecU64,
    /// `std::vector<std::string>`.
    VecString,
    /// Vector of enum ordinals (i32).
    VecEnum(EnumId),
    /// Vector of registers.
    VecRegister,
    /// Vector of DMABlock instructions.
    DmaBlocks,
    /// Vector of expressions.
    VecExpr,
    /// Small vector of IEEE singles.
    SmallF32 {
        /// Inline elements.
        inline: u8,
    },
    /// Small vector of `APPair`, four inline.
    SmallPairs,
    /// Small vector of `MaybeAffine`, none inline.
    SmallMaybe(MaybeType),
    /// An expression.
    Expr,
    /// Pointer to an expression node that is a run-time value.
    RuntimeValue,
    /// Fixed array of `u32`.
    U32Array {
        /// Elements.
        len: u8,
    },
    /// Pointer to the axis of a loop.
    Axis,
    /// The nested blocks; they lie in the holder, not in a slot.
    Blocks,
}

/// The shape of an opcode's object.
#[inline]
pub fn shape(opcode: i32) -> Result<&'static Shape> {
    match usize::try_from(opcode).ok().and_then(|o| SHAPES.get(o)) {
        Some(shape) => Ok(shape),
        None => bail!(CorruptIr, "corrupt IR: opcode {opcode} is outside 0..={}", SHAPES.len() - 1),
    }
}

/// A zeroed instruction object of the opcode's size with its payload defaults; the common part is set up by the caller.
/// Returns the Instruction part.
pub fn create(state: &ModuleState, opcode: i32) -> Result<&Instruction> {
    let shape = shape(opcode)?;
    let instruction = if shape.holder_kind >= 0 {
        let holder = state.alloc_bytes_as::<BasicBlockHolder>(usize::from(shape.size))?;
        holder.holder_kind.set(i32::from(shape.holder_kind));
        holder.blocks.init();
        let part = core::ptr::from_ref(holder).addr().wrapping_add_signed(HOLDER_BYTES);
        // SAFETY:
        // - shapes of structured control have room for holder and Instruction part (asserted on the table in a test);
        // - the object's provenance was exposed when it was allocated;
        // - zeroed memory is a valid Instruction.
        unsafe { &*core::ptr::with_exposed_provenance::<Instruction>(part) }
    } else {
        state.alloc_bytes_as::<Instruction>(usize::from(shape.size))?
    };
    instruction.opcode.set(opcode);
    let start = object_start(instruction).cast_mut();
    for init in shape.inits {
        match *init {
            Init::Word { offset, width, value } => {
                let bytes = value.to_le_bytes();
                // SAFETY:
                // - the generator places every slot inside the object, which was just allocated and is not shared yet;
                // - `width` is at most 8.
                unsafe {
                    bytes.as_ptr().copy_to_nonoverlapping(start.add(usize::from(offset)), usize::from(width).min(8))
                }
            }
            Init::String { offset } => {
                if let Some(string) = slot::<StdString>(instruction, offset) {
                    string.init();
                }
            }
            Init::SmallVector { offset, capacity } => {
                // SAFETY:
                // - header and inline elements lie inside the object, at the offsets that SmallVector has too;
                // - the header is {begin, size u32, capacity u32}; size stays zero.
                unsafe {
                    let header = start.add(usize::from(offset));
                    let inline = header.add((size_of::<usize>() + 8).next_multiple_of(8));
                    header.cast::<*mut u8>().write(if capacity == 0 { core::ptr::null_mut() } else { inline });
                    header.add(size_of::<usize>() + 4).cast::<u32>().write(capacity);
                }
            }
        }
    }
    Ok(instruction)
}

/// The first byte of the object that holds `instruction`.
#[inline]
pub fn object_start(instruction: &Instruction) -> *const u8 {
    let address = core::ptr::from_ref(instruction).addr();
    let back = if super::cast::is_structured(instruction.opcode.get()) { HOLDER_BYTES } else { 0 };
    core::ptr::with_exposed_provenance(address.wrapping_add_signed(-back))
}

/// The payload of an instruction, to look at many of its slots.
#[derive(Clone, Copy)]
pub(crate) struct Payload<'m> {
    instruction: &'m Instruction,
    /// Bytes from the object's start to the Instruction part.
    base: usize,
    /// Bytes of the object.
    size: usize,
}

impl<'m> Payload<'m> {
    /// The payload of an instruction; `None` if its opcode has no shape.
    #[inline]
    pub(crate) fn of(instruction: &'m Instruction) -> Option<Self> {
        let shape = SHAPES.get(usize::try_from(instruction.opcode.get()).ok()?)?;
        let base = if shape.holder_kind >= 0 { HOLDER_BYTES.unsigned_abs() } else { 0 };
        Some(Payload { instruction, base, size: usize::from(shape.size) })
    }

    /// The slot at `offset` bytes from the object start, seen as a `T`; `None` if it does not lie in the payload.
    ///
    /// The field table is the only source of offsets, so a slot always has the type that the table gives it.
    #[inline(always)]
    pub(crate) fn slot<T: Zeroable>(&self, offset: u16) -> Option<&'m T> {
        let offset = usize::from(offset);
        let fits = offset >= self.base + size_of::<Instruction>() && offset + size_of::<T>() <= self.size;
        if !fits || offset % align_of::<T>() != 0 {
            return None;
        }
        let start = core::ptr::from_ref(self.instruction).addr() - self.base;
        // SAFETY:
        // - the object begins `base` bytes before its Instruction part;
        // - the slot lies inside the object (checked) and is aligned: objects are 8-aligned;
        // - it was zeroed or written as this type, as the table that gave the offset says;
        // - the object's provenance was exposed when it was allocated.
        Some(unsafe { &*core::ptr::with_exposed_provenance::<T>(start + offset) })
    }
}

/// The payload slot at `offset` bytes from the object start, seen as a `T`; see [`Payload::slot`].
#[inline]
pub(crate) fn slot<T: Zeroable>(instruction: &Instruction, offset: u16) -> Option<&T> {
    Payload::of(instruction)?.slot(offset)
}

/// Fails for a null link that must not be null: the object was changed by foreign code.
pub fn required<T>(object: Option<T>, what: &str) -> Result<T> {
    object.ok_or_else(|| Error::new(crate::ErrorCode::CorruptIr, format_args!("corrupt IR: {what} is null")))
}
