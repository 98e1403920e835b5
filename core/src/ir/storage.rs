//! Storage: sets with their locations, and registers. A function owns both in one namespace.

use super::id;
use super::module::{same, set_linked_text};
use super::named::{self, Objects, named_methods};
use super::place::{Place, Placed};
use super::raw::cast::{as_location, as_register, as_set, as_storage, storage_kind};
use super::raw::state::Identified;
use super::raw::{
    AliasPtr, Argument, Function, LocationExtension, MemoryLocation, MemoryLocationSet, ModuleState, Register, Storage,
    StorageBase, owner,
};
use crate::Result;
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, StorageKind, TensorClass, TensorKind};
use crate::error::bail;
use crate::mem::{StdString, Str};
use core::ptr::NonNull;

named_methods!(Storage, "storage");
named_methods!(MemoryLocation, "location");

impl StorageBase {
    /// The operands that read it, in no promised order.
    pub fn readers(&self) -> impl Iterator<Item = &Argument> {
        self.readers.users.iter().filter_map(|p| p.get(self))
    }

    /// The operands that write it, in no promised order.
    pub fn writers(&self) -> impl Iterator<Item = &Argument> {
        self.writers.users.iter().filter_map(|p| p.get(self))
    }

    /// Reader `index` of [`readers`](Self::readers), in constant time.
    pub fn reader(&self, index: usize) -> Option<&Argument> {
        self.readers.users.get(index)?.get(self)
    }

    /// Writer `index` of [`writers`](Self::writers), in constant time.
    pub fn writer(&self, index: usize) -> Option<&Argument> {
        self.writers.users.get(index)?.get(self)
    }

    /// Number of readers.
    pub fn reader_count(&self) -> usize {
        self.readers.users.len()
    }

    /// Number of writers.
    pub fn writer_count(&self) -> usize {
        self.writers.users.len()
    }

    /// Which class of storage it is.
    pub fn class(&self) -> Result<StorageKind> {
        StorageKind::from_ordinal(self.storage_kind.get().into())
    }

    /// The part that sets and registers share; `None` for a location.
    pub fn as_storage(&self) -> Option<&Storage> {
        as_storage(self)
    }

    /// Its name.
    pub fn name(&self) -> Str<'_> {
        match (as_storage(self), as_location(self)) {
            (Some(storage), _) => storage.name(),
            (_, Some(location)) => location.name(),
            _ => Str::EMPTY,
        }
    }

    /// The set, if it is one.
    pub fn as_set(&self) -> Option<&MemoryLocationSet> {
        as_set(self)
    }

    /// The register, if it is one.
    pub fn as_register(&self) -> Option<&Register> {
        as_register(self)
    }

    /// The location, if it is one.
    pub fn as_location(&self) -> Option<&MemoryLocation> {
        as_location(self)
    }

    /// The function that owns it.
    pub fn function(&self) -> Option<&Function> {
        match (as_storage(self), as_location(self)) {
            (Some(storage), _) => storage.function(),
            (_, Some(location)) => location.set()?.storage.function(),
            _ => None,
        }
    }

    /// The module that it was made in.
    pub(crate) fn module(&self) -> Result<&super::ModuleRef> {
        match (as_storage(self), as_location(self)) {
            (Some(storage), _) => storage.module(),
            (_, Some(location)) => location.module(),
            _ => bail!(CorruptIr, "corrupt IR: storage kind {} is not known", self.storage_kind.get()),
        }
    }

    /// Tensor kind; for a location that of its set.
    pub fn tensor_kind(&self) -> Result<TensorKind> {
        read_linked(&self.kind, "kind").and_then(TensorKind::from_ordinal)
    }

    /// Memory type of a location or register; Unallocated for a set.
    pub fn memory_type(&self) -> Result<MemoryType> {
        read_linked(&self.r#type, "type").and_then(MemoryType::from_ordinal)
    }

    /// Makes every user of this storage use `other` instead: operands and block arguments. The two must be of one class.
    ///
    /// # Errors
    /// `WrongKind`, `ForeignModule`, `OutOfMemory`; nothing changed then.
    pub fn replace_all_uses_with<'m>(&'m self, other: &'m StorageBase) -> Result<usize> {
        if self.storage_kind.get() != other.storage_kind.get() {
            bail!(WrongKind, "`{}` and `{}` are storage of two classes", self.name(), other.name());
        }
        let module = self.module()?;
        if !same(module, other.module()?) {
            bail!(ForeignModule, "storage `{}` belongs to another module", other.name());
        }
        if same(self, other) {
            return Ok(0);
        }
        let state = module.module_state()?;
        super::uses::reserve(state, other, false, self.reader_count())?;
        super::uses::reserve(state, other, true, self.writer_count())?;
        let bound = self.block_arguments.len();
        other.block_arguments.reserve(&state.arena, other.block_arguments.len() + bound)?;
        let mut replaced = 0;
        for writes in [false, true] {
            let users = if writes { &self.writers.users } else { &self.readers.users };
            while let Some(user) = users.get(users.len().wrapping_sub(1)).and_then(|p| p.get(self)) {
                user.replace_storage(state, self, other, writes)?;
                replaced += 1;
            }
        }
        while let Some(argument) = self.block_arguments.get(0).and_then(|p| p.get(self)) {
            argument.replace_storage(state, self, other)?;
            replaced += 1;
        }
        Ok(replaced)
    }

    /// Fails if an operand or block argument uses this storage or, for a set, one of its locations. Users inside of `erased`
    /// do not count: they go with it.
    pub(crate) fn check_unused_outside(&self, erased: Option<&Function>) -> Result<()> {
        let outside = |f: Option<&Function>| !matches!((f, erased), (Some(f), Some(erased)) if same(f, erased));
        let operands = self.readers().chain(self.writers()).filter(|a| outside(a.function())).count();
        if operands > 0 {
            bail!(StillReferenced, "`{}` is still used by {operands} operands", self.name());
        }
        let arguments = self.block_arguments.iter().filter_map(|p| p.get(self));
        let arguments = arguments.filter(|a| outside(a.block().and_then(|b| b.function()))).count();
        if arguments > 0 {
            bail!(StillReferenced, "`{}` is still used by {arguments} block arguments", self.name());
        }
        let locations = self.as_set().into_iter().flat_map(MemoryLocationSet::locations);
        locations.map(|l| &l.storage_base).try_for_each(|l| l.check_unused_outside(erased))
    }
}

