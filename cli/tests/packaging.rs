//! Packages made of folders and tars, and made to load faster: what a packager has to do.

mod common;
use common::*;
use serde_json::{Value, json};
use std::fs;

const SAMPLE: &str = "neff/synthetic-minimal.neff";

fn sample() -> Vec<u8> {
    fs::read(data(SAMPLE)).unwrap()
}

/// A raw constant, or one of NPY.
fn npy(byte: u8, count: usize) -> Vec<u8> {
    let mut file = bir_core::consts::npy::header("|u1", &[count as u64]).unwrap();
    file.resize(file.len() + count, byte);
    file
}

/// The sample unpacked, with more constants, descriptors that read them, and debug data.
fn program(folder: &Folder) -> String {
    let dir = folder.path("program");
    let neff = folder.file("sample.neff", sample());
    bir(&["unpack", &neff, "-d", &dir]).good();
    let read = |name: &str| -> Value { serde_json::from_slice(&fs::read(format!("{dir}/{name}")).unwrap()).unwrap() };
    let mut definition = read("sg00/def.json");
    let first = definition["var"].as_object().unwrap().len();
    let mut descriptors = Vec::new();
    for (i, (name, byte, count)) in [("a", 1, 1000), ("b", 2, 77), ("same", 1, 1000)].into_iter().enumerate() {
        fs::write(format!("{dir}/sg00/{name}.npy"), npy(byte, count)).unwrap();
        let variable = json!({"type": "file", "var_id": first + i, "size": count, "file_name": format!("{name}.npy")});
        definition["var"][name] = variable;
        descriptors.push(json!({"from": name, "from_off": 4, "from_sizes": [8], "to": "SB", "to_sizes": [8]}));
    }
    definition["pe_dbg"] = json!("PE0.dbg");
    fs::write(format!("{dir}/sg00/def.json"), serde_json::to_vec_pretty(&definition).unwrap()).unwrap();
    let engine = json!({"dma": [{"id": 0, "queue": "q_w", "desc": descriptors}]});
    fs::write(format!("{dir}/sg00/SP0.json"), engine.to_string()).unwrap();
    fs::write(format!("{dir}/sg00/PE0.dbg"), "debug").unwrap();
    dir
}

#[test]
fn an_unpacked_package_becomes_the_same_package() {
    let folder = Folder::new();
    let neff = folder.file("sample.neff", sample());
    let dir = folder.path("files");
    bir(&["unpack", &neff, "-d", &dir, "--payload"]).good();
    assert!(fs::read(format!("{dir}/neff.tgz")).unwrap() == sample()[1024..]);
    // The payload beside its members is none of them.
    for (options, again) in [(&[][..], "a.neff"), (&["--threads", "1"][..], "b.neff")] {
        let again = folder.path(again);
        let json = bir(&[&["pack", "--json", &dir, "-o", &again], options].concat()).good().json();
        assert!(fs::read(&again).unwrap() == sample());
        assert_eq!((json["bytes"].as_u64(), json["members"].as_array().map(Vec::len)), (Some(2538), Some(16)));
    }
    // Of the payload alone, by its members or as it is.
    let tgz = format!("{dir}/neff.tgz");
    for options in [&[][..], &["--as-is"]] {
        let created = folder.path("created");
        bir(&[&["create", "-i", &tgz, "-o", &created], options].concat()).good();
        assert!(fs::read(folder.path("created.neff")).unwrap() == sample(), "{options:?}");
    }
}

#[test]
fn unpacking_without_a_folder_takes_the_name() {
    let folder = Folder::new();
    folder.file("m.neff", sample());
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_bir"))
        .args(["unpack", "m.neff"])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    assert!(run.status.success());
    assert!(folder.files().contains(&String::from("m/sg00/def.json")), "{:?}", folder.files());
    bir_with_input(&["unpack", "-"], &sample()).usage();
}

#[test]
fn create_sets_the_header() {
    let folder = Folder::new();
    let tar = folder.file("x.tar", bir_core::neff::gzip::gunzip(&sample()[1024..], 1 << 20).unwrap());
    let (out, header) =
        (folder.path("x.neff"), |out: &str| bir(&["info", "--json", out]).good().json()["header"].clone());
    bir(&["create", "-i", &tar, "-o", &out]).good();
    assert!(fs::read(&out).unwrap() == sample());
    let all = ["-n", "model", "-v", "9.8", "-k", "0.4", "-t", "3", "-e", "bin-weights", "-e", "coalesced-cc"];
    bir(&[&["create", "-i", &tar, "-o", &out, "--uuid", "00112233445566778899aabbccddeeff"][..], &all].concat()).good();
    let found = header(&out);
    assert_eq!((&found["name"], &found["neff_build_version"]), (&json!("model"), &json!("9.8")));
    assert_eq!((&found["neff_version_major"], &found["neff_version_minor"]), (&json!(0), &json!(4)));
    assert_eq!((&found["num_tpb"], &found["feature_bits"]), (&json!(3), &json!(9)));
    assert_eq!(found["uuid"], "00112233445566778899aabbccddeeff");
    // An old package, whose hash is a SHA-256.
    bir(&["create", "-i", &tar, "-o", &out, "-r", "1"]).good();
    assert_eq!((&header(&out)["pkg_version"], bir(&["check", &out]).code), (&json!(1), 0));
    for compression in ["none", "parallel"] {
        bir(&["create", "-i", &tar, "-o", &out, "--compression", compression, "--pad"]).good();
        assert_eq!(fs::metadata(&out).unwrap().len() % 10240, 1024);
        bir(&["diff", &folder.file("s.neff", sample()), &out]).good();
    }
    bir(&["create", "-i", &tar, "-e", "nonsense"]).usage();
    bir(&["create", "-i", &tar, "-k", "1"]).usage();
    bir(&["create", "-i", &tar, "-r", "3"]).usage();
    bir(&["create", "-i", "-"]).usage();
    bir(&["create", "-i", &folder.file("bad.tar", "no tar"), "-o", &out]).fails(&["bad.tar"]);
}

