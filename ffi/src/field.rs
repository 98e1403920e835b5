//! Fields of instructions by number

use crate::boundary::{
    any, collect, dims, flag, live, object, put, put_flag, put_optional_text, put_text, required, slice, text, texts,
};
use crate::opcode::{field_at, field_number};
use crate::types::{
    BIR_OBJECT_BLOCK, BIR_OBJECT_FUNCTION, BIR_OBJECT_INST, BIR_OBJECT_NONE, BIR_OBJECT_QUEUE, BIR_OBJECT_REGISTER,
    bir_block, bir_dim, bir_error, bir_expr, bir_function, bir_inst, bir_maybe_affine, bir_queue, bir_register,
    bir_status, bir_string,
};
use bir_core::fallible::copy;
use bir_core::ir::{Instruction, ModuleRef};
use bir_core::op::{Element, Field, Value};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};

/// A value of the field's kind.
pub const BIR_VALUE_CONSTANT: i32 = 1;
/// An expression: bir_inst_get_expr() has it.
pub const BIR_VALUE_AFFINE: i32 = 2;
/// No value.
pub const BIR_VALUE_ABSENT: i32 = 3;
/// JSON that is kept as it is, also of an older form of a field of another kind: bir_inst_get_json() has it.
pub const BIR_VALUE_VERBATIM: i32 = 4;

/// An element and its field.
struct Found<'m> {
    field: &'static Field,
    element: Element<'m>,
}

impl Found<'_> {
    fn wrong(&self, expected: &str) -> Error {
        let Field { key, type_text, .. } = self.field;
        match self.element {
            Element::Absent => Error::new(ErrorCode::NotFound, format_args!("`{key}` has no value")),
            _ => Error::new(ErrorCode::WrongKind, format_args!("`{key}` is a {type_text}"))
                .expected_found(expected, self.element.describe()),
        }
    }

    fn integer<T: TryFrom<i128>>(&self) -> Result<T> {
        let number = match self.element {
            Element::Int(number) => number,
            Element::Enum(_, number) => number.into(),
            _ => return Err(self.wrong("an integer")),
        };
        T::try_from(number).map_err(|_| {
            Error::new(ErrorCode::BadValue, format_args!("`{}` does not fit the result", self.field.key))
                .expected_found("an integer that fits it", number)
        })
    }
}

fn field_of(inst: &Instruction, field: i32) -> Result<&'static Field> {
    field_at(inst.info()?, field)
}

unsafe fn element<'m>(inst: *const bir_inst, field: i32, index: usize) -> Result<Found<'m>> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let inst: &'m Instruction = unsafe { object(inst) }?;
    let field = field_of(inst, field)?;
    Ok(Found { field, element: inst.field_element(field, index)? })
}

unsafe fn row_element<'m>(inst: *const bir_inst, field: i32, row: usize, index: usize) -> Result<Found<'m>> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let inst: &'m Instruction = unsafe { object(inst) }?;
    let field = field_of(inst, field)?;
    Ok(Found { field, element: inst.field_row_element(field, row, index)? })
}

/// The number of the instruction's field with a key, see bir_opcode_find_field(). UNKNOWN_KEY if it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_find_field(
    inst: *const bir_inst,
    key: *const c_char,
    key_len: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, field_number(object(inst)?.info()?, text(key, key_len)?)?) })
}

/// Number of elements in a field (a number of bir_opcode_field()): of a list its length, of a list of lists the number of
/// lists; of any other field 1, or 0 if it is absent. NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_length(
    inst: *const bir_inst,
    field: i32,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        put(out, inst.field_len(field_of(inst, field)?)?)
    })
}

/// Number of elements in one list of a list of lists. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it
/// is no list of lists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_row_length(
    inst: *const bir_inst,
    field: i32,
    row: usize,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = object(inst)?;
        put(out, inst.field_row_len(field_of(inst, field)?, row)?)
    })
}

/// What an element of a field is now: BIR_VALUE_*. The index counts the elements of a list from 0, as in all functions
/// below; of a field that is no list it is 0. NOT_FOUND past the end or if there is no such field, WRONG_KIND for a list of
/// lists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_state(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let state = match element(inst, field, index)?.element {
            Element::Absent => BIR_VALUE_ABSENT,
            Element::Expr(_) => BIR_VALUE_AFFINE,
            Element::Json(_) => BIR_VALUE_VERBATIM,
            _ => BIR_VALUE_CONSTANT,
        };
        put(out, state)
    })
}

/// A boolean: 1 or 0. NOT_FOUND past the end, if it is absent or if there is no such field, WRONG_KIND if it is anything
/// else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_bool(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Bool(value) => put_flag(out, value),
            _ => Err(found.wrong("a boolean")),
        }
    })
}

