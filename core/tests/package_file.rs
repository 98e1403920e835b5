//! Packages as files: in pieces, by name, changed under way, unpacked, checked byte by byte, compared.
#![cfg(feature = "std")]

use bir_core::host::compare::{CompareOptions, Comparison, compare};
use bir_core::host::extract::{ExtractOptions, extract_file};
use bir_core::host::package::{Lister, PackageFile, Visitor, Wish};
use bir_core::host::stamp::{Input, Stamp};
use bir_core::host::survey::{Reach, check_file, survey};
use bir_core::neff::descriptors::{Finding, Severity};
use bir_core::neff::header::{Header, SIZE, deterministic_uuid, name_at, payload_hash};
use bir_core::neff::read::{Options, Package};
use bir_core::neff::tar::{Attributes, MemberHeader, TarWriter};
use bir_core::neff::walk::Limits;
use bir_core::{ErrorCode, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

type Files = BTreeMap<String, Vec<u8>>;

fn sample() -> Vec<u8> {
    fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/neff/synthetic-minimal.neff")).unwrap()
}

fn files(package: &[u8]) -> Files {
    let package = Package::open(package, Options::default()).unwrap();
    package.files().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect()
}

fn tar(files: &Files) -> Vec<u8> {
    let mut writer = TarWriter::new(Vec::new());
    files.iter().for_each(|(name, data)| writer.file(name, Attributes::deterministic(name), data).unwrap());
    writer.finish().unwrap()
}

/// A package of this payload, with the sample's header where it does not follow from the payload.
fn package(payload: &[u8]) -> Vec<u8> {
    let header = Header {
        data_size: payload.len() as u64,
        hash: payload_hash(2, payload).unwrap(),
        uuid: deterministic_uuid(payload),
        ..Header::parse(&sample()).unwrap()
    };
    [&header.write()[..], payload].concat()
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    use bir_core::neff::gzip::GzipWriter;
    use bir_core::sink::Sink;
    let mut writer = GzipWriter::new(Vec::new()).unwrap();
    writer.write(tar).unwrap();
    writer.finish().unwrap()
}

fn open(bytes: &[u8]) -> Result<PackageFile<Cursor<&[u8]>>> {
    PackageFile::new(Cursor::new(bytes), Limits::default())
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("core-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn everything(&self) -> Vec<String> {
        let (mut found, mut folders) = (Vec::new(), vec![self.0.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(&self.0).unwrap().to_str().unwrap().to_owned());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Counts what is read.
struct Counted<'b> {
    inner: Cursor<&'b [u8]>,
    read: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl Input for Counted<'_> {
    fn stamp(&mut self) -> io::Result<Stamp> {
        self.inner.stamp()
    }
}

#[test]
fn members_by_name() {
    let plain = package(&tar(&files(&sample())));
    for bytes in [sample(), plain] {
        let all = files(&bytes);
        let mut file = open(&bytes).unwrap();
        assert_eq!(file.header(), &Header::parse(&bytes).unwrap());
        let found = file.contents(&["neff.json", "./sg00/w.npy", "missing"], 1 << 20).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(name, bytes)| all[name] == *bytes));
        let error = file.contents(&["neff.json"], 100).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (ErrorCode::LimitExceeded, "neff.json"));
        assert_eq!(file.contents(&["../x"], 100).unwrap_err().code, ErrorCode::UnsafePath);
        let mut lister = Lister::default();
        let passed = file.pass(true, &mut lister).unwrap().verified().unwrap();
        assert!(passed.complete && passed.computed_hash.is_some());
        assert_eq!(passed.unpacked_bytes, 17408);
        let listed: Vec<_> = lister.members.iter().map(|m| (m.name.as_str(), m.size)).collect();
        assert_eq!(listed, all.iter().map(|(n, b)| (n.as_str(), b.len() as u64)).collect::<Vec<_>>());
    }
}

