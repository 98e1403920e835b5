//! Instructions

use crate::boundary::{
    copy_out, copy_text_out, expressions, flag, handle, live, member, nothing_at, object, offer, optional_text, place,
    predicate_out, predicates_in, put, put_flag, put_optional_text, put_text, required, text, texts,
};
use crate::types::{
    bir_block, bir_block_holder, bir_error, bir_expr, bir_function, bir_inst, bir_module, bir_predicate, bir_status,
    bir_string,
};
use bir_core::{Error, ErrorCode};
use core::ffi::c_char;

/// The instruction's name, unique in its block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_name(inst: *const bir_inst, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_text(out, object(inst)?.name()) })
}

/// Gives the instruction another name. A name that is taken in its block becomes `<name>_<n>` with the smallest free
/// n from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_rename(
    inst: *mut bir_inst,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(inst)?.set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The instruction's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_id(inst: *const bir_inst, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(inst)?.unique_id()) })
}

/// Where the instruction came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_origin(inst: *const bir_inst, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(inst)?.origin()?.ordinal()) })
}

/// Sets where the instruction came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_origin(inst: *mut bir_inst, origin: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(inst)?.set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the instruction was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_module(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(inst)?.module().map(Some)
    })
}

/// Whether the instruction is in its block now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_is_linked(inst: *const bir_inst, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(inst)?.is_linked()) })
}

/// Whether the instruction was erased. It stays readable until the module is destroyed, but cannot be changed any
/// more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_is_erased(inst: *const bir_inst, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(inst)?.is_erased()) })
}

/// The instruction after this one in its block; NULL at the end, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_next(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(inst)?.next())
    })
}

/// The instruction before this one in its block; NULL at the start, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_prev(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(inst)?.prev())
    })
}

/// Takes the instruction out of its block. It keeps its name, its id and all that is in it, but gives no ids until it
/// is put back by bir_inst_move(). Its edges stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_unlink(inst: *mut bir_inst, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(inst)?.unlink() })
}

/// Puts the instruction into a block of its module, before another one or, for NULL, at the end; out of wherever it
/// was. If its name is taken there it is changed, see bir_inst_rename(). renamed may be NULL. FOREIGN_MODULE if the
/// two belong to two modules, BAD_VALUE if the block lies in the instruction itself, NOT_FOUND if before is
/// elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_move(
    inst: *mut bir_inst,
    block: *mut bir_block,
    before: *const bir_inst,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(inst)?.move_to(object(block)?, place(before))?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the instruction, for good. Its operands, its body and the edges to and from it go with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_erase(inst: *mut bir_inst, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(inst)?.erase() })
}

/// The opcode: InstructionType, BIR_INSTRUCTION_TYPE_*. CORRUPT_IR for a number that foreign code wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_opcode(inst: *const bir_inst, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(inst)?.opcode()?.ordinal()) })
}

/// The block that the instruction is in; NULL when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_block(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(inst)?.block())
    })
}

/// The function around the instruction, loops in between included; NULL in a queue or when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_function(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(inst)?.function())
    })
}

/// The instruction whose body this one is in; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_parent(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(inst)?.parent_instruction())
    })
}

/// The instruction's body, of Loop, DynamicForLoop, DMABlock and DoWhile; NULL for other opcodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_block_holder(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_block_holder {
    boundary!(err, pointer {
        Ok(object(inst)?.block_holder())
    })
}

/// Where the instruction is in its block, from 0. NOT_FOUND when unlinked. Takes time in proportion to the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_position(inst: *const bir_inst, out: *mut usize, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        let position = object(inst)?.position();
        put(out, position.ok_or_else(|| Error::new(ErrorCode::NotFound, "the instruction is in no block"))?)
    })
}

/// The instruction's path in a document, e.g. `functions[0].blocks[1].instructions[4]`, for messages. *len is its
/// length in bytes. The path is copied with a NUL if capacity, in bytes, is at least *len + 1; capacity 0 asks for
/// the length only; BAD_VALUE if it is between.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_path(
    inst: *const bir_inst,
    path: *mut c_char,
    capacity: usize,
    len: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { copy_text_out(&object(inst)?.path(), path, capacity, len) })
}

