//! Names are `std::string`s, because C++ components read and compare them in place.
#![allow(unsafe_code)]

use super::arena::Arena;
use super::zeroable::Zeroable;
use crate::error::{Error, Result};
use core::alloc::Layout;
use core::borrow::Borrow;
use core::cell::Cell;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::{self, NonNull};

/// Bytes of the inline buffer; texts of one byte less, plus the NUL, fit.
const INLINE: usize = 16;
/// The longest text that is stored inline, in bytes.
const MAX_INLINE: usize = INLINE - 1;

/// A `std::string` of libstdc++'s new ABI (`spec/layout.md` section 3.1), holding UTF-8.
///
/// `data` points at the own inline buffer for texts up to 15 bytes, otherwise at bytes in the arena, and then the inline
/// buffer begins with the capacity. Both end with a NUL that `size` does not count. Bytes in the arena are never changed and
/// never reused; a new long text gets new bytes.
#[repr(C)]
pub struct StdString {
    pub(super) data: Cell<*const u8>,
    pub(super) size: Cell<usize>,
    pub(super) inline: Cell<[u8; INLINE]>,
}

// SAFETY:
// - a null `data` with size 0 is a string that is not initialised yet; it reads as empty and `data` is not followed
// - no destructor; all fields are cells
// - a moved string that points into its inline buffer is mended below
unsafe impl Zeroable for StdString {
    fn relocated(&self, old: *const Self) {
        let old_inline = old.addr().wrapping_add(core::mem::offset_of!(StdString, inline));
        if self.data.get().addr() == old_inline {
            self.data.set(self.inline_data());
        }
    }
}

impl StdString {
    /// Makes this an empty string that points at its own buffer. The string must be at its final address.
    pub(crate) fn init(&self) {
        self.set_inline("");
    }

    /// Sets the text.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` if a text of more than 15 bytes finds no memory; the string is then as it was.
    pub(crate) fn set(&self, arena: &Arena, text: &str) -> Result<()> {
        if text.len() <= MAX_INLINE {
            self.set_inline(text);
            return Ok(());
        }
        // A text is at most `isize::MAX` bytes long, so neither the sum nor the layout overflows; the check is free.
        let layout = text.len().checked_add(1).and_then(|size| Layout::array::<u8>(size).ok());
        let bytes = arena.alloc_layout(layout.ok_or(Error::out_of_memory())?)?;
        // SAFETY:
        // - the allocation has one byte more than the text and is fresh, so apart from it
        // - that last byte is zero already: it is the NUL
        unsafe { bytes.copy_from_nonoverlapping(NonNull::from(text).cast(), text.len()) };
        self.set_long(bytes, text.len());
        Ok(())
    }

    /// Sets the text of another string of the same arena; the bytes of a long text are shared, not copied.
    pub(crate) fn share(&self, text: Str<'_>) {
        match text.0 {
            Repr::Short { .. } => self.set_inline(&text),
            Repr::Long { data, len, .. } => self.set_long(data, len),
        }
    }

    /// The text, by value if it is short. It stays what it is when the string changes.
    pub fn get(&self) -> Str<'_> {
        let len = self.size.get();
        let data = self.data.get();
        match NonNull::new(data.cast_mut()) {
            Some(data) if len > MAX_INLINE => Str(Repr::Long { data, len, text: PhantomData }),
            Some(data) => {
                let mut bytes = [0; MAX_INLINE];
                // SAFETY:
                // - `data` points at `len` readable bytes, here at most 15, apart from the new array
                unsafe { ptr::copy_nonoverlapping(data.as_ptr(), bytes.as_mut_ptr(), len) };
                Str(Repr::Short { len: len as u8, bytes, data: data.as_ptr() })
            }
            None => Str::EMPTY,
        }
    }

    /// The length of the text, in bytes.
    pub fn len(&self) -> usize {
        self.size.get()
    }

    /// Whether the text has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this is `text`, compared as the symbol tables do: length, then bytes.
    pub fn eq_str(&self, text: &str) -> bool {
        let (data, len) = (self.data.get(), self.size.get());
        if len != text.len() {
            return false;
        }
        // SAFETY:
        // - an initialised string points at `len` readable bytes; one that is not has length 0 and is not followed
        // - nothing changes them while the slice lives, which is within this expression
        len == 0 || unsafe { core::slice::from_raw_parts(data, len) } == text.as_bytes()
    }

    /// The address of the own inline buffer.
    fn inline_data(&self) -> *const u8 {
        self.inline.as_ptr().cast()
    }

    /// Stores a text of at most 15 bytes.
    fn set_inline(&self, text: &str) {
        let mut buffer = [0; INLINE];
        for (to, from) in buffer.iter_mut().zip(text.as_bytes().iter().take(MAX_INLINE)) {
            *to = *from;
        }
        self.inline.set(buffer);
        self.data.set(self.inline_data());
        self.size.set(text.len().min(MAX_INLINE));
    }

    /// Points at more than 15 bytes of the arena, which a NUL follows.
    fn set_long(&self, data: NonNull<u8>, len: usize) {
        let mut buffer = [0; INLINE];
        for (to, from) in buffer.iter_mut().zip(len.to_ne_bytes()) {
            *to = from;
        }
        self.inline.set(buffer);
        self.data.set(data.as_ptr());
        self.size.set(len);
    }
}

