//! The module: owner of everything, home of the id counter.

use super::named::{self, Objects};
use super::place::{Place, Placed};
use super::raw::cast::holder_kind;
use super::raw::state::Identified;
use super::raw::{
    self, BasicBlockHolder, DMAQueue, Function, FunctionHolder, InstructionSched, Link, ModuleState, owner,
};
use super::{ModuleRef, id};
use crate::enums::bir::{ArchLevel, ArchRevision, DMAQueueType, EngineType, InstructionType};
use crate::error::bail;
use crate::mem::{Arena, Str};
use crate::{Error, Result};
use core::ops::Deref;
use core::ptr::NonNull;

/// A program and all its memory. Dereferences to the object that C++ sees; dropping it frees everything.
pub struct Module {
    state: NonNull<ModuleState>,
}

impl Module {
    /// An empty module for `gen3`, revision `v1`, whose first id will be 0.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new() -> Result<Module> {
        raw::state::open()
    }

    pub(crate) fn from_state(state: NonNull<ModuleState>) -> Module {
        Module { state }
    }

    pub(crate) fn state(&self) -> NonNull<ModuleState> {
        self.state
    }

    /// Gives up ownership: the address of the module object, for a caller that cannot hold a Rust value (the C API).
    /// Give it back to [`from_address`](super::from_address) to free it.
    pub fn into_address(self) -> NonNull<ModuleRef> {
        let address = NonNull::from(&*self);
        core::mem::forget(self);
        address
    }
}

/// Sets a fresh module object up.
pub(crate) fn init<'m>(state: &'m ModuleState, module: &'m ModuleRef) -> Result<()> {
    module.function_holder.named_object_container.init();
    module.function_holder.module.set(Some(module));
    module.dma_queues.init();
    module.arch.set(ArchLevel::gen3.ordinal());
    module.arch_revision.set(ArchRevision::v1.ordinal());
    module.artifact_path.init();
    module.artifact_info.init();
    module.attributes.init();
    let nki = state.alloc::<FunctionHolder>()?;
    nki.named_object_container.init();
    nki.module.set(Some(module));
    module.nki_functions.set(Some(nki));
    let sched = state.alloc::<InstructionSched>()?;
    super::edge::init_sched(sched);
    state.default_sched.set(Some(sched));
    module.state.set(Some(state));
    state.module.set(Some(module));
    Ok(())
}

impl Deref for Module {
    type Target = ModuleRef;
    fn deref(&self) -> &ModuleRef {
        raw::state::module_object(self)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        raw::state::close(self);
    }
}

impl ModuleRef {
    pub(crate) fn module_state(&self) -> Result<&ModuleState> {
        self.state.get().ok_or_else(|| Error::new(crate::ErrorCode::Detached, "the module has no state"))
    }

    /// The arena: its limit, and how many bytes are in use.
    pub fn arena(&self) -> Result<&Arena> {
        Ok(&self.module_state()?.arena)
    }

    /// Sets the C++ vtable that instructions of this opcode get from now on; null for none. It is stored, never followed.
    pub fn register_vtable(&self, opcode: InstructionType, vtable: *const ()) -> Result<()> {
        match usize::try_from(opcode.ordinal()).ok().and_then(|i| self.module_state().ok()?.vtables.get(i)) {
            Some(slot) => slot.set(vtable),
            None => bail!(Detached, "the module has no state"),
        }
        Ok(())
    }

    /// Hardware generation.
    pub fn arch(&self) -> Result<ArchLevel> {
        ArchLevel::from_ordinal(self.arch.get().into())
    }

    /// Sets the hardware generation.
    pub fn set_arch(&self, arch: ArchLevel) {
        self.arch.set(arch.ordinal());
    }

    /// Hardware revision.
    pub fn revision(&self) -> Result<ArchRevision> {
        ArchRevision::from_ordinal(self.arch_revision.get().into())
    }

