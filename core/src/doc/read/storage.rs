//! Allocations: sets with their locations, and registers.
#![forbid(unsafe_code)]

use super::super::input::{Input, Number, ValueKind};
use super::{Reader, address, unresolved};
use crate::enums::bir::{Dtype, MemoryAddressSpace, MemoryType, TensorClass, TensorKind};
use crate::enums::id;
use crate::fallible::push;
use crate::ir::{Function, MemoryLocation, MemoryLocationSet, Place};
use crate::{Error, ErrorCode, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// What locations refer to, resolved when all locations of the function exist.
struct Late<'m> {
    /// Index of the set that is being read.
    set: usize,
    aliases: Vec<Alias<'m>>,
    pointers: Vec<Pointer<'m>>,
}

/// Where a location stands in its function: the indices of its set and of itself.
type Site = [usize; 2];

/// A `pointer_ref_memloc`.
struct Pointer<'m> {
    from: &'m MemoryLocation,
    target: String,
    site: Site,
    offset: u64,
}

/// An entry of `alias`: `[set, location, bits]` or the older `[location, bits]`.
struct Alias<'m> {
    from: &'m MemoryLocation,
    set: Option<String>,
    target: String,
    bits: u8,
    site: Site,
    index: usize,
    offset: u64,
}

impl<'a, 'm, I: Input<'a>> Reader<'_, 'a, 'm, I> {
    pub(super) fn allocations(&mut self, function: &'m Function) -> Result<()> {
        let mut late = Late { set: 0, aliases: Vec::new(), pointers: Vec::new() };
        self.array(|r, index| {
            late.set = index;
            r.look()?;
            r.leaf(|r| r.allocation(function, &mut late))
        })?;
        self.resolve_storage(function, late)
    }

    fn allocation(&mut self, function: &'m Function, late: &mut Late<'m>) -> Result<()> {
        let [skind, locations] = self.scan(["Skind", "memorylocations"])?;
        let kind = match skind {
            Some(mark) => Some(self.at_mark(mark, |r| r.under("Skind", |r| r.string()))?),
            None => None,
        };
        match kind.as_deref() {
            Some("register") => self.register(function),
            Some("memory_location_set") => self.set(function, late),
            None if locations.is_some() => self.set(function, late),
            None => self.register(function),
            Some(other) => {
                let error = Error::new(ErrorCode::UnknownEnum, "unknown storage kind")
                    .expected_found("`memory_location_set` or `register`", format_args!("`{other}`"));
                match skind {
                    Some(mark) => self.at_mark(mark, |r| r.under("Skind", |r| Err(r.place(error)))),
                    None => Err(self.place(error)),
                }
            }
        }
    }

    fn resolve_storage(&mut self, function: &'m Function, late: Late<'m>) -> Result<()> {
        for pointer in late.pointers {
            self.location_by_name(function, None, &pointer.target)
                .ok_or_else(|| unresolved("location", &pointer.target))
                .and_then(|target| pointer.from.set_pointer_ref_memloc(Some(target)))
                .map_err(|e| self.late_storage(e, pointer.site, "pointer_ref_memloc", None, pointer.offset))?;
        }
        for alias in late.aliases {
            let other = self.location_by_name(function, alias.set.as_deref(), &alias.target).ok_or_else(|| {
                let target = &alias.target;
                let message = format_args!("alias to a location that was not read: there is no location `{target}`");
                Error::new(ErrorCode::UnresolvedRef, message)
                    .expected_found("the name of a location", "none of that name")
            });
            other
                .and_then(|other| alias.from.add_alias(other, alias.bits))
                .map_err(|e| self.late_storage(e, alias.site, "alias", Some(alias.index), alias.offset))?;
        }
        Ok(())
    }

    /// An error at a key of a location of the allocations that have been read, or at an element of it.
    fn late_storage(
        &mut self,
        error: Error,
        [set, location]: Site,
        key: &'static str,
        element: Option<usize>,
        offset: u64,
    ) -> Error {
        self.path.push_index(set);
        self.path.push_key("memorylocations");
        self.path.push_index(location);
        self.path.push_key(key);
        if let Some(element) = element {
            self.path.push_index(element);
        }
        error.at(&self.path).at_position(self.input.position_of(offset))
    }

