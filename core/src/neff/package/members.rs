//! The sorted list of a package's members.
#![forbid(unsafe_code)]

use super::PackageBuilder;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;
use crate::neff::descriptors::{ENGINES, Engine, empty_engine, graph_name, info_json, kelf_json, kelf_name, neff_json};
use crate::neff::path::compare_paths;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Members by name, in the order of the archive (`spec/neff.md` section 4.2).
pub(super) struct Members<'m>(Vec<Member<'m>>);

/// Name and contents.
pub(super) type Member<'m> = (Cow<'m, str>, Cow<'m, [u8]>);

impl<'m> Members<'m> {
    /// The members that were given and the ones every package has.
    pub fn collect(builder: &'m PackageBuilder<'_>) -> Result<Self> {
        let mut members = Members(Vec::new());
        for (name, bytes) in &builder.members {
            push(&mut members.0, (Cow::Borrowed(name.as_str()), Cow::Borrowed(&**bytes)))?;
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
        members.generated("neff.json".to_string(), neff_json(&builder.inputs, &builder.outputs)?)?;
        members.generated(kelf_name(0), kelf_json(builder.target, builder.cores.len())?)?;
        members.sort();
        Ok(members)
    }

    /// Adds a generated member; order is restored by [`finish`](Self::finish).
    pub fn generated(&mut self, name: String, bytes: Vec<u8>) -> Result<()> {
        push(&mut self.0, (Cow::Owned(name), Cow::Owned(bytes)))
    }

    /// Adds a member unless one of the name was given. The list is sorted up to the members this added.
    fn default(&mut self, name: String, bytes: impl FnOnce() -> Result<Vec<u8>>) -> Result<()> {
        if self.given(&name).is_some() {
            return Ok(());
        }
        let bytes = bytes()?;
        let at = self.0.partition_point(|member| compare_paths(&member.0, &name).is_lt());
        self.0.try_reserve(1).map_err(|_| Error::out_of_memory())?;
        self.0.insert(at, (Cow::Owned(name), Cow::Owned(bytes)));
        Ok(())
    }

    /// The contents of a member of the sorted list.
    pub fn given(&self, name: &str) -> Option<&[u8]> {
        let at = self.0.binary_search_by(|member| compare_paths(&member.0, name)).ok()?;
        self.0.get(at).map(|member| &*member.1)
    }

    /// The members in the order of the archive.
    ///
    /// # Errors
    ///
    /// `DuplicateName`; `Conflict` for a member that is also the folder of another.
    pub fn finish(mut self) -> Result<Vec<Member<'m>>> {
        self.sort();
        for pair in self.0.windows(2) {
            let [(a, _), (b, _)] = pair else { continue };
            if a == b {
                return Err(Error::new(ErrorCode::DuplicateName, "two members have one name").at(a));
            }
            if b.strip_prefix(&**a).is_some_and(|rest| rest.starts_with('/')) {
                return Err(Error::new(ErrorCode::Conflict, "a member is also the folder of another")
                    .expected_found("a file or a folder", format_args!("the member `{b}`"))
                    .at(a));
            }
        }
        Ok(self.0)
    }

    fn sort(&mut self) {
        // Equal names are an error later, so an unstable sort loses nothing.
        self.0.sort_unstable_by(|a, b| compare_paths(&a.0, &b.0));
    }
}
