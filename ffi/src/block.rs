//! Blocks and their holders

use crate::boundary::{live, member, object, object_or_none, offer, place, put, put_flag, put_text, text};
use crate::types::{
    bir_block, bir_block_arg, bir_block_holder, bir_error, bir_function, bir_inst, bir_module, bir_queue, bir_status,
    bir_string,
};
use bir_core::ir::HolderOwner;
use core::ffi::c_char;

/// The function that the holder is a part of; NULL if it is part of something else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_function(
    holder: *const bir_block_holder,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(match object(holder)?.part_of() {
            Some(HolderOwner::Function(function)) => Some(function),
            _ => None,
        })
    })
}

/// The queue that the holder is a part of; NULL if it is part of something else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_queue(
    holder: *const bir_block_holder,
    err: *mut bir_error,
) -> *mut bir_queue {
    boundary!(err, pointer {
        Ok(match object(holder)?.part_of() {
            Some(HolderOwner::Queue(queue)) => Some(queue),
            _ => None,
        })
    })
}

/// The instruction whose body the holder is; NULL if it is part of something else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_inst(holder: *const bir_block_holder, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(match object(holder)?.part_of() {
            Some(HolderOwner::Instruction(instruction)) => Some(instruction),
            _ => None,
        })
    })
}

/// Number of blocks, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_block_count(
    holder: *const bir_block_holder,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(holder)?.block_count()) })
}

/// The first of the blocks; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_first_block(
    holder: *const bir_block_holder,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(holder)?.blocks().next())
    })
}

/// The last of the blocks; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_last_block(
    holder: *const bir_block_holder,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(holder)?.blocks().next_back())
    })
}

/// The one of the blocks with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_find_block(
    holder: *const bir_block_holder,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(holder)?.find_block(text(name, name_len)?))
    })
}

/// The block with that name here or, failing that, in the holders around it, innermost first; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_find_block_outward(
    holder: *const bir_block_holder,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(holder)?.find_block_outward(text(name, name_len)?))
    })
}

/// The block with that name here or, failing that, in the bodies of the instructions below; NULL if there is none.
/// Takes time in proportion to the number of instructions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_find_block_below(
    holder: *const bir_block_holder,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(holder)?.find_block_below(text(name, name_len)?))
    })
}

/// Adds a block, before another one or, for NULL, at the end. A taken name is changed, see bir_block_rename().
/// renamed may be NULL. DETACHED below an unlinked function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_add_block(
    holder: *mut bir_block_holder,
    name: *const c_char,
    name_len: usize,
    before: *const bir_block,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        let placed = object(holder)?.add_block(text(name, name_len)?, place(before))?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// The first instruction of that name in program order, bodies of loops included; NULL if there is none. Takes time
/// in proportion to the number of blocks and of instructions with a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_find_inst(
    holder: *const bir_block_holder,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(holder)?.find_instruction(text(name, name_len)?))
    })
}

/// The instruction after another one in program order, bodies of loops included, or the first one for NULL; NULL at
/// the end. An instruction comes before those of its body. after must lie below the holder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_holder_next_inst(
    holder: *const bir_block_holder,
    after: *const bir_inst,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(holder)?.next_instruction(object_or_none(after)))
    })
}

/// The block's name, unique in its holder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_name(
    block: *const bir_block,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_text(out, object(block)?.name()) })
}

/// Gives the block another name. A name that is taken in its holder becomes `<name>_<n>` with the smallest free n
/// from 1 on (spec/layout.md section 3.2); *renamed then is 1, else 0. renamed may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_rename(
    block: *mut bir_block,
    name: *const c_char,
    name_len: usize,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(block)?.set_name(text(name, name_len)?)?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// The block's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_id(block: *const bir_block, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(block)?.unique_id()) })
}

/// Where the block came from: NamedObjectOrigin, BIR_NAMED_OBJECT_ORIGIN_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_origin(block: *const bir_block, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(block)?.origin()?.ordinal()) })
}

/// Sets where the block came from. UNKNOWN_ENUM for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_set_origin(block: *mut bir_block, origin: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        live(block)?.set_origin(member(origin)?);
        Ok(())
    })
}

/// The module that the block was made in, whether linked or not. DETACHED once it is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_module(block: *const bir_block, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(block)?.module().map(Some)
    })
}

/// Whether the block is in its holder now: 1, or 0 after an unlink or erase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_is_linked(block: *const bir_block, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(block)?.is_linked()) })
}

