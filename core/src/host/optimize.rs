//! A package as it loads fastest: the constants of each subgraph in one file, no debug data, short JSON, no compression.
//! [`crate::neff::optimize`] says what changes; here are the files.
#![forbid(unsafe_code)]

use super::spool::Spool;
use crate::consts::digest::{Md5, Running};
use crate::consts::npy;
use crate::contents::{Contents, equal, fill_at};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use crate::neff::Compression;
use crate::neff::descriptors::ENGINES;
use crate::neff::header::Header;
use crate::neff::inventory::{HEAD_BYTES, definition_names, kelf_names, parse};
use crate::neff::json::{compact, pretty};
use crate::neff::optimize::{Merged, Payload, Subgraph, drop_debug_keys, is_debug, merge_constants};
use crate::neff::package::Archive;
use core::cell::RefCell;
use serde_json::Value;
use std::borrow::ToOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::string::String;
use std::vec::Vec;

/// The largest JSON member that is read, in bytes.
const MAX_JSON: u64 = 64 << 20;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptimizeOptions {
    /// Debug data and the layout of JSON members stay.
    pub keep_debug: bool,
    /// The constants of each subgraph are put into one file where that is possible.
    pub merge: bool,
    /// How the new package is stored.
    pub compression: Compression,
}

impl Default for OptimizeOptions {
    /// Merges, drops and does not compress.
    fn default() -> Self {
        OptimizeOptions { keep_debug: false, merge: true, compression: Compression::None }
    }
}

/// What was changed.
#[derive(Clone, Debug, Default)]
pub struct Optimized {
    /// The definition of each subgraph whose constants were merged, and how.
    pub merged: Vec<(String, Merged)>,
    /// Debug members that are gone, in file order.
    pub dropped: Vec<String>,
    /// Bytes of all members before.
    pub bytes_before: u64,
    /// Bytes of all members after.
    pub bytes_after: u64,
}

/// The members of the spooled package, changed; to be written by [`write_file`](super::package_writer::write_file).
///
/// Header fields that do not follow from the payload are kept.
///
/// # Errors
/// `Syntax` for a descriptor that is no JSON, `LimitExceeded` for one of more than 64 MiB, with the member's name; what reading
/// fails with; as [`merge_constants`]; `OutOfMemory`.
pub fn optimize(spool: &Spool, options: OptimizeOptions) -> Result<(Archive<'static>, Optimized)> {
    let members = Members::of(spool)?;
    let mut report = Optimized { bytes_before: members.bytes(), ..Optimized::default() };
    // New contents by name; `None` for members that are gone.
    let mut changes: BTreeMap<String, Option<Rc<dyn Contents>>> = BTreeMap::new();
    for definition in members.definitions()? {
        let Some(mut subgraph) = members.subgraph(&definition)? else { continue };
        let folder = folder(&definition);
        let before = subgraph.clone();
        if !options.keep_debug {
            drop_debug_keys(&mut subgraph.definition);
        }
        if options.merge {
            let payloads = Payloads { members: &members, folder, known: RefCell::default() };
            let merged =
                merge_constants(&mut subgraph, &|file| payloads.of(file)).map_err(|e| in_member(e, &definition))?;
            payloads.failure()?;
            if let Some(merged) = merged {
                changes.insert(join(folder, &merged.file_name), Some(members.joined(folder, &merged)?));
                changes.extend(merged.unused_files.iter().map(|file| (join(folder, file), None)));
                push(&mut report.merged, (definition.clone(), merged))?;
            }
        }
        if subgraph.definition != before.definition {
            changes.insert(definition.clone(), Some(Rc::new(pretty(&subgraph.definition)?)));
        }
        for ((file, engine), (_, before)) in subgraph.engines.iter().zip(&before.engines) {
            if engine != before {
                changes.insert(join(folder, file), Some(Rc::new(pretty(engine)?)));
            }
        }
    }

    let header = Header { uuid: [0; 16], ..spool.header().clone() };
    let mut archive = Archive::new(header, options.compression);
    let mut add = |name: &str, contents: Rc<dyn Contents>| -> Result<()> {
        let contents = if options.keep_debug { contents } else { compacted(name, contents)? };
        report.bytes_after = report.bytes_after.saturating_add(contents.size());
        archive.add(name, contents)
    };
    for (name, contents) in &members.list {
        if !options.keep_debug && is_debug(name) {
            push(&mut report.dropped, name.clone())?;
            continue;
        }
        match changes.remove(name) {
            None => add(name, Rc::clone(contents))?,
            Some(None) => {}
            Some(Some(contents)) => add(name, contents)?,
        }
    }
    for (name, contents) in changes {
        if let Some(contents) = contents {
            add(&name, contents)?;
        }
    }
    archive.sort()?;
    Ok((archive, report))
}

