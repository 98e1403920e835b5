//! Whole values of a document, kept. The walk has a stack of its own, so the depth of a document never becomes the depth of
//! the program's stack.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::doc::input::{Input, Limits, Number, ValueKind};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};

/// Reads one whole value, of which no container has more than `max_elements`. Of duplicate keys the last wins.
pub(super) fn read<'a>(input: &mut impl Input<'a>, max_elements: u64) -> Result<Value> {
    let mut open: Vec<Container> = Vec::new();
    loop {
        let mut value = match input.peek()? {
            ValueKind::Null => input.null().map(|()| Value::Null)?,
            ValueKind::Bool => Value::Bool(input.bool()?),
            ValueKind::Number => number_value(input.number()?)?,
            ValueKind::String => Value::String(owned(input.string()?)?),
            ValueKind::Array => {
                input.begin_array()?;
                if input.next_element()? {
                    push(&mut open, Container::Array(Vec::new()))?;
                    continue;
                }
                Value::Array(Vec::new())
            }
            ValueKind::Object => {
                input.begin_object()?;
                if let Some(key) = input.next_key()? {
                    push(&mut open, Container::Object(Map::new(), owned(key)?))?;
                    continue;
                }
                Value::Object(Map::new())
            }
        };
        // Into the innermost container, and that into the next one as long as containers end here.
        loop {
            value = match open.last_mut() {
                None => return Ok(value),
                Some(Container::Array(elements)) => {
                    push(elements, value)?;
                    if input.next_element()? {
                        check_elements(input, elements.len(), max_elements)?;
                        break;
                    }
                    Value::Array(core::mem::take(elements))
                }
                Some(Container::Object(members, key)) => {
                    members.insert(core::mem::take(key), value);
                    if let Some(next) = input.next_key()? {
                        check_elements(input, members.len(), max_elements)?;
                        *key = owned(next)?;
                        break;
                    }
                    Value::Object(core::mem::take(members))
                }
            };
            open.pop();
        }
    }
}

/// Whether one more than `count` elements are allowed.
fn check_elements<'a>(input: &impl Input<'a>, count: usize, max: u64) -> Result<()> {
    if count as u64 >= max {
        return Err(Limits::exceeded("max_elements", max).at_position(input.position_of(input.offset())));
    }
    Ok(())
}

/// A container that is being read; an object with the key of the value that comes next.
enum Container {
    Array(Vec<Value>),
    Object(Map<String, Value>, String),
}

fn number_value(number: Number) -> Result<Value> {
    match number {
        Number::U64(value) => Ok(value.into()),
        Number::I64(value) => Ok(value.into()),
        Number::F64(value) => match serde_json::Number::from_f64(value) {
            Some(value) => Ok(Value::Number(value)),
            None => Err(Error::new(ErrorCode::Internal, "a number of the document is not finite")),
        },
    }
}

fn owned(text: Cow<'_, str>) -> Result<String> {
    match text {
        Cow::Owned(text) => Ok(text),
        Cow::Borrowed(text) => copy(text),
    }
}
