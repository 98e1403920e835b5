//! Whole values of a document, kept. The walk has a stack of its own, so the depth of a document never becomes the depth of
//! the program's stack.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::doc::input::{Input, Number, ValueKind};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};

/// Reads one whole value. Of duplicate keys the last wins.
pub(super) fn read<'a>(input: &mut impl Input<'a>) -> Result<Value> {
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
                        break;
                    }
                    Value::Array(core::mem::take(elements))
                }
                Some(Container::Object(members, key)) => {
                    members.insert(core::mem::take(key), value);
                    if let Some(next) = input.next_key()? {
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
