//! The boundary: what every function does before and after its one call of the core.
//!
//! Panics end here, and errors become a status and a caller-owned struct. Nothing is kept between calls.

use crate::types::{
    BIR_STATUS_OK, Handle, Opaque, bir_bytes, bir_error, bir_expr, bir_predicate, bir_status, bir_storage, bir_string,
};
use bir_core::enums::IrEnum;
use bir_core::ir::{
    APPair, AffinePredicate, Argument, BasicBlock, BasicBlockArgument, DMAQueue, EdgeSet, Function, Instruction,
    MemoryLocation, MemoryLocationSet, ModuleRef, OperandList, Place, QuasiAffineExpr, Register, Storage, StorageBase,
};
use bir_core::mem::Str;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{CStr, c_char, c_void};
use core::fmt::{self, Write};
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The body of a function that returns a status, or, with `pointer`, of one that returns an object or NULL, or, with
/// `handle`, of one that makes something that the caller owns.
macro_rules! boundary {
    ($err:ident, $body:block) => {
        $crate::boundary::status($err, move || {
            // SAFETY: the caller's promise, see the crate's first comment.
            #[allow(unused_unsafe)]
            let done: bir_core::Result<()> = unsafe { $body };
            done
        })
    };
    ($err:ident, pointer $body:block) => {
        $crate::boundary::pointer($err, move || {
            // SAFETY: the caller's promise, see the crate's first comment.
            #[allow(unused_unsafe)]
            let found: bir_core::Result<Option<_>> = unsafe { $body };
            found
        })
    };
    ($err:ident, handle $body:block) => {
        $crate::boundary::made($err, move || {
            // SAFETY: the caller's promise, see the crate's first comment.
            #[allow(unused_unsafe)]
            let made: bir_core::Result<_> = unsafe { $body };
            made
        })
    };
}

/// Fills the members of a caller's struct that lie within the size that its first member tells; 0 stands for all. For
/// use in `unsafe` blocks whose promise is that so many bytes may be written.
macro_rules! fill {
    ($out:expr, $type:ident { $($member:ident: $value:expr,)* }) => {{
        let out: *mut $type = $out;
        let given = match (&raw const (*out).size).read() {
            0 => size_of::<$type>(),
            size => size as usize,
        };
        $(
            let value = $value;
            if core::mem::offset_of!($type, $member) + size_of_val(&value) <= given {
                (&raw mut (*out).$member).write(value);
            }
        )*
    }};
}

/// Reads the members of a caller's options that lie within the size that their first member tells, 0 stands for all; the
/// others, and all for NULL, are the defaults. For use in `unsafe` blocks whose promise is that so many bytes may be read.
macro_rules! options {
    ($given:expr, $type:ident { $($member:ident),* $(,)? }) => {{
        let given: *const $type = $given;
        let mut options = $type::default();
        if !given.is_null() {
            let size = match (&raw const (*given).size).read() {
                0 => size_of::<$type>(),
                size => size as usize,
            };
            $(
                if core::mem::offset_of!($type, $member) + size_of_val(&options.$member) <= size {
                    options.$member = (&raw const (*given).$member).read();
                }
            )*
        }
        options
    }};
}

/// Runs a body; whatever it does, a value comes back and the error struct is filled.
fn guard<R>(err: *mut bir_error, body: impl FnOnce() -> Result<R>) -> Result<R, bir_status> {
    // A panic may leave an object half changed, but cells are never torn: everything stays readable.
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let error = Error::new(ErrorCode::Internal, text.unwrap_or(ErrorCode::Internal.description()));
        // Dropping a foreign payload might panic again.
        core::mem::forget(payload);
        Err(error)
    });
    // SAFETY: the caller's promise: NULL, or a struct of the size that it says.
    unsafe { report(err, result.as_ref().err()) };
    result.map_err(|error| error.code.number())
}

