//! Sets, locations and registers.
#![forbid(unsafe_code)]

use super::Writer;
use crate::doc::output::Output;
use crate::enums::bir::{MemoryAddressSpace, MemoryType, TensorClass};
use crate::ir::{MemoryLocation, MemoryLocationSet, Register, Storage, location_path};
use crate::{Error, ErrorCode, Result};

impl<'m, O: Output> Writer<'_, 'm, O> {
    pub(super) fn storage(&mut self, storage: &'m Storage) -> Result<()> {
        match (storage.as_set(), storage.as_register()) {
            (Some(set), _) => self.set(set),
            (_, Some(register)) => self.register(register),
            _ => Err(Error::new(ErrorCode::CorruptIr, "corrupt IR: a storage is neither set nor register")),
        }
    }

    fn register(&mut self, register: &'m Register) -> Result<()> {
        self.out.begin_object()?;
        self.word("Skind", "register")?;
        if let Some(dtype) = register.dtype()? {
            self.word("dtype", dtype.name())?;
        }
        self.text("name", &register.name())?;
        if register.num_physical_regs() != 1 || self.explicit {
            self.number("num_physical_regs", register.num_physical_regs().into())?;
        }
        self.word("origin", register.storage().origin()?.name())?;
        self.out.end_object()
    }

    fn set(&mut self, set: &'m MemoryLocationSet) -> Result<()> {
        self.out.begin_object()?;
        self.word("Skind", "memory_location_set")?;
        let space = set.addr_space()?;
        if space != MemoryAddressSpace::Local || self.explicit {
            self.word("addr_space", space.name())?;
        }
        self.verbatim_member("debug", &set.debug_json())?;
        self.flag("do_not_rotate", set.do_not_rotate())?;
        if !self.explicit {
            self.flag("do_not_spill", set.do_not_spill())?;
        }
        self.word("dtype", set.dtype()?.name())?;
        if !set.file().is_empty() || self.explicit {
            match (self.file)(set) {
                Some(file) => self.text("file", &file)?,
                None => self.text("file", &set.file())?,
            }
        }
        self.word("kind", set.kind()?.name())?;
        self.out.schema_key("memorylocations")?;
        self.out.begin_array()?;
        for location in set.locations() {
            self.location(location)?;
        }
        self.out.end_array()?;
        self.text("name", &set.storage().name())?;
        if self.explicit {
            self.flag("no_spill", set.do_not_spill())?;
        }
        self.word("origin", set.storage().origin()?.name())?;
        if set.partition_dim() != 0 || self.explicit {
            self.number("partition_dim", set.partition_dim().into())?;
        }
        let given = set.tensor_id_to_location_size();
        let has_ids = set.locations().all(|l| l.tensor_id() >= 0);
        if given != set.location_count() as i64 || (self.explicit && has_ids) {
            self.number("tensorId2MemLocSize", given)?;
        }
        let class = set.tensor_class()?;
        if class != TensorClass::Tensor || self.explicit {
            self.word("tensor_class", class.name())?;
        }
        if set.tensor_shape().len() > 0 || self.explicit {
            self.out.schema_key("tensor_shape")?;
            self.out.begin_array()?;
            for extent in set.tensor_shape() {
                self.out.u64(extent)?;
            }
            self.out.end_array()?;
        }
        self.flag("virtual", set.is_virtual())?;
        self.flag("volatile", set.is_volatile())?;
        self.out.end_object()
    }

    fn location(&mut self, location: &'m MemoryLocation) -> Result<()> {
        let explicit = self.explicit;
        let memory_type = location.memory_type()?;
        if location.pack_id_hint() != -1 && memory_type != MemoryType::PSUM {
            let message = format_args!("pack_id_hint of location `{}` only applies to PSUM", location.name());
            return Err(
                Error::new(ErrorCode::CorruptIr, message).at(format_args!("{}.pack_id_hint", location_path(location)))
            );
        }
        self.out.begin_object()?;
        self.word("Skind", "memory_location")?;
        if location.addr() != 0 || explicit {
            self.unsigned("addr", location.addr())?;
        }
        self.aliases(location)?;
        self.flag("allocated", location.is_allocated())?;
        if let Some(function) = location.alloced_func() {
            self.text("alloced_func", &function)?;
        }
        if location.bank() != 0 || explicit {
            self.number("bank", location.bank())?;
        }
        if location.base_partition() != 0 || explicit {
            self.unsigned("base", location.base_partition().into())?;
        }
        self.verbatim_member("device_print_metadata", &location.device_print_metadata_json())?;
        self.out.schema_key("dims")?;
        self.out.begin_array()?;
        for dim in location.dims() {
            self.out.u64(dim.into())?;
        }
        self.out.end_array()?;
        self.flag("is_shared_post_dram_alloc", location.is_shared_post_dram_alloc())?;
        self.flag("location_alt", location.location_alt())?;
        self.optional_id("memLocSetId", location.mem_loc_set_id())?;
        self.text("name", &location.name())?;
        self.names("optin_passes", location.optin_passes(), explicit)?;
        self.word("origin", location.origin()?.name())?;
        if location.pack_id_hint() != -1 || (explicit && memory_type == MemoryType::PSUM) {
            self.number("pack_id_hint", location.pack_id_hint().into())?;
        }
        self.flag("pinned", location.is_pinned())?;
        if let Some(target) = location.pointer_ref_memloc() {
            self.text("pointer_ref_memloc", &target.name())?;
        }
        if let Some((name, value)) = location.remote_local_target() {
            self.out.schema_key("remote_local_target")?;
            self.out.begin_array()?;
            self.out.string(&name)?;
            self.out.u64(value.into())?;
            self.out.end_array()?;
        }
        if let Some(function) = location.remote_writer_func() {
            self.text("remote_writer_func", &function)?;
        }
        self.flag("runtime_reserved", location.runtime_reserved())?;
        self.optional_id("table_entry_id", location.table_entry_id())?;
        if location.tensor_id() != -1 || explicit {
            self.number("tensor_id", location.tensor_id().into())?;
        }
        self.word("type", memory_type.name())?;
        self.flag("user_allocated", location.user_allocated())?;
        self.optional_id("var_id", location.var_id())?;
        self.flag("written_by_another_core", location.written_by_another_core())?;
        self.out.end_object()
    }

    /// Ids are written from 0 on (`spec/bir-json.md` section 7).
    fn optional_id(&mut self, key: &'static str, value: i32) -> Result<()> {
        if value >= 0 || self.explicit { self.number(key, value.into()) } else { Ok(()) }
    }

    fn aliases(&mut self, location: &'m MemoryLocation) -> Result<()> {
        let mut edges = alloc::vec::Vec::new();
        for (other, bits) in location.aliases() {
            let set = other.set().map_or(crate::mem::Str::EMPTY, |s| s.name());
            edges.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            edges.push((set, other.name(), bits));
        }
        if edges.is_empty() && !self.explicit {
            return Ok(());
        }
        // In memory they lie by address, which is chance.
        edges.sort();
        self.out.schema_key("alias")?;
        self.out.begin_array()?;
        for (set, name, bits) in edges {
            self.out.begin_array()?;
            self.out.string(&set)?;
            self.out.string(&name)?;
            self.out.u64(bits.into())?;
            self.out.end_array()?;
        }
        self.out.end_array()
    }
}