/// An integer, or the number of an enum's member. BAD_VALUE above INT64_MAX. NOT_FOUND past the end, if it is absent or if
/// there is no such field, WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_int(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, element(inst, field, index)?.integer()?) })
}

/// As bir_inst_get_int(), but BAD_VALUE below 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_uint(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, element(inst, field, index)?.integer()?) })
}

/// A float, which is one of 32 bits. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_float(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut f64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Float(value) => put(out, f64::from(value)),
            _ => Err(found.wrong("a float")),
        }
    })
}

/// A text. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_text(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Text(value) => put_text(out, value),
            _ => Err(found.wrong("a text")),
        }
    })
}

/// JSON that is kept as it is; data is NULL if the field is absent. NOT_FOUND past the end or if there is no such field,
/// WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_json(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Json(value) => put_optional_text(out, Some(value)),
            Element::Absent => put_optional_text(out, None),
            _ => Err(found.wrong("JSON")),
        }
    })
}

/// A pair. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_pair(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    out: *mut bir_dim,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Pair(pair) => put(out, bir_dim { step: pair.step, num: pair.num }),
            _ => Err(found.wrong("a pair")),
        }
    })
}

/// An integer of a list of lists. BAD_VALUE above INT64_MAX. NOT_FOUND past an end or if there is no such field, WRONG_KIND
/// if it is no list of lists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_row_int(
    inst: *const bir_inst,
    field: i32,
    row: usize,
    index: usize,
    out: *mut i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, row_element(inst, field, row, index)?.integer()?) })
}

/// As bir_inst_get_row_int(), but BAD_VALUE below 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_row_uint(
    inst: *const bir_inst,
    field: i32,
    row: usize,
    index: usize,
    out: *mut u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, row_element(inst, field, row, index)?.integer()?) })
}

/// The expression or node of an expression that an element is; NULL if it is absent. NOT_FOUND past the end or if there is no
/// such field, WRONG_KIND if it is anything else: for a maybe-affine field, a constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_expr(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_expr {
    boundary!(err, pointer {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Expr(expr) => Ok(expr.root()),
            Element::Node(node) => Ok(Some(node)),
            Element::Absent => Ok(None),
            _ => Err(found.wrong("an expression")),
        }
    })
}

/// The queue; NULL if it is absent. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_queue(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_queue {
    boundary!(err, pointer {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Queue(queue) => Ok(Some(queue)),
            Element::Absent => Ok(None),
            _ => Err(found.wrong("a queue")),
        }
    })
}

/// The block; NULL if it is absent. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything else.
/// Takes time in proportion to index for nested blocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_block(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_block {
    boundary!(err, pointer {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Block(block) => Ok(Some(block)),
            Element::Absent => Ok(None),
            _ => Err(found.wrong("a block")),
        }
    })
}

/// The function; NULL if it is absent. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything
/// else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_function(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_function {
    boundary!(err, pointer {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Function(function) => Ok(Some(function)),
            Element::Absent => Ok(None),
            _ => Err(found.wrong("a function")),
        }
    })
}

/// The instruction; NULL if it is absent. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything
/// else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_inst(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_inst {
    boundary!(err, pointer {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Instruction(instruction) => Ok(Some(instruction)),
            Element::Absent => Ok(None),
            _ => Err(found.wrong("an instruction")),
        }
    })
}

/// The register; NULL if it is absent. NOT_FOUND past the end or if there is no such field, WRONG_KIND if it is anything
/// else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_register(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    err: *mut bir_error,
) -> *mut bir_register {
    boundary!(err, pointer {
        let found = element(inst, field, index)?;
        match found.element {
            Element::Register(register) => Ok(Some(register)),
            Element::Absent => Ok(None),
            _ => Err(found.wrong("a register")),
        }
    })
}

/// The object that an element refers to, whichever it is: *kind is BIR_OBJECT_QUEUE, _BLOCK, _FUNCTION, _INST or _REGISTER,
/// *address its address; BIR_OBJECT_NONE and NULL if it is absent. NOT_FOUND past the end or if there is no such field,
/// WRONG_KIND if it is anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_get_object(
    inst: *const bir_inst,
    field: i32,
    index: usize,
    kind: *mut i32,
    address: *mut *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(kind)?;
        required(address)?;
        let found = element(inst, field, index)?;
        let (number, object) = match found.element {
            Element::Queue(o) => (BIR_OBJECT_QUEUE, any(o)),
            Element::Block(o) => (BIR_OBJECT_BLOCK, any(o)),
            Element::Function(o) => (BIR_OBJECT_FUNCTION, any(o)),
            Element::Instruction(o) => (BIR_OBJECT_INST, any(o)),
            Element::Register(o) => (BIR_OBJECT_REGISTER, any(o)),
            Element::Absent => (BIR_OBJECT_NONE, core::ptr::null_mut()),
            _ => return Err(found.wrong("an object")),
        };
        put(kind, number)?;
        put(address, object)
    })
}

