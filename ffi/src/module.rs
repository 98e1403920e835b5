//! Modules

use crate::boundary::{any, member, object, offer, place, put, put_text, required, text};
use crate::types::{
    BIR_OBJECT_BLOCK, BIR_OBJECT_FUNCTION, BIR_OBJECT_INST, BIR_OBJECT_LOCATION, BIR_OBJECT_NONE, BIR_OBJECT_OPERAND,
    BIR_OBJECT_QUEUE, BIR_OBJECT_REGISTER, BIR_OBJECT_SET, bir_error, bir_function, bir_function_holder, bir_module,
    bir_queue, bir_status, bir_string,
};
use bir_core::ir::from_address;
use bir_core::ir::{IdObject, Module};
use core::ffi::{c_char, c_void};
use core::ptr::NonNull;

/// An empty module; its first id will be 0. It belongs to the caller, who frees it with bir_module_destroy().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_create(err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        // SAFETY: a module that was given up lives until it is taken back by `bir_module_destroy`.
        Module::new().map(|module| Some(unsafe { module.into_address().as_ref() }))
    })
}

/// Frees the module with all its objects and texts. NULL is allowed and does nothing. No pointer to anything in the module
/// may be used afterwards. Never fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_destroy(module: *mut bir_module) {
    let destroy = || {
        if let Some(address) = NonNull::new(module.cast()) {
            // SAFETY: the caller's promise: the module is live and from `bir_module_create`, which gave it up.
            drop(unsafe { from_address(address) });
        }
        Ok(())
    };
    crate::boundary::status(core::ptr::null_mut(), destroy);
}

/// Hardware generation: ArchLevel, BIR_ARCH_LEVEL_*. A new module has gen3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_arch(module: *const bir_module, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(module)?.arch()?.ordinal()) })
}

/// Sets the hardware generation. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_set_arch(module: *mut bir_module, arch: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        object(module)?.set_arch(member(arch)?);
        Ok(())
    })
}

/// Hardware revision: ArchRevision, BIR_ARCH_REVISION_*. A new module has v1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_revision(
    module: *const bir_module,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.revision()?.ordinal()) })
}

/// Sets the hardware revision. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_set_revision(
    module: *mut bir_module,
    revision: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        object(module)?.set_revision(member(revision)?);
        Ok(())
    })
}

/// The next id that will be given out (spec/layout.md section 4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_next_id(
    module: *const bir_module,
    out: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.next_unique_id()) })
}

/// The artifact path; empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_artifact_path(
    module: *const bir_module,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(module)?.artifact_path()) })
}

/// Sets the artifact path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_set_artifact_path(
    module: *mut bir_module,
    path: *const c_char,
    path_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { object(module)?.set_artifact_path(text(path, path_len)?) })
}

/// Artifact info, compact JSON; empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_artifact_info(
    module: *const bir_module,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(module)?.artifact_info()) })
}

/// Sets the artifact info, a JSON object that is kept as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_set_artifact_info(
    module: *mut bir_module,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { object(module)?.set_artifact_info(text(json, json_len)?) })
}

/// Module attributes, one compact JSON object whose keys are names of ModuleAttribute; empty if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_attributes(
    module: *const bir_module,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(module)?.attributes_json()) })
}

/// Replaces the module attributes by a JSON object whose keys are names of ModuleAttribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_set_attributes(
    module: *mut bir_module,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { object(module)?.set_attributes_json(text(json, json_len)?) })
}

/// Bytes of the module's memory that are in use. Memory is only given back with the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_memory_used(
    module: *const bir_module,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.arena()?.used_bytes()) })
}

/// Bytes that the module took from the system, unused ones included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_memory_reserved(
    module: *const bir_module,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.arena()?.reserved_bytes()) })
}

/// The limit of the module's memory in use, in bytes; UINT64_MAX if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_memory_limit(
    module: *const bir_module,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.arena()?.limit().unwrap_or(u64::MAX)) })
}

/// Sets the limit of the module's memory in use, in bytes; UINT64_MAX lifts it. What would exceed it fails with
/// OUT_OF_MEMORY and changes nothing; what is in use stays valid, even above the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_set_memory_limit(
    module: *mut bir_module,
    bytes: u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        object(module)?.arena()?.set_limit((bytes != u64::MAX).then_some(bytes));
        Ok(())
    })
}

