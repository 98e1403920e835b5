//! Locations

use crate::boundary::{
    copy_out, flag, handle, live, member, nothing_at, object, object_or_none, offer, optional_text, place, put,
    put_flag, put_optional_text, put_text, required, slice, text, texts,
};
use crate::types::{bir_alias, bir_error, bir_location, bir_module, bir_set, bir_status, bir_storage, bir_string};
use bir_core::{Error, ErrorCode};
use core::ffi::c_char;

/// The location's name, unique in its set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_name(
    location: *const bir_location,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(location)?.name()) })
}

/// Gives the location another name. A name that is taken in its set becomes `<name>_<n>` with the smallest free n
/// from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_rename(
    location: *mut bir_location,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(location)?.set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The location's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_id(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.unique_id()) })
}

/// Where the location came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_origin(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.origin()?.ordinal()) })
}

/// Sets where the location came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_origin(
    location: *mut bir_location,
    origin: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the location was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_module(location: *const bir_location, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(location)?.module().map(Some)
    })
}

/// Whether the location is in its set now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_is_linked(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.is_linked()) })
}

/// Whether the location was erased. It stays readable until the module is destroyed, but cannot be changed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_is_erased(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.is_erased()) })
}

/// The location after this one in its set; NULL at the end, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_next(location: *const bir_location, err: *mut bir_error) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(location)?.next())
    })
}

/// The location before this one in its set; NULL at the start, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_prev(location: *const bir_location, err: *mut bir_error) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(location)?.prev())
    })
}

/// Takes the location out of its set. It keeps its name, its id and all that is in it, but gives no ids until it is
/// put back by bir_location_move(). Users keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_unlink(location: *mut bir_location, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(location)?.unlink() })
}

/// Puts the location into a set of its module, before another one or, for NULL, at the end; out of wherever it was.
/// It takes the set's kind, class and address space. If its name is taken there it is changed, see
/// bir_location_rename(). renamed may be NULL. FOREIGN_MODULE if the two belong to two modules, NOT_FOUND if before
/// is elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_move(
    location: *mut bir_location,
    set: *mut bir_set,
    before: *const bir_location,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(location)?.move_to(object(set)?, place(before))?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the location, for good. Its alias edges go with it. STILL_REFERENCED if an operand or block argument uses
/// it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_erase(location: *mut bir_location, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(location)?.erase() })
}

/// The location as a storage: the same address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_as_storage(
    location: *const bir_location,
    err: *mut bir_error,
) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(Some(object(location)?.base()))
    })
}

/// The set that owns the location; NULL when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set(location: *const bir_location, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(object(location)?.set())
    })
}

/// Memory type: MemoryType, BIR_MEMORY_TYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_memory_type(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.memory_type()?.ordinal()) })
}

/// Sets the memory type. UNKNOWN_ENUM for another number, BAD_VALUE if aliases need DRAM or a pack hint needs PSUM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_memory_type(
    location: *mut bir_location,
    memory_type: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_memory_type(member(memory_type)?) })
}

/// Sizes: partitions and bytes per partition in SB and PSUM; in DRAM their product is the size in bytes. *count is
/// their number; they are copied to out if capacity, in elements, is large enough; capacity 0 asks for the number
/// only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_dims(
    location: *const bir_location,
    out: *mut u32,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let location = object(location)?;
        copy_out(|| location.dims(), out, capacity, count)
    })
}

/// Sets the sizes, see bir_location_dims(). BAD_VALUE if their product does not fit 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_dims(
    location: *mut bir_location,
    dims: *const u32,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_dims(slice(dims, count)?) })
}

/// Size in bytes: the product of the sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_byte_size(
    location: *const bir_location,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.byte_size()) })
}

/// Address in bytes; per partition in SB and PSUM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_addr(
    location: *const bir_location,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.addr()) })
}

/// Sets what bir_location_addr() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_addr(
    location: *mut bir_location,
    addr: u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_addr(addr);
        Ok(())
    })
}

