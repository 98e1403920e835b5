//! Sets, locations and registers.

use super::chain::Chain;
use super::differ::{Check, Differ};
use super::pair::Labels;
use crate::enums::id;
use crate::ir::raw::{Function, MemoryLocation, MemoryLocationSet, NamedObject, Register, Storage, StorageBase};

impl<'x> Differ<'x> {
    /// Name and origin, which every named object has.
    pub(super) fn named(&mut self, a: &NamedObject, b: &NamedObject) -> Check {
        // Who knows which objects belong together does not go by names, and tells of other names himself.
        if self.labels.is_none() {
            self.str("name", &a.name(), &b.name())?;
        }
        let origin = |n: &NamedObject| n.named_object_base.origin.get();
        self.ordinal("origin", id::NAMED_OBJECT_ORIGIN, origin(a), origin(b))
    }

    /// Opt-in passes, which instructions and locations have.
    pub(super) fn optin_mask(&mut self, a: &NamedObject, b: &NamedObject) -> Check {
        let mask = |n: &NamedObject| n.named_object_base.optin_passes_mask.get();
        self.value("optin_passes_mask", mask(a), mask(b))
    }

    /// Two references to storage.
    pub(super) fn storage_ref(
        &mut self,
        key: &'static str,
        a: Option<&'x StorageBase>,
        b: Option<&'x StorageBase>,
    ) -> Check {
        let kind = |s: Option<&StorageBase>| s.map(|s| s.storage_kind.get());
        let chain = (a.map(|a| Chain::storage(self.a, a)), b.map(|b| Chain::storage(self.b, b)));
        let same = match chain {
            (Some(a), Some(b)) => self.is_same(a, b),
            (None, None) => true,
            _ => false,
        };
        self.chains(key, chain.0, chain.1)?;
        if self.feed(kind(a)) || !same || kind(a) == kind(b) { Ok(()) } else { self.report(key, class(a), class(b)) }
    }

    /// Two optional references.
    pub(super) fn chains(&mut self, key: &'static str, a: Option<Chain<'x>>, b: Option<Chain<'x>>) -> Check {
        if self.feed_reference(a) {
            return Ok(());
        }
        let equal = match (a, b) {
            (Some(a), Some(b)) => self.is_same(a, b),
            (None, None) => true,
            _ => false,
        };
        if equal { Ok(()) } else { self.report(key, super::chain::shown(a), super::chain::shown(b)) }
    }

    pub(super) fn storages(&mut self, a: &'x Function, b: &'x Function) -> Check {
        let show = |s: &&Storage| crate::error::text(s.name());
        self.list("allocations", a.storages(), b.storages(), show, |d, a, b| match (a.as_set(), b.as_set()) {
            (Some(a), Some(b)) => d.memory_set(a, b),
            _ => match (a.as_register(), b.as_register()) {
                (Some(a), Some(b)) => d.register(a, b),
                _ => d.report("", class(Some(a.base())), class(Some(b.base()))),
            },
        })
    }

    pub(super) fn memory_set(&mut self, a: &'x MemoryLocationSet, b: &'x MemoryLocationSet) -> Check {
        self.own_of_set(a, b)?;
        let show = |l: &&MemoryLocation| crate::error::text(l.name());
        self.list("memorylocations", a.locations(), b.locations(), show, Self::location)
    }