fn read_linked(link: &super::raw::Link<core::cell::Cell<i32>>, what: &str) -> Result<i64> {
    match link.get() {
        Some(value) => Ok(value.get().into()),
        None => bail!(CorruptIr, "corrupt IR: the {what} of a storage is null"),
    }
}

impl Storage {
    /// What sets, registers and locations share.
    pub fn base(&self) -> &StorageBase {
        &self.storage_base
    }

    /// The function that owns it; `None` when unlinked.
    pub fn function(&self) -> Option<&Function> {
        owner::owner(self)
    }

    /// The set, if it is one.
    pub fn as_set(&self) -> Option<&MemoryLocationSet> {
        as_set(&self.storage_base)
    }

    /// The register, if it is one.
    pub fn as_register(&self) -> Option<&Register> {
        as_register(&self.storage_base)
    }

    /// Takes the storage out of its function; users keep it.
    pub fn unlink(&self) -> Result<()> {
        named::unlink(named::state_of(self)?, self);
        Ok(())
    }

    /// Puts it at a place in `function`, out of wherever it was. Returns whether it was renamed.
    pub fn move_to<'m>(&'m self, function: &'m Function, place: Place<'m, Storage>) -> Result<bool> {
        named::same_module(named::module_of(function)?, self)?;
        named::relocate(function, self, place)
    }

    /// Erases it; a set with its locations.
    ///
    /// # Errors
    /// `StillReferenced` if an operand or block argument uses it or one of its locations.
    pub fn erase(&self) -> Result<()> {
        let state = named::state_of(self)?;
        self.storage_base.check_unused_outside(None)?;
        if let Some(set) = self.as_set() {
            for location in set.locations() {
                location.erase()?;
            }
        }
        named::unlink(state, self);
        named::mark_erased(&self.named);
        Ok(())
    }
}