#[test]
fn little_is_read_for_little() {
    let mut all = files(&sample());
    all.insert("sg00/big.npy".into(), vec![1; 20 << 20]);
    all.insert("sg00/zz.npy".into(), vec![2; 20 << 20]);
    let bytes = package(&tar(&all));
    let count = |act: &dyn Fn(&mut PackageFile<&mut Counted<'_>>)| {
        let mut counted = Counted { inner: Cursor::new(&bytes), read: 0 };
        act(&mut PackageFile::new(&mut counted, Limits::default()).unwrap());
        counted.read
    };
    assert!(count(&|file| drop(file.contents(&["sg00/def.json"], 1 << 20).unwrap())) < 200_000);
    let found = count(&|file| {
        let survey = survey(file, false, Reach::Descriptors, false, &mut |_| {});
        assert!(survey.passed.unwrap().complete && survey.inventory.has_descriptors());
        assert_eq!(survey.inventory.item("sg00/zz.npy").unwrap().kept.len(), 256);
    });
    assert!(found < 400_000, "{found}");
    assert!(count(&|file| drop(file.pass(true, &mut Lister::default()).unwrap())) > 40 << 20);

    // Compressed, it ends behind the last descriptor; the big file in front of it is in the way.
    let bytes = package(&gzip(&tar(&all)));
    let mut file = open(&bytes).unwrap();
    let survey = survey(&mut file, true, Reach::Descriptors, false, &mut |_| {});
    let passed = survey.passed.unwrap();
    assert!(!passed.complete && passed.hash_error.is_none() && passed.computed_hash.is_some());
    assert!(survey.inventory.has_descriptors());
    assert_eq!(survey.inventory.items().last().unwrap().name, "sg00/w.npy");
    assert!((20 << 20..25 << 20).contains(&passed.unpacked_bytes), "{}", passed.unpacked_bytes);
}

impl Input for &mut Counted<'_> {
    fn stamp(&mut self) -> io::Result<Stamp> {
        (**self).stamp()
    }
}

/// A visitor that changes the file when it hears of a member.
struct Meddler<'m>(&'m dyn Fn());

impl Visitor for Meddler<'_> {
    fn member(&mut self, _: &MemberHeader<'_>) -> Result<Wish> {
        (self.0)();
        Ok(Wish::Next)
    }
}

#[test]
fn a_file_that_changes_is_an_error() {
    let folder = Folder::new();
    let path = folder.0.join("x.neff");
    let mut all = files(&sample());
    all.insert("sg00/big.npy".into(), vec![1; 2 << 20]);
    let bytes = package(&tar(&all));
    let changes: [&dyn Fn(); 3] = [
        &|| fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100_000).unwrap(),
        &|| fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 20).unwrap(),
        &|| {
            let old = fs::metadata(&path).unwrap().modified().unwrap();
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_modified(old + std::time::Duration::from_secs(1)).unwrap();
        },
    ];
    for change in changes {
        for verify_hash in [true, false] {
            fs::write(&path, &bytes).unwrap();
            let mut file = PackageFile::open(&path, Limits::default()).unwrap();
            let error = file.pass(verify_hash, &mut Meddler(change)).unwrap_err();
            assert_eq!(error.code, ErrorCode::Conflict, "{error}");
            assert!(error.message.contains("changed") && !error.expected.is_empty() && error.expected != error.found);
        }
    }
    // Between two passes, too.
    fs::write(&path, &bytes).unwrap();
    let mut file = PackageFile::open(&path, Limits::default()).unwrap();
    file.pass(true, &mut Lister::default()).unwrap();
    changes[2]();
    assert_eq!(file.pass(true, &mut Lister::default()).unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(PackageFile::open(&folder.0, Limits::default()).unwrap_err().code, ErrorCode::Io);
}

/// A source that fails after some bytes.
struct Broken<'b>(Cursor<&'b [u8]>, u64);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.position() >= self.1 {
            return Err(io::Error::other("the disk is gone"));
        }
        self.0.read(buffer)
    }
}

impl Seek for Broken<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Input for Broken<'_> {
    fn stamp(&mut self) -> io::Result<Stamp> {
        self.0.stamp()
    }
}