/// The boundary of functions that return a status.
pub fn status(err: *mut bir_error, body: impl FnOnce() -> Result<()>) -> bir_status {
    guard(err, body).map_or_else(|status| status, |()| BIR_STATUS_OK)
}

/// The boundary of functions that return an object or NULL.
pub fn pointer<'m, T: Opaque>(err: *mut bir_error, body: impl FnOnce() -> Result<Option<&'m T::Object>>) -> *mut T
where
    T::Object: 'm,
{
    handle(guard(err, body).ok().flatten())
}

/// The boundary of functions that make a handle, which the caller owns from then on.
pub fn made<T: Handle>(err: *mut bir_error, body: impl FnOnce() -> Result<T::Object>) -> *mut T {
    guard(err, body).map_or(ptr::null_mut(), give)
}

/// Makes an object the caller's, who gives it back with [`destroy`].
pub fn give<T: Handle>(object: T::Object) -> *mut T {
    Box::into_raw(Box::new(object)).cast()
}

/// The body of a function that frees a handle; NULL is allowed.
///
/// # Safety
/// - the pointer is NULL, or from [`give`] and not given back before.
pub unsafe fn destroy<T: Handle>(pointer: *mut T) {
    status(ptr::null_mut(), || {
        if !pointer.is_null() {
            // SAFETY: by the caller's promise.
            drop(unsafe { Box::from_raw(pointer.cast::<T::Object>()) });
        }
        Ok(())
    });
}

/// An object's address as the C type.
pub fn handle<T: Opaque>(object: Option<&T::Object>) -> *mut T {
    object.map_or(ptr::null_mut(), |o| ptr::from_ref(o).cast_mut().cast())
}

/// Fills a caller's error struct.
///
/// # Safety
/// - `err` is NULL or leads to a struct of which the bytes that its `size` names may be written.
unsafe fn report(err: *mut bir_error, error: Option<&Error>) {
    if err.is_null() {
        return;
    }
    let position = error.and_then(|e| e.position);
    // SAFETY: by the caller's promise the first member is there and set, and so many bytes may be written.
    unsafe {
        fill!(
            err,
            bir_error {
                status: error.map_or(BIR_STATUS_OK, |e| e.code.number()),
                line: position.map_or(0, |p| p.line),
                column: position.map_or(0, |p| p.column),
                offset: position.map_or(0, |p| p.offset),
                message: cut(error.map(Message)),
                path: cut(error.map(|e| &e.path)),
            }
        );
    }
}

/// What went wrong, expected and found; place and position have members of their own.
pub struct Message<'a>(pub &'a Error);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { code, message, expected, found, .. } = self.0;
        f.write_str(if message.is_empty() { code.description() } else { message })?;
        match (expected.is_empty(), found.is_empty()) {
            (false, false) => write!(f, ": expected {expected}, found {found}"),
            (false, true) => write!(f, ": expected {expected}"),
            (true, false) => write!(f, ": found {found}"),
            (true, true) => Ok(()),
        }
    }
}

/// A text in a fixed buffer: cut between two characters, ended by a NUL.
pub fn cut<const N: usize>(text: Option<impl fmt::Display>) -> [c_char; N] {
    struct Buffer<const N: usize> {
        bytes: [c_char; N],
        len: usize,
    }
    impl<const N: usize> Write for Buffer<N> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let room = N.saturating_sub(1).saturating_sub(self.len);
            let fits = text.floor_char_boundary(room);
            let places = self.bytes.iter_mut().skip(self.len);
            for (to, from) in places.zip(text.as_bytes().iter().take(fits)) {
                *to = *from as c_char;
            }
            self.len += fits;
            if fits == text.len() { Ok(()) } else { Err(fmt::Error) }
        }
    }
    let mut buffer = Buffer { bytes: [0; N], len: 0 };
    if let Some(text) = text {
        // An error means that the buffer is full: the rest is cut off, as documented.
        let _ = write!(buffer, "{text}");
    }
    buffer.bytes
}

