//! `bir inline-weights`: from a model directory to a document that packs.

mod common;
use bir_core::consts::npy::{NpyWriter, header};
use common::*;
use serde_json::{Value, json};
use std::fs;

/// Writes an NPY file whose data bytes are all `fill`.
fn weight(folder: &Folder, name: &str, dtype: &str, shape: &[u64], fill: u8) {
    let mut writer = NpyWriter::for_dtype(Vec::new(), dtype, shape).unwrap();
    let missing = writer.missing();
    writer.write(&vec![fill; missing as usize]).unwrap();
    folder.file(name, writer.finish().unwrap());
}

fn metadata(folder: &Folder, weights: Value) -> String {
    let text = json!({ "model_files": "graph.hlo", "version": "1.0", "weights": weights }).to_string();
    folder.file("model/metadata.json", text);
    folder.path("model")
}

/// The first example document has the input `x_set` and a constant of its own; here `w_set` is an input too.
fn document(folder: &Folder) -> String {
    let mut document: Value = serde_json::from_str(&examples()[0]).unwrap();
    let set = &mut document["functions"][0]["allocations"][1];
    assert_eq!((set["name"].as_str(), set["kind"].as_str()), (Some("w_set"), Some("Const")));
    set["kind"] = "ExternalInputParameter".into();
    set.as_object_mut().unwrap().remove("file");
    folder.file("module.bir.json", document.to_string())
}

fn good() -> (Folder, String, String) {
    let folder = Folder::new();
    folder.file("model/graph.hlo", "");
    weight(&folder, "model/weights/w.npy", "float32", &[128, 512], 7);
    let (model, module) = (metadata(&folder, json!({ "1": "weights/w.npy" })), document(&folder));
    (folder, model, module)
}

#[test]
fn inlined_weights_are_packed() {
    let (folder, model, module) = good();
    let (out, neff) = (folder.path("out.bir.json"), folder.path("x.neff"));
    let run = bir(&["inline-weights", &model, &module, "-o", &out]).good();
    for line in [
        "PARAMETER  NAME   DTYPE    SHAPE        BYTES  FILE",
        "        1  w_set  float32  [128, 512]  262144  weights/w.npy",
        "PARAMETER  NOW  NAME",
        "        0    0  x_set",
        "constants   1, 262144 bytes",
        "parameters  1",
    ] {
        assert!(run.out.lines().any(|l| l == line), "no {line:?} in {}", run.out);
    }
    let set = &serde_json::from_slice::<Value>(&fs::read(&out).unwrap()).unwrap()["functions"][0]["allocations"][1];
    assert_eq!(
        (&set["kind"], &set["tensor_class"], &set["file"]),
        (&json!("Const"), &json!("ImmutableParameter"), &json!("weights/w.npy"))
    );

    let packed = bir(&["pack", "--json", &out, "-o", &neff, "--const-dir", &model]).good().json();
    assert_eq!((&packed["inputs"], &packed["constants"][0]["file"]), (&json!(["x"]), &json!("weights/w.npy")));
    bir(&["unpack", &neff, "-d", &folder.path("unpacked")]).good();
    let stored = fs::read(folder.path("unpacked/sg00/weights/w.npy")).unwrap();
    assert!(stored == fs::read(folder.path("model/weights/w.npy")).unwrap());
    let listed = bir(&["info", "--json", "--strict", &neff]).good().json();
    assert_eq!(listed["warning_count"], 0);
}

#[test]
fn json_and_standard_streams() {
    let (folder, model, module) = good();
    let out = folder.path("out.cbor");
    let json = bir(&["inline-weights", "--json", &model, &module, "-o", &out]).good().json();
    assert_eq!(json["kind"], "inline-weights");
    assert_eq!(
        json["constants"],
        json!([{
            "number": 1, "name": "w_set", "dtype": "float32", "tensor_class": "ImmutableParameter", "file": "weights/w.npy",
            "descr": "<f4", "shape": [128, 512], "data_offset": 128, "bytes": 262144,
        }])
    );
    assert_eq!(json["remaining"], json!([{ "name": "x_set", "number": 0, "old_number": 0 }]));
    assert_eq!((&json["problems"], &json["warnings"]), (&json!([]), &json!([])));
    assert_eq!(json["bytes"].as_u64(), Some(fs::metadata(&out).unwrap().len()));

    let piped = bir_with_input(&["inline-weights", &model, "-", "-o", "-"], &fs::read(&module).unwrap()).good();
    assert_eq!(piped.out, bir(&["convert", &out, "-o", "-"]).good().out);
    bir(&["inline-weights", "--json", &model, &module, "-o", "-"]).usage();
    bir(&["inline-weights", &model, &module]).usage();
}