#[test]
fn a_failed_extraction_leaves_nothing() {
    let folder = Folder::new();
    let mut all = files(&sample());
    all.insert("sg00/big.npy".into(), vec![1; 2 << 20]);
    let good = package(&tar(&all));
    let out = folder.0.join("a/b");
    let verify = ExtractOptions { overwrite: false, verify_hash: true };

    let mut file = PackageFile::new(Broken(Cursor::new(&good), 1 << 20), Limits::default()).unwrap();
    let refused = extract_file(&mut file, None, &out, verify, &mut |_| {}).unwrap_err();
    assert!(refused.error.message.contains("the disk is gone"));
    assert_eq!(folder.everything(), [""; 0]);

    let mut wrong = good.clone();
    wrong[172] ^= 1;
    let refused = extract_file(&mut open(&wrong).unwrap(), None, &out, verify, &mut |_| {}).unwrap_err();
    assert_eq!(refused.error.code, ErrorCode::HashMismatch);
    let mut damaged = gzip(&tar(&all));
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 0xff;
    let damaged = package(&damaged);
    let refused = extract_file(&mut open(&damaged).unwrap(), None, &out, verify, &mut |_| {}).unwrap_err();
    assert_eq!(refused.error.code, ErrorCode::BadCompression);
    let refused = extract_file(&mut open(&good).unwrap(), Some(&["no"]), &out, verify, &mut |_| {}).unwrap_err();
    assert_eq!((refused.error.code, refused.error.path.as_str()), (ErrorCode::NotFound, "no"));
    assert_eq!(folder.everything(), [""; 0]);

    // What was there stays, whatever fails; also when the failure comes last.
    fs::create_dir_all(out.join("sg00")).unwrap();
    fs::write(out.join("info.json"), "mine").unwrap();
    fs::create_dir(out.join("sg00/w.npy")).unwrap();
    let before = folder.everything();
    let force = ExtractOptions { overwrite: true, verify_hash: true };
    for options in [verify, force] {
        extract_file(&mut open(&good).unwrap(), None, &out, options, &mut |_| {}).unwrap_err();
        assert_eq!(folder.everything(), before);
        assert_eq!(fs::read_to_string(out.join("info.json")).unwrap(), "mine");
    }
    fs::remove_dir(out.join("sg00/w.npy")).unwrap();
    let mut done = 0;
    let written = extract_file(&mut open(&good).unwrap(), None, &out, force, &mut |bytes| done = bytes).unwrap();
    assert_eq!((written.len(), done), (all.len(), good.len() as u64));
    for (name, bytes) in &all {
        assert!(fs::read(out.join(name)).unwrap() == *bytes, "{name}");
    }
    assert_eq!(folder.everything().len(), all.len() + "a a/b a/b/sg00".split(' ').count());
}

fn findings(bytes: &[u8]) -> Vec<Finding> {
    check_file(&mut open(bytes).unwrap(), &mut |_| {}).findings
}

/// Every byte of the header, one at a time: refused or reported, with the field's name. Of the long fields two changes of
/// each byte, of the others every bit.
#[test]
fn every_changed_header_byte_shows() {
    let good = sample();
    assert_eq!(findings(&good), []);
    for at in 0..SIZE {
        let field = name_at(at).unwrap();
        let changes = match field {
            "neff_build_version" | "name" | "pad" => vec![1 << (at % 8), 0xff],
            _ => (0..8).map(|bit| 1 << bit).collect(),
        };
        for change in changes {
            let mut file = good.clone();
            file[at] ^= change;
            let told = match open(&file) {
                Err(error) => vec![error],
                Ok(mut open) => {
                    check_file(&mut open, &mut |_| {}).findings.into_iter().map(|finding| finding.error).collect()
                }
            };
            let named = told.iter().find(|error| error.path == field);
            let error = named.unwrap_or_else(|| panic!("byte {at} xor {change:#x} ({field}): {told:?}"));
            let offset = error.position.unwrap().offset as usize;
            assert_eq!(name_at(offset), Some(field), "{error}");
            assert!(!error.expected.is_empty() && !error.found.is_empty(), "{error}");
        }
    }
    assert_eq!(name_at(SIZE), None);
}

/// Truncated at every byte, with a header that fits: an error, and no panic.
#[test]
fn every_truncation_is_found_by_the_check() {
    let good = sample();
    for length in SIZE + 1..good.len() {
        let cut = package(&good[SIZE..length]);
        let found = findings(&cut);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Error), "{length}: {found:?}");
        assert!(found[0].error.position.is_some(), "{}", found[0]);
    }
    for length in 0..=SIZE {
        assert_eq!(open(&good[..length]).unwrap_err().code, ErrorCode::BadHeader);
    }
}

/// Changes one JSON member of the sample.
fn changed(member: &str, change: &dyn Fn(&mut Value)) -> Vec<Finding> {
    let mut all = files(&sample());
    let mut value = all.get(member).map_or(json!({}), |bytes| serde_json::from_slice(bytes).unwrap());
    change(&mut value);
    all.insert(member.into(), serde_json::to_vec(&value).unwrap());
    findings(&package(&tar(&all)))
}