impl Function {
    /// Sets and registers, in order.
    pub fn storages(&self) -> Objects<'_, Storage> {
        Objects::of(self)
    }

    /// Number of sets and registers.
    pub fn storage_count(&self) -> usize {
        self.storages.len()
    }

    /// The set or register of that name.
    pub fn find_storage(&self, name: &str) -> Option<&Storage> {
        named::find(self, name)
    }

    /// The sets, in order.
    pub fn sets(&self) -> impl DoubleEndedIterator<Item = &MemoryLocationSet> {
        self.storages().filter_map(Storage::as_set)
    }

    /// The registers, in order.
    pub fn registers(&self) -> impl DoubleEndedIterator<Item = &Register> {
        self.storages().filter_map(Storage::as_register)
    }

    /// The set of that name.
    pub fn find_set(&self, name: &str) -> Option<&MemoryLocationSet> {
        self.find_storage(name)?.as_set()
    }

    /// The register of that name.
    pub fn find_register(&self, name: &str) -> Option<&Register> {
        self.find_storage(name)?.as_register()
    }

    /// The location of that name; if several sets have one, that of the first set.
    pub fn find_location(&self, name: &str) -> Option<&MemoryLocation> {
        self.sets().find_map(|set| set.find_location(name))
    }

    /// Adds a set. A taken name is changed.
    pub fn add_set<'m>(
        &'m self,
        name: &str,
        kind: TensorKind,
        dtype: Dtype,
        place: Place<'m, Storage>,
    ) -> Result<Placed<'m, MemoryLocationSet>> {
        let counter = id::of_function(self)?;
        id::check(counter)?;
        let module = named::module_of(self)?;
        let state = module.module_state()?;
        let set = state.alloc::<MemoryLocationSet>()?;
        let base = &set.storage.storage_base;
        base.storage_kind.set(storage_kind::SET);
        set.storage.named.init(module);
        set.locations.init();
        set.file.init();
        set.dtype.set(dtype.ordinal());
        set.kind_value.set(kind.ordinal());
        set.tensor_class_value.set(TensorClass::Tensor.ordinal());
        set.addr_space_value.set(MemoryAddressSpace::Local.ordinal());
        set.type_value.set(MemoryType::Unallocated.ordinal());
        set.tensor_id_to_location_size.set(-1);
        base.r#type.set(Some(&set.type_value));
        base.kind.set(Some(&set.kind_value));
        base.tensor_class.set(Some(&set.tensor_class_value));
        base.addr_space.set(Some(&set.addr_space_value));
        base.pinned.set(Some(&set.pinned_value));
        base.byte_size.set(Some(&set.byte_size_value));
        let renamed = insert_storage(state, self, &set.storage, name, place, counter)?;
        Ok(Placed { object: set, renamed })
    }

    /// Adds a register. A taken name is changed.
    pub fn add_register<'m>(&'m self, name: &str, place: Place<'m, Storage>) -> Result<Placed<'m, Register>> {
        let counter = id::of_function(self)?;
        id::check(counter)?;
        let module = named::module_of(self)?;
        let state = module.module_state()?;
        let register = state.alloc::<Register>()?;
        let base = &register.storage.storage_base;
        base.storage_kind.set(storage_kind::REGISTER);
        register.storage.named.init(module);
        register.num_physical_regs.set(1);
        register.dtype.set(-1);
        register.type_value.set(MemoryType::REG.ordinal());
        register.kind_value.set(TensorKind::Internal.ordinal());
        register.tensor_class_value.set(TensorClass::Tensor.ordinal());
        register.addr_space_value.set(MemoryAddressSpace::Local.ordinal());
        base.r#type.set(Some(&register.type_value));
        base.kind.set(Some(&register.kind_value));
        base.tensor_class.set(Some(&register.tensor_class_value));
        base.addr_space.set(Some(&register.addr_space_value));
        base.pinned.set(Some(&register.pinned_value));
        base.byte_size.set(Some(&register.byte_size_value));
        let renamed = insert_storage(state, self, &register.storage, name, place, counter)?;
        Ok(Placed { object: register, renamed })
    }
}

fn insert_storage<'m>(
    state: &'m ModuleState,
    function: &'m Function,
    storage: &'m Storage,
    name: &str,
    place: Place<'m, Storage>,
    counter: &core::cell::Cell<u32>,
) -> Result<bool> {
    let renamed = named::insert(state, function, storage, name, place)?;
    storage.named.unique_id.set(id::take(counter)?);
    id::register(state, storage.unique_id(), Identified::Storage(NonNull::from(storage)));
    Ok(renamed)
}

