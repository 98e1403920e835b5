//! `bir info`, `check`, `diff` and `unpack` on packages that are large, odd or hostile.

mod common;
use bir_core::neff::header::{Header, SIZE, deterministic_uuid, payload_hash};
use bir_core::neff::read::{Options, Package};
use bir_core::neff::tar::{Attributes, TarWriter};
use common::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

type Files = BTreeMap<String, Vec<u8>>;

fn sample_files() -> Files {
    let file = fs::read(data(NEFF)).unwrap();
    let package = Package::open(&file, Options::default()).unwrap();
    package.files().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect()
}

fn tar(files: &Files) -> Vec<u8> {
    let mut writer = TarWriter::new(Vec::new());
    files.iter().for_each(|(name, data)| writer.file(name, Attributes::deterministic(name), data).unwrap());
    writer.finish().unwrap()
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    use bir_core::sink::Sink;
    let mut writer = bir_core::neff::gzip::GzipWriter::new(Vec::new()).unwrap();
    writer.write(tar).unwrap();
    writer.finish().unwrap()
}

/// A package with the sample's header, as far as it does not follow from the payload.
fn package(payload: &[u8]) -> Vec<u8> {
    let header = Header {
        data_size: payload.len() as u64,
        hash: payload_hash(2, payload).unwrap(),
        uuid: deterministic_uuid(payload),
        ..Header::parse(&fs::read(data(NEFF)).unwrap()).unwrap()
    };
    [&header.write()[..], payload].concat()
}

/// The sample with another value in its definition.
fn with_definition(change: impl Fn(&mut Value)) -> Files {
    let mut files = sample_files();
    let mut value: Value = serde_json::from_slice(&files["sg00/def.json"]).unwrap();
    change(&mut value);
    files.insert("sg00/def.json".into(), serde_json::to_vec_pretty(&value).unwrap());
    files
}

#[test]
fn info_shows_nodes_and_weights() {
    let run = bir(&["info", &data(NEFF)]).good();
    for text in
        ["node  sg_coreV10", "input   input0   float32  [2, 3]     24", "1 file variables, 24 bytes (-w lists them)"]
    {
        assert!(run.out.contains(text), "no {text:?} in {}", run.out);
    }
    assert!(!run.out.contains("WEIGHT"));
    let run = bir(&["info", "-w", &data(NEFF)]).good();
    assert!(run.out.contains("   3  w         24  sg00/w.npy        152\n"), "{}", run.out);
    let json = bir(&["info", "--json", "--all", &data(NEFF)]).good().json();
    assert_eq!(
        json["nodes"][0]["inputs"][0],
        json!({"name": "input0", "dtype": "float32", "shape": [2, 3], "bytes": 24})
    );
    assert_eq!((json["nodes"][0]["kelf"].as_str(), json["complete"].as_bool()), (Some("kelf-0.json"), Some(true)));
    assert_eq!(json["ir_signature"], "aeee14e94b0a2f2a7f7302dadab38bc3");
    assert_eq!(json["graphs"][0]["variables"][3]["file_size"], 152);

    // Without the hash nothing is said about it, and a wrong one does no harm.
    let mut wrong = fs::read(data(NEFF)).unwrap();
    wrong[172] ^= 1;
    let folder = Folder::new();
    let file = folder.file("wrong.neff", wrong);
    let run = bir(&["info", "--ignore-hash", &file]).good();
    assert!(run.out.contains("(not compared)"), "{}", run.out);
    assert_eq!(bir(&["info", "--ignore-hash", "--json", &file]).good().json()["hash_ok"], Value::Null);
    bir(&["info", "-w", &data(DOCUMENTS[0])]).usage();
}

