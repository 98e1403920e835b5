//! `bir compile`: from kernels to documents.

mod common;
use common::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Kernels with statements that have no lowering, and how many: each gives an error with its own place.
const WITH_ERRORS: [(&str, usize); 8] = [
    ("schema-2.24/06_dma", 1),
    ("schema-2.24/13_collectives", 1),
    ("schema-2.24/17_no_lowering", 17),
    ("schema-2.24/18_access_forms", 4),
    ("schema-2.24/21_boundaries", 11),
    ("schema-2.24/22_all_enums", 1),
    // LoadAccumulate in the field that only head has.
    ("schema-head/03_tensor_scalar", 1),
    ("schema-head/06_dma", 1),
];

fn klr(name: &str) -> String {
    data(&format!("klr/{name}.klr"))
}

/// All numbered kernels but the two whose contents are no lnc kernel.
fn numbered() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["schema-2.24", "schema-head"] {
        for entry in fs::read_dir(data(&format!("klr/{folder}"))).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(stem) = name.strip_suffix(".klr")
                && stem.starts_with(|c: char| c.is_ascii_digit())
                && !stem.contains("_contents_")
            {
                names.push(format!("{folder}/{stem}"));
            }
        }
    }
    names.sort();
    assert_eq!(names.len(), 36);
    names
}

fn errors_of(name: &str) -> usize {
    let (folder, stem) = name.split_once('/').unwrap();
    // The same kernels lie in both folders.
    let of = |n: &str| WITH_ERRORS.iter().find(|(known, _)| *known == n).map(|(_, count)| *count);
    let older = if folder == "schema-head" { of(&format!("schema-2.24/{stem}")) } else { None };
    of(name).or(older).unwrap_or(0)
}

fn lines<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(start)).collect()
}

#[test]
fn help_has_an_example() {
    assert!(bir(&["help"]).good().out.contains("\n  compile "));
    let text = bir(&["compile", "--help"]).good().out;
    assert_eq!(text.matches("Example: bir compile").count(), 1, "{text}");
    for option in ["--core", "--arch", "--strict", "--proof-bytes", "--limit", "--keep-going", "-o, --output"] {
        assert!(text.contains(option), "{option}");
    }
    bir(&["compile"]).usage();
    bir(&["compile", &klr("schema-2.24/01_load_add_store")]).usage();
    bir(&["compile", &klr("schema-2.24/01_load_add_store"), "-o", "-", "--json"]).usage();
    let bad = bir(&["compile", &klr("schema-2.24/01_load_add_store"), "-o", "x", "--arch", "gen9"]).usage();
    assert!(bad.err.contains("gen9"), "{}", bad.err);
}

#[test]
fn every_numbered_kernel_becomes_a_document_that_reads_and_prints() {
    let folder = Folder::new();
    for name in numbered() {
        let out = folder.path("out.bir.json");
        let _ = fs::remove_file(&out);
        // The one kernel of two cores is looked at below.
        let core = if name.contains("two_cores") { "1" } else { "0" };
        let args = ["compile", &klr(&name), "-o", &out, "--core", core];
        let run = bir(&args);
        let errors = errors_of(&name);
        if errors > 0 {
            assert_eq!((run.code, Path::new(&out).exists()), (1, false), "{name}: {}", run.err);
            // One for each statement, and the sum of them.
            assert_eq!(lines(&run.err, "error: ").len(), errors + 1, "{name}: {}", run.err);
            let run = bir(&[&args[..], &["--keep-going"]].concat());
            assert_eq!(run.code, 1, "{name}");
        } else {
            let run = run.good();
            assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{name}");
        }
        let again = folder.path("again.bir.json");
        let run = bir(&["convert", &out, "-o", &again, "--strict"]).good();
        assert_eq!(run.err, "", "{name}");
        assert_eq!(fs::read(&out).unwrap(), fs::read(&again).unwrap(), "{name}");
        let printed = bir(&["print", &out]).good().out;
        assert!(printed.contains("function "), "{name}: {printed}");
        let document: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        let blocks = document["functions"][0]["blocks"].as_array().unwrap();
        for instruction in blocks.iter().flat_map(|b| b["instructions"].as_array().unwrap()) {
            let shown = instruction["name"].as_str().unwrap();
            assert!(printed.contains(shown), "{name}: {shown}");
        }
    }
}

