//! Sets with their locations, and registers.
#![forbid(unsafe_code)]

use super::printer::{Printer, readable};
use super::style::{Item, Output, Style};
use crate::Result;
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, TensorClass, TensorKind};
use crate::fallible::push;
use crate::ir::{MemoryLocation, MemoryLocationSet, Register, Storage};
use alloc::vec::Vec;

impl<'m, O: Output + ?Sized> Printer<'_, 'm, O> {
    pub(super) fn storage(&mut self, storage: &'m Storage, depth: usize) -> Result<()> {
        if let Some(set) = storage.as_set() {
            self.line(Item::Set(set), depth, |p| p.set(set))?;
            for location in set.locations() {
                self.line(Item::Location(location), depth + 1, |p| p.location(location))?;
            }
        }
        match storage.as_register() {
            Some(register) => self.line(Item::Register(register), depth, |p| p.register(register)),
            None => Ok(()),
        }
    }

    fn register(&mut self, register: &Register) -> Result<()> {
        self.head("register", &register.name(), Some(register.storage().unique_id()))?;
        if register.dtype.get() != -1 {
            self.plain(" ")?;
            self.member::<Dtype>(Style::Type, register.dtype.get())?;
        }
        self.key_number("num_physical_regs", register.num_physical_regs().into(), 1)?;
        self.origin(register.storage().named.named_object_base.origin.get())
    }

    fn set(&mut self, set: &MemoryLocationSet) -> Result<()> {
        self.head("set", &set.name(), Some(set.storage().unique_id()))?;
        self.plain(" ")?;
        self.member::<Dtype>(Style::Type, set.dtype.get())?;
        self.list(set.tensor_shape(), Self::unsigned)?;
        self.plain(" ")?;
        self.member::<TensorKind>(Style::Member, set.kind_value.get())?;
        if set.addr_space_value.get() != MemoryAddressSpace::Local.ordinal() || self.all {
            self.key("addr_space")?;
            self.member::<MemoryAddressSpace>(Style::Member, set.addr_space_value.get())?;
        }
        if set.tensor_class_value.get() != TensorClass::Tensor.ordinal() || self.all {
            self.key("tensor_class")?;
            self.member::<TensorClass>(Style::Member, set.tensor_class_value.get())?;
        }
        self.key_number("partition_dim", set.partition_dim().into(), 0)?;
        self.key_text("file", &set.file())?;
        self.key_flag("do_not_rotate", set.do_not_rotate())?;
        self.key_flag("do_not_spill", set.do_not_spill())?;
        self.key_flag("virtual", set.is_virtual())?;
        self.key_flag("volatile", set.is_volatile())?;
        self.key_number("tensorId2MemLocSize", set.tensor_id_to_location_size(), set.location_count() as i64)?;
        if self.all {
            self.key_flag("allocated", set.is_allocated())?;
            self.key_json("debug", &set.debug_json())?;
        }
        self.origin(set.storage().named.named_object_base.origin.get())
    }

    fn location(&mut self, location: &MemoryLocation) -> Result<()> {
        self.head("loc", &location.name(), Some(location.unique_id()))?;
        self.plain(" ")?;
        match readable(location.memory_type())? {
            Some(kind) => self.member::<MemoryType>(Style::Member, kind.ordinal())?,
            None => self.put(Style::Fault, "?type")?,
        }
        self.list(location.dims(), |p, dim| p.unsigned(dim.into()))?;
        self.key_unsigned("addr", location.addr(), 0)?;
        self.key_unsigned("base", location.base_partition().into(), 0)?;
        self.key_number("bank", location.bank(), 0)?;
        self.key_number("tensor_id", location.tensor_id().into(), -1)?;
        self.key_number("var_id", location.var_id().into(), -1)?;
        self.key_number("memLocSetId", location.mem_loc_set_id().into(), -1)?;
        self.key_number("table_entry_id", location.table_entry_id().into(), -1)?;
        self.key_number("pack_id_hint", location.pack_id_hint().into(), -1)?;
        self.key_flag("allocated", location.is_allocated())?;
        self.key_flag("is_shared_post_dram_alloc", location.is_shared_post_dram_alloc())?;
        self.key_flag("location_alt", location.location_alt())?;
        self.key_flag("pinned", location.is_pinned())?;
        self.key_flag("runtime_reserved", location.runtime_reserved())?;
        self.key_flag("user_allocated", location.user_allocated())?;
        self.key_flag("written_by_another_core", location.written_by_another_core())?;
        if let Some(function) = location.alloced_func() {
            self.key("alloced_func")?;
            self.quoted(Style::Text, &function)?;
        }
        if let Some(function) = location.remote_writer_func() {
            self.key("remote_writer_func")?;
            self.quoted(Style::Text, &function)?;
        }
        if let Some((name, value)) = location.remote_local_target() {
            self.key("remote_local_target")?;
            self.quoted(Style::Text, &name)?;
            self.plain(":")?;
            self.unsigned(value.into())?;
        }
        if let Some(target) = location.pointer_ref_memloc() {
            self.key("pointer_ref_memloc")?;
            self.location_ref(target)?;
        }
        self.aliases(location)?;
        self.key_list("optin_passes", location.optin_passes(), |p, pass| p.quoted(Style::Text, &pass))?;
        self.key_json("device_print_metadata", &location.device_print_metadata_json())?;
        self.origin(location.named.named_object_base.origin.get())
    }

    /// ` alias=[y:3]`: the other locations and the bits. In memory they lie by address, which is chance.
    fn aliases(&mut self, location: &MemoryLocation) -> Result<()> {
        let mut edges = Vec::new();
        for (other, bits) in location.aliases() {
            push(&mut edges, (other.set().map(MemoryLocationSet::name), other, bits))?;
        }
        edges.sort_by(|a, b| {
            let set = |edge: &Option<crate::mem::Str<'_>>, other: &Option<crate::mem::Str<'_>>| {
                edge.as_deref().cmp(&other.as_deref())
            };
            set(&a.0, &b.0).then_with(|| a.1.name().cmp(&b.1.name())).then(a.2.cmp(&b.2))
        });
        self.key_list("alias", edges.into_iter(), |p, (_, other, bits)| {
            p.location_ref(other)?;
            p.plain(":")?;
            p.unsigned(bits.into())
        })
    }
}
