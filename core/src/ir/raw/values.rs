//! Plain values inside objects and vectors: pairs, tagged pointers, expressions, sync records and the private objects.

use super::layout::*;
use super::pointer::{Flag, Link, Ptr};
use crate::mem::{Arena, IlistNode, Plain, StdString, StdVector, Zeroable};
use crate::{Error, Result};
use core::cell::Cell;

/// One dimension of an access pattern: `num` elements, `step` elements apart. `spec/layout.md` section 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct APPair {
    /// Distance between two elements, in elements.
    pub step: i64,
    /// Number of elements.
    pub num: i64,
}

// SAFETY: all-zero bytes are the pair (0, 0).
unsafe impl Plain for APPair {}
// SAFETY: all-zero bytes are no edge.
unsafe impl Plain for EdgePtr {}
// SAFETY: all-zero bytes are no edge.
unsafe impl Plain for AliasPtr {}

/// An edge: instruction pointer, with the edge kind in the three low bits. `spec/layout.md` section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct EdgePtr {
    /// The pointer and the kind; 64 bits on every target.
    pub word: u64,
}

impl EdgePtr {
    /// Packs a target and a kind below 8.
    pub fn new(target: &Instruction, kind: u8) -> Self {
        EdgePtr { word: core::ptr::from_ref(target).expose_provenance() as u64 | u64::from(kind & 7) }
    }

    /// The kind.
    pub fn kind(self) -> u8 {
        (self.word & 7) as u8
    }

    /// Whether it leads to `target`.
    pub fn leads_to(self, target: &Instruction) -> bool {
        self.word & !7 == core::ptr::from_ref(target).addr() as u64
    }

    /// The target.
    pub fn target<A: ?Sized>(self, _anchor: &A) -> Option<&Instruction> {
        let address = core::ptr::with_exposed_provenance::<Instruction>((self.word & !7) as usize);
        // SAFETY:
        // - edges are only made by `new`, from an instruction of the anchor's module;
        // - instructions stay valid until the arena goes (rule of this room).
        unsafe { address.as_ref() }
    }
}

/// An alias edge: location pointer, with the alias bits in the three low bits. `spec/layout.md` section 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct AliasPtr {
    /// The pointer and the bits; 64 bits on every target.
    pub word: u64,
}

impl AliasPtr {
    /// Packs a location and alias bits below 8.
    pub fn new(target: &MemoryLocation, bits: u8) -> Self {
        AliasPtr { word: core::ptr::from_ref(target).expose_provenance() as u64 | u64::from(bits & 7) }
    }

    /// The alias bits.
    pub fn bits(self) -> u8 {
        (self.word & 7) as u8
    }

    /// The address without the bits.
    pub fn address(self) -> u64 {
        self.word & !7
    }

    /// The location at the other end.
    pub fn target<A: ?Sized>(self, _anchor: &A) -> Option<&MemoryLocation> {
        let address = core::ptr::with_exposed_provenance::<MemoryLocation>(self.address() as usize);
        // SAFETY:
        // - alias edges are only made by `new`, from a location of the anchor's module;
        // - locations stay valid until the arena goes (rule of this room).
        unsafe { address.as_ref() }
    }
}

/// The vector of alias edges of a location: begin, length, capacity as 64-bit words.
#[repr(C)]
pub struct AliasVector {
    begin: Cell<*mut AliasPtr>,
    size: Cell<u64>,
    capacity: Cell<u64>,
}

// SAFETY:
// - all-zero bytes are an empty vector;
// - there is no destructor.
unsafe impl Zeroable for AliasVector {}

impl AliasVector {
    /// Number of edges.
    pub fn len(&self) -> usize {
        self.size.get() as usize
    }

    /// Edge `index`.
    pub fn get(&self, index: usize) -> Option<AliasPtr> {
        // SAFETY: `index` is below the length, up to which the buffer is initialised.
        (index < self.len()).then(|| unsafe { self.begin.get().add(index).read() })
    }