#[test]
fn a_document() {
    let run = bir(&["compile", &klr("schema-2.24/01_load_add_store"), "-o", "-", "--compact"]).good();
    let document: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&document["arch"], &document["functions"][0]["name"]), (&json!("gen3"), &json!("add_kernel")));
    // The worked example of spec/lowering.md section 8.
    let instructions = document["functions"][0]["blocks"][0]["instructions"].as_array().unwrap();
    let found: Vec<_> =
        instructions.iter().map(|i| (i["name"].clone(), i["opcode"].clone(), i["engine"].clone())).collect();
    let expected = [
        ("inst.1", "DMACopy", "Unassigned"),
        ("inst.2", "DMACopy", "Unassigned"),
        ("inst.3", "TensorTensor", "DVE"),
        ("inst.4", "DMACopy", "Unassigned"),
    ];
    assert_eq!(found, expected.map(|(name, opcode, engine)| (json!(name), json!(opcode), json!(engine))));
    let explicit =
        bir(&["compile", &klr("schema-2.24/01_load_add_store"), "-o", "-", "--explicit", "--arch", "core_v4"]).good();
    assert!(explicit.out.len() > run.out.len() && explicit.out.contains("\"arch\": \"core_v4\""));
    let bytes = fs::read(klr("schema-2.24/01_load_add_store")).unwrap();
    let args = ["compile", "-", "-o", "-", "--compact"];
    assert_eq!(bir_with_input(&args, &bytes).good().out, run.out);
}

#[test]
fn errors_name_statement_field_and_source_line() {
    let folder = Folder::new();
    let out = folder.file("old.bir.json", "before");
    let file = klr("schema-2.24/err_bad_dge_mode");
    let run = bir(&["compile", &file, "-o", &out]);
    assert_eq!(run.code, 1);
    assert_eq!(
        lines(&run.err, "error: "),
        [
            format!(
                "error: {file}: kernel bad_dge_mode, block main.1, statement inst.1 (ncDmaCopy), field dgeMode, \
                 kernels.py:1:2: Unsupported dgeMode 4, the largest is 3"
            ),
            format!("error: {file}: the kernel has an error; nothing was written"),
        ]
    );
    assert_eq!(fs::read(&out).unwrap(), b"before");

    let run = bir(&["compile", &file, "-o", &out, "--json"]);
    assert_eq!(run.code, 1);
    let report = run.json();
    assert_eq!(
        report["diagnostics"],
        json!([{
            "severity": "error", "id": "dge_mode", "kernel": "bad_dge_mode", "block": "main.1", "statement": "inst.1",
            "operator": "ncDmaCopy", "field": "dgeMode", "file": "kernels.py", "line": 1, "column": 2,
            "message": "Unsupported dgeMode 4, the largest is 3",
        }])
    );
    assert_eq!((&report["error_count"], &report["output"], &report["bytes"]), (&json!(1), &Value::Null, &json!(0)));
    assert_eq!(report["error"]["message"], "the kernel has an error; nothing was written");
    assert_eq!(report["error"]["code"], "Unsupported");
}

#[test]
fn all_errors_are_shown_in_order_up_to_a_limit() {
    let file = klr("schema-2.24/17_no_lowering");
    let run = bir(&["compile", &file, "-o", "never.bir.json", "-q"]);
    let statements: Vec<_> =
        lines(&run.err, "error: ")[..17].iter().map(|l| l.split("statement ").nth(1).unwrap()).collect();
    for (index, statement) in statements.iter().enumerate() {
        assert!(statement.starts_with(&format!("inst.{} (", index + 1)), "{statement}");
        assert!(statement.contains(&format!("kernels.py:{}:2: Unsupported operator ", index + 1)), "{statement}");
    }
    let run = bir(&["compile", &file, "-o", "never.bir.json", "--limit", "3"]);
    assert_eq!((run.code, lines(&run.err, "error: ").len()), (1, 4));
    assert_eq!(lines(&run.err, "note: "), [format!("note: {file}: and 14 more")]);
    assert!(run.err.contains("the kernel has 3 errors and 14 more findings; nothing was written"));
    let run = bir(&["compile", &file, "-o", "never.bir.json", "--limit", "0"]);
    assert!(run.err.contains("the kernel has 17 findings that are not shown"), "{}", run.err);
    assert!(!Path::new("never.bir.json").exists());
}

