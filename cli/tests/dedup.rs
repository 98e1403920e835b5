//! What could be merged among files, in a document and in a package.

mod common;
use common::*;
use serde_json::{Value, json};
use std::fs;

const FLOATS: &[u8] = b"\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40";
const FLOATS_MD5: &str = "b4ad64bc24f643726bddf5606af738da";

/// Two groups of equal files, and one alone.
fn weights() -> Folder {
    let folder = Folder::new();
    for name in ["w/a.bin", "w/b.bin", "w/deep/e.bin"] {
        folder.file(name, FLOATS);
    }
    folder.file("w/c.bin", [7; 100]);
    folder.file("w/d.bin", [7; 100]);
    folder.file("w/lone.bin", [1; 5]);
    folder
}

/// The names of files without the folder.
fn short(value: &Value, folder: &Folder) -> String {
    value.as_str().unwrap().replace(&folder.path("w/"), "")
}

#[test]
fn shows_what_could_be_merged_the_most_first() {
    let folder = weights();
    let out = bir(&["dedup", &folder.path("w")]).good().out.replace(&folder.path("w/"), "");
    let sevens = "35ecc674664ca9947268988e99ea7c7duint8DRAM";
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    let floats = format!("{FLOATS_MD5}uint8DRAM");
    assert_eq!(lines[0], ["SAVED", "SIZE", "FILES", "KEY", "FILE"]);
    assert_eq!(lines[1], ["100", "100", "2", sevens, "c.bin"], "{out}");
    assert_eq!(lines[2][4..], ["=", "d.bin"]);
    assert_eq!(lines[3], ["32", "16", "3", &floats, "a.bin"]);
    assert_eq!(lines[4][4..], ["=", "b.bin"]);
    assert_eq!(lines[5][4..], ["=", "deep/e.bin"]);
    assert_eq!(out.lines().last(), Some("6 files, 3 unique, 253 bytes; merging saves 132 bytes"));
    assert!(!out.contains("lone.bin"));

    let typed = bir(&["dedup", &folder.path("w"), "--keys", "--dtype", "bfloat16", "--memory-type", "SB"]).good().out;
    assert!(typed.contains(&format!("{FLOATS_MD5}bfloat16SB")) && typed.contains("lone.bin"), "{typed}");
    let alone = bir(&["dedup", &folder.path("w/lone.bin")]).good().out;
    assert_eq!(alone, "1 file, 1 unique, 5 bytes; merging saves 0 bytes\n");
    fs::create_dir(folder.path("empty")).unwrap();
    let none = bir(&["dedup", &folder.path("empty")]).good().out;
    assert_eq!(none, "0 files, 0 unique, 0 bytes; merging saves 0 bytes\n");
}