#[test]
fn cross_checks_tell_place_and_severity() {
    use ErrorCode::*;
    use Severity::*;
    type Case<'c> = (&'c str, &'c dyn Fn(&mut Value), Severity, ErrorCode, &'c str);
    let copy = |from: &str, to: &str, extra: Value| {
        let mut descriptor = json!({"op": "copy", "from": from, "to": to});
        descriptor.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!([{"id": 1, "queue": "q_w", "desc": [descriptor]}])
    };
    let sized = json!({"from_sizes": [24], "from_steps": [1], "to_sizes": [24], "to_steps": [1]});
    let def = "sg00/def.json";
    let pe = "sg00/PE0.json";
    let cases: [Case<'_>; 38] = [
        (def, &|v| v["dma_queue"]["q_w"]["num_queues"] = json!(17), Error, LimitExceeded, "dma_queue.q_w.num_queues"),
        (def, &|v| v["dma_queue"]["q_w"]["num_queues"] = json!(0), Error, LimitExceeded, "dma_queue.q_w.num_queues"),
        (
            def,
            &|v| {
                for i in 0..11 {
                    v["dma_queue"][format!("q{i}")] = json!({"type": "data", "owner": "sp", "num_queues": 16});
                }
            },
            Error,
            LimitExceeded,
            "dma_queue",
        ),
        (def, &|v| v["dma_queue"]["q_w"]["pinned"] = json!(true), Error, Conflict, "dma_queue.q_w.semaphore"),
        (def, &|v| v["dma_queue"]["q_w"]["dge"] = json!(true), Error, Conflict, "dma_queue.q_w.owner"),
        (def, &|v| v["dma_queue"]["q_w"]["owner"] = json!("cpu"), Warning, UnknownEnum, "dma_queue.q_w.owner"),
        (def, &|v| v["dma_queue"]["q_w"]["type"] = json!("both"), Warning, UnknownEnum, "dma_queue.q_w.type"),
        (def, &|v| v["var"]["w"]["fabric_path"] = json!("side"), Warning, UnknownEnum, "var.w.fabric_path"),
        (def, &|v| v["var"]["SB"]["type"] = json!("tape"), Warning, UnknownEnum, "var.SB.type"),
        (def, &|v| v["var"]["w"]["size"] = json!(23), Warning, Conflict, "var.w.size"),
        (def, &|v| v["var"]["w"]["size"] = json!(25), Error, Conflict, "var.w.size"),
        (def, &|v| v["var"]["w"]["alignment"] = json!(48), Error, BadValue, "var.w.alignment"),
        (
            def,
            &|v| v["var"]["p"] = json!({"type": "pointer", "var_id": 4, "size": 8, "referenced_var_id": 9}),
            Error,
            UnresolvedRef,
            "var.p.referenced_var_id",
        ),
        (
            def,
            &|v| v["var"]["p"] = json!({"type": "pointer", "var_id": 4, "size": 4, "referenced_var_id": 1}),
            Warning,
            BadValue,
            "var.p.size",
        ),
        (
            def,
            &|v| v["var"]["l"] = json!({"type": "list", "var_id": 4, "list": [0, 7]}),
            Error,
            UnresolvedRef,
            "var.l.list[1]",
        ),
        (
            def,
            &|v| v["var"]["l"] = json!({"type": "dge-table", "var_id": 4, "list": [-1]}),
            Error,
            UnresolvedRef,
            "var.l.list[0]",
        ),
        (
            def,
            &|v| v["var"]["v"] = json!({"type": "virtual", "var_id": 4, "size": 9, "backing_variable_off": u64::MAX}),
            Error,
            BadValue,
            "var.v.backing_variable_off",
        ),
        (
            def,
            &|v| v["var"]["v"] = json!({"type": "virtual", "var_id": 4, "size": 9, "backing_buf": "x"}),
            Warning,
            UnknownEnum,
            "var.v.backing_buf",
        ),
        (def, &|v| v["neff_features"] = json!(["neff_feature_vnc"]), Warning, Conflict, "neff_features[0]"),
        (def, &|v| v["neff_features"] = json!(["neff_feature_tea"]), Warning, UnknownEnum, "neff_features[0]"),
        (def, &|v| v["replica_groups"] = json!([[[0, 1]], [[0, 1, 2]]]), Warning, Conflict, "replica_groups[1]"),
        (def, &|v| v["replica_groups"] = json!([[[0, 1]], []]), Warning, Conflict, "replica_groups[1]"),
        (def, &|v| v["replica_groups"] = json!([[[0, 1], [1]]]), Warning, Conflict, "replica_groups[0][1]"),
        (def, &|v| v["replica_groups"] = json!([[0]]), Error, WrongType, "replica_groups[0][0]"),
        (
            def,
            &|v| {
                v["replica_groups"] = json!([[[0, 1]]]);
                v["#rank_world_size"] = json!(1);
            },
            Warning,
            Conflict,
            "#rank_world_size",
        ),
        (
            def,
            &|v| v["ucode_lib"] = json!([{"library": "x.so", "is_builtin": true, "cpu_id": 1}]),
            Error,
            BadValue,
            "ucode_lib[0].cpu_id",
        ),
        (
            def,
            &|v| v["ucode_lib"] = json!([{"library": "x.so", "is_builtin": true, "total_cpus": 4}]),
            Error,
            BadValue,
            "ucode_lib[0].total_cpus",
        ),
        (
            def,
            &|v| v["ucode_lib"] = json!([{"library": "x.so", "is_builtin": true, "ulib_to_ucode_version": "2.1"}]),
            Error,
            Unsupported,
            "ucode_lib[0].ulib_to_ucode_version",
        ),
        (pe, &|v| v["dma"] = copy("input0", "nowhere", sized.clone()), Error, UnresolvedRef, "dma[0].desc[0].to"),
        (
            pe,
            &|v| v["dma"] = copy("input0", "output0", json!({"to_off": 25})),
            Error,
            Conflict,
            "dma[0].desc[0].to_off",
        ),
        (
            pe,
            &|v| v["dma"] = copy("input0", "output0", json!({"from_off": 1, "from_sizes": [24], "from_steps": [1]})),
            Error,
            Conflict,
            "dma[0].desc[0].from_off",
        ),
        (
            pe,
            &|v| v["dma"] = copy("input0", "output0", json!({"from_sizes": [24], "from_steps": [1, 1]})),
            Error,
            Conflict,
            "dma[0].desc[0].from_sizes",
        ),
        (
            pe,
            &|v| {
                v["dma"] =
                    copy("input0", "output0", json!({"from_sizes": [1, 1, 1, 1, 1], "from_steps": [1, 1, 1, 1, 1]}))
            },
            Error,
            LimitExceeded,
            "dma[0].desc[0].from_sizes",
        ),
        (pe, &|v| v["dma"] = json!([{"queue": "q_none"}]), Error, UnresolvedRef, "dma[0].queue"),
        (
            pe,
            &|v| v["dma"] = json!([{"queue": "q_w", "instance_name": "q_w_7"}]),
            Error,
            UnresolvedRef,
            "dma[0].instance_name",
        ),
        ("kelf-0.json", &|v| v["version"] = json!("new"), Note, BadValue, "version"),
        ("neff.json", &|v| v["attrs"]["shape"][1][0] = json!([2, 4]), Warning, Conflict, "nodes[0].name"),
        ("neff.json", &|v| v["nodes"][0]["name"] = json!("other"), Warning, UnresolvedRef, "nodes[0].name"),
    ];
    for (member, change, severity, code, place) in cases {
        let found = changed(member, change);
        let told = found.iter().find(|f| f.member() == Some(member) && f.place() == place);
        let finding = told.unwrap_or_else(|| panic!("{member}: {place}: {found:#?}"));
        assert_eq!((finding.severity, finding.error.code), (severity, code), "{finding}");
        assert!(finding.error.position.is_some() && !finding.error.found.is_empty(), "{finding}");
        // The uuid was derived anew, so nothing else is told but what follows from the change.
        assert!(found.len() <= 3, "{found:#?}");
    }
    let whole = copy("input0", "output0", sized.clone());
    assert_eq!(changed(pe, &|v| v["dma"] = whole.clone()), []);
    let map = |aliases: Value| json!({"inputs": [{"name": "input0"}], "outputs": [{"name": "output0"}], "alias_map": aliases});
    let alias = |output: &str| json!({"input_name": "input0", "output_name": output, "must_alias": true});
    assert_eq!(changed("sg00/tensor_map.json", &|v| *v = map(json!([alias("output0")]))), []);
    let found = changed("sg00/tensor_map.json", &|v| *v = map(json!([alias("output0"), alias("output1")])));
    assert!(found.iter().any(|f| f.severity == Error && f.place() == "alias_map[1]"), "{found:?}");
}