#[test]
fn the_core_chooses_the_body() {
    let file = klr("schema-2.24/14_two_cores_constants_edges");
    bir(&["compile", &file, "-o", "-"]).fails_all(&["2 bodies", "no core id"]);
    let of = |core: &str| bir(&["compile", &file, "-o", "-", "--core", core]).good().out;
    let (first, second, none) = (of("0"), of("1"), of("2"));
    assert!(first != second && first.contains("SendRecv"));
    let document: Value = serde_json::from_str(&none).unwrap();
    assert_eq!(document["functions"][0]["blocks"], json!([]));
    bir(&["compile", &file, "-o", "-", "--core", "-1"]).usage();
}

#[test]
fn warnings_are_errors_if_one_wants() {
    // Two matmuls have empty tile lists.
    let file = klr("schema-2.24/05_matmul_transpose_mx");
    bir(&["compile", &file, "-o", "-"]).good();
    let run = bir(&["compile", &file, "-o", "-", "--strict"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("field tilePosition") && run.err.contains("(ncMatMul)"), "{}", run.err);
    // A tensor in registers is a warning of its own.
    let file = klr("schema-2.24/18_access_forms");
    let shown = bir(&["compile", &file, "-o", "-"]);
    assert_eq!((lines(&shown.err, "warning: ").len(), lines(&shown.err, "error: ").len()), (1, 5));
    let quiet = bir(&["compile", &file, "-o", "-", "-q"]);
    assert_eq!((lines(&quiet.err, "warning: ").len(), lines(&quiet.err, "error: ").len()), (0, 5));
    let strict = bir(&["compile", &file, "-o", "-", "--strict"]);
    assert_eq!((lines(&strict.err, "warning: ").len(), lines(&strict.err, "error: ").len()), (0, 6));
}

#[test]
fn proof_bytes_have_an_option() {
    let file = klr("proof-bytes/01_load_add_store");
    bir(&["compile", &file, "-o", "-"]).fails(&["a byte for each proof field", "--proof-bytes takes it"]);
    let compiled = bir(&["compile", &file, "-o", "-", "--proof-bytes"]).good().out;
    assert_eq!(compiled, bir(&["compile", &klr("schema-2.24/01_load_add_store"), "-o", "-"]).good().out);
}

#[test]
fn kernels_of_the_older_form() {
    let folder = Folder::new();
    let mut files: Vec<String> =
        ["scale_add", "minmax", "cmp_ops", "slices"].map(|n| data(&format!("bir/{n}.klr.json"))).into();
    for entry in fs::read_dir(data("klr/wheel-0.0.12")).unwrap() {
        let path = entry.unwrap().path().into_os_string().into_string().unwrap();
        if path.ends_with(".klr-2025-07.json") {
            files.push(path);
        }
    }
    assert_eq!(files.len(), 14);
    for file in files {
        let out = folder.path("out.bir.json");
        let report = bir(&["compile", &file, "-o", &out, "--json"]).good().json();
        assert_eq!((&report["form"], &report["diagnostics"]), (&json!("older"), &json!([])), "{file}");
        bir(&["convert", &out, "-o", "-", "--strict"]).good();
        assert!(bir(&["print", &out]).good().out.contains("sg0000"), "{file}");
    }
    let text = fs::read_to_string(data("bir/minmax.klr.json")).unwrap();
    let refused = folder.file("k.json", text.replacen("\"load\"", "\"const\"", 1));
    bir(&["compile", &refused, "-o", "-"])
        .fails_all(&["block Block1, statement #0, field op: Unsupported operator const"]);
    let broken = folder.file("b.json", text.replacen("\"parDim\": 10", "\"parDim\": -10", 1));
    bir(&["compile", &broken, "-o", "-"]).fails(&["inputs[0].shape.parDim", "found -10 (line 4, column 24, byte "]);
}

#[test]
fn documents_that_carry_kernels() {
    let folder = Folder::new();
    let carrier = |kernel: &[u8]| {
        // Bytes stand as characters.
        let binary: String = kernel.iter().map(|byte| char::from(*byte)).collect();
        let set = |name: &str| {
            json!({
                "Skind": "memory_location_set", "name": format!("{name}_set"), "kind": "Internal", "dtype": "float32",
                "memorylocations": [{"name": name, "type": "DRAM", "dims": [128, 2048]}],
            })
        };
        let operand = |name: &str| {
            json!({
                "kind": "physical_ap", "ap": [[512, 128], [1, 512]], "dtype": "float32", "memref": name,
                "memsetref": format!("{name}_set"),
            })
        };
        let document = json!({
            "version": 2, "arch": "gen3",
            "functions": [{
                "name": "main",
                "allocations": [set("x"), set("y"), set("z")],
                "blocks": [{"name": "b", "instructions": [{
                    "name": "call", "opcode": "NKIKLIRKernel", "kernel_format": "klir", "klir_binary": binary,
                    "nki_binary_version_identifier": "1.0.0",
                    "ins": [operand("x"), operand("y")], "outs": [operand("z")],
                }]}],
            }],
        });
        folder.file("carrier.bir.json", document.to_string())
    };
    // Two inputs and an output.
    let file = carrier(&fs::read(klr("schema-2.24/01_load_add_store")).unwrap());
    let out = folder.path("out.bir.json");
    let run = bir(&["compile", &file, "-o", &out, "--json"]);
    let report = run.good().json();
    assert_eq!((&report["form"], &report["carriers"]), (&json!("document"), &json!(1)));
    let document: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(document["functions"][0]["blocks"][0]["instructions"][0]["opcode"], "NKIKernel");
    bir(&["convert", &out, "-o", "-", "--strict"]).good();
    // A bad one stays, and nothing is written.
    let file = carrier(&fs::read(klr("schema-2.24/err_load_accumulate")).unwrap());
    let run = bir(&["compile", &file, "-o", "-"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("LoadAccumulate is not supported"), "{}", run.err);
    // A document without carriers is only worth a warning.
    let run = bir(&["compile", &data(DOCUMENTS[0]), "-o", "-"]).good();
    assert!(run.err.contains("no instruction carries a kernel"), "{}", run.err);
}

#[test]
fn what_is_no_kernel_says_so() {
    bir(&["compile", &data(NEFF), "-o", "-"]).fails(&["this is a package", "expected a kernel, found a package"]);
    bir(&["compile", &klr("lean-2025-07/c_415"), "-o", "-"]).fails(&["unsupported KLR schema"]);
    bir(&["compile", &klr("schema-2.24/19_contents_kernel"), "-o", "-"]).fails(&["Wrong KLIR content type"]);
    bir(&["compile", &klr("schema-2.24/20_contents_call_site"), "-o", "-"]).fails(&["Wrong KLIR content type"]);
    bir(&["compile", &klr("wheel-0.0.12/strided.python"), "-o", "-"]).fails(&["Wrong KLIR content type"]);
    bir_with_input(&["compile", "-", "-o", "-"], b"").fails(&["standard input", "this is not a KLR file"]);
    bir_with_input(&["compile", "-", "-o", "-"], b"{\"body\"").fails(&["standard input"]);
    bir_with_input(&["compile", "-", "-o", "-"], b"\x1f\x8b").fails(&["compressed"]);
    bir(&["compile", "/no/such/file", "-o", "-"]).fails(&["cannot read"]);
}

impl Run {
    /// Bad input with several errors, among them these texts; no output.
    #[track_caller]
    fn fails_all(self, texts: &[&str]) -> Run {
        assert_eq!((self.code, self.out.as_str()), (1, ""), "{}", self.err);
        texts.iter().for_each(|text| assert!(self.err.contains(text), "no {text:?} in {}", self.err));
        self
    }
}
