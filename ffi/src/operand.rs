//! Operands

use crate::boundary::{
    collect, copy_out, expression, expressions, flag, handle, live, member, object, object_or_none, operand_list,
    place, put, put_flag, required, slice,
};
use crate::types::{
    bir_dim, bir_dynamic_ap, bir_error, bir_expr, bir_function, bir_inst, bir_location, bir_module, bir_operand,
    bir_register, bir_set, bir_status, bir_storage, bir_term,
};
use bir_core::ir::{APPair, Argument, DynamicAPINFO, DynamicSpec, OperandList, OperandSpec};
use bir_core::{Error, ErrorCode, Result};

fn not_a(what: &str) -> Error {
    Error::new(ErrorCode::WrongKind, format_args!("the operand is no {what}"))
}

fn dim(pair: APPair) -> bir_dim {
    bir_dim { step: pair.step, num: pair.num }
}

fn dynamic(operand: &Argument) -> Result<&DynamicAPINFO> {
    operand.dynamic().ok_or_else(|| Error::new(ErrorCode::NotFound, "the operand has no run-time part"))
}

/// Number of operands in a list: InstructionArgumentType, BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT for `ins`,
/// _INDIRECTIONARGUMENT for `indirection_ins`, _OUTPUT for `outs`. BAD_VALUE for another number. Takes time in
/// proportion to the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_operand_count(
    inst: *const bir_inst,
    list: i32,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.operand_count(operand_list(list)?)) })
}

/// The first operand of a list; NULL if there is none. BAD_VALUE for another list number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_first_operand(
    inst: *const bir_inst,
    list: i32,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(inst)?.operands(operand_list(list)?).next())
    })
}

/// The last operand of a list; NULL if there is none. BAD_VALUE for another list number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_last_operand(
    inst: *const bir_inst,
    list: i32,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(inst)?.operands(operand_list(list)?).next_back())
    })
}

/// The operand at index of a list; NULL past the end. BAD_VALUE for another list number. Takes time in proportion to
/// index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_operand(
    inst: *const bir_inst,
    list: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(inst)?.operand(operand_list(list)?, index))
    })
}

/// Adds a pattern over a location (`physical_ap`), before another one of the list or, for NULL, at the end: dtype is
/// Dtype, BIR_DTYPE_*; dims are 1 to 5 dimensions, outermost (partition) first; offset counts elements. BAD_VALUE for
/// another number of dimensions, FOREIGN_MODULE for a location of another module, NOT_FOUND if before is elsewhere,
/// DETACHED below something unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_physical_ap(
    inst: *mut bir_inst,
    list: i32,
    location: *mut bir_location,
    dtype: i32,
    dims: *const bir_dim,
    dim_count: usize,
    offset: u64,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let pattern = crate::boundary::dims(dims, dim_count)?;
        let spec = OperandSpec::Physical { location: object(location)?, dtype: member(dtype)?, pattern, offset };
        object(inst)?.add_operand(operand_list(list)?, &spec, place(before)).map(Some)
    })
}

/// Adds a pattern over a set with symbolic addresses (`symbolic_ap`), before another one of the list or, for NULL, at
/// the end. addrs are addr_count expressions of the module; for the others see bir_inst_add_physical_ap().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_symbolic_ap(
    inst: *mut bir_inst,
    list: i32,
    set: *mut bir_set,
    dtype: i32,
    dims: *const bir_dim,
    dim_count: usize,
    addrs: *const *const bir_expr,
    addr_count: usize,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let inst = live(inst)?;
        let pattern = crate::boundary::dims(dims, dim_count)?;
        let addrs = expressions(inst.module()?, addrs, addr_count)?;
        let spec = OperandSpec::Symbolic { set: object(set)?, dtype: member(dtype)?, pattern, addrs: &addrs };
        inst.add_operand(operand_list(list)?, &spec, place(before)).map(Some)
    })
}