fn null(what: &str) -> Error {
    Error::new(ErrorCode::NullArgument, format_args!("a {what} is required and NULL was given"))
}

/// The object behind a pointer that must not be NULL.
///
/// # Safety
/// - the pointer is NULL or leads to a live object, whose module outlives the call.
pub unsafe fn object<'m, T: Opaque>(pointer: *const T) -> Result<&'m T::Object> {
    // SAFETY: by the caller's promise.
    unsafe { object_or_none(pointer) }.ok_or_else(|| null(T::WHAT))
}

/// The object behind a pointer; `None` for NULL.
///
/// # Safety
/// - as [`object()`].
pub unsafe fn object_or_none<'m, T: Opaque>(pointer: *const T) -> Option<&'m T::Object> {
    // SAFETY: by the caller's promise; objects consist of cells, so shared references are enough to change them.
    unsafe { pointer.cast::<T::Object>().as_ref() }
}

/// An object that can be erased.
pub trait Erasable {
    /// Fails with `Detached` if it was.
    fn check_live(&self) -> Result<()>;
}

macro_rules! erasable {
    ($($type:ident: |$o:ident| $module:expr;)*) => { $(
        impl Erasable for $type {
            fn check_live(&self) -> Result<()> {
                let $o = self;
                $module.map(|_| ())
            }
        }
    )* };
}
erasable! {
    Function: |o| o.module();
    BasicBlock: |o| o.module();
    Instruction: |o| o.module();
    Argument: |o| o.module();
    Storage: |o| o.module();
    MemoryLocationSet: |o| o.storage().module();
    Register: |o| o.storage().module();
    MemoryLocation: |o| o.module();
    DMAQueue: |o| o.module();
}

impl Erasable for BasicBlockArgument {
    fn check_live(&self) -> Result<()> {
        match self.is_erased() {
            true => Err(Error::new(ErrorCode::Detached, "the block argument was erased")),
            false => Ok(()),
        }
    }
}

/// The object behind a pointer, which must be neither NULL nor erased: for changes.
///
/// # Safety
/// - as [`object()`].
pub unsafe fn live<'m, T: Opaque>(pointer: *const T) -> Result<&'m T::Object>
where
    T::Object: Erasable,
{
    // SAFETY: by the caller's promise.
    let object = unsafe { object(pointer) }?;
    object.check_live()?;
    Ok(object)
}

/// The set or register behind a storage pointer.
///
/// # Safety
/// - as [`object()`].
pub unsafe fn set_or_register<'m>(pointer: *const bir_storage) -> Result<&'m Storage> {
    // SAFETY: by the caller's promise.
    let base: &'m StorageBase = unsafe { object(pointer) }?;
    base.as_storage().ok_or_else(|| {
        Error::new(ErrorCode::WrongKind, format_args!("`{}` is a location, not a set or register", base.name()))
    })
}

/// The place before an object; at the end for NULL.
///
/// # Safety
/// - as [`object()`].
pub unsafe fn place<'m, T: Opaque>(anchor: *const T) -> Place<'m, T::Object> {
    // SAFETY: by the caller's promise.
    unsafe { object_or_none(anchor) }.map_or(Place::End, Place::Before)
}

/// The place before a set or register; at the end for NULL.
///
/// # Safety
/// - as [`object()`].
pub unsafe fn before_storage<'m>(anchor: *const bir_storage) -> Result<Place<'m, Storage>> {
    if anchor.is_null() {
        return Ok(Place::End);
    }
    // SAFETY: by the caller's promise.
    unsafe { set_or_register(anchor) }.map(Place::Before)
}

