//! Verbatim values written back, with a stack of its own so that their depth never becomes the depth of the program's
//! stack.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::{self, Vec};
use core::slice;

use serde_json::{Map, Value, map};

use crate::doc::input::{Input, Number, ValueKind};
use crate::doc::output::Output;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;

/// What is still to be written of a container.
enum Rest<'v> {
    Array(slice::Iter<'v, Value>),
    /// The members of a map whose order is the order of the keys' bytes.
    Object(map::Iter<'v>),
    /// The members of a map that keeps another order, sorted here.
    Sorted(vec::IntoIter<(&'v String, &'v Value)>),
}

/// Writes a whole value; the lengths of its containers are known.
pub(super) fn write(out: &mut impl Output, value: &Value) -> Result<()> {
    let mut open: Vec<Rest<'_>> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            let rest = match value {
                Value::Null => out.null().map(|()| None)?,
                Value::Bool(value) => out.bool(*value).map(|()| None)?,
                Value::Number(value) => number(out, value).map(|()| None)?,
                Value::String(value) => out.string(value).map(|()| None)?,
                Value::Array(elements) => {
                    out.begin_array_of(elements.len() as u64)?;
                    Some(Rest::Array(elements.iter()))
                }
                Value::Object(members) => {
                    out.begin_object_of(members.len() as u64)?;
                    Some(in_order(members)?)
                }
            };
            if let Some(rest) = rest {
                push(&mut open, rest)?;
            }
        }
        let member = match open.last_mut() {
            None => return Ok(()),
            Some(Rest::Array(elements)) => {
                next = elements.next();
                if next.is_none() {
                    out.end_array()?;
                    open.pop();
                }
                continue;
            }
            Some(Rest::Object(members)) => members.next(),
            Some(Rest::Sorted(members)) => members.next(),
        };
        if let Some((key, value)) = member {
            out.key(key)?;
            next = Some(value);
        } else {
            out.end_object()?;
            open.pop();
        }
    }
}

/// Writes the next value of `input` as it comes. For values of few levels and in the order of their keys.
pub(super) fn copy<'t>(out: &mut impl Output, input: &mut impl Input<'t>) -> Result<()> {
    match input.peek()? {
        ValueKind::Null => input.null().and_then(|()| out.null()),
        ValueKind::Bool => out.bool(input.bool()?),
        ValueKind::Number => match input.number()? {
            Number::U64(value) => out.u64(value),
            Number::I64(value) => out.i64(value),
            Number::F64(value) => out.f64(value),
        },
        ValueKind::String => out.string(&input.string()?),
        ValueKind::Array => {
            input.begin_array()?;
            out.begin_array()?;
            while input.next_element()? {
                copy(out, input)?;
            }
            out.end_array()
        }
        ValueKind::Object => {
            input.begin_object()?;
            out.begin_object()?;
            while let Some(key) = input.next_key()? {
                out.key(&key)?;
                copy(out, input)?;
            }
            out.end_object()
        }
    }
}

fn number(out: &mut impl Output, number: &serde_json::Number) -> Result<()> {
    if let Some(value) = number.as_u64() {
        out.u64(value)
    } else if let Some(value) = number.as_i64() {
        out.i64(value)
    } else if let Some(value) = number.as_f64() {
        out.f64(value)
    } else {
        Err(Error::new(ErrorCode::BadValue, "the number is beyond the range of a 64-bit float"))
    }
}

/// The members sorted by the bytes of their keys, whichever order the map of this build keeps.
fn in_order(members: &Map<String, Value>) -> Result<Rest<'_>> {
    if members.keys().is_sorted() {
        return Ok(Rest::Object(members.iter()));
    }
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(members.len()).map_err(|_| Error::out_of_memory())?;
    sorted.extend(members);
    sorted.sort_unstable_by_key(|(key, _)| *key);
    Ok(Rest::Sorted(sorted.into_iter()))
}