impl fmt::Debug for StdString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.get(), f)
    }
}

impl fmt::Display for StdString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.get(), f)
    }
}

/// The text of a [`StdString`] at one moment: a copy if it has at most 15 bytes, else a view of arena bytes that never
/// change. It behaves like a `&str`.
#[derive(Clone, Copy)]
pub struct Str<'m>(Repr<'m>);

/// How a [`Str`] holds its text; in both cases it is UTF-8.
#[derive(Clone, Copy)]
enum Repr<'m> {
    /// `len` bytes from the start of the array, a copy of those at `data`.
    Short { len: u8, bytes: [u8; MAX_INLINE], data: *const u8 },
    /// `len` bytes of the arena, which a NUL follows. A pointer, not a slice, because it may be shared with the NUL.
    Long { data: NonNull<u8>, len: usize, text: PhantomData<&'m str> },
}

impl Str<'_> {
    /// The text without bytes.
    pub const EMPTY: Str<'static> = Str(Repr::Short { len: 0, bytes: [0; MAX_INLINE], data: c"".as_ptr().cast() });

    /// Where the text lies in the module's memory, and how many bytes it has; a NUL follows. For code that cannot hold a
    /// Rust value. The bytes of a short text change with its string.
    pub fn as_raw(&self) -> (*const u8, usize) {
        match self.0 {
            Repr::Short { len, data, .. } => (data, usize::from(len)),
            Repr::Long { data, len, .. } => (data.as_ptr(), len),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        let bytes = match &self.0 {
            Repr::Short { len, bytes, .. } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            // SAFETY:
            // - `data` points at `len` bytes of the arena, which outlives `'m` and never changes them
            Repr::Long { data, len, .. } => unsafe { core::slice::from_raw_parts(data.as_ptr(), *len) },
        };
        // SAFETY:
        // - the bytes come from a `StdString`, which takes `str`s only
        unsafe { core::str::from_utf8_unchecked(bytes) }
    }
}