impl MemoryLocationSet {
    /// The part that sets and registers share: name, id, owner, position.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The set's name.
    pub fn name(&self) -> Str<'_> {
        self.storage.name()
    }

    /// The locations, in order.
    pub fn locations(&self) -> Objects<'_, MemoryLocation> {
        Objects::of(self)
    }

    /// Number of locations.
    pub fn location_count(&self) -> usize {
        self.locations.len()
    }

    /// The location of that name.
    pub fn find_location(&self, name: &str) -> Option<&MemoryLocation> {
        named::find(self, name)
    }

    /// Adds a location. A taken name is changed.
    pub fn add_location<'m>(
        &'m self,
        name: &str,
        memory_type: MemoryType,
        place: Place<'m, MemoryLocation>,
    ) -> Result<Placed<'m, MemoryLocation>> {
        let counter = id::of_set(self)?;
        id::check(counter)?;
        let module = named::module_of(&self.storage)?;
        let state = module.module_state()?;
        let location = state.alloc::<MemoryLocation>()?;
        let extension = state.alloc::<LocationExtension>()?;
        let base = &location.storage_base;
        base.storage_kind.set(storage_kind::LOCATION);
        location.named.init(module);
        location.remote_local_target_name.init();
        location.alloced_func.init();
        location.remote_writer_func.init();
        for unset in [
            &location.tensor_id,
            &location.pack_id_hint,
            &location.var_id,
            &location.table_entry_id,
            &location.mem_loc_set_id,
        ] {
            unset.set(-1);
        }
        extension.type_value.set(memory_type.ordinal());
        base.r#type.set(Some(&extension.type_value));
        base.pinned.set(Some(&extension.pinned_value));
        base.byte_size.set(Some(&extension.byte_size_value));
        self.lend_to(location);
        let renamed = named::insert(state, self, location, name, place)?;
        location.named.unique_id.set(id::take(counter)?);
        id::register(state, location.unique_id(), Identified::MemoryLocation(NonNull::from(location)));
        Ok(Placed { object: location, renamed })
    }

    /// Lets a location's kind, class and address space lead to those of this set.
    pub(crate) fn lend_to(&self, location: &MemoryLocation) {
        let base = &location.storage_base;
        base.kind.set(Some(&self.kind_value));
        base.tensor_class.set(Some(&self.tensor_class_value));
        base.addr_space.set(Some(&self.addr_space_value));
    }

    /// Element type.
    pub fn dtype(&self) -> Result<Dtype> {
        Dtype::from_ordinal(self.dtype.get().into())
    }

    /// Sets the element type.
    pub fn set_dtype(&self, dtype: Dtype) {
        self.dtype.set(dtype.ordinal());
    }

    /// Role at the module's boundary.
    pub fn kind(&self) -> Result<TensorKind> {
        TensorKind::from_ordinal(self.kind_value.get().into())
    }

    /// Sets the role at the module's boundary.
    pub fn set_kind(&self, kind: TensorKind) {
        self.kind_value.set(kind.ordinal());
    }

    /// Tensor class.
    pub fn tensor_class(&self) -> Result<TensorClass> {
        TensorClass::from_ordinal(self.tensor_class_value.get().into())
    }

    /// Sets the tensor class.
    pub fn set_tensor_class(&self, class: TensorClass) {
        self.tensor_class_value.set(class.ordinal());
    }

    /// Address space; meaningful for DRAM only.
    pub fn addr_space(&self) -> Result<MemoryAddressSpace> {
        MemoryAddressSpace::from_ordinal(self.addr_space_value.get().into())
    }

    /// Sets the address space.
    pub fn set_addr_space(&self, space: MemoryAddressSpace) {
        self.addr_space_value.set(space.ordinal());
    }

    /// Tensor shape, in elements, outermost first.
    pub fn tensor_shape(&self) -> impl ExactSizeIterator<Item = u64> {
        let shape = &self.tensor_shape;
        (0..shape.len()).map(move |i| shape.get(i).unwrap_or(0))
    }

    /// Sets the tensor shape.
    pub fn set_tensor_shape(&self, shape: &[u64]) -> Result<()> {
        self.tensor_shape.assign(&named::state_of(&self.storage)?.arena, shape)
    }

    /// Index of the dimension that is spread over partitions.
    pub fn partition_dim(&self) -> i32 {
        self.partition_dim.get()
    }

    /// Sets the partition dimension.
    pub fn set_partition_dim(&self, dim: i32) {
        self.partition_dim.set(dim);
    }

    /// Data file of a constant; empty if there is none.
    pub fn file(&self) -> Str<'_> {
        self.file.get()
    }

    /// Sets the data file of a constant.
    pub fn set_file(&self, file: &str) -> Result<()> {
        self.file.set(&named::state_of(&self.storage)?.arena, file)
    }

    /// Sets the data file to one that this set had before, which needs no memory.
    pub(crate) fn restore_file(&self, file: Str<'_>) {
        self.file.share(file);
    }

    /// The verbatim `debug` object, compact JSON; empty if there is none.
    pub fn debug_json(&self) -> Str<'_> {
        self.storage.debug.get().map_or(Str::EMPTY, StdString::get)
    }

    /// Sets the `debug` object.
    pub fn set_debug_json(&self, json: &str) -> Result<()> {
        set_linked_text(named::state_of(&self.storage)?, &self.storage.debug, json)
    }

    /// `tensorId2MemLocSize`: the number of locations unless set to another number.
    pub fn tensor_id_to_location_size(&self) -> i64 {
        let given = self.tensor_id_to_location_size.get();
        if given >= 0 { given } else { self.location_count() as i64 }
    }

    /// Sets `tensorId2MemLocSize`; -1 follows the number of locations.
    pub fn set_tensor_id_to_location_size(&self, size: i64) {
        self.tensor_id_to_location_size.set(size);
    }

    /// Takes the set out of its function.
    pub fn unlink(&self) -> Result<()> {
        self.storage.unlink()
    }

    /// Erases the set with its locations; see [`Storage::erase`].
    pub fn erase(&self) -> Result<()> {
        self.storage.erase()
    }
}