/// Sets a field of a live instruction.
unsafe fn set(inst: *mut bir_inst, field: i32, value: &Value<'_>) -> Result<()> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let inst: &Instruction = unsafe { live(inst) }?;
    inst.set_field(field_of(inst, field)?, value)
}

/// Sets a field of a live instruction to a list that is made of an array of the caller.
unsafe fn set_list<'m, T>(
    inst: *mut bir_inst,
    field: i32,
    values: *const T,
    count: usize,
    convert: impl Fn(&'m ModuleRef, &T) -> Result<Value<'m>>,
) -> Result<()> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let (inst, given): (&'m Instruction, _) = unsafe { (live(inst)?, slice(values, count)?) };
    let field = field_of(inst, field)?;
    let module = inst.module()?;
    inst.set_field(field, &Value::List(collect(given.iter().map(|v| convert(module, v)), count)?))
}

/// The single that is nearest to a number. Infinity is one; a number that becomes infinite is not.
fn single(number: f64) -> Result<Value<'static>> {
    let value = number as f32;
    if value.is_infinite() && number.is_finite() {
        return Err(Error::new(ErrorCode::BadValue, "a float does not fit 32 bits")
            .expected_found(format_args!("at most {:e}", f32::MAX), format_args!("{number:e}")));
    }
    Ok(Value::Float(value))
}

/// Takes the value of a field away: the reference, the JSON, the expression. A list becomes empty. WRONG_TYPE if the field
/// always has a value, BAD_VALUE for a list of fixed length, UNSUPPORTED for axes and nested blocks, NOT_FOUND if there is
/// no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_absent(inst: *mut bir_inst, field: i32, err: *mut bir_error) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Absent) })
}

/// Sets a boolean, maybe-affine or not. WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_bool(
    inst: *mut bir_inst,
    field: i32,
    value: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Bool(flag(value))) })
}

/// Sets an integer, maybe-affine or not, or a member of an enum by its number; a float too, and 0 and 1 set a boolean.
/// BAD_VALUE outside of the field's range, UNKNOWN_ENUM for a number that is no member, WRONG_TYPE for a field of another
/// kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_int(
    inst: *mut bir_inst,
    field: i32,
    value: i64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Int(value.into())) })
}

/// As bir_inst_set_int(), for integers above INT64_MAX too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_uint(
    inst: *mut bir_inst,
    field: i32,
    value: u64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Int(value.into())) })
}

/// Sets a float to the nearest one of 32 bits. BAD_VALUE for a number that none is near, WRONG_TYPE for a field of another
/// kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_float(
    inst: *mut bir_inst,
    field: i32,
    value: f64,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &single(value)?) })
}

/// Sets a text, or a member of an enum by what stands for it in documents. UNKNOWN_ENUM if none is called that (the error
/// names the nearest one), WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_text(
    inst: *mut bir_inst,
    field: i32,
    value: *const c_char,
    value_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Text(copy(text(value, value_len)?)?)) })
}

/// Sets JSON that is kept as it is. SYNTAX if it is none, WRONG_TYPE for a field that takes no JSON, NOT_FOUND if there is
/// no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_json(
    inst: *mut bir_inst,
    field: i32,
    json: *const c_char,
    json_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Json(copy(text(json, json_len)?)?)) })
}

/// Sets an expression of the module, in an expression field or a maybe-affine one. WRONG_TYPE for a field of another kind,
/// NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_expr(
    inst: *mut bir_inst,
    field: i32,
    expr: *mut bir_expr,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let module = live(inst)?.module()?;
        set(inst, field, &Value::Expr(module.expression(object(expr)?)?))
    })
}

/// Sets a node of an expression of the module, which must be of kind BIR_EXPR_KIND_INT_RUNTIME_VALUE: else WRONG_KIND. WRONG_TYPE
/// for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_node(
    inst: *mut bir_inst,
    field: i32,
    node: *mut bir_expr,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Node(object(node)?)) })
}

/// Sets a queue of the module. WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_queue(
    inst: *mut bir_inst,
    field: i32,
    queue: *mut bir_queue,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Queue(object(queue)?)) })
}

/// Sets a block of the module. WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_block(
    inst: *mut bir_inst,
    field: i32,
    block: *mut bir_block,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Block(object(block)?)) })
}

/// Sets a function of the module. WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_function(
    inst: *mut bir_inst,
    field: i32,
    function: *mut bir_function,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Function(object(function)?)) })
}

/// Sets an instruction of the module. WRONG_KIND if its opcode is not the one that the field asks for, WRONG_TYPE for a
/// field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_inst(
    inst: *mut bir_inst,
    field: i32,
    value: *mut bir_inst,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set(inst, field, &Value::Instruction(object(value)?)) })
}

