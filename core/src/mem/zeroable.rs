//! What may lie in the arena: objects whose zero bytes are a valid, empty object, so that constructing one is one
//! allocation and never a move.
#![allow(unsafe_code)]

use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Plain values that may be stored in a [`Cell`] of an arena object.
///
/// # Safety
///
/// - All-zero bytes are a valid value.
pub unsafe trait Plain: Copy {}

/// Objects that may lie in an [`Arena`](super::Arena).
///
/// # Safety
///
/// - All-zero bytes are a valid object.
/// - The type has no destructor.
/// - Every byte that ever changes lies in a [`Cell`] (or another `UnsafeCell`), so the type is not `Copy`, and writing to
///   one object while others hold `&T` to it is allowed.
/// - A bitwise copy of an object followed by [`relocated`](Zeroable::relocated) on the copy is a valid object.
pub unsafe trait Zeroable {
    /// Called on `self` after the bytes of `old` were copied to it, when a vector grows or shifts its elements. Types
    /// that point into themselves mend those pointers; for others there is nothing to do.
    fn relocated(&self, old: *const Self)
    where
        Self: Sized,
    {
        let _ = old;
    }
}

macro_rules! plain {
    ($($t:ty),*) => { $(
        // SAFETY:
        // - zero bytes are the number 0 or `false`
        unsafe impl Plain for $t {}
    )* };
}
plain!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64, bool, ());

// SAFETY:
// - zero bytes are the null pointer
unsafe impl<T> Plain for *const T {}
// SAFETY:
// - zero bytes are the null pointer
unsafe impl<T> Plain for *mut T {}
// SAFETY:
// - zero bytes are `None`, as the standard library guarantees
unsafe impl<T> Plain for Option<NonNull<T>> {}
// SAFETY:
// - zero bytes are `None`, as the standard library guarantees
unsafe impl<T> Plain for Option<&T> {}
// SAFETY:
// - any bytes are valid
unsafe impl<T: Copy> Plain for MaybeUninit<T> {}
// SAFETY:
// - each element is valid when zero
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

// SAFETY:
// - the content is valid when zero and, being `Copy`, has no destructor
// - all of it lies in the cell; plain values do not point to their own place
unsafe impl<T: Plain> Zeroable for Cell<T> {}
// SAFETY:
// - it has no bytes
unsafe impl<T: ?Sized> Zeroable for PhantomData<T> {}
// SAFETY:
// - each element meets the conditions, and each is told of its move
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {
    fn relocated(&self, old: *const Self) {
        let old = old.cast::<T>();
        for (i, element) in self.iter().enumerate() {
            element.relocated(old.wrapping_add(i));
        }
    }
}
