//! What there is to know of a package without its weights: its members with their sizes, the descriptors whole, and the first
//! bytes of everything else. It is filled from a walk, so a package of any size needs memory for its descriptors only.
#![forbid(unsafe_code)]

use super::read::Package;
use super::tar::MemberHeader;
use crate::consts::digest::{Md5, Running};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use crate::neff::signature::is_signed;
use crate::sink::Sink;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_json::Value;

/// How many bytes are kept of a member that is no descriptor: any NPY header that is written today, and more than the
/// runtime looks at.
pub const HEAD_BYTES: usize = 256;

/// The members whose name ends so are dropped by loaders, so they may be named and absent.
pub const DROPPED: &str = "wavegraph-bin.json";

/// How much an inventory may keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InventoryLimits {
    /// The largest descriptor that is kept whole, in bytes.
    pub max_json_bytes: u64,
    /// The most bytes of all descriptors together.
    pub max_total_json_bytes: u64,
}

impl Default for InventoryLimits {
    /// 64 MiB each, 512 MiB together.
    fn default() -> Self {
        InventoryLimits { max_json_bytes: 64 << 20, max_total_json_bytes: 512 << 20 }
    }
}

/// A member.
#[derive(Clone, Debug)]
pub struct Item {
    /// Relative path, safe to unpack.
    pub name: String,
    /// Size of the contents in bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// Owner number.
    pub uid: u64,
    /// Group number.
    pub gid: u64,
    /// Time of last change in seconds since 1970.
    pub mtime: i64,
    /// The type byte of the archive header.
    pub typeflag: u8,
    /// Offset of the contents from the start of the tar, in bytes.
    pub data_offset: u64,
    /// Contents, as far as they are kept: all of a descriptor, else at most [`HEAD_BYTES`].
    pub kept: Vec<u8>,
    keep: Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    /// The name says that it is JSON.
    Whole,
    /// The first bytes will tell.
    Look,
    /// It is no descriptor, or too large a one.
    Head,
}

impl Item {
    /// The contents, if they are kept whole.
    pub fn whole(&self) -> Option<&[u8]> {
        (self.kept.len() as u64 == self.size).then_some(&self.kept)
    }
}

/// The members of a package, filled in file order.
#[derive(Clone, Default)]
pub struct Inventory {
    items: Vec<Item>,
    /// Places in `items`; the first of several members of one name.
    by_name: BTreeMap<String, usize>,
    duplicates: Vec<String>,
    limits: InventoryLimits,
    json_bytes: u64,
    /// Bytes of the last member so far.
    filled: u64,
    signature: Option<Running>,
    /// Descriptors that names lead to and that have not come yet; `None` before the manifest came.
    awaited: Option<Vec<String>>,
}

impl fmt::Debug for Inventory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inventory").field("items", &self.items).finish_non_exhaustive()
    }
}

impl Inventory {
    /// An empty one. With `sign` the IR signature is computed, for which all contents have to come.
    pub fn new(limits: InventoryLimits, sign: bool) -> Self {
        Inventory { limits, signature: sign.then(Running::new), ..Inventory::default() }
    }

