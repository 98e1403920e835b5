//! Named objects and the containers that own them: who owns what, and the way back up.

use super::layout::*;
use super::list::Listed;
use super::pointer::Ptr;
use super::state::ModuleState;
use crate::mem::Zeroable;

/// A named object with its owner.
///
/// # Safety
/// - `named` returns the sub-object whose `owner` member is null or leads to an `Owner` of the same module.
pub unsafe trait Named: Listed + Zeroable {
    /// What its owner pointer leads to. `spec/layout.md` section 3.3.
    type Owner;
    /// The type's name, for messages.
    const WHAT: &'static str;
    /// The named sub-object.
    fn named(&self) -> &NamedObject;
    /// The container in the owner.
    fn container(owner: &Self::Owner) -> &NamedObjectContainer;
}

macro_rules! named {
    ($type:ident, $owner:ident, $what:literal, |$o:ident| $container:expr) => {
        // SAFETY: `set_owner` is the only writer of `owner` and takes this owner type.
        unsafe impl Named for $type {
            type Owner = $owner;
            const WHAT: &'static str = $what;
            fn named(&self) -> &NamedObject {
                &self.named
            }
            fn container($o: &$owner) -> &NamedObjectContainer {
                $container
            }
        }
    };
}

named!(Function, FunctionHolder, "function", |o| &o.named_object_container);
named!(BasicBlock, BasicBlockHolder, "block", |o| &o.blocks);
named!(Instruction, BasicBlock, "instruction", |o| &o.named_object_container);
named!(Storage, Function, "storage", |o| &o.storages);
named!(MemoryLocation, MemoryLocationSet, "location", |o| &o.locations);
named!(DMAQueue, Module, "queue", |o| &o.dma_queues);

/// The owner; `None` when the object is unlinked.
pub fn owner<T: Named>(object: &T) -> Option<&T::Owner> {
    let address = object.named().owner.get().cast::<T::Owner>();
    // SAFETY:
    // - by the trait's promise the pointer is null or leads to an owner of the same module;
    // - that owner stays valid as long as the object's arena.
    unsafe { address.as_ref() }
}

/// Sets or clears the owner.
pub fn set_owner<T: Named>(object: &T, owner: Option<&T::Owner>) {
    let address = owner.map_or(core::ptr::null(), core::ptr::from_ref::<T::Owner>);
    object.named().owner.set(address.cast_mut().cast());
}

/// The module that a named object was made in, linked or not; `None` once erased.
pub fn module_of(named: &NamedObject) -> Option<&Module> {
    let low = named.named_object_base.module_low.get();
    let address = ((u64::from(named.module_high.get()) << 32) | u64::from(low)) as usize;
    // SAFETY:
    // - the two halves are null or were written by `set_module_of` from a module of this arena;
    // - the module object lives as long as the arena.
    unsafe { core::ptr::with_exposed_provenance::<Module>(address).as_ref() }
}

/// Remembers the module in the private halves; `None` marks the object as erased.
pub fn set_module_of(named: &NamedObject, module: Option<&Module>) {
    let address = module.map_or(0, |m| core::ptr::from_ref(m).expose_provenance()) as u64;
    named.named_object_base.module_low.set(address as u32);
    named.module_high.set((address >> 32) as u32);
}

/// The state behind a module object.
pub fn state_of(module: &Module) -> Option<&ModuleState> {
    module.state.get()
}

/// Whether two references are the same object.
pub fn same<T>(a: &T, b: &T) -> bool {
    Ptr::to(a) == Ptr::to(b)
}

impl NamedObjectContainer {
    /// Makes zeroed memory an empty container.
    pub fn init(&self) {
        self.sentinel.init_sentinel();
        self.symtab.init();
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.symtab.len()
    }
}

impl NamedObject {
    /// Makes zeroed memory an unlinked, unnamed object of `module` without id.
    pub fn init(&self, module: &Module) {
        self.named_object_base.name.init();
        self.named_object_base.optin_passes_mask.set(0xF);
        self.unique_id.set(-1);
        set_module_of(self, Some(module));
    }

    /// The name.
    pub fn name(&self) -> crate::mem::Str<'_> {
        self.named_object_base.name.get()
    }
}

/// The object behind a value of the name table of `owner`'s container.
pub fn element<T: Named>(_owner: &T::Owner, value: core::ptr::NonNull<()>) -> Option<&T> {
    // SAFETY:
    // - tables only hold objects of the container's element type, entered by `named::insert` and `named::rename`;
    // - they stay valid until the owner's arena goes.
    Some(unsafe { value.cast::<T>().as_ref() })
}
