//! Build data of a package. A runtime does not read it; the IR signature covers it.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::neff::json::JsonWriter;
use alloc::vec::Vec;

/// `info.json`. `tool_version` is its one documented key (`spec/neff.md` section 1.2).
///
/// # Errors
///
/// `OutOfMemory`.
pub fn info_json(name: &str, tool_version: &str) -> Result<Vec<u8>> {
    JsonWriter::document(|w| {
        w.object(|w| {
            w.key("name")?.string(name)?;
            w.key("tool_version")?.string(tool_version)
        })
    })
}