/// A text of the caller. NULL is the empty text if its length is 0.
///
/// # Safety
/// - `data` leads to `len` bytes, or to a NUL-terminated text if `len` is `usize::MAX`.
pub unsafe fn text<'a>(data: *const c_char, len: usize) -> Result<&'a str> {
    if data.is_null() {
        return if len == 0 { Ok("") } else { Err(null("text")) };
    }
    // SAFETY: by the caller's promise.
    let bytes = unsafe {
        match len {
            usize::MAX => CStr::from_ptr(data).to_bytes(),
            _ => slice(data.cast::<u8>(), len)?,
        }
    };
    core::str::from_utf8(bytes).map_err(|e| {
        Error::new(ErrorCode::BadValue, "a text is not UTF-8")
            .expected_found("UTF-8", format_args!("another byte sequence at byte {}", e.valid_up_to()))
    })
}

/// Bytes of the caller, which need not be text. NULL if there are none.
///
/// # Safety
/// - as [`text`].
pub unsafe fn bytes<'a>(data: *const c_char, len: usize) -> Result<&'a [u8]> {
    match len {
        usize::MAX if data.is_null() => Err(null("text")),
        // SAFETY: by the caller's promise.
        usize::MAX => Ok(unsafe { CStr::from_ptr(data) }.to_bytes()),
        // SAFETY: by the caller's promise.
        _ => unsafe { slice(data.cast(), len) },
    }
}

/// A path of the caller: any bytes where the system takes them, else UTF-8.
///
/// # Safety
/// - as [`text`].
pub unsafe fn path<'a>(data: *const c_char, len: usize) -> Result<&'a Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: by the caller's promise.
        Ok(Path::new(std::ffi::OsStr::from_bytes(unsafe { bytes(data, len) }?)))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: by the caller's promise.
        unsafe { text(data, len) }.map(Path::new)
    }
}

/// A text of the caller that may be absent: NULL.
///
/// # Safety
/// - as [`text`].
pub unsafe fn optional_text<'a>(data: *const c_char, len: usize) -> Result<Option<&'a str>> {
    // SAFETY: by the caller's promise.
    if data.is_null() { Ok(None) } else { unsafe { text(data, len) }.map(Some) }
}

/// Texts of the caller.
///
/// # Safety
/// - `texts` leads to `count` elements, each as [`text`] asks.
pub unsafe fn texts<'a>(texts: *const bir_string, count: usize) -> Result<Vec<&'a str>> {
    // SAFETY: by the caller's promise.
    let given = unsafe { slice(texts, count) }?;
    // SAFETY: as above.
    collect(given.iter().map(|t| unsafe { text(t.data, t.len) }), count)
}

/// An array of the caller; NULL if it has no elements.
///
/// # Safety
/// - `data` leads to `count` elements.
pub unsafe fn slice<'a, T>(data: *const T, count: usize) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(null("array"));
    }
    match count.checked_mul(size_of::<T>()) {
        // SAFETY: by the caller's promise; the size does not exceed isize::MAX.
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(unsafe { core::slice::from_raw_parts(data, count) }),
        _ => Err(Error::new(ErrorCode::BadValue, format_args!("an array of {count} elements does not fit memory"))),
    }
}

/// Room of the caller for bytes, of which no more than `wanted` are taken; NULL if there is none. What is taken is cleared, since
/// it may be fresh memory.
///
/// # Safety
/// - `data` leads to `size` bytes that may be written and that nobody else uses meanwhile.
pub unsafe fn room<'a>(data: *mut c_void, size: usize, wanted: u64) -> Result<&'a mut [u8]> {
    if size == 0 {
        return Ok(&mut []);
    }
    required(data)?;
    if isize::try_from(size).is_err() {
        return Err(Error::new(ErrorCode::BadValue, format_args!("a buffer of {size} bytes does not fit memory")));
    }
    let size = usize::try_from(wanted).unwrap_or(usize::MAX).min(size);
    // SAFETY: by the caller's promise; the size does not exceed isize::MAX, and zeros are bytes.
    unsafe {
        data.cast::<u8>().write_bytes(0, size);
        Ok(core::slice::from_raw_parts_mut(data.cast(), size))
    }
}

