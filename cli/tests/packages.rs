//! `bir pack`, `list`, `unpack` and `info` on packages, good and evil.

mod common;
use bir_core::neff::header::{Header, payload_hash};
use common::*;
use std::fs;

#[test]
fn info_names_the_header_fields() {
    let run = bir(&["info", &data(NEFF)]).good();
    for text in ["hash                 928c75b45c10eee15b48fb736352c6b0 (ok)", "pkg_version          2", "sg00/w.npy"] {
        assert!(run.out.contains(text), "no {text:?} in {}", run.out);
    }
    let json = bir(&["info", "--json", &data(NEFF)]).good().json();
    assert_eq!((json["kind"].as_str(), json["hash_ok"].as_bool()), (Some("package"), Some(true)));
    assert_eq!(json["header"]["name"], "synthetic");
    assert_eq!(json["members"].as_array().unwrap().len(), 16);
    assert_eq!(json["graphs"][0]["target"], "sunda");
    assert_eq!(json["graphs"][0]["variables"][3]["file"], "w.npy");
    // The name does not matter, the content does.
    let folder = Folder::new();
    let renamed = folder.file("x.bir.json", fs::read(data(NEFF)).unwrap());
    assert!(bir(&["info", &renamed]).good().out.starts_with("package "));
}

#[test]
fn a_wrong_hash_is_shown_and_bad() {
    let mut bytes = fs::read(data(NEFF)).unwrap();
    bytes[172] ^= 1;
    let folder = Folder::new();
    let file = folder.file("wrong.neff", &bytes);
    let run = bir(&["info", &file]).fails(&["wrong.neff: hash: ", "byte 172"]);
    assert!(run.out.contains("(WRONG)"));
    let run = bir(&["info", "--json", &file]);
    assert_eq!(run.json()["hash_ok"], false);
    run.error("HashMismatch");
    bir(&["list", &file]).fails(&["hash"]);
    bir(&["unpack", &file, "-d", &folder.path("out")]).fails(&["hash"]);
    assert_eq!(folder.files(), ["wrong.neff"]);
    bir(&["list", &file, "--ignore-hash"]).good();
}

#[test]
fn what_is_no_package_is_refused() {
    bir(&["list", &data(DOCUMENTS[0])]).fails(&["this is not a package", "found a JSON document"]);
    bir_with_input(&["list", "-"], b"\x02").fails(&["shorter than a package header"]);
    bir_with_input(&["list", "-"], &[7; 4000]).fails(&["this is not a package"]);
    let bytes = fs::read(data(NEFF)).unwrap();
    for cut in [1023, 1024, 1025, 2000] {
        bir_with_input(&["info", "-"], &bytes[..cut]).fails(&["standard input"]);
    }
    bir_with_input(&["list", "--json", "-"], &bytes[..2000]).error("BadHeader");
}

#[test]
fn list_joins_members_and_variables() {
    let run = bir(&["list", &data(NEFF)]).good();
    assert!(run.out.contains("sg00/w.npy              152\n"), "{}", run.out);
    assert!(run.out.ends_with("sg00   w              sg00/w.npy\n"), "{}", run.out);
    let json = bir_with_input(&["list", "--json", "-"], &fs::read(data(NEFF)).unwrap()).good().json();
    assert_eq!(json["members"][15]["variables"][0], "sg00:w");
    assert_eq!(json["file_variables"][0]["exists"], true);
}

#[test]
fn unpack_writes_all_or_some() {
    let folder = Folder::new();
    let out = folder.path("all");
    let run = bir(&["unpack", &data(NEFF), "-d", &out]).good();
    assert_eq!(run.out.lines().count(), 16);
    assert_eq!(folder.files().len(), 16);
    assert_eq!(fs::metadata(folder.path("all/sg00/w.npy")).unwrap().len(), 152);

    let json =
        bir(&["unpack", "--json", &data(NEFF), "-d", &folder.path("some"), "info.json", "./sg00/w.npy"]).good().json();
    assert_eq!(json["members"][1]["name"], "sg00/w.npy");
    let some: Vec<String> = folder.files().into_iter().filter(|f| f.starts_with("some/")).collect();
    assert_eq!(some, ["some/info.json", "some/sg00/w.npy"]);
    bir(&["unpack", &data(NEFF), "-d", &folder.path("none"), "inf.json"]).fails(&["did you mean `info.json`?"]);
    assert!(!fs::exists(folder.path("none")).unwrap());
}