#[cfg(test)]
mod tests {
    use crate::ErrorCode;
    use crate::doc::{WriteOptions, write_json};
    use crate::enums::bir::{Dtype, MemoryType, TensorKind};
    use crate::ir::{Module, Place};
    use alloc::vec::Vec;

    /// No setter lets it come about, but another program may write into the memory.
    #[test]
    fn a_pack_hint_outside_psum_is_not_written() {
        let module = Module::new().unwrap();
        let function = module.add_function("f", Place::End).unwrap().object;
        function.add_register("r", Place::End).unwrap();
        let set = function.add_set("s", TensorKind::Internal, Dtype::int8, Place::End).unwrap().object;
        set.add_location("x", MemoryType::PSUM, Place::End).unwrap().object.set_pack_id_hint(2).unwrap();
        let y = set.add_location("y", MemoryType::SB, Place::End).unwrap().object;
        write_json(&module, &mut Vec::new(), &WriteOptions::default()).unwrap();
        y.pack_id_hint.set(3);
        let error = write_json(&module, &mut Vec::new(), &WriteOptions::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::CorruptIr);
        assert_eq!(error.path, "functions[0].allocations[1].memorylocations[1].pack_id_hint");
        assert_eq!(error.message, "pack_id_hint of location `y` only applies to PSUM");
    }
}