    /// Replaces edge `index`.
    pub fn set(&self, index: usize, value: AliasPtr) {
        if index < self.len() {
            // SAFETY: `index` is below the length, so the slot is inside the buffer.
            unsafe { self.begin.get().add(index).write(value) }
        }
    }

    /// Makes room for one more edge.
    pub fn reserve_one(&self, arena: &Arena) -> Result<()> {
        if self.size.get() < self.capacity.get() {
            return Ok(());
        }
        let capacity = (self.len()).checked_mul(2).ok_or_else(Error::out_of_memory)?.max(2);
        let layout = core::alloc::Layout::array::<AliasPtr>(capacity).map_err(|_| Error::out_of_memory())?;
        let buffer = arena.alloc_layout(layout)?.cast::<AliasPtr>().as_ptr();
        if self.len() > 0 {
            // SAFETY:
            // - the old buffer holds `len` initialised edges, the new one has room for more;
            // - they are two allocations, so they do not overlap.
            unsafe { core::ptr::copy_nonoverlapping(self.begin.get(), buffer, self.len()) }
        }
        self.begin.set(buffer);
        self.capacity.set(capacity as u64);
        Ok(())
    }

    /// Inserts an edge at `index`; room must have been reserved.
    pub fn insert(&self, index: usize, value: AliasPtr) {
        let len = self.len();
        if len as u64 >= self.capacity.get() || index > len {
            return;
        }
        // SAFETY:
        // - `index <= len < capacity`, so the moved range stays inside the buffer;
        // - `copy` allows overlap.
        unsafe {
            let slot = self.begin.get().add(index);
            core::ptr::copy(slot, slot.add(1), len - index);
            slot.write(value);
        }
        self.size.set(len as u64 + 1);
    }

    /// Removes edge `index`.
    pub fn remove(&self, index: usize) {
        let len = self.len();
        if index >= len {
            return;
        }
        // SAFETY: `index < len`, so source and destination lie inside the buffer; `copy` allows overlap.
        unsafe {
            let slot = self.begin.get().add(index);
            core::ptr::copy(slot.add(1), slot, len - index - 1);
        }
        self.size.set(len as u64 - 1);
    }
}

/// A quasi-affine expression: the root node and the loop axes in it. `spec/layout.md` section 11.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct QuasiAffineExpr {
    /// The root; null is no expression.
    pub(crate) expr: Ptr<ExprNode>,
    /// Flat set of the axes, ordered by address: begin, end, end of storage. Never changed once made.
    pub(crate) axes: [Ptr<Ptr<LoopAxis>>; 3],
}

impl QuasiAffineExpr {
    /// No expression.
    pub const NONE: Self = QuasiAffineExpr { expr: Ptr::NULL, axes: [Ptr::NULL; 3] };
}

// SAFETY:
// - all-zero bytes are null pointers: no expression;
// - there is no destructor.
unsafe impl Plain for QuasiAffineExpr {}

/// `std::variant<T, QuasiAffineExpr>`: a constant or an expression. `spec/layout.md` section 11.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MaybeAffine {
    /// Constant in the low bytes, or the expression.
    pub(crate) payload: MaybeAffinePayload,
    /// 0 constant, 1 affine.
    pub(crate) tag: u8,
    /// Private: 1 when the field is absent (rows whose default is "absent"), 2 when it holds verbatim JSON.
    pub(crate) state: u8,
    /// Padding.
    pub(crate) padding: [u8; 6],
}

/// The payload of a [`MaybeAffine`].
#[derive(Clone, Copy)]
#[repr(C)]
pub union MaybeAffinePayload {
    /// The constant: the low bytes, zero-extended (two's complement for `i32`).
    pub constant: u64,
    /// The expression.
    pub affine: QuasiAffineExpr,
    /// Private: verbatim JSON behind eight zero bytes.
    pub verbatim: (u64, Ptr<StdString>),
    /// All bytes, which keeps the size on 32-bit targets.
    pub bytes: [u64; 4],
}