#[test]
fn info_stops_behind_the_descriptors_of_a_compressed_package() {
    let folder = Folder::new();
    let mut files = sample_files();
    files.insert("sg00/w0.npy".into(), vec![1; 6 << 20]);
    files.insert("sg00/w1.npy".into(), vec![2; 6 << 20]);
    let packed = folder.file("packed.neff", package(&gzip(&tar(&files))));
    let json = bir(&["info", "--json", &packed]).good().json();
    assert_eq!((json["complete"].as_bool(), json["hash_ok"].as_bool()), (Some(false), Some(true)));
    assert_eq!((&json["warning_count"], &json["unpacked_size"]), (&Value::Null, &Value::Null));
    assert_eq!(json["graphs"][0]["variables"].as_array().unwrap().len(), 4);
    assert!(bir(&["info", &packed]).good().out.contains("read up to the last descriptor"));
    for args in [&["info", "--json", "--all"][..], &["info", "--json", "--strict"]] {
        let json = bir(&[args, &[packed.as_str()]].concat()).good().json();
        assert_eq!((json["complete"].as_bool(), json["members"].as_array().unwrap().len()), (Some(true), 18));
    }
    let plain = folder.file("plain.neff", package(&tar(&files)));
    let json = bir(&["info", "--json", &plain]).good().json();
    assert_eq!((json["complete"].as_bool(), json["members"].as_array().unwrap().len()), (Some(true), 18));
    // Many members are counted, not listed.
    for i in 0..60 {
        files.insert(format!("sg00/c{i}.npy"), vec![0]);
    }
    let many = folder.file("many.neff", package(&tar(&files)));
    let out = bir(&["info", &many]).good().out;
    assert!(out.contains("`bir list` lists the members") && !out.contains("sg00/c7.npy"), "{out}");
    assert!(bir(&["list", &many]).good().out.contains("sg00/c7.npy"));
}

#[test]
fn check_tells_everything_and_its_exit_code() {
    let run = bir(&["check", &data(NEFF)]).good();
    assert!(run.out.ends_with("0 errors, 0 warnings, 0 notes\n") && run.out.lines().count() == 1, "{}", run.out);
    let json = bir(&["check", "--json", "--strict", &data(NEFF)]).good().json();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "error_count",
        "file",
        "findings",
        "good",
        "hash_ok",
        "ir_signature",
        "kind",
        "members",
        "note_count",
        "warning_count",
    ];
    assert_eq!(keys, expected);
    assert_eq!(json["ir_signature"], "aeee14e94b0a2f2a7f7302dadab38bc3");

    let folder = Folder::new();
    let bad = with_definition(|v| {
        v["var"]["w"]["size"] = json!(25);
        v["pe_instr"] = json!("none.bin");
    });
    let file = folder.file("bad.neff", package(&gzip(&tar(&bad))));
    let run = bir(&["check", &file]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(
        run.out.contains("error: sg00/def.json: var.w.size: a constant is shorter than its variable"),
        "{}",
        run.out
    );
    assert!(run.out.ends_with("bad.neff: 2 errors, 0 warnings, 0 notes\n"), "{}", run.out);
    let run = bir(&["check", "--json", &file]);
    let finding = &run.json()["findings"][0];
    let keys: Vec<&str> = finding.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "code", "column", "expected", "file", "found", "line", "member", "message", "offset", "path", "place",
        "severity",
    ];
    assert_eq!((run.code, keys), (1, expected.to_vec()));
    assert_eq!((&finding["member"], &finding["severity"]), (&json!("sg00/def.json"), &json!("error")));
    // The offset is that of the value in the member.
    let size = run.json()["findings"].as_array().unwrap().iter().find(|f| f["place"] == "var.w.size").unwrap().clone();
    let offset = size["offset"].as_u64().unwrap() as usize;
    assert!(bad["sg00/def.json"][offset..].starts_with(b"25"));

    // Warnings alone are good, but not with --strict.
    let odd = folder.file("odd.neff", package(&tar(&with_definition(|v| v["var"]["w"]["size"] = json!(20)))));
    let run = bir(&["check", &odd]).good();
    assert!(run.out.contains("warning: sg00/def.json: var.w.size"), "{}", run.out);
    assert!(!bir(&["check", "-q", &odd]).good().out.contains("warning:"));
    assert_eq!(bir(&["check", "--strict", &odd]).code, 1);

    let mut wrong = fs::read(data(NEFF)).unwrap();
    wrong[172] ^= 1;
    wrong[204] ^= 1;
    let wrong = folder.file("wrong.neff", wrong);
    let run = bir(&["check", &wrong]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("error: hash: ") && run.out.contains("note: uuid: "), "{}", run.out);
    assert_eq!(bir(&["check", "--json", &wrong]).json()["hash_ok"], false);
    bir(&["check", &data(DOCUMENTS[0])]).fails(&["this is not a package"]);
    assert_eq!(bir_with_input(&["check", "-"], &fs::read(data(NEFF)).unwrap()).code, 0);
}