#[test]
fn core_counts_and_feature_bits_are_compared() {
    let sample = sample();
    let of = |change: &dyn Fn(&mut Header)| {
        let mut header = Header::parse(&sample).unwrap();
        change(&mut header);
        findings(&[&header.write()[..], &sample[SIZE..]].concat())
    };
    let fields = |found: &[Finding]| found.iter().map(|f| f.error.path.clone()).collect::<Vec<_>>();
    assert_eq!(fields(&of(&|h| h.num_tpb = 2)), ["num_tpb"]);
    assert_eq!(fields(&of(&|h| h.lnc_size = 2)), ["lnc_size", "feature_bits"]);
    assert_eq!(fields(&of(&|h| h.tpb_per_node[1] = 1)), ["tpb_per_node"]);
    let found = of(&|h| (h.feature_bits, h.neff_version_major) = (0x40000, 2));
    assert_eq!(fields(&found), ["feature_bits"]);
    assert!(found[0].error.found.contains("0x40000"));
    let found = of(&|h| (h.feature_bits, h.neff_version_major) = (0x4, 2));
    assert_eq!(fields(&found), ["sg00/def.json: neff_features"]);
    let unknown = of(&|h| h.hash[16..].fill(b'0'));
    assert_eq!(unknown, [], "one known packager does that");
}