#[test]
fn unpack_overwrites_only_with_force() {
    let folder = Folder::new();
    folder.file("out/sg00/w.npy", "mine");
    bir(&["unpack", &data(NEFF), "-d", &folder.path("out")]).fails(&["w.npy", "--force"]);
    assert_eq!(folder.files(), ["out/sg00/w.npy"]);
    assert_eq!(fs::read_to_string(folder.path("out/sg00/w.npy")).unwrap(), "mine");
    bir(&["unpack", &data(NEFF), "-d", &folder.path("out"), "--force"]).good();
    assert_eq!(fs::metadata(folder.path("out/sg00/w.npy")).unwrap().len(), 152);

    folder.file("file/sg00", "a file");
    bir(&["unpack", "--force", &data(NEFF), "-d", &folder.path("file")]).fails(&["in the way"]);
    fs::create_dir_all(folder.path("dir/info.json")).unwrap();
    bir(&["unpack", "--force", &data(NEFF), "-d", &folder.path("dir")]).fails(&["a folder is in the way"]);
    assert_eq!(folder.files().iter().filter(|f| f.starts_with("file/") || f.starts_with("dir/")).count(), 1);
}

#[cfg(unix)]
#[test]
fn unpack_follows_no_link() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.file("outside/keep", "");
    let target = folder.file("outside/target", "mine");
    fs::create_dir(folder.path("out")).unwrap();
    symlink(folder.path("outside"), folder.path("out/sg00")).unwrap();
    bir(&["unpack", "--force", &data(NEFF), "-d", &folder.path("out")]).fails(&["a link, which is not followed"]);
    assert_eq!(folder.files(), ["out/sg00", "outside/keep", "outside/target"]);

    fs::remove_file(folder.path("out/sg00")).unwrap();
    for link in [target.clone(), folder.path("outside/new")] {
        symlink(&link, folder.path("out/info.json")).unwrap();
        let error = bir(&["unpack", "--json", "--force", &data(NEFF), "-d", &folder.path("out")]).error("UnsafePath");
        assert_eq!(error["path"], "info.json");
        fs::remove_file(folder.path("out/info.json")).unwrap();
    }
    assert_eq!(folder.files(), ["outside/keep", "outside/target"]);
    assert_eq!(fs::read_to_string(target).unwrap(), "mine");
}

