//! A file as JSON, complete: the public tool's own JSON prints `null` for tensors (`spec/klr.md` section 2).
//!
//! Records are objects, enums strings; a union constructor with a value is an object with one key, one without is a string.
//! An empty option is null. Infinite and undefined floats are `"inf"`, `"-inf"` and `"nan"`. Proof fields do not appear. Keys are
//! in the order of the schema.

use super::file::File;
use super::schema::{Head, Schema};
use super::trail::Trail;
use super::visit::{Visitor, Walk};
use crate::doc::{JsonOut, Output as _, Style};
use crate::error::Result;
use crate::sink::Sink;

/// Writes a file as one JSON object.
///
/// # Errors
/// Those of the sink, `OutOfMemory`, and `LimitExceeded` for more than 64 records within each other. After an error the output is
/// of no use.
pub fn write_json<S: Sink + ?Sized>(file: &File<'_>, sink: &mut S, style: Style) -> Result<()> {
    let schema = file.schema.unwrap_or(Schema::V2_24);
    let mut writer = JsonWriter { out: JsonOut::new(sink, style), schema, trail: Trail::default() };
    writer.out.begin_object()?;
    file.walk(&mut writer)?;
    writer.out.end_object()?;
    writer.out.finish()
}

struct JsonWriter<'s, S: Sink + ?Sized> {
    out: JsonOut<'s, S>,
    schema: Schema,
    trail: Trail,
}

impl<S: Sink + ?Sized> Visitor for JsonWriter<'_, S> {
    fn nat(&mut self, value: u64) -> Result<()> {
        self.out.u64(value)
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.out.i64(value)
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.out.bool(value)
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        // As the public collection has it: the exact value, not the shortest text that leads back to 32 bits.
        self.out.f64(f64::from(value))
    }

    fn text(&mut self, value: &str) -> Result<()> {
        self.out.string(value)
    }

    fn member(&mut self, _tag: u8, _ctor: u8, name: &'static str) -> Result<()> {
        self.out.string(name)
    }

    fn none(&mut self) -> Result<()> {
        self.out.null()
    }

    fn begin_list(&mut self, _len: usize) -> Result<()> {
        self.out.begin_array()
    }

    fn end_list(&mut self) -> Result<()> {
        self.out.end_array()
    }

    fn begin(&mut self, head: &'static Head) -> Result<()> {
        self.trail.begin(head)?;
        if head.is_word() {
            return self.out.string(head.ctor_name);
        }
        self.out.begin_object()?;
        if head.is_record() {
            return Ok(());
        }
        self.out.key(head.ctor_name)?;
        if head.holds_one() { Ok(()) } else { self.out.begin_object() }
    }

    fn end(&mut self, head: &'static Head) -> Result<()> {
        self.trail.end(head);
        if head.is_word() {
            return Ok(());
        }
        self.out.end_object()?;
        if head.is_record() || head.holds_one() { Ok(()) } else { self.out.end_object() }
    }

    fn field(&mut self, name: &'static str) -> Result<()> {
        self.out.key(name)
    }

    fn wants_head_field(&mut self, _name: &'static str, present: bool) -> Result<bool> {
        // A value is shown also where the schema has no place for it: this form is for looking at.
        Ok(present || self.schema == Schema::Head)
    }

    fn missing(&mut self, name: &'static str) -> Result<()> {
        self.out.key(name)?;
        self.out.null()
    }
}