/// Adds a pattern over a set at an address in registers (`register_ap`), before another one of the list or, for NULL,
/// at the end: regref is `regref`, offset_register `reg_ap_offset` and sub_tensor_register `reg_sub_tensor_id`, of
/// which the last two may be NULL; for the others see bir_inst_add_physical_ap().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_register_ap(
    inst: *mut bir_inst,
    list: i32,
    set: *mut bir_set,
    dtype: i32,
    dims: *const bir_dim,
    dim_count: usize,
    regref: *mut bir_register,
    offset_register: *mut bir_register,
    sub_tensor_register: *mut bir_register,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let spec = OperandSpec::RegisterPattern {
            set: object(set)?,
            dtype: member(dtype)?,
            pattern: crate::boundary::dims(dims, dim_count)?,
            register: object(regref)?,
            offset_register: object_or_none(offset_register),
            sub_tensor_register: object_or_none(sub_tensor_register),
        };
        object(inst)?.add_operand(operand_list(list)?, &spec, place(before)).map(Some)
    })
}

/// Adds an immediate value (`imm_value`) to `ins`, before another one of the list or, for NULL, at the end: bits
/// holds the value's bits in its low end, as wide as dtype (Dtype, BIR_DTYPE_*). UNSUPPORTED for a dtype that an
/// immediate cannot have (fp8, fp4, float32r).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_immediate(
    inst: *mut bir_inst,
    dtype: i32,
    bits: u64,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let spec = OperandSpec::Immediate { dtype: member(dtype)?, bits };
        object(inst)?.add_operand(OperandList::Ins, &spec, place(before)).map(Some)
    })
}

/// Adds a symbolic immediate (`symbolic_imm_value`) to `ins`, before another one of the list or, for NULL, at the
/// end: values are the bits of the listed values, expr the expression. UNSUPPORTED as bir_inst_add_immediate().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_symbolic_immediate(
    inst: *mut bir_inst,
    dtype: i32,
    values: *const u64,
    value_count: usize,
    expr: *const bir_expr,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let inst = live(inst)?;
        let expr = expression(inst.module()?, expr)?;
        let spec = OperandSpec::SymbolicImmediate { dtype: member(dtype)?, values: slice(values, value_count)?, expr };
        inst.add_operand(OperandList::Ins, &spec, place(before)).map(Some)
    })
}

/// Adds an immediate array (`imm_array`) to `ins`, before another one of the list or, for NULL, at the end.
/// UNSUPPORTED as bir_inst_add_immediate().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_immediate_array(
    inst: *mut bir_inst,
    dtype: i32,
    values: *const i64,
    value_count: usize,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let spec = OperandSpec::ImmediateArray { dtype: member(dtype)?, values: slice(values, value_count)? };
        object(inst)?.add_operand(OperandList::Ins, &spec, place(before)).map(Some)
    })
}

/// Adds a register itself (`register_access`), before another one of the list or, for NULL, at the end: dtype is
/// Dtype, BIR_DTYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_register(
    inst: *mut bir_inst,
    list: i32,
    reg: *mut bir_register,
    dtype: i32,
    before: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_operand {
    boundary!(err, pointer {
        let spec = OperandSpec::Register { register: object(reg)?, dtype: member(dtype)? };
        object(inst)?.add_operand(operand_list(list)?, &spec, place(before)).map(Some)
    })
}

/// The operand's class: ArgumentKind, BIR_ARGUMENT_KIND_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_kind(
    operand: *const bir_operand,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(operand)?.kind()?.ordinal()) })
}

/// The operand's id, unique in the module and never given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_id(operand: *const bir_operand, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(operand)?.unique_id()) })
}

/// The module of the operand. DETACHED once it or its instruction is erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_module(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_module {
    boundary!(err, pointer {
        object(operand)?.module().map(Some)
    })
}

/// Whether the operand was erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_is_erased(
    operand: *const bir_operand,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(operand)?.is_erased()) })
}

/// The instruction that the operand belongs to, or belonged to before it was erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_inst(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_inst {
    boundary!(err, pointer {
        Ok(object(operand)?.instruction())
    })
}