#[test]
fn all_problems_are_listed_and_nothing_is_written() {
    let (folder, _, module) = good();
    let old = folder.file("old.bir.json", "precious");
    weight(&folder, "model/x.npy", "int32", &[512, 128], 1);
    folder.file("model/short.npy", [header("<f4", &[128, 512]).unwrap(), vec![0; 5]].concat());
    let weights =
        json!({ "0": "x.npy", "1": "short.npy", "01": "../w.npy", "7": "weights/none.npy", "seven": "w.npy" });
    let model = metadata(&folder, weights);
    let run = bir(&["inline-weights", &model, &module, "-o", &old]);
    assert_eq!(run.code, 1);
    assert!(run.out.is_empty(), "{}", run.out);
    let lines: Vec<&str> = run.err.lines().collect();
    let expected = [
        "metadata.json: weights.seven: the key is not the number of a parameter: expected decimal digits only",
        "x.npy: parameter 0 (`x_set`): NCC_INL001: mismatching layout for parameter: expected (128, 512), found (512, 128)",
        "x.npy: parameter 0 (`x_set`): NCC_INL002: numpy file type mismatch: expected float32, found <i4",
        "metadata.json: parameter 1 (`w_set`): weights.01: the path `../w.npy` is not safe",
        "metadata.json: parameter 1 (`w_set`): weights.1: the parameter has an entry already",
        "short.npy: parameter 1 (`w_set`): NPY data too short: expected 262144 bytes of data, found 5 bytes (byte 133)",
        "metadata.json: parameter 7: weights.7: the program has no parameter number 7: expected a number below 2, found 7",
        "weights/none.npy: parameter 7: the file does not exist",
    ];
    assert_eq!(lines.len(), expected.len() + 1, "{}", run.err);
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(&format!("error: {model}: {expected}")), "{line}");
    }
    assert_eq!(lines[8], format!("error: {model}: there are 8 problems; nothing was written"));

    let run = bir(&["inline-weights", "--json", &model, &module, "-o", &old]);
    assert_eq!(run.code, 1);
    let json = run.json();
    assert_eq!((&json["output"], &json["remaining"], &json["constants"]), (&Value::Null, &json!([]), &json!([])));
    assert_eq!(json["error"]["code"], "Conflict");
    let ids: Vec<&str> = json["problems"].as_array().unwrap().iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "parameter_number",
            "NCC_INL001",
            "NCC_INL002",
            "unsafe_path",
            "duplicate",
            "npy_short_data",
            "parameter_number",
            "weight_file"
        ]
    );
    let first = &json["problems"][1];
    assert_eq!((&first["number"], &first["parameter"], &first["file"]), (&json!(0), &json!("x_set"), &json!("x.npy")));
    assert_eq!((&first["expected"], &first["found"]), (&json!("(128, 512)"), &json!("(512, 128)")));
    assert_eq!(fs::read_to_string(old).unwrap(), "precious");
}

#[test]
fn a_directory_that_is_none_is_one_error() {
    let (folder, model, module) = good();
    let out = folder.path("out.bir.json");
    let none = folder.path("none");
    let hint = "Please ensure metadata.json exists and has read permissions.";
    bir(&["inline-weights", &none, &module, "-o", &out]).fails(&["none/metadata.json: ", hint]);
    let error = bir(&["inline-weights", "--json", &none, &module, "-o", &out]).error("NotFound");
    assert!(error["file"].as_str().unwrap().ends_with("none/metadata.json"));
    folder.file("model/metadata.json", "{\n  \"weights\": {,}}");
    let run = bir(&["inline-weights", &model, &module, "-o", &out]);
    assert!(
        run.err
            .contains("metadata.json: malformed JSON: expected a key or `}`, found `,` (line 2, column 15, byte 16)"),
        "{}",
        run.err
    );
    fs::remove_file(folder.path("model/graph.hlo")).unwrap();
    let model = metadata(&folder, json!({}));
    let run = bir(&["inline-weights", &model, &module, "-o", &out]);
    assert!(run.err.contains("Corrupted input dir, model file does not exist!"), "{}", run.err);
    assert!(!fs::exists(&out).unwrap());
}

#[test]
fn warnings_are_shown_hidden_or_errors() {
    let (folder, model, module) = good();
    let out = folder.path("out.bir.json");
    let path = folder.path("model/weights/w.npy");
    let mut file = fs::read(&path).unwrap();
    file[6] = 2;
    file.splice(8..10, 118u32.to_le_bytes());
    fs::write(&path, file).unwrap();
    let warning = "weights/w.npy: parameter 1 (`w_set`): unsupported NPY version: expected 1.0";
    let run = bir(&["inline-weights", "--strict", &model, &module, "-o", &out]);
    assert_eq!((run.code, fs::exists(&out).unwrap()), (1, false));
    assert!(run.err.contains(warning) && run.err.contains("there is a warning; nothing was written"), "{}", run.err);
    let run = bir(&["inline-weights", &model, &module, "-o", &out]).good();
    assert!(run.err.starts_with(&format!("warning: {model}: {warning}")), "{}", run.err);
    assert!(bir(&["inline-weights", "-q", &model, &module, "-o", &out]).good().err.is_empty());
}