    /// Everything of two sets but locations. Who wants all differences does not get what only follows from those of the
    /// locations: their number, and whether one of them is allocated.
    pub(super) fn own_of_set(&mut self, a: &'x MemoryLocationSet, b: &'x MemoryLocationSet) -> Check {
        self.named(&a.storage.named, &b.storage.named)?;
        self.ordinal("kind", id::TENSOR_KIND, a.kind_value.get(), b.kind_value.get())?;
        self.ordinal("dtype", id::DTYPE, a.dtype.get(), b.dtype.get())?;
        self.values("tensor_shape", a.tensor_shape(), b.tensor_shape())?;
        self.value("partition_dim", a.partition_dim(), b.partition_dim())?;
        self.ordinal("tensor_class", id::TENSOR_CLASS, a.tensor_class_value.get(), b.tensor_class_value.get())?;
        self.ordinal("addr_space", id::MEMORY_ADDRESS_SPACE, a.addr_space_value.get(), b.addr_space_value.get())?;
        let follows = |s: &MemoryLocationSet| s.tensor_id_to_location_size.get() == -1;
        if !(self.labels.is_some() && follows(a) && follows(b)) {
            self.value("tensorId2MemLocSize", a.tensor_id_to_location_size(), b.tensor_id_to_location_size())?;
        }
        self.str("file", &a.file(), &b.file())?;
        self.value("do_not_spill", a.do_not_spill(), b.do_not_spill())?;
        self.value("do_not_rotate", a.do_not_rotate(), b.do_not_rotate())?;
        self.value("virtual", a.is_virtual(), b.is_virtual())?;
        self.value("volatile", a.is_volatile(), b.is_volatile())?;
        let holds_allocated = |s: &MemoryLocationSet| s.locations().any(MemoryLocation::is_allocated);
        if self.labels.is_none() || holds_allocated(a) == holds_allocated(b) {
            self.value("allocated", a.is_allocated(), b.is_allocated())?;
        }
        self.user_allocated(a.storage().base(), b.storage().base())?;
        self.value("pinned", a.pinned_value.get(), b.pinned_value.get())?;
        self.ordinal("type", id::MEMORY_TYPE, a.type_value.get(), b.type_value.get())?;
        self.value("byte_size", a.byte_size_value.get(), b.byte_size_value.get())?;
        self.str("debug", &a.debug_json(), &b.debug_json())
    }

    fn flags(&mut self, a: &StorageBase, b: &StorageBase) -> Check {
        self.value("allocated", a.allocated.get(), b.allocated.get())?;
        self.user_allocated(a, b)
    }

    fn user_allocated(&mut self, a: &StorageBase, b: &StorageBase) -> Check {
        self.value("user_allocated", a.user_allocated.get(), b.user_allocated.get())
    }

    pub(super) fn location(&mut self, a: &'x MemoryLocation, b: &'x MemoryLocation) -> Check {
        self.named(&a.named, &b.named)?;
        self.optin_mask(&a.named, &b.named)?;
        self.values("optin_passes", a.optin_passes(), b.optin_passes())?;
        let memory_type = |l: &MemoryLocation| l.storage_base.r#type.get().map_or(-1, core::cell::Cell::get);
        self.ordinal("type", id::MEMORY_TYPE, memory_type(a), memory_type(b))?;
        self.value("addr", a.addr(), b.addr())?;
        self.value("base", a.base_partition(), b.base_partition())?;
        self.value("bank", a.bank(), b.bank())?;
        self.values("dims", a.dims(), b.dims())?;
        // The size follows from other dims.
        if self.labels.is_none() || a.dims().eq(b.dims()) {
            self.value("byte_size", a.byte_size(), b.byte_size())?;
        }
        self.flags(&a.storage_base, &b.storage_base)?;
        self.value("pinned", a.is_pinned(), b.is_pinned())?;
        self.value("tensor_id", a.tensor_id(), b.tensor_id())?;
        self.value("var_id", a.var_id(), b.var_id())?;
        self.value("table_entry_id", a.table_entry_id(), b.table_entry_id())?;
        self.value("memLocSetId", a.mem_loc_set_id(), b.mem_loc_set_id())?;
        self.value("pack_id_hint", a.pack_id_hint(), b.pack_id_hint())?;
        let pointer = |l: &'x MemoryLocation| l.pointer_ref_memloc().map(MemoryLocation::base);
        self.storage_ref("pointer_ref_memloc", pointer(a), pointer(b))?;
        self.aliases(a, b)?;
        self.str_option("alloced_func", a.alloced_func().as_deref(), b.alloced_func().as_deref())?;
        self.str_option("remote_writer_func", a.remote_writer_func().as_deref(), b.remote_writer_func().as_deref())?;
        match (a.remote_local_target(), b.remote_local_target()) {
            (None, None) => {}
            (Some((a, _)), None) => return self.report("remote_local_target", a, super::differ::NONE),
            (None, Some((b, _))) => return self.report("remote_local_target", super::differ::NONE, b),
            (Some((name_a, value_a)), Some((name_b, value_b))) => {
                self.str("remote_local_target", &name_a, &name_b)?;
                self.value("remote_local_target", value_a, value_b)?;
            }
        }
        self.value("location_alt", a.location_alt(), b.location_alt())?;
        self.value("written_by_another_core", a.written_by_another_core(), b.written_by_another_core())?;
        self.value("is_shared_post_dram_alloc", a.is_shared_post_dram_alloc(), b.is_shared_post_dram_alloc())?;
        self.value("runtime_reserved", a.runtime_reserved(), b.runtime_reserved())?;
        self.str("device_print_metadata", &a.device_print_metadata_json(), &b.device_print_metadata_json())
    }

