//! Expressions

use crate::boundary::{collect, copy_out, handle, object, put, put_static, required, slice, text};
use crate::types::{bir_axis, bir_error, bir_expr, bir_module, bir_register, bir_status, bir_string, bir_term};
use bir_core::ir::{ExprKind, ExprNode, Term};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::c_char;

fn expr_kind(number: i32) -> Result<ExprKind> {
    let found = ExprKind::from_number(number);
    found.ok_or_else(|| Error::new(ErrorCode::BadValue, format_args!("{number} is no kind of expression: 0 to 10 are")))
}

/// An affine sum (BIR_EXPR_KIND_AFF_EXPR): c + the sum of coeff * expr over the terms, whose expressions must belong
/// to the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_affine(
    module: *mut bir_module,
    terms: *const bir_term,
    term_count: usize,
    c: i64,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        let given = slice(terms, term_count)?;
        let terms: Vec<Term<'_>> = collect(given.iter().map(|t| Ok((object(t.expr.cast_const())?, t.coeff))), term_count)?;
        object(module)?.affine(&terms, c).map(Some)
    })
}

/// A sum (BIR_EXPR_KIND_SUM) of expressions of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_sum(
    module: *mut bir_module,
    exprs: *const *const bir_expr,
    count: usize,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        let nodes: Vec<&ExprNode> = collect(slice(exprs, count)?.iter().map(|e| object(*e)), count)?;
        object(module)?.sum(&nodes).map(Some)
    })
}

/// The value of a loop axis of the module (BIR_EXPR_KIND_AFF_IV).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_axis_value(
    module: *mut bir_module,
    axis: *mut bir_axis,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        object(module)?.axis_value(object(axis)?).map(Some)
    })
}

/// The value of a register of the module (BIR_EXPR_KIND_INT_RUNTIME_VALUE).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_register_value(
    module: *mut bir_module,
    reg: *mut bir_register,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        object(module)?.register_value(object(reg)?).map(Some)
    })
}

/// A node with one operand: BIR_EXPR_KIND_MULT (first is the factor), _FLOOR_DIV, _MODULO and _CC_DIV (first is the
/// denominator, second the replica group number). BAD_VALUE for another kind, a denominator below 1, or a second
/// number outside 32 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_unary(
    module: *mut bir_module,
    kind: i32,
    operand: *mut bir_expr,
    first: i64,
    second: i64,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        object(module)?.unary(expr_kind(kind)?, object(operand)?, first, second).map(Some)
    })
}

/// A node of numbers only: BIR_EXPR_KIND_SHARD_ID (first is the upper bound), _CC_GET_RANK (first is the iteration,
/// second the channel), _INDIRECT_ARG_ID (first is the argument). BAD_VALUE for another kind or a negative number
/// where none may be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_leaf(
    module: *mut bir_module,
    kind: i32,
    first: i64,
    second: i64,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        object(module)?.leaf(expr_kind(kind)?, first, second).map(Some)
    })
}

/// What the node computes: BIR_EXPR_KIND_*. CORRUPT_IR for a number that foreign code wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_kind(expr: *const bir_expr, out: *mut i32, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        let kind = object(expr)?.kind();
        put(out, kind.ok_or_else(|| Error::new(ErrorCode::CorruptIr, "corrupt IR: no kind of expression"))? as i32)
    })
}

/// The name of a kind of node in documents, e.g. `AffExprKind`. BAD_VALUE for another number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_kind_name(kind: i32, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_static(out, expr_kind(kind)?.name()) })
}

/// The kind of node with that name in documents, `CCModKind` for BIR_EXPR_KIND_MODULO included. UNKNOWN_ENUM for
/// another name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_kind_by_name(
    name: *const c_char,
    name_len: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let name = text(name, name_len)?;
        let unknown = || Error::new(ErrorCode::UnknownEnum, format_args!("`{name}` is no kind of expression"));
        put(out, ExprKind::from_name(name).ok_or_else(unknown)? as i32)
    })
}

/// The operand of BIR_EXPR_KIND_MULT, _FLOOR_DIV, _MODULO and _CC_DIV; NULL for other kinds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_operand(expr: *const bir_expr, err: *mut bir_error) -> *mut bir_expr {
    boundary!(err, pointer {
        Ok(object(expr)?.operand())
    })
}

/// The axis of BIR_EXPR_KIND_AFF_IV; NULL for other kinds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_axis(expr: *const bir_expr, err: *mut bir_error) -> *mut bir_axis {
    boundary!(err, pointer {
        Ok(object(expr)?.axis())
    })
}

/// The register of BIR_EXPR_KIND_INT_RUNTIME_VALUE; NULL for other kinds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_register(expr: *const bir_expr, err: *mut bir_error) -> *mut bir_register {
    boundary!(err, pointer {
        Ok(object(expr)?.register())
    })
}

/// The node's two numbers, by kind, see BIR_EXPR_KIND_*; 0 where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_numbers(
    expr: *const bir_expr,
    first: *mut i64,
    second: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let expr = object(expr)?;
        required(second)?;
        put(first, expr.first())?;
        put(second, expr.second())
    })
}

/// Number of terms of BIR_EXPR_KIND_AFF_EXPR and _SUM; 0 for other kinds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_term_count(
    expr: *const bir_expr,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(expr)?.term_count()) })
}

/// The terms of BIR_EXPR_KIND_AFF_EXPR and _SUM, those of a sum with the factor 1. *count is their number; they are
/// copied to out if capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_expr_terms(
    expr: *const bir_expr,
    out: *mut bir_term,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let expr = object(expr)?;
        copy_out(|| expr.terms().map(|(e, coeff)| bir_term { expr: handle(Some(e)), coeff }), out, capacity, count)
    })
}