/// Dimensions of the caller.
///
/// # Safety
/// - as [`slice()`].
pub unsafe fn dims<'a>(data: *const crate::types::bir_dim, count: usize) -> Result<&'a [APPair]> {
    // SAFETY: by the caller's promise; the two structs have the same members (asserted in `types`).
    unsafe { slice(data.cast(), count) }
}

/// Collects with fallible allocation; ends at the first error.
pub fn collect<T>(items: impl Iterator<Item = Result<T>>, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
    for item in items {
        list.push(item?);
    }
    Ok(list)
}

/// An expression of `module` by its root; none for NULL.
///
/// # Safety
/// - as [`object()`].
pub unsafe fn expression(module: &ModuleRef, root: *const bir_expr) -> Result<QuasiAffineExpr<'_>> {
    // SAFETY: by the caller's promise.
    match unsafe { object_or_none(root) } {
        Some(root) => module.expression(root),
        None => Ok(QuasiAffineExpr::NONE),
    }
}

/// Expressions of `module` by their roots.
///
/// # Safety
/// - `roots` leads to `count` pointers, each as [`object()`] asks.
pub unsafe fn expressions(
    module: &ModuleRef,
    roots: *const *const bir_expr,
    count: usize,
) -> Result<Vec<QuasiAffineExpr<'_>>> {
    // SAFETY: by the caller's promise.
    let given = unsafe { slice(roots, count) }?;
    // SAFETY: as above.
    collect(given.iter().map(|root| unsafe { expression(module, *root) }), count)
}

/// Predicates of the caller.
///
/// # Safety
/// - `predicates` leads to `count` elements, whose expressions are as [`object()`] asks.
pub unsafe fn predicates_in(
    module: &ModuleRef,
    predicates: *const bir_predicate,
    count: usize,
) -> Result<Vec<AffinePredicate<'_>>> {
    // SAFETY: by the caller's promise.
    let given = unsafe { slice(predicates, count) }?;
    let one = |p: &bir_predicate| {
        if p.op > crate::types::BIR_PREDICATE_EQ {
            return Err(Error::new(ErrorCode::BadValue, format_args!("{} is no predicate operation", p.op)));
        }
        // SAFETY: as above.
        Ok(AffinePredicate { expr: unsafe { expression(module, p.expr) }?, op: p.op })
    };
    collect(given.iter().map(one), count)
}

/// A predicate as C sees it.
pub fn predicate_out(predicate: AffinePredicate<'_>) -> bir_predicate {
    bir_predicate { expr: handle(predicate.expr.root()), op: predicate.op }
}

/// The member of an enum.
pub fn member<E: IrEnum>(ordinal: i32) -> Result<E> {
    E::from_ordinal(ordinal.into())
}

/// The operand list of a number.
pub fn operand_list(number: i32) -> Result<OperandList> {
    OperandList::from_number(number)
        .ok_or_else(|| Error::new(ErrorCode::BadValue, format_args!("{number} is no operand list: 0 to 2 are")))
}

/// The edge set of a number.
pub fn edge_set(number: i32) -> Result<EdgeSet> {
    match number {
        crate::types::BIR_EDGE_SET_NORMAL => Ok(EdgeSet::Normal),
        crate::types::BIR_EDGE_SET_LOOP_CARRIED => Ok(EdgeSet::LoopCarried),
        _ => Err(Error::new(ErrorCode::BadValue, format_args!("{number} is no edge set: 0 and 1 are"))),
    }
}

/// The yes or no of a byte.
pub fn flag(value: u8) -> bool {
    value != 0
}

/// Fails unless there is a place for a result. For functions that change something before they answer.
pub fn required<T>(out: *mut T) -> Result<()> {
    if out.is_null() { Err(null("place for the result")) } else { Ok(()) }
}