/// The function around the operand; NULL in a queue or below something unlinked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_function(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_function {
    boundary!(err, pointer {
        Ok(object(operand)?.function())
    })
}

/// The list that the operand is in: InstructionArgumentType, BIR_INSTRUCTION_ARGUMENT_TYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_list(
    operand: *const bir_operand,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(operand)?.list() as i32) })
}

/// The operand after this one in its list; NULL at the end, and once erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_next(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(operand)?.next())
    })
}

/// The operand before this one in its list; NULL at the start, and once erased.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_prev(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_operand {
    boundary!(err, pointer {
        Ok(object(operand)?.prev())
    })
}

/// Whether the operand writes its storage, which those in `outs` do; the others read it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_is_output(
    operand: *const bir_operand,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(operand)?.is_output()) })
}

/// Whether the operand is an immediate: value, symbolic value or array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_is_immediate(
    operand: *const bir_operand,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(operand)?.is_immediate()) })
}

/// Whether the operand is marked active.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_is_active(
    operand: *const bir_operand,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(operand)?.is_active()) })
}

/// Element type: Dtype, BIR_DTYPE_*.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_dtype(
    operand: *const bir_operand,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(operand)?.dtype()?.ordinal()) })
}

/// Sets the element type. UNKNOWN_ENUM for another number, UNSUPPORTED for one that an immediate cannot have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_dtype(
    operand: *mut bir_operand,
    dtype: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_dtype(member(dtype)?) })
}

/// The storage that the operand is bound to; NULL for immediates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_storage(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_storage {
    boundary!(err, pointer {
        Ok(object(operand)?.storage())
    })
}

/// Binds the operand to another storage of the class that it has now; the use lists follow. WRONG_KIND for another
/// class or an immediate, FOREIGN_MODULE for a storage of another module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_storage(
    operand: *mut bir_operand,
    storage: *mut bir_storage,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_storage(object(storage)?) })
}

/// The location of a physical pattern; NULL for other operands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_location(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_location {
    boundary!(err, pointer {
        Ok(object(operand)?.memory_location())
    })
}

/// The set of the operand: its own, or that of its location; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set(operand: *const bir_operand, err: *mut bir_error) -> *mut bir_set {
    boundary!(err, pointer {
        Ok(object(operand)?.memory_location_set())
    })
}

/// The dimensions of a pattern, outermost (partition) first; none for other operands. *count is their number; they
/// are copied to out if capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_dims(
    operand: *const bir_operand,
    out: *mut bir_dim,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = object(operand)?;
        copy_out(|| operand.pattern().map(dim), out, capacity, count)
    })
}

/// Replaces the 1 to 5 dimensions of a pattern. WRONG_KIND for another operand, BAD_VALUE for another number of
/// dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_dims(
    operand: *mut bir_operand,
    dims: *const bir_dim,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_pattern(crate::boundary::dims(dims, count)?) })
}

/// The access shape of a pattern, in elements; often empty, and empty for other operands. *count is its length; it is
/// copied to out if capacity, in elements, is large enough; capacity 0 asks for the length only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_access_shape(
    operand: *const bir_operand,
    out: *mut u64,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = object(operand)?;
        copy_out(|| operand.access_shape(), out, capacity, count)
    })
}

/// Replaces the access shape of a pattern, in elements. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_access_shape(
    operand: *mut bir_operand,
    shape: *const u64,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_access_shape(slice(shape, count)?) })
}

/// The offset of a physical pattern, in elements. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_offset(
    operand: *const bir_operand,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(operand)?.offset().ok_or_else(|| not_a("physical_ap"))?) })
}

/// Sets the offset of a physical pattern, in elements. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_offset(
    operand: *mut bir_operand,
    offset: u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_offset(offset) })
}

/// The run-time part of a physical pattern. NOT_FOUND if there is none, and for other operands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_dynamic(
    operand: *const bir_operand,
    out: *mut bir_dynamic_ap,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let info = dynamic(object(operand)?)?;
        let indirect_dim = info.indirect_dim()?.ordinal();
        put(out, bir_dynamic_ap { c: info.c(), indirect_dim, indirect_dim_max_index: info.indirect_dim_max_index() })
    })
}