    /// Sets the hardware revision.
    pub fn set_revision(&self, revision: ArchRevision) {
        self.arch_revision.set(revision.ordinal());
    }

    /// The next id that will be given out.
    pub fn next_unique_id(&self) -> u32 {
        self.next_unique_id.get()
    }

    /// The artifact path; empty if there is none.
    pub fn artifact_path(&self) -> Str<'_> {
        self.artifact_path.get()
    }

    /// Sets the artifact path.
    pub fn set_artifact_path(&self, path: &str) -> Result<()> {
        self.artifact_path.set(&self.module_state()?.arena, path)
    }

    /// Artifact info: compact JSON, kept verbatim; empty if there is none.
    pub fn artifact_info(&self) -> Str<'_> {
        self.artifact_info.get()
    }

    /// Sets the artifact info, a JSON object.
    pub fn set_artifact_info(&self, json: &str) -> Result<()> {
        self.artifact_info.set(&self.module_state()?.arena, json)
    }

    /// Module attributes as one compact JSON object; empty if there are none.
    pub fn attributes_json(&self) -> Str<'_> {
        self.attributes.get()
    }

    /// Replaces the module attributes by a JSON object whose keys are ModuleAttribute names.
    pub fn set_attributes_json(&self, json: &str) -> Result<()> {
        self.attributes.set(&self.module_state()?.arena, json)
    }

    /// The holder of the ordinary functions.
    pub fn function_holder(&self) -> &FunctionHolder {
        &self.function_holder
    }

    /// The holder of the NKI functions.
    pub fn nki_holder(&self) -> Result<&FunctionHolder> {
        match self.nki_functions.get() {
            Some(holder) => Ok(holder),
            None => bail!(CorruptIr, "corrupt IR: the module has no NKI function holder"),
        }
    }

    /// The functions, in order.
    pub fn functions(&self) -> Objects<'_, Function> {
        self.function_holder.functions()
    }

    /// The NKI functions, in order.
    pub fn nki_functions(&self) -> impl DoubleEndedIterator<Item = &Function> {
        self.nki_functions.get().into_iter().flat_map(FunctionHolder::functions)
    }

    /// Number of functions.
    pub fn function_count(&self) -> usize {
        self.function_holder.named_object_container.len()
    }

    /// The function of that name.
    pub fn find_function(&self, name: &str) -> Option<&Function> {
        named::find(&self.function_holder, name)
    }

    /// Adds a function. A taken name is changed; see [`Placed::renamed`].
    pub fn add_function<'m>(&'m self, name: &str, place: Place<'m, Function>) -> Result<Placed<'m, Function>> {
        self.function_holder.add_function(name, place)
    }

    /// The DMA queues, in order.
    pub fn queues(&self) -> Objects<'_, DMAQueue> {
        Objects::of(self)
    }

    /// Number of queues.
    pub fn queue_count(&self) -> usize {
        self.dma_queues.len()
    }

    /// The queue of that name.
    pub fn find_queue(&self, name: &str) -> Option<&DMAQueue> {
        named::find(self, name)
    }

    /// Adds a queue. A queue's identity is its name; a taken one is changed.
    pub fn add_queue<'m>(
        &'m self,
        name: &str,
        queue_type: DMAQueueType,
        place: Place<'m, DMAQueue>,
    ) -> Result<Placed<'m, DMAQueue>> {
        let state = self.module_state()?;
        let counter = id::of_module(self);
        id::check(counter)?;
        let queue = state.alloc::<DMAQueue>()?;
        queue.basic_block_holder.holder_kind.set(holder_kind::QUEUE);
        queue.basic_block_holder.blocks.init();
        queue.named.init(self);
        queue.attributes.init();
        queue.queue_type.set(queue_type.ordinal());
        queue.engine.set(EngineType::Unassigned.ordinal());
        let renamed = named::insert(state, self, queue, name, place)?;
        queue.named.unique_id.set(id::take(counter)?);
        id::register(state, queue.unique_id(), Identified::DMAQueue(NonNull::from(queue)));
        Ok(Placed { object: queue, renamed })
    }
}

