//! Loop axes

use crate::boundary::{
    collect, copy_out, expression, handle, live, object, put, put_flag, put_text, required, slice, text,
};
use crate::types::{bir_axis, bir_error, bir_expr, bir_inst, bir_status, bir_string};
use bir_core::ir::LoopAxis;
use core::ffi::c_char;

/// The axis of a Loop or DynamicForLoop; NULL before it is set, and for other opcodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_axis(inst: *const bir_inst, err: *mut bir_error) -> *mut bir_axis {
    boundary!(err, pointer {
        Ok(object(inst)?.axis())
    })
}

/// Gives a Loop its axis, or changes its name and bounds if it has one: lb is included, ub is not, a negative stride
/// runs downward. BAD_VALUE for a stride of 0, WRONG_KIND for another opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_loop_axis(
    inst: *mut bir_inst,
    name: *const c_char,
    name_len: usize,
    lb: i32,
    ub: i64,
    stride: i64,
    err: *mut bir_error,
) -> *mut bir_axis {
    boundary!(err, pointer {
        live(inst)?.set_loop_axis(text(name, name_len)?, lb, ub, stride).map(Some)
    })
}

/// Gives a DynamicForLoop its axis, or changes its name and bounds if it has one. The bounds are expressions of the
/// module; NULL for none. WRONG_KIND for another opcode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_dynamic_axis(
    inst: *mut bir_inst,
    name: *const c_char,
    name_len: usize,
    lb: *const bir_expr,
    ub: *const bir_expr,
    stride: *const bir_expr,
    err: *mut bir_error,
) -> *mut bir_axis {
    boundary!(err, pointer {
        let inst = live(inst)?;
        let module = inst.module()?;
        let [lb, ub, stride] = [expression(module, lb)?, expression(module, ub)?, expression(module, stride)?];
        inst.set_dynamic_axis(text(name, name_len)?, lb, ub, stride).map(|axis| Some(axis.as_axis()))
    })
}

/// The axis of that name of the instruction itself or of a loop around it, innermost first; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_find_axis_outward(
    inst: *const bir_inst,
    name: *const c_char,
    name_len: usize,
    err: *mut bir_error,
) -> *mut bir_axis {
    boundary!(err, pointer {
        Ok(object(inst)?.find_axis_outward(text(name, name_len)?))
    })
}

/// The axis's name, by which expressions in documents refer to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_name(axis: *const bir_axis, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_text(out, object(axis)?.name()) })
}

/// Whether the axis is that of a DynamicForLoop: its bounds are expressions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_is_dynamic(axis: *const bir_axis, out: *mut u8, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_flag(out, object(axis)?.as_dynamic().is_some()) })
}

/// Lower bound, upper bound (excluded) and stride; 0, 0 and 1 for a dynamic axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_bounds(
    axis: *const bir_axis,
    lb: *mut i32,
    ub: *mut i64,
    stride: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let axis = object(axis)?;
        required(ub)?;
        required(stride)?;
        put(lb, axis.lb())?;
        put(ub, axis.ub())?;
        put(stride, axis.stride())
    })
}

/// Number of iterations: (ub - lb) / stride, rounded up, 0 when empty; 0 for a dynamic axis (spec/layout.md section
/// 7).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_trip_count(axis: *const bir_axis, out: *mut u64, err: *mut bir_error) -> bir_status {
    boundary!(err, { put(out, object(axis)?.trip_count()) })
}

/// The lower bound of a dynamic axis; NULL if there is none, and for a static axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_dynamic_lb(axis: *const bir_axis, err: *mut bir_error) -> *mut bir_expr {
    boundary!(err, pointer {
        let axis = object(axis)?;
        Ok(axis.as_dynamic().and_then(|d| d.lb().root()))
    })
}

/// The upper bound (excluded) of a dynamic axis; NULL if there is none, and for a static axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_dynamic_ub(axis: *const bir_axis, err: *mut bir_error) -> *mut bir_expr {
    boundary!(err, pointer {
        let axis = object(axis)?;
        Ok(axis.as_dynamic().and_then(|d| d.ub().root()))
    })
}

/// The stride of a dynamic axis; NULL if there is none, and for a static axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_axis_dynamic_stride(axis: *const bir_axis, err: *mut bir_error) -> *mut bir_expr {
    boundary!(err, pointer {
        let axis = object(axis)?;
        Ok(axis.as_dynamic().and_then(|d| d.stride().root()))
    })
}

/// The loop nest of an instruction, outermost first. *count is the number of axes; they are copied to out if
/// capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_loopnest(
    inst: *const bir_inst,
    out: *mut *mut bir_axis,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        copy_out(|| inst.loopnest().map(|axis| handle(Some(axis))), out, capacity, count)
    })
}

/// Replaces the loop nest of an instruction. The axes must belong to its module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_loopnest(
    inst: *mut bir_inst,
    axes: *const *const bir_axis,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = live(inst)?;
        let axes: Vec<&LoopAxis> = collect(slice(axes, count)?.iter().map(|axis| object(*axis)), count)?;
        inst.set_loopnest(&axes)
    })
}