impl Deref for Str<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Str<'_> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Str<'_> {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq for Str<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Str<'_> {}

impl PartialEq<str> for Str<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Str<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<Str<'_>> for str {
    fn eq(&self, other: &Str<'_>) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Str<'_>> for &str {
    fn eq(&self, other: &Str<'_>) -> bool {
        *self == other.as_str()
    }
}

impl PartialOrd for Str<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Str<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use std::format;
    use std::string::String;

    /// All bytes of a string that is set: the address of its text, its size, and the inline buffer.
    fn words(s: &StdString) -> (*const u8, usize, [u8; 16]) {
        (s.data.get(), s.size.get(), s.inline.get())
    }

    /// The text as C sees it: up to the NUL behind `size`.
    fn with_nul(s: &StdString) -> std::vec::Vec<u8> {
        // SAFETY:
        // - an initialised string has a NUL behind its text
        unsafe { core::slice::from_raw_parts(s.data.get(), s.len() + 1) }.to_vec()
    }

    #[test]
    fn lies_as_the_library_lays_it() {
        let arena = Arena::new();
        let s: &StdString = arena.alloc_zeroed().unwrap();
        assert_eq!(s.get(), "", "not initialised yet");
        assert!(s.eq_str("") && !s.eq_str("a"));
        s.init();
        assert_eq!(words(s), (s.inline_data(), 0, [0; 16]));
        s.set(&arena, "fifteen bytes!!").unwrap();
        assert_eq!(words(s), (s.inline_data(), 15, *b"fifteen bytes!!\0"));
        assert_eq!(with_nul(s), b"fifteen bytes!!\0");
        let used = arena.used_bytes();
        s.set(&arena, "sixteen bytes!!!").unwrap();
        assert_eq!(arena.used_bytes(), used + 24);
        let (data, size, inline) = words(s);
        assert_ne!(data, s.inline_data());
        assert_eq!(size, 16);
        assert_eq!(inline[..size_of::<usize>()], 16usize.to_ne_bytes());
        assert_eq!(with_nul(s), b"sixteen bytes!!!\0");
        s.set(&arena, "short").unwrap();
        assert_eq!(words(s), (s.inline_data(), 5, *b"short\0\0\0\0\0\0\0\0\0\0\0"));
    }

    #[test]
    fn views_outlive_changes() {
        let arena = Arena::new();
        let s: &StdString = arena.alloc_zeroed().unwrap();
        s.init();
        let long = "a name of more than fifteen bytes";
        s.set(&arena, "short").unwrap();
        let first = s.get();
        s.set(&arena, long).unwrap();
        let second = s.get();
        s.set(&arena, "another name of more than fifteen bytes").unwrap();
        assert_eq!((first.as_str(), second.as_str()), ("short", long));
    }

    #[test]
    fn tells_where_the_text_lies() {
        let arena = Arena::new();
        let s: &StdString = arena.alloc_zeroed().unwrap();
        assert_eq!(s.get().as_raw().1, 0, "not initialised yet");
        for text in ["", "short", "a name of more than fifteen bytes"] {
            s.set(&arena, text).unwrap();
            assert_eq!(s.get().as_raw(), (s.data.get(), text.len()));
        }
        let (data, len) = Str::EMPTY.as_raw();
        assert_eq!((data.is_null(), len), (false, 0));
    }

    #[test]
    fn shares_long_texts() {
        let arena = Arena::new();
        let [a, b]: [&StdString; 2] = [arena.alloc_zeroed().unwrap(), arena.alloc_zeroed().unwrap()];
        for text in ["", "fifteen bytes!!", "more than fifteen bytes, ünd UTF-8"] {
            a.set(&arena, text).unwrap();
            let used = arena.used_bytes();
            b.share(a.get());
            assert_eq!(arena.used_bytes(), used);
            assert_eq!(b.get(), text);
            assert_eq!(b.data.get() == a.data.get(), text.len() > 15);
            assert_eq!(with_nul(a), with_nul(b));
        }
    }

    #[test]
    fn is_unchanged_when_memory_is_out() {
        let arena = Arena::new();
        let s: &StdString = arena.alloc_zeroed().unwrap();
        for text in ["before", "a long text from before"] {
            s.set(&arena, text).unwrap();
            let before = words(s);
            arena.fail_after(Some(0));
            assert_eq!(s.set(&arena, "a new text that is too long").unwrap_err().code, ErrorCode::OutOfMemory);
            assert_eq!(words(s), before);
            assert!(s.set(&arena, text.get(..6).unwrap()).is_ok(), "short texts need no memory");
            arena.fail_after(None);
        }
    }

    #[test]
    fn a_moved_string_points_at_itself() {
        let arena = Arena::new();
        let [old, new]: [&StdString; 2] = [arena.alloc_zeroed().unwrap(), arena.alloc_zeroed().unwrap()];
        for text in ["short", "long enough to lie outside"] {
            old.set(&arena, text).unwrap();
            let (data, size, inline) = words(old);
            new.data.set(data);
            new.size.set(size);
            new.inline.set(inline);
            new.relocated(old);
            assert_eq!(new.data.get() == new.inline_data(), size <= 15);
            assert_eq!(new.get(), text);
        }
    }

    #[test]
    fn views_behave_like_texts() {
        let arena = Arena::new();
        let s: &StdString = arena.alloc_zeroed().unwrap();
        s.set(&arena, "b\"ö").unwrap();
        let view = s.get();
        assert_eq!(format!("{view} {view:?} {s} {s:?}"), "b\"ö \"b\\\"ö\" b\"ö \"b\\\"ö\"");
        assert_eq!(view, "b\"ö");
        assert_eq!("b\"ö", view);
        assert_eq!(*"b\"ö", view);
        assert_eq!(view, *"b\"ö");
        assert_ne!(view, "b");
        assert!(view > Str::EMPTY && view.cmp(&view) == Ordering::Equal);
        assert_eq!(view.to_ascii_uppercase(), String::from("B\"ö"));
        let hasher = std::hash::RandomState::new();
        use core::hash::BuildHasher;
        assert_eq!(hasher.hash_one(view), hasher.hash_one("b\"ö"));
    }
}