#[test]
fn a_folder_with_a_document_is_packed_with_its_weights() {
    let folder = Folder::new();
    folder.file("m/model.bir.json", &examples()[0]);
    folder.file("m/w.npy", weights(1));
    let (a, b) = (folder.path("a.neff"), folder.path("b.neff"));
    bir(&["pack", &folder.path("m"), "-o", &a]).good();
    bir(&["pack", &folder.path("m/model.bir.json"), "-o", &b]).good();
    assert!(fs::read(&a).unwrap() == fs::read(&b).unwrap());
    folder.file("m/other.bir.json", &examples()[0]);
    bir(&["pack", &folder.path("m"), "-o", &a]).fails(&["several documents"]);
    fs::create_dir(folder.path("empty")).unwrap();
    bir(&["pack", &folder.path("empty"), "-o", &a]).fails(&["nothing to pack", "neff.json"]);
}

#[test]
fn optimizing_merges_drops_and_replaces() {
    let folder = Folder::new();
    let dir = program(&folder);
    let neff = folder.path("x.neff");
    bir(&["pack", &dir, "-o", &neff]).good();
    assert_eq!(bir(&["check", &neff]).code, 0);
    let before = fs::read(&neff).unwrap();

    let kept = folder.path("kept.neff");
    bir(&["optimize", &neff, "-o", &kept, "--keep-debug", "--no-merge", "--compression", "exact"]).good();
    assert!(fs::read(&neff).unwrap() == before && fs::read(&kept).unwrap() == before);

    let json = bir(&["optimize", "--json", &neff]).good().json();
    let package = &json["packages"][0];
    assert_eq!(package["dropped"], json!(["sg00/PE0.dbg"]));
    assert_eq!(package["merged"][0]["variables"], json!(["a", "b", "same"]));
    assert_eq!(package["merged"][0]["saved_bytes"], 1000);
    assert_eq!(bir(&["check", &neff]).good().code, 0);
    let info = bir(&["info", "--json", "-w", &neff]).good().json();
    assert_eq!((&info["compressed"], info["header"]["hash"] != json!(null)), (&json!(false), true));
    // What descriptors read is what they read before.
    bir(&["unpack", &neff, "-d", &folder.path("after")]).good();
    let weights = fs::read(folder.path("after/sg00/weights.npy")).unwrap();
    let data = bir_core::consts::npy::runtime_payload(&weights).unwrap();
    let engine: Value = serde_json::from_slice(&fs::read(folder.path("after/sg00/SP0.json")).unwrap()).unwrap();
    for (i, byte) in [1, 2, 1].into_iter().enumerate() {
        let offset = engine["dma"][0]["desc"][i]["from_off"].as_u64().unwrap() as usize;
        assert_eq!(data[offset..offset + 8], [byte; 8]);
    }
    // Again it stays as it is.
    let once = fs::read(&neff).unwrap();
    bir(&["optimize", "-q", &neff, "--threads", "1"]).good();
    assert!(fs::read(&neff).unwrap() == once);
    bir(&["optimize", &neff, &neff, "-o", &kept]).usage();
}

#[test]
fn a_bad_package_is_not_replaced() {
    let folder = Folder::new();
    let mut bytes = sample();
    bytes[172] ^= 1;
    let neff = folder.file("x.neff", &bytes);
    bir(&["optimize", &neff]).fails(&["x.neff"]);
    assert!(fs::read(&neff).unwrap() == bytes);
    assert_eq!(folder.files(), ["x.neff"]);
    bir(&["optimize", &neff, "--ignore-hash"]).good();
    assert_eq!(bir(&["check", &neff]).code, 0);
}

/// On a full disk the old package stays, and nothing else is left.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let folder = Folder::new();
    let dir = program(&folder);
    fs::write(format!("{dir}/sg00/large.npy"), npy(7, 1 << 20)).unwrap();
    let neff = folder.file("old.neff", "precious");
    let before = folder.files();
    for compression in ["none", "exact", "parallel"] {
        let limit = if compression == "none" { "100" } else { "8" };
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
        let bir = env!("CARGO_BIN_EXE_bir");
        let args = ["-c", &script, "sh", bir, "pack", &dir, "-o", &neff, "--compression", compression];
        let output = std::process::Command::new("sh").args(args).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{compression}: {err}");
        assert!(err.contains("old.neff") && err.contains("File too large"), "{err}");
        assert_eq!(fs::read(&neff).unwrap(), b"precious");
        assert_eq!(folder.files(), before);
    }
}