    /// That of a package in memory.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn of(package: &Package<'_>) -> Result<Self> {
        let mut inventory = Inventory::new(InventoryLimits::default(), true);
        for member in package.members() {
            let contents = package.contents(member);
            inventory.begin(&MemberHeader {
                name: &member.name,
                size: contents.len() as u64,
                mode: member.mode,
                uid: member.uid,
                gid: member.gid,
                mtime: member.mtime,
                typeflag: member.typeflag,
                header_offset: 0,
                data_offset: member.range.start as u64,
            })?;
            inventory.data(contents)?;
            inventory.end()?;
        }
        Ok(inventory)
    }

    /// A member begins; tells whether there is any use for its contents.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn begin(&mut self, member: &MemberHeader<'_>) -> Result<bool> {
        let &MemberHeader { name, size, mode, uid, gid, mtime, typeflag, data_offset, .. } = member;
        let extension = name.rsplit('/').next().and_then(|base| base.rsplit_once('.')).map_or("", |(_, e)| e);
        let fits = size <= self.limits.max_json_bytes
            && self.json_bytes.saturating_add(size) <= self.limits.max_total_json_bytes;
        let keep = match extension {
            "json" if fits => Keep::Whole,
            "json" | "npy" | "bin" | "so" | "asm" | "dbg" => Keep::Head,
            _ if fits => Keep::Look,
            _ => Keep::Head,
        };
        let item =
            Item { name: copy(name)?, size, mode, uid, gid, mtime, typeflag, data_offset, kept: Vec::new(), keep };
        if self.by_name.contains_key(name) {
            push(&mut self.duplicates, copy(name)?)?;
        } else {
            self.by_name.insert(copy(name)?, self.items.len());
        }
        push(&mut self.items, item)?;
        self.filled = 0;
        Ok(size > 0)
    }

    /// The next bytes of its contents; tells whether there is any use for more.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn data(&mut self, bytes: &[u8]) -> Result<bool> {
        let Some(item) = self.items.last_mut() else { return Ok(false) };
        if let Some(running) = self.signature.as_mut().filter(|_| is_signed(&item.name)) {
            running.update(bytes);
        }
        if item.keep == Keep::Look && !bytes.is_empty() {
            // Loaders go by the names in other descriptors, not by extensions.
            let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
            item.keep = if start.starts_with(b"{") { Keep::Whole } else { Keep::Head };
        }
        let room = if item.keep == Keep::Whole { bytes.len() } else { HEAD_BYTES.saturating_sub(item.kept.len()) };
        item.kept.write(bytes.get(..room).unwrap_or(bytes))?;
        self.filled = self.filled.saturating_add(bytes.len() as u64);
        let signed = self.signature.is_some() && is_signed(&item.name);
        Ok(signed || item.keep == Keep::Whole || item.kept.len() < HEAD_BYTES)
    }

    /// The contents that were of use are there.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn end(&mut self) -> Result<()> {
        let Some(item) = self.items.last() else { return Ok(()) };
        if item.keep == Keep::Whole {
            self.json_bytes = self.json_bytes.saturating_add(item.size);
        }
        let name = item.name.as_str();
        let awaited = match &self.awaited {
            Some(names) => names.iter().any(|awaited| awaited == name),
            None => name == MANIFESTS[0],
        };
        if awaited {
            self.awaited = Some(self.missing_descriptors());
        }
        Ok(())
    }

    /// Whether the manifest, the kelfs and the definitions are all there, so that nothing behind them has to be read to see
    /// the program.
    pub fn has_descriptors(&self) -> bool {
        self.awaited.as_ref().is_some_and(Vec::is_empty)
    }

    /// The members, in file order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The names that more than one member has, once for each further one.
    pub fn duplicates(&self) -> &[String] {
        &self.duplicates
    }

    /// The member of a name, which may start with `./`.
    pub fn item(&self, name: &str) -> Option<&Item> {
        self.items.get(*self.by_name.get(name.trim_start_matches("./"))?)
    }

    /// The member of a name as a loader sees it: some it drops.
    pub fn loaded(&self, name: &str) -> Option<&Item> {
        self.item(name).filter(|item| !item.name.ends_with(DROPPED))
    }

    /// The name of the graph manifest: `neff.json`, or `kelp.json` in its place.
    pub fn manifest(&self) -> Option<&Item> {
        MANIFESTS.iter().find_map(|name| self.loaded(name))
    }

    /// A descriptor as JSON; a byte order mark at its start is skipped. `None` if it is not there, not kept or malformed.
    pub fn json(&self, name: &str) -> Option<Value> {
        parse(self.loaded(name)?.whole()?).ok()
    }

    /// The IR signature ([`super::signature`]), if it was to be computed.
    pub fn ir_signature(&self) -> Option<Md5> {
        self.signature.clone().map(Running::finish)
    }

    /// The error of a descriptor that is too large to be kept.
    pub(super) fn too_large(&self, item: &Item) -> Error {
        let (limit, most) = match item.size > self.limits.max_json_bytes {
            true => ("max_json_bytes", self.limits.max_json_bytes),
            false => ("max_total_json_bytes", self.limits.max_total_json_bytes),
        };
        Error::new(ErrorCode::LimitExceeded, format_args!("a descriptor is larger than `{limit}`"))
            .expected_found(format_args!("at most {most} bytes"), format_args!("{} bytes", item.size))
            .at(&item.name)
    }

    fn missing_descriptors(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut have = |name: &str| {
            let value = self.json(name);
            if value.is_none() && self.item(name).is_none() {
                missing.push(String::from(name.trim_start_matches("./")));
            }
            value
        };
        let Some(manifest) = have(MANIFESTS[0]) else { return missing };
        for kelf in kelf_names(&manifest) {
            let Some(kelf) = have(kelf) else { continue };
            for definition in definition_names(&kelf) {
                have(definition);
            }
        }
        missing
    }
}

/// The names of the graph manifest, best first.
const MANIFESTS: [&str; 2] = ["neff.json", "kelp.json"];

/// The kelf members that the executable nodes of a manifest name.
pub fn kelf_names(manifest: &Value) -> impl Iterator<Item = &str> {
    let nodes = manifest.get("nodes").and_then(Value::as_array).into_iter().flatten();
    let attrs = nodes.filter_map(|node| node.get("attrs"));
    attrs
        .filter(|attrs| attrs.get("func_name").and_then(Value::as_str) == Some("__kelf"))
        .filter_map(|attrs| attrs.get("kelf").and_then(Value::as_str))
}

/// The definitions that a kelf names.
pub fn definition_names(kelf: &Value) -> impl Iterator<Item = &str> {
    let graphs = kelf.get("graphs").and_then(Value::as_array).into_iter().flatten();
    graphs.filter_map(|graph| graph.get("definition").and_then(Value::as_str))
}

/// A descriptor; a byte order mark at its start is skipped.
///
/// # Errors
/// Those of the parser, whose places count from behind the mark.
pub fn parse(bytes: &[u8]) -> core::result::Result<Value, serde_json::Error> {
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}