impl FunctionHolder {
    /// The module; `None` when the holder is detached.
    pub fn module(&self) -> Option<&ModuleRef> {
        self.module.get()
    }

    /// The functions, in order.
    pub fn functions(&self) -> Objects<'_, Function> {
        Objects::of(self)
    }

    /// Number of functions.
    pub fn function_count(&self) -> usize {
        self.named_object_container.len()
    }

    /// The function of that name.
    pub fn find_function(&self, name: &str) -> Option<&Function> {
        named::find(self, name)
    }

    /// Adds a function. A taken name is changed; see [`Placed::renamed`].
    ///
    /// # Errors
    /// `Detached` if the holder is outside a module, `IdExhausted`, `OutOfMemory`, `NotFound` for a place elsewhere.
    pub fn add_function<'m>(&'m self, name: &str, place: Place<'m, Function>) -> Result<Placed<'m, Function>> {
        let counter = id::of_function_holder(self)?;
        id::check(counter)?;
        let Some(module) = self.module.get() else { bail!(Detached, "the function holder is outside a module") };
        let state = module.module_state()?;
        let function = state.alloc::<Function>()?;
        function.basic_block_holder.holder_kind.set(holder_kind::FUNCTION);
        function.basic_block_holder.blocks.init();
        function.storages.init();
        function.named.init(module);
        let renamed = named::insert(state, self, function, name, place)?;
        function.named.unique_id.set(id::take(counter)?);
        id::register(state, function.unique_id(), Identified::Function(NonNull::from(function)));
        Ok(Placed { object: function, renamed })
    }
}

/// Whether two objects are the same one.
pub(crate) use owner::same;

/// The holder of blocks and what it is part of.
pub(crate) fn holder_module(holder: &BasicBlockHolder) -> Result<&ModuleRef> {
    match raw::cast::holder_owner(holder) {
        Some(raw::cast::HolderOwner::Function(f)) => named::module_of(f),
        Some(raw::cast::HolderOwner::Queue(q)) => named::module_of(q),
        Some(raw::cast::HolderOwner::Instruction(i)) => named::module_of(i),
        None => bail!(CorruptIr, "corrupt IR: holder kind {} is not known", holder.holder_kind.get()),
    }
}

/// Copies a text into a string behind a link, making the string if there is none.
pub(crate) fn set_linked_text(state: &ModuleState, link: &Link<crate::mem::StdString>, text: &str) -> Result<()> {
    if let Some(string) = link.get() {
        return string.set(&state.arena, text);
    }
    let string = state.alloc::<crate::mem::StdString>()?;
    string.init();
    string.set(&state.arena, text)?;
    link.set(Some(string));
    Ok(())
}

impl ModuleRef {
    /// `call_to_physical_memlocs`: each call with its locations in the called function.
    pub fn call_bindings(
        &self,
    ) -> impl Iterator<Item = (&super::Instruction, impl Iterator<Item = &super::MemoryLocation>)> {
        self.call_bindings
            .iter_refs()
            .filter_map(move |b| Some((b.call.get()?, b.locations.iter().filter_map(move |l| l.get(self)))))
    }

    /// Binds a call to locations of the called function.
    pub fn add_call_binding<'m>(
        &'m self,
        call: &'m super::Instruction,
        locations: &[&'m super::MemoryLocation],
    ) -> Result<()> {
        named::same_module(self, call)?;
        for location in locations {
            named::same_module(self, *location)?;
        }
        let arena = self.arena()?;
        let list = super::expr::collect(locations.iter().map(|l| raw::Ptr::to(*l)), locations.len())?;
        let entry = self.call_bindings.push_zeroed(arena)?;
        if let Err(error) = entry.locations.assign(arena, &list) {
            self.call_bindings.truncate(self.call_bindings.len().saturating_sub(1));
            return Err(error);
        }
        entry.call.set(Some(call));
        Ok(())
    }
}
