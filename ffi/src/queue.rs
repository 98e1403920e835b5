//! Queues

use crate::boundary::{live, member, object, offer, place, put, put_flag, put_text, text};
use crate::types::{bir_block, bir_block_holder, bir_error, bir_module, bir_queue, bir_status, bir_string};
use core::ffi::c_char;

/// The queue's name, unique in its module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_name(
    queue: *const bir_queue,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(queue)?.name()) })
}

/// Gives the queue another name. A name that is taken in its module becomes `<name>_<n>` with the smallest free n
/// from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_rename(
    queue: *mut bir_queue,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(queue)?.set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The queue's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_id(queue: *const bir_queue, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(queue)?.unique_id()) })
}

/// Where the queue came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_origin(queue: *const bir_queue, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(queue)?.origin()?.ordinal()) })
}

/// Sets where the queue came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_set_origin(queue: *mut bir_queue, origin: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(queue)?.set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the queue was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_module(queue: *const bir_queue, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(queue)?.module().map(Some)
    })
}

/// Whether the queue is in its module now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_is_linked(queue: *const bir_queue, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(queue)?.is_linked()) })
}

/// Whether the queue was erased. It stays readable until the module is destroyed, but cannot be changed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_is_erased(queue: *const bir_queue, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(queue)?.is_erased()) })
}

/// The queue after this one in its module; NULL at the end, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_next(queue: *const bir_queue, err: *mut bir_error) -> *mut bir_queue {
    boundary!(err, pointer {
        Ok(object(queue)?.next())
    })
}

/// The queue before this one in its module; NULL at the start, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_prev(queue: *const bir_queue, err: *mut bir_error) -> *mut bir_queue {
    boundary!(err, pointer {
        Ok(object(queue)?.prev())
    })
}

/// Takes the queue out of its module. It keeps its name, its id and all that is in it, but gives no ids until it is
/// put back by bir_queue_move().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_unlink(queue: *mut bir_queue, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(queue)?.unlink() })
}

/// Puts the queue at another place of its module, before another one or, for NULL, at the end; or back into it. If
/// its name is taken it is changed, see bir_queue_rename(). renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_move(
    queue: *mut bir_queue,
    before: *const bir_queue,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(queue)?.move_to(place(before))?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the queue, for good. Its blocks go with it. Fields of instructions that name it are the caller's to change
/// first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_erase(queue: *mut bir_queue, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(queue)?.erase() })
}

/// The queue's own part that holds its blocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_block_holder(queue: *const bir_queue, err: *mut bir_error) -> *mut bir_block_holder {
    boundary!(err, pointer {
        Ok(Some(object(queue)?.block_holder()))
    })
}

/// Number of blocks (queue instances), in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_block_count(
    queue: *const bir_queue,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(queue)?.block_count()) })
}

/// The first of the blocks (queue instances); NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_first_block(queue: *const bir_queue, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(queue)?.blocks().next())
    })
}

/// The last of the blocks (queue instances); NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_last_block(queue: *const bir_queue, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(queue)?.blocks().next_back())
    })
}

/// The one of the blocks (queue instances) with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_find_block(
    queue: *const bir_queue,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(queue)?.find_block(text(name, name_len)?))
    })
}

/// Adds a block, before another one or, for NULL, at the end. A taken name is changed, see bir_block_rename().
/// renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_add_block(
    queue: *mut bir_queue,
    name: *const c_char,
    name_len: usize,
    before: *const bir_block,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        let placed = object(queue)?.add_block(text(name, name_len)?, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// DMAQueueType, BIR_DMA_QUEUE_TYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_queue_type(
    queue: *const bir_queue,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(queue)?.queue_type()?.ordinal()) })
}

/// Sets what bir_queue_queue_type() tells. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_set_queue_type(
    queue: *mut bir_queue,
    queue_type: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(queue)?.set_queue_type(member(queue_type)?);
        Ok(())
    })
}

/// Engine that feeds the queue: EngineType, BIR_ENGINE_TYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_engine(queue: *const bir_queue, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(queue)?.engine()?.ordinal()) })
}

/// Sets what bir_queue_engine() tells. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_set_engine(queue: *mut bir_queue, engine: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(queue)?.set_engine(member(engine)?);
        Ok(())
    })
}

/// Which engine of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_engine_id(
    queue: *const bir_queue,
    out: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(queue)?.engine_id()) })
}

/// Sets what bir_queue_engine_id() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_set_engine_id(
    queue: *mut bir_queue,
    engine_id: u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(queue)?.set_engine_id(engine_id);
        Ok(())
    })
}

/// Number of DMA engines; 0 when not given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_num_dma_engines(
    queue: *const bir_queue,
    out: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(queue)?.num_dma_engines()) })
}

/// Sets what bir_queue_num_dma_engines() tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_set_num_dma_engines(
    queue: *mut bir_queue,
    num_dma_engines: u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(queue)?.set_num_dma_engines(num_dma_engines);
        Ok(())
    })
}

/// Attributes, one compact JSON object as it was read; empty if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_attributes(
    queue: *const bir_queue,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(queue)?.attributes_json()) })
}

/// Replaces the attributes by a JSON object that is kept as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_queue_set_attributes(
    queue: *mut bir_queue,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(queue)?.set_attributes_json(text(json, json_len)?) })
}
