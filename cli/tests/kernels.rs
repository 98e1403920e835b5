//! `bir klr`: kernels of front ends.

mod common;
use common::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn kernel(name: &str) -> PathBuf {
    Path::new(&data("klr")).join(name)
}

fn show(name: &str, options: &[&str]) -> Run {
    let path = kernel(name);
    let args = ["klr", "show", path.to_str().unwrap()];
    bir(&[&args, options].concat())
}

#[test]
fn help_leads_to_the_example() {
    assert!(bir(&["help"]).good().out.contains("\n  klr "));
    assert!(bir(&["klr", "--help"]).good().out.contains("\n  show "));
    let text = bir(&["klr", "show", "--help"]).good().out;
    assert_eq!(text.matches("Example: bir ").count(), 1, "{text}");
    bir(&["klr"]).usage();
    bir(&["klr", "show"]).usage();
}

#[test]
fn every_current_kernel_is_listed_and_shown_as_json() {
    let mut count = 0;
    for folder in ["schema-2.24", "schema-head"] {
        for entry in fs::read_dir(kernel(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "klr") {
                continue;
            }
            let name = format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
            let listing = show(&name, &[]).good();
            assert!(
                listing.out.starts_with("kernel ") || listing.out.starts_with("call of "),
                "{name}: {}",
                listing.out
            );
            assert_eq!(listing.err, "", "{name}");
            let expected: Value = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
            assert!(show(&name, &["--json"]).good().json() == expected, "{name}");
            count += 1;
        }
    }
    assert_eq!(count, 56);
}

#[test]
fn a_listing() {
    let run = show("schema-2.24/19_contents_kernel.klr", &[]).good();
    assert_eq!(
        run.out,
        "kernel plain, before the launch-grid step, schema 2.24\n\
         input x: float32[4, 4] in hbm\n\
         output y: float32[4, 4] in hbm\n  \
           main.1:\n    \
           inst.1: ncDmaCopy dst=y[4 x 4, 1 x 4], src=x[4 x 4, 1 x 4], compute_op=none, oobMode=error, dgeMode=0, \
         uniqueIndices=false, engine=unassigned  ; kernels.py:1:2\n"
    );
    assert_eq!(show("schema-head/20_contents_call_site.klr", &[]).good().out, "call of kernel_0.klr\n");
}

#[test]
fn what_is_not_read_says_why() {
    show("lean-2025-07/c_415.klr", &[]).fails(&["unsupported KLR schema", "contents.kernel.inputs[0]", "(byte 31)"]);
    show("wheel-0.0.12/strided.python.klr", &[]).fails(&["Wrong KLIR content type", "`python`", "`wq.strided`"]);
    show("wheel-0.0.12/pick.nki.klr", &[]).fails(&["Wrong KLIR content type", "`nki`", "`sc.pick`"]);
    show("wheel-0.0.12/pick.callsite.klr", &[]).fails(&["Wrong KLIR content type", "call site", "`pick.nki.klr`"]);
    show("schema-2.24/06_dma.json", &[]).fails(&["this is a document", "expected a kernel (KLR)"]);
    let error = show("lean-2025-07/c_415.klr", &["--json"]).error("Unsupported");
    assert_eq!((&error["offset"], &error["expected"], &error["found"]), (&31.into(), &"8".into(), &"7".into()));

    bir(&["klr", "show", &data(NEFF)]).fails(&["this is a package", "found a package (NEFF)"]);
    bir(&["klr", "show", &data(DOCUMENTS[3])]).fails(&["this is a document", "`bir info`"]);
    // And the other way round.
    let path = kernel("schema-2.24/06_dma.klr");
    bir(&["info", path.to_str().unwrap()]).fails(&["`bir klr show`", "found a kernel (KLR)"]);
}

#[test]
fn proof_bytes_have_an_option() {
    let name = "proof-bytes/18_access_forms.klr";
    show(name, &[]).fails(&["a byte for each proof field", "--proof-bytes takes it"]);
    let shown = show(name, &["--proof-bytes"]).good().out;
    assert_eq!(shown, show("schema-2.24/18_access_forms.klr", &[]).good().out);
}

#[test]
fn broken_promises_are_warnings() {
    let folder = Folder::new();
    let mut bytes = fs::read(kernel("schema-2.24/19_contents_kernel.klr")).unwrap();
    // The first tensor is 4 x 4: Shape (112), parDim.
    let at = bytes.windows(4).position(|w| w == [0xd9, 112, 0, 0x82]).unwrap() + 4;
    assert_eq!(bytes[at], 4);
    bytes[at] = 5;
    let path = &folder.file("bad.klr", &bytes);
    let warning = "contents.kernel.inputs[0]: the tensor has more partitions than its address";
    let run = bir(&["klr", "show", path]).good();
    assert!(run.err.starts_with("warning: ") && run.err.contains(warning), "{}", run.err);
    assert_eq!(bir(&["klr", "show", path, "-q"]).good().err, "");
    bir(&["klr", "show", path, "--strict"]).fails(&[warning, "expected parDim 4 at most, found 5"]);
}

#[test]
fn standard_input_is_read() {
    let bytes = fs::read(kernel("schema-2.24/20_contents_call_site.klr")).unwrap();
    assert_eq!(bir_with_input(&["klr", "show", "-"], &bytes).good().out, "call of kernel_0.klr\n");
    bir_with_input(&["klr", "show", "-"], &bytes[..30]).fails(&["standard input: ", "the file ends too early"]);
    bir_with_input(&["klr", "show", "-"], b"").fails(&["this is not a KLR file"]);
}
