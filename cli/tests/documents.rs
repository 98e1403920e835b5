//! `bir info` and `bir convert` on documents, good and bad.

mod common;
use common::*;
use serde_json::Value;
use std::fs;

#[test]
fn info_counts_what_is_in_a_document() {
    let run = bir(&["info", &data(DOCUMENTS[0])]).good();
    for text in ["arch      gen3, revision v1", "sg0000", "TensorScalar      1", "SB          2", "warnings  2"] {
        assert!(run.out.contains(text), "no {text:?} in {}", run.out);
    }
    assert_eq!(run.err.lines().filter(|l| l.starts_with("warning: ")).count(), 2);
    assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'));

    let json = bir(&["--json", "info", &data(DOCUMENTS[0])]).good().json();
    assert_eq!(json["kind"], "document");
    assert_eq!(json["functions"][0]["instructions"], 3);
    assert_eq!(json["opcodes"]["TensorScalar"], 1);
    assert_eq!(json["warning_count"], 2);
    assert_eq!(json["warnings"][0]["kind"], "Renamed");
    assert!(json["memory"]["used_bytes"].as_u64().unwrap() > 1000);
}

#[test]
fn info_counts_nested_instructions_and_queues() {
    let folder = Folder::new();
    let nested = folder.file("loop.json", &examples()[1]);
    let json = bir(&["info", &nested, "--json"]).good().json();
    let f = &json["functions"][0];
    // Block1 and the loop's body; RegisterMove, Loop, its two and the last TensorCopy.
    assert_eq!((f["blocks"].as_u64(), f["instructions"].as_u64()), (Some(2), Some(5)));
    assert_eq!((f["sets"].as_u64(), f["locations"].as_u64(), f["registers"].as_u64()), (Some(2), Some(2), Some(1)));
    let queued = folder.file("queue.json", &examples()[2]);
    let json = bir(&["info", &queued, "--json"]).good().json();
    let q = &json["queues"][0];
    assert_eq!(
        (q["name"].as_str(), q["type"].as_str(), q["instructions"].as_u64()),
        (Some("q_dyn"), Some("dynamic"), Some(2))
    );
    assert_eq!(json["opcodes"]["DMADescriptorCopy"], 1);
    let constants = folder.file("const.json", &examples()[0]);
    let json = bir(&["info", &constants, "--json"]).good().json();
    assert_eq!(json["constants"][0]["file"], "w.npy");
    assert_eq!(json["memory_types"]["DRAM"], 3);
}

#[test]
fn warnings_can_be_hidden_or_made_errors() {
    assert_eq!(bir(&["info", "-q", &data(DOCUMENTS[0])]).good().err, "");
    bir(&["info", "--strict", &data(DOCUMENTS[0])]).fails(&["scale_add.bir.json: functions[0].blocks[0]", "noop_test"]);
    let error = bir(&["info", "--strict", "--json", &data(DOCUMENTS[0])]).error("DuplicateName");
    assert!(error["line"].as_u64().unwrap() > 1);
}