/// Sets the C++ vtable that instructions made from now on get for an opcode (InstructionType,
/// BIR_INSTRUCTION_TYPE_*); NULL for none. The library stores the address and never follows it; it must stay valid as
/// long as C++ code uses the module. UNKNOWN_ENUM for another opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_register_vtable(
    module: *mut bir_module,
    opcode: i32,
    vtable: *const c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { object(module)?.register_vtable(member(opcode)?, vtable.cast()) })
}

/// The object with an id: *kind is BIR_OBJECT_*, *address its address; BIR_OBJECT_NONE and NULL if there is none, or
/// it is not in the module now. The first call walks the module once, later ones take constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_find_by_id(
    module: *mut bir_module,
    id: i32,
    kind: *mut i32,
    address: *mut *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(kind)?;
        required(address)?;
        let (number, found) = match object(module)?.find_by_id(id)? {
            None => (BIR_OBJECT_NONE, core::ptr::null_mut()),
            Some(IdObject::Function(o)) => (BIR_OBJECT_FUNCTION, any(o)),
            Some(IdObject::BasicBlock(o)) => (BIR_OBJECT_BLOCK, any(o)),
            Some(IdObject::Instruction(o)) => (BIR_OBJECT_INST, any(o)),
            Some(IdObject::Storage(o)) if o.as_register().is_some() => (BIR_OBJECT_REGISTER, any(o)),
            Some(IdObject::Storage(o)) => (BIR_OBJECT_SET, any(o)),
            Some(IdObject::MemoryLocation(o)) => (BIR_OBJECT_LOCATION, any(o)),
            Some(IdObject::DMAQueue(o)) => (BIR_OBJECT_QUEUE, any(o)),
            Some(IdObject::Argument(o)) => (BIR_OBJECT_OPERAND, any(o)),
        };
        put(kind, number)?;
        put(address, found)
    })
}

/// The holder of the ordinary functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_function_holder(
    module: *const bir_module,
    err: *mut bir_error,
) -> *mut bir_function_holder {
    boundary!(err, pointer {
        Ok(Some(object(module)?.function_holder()))
    })
}

/// The holder of the NKI functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_nki_holder(
    module: *const bir_module,
    err: *mut bir_error,
) -> *mut bir_function_holder {
    boundary!(err, pointer {
        object(module)?.nki_holder().map(Some)
    })
}

/// Number of ordinary functions, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_function_count(
    module: *const bir_module,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.function_count()) })
}

/// The first of the ordinary functions; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_first_function(
    module: *const bir_module,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(module)?.functions().next())
    })
}

/// The last of the ordinary functions; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_last_function(module: *const bir_module, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(module)?.functions().next_back())
    })
}

/// The one of the ordinary functions with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_find_function(
    module: *const bir_module,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(module)?.find_function(text(name, name_len)?))
    })
}

/// Adds an ordinary function, before another one or, for NULL, at the end. A taken name is changed, see
/// bir_function_rename(). renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_add_function(
    module: *mut bir_module,
    name: *const c_char,
    name_len: usize,
    before: *const bir_function,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        let placed = object(module)?.add_function(text(name, name_len)?, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Number of queues, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_queue_count(
    module: *const bir_module,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(module)?.queue_count()) })
}

/// The first of the queues; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_first_queue(module: *const bir_module, err: *mut bir_error) -> *mut bir_queue {
    boundary!(err, pointer {
        Ok(object(module)?.queues().next())
    })
}

/// The last of the queues; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_last_queue(module: *const bir_module, err: *mut bir_error) -> *mut bir_queue {
    boundary!(err, pointer {
        Ok(object(module)?.queues().next_back())
    })
}

/// The one of the queues with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_find_queue(
    module: *const bir_module,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_queue {
    boundary!(err, pointer {
        Ok(object(module)?.find_queue(text(name, name_len)?))
    })
}

/// Adds a queue of a DMAQueueType (BIR_DMA_QUEUE_TYPE_*), before another one or, for NULL, at the end. A queue is
/// known by its name; a taken one is changed, see bir_queue_rename(). renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_add_queue(
    module: *mut bir_module,
    name: *const c_char,
    name_len: usize,
    queue_type: i32,
    before: *const bir_queue,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_queue {
    boundary!(err, pointer {
        let at = place(before);
        let placed = object(module)?.add_queue(text(name, name_len)?, member(queue_type)?, at)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}
