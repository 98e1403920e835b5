//! Growing vectors and texts whose allocations can fail, because a process that embeds this crate must not end when memory
//! does.
#![forbid(unsafe_code)]

use crate::{Error, Result};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// Appends an item.
///
/// # Errors
/// `OutOfMemory`; the list is as before then.
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<()> {
    list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    list.push(item);
    Ok(())
}

/// A copy of a text.
///
/// # Errors
/// `OutOfMemory`.
pub fn copy(text: &str) -> Result<String> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| Error::out_of_memory())?;
    copy.push_str(text);
    Ok(copy)
}

/// So many zero bytes.
///
/// # Errors
/// `OutOfMemory`.
pub fn zeros(count: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(count).map_err(|_| Error::out_of_memory())?;
    // Page by page: a build without optimisation would write them one by one.
    const PAGE: [u8; 4096] = [0; 4096];
    while let Some(piece) = PAGE.get(..PAGE.len().min(count - bytes.len())).filter(|piece| !piece.is_empty()) {
        bytes.extend_from_slice(piece);
    }
    Ok(bytes)
}

/// Appends a formatted value, which must not fail by itself.
///
/// # Errors
/// `OutOfMemory`; what still fitted was appended then.
pub fn append(text: &mut String, value: impl fmt::Display) -> Result<()> {
    // Only an allocation can fail.
    write!(Growing(text), "{value}").map_err(|_| Error::out_of_memory())
}

/// A formatted value.
///
/// # Errors
/// `OutOfMemory`.
pub fn format(value: impl fmt::Display) -> Result<String> {
    let mut text = String::new();
    append(&mut text, value)?;
    Ok(text)
}

/// An array on the heap that never was on the stack.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn boxed_array<T: Clone, const N: usize>(item: T) -> Result<Box<[T; N]>> {
    let mut items = Vec::new();
    items.try_reserve_exact(N).map_err(|_| Error::out_of_memory())?;
    items.resize(N, item);
    // The length is right, so the conversion never fails.
    items.into_boxed_slice().try_into().map_err(|_| Error::out_of_memory())
}

/// A text that takes what is written to it as long as there is memory.
struct Growing<'t>(&'t mut String);

impl Write for Growing<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.try_reserve(part.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_arrive_in_order() {
        let mut list = Vec::new();
        push(&mut list, 1).unwrap();
        push(&mut list, 2).unwrap();
        assert_eq!(list, [1, 2]);
        let mut text = copy("a").unwrap();
        append(&mut text, format_args!("{}{}", 2, 'c')).unwrap();
        assert_eq!((text.as_str(), format(17).unwrap().as_str()), ("a2c", "17"));
    }
}