/// A JSON member without white space; others as they are.
fn compacted(name: &str, contents: Rc<dyn Contents>) -> Result<Rc<dyn Contents>> {
    if !name.ends_with(".json") || contents.size() > MAX_JSON {
        return Ok(contents);
    }
    let mut text = Vec::new();
    contents.write_to(&mut text)?;
    Ok(match compact(&text)? {
        Some(text) => Rc::new(text),
        None => contents,
    })
}

struct Members {
    list: Vec<(String, Rc<dyn Contents>)>,
    by_name: BTreeMap<String, usize>,
}

impl Members {
    fn of(spool: &Spool) -> Result<Members> {
        let mut members = Members { list: Vec::new(), by_name: BTreeMap::new() };
        for member in spool.members() {
            members.by_name.insert(copy(&member.name)?, members.list.len());
            push(&mut members.list, (copy(&member.name)?, Rc::clone(&member.contents)))?;
        }
        Ok(members)
    }

    fn bytes(&self) -> u64 {
        self.list.iter().fold(0, |sum, (_, contents)| sum.saturating_add(contents.size()))
    }

    fn get(&self, name: &str) -> Option<&Rc<dyn Contents>> {
        self.list.get(*self.by_name.get(name)?).map(|(_, contents)| contents)
    }

    fn json(&self, name: &str) -> Result<Option<Value>> {
        let Some(contents) = self.get(name) else { return Ok(None) };
        if contents.size() > MAX_JSON {
            return Err(Error::new(ErrorCode::LimitExceeded, "the descriptor is too large")
                .expected_found(format_args!("at most {MAX_JSON} bytes"), format_args!("{} bytes", contents.size()))
                .at(name));
        }
        let mut text = Vec::new();
        contents.write_to(&mut text)?;
        let value = parse(&text).map_err(|e| Error::new(ErrorCode::Syntax, format_args!("no JSON: {e}")).at(name))?;
        Ok(Some(value))
    }

    /// The definitions of all subgraphs, each once.
    fn definitions(&self) -> Result<Vec<String>> {
        let manifest = match self.json("neff.json")? {
            Some(manifest) => manifest,
            None => self.json("kelp.json")?.unwrap_or_default(),
        };
        let mut definitions = Vec::new();
        let mut seen = BTreeSet::new();
        for kelf in kelf_names(&manifest) {
            let Some(kelf) = self.json(kelf)? else { continue };
            for definition in definition_names(&kelf) {
                if seen.insert(definition.to_owned()) {
                    push(&mut definitions, copy(definition)?)?;
                }
            }
        }
        Ok(definitions)
    }

    fn subgraph(&self, definition: &str) -> Result<Option<Subgraph>> {
        let folder = folder(definition);
        let Some(definition) = self.json(definition)? else { return Ok(None) };
        let mut engines = Vec::new();
        for engine in ENGINES {
            let Some(file) = definition.get(engine.key()).and_then(Value::as_str) else { continue };
            if let Some(engine) = self.json(&join(folder, file))? {
                push(&mut engines, (copy(file)?, engine))?;
            }
        }
        Ok(Some(Subgraph { definition, engines }))
    }

    /// The merged file.
    fn joined(&self, folder: &str, merged: &Merged) -> Result<Rc<dyn Contents>> {
        let header = npy::header("|u1", &[merged.bytes])?;
        let mut pieces = Vec::new();
        for piece in &merged.pieces {
            let name = join(folder, &piece.file_name);
            let contents = self
                .get(&name)
                .ok_or_else(|| Error::new(ErrorCode::Internal, "the file of a merged constant is gone").at(&name))?;
            push(&mut pieces, (piece.offset, piece.skip, piece.bytes, Rc::clone(contents)))?;
        }
        Ok(Rc::new(Joined { header, bytes: merged.bytes, pieces }))
    }
}

/// What the files of constants hold.
struct Payloads<'m> {
    members: &'m Members,
    folder: &'m str,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    payloads: BTreeMap<String, Option<Payload>>,
    /// Size of each content so far, its digest as far as it was needed, and a file that has it.
    contents: Vec<(u64, Option<Md5>, Part)>,
    failure: Option<Error>,
}