// SAFETY:
// - all-zero bytes are the constant zero;
// - there is no destructor.
unsafe impl Plain for MaybeAffine {}

/// A comparison of an expression with zero. `spec/layout.md` section 11; 40 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AffinePredicate {
    /// The expression.
    pub(crate) expr: QuasiAffineExpr,
    /// 0 = `ge`, 1 = `eq` (names and numbers are a choice, `docs/choices.md`).
    pub(crate) op: u32,
    /// Padding.
    pub(crate) padding: u32,
}
// SAFETY: all-zero bytes are a predicate over no expression; there is no destructor.
unsafe impl Plain for AffinePredicate {}

/// A term of an address: `coef * expr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ExprCoefficient {
    /// The expression.
    pub expr: QuasiAffineExpr,
    /// The factor, in elements.
    pub coef: i64,
}
// SAFETY: all-zero bytes are no expression times zero; there is no destructor.
unsafe impl Plain for ExprCoefficient {}

/// An entry of `unroll_dependencies`: tuple of target, kind, expressions, predicates.
#[repr(C)]
pub struct UnrollDependency {
    /// Predicates of the edge.
    pub predicates: StdVector<AffinePredicate>,
    /// Index expressions of the edge.
    pub exprs: StdVector<QuasiAffineExpr>,
    /// EdgeKind.
    pub kind: Cell<i32>,
    /// The instruction waited for.
    pub target: Link<Instruction>,
}
// SAFETY: all-zero bytes are an edge without target; there is no destructor.
unsafe impl Zeroable for UnrollDependency {}

/// One entry of `call_to_physical_memlocs`.
#[repr(C)]
pub struct CallBinding {
    /// The call.
    pub call: Link<Instruction>,
    /// Locations of the called function.
    pub locations: StdVector<Ptr<MemoryLocation>>,
}
// SAFETY: all-zero bytes are a binding without call; there is no destructor.
unsafe impl Zeroable for CallBinding {}

/// A semaphore wait. `spec/layout.md` section 6.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SyncWait {
    /// Null until a host registers its vtables.
    pub vptr: *const (),
    /// SyncType; no member is published.
    pub sync_type: i32,
    /// Semaphore id.
    pub id: u32,
    /// WaitMode.
    pub wait_mode: i32,
    /// Value waited for.
    pub value: u32,
    /// The producer, or null.
    pub from: Ptr<Instruction>,
    /// Unmapped.
    pub gap_20: u64,
}
// SAFETY: all-zero bytes are a wait on semaphore 0; there is no destructor.
unsafe impl Plain for SyncWait {}

/// A semaphore update. `spec/layout.md` section 6.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SyncUpdate {
    /// Null until a host registers its vtables.
    pub vptr: *const (),
    /// SyncType; no member is published.
    pub sync_type: i32,
    /// Semaphore id.
    pub id: u32,
    /// UpdateMode.
    pub update_mode: i32,
    /// Value of the update.
    pub value: u32,
    /// Whether there is a target core.
    pub target_core_engaged: u8,
    /// Padding.
    pub gap_19: [u8; 3],
    /// The target core.
    pub target_core: u32,
}
// SAFETY: all-zero bytes are an update of semaphore 0; there is no destructor.
unsafe impl Plain for SyncUpdate {}

/// Users of a storage: a vector inside 40 bytes whose inner layout C++ does not see.
#[repr(C)]
pub struct UseSet {
    /// The operands, in no promised order.
    pub users: StdVector<Ptr<Argument>>,
    gap: [Cell<u64>; 2],
}
// SAFETY: all-zero bytes are no users; there is no destructor.
unsafe impl Zeroable for UseSet {}

/// `std::vector<std::string>`, always replaced as a whole: strings must not move once they point into themselves.
#[repr(C)]
pub struct StringList {
    begin: Cell<*const StdString>,
    end: Cell<*const StdString>,
    end_of_storage: Cell<*const StdString>,
}
// SAFETY: all-zero bytes are no strings; there is no destructor.
unsafe impl Zeroable for StringList {}

