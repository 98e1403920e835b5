//! Pointers between objects of one arena, and the one-byte flag of C++.

use crate::mem::{Plain, Zeroable};
use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;

/// A nullable pointer to an object of the same module, as a plain value (in vectors and unions).
#[repr(transparent)]
pub struct Ptr<T>(*const T);

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ptr<T> {}
impl<T> PartialEq for Ptr<T> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}
impl<T> Eq for Ptr<T> {}
impl<T> fmt::Debug for Ptr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0, f)
    }
}
impl<T> Default for Ptr<T> {
    fn default() -> Self {
        Ptr::NULL
    }
}
// SAFETY:
// - all-zero bytes are the null pointer;
// - there is no destructor.
unsafe impl<T> Plain for Ptr<T> {}

impl<T> Ptr<T> {
    /// No object.
    pub const NULL: Self = Ptr(core::ptr::null());

    /// A pointer to `object`.
    pub fn to(object: &T) -> Self {
        Ptr(object)
    }

    /// A pointer to `object`, or null.
    pub fn to_option(object: Option<&T>) -> Self {
        object.map_or(Ptr::NULL, Ptr::to)
    }

    /// Whether there is no object.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address.
    pub fn address(self) -> *const T {
        self.0
    }

    /// The object. `anchor` is any object of the same module: it lends its lifetime.
    pub fn get<A: ?Sized>(self, _anchor: &A) -> Option<&T> {
        // SAFETY:
        // - the pointer is null or leads to an object of the anchor's arena (the rule of this room);
        // - such objects are neither moved nor freed before the arena, which outlives the anchor;
        // - they consist of cells, so shared references may coexist with writes.
        unsafe { self.0.as_ref() }
    }
}

/// A nullable pointer member of an object.
#[repr(transparent)]
pub struct Link<T>(Cell<*const T>, PhantomData<Cell<T>>);

// SAFETY:
// - all-zero bytes are the null pointer;
// - there is no destructor.
unsafe impl<T> Zeroable for Link<T> {}

impl<T> Link<T> {
    /// The object that the member leads to.
    pub fn get(&self) -> Option<&T> {
        // SAFETY: as in `Ptr::get`; the member itself lies in the arena and lends its lifetime.
        unsafe { self.0.get().as_ref() }
    }

    /// Sets or clears the member.
    pub fn set(&self, object: Option<&T>) {
        self.0.set(object.map_or(core::ptr::null(), |o| o));
    }

    /// The member as a value.
    pub fn ptr(&self) -> Ptr<T> {
        Ptr(self.0.get())
    }

    /// Sets the member from a value of the same module.
    pub fn set_ptr(&self, object: Ptr<T>) {
        self.0.set(object.0);
    }

    /// Whether there is no object.
    pub fn is_null(&self) -> bool {
        self.0.get().is_null()
    }
}

/// A C++ `bool` member. Any non-zero byte reads as true, so that foreign memory cannot be invalid.
#[repr(transparent)]
pub struct Flag(Cell<u8>);

// SAFETY:
// - all-zero bytes are `false`;
// - there is no destructor.
unsafe impl Zeroable for Flag {}

impl Flag {
    /// The value.
    pub fn get(&self) -> bool {
        self.0.get() != 0
    }

    /// Sets the value.
    pub fn set(&self, value: bool) {
        self.0.set(u8::from(value));
    }
}