/// PSUM bank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_bank(
    location: *const bir_location,
    out: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.bank()) })
}

/// Sets what bir_location_bank() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_bank(
    location: *mut bir_location,
    bank: i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_bank(bank);
        Ok(())
    })
}

/// First partition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_base_partition(
    location: *const bir_location,
    out: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.base_partition()) })
}

/// Sets what bir_location_base_partition() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_base_partition(
    location: *mut bir_location,
    base_partition: u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_base_partition(base_partition);
        Ok(())
    })
}

/// Number in the set's table of tensor ids; -1 for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_tensor_id(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.tensor_id()) })
}

/// Sets what bir_location_tensor_id() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_tensor_id(
    location: *mut bir_location,
    tensor_id: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_tensor_id(tensor_id);
        Ok(())
    })
}

/// Variable id; -1 for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_var_id(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.var_id()) })
}

/// Sets what bir_location_var_id() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_var_id(
    location: *mut bir_location,
    var_id: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_var_id(var_id);
        Ok(())
    })
}

/// Table entry; -1 for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_table_entry_id(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.table_entry_id()) })
}

/// Sets what bir_location_table_entry_id() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_table_entry_id(
    location: *mut bir_location,
    table_entry_id: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_table_entry_id(table_entry_id);
        Ok(())
    })
}

/// `memLocSetId`; -1 for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_mem_loc_set_id(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.mem_loc_set_id()) })
}

/// Sets what bir_location_mem_loc_set_id() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_mem_loc_set_id(
    location: *mut bir_location,
    mem_loc_set_id: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_mem_loc_set_id(mem_loc_set_id);
        Ok(())
    })
}

/// Whether the location has an address; set to 1, its set has one too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_is_allocated(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.is_allocated()) })
}

/// Sets what bir_location_is_allocated() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_allocated(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_allocated(flag(value));
        Ok(())
    })
}

/// Whether the location must not be moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_is_pinned(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.is_pinned()) })
}

/// Sets what bir_location_is_pinned() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_pinned(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_pinned(flag(value)) })
}

/// Whether it is an alternative location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_location_alt(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.location_alt()) })
}

/// Sets what bir_location_location_alt() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_location_alt(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_location_alt(flag(value));
        Ok(())
    })
}

/// Whether another core writes the location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_written_by_another_core(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.written_by_another_core()) })
}

/// Sets what bir_location_written_by_another_core() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_written_by_another_core(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_written_by_another_core(flag(value));
        Ok(())
    })
}

/// Whether the location is shared after DRAM allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_is_shared_post_dram_alloc(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.is_shared_post_dram_alloc()) })
}

/// Sets what bir_location_is_shared_post_dram_alloc() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_is_shared_post_dram_alloc(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_is_shared_post_dram_alloc(flag(value));
        Ok(())
    })
}

/// Whether the runtime reserves the location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_runtime_reserved(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.runtime_reserved()) })
}

/// Sets what bir_location_runtime_reserved() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_runtime_reserved(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_runtime_reserved(flag(value));
        Ok(())
    })
}

/// Whether the user placed the location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_user_allocated(
    location: *const bir_location,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(location)?.user_allocated()) })
}

/// Sets what bir_location_user_allocated() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_user_allocated(
    location: *mut bir_location,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(location)?.set_user_allocated(flag(value));
        Ok(())
    })
}

/// PSUM packing hint; -1 for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_pack_id_hint(
    location: *const bir_location,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.pack_id_hint()) })
}

/// Sets the PSUM packing hint; -1 for none. BAD_VALUE for a hint on another memory type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_pack_id_hint(
    location: *mut bir_location,
    hint: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_pack_id_hint(hint) })
}

/// The location that a pointer tensor refers to; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_pointer_ref(
    location: *const bir_location,
    err: *mut bir_error,
) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(location)?.pointer_ref_memloc())
    })
}