impl StringList {
    /// Replaces all strings; on failure the old ones stay.
    pub fn assign<S: AsRef<str>>(&self, arena: &Arena, texts: &[S]) -> Result<()> {
        if texts.is_empty() {
            self.end.set(self.begin.get());
            return Ok(());
        }
        let layout = core::alloc::Layout::array::<StdString>(texts.len()).map_err(|_| Error::out_of_memory())?;
        let begin: *const StdString = arena.alloc_layout(layout)?.cast::<StdString>().as_ptr();
        for (i, text) in texts.iter().enumerate() {
            // SAFETY:
            // - `i` is below the number of strings allocated;
            // - the memory is zeroed, a valid StdString to call `init` on, and it never moves.
            let string = unsafe { &*begin.add(i) };
            string.init();
            string.set(arena, text.as_ref())?;
        }
        // SAFETY: one past the end of the allocation.
        let end = unsafe { begin.add(texts.len()) };
        self.begin.set(begin);
        self.end.set(end);
        self.end_of_storage.set(end);
        Ok(())
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        (self.end.get().addr() - self.begin.get().addr()) / size_of::<StdString>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// String `index`.
    pub fn get<'m>(&'m self, index: usize) -> Option<crate::mem::Str<'m>> {
        // SAFETY:
        // - `index` is below the length, so the string exists and was initialised;
        // - buffers are never reused, so it stays valid for the life of the arena.
        (index < self.len()).then(|| unsafe { &*self.begin.get().add(index) }.get())
    }

    /// All strings.
    pub fn iter<'m>(&'m self) -> impl Iterator<Item = crate::mem::Str<'m>> + 'm {
        (0..self.len()).map_while(|i| self.get(i))
    }
}

/// The phi node of a block. Its layout is not published, so it is ours; the node comes first, as the list asks for.
#[repr(C)]
pub struct BasicBlockArgument {
    /// Links in the block's list at +0xA0.
    pub(crate) node: IlistNode,
    /// The block.
    pub(crate) owner: Link<BasicBlock>,
    /// Name.
    pub(crate) name: StdString,
    /// The bound storage.
    pub(crate) location: Link<StorageBase>,
    /// (value, predecessor) pairs, in order.
    pub(crate) incoming: StdVector<Incoming>,
    /// The module; null once erased.
    pub(crate) module: Link<Module>,
}
// SAFETY: all-zero bytes are an unlinked argument; there is no destructor.
unsafe impl Zeroable for BasicBlockArgument {}

/// One incoming value of a block argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Incoming {
    /// The value's storage.
    pub(crate) value: Ptr<StorageBase>,
    /// The block that it comes from.
    pub(crate) predecessor: Ptr<BasicBlock>,
}
// SAFETY: all-zero bytes are null pointers; there is no destructor.
unsafe impl Plain for Incoming {}

/// What the pointer members of a location lead to, and what has no published place in it.
#[repr(C)]
pub struct LocationExtension {
    /// MemoryType bit value.
    pub type_value: Cell<i32>,
    /// Pinned.
    pub pinned_value: Flag,
    /// Byte size: the product of `dims`.
    pub byte_size_value: Cell<u64>,
    /// The dims; `StorageBase.dims` leads to the first.
    pub dims: StdVector<u32>,
    /// Opt-in pass names.
    pub optin_passes: StringList,
}
// SAFETY: all-zero bytes are an empty extension; there is no destructor.
unsafe impl Zeroable for LocationExtension {}

/// A node of an expression: the common header, then our own members.
#[repr(C)]
pub struct ExprNode {
    /// Header as C++ sees it.
    pub(crate) header: PelicanExpr,
    /// MultKind var; FloorDivKind, ModuloKind, CCDivKind numer.
    pub(crate) operand: Link<ExprNode>,
    /// AffIVKind.
    pub(crate) axis: Link<LoopAxis>,
    /// IntRuntimeValueKind.
    pub(crate) register: Link<Register>,
    /// c, ub, scale, denom, iteration_id or arg_id, by kind.
    pub(crate) first: Cell<i64>,
    /// replica_groups_id or channel_id, by kind.
    pub(crate) second: Cell<i64>,
    /// AffExprKind (with coefficients), SumKind.
    pub(crate) terms: StdVector<ExprTerm>,
    /// The module that the node was made in.
    pub(crate) module: Link<Module>,
}
// SAFETY: all-zero bytes are a node without operands; there is no destructor.
unsafe impl Zeroable for ExprNode {}

