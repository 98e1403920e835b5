//! What of a package only debuggers and profilers read (`spec/neff.md` section 6.2).
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use serde_json::Value;

/// Whether a member is debug data: below a folder `debug_info`, a `.dbg` or `.asm` file, or one of the JSON documents for
/// debuggers.
pub fn is_debug(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let extension = base.rfind('.').and_then(|dot| base.get(dot..)).unwrap_or("");
    name.split('/').any(|element| element == "debug_info")
        || extension.contains(".dbg")
        || base.contains(".dbg.")
        || extension == ".asm"
        || base == "kernel_debug_info.json"
        || name.ends_with("wavegraph-bin.json")
}

/// Removes the keys of a definition that name debug data; returns their names, sorted.
pub fn drop_debug_keys(definition: &mut Value) -> Vec<String> {
    let Some(keys) = definition.as_object_mut() else { return Vec::new() };
    let debug: Vec<String> = keys.keys().filter(|key| *key == "debug_info" || key.ends_with("_dbg")).cloned().collect();
    for key in &debug {
        keys.remove(key);
    }
    debug
}