/// Replaces a list of integers, of members of an enum, of floats, or of maybe-affine values by constants. BAD_VALUE for an
/// integer outside of the field's range or another length than a fixed one, UNKNOWN_ENUM for a number that is no member,
/// WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_ints(
    inst: *mut bir_inst,
    field: i32,
    values: *const i64,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set_list(inst, field, values, count, |_, v| Ok(Value::Int((*v).into()))) })
}

/// As bir_inst_set_ints(), for integers above INT64_MAX too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_uints(
    inst: *mut bir_inst,
    field: i32,
    values: *const u64,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set_list(inst, field, values, count, |_, v| Ok(Value::Int((*v).into()))) })
}

/// Replaces a list of floats by the nearest ones of 32 bits. BAD_VALUE for a number that none is near, WRONG_TYPE for a field
/// of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_floats(
    inst: *mut bir_inst,
    field: i32,
    values: *const f64,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set_list(inst, field, values, count, |_, v| single(*v)) })
}

/// Replaces a list of texts, or of members of an enum by what stands for them in documents. UNKNOWN_ENUM if none is called
/// that, WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_texts(
    inst: *mut bir_inst,
    field: i32,
    values: *const bir_string,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let given = texts(values, count)?;
        set_list(inst, field, given.as_ptr(), given.len(), |_, v| copy(v).map(Value::Text))
    })
}

/// Replaces a list of expressions, or of maybe-affine values by expressions. They must belong to the module. BAD_VALUE for
/// another length than a fixed one, WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_exprs(
    inst: *mut bir_inst,
    field: i32,
    values: *const *const bir_expr,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        set_list(inst, field, values, count, |module, v| module.expression(object(*v)?).map(Value::Expr))
    })
}

/// Replaces a list of maybe-affine values, each a constant or an expression of the module. BAD_VALUE for a constant outside
/// of the field's range or another length than a fixed one, WRONG_TYPE for a field of another kind, NOT_FOUND if there is no
/// such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_maybe_affines(
    inst: *mut bir_inst,
    field: i32,
    values: *const bir_maybe_affine,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        set_list(inst, field, values, count, |module, v| match v.expr.is_null() {
            true => Ok(Value::Int(v.constant.into())),
            false => module.expression(object(v.expr.cast_const())?).map(Value::Expr),
        })
    })
}

/// Replaces a list of pairs. WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_pairs(
    inst: *mut bir_inst,
    field: i32,
    values: *const bir_dim,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let given = dims(values, count)?;
        set_list(inst, field, given.as_ptr(), given.len(), |_, v| Ok(Value::Pair(*v)))
    })
}

/// Replaces a list of registers, which must belong to the module. WRONG_TYPE for a field of another kind, NOT_FOUND if there
/// is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_registers(
    inst: *mut bir_inst,
    field: i32,
    values: *const *const bir_register,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set_list(inst, field, values, count, |_, v| object(*v).map(Value::Register)) })
}

/// Replaces a list of instructions, which must belong to the module. WRONG_KIND if the opcode of one is not what the field
/// asks for, WRONG_TYPE for a field of another kind, NOT_FOUND if there is no such field. DMABlocks that have no trigger
/// yet get the DMATrigger that lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_insts(
    inst: *mut bir_inst,
    field: i32,
    values: *const *const bir_inst,
    count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { set_list(inst, field, values, count, |_, v| object(*v).map(Value::Instruction)) })
}

/// Replaces a list of lists of integers: each list takes as many of the next values as its entry of lengths says. BAD_VALUE
/// for an integer outside of the field's range, or if the lengths do not add up to the number of values; WRONG_TYPE for a
/// field of another kind, NOT_FOUND if there is no such field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_inst_set_rows(
    inst: *mut bir_inst,
    field: i32,
    values: *const u64,
    count: usize,
    lengths: *const usize,
    row_count: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let inst = live(inst)?;
        let field = field_of(inst, field)?;
        let (mut rest, lengths) = (slice(values, count)?, slice(lengths, row_count)?);
        let uneven = || {
            let message = format_args!("the lengths of {row_count} lists do not add up to {count} values");
            Error::new(ErrorCode::BadValue, message)
        };
        let mut rows = collect(core::iter::empty(), row_count)?;
        for len in lengths {
            let (row, after) = rest.split_at_checked(*len).ok_or_else(uneven)?;
            rows.push(Value::List(collect(row.iter().map(|v| Ok(Value::Int((*v).into()))), row.len())?));
            rest = after;
        }
        if !rest.is_empty() {
            return Err(uneven());
        }
        inst.set_field(field, &Value::List(rows))
    })
}