/// Whether the block was erased. It stays readable until the module is destroyed, but cannot be changed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_is_erased(block: *const bir_block, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(block)?.is_erased()) })
}

/// The block after this one in its holder; NULL at the end, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_next(block: *const bir_block, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(block)?.next())
    })
}

/// The block before this one in its holder; NULL at the start, and for one that is not linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_prev(block: *const bir_block, err: *mut bir_error) -> *mut bir_block {
    boundary!(err, pointer {
        Ok(object(block)?.prev())
    })
}

/// Takes the block out of its holder. It keeps its name, its id and all that is in it, but gives no ids until it is
/// put back by bir_block_move().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_unlink(block: *mut bir_block, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(block)?.unlink() })
}

/// Puts the block into a holder of its module, before another one or, for NULL, at the end; out of wherever it was.
/// If its name is taken there it is changed, see bir_block_rename(). renamed may be NULL. FOREIGN_MODULE if the two
/// belong to two modules, NOT_FOUND if before is elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_move(
    block: *mut bir_block,
    holder: *mut bir_block_holder,
    before: *const bir_block,
    renamed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let changed = live(block)?.move_to(object(holder)?, place(before))?;
        offer(renamed, u8::from(changed));
        Ok(())
    })
}

/// Erases the block, for good. Its instructions, their edges and its arguments go with it. Branch targets that name
/// it are the caller's to change first. STILL_REFERENCED as for the objects in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_erase(block: *mut bir_block, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(block)?.erase() })
}

/// The holder that the block is in; NULL when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_owner(block: *const bir_block, err: *mut bir_error) -> *mut bir_block_holder {
    boundary!(err, pointer {
        Ok(object(block)?.holder())
    })
}

/// The function around the block, loops in between included; NULL in a queue or when unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_function(block: *const bir_block, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(block)?.function())
    })
}

/// Number of instructions of the block itself, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_inst_count(
    block: *const bir_block,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(block)?.instruction_count()) })
}

/// The first of the instructions of the block itself; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_first_inst(block: *const bir_block, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(block)?.instructions().next())
    })
}

/// The last of the instructions of the block itself; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_last_inst(block: *const bir_block, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(block)?.instructions().next_back())
    })
}

/// The one of the instructions of the block itself with that name, in constant time; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_find_inst(
    block: *const bir_block,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(block)?.find_instruction(text(name, name_len)?))
    })
}

/// The instruction with that name here or, in a loop body, in the blocks around it, innermost first (spec/layout.md
/// section 7); NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_find_inst_outward(
    block: *const bir_block,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(block)?.find_instruction_outward(text(name, name_len)?))
    })
}

/// Adds an instruction of an opcode (InstructionType, BIR_INSTRUCTION_TYPE_*) with the defaults of its fields, before
/// another one or, for NULL, at the end. A taken name is changed, see bir_inst_rename(). renamed may be NULL.
/// UNKNOWN_ENUM for another opcode, DETACHED below something unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_add_inst(
    block: *mut bir_block,
    opcode: i32,
    name: *const c_char,
    name_len: usize,
    before: *const bir_inst,
    renamed: *mut u8,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        let at = place(before);
        let placed = object(block)?.add_instruction(member(opcode)?, text(name, name_len)?, at)?;
        offer(renamed, u8::from(placed.renamed));
        Ok(Some(placed.object))
    })
}

/// Number of block arguments. Takes time in proportion to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_arg_count(
    block: *const bir_block,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(block)?.argument_count()) })
}

/// The first block argument; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_first_arg(block: *const bir_block, err: *mut bir_error) -> *mut bir_block_arg {
    boundary!(err, pointer {
        Ok(object(block)?.first_argument())
    })
}

/// The last block argument; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_last_arg(block: *const bir_block, err: *mut bir_error) -> *mut bir_block_arg {
    boundary!(err, pointer {
        Ok(object(block)?.last_argument())
    })
}

/// The first block argument with that name; NULL if there is none. Takes time in proportion to their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_find_arg(
    block: *const bir_block,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_block_arg {
    boundary!(err, pointer {
        Ok(object(block)?.find_argument(text(name, name_len)?))
    })
}

/// Adds a block argument, bound to nothing, before another one or, for NULL, at the end. Names of block arguments are
/// not made unique.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_block_add_arg(
    block: *mut bir_block,
    name: *const c_char,
    name_len: usize,
    before: *const bir_block_arg,
    err: *mut bir_error,
) -> *mut bir_block_arg {
    boundary!(err, pointer {
        object(block)?.add_argument(text(name, name_len)?, place(before)).map(Some)
    })
}
