//! Semaphores

use crate::boundary::{flag, handle, live, member, nothing_at, object, object_or_none, put, put_flag, required};
use crate::types::{bir_error, bir_inst, bir_status, bir_update, bir_wait};
use bir_core::ir::{Update, Wait};

/// Whether the instruction has sync information, be it empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_has_sync_info(
    inst: *const bir_inst,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(inst)?.has_sync_info()) })
}

/// Makes sync information exist, be it empty (1), or removes it with all waits and updates (0).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_sync_info(inst: *mut bir_inst, value: u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(inst)?.set_sync_info(flag(value)) })
}

/// Number of waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_wait_count(
    inst: *const bir_inst,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.waits().count()) })
}

/// A wait, in the order added. NOT_FOUND past the end. Takes time in proportion to index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_wait(
    inst: *const bir_inst,
    index: usize,
    out: *mut bir_wait,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let wait = object(inst)?.waits().nth(index).ok_or_else(|| nothing_at("wait", index))?;
        let Wait { id, value, mode, sync_type, from } = wait;
        put(out, bir_wait { id, value, mode: mode.ordinal(), sync_type, from: handle(from) })
    })
}

/// Adds a copy of a wait; sync information comes into being with it. UNKNOWN_ENUM for another mode, FOREIGN_MODULE
/// for a producer of another module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_wait(
    inst: *mut bir_inst,
    wait: *const bir_wait,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(wait.cast_mut())?;
        let bir_wait { id, value, mode, sync_type, from } = wait.read();
        live(inst)?.add_wait(Wait { id, value, mode: member(mode)?, sync_type, from: object_or_none(from) })
    })
}

/// Sets the producer of a wait, or removes it for NULL. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_wait_producer(
    inst: *mut bir_inst,
    index: usize,
    from: *mut bir_inst,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        match live(inst)?.set_wait_producer(index, object_or_none(from))? {
            true => Ok(()),
            false => Err(nothing_at("wait", index)),
        }
    })
}

/// Number of updates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_update_count(
    inst: *const bir_inst,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.updates().count()) })
}

/// An update, in the order added. NOT_FOUND past the end. Takes time in proportion to index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_update(
    inst: *const bir_inst,
    index: usize,
    out: *mut bir_update,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let update = object(inst)?.updates().nth(index).ok_or_else(|| nothing_at("update", index))?;
        let Update { id, value, mode, sync_type, target_core } = update;
        put(
            out,
            bir_update {
                id,
                value,
                mode: mode.ordinal(),
                sync_type,
                has_target_core: u8::from(target_core.is_some()),
                target_core: target_core.unwrap_or_default(),
            },
        )
    })
}

/// Adds a copy of an update; sync information comes into being with it. UNKNOWN_ENUM for another mode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_update(
    inst: *mut bir_inst,
    update: *const bir_update,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(update.cast_mut())?;
        let bir_update { id, value, mode, sync_type, has_target_core, target_core } = update.read();
        let target_core = flag(has_target_core).then_some(target_core);
        live(inst)?.add_update(Update { id, value, mode: member(mode)?, sync_type, target_core })
    })
}