impl Payloads<'_> {
    fn of(&self, file: &str) -> Option<Payload> {
        let mut known = self.known.borrow_mut();
        if let Some(payload) = known.payloads.get(file) {
            return *payload;
        }
        let payload = match self.look(file, &mut known) {
            Ok(payload) => payload,
            Err(error) => {
                known.failure.get_or_insert(error);
                None
            }
        };
        known.payloads.insert(file.to_owned(), payload);
        payload
    }

    fn look(&self, file: &str, known: &mut Known) -> Result<Option<Payload>> {
        let Some(contents) = self.members.get(&join(self.folder, file)) else { return Ok(None) };
        let mut head = [0; HEAD_BYTES];
        let count = fill_at(&**contents, 0, &mut head)?;
        let start = npy::runtime_payload_start(head.get(..count).unwrap_or_default(), contents.size());
        let Some(skip) = start else { return Ok(None) };
        let bytes = contents.size().saturating_sub(skip);
        let part = Part { contents: Rc::clone(contents), skip, bytes };
        // Only what is equally long can be equal.
        let mut own = None;
        for (i, (size, digest, other)) in (0u64..).zip(&mut known.contents) {
            if *size != bytes {
                continue;
            }
            let own = match own {
                Some(own) => own,
                None => *own.insert(part.digest()?),
            };
            let digest = match digest {
                Some(digest) => *digest,
                None => *digest.insert(other.digest()?),
            };
            if own == digest && equal(other, &part)? {
                return Ok(Some(Payload { skip, bytes, content: i }));
            }
        }
        let content = known.contents.len() as u64;
        push(&mut known.contents, (bytes, own, part))?;
        Ok(Some(Payload { skip, bytes, content }))
    }

    /// What reading failed with, if it did.
    fn failure(self) -> Result<()> {
        self.known.into_inner().failure.map_or(Ok(()), Err)
    }
}

/// The data of a constant's file.
struct Part {
    contents: Rc<dyn Contents>,
    skip: u64,
    bytes: u64,
}

impl Part {
    fn digest(&self) -> Result<Md5> {
        let mut running = Running::new();
        self.write_to(&mut running)?;
        Ok(running.finish())
    }
}

impl Contents for Part {
    fn size(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.contents.read_at(self.skip.saturating_add(offset), buffer)
    }
}

/// An NPY file of bytes whose data is that of several files, with zeros between.
struct Joined {
    header: Vec<u8>,
    bytes: u64,
    /// Where each piece lies in the data, how much of its file comes before, how long it is; by place.
    pieces: Vec<(u64, u64, u64, Rc<dyn Contents>)>,
}

impl Contents for Joined {
    fn size(&self) -> u64 {
        self.bytes.saturating_add(self.header.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let Some(offset) = offset.checked_sub(self.header.len() as u64) else {
            return self.header.read_at(offset, buffer);
        };
        let room = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX).min(buffer.len());
        let next = self.pieces.partition_point(|(start, ..)| *start <= offset);
        if let Some((start, skip, bytes, contents)) = next.checked_sub(1).and_then(|i| self.pieces.get(i)) {
            let within = offset.saturating_sub(*start);
            if within < *bytes {
                let room = room(bytes.saturating_sub(within));
                return contents.read_at(skip.saturating_add(within), buffer.get_mut(..room).unwrap_or_default());
            }
        }
        // Zeros up to the next piece; there are none after the last one.
        let end = self.pieces.get(next).map_or(self.bytes, |(start, ..)| *start);
        let zeros = room(end.saturating_sub(offset));
        buffer.get_mut(..zeros).unwrap_or_default().fill(0);
        Ok(zeros)
    }
}

/// The folder of a member, with its slash.
fn folder(member: &str) -> &str {
    member.rfind('/').and_then(|slash| member.get(..=slash)).unwrap_or("")
}

fn join(folder: &str, file: &str) -> String {
    std::format!("{folder}{file}")
}