/// Hands a result out.
///
/// # Safety
/// - `out` is NULL or may be written.
pub unsafe fn put<T>(out: *mut T, value: T) -> Result<()> {
    required(out)?;
    // SAFETY: by the caller's promise.
    unsafe { out.write(value) };
    Ok(())
}

/// Hands a result out that the caller may not want: NULL.
///
/// # Safety
/// - as [`put`].
pub unsafe fn offer<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: by the caller's promise.
        unsafe { out.write(value) };
    }
}

/// Hands a yes or no out.
///
/// # Safety
/// - as [`put`].
pub unsafe fn put_flag(out: *mut u8, value: bool) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe { put(out, u8::from(value)) }
}

/// Hands a text of the module out.
///
/// # Safety
/// - as [`put`].
pub unsafe fn put_text(out: *mut bir_string, value: Str<'_>) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe { put(out, string_of(value)) }
}

/// A text of the module as C sees it.
pub fn string_of(value: Str<'_>) -> bir_string {
    let (data, len) = value.as_raw();
    bir_string { data: data.cast(), len }
}

/// Hands a text of the module out, or NULL if it is absent.
///
/// # Safety
/// - as [`put`].
pub unsafe fn put_optional_text(out: *mut bir_string, value: Option<Str<'_>>) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe { put(out, value.map_or(bir_string { data: ptr::null(), len: 0 }, string_of)) }
}

/// Hands a text of the library out.
///
/// # Safety
/// - as [`put`].
pub unsafe fn put_static(out: *mut bir_string, value: &'static str) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe { put(out, bir_string { data: value.as_ptr().cast(), len: value.len() }) }
}

/// A text of a handle as C sees it.
pub fn str_out(value: &str) -> bir_string {
    bir_string { data: value.as_ptr().cast(), len: value.len() }
}

/// Bytes of a handle as C sees them.
pub fn bytes_out(value: &[u8]) -> bir_bytes {
    bir_bytes { data: value.as_ptr(), len: value.len() }
}

/// Copies a text out, with a NUL: `*len` is its length. Without room (`capacity` 0) only the length is told; with too
/// little, nothing is written.
///
/// # Safety
/// - `out` leads to room for `capacity` bytes; `len` is NULL or may be written.
pub unsafe fn copy_text_out(text: &str, out: *mut c_char, capacity: usize, len: *mut usize) -> Result<()> {
    required(len)?;
    let mut count = 0;
    // SAFETY: by the caller's promise.
    unsafe {
        copy_out(|| text.bytes().chain([0]).map(|b| b as c_char), out, capacity, &raw mut count)?;
        put(len, text.len())
    }
}

/// Copies elements out: `*count` is their number. Without room (`capacity` 0) only the number is told; with too little,
/// nothing is written.
///
/// # Safety
/// - `out` leads to room for `capacity` elements; `count` is NULL or may be written;
/// - `items` gives the same elements each time.
pub unsafe fn copy_out<T, I: Iterator<Item = T>>(
    items: impl Fn() -> I,
    out: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<()> {
    required(count)?;
    let len = items().count();
    if capacity != 0 {
        required(out)?;
        if capacity < len {
            return Err(Error::new(ErrorCode::BadValue, "there is too little room for the result")
                .expected_found(format_args!("room for {len} elements"), capacity));
        }
        for (i, item) in items().take(len).enumerate() {
            // SAFETY: `i` is below the capacity that the caller vouches for.
            unsafe { out.add(i).write(item) };
        }
    }
    // SAFETY: by the caller's promise.
    unsafe { count.write(len) };
    Ok(())
}

/// The error for a number at which there is nothing.
pub fn nothing_at(what: &str, index: usize) -> Error {
    Error::new(ErrorCode::NotFound, format_args!("there is no {what} {index}"))
}

/// An address of any type.
pub fn any<T>(object: &T) -> *mut c_void {
    ptr::from_ref(object).cast_mut().cast()
}
