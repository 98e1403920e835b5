//! One walk over the values of a file, because the encoder, JSON, the listing and the checks ask for the same things in the
//! same order: that of the schema.

use super::ast::{APPair, Access, AccessBasic, Slice, TensorName};
use super::schema::Head;
use crate::error::Result;

/// A value that can be walked.
pub trait Walk {
    /// Shows the value to the visitor. Types that [`Visitor`] has a method for are given to that.
    ///
    /// # Errors
    /// What the visitor returns.
    fn walk<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        self.walk_parts(visitor)
    }

    /// Shows the value part by part.
    ///
    /// # Errors
    /// What the visitor returns.
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()>;
}

/// Gets the parts of a value in the order of the schema. Each method's error ends the walk.
#[allow(missing_docs, reason = "each method is named for what it gets")]
pub trait Visitor {
    fn nat(&mut self, value: u64) -> Result<()>;
    fn int(&mut self, value: i64) -> Result<()>;
    fn bool(&mut self, value: bool) -> Result<()>;
    fn f32(&mut self, value: f32) -> Result<()>;
    fn text(&mut self, value: &str) -> Result<()>;
    /// A member of an enum: the record type, the constructor byte, the name.
    fn member(&mut self, tag: u8, ctor: u8, name: &'static str) -> Result<()>;
    /// An empty option.
    fn none(&mut self) -> Result<()>;
    /// A filled option; its value follows.
    fn some(&mut self) -> Result<()> {
        Ok(())
    }
    fn begin_list(&mut self, len: usize) -> Result<()>;
    /// The element with this index follows.
    fn element(&mut self, _index: usize) -> Result<()> {
        Ok(())
    }
    fn end_element(&mut self) {}
    fn end_list(&mut self) -> Result<()> {
        Ok(())
    }
    /// A record, whose fields follow, or a constructor of a union, whose value follows if its arity is 1.
    fn begin(&mut self, head: &'static Head) -> Result<()>;
    fn end(&mut self, _head: &'static Head) -> Result<()> {
        Ok(())
    }
    /// The value of this field follows.
    fn field(&mut self, name: &'static str) -> Result<()>;
    fn end_field(&mut self) {}
    /// A field that only schema head has, and whether it has a value. `true` asks for it as any other field.
    fn wants_head_field(&mut self, name: &'static str, present: bool) -> Result<bool>;
    /// A field that schema head requires has no value.
    fn missing(&mut self, name: &'static str) -> Result<()>;
    /// So many proof fields stand here, which have no value.
    fn proofs(&mut self, _count: u8) -> Result<()> {
        Ok(())
    }

    fn tensor_name(&mut self, value: &TensorName<'_>) -> Result<()> {
        value.walk_parts(self)
    }
    fn slice(&mut self, value: &Slice) -> Result<()> {
        value.walk_parts(self)
    }
    fn access_basic(&mut self, value: &AccessBasic<'_>) -> Result<()> {
        value.walk_parts(self)
    }
    fn pair(&mut self, value: &APPair) -> Result<()> {
        value.walk_parts(self)
    }
    fn access(&mut self, value: &Access<'_>) -> Result<()> {
        value.walk_parts(self)
    }
}

impl Walk for u64 {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.nat(*self)
    }
}

impl Walk for i64 {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.int(*self)
    }
}

impl Walk for bool {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.bool(*self)
    }
}

impl Walk for f32 {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.f32(*self)
    }
}

impl Walk for str {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.text(self)
    }
}

impl<T: Walk + ?Sized> Walk for &T {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        (**self).walk(visitor)
    }
}

impl<T: Walk> Walk for Option<T> {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        let Some(value) = self else { return visitor.none() };
        visitor.some()?;
        value.walk(visitor)
    }
}

impl<T: Walk> Walk for [T] {
    fn walk_parts<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        visitor.begin_list(self.len())?;
        for (index, value) in self.iter().enumerate() {
            visitor.element(index)?;
            value.walk(visitor)?;
            visitor.end_element();
        }
        visitor.end_list()
    }
}