/// A ustar member with any name and type.
fn member(name: &str, typeflag: u8, link: &str, data: &[u8]) -> Vec<u8> {
    let mut header = vec![0u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000644");
    header[108..115].copy_from_slice(b"0000000");
    header[116..123].copy_from_slice(b"0000000");
    header[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
    header[136..147].copy_from_slice(b"00000000000");
    header[148..156].fill(b' ');
    header[156] = typeflag;
    header[157..157 + link.len()].copy_from_slice(link.as_bytes());
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(data);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

/// A plain package of these members, with a good header.
fn package(members: &[Vec<u8>]) -> Vec<u8> {
    let mut payload = members.concat();
    payload.extend_from_slice(&[0; 1024]);
    let mut header = Header { data_size: payload.len() as u64, ..Header::default() };
    header.hash = payload_hash(2, &payload).unwrap();
    [header.write().to_vec(), payload].concat()
}

#[test]
fn evil_archives_write_nothing() {
    let file = |name: &str| member(name, b'0', "", b"evil");
    let evil: [(&str, Vec<Vec<u8>>); 8] = [
        ("UnsafePath", vec![file("good"), file("../evil")]),
        ("UnsafePath", vec![file("good"), file("a/../../evil")]),
        ("UnsafePath", vec![file("good"), file("/tmp/evil")]),
        ("UnsafePath", vec![file("good"), file("..\\evil")]),
        ("UnsafePath", vec![member("a", b'2', "..", b""), file("a/evil")]),
        ("UnsafePath", vec![file("good"), member("b", b'1', "good", b"")]),
        ("Conflict", vec![file("good"), file("a"), file("a/evil")]),
        ("DuplicateName", vec![file("good"), file("good")]),
    ];
    for (i, (code, members)) in evil.into_iter().enumerate() {
        let folder = Folder::new();
        let neff = folder.file("evil.neff", package(&members));
        let out = folder.path("below/out");
        let error = bir(&["unpack", "--json", "--force", &neff, "-d", &out]).error(code);
        assert!(error["file"].as_str().unwrap().ends_with("evil.neff"), "{i} {error}");
        assert_eq!(folder.files(), ["evil.neff"], "{i}");
    }
    // The same way of building makes good packages too.
    let folder = Folder::new();
    let neff = folder.file("good.neff", package(&[file("a/b"), file("c")]));
    bir(&["unpack", &neff, "-d", &folder.path("out")]).good();
    assert_eq!(folder.files(), ["good.neff", "out/a/b", "out/c"]);
}

#[test]
fn pack_makes_a_package_that_unpacks() {
    let folder = Folder::new();
    let module = folder.file("m/module.bir.json", &examples()[0]);
    folder.file("m/w.npy", weights(0));
    let neff = folder.path("x.neff");
    let json = bir(&["pack", "--json", &module, "-o", &neff, "--name", "demo"]).good().json();
    assert_eq!((json["inputs"][0].as_str(), json["outputs"][0].as_str()), (Some("x"), Some("y")));
    assert_eq!((json["unique_files"].as_u64(), json["constants"][0]["file"].as_str()), (Some(1), Some("w.npy")));
    assert_eq!(json["bytes"].as_u64(), Some(fs::metadata(&neff).unwrap().len()));

    let info = bir(&["info", "--strict", "--json", &neff]).good().json();
    assert_eq!((info["header"]["name"].as_str(), info["hash_ok"].as_bool()), (Some("demo"), Some(true)));
    assert_eq!((info["compressed"].as_bool(), info["warning_count"].as_u64()), (Some(true), Some(0)));
    let listed = bir(&["list", &neff]).good().out;
    assert!(listed.contains("sg00   w              sg00/w.npy"), "{listed}");

    bir(&["unpack", &neff, "-d", &folder.path("out")]).good();
    assert_eq!(fs::read(folder.path("out/sg00/w.npy")).unwrap(), weights(0));
    let again = bir(&["convert", "-q", &folder.path("out/sg00/bir.json"), "-o", "-"]).good().out;
    assert_eq!(again, bir(&["convert", "-q", &module, "-o", "-"]).good().out);

    // Equal inputs, equal bytes; from elsewhere, too.
    let elsewhere = fs::read(&module).unwrap();
    let args = ["pack", "-", "-o", "-", "--name", "demo", "--const-dir", &folder.path("m")];
    assert!(bir_with_input(&args, &elsewhere).good().bytes == fs::read(&neff).unwrap());

    let plain = folder.path("plain.neff");
    let extra = format!("notes.txt={module}");
    bir(&["pack", &module, "-o", &plain, "--no-compress", "--feature-bits", "0x400", "--member", &extra]).good();
    let info = bir(&["info", "--json", &plain]).good().json();
    assert_eq!((info["compressed"].as_bool(), info["header"]["feature_bits"].as_u64()), (Some(false), Some(0x400)));
    assert!(bir(&["list", &plain]).good().out.contains("notes.txt"));
}

#[test]
fn a_failed_pack_leaves_the_old_package() {
    let folder = Folder::new();
    let old = folder.file("old.neff", "precious");
    let example = &examples()[0];
    let module = folder.file("module.bir.json", example);
    bir(&["pack", &module, "-o", &old]).fails(&["w.npy: constant `w_set`: cannot look at the file"]);
    assert!(bir(&["pack", "--json", &module, "-o", &old]).error("Io")["file"].as_str().unwrap().ends_with("w.npy"));
    for name in ["../w.npy", "/w.npy", "a/../../w.npy"] {
        let evil = folder.file("evil.bir.json", example.replacen("\"w.npy\"", &format!("\"{name}\""), 1));
        bir(&["pack", "--json", &evil, "-o", &old]).error("UnsafePath");
    }
    let renamed = data(DOCUMENTS[0]);
    bir(&["pack", "--strict", &renamed, "-o", &old]).fails(&["noop_test"]);
    bir(&["pack", &data(NEFF), "-o", &old]).fails(&["expected a BIR document"]);
    bir(&["pack", &module, "-o", &old, "--member", "x=/no/such/file"]).fails(&["/no/such/file"]);
    assert_eq!(fs::read_to_string(&old).unwrap(), "precious");
    assert_eq!(folder.files(), ["evil.bir.json", "module.bir.json", "old.neff"]);
}

#[test]
fn warnings_of_the_packager_are_shown() {
    let folder = Folder::new();
    let neff = folder.path("x.neff");
    let run = bir(&["pack", &data(DOCUMENTS[0]), "-o", &neff]).good();
    assert!(run.err.contains("taken as an output"), "{}", run.err);
    let json = bir(&["pack", "--json", "-q", &data(DOCUMENTS[0]), "-o", &neff]).good().json();
    assert!(!json["warnings"].as_array().unwrap().is_empty());
}