#[test]
fn many_warnings_are_counted() {
    let keys: Vec<String> = (0..50).map(|i| format!("\"odd{i}\": 1")).collect();
    let text = format!(r#"{{"version": 2, "arch": "gen3", "functions": [], {}}}"#, keys.join(", "));
    let run = bir_with_input(&["info", "-"], text.as_bytes()).good();
    assert_eq!(run.err.lines().count(), 21);
    assert!(run.err.ends_with("warning: standard input: and 30 more\n"), "{}", run.err);
    bir_with_input(&["info", "--strict", "-"], text.as_bytes()).fails(&["odd0"]);
}

#[test]
fn errors_name_file_path_and_place() {
    let folder = Folder::new();
    let example = &examples()[0];
    let wrong_enum = folder.file("enum.json", example.replacen("\"op\": \"add\"", "\"op\": \"plus\"", 1));
    bir(&["info", &wrong_enum]).fails(&["enum.json: functions[0].blocks[0].instructions[2].op: ", "plus", "line "]);
    let error = bir(&["info", "--json", &wrong_enum]).error("UnknownEnum");
    assert_eq!(error["path"], "functions[0].blocks[0].instructions[2].op");
    assert_eq!(error["file"].as_str(), Some(wrong_enum.as_str()));
    let line = error["line"].as_u64().unwrap() as usize;
    let text = fs::read_to_string(&wrong_enum).unwrap();
    assert!(text.lines().nth(line - 1).unwrap().contains("plus"), "line {line}");
    assert!(error["expected"].as_str().unwrap().contains("bypass"));

    let whole = fs::read(data(DOCUMENTS[0])).unwrap();
    let cut = folder.file("cut.json", &whole[..whole.len() / 2]);
    let error = bir(&["info", "--json", &cut]).error("Syntax");
    assert_eq!(error["offset"].as_u64(), Some(whole.len() as u64 / 2));

    let missing = folder.path("missing.json");
    for command in ["info", "list"] {
        bir(&[command, &missing]).fails(&["missing.json: cannot read: "]);
        assert_eq!(bir(&[command, "--json", &missing]).error("Io")["line"], Value::Null);
    }
    bir(&["info", &folder.path("")]).fails(&["cannot read"]);
    bir_with_input(&["info", "-"], b"").fails(&["standard input"]);
    bir_with_input(&["info", "-"], b"\x1f\x8b\x08").fails(&["a gzip file"]);
}

#[test]
fn names_do_not_steer_the_terminal() {
    let text = r#"{"version": 2, "arch": "gen3", "functions":
        [{"name": "\u001b[31mred", "allocations": [], "blocks": []}], "\u001b[2J": 1}"#;
    let run = bir_with_input(&["info", "-"], text.as_bytes()).good();
    assert!(run.out.contains(r"\u{1b}[31mred") && run.err.contains(r"\u{1b}[2J"), "{} {}", run.out, run.err);
    assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'));
}

#[test]
fn convert_is_stable_in_every_form() {
    let folder = Folder::new();
    for (i, name) in DOCUMENTS.iter().enumerate() {
        let plain = folder.path(&format!("{i}.json"));
        let run = bir(&["convert", "-q", &data(name), "-o", &plain]).good();
        assert!(run.out.is_empty() && run.err.is_empty());
        let text = fs::read_to_string(&plain).unwrap();
        for form in [&["--compact"][..], &["--explicit"], &["--compact", "--explicit"]] {
            let other = folder.path("other.json");
            bir(&[&["convert", &plain, "-o", &other], form].concat()).good();
            assert_ne!(fs::read_to_string(&other).unwrap(), text, "{form:?}");
            bir(&["convert", &other, "-o", &other]).good();
            assert_eq!(fs::read_to_string(&other).unwrap(), text, "{name} {form:?}");
        }
        let compact = bir(&["convert", "-q", &plain, "-o", "-", "--compact"]).good();
        assert_eq!(compact.out.trim_end().lines().count(), 1);
        assert_eq!(bir_with_input(&["convert", "-", "-o", "-"], compact.out.as_bytes()).good().out, text);
    }
    assert!(folder.files().iter().all(|f| !f.contains("tmp")), "{:?}", folder.files());
}

#[test]
fn convert_explicit_writes_every_key() {
    let explicit: Value =
        serde_json::from_str(&bir(&["convert", "--explicit", &data(DOCUMENTS[0]), "-o", "-"]).good().out).unwrap();
    let instruction = explicit["functions"][0]["blocks"][0]["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|i| i["opcode"] == "TensorScalar")
        .unwrap();
    for key in ["op0", "op1", "reverse0", "reverse1", "engine", "ins", "outs"] {
        assert!(instruction.get(key).is_some(), "{key}");
    }
}

#[test]
fn convert_reports_as_json() {
    let folder = Folder::new();
    let out = folder.path("out.json");
    let json = bir(&["convert", "--json", &data(DOCUMENTS[0]), "-o", &out]).good().json();
    assert_eq!(json["bytes"].as_u64(), Some(fs::metadata(&out).unwrap().len()));
    assert_eq!(json["warning_count"], 2);
    bir(&["convert", "--json", &data(DOCUMENTS[0]), "-o", "-"]).usage();
}

#[test]
fn a_failed_conversion_leaves_the_old_file() {
    let folder = Folder::new();
    let old = folder.file("old.json", "precious");
    let whole = fs::read(data(DOCUMENTS[0])).unwrap();
    let cut = folder.file("cut.json", &whole[..whole.len() - 40]);
    bir(&["convert", &cut, "-o", &old]).fails(&["cut.json"]);
    bir(&["convert", &data(NEFF), "-o", &old]).fails(&["bir unpack", "expected a BIR document"]);
    assert_eq!(bir(&["convert", "--json", &data(NEFF), "-o", &old]).error("Unsupported")["path"], "");
    assert_eq!(fs::read_to_string(&old).unwrap(), "precious");
    assert_eq!(folder.files(), ["cut.json", "old.json"]);
    bir(&["convert", &data(DOCUMENTS[0]), "-o", &folder.path("no/such/folder.json")]).fails(&["cannot write"]);
    bir(&["convert", &data(DOCUMENTS[0]), "-o", &folder.path("")]).fails(&["cannot write"]);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_links_are_written_to_not_replaced() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    bir(&["convert", &data(DOCUMENTS[0]), "-o", "/dev/full"]).fails(&["/dev/full: cannot write: "]);
    bir(&["convert", &data(DOCUMENTS[0]), "-o", "/dev/null"]).good();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

    let folder = Folder::new();
    let real = folder.file("real.json", "old");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let link = folder.path("link.json");
    symlink("real.json", &link).unwrap();
    bir(&["convert", &data(DOCUMENTS[0]), "-o", &link]).good();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with('{'));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
}

