//! Library

use crate::boundary::put_static;
use crate::types::{BIR_ABI_VERSION, BIR_STATUS_OK, bir_error, bir_status, bir_string};
use bir_core::ir::LAYOUT_HASH;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::c_char;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

fn code(status: bir_status) -> Result<ErrorCode> {
    let found = ErrorCode::ALL.iter().copied().find(|c| c.number() == status);
    found.ok_or_else(|| Error::new(ErrorCode::NotFound, format_args!("{status} is no status")))
}

/// The version of the binary interface that the library was built with: BIR_ABI_VERSION. It changes when a program built
/// against an older header would misbehave. Never fails.
#[unsafe(no_mangle)]
pub extern "C" fn bir_abi_version() -> u32 {
    BIR_ABI_VERSION
}

/// The library's version, e.g. `0.1.0`, ended by a NUL. Lies in the library. Never fails.
#[unsafe(no_mangle)]
pub extern "C" fn bir_version_string() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// A digest of the memory layout of all objects (spec/layout.toml): C++ code that reads objects in place was built for one
/// digest and must not run with another. Never fails.
#[unsafe(no_mangle)]
pub extern "C" fn bir_layout_hash() -> u64 {
    LAYOUT_HASH
}

/// The error's name for people and logs, e.g. `MissingKey`; `Ok` for BIR_STATUS_OK. NOT_FOUND for a number that is no
/// status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_status_name(status: bir_status, out: *mut bir_string, err: *mut bir_error) -> bir_status {
    boundary!(err, { put_static(out, if status == BIR_STATUS_OK { "Ok" } else { code(status)?.name() }) })
}

/// One line that explains the error. NOT_FOUND for a number that is no status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_status_description(
    status: bir_status,
    out: *mut bir_string,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put_static(out, if status == BIR_STATUS_OK { "no error" } else { code(status)?.description() }) })
}