    fn register(&mut self, function: &'m Function) -> Result<()> {
        let [name] = self.scan(["name"])?;
        let name = self.required("name", name, |r| r.string())?;
        let placed = function.add_register(&name, Place::End).map_err(|e| self.place(e))?;
        let register = placed.object;
        if placed.renamed {
            self.storage_renamed(function, &name, register.storage())?;
        }
        self.object(|r, key| match &*key {
            "Skind" | "name" => r.input.skip(),
            "origin" => r.under("origin", |r| r.origin().map(|o| register.storage().set_origin(o))),
            "dtype" => r.under("dtype", |r| {
                let dtype = r.enum_value(id::DTYPE)?;
                register.set_dtype(Some(Dtype::from_ordinal(dtype)?));
                Ok(())
            }),
            "num_physical_regs" => r.under("num_physical_regs", |r| r.i32().map(|v| register.set_num_physical_regs(v))),
            _ => r.unknown_key(&key),
        })
    }

    fn storage_renamed(&mut self, function: &'m Function, name: &str, storage: &'m crate::ir::Storage) -> Result<()> {
        self.storages.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.storages.insert(address(storage), storage);
        self.renamed(address(function), name, address(storage), &storage.name())
    }

    fn set(&mut self, function: &'m Function, late: &mut Late<'m>) -> Result<()> {
        let start = self.input.mark();
        let [name, kind, dtype, locations] = self.scan(["name", "kind", "dtype", "memorylocations"])?;
        let name = self.required("name", name, |r| r.string())?;
        let kind = self.required("kind", kind, |r| r.enum_value(id::TENSOR_KIND))?;
        let dtype = self.required("dtype", dtype, |r| r.enum_value(id::DTYPE))?;
        if locations.is_none() {
            return Err(self.missing("memorylocations"));
        }
        let placed = function
            .add_set(&name, TensorKind::from_ordinal(kind)?, Dtype::from_ordinal(dtype)?, Place::End)
            .map_err(|e| self.place(e))?;
        let set = placed.object;
        if placed.renamed {
            self.storage_renamed(function, &name, set.storage())?;
        }
        let mut id_table = None;
        self.object(|r, key| match &*key {
            "Skind" | "name" | "kind" | "dtype" => r.input.skip(),
            "origin" => r.under("origin", |r| r.origin().map(|o| set.storage().set_origin(o))),
            "tensor_shape" => r.under("tensor_shape", |r| {
                let shape = r.list(Self::u64)?;
                set.set_tensor_shape(&shape).map_err(|e| r.place(e))
            }),
            "partition_dim" => r.under("partition_dim", |r| r.i32().map(|v| set.set_partition_dim(v))),
            "tensor_class" => r.under("tensor_class", |r| {
                let class = r.enum_value(id::TENSOR_CLASS)?;
                set.set_tensor_class(TensorClass::from_ordinal(class)?);
                Ok(())
            }),
            "addr_space" => r.under("addr_space", |r| {
                let space = r.enum_value(id::MEMORY_ADDRESS_SPACE)?;
                set.set_addr_space(MemoryAddressSpace::from_ordinal(space)?);
                Ok(())
            }),
            "memorylocations" => r.under("memorylocations", |r| r.array(|r, index| r.location(set, index, late))),
            "tensorId2MemLocSize" => r.under("tensorId2MemLocSize", |r| {
                id_table = Some(r.integer(0, i64::MAX.into())? as i64);
                Ok(())
            }),
            "file" => r.under("file", |r| {
                let file = r.string()?;
                set.set_file(&file).map_err(|e| r.place(e))
            }),
            "no_spill" => r.under("no_spill", |r| r.bool().map(|v| set.set_do_not_spill(v || set.do_not_spill()))),
            "do_not_spill" => {
                r.under("do_not_spill", |r| r.bool().map(|v| set.set_do_not_spill(v || set.do_not_spill())))
            }
            "do_not_rotate" => r.under("do_not_rotate", |r| r.bool().map(|v| set.set_do_not_rotate(v))),
            "virtual" => r.under("virtual", |r| r.bool().map(|v| set.set_virtual(v))),
            "volatile" => r.under("volatile", |r| r.bool().map(|v| set.set_volatile(v))),
            "debug" => r.under("debug", |r| {
                let debug = r.verbatim_object()?;
                set.set_debug_json(&debug).map_err(|e| r.place(e))
            }),
            _ => r.unknown_key(&key),
        })?;
        if let Some(size) = id_table {
            self.check_id_table(set, size, start)?;
        }
        Ok(())
    }

    /// The id table of a set needs an id for every location.
    fn check_id_table(&mut self, set: &'m MemoryLocationSet, size: i64, start: I::Mark) -> Result<()> {
        if size > 0 {
            if let Some((index, location)) = set.locations().enumerate().find(|(_, l)| l.tensor_id() < 0) {
                let message = format_args!("location `{}` has no tensor id: unassigned tensor id", location.name());
                let error = Error::new(ErrorCode::BadValue, message)
                    .expected_found("a tensor_id of 0 or more", location.tensor_id());
                return self.fault_in_location(start, index, error);
            }
        }
        if size != set.location_count() as i64 {
            set.set_tensor_id_to_location_size(size);
        }
        Ok(())
    }