/// The pattern that the run-time part of a physical pattern really accesses. *count is the number of dimensions; they
/// are copied to out if capacity, in elements, is large enough; capacity 0 asks for the number only. NOT_FOUND if
/// there is no run-time part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_dynamic_dims(
    operand: *const bir_operand,
    out: *mut bir_dim,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let info = dynamic(object(operand)?)?;
        copy_out(|| info.actual_ap().map(dim), out, capacity, count)
    })
}

/// The terms of the address in the run-time part of a physical pattern, factors in elements. *count is their number;
/// they are copied to out if capacity, in elements, is large enough; capacity 0 asks for the number only. NOT_FOUND
/// if there is no run-time part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_dynamic_terms(
    operand: *const bir_operand,
    out: *mut bir_term,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let info = dynamic(object(operand)?)?;
        copy_out(|| info.terms().map(|(e, coeff)| bir_term { expr: handle(e.root()), coeff }), out, capacity, count)
    })
}

/// Gives a physical pattern a run-time part: dims is the pattern that is really accessed, terms are those of the
/// address, in elements. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_dynamic(
    operand: *mut bir_operand,
    dynamic: *const bir_dynamic_ap,
    dims: *const bir_dim,
    dim_count: usize,
    terms: *const bir_term,
    term_count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = live(operand)?;
        let module = operand.module()?;
        required(dynamic.cast_mut())?;
        let given = dynamic.read();
        let terms = slice(terms, term_count)?;
        let term = |t: &bir_term| {
            // A term without an expression has no meaning, though an expression may be absent elsewhere.
            required(t.expr)?;
            Ok((expression(module, t.expr)?, t.coeff))
        };
        let terms = collect(terms.iter().map(term), term_count)?;
        operand.set_dynamic(Some(&DynamicSpec {
            actual_ap: crate::boundary::dims(dims, dim_count)?,
            aff_expr: &terms,
            c: given.c,
            indirect_dim: member(given.indirect_dim)?,
            indirect_dim_max_index: given.indirect_dim_max_index,
        }))
    })
}

/// Removes the run-time part of a physical pattern. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_clear_dynamic(operand: *mut bir_operand, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(operand)?.set_dynamic(None) })
}

/// The address expressions of a symbolic pattern; none for other operands. *count is their number; they are copied to
/// out if capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_addrs(
    operand: *const bir_operand,
    out: *mut *mut bir_expr,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = object(operand)?;
        copy_out(|| operand.addrs().map(|e| handle(e.root())), out, capacity, count)
    })
}

/// Replaces the address expressions of a symbolic pattern. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_addrs(
    operand: *mut bir_operand,
    addrs: *const *const bir_expr,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = live(operand)?;
        operand.set_addrs(&expressions(operand.module()?, addrs, count)?)
    })
}

/// `tensor_indirect_arg_id` and `num_tensor_indirect_indices` of a symbolic pattern; -1 and 0 when unset. WRONG_KIND
/// for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_tensor_indirection(
    operand: *const bir_operand,
    arg_id: *mut i32,
    indices: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (found_id, found_indices) = object(operand)?.tensor_indirection().ok_or_else(|| not_a("symbolic_ap"))?;
        required(indices)?;
        put(arg_id, found_id)?;
        put(indices, found_indices)
    })
}

/// Sets `tensor_indirect_arg_id` and `num_tensor_indirect_indices` of a symbolic pattern. WRONG_KIND for another
/// operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_tensor_indirection(
    operand: *mut bir_operand,
    arg_id: i32,
    indices: i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_tensor_indirection(arg_id, indices) })
}

/// Whether documents spell the symbolic pattern `symbolic_pwap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_is_spelled_pwap(
    operand: *const bir_operand,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_flag(out, object(operand)?.is_spelled_pwap()) })
}

