//! Sets

use crate::boundary::{
    before_storage, copy_out, flag, live, member, object, offer, place, put, put_flag, put_text, slice, text,
};
use crate::types::{bir_error, bir_function, bir_location, bir_module, bir_set, bir_status, bir_storage, bir_string};
use core::ffi::c_char;

/// The set's name, unique in its function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_name(set: *const bir_set, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_text(out, object(set)?.name()) })
}

/// Gives the set another name. A name that is taken in its function becomes `<name>_<n>` with the smallest free n
/// from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_rename(
    set: *mut bir_set,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(set)?.storage().set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The set's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_id(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.storage().unique_id()) })
}

/// Where the set came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_origin(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.storage().origin()?.ordinal()) })
}

/// Sets where the set came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_origin(set: *mut bir_set, origin: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.storage().set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the set was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_module(set: *const bir_set, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(set)?.storage().module().map(Some)
    })
}

/// Whether the set is in its function now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_is_linked(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.storage().is_linked()) })
}

/// Whether the set was erased. It stays readable until the module is destroyed, but cannot be changed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_is_erased(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.storage().is_erased()) })
}

/// Takes the set out of its function. It keeps its name, its id and all that is in it, but gives no ids until it is
/// put back by bir_set_move(). Users keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_unlink(set: *mut bir_set, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(set)?.unlink() })
}

/// Puts the set into a function of its module, before a set or register or, for NULL, at the end; out of wherever it
/// was. If its name is taken there it is changed, see bir_set_rename(). renamed may be NULL. FOREIGN_MODULE if the
/// two belong to two modules, NOT_FOUND if before is elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_move(
    set: *mut bir_set,
    function: *mut bir_function,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(set)?.storage().move_to(object(function)?, before_storage(before)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the set, for good. Its locations go with it. STILL_REFERENCED if an operand or block argument uses it or
/// one of its locations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_erase(set: *mut bir_set, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(set)?.erase() })
}

/// The set as a storage: the same address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_as_storage(set: *const bir_set, err: *mut bir_error) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(Some(object(set)?.storage().base()))
    })
}

/// The function that owns the set; NULL when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_function(set: *const bir_set, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(set)?.storage().function())
    })
}

/// The set after this one in its function; NULL at the end. Takes time in proportion to the storages in between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_next(set: *const bir_set, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(core::iter::successors(object(set)?.storage().next(), |s| s.next()).find_map(|s| s.as_set()))
    })
}

/// The set before this one in its function; NULL at the start. Takes time in proportion to the storages in between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_prev(set: *const bir_set, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(core::iter::successors(object(set)?.storage().prev(), |s| s.prev()).find_map(|s| s.as_set()))
    })
}

/// Number of locations, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_location_count(
    set: *const bir_set,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(set)?.location_count()) })
}

/// The first of the locations; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_first_location(set: *const bir_set, err: *mut bir_error) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(set)?.locations().next())
    })
}

/// The last of the locations; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_last_location(set: *const bir_set, err: *mut bir_error) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(set)?.locations().next_back())
    })
}

/// The one of the locations with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_find_location(
    set: *const bir_set,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(set)?.find_location(text(name, name_len)?))
    })
}

/// Adds a location of a MemoryType (BIR_MEMORY_TYPE_*), before another one or, for NULL, at the end. A taken name is
/// changed, see bir_location_rename(). renamed may be NULL. UNKNOWN_ENUM for another memory type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_add_location(
    set: *mut bir_set,
    name: *const c_char,
    name_len: usize,
    memory_type: i32,
    before: *const bir_location,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_location {
    boundary!(err, pointer {
        let at = place(before);
        let placed = object(set)?.add_location(text(name, name_len)?, member(memory_type)?, at)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Element type: Dtype, BIR_DTYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_dtype(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.dtype()?.ordinal()) })
}

/// Sets what bir_set_dtype() tells. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_dtype(set: *mut bir_set, dtype: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_dtype(member(dtype)?);
        Ok(())
    })
}

/// Role at the module's boundary: TensorKind, BIR_TENSOR_KIND_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_kind(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.kind()?.ordinal()) })
}

