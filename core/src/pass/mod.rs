//! Passes: changes of whole functions that keep what a program computes. Each is a function over the objects and reports
//! what it did; one that fails half-way leaves a program that still computes the same.
#![forbid(unsafe_code)]

pub mod cse;

use crate::{Error, Result};
use alloc::vec::Vec;

/// Appends with fallible allocation.
fn push<T>(list: &mut Vec<T>, item: T) -> Result<()> {
    list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
    list.push(item);
    Ok(())
}