    /// Alias edges as sets: their order in memory is that of addresses. Each edge stands on both of its ends; who wants
    /// all differences gets it at the end with the lower label.
    fn aliases(&mut self, a: &'x MemoryLocation, b: &'x MemoryLocation) -> Check {
        let list = |scope, labels: Option<&'x dyn Labels>, location: &'x MemoryLocation| {
            let label = move |l: &MemoryLocation| labels.and_then(|s| s.label(core::ptr::from_ref(l).addr()));
            let own = label(location);
            let here = location.aliases().filter(move |(other, _)| labels.is_none() || own <= label(other));
            here.map(move |(other, bits)| (Chain::storage(scope, other.base()), bits))
        };
        let (scope_a, scope_b) = (self.a, self.b);
        let (labels_a, labels_b) = (self.labels.map(|l| l.0), self.labels.map(|l| l.1));
        self.references("alias", || list(scope_a, labels_a, a), || list(scope_b, labels_b, b))
    }

    pub(super) fn register(&mut self, a: &'x Register, b: &'x Register) -> Check {
        self.named(&a.storage.named, &b.storage.named)?;
        self.ordinal("dtype", id::DTYPE, a.dtype.get(), b.dtype.get())?;
        self.value("num_physical_regs", a.num_physical_regs(), b.num_physical_regs())?;
        self.ordinal("type", id::MEMORY_TYPE, a.type_value.get(), b.type_value.get())?;
        self.ordinal("kind", id::TENSOR_KIND, a.kind_value.get(), b.kind_value.get())?;
        self.ordinal("tensor_class", id::TENSOR_CLASS, a.tensor_class_value.get(), b.tensor_class_value.get())?;
        self.ordinal("addr_space", id::MEMORY_ADDRESS_SPACE, a.addr_space_value.get(), b.addr_space_value.get())?;
        self.flags(a.storage().base(), b.storage().base())?;
        self.value("pinned", a.pinned_value.get(), b.pinned_value.get())?;
        self.value("byte_size", a.byte_size_value.get(), b.byte_size_value.get())?;
        let debug = |r: &'x Register| r.storage.debug.get().map_or(crate::mem::Str::EMPTY, crate::mem::StdString::get);
        self.str("debug", &debug(a), &debug(b))
    }
}

/// The class of a storage, for messages.
fn class(storage: Option<&StorageBase>) -> &'static str {
    match storage {
        None => super::differ::NONE,
        Some(s) if s.as_set().is_some() => "memory_location_set",
        Some(s) if s.as_register().is_some() => "register",
        Some(_) => "memory_location",
    }
}
