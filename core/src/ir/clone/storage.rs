//! Sets, locations and registers: first the objects with their values, then what leads from one location to another.

use super::cloner::{Cloner, Root, not_made};
use super::resolve::{location_path, storage_path};
use crate::enums::bir::{Dtype, MemoryType, TensorKind};
use crate::ir::raw::{Function, MemoryLocation, MemoryLocationSet, NamedObject, Register, Storage, StorageBase};
use crate::ir::{Place, Placed};
use crate::mem::StdString;
use crate::{ErrorCode, Result};
use alloc::vec::Vec;

/// What every named object has beside name, id and owner.
pub(super) fn copy_named(from: &NamedObject, to: &NamedObject) {
    to.named_object_base.origin.set(from.named_object_base.origin.get());
    to.named_object_base.optin_passes_mask.set(from.named_object_base.optin_passes_mask.get());
}

fn copy_base(from: &StorageBase, to: &StorageBase) {
    to.allocated.set(from.allocated.get());
    to.user_allocated.set(from.user_allocated.get());
}

impl<'s, 't> Cloner<'s, 't> {
    fn storage_debug(&self, from: &Storage, to: &'t Storage) -> Result<()> {
        match from.debug.get() {
            Some(text) => crate::ir::module::set_linked_text(self.state, &to.debug, &text.get()),
            None => Ok(()),
        }
    }

