//! The limits of a reader: what is at one is read, what is beyond is an error that names it and its value.

mod doc_support;

use bir_core::doc::{Limits, ReadOptions, read_json};
use bir_core::{Error, ErrorCode};
use doc_support::*;

const SMALL: &str = r#"{"version": 2, "arch": "gen3", "functions": []}"#;

fn with(text: &str, depth: u32, string: u64, module: Option<u64>) -> Result<(), Error> {
    let limits = Limits { max_depth: depth, max_string_bytes: string, ..Limits::default() };
    let options = ReadOptions { limits, max_module_bytes: module, ..ReadOptions::default() };
    read_json(text.as_bytes(), &options).map(drop)
}

#[track_caller]
fn exceeds(result: Result<(), Error>, name: &str, value: u64, path: &str, offset: usize) {
    let error = result.unwrap_err();
    assert_eq!(error.code, ErrorCode::LimitExceeded, "{error}");
    assert_eq!(
        (error.message.as_str(), error.path.as_str()),
        (format!("the limit `{name}` of {value} is exceeded").as_str(), path)
    );
    assert_eq!(error.position.map(|p| p.offset as usize), Some(offset), "{error}");
}

#[test]
fn depth() {
    // Root, array, function, its allocations: four levels.
    let text = r#"{"version": 2, "arch": "gen3", "functions": [{"name": "f", "allocations": [], "blocks": []}]}"#;
    with(text, 4, 100, None).unwrap();
    exceeds(with(text, 3, 100, None), "max_depth", 3, "functions[0].allocations", text.find("[]").unwrap());
    exceeds(with(text, 2, 100, None), "max_depth", 2, "functions[0]", text.find("{\"name").unwrap());
    exceeds(with(text, 0, 100, None), "max_depth", 0, "", 0);
    // In a value that is dropped, in one that is kept, in an expression.
    for (part, path) in [(r#""zz": [[[[¦[]]]]]"#, "zz"), (r#""artifact_info": {"a": [[[¦[]]]]}"#, "artifact_info")] {
        let (text, path, offset) = MODULE.fill(part, path);
        if let Err(e) = with(&text, 6, 100, None) {
            assert_ne!(e.code, ErrorCode::LimitExceeded, "{e}");
        }
        exceeds(with(&text, 5, 100, None), "max_depth", 5, &path, offset.unwrap());
    }
    // However deep: no stack of the program is used up, and the default stops it.
    let opened = format!("{}{}", r#"{"version": 2, "arch": "gen3", "functions": [], "zz": "#, "[".repeat(1_000_000));
    exceeds(load(&opened).map(drop), "max_depth", 128, "zz", opened.find("[[").unwrap() + 127);
    let nested = |n: usize| format!("{}{{}}{}", r#"{"kind": "MultKind", "scale": 1, "var": "#.repeat(n), "}".repeat(n));
    let (text, ..) = EXPRESSION.fill(&nested(200), "");
    let error = load(&text).err().unwrap();
    assert_eq!(error.code, ErrorCode::LimitExceeded, "{error}");
    assert!(error.path.starts_with(INSTRUCTIONS.path), "{error}");
    let (text, ..) = EXPRESSION.fill(&nested(60), "");
    load(&text).unwrap();
    // No higher limit than a value of that depth can be read and dropped with.
    let (text, ..) = EXPRESSION.fill(&nested(2000), "");
    let error = with(&text, u32::MAX, 100, None).unwrap_err();
    assert_eq!(error.message, format!("the limit `max_depth` of {} is exceeded", Limits::HIGHEST_DEPTH));
}

/// What is read by recursion has a limit of its own: with any `max_depth` it fits a thread's stack of 2 MiB, in a build without
/// optimisation too.
#[test]
fn nesting() {
    let (blocks, expressions) = (Limits::MAX_NESTED_BLOCKS as usize, Limits::MAX_NESTED_EXPRESSIONS as usize);
    let loops = |n: usize, inside: &str| {
        let open = r#"{"name": "L", "opcode": "Loop", "LoopAxis": {"name": "j", "lb": 0, "ub": 4, "stride": 1},
            "blocks": [{"name": "b", "instructions": ["#;
        format!("{}{inside}{}", open.repeat(n), "]}]}".repeat(n))
    };
    // The expression itself is the first of its levels, the instruction that it belongs to the last of those.
    let both = |blocks: usize, expressions: usize| {
        let (open, close) = (r#"{"kind": "MultKind", "scale": 1, "var": "#, "}");
        let expression = format!("{}{{}}{}", open.repeat(expressions - 1), close.repeat(expressions - 1));
        loops(blocks - 1, &format!(r#"{{"name": "i", "opcode": "NoOp", "order": [{expression}]}}"#))
    };
    let read = |part: &str| {
        let text = INSTRUCTIONS.fill(part, "").0;
        let read = move || with(&text, u32::MAX, 100, None);
        std::thread::Builder::new().stack_size(2 << 20).spawn(read).unwrap().join().unwrap()
    };
    read(&both(blocks, expressions)).unwrap();
    for (part, name, limit) in [
        (both(blocks + 1, 1), "MAX_NESTED_BLOCKS", blocks),
        (loops(240, ""), "MAX_NESTED_BLOCKS", blocks),
        (both(1, expressions + 1), "MAX_NESTED_EXPRESSIONS", expressions),
        (both(1, 900), "MAX_NESTED_EXPRESSIONS", expressions),
    ] {
        let error = read(&part).unwrap_err();
        assert_eq!(error.code, ErrorCode::LimitExceeded, "{error}");
        assert_eq!(error.message, format!("the limit `{name}` of {limit} is exceeded"));
    }
}

#[test]
fn length_of_strings_and_keys() {
    let long = |n: usize| "a".repeat(n);
    for (part, path) in [
        ("\"artifact_path\": ¦\"$\"", "artifact_path"),
        ("\"artifact_info\": {\"a\": ¦\"$\"}", "artifact_info"),
        ("\"artifact_info\": {¦\"$\": 1}", "artifact_info"),
        ("\"zz\": ¦\"$\"", "zz"),
        ("¦\"$\": 1", ""),
    ] {
        let (text, _, _) = MODULE.fill(&part.replacen('$', &long(30), 1), path);
        with(&text, 100, 30, None).unwrap();
        let (text, path, offset) = MODULE.fill(&part.replacen('$', &long(31), 1), path);
        // The place is behind the quote.
        exceeds(with(&text, 100, 30, None), "max_string_bytes", 30, &path, offset.unwrap() + 1);
    }
    // As it stands in the text: an escape of six bytes counts six.
    let (text, path, offset) = MODULE.fill("\"artifact_path\": ¦\"\\u00e9\"", "artifact_path");
    with(&text, 100, 13, None).unwrap();
    let text = text.replacen("u00e9", "u00e9aaaaaaaa", 1);
    exceeds(with(&text, 100, 13, None), "max_string_bytes", 13, &path, offset.unwrap() + 1);
}

#[test]
fn memory_of_the_module() {
    let loaded = load(SMALL).unwrap();
    let used = loaded.module.arena().unwrap().used_bytes();
    with(SMALL, 9, 99, Some(used)).unwrap();
    let functions: Vec<String> =
        (0..500).map(|i| format!(r#"{{"name": "f{i}", "allocations": [], "blocks": []}}"#)).collect();
    let text = SMALL.replacen("[]", &format!("[{}]", functions.join(", ")), 1);
    let limit = used + 100_000;
    let error = with(&text, 9, 99, Some(limit)).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfMemory, "{error}");
    assert!(error.message.contains("max_module_bytes") && error.message.contains(&limit.to_string()), "{error}");
    assert!(error.path.starts_with("functions["), "{error}");
    assert!(error.position.is_some(), "{error}");
    with(&text, 9, 99, None).unwrap();
    let error = with(&text, 9, 99, Some(8)).unwrap_err();
    assert!(error.message.starts_with("max_module_bytes: the memory limit of 8 bytes is reached"), "{error}");
}

/// The string limit of a document in which every string fits does not depend on the rest of it.
#[test]
fn a_document_as_a_whole_has_no_limit_of_strings() {
    let many: Vec<String> = (0..1000).map(|i| format!("\"k{i}\": \"{}\"", "a".repeat(20))).collect();
    let (text, ..) = MODULE.fill(&format!("\"artifact_info\": {{{}}}", many.join(", ")), "");
    with(&text, 3, 20, None).unwrap();
}