    /// Puts an error at the tensor id of a location, or at the location if none is given: reads the set at `start` again.
    fn fault_in_location(&mut self, start: I::Mark, wanted: usize, error: Error) -> Result<()> {
        let mut error = Some(error);
        let locations = self.at_mark(start, |r| r.scan(["memorylocations"]))?;
        let [Some(locations)] = locations else { return Err(self.missing("memorylocations")) };
        self.at_mark(locations, |r| {
            r.under("memorylocations", |r| {
                r.array(|r, index| {
                    let Some(error) = error.take_if(|_| index == wanted) else { return r.input.skip() };
                    match r.scan(["tensor_id"])? {
                        [Some(id)] => r.at_mark(id, |r| r.under("tensor_id", |r| Err(r.place(error)))),
                        [None] => Err(r.place(error)),
                    }
                })
            })
        })
    }

    fn location(&mut self, set: &'m MemoryLocationSet, index: usize, late: &mut Late<'m>) -> Result<()> {
        let site = [late.set, index];
        let [name, memory_type, dims] = self.scan(["name", "type", "dims"])?;
        let name = self.required("name", name, |r| r.string())?;
        let memory_type = self.required("type", memory_type, |r| r.enum_value(id::MEMORY_TYPE))?;
        if dims.is_none() {
            return Err(self.missing("dims"));
        }
        let placed =
            set.add_location(&name, MemoryType::from_ordinal(memory_type)?, Place::End).map_err(|e| self.place(e))?;
        let location = placed.object;
        if placed.renamed {
            self.locations.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            self.locations.insert(address(location), location);
            self.renamed(address(set), &name, address(location), &location.name())?;
        }
        self.object(|r, key| match &*key {
            "name" | "type" => r.input.skip(),
            "Skind" => r.under("Skind", |r| match &*r.string()? {
                "memory_location" => Ok(()),
                other => Err(r
                    .error(ErrorCode::UnknownEnum, "unknown storage kind")
                    .expected_found("`memory_location`", format_args!("`{other}`"))),
            }),
            "origin" => r.under("origin", |r| r.origin().map(|o| location.set_origin(o))),
            "optin_passes" => r.under("optin_passes", |r| {
                let names = r.strings()?;
                location.set_optin_passes(&names).map_err(|e| r.place(e))
            }),
            "dims" => r.under("dims", |r| {
                let dims = r.list(Self::u32)?;
                location.set_dims(&dims).map_err(|e| r.place(e))
            }),
            "addr" => r.under("addr", |r| r.u64().map(|v| location.set_addr(v))),
            "base" => r.under("base", |r| r.u32().map(|v| location.set_base_partition(v))),
            "bank" => r.under("bank", |r| r.i64().map(|v| location.set_bank(v))),
            "allocated" => r.under("allocated", |r| r.bool().map(|v| location.set_allocated(v))),
            "user_allocated" => r.under("user_allocated", |r| r.bool().map(|v| location.set_user_allocated(v))),
            "pinned" => r.under("pinned", |r| {
                let pinned = r.bool()?;
                location.set_pinned(pinned).map_err(|e| r.place(e))
            }),
            "tensor_id" => r.under("tensor_id", |r| r.i32().map(|v| location.set_tensor_id(v))),
            "var_id" => r.under("var_id", |r| r.i32().map(|v| location.set_var_id(v))),
            "table_entry_id" => r.under("table_entry_id", |r| r.i32().map(|v| location.set_table_entry_id(v))),
            "memLocSetId" => r.under("memLocSetId", |r| r.i32().map(|v| location.set_mem_loc_set_id(v))),
            "pack_id_hint" => r.under("pack_id_hint", |r| {
                let hint = r.i32()?;
                location.set_pack_id_hint(hint).map_err(|e| r.place(e))
            }),
            "pointer_ref_memloc" => r.under("pointer_ref_memloc", |r| {
                let target = r.string()?.into_owned();
                let offset = r.at;
                push(&mut late.pointers, Pointer { from: location, target, site, offset })
            }),
            "alias" => r.under("alias", |r| r.aliases(location, site, late)),
            "alloced_func" => r.under("alloced_func", |r| {
                let name = r.string()?;
                location.set_alloced_func(Some(&name)).map_err(|e| r.place(e))
            }),
            "remote_writer_func" => r.under("remote_writer_func", |r| {
                let name = r.string()?;
                location.set_remote_writer_func(Some(&name)).map_err(|e| r.place(e))
            }),
            "remote_local_target" => r.under("remote_local_target", |r| r.remote_local_target(location)),
            "location_alt" => r.under("location_alt", |r| r.bool().map(|v| location.set_location_alt(v))),
            "written_by_another_core" => {
                r.under("written_by_another_core", |r| r.bool().map(|v| location.set_written_by_another_core(v)))
            }
            "is_shared_post_dram_alloc" => {
                r.under("is_shared_post_dram_alloc", |r| r.bool().map(|v| location.set_is_shared_post_dram_alloc(v)))
            }
            "runtime_reserved" => r.under("runtime_reserved", |r| r.bool().map(|v| location.set_runtime_reserved(v))),
            "device_print_metadata" => r.under("device_print_metadata", |r| {
                let text = r.verbatim_object()?;
                location.set_device_print_metadata_json(&text).map_err(|e| r.place(e))
            }),
            _ => r.unknown_key(&key),
        })
    }

