//! What a module needs beside its objects: the arena, the shared schedule block and the side tables.
//!
//! It lies outside the arena, because it has a destructor; the module object leads to it by a private member.

use super::layout::*;
use super::pointer::Link;
use crate::mem::{Arena, Zeroable};
use crate::{Error, Result};
use alloc::string::String;
use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use hashbrown::HashMap;

/// Hashing with fixed keys: nothing that comes out may depend on chance, and addresses never leave as text.
pub type FixedState = ahash::RandomState;

/// The fixed hasher.
pub fn fixed_state() -> FixedState {
    FixedState::with_seeds(0x6269_7200, 1, 2, 3)
}

/// An object with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identified {
    /// Function.
    Function(NonNull<Function>),
    /// BasicBlock.
    BasicBlock(NonNull<BasicBlock>),
    /// Instruction.
    Instruction(NonNull<Instruction>),
    /// MemoryLocationSet or Register.
    Storage(NonNull<Storage>),
    /// MemoryLocation.
    MemoryLocation(NonNull<MemoryLocation>),
    /// DMAQueue.
    DMAQueue(NonNull<DMAQueue>),
    /// Operand.
    Argument(NonNull<Argument>),
}

/// Last suffix given to a taken name, per container and requested name.
pub type NameHints = HashMap<(usize, String), u32, FixedState>;

/// Arena and side tables of one module.
pub struct ModuleState {
    /// All objects, texts and vectors of the module.
    pub arena: Arena,
    /// The module object.
    pub module: Link<Module>,
    /// The schedule block of every instruction that has nothing to say there; never written.
    pub default_sched: Link<InstructionSched>,
    /// Ids to objects; built when the first id is looked up.
    pub ids: RefCell<Option<HashMap<i32, Identified, FixedState>>>,
    /// Makes thousands of equal names cheap.
    pub name_hints: RefCell<NameHints>,
    /// Vtables of a C++ host, by opcode; null until registered.
    pub vtables: [Cell<*const ()>; 110],
}

impl ModuleState {
    /// Allocates the state and an empty module object in its arena.
    pub fn create() -> Result<NonNull<ModuleState>> {
        let layout = Layout::new::<ModuleState>();
        // SAFETY: the layout's size is not zero.
        let memory = unsafe { alloc::alloc::alloc(layout) }.cast::<ModuleState>();
        let state = NonNull::new(memory).ok_or_else(Error::out_of_memory)?;
        let value = ModuleState {
            arena: Arena::new(),
            module: Link::default(),
            default_sched: Link::default(),
            ids: RefCell::new(None),
            name_hints: RefCell::new(HashMap::with_hasher(fixed_state())),
            vtables: [const { Cell::new(core::ptr::null()) }; 110],
        };
        // SAFETY: freshly allocated for this type, and not yet initialised.
        unsafe { state.write(value) };
        Ok(state)
    }

    /// Drops the state and with it every object of the module.
    ///
    /// # Safety
    /// - `state` comes from [`ModuleState::create`] and was not destroyed before;
    /// - no reference to any object of the module is used afterwards.
    pub unsafe fn destroy(state: NonNull<ModuleState>) {
        // SAFETY: by the caller's promise the state is alive and was allocated with this layout.
        unsafe {
            state.drop_in_place();
            alloc::alloc::dealloc(state.as_ptr().cast(), Layout::new::<ModuleState>());
        }
    }

    /// A zeroed object of the arena.
    pub fn alloc<T: Zeroable>(&self) -> Result<&T> {
        self.alloc_bytes_as(size_of::<T>())
    }

    /// A zeroed object with `size` bytes of room, at least those of `T`.
    pub fn alloc_bytes_as<T: Zeroable>(&self, size: usize) -> Result<&T> {
        let size = size.max(size_of::<T>());
        let layout = Layout::from_size_align(size, align_of::<T>().max(8)).map_err(|_| Error::out_of_memory())?;
        let memory = self.arena.alloc_layout(layout)?.cast::<T>();
        // List nodes and tagged words lead back to whole objects: see `list::from_node`.
        memory.as_ptr().expose_provenance();
        // SAFETY:
        // - the memory is zeroed, large enough and aligned for `T`, for which all-zero bytes are valid;
        // - it stays until the arena goes, which `&self` outlives.
        Ok(unsafe { memory.as_ref() })
    }
}

impl<T> Default for Link<T> {
    fn default() -> Self {
        // SAFETY: all-zero bytes are the null link (`Zeroable`).
        unsafe { core::mem::zeroed() }
    }
}

// SAFETY:
// - a module owns its state, its arena and every object in it; nothing else refers to them;
// - it is not Sync: cells are only used by the thread that holds the module.
unsafe impl Send for crate::ir::Module {}

/// A new module with its state and object.
pub fn open() -> Result<crate::ir::Module> {
    let module = crate::ir::Module::from_state(ModuleState::create()?);
    // SAFETY: the state was just made and lives as long as `module`, which the reference does not outlive.
    let state = unsafe { module.state().as_ref() };
    let object = state.alloc::<Module>()?;
    crate::ir::module_init(state, object)?;
    Ok(module)
}

/// Frees a module's state.
pub fn close(module: &mut crate::ir::Module) {
    // SAFETY:
    // - only `Drop` of the owner calls this, once;
    // - references to objects borrow the owner, so there are none left.
    unsafe { ModuleState::destroy(module.state()) }
}

/// The module object.
pub fn module_object(module: &crate::ir::Module) -> &Module {
    // SAFETY: the state lives as long as `module`.
    let state = unsafe { module.state().as_ref() };
    match state.module.get() {
        Some(object) => object,
        // A module never leaves `open` without its object.
        None => unreachable!(),
    }
}

/// Takes a module back from the address that [`crate::ir::Module::into_address`] gave.
///
/// # Safety
/// - `address` comes from `into_address` and was not taken back before;
/// - no reference to the module or its objects is used after the result is dropped.
pub unsafe fn from_address(address: NonNull<Module>) -> Option<crate::ir::Module> {
    // SAFETY: by the caller's promise the module is alive.
    let state = unsafe { address.as_ref() }.state.get()?;
    Some(crate::ir::Module::from_state(NonNull::from(state)))
}

/// The object behind an entry of the id table.
pub fn lend(_state: &ModuleState, object: Identified) -> crate::ir::IdObject<'_> {
    use crate::ir::IdObject;
    // SAFETY:
    // - entries are only made from objects of this module;
    // - they stay valid until its arena goes, which the state's lifetime does not outlive.
    unsafe {
        match object {
            Identified::Function(o) => IdObject::Function(o.as_ref()),
            Identified::BasicBlock(o) => IdObject::BasicBlock(o.as_ref()),
            Identified::Instruction(o) => IdObject::Instruction(o.as_ref()),
            Identified::Storage(o) => IdObject::Storage(o.as_ref()),
            Identified::MemoryLocation(o) => IdObject::MemoryLocation(o.as_ref()),
            Identified::DMAQueue(o) => IdObject::DMAQueue(o.as_ref()),
            Identified::Argument(o) => IdObject::Argument(o.as_ref()),
        }
    }
}