    /// A set with its locations, without what leads to other locations.
    pub(super) fn make_set(
        &mut self,
        from: &'s MemoryLocationSet,
        function: &'t Function,
        name: &str,
        place: Place<'t, Storage>,
    ) -> Result<Placed<'t, MemoryLocationSet>> {
        // Kind and type are overwritten below, with whatever numbers stand there.
        let add = || function.add_set(name, TensorKind::Internal, Dtype::float32, place);
        let placed = self.make(add, |p| Root::Storage(p.object.storage()))?;
        let to = placed.object;
        self.storages.insert(from.storage().base(), to.storage().base())?;
        copy_named(&from.storage.named, &to.storage.named);
        copy_base(from.storage().base(), to.storage().base());
        self.storage_debug(from.storage(), to.storage())?;
        for (a, b) in [
            (&from.dtype, &to.dtype),
            (&from.partition_dim, &to.partition_dim),
            (&from.kind_value, &to.kind_value),
            (&from.tensor_class_value, &to.tensor_class_value),
            (&from.addr_space_value, &to.addr_space_value),
            (&from.type_value, &to.type_value),
        ] {
            b.set(a.get());
        }
        for (a, b) in [
            (&from.do_not_spill, &to.do_not_spill),
            (&from.do_not_rotate, &to.do_not_rotate),
            (&from.pinned_value, &to.pinned_value),
            (&from.is_virtual, &to.is_virtual),
            (&from.is_volatile, &to.is_volatile),
        ] {
            b.set(a.get());
        }
        to.byte_size_value.set(from.byte_size_value.get());
        to.tensor_id_to_location_size.set(from.tensor_id_to_location_size.get());
        let shape = crate::ir::expr::collect(from.tensor_shape.iter(), from.tensor_shape.len())?;
        to.set_tensor_shape(&shape)?;
        to.set_file(&from.file())?;
        for location in from.locations() {
            self.make_location(location, to)?;
        }
        Ok(placed)
    }

    fn make_location(&mut self, from: &'s MemoryLocation, set: &'t MemoryLocationSet) -> Result<()> {
        let to = set.add_location(&from.name(), MemoryType::Unallocated, Place::End)?.object;
        self.storages.insert(from.base(), to.base())?;
        copy_named(&from.named, &to.named);
        copy_base(from.base(), to.base());
        let (source, own) = (from.extension()?, to.extension()?);
        own.type_value.set(source.type_value.get());
        own.pinned_value.set(source.pinned_value.get());
        let dims: Vec<u32> = crate::ir::expr::collect(source.dims.iter(), source.dims.len())?;
        to.set_dims(&dims)?;
        own.byte_size_value.set(source.byte_size_value.get());
        let names = crate::ir::expr::collect(source.optin_passes.iter(), source.optin_passes.len())?;
        own.optin_passes.assign(&self.state.arena, &names)?;
        for (a, b) in [
            (&from.tensor_id, &to.tensor_id),
            (&from.pack_id_hint, &to.pack_id_hint),
            (&from.var_id, &to.var_id),
            (&from.table_entry_id, &to.table_entry_id),
            (&from.mem_loc_set_id, &to.mem_loc_set_id),
        ] {
            b.set(a.get());
        }
        for (a, b) in [
            (&from.remote_local_target_engaged, &to.remote_local_target_engaged),
            (&from.alloced_func_engaged, &to.alloced_func_engaged),
            (&from.remote_writer_func_engaged, &to.remote_writer_func_engaged),
            (&from.location_alt, &to.location_alt),
            (&from.written_by_another_core, &to.written_by_another_core),
            (&from.is_shared_post_dram_alloc, &to.is_shared_post_dram_alloc),
            (&from.runtime_reserved, &to.runtime_reserved),
        ] {
            b.set(a.get());
        }
        let texts: [(&StdString, &StdString); 3] = [
            (&from.remote_local_target_name, &to.remote_local_target_name),
            (&from.alloced_func, &to.alloced_func),
            (&from.remote_writer_func, &to.remote_writer_func),
        ];
        for (a, b) in texts {
            b.set(&self.state.arena, &a.get())?;
        }
        to.remote_local_target_value.set(from.remote_local_target_value.get());
        to.bank.set(from.bank.get());
        to.addr.set(from.addr.get());
        to.base.set(from.base.get());
        if !from.device_print_metadata_json().is_empty() {
            to.set_device_print_metadata_json(&from.device_print_metadata_json())?;
        }
        Ok(())
    }

    /// A register.
    pub(super) fn make_register(
        &mut self,
        from: &'s Register,
        function: &'t Function,
        name: &str,
        place: Place<'t, Storage>,
    ) -> Result<Placed<'t, Register>> {
        let placed = self.make(|| function.add_register(name, place), |p| Root::Storage(p.object.storage()))?;
        let to = placed.object;
        self.storages.insert(from.storage().base(), to.storage().base())?;
        copy_named(&from.storage.named, &to.storage.named);
        copy_base(from.storage().base(), to.storage().base());
        self.storage_debug(from.storage(), to.storage())?;
        for (a, b) in [
            (&from.num_physical_regs, &to.num_physical_regs),
            (&from.dtype, &to.dtype),
            (&from.type_value, &to.type_value),
            (&from.kind_value, &to.kind_value),
            (&from.tensor_class_value, &to.tensor_class_value),
            (&from.addr_space_value, &to.addr_space_value),
        ] {
            b.set(a.get());
        }
        to.pinned_value.set(from.pinned_value.get());
        to.byte_size_value.set(from.byte_size_value.get());
        Ok(placed)
    }

    /// All sets and registers of a function.
    pub(super) fn make_storages(&mut self, from: &'s Function, to: &'t Function) -> Result<()> {
        for storage in from.storages() {
            let name = storage.name();
            if let Some(set) = storage.as_set() {
                self.make_set(set, to, &name, Place::End).map_err(|e| e.at(storage_path(storage)))?;
            } else if let Some(register) = storage.as_register() {
                self.make_register(register, to, &name, Place::End).map_err(|e| e.at(storage_path(storage)))?;
            }
        }
        Ok(())
    }

    /// What leads from the locations of a set to other locations.
    pub(super) fn link_set(&mut self, from: &'s MemoryLocationSet) -> Result<()> {
        for location in from.locations() {
            self.link_location(location).map_err(|e| e.at(location_path(location)))?;
        }
        Ok(())
    }

    fn link_location(&mut self, from: &'s MemoryLocation) -> Result<()> {
        let to = self.storages.get(from.base()).and_then(StorageBase::as_location);
        let to = to.ok_or_else(|| not_made("location", &from.name()))?;
        if let Some(target) = from.pointer_ref_memloc() {
            to.pointer_ref_memloc.set(Some(self.location(target)?));
        }
        for (other, bits) in from.aliases() {
            match self.location(other) {
                Ok(other) => to.add_alias(other, bits)?,
                // As edges of instructions: those that leave the clone exist where the other end does.
                Err(error) if error.code == ErrorCode::UnresolvedRef => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn link_storages(&mut self, from: &'s Function) -> Result<()> {
        for set in from.sets() {
            self.link_set(set)?;
        }
        Ok(())
    }
}