#[test]
fn duplicate_members_are_findings_of_a_check_and_errors_elsewhere() {
    let mut writer = TarWriter::new(Vec::new());
    for name in ["a", "b", "./a"] {
        writer.file(name, Attributes::deterministic(name), b"1").unwrap();
    }
    let file = package(&writer.finish().unwrap());
    let found = findings(&file);
    let duplicate = found.iter().find(|f| f.error.code == ErrorCode::DuplicateName).unwrap();
    assert_eq!((duplicate.severity, duplicate.error.path.as_str()), (Severity::Error, "a"));
    let error = open(&file).unwrap().pass(false, &mut Lister::default()).unwrap_err();
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::DuplicateName, "a"));
}

fn compared(a: &[u8], b: &[u8], all: bool) -> Comparison {
    let options = CompareOptions { all, ..CompareOptions::default() };
    compare(&mut open(a).unwrap(), &mut open(b).unwrap(), options, &mut |_| {}).unwrap()
}

#[test]
fn what_cannot_matter_is_told_on_demand() {
    let all = files(&sample());
    let plain = package(&tar(&all));
    let found = compared(&sample(), &plain, false);
    assert_eq!((found.differences.list.len(), found.differences.any_matters), (0, false));
    assert!(found.signatures[0] == found.signatures[1] && found.hashes[0] != found.hashes[1]);
    let found = compared(&sample(), &plain, true);
    let paths: Vec<&str> = found.differences.list.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(paths, ["data_size", "hash", "uuid", "compression"]);
    assert!(found.differences.list.iter().all(|d| !d.matters));

    let mut writer = TarWriter::new(Vec::new());
    all.iter().rev().for_each(|(n, d)| writer.file(n, Attributes { mode: 0o600, uid: 7, gid: 8 }, d).unwrap());
    let other = package(&writer.finish().unwrap());
    let found = compared(&plain, &other, false);
    assert_eq!(found.differences.list.len(), 1);
    let order = &found.differences.list[0];
    assert!(order.path == "order of members" && order.changes_signature && order.changes_hash);
    let found = compared(&plain, &other, true);
    assert_eq!(found.differences.list.iter().filter(|d| d.path == "uid").count(), all.len());
}