    /// `[name, number]`.
    fn remote_local_target(&mut self, location: &'m MemoryLocation) -> Result<()> {
        let (mut name, mut value, mut count) = (None, 0, 0);
        self.array(|r, index| {
            count += 1;
            match index {
                0 => name = Some(r.string()?),
                1 => value = r.u32()?,
                _ => r.input.skip()?,
            }
            Ok(())
        })?;
        let (Some(name), 2) = (name, count) else {
            return Err(self
                .error(ErrorCode::WrongType, "")
                .expected_found("[name, number]", format_args!("{count} elements")));
        };
        location.set_remote_local_target(Some((&name, value))).map_err(|e| self.place(e))
    }

    /// `[set, location, bits]` or the older `[location, bits]`.
    fn aliases(&mut self, location: &'m MemoryLocation, site: Site, late: &mut Late<'m>) -> Result<()> {
        self.expect_kind_as(ValueKind::Array, "an array of aliases")?;
        self.array(|r, index| {
            let mut names: Vec<String> = Vec::new();
            let mut bits = None;
            r.array(|r, _| {
                match r.input.peek()? {
                    ValueKind::String => push(&mut names, r.string()?.into_owned())?,
                    _ => bits = Some(r.alias_bits()?),
                }
                Ok(())
            })?;
            let count = names.len();
            let mut names = names.into_iter();
            let (set, target) = match (count, names.next(), names.next()) {
                (2, set, Some(target)) => (set, target),
                (1, Some(target), None) => (None, target),
                _ => {
                    let expected = "[set, location, bits] or [location, bits]";
                    let error = r.error(ErrorCode::WrongType, "");
                    return Err(error.expected_found(expected, format_args!("{count} names")));
                }
            };
            let Some(bits) = bits else {
                let expected = "[set, location, bits] or [location, bits]";
                return Err(r.error(ErrorCode::WrongType, "").expected_found(expected, "no bits"));
            };
            push(&mut late.aliases, Alias { from: location, set, target, bits, site, index, offset: r.at })
        })
    }

    /// Any kind of number, or a boolean; three bits, not all zero.
    fn alias_bits(&mut self) -> Result<u8> {
        let found = match self.input.peek()? {
            ValueKind::Bool => Number::U64(self.input.bool()?.into()),
            _ => {
                self.expect_kind(ValueKind::Number)?;
                self.input.number()?
            }
        };
        let bits = match found {
            Number::U64(v) => u8::try_from(v).ok(),
            Number::F64(v) if f64::from(v as u8) == v => Some(v as u8),
            _ => None,
        };
        bits.filter(|b| (1..=7).contains(b)).ok_or_else(|| {
            self.error(ErrorCode::BadValue, "the bits of an alias do not fit three bits")
                .expected_found("1 to 7", found)
        })
    }

    /// The location that a name in the document means: in a set, or in the sets of the function in order.
    pub(super) fn location_by_name(
        &self,
        function: &'m Function,
        set: Option<&str>,
        name: &str,
    ) -> Option<&'m MemoryLocation> {
        let in_set = |set: &'m MemoryLocationSet| {
            let found = set.find_location(name);
            let object = self.original(address(set), name, found.map(address))?;
            found.filter(|f| address(*f) == object).or_else(|| self.locations.get(&object).copied())
        };
        match set {
            Some(set) => in_set(self.set_by_name(function, set)?),
            None => function.sets().find_map(in_set),
        }
    }

    pub(super) fn storage_by_name(&self, function: &'m Function, name: &str) -> Option<&'m crate::ir::Storage> {
        let found = function.find_storage(name);
        let object = self.original(address(function), name, found.map(address))?;
        found.filter(|f| address(*f) == object).or_else(|| self.storages.get(&object).copied())
    }

    pub(super) fn set_by_name(&self, function: &'m Function, name: &str) -> Option<&'m MemoryLocationSet> {
        self.storage_by_name(function, name)?.as_set()
    }
}