/// Sets whether documents spell the symbolic pattern `symbolic_pwap`. Other operands are left as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_spelled_pwap(
    operand: *mut bir_operand,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        live(operand)?.set_spelled_pwap(flag(value));
        Ok(())
    })
}

/// A register of a register pattern: 0 `regref`, 1 `reg_ap_offset`, 2 `reg_sub_tensor_id`; or, at 0, that of a
/// register operand. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_register(
    operand: *const bir_operand,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(object(operand)?.register(index))
    })
}

/// Sets a register of a register pattern, see bir_operand_register(), or removes it for NULL; the use lists follow.
/// BAD_VALUE for another index or to remove `regref`, WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_register(
    operand: *mut bir_operand,
    index: usize,
    reg: *mut bir_register,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_register(index, object_or_none(reg)) })
}

/// `const_ap_offset` (in elements), `const_sub_tensor_id` and `is_regloc_offset` of a register pattern. WRONG_KIND
/// for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_register_constants(
    operand: *const bir_operand,
    offset: *mut u64,
    sub_tensor_id: *mut i32,
    is_regloc_offset: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (found_offset, found_id, found_flag) =
            object(operand)?.register_constants().ok_or_else(|| not_a("register_ap"))?;
        required(sub_tensor_id)?;
        required(is_regloc_offset)?;
        put(offset, found_offset)?;
        put(sub_tensor_id, found_id)?;
        put_flag(is_regloc_offset, found_flag)
    })
}

/// Sets `const_ap_offset` (in elements), `const_sub_tensor_id` and `is_regloc_offset` of a register pattern.
/// WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_register_constants(
    operand: *mut bir_operand,
    offset: u64,
    sub_tensor_id: i32,
    is_regloc_offset: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_register_constants(offset, sub_tensor_id, flag(is_regloc_offset)) })
}

/// The bits of an immediate value, in the low end. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_immediate_bits(
    operand: *const bir_operand,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(operand)?.immediate_bits().ok_or_else(|| not_a("immediate value"))?) })
}

/// Sets the bits of an immediate value. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_immediate_bits(
    operand: *mut bir_operand,
    bits: u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_immediate_bits(bits) })
}

/// The values of an immediate array; none for other operands. *count is their number; they are copied to out if
/// capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_immediate_array(
    operand: *const bir_operand,
    out: *mut i64,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = object(operand)?;
        copy_out(|| operand.immediate_array(), out, capacity, count)
    })
}

/// Replaces the values of an immediate array. WRONG_KIND for another operand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_set_immediate_array(
    operand: *mut bir_operand,
    values: *const i64,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.set_immediate_array(slice(values, count)?) })
}

/// The bits of the listed values of a symbolic immediate; none for other operands. *count is their number; they are
/// copied to out if capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_symbolic_immediate_values(
    operand: *const bir_operand,
    out: *mut u64,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let operand = object(operand)?;
        let values = || operand.symbolic_immediate().into_iter().flat_map(|(values, _)| values);
        copy_out(values, out, capacity, count)
    })
}

/// The expression of a symbolic immediate; NULL if there is none, and for other operands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_symbolic_immediate_expr(
    operand: *const bir_operand,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        let operand = object(operand)?;
        Ok(operand.symbolic_immediate().and_then(|(_, expr)| expr.root()))
    })
}

/// Puts the operand into a list of an instruction of its module, before another one of the list or, for NULL, at the
/// end; out of wherever it was. Immediates stay in `ins`, whatever list is given. A pattern that goes to `outs` or
/// leaves it changes from reader to writer or back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_move(
    operand: *mut bir_operand,
    inst: *mut bir_inst,
    list: i32,
    before: *const bir_operand,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { live(operand)?.move_to(object(inst)?, operand_list(list)?, place(before)) })
}

/// Takes the operand out of its instruction and out of the use lists, for good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_operand_erase(operand: *mut bir_operand, err: *mut bir_error) -> bir_status {
    boundary!(err, { live(operand)?.erase() })
}
