//! Functions and their holders

use crate::boundary::{
    before_storage, live, member, nothing_at, object, object_or_none, offer, place, put, put_flag, put_text, text,
    texts,
};
use crate::types::{
    bir_block, bir_block_holder, bir_error, bir_function, bir_function_holder, bir_inst, bir_location, bir_module,
    bir_register, bir_set, bir_status, bir_storage, bir_string,
};
use core::ffi::c_char;

/// The module of the holder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_holder_module(
    holder: *const bir_function_holder,
    err: *mut bir_error,
) -> *mut bir_module {
    boundary!(err, pointer {
        Ok(object(holder)?.module())
    })
}

/// Number of functions, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_holder_function_count(
    holder: *const bir_function_holder,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(holder)?.function_count()) })
}

/// The first of the functions; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_holder_first_function(
    holder: *const bir_function_holder,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(holder)?.functions().next())
    })
}

/// The last of the functions; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_holder_last_function(
    holder: *const bir_function_holder,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(holder)?.functions().next_back())
    })
}

/// The one of the functions with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_holder_find_function(
    holder: *const bir_function_holder,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(holder)?.find_function(text(name, name_len)?))
    })
}

/// Adds a function, before another one or, for NULL, at the end. A taken name is changed, see bir_function_rename().
/// renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_holder_add_function(
    holder: *mut bir_function_holder,
    name: *const c_char,
    name_len: usize,
    before: *const bir_function,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        let placed = object(holder)?.add_function(text(name, name_len)?, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// The function's name, unique in its holder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_name(
    function: *const bir_function,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(function)?.name()) })
}

/// Gives the function another name. A name that is taken in its holder becomes `<name>_<n>` with the smallest free n
/// from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_rename(
    function: *mut bir_function,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(function)?.set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The function's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_id(
    function: *const bir_function,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.unique_id()) })
}

/// Where the function came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_origin(
    function: *const bir_function,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.origin()?.ordinal()) })
}

/// Sets where the function came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_set_origin(
    function: *mut bir_function,
    origin: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(function)?.set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the function was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_module(function: *const bir_function, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(function)?.module().map(Some)
    })
}

/// Whether the function is in its holder now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_is_linked(
    function: *const bir_function,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(function)?.is_linked()) })
}

/// Whether the function was erased. It stays readable until the module is destroyed, but cannot be changed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_is_erased(
    function: *const bir_function,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(function)?.is_erased()) })
}

/// The function after this one in its holder; NULL at the end, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_next(function: *const bir_function, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(function)?.next())
    })
}

/// The function before this one in its holder; NULL at the start, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_prev(function: *const bir_function, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(function)?.prev())
    })
}

/// Takes the function out of its holder. It keeps its name, its id and all that is in it, but gives no ids until it
/// is put back by bir_function_move().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_unlink(function: *mut bir_function, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(function)?.unlink() })
}

/// Puts the function into a holder of its module, before another one or, for NULL, at the end; out of wherever it
/// was. If its name is taken there it is changed, see bir_function_rename(). renamed may be NULL. FOREIGN_MODULE if
/// the two belong to two modules, NOT_FOUND if before is elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_move(
    function: *mut bir_function,
    holder: *mut bir_function_holder,
    before: *const bir_function,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(function)?.move_to(object(holder)?, place(before))?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the function, for good. Its blocks and storages go with it. STILL_REFERENCED if operands elsewhere (in
/// queues) use its locations; nothing is erased then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_erase(function: *mut bir_function, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(function)?.erase() })
}

/// The holder that the function is in; NULL when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_owner(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_function_holder {
    boundary!(err, pointer {
        Ok(object(function)?.holder())
    })
}

/// The function's own part that holds its blocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_block_holder(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_block_holder {
    boundary!(err, pointer {
        Ok(Some(object(function)?.block_holder()))
    })
}

/// Number of blocks of the function itself, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_block_count(
    function: *const bir_function,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.block_count()) })
}

/// The first of the blocks of the function itself; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_first_block(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(function)?.blocks().next())
    })
}

/// The last of the blocks of the function itself; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_last_block(function: *const bir_function, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(function)?.blocks().next_back())
    })
}