/// scale_add with its TensorScalar twice, one after the other, and what the second one's factor is.
fn twice(factor: f64) -> String {
    let mut document: Value = serde_json::from_slice(&fs::read(data(DOCUMENTS[0])).unwrap()).unwrap();
    let instructions = document["functions"][0]["blocks"][0]["instructions"].as_array_mut().unwrap();
    let mut again = instructions[1].clone();
    assert_eq!(again["opcode"], "TensorScalar");
    again["name"] = "scale_again".into();
    again["const0"] = factor.into();
    instructions.insert(2, again);
    document.to_string()
}

#[test]
fn cse_removes_what_is_computed_already() {
    let folder = Folder::new();
    let (input, output) = (folder.file("twice.json", twice(2.0)), folder.path("once.json"));
    let run = bir(&["-q", "cse", &input, "-o", &output]).good();
    assert!(run.out.starts_with("merged `scale_again` (id "), "{}", run.out);
    assert!(run.out.contains("functions[0].blocks[0].instructions[2]) into `noop_test_1`"), "{}", run.out);
    assert!(run.out.contains("1 of 2 candidates merged, among 4 instructions in 1 block\n"), "{}", run.out);
    // Nothing but the second TensorScalar is gone.
    let plain = folder.path("plain.json");
    bir(&["-q", "convert", &data(DOCUMENTS[0]), "-o", &plain]).good();
    assert_eq!(names(&fs::read_to_string(&output).unwrap()), names(&fs::read_to_string(&plain).unwrap()));

    let json = bir(&["-q", "--json", "cse", &input, "-o", &output]).good().json();
    assert_eq!((json["kind"].as_str(), json["instructions"].as_u64()), (Some("cse"), Some(4)));
    assert_eq!(json["merged"][0]["removed"]["name"], "scale_again");
    assert_eq!(json["merged"][0]["survivor"]["path"], "functions[0].blocks[0].instructions[1]");
    assert!(bir(&["-q", "--json", "cse", &output, "-o", "-"]).usage().err.contains("standard output"));
    // A second time there is nothing to do.
    let run = bir(&["-q", "cse", &output, "-o", "-"]).good();
    assert_eq!(run.out, fs::read_to_string(&output).unwrap());
}

#[test]
fn cse_keeps_what_differs() {
    let folder = Folder::new();
    let input = folder.file("twice.json", twice(3.0));
    let json = bir(&["-q", "--json", "cse", input.as_str(), "-o", folder.path("out.json").as_str()]).good().json();
    assert_eq!((json["candidates"].as_u64(), json["merged"].as_array().map(Vec::len)), (Some(2), Some(0)));
}

/// The names of a document's instructions.
fn names(text: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(text).unwrap();
    let instructions = document["functions"][0]["blocks"][0]["instructions"].as_array().unwrap();
    instructions.iter().map(|i| format!("{} {}", i["opcode"], i["name"])).collect()
}