#[test]
fn json_is_the_same_for_any_order_and_number_of_threads() {
    let folder = weights();
    let all = ["a.bin", "b.bin", "c.bin", "d.bin", "deep", "lone.bin"].map(|name| folder.path(&format!("w/{name}")));
    let run = |files: &[String], threads: &str| {
        let mut args = vec!["dedup", "--json", "--threads", threads];
        args.extend(files.iter().map(String::as_str));
        let mut json = bir(&args).good().json();
        assert_eq!(json["inputs"].as_array().unwrap().len(), files.len());
        json.as_object_mut().unwrap().remove("inputs");
        json
    };
    let first = run(&all, "1");
    let mut reversed = all.clone();
    reversed.reverse();
    assert_eq!(run(&reversed, "3"), first);
    assert_eq!(run(&[folder.path("w")], "2"), first);
    assert_eq!((&first["unique_files"], &first["saved_bytes"], &first["bytes"]), (&json!(3), &json!(132), &json!(253)));
    let stored: Vec<(String, String)> = first["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (short(&file["name"], &folder), short(&file["stored_as"], &folder)))
        .collect();
    let expected = [
        ("a.bin", "a.bin"),
        ("b.bin", "a.bin"),
        ("c.bin", "c.bin"),
        ("d.bin", "c.bin"),
        ("deep/e.bin", "a.bin"),
        ("lone.bin", "lone.bin"),
    ];
    assert_eq!(stored, expected.map(|(name, as_name)| (name.to_owned(), as_name.to_owned())));
    assert_eq!(first["files"][5]["key"], Value::Null);
    let group = &first["groups"][1];
    assert_eq!((&group["saved_bytes"], &group["bytes"]), (&json!(32), &json!(16)));
    assert_eq!(short(&group["merged"][1], &folder), "deep/e.bin");
    assert_eq!(group["key"], json!(format!("{FLOATS_MD5}uint8DRAM")));
}

/// Some constants of the first example document: set name, file, dtype.
fn document(constants: &[(&str, &str, &str)]) -> String {
    let mut document: Value = serde_json::from_str(&examples()[0]).unwrap();
    let allocations = document["functions"][0]["allocations"].as_array_mut().unwrap();
    let model = allocations.iter().find(|set| set["kind"] == "Const").unwrap().clone();
    for (name, file, dtype) in constants {
        let mut set = model.clone();
        (set["name"], set["file"], set["dtype"]) = (json!(format!("{name}_set")), json!(file), json!(dtype));
        set["memorylocations"][0]["name"] = json!(name);
        allocations.push(set);
    }
    document.to_string()
}

#[test]
fn a_document_is_merged_as_pack_does() {
    let folder = Folder::new();
    let constants =
        [("b", "z.bin", "float32"), ("c", "y.bin", "float32"), ("d", "y.bin", "uint8"), ("e", "x.bin", "uint8")];
    let module = folder.file("m.bir.json", document(&constants));
    ["w.npy", "z.bin", "y.bin"].iter().for_each(|file| drop(folder.file(file, FLOATS)));
    folder.file("x.bin", [1; 9]);
    let json = bir(&["dedup", "--json", "--keys", &module]).good().json();
    let files = json["files"].as_array().unwrap();
    let stored: Vec<&str> = files.iter().map(|file| file["stored_as"].as_str().unwrap()).collect();
    assert_eq!(stored, ["w.npy", "w.npy", "w.npy", "y.bin", "x.bin"]);
    let packed = bir(&["pack", "-q", "--json", &module, "-o", &folder.path("x.neff")]).good().json();
    assert_eq!((&json["unique_files"], &json["saved_bytes"]), (&packed["unique_files"], &packed["saved_bytes"]));
    let packed: Vec<&str> =
        packed["constants"].as_array().unwrap().iter().map(|c| c["stored_as"].as_str().unwrap()).collect();
    assert_eq!(stored, packed);

    // What a cache of compiled programs goes by.
    let keys: Vec<&str> = json["constants"].as_array().unwrap().iter().map(|c| c["key"].as_str().unwrap()).collect();
    assert_eq!(keys[3], format!("{FLOATS_MD5}uint8DRAM"));
    let variables: Vec<&str> =
        json["constants"].as_array().unwrap().iter().map(|c| c["variable"].as_str().unwrap()).collect();
    assert_eq!(variables, ["w", "b", "c", "d", "e"]);
    let digest = json["digest"].as_str().unwrap().to_owned();
    assert!(bir(&["dedup", "--keys", &module]).good().out.contains(&format!("digest of all constants {digest}")));
    assert_eq!(bir(&["dedup", "--json", &module]).good().json()["digest"], Value::Null);
    // Elsewhere it is the same; with one byte changed it is not.
    let elsewhere = bir_with_input(
        &["dedup", "--json", "--keys", "-", "--const-dir", &folder.path("")],
        fs::read(&module).unwrap().as_slice(),
    );
    assert_eq!(elsewhere.good().json()["digest"], json!(digest));
    folder.file("x.bin", [2; 9]);
    assert_ne!(bir(&["dedup", "--json", "--keys", &module]).good().json()["digest"], json!(digest));

    bir(&["dedup", &module, "--dtype", "uint8"]).usage();
    fs::remove_file(folder.path("x.bin")).unwrap();
    bir(&["dedup", &module]).fails(&["x.bin", "cannot look at the file"]);
    let evil = folder.file("evil.bir.json", document(&[("b", "../b", "float32")]));
    bir(&["dedup", "--json", &evil]).error("UnsafePath");
}

#[test]
fn the_members_of_a_package() {
    let folder = Folder::new();
    let module = folder.file("m.bir.json", document(&[("b", "z.bin", "float32")]));
    ["w.npy", "z.bin"].iter().for_each(|file| drop(folder.file(file, FLOATS)));
    let neff = folder.path("x.neff");
    bir(&["pack", "-q", "--no-dedup", &module, "-o", &neff]).good();
    let json = bir(&["dedup", "--json", &neff]).good().json();
    let groups = json["groups"].as_array().unwrap();
    let weights = groups.iter().find(|group| group["file"] == "sg00/w.npy").unwrap();
    assert_eq!((&weights["merged"], &weights["saved_bytes"]), (&json!(["sg00/z.bin"]), &json!(16)));
    bir(&["dedup", &neff, "--const-dir", "x"]).usage();
    let mut bytes = fs::read(&neff).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    bir(&["dedup", "--json", &folder.file("bad.neff", bytes)]).error("HashMismatch");
}

#[cfg(unix)]
#[test]
fn all_problems_are_told_and_nothing_is_waited_for() {
    let folder = weights();
    let fifo = folder.path("w/fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", folder.path("w/broken")).unwrap();
    // In a folder they are left out, with a word.
    let run = bir(&["dedup", &folder.path("w")]).good();
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
    assert!(run.err.contains("fifo (a FIFO)") && run.err.contains("broken (a link)"));
    assert!(bir(&["dedup", "-q", &folder.path("w")]).good().err.is_empty());
    bir(&["dedup", "--strict", &folder.path("w")]).fails(&["left out", "broken"]);

    // Named, they are errors; what can be read is still shown.
    bir(&["dedup", &fifo]).fails(&["fifo", "not an ordinary file", "a FIFO"]);
    bir(&["dedup", "--json", &folder.path("missing")]).fails(&["missing"]);
    let [a, b, broken] = ["w/a.bin", "w/b.bin", "w/broken"].map(|name| folder.path(name));
    let run = bir(&["dedup", "--json", &a, &fifo, &b, &broken]);
    assert_eq!(run.code, 1);
    let json = run.json();
    assert_eq!((&json["saved_bytes"], &json["error"]["code"]), (&json!(16), &json!("Io")));
    let files: Vec<&str> = json["problems"].as_array().unwrap().iter().map(|p| p["file"].as_str().unwrap()).collect();
    assert_eq!(files, [&broken, &fifo]);
    assert_eq!(run.err.lines().filter(|line| line.starts_with("error: ")).count(), 3, "{}", run.err);
}
