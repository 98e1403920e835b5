//! A kelf lists the subgraphs of one logical core and names their hardware (`spec/neff.md` section 8.2).
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::neff::json::JsonWriter;
use crate::neff::target::Target;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Member name of a kelf: `kelf-<index>.json`.
pub fn kelf_name(index: usize) -> String {
    alloc::format!("kelf-{index}.json")
}

/// Name, and folder, of the subgraph of a physical core: `sg<NN>`, at least two digits.
pub fn graph_name(core: usize) -> String {
    alloc::format!("sg{core:02}")
}

/// `kelf-<i>.json` for a logical core of the physical cores `graphs`, counted over the whole package.
///
/// # Errors
///
/// `OutOfMemory`.
pub fn kelf_json(target: Target, mut graphs: Range<usize>) -> Result<Vec<u8>> {
    JsonWriter::document(|w| {
        w.object(|w| {
            w.key("graphs")?.array(|w| {
                graphs.try_for_each(|core| {
                    let name = graph_name(core);
                    w.object(|w| {
                        w.key("definition")?.string(&alloc::format!("{name}/def.json"))?;
                        w.key("name")?.string(&name)
                    })
                })
            })?;
            w.key("target")?.string(target.name())?;
            w.key("version")?.string("0.5")
        })
    })
}