#[test]
fn cbor_is_read_and_written_by_every_command() {
    let folder = Folder::new();
    for (i, name) in DOCUMENTS.iter().enumerate() {
        let text = bir(&["convert", "-q", &data(name), "-o", "-"]).good().out;
        let explicit = bir(&["convert", "-q", "--explicit", &data(name), "-o", "-"]).good().out;
        // The name of the output says what is wanted.
        let cbor = folder.path(&format!("{i}.bir.cbor"));
        let json = bir(&["convert", "--json", &data(name), "-o", &cbor]).good().json();
        let bytes = fs::read(&cbor).unwrap();
        assert_eq!((json["form"].as_str(), json["bytes"].as_u64()), (Some("cbor"), Some(bytes.len() as u64)));
        assert!((0xA0..=0xBF).contains(&bytes[0]) && bytes.len() < text.len() / 2, "{name}");
        // So does --to, which wins, on standard output and with --explicit too.
        assert!(bir(&["convert", "-q", &data(name), "-o", "-", "--to", "cbor"]).good().bytes == bytes);
        let all = bir(&["convert", "-q", &data(name), "-o", "-", "--to", "cbor", "--explicit"]).good().bytes;
        assert!(all.len() > bytes.len());
        let misnamed = folder.path("json.cbor");
        bir(&["convert", "-q", &data(name), "-o", &misnamed, "--to", "json"]).good();
        assert_eq!(fs::read_to_string(&misnamed).unwrap(), text);
        let compact = bir(&["convert", "-q", &data(name), "-o", "-", "--to", "compact"]).good().out;
        assert_eq!(compact, bir(&["convert", "-q", &data(name), "-o", "-", "--compact"]).good().out);
        // And back: the content of the input counts, not its name.
        for bytes in [&bytes, &all] {
            assert_eq!(bir_with_input(&["convert", "-", "-o", "-"], bytes).good().out, text);
            assert_eq!(bir_with_input(&["convert", "-", "-o", "-", "--explicit"], bytes).good().out, explicit);
            let again = bir_with_input(&["convert", "-", "-o", "-", "--to", "cbor"], bytes).good().bytes;
            assert!(again == fs::read(&cbor).unwrap());
        }
        assert_eq!(bir(&["convert", &misnamed, "-o", "-"]).good().out, text);
        let (a, b) = (bir(&["info", "-q", &misnamed]).good().out, bir(&["info", "-q", &cbor]).good().out);
        assert_eq!(a.lines().skip(1).collect::<Vec<_>>(), b.lines().skip(1).collect::<Vec<_>>());
    }
    // The other commands on documents.
    let (text, cbor) = (folder.file("x.json", &examples()[1]), folder.path("x.cbor"));
    bir(&["convert", "-q", &text, "-o", &cbor]).good();
    let (out, out_cbor) = (folder.path("cse.json"), folder.path("cse.cbor"));
    let report = bir(&["cse", "-q", &text, "-o", &out]).good().out;
    assert_eq!(bir(&["cse", "-q", &cbor, "-o", &out_cbor]).good().out, report);
    let back = bir(&["convert", "-q", &out_cbor, "-o", "-"]).good().out;
    assert_eq!(back, fs::read_to_string(&out).unwrap());
    let (a, b) = (folder.path("a.neff"), folder.path("b.neff"));
    let (text, cbor) = (data(DOCUMENTS[0]), folder.path("0.bir.cbor"));
    bir(&["pack", "-q", &text, "-o", &a]).good();
    bir(&["pack", "-q", &cbor, "-o", &b]).good();
    assert!(fs::read(&a).unwrap() == fs::read(&b).unwrap());
}

#[test]
fn errors_in_cbor_name_path_and_byte() {
    let folder = Folder::new();
    let bytes = bir(&["convert", "-q", &data(DOCUMENTS[0]), "-o", "-", "--to", "cbor"]).good().bytes;
    let cut = folder.file("cut.cbor", &bytes[..bytes.len() / 2]);
    let at = bytes.len() as u64 / 2;
    bir(&["info", &cut]).fails(&["cut.cbor: functions[0].", "found end of input", &format!("(byte {at})")]);
    let error = bir(&["info", "--json", &cut]).error("Syntax");
    assert_eq!((error["offset"].as_u64(), &error["line"], &error["column"]), (Some(at), &Value::Null, &Value::Null));
    // A key, and the map that holds it, made longer.
    let odd = [&[bytes[0] + 1][..], b"\x63odd\x01", &bytes[1..]].concat();
    let json = bir_with_input(&["info", "--json", "-"], &odd).good().json();
    let warning = &json["warnings"][0];
    assert_eq!(
        (warning["path"].as_str(), warning["offset"].as_u64(), &warning["line"]),
        (Some("odd"), Some(5), &Value::Null)
    );
    bir_with_input(&["info", "--strict", "-"], &odd).fails(&["odd", "(byte 5)"]);
    bir_with_input(&["list", "-"], &bytes).fails(&["a CBOR document"]);
}