macro_rules! flags {
    ($type:ident: $($(#[$doc:meta])* $get:ident, $set:ident, |$o:ident| $flag:expr;)*) => {
        impl $type { $(
            $(#[$doc])*
            pub fn $get(&self) -> bool { let $o = self; $flag.get() }
            #[doc = concat!("Sets `", stringify!($get), "`.")]
            pub fn $set(&self, value: bool) { let $o = self; $flag.set(value) }
        )* }
    };
}

flags! { MemoryLocationSet:
    /// Never spill.
    do_not_spill, set_do_not_spill, |s| s.do_not_spill;
    /// Never rotate addresses.
    do_not_rotate, set_do_not_rotate, |s| s.do_not_rotate;
    /// No memory of its own.
    is_virtual, set_virtual, |s| s.is_virtual;
    /// May change behind the program's back.
    is_volatile, set_volatile, |s| s.is_volatile;
    /// Mirrored from its locations.
    is_allocated, set_is_allocated, |s| s.storage.storage_base.allocated;
}

flags! { MemoryLocation:
    /// Alternative location.
    location_alt, set_location_alt, |l| l.location_alt;
    /// Written by another core.
    written_by_another_core, set_written_by_another_core, |l| l.written_by_another_core;
    /// Shared after DRAM allocation.
    is_shared_post_dram_alloc, set_is_shared_post_dram_alloc, |l| l.is_shared_post_dram_alloc;
    /// Reserved by the runtime.
    runtime_reserved, set_runtime_reserved, |l| l.runtime_reserved;
    /// Placed by the user.
    user_allocated, set_user_allocated, |l| l.storage_base.user_allocated;
}

macro_rules! numbers {
    ($type:ident: $($(#[$doc:meta])* $get:ident, $set:ident: $number:ty, $field:ident;)*) => {
        impl $type { $(
            $(#[$doc])*
            pub fn $get(&self) -> $number { self.$field.get() }
            #[doc = concat!("Sets `", stringify!($get), "`.")]
            pub fn $set(&self, value: $number) { self.$field.set(value) }
        )* }
    };
}

numbers! { MemoryLocation:
    /// PSUM bank, signed.
    bank, set_bank: i64, bank;
    /// Byte address; per partition for SB and PSUM.
    addr, set_addr: u64, addr;
    /// First partition.
    base_partition, set_base_partition: u32, base;
    /// Number in the set's id table; -1 = none.
    tensor_id, set_tensor_id: i32, tensor_id;
    /// Variable id; -1 = none.
    var_id, set_var_id: i32, var_id;
    /// Table entry; -1 = none.
    table_entry_id, set_table_entry_id: i32, table_entry_id;
    /// `memLocSetId`; -1 = none.
    mem_loc_set_id, set_mem_loc_set_id: i32, mem_loc_set_id;
}

impl MemoryLocation {
    /// What sets, registers and locations share: users, kind, type.
    pub fn base(&self) -> &StorageBase {
        &self.storage_base
    }

    /// The set that owns it; `None` when unlinked.
    pub fn set(&self) -> Option<&MemoryLocationSet> {
        owner::owner(self)
    }

    pub(crate) fn extension(&self) -> Result<&LocationExtension> {
        match self.storage_base.r#type.get() {
            Some(value) => Ok(super::raw::extension_of(value)),
            None => bail!(CorruptIr, "corrupt IR: the type of location `{}` is null", self.name()),
        }
    }

    /// Memory type.
    pub fn memory_type(&self) -> Result<MemoryType> {
        self.storage_base.memory_type()
    }

    /// Sets the memory type.
    ///
    /// # Errors
    /// `BadValue` if aliases need DRAM or a pack hint needs PSUM.
    pub fn set_memory_type(&self, memory_type: MemoryType) -> Result<()> {
        named::state_of(self)?;
        if memory_type != MemoryType::DRAM && self.aliases.len() > 0 {
            bail!(BadValue, "location `{}` has aliases. Aliasing only permitted for DRAM locations.", self.name());
        }
        if memory_type != MemoryType::PSUM && self.pack_id_hint.get() != -1 {
            bail!(BadValue, "location `{}` has a pack_id_hint, which only applies to PSUM", self.name());
        }
        self.extension()?.type_value.set(memory_type.ordinal());
        Ok(())
    }

    /// Whether it may not be moved.
    pub fn is_pinned(&self) -> bool {
        self.storage_base.pinned.get().is_some_and(super::raw::Flag::get)
    }

    /// Sets whether it may not be moved.
    pub fn set_pinned(&self, value: bool) -> Result<()> {
        named::state_of(self)?;
        self.extension()?.pinned_value.set(value);
        Ok(())
    }

    /// Whether it has an address.
    pub fn is_allocated(&self) -> bool {
        self.storage_base.allocated.get()
    }

    /// Sets whether it has an address; `true` is mirrored to the set.
    pub fn set_allocated(&self, value: bool) {
        self.storage_base.allocated.set(value);
        if let Some(set) = self.set().filter(|_| value) {
            set.storage.storage_base.allocated.set(true);
        }
    }

    /// Sizes: `[partitions, bytes per partition]` in SB and PSUM; the product is the byte size in DRAM.
    pub fn dims(&self) -> impl ExactSizeIterator<Item = u32> {
        let dims = self.extension().ok().map(|e| &e.dims);
        (0..dims.map_or(0, |d| d.len())).map(move |i| dims.and_then(|d| d.get(i)).unwrap_or(0))
    }

    /// Sets the sizes.
    ///
    /// # Errors
    /// `BadValue` if the product does not fit 64 bits.
    pub fn set_dims(&self, dims: &[u32]) -> Result<()> {
        let product = dims.iter().try_fold(1_u64, |p, d| p.checked_mul(u64::from(*d)));
        let Some(bytes) = product else { bail!(BadValue, "the size of location `{}` exceeds 64 bits", self.name()) };
        let extension = self.extension()?;
        extension.dims.assign(&named::state_of(self)?.arena, dims)?;
        extension.byte_size_value.set(if dims.is_empty() { 0 } else { bytes });
        self.storage_base.dims.set(super::raw::first_cell(&extension.dims));
        Ok(())
    }

    /// Byte size: the product of the dims.
    pub fn byte_size(&self) -> u64 {
        self.storage_base.byte_size.get().map_or(0, core::cell::Cell::get)
    }

    /// PSUM packing hint; -1 = none.
    pub fn pack_id_hint(&self) -> i32 {
        self.pack_id_hint.get()
    }

    /// Sets the PSUM packing hint.
    ///
    /// # Errors
    /// `BadValue` for a hint on another memory type.
    pub fn set_pack_id_hint(&self, hint: i32) -> Result<()> {
        named::state_of(self)?;
        if hint != -1 && self.memory_type()? != MemoryType::PSUM {
            bail!(BadValue, "pack_id_hint of location `{}` only applies to PSUM", self.name());
        }
        self.pack_id_hint.set(hint);
        Ok(())
    }

    /// The location that a pointer tensor refers to.
    pub fn pointer_ref_memloc(&self) -> Option<&MemoryLocation> {
        self.pointer_ref_memloc.get()
    }

    /// Sets the location that a pointer tensor refers to.
    ///
    /// # Errors
    /// `BadValue` unless the set's kind is Pointer.
    pub fn set_pointer_ref_memloc<'m>(&'m self, target: Option<&'m MemoryLocation>) -> Result<()> {
        named::state_of(self)?;
        if let Some(target) = target {
            if self.storage_base.tensor_kind()? != TensorKind::Pointer {
                bail!(BadValue, "pointer_ref_memloc of location `{}` needs kind Pointer", self.name());
            }
            named::same_module(named::module_of(self)?, target)?;
        }
        self.pointer_ref_memloc.set(target);
        Ok(())
    }

    /// Opt-in pass names.
    pub fn optin_passes(&self) -> impl Iterator<Item = Str<'_>> {
        self.extension().ok().into_iter().flat_map(|e| e.optin_passes.iter())
    }

    /// Replaces the opt-in pass names.
    pub fn set_optin_passes<S: AsRef<str>>(&self, names: &[S]) -> Result<()> {
        self.extension()?.optin_passes.assign(&named::state_of(self)?.arena, names)
    }

    /// The function that allocated it, by name.
    pub fn alloced_func(&self) -> Option<Str<'_>> {
        self.alloced_func_engaged.get().then(|| self.alloced_func.get())
    }

    /// Sets or clears the function that allocated it.
    pub fn set_alloced_func(&self, name: Option<&str>) -> Result<()> {
        self.alloced_func.set(&named::state_of(self)?.arena, name.unwrap_or_default())?;
        self.alloced_func_engaged.set(name.is_some());
        Ok(())
    }

    /// The function of another core that writes it, by name.
    pub fn remote_writer_func(&self) -> Option<Str<'_>> {
        self.remote_writer_func_engaged.get().then(|| self.remote_writer_func.get())
    }

    /// Sets or clears the remote writer.
    pub fn set_remote_writer_func(&self, name: Option<&str>) -> Result<()> {
        self.remote_writer_func.set(&named::state_of(self)?.arena, name.unwrap_or_default())?;
        self.remote_writer_func_engaged.set(name.is_some());
        Ok(())
    }

    /// Name and number of the remote local target.
    pub fn remote_local_target(&self) -> Option<(Str<'_>, u32)> {
        self.remote_local_target_engaged
            .get()
            .then(|| (self.remote_local_target_name.get(), self.remote_local_target_value.get()))
    }

    /// Sets or clears the remote local target.
    pub fn set_remote_local_target(&self, target: Option<(&str, u32)>) -> Result<()> {
        let (name, value) = target.unwrap_or_default();
        self.remote_local_target_name.set(&named::state_of(self)?.arena, name)?;
        self.remote_local_target_value.set(value);
        self.remote_local_target_engaged.set(target.is_some());
        Ok(())
    }

    /// Device print metadata: a compact JSON object kept verbatim; empty if there is none.
    pub fn device_print_metadata_json(&self) -> Str<'_> {
        super::raw::text_behind(&self.device_print_metadata).map_or(Str::EMPTY, StdString::get)
    }

    /// Sets the device print metadata.
    pub fn set_device_print_metadata_json(&self, json: &str) -> Result<()> {
        let state = named::state_of(self)?;
        if let Some(string) = super::raw::text_behind(&self.device_print_metadata) {
            return string.set(&state.arena, json);
        }
        // 0x28 bytes, as the record that C++ allocates there.
        let string = state.alloc_bytes_as::<StdString>(0x28)?;
        string.init();
        string.set(&state.arena, json)?;
        self.device_print_metadata.set(core::ptr::from_ref(string).cast_mut().cast());
        Ok(())
    }

    /// Alias edges: the other location and the alias bits. Order is by address and means nothing.
    pub fn aliases(&self) -> impl Iterator<Item = (&MemoryLocation, u8)> {
        (0..self.aliases.len()).filter_map(|i| {
            let edge = self.aliases.get(i)?;
            Some((edge.target(self)?, edge.bits()))
        })
    }

    /// Adds an alias edge to both ends; bits are OR-ed on repeat.
    ///
    /// # Errors
    /// `BadValue` for bits outside 1..=7, an end that is not DRAM, or an edge to itself.
    pub fn add_alias<'m>(&'m self, other: &'m MemoryLocation, bits: u8) -> Result<()> {
        if bits == 0 || bits > 7 {
            bail!(BadValue, "alias bits {bits} do not fit three bits");
        }
        if same(self, other) {
            bail!(BadValue, "location `{}` cannot alias itself", self.name());
        }
        named::same_module(named::module_of(self)?, other)?;
        for end in [self, other] {
            if end.memory_type()? != MemoryType::DRAM {
                bail!(
                    BadValue,
                    "alias between `{}` and `{}`: Aliasing only permitted for DRAM locations.",
                    self.name(),
                    other.name()
                );
            }
        }
        let state = named::state_of(self)?;
        self.aliases.reserve_one(&state.arena)?;
        other.aliases.reserve_one(&state.arena)?;
        for (from, to) in [(self, other), (other, self)] {
            let edge = AliasPtr::new(to, bits);
            let found =
                (0..from.aliases.len()).find(|i| from.aliases.get(*i).is_some_and(|a| a.address() == edge.address()));
            match found.and_then(|i| Some((i, from.aliases.get(i)?))) {
                Some((i, old)) => from.aliases.set(i, AliasPtr { word: old.word | edge.word }),
                None => {
                    let at = (0..from.aliases.len()).filter_map(|i| from.aliases.get(i)).filter(|a| a.word < edge.word);
                    from.aliases.insert(at.count(), edge);
                }
            }
        }
        Ok(())
    }

    /// Removes the alias edge to `other` from both ends; returns whether there was one.
    pub fn remove_alias(&self, other: &MemoryLocation) -> bool {
        let mut found = false;
        for (from, to) in [(self, other), (other, self)] {
            let index = (0..from.aliases.len())
                .find(|i| from.aliases.get(*i).and_then(|a| a.target(from)).is_some_and(|t| same(t, to)));
            if let Some(index) = index {
                from.aliases.remove(index);
                found = true;
            }
        }
        found
    }

    /// Takes the location out of its set; users keep it.
    pub fn unlink(&self) -> Result<()> {
        named::unlink(named::state_of(self)?, self);
        Ok(())
    }

    /// Puts it at a place in `set`, whose kind, class and address space it takes. Returns whether it was renamed.
    pub fn move_to<'m>(&'m self, set: &'m MemoryLocationSet, place: Place<'m, MemoryLocation>) -> Result<bool> {
        named::same_module(named::module_of(&set.storage)?, self)?;
        let renamed = named::relocate(set, self, place)?;
        set.lend_to(self);
        Ok(renamed)
    }

    /// Erases it with its alias edges.
    ///
    /// # Errors
    /// `StillReferenced` if an operand or block argument uses it.
    pub fn erase(&self) -> Result<()> {
        let state = named::state_of(self)?;
        self.storage_base.check_unused_outside(None)?;
        while let Some((other, _)) = self.aliases().next() {
            self.remove_alias(other);
        }
        named::unlink(state, self);
        named::mark_erased(&self.named);
        Ok(())
    }
}

impl Register {
    /// The part that sets and registers share.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The register's name.
    pub fn name(&self) -> Str<'_> {
        self.storage.name()
    }

    /// Element type; `None` when not given.
    pub fn dtype(&self) -> Result<Option<Dtype>> {
        match self.dtype.get() {
            -1 => Ok(None),
            ordinal => Dtype::from_ordinal(ordinal.into()).map(Some),
        }
    }

    /// Sets or clears the element type.
    pub fn set_dtype(&self, dtype: Option<Dtype>) {
        self.dtype.set(dtype.map_or(-1, Dtype::ordinal));
    }

    /// Number of physical registers.
    pub fn num_physical_regs(&self) -> i32 {
        self.num_physical_regs.get()
    }

    /// Sets the number of physical registers.
    pub fn set_num_physical_regs(&self, count: i32) {
        self.num_physical_regs.set(count);
    }

    /// Takes the register out of its function.
    pub fn unlink(&self) -> Result<()> {
        self.storage.unlink()
    }

    /// Erases the register; see [`Storage::erase`].
    pub fn erase(&self) -> Result<()> {
        self.storage.erase()
    }
}