/// Engine: EngineType, BIR_ENGINE_TYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_engine(inst: *const bir_inst, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(inst)?.engine()?.ordinal()) })
}

/// Sets the engine. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_engine(inst: *mut bir_inst, engine: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(inst)?.set_engine(member(engine)?);
        Ok(())
    })
}

/// Which engine of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_engine_id(inst: *const bir_inst, out: *mut u32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(inst)?.engine_id()) })
}

/// Sets which engine of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_engine_id(
    inst: *mut bir_inst,
    engine_id: u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(inst)?.set_engine_id(engine_id);
        Ok(())
    })
}

/// Scheduled start and end, in cycles; 0 and 0 if not scheduled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_schedule(
    inst: *const bir_inst,
    start: *mut i64,
    end: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        required(start)?;
        required(end)?;
        put(start, inst.scheduled_start())?;
        put(end, inst.scheduled_end())
    })
}

/// Sets the scheduled start and end, in cycles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_schedule(
    inst: *mut bir_inst,
    start: i64,
    end: i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(inst)?.set_schedule(start, end) })
}

/// The `debug` object, compact JSON as it was read; data is NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_debug(
    inst: *const bir_inst,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_optional_text(out, object(inst)?.debug_json()) })
}

/// Sets the `debug` object, a JSON object that is kept as it is; NULL removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_debug(
    inst: *mut bir_inst,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(inst)?.set_debug_json(optional_text(json, json_len)?) })
}

/// Number of opt-in passes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_optin_pass_count(
    inst: *const bir_inst,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.optin_passes().count()) })
}

/// The name of an opt-in pass. NOT_FOUND past the end. Takes time in proportion to index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_optin_pass(
    inst: *const bir_inst,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        put_text(out, object(inst)?.optin_passes().nth(index).ok_or_else(|| nothing_at("opt-in pass", index))?)
    })
}

/// Replaces the names of the opt-in passes by copies of the texts given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_optin_passes(
    inst: *mut bir_inst,
    names: *const bir_string,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(inst)?.set_optin_passes(&texts(names, count)?) })
}

/// The predicates that guard the instruction. *count is their number; they are copied to out if capacity, in
/// elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_predicates(
    inst: *const bir_inst,
    out: *mut bir_predicate,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        copy_out(|| inst.predicates().map(predicate_out), out, capacity, count)
    })
}

/// Replaces the predicates. Their expressions must belong to the instruction's module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_predicates(
    inst: *mut bir_inst,
    predicates: *const bir_predicate,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = live(inst)?;
        inst.set_predicates(&predicates_in(inst.module()?, predicates, count)?)
    })
}

/// The `order` expressions. *count is their number; they are copied to out if capacity, in elements, is large enough;
/// capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_order(
    inst: *const bir_inst,
    out: *mut *mut bir_expr,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        copy_out(|| inst.order().map(|e| handle(e.root())), out, capacity, count)
    })
}

/// Replaces the `order` expressions, which must belong to the instruction's module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_order(
    inst: *mut bir_inst,
    order: *const *const bir_expr,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = live(inst)?;
        inst.set_order(&expressions(inst.module()?, order, count)?)
    })
}

/// `dma_trigger_debug_update_semaphore_id`: *present is 1 and *id the semaphore id, or *present is 0 and *id is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_debug_update_semaphore(
    inst: *const bir_inst,
    present: *mut u8,
    id: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(inst)?.debug_update_semaphore();
        required(id)?;
        put_flag(present, found.is_some())?;
        put(id, found.unwrap_or_default())
    })
}

/// Sets `dma_trigger_debug_update_semaphore_id`, or removes it if present is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_debug_update_semaphore(
    inst: *mut bir_inst,
    present: u8,
    id: u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(inst)?.set_debug_update_semaphore(flag(present).then_some(id)) })
}