/// A term of an expression node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ExprTerm {
    /// The node.
    pub(crate) expr: Ptr<ExprNode>,
    /// Its coefficient; 1 in sums.
    pub(crate) coeff: i64,
}
// SAFETY: all-zero bytes are a null node; there is no destructor.
unsafe impl Plain for ExprTerm {}

impl QuasiAffineExpr {
    /// An expression whose flat set is the buffer of `axes`, a vector that never changes again.
    pub fn new(root: &ExprNode, axes: &StdVector<Ptr<LoopAxis>>) -> Self {
        // SAFETY: a StdVector is three pointers, {begin, end, end of storage}; they are copied as such.
        let words = unsafe { core::ptr::from_ref(axes).cast::<[Ptr<Ptr<LoopAxis>>; 3]>().read() };
        QuasiAffineExpr { expr: Ptr::to(root), axes: words }
    }
}

/// The extension around the type value of a location.
pub fn extension_of(type_value: &Cell<i32>) -> &LocationExtension {
    let address = core::ptr::from_ref(type_value).addr() - core::mem::offset_of!(LocationExtension, type_value);
    // SAFETY:
    // - only locations reach this, and their type pointer is set once, to the `type_value` of their extension;
    // - the extension's provenance was exposed when it was allocated.
    unsafe { &*core::ptr::with_exposed_provenance::<LocationExtension>(address) }
}

/// The first element of a vector as a cell: where a pointer to an array of numbers leads.
pub fn first_cell(vector: &StdVector<u32>) -> Option<&Cell<u32>> {
    // SAFETY:
    // - a StdVector is three pointers of which the first leads to the elements, or is null;
    // - a non-empty buffer holds initialised numbers and stays until the arena goes.
    let begin = unsafe { core::ptr::from_ref(vector).cast::<*const Cell<u32>>().read() };
    // SAFETY: as above; only a non-empty buffer is followed.
    if vector.is_empty() { None } else { unsafe { begin.as_ref() } }
}

/// The text behind an untyped pointer member that only ever leads to a StdString.
pub fn text_behind(member: &Cell<*mut ()>) -> Option<&StdString> {
    // SAFETY: the member is null or was set by this library to a StdString of the same arena.
    unsafe { member.get().cast::<StdString>().as_ref() }
}

/// Makes 48 zeroed bytes an empty `std::map`: the header node's left and right links lead to itself.
pub fn empty_map(map: &[Cell<u64>; 6]) {
    // The header node begins 8 bytes in (`spec/layout.md` section 10: self links to +0xA8 at +0xB8 and +0xC0).
    let header = core::ptr::from_ref(&map[1]).expose_provenance() as u64;
    map[3].set(header);
    map[4].set(header);
}

/// Lets the two sync lists of a zeroed schedule block lead to their inline elements.
pub fn init_sync(sched: &InstructionSched) {
    sched.sync_waits.init(as_storage_of(&sched.sync_waits_inline));
    sched.sync_updates.init(as_storage_of(&sched.sync_updates_inline));
}

fn as_storage_of<T>(cell: &Cell<T>) -> &crate::mem::InlineStorage<T, 1> {
    // SAFETY: both are an UnsafeCell around the bytes of one `T`; InlineStorage promises nothing about their content.
    unsafe { &*core::ptr::from_ref(cell).cast() }
}

impl AffinePredicate {
    /// `expr >= 0` (op 0) or `expr == 0` (op 1).
    pub fn new(expr: QuasiAffineExpr, op: u32) -> Self {
        AffinePredicate { expr, op, padding: 0 }
    }
}
