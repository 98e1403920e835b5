//! The sorted list of a package's members.
#![forbid(unsafe_code)]

use super::PackageBuilder;
use super::archive::Archive;
use crate::contents::Data;
use crate::error::{Error, Result};
use crate::fallible::push;
use crate::neff::descriptors::{
    ENGINES, Engine, GraphNode, empty_engine, graph_name, info_json, kelf_json, kelf_name, neff_json,
};
use crate::neff::path::compare_paths;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Members by name, in the order of the archive (`spec/neff.md` section 4.2).
pub(super) struct Members<'m>(Vec<(Cow<'m, str>, Data<'m>)>);

impl<'m> Members<'m> {
    /// The members that were given and the ones every package has.
    pub fn collect(builder: &'m PackageBuilder<'_>) -> Result<Self> {
        let mut members = Members(Vec::new());
        for (name, data) in &builder.members {
            push(&mut members.0, (Cow::Borrowed(name.as_str()), data.borrowed()))?;
        }
        members.sort();
        for core in 0..builder.cores.len() {
            let folder = graph_name(core);
            for engine in ENGINES {
                members.default(Engine::member(&folder, engine.json_name()), empty_engine)?;
                members.default(Engine::member(&folder, engine.bin_name()), || Ok(Vec::new()))?;
            }
        }
        let json = info_json(&builder.name, &builder.tool_version)?;
        members.generated("info.json".to_string(), json)?;
        let mut nodes = Vec::new();
        for (i, node) in builder.nodes.iter().enumerate() {
            push(&mut nodes, GraphNode { inputs: &node.inputs, outputs: &node.outputs })?;
            members.generated(kelf_name(i), kelf_json(builder.target, node.cores.clone())?)?;
        }
        members.generated("neff.json".to_string(), neff_json(&nodes)?)?;
        members.sort();
        Ok(members)
    }

    /// Adds a generated member; the order is restored by the archive.
    pub fn generated(&mut self, name: String, bytes: Vec<u8>) -> Result<()> {
        push(&mut self.0, (Cow::Owned(name), bytes.into()))
    }

    /// Adds a member unless one of the name was given. The list is sorted up to the members this added.
    fn default(&mut self, name: String, bytes: impl FnOnce() -> Result<Vec<u8>>) -> Result<()> {
        if self.given(&name).is_some() {
            return Ok(());
        }
        let bytes = bytes()?;
        let at = self.0.partition_point(|member| compare_paths(&member.0, &name).is_lt());
        self.0.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.0.insert(at, (Cow::Owned(name), bytes.into()));
        Ok(())
    }

    /// The contents of a member of the sorted list.
    pub fn given(&self, name: &str) -> Option<&Data<'m>> {
        let at = self.0.binary_search_by(|member| compare_paths(&member.0, name)).ok()?;
        self.0.get(at).map(|member| &member.1)
    }

    /// Adds all members to an archive and sorts it.
    ///
    /// # Errors
    ///
    /// As [`Archive::sort`].
    pub fn move_into(self, archive: &mut Archive<'m>) -> Result<()> {
        for (name, data) in self.0 {
            archive.add(&name, data)?;
        }
        archive.sort()
    }

    fn sort(&mut self) {
        self.0.sort_unstable_by(|a, b| compare_paths(&a.0, &b.0));
    }
}