/// Sets what bir_set_kind() tells. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_kind(set: *mut bir_set, kind: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_kind(member(kind)?);
        Ok(())
    })
}

/// TensorClass, BIR_TENSOR_CLASS_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_tensor_class(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.tensor_class()?.ordinal()) })
}

/// Sets what bir_set_tensor_class() tells. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_tensor_class(
    set: *mut bir_set,
    tensor_class: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(set)?.set_tensor_class(member(tensor_class)?);
        Ok(())
    })
}

/// MemoryAddressSpace, BIR_MEMORY_ADDRESS_SPACE_*; meaningful for DRAM only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_addr_space(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.addr_space()?.ordinal()) })
}

/// Sets what bir_set_addr_space() tells. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_addr_space(set: *mut bir_set, addr_space: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_addr_space(member(addr_space)?);
        Ok(())
    })
}

/// The tensor's shape, in elements, outermost first. *count is the number of dimensions; they are copied to out if
/// capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_shape(
    set: *const bir_set,
    out: *mut u64,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let set = object(set)?;
        copy_out(|| set.tensor_shape(), out, capacity, count)
    })
}

/// Sets the tensor's shape, in elements, outermost first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_shape(
    set: *mut bir_set,
    shape: *const u64,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(set)?.set_tensor_shape(slice(shape, count)?) })
}

/// Index of the dimension that is spread over partitions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_partition_dim(set: *const bir_set, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(set)?.partition_dim()) })
}

/// Sets what bir_set_partition_dim() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_partition_dim(
    set: *mut bir_set,
    partition_dim: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(set)?.set_partition_dim(partition_dim);
        Ok(())
    })
}

/// `tensorId2MemLocSize`: the number of locations, unless set to another number; -1 sets it back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_tensor_id_to_location_size(
    set: *const bir_set,
    out: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(set)?.tensor_id_to_location_size()) })
}

/// Sets what bir_set_tensor_id_to_location_size() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_tensor_id_to_location_size(
    set: *mut bir_set,
    tensor_id_to_location_size: i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(set)?.set_tensor_id_to_location_size(tensor_id_to_location_size);
        Ok(())
    })
}

/// Data file of a constant; empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_file(set: *const bir_set, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_text(out, object(set)?.file()) })
}

/// Sets the data file of a constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_file(
    set: *mut bir_set,
    file: *const c_char,
    file_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(set)?.set_file(text(file, file_len)?) })
}

/// The `debug` object, compact JSON as it was read; empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_debug(set: *const bir_set, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_text(out, object(set)?.debug_json()) })
}

/// Sets the `debug` object, a JSON object that is kept as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_debug(
    set: *mut bir_set,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(set)?.set_debug_json(text(json, json_len)?) })
}

/// Whether the set must never be spilled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_do_not_spill(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.do_not_spill()) })
}

/// Sets what bir_set_do_not_spill() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_do_not_spill(set: *mut bir_set, value: u8, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_do_not_spill(flag(value));
        Ok(())
    })
}

/// Whether the set's addresses must never rotate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_do_not_rotate(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.do_not_rotate()) })
}

/// Sets what bir_set_do_not_rotate() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_do_not_rotate(set: *mut bir_set, value: u8, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_do_not_rotate(flag(value));
        Ok(())
    })
}

/// Whether the set has no memory of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_is_virtual(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.is_virtual()) })
}

/// Sets what bir_set_is_virtual() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_virtual(set: *mut bir_set, value: u8, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_virtual(flag(value));
        Ok(())
    })
}

/// Whether the set may change behind the program's back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_is_volatile(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.is_volatile()) })
}

/// Sets what bir_set_is_volatile() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_volatile(set: *mut bir_set, value: u8, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_volatile(flag(value));
        Ok(())
    })
}

/// Whether a location of the set has an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_is_allocated(set: *const bir_set, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(set)?.is_allocated()) })
}

/// Sets what bir_set_is_allocated() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_set_set_allocated(set: *mut bir_set, value: u8, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(set)?.set_is_allocated(flag(value));
        Ok(())
    })
}