fn in_member(error: Error, member: &str) -> Error {
    let path = std::format!("{member}: {}", error.path);
    error.at(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::package_writer::{WriteOptions, write_file};
    use crate::host::tests::Folder;
    use crate::neff::PackageBuilder;
    use crate::neff::descriptors::{Engine, Tensor, check};
    use crate::neff::package::Constant;
    use crate::neff::read::{Options, Package};
    use crate::neff::target::Target;
    use crate::neff::walk::Limits;
    use serde_json::json;
    use std::fs;

    fn npy_of(byte: u8, count: usize) -> Vec<u8> {
        let mut file = npy::header("|u1", &[count as u64]).unwrap();
        file.resize(file.len() + count, byte);
        file
    }

    /// Four constants, two of them equal, one that nothing reads; debug data.
    fn package(compression: Compression) -> Vec<u8> {
        let mut builder = PackageBuilder::new("model", Target::Sunda, 1).unwrap();
        let tensor = |name: &str| Tensor { name: name.into(), dtype: "uint8".into(), shape: [4].into(), bytes: 4 };
        builder.input(tensor("in")).unwrap();
        builder.output(tensor("out")).unwrap();
        builder.set_compression(compression);
        builder.set_build_version("1.2").unwrap();
        for (name, file, byte, bytes) in
            [("a", "a.npy", 1, 1000), ("b", "b.npy", 2, 77), ("same", "same.npy", 1, 1000), ("unread", "u.npy", 3, 5)]
        {
            let (variable, file_name) = (name.into(), file.into());
            builder
                .constant(0, Constant { variable, file_name, bytes: bytes as u64, alignment: 0, offset: 0 })
                .unwrap();
            builder.constant_file(0, file, npy_of(byte, bytes)).unwrap();
        }
        let descriptor =
            |from: &str| json!({"from": from, "from_off": 4, "from_sizes": [8], "to": "SB", "to_sizes": [8]});
        let engine = json!({"dma": [{"id": 0, "desc": [descriptor("a"), descriptor("b"), descriptor("same")]}]});
        builder.engine_json(0, Engine::Sp, serde_json::to_vec(&engine).unwrap()).unwrap();
        builder.member("debug_info/x.dbg", &b"debug"[..]).unwrap();
        builder.member("metrics.json", &b"{ \"x\" : 1.50 }"[..]).unwrap();
        builder.build().unwrap()
    }

    #[test]
    fn the_program_reads_the_same_bytes() {
        let folder = Folder::new("optimize");
        let path = folder.path().join("x.neff");
        let mut results = Vec::new();
        for compression in [Compression::None, Compression::Exact] {
            fs::write(&path, package(compression)).unwrap();
            let spool = Spool::of_package(&path, Limits::default(), true, &mut |_| {}).unwrap();
            let (archive, report) = optimize(&spool, OptimizeOptions::default()).unwrap();
            // In its own place.
            write_file(&archive, &path, WriteOptions::default()).unwrap();
            results.push(fs::read(&path).unwrap());
            assert_eq!(report.dropped, ["debug_info/x.dbg"]);
            assert_eq!((report.merged.len(), report.merged[0].1.saved_bytes), (1, 1000));
            assert!(report.bytes_after < report.bytes_before);
        }
        assert!(results[0] == results[1]);
        let package = Package::open(&results[0], Options::default()).unwrap();
        assert_eq!(check(&package), []);
        assert!(!package.is_compressed());
        assert_eq!(package.header().build_version(), "1.2");
        let text = |name: &str| std::str::from_utf8(package.member(name).unwrap()).unwrap();
        assert_eq!(text("metrics.json"), "{\"x\":1.50}");
        let weights = npy::runtime_payload(package.member("sg00/weights.npy").unwrap()).unwrap();
        let engine: Value = serde_json::from_str(text("sg00/SP0.json")).unwrap();
        for (i, byte) in [1, 2, 1].into_iter().enumerate() {
            let descriptor = &engine["dma"][0]["desc"][i];
            assert_eq!(descriptor["from"], "weights");
            let offset = descriptor["from_off"].as_u64().unwrap() as usize;
            assert_eq!(weights[offset..offset + 8], [byte; 8]);
        }
        let definition: Value = serde_json::from_str(text("sg00/def.json")).unwrap();
        assert_eq!(definition["var"]["unread"]["file_name"], "u.npy");
        assert!(package.member("sg00/u.npy").is_some());
        assert!(["sg00/a.npy", "sg00/b.npy", "sg00/same.npy"].iter().all(|gone| package.member(gone).is_none()));
    }

    #[test]
    fn what_is_to_stay_stays() {
        let folder = Folder::new("optimize-little");
        let path = folder.path().join("x.neff");
        let before = package(Compression::None);
        fs::write(&path, &before).unwrap();
        let spool = Spool::of_package(&path, Limits::default(), true, &mut |_| {}).unwrap();
        let options = OptimizeOptions { keep_debug: true, merge: false, compression: Compression::None };
        let (archive, report) = optimize(&spool, options).unwrap();
        assert_eq!((report.bytes_before, report.merged.len(), report.dropped.len()), (report.bytes_after, 0, 0));
        assert!(archive.build().unwrap() == before);
    }

    #[test]
    fn a_joined_file_in_pieces_of_any_size() {
        let piece = |byte: u8, bytes: usize| -> Rc<dyn Contents> { Rc::new(npy_of(byte, bytes)) };
        let skip = npy_of(1, 10).len() as u64 - 10;
        let pieces = Vec::from([(0, skip, 10, piece(1, 10)), (64, skip, 3, piece(2, 3))]);
        let joined = Joined { header: Vec::from(*b"head"), bytes: 67, pieces };
        let mut expected = Vec::from(*b"head");
        expected.extend([1; 10]);
        expected.resize(4 + 64, 0);
        expected.extend([2; 3]);
        assert_eq!(joined.size(), expected.len() as u64);
        for size in [1, 3, 7, 100] {
            let (mut all, mut buffer) = (Vec::new(), std::vec![9; size]);
            loop {
                let count = joined.read_at(all.len() as u64, &mut buffer).unwrap();
                if count == 0 {
                    break;
                }
                all.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(all, expected, "{size}");
        }
    }
}