#[test]
fn diff_of_packages() {
    let folder = Folder::new();
    let plain = folder.file("plain.neff", package(&tar(&sample_files())));
    let run = bir(&["diff", &data(NEFF), &plain]).good();
    assert_eq!(run.out, "no differences; hash different, IR signature equal\n");
    let run = bir(&["diff", "--all", &data(NEFF), &plain]);
    assert!(run.code == 1 && run.out.contains("compression  gzip -> none"), "{}", run.out);

    let mut files = with_definition(|v| v["var"]["w"]["alignment"] = json!(64));
    files.get_mut("sg00/w.npy").unwrap()[130] ^= 1;
    files.insert("new.bin".into(), vec![1, 2, 3]);
    let other = folder.file("other.neff", package(&tar(&files)));
    let run = bir(&["diff", &data(NEFF), &other]);
    let expected = "\
+ member new.bin  3 bytes  [changes the hash]
~ member sg00/def.json  [changes the hash]
    var.w.alignment  (none) -> 64
~ member sg00/w.npy  [changes the hash and the IR signature]
    data      152 bytes, ";
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with(expected), "{}", run.out);
    let end = "  (byte 130)\n\n2 members changed, 1 member added; hash different, IR signature different\n";
    assert!(run.out.ends_with(end), "{}", run.out);
    let run = bir(&["diff", "--json", &data(NEFF), &other]);
    let json = run.json();
    assert_eq!((run.code, &json["kind"], &json["equal"]), (1, &json!("package_diff"), &json!(false)));
    let change = json!({
        "what": "added", "member": "sg00/def.json", "path": "var.w.alignment", "offset": null, "old": "", "new": "64",
        "matters": true, "changes_hash": true, "changes_signature": false,
    });
    assert_eq!(json["changes"][1], change);

    let mut header = fs::read(data(NEFF)).unwrap();
    header[545] ^= 4;
    let header = folder.file("header.neff", header);
    let run = bir(&["diff", &data(NEFF), &header]);
    assert!(
        run.out.contains("feature_bits  0x0 -> 0x400 (several physical cores per logical core)  (byte 544)"),
        "{}",
        run.out
    );
    assert!(run.out.contains("hash equal, IR signature equal"), "{}", run.out);

    let cut = folder.file("cut.neff", package(&fs::read(data(NEFF)).unwrap()[SIZE..2000]));
    for (a, b) in [(data(NEFF), cut.clone()), (cut, data(NEFF))] {
        let run = bir(&["diff", &a, &b]);
        assert!(run.code == 3 && run.err.contains("cut.neff: data"), "{}", run.err);
    }
    assert_eq!(bir(&["diff", &data(NEFF), &data(DOCUMENTS[0])]).code, 3);
    assert_eq!(bir_with_input(&["diff", "-", &plain], &fs::read(data(NEFF)).unwrap()).code, 0);
}

#[test]
fn limits_are_options() {
    let folder = Folder::new();
    for command in [&["info"][..], &["list"], &["unpack", "-d", &folder.path("out")]] {
        let run = |args: &[&str]| bir(&[command, args, &[data(NEFF).as_str()]].concat());
        run(&["--max-members", "15"]).fails(&["`max_members`"]);
        run(&["--max-unpacked-bytes", "17407"]).fails(&["`max_unpacked_bytes`"]);
    }
    let run = bir(&["check", "--max-members", "15", &data(NEFF)]);
    assert!(run.code == 1 && run.out.contains("`max_members`"), "{}", run.out);
    assert_eq!(folder.files(), [""; 0]);
}

/// A disk that is full, as a limit on the size of files: nothing is left behind, and old files stay.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let folder = Folder::new();
    let mut files = sample_files();
    files.insert("sg00/w1.npy".into(), vec![1; 1 << 20]);
    let neff = folder.file("x.neff", package(&gzip(&tar(&files))));
    folder.file("old/info.json", "mine");
    // With the signal ignored a write beyond the limit is an error of the system.
    let limited = |dir: &str| {
        let script = "trap '' XFSZ; ulimit -f 100; exec \"$@\"";
        let bir = env!("CARGO_BIN_EXE_bir");
        let args = ["-c", script, "sh", bir, "unpack", "--force", &neff, "-d", dir];
        std::process::Command::new("sh").args(args).output().unwrap()
    };
    for dir in [folder.path("new/folder"), folder.path("old")] {
        let output = limited(&dir);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("w1.npy") && err.contains("cannot write the file"), "{err}");
    }
    assert_eq!(folder.files(), ["old/info.json", "x.neff"]);
    assert!(!fs::exists(folder.path("new")).unwrap());
    assert_eq!(fs::read_to_string(folder.path("old/info.json")).unwrap(), "mine");
    bir(&["unpack", "--force", &neff, "-d", &folder.path("old")]).good();
    assert_eq!(folder.files().len(), files.len() + 1);
}