#[test]
fn differences_of_members_are_told_by_their_kind() {
    let mut all = files(&sample());
    all.insert("sg00/PE0.bin".into(), vec![7; 64 * 1000]);
    let document = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/scale_add.bir.json")).unwrap();
    all.insert("sg00/bir.json".into(), document.clone());
    let a = package(&tar(&all));

    let mut other = all.clone();
    other.get_mut("sg00/PE0.bin").unwrap()[40_000] = 8;
    other.get_mut("sg00/w.npy").unwrap()[140] ^= 1;
    let mut definition: Value = serde_json::from_slice(&all["sg00/def.json"]).unwrap();
    definition["var"]["w"]["alignment"] = json!(64);
    other.insert("sg00/def.json".into(), serde_json::to_vec(&definition).unwrap());
    let text = String::from_utf8(document).unwrap().replacen("\"dst\"", "\"result\"", 10);
    other.insert("sg00/bir.json".into(), text.into_bytes());
    other.remove("hlo_stats.json");
    other.insert("extra.bin".into(), vec![1, 2]);
    let b = package(&gzip(&tar(&other)));

    for (a, b, back) in [(&a, &b, false), (&b, &a, true)] {
        let found = compared(a, b, false);
        let told: Vec<_> = found
            .differences
            .list
            .iter()
            .map(|d| (d.what.word(), d.member.as_deref().unwrap(), d.path.as_str(), d.offset, d.changes_signature))
            .collect();
        let (gone, new) = if back { ("added", "removed") } else { ("removed", "added") };
        assert!(told.contains(&(gone, "hlo_stats.json", "", None, false)), "{told:?}");
        assert!(told.contains(&(new, "extra.bin", "", None, false)), "{told:?}");
        assert!(told.contains(&("changed", "sg00/PE0.bin", "", Some(40_000), false)), "{told:?}");
        assert!(told.contains(&("changed", "sg00/w.npy", "data", Some(140), true)), "{told:?}");
        assert!(told.contains(&(new, "sg00/def.json", "var.w.alignment", None, false)), "{told:?}");
        assert!(told.iter().any(|d| d.1 == "sg00/bir.json" && d.2.contains("memorylocations[0]")), "{told:?}");
        assert!(found.differences.list.iter().all(|d| d.changes_hash && d.matters));
        assert!(found.differences.changes_signature && found.signatures[0] != found.signatures[1]);
    }

    // A constant with another header and the same data, and one with both changed.
    let npy = &all["sg00/w.npy"];
    let start = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    let header = String::from_utf8(npy[10..start].to_vec()).unwrap();
    let spelled = header.replace("'descr': '<f4'", "'descr': '|f4'");
    assert_ne!(header, spelled);
    for (data_at, expected) in [(None, vec!["header"]), (Some(start + 3), vec!["header", "data"])] {
        let mut changed = [&npy[..10], spelled.as_bytes(), &npy[start..]].concat();
        if let Some(at) = data_at {
            changed[at] ^= 1;
        }
        let mut other = all.clone();
        other.insert("sg00/w.npy".into(), changed);
        let found = compared(&a, &package(&tar(&other)), false);
        let told: Vec<_> = found.differences.list.iter().map(|d| d.path.as_str()).collect();
        assert_eq!(told, expected);
        assert_eq!(found.differences.list.last().unwrap().offset, Some(data_at.unwrap_or(10 + 11) as u64));
        assert!(found.differences.list[0].old.contains("<f4") && found.differences.list[0].new.contains("|f4"));
    }

    // JSON that is spelled differently: the signature of `info.json` covers its bytes.
    let mut other = all.clone();
    for name in ["info.json", "neff.json"] {
        let value: Value = serde_json::from_slice(&all[name]).unwrap();
        other.insert(name.into(), serde_json::to_vec(&value).unwrap());
    }
    let found = compared(&a, &package(&tar(&other)), true);
    let told: Vec<_> = found
        .differences
        .list
        .iter()
        .filter(|d| d.path == "spelling")
        .map(|d| (d.member.clone().unwrap(), d.matters))
        .collect();
    assert_eq!(told, [("info.json".into(), true), ("neff.json".into(), false)]);
}

#[test]
fn a_limit_hides_but_counts() {
    let all = files(&sample());
    let other: Files = all.iter().map(|(name, bytes)| (format!("x{name}"), bytes.clone())).collect();
    let options = CompareOptions { max_differences: 5, all: false };
    let (a, b) = (package(&tar(&all)), package(&tar(&other)));
    let found = compare(&mut open(&a).unwrap(), &mut open(&b).unwrap(), options, &mut |_| {}).unwrap();
    assert_eq!((found.differences.list.len(), found.differences.total()), (5, 2 * all.len() as u64));
    let bad = compare(&mut open(&a).unwrap(), &mut open(&package(b"xy")).unwrap(), options, &mut |_| {}).unwrap_err();
    assert!(bad.0 && bad.1.code == ErrorCode::BadArchive);
}