/// Sets the location that a pointer tensor refers to, or removes it for NULL. BAD_VALUE unless the set's kind is
/// BIR_TENSOR_KIND_POINTER, FOREIGN_MODULE for a location of another module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_pointer_ref(
    location: *mut bir_location,
    target: *mut bir_location,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_pointer_ref_memloc(object_or_none(target)) })
}

/// Number of opt-in passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_optin_pass_count(
    location: *const bir_location,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(location)?.optin_passes().count()) })
}

/// The name of an opt-in pass. NOT_FOUND past the end. Takes time in proportion to index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_optin_pass(
    location: *const bir_location,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        put_text(out, object(location)?.optin_passes().nth(index).ok_or_else(|| nothing_at("opt-in pass", index))?)
    })
}

/// Replaces the names of the opt-in passes by copies of the texts given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_optin_passes(
    location: *mut bir_location,
    names: *const bir_string,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_optin_passes(&texts(names, count)?) })
}

/// The name of the function that allocated the location; data is NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_alloced_func(
    location: *const bir_location,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_optional_text(out, object(location)?.alloced_func()) })
}

/// Sets the name of the function that allocated the location; NULL removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_alloced_func(
    location: *mut bir_location,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_alloced_func(optional_text(name, name_len)?) })
}

/// The name of the function of another core that writes the location; data is NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_remote_writer_func(
    location: *const bir_location,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_optional_text(out, object(location)?.remote_writer_func()) })
}

/// Sets the name of the function of another core that writes the location; NULL removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_remote_writer_func(
    location: *mut bir_location,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_remote_writer_func(optional_text(name, name_len)?) })
}

/// Name and number of the remote local target; data is NULL and the number 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_remote_local_target(
    location: *const bir_location,
    name: *mut bir_string,
    value: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (found, number) = object(location)?.remote_local_target().unzip();
        required(value)?;
        put_optional_text(name, found)?;
        put(value, number.unwrap_or_default())
    })
}

/// Sets name and number of the remote local target; a NULL name removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_remote_local_target(
    location: *mut bir_location,
    name: *const c_char,
    name_len: usize,
    value: u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let name = optional_text(name, name_len)?;
        live(location)?.set_remote_local_target(name.map(|name| (name, value)))
    })
}

/// Device print metadata, compact JSON as it was read; empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_device_print_metadata(
    location: *const bir_location,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(location)?.device_print_metadata_json()) })
}

/// Sets the device print metadata, a JSON object that is kept as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_set_device_print_metadata(
    location: *mut bir_location,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.set_device_print_metadata_json(text(json, json_len)?) })
}

/// The alias edges. *count is their number; they are copied to out, in an order that means nothing, if capacity, in
/// elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_aliases(
    location: *const bir_location,
    out: *mut bir_alias,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let location = object(location)?;
        let alias = |(other, bits)| bir_alias { location: handle(Some(other)), bits };
        copy_out(|| location.aliases().map(alias), out, capacity, count)
    })
}

/// Adds an alias edge to both ends; bits (1 to 7, BIR_ALIAS_KIND_*) are or-ed to those that are there. BAD_VALUE for
/// other bits, an end that is not DRAM, or an edge to itself; FOREIGN_MODULE for two modules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_add_alias(
    location: *mut bir_location,
    other: *mut bir_location,
    bits: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(location)?.add_alias(object(other)?, bits) })
}

/// Removes the alias edge from both ends. *removed is 1 if there was one, else 0; it may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_location_remove_alias(
    location: *mut bir_location,
    other: *mut bir_location,
    removed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (location, other) = (live(location)?, live(other)?);
        if !core::ptr::eq(location.module()?, other.module()?) {
            let message = format_args!("location `{}` belongs to another module", other.name());
            return Err(Error::new(ErrorCode::ForeignModule, message));
        }
        let found = location.remove_alias(other);
        offer(removed, u8::from(found));
        Ok(())
    })
}
