//! Where in its owner an object goes.

/// A place in an ordered list of `T`.
#[derive(Debug)]
pub enum Place<'m, T> {
    /// Before all others.
    Start,
    /// After all others.
    End,
    /// Directly before this object, which must be in the same list.
    Before(&'m T),
    /// Directly after this object, which must be in the same list.
    After(&'m T),
}

impl<T> Clone for Place<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Place<'_, T> {}

/// An object that was put somewhere, and whether its name had to change because it was taken (`spec/layout.md` section 3.2).
#[derive(Debug)]
pub struct Placed<'m, T> {
    /// The object; its `name()` is the final one.
    pub object: &'m T,
    /// Whether the final name differs from the one asked for.
    pub renamed: bool,
}

impl<'m, T> core::ops::Deref for Placed<'m, T> {
    type Target = &'m T;
    fn deref(&self) -> &&'m T {
        &self.object
    }
}