/// The one of the blocks of the function itself with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_find_block(
    function: *const bir_function,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(function)?.find_block(text(name, name_len)?))
    })
}

/// Adds a block, before another one or, for NULL, at the end. A taken name is changed, see bir_block_rename().
/// renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_add_block(
    function: *mut bir_function,
    name: *const c_char,
    name_len: usize,
    before: *const bir_block,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        let placed = object(function)?.add_block(text(name, name_len)?, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// The first instruction of that name in program order, bodies of loops included; NULL if there is none. Names are
/// unique per block only, so there may be more. Takes time in proportion to the number of blocks and of instructions
/// with a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_find_inst(
    function: *const bir_function,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(function)?.find_instruction(text(name, name_len)?))
    })
}

/// The instruction after another one in program order, bodies of loops included, or the first one for NULL; NULL at
/// the end. An instruction comes before those of its body. after must lie in the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_next_inst(
    function: *const bir_function,
    after: *const bir_inst,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(function)?.block_holder().next_instruction(object_or_none(after)))
    })
}

/// Number of the function's attributes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_attribute_count(
    function: *const bir_function,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.attributes().count()) })
}

/// An attribute, a name of FunctionAttribute as it was given. NOT_FOUND past the end. Takes time in proportion to
/// index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_attribute(
    function: *const bir_function,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let attribute = object(function)?.attributes().nth(index).ok_or_else(|| nothing_at("attribute", index))?;
        put_text(out, attribute)
    })
}

/// Replaces the attributes by copies of the texts given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_set_attributes(
    function: *mut bir_function,
    names: *const bir_string,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(function)?.set_attributes(&texts(names, count)?) })
}

/// Number of sets and registers, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_storage_count(
    function: *const bir_function,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.storage_count()) })
}

/// The first of the sets and registers; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_first_storage(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(object(function)?.storages().next().map(|s| s.base()))
    })
}

/// The last of the sets and registers; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_last_storage(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(object(function)?.storages().next_back().map(|s| s.base()))
    })
}

/// The one of the sets and registers with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_find_storage(
    function: *const bir_function,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(object(function)?.find_storage(text(name, name_len)?).map(|s| s.base()))
    })
}

/// Number of sets. Takes time in proportion to the number of storages.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_set_count(
    function: *const bir_function,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.sets().count()) })
}

/// The first set; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_first_set(function: *const bir_function, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(object(function)?.sets().next())
    })
}

/// The last set; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_last_set(function: *const bir_function, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(object(function)?.sets().next_back())
    })
}

/// The set with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_find_set(
    function: *const bir_function,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(object(function)?.find_set(text(name, name_len)?))
    })
}

/// Adds a set of a TensorKind (BIR_TENSOR_KIND_*) and Dtype (BIR_DTYPE_*), before a set or register or, for NULL, at
/// the end. A taken name is changed, see bir_set_rename(). renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_add_set(
    function: *mut bir_function,
    name: *const c_char,
    name_len: usize,
    kind: i32,
    dtype: i32,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_set {
    boundary!(err, pointer {
        let (kind, dtype, at) = (member(kind)?, member(dtype)?, before_storage(before)?);
        let placed = object(function)?.add_set(text(name, name_len)?, kind, dtype, at)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Number of registers. Takes time in proportion to the number of storages.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_register_count(
    function: *const bir_function,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(function)?.registers().count()) })
}

/// The first register; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_first_register(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(object(function)?.registers().next())
    })
}

/// The last register; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_last_register(
    function: *const bir_function,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(object(function)?.registers().next_back())
    })
}

/// The register with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_find_register(
    function: *const bir_function,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(object(function)?.find_register(text(name, name_len)?))
    })
}

/// Adds a register, before a set or register or, for NULL, at the end. A taken name is changed, see
/// bir_register_rename(). renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_add_register(
    function: *mut bir_function,
    name: *const c_char,
    name_len: usize,
    before: *const bir_storage,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        let placed = object(function)?.add_register(text(name, name_len)?, before_storage(before)?)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// The first location of that name, sets in order; NULL if there is none. Takes time in proportion to the number of
/// sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_function_find_location(
    function: *const bir_function,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(function)?.find_location(text(name, name_len)?))
    })
}
