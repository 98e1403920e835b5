//! The shared library as the loader sees it.

use crate::build::{cc, exists, header, library, run, scratch, skipped};
use bir_c_tests::header::prototypes;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn readelf(options: &[&str], file: &Path) -> Option<String> {
    if !exists("readelf") {
        skipped("there is no readelf: symbols of libbir.so are not checked");
        return None;
    }
    Some(run(Command::new("readelf").env("LC_ALL", "C").args(options).arg(file)).expect_ok())
}

#[test]
fn the_library_exports_the_header_and_nothing_else() {
    let Some(text) = readelf(&["--wide", "--dyn-syms"], &library().lib.join("libbir.so.0")) else { return };
    let mut exported = BTreeSet::new();
    for line in text.lines() {
        // Num, value, size, type, bind, visibility, section, name.
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, _, _, kind, _, _, section, name, ..] = words.as_slice() else { continue };
        if section == "UND" || section == "Ndx" || name == "BIR_0.1" {
            continue;
        }
        assert_eq!(kind, "FUNC", "{line}");
        let function = name.strip_suffix("@@BIR_0.1").unwrap_or_else(|| panic!("no version BIR_0.1: {line}"));
        assert!(exported.insert(function.to_owned()), "{line}");
    }
    let declared: BTreeSet<String> = prototypes(&header("bir.h")).unwrap().into_iter().map(|p| p.name).collect();
    assert_eq!(exported.difference(&declared).collect::<Vec<_>>(), Vec::<&String>::new(), "exported, not declared");
    assert_eq!(declared.difference(&exported).collect::<Vec<_>>(), Vec::<&String>::new(), "declared, not exported");
}

#[test]
fn the_library_has_its_name_and_needs_only_the_c_library() {
    let folder = &library().lib;
    let Some(text) = readelf(&["--wide", "--dynamic"], &folder.join("libbir.so.0")) else { return };
    assert!(text.contains("Library soname: [libbir.so.0]"), "{text}");
    assert!(!text.contains("TEXTREL"), "{text}");
    for line in text.lines().filter(|line| line.contains("(NEEDED)")) {
        let known = ["libc.so", "libgcc_s.so", "libm.so", "libpthread.so", "libdl.so", "ld-linux"];
        assert!(known.iter().any(|name| line.contains(name)), "{line}");
    }
    let link = std::fs::read_link(folder.join("libbir.so")).unwrap();
    assert_eq!(link, Path::new("libbir.so.0"));
    let Some(text) = readelf(&["--wide", "--program-headers"], &folder.join("libbir.so.0")) else { return };
    let stack = text.lines().find(|line| line.contains("GNU_STACK")).expect("a stack header");
    assert!(!stack.contains("RWE"), "{stack}");
}

#[test]
fn pkg_config_leads_to_the_library() {
    if !exists("pkg-config") {
        return skipped("there is no pkg-config: bir.pc is not checked");
    }
    let source = scratch("installed.c");
    let text = "#include <bir.h>\nint main(void) { bir_module_destroy(bir_module_create(NULL)); return 0; }\n";
    std::fs::write(&source, text).unwrap();
    for kind in ["shared", "static"] {
        let mut ask = Command::new("pkg-config");
        ask.env("PKG_CONFIG_PATH", library().lib.join("pkgconfig")).args(["--cflags", "--libs"]);
        if kind == "static" {
            ask.arg("--static");
        }
        let answer = run(ask.arg("bir")).expect_ok();
        let options = answer.split_whitespace().map(|option| match (kind, option) {
            ("static", "-lbir") => "-l:libbir.a",
            _ => option,
        });
        let program = scratch(&format!("installed-{kind}"));
        run(Command::new(cc()).arg("-o").arg(&program).arg(&source).args(options)).expect_ok();
        run(Command::new(program).env("LD_LIBRARY_PATH", &library().lib)).expect_ok();
    }
}
