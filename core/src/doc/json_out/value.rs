//! Verbatim values written back, with a stack of its own so that their depth never becomes the depth of the program's
//! stack.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::{self, Vec};
use core::slice;

use serde_json::{Map, Value, map};

use super::JsonOut;
use crate::error::{Error, ErrorCode, Result};
use crate::sink::Sink;

/// What is still to be written of a container.
enum Rest<'v> {
    Array(slice::Iter<'v, Value>),
    /// The members of a map whose order is the order of the keys' bytes.
    Object(map::Iter<'v>),
    /// The members of a map that keeps another order, sorted here.
    Sorted(vec::IntoIter<(&'v String, &'v Value)>),
}

impl<S: Sink + ?Sized> JsonOut<'_, S> {
    pub(super) fn write_value(&mut self, value: &Value) -> Result<()> {
        let mut open: Vec<Rest<'_>> = Vec::new();
        let mut next = Some(value);
        loop {
            if let Some(value) = next.take() {
                let rest = match value {
                    Value::Null => self.null().map(|()| None)?,
                    Value::Bool(value) => self.bool(*value).map(|()| None)?,
                    Value::Number(value) => self.number(value).map(|()| None)?,
                    Value::String(value) => self.string(value).map(|()| None)?,
                    Value::Array(elements) => {
                        self.begin_array()?;
                        Some(Rest::Array(elements.iter()))
                    }
                    Value::Object(members) => {
                        self.begin_object()?;
                        Some(in_order(members)?)
                    }
                };
                if let Some(rest) = rest {
                    open.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                    open.push(rest);
                }
            }
            let member = match open.last_mut() {
                None => return Ok(()),
                Some(Rest::Array(elements)) => {
                    next = elements.next();
                    if next.is_none() {
                        self.end_array()?;
                        open.pop();
                    }
                    continue;
                }
                Some(Rest::Object(members)) => members.next(),
                Some(Rest::Sorted(members)) => members.next(),
            };
            if let Some((key, value)) = member {
                self.key(key)?;
                next = Some(value);
            } else {
                self.end_object()?;
                open.pop();
            }
        }
    }

    fn number(&mut self, number: &serde_json::Number) -> Result<()> {
        if let Some(value) = number.as_u64() {
            self.u64(value)
        } else if let Some(value) = number.as_i64() {
            self.i64(value)
        } else if let Some(value) = number.as_f64() {
            self.f64(value)
        } else {
            Err(Error::new(ErrorCode::BadValue, "the number is beyond the range of a 64-bit float"))
        }
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
