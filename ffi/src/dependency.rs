//! Dependencies

use crate::boundary::{
    copy_out, edge_set, expressions, handle, live, member, nothing_at, object, offer, predicate_out, predicates_in, put,
};
use crate::types::{bir_edge, bir_error, bir_expr, bir_inst, bir_predicate, bir_status};
use bir_core::ir::Edge;
use bir_core::{Error, ErrorCode};

fn edge(edge: Edge<'_>) -> bir_edge {
    bir_edge { target: handle(Some(edge.target)), kind: edge.kind.ordinal() }
}

fn nothing(index: usize) -> Error {
    nothing_at("unroll dependency", index)
}

/// Makes an instruction wait for target: kind is EdgeKind, BIR_EDGE_KIND_*; set is BIR_EDGE_SET_NORMAL or
/// BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE. A second edge to the same target keeps one edge, of the larger kind.
/// *added is 1 if there was none, else 0; it may be NULL. BAD_VALUE for an edge to itself, FOREIGN_MODULE for a
/// target of another module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_dependency(
    inst: *mut bir_inst,
    target: *mut bir_inst,
    kind: i32,
    set: i32,
    added: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let new = live(inst)?.add_dependency(object(target)?, member(kind)?, edge_set(set)?)?;
        offer(added, u8::from(new));
        Ok(())
    })
}

/// Removes the edge to target. set is BIR_EDGE_SET_NORMAL or BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE. *removed is 1
/// if there was one, else 0; it may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_remove_dependency(
    inst: *mut bir_inst,
    target: *mut bir_inst,
    set: i32,
    removed: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = live(inst)?.remove_dependency(object(target)?, edge_set(set)?)?;
        offer(removed, u8::from(found));
        Ok(())
    })
}

/// The kind of the edge to target: EdgeKind, BIR_EDGE_KIND_*. set is BIR_EDGE_SET_NORMAL or
/// BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE. NOT_FOUND if there is no edge.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_dependency_kind(
    inst: *const bir_inst,
    target: *const bir_inst,
    set: i32,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let kind = object(inst)?.dependency_kind(object(target)?, edge_set(set)?);
        put(out, kind.ok_or_else(|| Error::new(ErrorCode::NotFound, "there is no such edge"))?.ordinal())
    })
}

/// Number of instructions that this one waits for, in constant time. set is BIR_EDGE_SET_NORMAL or
/// BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_dependency_count(
    inst: *const bir_inst,
    set: i32,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.dependency_count(edge_set(set)?)) })
}

/// The edges to the instructions that this one waits for, in the order of their ids. set is BIR_EDGE_SET_NORMAL or
/// BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE. *count is their number; they are copied to out if capacity, in
/// elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_dependencies(
    inst: *const bir_inst,
    set: i32,
    out: *mut bir_edge,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (inst, set) = (object(inst)?, edge_set(set)?);
        copy_out(|| inst.dependencies(set).map(edge), out, capacity, count)
    })
}

/// Number of instructions that wait for this one, in constant time. set is BIR_EDGE_SET_NORMAL or
/// BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_descendent_count(
    inst: *const bir_inst,
    set: i32,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.descendent_count(edge_set(set)?)) })
}

/// The edges to the instructions that wait for this one, in the order of their ids. set is BIR_EDGE_SET_NORMAL or
/// BIR_EDGE_SET_LOOP_CARRIED, else BAD_VALUE. *count is their number; they are copied to out if capacity, in
/// elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_descendents(
    inst: *const bir_inst,
    set: i32,
    out: *mut bir_edge,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (inst, set) = (object(inst)?, edge_set(set)?);
        copy_out(|| inst.descendents(set).map(edge), out, capacity, count)
    })
}

/// Adds an unroll dependency: target and kind as in bir_inst_add_dependency(), index expressions and predicates of
/// the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_add_unroll_dependency(
    inst: *mut bir_inst,
    target: *mut bir_inst,
    kind: i32,
    exprs: *const *const bir_expr,
    expr_count: usize,
    predicates: *const bir_predicate,
    predicate_count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = live(inst)?;
        let module = inst.module()?;
        let exprs = expressions(module, exprs, expr_count)?;
        let predicates = predicates_in(module, predicates, predicate_count)?;
        inst.add_unroll_dependency(object(target)?, member(kind)?, &exprs, &predicates)
    })
}

/// Number of unroll dependencies. Takes time in proportion to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_unroll_dependency_count(
    inst: *const bir_inst,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(inst)?.unroll_dependencies().count()) })
}

/// Target and kind (EdgeKind, BIR_EDGE_KIND_*) of an unroll dependency, in the order added. NOT_FOUND past the end.
/// Takes time in proportion to index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_unroll_dependency(
    inst: *const bir_inst,
    index: usize,
    out: *mut bir_edge,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (target, kind, ..) = object(inst)?.unroll_dependencies().nth(index).ok_or_else(|| nothing(index))?;
        put(out, edge(Edge { target, kind }))
    })
}

/// The index expressions of an unroll dependency. NOT_FOUND past the end. *count is their number; they are copied to
/// out if capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_unroll_dependency_exprs(
    inst: *const bir_inst,
    index: usize,
    out: *mut *mut bir_expr,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        let (_, _, exprs, _) = inst.unroll_dependencies().nth(index).ok_or_else(|| nothing(index))?;
        copy_out(|| exprs.iter().map(|e| handle(e.root())), out, capacity, count)
    })
}

/// The predicates of an unroll dependency. NOT_FOUND past the end. *count is their number; they are copied to out if
/// capacity, in elements, is large enough; capacity 0 asks for the number only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_unroll_dependency_predicates(
    inst: *const bir_inst,
    index: usize,
    out: *mut bir_predicate,
    capacity: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        let (.., predicates) = inst.unroll_dependencies().nth(index).ok_or_else(|| nothing(index))?;
        copy_out(|| predicates.iter().map(|p| predicate_out(*p)), out, capacity, count)
    })
}
